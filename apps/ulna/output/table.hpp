#pragma once
// Tables for people: columns of words and of numbers, aligned. The numbers of one column share one
// format, so that their points stand below each other and rounding noise shows as zero. On a
// terminal, columns that do not fit continue below, with the first column repeated.

#include <Eigen/Core>
#include <string>
#include <vector>

namespace ulna::cli {

class Table {
 public:
  Table& words(std::string title, std::vector<std::string> cells);
  Table& numbers(std::string title, const Eigen::Ref<const Eigen::VectorXd>& values);
  /// One column of numbers per column of the matrix, all in one format.
  Table& matrix(const std::vector<std::string>& titles, const Eigen::MatrixXd& values);

  std::string text() const;

 private:
  struct Column {
    std::string title;
    std::vector<std::string> cells;
    bool right;
    std::size_t width;
  };
  void add(std::string title, std::vector<std::string> cells, bool right);
  std::string lines(std::size_t first, std::size_t end) const;

  std::vector<Column> columns_;
};

/// A matrix without titles, one row per line, all in one format.
std::string matrix_text(const Eigen::Ref<const Eigen::MatrixXd>& values);

/// Numbers within a line, each as short as 7 digits allow; rounding noise shows as zero.
std::string number_text(double value);
std::string numbers_text(const Eigen::Ref<const Eigen::VectorXd>& values);

}  // namespace ulna::cli
