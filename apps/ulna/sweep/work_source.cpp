#include "sweep/work_source.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace ulna::cli {

HandOut::HandOut(std::vector<std::pair<long, long>> ranges, int workers)
    : ranges_(ranges.begin(), ranges.end()), workers_(std::max(1, workers)) {
  for (const auto& [first, end] : ranges_) left_ += end - first;
}

Batch HandOut::next(int share) {
  if (ranges_.empty()) return {};
  constexpr double seconds = 0.05;
  constexpr long most = 4096;
  const long wanted = cost_ > 0 ? std::clamp(static_cast<long>(seconds / cost_), 1L, most) : 1L;
  const long fair = std::max(1L, left_ / (4L * workers_));
  auto& [first, end] = ranges_.front();
  const Batch batch{first, std::min({wanted * share, std::max(fair * share, 1L), end - first})};
  first += batch.count;
  left_ -= batch.count;
  if (first == end) ranges_.pop_front();
  return batch;
}

void HandOut::measured(long samples, double seconds) {
  if (samples <= 0) return;
  const double now = seconds / static_cast<double>(samples);
  cost_ = cost_ > 0 ? 0.8 * cost_ + 0.2 * now : now;
}

StoreSource::StoreSource(StudyStore& store, int workers)
    : store_(store), hand_out_(store.pending(), workers), finished_(store.done()) {}

Batch StoreSource::hand_out(int share) {
  const std::lock_guard lock(mutex_);
  return stop_ ? Batch{} : hand_out_.next(share);
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
  int running = threads;
  std::vector<std::thread> crew;
  for (int k = 0; k < threads; ++k)
    crew.emplace_back([&] {
      try {
        work(source, evaluate);
      } catch (...) {
        source.fail(std::current_exception());
      }
      const std::lock_guard lock(mutex);
      --running;
      ended.notify_all();
    });
  for (bool over = false; !over;) {
    const double wait = meanwhile(false);
    std::unique_lock lock(mutex);
    over = ended.wait_for(lock, std::chrono::duration<double>(wait), [&] { return running == 0; });
  }
  for (std::thread& one : crew) one.join();
  meanwhile(true);
}

}  // namespace ulna::cli
