#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstring>
#include <iterator>
#include <list>
#include <thread>

#include "sweep/ranks.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::cli {
namespace {

constexpr int tag_request = 1, tag_work = 2;

/// A message: what is asked for, how long the rows took, the rows.
class Packer {
 public:
  template <class T>
  void put(const T& value) {
    const auto* from = reinterpret_cast<const char*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof(T));
  }
  void put(const StudyRows& rows) {
    put(rows.first);
    put(static_cast<long>(rows.rows.size()));
    for (const StudyRow& row : rows.rows) {
      put(row.status), put(row.broken);
      numbers(row.parameters), numbers(row.measures), numbers(row.series);
      put(static_cast<std::uint32_t>(row.reason.size()));
      bytes.insert(bytes.end(), row.reason.begin(), row.reason.end());
    }
  }
  std::vector<char> bytes;

 private:
  void numbers(const std::vector<double>& values) {
    put(static_cast<std::uint32_t>(values.size()));
    const auto* from = reinterpret_cast<const char*>(values.data());
    bytes.insert(bytes.end(), from, from + 8 * values.size());
  }
};

class Unpacker {
 public:
  explicit Unpacker(const std::vector<char>& bytes) : bytes_(bytes) {}
  template <class T>
  T get() {
    T value{};
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  StudyRows rows() {
    StudyRows rows;
    rows.first = get<long>();
    rows.rows.resize(static_cast<std::size_t>(get<long>()));
    for (StudyRow& row : rows.rows) {
      row.status = get<SampleStatus>(), row.broken = get<std::uint32_t>();
      numbers(row.parameters), numbers(row.measures), numbers(row.series);
      row.reason.resize(get<std::uint32_t>());
      std::memcpy(row.reason.data(), bytes_.data() + at_, row.reason.size());
      at_ += row.reason.size();
    }
    return rows;
  }
  bool ended() const { return at_ >= bytes_.size(); }

 private:
  void numbers(std::vector<double>& values) {
    values.resize(get<std::uint32_t>());
    std::memcpy(values.data(), bytes_.data() + at_, 8 * values.size());
    at_ += 8 * values.size();
  }
  const std::vector<char>& bytes_;
  std::size_t at_ = 0;
};

/// What rank 0 sent, for the threads of another rank.
class RemoteSource final : public WorkSource {
 public:
  bool next(Batch& batch) override {
    std::unique_lock lock(mutex_);
    more_.wait(lock, [&] { return !work_.empty() || ended_ || stop_; });
    if (stop_ || work_.empty()) return false;
    // A fine grain within a rank: threads take from the same batch.
    Batch& front = work_.front();
    batch = {front.first, std::max(1L, std::min(front.count, grain_))};
    front.first += batch.count, front.count -= batch.count, left_ -= batch.count;
    if (front.count == 0) work_.pop_front();
    if (2 * left_ <= given_) low_.notify_one();
    return true;
  }
  void done(StudyRows rows, double seconds) override {
    const std::lock_guard lock(mutex_);
    seconds_ += seconds;
    samples_ += static_cast<long>(rows.rows.size());
    if (!rows.rows.empty()) finished_.push_back(std::move(rows));
  }
  bool stopped() const override { return stop_; }
  void fail(std::exception_ptr failure) override {
    failure_ = failure;
    stop();
  }
  void stop() {
    stop_ = true;
    more_.notify_all();
    low_.notify_all();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    more_.notify_all();
  }
  void add(const Batch& batch, int threads) {
    const std::lock_guard lock(mutex_);
    work_.push_back(batch);
    left_ += batch.count, given_ = batch.count;
    grain_ = std::max(1L, batch.count / (2L * threads));
    more_.notify_all();
  }
  /// Waits until less than half of what was given last is left; false where it is more by then.
  bool is_low(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return low_.wait_for(lock, patience, [&] { return stop_ || 2 * left_ <= given_; }) && !stop_;
  }
  void take(Packer& message, int threads) {
    const std::lock_guard lock(mutex_);
    message.put(threads);
    message.put(samples_), message.put(seconds_);
    for (const StudyRows& rows : finished_) message.put(rows);
    finished_.clear(), samples_ = 0, seconds_ = 0;
  }
  bool has_rows() {
    const std::lock_guard lock(mutex_);
    return !finished_.empty();
  }
  std::exception_ptr failure() const { return failure_; }

 private:
  std::mutex mutex_;
  std::condition_variable more_, low_;
  std::deque<Batch> work_;
  std::deque<StudyRows> finished_;
  long left_ = 0, given_ = 0, grain_ = 1, samples_ = 0;
  double seconds_ = 0;
  bool ended_ = false;
  std::atomic<bool> stop_ = false;
  std::exception_ptr failure_;
};

}  // namespace

bool Ranks::built_in() { return true; }

/// What others sent and is still on its way. A large message arrives only while both sides look
/// after it; meanwhile others are answered.
struct Ranks::Messages {
  struct Incoming {
    int source;
    std::vector<char> bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  std::list<Incoming> incoming;

  void begin() {
    for (int there = 1; there;) {
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, tag_request, MPI_COMM_WORLD, &there, &status);
      if (!there) return;
      int size = 0;
      MPI_Get_count(&status, MPI_BYTE, &size);
      Incoming& one = incoming.emplace_back(Incoming{status.MPI_SOURCE, {}});
      one.bytes.resize(static_cast<std::size_t>(size));
      MPI_Irecv(one.bytes.data(), size, MPI_BYTE, one.source, tag_request, MPI_COMM_WORLD,
                &one.request);
    }
  }
};

Ranks::Ranks() : messages_(std::make_unique<Messages>()) {
  const int tasks = launched_tasks();
  if (tasks <= 1) return;
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
  if (count_ == 1)
    throw InputError("several processes were started, but MPI knows of one only",
                     "a launcher that MPI knows", "mpirun, or srun --mpi=pmix");
  ended_.assign(static_cast<std::size_t>(count_), 0);
}

Ranks::~Ranks() {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  if (!begun || ended) return;
  // Rank 0 may write results for minutes: the others do not spin in MPI_Finalize meanwhile.
  if (count_ > 1) {
    MPI_Request all = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &all);
    for (int there = 0; !there;) {
      MPI_Test(&all, &there, MPI_STATUS_IGNORE);
      if (!there) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  MPI_Finalize();
}

int Ranks::fair_threads() const {
  cpu_set_t own;
  CPU_ZERO(&own);
  sched_getaffinity(0, sizeof own, &own);
  const int processors = std::max(1, CPU_COUNT(&own));
  if (count_ == 1) return allotted(processors);
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here);
  int neighbours = 1;
  MPI_Comm_size(here, &neighbours);
  std::vector<cpu_set_t> all(static_cast<std::size_t>(neighbours));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, here);
  MPI_Comm_free(&here);
  const auto alike = std::ranges::count_if(
      all, [&](const cpu_set_t& other) { return CPU_EQUAL(&own, &other) != 0; });
  return allotted(processors / static_cast<int>(alike));
}

int Ranks::total_threads(int own) const {
  int all = own;
  if (count_ > 1) MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

int Ranks::first_failed(bool failed) const {
  int first = failed ? rank_ : INT_MAX;
  if (count_ > 1) MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return first == INT_MAX ? -1 : first;
}

double Ranks::patience() const {
  if (count_ == 1) return 0.05;
  if (messages_ && !messages_->incoming.empty()) return 0.0002;
  // Others ask 25 ms before they need an answer; twenty of them ask every millisecond.
  return std::clamp(0.02 / (count_ - 1), 0.001, 0.005);
}

bool Ranks::serve(StoreSource& source) {
  if (count_ == 1) return false;
  auto begin = Clock::now();
  messages_->begin();
  bool any = false;
  for (auto one = messages_->incoming.begin(); one != messages_->incoming.end();) {
    int arrived = 0;
    MPI_Test(&one->request, &arrived, MPI_STATUS_IGNORE);
    if (arrived) {
      answer(source, one->source, one->bytes, begin);
      begin = Clock::now();
      any = true;
    }
    one = arrived ? messages_->incoming.erase(one) : std::next(one);
  }
  return any;
}

void Ranks::answer(StoreSource& source, int rank, const std::vector<char>& bytes,
                   Clock::time_point begin) {
  Unpacker message(bytes);
  const int threads = message.get<int>();
  const long samples = message.get<long>();
  const double seconds = message.get<double>();
  Clock::duration writing{};
  while (!message.ended()) {
    const auto before = Clock::now();
    StudyRows rows = message.rows();
    const double part = samples > 0 ? seconds * double(rows.rows.size()) / double(samples) : 0;
    costs_.rows += static_cast<long>(rows.rows.size());
    source.done(std::move(rows), part);
    writing += Clock::now() - before;
  }
  const Batch batch = threads > 0 ? source.hand_out(threads) : Batch{};
  MPI_Send(&batch, sizeof batch, MPI_BYTE, rank, tag_work, MPI_COMM_WORLD);
  // Negative: the last rows of a rank that ends.
  if (threads < 0) ended_[static_cast<std::size_t>(rank)] = 1;
  const double spent = std::chrono::duration<double>(Clock::now() - begin - writing).count();
  source.answered(spent);
  ++costs_.messages;
  costs_.message_seconds += spent;
  costs_.row_seconds += std::chrono::duration<double>(writing).count();
}

bool Ranks::told_to_end() const {
  return std::count(ended_.begin(), ended_.end(), char{1}) >= count_ - 1;
}

void Ranks::serve_to_the_end(StoreSource& source) {
  while (!told_to_end())
    if (!serve(source)) std::this_thread::sleep_for(std::chrono::microseconds(200));
}

void Ranks::dismiss(int status) {
  if (count_ > 1) MPI_Abort(MPI_COMM_WORLD, status);
}

void Ranks::compute(int threads, const Evaluate& evaluate,
                    const std::function<bool()>& interrupted) {
  RemoteSource source;
  bool over = false;
  const auto exchange = [&](int asked) {
    Packer message;
    source.take(message, asked);
    MPI_Request sending = MPI_REQUEST_NULL;
    MPI_Isend(message.bytes.data(), static_cast<int>(message.bytes.size()), MPI_BYTE, 0,
              tag_request, MPI_COMM_WORLD, &sending);
    Batch batch;
    // Calls that wait would spin on a processor that the threads need.
    auto pause = std::chrono::microseconds(100);
    for (int sent = 0, there = 0; !sent || !there;) {
      if (!sent) MPI_Test(&sending, &sent, MPI_STATUS_IGNORE);
      if (!there) MPI_Iprobe(0, tag_work, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
      if (sent && there) break;
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, std::chrono::microseconds(1000));
    }
    MPI_Recv(&batch, sizeof batch, MPI_BYTE, 0, tag_work, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (asked < 0) return;
    if (batch.count > 0) {
      source.add(batch, threads);
    } else {
      over = true;
      source.end();
    }
  };
  run_threads(threads, source, evaluate, [&](bool finished) {
    if (finished) {
      exchange(-1);
      return 0.0;
    }
    if (interrupted()) source.stop();
    if (over || source.stopped()) return 0.05;
    if (source.is_low(std::chrono::milliseconds(50))) exchange(threads);
    return 0.0;
  });
  if (source.failure()) std::rethrow_exception(source.failure());
}

}  // namespace ulna::cli
