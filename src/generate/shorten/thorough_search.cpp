#include "ulna/generate/internal/thorough_search.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "shorten/form_search.hpp"
#include "ulna/numerics/internal/threads.hpp"

namespace ulna {
namespace {

using namespace generate;

/// Rounds differ in where they start and in what an addition weighs.
RoundOptions round_options(const ThoroughOptions& options, int number) {
  constexpr double additions[] = {1, 1.5, 1.2, 0.8};
  RoundOptions out;
  out.size = options.size;
  out.addition = additions[number % 4];
  out.seed = options.seed + 977u * static_cast<unsigned>(number);
  out.at_most = options.at_most;
  return out;
}

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
      std::vector<Front> rounds(
          static_cast<std::size_t>(std::min(threads, options_.rounds - done_)));
      side_by_side(std::ssize(rounds), [&](long k) {
        rounds[static_cast<std::size_t>(k)] =
            search_round(tracer_, round_options(options_, done_ + static_cast<int>(k)));
      });
      for (const Front& round : rounds) front_.offer(round);
      done_ += static_cast<int>(rounds.size());
      report();
      if (fits(front_.chosen(options_.at_most)->count, options_.at_most)) break;
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
      options_.progress(
          {done_, options_.rounds, seconds(), front_.chosen(options_.at_most)->count});
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
  const Form& chosen = *search.front().chosen(options.at_most);
  ThoroughResult out;
  out.rounds = search.rounds();
  out.chosen = chosen.count;
  out.planned = chosen.planned;
  out.factored = chosen.factored;
  for (const auto& [m, form] : search.front().forms()) out.front.push_back(form->count);
  const Graph::Scope scope(graph);
  out.tau = tracer.with_state(chosen.traced, q, v, a);
  return out;
}

}  // namespace ulna
