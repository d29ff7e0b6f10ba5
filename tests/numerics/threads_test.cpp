// Threads that share a computation, also where the system has no more of them.

#include "ulna/numerics/internal/threads.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace ulna {
namespace {

TEST(Threads, EachShareIsComputedOnce) {
  for (const long count : {0L, 1L, 2L, 7L, 40L}) {
    std::vector<int> done(static_cast<std::size_t>(count), 0);
    side_by_side(count, [&](long k) { ++done[static_cast<std::size_t>(k)]; });
    EXPECT_EQ(std::accumulate(done.begin(), done.end(), 0), count);
    EXPECT_EQ(std::count(done.begin(), done.end(), 1), count);
  }
}

TEST(Threads, WhatOneShareThrowsIsThrownAgain) {
  for (const long thrower : {0L, 2L, 3L}) {
    const auto share = [&](long k) {
      if (k == thrower) throw std::runtime_error("as told");
    };
    EXPECT_THROW(side_by_side(4, share), std::runtime_error);
  }
}

/// In a process of its own: addresses for 50 MB more than it has, less than a thread is given.
[[noreturn]] void compute_without_threads() {
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  file >> pages;
  const rlim_t most = pages * 4096 + (50u << 20);
  const rlimit limit{most, most};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(2);
  if (thread_if_any([] {})) std::_Exit(3);
  long sum = 0;  // not shared by threads
  side_by_side(5, [&](long k) { sum += k + 1; });
  std::_Exit(sum == 15 ? 0 : 4);
}

TEST(Threads, WithoutThreadsThisOneComputesAll) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer needs the addresses";
#endif
  EXPECT_EXIT(compute_without_threads(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace ulna
