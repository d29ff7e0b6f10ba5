// G. Legnani, F. Casolo, P. Righettini, B. Zappa, "A homogeneous matrix approach to 3D kinematics
// and dynamics", Mechanism and Machine Theory 31(5), 1996, and the examples of its library
// SPACELIB: 21 single operations, the complete output of the program for any serial manipulator for
// a 6R arm and a SCARA, the Stanford arm of Part 2, and the identities behind Lagrange's equations.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "ulna/dynamics/lagrange_4x4.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/model/placement.hpp"
#include "ulna/spatial/homogeneous_angles.hpp"
#include "ulna/spatial/homogeneous_screw.hpp"

namespace ulna {
namespace {

using Json = nlohmann::json;
using Vector = Vector3<double>;

Json data(const std::string& name) {
  return Json::parse(std::ifstream(std::string(ULNA_TEST_DATA) + "/" + name));
}

template <int Rows, int Columns>
Eigen::Matrix<double, Rows, Columns> matrix(const Json& numbers) {
  Eigen::Matrix<double, Rows, Columns> m;
  for (int k = 0; k < Rows * Columns; ++k) m(k / Columns, k % Columns) = numbers.at(k);
  return m;
}
Vector vector(const Json& numbers) { return matrix<3, 1>(numbers); }
Matrix4<double> matrix4(const Json& numbers) { return matrix<4, 4>(numbers); }
PositionMatrix<double> position(const Json& numbers) {
  return PositionMatrix<double>(matrix4(numbers));
}
Eigen::VectorXd list(const Json& numbers) {
  Eigen::VectorXd x(numbers.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) x(static_cast<int>(k)) = numbers[k];
  return x;
}

// -- single operations ---------------------------------------------------------------------------

class Operation : public ::testing::TestWithParam<int> {
 protected:
  const Json entry = data("legnani_operations.json")["cases"].at(GetParam());
  const Json& given = entry["given"];
  const Json& printed = entry["printed"];
  // Half of the last printed digit, and a little for results that end in a 5 there.
  double tolerance = entry["tolerance"].get<double>() * 1.0002;

  std::string sequence() const { return given["sequence"]; }
  AngleMotion motion() const {
    const auto get = [&](const char* key) {
      return given.contains(key) ? vector(given[key]) : Vector(Vector::Zero());
    };
    return {get("angles"), get("rates"), get("accelerations")};
  }

  void expect(const char* key, const Eigen::MatrixXd& found) const {
    const Json& numbers = printed.at(key);
    ASSERT_EQ(static_cast<int>(numbers.size()), found.size());
    for (int k = 0; k < found.size(); ++k)
      EXPECT_NEAR(found(k / found.cols(), k % found.cols()), numbers[k], tolerance)
          << key << " " << k;
  }
  void expect(const char* key, double found) const {
    EXPECT_NEAR(found, printed.at(key), 0.5001e-6) << key;  // scalars: six decimals
  }

  void displacement_of_a_screw() {
    const FiniteScrew screw{vector(given["axis"]), given["angle"], given["slide"],
                            vector(given["point"])};
    expect("pose", displacement(screw).matrix);
  }
  void screw_of_a_displacement() {
    const FiniteScrew screw = screw_of(position(given["pose"]));
    expect("axis", screw.axis);
    expect("angle", screw.angle);
    expect("slide", screw.slide);
    expect("point", screw.point);
  }
  void revolute_screw() {
    expect("L",
           ScrewMatrix<double>::revolute(vector(given["axis"]), vector(given["point"])).matrix);
  }
  void prismatic_screw() {
    expect("L", ScrewMatrix<double>::prismatic(vector(given["axis"])).matrix);
  }
  void inertia_matrix() {
    expect("J", InertiaMatrix<double>::from_centre(given["mass"], vector(given["centre"]),
                                                   matrix<3, 3>(given["inertia"]))
                    .matrix);
  }
  template <class Kind>
  void in_another_frame() {
    const Kind X(matrix4(given["matrix"]));
    expect("matrix", transform(position(given["pose"]), X).matrix);
  }
  void screw_of_a_velocity() {
    const InstantScrew screw = screw_of(VelocityMatrix<double>(matrix4(given["W"])));
    expect("axis", screw.axis);
    expect("angular_speed", screw.angular_speed);
    expect("slide_speed", screw.slide_speed);
    expect("point", screw.point);
  }
  void product_of_poses() {
    PositionMatrix<double> M;
    int k = 0;
    for (const Json& row : given["rows"]) {
      double theta = row[1], d = row[2];
      const double q = given["coordinates"][k++];
      (row[0] == "revolute" ? theta : d) += q;
      M = M * PositionMatrix<double>::extended_dh(theta, d, 0, row[3], row[4]);
    }
    expect("pose", M.matrix);
  }
  void free_body() {
    FreeBody body;
    body.action = Wrench<double>::from_vector(matrix<6, 1>(given["wrench"]));
    const FreeBody solved = solve_free_body(InertiaMatrix<double>(matrix4(given["J"])), body);
    expect("Wdot", VelocityMatrix<double>(solved.rate).matrix);
  }
  void angles_of_a_rotation() {
    // The rotation is given to three decimals only.
    const EulerAngles angles =
        euler_angles(sequence(), nearest_rotation(matrix<3, 3>(given["rotation"])));
    expect("first", angles.first);
    expect("second", angles.second);
  }
};

TEST_P(Operation, GivesThePrintedResult) {
  const AngleMotion m = motion();
  const Vector fixed =
      given.contains("fixed_point") ? vector(given["fixed_point"]) : Vector(Vector::Zero());
  const std::map<std::string, std::function<void()>> operations = {
      {"displacement of a screw", [&] { displacement_of_a_screw(); }},
      {"screw of a displacement", [&] { screw_of_a_displacement(); }},
      {"revolute screw", [&] { revolute_screw(); }},
      {"prismatic screw", [&] { prismatic_screw(); }},
      {"inertia matrix", [&] { inertia_matrix(); }},
      {"velocity in another frame", [&] { in_another_frame<VelocityMatrix<double>>(); }},
      {"acceleration in another frame", [&] { in_another_frame<AccelerationMatrix<double>>(); }},
      {"momentum in another frame", [&] { in_another_frame<MomentumMatrix<double>>(); }},
      {"screw of a velocity", [&] { screw_of_a_velocity(); }},
      {"product of Denavit-Hartenberg poses", [&] { product_of_poses(); }},
      {"free body", [&] { free_body(); }},
      {"rotation of angles", [&] { expect("rotation", euler_rotation(sequence(), m.angles)); }},
      {"angles of a rotation", [&] { angles_of_a_rotation(); }},
      {"angular velocity of angles",
       [&] { expect("w", angular_velocity(sequence(), m.angles, m.rates)); }},
      {"angular acceleration of angles",
       [&] {
         expect("w_dot", angular_acceleration(sequence(), m.angles, m.rates, m.accelerations));
       }},
      {"G of angles",
       [&] {
         const AccelerationMatrix<double> H = acceleration_from_angles(sequence(), m, fixed);
         expect("G", Matrix3<double>(H.matrix.topLeftCorner<3, 3>()));
       }},
      {"velocity matrix of angles",
       [&] { expect("W", velocity_from_angles(sequence(), m, fixed).matrix); }},
      {"acceleration matrix of angles",
       [&] { expect("H", acceleration_from_angles(sequence(), m, fixed).matrix); }}};
  SCOPED_TRACE(entry["name"].get<std::string>());
  operations.at(entry["operation"])();
}

INSTANTIATE_TEST_SUITE_P(Legnani, Operation, ::testing::Range(0, 21));

TEST(Legnani, AllOperationsAreTested) {
  EXPECT_EQ(data("legnani_operations.json")["cases"].size(), 21u);
}

// -- arms given by Denavit-Hartenberg rows -------------------------------------------------------

void add_link(Robot& robot, JointType type, const Placement& place, const Inertial& inertial) {
  const std::string number = std::to_string(robot.bodies.size() + 1);
  JointData joint;
  joint.name = "joint" + number;
  joint.type = type;
  joint.parent = robot.bodies.empty() ? world_name : robot.bodies.back().name;
  joint.child = "link" + number;
  joint.X_PF = place.X_PF;
  joint.X_MC = place.X_MC;
  BodyData body;
  body.name = joint.child;
  body.inertial = inertial;
  robot.bodies.push_back(body);
  robot.joints.push_back(joint);
}

Robot program_robot(const Json& arm) {
  Robot robot;
  robot.name = "arm";
  robot.gravity = vector(arm["gravity"]);
  for (const Json& link : arm["links"]) {
    const Json& dh = link["dh"];
    Inertial inertial{link["mass"], vector(link["centre"]), vector(link["inertia"]).asDiagonal()};
    add_link(robot, *joint_type_from_name(link["joint"]),
             extended_dh(dh[0], dh[1], dh[2], dh[3], dh[4]), inertial);
  }
  return robot;
}

std::map<std::string, Matrix4<double>> twelve(const LinkMatrices& link) {
  return {{"relative_position", link.relative_position.matrix},
          {"absolute_position", link.absolute_position.matrix},
          {"relative_velocity_local", link.relative_velocity_local.matrix},
          {"relative_velocity_base", link.relative_velocity_base.matrix},
          {"absolute_velocity", link.absolute_velocity.matrix},
          {"relative_acceleration_local", link.relative_acceleration_local.matrix},
          {"relative_acceleration_base", link.relative_acceleration_base.matrix},
          {"absolute_acceleration", link.absolute_acceleration.matrix},
          {"inertia_local", link.inertia_local.matrix},
          {"inertia_base", link.inertia_base.matrix},
          {"link_action", link.link_action.matrix},
          {"joint_action", link.joint_action.matrix}};
}

/// All matrices of all links and steps of one arm within `tolerance` of the printed ones.
void expect_printed_output(const Model& model, const Json& arm, double tolerance) {
  for (const Json& step : arm["steps"]) {
    const Json& motion = step["motion"];
    const auto links =
        link_matrices(model, list(motion["q"]), list(motion["v"]), list(motion["a"]));
    ASSERT_EQ(links.size(), step["links"].size());
    for (std::size_t i = 0; i < links.size(); ++i)
      for (const auto& [name, found] : twelve(links[i])) {
        const double error = (found - matrix4(step["links"][i].at(name))).cwiseAbs().maxCoeff();
        EXPECT_LE(error, tolerance) << arm["name"] << ", link " << i + 1 << ", " << name;
      }
  }
}

TEST(Legnani, ProgramOutputOfTheSixRevoluteArm) {
  const Json arm = data("legnani_programs.json")["robots"][0];
  expect_printed_output(Model(program_robot(arm)), arm, 0.5001e-4);  // four decimals
}

TEST(Legnani, ProgramOutputOfTheScara) {
  const Json arm = data("legnani_programs.json")["robots"][1];
  expect_printed_output(Model(program_robot(arm)), arm, 0.5001e-4);
}

TEST(Legnani, ShippedScaraIsTheProgramsScara) {
  // It has 180 degrees where the program's data have 3.14159: 3e-6 times arms and forces.
  const Json arm = data("legnani_programs.json")["robots"][1];
  expect_printed_output(Model(read_robot("scara").robot), arm, 2e-4);
}

// -- the Stanford arm of Part 2 ------------------------------------------------------------------

struct StanfordArm {
  Json numbers = data("legnani_stanford.json");
  double d2 = numbers["d2"], d4 = numbers["d4"];
  Robot robot = build();
  Model model{robot};
  Eigen::VectorXd q = list(numbers["q"]), v = list(numbers["v"]), a = list(numbers["a"]);

  Robot build() const {
    const double turn = M_PI / 2;
    const Placement places[] = {standard_dh(0, 0, 0, -turn), standard_dh(0, d2, 0, turn),
                                standard_dh(0, 0, 0, 0),     standard_dh(0, d4, 0, -turn),
                                standard_dh(0, 0, 0, turn),  standard_dh(0, 0, 0, 0)};
    Robot arm;
    arm.name = "stanford";
    arm.gravity = vector(numbers["gravity"]);
    for (int i = 0; i < 6; ++i) {
      const Json& t = numbers["inertias"][i];
      Inertial inertial{numbers["masses"][i], vector(numbers["centres"][i]), {}};
      inertial.inertia << t[0], t[3], t[5], t[3], t[1], t[4], t[5], t[4], t[2];
      add_link(arm, i == 2 ? JointType::prismatic : JointType::revolute, places[i], inertial);
    }
    return arm;
  }
  ExternalWrench tip_wrench() const {
    const Vector6<double> w = matrix<6, 1>(numbers["tip_wrench"]);
    const int last = model.body("link6");
    return {last, Vector::Zero(), w.tail<3>(), w.head<3>(), last};
  }
};

TEST(Legnani, StanfordArmHasThePrintedMatrices) {
  const StanfordArm arm;
  const auto c = [&](int i) { return std::cos(arm.q(i - 1)); };
  const auto s = [&](int i) { return std::sin(arm.q(i - 1)); };
  const auto close = [](const Matrix4<double>& found, std::initializer_list<double> printed,
                        const char* name) {
    Matrix4<double> m;
    std::copy(printed.begin(), printed.end(), m.transpose().reshaped().begin());
    EXPECT_LT((found - m).cwiseAbs().maxCoeff(), 1e-14) << name;
  };
  const auto link = link_matrices(arm.model, arm.q, arm.v, arm.a);
  const double c1 = c(1), s1 = s(1), d3 = arm.q(2), d2 = arm.d2, d4 = arm.d4;
  close(link[0].relative_position.matrix, {c1, 0, -s1, 0, s1, 0, c1, 0, 0, -1, 0, 0, 0, 0, 0, 1},
        "M01");
  close(link[1].relative_position.matrix,
        {c(2), 0, s(2), 0, s(2), 0, -c(2), 0, 0, 1, 0, d2, 0, 0, 0, 1}, "M12");
  close(link[2].relative_position.matrix, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, d3, 0, 0, 0, 1}, "M23");
  close(link[3].relative_position.matrix,
        {c(4), 0, -s(4), 0, s(4), 0, c(4), 0, 0, -1, 0, d4, 0, 0, 0, 1}, "M34");
  close(link[4].relative_position.matrix,
        {c(5), 0, s(5), 0, s(5), 0, -c(5), 0, 0, 1, 0, 0, 0, 0, 0, 1}, "M45");
  close(link[5].relative_position.matrix,
        {c(6), -s(6), 0, 0, s(6), c(6), 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, "M56");

  const double w = arm.v(3), dw = arm.a(3), w3 = arm.v(2), dw3 = arm.a(2);
  close(link[3].relative_velocity_local.matrix, {0, -w, 0, 0, w, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
        "W revolute");
  close(link[3].relative_acceleration_local.matrix,
        {-w * w, -dw, 0, 0, dw, -w * w, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "H revolute");
  close(link[2].relative_velocity_local.matrix, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, w3, 0, 0, 0, 0},
        "W prismatic");
  close(link[2].relative_acceleration_local.matrix,
        {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, dw3, 0, 0, 0, 0}, "H prismatic");

  const Matrix4<double> L12 = link[1].screws[0].matrix, L23 = link[2].screws[0].matrix;
  close(L12, {0, 0, c1, 0, 0, 0, s1, 0, -c1, -s1, 0, 0, 0, 0, 0, 0}, "L12(0)");
  close(L12 * L12, {-c1 * c1, -c1 * s1, 0, 0, -c1 * s1, -s1 * s1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0},
        "L12(0)^2");
  // The paper prints C1 S1 for the first entry, a misprint for C1 S2.
  close(L23, {0, 0, 0, c1 * s(2), 0, 0, 0, s1 * s(2), 0, 0, 0, c(2), 0, 0, 0, 0}, "L23(0)");
  EXPECT_LT(
      (link[1].relative_acceleration_base.matrix - L12 * arm.a(1) - L12 * L12 * arm.v(1) * arm.v(1))
          .norm(),
      1e-14);
  EXPECT_LT((link[2].relative_velocity_base.matrix - L23 * w3).norm(), 1e-14);
  EXPECT_LT((link[2].relative_acceleration_base.matrix - L23 * dw3).norm(), 1e-14);
}

TEST(Legnani, StanfordArmDynamics) {
  // Computed independently from the equations; sizes up to 200, so 1e-11 is some hundred roundings.
  const double tolerance = 1e-11;
  const StanfordArm arm;
  const Json& n = arm.numbers;
  const ExternalWrench tip = arm.tip_wrench();
  const auto links = link_matrices(arm.model, arm.q, arm.v, arm.a, {&tip, 1});
  EXPECT_LT((links[5].absolute_position.matrix - matrix4(n["M06"])).norm(), tolerance);
  EXPECT_LT((links[5].absolute_velocity.matrix - matrix4(n["W06"])).norm(), tolerance);
  EXPECT_LT((links[5].absolute_acceleration.matrix - matrix4(n["H06"])).norm(), tolerance);
  const Eigen::VectorXd effort = list(n["actuator_effort"]);
  double kinetic = 0, potential = 0;
  const AccelerationMatrix<double> Hg = AccelerationMatrix<double>::gravity(arm.robot.gravity);
  for (int i = 0; i < 6; ++i) {
    EXPECT_LT((links[i].screws[0].matrix - matrix4(n["L0"][i])).norm(), tolerance);
    EXPECT_LT((links[i].joint_action.matrix - matrix4(n["joint_action"][i])).norm(), tolerance);
    EXPECT_NEAR(-pseudo_product(links[i].joint_action, links[i].screws[0]), effort(i), tolerance);
    kinetic += kinetic_energy(links[i].absolute_velocity, links[i].inertia_base);
    potential += potential_energy(Hg, links[i].inertia_base);
  }
  EXPECT_NEAR(kinetic, n["kinetic_energy"], tolerance);
  EXPECT_NEAR(potential, n["potential_energy"], tolerance);

  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(6);
  const auto distance = [](const Eigen::MatrixXd& x, const Eigen::MatrixXd& y) {
    return (x - y).cwiseAbs().maxCoeff();
  };
  EXPECT_LT(distance(mass_matrix_lagrange_4x4(arm.model, arm.q), matrix<6, 6>(n["mass_matrix"])),
            tolerance);
  EXPECT_LT(distance(inverse_dynamics_lagrange_4x4(arm.model, arm.q, arm.v, zero, {&tip, 1}),
                     list(n["bias"])),
            tolerance);
  EXPECT_LT(
      distance(inverse_dynamics_lagrange_4x4(arm.model, arm.q, arm.v, arm.a, {&tip, 1}), effort),
      tolerance);
  EXPECT_LT(distance(inverse_dynamics_newton_euler_4x4(arm.model, arm.q, arm.v, arm.a, {&tip, 1}),
                     effort),
            tolerance);
  EXPECT_LT(
      distance(forward_dynamics_lagrange_4x4(arm.model, arm.q, arm.v, effort, {&tip, 1}), arm.a),
      1e-9);  // the condition of the mass matrix is about 2e4
}

// -- the identities behind Lagrange's equations --------------------------------------------------

/// Kinetic energy, momenta p_m = dT/dv_m = sum tr(L_m J W') and potential energy of an arm.
struct Energies {
  double kinetic = 0, potential = 0;
  Eigen::VectorXd momenta;
};
Energies energies(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  const int n = model.speeds();
  const auto links = link_matrices(model, q, v, Eigen::VectorXd::Zero(n));
  const auto Hg = AccelerationMatrix<double>::gravity(model.robot().gravity);
  Energies e{0, 0, Eigen::VectorXd::Zero(n)};
  for (int h = 0; h < n; ++h) {
    const VelocityMatrix<double>& W = links[h].absolute_velocity;
    e.kinetic += kinetic_energy(W, links[h].inertia_base);
    e.potential += potential_energy(Hg, links[h].inertia_base);
    for (int m = 0; m <= h; ++m)
      e.momenta(m) +=
          trace_product(links[m].screws[0], links[h].inertia_base, ScrewMatrix<double>(W.matrix));
  }
  return e;
}

TEST(Legnani, LagrangeOperatorOfTheEnergiesIsATrace) {
  StanfordArm arm;
  arm.robot.joints[4].type = JointType::screw;  // revolute, prismatic and screw joints at once
  arm.robot.joints[4].pitch = 0.05;
  const Model model(arm.robot);
  const Eigen::VectorXd &q = arm.q, &v = arm.v, &a = arm.a;
  const auto links = link_matrices(model, q, v, a);
  const auto Hg = AccelerationMatrix<double>::gravity(model.robot().gravity);
  const double t = 1e-5;  // central differences: truncation and rounding both about 1e-10
  const auto along = [&](double s) {
    return energies(model, q + s * v + s * s / 2 * a, v + s * a).momenta;
  };
  const Eigen::VectorXd momentum_rate = (along(t) - along(-t)) / (2 * t);
  for (int m = 0; m < 6; ++m) {
    const Eigen::VectorXd e = t * Eigen::VectorXd::Unit(6, m);
    const Energies ahead = energies(model, q + e, v), behind = energies(model, q - e, v);
    const double dT = (ahead.kinetic - behind.kinetic) / (2 * t);
    const double dV = (ahead.potential - behind.potential) / (2 * t);
    const double by_speed =
        (energies(model, q, v + e).kinetic - energies(model, q, v - e).kinetic) / (2 * t);
    double inertia_terms = 0, gravity_terms = 0;
    for (int h = m; h < 6; ++h) {
      const Matrix4<double>& J = links[h].inertia_base.matrix;
      const Matrix4<double>& L = links[m].screws[0].matrix;
      inertia_terms += trace_of_product<double>(links[h].absolute_acceleration.matrix * J, L);
      gravity_terms -= trace_of_product<double>(Hg.matrix * J, L);
    }
    EXPECT_NEAR(by_speed, energies(model, q, v).momenta(m), 1e-8) << m;
    EXPECT_NEAR(momentum_rate(m) - dT, inertia_terms, 1e-8) << m;
    EXPECT_NEAR(dV, gravity_terms, 1e-8) << m;
    // Together they are the effort.
    EXPECT_NEAR(inertia_terms + gravity_terms, inverse_dynamics_lagrange_4x4(model, q, v, a)(m),
                1e-11);
  }
}

}  // namespace
}  // namespace ulna
