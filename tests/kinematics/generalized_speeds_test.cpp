// Generalized speeds u = Y(q) v + y(q, t): of a body, of the middle link, by formulas.

#include "ulna/kinematics/generalized_speeds.hpp"

#include <gmock/gmock.h>

#include "../support/random_robot.hpp"
#include "support/near.hpp"
#include "ulna/kinematics/parts/speed_map.hpp"

namespace ulna {
namespace {

using testing::expect_near;
using testing::Generator;
using ::testing::HasSubstr;
using testing::random_entries;

/// Revolute links along x, each turning about its axis.
Model turning_chain(const std::vector<Vector3<double>>& axes) {
  Robot robot;
  robot.name = "chain";
  for (std::size_t k = 0; k < axes.size(); ++k) {
    BodyData body;
    body.name = "link" + std::to_string(k + 1);
    body.inertial = {1, {0.2, 0, 0}, Matrix3<double>::Identity()};
    JointData joint;
    joint.name = "joint" + std::to_string(k + 1);
    joint.parent = k == 0 ? world_name : robot.bodies.back().name;
    joint.child = body.name;
    joint.type = JointType::revolute;
    joint.axis = axes[k];
    joint.X_PF.position = {k == 0 ? 0 : 0.5, 0, 0};
    robot.bodies.push_back(body);
    robot.joints.push_back(joint);
  }
  return Model(robot);
}

const Vector3<double> along_y(0, 1, 0), along_z(0, 0, 1);

std::string refusal(const Model& model, const GeneralizedSpeeds& speeds) {
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(model.coordinates(), 0.3),
                        v = Eigen::VectorXd::Ones(model.speeds());
  try {
    const SpeedMap map = speed_map(model, speeds, q, v);
    const SpeedSolver solver(map);
    return "no refusal";
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST(GeneralizedSpeeds, OfTheMiddleLinkOfA3RArmAreTwoComponentsAndARate) {
  const Model arm = turning_chain({along_z, along_y, along_y});
  EXPECT_EQ(arm.bodies()[middle_body(arm)].name, "link2");
  const Eigen::VectorXd q = Eigen::Vector3d(0.4, 0.7, -1.1), v = Eigen::Vector3d(0.3, -0.8, 1.7);
  const SpeedMap map = speed_map(arm, {"middle"}, q, v);
  EXPECT_GT(SpeedSolver(map).reciprocal_condition(), 0.1);
  Workspace work(arm);
  const int body = arm.body("link2");
  update_motions(arm, work, q, v, v);
  const Vector3<double> w =
      frame_pose(arm, work, body).rotation.transpose() * frame_velocity(arm, work, body).angular;
  const Eigen::VectorXd u = map.speeds(v);
  const char* const axes[] = {"link2.wx", "link2.wy", "link2.wz"};
  int components = 0;
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < 3; ++k)
      if (map.names[r] == axes[k]) {
        EXPECT_NEAR(u(r), w(k), 1e-15);
        ++components;
      }
  EXPECT_EQ(components, 2);
  EXPECT_EQ(map.names[2], "joint3");
  expect_near(SpeedSolver(map).rates(u), v, 1e-14);
}

TEST(GeneralizedSpeeds, ABodyTurnedAboutOneDirectionHasOneComponent) {
  const Model planar = turning_chain({along_z, along_z, along_z});
  const Eigen::VectorXd q = Eigen::Vector3d(0.4, 0.7, -1.1), v = Eigen::Vector3d(0.3, -0.8, 1.7);
  const SpeedMap map = speed_map(planar, {"body:link3"}, q, v);
  EXPECT_EQ(std::count(map.names.begin(), map.names.end(), "link3.wz"), 1);
  EXPECT_NEAR(map.speeds(v).sum() - v.sum(), v.sum() - v(0), 1e-14);  // in the place of one rate
  EXPECT_GT(SpeedSolver(map).reciprocal_condition(), 0.1);
}

TEST(GeneralizedSpeeds, TheRuleFollowsTheBranchWithMostTurns) {
  EXPECT_EQ(middle_body(turning_chain({along_z, along_y})), -1);
  const Model five = turning_chain({along_z, along_y, along_z, along_y, along_z});
  EXPECT_EQ(five.bodies()[middle_body(five)].name, "link3");
  Robot branched = five.robot();  // a side branch listed first
  BodyData side;
  side.name = "side";
  side.inertial = {1, {0, 0, 0}, Matrix3<double>::Identity()};
  JointData joint;
  joint.name = "side";
  joint.type = JointType::revolute;
  joint.parent = "link1";
  joint.child = "side";
  branched.bodies.insert(branched.bodies.begin(), side);
  branched.joints.insert(branched.joints.begin(), joint);
  const Model model(branched);
  EXPECT_EQ(model.bodies()[middle_body(model)].name, "link3");
}

TEST(GeneralizedSpeeds, FormulasAreTakenWithTheirRatesAlongTheMotion) {
  const Model arm = turning_chain({along_z, along_y, along_y});
  const GeneralizedSpeeds speeds{"mine",
                                 {{"u1", "cos(q.joint2)*v.joint1 + t^2*sin(q.joint3)"},
                                  {"u2", "2*v.joint2 - v.joint1/(1 + q.joint3^2)"},
                                  {"u3", "sqrt(4 + t)*(v.joint3 + v.joint2)"}}};
  const Eigen::VectorXd q = Eigen::Vector3d(0.4, 0.7, -1.1), v = Eigen::Vector3d(0.3, -0.8, 1.7);
  const double t = 0.6, h = 1e-5;
  const SpeedMap map = speed_map(arm, speeds, q, v, t);
  const auto by_hand = [](const Eigen::VectorXd& p, const Eigen::VectorXd& r, double time) {
    return Eigen::Vector3d(std::cos(p(1)) * r(0) + time * time * std::sin(p(2)),
                           2 * r(1) - r(0) / (1 + p(2) * p(2)),
                           std::sqrt(4 + time) * (r(2) + r(1)));
  };
  expect_near(map.speeds(v), by_hand(q, v, t), 1e-14);
  // Central differences of such smooth functions err by h^2.
  const Eigen::VectorXd rate =
      (by_hand(q + h * v, v, t + h) - by_hand(q - h * v, v, t - h)) / 2 / h;
  expect_near(map.drift(v), rate, 1e-8);
  const Eigen::VectorXd back = SpeedSolver(map).rates(map.speeds(v) - map.y);
  expect_near(back, v, 1e-13);
}

TEST(GeneralizedSpeeds, QuaternionsMoveWithTheirBody) {
  Generator g(5);
  testing::RobotRecipe recipe;
  recipe.bodies = 1;
  recipe.types = {JointType::spherical};
  const Model ball(testing::random_robot(g, recipe));
  const Eigen::VectorXd q = ball.random(g), v = random_entries(g, 3);
  GeneralizedSpeeds speeds{"mine", {}};
  for (int k = 0; k < 3; ++k)
    speeds.formulas.emplace_back("u" + std::to_string(k), "(2 + q." + ball.coordinate_names()[1] +
                                                              ")*v." + ball.speed_names()[k]);
  const double h = 1e-5;
  const SpeedMap map = speed_map(ball, speeds, q, v);
  const Eigen::MatrixXd difference = (speed_map(ball, speeds, ball.integrate(q, h * v), v).Y -
                                      speed_map(ball, speeds, ball.integrate(q, -h * v), v).Y) /
                                     (2 * h);
  expect_near(map.Y_dot, difference, 1e-8);
}

TEST(GeneralizedSpeeds, WhatCannotBeIsNamed) {
  const Model arm = turning_chain({along_z, along_y, along_y});
  const auto formulas = [](const std::string& first) {
    return GeneralizedSpeeds{"mine.yaml", {{"u1", first}, {"u2", "v.joint2"}, {"u3", "v.joint3"}}};
  };
  EXPECT_EQ(refusal(arm, formulas("v.joint1 + q.joint1")), "no refusal");
  const std::pair<std::string, std::vector<std::string>> wrong[] = {
      {"v.joint1^2", {"speed 'u1' of 'mine.yaml'", "linear"}},
      {"v.joint1*v.joint2", {"linear"}},
      {"v.joint12", {"'v.joint12'", "v.joint1"}},
      {"joint1", {"'joint1'", "q.NAME"}},
      {"sin(v.joint1", {"never closed"}},
      {"v.joint1^0.3", {"exponent"}},
      {"v.joint1/0", {"division by zero"}},
      {"3 v.joint1", {"'v' was not expected", "'u1'"}},
      {"v.joint2", {"'mine.yaml' are singular", "joint-rates"}},
      {"", {"ends here"}},
  };
  for (const auto& [text, says] : wrong)
    for (const std::string& part : says)
      EXPECT_THAT(refusal(arm, formulas(text)), HasSubstr(part)) << text;
  GeneralizedSpeeds few = formulas("v.joint1");
  few.formulas.pop_back();
  EXPECT_THAT(refusal(arm, few), HasSubstr("2 formulas"));
  EXPECT_THAT(refusal(arm, {"body:world"}), HasSubstr("no turning joint"));
  EXPECT_THAT(refusal(arm, {"wheels"}), HasSubstr("'wheels'"));
  EXPECT_THAT(refusal(turning_chain({along_z, along_y}), {"middle"}), HasSubstr("three"));
}

}  // namespace
}  // namespace ulna
