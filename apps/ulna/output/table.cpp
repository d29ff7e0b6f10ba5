#include "output/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "output/terminal.hpp"

namespace ulna::cli {
namespace {

// Fixed, with 7 significant digits in the largest entry; scientific when that takes too much room.
class NumberFormat {
 public:
  explicit NumberFormat(const Eigen::Ref<const Eigen::MatrixXd>& values) {
    double largest = 0;
    for (const double x : values.reshaped())
      if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
    const int magnitude = largest > 0 ? static_cast<int>(std::floor(std::log10(largest))) : 0;
    scientific_ = magnitude < -3 || magnitude > 6;
    decimals_ = scientific_ ? 6 : 6 - std::max(magnitude, 0);
  }

  std::string operator()(double x) const {
    if (!std::isfinite(x)) return "-";
    const std::string text = scientific_ && x != 0 ? fmt::format("{:.{}e}", x, decimals_)
                                                   : fmt::format("{:.{}f}", x, decimals_);
    const bool zero = text.find_first_of("123456789") == std::string::npos;
    return zero && text[0] == '-' ? text.substr(1) : text;
  }

 private:
  bool scientific_;
  int decimals_;
};

// Characters, not bytes: names may be in any language.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned>(c) & 0xc0u) != 0x80u;
  }));
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, width_of(text)), ' ');
  return right ? blanks + text : text + blanks;
}

}  // namespace

void Table::add(std::string title, std::vector<std::string> cells, bool right) {
  for (std::string& cell : cells) cell = printable(cell);
  title = printable(title);
  std::size_t width = width_of(title);
  for (const std::string& cell : cells) width = std::max(width, width_of(cell));
  columns_.push_back({std::move(title), std::move(cells), right, width});
}

Table& Table::words(std::string title, std::vector<std::string> cells) {
  add(std::move(title), std::move(cells), false);
  return *this;
}

Table& Table::numbers(std::string title, const Eigen::Ref<const Eigen::VectorXd>& values) {
  return matrix({std::move(title)}, values);
}

Table& Table::matrix(const std::vector<std::string>& titles, const Eigen::MatrixXd& values) {
  const NumberFormat format(values);
  for (std::size_t k = 0; k < titles.size(); ++k) {
    std::vector<std::string> cells;
    for (const double x : values.col(k)) cells.push_back(format(x));
    add(titles[k], std::move(cells), true);
  }
  return *this;
}

std::string Table::lines(std::size_t first, std::size_t end) const {
  std::vector<const Column*> shown = {&columns_[0]};
  for (std::size_t k = std::max<std::size_t>(first, 1); k < end; ++k) shown.push_back(&columns_[k]);
  const auto line = [&](const auto& cell_of) {
    std::string out;
    for (const Column* column : shown)
      out += "  " + padded(cell_of(*column), column->width, column->right);
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
  };
  std::string out = heading(line([](const Column& column) { return column.title; }));
  for (std::size_t row = 0; row < columns_[0].cells.size(); ++row)
    out += line([&](const Column& column) { return column.cells[row]; }) + "\n";
  return out;
}

std::string Table::text() const {
  const std::size_t available = static_cast<std::size_t>(terminal_width());
  std::string out;
  for (std::size_t first = 0; first < columns_.size();) {
    std::size_t end = std::max<std::size_t>(first, 1), used = columns_[0].width + 2;
    do used += end < columns_.size() ? columns_[end++].width + 2 : 0;
    while (end < columns_.size() && (!available || used + columns_[end].width + 2 <= available));
    out += (out.empty() ? "" : "\n") + lines(first, end);
    first = end;
  }
  return out;
}

std::string matrix_text(const Eigen::Ref<const Eigen::MatrixXd>& values) {
  const NumberFormat format(values);
  std::size_t width = 0;
  for (const double x : values.reshaped()) width = std::max(width, format(x).size());
  std::string out;
  for (Eigen::Index row = 0; row < values.rows(); ++row) {
    out += "  ";
    for (Eigen::Index column = 0; column < values.cols(); ++column)
      out += "  " + padded(format(values(row, column)), width, true);
    out += "\n";
  }
  return out;
}

std::string number_text(double value) { return numbers_text(Eigen::VectorXd::Constant(1, value)); }

std::string numbers_text(const Eigen::Ref<const Eigen::VectorXd>& values) {
  const double noise = 1e-14 * (values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0);
  std::string out;
  for (const double x : values)
    out += fmt::format("{}{:.7g}", out.empty() ? "" : "  ", std::abs(x) > noise ? x : 0.0);
  return out;
}

}  // namespace ulna::cli
