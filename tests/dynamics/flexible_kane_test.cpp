// Kane's equations of flexible robots against Newton and Euler.

#include <gtest/gtest.h>

#include <cmath>

#include "ulna/dynamics/dynamics.hpp"
#include "ulna/formats/read_robot.hpp"

namespace ulna {
namespace {

TEST(FlexibleKane, EffortsMassAndAccelerationsAreThoseOfNewtonAndEuler) {
  for (const char* name : {"flexible-two-link", "flexible-3r", "flexible-single-link"}) {
    const Model model(read_robot(name).robot);
    Dynamics kane(model, {.method = "kane"}), recursion(model);
    Eigen::VectorXd q = model.neutral(), v(model.speeds()), a(model.speeds());
    for (int k = 0; k < model.speeds(); ++k) {
      const bool mode = k >= model.joint_speeds();
      v(k) = (mode ? 0.1 : 1) * std::sin(1.3 * k + 0.4);
      a(k) = (mode ? 0.5 : 2) * std::cos(2.1 * k);
    }
    q = model.integrate(q, Eigen::VectorXd(0.05 * v));
    const int body = static_cast<int>(model.bodies().size()) - 1;
    const std::vector<ExternalWrench> wrenches = {
        {.body = body, .force = {1, -2, 3}, .moment = {0.1, 0.2, -0.3}}};
    for (const bool pushed : {false, true}) {
      const ExternalWrenches w = pushed ? ExternalWrenches(wrenches) : ExternalWrenches();
      const Eigen::VectorXd expected = recursion.inverse(q, v, a, w).tau,
                            found = kane.inverse(q, v, a, w).tau;
      // Sums of some thirty products each, of efforts of this size.
      EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff())
          << name;
      const Eigen::VectorXd back = kane.forward(q, v, expected, w);
      EXPECT_LT((back - a).cwiseAbs().maxCoeff(), 1e-7 * a.cwiseAbs().maxCoeff()) << name;
    }
    const Eigen::MatrixXd M = recursion.mass_matrix(q);
    EXPECT_LT((kane.mass_matrix(q) - M).cwiseAbs().maxCoeff(), 1e-10 * M.cwiseAbs().maxCoeff())
        << name;
  }
}

}  // namespace
}  // namespace ulna
