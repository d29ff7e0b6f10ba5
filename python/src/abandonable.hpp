#pragma once
// What cannot look for Ctrl-C while it runs: decompositions of matrices, readers of files. Large
// ones run in a thread of their own, which is left to itself when Ctrl-C is pressed.

#include <atomic>
#include <filesystem>
#include <future>
#include <memory>

#include "interrupt.hpp"
#include "ulna/numerics/internal/threads.hpp"

namespace ulna::python {

/// compute() of matrices with `size` rows, in this thread if they are no more than `quick`. It owns
/// all that it reads.
template <class Compute>
auto abandonable(Eigen::Index size, Compute compute, Eigen::Index quick = 50)
    -> decltype(compute()) {
  using Result = decltype(compute());
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
    if (std::optional<std::jthread> aside = thread_if_any([task] { (*task)(); }))
      aside->detach();
    else
      (*task)();
    while (found.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready)
      if (watch.interrupted_now()) {
        *left = true;
        break;
      }
  }
  watch.rethrow();
  return found.get();
}

/// Bytes that are read in a few milliseconds.
inline constexpr Eigen::Index quickly_read = 50'000;
inline Eigen::Index size_of_file(const std::string& path) {
  std::error_code none;
  const auto size = std::filesystem::file_size(path, none);
  return none ? 0 : static_cast<Eigen::Index>(size);
}

}  // namespace ulna::python
