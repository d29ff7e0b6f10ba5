// The counter behind allocations.hpp: replaces malloc. A source of its own of the programs that
// count.

#include <atomic>
#include <cstddef>

#include "support/allocations.hpp"

// Eigen takes memory by malloc, the standard library by new: the library's allocations are counted
// at malloc itself.
extern "C" void* __libc_malloc(std::size_t);
namespace {
std::atomic<long> allocations{0};
thread_local bool counting = false;
}  // namespace
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" void* malloc(std::size_t size) {
  if (counting) ++allocations;
  return __libc_malloc(size);
}
#endif

long ulna::testing::count_allocations(bool on) {
  if (on) allocations = 0;
  counting = on;
  return allocations;
}
