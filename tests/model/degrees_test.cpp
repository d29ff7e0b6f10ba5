// What a frozen model answers about its degrees of freedom: what they measure, what they are
// called, which coordinates move with which speeds.

#include <gmock/gmock.h>

#include <algorithm>

#include "joints.hpp"
#include "support/platforms.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/model/joints/joint_types.hpp"

namespace ulna {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::joint;

std::vector<std::string> names_of(const std::vector<DegreeOfFreedom>& degrees) {
  std::vector<std::string> names;
  for (const DegreeOfFreedom& degree : degrees) names.push_back(degree.name);
  return names;
}

std::string refusal(const Robot& robot) {
  try {
    const Model model(robot);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

Robot in_groove() {
  Robot robot;
  robot.name = "in groove";
  robot.bodies = {{"ball", {}, {}, {}}};
  robot.joints = {joint("groove", world_name, "ball", JointType::sphere_in_groove)};
  robot.joints[0].axis << 1, 0, 0;
  return robot;
}

TEST(Dimensions, AreThoseThatDifferencesOfPosesShow) {
  testing::Generator g(4);
  for (const JointType type : testing::all_moving_types) {
    const Model model(testing::random_robot(g, {.bodies = 1, .types = {type}}));
    const Eigen::VectorXd q = model.random(g);
    Workspace work(model);
    update_poses(model, work, q);
    const Matrix3<double> before = frame_pose(model, work, 1).rotation;
    for (int k = 0; k < model.speeds(); ++k) {
      Eigen::VectorXd step = Eigen::VectorXd::Zero(model.speeds());
      step(k) = 0.1;
      update_poses(model, work, model.integrate(q, step));
      const bool turns = (frame_pose(model, work, 1).rotation - before).norm() > 1e-3;
      EXPECT_EQ(model.speed_dimensions()[k], turns ? Dimension::angle : Dimension::length)
          << model.robot().joints[0].name << " " << name_of(type) << " " << k;
      const int own = model.coordinate_of_speed()[k];
      if (own >= 0) {
        EXPECT_EQ(model.coordinate_dimensions()[own], model.speed_dimensions()[k]);
        EXPECT_EQ(model.integrate(q, step)(own), q(own) + 0.1) << name_of(type) << " " << k;
      }
    }
    for (const TangentBlock& block : model.blocks())
      for (int k = 0; k < 4 && block.kind != TangentBlock::Kind::line; ++k)
        EXPECT_EQ(model.coordinate_dimensions()[block.q + k], Dimension::number);
  }
}

TEST(JointTable, HasEveryTypeAtItsPlaceAndPartsThatCoverItsDegrees) {
  ASSERT_EQ(joint_type_names().size(), static_cast<std::size_t>(joint_type_count));
  for (int k = 0; k < joint_type_count; ++k) {
    const JointType type = static_cast<JointType>(k);
    const JointTraits& traits = traits_of(type);
    EXPECT_EQ(joint_type_from_name(traits.name), type);
    JointData data = joint("j", world_name, "b", type);
    data.axis << 0, 1, 1;
    int coordinates = 0, speeds = 0;
    for (const JointPart& part : parts_of(data)) {
      EXPECT_EQ(part.q, coordinates) << traits.name;
      EXPECT_EQ(part.v, speeds) << traits.name;
      coordinates += part.kind == JointPart::Kind::screw  ? 1
                     : part.kind == JointPart::Kind::ball ? 4
                                                          : 7;
      speeds += part.kind == JointPart::Kind::screw  ? 1
                : part.kind == JointPart::Kind::ball ? 3
                                                     : 6;
    }
    EXPECT_EQ(coordinates, size_of(type).coordinates) << traits.name;
    EXPECT_EQ(speeds, size_of(type).speeds) << traits.name;
  }
  EXPECT_TRUE(traits_of(JointType::screw).slides_along_axis());
  EXPECT_TRUE(traits_of(JointType::sphere_in_groove).slides_along_axis());
  EXPECT_FALSE(traits_of(JointType::planar).slides_along_axis());
  EXPECT_FALSE(traits_of(JointType::revolute).slides_along_axis());
}

TEST(TangentBlocks, CoverEverySpeedOnceInOrder) {
  testing::Generator g(5);
  testing::RobotRecipe recipe;
  recipe.bodies = 12;
  recipe.types = testing::all_moving_types;
  recipe.types.push_back(JointType::fixed);
  recipe.branches = recipe.mimic = recipe.reversed = true;
  for (int round = 0; round < 20; ++round) {
    const Model model(testing::random_robot(g, recipe));
    int q = 0, v = 0;
    for (const TangentBlock& block : model.blocks()) {
      EXPECT_EQ(block.q, q);
      EXPECT_EQ(block.v, v);
      q += block.speeds + (block.kind == TangentBlock::Kind::line ? 0 : 1);
      v += block.speeds;
    }
    EXPECT_EQ(q, model.coordinates());
    EXPECT_EQ(v, model.speeds());
  }
}

TEST(Degrees, AreThoseOfTheTreeThenThoseOfClosingJoints) {
  Robot robot = testing::four_bar();
  robot.joints[2].type = JointType::sphere_in_groove;
  robot.joints[2].cut = true;
  const Model model(robot);
  EXPECT_FALSE(model.is_tree());
  EXPECT_THAT(names_of(model.degrees()),
              ElementsAre("A", "B", "D", "C.slide", "C.wx", "C.wy", "C.wz"));
  const DegreeOfFreedom& slide = model.degrees()[model.degree("C.slide")];
  EXPECT_EQ(slide.dimension, Dimension::length);
  EXPECT_EQ(slide.loop, 0);
  EXPECT_EQ(slide.v, -1);
  EXPECT_EQ(model.degrees()[model.degree("D")].v, 2);
  try {
    model.degree("C.slied");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'C.slide'?"));
  }
}

TEST(Degrees, OfASplitClosingJointAreListedOnce) {
  // Friction gives it a coordinate in the tree, and a weld closes the loop instead.
  Robot robot = testing::four_bar();
  robot.joints[2].cut = true;
  robot.joints[2].degrees = {DegreeData{.friction = 0.1}};
  const Model model(robot);
  EXPECT_THAT(names_of(model.degrees()), ElementsAre("A", "B", "C", "D"));
}

TEST(PlatformOfAModel, IsRecognisedWhenItIsFrozen) {
  const PlatformData given = testing::ddts_platform();
  const Model model(platform_robot(given));
  ASSERT_NE(model.platform(), nullptr);
  EXPECT_EQ(model.platform()->legs.size(), given.legs.size());
  EXPECT_EQ(&platform_of(model), model.platform());
  const Model other(testing::four_bar());
  EXPECT_EQ(other.platform(), nullptr);
  EXPECT_THROW(platform_of(other), InputError);
}

TEST(PlaceOfAFrame, IsTheOneGiven) {
  Robot robot = in_groove();
  testing::Generator g(6);
  const Pose<double> place{testing::random_rotation(g), testing::random_vector(g)};
  robot.frames = {{"tool", "ball", place, {}}};
  const Model model(robot);
  const Frame& tool = model.frames()[model.frame("tool")];
  EXPECT_EQ(tool.X_BF.rotation, place.rotation);
  EXPECT_EQ(tool.X_BF.position, place.position);
  EXPECT_EQ(model.frames()[model.frame("ball")].X_BF.position, Vector3<double>(0, 0, 0));
}

TEST(SphereInGroove, HasASlideThatIsLikeAnyOtherAndABallThatIsNot) {
  Robot robot = in_groove();
  robot.joints[0].degrees = {
      DegreeData{.lower = -0.1, .upper = 0.3, .friction = 1, .stiffness = 5, .rotor_inertia = 0.1}};
  const Model model(robot);
  EXPECT_THAT(model.coordinate_names(),
              ElementsAre("groove.slide", "groove.qw", "groove.qx", "groove.qy", "groove.qz"));
  EXPECT_THAT(model.speed_names(),
              ElementsAre("groove.slide", "groove.wx", "groove.wy", "groove.wz"));
  EXPECT_EQ(model.lower()(0), -0.1);
  EXPECT_EQ(model.upper()(0), 0.3);
  EXPECT_EQ(model.lower()(1), -DegreeData::unlimited);
  EXPECT_EQ(model.neutral(), Eigen::VectorXd::Unit(5, 1));
  for (const auto& change : std::vector<std::pair<DegreeData, const char*>>{
           {DegreeData{.upper = 1}, "a limit on the turn of a sphere-in-groove joint"},
           {DegreeData{.stiffness = 1}, "a spring on a sphere-in-groove joint"},
           {DegreeData{.rotor_inertia = 1}, "a rotor on a sphere-in-groove joint"}}) {
    Robot turned = in_groove();
    turned.joints[0].degrees = {DegreeData{}, change.first};
    EXPECT_THAT(refusal(turned), HasSubstr(change.second));
  }
  robot.joints[0].axis.setZero();
  EXPECT_THAT(refusal(robot), HasSubstr("axis is the zero vector"));
  // The tube belongs to the parent.
  Robot swapped = in_groove();
  std::swap(swapped.joints[0].parent, swapped.joints[0].child);
  EXPECT_THAT(refusal(swapped), HasSubstr("swap its parent and child"));
}

}  // namespace
}  // namespace ulna
