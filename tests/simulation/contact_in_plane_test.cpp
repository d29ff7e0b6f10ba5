// Friction where nothing answers a force across the plane of motion, but for rounding.

#include <gtest/gtest.h>

#include <cmath>

#include "machines.hpp"
#include "mechanisms.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

/// A body on two slides, along x and z.
Robot sled() {
  Robot robot;
  robot.name = "sled";
  robot.bodies.push_back(
      testing::body("carrier", {0, Vector3<double>::Zero(), Matrix3<double>::Zero()}));
  robot.bodies.push_back(
      testing::body("sled", {2, Vector3<double>::Zero(), Matrix3<double>::Identity() * 0.1}));
  const auto slide = [&](const char* name, const char* parent, const char* child,
                         const Vector3<double>& axis) {
    JointData joint;
    joint.name = name;
    joint.type = JointType::prismatic;
    joint.parent = parent;
    joint.child = child;
    joint.axis = axis;
    robot.joints.push_back(joint);
  };
  slide("x", "world", "carrier", {1, 0, 0});
  slide("z", "carrier", "sled", {0, 0, 1});
  return robot;
}

// Down a slope with tangent s: along it g (sin - mu cos) when mu < s, nothing otherwise.
TEST(Contact, FrictionInAPlaneHoldsWhatItCanAndNoMore) {
  for (const double slope : {0.3, -0.3, 0.71, 0.123456789}) {
    for (const double mu : {0.5, 0.9, 1.1, 2.0}) {
      Experiment experiment(testing::frozen(sled()));
      experiment.end = 1;
      experiment.integrator.tolerances = {1e-10, 1e-12};
      Contact contact;
      contact.name = "runner";
      contact.shape.body = experiment.model->body("sled");
      contact.plane.normal = {-slope, 0, 1};
      contact.friction = mu * std::abs(slope);
      experiment.contacts.push_back(contact);
      const auto run = simulate(experiment);
      const double cosine = 1 / std::hypot(1, slope), sine = std::abs(slope) * cosine;
      const double along = std::max(0.0, 9.81 * (sine - contact.friction * cosine));
      EXPECT_NEAR(run.column("q.x").tail(1)(0), -std::copysign(0.5 * along * cosine, slope), 1e-9)
          << "slope " << slope << ", friction " << contact.friction;
    }
  }
}

}  // namespace
}  // namespace ulna
