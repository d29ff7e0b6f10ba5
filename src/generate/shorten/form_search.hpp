#pragma once
// One round of the search for inverse dynamics with few operations (docs/generation.md): plans are
// annealed by what their traces take, then by what is left of them when factored; the best are
// refined (symbolic/refining.hpp), and the best of these once more. Everything follows from the
// seed.

#include <map>
#include <optional>

#include "trace/plan_tracer.hpp"

namespace ulna::generate {

struct Form {
  TracedPlan traced;
  OperationCount count;
  /// Of the same plan: as traced, and factored.
  OperationCount planned, factored;
};

/// Forms none of which is as short as another in both counts, by multiplications.
class Front {
 public:
  bool wants(const OperationCount& n) const;
  void offer(const std::shared_ptr<Form>& form);
  void offer(const Front& other);
  const std::map<int, std::shared_ptr<Form>>& forms() const { return forms_; }
  /// One within `at_most` if there is one, otherwise the most balanced.
  std::shared_ptr<Form> chosen(const std::optional<std::pair<int, int>>& at_most) const;

 private:
  std::map<int, std::shared_ptr<Form>> forms_;
};

bool fits(const OperationCount& n, const std::optional<std::pair<int, int>>& at_most);

/// How short a form is in both counts: the larger of its multiplications and its additions, these
/// counted as 1 / 0.7, the usual proportion of the two in equations of motion.
double balanced(const OperationCount& n);

struct RoundOptions {
  SearchSize size;
  double addition = 1;  ///< what one weighs in annealing; a multiplication weighs one
  /// Sines and cosines of so many angles cost nothing; a form with more is not taken.
  int most_angles = 1 << 20;
  unsigned seed = 1;
  std::optional<std::pair<int, int>> at_most;
};

/// All forms found that no other beats; ends early when one is within `at_most`.
Front search_round(const PlanTracer& tracer, const RoundOptions& options);

}  // namespace ulna::generate
