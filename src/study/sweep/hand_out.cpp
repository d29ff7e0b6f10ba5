#include "ulna/study/internal/hand_out.hpp"

#include <algorithm>

namespace ulna {

HandOut::HandOut(std::vector<std::pair<long, long>> ranges, int workers, int ranks)
    : ranges_(ranges.begin(), ranges.end()), workers_(std::max(1, workers)), ranks_(ranks) {
  for (const auto& [first, end] : ranges_) left_ += end - first;
}

Batch HandOut::next(int share) {
  if (ranges_.empty()) return {};
  // All ranks ask once in the time of a batch: rank 0 answers for at most a quarter of that, and
  // for half of it at the end, when batches become smaller.
  const double answers = ranks_ * answer_;
  const double seconds = std::max(0.05, 4 * answers);
  constexpr long most = 65536;
  const auto samples_in = [&](double time) {
    return cost_ > 0 ? std::clamp(static_cast<long>(time / cost_), 1L, most) : 1L;
  };
  const long fair = std::max(left_ / (4L * workers_), samples_in(2 * answers));
  auto& [first, end] = ranges_.front();
  const Batch batch{first, std::min({samples_in(seconds) * share, fair * share, end - first})};
  first += batch.count;
  left_ -= batch.count;
  if (first == end) ranges_.pop_front();
  return batch;
}

void HandOut::answered(double seconds) {
  answer_ = answer_ > 0 ? 0.95 * answer_ + 0.05 * seconds : seconds;
}

void HandOut::measured(long samples, double seconds) {
  if (samples <= 0) return;
  const double now = seconds / static_cast<double>(samples);
  cost_ = cost_ > 0 ? 0.8 * cost_ + 0.2 * now : now;
}

}  // namespace ulna
