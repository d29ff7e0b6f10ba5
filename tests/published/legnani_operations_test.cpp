// G. Legnani, F. Casolo, P. Righettini, B. Zappa, "A homogeneous matrix approach to 3D kinematics
// and dynamics", Mechanism and Machine Theory 31(5), 1996: the 21 single operations that its
// library SPACELIB prints.

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "legnani.hpp"
#include "ulna/spatial/homogeneous_angles.hpp"
#include "ulna/spatial/homogeneous_screw.hpp"

namespace ulna {
namespace {

using testing::Json;
using testing::read_data;
using testing::legnani::matrix;
using testing::legnani::matrix4;
using testing::legnani::Vector;
using testing::legnani::vector;

PositionMatrix<double> position(const Json& numbers) {
  return PositionMatrix<double>(matrix4(numbers));
}

class Operation : public ::testing::TestWithParam<int> {
 protected:
  const Json entry = read_data("legnani_operations.json")["cases"].at(GetParam());
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
  EXPECT_EQ(read_data("legnani_operations.json")["cases"].size(), 21u);
}

}  // namespace
}  // namespace ulna
