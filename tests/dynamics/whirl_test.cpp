// Turning shafts: poles with gyroscopic terms against what rotor dynamics says of them. Poles are
// those seen from the shaft: a whirl at w in the room is one at w - W there.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/flexible_robot.hpp"
#include "ulna/dynamics/internal/elastic_modes.hpp"

namespace ulna {
namespace {

using testing::BeamRecipe;
using testing::uniform_beam;

/// A round shaft along its hinge's axis, clamped to it.
Model shaft(double EI, double rho, const BeamRecipe& recipe, const Inertial& disc = {}) {
  Robot robot;
  robot.name = "shaft";
  robot.gravity.setZero();
  BodyData body;
  body.name = "shaft";
  BeamData beam = uniform_beam(1, EI, rho, recipe);
  beam.products->EIy = EI;
  if (disc.mass > 0) beam.attached = {{1, disc}};
  body.beams = {beam};
  robot.bodies = {body};
  JointData joint;
  joint.name = "bearing";
  joint.type = JointType::revolute;
  joint.axis = Vector3<double>::UnitX();
  joint.child = "shaft";
  robot.joints = {joint};
  make_flexible(robot);
  return Model(robot);
}

ElasticModes at_speed(const Model& model, double W) {
  ModesQuery query;
  query.v = Eigen::VectorXd::Zero(model.speeds());
  query.v(0) = W;
  query.all_locked = true;
  return elastic_modes(model, query);
}

// Without rotatory inertia both whirls have the frequency of the resting shaft in the room; damping
// within the shaft feeds the forward one beyond the critical speed, by zeta (W - w0).
TEST(Whirl, OfABareShaft) {
  constexpr double zeta = 0.01;
  const Model undamped = shaft(100, 1, {1, 1}), damped = shaft(100, 1, {1, 1, 0, 0, {}, zeta});
  const double w0 = std::pow(1.875104068711961, 2) * 10;
  for (const double W : {5.0, 30.0, 40.0, 90.0}) {
    const ElasticModes modes = at_speed(undamped, W);
    ASSERT_EQ(modes.frequencies.size(), 2);
    // Differences give the matrices to 1e-9.
    EXPECT_NEAR(modes.frequencies(0), std::abs(w0 - W), 1e-7 * (w0 + W));
    EXPECT_NEAR(modes.frequencies(1), w0 + W, 1e-7 * (w0 + W));
    EXPECT_EQ(growth_rate(modes), 0);
    const double growth = at_speed(damped, W).growth.maxCoeff();
    EXPECT_NEAR(growth, zeta * (W - w0), 2 * zeta * zeta * (W + w0)) << W;
    EXPECT_EQ(growth > 0, W > w0);
  }
}

// A disc on the end of a shaft without mass, in the room:
//   det(K - w^2 diag(m, Id) + w W diag(0, Ip)) = 0
TEST(Whirl, OfADiscHasForwardAndBackwardBranches) {
  Inertial disc;
  disc.mass = 2;
  disc.inertia = Vector3<double>(0.4, 0.2, 0.2).asDiagonal();
  constexpr double EI = 100, rho = 1e-8;
  const Model model = shaft(EI, rho, {2, 2, 0, 0, ModeFamily::finite_element}, disc);
  const auto determinant = [&](double w, double W) {
    return (12 * EI - w * w * 2) * (4 * EI - w * w * 0.2 + w * W * 0.4) - 36 * EI * EI;
  };
  for (const double W : {0.0, 5.0, 20.0, 60.0}) {
    const ElasticModes modes = at_speed(model, W);
    ASSERT_EQ(modes.frequencies.size(), 4);
    for (const double seen : modes.frequencies) {
      // A root within 1e-6 of W + seen or W - seen: which, the sense of the whirl says.
      bool found = false;
      for (const double w : {W + seen, W - seen}) {
        const double h = 1e-6 * (1 + std::abs(w));
        found |= determinant(w - h, W) * determinant(w + h, W) < 0;
      }
      EXPECT_TRUE(found) << "W " << W << ", seen " << seen;
    }
  }
}

}  // namespace
}  // namespace ulna
