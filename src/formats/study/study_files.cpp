#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "hdf5/hdf5_file.hpp"
#include "run/csv_table.hpp"
#include "study/study_extra.hpp"
#include "study/study_parts.hpp"
#include "text_file.hpp"
#include "ulna/formats/write_robot.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

/// A text file that is written piece by piece and put in its place when it is whole.
class GrowingFile {
 public:
  explicit GrowingFile(std::string name) : name_(std::move(name)) {
    file_ = ::open((name_ + ".new").c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
    if (file_ < 0) throw ComputationError(name_ + " cannot be written: " + std::strerror(errno));
  }
  ~GrowingFile() {
    if (file_ >= 0) ::close(file_);
  }
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  void add(const std::string& text) {
    buffer_ += text;
    if (buffer_.size() > 1 << 20) flush();
  }
  void finish() {
    flush();
    std::error_code error;
    fs::rename(name_ + ".new", name_, error);
    if (error) throw ComputationError(name_ + ": " + error.message());
  }

 private:
  void flush() {
    write_at(file_, buffer_.data(), buffer_.size(), size_, name_);
    size_ += static_cast<long>(buffer_.size());
    buffer_.clear();
  }
  std::string name_, buffer_;
  int file_ = -1;
  long size_ = 0;
};

/// Pieces of a column that is made value by value.
class Pieces {
 public:
  explicit Pieces(const std::function<void(std::span<const double>)>& see) : see_(see) {}
  ~Pieces() { see_(values_); }
  void add(double value) {
    values_.push_back(value);
    if (values_.size() < 4096) return;
    see_(values_);
    values_.clear();
  }

 private:
  const std::function<void(std::span<const double>)>& see_;
  std::vector<double> values_;
};

using SeeTexts = std::function<void(std::span<const std::string>)>;

/// The words that the values of a parameter stand for.
std::function<void(const SeeTexts&)> word_reader(const SampleParameter& parameter,
                                                 const ValueReader& values) {
  return [&parameter, values](const SeeTexts& see) {
    values([&](std::span<const double> some) {
      std::vector<std::string> words;
      for (const double value : some) {
        const std::string* word = parameter.word(value);
        words.push_back(word ? *word : "");
      }
      see(words);
    });
  };
}

}  // namespace

std::string place_in_results(std::string name) {
  for (char& c : name)
    if (c == '/') c = ':';
  return name;
}

const FolderContent& study_content() {
  static const FolderContent content = {"study",
                                        {"results.h5", "results.csv", "summary.json", "index.html",
                                         "study.yaml", "samples.bin", "extra.bin", "lock"}};
  return content;
}

void StudyStore::write_csv() const {
  GrowingFile file(path("results.csv"));
  std::string out = "sample,status";
  for (const std::string& title : study_.parameter_titles()) out += "," + csv_title(title);
  for (const std::string& name : study_.measure_names()) out += "," + csv_title(name);
  file.add(out + ",reason\n");
  const auto& parameters = study_.plan().parameters;
  each_row([&](const Sample& sample, const std::string& reason) {
    out = fmt::format("{},{}", sample.number, name_of(sample.status));
    for (std::size_t k = 0; k < sample.values.size(); ++k) {
      const double value = sample.values[k];
      const std::string* word = k < parameters.size() ? parameters[k].word(value) : nullptr;
      out += word ? "," + csv_title(*word) : std::isfinite(value) ? fmt::format(",{}", value) : ",";
    }
    std::string text = reason;
    for (char& c : text)
      if (c == '"' || c == '\n') c = c == '"' ? '\'' : ' ';
    file.add(out + (text.empty() ? ",\n" : ",\"" + text + "\"\n"));
  });
  file.finish();
}

std::string StudyStore::write_hdf5_file() const {
  using See = std::function<void(std::span<const double>)>;
  std::vector<Hdf5Source> sources;
  sources.push_back({"sample", "", true, size(), [this](const See& see) {
                       Pieces pieces(see);
                       for (long k = first_; k < end_; ++k) pieces.add(double(k));
                     }});
  sources.push_back({"status", "", true, size(), [this](const See& see) {
                       Pieces pieces(see);
                       reader(-1)([&](std::span<const double> some) {
                         for (const double value : some) pieces.add(std::isnan(value) ? 0 : value);
                       });
                     }});
  std::vector<Hdf5List> lists;
  int k = 0;
  for (const std::string& title : study_.parameter_titles()) {
    const std::string name = title_without_unit(title);
    const std::string unit = name.size() + 2 <= title.size()
                                 ? title.substr(name.size() + 1, title.size() - name.size() - 2)
                                 : "";
    const std::string place = "parameters/" + place_in_results(name);
    const SampleParameter& parameter = study_.plan().parameters[static_cast<std::size_t>(k)];
    if (parameter.words.empty())
      sources.push_back({place, unit, false, size(), reader(k)});
    else
      lists.push_back({place, size(), word_reader(parameter, reader(k))});
    ++k;
  }
  for (const std::string& name : study_.measure_names())
    sources.push_back({"measures/" + place_in_results(name), "", false, size(), reader(k++)});
  std::vector<std::string> groups = {"parameters", "measures", "reasons", "ulna"};
  if (!channels_.empty()) {
    // One after the other, as many records as each sample has: offset says where each begins.
    groups.insert(groups.begin() + 2, "channels");
    const auto width = static_cast<long>(channels_.size()) + 1;
    long records = 0;
    each_series([&](long, const std::vector<double>& all) { records += std::ssize(all) / width; });
    sources.push_back({"channels/offset", "", true, size() + 1, [this, width](const See& see) {
                         Pieces pieces(see);
                         long at = 0;
                         pieces.add(0);
                         each_series([&](long, const std::vector<double>& all) {
                           pieces.add(double(at += std::ssize(all) / width));
                         });
                       }});
    for (long c = 0; c < width; ++c)
      sources.push_back(
          {"channels/" +
               (c == 0 ? "t" : place_in_results(channels_[static_cast<std::size_t>(c - 1)])),
           c == 0 ? "s" : "", false, records, [this, width, c](const See& see) {
             each_series([&](long, const std::vector<double>& all) {
               const auto n = static_cast<std::size_t>(std::ssize(all) / width);
               see(std::span(all).subspan(static_cast<std::size_t>(c) * n, n));
             });
           }});
  }
  long told = 0;
  each_reason([&](const Sample&, const std::string&) { ++told; });
  sources.push_back({"reasons/sample", "", true, told, [this](const See& see) {
                       Pieces pieces(see);
                       each_reason([&](const Sample& sample, const std::string&) {
                         pieces.add(double(sample.number));
                       });
                     }});
  const auto texts = [this](const SeeTexts& see) {
    std::vector<std::string> some;
    each_reason([&](const Sample&, const std::string& text) {
      some.push_back(text);
      if (some.size() < 1024) return;
      see(some);
      some.clear();
    });
    see(some);
  };
  const std::string beside = path("results.h5.new");
  lists.push_back({"reasons/text", told, texts});
  std::string problem =
      write_hdf5_sources(beside, groups, sources, lists,
                         {{"ulna/study", study_.text()},
                          {"ulna/robot", write_robot_yaml(study_.nominal_robot())},
                          {"ulna/version", ULNA_VERSION},
                          {"ulna/complete", done_ == size() ? "yes" : "no"}});
  std::error_code error;
  if (problem.empty()) fs::rename(beside, path("results.h5"), error);
  if (error) problem = error.message();
  if (!problem.empty()) fs::remove(beside, error);
  return problem;
}

std::string StudyStore::finish(bool csv,
                               const std::vector<std::pair<std::string, std::string>>& extra) {
  const std::string problem = write_hdf5_file();
  const bool without = problem.starts_with("Ulna was built without");
  if (!problem.empty() && !without)
    throw ComputationError(path("results.h5") + ": " + problem +
                           "; the samples are kept: --resume continues with them");
  if (csv || without) write_csv();
  for (const auto& one : extra) write_text_file(path(one.first.c_str()), one.second);
  if (done_ < size()) return partial_;
  // Until the folder is in its place, --resume finds the samples.
  put_in_place(partial_, directory_, study_content());
  std::error_code error;
  for (const char* name : {"samples.bin", "extra.bin", "lock"})
    fs::remove(directory_ + "/" + name, error);
  return directory_;
}

}  // namespace ulna
