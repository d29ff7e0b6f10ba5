// Kane's quantities of trees and of robots with loops: K + K* = 0, F du/dt + Z = K, partial
// velocities that add up to velocities, and the same efforts and accelerations in any speeds.

#include <gtest/gtest.h>

#include "../support/random_robot.hpp"
#include "support/near.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/dynamics/parts/newton_euler_4x4.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"

namespace ulna {
namespace {

using testing::expect_near;
using testing::Generator;
using testing::random_entries;

struct MovingState {
  Eigen::VectorXd q, v, a;
};

/// At random; where there are loops, it fits them.
MovingState state_at_random(const Model& model, Generator& g) {
  MovingState s{model.random(g), random_entries(g, model.speeds()),
                random_entries(g, model.speeds())};
  if (model.loops().empty()) return s;
  AssemblyOptions options;
  options.start = s.q;
  options.restarts = 30;
  options.tolerance = 1e-13;
  s.q = assembled(model, options);
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, s.q);
  s.v = compatible_speeds(closure, s.v);
  closure.update_rates(work, s.q, s.v);
  s.a = compatible_accelerations(closure, s.a);
  return s;
}

/// Formulas that mix neighbouring rates and hold time; as many as degrees of freedom.
GeneralizedSpeeds mixed_formulas(const Model& model, const std::vector<int>& independent) {
  GeneralizedSpeeds speeds{"mixed", {}};
  for (std::size_t k = 0; k < independent.size(); ++k) {
    const std::string own = model.speed_names()[independent[k]],
                      next = model.speed_names()[independent[(k + 1) % independent.size()]];
    speeds.formulas.emplace_back("u" + std::to_string(k + 1),
                                 "(2 + sin(q." + model.coordinate_names()[0] + "))*v." + own +
                                     " + 0.3*v." + next + " + 0.7*t");
  }
  return speeds;
}

void expect_kane(const Model& model, const MovingState& s, const GeneralizedSpeeds& speeds,
                 double tolerance = 1e-9) {
  SCOPED_TRACE(model.name() + ", " + speeds.name);
  Workspace work(model);
  Kane kane(model);
  Dynamics dynamics(model);
  const LoopEfforts efforts = dynamics.inverse(s.q, s.v, s.a);
  const double t = 0.4;
  const KaneQuantities k =
      kane.quantities(work, s.q, s.v, s.a, speeds, t, {}, {efforts.actuated, {}});
  const double size = 1 + k.K.cwiseAbs().maxCoeff();
  expect_near(k.K + k.K_star, Eigen::VectorXd::Zero(k.K.size()), tolerance * size);
  expect_near(k.F * k.u_dot + k.Z, k.K, tolerance * size);
  expect_near(k.tau, efforts.tau, tolerance * (1 + efforts.tau.cwiseAbs().maxCoeff()));
  expect_near(k.B * (k.u - k.y), s.v, tolerance);
  // Twice the kinetic energy.
  const double energy = s.v.dot(dynamics.mass_matrix(s.q) * s.v);
  const Eigen::VectorXd moving = k.u - k.y;
  EXPECT_NEAR(moving.dot(k.F * moving), energy, 1e-9 * (1 + energy));

  update_motions(model, work, s.q, s.v, s.a);
  for (int body = 1; body < std::ssize(model.bodies()); ++body) {
    const BodyPartials& p = k.bodies[static_cast<std::size_t>(body) - 1];
    const Pose<double> X = frame_pose(model, work, body);
    const Twist<double> V = frame_velocity(model, work, body);
    const Matrix4<double> J = body_inertia(model, body).matrix;
    const Vector3<double> r = J(3, 3) > 0 ? Vector3<double>(J.col(3).head<3>() / J(3, 3))
                                          : Vector3<double>(Vector3<double>::Zero());
    const Vector3<double> w = X.rotation.transpose() * V.angular;
    const Vector3<double> v = X.rotation.transpose() * V.linear;
    expect_near(p.angular * k.u + p.angular_rest, w, tolerance);
    expect_near(p.linear * k.u + p.linear_rest, v, tolerance);
    expect_near(p.centre * k.u + p.centre_rest, v + w.cross(r), tolerance);
  }

  const SpeedMap map = speed_map(model, speeds, s.q, s.v, t);
  expect_near(kane.forward(work, s.q, s.v, efforts.tau, map), s.a,
              1e-7 * (1 + s.a.cwiseAbs().maxCoeff()));
}

TEST(KaneQuantities, OfTreesAreThoseOfNewtonAndEulerInAnySpeeds) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    Generator g(seed);
    testing::RobotRecipe recipe;
    recipe.bodies = 4 + static_cast<int>(seed) % 5;
    recipe.types =
        seed % 2 == 0 ? testing::all_moving_types : std::vector<JointType>{JointType::revolute};
    recipe.branches = recipe.friction = seed % 3 == 0;
    const Model model(testing::random_robot(g, recipe));
    const MovingState s = state_at_random(model, g);
    std::vector<int> all;
    for (int k = 0; k < model.speeds(); ++k) all.push_back(k);
    expect_kane(model, s, {});
    expect_kane(model, s, mixed_formulas(model, all));
    if (middle_body(model) > 0) expect_kane(model, s, {"middle"}, 1e-6);
  }
}

TEST(KaneQuantities, OfLoopsAreThoseOfTheClosingEquations) {
  for (const char* name : {"four-bar", "five-bar", "slider-crank", "delta", "planar-3rrr",
                           "screw-jack", "palletiser"}) {
    const Model model(read_robot(name).robot);
    Generator g(3);
    const MovingState s = state_at_random(model, g);
    Workspace work(model);
    LoopClosure closure(model);
    closure.update(work, s.q);
    const std::vector<int> independent = split_speeds(closure).independent;
    expect_kane(model, s, {}, 1e-7);
    expect_kane(model, s, mixed_formulas(model, independent), 1e-7);
  }
}

TEST(KaneQuantities, TheTurnOfACouplerServesAFourBar) {
  const Model model(read_robot("four-bar").robot);
  Generator g(3);
  const MovingState s = state_at_random(model, g);
  for (int body = 1; body < std::ssize(model.bodies()); ++body)
    expect_kane(model, s, {"body:" + model.bodies()[body].name}, 1e-7);
}

TEST(KaneQuantities, WrenchesAreActiveForces) {
  Generator g(2);
  const Model model(testing::general_chain(g, 4));
  const MovingState s = state_at_random(model, g);
  Workspace work(model);
  ExternalWrench load{.body = 4};
  load.force = {3, -2, 5};
  load.moment = {0.3, 0.2, -0.1};
  const ExternalWrench loads[] = {load};
  Kane kane(model);
  const KaneQuantities with = kane.quantities(work, s.q, s.v, s.a, {}, 0, loads),
                       without = kane.quantities(work, s.q, s.v, s.a);
  const BodyPartials& p = with.bodies[3];
  update_poses(model, work, s.q);
  const Matrix3<double> R = frame_pose(model, work, 4).rotation;
  expect_near(with.K_applied - without.K_applied,
              p.linear.transpose() * R.transpose() * load.force +
                  p.angular.transpose() * R.transpose() * load.moment,
              1e-11);
}

TEST(KaneQuantities, FlexibleBodiesAreRefused) {
  const Model model(read_robot("flexible-two-link").robot);
  EXPECT_THROW(Kane{model}, InputError);
}

}  // namespace
}  // namespace ulna
