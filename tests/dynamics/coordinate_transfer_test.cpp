// I* and P*: the same efforts as the recursions, in any coordinates.

#include "ulna/dynamics/internal/coordinate_transfer.hpp"

#include <gmock/gmock.h>

#include "support/random_robot.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::random_entries;

class CoordinateTransfer : public ::testing::TestWithParam<int> {
 protected:
  CoordinateTransfer() : g(GetParam()) {}
  Model random_model(std::vector<JointType> types, bool mimic = true) {
    testing::RobotRecipe recipe;
    recipe.bodies = 6;
    recipe.types = std::move(types);
    recipe.branches = recipe.reversed = true;
    recipe.mimic = mimic;
    return Model(testing::random_robot(g, recipe));
  }
  testing::Generator g;
};

TEST_P(CoordinateTransfer, EffortsAreThoseOfNewtonEuler) {
  const Model model = random_model(testing::all_moving_types);
  Workspace work(model);
  const int n = model.speeds();
  const VectorXd q = model.random(g), v = random_entries(g, n), a = random_entries(g, n);
  const std::vector<ExternalWrench> wrenches = {
      {static_cast<int>(model.bodies().size()) - 1, testing::random_vector(g),
       testing::random_vector(g), testing::random_vector(g), 1}};
  const DynamicModel dynamics = dynamic_model(model, work, q, wrenches);
  const VectorXd tau = inverse_dynamics(model, work, q, v, a, wrenches);
  EXPECT_LT((dynamics.efforts(v, a) - tau).norm(), 1e-12 * (1 + tau.norm()));
  const VectorXd held = gravity_efforts(model, work, q);
  EXPECT_LT((dynamics.gravity - held).norm(), 1e-13 * (1 + held.norm()));
}

TEST_P(CoordinateTransfer, ToToolCoordinatesAndBackChangesNothing) {
  const Model model(read_robot("puma560").robot);
  Workspace work(model);
  const auto condition_at = [&](const VectorXd& q) {
    dynamic_model(model, work, q);
    const CoordinateMap tool = influence_coefficients(model, work, model.tip_frame());
    return 1 / dense::reciprocal_condition(tool.G);
  };
  VectorXd q = model.random(g);
  while (condition_at(q) > 1e3) q = model.random(g);  // away from singular postures
  const double condition = condition_at(q);
  const VectorXd v = random_entries(g, 6), a = random_entries(g, 6);
  const DynamicModel joints = dynamic_model(model, work, q);
  const CoordinateMap tool = influence_coefficients(model, work, model.tip_frame());
  const DynamicModel at_tool = transfer_along(joints, tool);
  const VectorXd u = tool.G * v, du = tool.G * a + tool.gamma_at(v);
  const VectorXd wrench = at_tool.efforts(u, du), tau = joints.efforts(v, a);
  // The tool's wrench does the work of the joints' efforts.
  EXPECT_LT((tool.efforts(wrench) - tau).norm(), 1e-11 * condition * (1 + tau.norm()));
  const DynamicModel back = transfer(at_tool, tool);
  EXPECT_LT((back.efforts(v, a) - tau).norm(), 1e-11 * condition * (1 + tau.norm()));
}

TEST_P(CoordinateTransfer, ChristoffelChoiceIsSkew) {
  // dI/dt - 2C skew, by differences of I along the motion.
  const Model model = random_model(
      {JointType::revolute, JointType::prismatic, JointType::screw, JointType::universal});
  Workspace work(model);
  const VectorXd q = model.random(g), v = random_entries(g, model.speeds());
  const DynamicModel dynamics = dynamic_model(model, work, q);
  const MatrixXd C = dynamics.coriolis(v);
  EXPECT_LT((C * v - dynamics.from_velocities(v)).norm(), 1e-13 * (1 + C.norm()));
  const double h = 1e-5;
  const MatrixXd rate = (dynamic_model(model, work, model.integrate(q, h * v)).I -
                         dynamic_model(model, work, model.integrate(q, -h * v)).I) /
                        (2 * h);
  const MatrixXd twice = rate - 2 * C;
  EXPECT_LT((twice + twice.transpose()).norm(), 1e-8 * (1 + C.norm()));
}

INSTANTIATE_TEST_SUITE_P(Robots, CoordinateTransfer, ::testing::Range(1, 21));

TEST(CoordinateTransferThroughLoops, GivesTheEffortsOfTheActuators) {
  struct Case {
    const char* robot;
    std::vector<std::string> inputs;
  };
  for (const Case& c : {Case{"five-bar", {"left", "right"}}, Case{"slider-crank", {"crank"}},
                        Case{"four-bar", {"joint1"}}}) {
    const Model model(read_robot(c.robot).robot);
    Workspace work(model);
    LoopDynamics loops(model);
    LoopClosure closure(model);
    testing::Generator g(5);
    AssemblyOptions closing;
    closing.start = model.random(g);
    const VectorXd q = assembled(model, closing);
    const std::vector<int> inputs = speeds_by_name(model, c.inputs);
    const CoordinateMap map = map_from_inputs(closure, work, q, inputs);
    const DynamicModel dynamics = transfer(dynamic_model(model, work, q), map);
    const VectorXd u = random_entries(g, static_cast<int>(inputs.size()), 2),
                   du = random_entries(g, static_cast<int>(inputs.size()), 5);
    const VectorXd v = map.G * u, a = map.G * du + map.gamma_at(u);
    LoopInverseOptions options;
    options.actuated = inputs;
    const VectorXd tau = loops.inverse(work, q, v, a, options).tau(inputs);
    EXPECT_LT((dynamics.efforts(u, du) - tau).norm(), 1e-10 * (1 + tau.norm())) << c.robot;
    // And back: forward dynamics.
    EXPECT_LT((dynamics.accelerations(u, tau) - du).norm(), 1e-8 * (1 + du.norm())) << c.robot;
  }
}

TEST(CoordinateTransferErrors, SayWhetherRedundantOrDeficient) {
  DynamicModel model = DynamicModel::zero(3);
  CoordinateMap map{
      MatrixXd::Ones(2, 3), VectorXd::Zero(2), {MatrixXd::Zero(3, 3), MatrixXd::Zero(3, 3)}};
  try {
    transfer_along(model, map);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("redundant"));
  }
  map = {MatrixXd::Ones(4, 3), VectorXd::Zero(4), std::vector<MatrixXd>(4, MatrixXd::Zero(3, 3))};
  try {
    transfer_along(model, map);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("deficient"));
  }
  map = {MatrixXd::Ones(3, 3), VectorXd::Zero(3), std::vector<MatrixXd>(3, MatrixXd::Zero(3, 3))};
  EXPECT_THROW(transfer_along(model, map), ComputationError);
  EXPECT_THROW(transfer(model, CoordinateMap::identity(4)), InputError);
}

}  // namespace
}  // namespace ulna
