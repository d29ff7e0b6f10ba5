// Momentum about the centre of mass, on random trees of all joint types.

#include "ulna/dynamics/centroidal.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "../support/random_robot.hpp"
#include "support/near.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/reactions.hpp"
#include "ulna/model/other_scalars.hpp"
#include "ulna/symbolic/expression.hpp"
#include "ulna/symbolic/graph.hpp"
#include "ulna/symbolic/internal/evaluate.hpp"

namespace ulna {
namespace {

using testing::difference;
using testing::Generator;
using testing::random_entries;
using testing::random_vector;

class Centroidal : public ::testing::TestWithParam<int> {
 protected:
  Centroidal() : g(GetParam()), model(make()), work(model) {
    q = model.random(g);
    v = random_entries(g, model.speeds());
    a = random_entries(g, model.speeds());
  }
  Model make() {
    testing::RobotRecipe recipe;
    recipe.bodies = 2 + GetParam() % 9;
    recipe.types = testing::all_moving_types;
    recipe.branches = GetParam() % 2 == 1;
    recipe.friction = GetParam() % 3 == 1;
    recipe.mimic = GetParam() % 5 == 1;
    recipe.reversed = GetParam() % 5 == 3;
    return Model(testing::random_robot(g, recipe));
  }

  Generator g;
  Model model;
  Workspace work;
  Eigen::VectorXd q, v, a;
};

TEST_P(Centroidal, TheMatrixTimesSpeedsIsTheMomentumOfAllBodiesAboutTheirCentre) {
  const Jacobian A = centroidal_momentum_matrix(model, work, q);
  EXPECT_LT(difference(A * v, centroidal_momentum(model, work, q, v)), 1e-13);
  // Body by body, from their own centres of mass.
  update_motions(model, work, q, v, a);
  const Vector3<double> c = centre_of_mass(model, work);
  Vector6<double> sum = Vector6<double>::Zero();
  for (std::size_t b = 1; b < model.bodies().size(); ++b) {
    const Inertial& body = model.robot().bodies[b - 1].inertial;
    const Pose<double> X = frame_pose(model, work, static_cast<int>(b));
    const Twist<double> V = frame_velocity(model, work, static_cast<int>(b));
    const Vector3<double> centre = X * body.centre;
    const Vector3<double> p = body.mass * V.at(centre - X.position);
    const Matrix3<double> I = X.rotation * body.inertia * X.rotation.transpose();
    sum.head<3>() += I * V.angular + (centre - c).cross(p);
    sum.tail<3>() += p;
  }
  EXPECT_LT(difference(A * v, sum), 1e-13);
}

TEST_P(Centroidal, LinearMomentumIsMassTimesTheVelocityOfTheCentre) {
  const CentreOfMass centre = centre_of_mass_motion(model, work, q, v);
  EXPECT_NEAR(centre.mass, model.mass(), 1e-13 * model.mass());  // nothing is fixed to the world
  const Jacobian A = centroidal_momentum_matrix(model, work, q);
  EXPECT_LT(difference(A.bottomRows<3>() * v, centre.mass * centre.velocity), 1e-13);
  const double h = 1e-5;  // third derivatives of the path times h^2, and rounding over h
  const auto at = [&](double t) {
    update_poses(model, work, model.integrate(q, t * v));
    return centre_of_mass(model, work);
  };
  EXPECT_LT((at(h) - at(-h) - 2 * h * centre.velocity).norm() / (2 * h), 1e-7);
  EXPECT_LT((at(0) - centre.position).norm(), 1e-13 * (1 + centre.position.norm()));
}

TEST_P(Centroidal, DerivativeOfTheMatrixAgreesWithDifferences) {
  const Jacobian exact = centroidal_momentum_matrix_derivative(model, q, v);
  const double h = 1e-5;
  const Jacobian ahead = centroidal_momentum_matrix(model, work, model.integrate(q, h * v));
  const Jacobian behind = centroidal_momentum_matrix(model, work, model.integrate(q, -h * v));
  EXPECT_LT(difference((ahead - behind) / (2 * h), exact), 1e-7);
}

TEST_P(Centroidal, MomentumChangesByWeightLoadsAndWhatTheWorldExerts) {
  const int last = static_cast<int>(model.bodies().size()) - 1;
  const ExternalWrench load{last, random_vector(g), random_vector(g), random_vector(g), 0};
  const auto F =
      JointReactions(model).compute(work, q, v, a, {&load, 1}, {.at = 0, .expressed_in = 0});
  Wrench<double> outside;
  for (std::size_t j = 0; j < F.size(); ++j) {
    if (model.joints()[j].parent == 0) outside += F[j];
    if (model.joints()[j].child == 0) outside -= F[j];
  }
  update_poses(model, work, q);
  const Vector3<double> point = frame_pose(model, work, last) * load.point;
  outside += Wrench<double>::force_at(point, load.force);
  outside.moment += load.moment;
  const CentreOfMass centre = centre_of_mass_motion(model, work, q, v);
  outside.force += centre.mass * model.robot().gravity;  // at the centre, no moment about it
  Vector6<double> about_centre = outside.vector();
  about_centre.head<3>() -=
      centre.position.cross(Vector3<double>(outside.force - centre.mass * model.robot().gravity));
  const Jacobian A = centroidal_momentum_matrix(model, work, q);
  const Eigen::VectorXd rate = A * a + centroidal_momentum_matrix_derivative(model, q, v) * v;
  EXPECT_LT(difference(rate, about_centre), 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Centroidal, ::testing::Range(0, 40));

TEST(CentroidalOf, AFloatingRobotOnlyGravityMoves) {
  // Whatever its joints do inside, its centre falls freely and it keeps its angular momentum.
  Generator g(5);
  testing::RobotRecipe recipe;
  recipe.bodies = 6;
  recipe.friction = true;
  Robot robot = testing::random_robot(g, recipe);
  robot.joints[0].type = JointType::free;
  robot.joints[0].degrees.clear();
  const Model model(robot);
  Workspace work(model);
  const Eigen::VectorXd q = model.random(g), v = random_entries(g, model.speeds());
  Eigen::VectorXd tau = random_entries(g, model.speeds(), 5);
  tau.head<6>().setZero();
  const Eigen::VectorXd a = forward_dynamics(model, work, q, v, tau);
  const Eigen::VectorXd rate = centroidal_momentum_matrix(model, work, q) * a +
                               centroidal_momentum_matrix_derivative(model, q, v) * v;
  Vector6<double> weight = Vector6<double>::Zero();
  weight.tail<3>() = model.mass() * model.robot().gravity;
  EXPECT_LT(difference(rate, weight), 1e-11);
}

TEST(CentroidalOf, SymbolsEvaluatesToTheNumbers) {
  for (int seed : {1, 2, 3}) {
    Generator g(seed);
    testing::RobotRecipe recipe;
    recipe.types = testing::all_moving_types;
    recipe.branches = true;
    const Model model(testing::random_robot(g, recipe));
    const Eigen::VectorXd at = model.random(g);
    Graph graph;
    Graph::Scope scope(graph);
    std::vector<Expression> q, A(6 * model.speeds());
    for (int k = 0; k < model.coordinates(); ++k) q.push_back(graph.input("q" + std::to_string(k)));
    const Parameters<Expression> parameters = converted<Expression>(model.parameters());
    Scratch<Expression> scratch(model.topology());
    Vec3<Expression> centre;
    centroidal_momentum<Expression>(view<Expression>(model.topology(), parameters), scratch.view(),
                                    q.data(), centre, A.data());
    const std::vector<double> found =
        evaluate(A, std::vector<double>(at.data(), at.data() + at.size()));
    Workspace work(model);
    EXPECT_LT(difference(Eigen::Map<const Jacobian>(found.data(), 6, model.speeds()),
                         centroidal_momentum_matrix(model, work, at)),
              1e-12);
  }
}

TEST(CentroidalOf, ARobotWithoutMassIsRefused) {
  Robot robot;
  robot.name = "empty";
  robot.bodies.push_back({"link", {}, {}, {}});
  JointData joint;
  joint.name = "loose";
  joint.type = JointType::revolute;
  joint.child = "link";
  robot.joints.push_back(joint);
  const Model model(robot);
  Workspace work(model);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1);
  EXPECT_THROW(centroidal_momentum_matrix(model, work, zero), ComputationError);
  EXPECT_THROW(centre_of_mass_motion(model, work, zero, zero), ComputationError);
}

}  // namespace
}  // namespace ulna
