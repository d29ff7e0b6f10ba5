// One model, one answer: any two methods agree on 1,000 random trees of 3 to 30 bodies with all
// joint types, under friction, springs, rotors and external wrenches, with mimic and reversed
// joints.
//
// Efforts are sums of some hundred terms: 1e-11 of the largest leaves room for 1e5 roundings.
// Accelerations solve M a = b, which cannot be had better than 1e-16 cond(M).

#include <gtest/gtest.h>

#include "../support/random_robot.hpp"
#include "ulna/dynamics/forward_dynamics.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/dynamics/lagrange_4x4.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

using testing::Generator;
using testing::random_entries;
using testing::random_vector;

struct Answer {
  std::string method;
  Eigen::MatrixXd value;
};

void expect_all_pairs(const std::vector<Answer>& answers, double bound) {
  for (std::size_t i = 0; i < answers.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Eigen::MatrixXd &x = answers[i].value, &y = answers[j].value;
      const double size = std::max(x.cwiseAbs().maxCoeff(), y.cwiseAbs().maxCoeff());
      EXPECT_LT((x - y).cwiseAbs().maxCoeff(), bound * size)
          << answers[i].method << " and " << answers[j].method;
    }
}

double condition_of(const Eigen::MatrixXd& M) {
  const Eigen::VectorXd values = dense::eigenvalues_symmetric(M);
  return values.maxCoeff() / values.minCoeff();
}

/// A random tree in a random state.
struct RandomTree {
  explicit RandomTree(int seed) : g(seed), model(make(seed)) {}

  Model make(int seed) {
    testing::RobotRecipe recipe;
    recipe.bodies = 3 + seed % 28;
    recipe.types = testing::all_moving_types;
    recipe.branches = seed % 2 == 1;
    recipe.friction = seed % 3 != 0;
    recipe.mimic = seed % 5 == 0;
    recipe.reversed = seed % 7 == 0;
    return Model(testing::random_robot(g, recipe));
  }
  ExternalWrench wrench_on(int body, int expressed_in) {
    return {body, random_vector(g), random_vector(g), random_vector(g), expressed_in};
  }

  /// The angular velocity of the body for which that is conditioned best; none where no body is
  /// carried by three turns.
  std::optional<SpeedMap> speeds_of_a_body() const {
    std::optional<SpeedMap> best;
    double largest = 0;
    for (int body = 1; body < static_cast<int>(model.bodies().size()) && largest < 0.01; ++body) {
      try {
        const SpeedMap map = body_speeds(model, q, v, body);
        const double found = SpeedSolver(map).reciprocal_condition();
        if (found <= largest) continue;
        largest = found;
        best = map;
      } catch (const std::runtime_error&) {  // fewer than three turns, or singular here
      }
    }
    return best;
  }
  /// Any invertible matrix will do, and it may change in time.
  SpeedMap speeds_of_ones_own() {
    SpeedMap map = joint_rate_speeds(model);
    map.name = "own";
    const int n = model.speeds();
    for (double& y : map.Y.reshaped()) y += testing::uniform(g, -0.2, 0.2) / n;
    for (double& y : map.Y_dot.reshaped()) y = testing::uniform(g, -1, 1);
    return map;
  }

  Generator g;
  Model model;
  Eigen::VectorXd q = model.random(g), v = random_entries(g, model.speeds()),
                  a = random_entries(g, model.speeds()),
                  tau = random_entries(g, model.speeds(), 10);
  std::vector<ExternalWrench> wrenches{wrench_on(1, 0),
                                       wrench_on(static_cast<int>(model.bodies().size()) - 1, 1)};
  std::optional<SpeedMap> body_map = speeds_of_a_body();
  SpeedMap own_map = speeds_of_ones_own();
  Workspace work{model};
  Kane kane{model};
};

std::vector<Answer> inverse_answers(RandomTree& c) {
  const auto& [q, v, a, wrenches] = std::tie(c.q, c.v, c.a, c.wrenches);
  std::vector<Answer> answers{
      {"newton-euler", inverse_dynamics(c.model, c.work, q, v, a, wrenches)},
      {"newton-euler-4x4", inverse_dynamics_newton_euler_4x4(c.model, q, v, a, wrenches)},
      {"lagrange-4x4", inverse_dynamics_lagrange_4x4(c.model, q, v, a, wrenches)},
      {"kane, joint rates", c.kane.inverse(c.work, q, v, a, wrenches)},
      {"kane, own speeds", c.kane.inverse(c.work, q, v, a, c.own_map, wrenches)}};
  if (c.body_map)
    answers.push_back({c.body_map->name, c.kane.inverse(c.work, q, v, a, *c.body_map, wrenches)});
  return answers;
}

std::vector<Answer> forward_answers(RandomTree& c) {
  const auto& [q, v, tau, wrenches] = std::tie(c.q, c.v, c.tau, c.wrenches);
  const auto by = [&](ForwardMethod method) {
    return forward_dynamics(c.model, c.work, q, v, tau, wrenches, method);
  };
  const auto by_kane = [&](const SpeedMap& map) {
    return c.kane.forward(c.work, q, v, tau, map, wrenches);
  };
  std::vector<Answer> answers{
      {"composite-body", by(ForwardMethod::composite_body)},
      {"lagrange-4x4", forward_dynamics_lagrange_4x4(c.model, q, v, tau, wrenches)},
      {"kane, joint rates", by_kane(joint_rate_speeds(c.model))},
      {"kane, own speeds", by_kane(c.own_map)}};
  if (c.body_map) answers.push_back({c.body_map->name, by_kane(*c.body_map)});
  if (!c.model.topology().shared_speeds)  // mimic joints couple the tree
    answers.push_back({"articulated-body", by(ForwardMethod::articulated_body)});
  return answers;
}

/// A hundred robots each, so that test runners can spread them.
class AnyTwoMethods : public ::testing::TestWithParam<int> {
 protected:
  template <class Check>
  void on_every_robot(Check check) {
    for (int seed = 100 * GetParam(); seed < 100 * (GetParam() + 1); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      RandomTree c(seed);
      check(c);
      if (HasFailure()) return;
    }
  }
};

TEST_P(AnyTwoMethods, AgreeOnInverseDynamics) {
  std::size_t answers = 0;
  on_every_robot([&](RandomTree& c) {
    const std::vector<Answer> found = inverse_answers(c);
    expect_all_pairs(found, 1e-11);
    answers += found.size();
  });
  EXPECT_GE(answers, 590u);  // six each; on a few robots no body is carried by three turns
}

TEST_P(AnyTwoMethods, AgreeOnForwardDynamics) {
  std::size_t answers = 0;
  on_every_robot([&](RandomTree& c) {
    const double condition = condition_of(mass_matrix(c.model, c.work, c.q));
    const std::vector<Answer> found = forward_answers(c);
    expect_all_pairs(found, 1e-12 + 1e-15 * condition);
    answers += found.size();
  });
  EXPECT_GE(answers, 570u);  // articulated bodies do not apply to every fifth robot
}

TEST_P(AnyTwoMethods, AgreeOnTheMassMatrix) {
  on_every_robot([&](RandomTree& c) {
    const Eigen::MatrixXd M = mass_matrix_lagrange_4x4(c.model, c.q);
    expect_all_pairs({{"composite-body", mass_matrix(c.model, c.work, c.q)},
                      {"kane", c.kane.matrix(c.work, c.q)},
                      {"lagrange-4x4", M}},
                     1e-12);
    expect_all_pairs({{"M", M}, {"its transpose", M.transpose()}}, 1e-14);
  });
}

INSTANTIATE_TEST_SUITE_P(Hundreds, AnyTwoMethods, ::testing::Range(0, 10));

}  // namespace
}  // namespace ulna
