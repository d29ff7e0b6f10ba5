// The normal form is a private matter: where a frame stands never depends on it.

#include "naive_poses.hpp"

namespace ulna {
namespace {

using testing::Generator;
using testing::random_vector;
using testing::uniform;

int pick(Generator& g, int count) { return std::uniform_int_distribution<int>(0, count - 1)(g); }

Matrix3<double> quarter_turns(Generator& g) {
  Matrix3<double> R = Matrix3<double>::Identity();
  for (int k = 0; k < 3; ++k) {
    Matrix3<double> quarter;
    quarter << 0, -1, 0, 1, 0, 0, 0, 0, 1;
    for (int turns = pick(g, 4); turns > 0; --turns) R = R * quarter;
    Matrix3<double> cycle;
    cycle << 0, 0, 1, 1, 0, 0, 0, 1, 0;
    R = R * cycle;
  }
  return R;
}

void add_frames(Generator& g, Robot& robot) {
  const std::size_t bodies = robot.bodies.size();
  for (std::size_t b = 0; b < bodies; ++b)
    robot.frames.push_back({"tool of " + robot.bodies[b].name,
                            robot.bodies[b].name,
                            {testing::random_rotation(g), random_vector(g)},
                            {}});
  robot.frames.push_back(
      {"on the ground", world_name, {testing::random_rotation(g), random_vector(g)}, {}});
}

class PosesDoNotDependOnTheNormalForm : public ::testing::TestWithParam<int> {
 protected:
  Generator g{static_cast<std::uint64_t>(GetParam())};
};

TEST_P(PosesDoNotDependOnTheNormalForm, ForGeneralTreesOfAllJoints) {
  testing::RobotRecipe recipe;
  recipe.bodies = 2 + GetParam() % 12;
  recipe.types = testing::all_moving_types;
  recipe.types.push_back(JointType::fixed);
  recipe.branches = GetParam() % 3 != 0;
  Robot robot = testing::random_robot(g, recipe);
  add_frames(g, robot);
  const Model model(robot);
  for (int k = 0; k < 3; ++k) testing::expect_naive_poses(model, model.random(g));
}

// Real robots are made of parallel, crossing and square axes, some of them a little off; each takes
// its own way through the normal form. Lengths of zero and axes against their frames are common.
TEST_P(PosesDoNotDependOnTheNormalForm, ForSquareAndNearlySquareTrees) {
  testing::RobotRecipe recipe;
  recipe.bodies = 3 + GetParam() % 9;
  recipe.types = {JointType::revolute, JointType::revolute,  JointType::prismatic,
                  JointType::screw,    JointType::universal, JointType::cylindrical,
                  JointType::fixed,    JointType::spherical};
  recipe.branches = GetParam() % 2;
  Robot robot = testing::random_robot(g, recipe);
  for (JointData& joint : robot.joints) {
    for (Pose<double>* X : {&joint.X_PF, &joint.X_MC}) {
      X->rotation = pick(g, 2) ? quarter_turns(g) : Matrix3<double>(Matrix3<double>::Identity());
      if (pick(g, 3) == 0) {
        // Off by anything from visible to rounding.
        const double tilt = std::pow(10.0, uniform(g, -17, -0.5));
        X->rotation =
            X->rotation * Eigen::AngleAxisd(tilt, random_vector(g).normalized()).toRotationMatrix();
      }
      for (double& x : X->position)
        if (pick(g, 3)) x = 0;
    }
    joint.axis = Vector3<double>::Unit(pick(g, 3)) * (pick(g, 2) ? 1 : -2.5);
    joint.axis2 = Vector3<double>(joint.axis.y(), joint.axis.z(), joint.axis.x());
  }
  add_frames(g, robot);
  const Model model(robot);
  for (int k = 0; k < 3; ++k) testing::expect_naive_poses(model, model.random(g));
}

TEST_P(PosesDoNotDependOnTheNormalForm, ForNearlyParallelAxesFarApart) {
  Robot robot;
  robot.name = "nearly parallel";
  for (int i = 0; i < 6; ++i) {
    const std::string name = "b" + std::to_string(i);
    robot.bodies.push_back({name, testing::random_inertial(g), {}, {}});
    JointData joint;
    joint.name = "j" + std::to_string(i);
    joint.type = JointType::revolute;
    joint.parent = i == 0 ? world_name : "b" + std::to_string(i - 1);
    joint.child = name;
    joint.X_PF.position = random_vector(g, 10);
    joint.axis << std::pow(10.0, uniform(g, -17, 0)), std::pow(10.0, uniform(g, -17, 0)),
        pick(g, 2) ? 1 : -1;
    robot.joints.push_back(joint);
  }
  const Model model(robot);
  testing::expect_naive_poses(model, model.random(g));
}

INSTANTIATE_TEST_SUITE_P(Seeds, PosesDoNotDependOnTheNormalForm, ::testing::Range(1, 61));

}  // namespace
}  // namespace ulna
