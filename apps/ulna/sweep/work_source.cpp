#include "sweep/work_source.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "ulna/numerics/internal/threads.hpp"

namespace ulna::cli {

StoreSource::StoreSource(StudyStore& store, int workers, int ranks)
    : store_(store), hand_out_(store.pending(), workers, ranks), finished_(store.done()) {}

Batch StoreSource::hand_out(int share) {
  const std::lock_guard lock(mutex_);
  return stop_ ? Batch{} : hand_out_.next(share);
}

void StoreSource::answered(double seconds) {
  const std::lock_guard lock(mutex_);
  hand_out_.answered(seconds);
}

bool StoreSource::next(Batch& batch) {
  batch = hand_out(1);
  return batch.count > 0;
}

void StoreSource::done(StudyRows rows, double seconds) {
  const std::lock_guard lock(mutex_);
  if (failure_) return;
  try {
    store_.write(rows);
    hand_out_.measured(static_cast<long>(rows.rows.size()), seconds);
    finished_ = store_.done();
  } catch (...) {
    failure_ = std::current_exception();
    stop_ = true;
  }
}

void StoreSource::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = failure;
  stop_ = true;
}

namespace {

void work(WorkSource& source, const Evaluate& evaluate) {
  const std::function<bool()> stop = [&] { return source.stopped(); };
  Batch batch;
  while (source.next(batch)) {
    const auto start = std::chrono::steady_clock::now();
    StudyRows rows{batch.first, {}};
    rows.rows.reserve(static_cast<std::size_t>(batch.count));
    for (long k = 0; k < batch.count && !source.stopped(); ++k)
      rows.rows.push_back(evaluate(batch.first + k, stop));
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    source.done(std::move(rows), seconds);
  }
}

}  // namespace

void run_threads(int threads, WorkSource& source, const Evaluate& evaluate,
                 const std::function<double(bool)>& meanwhile) {
  std::mutex mutex;
  std::condition_variable ended;
  int running = 0;
  const auto crew_member = [&] {
    try {
      work(source, evaluate);
    } catch (...) {
      source.fail(std::current_exception());
    }
    const std::lock_guard lock(mutex);
    --running;
    ended.notify_all();
  };
  std::vector<std::jthread> crew;
  for (int k = 0; k < threads && !source.stopped(); ++k) {
    {
      const std::lock_guard lock(mutex);
      ++running;
    }
    if (std::optional<std::jthread> one = thread_if_any(crew_member)) {
      crew.push_back(std::move(*one));
      continue;
    }
    if (crew.empty()) {  // no threads at all: this one, which then tells of nothing meanwhile
      crew_member();
      break;
    }
    const std::lock_guard lock(mutex);  // those there are do the work
    --running;
    break;
  }
  for (bool over = false; !over;) {
    const double wait = meanwhile(false);
    std::unique_lock lock(mutex);
    over = ended.wait_for(lock, std::chrono::duration<double>(wait), [&] { return running == 0; });
  }
  for (std::jthread& one : crew) one.join();
  meanwhile(true);
}

}  // namespace ulna::cli
