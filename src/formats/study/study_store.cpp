#include "ulna/formats/study_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>

#include "hdf5/hdf5_file.hpp"
#include "run/csv_table.hpp"
#include "text_file.hpp"
#include "ulna/formats/write_robot.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t head_size = 64;
constexpr char store_magic[9] = "ulnastu1";

/// FNV-1a, 64 bits, eight bytes at a time where it can.
std::uint64_t hashed(const unsigned char* data, std::size_t size, std::uint64_t from) {
  std::uint64_t h = from ^ 14695981039346656037ull;
  for (std::size_t k = 0; k < size; ++k) h = (h ^ data[k]) * 1099511628211ull;
  h ^= h >> 32;
  return h == 0 ? 1 : h;
}

std::uint64_t hashed(const std::string& text, std::uint64_t from) {
  return hashed(reinterpret_cast<const unsigned char*>(text.data()), text.size(), from);
}

void write_all(int file, const unsigned char* data, std::size_t size, off_t at,
               const std::string& name) {
  while (size > 0) {
    const ssize_t n = at < 0 ? ::write(file, data, size) : ::pwrite(file, data, size, at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      throw ComputationError(
          fmt::format("{} cannot be written: {}; what is there stays: --resume goes on with it",
                      name, std::strerror(n < 0 ? errno : ENOSPC)));
    data += n, size -= static_cast<std::size_t>(n);
    if (at >= 0) at += n;
  }
}

}  // namespace

StudyStore::StudyStore(const std::string& directory, const Study& study, long first, long end,
                       bool resume)
    : directory_(directory),
      partial_(directory + ".partial"),
      study_(study),
      first_(first),
      end_(end),
      numbers_(study.plan().parameters.size() + study.measure_names().size()),
      row_size_(16 + 8 * numbers_) {
  while (directory_.size() > 1 && directory_.ends_with('/')) directory_.pop_back();
  partial_ = directory_ + ".partial";
  identity_ = hashed(study.text(), 7);
  identity_ = hashed(write_robot_yaml(study.robot(0)), identity_);
  open(resume);
}

StudyStore::~StudyStore() {
  for (const int file : {file_, reasons_, lock_})
    if (file >= 0) ::close(file);
}

void StudyStore::open(bool resume) {
  std::error_code error;
  if (fs::exists(directory_, error) && !fs::is_regular_file(directory_ + "/study.yaml", error))
    throw InputError(Problem{{directory_}, "-o", "it exists and is no study", "another name", {}});
  if (fs::exists(partial_, error) && !fs::is_regular_file(path("study.yaml"), error))
    throw InputError(Problem{{partial_}, "-o", "it exists and is no study", "another name", {}});
  const bool there = fs::is_regular_file(path("samples.bin"), error);
  if (resume && !there)
    throw InputError(Problem{{partial_},
                             "--resume",
                             "there is no interrupted study",
                             "the directory that the study was written to",
                             "without --resume it begins anew"});
  if (there && !resume)
    throw InputError(Problem{{partial_},
                             "-o",
                             "an interrupted study is there",
                             "--resume to go on with it, or another name",
                             "remove it to begin anew"});
  fs::create_directories(partial_, error);
  lock_ = ::open(path("lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (lock_ < 0)
    throw InputError(Problem{{partial_}, "-o", "it cannot be written", "a writable place", {}});
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0)
    throw InputError(
        Problem{{partial_}, "-o", "another process is writing it", "another name", {}});
  file_ = ::open(path("samples.bin").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  reasons_ = ::open(path("reasons.bin").c_str(), O_CREAT | O_RDWR | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0 || reasons_ < 0)
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
                             "it is of another study: the study file, its robot or --samples "
                             "changed",
                             "the same study",
                             "another name for the changed one"});
  if (!resume) {
    write_all(file_, head, head_size, 0, path("samples.bin"));
    write_text_file(path("study.yaml"), study_.text());
  }
  have_.assign(static_cast<std::size_t>(size()), false);
  if (resume) scan();
}

std::uint64_t StudyStore::check_of(long sample, const unsigned char* row) const {
  return hashed(row + 8, row_size_ - 8,
                identity_ ^ static_cast<std::uint64_t>(sample) * 0x9E3779B97F4A7C15ull);
}

void StudyStore::pack(long sample, const StudyRow& row, unsigned char* to) const {
  std::memset(to, 0, row_size_);
  to[8] = static_cast<unsigned char>(row.status);
  std::memcpy(to + 16, row.parameters.data(), 8 * row.parameters.size());
  std::memcpy(to + 16 + 8 * row.parameters.size(), row.measures.data(), 8 * row.measures.size());
  const std::uint64_t check = check_of(sample, to);
  std::memcpy(to, &check, 8);
}

/// Which places hold a whole row; those of failures need their reason as well.
void StudyStore::scan() {
  std::map<long, std::string> known;
  for (auto& [sample, text] : reasons()) known[sample] = text;
  constexpr long chunk = 4096;
  std::vector<unsigned char> rows(row_size_ * chunk);
  done_ = 0;
  for (long k = 0; k < size(); k += chunk) {
    const long n = std::min(chunk, size() - k);
    const ssize_t got =
        ::pread(file_, rows.data(), row_size_ * static_cast<std::size_t>(n),
                static_cast<off_t>(head_size + row_size_ * static_cast<std::size_t>(k)));
    for (long i = 0; i < n; ++i) {
      const std::size_t at = row_size_ * static_cast<std::size_t>(i);
      if (got < static_cast<ssize_t>(at + row_size_)) break;
      std::uint64_t check = 0;
      std::memcpy(&check, rows.data() + at, 8);
      const bool whole = check != 0 && check == check_of(first_ + k + i, rows.data() + at);
      const bool plain = rows[at + 8] == static_cast<unsigned char>(SampleStatus::ok);
      if (!whole || (!plain && !known.count(first_ + k + i))) continue;
      have_[static_cast<std::size_t>(k + i)] = true;
      ++done_;
    }
  }
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
  for (std::size_t k = 0; k < rows.rows.size(); ++k) {
    const StudyRow& row = rows.rows[k];
    const long sample = rows.first + static_cast<long>(k);
    if (row.status == SampleStatus::missing) continue;
    if (!row.reason.empty() || row.status != SampleStatus::ok) {
      const std::string text = row.reason.substr(0, 4000);
      std::vector<unsigned char> record(20 + text.size());
      const auto length = static_cast<std::uint32_t>(text.size());
      const std::uint64_t check = hashed(text, identity_ + static_cast<std::uint64_t>(sample));
      std::memcpy(record.data(), &check, 8);
      std::memcpy(record.data() + 8, &sample, 8);
      std::memcpy(record.data() + 16, &length, 4);
      std::memcpy(record.data() + 20, text.data(), text.size());
      write_all(reasons_, record.data(), record.size(), -1, path("reasons.bin"));
    }
  }
  // Rows that follow each other go in one piece.
  for (std::size_t k = 0; k < rows.rows.size();) {
    bytes.clear();
    std::size_t end = k;
    for (; end < rows.rows.size() && rows.rows[end].status != SampleStatus::missing; ++end) {
      bytes.resize(bytes.size() + row_size_);
      pack(rows.first + static_cast<long>(end), rows.rows[end],
           bytes.data() + bytes.size() - row_size_);
    }
    if (end > k)
      write_all(file_, bytes.data(), bytes.size(),
                static_cast<off_t>(head_size +
                                   row_size_ * static_cast<std::size_t>(
                                                   rows.first + static_cast<long>(k) - first_)),
                path("samples.bin"));
    for (; k < end; ++k) {
      const auto at = static_cast<std::size_t>(rows.first + static_cast<long>(k) - first_);
      if (!have_[at]) ++done_;
      have_[at] = true;
    }
    k = end + 1;
  }
}

std::vector<double> StudyStore::column(int k) const {
  std::vector<double> values(static_cast<std::size_t>(size()),
                             std::numeric_limits<double>::quiet_NaN());
  constexpr long chunk = 4096;
  std::vector<unsigned char> rows(row_size_ * chunk);
  for (long from = 0; from < size(); from += chunk) {
    const long n = std::min(chunk, size() - from);
    const ssize_t got =
        ::pread(file_, rows.data(), row_size_ * static_cast<std::size_t>(n),
                static_cast<off_t>(head_size + row_size_ * static_cast<std::size_t>(from)));
    for (long i = 0; i < n; ++i) {
      const std::size_t at = row_size_ * static_cast<std::size_t>(i);
      if (!have_[static_cast<std::size_t>(from + i)] || got < static_cast<ssize_t>(at + row_size_))
        continue;
      double& value = values[static_cast<std::size_t>(from + i)];
      if (k < 0)
        value = rows[at + 8];
      else
        std::memcpy(&value, rows.data() + at + 16 + 8 * static_cast<std::size_t>(k), 8);
    }
  }
  return values;
}

std::vector<SampleStatus> StudyStore::statuses() const {
  std::vector<SampleStatus> all;
  for (const double value : column(-1))
    all.push_back(std::isnan(value) ? SampleStatus::missing
                                    : static_cast<SampleStatus>(static_cast<int>(value)));
  return all;
}

std::vector<std::pair<long, std::string>> StudyStore::reasons() const {
  std::error_code error;
  const auto size = fs::file_size(path("reasons.bin"), error);
  if (error || size == 0) return {};
  std::vector<unsigned char> all(size);
  if (::pread(reasons_, all.data(), size, 0) != static_cast<ssize_t>(size)) return {};
  std::map<long, std::string> found;
  for (std::size_t at = 0; at + 20 <= all.size();) {
    std::uint64_t check = 0;
    long sample = 0;
    std::uint32_t length = 0;
    std::memcpy(&check, all.data() + at, 8);
    std::memcpy(&sample, all.data() + at + 8, 8);
    std::memcpy(&length, all.data() + at + 16, 4);
    const bool fits = at + 20 + length <= all.size();
    const std::string text =
        fits ? std::string(reinterpret_cast<const char*>(all.data()) + at + 20, length) : "";
    if (!fits || check != hashed(text, identity_ + static_cast<std::uint64_t>(sample))) {
      ++at;  // a record cut short by a kill, with others behind it
      continue;
    }
    found[sample] = text;
    at += 20 + length;
  }
  return {found.begin(), found.end()};
}

void StudyStore::write_csv() const {
  std::map<long, std::string> known;
  for (auto& [sample, text] : reasons()) known[sample] = text;
  const std::vector<SampleStatus> status = statuses();
  std::vector<std::vector<double>> columns;
  std::string out = "sample,status";
  for (const std::string& title : study_.parameter_titles()) out += "," + csv_title(title);
  for (const std::string& name : study_.measure_names()) out += "," + csv_title(name);
  out += ",reason\n";
  for (std::size_t k = 0; k < numbers_; ++k) columns.push_back(column(static_cast<int>(k)));
  for (long k = 0; k < size(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    if (!have_[at]) continue;
    out += fmt::format("{},{}", first_ + k, name_of(status[at]));
    for (const auto& column : columns)
      out += std::isfinite(column[at]) ? fmt::format(",{}", column[at]) : ",";
    const auto reason = known.find(first_ + k);
    std::string text = reason == known.end() ? "" : reason->second;
    for (char& c : text)
      if (c == '"' || c == '\n') c = c == '"' ? '\'' : ' ';
    out += text.empty() ? ",\n" : ",\"" + text + "\"\n";
  }
  write_text_file(path("results.csv"), out);
}

std::string StudyStore::write_hdf5_file() const {
  std::vector<Hdf5Source> sources;
  sources.push_back({"sample", "", true, [this] {
                       std::vector<double> all;
                       for (long k = first_; k < end_; ++k) all.push_back(double(k));
                       return all;
                     }});
  sources.push_back({"status", "", true, [this] {
                       std::vector<double> all = column(-1);
                       for (double& value : all)
                         if (std::isnan(value)) value = 0;
                       return all;
                     }});
  const auto safe = [](std::string name) {
    for (char& c : name)
      if (c == '/') c = ':';
    return name;
  };
  int k = 0;
  for (const std::string& title : study_.parameter_titles()) {
    const std::string name = title_without_unit(title);
    const std::string unit = name.size() + 2 <= title.size()
                                 ? title.substr(name.size() + 1, title.size() - name.size() - 2)
                                 : "";
    sources.push_back({"parameters/" + safe(name), unit, false, [this, k] { return column(k); }});
    ++k;
  }
  for (const std::string& name : study_.measure_names()) {
    sources.push_back({"measures/" + safe(name), "", false, [this, k] { return column(k); }});
    ++k;
  }
  std::vector<std::string> texts;
  std::vector<double> failed;
  for (auto& [sample, text] : reasons()) failed.push_back(double(sample)), texts.push_back(text);
  sources.push_back({"reasons/sample", "", true, [failed] { return failed; }});
  const std::string beside = path("results.h5.new");
  std::string problem = write_hdf5(beside, {"parameters", "measures", "reasons", "ulna"}, sources,
                                   {{"reasons/text", texts}},
                                   {{"ulna/study", study_.text()},
                                    {"ulna/robot", write_robot_yaml(study_.robot(0))},
                                    {"ulna/version", ULNA_VERSION},
                                    {"ulna/complete", done_ == size() ? "yes" : "no"}});
  std::error_code error;
  if (problem.empty()) fs::rename(beside, path("results.h5"), error);
  if (!problem.empty()) fs::remove(beside, error);
  return problem;
}

std::string StudyStore::finish(bool csv,
                               const std::vector<std::pair<std::string, std::string>>& extra) {
  const std::string problem = write_hdf5_file();
  const bool without = problem.starts_with("Ulna was built without");
  if (!problem.empty() && !without)
    throw ComputationError(path("results.h5") + ": " + problem +
                           "; the samples stay: --resume goes on with them");
  if (csv || without) write_csv();
  for (const auto& one : extra) write_text_file(path(one.first.c_str()), one.second);
  if (done_ < size()) return partial_;
  std::error_code error;
  fs::remove(path("samples.bin"), error);
  fs::remove(path("reasons.bin"), error);
  fs::remove(path("lock"), error);
  const std::string old = directory_ + ".old";
  if (fs::exists(directory_, error)) {
    fs::remove_all(old, error);
    fs::rename(directory_, old, error);
  }
  fs::rename(partial_, directory_, error);
  if (error) throw ComputationError(directory_ + ": " + error.message());
  fs::remove_all(old, error);
  return directory_;
}

}  // namespace ulna
