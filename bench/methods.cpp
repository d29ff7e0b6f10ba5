#include "methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/dynamics/lagrange_4x4.hpp"
#include "ulna/formats/read_robot.hpp"

namespace ulna::bench {
namespace {

struct Method {
  std::string name;
  std::function<Eigen::VectorXd(const VectorRef& q, const VectorRef& v, const VectorRef& a)> result;
  std::function<void(const VectorRef& q, const VectorRef& v, const VectorRef& a)> run;
};

// What is timed leaves its result where the library leaves it.
template <class Compute>
Method method(std::string name, Compute compute) {
  return {
      std::move(name), compute,
      [compute](const VectorRef& q, const VectorRef& v, const VectorRef& a) { compute(q, v, a); }};
}

std::vector<Method> methods_of(const Model& model, Workspace& work, Kane& kane) {
  using V = const VectorRef&;
  return {method(
              first_method,
              [&](V q, V v, V a) -> const auto& { return inverse_dynamics(model, work, q, v, a); }),
          method(
              "kane", [&](V q, V v, V a) -> const auto& { return kane.inverse(work, q, v, a); }),
          method("newton-euler-4x4",
                 [&](V q, V v, V a) { return inverse_dynamics_newton_euler_4x4(model, q, v, a); }),
          method("lagrange-4x4",
                 [&](V q, V v, V a) { return inverse_dynamics_lagrange_4x4(model, q, v, a); })};
}

// One state after the other, over and over.
class StateCycle {
 public:
  explicit StateCycle(const Model& model) {
    std::mt19937_64 generator(1);
    for (std::size_t k = 0; k < States::count; ++k) {
      q.push_back(model.random(generator));
      v.push_back(Eigen::VectorXd::Random(model.speeds()));
      a.push_back(Eigen::VectorXd::Random(model.speeds()));
    }
  }
  Runner runner(const Method& method) const {
    return {method.name, [this, &method, next = std::size_t{0}](long count) mutable {
              for (long i = 0; i < count; ++i) {
                method.run(q[next], v[next], a[next]);
                next = (next + 1) % States::count;
              }
            }};
  }

  std::vector<Eigen::VectorXd> q, v, a;
};

double largest_disagreement(const std::vector<Method>& methods, const StateCycle& states) {
  double largest = 0;
  for (std::size_t k = 0; k < States::count; ++k) {
    const Eigen::VectorXd tau = methods[0].result(states.q[k], states.v[k], states.a[k]);
    for (const Method& method : methods) {
      const Eigen::VectorXd other = method.result(states.q[k], states.v[k], states.a[k]);
      const double difference = (other - tau).cwiseAbs().maxCoeff() / tau.cwiseAbs().maxCoeff();
      if (!(difference < 1e-11))
        throw std::runtime_error(
            fmt::format("{} and {} differ by {:.1e}", method.name, first_method, difference));
      largest = std::max(largest, difference);
    }
  }
  return largest;
}

}  // namespace

MethodFindings measure_methods(const std::string& robot, int rounds) {
  const Model model(read_robot(robot).robot);
  Workspace work(model);
  Kane kane(model);
  const std::vector<Method> methods = methods_of(model, work, kane);
  const StateCycle states(model);
  MethodFindings findings{.robot = robot, .disagreement = largest_disagreement(methods, states)};
  std::vector<Runner> runners;
  for (const Method& method : methods) runners.push_back(states.runner(method));
  findings.timings = measure(std::move(runners), rounds);
  return findings;
}

void print_methods(const MethodFindings& findings) {
  fmt::print("\nInverse dynamics of {} by every method: ns least (median), ratio to {}\n",
             findings.robot, first_method);
  for (const auto& [name, timing] : findings.timings)
    fmt::print("  {:<20}{:>10.0f} ({:.0f}) {:>8.2f}x\n", name, timing.least_ns, timing.median_ns,
               findings.ratio(name));
  fmt::print("  largest difference {:.0e}\n", findings.disagreement);
}

}  // namespace ulna::bench
