// G. Legnani, F. Casolo, P. Righettini, B. Zappa, "A homogeneous matrix approach to 3D kinematics
// and dynamics", Mechanism and Machine Theory 31(5), 1996: the Stanford arm of Part 2, and the
// identities behind Lagrange's equations. Its operations and programs are in files of their own.

#include <gtest/gtest.h>

#include <cmath>

#include "legnani.hpp"
#include "ulna/dynamics/lagrange_4x4.hpp"

namespace ulna {
namespace {

using testing::Json;
using testing::numbers;
using testing::read_data;
using testing::legnani::add_link;
using testing::legnani::matrix;
using testing::legnani::matrix4;
using testing::legnani::Vector;
using testing::legnani::vector;

struct StanfordArm {
  Json given = read_data("legnani_stanford.json");
  double d2 = given["d2"], d4 = given["d4"];
  Robot robot = build();
  Model model{robot};
  Eigen::VectorXd q = numbers(given["q"]), v = numbers(given["v"]), a = numbers(given["a"]);

  Robot build() const {
    const double turn = M_PI / 2;
    const Placement places[] = {standard_dh(0, 0, 0, -turn), standard_dh(0, d2, 0, turn),
                                standard_dh(0, 0, 0, 0),     standard_dh(0, d4, 0, -turn),
                                standard_dh(0, 0, 0, turn),  standard_dh(0, 0, 0, 0)};
    Robot arm;
    arm.name = "stanford";
    arm.gravity = vector(given["gravity"]);
    for (int i = 0; i < 6; ++i) {
      const Json& t = given["inertias"][i];
      Inertial inertial{given["masses"][i], vector(given["centres"][i]), {}};
      inertial.inertia << t[0], t[3], t[5], t[3], t[1], t[4], t[5], t[4], t[2];
      add_link(arm, i == 2 ? JointType::prismatic : JointType::revolute, places[i], inertial);
    }
    return arm;
  }
  ExternalWrench tip_wrench() const {
    const Vector6<double> w = matrix<6, 1>(given["tip_wrench"]);
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
  const Json& n = arm.given;
  const ExternalWrench tip = arm.tip_wrench();
  const auto links = link_matrices(arm.model, arm.q, arm.v, arm.a, {&tip, 1});
  EXPECT_LT((links[5].absolute_position.matrix - matrix4(n["M06"])).norm(), tolerance);
  EXPECT_LT((links[5].absolute_velocity.matrix - matrix4(n["W06"])).norm(), tolerance);
  EXPECT_LT((links[5].absolute_acceleration.matrix - matrix4(n["H06"])).norm(), tolerance);
  const Eigen::VectorXd effort = numbers(n["actuator_effort"]);
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
                     numbers(n["bias"])),
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
