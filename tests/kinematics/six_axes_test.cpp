// Arms of six turning joints: every posture for a pose, by the structure of the axes and by
// elimination, which needs none.

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "support/json_data.hpp"
#include "support/random_robot.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/closed_form.hpp"
#include "ulna/kinematics/inverse_kinematics.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;
using testing::Generator;
using testing::uniform;
using ArmKind = ArmStructure::Kind;

constexpr double apart = 1e-6;  ///< rad: postures of one pose are farther apart but near singular

/// Links with joints at given places, all axes z of their frames.
Robot chain_of(const std::vector<Pose<double>>& places, const Pose<double>& tool) {
  Robot robot;
  robot.name = "chain";
  for (std::size_t k = 0; k < places.size(); ++k) {
    BodyData body;
    body.name = "link" + std::to_string(k + 1);
    robot.bodies.push_back(body);
    JointData joint;
    joint.name = "joint" + std::to_string(k + 1);
    joint.type = JointType::revolute;
    joint.parent = k == 0 ? world_name : robot.bodies[k - 1].name;
    joint.child = body.name;
    joint.X_PF = places[k];
    robot.joints.push_back(joint);
  }
  robot.frames = {{"tool", robot.bodies.back().name, tool, {}}};
  return robot;
}

/// Shift d along z, shift a along x, turn alpha about x: what follows a joint in Denavit and
/// Hartenberg's way.
Pose<double> after_joint(double a, double d, double alpha) {
  Pose<double> X;
  X.rotation << 1, 0, 0, 0, std::cos(alpha), -std::sin(alpha), 0, std::sin(alpha), std::cos(alpha);
  X.position << a, 0, d;
  return X;
}

Robot arm_of(const std::vector<double>& a, const std::vector<double>& d,
             const std::vector<double>& alpha) {
  std::vector<Pose<double>> places = {Pose<double>{}};
  for (int k = 0; k < 5; ++k) places.push_back(after_joint(a[k], d[k], alpha[k]));
  return chain_of(places, after_joint(a[5], d[5], alpha[5]));
}

Pose<double> tool_pose(const Model& model, const VectorXd& q) {
  Workspace work(model);
  update_poses(model, work, q);
  return frame_pose(model, work, model.frame("tool"));
}

bool same_angles(const VectorXd& a, const VectorXd& b) {
  for (int k = 0; k < a.size(); ++k)
    if (std::abs(std::remainder(a(k) - b(k), 2 * M_PI)) > apart) return false;
  return true;
}

bool holds_posture(const std::vector<VectorXd>& postures, const VectorXd& q) {
  return std::any_of(postures.begin(), postures.end(),
                     [&](const VectorXd& other) { return same_angles(other, q); });
}

/// They reach the pose, and no two are one.
void expect_postures(const Model& model, const std::vector<VectorXd>& postures,
                     const Pose<double>& X) {
  for (std::size_t i = 0; i < postures.size(); ++i) {
    const Pose<double> Y = tool_pose(model, postures[i]);
    EXPECT_LT((Y.position - X.position).norm() + (Y.rotation - X.rotation).norm(), 1e-8);
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(same_angles(postures[i], postures[j]));
  }
}

TEST(SixAxes, OfManseurAndDotyHaveSixteenPostures) {
  const auto data = testing::read_data("manseur_doty_1989.json");
  std::vector<double> alpha;
  for (const double degrees : data["alpha_degrees"]) alpha.push_back(degrees * M_PI / 180);
  const Model model(arm_of(data["a"], data["d"], alpha));
  Pose<double> hand;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) hand.rotation(i, j) = data["hand"][i][j];
    hand.position(i) = data["hand"][i][3];
  }
  // Six digits are no rotation; the nearest by Newton's iteration for the polar factor.
  for (int k = 0; k < 5; ++k)
    hand.rotation = 0.5 * (hand.rotation + hand.rotation.inverse().transpose()).eval();
  const int tool = model.frame("tool");
  EXPECT_EQ(arm_structure(model, tool).kind, ArmKind::intersecting_pairs);
  const std::vector<VectorXd> postures = elimination_poses(model, tool, hand);
  EXPECT_EQ(postures.size(), data["postures"].get<std::size_t>());
  expect_postures(model, postures, hand);
  InverseKinematicsOptions options;
  options.all = true;
  const InverseKinematicsResult found =
      inverse_kinematics(model, {tool, hand.position, hand.rotation}, options);
  EXPECT_EQ(found.method, InverseKinematicsMethod::elimination);
  EXPECT_EQ(found.solutions.size(), 16u);
}

// The number of postures at a regular pose is even, and the one that the pose was made from is
// among them.
TEST(SixAxes, OfAnyDirectionGiveEveryPosture) {
  Generator g(3);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<Pose<double>> places;
    for (int k = 0; k < 6; ++k)
      places.push_back({testing::random_rotation(g), testing::random_vector(g)});
    const Model model(chain_of(places, {testing::random_rotation(g), testing::random_vector(g)}));
    const int tool = model.frame("tool");
    EXPECT_EQ(arm_structure(model, tool).kind, ArmKind::general);
    EXPECT_THAT(why_no_closed_form(model, tool, true), ::testing::HasSubstr("elimination"));
    const VectorXd q = model.random(g);
    const Pose<double> X = tool_pose(model, q);
    const std::vector<VectorXd> postures = elimination_poses(model, tool, X);
    EXPECT_TRUE(holds_posture(postures, q)) << trial;
    EXPECT_LE(postures.size(), 16u);
    EXPECT_EQ(postures.size() % 2, 0u) << trial;
    expect_postures(model, postures, X);
  }
}

/// Three axes that meet or are parallel, wherever in the arm: the formulas and elimination give the
/// same postures.
class Structures : public ::testing::TestWithParam<std::tuple<bool, int>> {};

TEST_P(Structures, GiveWhatEliminationGives) {
  const auto [meeting, first] = GetParam();
  Generator g(10 * first + (meeting ? 1 : 2));
  for (int trial = 0; trial < 30; ++trial) {
    std::vector<Pose<double>> places;
    for (int k = 0; k < 6; ++k) {
      Pose<double> X{testing::random_rotation(g), testing::random_vector(g)};
      const bool inside = k > first && k < first + 3;
      if (inside && meeting) X.position.setZero();
      if (inside && !meeting) X.rotation.setIdentity();
      places.push_back(X);
    }
    const Model model(chain_of(places, {testing::random_rotation(g), testing::random_vector(g)}));
    const int tool = model.frame("tool");
    const ArmStructure expected{meeting ? ArmKind::spherical : ArmKind::parallel, first};
    ASSERT_EQ(text_of(arm_structure(model, tool)), text_of(expected));
    const VectorXd q = model.random(g);
    const Pose<double> X = tool_pose(model, q);
    const std::vector<VectorXd> formulas = closed_form_poses(model, tool, X),
                                elimination = elimination_poses(model, tool, X);
    EXPECT_TRUE(holds_posture(formulas, q)) << trial;
    EXPECT_LE(formulas.size(), 8u);
    EXPECT_EQ(formulas.size(), elimination.size()) << trial;
    for (const VectorXd& other : elimination) EXPECT_TRUE(holds_posture(formulas, other)) << trial;
    expect_postures(model, formulas, X);
  }
}

INSTANTIATE_TEST_SUITE_P(AnywhereInTheArm, Structures,
                         ::testing::Combine(::testing::Bool(), ::testing::Range(0, 4)));

/// The lengths of a UR5, whose maker rounds a quarter turn to 1.5708 in its files.
Robot ur5(double quarter) {
  return arm_of({0, -0.425, -0.39225, 0, 0, 0}, {0.089159, 0, 0, 0.10915, 0.09465, 0.0823},
                {quarter, 0, 0, quarter, -quarter, 0});
}

TEST(SixAxes, OfTheUr5HaveEightPosturesWithNames) {
  for (const double quarter : {M_PI_2, 1.5708}) {
    const Model model(ur5(quarter));
    const int tool = model.frame("tool");
    EXPECT_EQ(text_of(arm_structure(model, tool)), "axes 2, 3 and 4 are parallel");
    Generator g(4);
    for (int trial = 0; trial < 50; ++trial) {
      VectorXd q(6);
      // Away from the singular postures and from the end of its reach.
      q << uniform(g, -3, 3), uniform(g, -2, -1), uniform(g, 1.2, 2), uniform(g, -0.5, 0.5),
          uniform(g, 0.6, 1.5), uniform(g, -3, 3);
      const Pose<double> X = tool_pose(model, q);
      InverseKinematicsOptions options;
      options.all = true;
      options.start = q;
      const InverseKinematicsResult found =
          inverse_kinematics(model, {tool, X.position, X.rotation}, options);
      EXPECT_EQ(found.method, InverseKinematicsMethod::closed_form);
      ASSERT_EQ(found.solutions.size(), 8u) << trial;
      EXPECT_LT((found.solutions[0].q - q).norm(), 1e-9);
      std::set<std::string> names;
      for (const InverseKinematicsSolution& solution : found.solutions)
        names.insert(posture_names(model, tool, solution.q).text());
      EXPECT_EQ(names.size(), 8u) << trial;
    }
  }
}

TEST(SixAxes, OfTheUr5HaveTheirFormulasWithTheToolDown) {
  const Model model(ur5(M_PI_2));
  const int tool = model.frame("tool");
  Matrix3<double> down = Matrix3<double>::Identity();
  down(1, 1) = down(2, 2) = -1;
  EXPECT_EQ(closed_form_poses(model, tool, {down, {0.4, 0.1, 0.3}}).size(), 8u);
}

TEST(PostureNames, AreThoseOfThePuma) {
  const Model model(read_robot("puma560").robot);
  const int tip = model.tip_frame();
  VectorXd q = VectorXd::Zero(6);
  q << 0.3, -0.8, 0.4, 0.5, 0.9, -0.2;
  const PostureNames one = posture_names(model, tip, q);
  VectorXd over = q;
  over(3) += M_PI;
  over(4) = -q(4);
  over(5) -= M_PI;
  const PostureNames other = posture_names(model, tip, over);
  EXPECT_EQ(one.shoulder, other.shoulder);
  EXPECT_EQ(one.elbow, other.elbow);
  EXPECT_NE(one.wrist, other.wrist);
  EXPECT_TRUE(
      posture_names(Model(read_robot("planar-3r").robot), 1, Eigen::Vector3d::Zero()).empty());
}

/// Postures of a redundant plane arm for one point, beside obstacles that lie in its way.
TEST(Obstacles, AreKeptOutOf) {
  const Model model(read_robot("planar-3r").robot);
  const int tip = model.frame("tip");
  const Eigen::Vector3d q(0.5, 1.2, 0.9);
  Workspace work(model);
  update_poses(model, work, q);
  const Vector3<double> goal = frame_pose(model, work, tip).position;
  const Vector3<double> elbow = frame_pose(model, work, model.frame("link2")).position;
  for (const Obstacle& shape :
       {Obstacle::sphere(elbow, 0.05),
        Obstacle::box({Matrix3<double>::Identity(), elbow}, {0.1, 0.1, 0.1}),
        Obstacle::half_space(elbow, -Vector3<double>::UnitY())}) {
    InverseKinematicsOptions options;
    options.start = q;
    options.obstacles = {shape};
    options.obstacles[0].clearance = 0.01;
    options.obstacles[0].frames = {model.frame("link2")};
    ObstacleConstraint constraint(model, options.obstacles);
    EXPECT_THAT(constraint.deepest(work, q), ::testing::HasSubstr("too deep in obstacle 1"));
    for (const InverseKinematicsMethod method :
         {InverseKinematicsMethod::automatic, InverseKinematicsMethod::gauss_newton,
          InverseKinematicsMethod::davidon_fletcher_powell,
          InverseKinematicsMethod::hooke_jeeves}) {
      options.method = method;
      options.tolerance = 1e-8;
      const InverseKinematicsResult found = inverse_kinematics(model, {tip, goal, {}}, options);
      ASSERT_EQ(found.solutions.size(), 1u) << name_of(method) << ": " << found.reason;
      EXPECT_LT(found.solutions[0].residual, 1e-8);
      update_poses(model, work, found.solutions[0].q);
      EXPECT_GT(distance_to(shape, frame_pose(model, work, model.frame("link2")).position).distance,
                0.01 - 1e-8)
          << name_of(method);
    }
  }
}

TEST(Obstacles, ThatHoldTheTargetAreNamed) {
  const Model model(read_robot("puma560").robot);
  const int tip = model.tip_frame();
  VectorXd q(6);
  q << 0.3, -0.8, 0.4, 0.5, 0.9, -0.2;
  Workspace work(model);
  update_poses(model, work, q);
  const Pose<double> X = frame_pose(model, work, tip);
  InverseKinematicsOptions options;
  options.all = true;
  options.restarts = 2;
  options.obstacles = {Obstacle::sphere(X.position, 0.1)};
  const InverseKinematicsResult found =
      inverse_kinematics(model, {tip, X.position, X.rotation}, options);
  EXPECT_TRUE(found.solutions.empty());
  EXPECT_THAT(found.reason, ::testing::HasSubstr("obstacle 1"));
}

TEST(Obstacles, MeasureDistancesFromTheirSurface) {
  const Obstacle box = Obstacle::box({Matrix3<double>::Identity(), {1, 0, 0}}, {2, 2, 2});
  EXPECT_NEAR(distance_to(box, {2.5, 0, 0}).distance, 0.5, 1e-15);
  EXPECT_NEAR(distance_to(box, {5, 4, 0}).distance, std::hypot(3, 3), 1e-15);
  EXPECT_NEAR(distance_to(box, {1.9, 0, 0}).distance, -0.1, 1e-15);
  EXPECT_NEAR(distance_to(Obstacle::sphere({0, 0, 1}, 0.5), {0, 0, 3}).distance, 1.5, 1e-15);
  EXPECT_NEAR(distance_to(Obstacle::half_space({0, 0, 1}, {0, 0, 2}), {5, 5, 0}).distance, -1,
              1e-15);
  const Model model(read_robot("planar-3r").robot);
  EXPECT_THROW(ObstacleConstraint(model, {Obstacle::sphere({0, 0, 0}, 0)}), InputError);
}

/// Every method finds a posture of the same arm.
TEST(Methods, ReachTheSamePose) {
  const Model model(read_robot("puma560").robot);
  const int tip = model.tip_frame();
  VectorXd q(6);
  q << 0.3, -0.8, 0.4, 0.5, 0.9, -0.2;
  Workspace work(model);
  update_poses(model, work, q);
  const Pose<double> X = frame_pose(model, work, tip);
  for (const InverseKinematicsMethod method : inverse_kinematics_methods()) {
    InverseKinematicsOptions options;
    options.method = method;
    options.start = q + VectorXd::Constant(6, 0.1);
    options.tolerance = 1e-7;  // what direct searches reach
    const InverseKinematicsResult found =
        inverse_kinematics(model, {tip, X.position, X.rotation}, options);
    ASSERT_FALSE(found.solutions.empty()) << name_of(method) << ": " << found.reason;
    EXPECT_LT(found.solutions[0].residual, 1e-7) << name_of(method);
  }
  InverseKinematicsOptions options;
  options.method = InverseKinematicsMethod::elimination;
  EXPECT_THROW(inverse_kinematics(Model(read_robot("planar-3r").robot), {1, X.position, X.rotation},
                                  options),
               InputError);
}

}  // namespace
}  // namespace ulna
