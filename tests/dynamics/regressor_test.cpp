// Efforts and energies are linear in the inertial parameters: the regressor times the parameters is
// what the recursions give.

#include <gtest/gtest.h>

#include "../support/random_robot.hpp"
#include "ulna/dynamics/torque_regressor.hpp"
#include "ulna/model/other_scalars.hpp"
#include "ulna/symbolic/expression.hpp"
#include "ulna/symbolic/graph.hpp"
#include "ulna/symbolic/internal/evaluate.hpp"

namespace ulna {
namespace {

using testing::Generator;
using testing::random_entries;

Model robot_with_payload(unsigned seed) {
  Generator g(seed);
  testing::RobotRecipe recipe;
  recipe.bodies = 8;
  recipe.types = testing::all_moving_types;
  recipe.types.push_back(JointType::fixed);
  recipe.branches = seed % 2;
  recipe.mimic = seed % 3 == 0;
  recipe.friction = recipe.reversed = true;
  Robot robot = testing::random_robot(g, recipe);
  PayloadData load;
  load.name = "load";
  load.body = robot.bodies.back().name;
  load.X_BL = {testing::random_rotation(g), testing::random_vector(g)};
  load.inertial = testing::random_inertial(g);
  robot.payloads.push_back(load);
  return Model(robot);
}

// Sums of some hundred products of terms near the largest.
constexpr double regressor_rounding = 1e-13;

TEST(TorqueRegressor, TimesTheParametersIsInverseDynamics) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    const Model model = robot_with_payload(seed);
    Generator g(seed);
    Workspace work(model);
    TorqueRegressor regressor(model, RegressorTerms::all());
    for (int state = 0; state < 3; ++state) {
      const Eigen::VectorXd q = model.random(g), v = random_entries(g, model.speeds(), 2),
                            a = random_entries(g, model.speeds(), 5);
      const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a);
      const Eigen::MatrixXd& Y = regressor(work, q, v, a);
      const double size = 1 + (Y.cwiseAbs() * regressor.parameters().cwiseAbs()).maxCoeff();
      EXPECT_LT((Y * regressor.parameters() - tau).cwiseAbs().maxCoeff(), regressor_rounding * size)
          << "seed " << seed;
    }
  }
}

TEST(TorqueRegressor, HasSpringsWithHardeningAndPlay) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Generator g(seed);
    testing::RobotRecipe recipe;
    recipe.bodies = 5;
    recipe.types = testing::all_moving_types;
    recipe.mimic = seed % 2;
    recipe.friction = true;
    Robot robot = testing::random_robot(g, recipe);
    for (JointData& joint : robot.joints)
      for (DegreeData& degree : joint.degrees)
        if (degree.stiffness != 0) {
          degree.hardening = seed % 3 ? 7 : 0;
          degree.backlash = seed % 4 ? 0.1 : 0;
        }
    const Model model(robot);
    Workspace work(model);
    TorqueRegressor regressor(model, RegressorTerms::all());
    const Eigen::VectorXd q = model.random(g), v = random_entries(g, model.speeds(), 2),
                          a = random_entries(g, model.speeds(), 5);
    const Eigen::VectorXd tau = inverse_dynamics(model, work, q, v, a);
    const Eigen::MatrixXd& Y = regressor(work, q, v, a);
    const double size = 1 + (Y.cwiseAbs() * regressor.parameters().cwiseAbs()).maxCoeff();
    EXPECT_LT((Y * regressor.parameters() - tau).cwiseAbs().maxCoeff(), regressor_rounding * size)
        << "seed " << seed;
  }
}

TEST(TorqueRegressor, HasTheColumnsThatWereAskedFor) {
  Generator g(1);
  testing::RobotRecipe recipe;
  recipe.bodies = 3;
  recipe.types = {JointType::revolute};
  recipe.friction = true;
  Robot robot = testing::random_robot(g, recipe);
  robot.joints[1].type = JointType::spherical;  // has friction, but neither rotor nor spring
  for (DegreeData& d : robot.joints[1].degrees) d.rotor_inertia = d.stiffness = 0;
  const Model model(robot);
  const TorqueRegressor plain(model), all(model, RegressorTerms::all());
  EXPECT_EQ(plain.columns(), 30);
  EXPECT_EQ(all.columns(), 30 + 2 + 5 + 5 + 2 + 2);
  EXPECT_EQ(plain.names()[14], "Ixx(b1)");
  EXPECT_EQ(all.names()[31], "rotor(j2)");
  EXPECT_EQ(all.names()[33], "damping(j1.wx)");
  EXPECT_EQ(all.parameters().head(30), plain.parameters());
}

TEST(TorqueRegressor, GivesTheEnergies) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    Generator g(seed);
    testing::RobotRecipe recipe;
    recipe.bodies = 6;
    recipe.types = testing::all_moving_types;
    recipe.branches = true;
    const Model model(testing::random_robot(g, recipe));  // without rotors and springs
    Workspace work(model);
    TorqueRegressor regressor(model);
    const Eigen::VectorXd q = model.random(g), v = random_entries(g, model.speeds(), 2);
    const Energy expected = energy(model, work, q, v);
    const Eigen::VectorXd found = regressor.energy(work, q, v) * regressor.parameters();
    const double size = 1 + std::abs(expected.kinetic) + std::abs(expected.potential);
    EXPECT_NEAR(found(0), expected.kinetic, 1e-12 * size);
    EXPECT_NEAR(found(1), expected.potential, 1e-12 * size);
  }
}

TEST(TorqueRegressor, ParametersOfABodyGoBothWays) {
  Generator g(1);
  const Eigen::VectorXd p = random_entries(g, 10);
  EXPECT_EQ(parameters_of(inertia_of_parameters(p)), p);
}

TEST(TorqueRegressor, IsTheSameTextOnSymbols) {
  Generator g(5);
  testing::RobotRecipe recipe;
  recipe.bodies = 3;
  recipe.types = testing::all_moving_types;
  const Model model(testing::random_robot(g, recipe));
  const int n = model.speeds(), nq = model.coordinates();
  Graph graph;
  Graph::Scope scope(graph);
  std::vector<Expression> in;
  for (int k = 0; k < nq + 2 * n; ++k) in.push_back(graph.input("x" + std::to_string(k)));
  const Parameters<Expression> parameters = converted<Expression>(model.parameters());
  const TreeView<Expression> tree = view<Expression>(model.topology(), parameters);
  Scratch<Expression> scratch(model.topology());
  node_poses(tree, scratch.view(), in.data());
  node_motions(tree, scratch.view(), in.data() + nq, in.data() + nq + n);
  std::vector<BodyPlace> places;
  for (int b = 1; b <= 3; ++b) {
    const Matrix3<double> R = model.bodies()[b].X_NB.rotation.transpose();  // row major
    const Vector3<double> p = model.bodies()[b].X_NB.position;
    const double* r = R.data();
    places.push_back({model.bodies()[b].node,
                      {r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]},
                      {p.x(), p.y(), p.z()}});
  }
  std::vector<Expression> J(6 * n), Y(30 * n);
  torque_regressor(tree, scratch.view(), places.data(), 3, J.data(), Y.data());

  const Eigen::VectorXd q = model.random(g), va = random_entries(g, 2 * n);
  std::vector<double> values(q.begin(), q.end());
  values.insert(values.end(), va.begin(), va.end());
  const std::vector<double> numbers = evaluate(Y, values);
  Workspace work(model);
  TorqueRegressor regressor(model);
  const Eigen::MatrixXd& expected = regressor(work, q, va.head(n), va.tail(n));
  for (int k = 0; k < 30 * n; ++k)
    EXPECT_NEAR(numbers[k], expected.data()[k], 1e-12 * (1 + expected.cwiseAbs().maxCoeff()));
}

}  // namespace
}  // namespace ulna
