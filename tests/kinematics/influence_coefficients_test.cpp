// Influence coefficients: G is the Jacobian, v'Hv what its change adds to an acceleration, in trees
// of all joints and through loops.

#include <gmock/gmock.h>

#include "support/random_robot.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/influence_coefficients.hpp"

namespace ulna {
namespace {

using Eigen::VectorXd;
using testing::random_entries;

class InfluenceCoefficients : public ::testing::TestWithParam<int> {};

TEST_P(InfluenceCoefficients, GiveJacobianAndAccelerationOfAnyPoint) {
  testing::Generator g(GetParam());
  testing::RobotRecipe recipe;
  recipe.bodies = 8;
  recipe.types = testing::all_moving_types;
  recipe.branches = recipe.mimic = recipe.reversed = true;
  const Model model(testing::random_robot(g, recipe));
  Workspace work(model);
  const VectorXd q = model.random(g), v = random_entries(g, model.speeds()),
                 a = random_entries(g, model.speeds());
  const int frame = static_cast<int>(g() % model.frames().size());
  const Vector3<double> point = testing::random_vector(g);
  update_motions(model, work, q, v, a);
  const CoordinateMap map = influence_coefficients(model, work, frame, point);

  // The text of the kinematic recursions; a few hundred roundings of numbers up to 100.
  const Twist<double> w = frame_velocity(model, work, frame),
                      dw = frame_acceleration(model, work, frame);
  const Vector3<double> r = frame_pose(model, work, frame).rotation * point;
  Vector6<double> acceleration;
  acceleration << dw.angular, dw.linear + dw.angular.cross(r) + w.angular.cross(w.angular.cross(r));
  EXPECT_LT((map.G * a + map.gamma_at(v) - acceleration).cwiseAbs().maxCoeff(),
            1e-13 * (1 + acceleration.norm()));
  EXPECT_LT((map.G - jacobian(model, work, q, {frame, point})).cwiseAbs().maxCoeff(), 1e-13);

  // And the derivative of the Jacobian, on dual numbers.
  const Jacobian J_dot = jacobian_derivative(model, q, v, {frame, point});
  EXPECT_LT((J_dot * v - map.gamma_at(v)).cwiseAbs().maxCoeff(), 1e-12 * (1 + acceleration.norm()));
  EXPECT_LT((symmetric(map).gamma_at(v) - map.gamma_at(v)).norm(),
            1e-13 * (1 + acceleration.norm()));
}

INSTANTIATE_TEST_SUITE_P(Trees, InfluenceCoefficients, ::testing::Range(1, 31));

TEST(InfluenceCoefficientsConvention, RowTurnsAndColumnIsTurned) {
  // Two crossed hinges: the first turns the axis of the second, H[1,2] = s1 x s2 and H[2,1] = 0.
  const Model model(read_robot("puma560").robot);
  Workspace work(model);
  update_poses(model, work, model.neutral());
  const CoordinateMap map = influence_coefficients(model, work, model.tip_frame());
  for (int i = 0; i < model.speeds(); ++i)
    for (int j = 0; j < model.speeds(); ++j) {
      const Vector3<double> si = map.G.col(i).head<3>(), sj = map.G.col(j).head<3>();
      const Vector3<double> expected = i < j ? si.cross(sj).eval() : Vector3<double>::Zero();
      for (int k = 0; k < 3; ++k) EXPECT_EQ(map.H[k](i, j), expected(k));
    }
}

TEST(InfluenceThroughLoops, HoldsForEveryChoiceOfInputs) {
  for (const char* name : {"four-bar", "slider-crank", "five-bar", "rccc", "palletiser", "t3r3"}) {
    const Model model(read_robot(name).robot);
    Workspace work(model);
    LoopClosure closure(model);
    testing::Generator g(3);
    AssemblyOptions options;
    options.start = model.random(g);
    const VectorXd q = assembled(model, options);
    closure.update(work, q);
    const SpeedSplit split = split_speeds(closure);
    const CoordinateMap all = all_speeds_map(closure, work, q, split);
    const VectorXd u = random_entries(g, static_cast<int>(all.in()));
    // Against gamma of the closure itself at this very u.
    const CoordinateMap tree = closed_loop_map(closure, work, q, split);
    closure.update_rates(work, q, tree.G * u);
    const VectorXd gamma = independent_map(closure, split).gamma;
    EXPECT_LT((tree.gamma_at(u) - gamma).norm(), 1e-10 * (1 + gamma.norm())) << name;
    // Any closing joint that determines the robot can be the input: the same motion comes out.
    const int n = model.speeds();
    if (all.in() != 1) continue;
    for (int k = n; k < all.out(); ++k) {
      if (std::abs(all.G(k, 0)) < 1e-3) continue;
      const CoordinateMap from = map_from_inputs(closure, work, q, {k});
      const VectorXd rate = VectorXd::Constant(1, all.G(k, 0) * u(0)),
                     rate2 = VectorXd::Constant(1, all.gamma_at(u)(k));
      EXPECT_LT((from.G * rate - tree.G * u).norm(), 1e-9 * (1 + u.norm())) << name;
      EXPECT_LT((from.G * rate2 + from.gamma_at(rate) - gamma).norm(), 1e-8 * (1 + gamma.norm()))
          << name;
    }
  }
}

TEST(InfluenceThroughLoops, RefusesInputsThatDoNotFit) {
  const Model model(read_robot("five-bar").robot);
  Workspace work(model);
  LoopClosure closure(model);
  const VectorXd q = assembled(model);
  EXPECT_THROW(map_from_inputs(closure, work, q, {0}), InputError);
  EXPECT_THROW(map_from_inputs(closure, work, q, {0, 1, 2}), InputError);
}

}  // namespace
}  // namespace ulna
