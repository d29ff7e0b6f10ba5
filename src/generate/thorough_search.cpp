#include "ulna/generate/thorough_search.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <map>
#include <thread>

#include "plan_tracer.hpp"
#include "ulna/symbolic/rebuild.hpp"
#include "ulna/symbolic/refining.hpp"

namespace ulna {
namespace {

using generate::multiplications;
using generate::PlanTracer;
using generate::TracedPlan;

struct Form {
  TracedPlan traced;
  OperationCount count;
};

/// Forms none of which is as short as another in both counts, by multiplications.
class Front {
 public:
  bool wants(const OperationCount& n) const {
    for (const auto& [m, form] : forms_)
      if (m <= multiplications(n) && form->count.additions <= n.additions) return false;
    return true;
  }
  void offer(const std::shared_ptr<Form>& form) {
    if (!wants(form->count)) return;
    const int m = multiplications(form->count);
    std::erase_if(forms_, [&](const auto& entry) {
      return entry.first >= m && entry.second->count.additions >= form->count.additions;
    });
    forms_[m] = form;
  }
  void offer(const Front& other) {
    for (const auto& [m, form] : other.forms_) offer(form);
  }
  const std::map<int, std::shared_ptr<Form>>& forms() const { return forms_; }

  const Form& chosen(const ThoroughOptions& options) const {
    const Form* best = nullptr;
    const auto key = [&](const Form& form) {
      const int m = multiplications(form.count), a = form.count.additions;
      return std::tuple(!fits(form.count, options), m + a, a);
    };
    for (const auto& [m, form] : forms_)
      if (!best || key(*form) < key(*best)) best = form.get();
    return *best;
  }
  static bool fits(const OperationCount& n, const ThoroughOptions& options) {
    return options.at_most && multiplications(n) <= options.at_most->first &&
           n.additions <= options.at_most->second;
  }

 private:
  std::map<int, std::shared_ptr<Form>> forms_;
};

/// What weighs how much in a round. With counts to be reached, every other round is aimed at them:
/// an operation too many weighs as much as four.
class Weights {
 public:
  Weights(const ThoroughOptions& options, int round) {
    constexpr double in_turn[][2] = {{1, 1}, {0.5, 1.5}, {1.5, 0.5}, {0.8, 1.2}};
    aimed_ = options.at_most && round % 2 == 1;
    if (aimed_) aim_ = *options.at_most;
    std::copy_n(in_turn[(options.at_most ? round / 2 : round) % 4], 2, each_);
    if (aimed_) each_[0] = each_[1] = 1;
  }
  double operator()(const OperationCount& n) const {
    const int m = multiplications(n), a = n.additions;
    const int excess = aimed_ ? std::max(0, m - aim_.first) + std::max(0, a - aim_.second) : 0;
    return each_[0] * m + each_[1] * a + 3 * excess;
  }

 private:
  bool aimed_ = false;
  std::pair<int, int> aim_;
  double each_[2];
};

/// A plan, and how its trace was factored: not at all, with shared sums closed, with them opened.
struct Found {
  CompactPlan plan;
  int way;
};

class Round {
 public:
  Round(const PlanTracer& tracer, const ThoroughOptions& options, int number)
      : tracer_(tracer),
        options_(options),
        weights_(options, number),
        random_(options.seed + 977u * static_cast<unsigned>(number)),
        number_(number) {}

  Front run() {
    anneal();
    if (reached_)
      front_.offer(written(*reached_));
    else
      refine();
    return std::move(front_);
  }

 private:
  void anneal() {
    const std::vector<CompactPlan> starts = tracer_.starts();
    CompactPlan plan = starts[static_cast<std::size_t>(number_ + number_ / 4) % starts.size()];
    double cost = evaluate(plan);
    for (int step = 0; step < options_.steps && !reached_; ++step) {
      const double warmth = 4.0 * (1 - static_cast<double>(step) / options_.steps);
      CompactPlan changed = plan;
      PlanTracer::change(changed, random_);
      const double worse = evaluate(changed) - cost;
      if (worse > 0 && !(chance() < std::exp(-worse / warmth))) continue;
      plan = std::move(changed);
      cost += worse;
    }
  }

  double chance() { return static_cast<double>(random_() >> 8) / static_cast<double>(1 << 24); }

  /// The weight of the best way of factoring; remembers the plan under its counts.
  double evaluate(const CompactPlan& plan) {
    double least = 1e9;
    TracedPlan traced = tracer_.trace(plan);
    for (int way = 0; way < 3; ++way) {
      const std::vector<Expression> tau =
          way == 0 ? traced.tau : tracer_.factored(traced, way == 2, 0);
      const OperationCount n = operations_at_run_time(tau, *traced.graph);
      least = std::min(least, weights_(n));
      plans_.try_emplace({weights_(n), multiplications(n)}, Found{plan, way});
      if (!reached_ && Front::fits(n, options_)) reached_ = Found{plan, way};
    }
    return least;
  }

  std::shared_ptr<Form> written(const Found& found) const {
    auto form = std::make_shared<Form>();
    form->traced = tracer_.trace(found.plan);
    if (found.way > 0) form->traced.tau = tracer_.factored(form->traced, found.way == 2, 0);
    form->count = operations_at_run_time(form->traced.tau, *form->traced.graph);
    return form;
  }

  void refine() {
    int left = options_.refined;
    for (const auto& [key, found] : plans_) {
      if (--left < 0) break;
      const auto form = written(found);
      front_.offer(form);
      Graph& graph = *form->traced.graph;
      RefiningOptions refining;
      refining.rounds = options_.refining_rounds;
      refining.seed = static_cast<unsigned>(random_());
      refining.weight = weights_;
      refining.count = operations_at_run_time;
      refining.known = generate::parameter_prefix[0];
      for (const RefinedForm& better : refined(form->traced.tau, graph, refining))
        if (front_.wants(better.count)) front_.offer(in_own_graph(better, form->traced));
    }
  }

  static std::shared_ptr<Form> in_own_graph(const RefinedForm& form, const TracedPlan& from) {
    auto out = std::make_shared<Form>();
    out->count = form.count;
    out->traced.start_up = from.start_up;
    out->traced.known = from.known;
    const Graph::Scope scope(*out->traced.graph);
    for (const std::string& name : from.graph->input_names()) out->traced.graph->input(name);
    out->traced.tau =
        rebuild(form.outputs, *from.graph, [](const Expression&) { return std::nullopt; });
    return out;
  }

  const PlanTracer& tracer_;
  const ThoroughOptions& options_;
  Weights weights_;
  std::mt19937 random_;
  int number_;
  Front front_;
  std::optional<Found> reached_;                   // what is within the counts asked for
  std::map<std::pair<double, int>, Found> plans_;  // by weight, then multiplications
};

class Thorough {
 public:
  Thorough(const PlanTracer& tracer, const ThoroughOptions& options)
      : tracer_(tracer), options_(options) {}

  void run() {
    const unsigned machine = std::max(1u, std::thread::hardware_concurrency());
    const int threads = options_.threads > 0 ? options_.threads : static_cast<int>(machine);
    // At least one round; those side by side are taken in whole, so that time decides only how
    // many.
    while (done_ < options_.rounds) {
      std::vector<std::future<Front>> running;
      for (int k = 0; k < threads && done_ + k < options_.rounds; ++k)
        running.push_back(std::async(
            threads > 1 ? std::launch::async : std::launch::deferred,
            [this, number = done_ + k] { return Round(tracer_, options_, number).run(); }));
      for (auto& round : running) front_.offer(round.get());
      done_ += static_cast<int>(running.size());
      report();
      const Form& best = front_.chosen(options_);
      if (Front::fits(best.count, options_)) break;
      if (options_.seconds > 0 && seconds() > options_.seconds) break;
    }
  }

  const Front& front() const { return front_; }
  int rounds() const { return done_; }

 private:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  void report() const {
    if (options_.progress)
      options_.progress({done_, options_.rounds, seconds(), front_.chosen(options_).count});
  }

  const PlanTracer& tracer_;
  const ThoroughOptions& options_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Front front_;
  int done_ = 0;
};

}  // namespace

ThoroughResult thorough_inverse_dynamics(const Topology& topology, const ParameterMaker& parameters,
                                         Graph& graph, std::span<const Expression> q,
                                         std::span<const Expression> v,
                                         std::span<const Expression> a,
                                         const ThoroughOptions& options) {
  const PlanTracer tracer(topology, parameters, a);
  Thorough search(tracer, options);
  search.run();
  const Form& chosen = search.front().chosen(options);
  ThoroughResult out;
  out.rounds = search.rounds();
  out.chosen = chosen.count;
  for (const auto& [m, form] : search.front().forms()) out.front.push_back(form->count);
  const Graph::Scope scope(graph);
  out.tau = tracer.with_state(chosen.traced, q, v, a);
  return out;
}

}  // namespace ulna
