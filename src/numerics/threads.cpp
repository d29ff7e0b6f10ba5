#include "ulna/numerics/internal/threads.hpp"

#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <vector>

#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

/// The C library ends the program where a new thread finds no memory for its own variables: some
/// addresses are kept free while it starts, beside its stack and what its allocations reserve.
class RoomForThread {
 public:
  RoomForThread()
      : place_(mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
  }
  ~RoomForThread() {
    if (found()) munmap(place_, size);
  }
  RoomForThread(const RoomForThread&) = delete;
  RoomForThread& operator=(const RoomForThread&) = delete;
  bool found() const { return place_ != MAP_FAILED; }

 private:
  static constexpr std::size_t size = 160 << 20;  // glibc reserves 128 MB for a thread's heap
  void* place_;
};

/// What the threads of one computation know of each other.
class Together {
 public:
  explicit Together(const std::function<void(long)>& share) : share_(share) {}

  /// False where there is no thread for it.
  bool start(long k) {
    {
      const std::lock_guard<std::mutex> lock(gate_);
      ++running_;
    }
    std::optional<std::jthread> one = thread_if_any([this, k] {
      {
        const InterruptionScope scope([this] { return stop_.load(std::memory_order_relaxed); });
        compute(k);
      }
      const std::lock_guard<std::mutex> lock(gate_);
      --running_;
      ended_.notify_one();
    });
    if (one) {
      crew_.push_back(std::move(*one));
      return true;
    }
    const std::lock_guard<std::mutex> lock(gate_);
    --running_;
    return false;
  }
  void compute(long k) {
    if (stop_) return;
    try {
      share_(k);
    } catch (...) {
      fail(std::current_exception());
    }
  }
  /// Until the others have ended; rethrows what the first of all threw.
  void wait() {
    const InterruptionScope* const scope = InterruptionScope::current();
    std::unique_lock<std::mutex> lock(gate_);
    while (!ended_.wait_for(lock, std::chrono::milliseconds(20), [&] { return running_ == 0; })) {
      lock.unlock();
      if (scope && !stop_ && scope->asked()) fail(std::make_exception_ptr(Interrupted()));
      lock.lock();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void fail(std::exception_ptr failure) {
    const std::lock_guard<std::mutex> lock(failing_);
    if (!failure_) failure_ = std::move(failure);
    stop_ = true;
  }

  const std::function<void(long)>& share_;
  std::mutex gate_, failing_;
  std::condition_variable ended_;
  long running_ = 0;
  std::atomic<bool> stop_ = false;
  std::exception_ptr failure_;
  std::vector<std::jthread> crew_;
};

}  // namespace

std::optional<std::jthread> thread_if_any(std::function<void()> work) {
  const RoomForThread room;
  if (!room.found()) return {};
  try {
    return std::jthread(std::move(work));
  } catch (const std::system_error&) {
    return {};
  }
}

void side_by_side(long count, const std::function<void(long)>& share) {
  if (count <= 1) {
    if (count == 1) share(0);
    return;
  }
  Together all(share);
  long begun = 1;
  while (begun < count && all.start(begun)) ++begun;
  all.compute(0);
  for (; begun < count; ++begun) all.compute(begun);  // where there are no more threads
  all.wait();
}

}  // namespace ulna
