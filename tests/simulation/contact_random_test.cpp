// Boxes thrown on the ground in random ways: they come to rest or slide on, and break no law.

#include <gtest/gtest.h>

#include <random>

#include "contacts.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {
namespace {

TEST(RandomContact, ThrownBoxesKeepTheLawsOfCoulombAndNewton) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 bits(seed);
    const auto draw = [&](double low, double high) {
      return low + (high - low) * (static_cast<double>(bits()) / 4294967296.0);
    };
    const Vector3<double> half(draw(0.05, 0.4), draw(0.05, 0.4), draw(0.05, 0.4));
    const double m = draw(0.1, 5), mu = draw(0, 1.1), e = std::max(0.0, draw(-0.5, 0.9));
    const Vector3<double> square = half.cwiseAbs2();
    Experiment x = testing::with(
        testing::free_body(m, m / 3 * (Vector3<double>::Constant(square.sum()) - square)), 2);
    x.integrator = {};
    // Many changes of modes within little time are what this is about.
    x.integrator.most_steps = 20'000;
    Eigen::Vector4d turn(draw(-1, 1), draw(-1, 1), draw(-1, 1), draw(0.1, 1));
    x.q.head<4>() = turn.normalized();
    testing::place(x) << 0, 0, 1.2;
    for (double& speed : x.v) speed = draw(-3, 3);
    for (int corner = 0; corner < 8; ++corner) {
      const Vector3<double> side(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
      x.contacts.push_back(
          testing::at("c" + std::to_string(corner), half.cwiseProduct(side), e, mu));
    }
    x.record.channels = {"energy", "contact"};
    const auto run = simulate(x);
    ASSERT_TRUE(run.summary.complete) << "seed " << seed << ": " << run.summary.reason;
    const Eigen::VectorXd total = run.column("energy.total");
    for (Eigen::Index i = 1; i < total.size(); ++i)
      EXPECT_LE(total(i), total(i - 1) + 1e-7 * m) << "seed " << seed;
    const double weight = m * testing::g;
    for (const Contact& contact : x.contacts) {
      const std::string name = "contact." + contact.name;
      const Eigen::VectorXd normal = run.column(name + ".normal");
      const Eigen::VectorXd rub =
          (run.column(name + ".t1").cwiseAbs2() + run.column(name + ".t2").cwiseAbs2()).cwiseSqrt();
      EXPECT_GE(run.column(name + ".gap").minCoeff(), -1e-8) << "seed " << seed;
      EXPECT_GE(normal.minCoeff(), -1e-7 * weight) << "seed " << seed;
      EXPECT_LE((rub - mu * normal).maxCoeff(), 1e-7 * weight) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace ulna
