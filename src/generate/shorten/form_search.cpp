#include "shorten/form_search.hpp"

#include <algorithm>
#include <cmath>

#include "ulna/symbolic/internal/rebuild.hpp"
#include "ulna/symbolic/internal/refining.hpp"

namespace ulna::generate {

bool Front::wants(const OperationCount& n) const {
  for (const auto& [m, form] : forms_)
    if (m <= multiplications(n) && form->count.additions <= n.additions) return false;
  return true;
}

void Front::offer(const std::shared_ptr<Form>& form) {
  if (!wants(form->count)) return;
  const int m = multiplications(form->count);
  std::erase_if(forms_, [&](const auto& entry) {
    return entry.first >= m && entry.second->count.additions >= form->count.additions;
  });
  forms_[m] = form;
}

void Front::offer(const Front& other) {
  for (const auto& [m, form] : other.forms_) offer(form);
}

std::shared_ptr<Form> Front::chosen(const std::optional<std::pair<int, int>>& at_most) const {
  std::shared_ptr<Form> best;
  const auto key = [&](const Form& form) {
    const int total = multiplications(form.count) + form.count.additions;
    return std::tuple(!fits(form.count, at_most), balanced(form.count), total);
  };
  for (const auto& [m, form] : forms_)
    if (!best || key(*form) < key(*best)) best = form;
  return best;
}

bool fits(const OperationCount& n, const std::optional<std::pair<int, int>>& at_most) {
  return at_most && multiplications(n) <= at_most->first && n.additions <= at_most->second;
}

double balanced(const OperationCount& n) {
  return std::max<double>(multiplications(n), n.additions / 0.7);
}

namespace {

/// How the trace of a plan is factored.
enum class Way { not_at_all, shared_sums_closed, shared_sums_open };

class Round {
 public:
  Round(const PlanTracer& tracer, const RoundOptions& options)
      : tracer_(tracer), options_(options), random_(options.seed) {}

  Front run() {
    anneal_plans();
    front_.offer(written(tracer_.starts()[0], Way::not_at_all));  // whatever else is found
    if (!reached_) refine();
    if (!reached_) finish();
    return std::move(front_);
  }

 private:
  /// A further angle weighs what its sine and cosine take.
  double weight(const OperationCount& n) const {
    constexpr int angle = 20;
    return multiplications(n) + options_.addition * n.additions +
           angle * std::max(0, n.sincos_pairs - options_.most_angles);
  }
  /// In the end: short in both, or within the counts asked for.
  double aim(const OperationCount& n) const {
    if (!options_.at_most) return 0.5 * weight(n) + balanced(n);
    const int excess = std::max(0, multiplications(n) - options_.at_most->first) +
                       std::max(0, n.additions - options_.at_most->second);
    return multiplications(n) + n.additions + 3 * excess;
  }
  double chance() { return static_cast<double>(random_() >> 8) / static_cast<double>(1 << 24); }

  void anneal_plans() {
    const std::vector<CompactPlan> starts = tracer_.starts();
    anneal(starts[0], Way::not_at_all, options_.size.traced_steps / 2);
    anneal(starts[1 + options_.seed % 3], Way::not_at_all, options_.size.traced_steps / 2);
    const CompactPlan best = plans_[Way::not_at_all].begin()->second;
    const int steps = options_.size.factored_steps / 2;
    anneal(best, Way::shared_sums_closed, steps);
    // Not turning anything starts badly and ends well on arms with parallel axes.
    anneal(starts[1], Way::shared_sums_closed, options_.size.factored_steps - steps);
  }

  void anneal(CompactPlan plan, Way way, int steps) {
    double cost = evaluate(plan, way);
    for (int step = 0; step < steps && !reached_; ++step) {
      const double warmth = 3.0 * (1 - static_cast<double>(step) / steps);
      CompactPlan changed = plan;
      PlanTracer::change(changed, random_);
      const double worse = evaluate(changed, way) - cost;
      if (worse > 0 && !(chance() < std::exp(-worse / warmth))) continue;
      plan = std::move(changed);
      cost += worse;
    }
  }

  /// Remembers the plan under its counts: plans that differ in nothing else are the same.
  double evaluate(const CompactPlan& plan, Way way) {
    TracedPlan traced = tracer_.trace(plan);
    OperationCount n = operations_at_run_time(traced.tau, *traced.graph);
    if (way != Way::not_at_all) {
      const auto tau = tracer_.factored(traced, false, 0);
      const OperationCount other = operations_at_run_time(tau, *traced.graph);
      if (weight(other) < weight(n)) n = other;
    }
    const bool is_new = plans_[way].try_emplace({weight(n), multiplications(n)}, plan).second;
    if (is_new && fits(n, options_.at_most)) {
      front_.offer(written(plan, Way::not_at_all));
      front_.offer(written(plan, Way::shared_sums_closed));
      reached_ = true;
    }
    return weight(n);
  }

  std::shared_ptr<Form> written(const CompactPlan& plan, Way way) const {
    auto form = std::make_shared<Form>();
    form->traced = tracer_.trace(plan);
    form->planned = operations_at_run_time(form->traced.tau, *form->traced.graph);
    if (way != Way::not_at_all)
      form->traced.tau = tracer_.factored(form->traced, way == Way::shared_sums_open, 0);
    form->count = operations_at_run_time(form->traced.tau, *form->traced.graph);
    form->factored = form->count;
    return form;
  }

  void refine() {
    for (auto& [judged, plans] : plans_) {
      int left = judged == Way::not_at_all ? options_.size.forms / 2
                                           : options_.size.forms - options_.size.forms / 2;
      for (const auto& [key, plan] : plans) {
        if (--left < 0) break;
        for (Way way : {Way::not_at_all, Way::shared_sums_closed, Way::shared_sums_open}) {
          // Opening everything is for those who have time to put it together again.
          if (way == Way::shared_sums_open && !options_.size.open_all) continue;
          offer_refined(written(plan, way), options_.size.refining);
        }
      }
    }
  }

  /// The most balanced once more, for longer.
  void finish() {
    std::stable_sort(refined_.begin(), refined_.end(), [this](const auto& a, const auto& b) {
      return aim(a->count) < aim(b->count);
    });
    const std::vector<std::shared_ptr<Form>> finalists(
        refined_.begin(),
        refined_.begin() + std::min<std::ptrdiff_t>(options_.size.finalists, std::ssize(refined_)));
    for (const auto& form : finalists) offer_refined(form, options_.size.finishing);
  }

  void offer_refined(const std::shared_ptr<Form>& form, int steps) {
    if (form->count.sincos_pairs > options_.most_angles) return;
    front_.offer(form);
    reached_ |= fits(form->count, options_.at_most);
    if (steps == 0 || reached_) return;
    RefiningOptions refining;
    refining.rounds = steps;
    refining.seed = static_cast<unsigned>(random_());
    refining.weight = [this](const OperationCount& n) { return aim(n); };
    refining.count = operations_at_run_time;
    refining.known = parameter_prefix[0];
    std::shared_ptr<Form> best;
    for (const RefinedForm& better : refined(form->traced.tau, *form->traced.graph, refining)) {
      const auto own = in_own_graph(better, *form);
      front_.offer(own);
      reached_ |= fits(own->count, options_.at_most);
      if (!best || aim(own->count) < aim(best->count)) best = own;
    }
    refined_.push_back(best);
  }

  static std::shared_ptr<Form> in_own_graph(const RefinedForm& form, const Form& from) {
    auto out = std::make_shared<Form>();
    out->count = form.count;
    out->planned = from.planned;
    out->factored = from.factored;
    out->traced.start_up = from.traced.start_up;
    out->traced.known = from.traced.known;
    const Graph::Scope scope(*out->traced.graph);
    for (const std::string& name : from.traced.graph->input_names()) out->traced.graph->input(name);
    out->traced.tau =
        rebuild(form.outputs, *from.traced.graph, [](const Expression&) { return std::nullopt; });
    return out;
  }

  const PlanTracer& tracer_;
  RoundOptions options_;
  std::mt19937 random_;
  Front front_;
  bool reached_ = false;  // the counts asked for
  std::vector<std::shared_ptr<Form>> refined_;
  /// By how they were judged: by weight, then multiplications.
  std::map<Way, std::map<std::pair<double, int>, CompactPlan>> plans_;
};

}  // namespace

Front search_round(const PlanTracer& tracer, const RoundOptions& options) {
  return Round(tracer, options).run();
}

}  // namespace ulna::generate
