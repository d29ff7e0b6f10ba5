// Equilibria are found from where they are, and from beside them.

#include <gtest/gtest.h>

#include "simulation/cases/cases.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/simulation/equilibrium.hpp"

namespace ulna::equilibria_test {
namespace {

/// A posture that closes the loops.
Eigen::VectorXd start_of(const Model& model) {
  Eigen::VectorXd q = model.neutral();
  for (int k = 0; k < model.coordinates(); ++k)
    if (std::isfinite(model.lower()(k)) && std::isfinite(model.upper()(k)))
      q(k) = std::clamp(q(k), model.lower()(k), model.upper()(k));
  if (model.loops().empty()) return q;
  AssemblyOptions options;
  options.start = q;
  return assemble(model, options).solutions.at(0).q;
}

TEST(Equilibria, AreFoundFromWhereTheyAreAndFromBeside) {
  // Trees, loops, platforms and flexible links; near is nearer than the tolerance, or not.
  int found = 0;
  for (const char* name : {"planar-3r", "puma560", "intelledex605", "scara", "flexible-two-link",
                           "flexible-3r", "five-bar", "four-bar", "crank-rocker", "slider-crank",
                           "flexible-four-bar", "delta", "planar-3rrr", "rotary-hexapod"}) {
    SCOPED_TRACE(name);
    Robot robot = read_robot(name).robot;
    // Planar mechanisms of this list lie in x-y; gravity along y gives them something to settle.
    robot.gravity = {0, -9.81, 0};
    const Model model(robot);
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(model.speeds());
    const Equilibrium first = find_equilibrium(model, start_of(model), none);
    if (!first.found) continue;
    ++found;
    for (const double beside : {0.0, 1e-12, 1e-9, 1e-6}) {
      Eigen::VectorXd q = first.q;
      if (model.loops().empty())
        q = model.integrate(q, Eigen::VectorXd::Constant(model.speeds(), beside));
      const Equilibrium again = find_equilibrium(model, q, none);
      EXPECT_TRUE(again.found) << beside << ": " << again.reason << ", " << again.residual;
      // Joints along gravity have no place of their own: they stay where they are.
      EXPECT_LT(model.difference(first.q, again.q).cwiseAbs().maxCoeff(), 1e-5) << beside;
    }
  }
  EXPECT_GE(found, 10);
}

}  // namespace
}  // namespace ulna::equilibria_test
