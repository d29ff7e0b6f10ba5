#include "ulna/formats/internal/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "text_file.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

constexpr std::size_t largest_matrix_file = std::size_t(1) << 30;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while (at < line.size()) {
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r')) ++at;
    const std::size_t begin = at;
    while (at < line.size() && line[at] != ' ' && line[at] != '\t' && line[at] != '\r') ++at;
    if (at > begin) words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

std::string lower(std::string_view word) {
  std::string out(word);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

class Reader {
 public:
  Reader(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  Eigen::SparseMatrix<double> read() {
    read_head();
    const std::vector<std::string_view> sizes = next_data();
    if (sizes.size() != (array_ ? 2u : 3u))
      say(fmt::format("found {} numbers", sizes.size()),
          array_ ? "rows and columns" : "rows, columns and entries");
    rows_ = whole(sizes[0], 0, 100'000'000);
    columns_ = whole(sizes[1], 0, 100'000'000);
    if (symmetric_ && rows_ != columns_) say("a symmetric matrix that is not square", "a square");
    require_possible();
    if (array_)
      read_array();
    else
      read_coordinates(whole(sizes[2], 0, 2'000'000'000));
    require_end();
    Eigen::SparseMatrix<double> A(rows_, columns_);
    A.setFromTriplets(entries_.begin(), entries_.end());
    return A;
  }

 private:
  [[noreturn]] void say(const std::string& message, const std::string& expectation) const {
    throw InputError(Problem{{file_, line_, 0}, "matrix", message, expectation, {}});
  }

  bool next_line(std::string_view& line) {
    if (at_ >= text_.size()) return false;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    line = std::string_view(text_).substr(at_, end - at_);
    at_ = end + 1;
    ++line_;
    return true;
  }

  std::vector<std::string_view> next_data() {
    std::string_view line;
    while (next_line(line)) {
      if (!line.empty() && line[0] == '%') continue;
      std::vector<std::string_view> words = words_of(line);
      if (!words.empty()) return words;
    }
    say("the file ends here", "more numbers");
  }

  /// Every row and column of a structure has an entry, which takes some bytes: a file cannot hold a
  /// matrix that is much larger than itself.
  void require_possible() const {
    constexpr std::size_t spare = 1000;
    const auto largest = static_cast<std::size_t>(std::max(rows_, columns_));
    if (largest > text_.size() + spare)
      say(fmt::format("{} x {} in a file of {} bytes", rows_, columns_, text_.size()),
          "a matrix with entries in its rows and columns");
  }

  void require_end() {
    std::string_view line;
    while (next_line(line))
      if (!line.starts_with('%') && !words_of(line).empty())
        say("more numbers than the given sizes", "the end of the file");
  }

  void read_head() {
    std::string_view line;
    next_line(line);
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() != 5 || lower(words[0]) != "%%matrixmarket" || lower(words[1]) != "matrix")
      say("no Matrix Market file",
          "a first line like '%%MatrixMarket matrix coordinate real symmetric'");
    const std::string format = lower(words[2]), field = lower(words[3]), form = lower(words[4]);
    array_ = format == "array";
    symmetric_ = form == "symmetric";
    if (!array_ && format != "coordinate") say("format '" + format + "'", "coordinate or array");
    if (field != "real" && field != "integer" && field != "double")
      say("numbers of the kind '" + field + "'", "real or integer");
    if (!symmetric_ && form != "general") say("form '" + form + "'", "general or symmetric");
  }

  double number(std::string_view word) const {
    double value = 0;
    if (!word.empty() && word[0] == '+') word.remove_prefix(1);
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
      say(fmt::format("'{}' is not a finite number", word.substr(0, 40)), "a number");
    return value;
  }
  int whole(std::string_view word, int least, int most) const {
    const double value = number(word);
    if (value != std::floor(value) || value < least || value > most)
      say(fmt::format("found {}", value), fmt::format("a whole number {} .. {}", least, most));
    return static_cast<int>(value);
  }

  void add(int i, int j, double value) {
    entries_.emplace_back(i, j, value);
    if (symmetric_ && i != j) entries_.emplace_back(j, i, value);
  }

  void read_coordinates(int count) {
    for (int k = 0; k < count; ++k) {
      const std::vector<std::string_view> words = next_data();
      if (words.size() != 3) say(fmt::format("found {} words", words.size()), "row, column, value");
      add(whole(words[0], 1, rows_) - 1, whole(words[1], 1, columns_) - 1, number(words[2]));
    }
  }

  void read_array() {
    for (int j = 0; j < columns_; ++j)
      for (int i = symmetric_ ? j : 0; i < rows_; ++i) {
        const std::vector<std::string_view> words = next_data();
        if (words.size() != 1) say(fmt::format("found {} words", words.size()), "one value a line");
        if (const double value = number(words[0]); value != 0) add(i, j, value);
      }
  }

  const std::string& text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 0, rows_ = 0, columns_ = 0;
  bool array_ = false, symmetric_ = false;
  std::vector<Eigen::Triplet<double>> entries_;
};

}  // namespace

Eigen::SparseMatrix<double> read_matrix_market_text(const std::string& text,
                                                    const std::string& file) {
  return Reader(text, file).read();
}

Eigen::SparseMatrix<double> read_matrix_market(const std::string& file) {
  return read_matrix_market_text(read_text_file(file, largest_matrix_file), file);
}

std::string write_matrix_market(const Eigen::SparseMatrix<double>& A, const std::string& comment) {
  std::string out = "%%MatrixMarket matrix coordinate real symmetric\n";
  if (!comment.empty()) out += "% " + comment + "\n";
  std::string body;
  long count = 0;
  for (int j = 0; j < A.outerSize(); ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(A, j); it; ++it)
      if (it.row() >= j && it.value() != 0) {
        body += fmt::format("{} {} {}\n", it.row() + 1, j + 1, it.value());
        ++count;
      }
  return out + fmt::format("{} {} {}\n", A.rows(), A.cols(), count) + body;
}

}  // namespace ulna
