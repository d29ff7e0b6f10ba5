#pragma once
// Computations that cannot look for Ctrl-C while they run: decompositions of dense matrices. Large
// ones run in a thread of their own, which is left to itself when Ctrl-C is pressed.

#include <atomic>
#include <future>
#include <memory>
#include <system_error>
#include <thread>

#include "interrupt.hpp"

namespace ulna::python {

/// compute() of matrices with `size` rows. It owns all that it reads.
template <class Compute>
auto abandonable(Eigen::Index size, Compute compute) -> decltype(compute()) {
  using Result = decltype(compute());
  constexpr Eigen::Index quick = 50;
  if (size <= quick) return compute();
  const auto left = std::make_shared<std::atomic<bool>>(false);
  const auto task = std::make_shared<std::packaged_task<Result()>>([left, compute] {
    const InterruptionScope scope([left] { return left->load(); });
    return compute();
  });
  std::future<Result> found = task->get_future();
  InterruptWatch watch;
  {
    const Unlocked unlocked;
    try {
      std::thread([task] { (*task)(); }).detach();
    } catch (const std::system_error&) {  // no more threads
      (*task)();
    }
    while (found.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready)
      if (watch.interrupted_now()) {
        *left = true;
        break;
      }
  }
  watch.rethrow();
  return found.get();
}

}  // namespace ulna::python
