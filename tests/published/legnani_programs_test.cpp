// G. Legnani, F. Casolo, P. Righettini, B. Zappa, "A homogeneous matrix approach to 3D kinematics
// and dynamics", Mechanism and Machine Theory 31(5), 1996: the complete output of its
// library's program for any serial manipulator, for a 6R arm and a SCARA.

#include <gtest/gtest.h>

#include <map>

#include "legnani.hpp"
#include "ulna/dynamics/lagrange_4x4.hpp"
#include "ulna/formats/read_robot.hpp"

namespace ulna {
namespace {

using testing::Json;
using testing::numbers;
using testing::read_data;
using testing::legnani::add_link;
using testing::legnani::matrix4;
using testing::legnani::vector;

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
        link_matrices(model, numbers(motion["q"]), numbers(motion["v"]), numbers(motion["a"]));
    ASSERT_EQ(links.size(), step["links"].size());
    for (std::size_t i = 0; i < links.size(); ++i)
      for (const auto& [name, found] : twelve(links[i])) {
        const double error = (found - matrix4(step["links"][i].at(name))).cwiseAbs().maxCoeff();
        EXPECT_LE(error, tolerance) << arm["name"] << ", link " << i + 1 << ", " << name;
      }
  }
}

TEST(Legnani, ProgramOutputOfTheSixRevoluteArm) {
  const Json arm = read_data("legnani_programs.json")["robots"][0];
  expect_printed_output(Model(program_robot(arm)), arm, 0.5001e-4);  // four decimals
}

TEST(Legnani, ProgramOutputOfTheScara) {
  const Json arm = read_data("legnani_programs.json")["robots"][1];
  expect_printed_output(Model(program_robot(arm)), arm, 0.5001e-4);
}

TEST(Legnani, ShippedScaraIsTheProgramsScara) {
  // It has 180 degrees where the program's data have 3.14159: 3e-6 times arms and forces.
  const Json arm = read_data("legnani_programs.json")["robots"][1];
  expect_printed_output(Model(read_robot("scara").robot), arm, 2e-4);
}

}  // namespace
}  // namespace ulna
