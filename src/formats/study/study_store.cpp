#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "study/study_extra.hpp"
#include "text_file.hpp"
#include "ulna/formats/write_robot.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t head_size = 64;
constexpr char store_magic[9] = "ulnastu2";

// A row: checksum 8, status 1 (and 3 empty), broken constraints 4, place in extra.bin 8, numbers.
constexpr std::size_t at_status = 8, at_broken = 12, at_extra = 16, at_numbers = 24;

template <class T>
T peek(const unsigned char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// FNV-1a, 64 bits.
std::uint64_t hashed(const unsigned char* data, std::size_t size, std::uint64_t from) {
  std::uint64_t h = from ^ 14695981039346656037ull;
  for (std::size_t k = 0; k < size; ++k) h = (h ^ data[k]) * 1099511628211ull;
  h ^= h >> 32;
  return h == 0 ? 1 : h;
}

std::uint64_t hashed(const std::string& text, std::uint64_t from) {
  return hashed(reinterpret_cast<const unsigned char*>(text.data()), text.size(), from);
}

/// At most so many bytes, and no letter cut in two.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most);
}

std::string joined(const std::vector<std::string>& texts, std::uint32_t which) {
  std::string all;
  for (std::size_t k = 0; k < texts.size() && k < 32; ++k)
    if (which >> k & 1) all += (all.empty() ? "" : "; ") + texts[k];
  return all;
}

}  // namespace

void write_at(int file, const void* from, std::size_t size, long at, const std::string& name) {
  const auto* data = static_cast<const unsigned char*>(from);
  while (size > 0) {
    const ssize_t n = ::pwrite(file, data, size, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      throw ComputationError(fmt::format(
          "{} cannot be written: {}; the samples so far are kept: --resume continues with them",
          name, std::strerror(n < 0 ? errno : ENOSPC)));
    data += n, size -= static_cast<std::size_t>(n), at += n;
  }
}

StudyStore::StudyStore(const std::string& directory, const Study& study, long first, long end,
                       bool resume, const std::string& of)
    : directory_(directory),
      partial_(directory + ".partial"),
      study_(study),
      first_(first),
      end_(end),
      numbers_(study.plan().parameters.size() + study.measure_names().size()),
      row_size_(at_numbers + 8 * numbers_),
      constraints_(study.constraint_texts()),
      channels_(study.stored_channels()) {
  while (directory_.size() > 1 && directory_.ends_with('/')) directory_.pop_back();
  partial_ = directory_ + ".partial";
  constexpr long most = 10'000'000'000;  // which of them are done takes a gigabyte
  if (size() > most)
    throw InputError(Problem{{directory_},
                             "-o",
                             fmt::format("{} samples for one folder", size()),
                             fmt::format("at most {}", most),
                             "--samples A:B takes a part of them"});
  identity_ = hashed(study.sources(), 7);
  identity_ = hashed(write_robot_yaml(study.nominal_robot()), identity_);
  if (!of.empty()) identity_ = hashed(of, identity_);
  open(resume);
}

StudyStore::~StudyStore() {
  for (const int file : {file_, extra_, lock_})
    if (file >= 0) ::close(file);
}

void StudyStore::open(bool resume) {
  std::error_code error;
  require_only(directory_, study_content());
  require_only(partial_, study_content());
  // One that was killed before it wrote its head has nothing to go on with.
  const bool there = fs::is_regular_file(path("samples.bin"), error) &&
                     fs::file_size(path("samples.bin"), error) >= head_size;
  // A job that is submitted again and again begins with nothing, and ends with everything.
  if (resume && !there && fs::exists(directory_ + "/study.yaml", error))
    throw InputError(Problem{{directory_},
                             "--resume",
                             "there is no interrupted study, and this folder is complete",
                             "the name of a study that is not complete",
                             "without --resume it begins anew"});
  resume = resumed_ = resume && there;
  if (there && !resume)
    throw InputError(Problem{{partial_},
                             "-o",
                             "it holds an interrupted study",
                             "--resume to continue it, or another name",
                             "remove it to begin anew"});
  fs::create_directories(partial_, error);
  lock_ = ::open(path("lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (lock_ < 0)
    throw InputError(Problem{{partial_}, "-o", "it cannot be written", "a writable place", {}});
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0)
    throw InputError(
        Problem{{partial_}, "-o", "another process is writing it", "another name", {}});
  file_ = ::open(path("samples.bin").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  extra_ = ::open(path("extra.bin").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (file_ < 0 || extra_ < 0)
    throw InputError(Problem{{partial_}, "-o", "it cannot be written", "a writable place", {}});
  unsigned char head[head_size] = {}, found[head_size] = {};
  std::memcpy(head, store_magic, 8);
  std::memcpy(head + 8, &identity_, 8);
  std::memcpy(head + 16, &row_size_, 8);
  std::memcpy(head + 24, &first_, 8);
  std::memcpy(head + 32, &end_, 8);
  if (resume && (::pread(file_, found, head_size, 0) != static_cast<ssize_t>(head_size) ||
                 std::memcmp(head, found, head_size) != 0))
    throw InputError(Problem{{partial_},
                             "--resume",
                             "it is of another study: the study file, its robot, --samples or "
                             "the command changed",
                             "the same study",
                             "another name for the changed one"});
  if (!resume) {
    // The head comes last: what has one can be resumed.
    write_text_file(path("study.yaml"), study_.text());
    write_at(file_, head, head_size, 0, path("samples.bin"));
  }
  extra_end_ = ::lseek(extra_, 0, SEEK_END);
  have_.assign(static_cast<std::size_t>(size()), false);
  if (resume) scan();
}

std::uint64_t StudyStore::check_of(long sample, const unsigned char* row) const {
  return hashed(row + 8, row_size_ - 8,
                identity_ ^ static_cast<std::uint64_t>(sample) * 0x9E3779B97F4A7C15ull);
}

void StudyStore::pack(long sample, const StudyRow& row, long extra, unsigned char* to) const {
  std::memset(to, 0, row_size_);
  to[at_status] = static_cast<unsigned char>(row.status);
  std::memcpy(to + at_broken, &row.broken, 4);
  std::memcpy(to + at_extra, &extra, 8);
  unsigned char* numbers = to + at_numbers;
  std::memcpy(numbers, row.parameters.data(), 8 * row.parameters.size());
  std::memcpy(numbers + 8 * row.parameters.size(), row.measures.data(), 8 * row.measures.size());
  const std::uint64_t check = check_of(sample, to);
  std::memcpy(to, &check, 8);
}

/// Returns its place, from 1; 0 where there is nothing to be kept.
long StudyStore::write_extra(long sample, const StudyRow& row) {
  // Broken constraints are in the row itself.
  const bool told = row.reason.empty() || (row.status == SampleStatus::infeasible &&
                                           row.reason == joined(constraints_, row.broken));
  if (told && row.series.empty()) return 0;
  const std::string text = told ? "" : shortened(row.reason, 4000);
  const auto length = static_cast<std::uint32_t>(text.size());
  const auto count = static_cast<std::uint32_t>(row.series.size());
  std::vector<unsigned char> record(24 + text.size() + 8 * row.series.size());
  std::memcpy(record.data() + 8, &sample, 8);
  std::memcpy(record.data() + 16, &length, 4);
  std::memcpy(record.data() + 20, &count, 4);
  std::memcpy(record.data() + 24, text.data(), text.size());
  std::memcpy(record.data() + 24 + text.size(), row.series.data(), 8 * row.series.size());
  const std::uint64_t check = hashed(record.data() + 8, record.size() - 8, identity_);
  std::memcpy(record.data(), &check, 8);
  write_at(extra_, record.data(), record.size(), extra_end_, path("extra.bin"));
  const long place = extra_end_ + 1;
  extra_end_ += static_cast<long>(record.size());
  return place;
}

StudyStore::Extra StudyStore::extra_of(long sample, const unsigned char* row) const {
  Extra extra;
  const long place = peek<long>(row + at_extra);
  if (place == 0) return extra;
  extra.whole = false;
  unsigned char head[24];
  if (place < 1 || ::pread(extra_, head, sizeof head, place - 1) != ssize_t{sizeof head})
    return extra;
  const auto length = peek<std::uint32_t>(head + 16), count = peek<std::uint32_t>(head + 20);
  if (peek<long>(head + 8) != sample || length > 4000 ||
      place - 1 + 24 + long{length} + 8 * long{count} > extra_end_)
    return extra;
  std::vector<unsigned char> record(24 + length + 8 * std::size_t{count});
  if (::pread(extra_, record.data(), record.size(), place - 1) !=
          static_cast<ssize_t>(record.size()) ||
      peek<std::uint64_t>(head) != hashed(record.data() + 8, record.size() - 8, identity_))
    return extra;
  extra.whole = true;
  extra.reason.assign(reinterpret_cast<const char*>(record.data()) + 24, length);
  extra.series.resize(count);
  std::memcpy(extra.series.data(), record.data() + 24 + length, 8 * std::size_t{count});
  return extra;
}

std::string StudyStore::reason_of(long sample, const unsigned char* row) const {
  if (row[at_status] == static_cast<unsigned char>(SampleStatus::ok)) return {};
  const std::string own = extra_of(sample, row).reason;
  return own.empty() ? joined(constraints_, peek<std::uint32_t>(row + at_broken)) : own;
}

void StudyStore::each_piece(
    const std::function<void(long, long, const unsigned char*)>& see) const {
  constexpr long chunk = 4096;
  std::vector<unsigned char> rows(row_size_ * chunk);
  for (long k = 0; k < size(); k += chunk) {
    const long n = std::min(chunk, size() - k);
    std::memset(rows.data(), 0, rows.size());  // what lies beyond the end of the file
    if (::pread(file_, rows.data(), row_size_ * static_cast<std::size_t>(n),
                static_cast<off_t>(head_size + row_size_ * static_cast<std::size_t>(k))) < 0)
      throw ComputationError(path("samples.bin") + " cannot be read: " + std::strerror(errno));
    see(k, n, rows.data());
  }
}

/// Which places hold a whole row; what it has in extra.bin must be there as well.
void StudyStore::scan() {
  done_ = 0;
  each_piece([&](long from, long count, const unsigned char* rows) {
    for (long i = 0; i < count; ++i) {
      const unsigned char* row = rows + row_size_ * static_cast<std::size_t>(i);
      const auto check = peek<std::uint64_t>(row);
      const long sample = first_ + from + i;
      if (check == 0 || check != check_of(sample, row) || !extra_of(sample, row).whole) continue;
      have_[static_cast<std::size_t>(from + i)] = true;
      ++done_;
    }
  });
}

std::vector<std::pair<long, long>> StudyStore::pending() const {
  std::vector<std::pair<long, long>> ranges;
  for (long k = 0; k < size(); ++k) {
    if (have_[static_cast<std::size_t>(k)]) continue;
    if (!ranges.empty() && ranges.back().second == first_ + k)
      ++ranges.back().second;
    else
      ranges.emplace_back(first_ + k, first_ + k + 1);
  }
  return ranges;
}

void StudyStore::write(const StudyRows& rows) {
  std::vector<unsigned char> bytes;
  // Rows that follow each other go in one piece, after what they have in extra.bin.
  for (std::size_t k = 0; k < rows.rows.size();) {
    bytes.clear();
    std::size_t end = k;
    for (; end < rows.rows.size() && rows.rows[end].status != SampleStatus::missing; ++end) {
      const long sample = rows.first + static_cast<long>(end);
      const long extra = write_extra(sample, rows.rows[end]);
      bytes.resize(bytes.size() + row_size_);
      pack(sample, rows.rows[end], extra, bytes.data() + bytes.size() - row_size_);
    }
    const auto place = static_cast<std::size_t>(rows.first + static_cast<long>(k) - first_);
    if (end > k)
      write_at(file_, bytes.data(), bytes.size(), static_cast<long>(head_size + row_size_ * place),
               path("samples.bin"));
    for (std::size_t at = place; k < end; ++k, ++at) {
      if (!have_[at]) ++done_;
      have_[at] = true;
    }
    k = end + 1;
  }
}

void StudyStore::each_row(const std::function<void(const Sample&, const std::string&)>& see) const {
  std::vector<double> numbers(numbers_);
  each_piece([&](long from, long count, const unsigned char* rows) {
    for (long i = 0; i < count; ++i) {
      if (!have_[static_cast<std::size_t>(from + i)]) continue;
      const unsigned char* row = rows + row_size_ * static_cast<std::size_t>(i);
      std::memcpy(numbers.data(), row + at_numbers, 8 * numbers_);
      const long sample = first_ + from + i;
      see({sample, static_cast<SampleStatus>(row[at_status]), numbers}, reason_of(sample, row));
    }
  });
}

void StudyStore::each(const std::function<void(const Sample&)>& see) const {
  each_row([&](const Sample& sample, const std::string&) { see(sample); });
}

void StudyStore::each_reason(
    const std::function<void(const Sample&, const std::string&)>& see) const {
  each_row([&](const Sample& sample, const std::string& reason) {
    if (!reason.empty()) see(sample, reason);
  });
}

ValueReader StudyStore::reader(int k) const {
  return [this, k](const std::function<void(std::span<const double>)>& see) {
    std::vector<double> values;
    each_piece([&](long from, long count, const unsigned char* rows) {
      values.assign(static_cast<std::size_t>(count), std::numeric_limits<double>::quiet_NaN());
      for (long i = 0; i < count; ++i) {
        if (!have_[static_cast<std::size_t>(from + i)]) continue;
        const unsigned char* row = rows + row_size_ * static_cast<std::size_t>(i);
        values[static_cast<std::size_t>(i)] =
            k < 0 ? double(row[at_status])
                  : peek<double>(row + at_numbers + 8 * static_cast<std::size_t>(k));
      }
      see(values);
    });
  };
}

std::vector<double> StudyStore::column(int k) const {
  std::vector<double> values;
  reader(k)(
      [&](std::span<const double> some) { values.insert(values.end(), some.begin(), some.end()); });
  return values;
}

void StudyStore::each_series(
    const std::function<void(long, const std::vector<double>&)>& see) const {
  each_piece([&](long from, long count, const unsigned char* rows) {
    for (long i = 0; i < count; ++i) {
      const bool there = have_[static_cast<std::size_t>(from + i)];
      const unsigned char* row = rows + row_size_ * static_cast<std::size_t>(i);
      see(first_ + from + i,
          there ? extra_of(first_ + from + i, row).series : std::vector<double>());
    }
  });
}

}  // namespace ulna
