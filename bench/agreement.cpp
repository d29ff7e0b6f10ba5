#include "agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace ulna::bench {
namespace {

// Central differences with the step below are good to about 1e-8 of the largest entry on these
// robots; a wrong derivative shows at once.
constexpr double difference_step = 1e-5;
constexpr double difference_tolerance = 1e-5;

constexpr int checked_states = 3;

bool is_derivative(Task task) {
  return task == Task::inverse_derivatives || task == Task::forward_derivatives;
}

Task base_of(Task derivatives) {
  return derivatives == Task::inverse_derivatives ? Task::inverse_dynamics : Task::forward_dynamics;
}

// The largest difference, relative to the largest entry.
double distance(std::span<const double> a, std::span<const double> b) {
  double largest = 0, apart = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return INFINITY;
    largest = std::max(largest, std::abs(a[i]));
    apart = std::max(apart, std::abs(a[i] - b[i]));
  }
  return largest > 0 ? apart / largest : apart;
}

// The three blocks of derivatives differ in size by orders of magnitude: each is compared by
// itself.
double distance(Task task, std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return INFINITY;
  const std::size_t blocks = is_derivative(task) ? 3 : 1;
  const std::size_t size = a.size() / blocks;
  double largest = 0;
  for (std::size_t i = 0; i < blocks; ++i)
    largest = std::max(largest, distance(a.subspan(i * size, size), b.subspan(i * size, size)));
  return largest;
}

struct State {
  std::vector<double> q, v, u;
};

State state_at(const States& states, std::size_t index) {
  const auto row = [&](const std::vector<double>& table) {
    const auto first = table.begin() + static_cast<std::ptrdiff_t>(index * states.n);
    return std::vector<double>(first, first + static_cast<std::ptrdiff_t>(states.n));
  };
  return {row(states.q), row(states.v), row(states.u)};
}

std::vector<double> evaluate(Contestant& contestant, Task task, const State& s) {
  contestant.run(task, s.q.data(), s.v.data(), s.u.data());
  return contestant.result(task);
}

// d(result of `task`)/d(q, v, u) in the layout of the derivative tasks.
std::vector<double> differences(Contestant& contestant, Task task, const State& at) {
  const std::size_t n = at.q.size();
  std::vector<double> out(3 * n * n);
  State s = at;
  const std::array inputs = {&s.q, &s.v, &s.u};
  for (std::size_t block = 0; block < inputs.size(); ++block) {
    for (std::size_t j = 0; j < n; ++j) {
      double& x = (*inputs[block])[j];
      const double middle = x;
      x = middle + difference_step;
      const std::vector<double> above = evaluate(contestant, task, s);
      x = middle - difference_step;
      const std::vector<double> below = evaluate(contestant, task, s);
      x = middle;
      for (std::size_t i = 0; i < n; ++i)
        out[block * n * n + i * n + j] = (above[i] - below[i]) / (2 * difference_step);
    }
  }
  return out;
}

void require(double found, double allowed, const std::string& who, const std::string& against,
             Task task, const ChainSpec& spec) {
  if (found <= allowed) return;
  throw Disagreement(fmt::format("{} of {}: {} differs from {} by {:.1e} (allowed {:.0e})",
                                 name_of(task), spec.name, who, against, found, allowed));
}

}  // namespace

Disagreements require_agreement(const Contestants& contestants, const ChainSpec& spec,
                                const States& states) {
  Disagreements worst;
  for (Task task : all_tasks) {
    std::vector<Contestant*> taking;
    for (const auto& contestant : contestants)
      if (contestant->supports(task)) taking.push_back(contestant.get());
    if (taking.empty()) continue;
    Contestant& reference = **std::ranges::min_element(taking, {}, &Contestant::tolerance);

    for (std::size_t index = 0; index < checked_states; ++index) {
      const State state = state_at(states, index);
      const std::vector<double> expected = evaluate(reference, task, state);
      for (Contestant* contestant : taking) {
        if (contestant == &reference) continue;
        const double found = distance(task, expected, evaluate(*contestant, task, state));
        require(found, contestant->tolerance(), contestant->name(), reference.name(), task, spec);
        worst[contestant->name()] = std::max(worst[contestant->name()], found);
      }
      if (!is_derivative(task) || !reference.supports(base_of(task))) continue;
      require(distance(task, expected, differences(reference, base_of(task), state)),
              difference_tolerance, reference.name(), "differences of its own dynamics", task,
              spec);
    }
  }
  return worst;
}

}  // namespace ulna::bench
