#pragma once
// Collects what is wrong with a file, so that one error tells all of it.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ulna/formats/import_report.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {

class Problems {
 public:
  void add(SourceMark where, std::string element, std::string message, std::string expectation = {},
           std::string hint = {}) {
    Problem problem{std::move(where), std::move(element), std::move(message),
                    std::move(expectation), std::move(hint)};
    if (full())
      ++more_;
    else if (!already_said(problem))
      list_.push_back(std::move(problem));
  }

  std::size_t count() const { return list_.size() + more_; }
  /// What is added now is only counted: its hint need not be searched for.
  bool full() const { return list_.size() >= most; }

  /// Throws InputError when there is any problem.
  void throw_if_any() {
    if (list_.empty()) return;
    if (more_ > 0)
      list_.push_back({{list_.front().where.file}, {}, fmt::format("and {} more", more_), {}, {}});
    throw InputError(std::move(list_));
  }

 private:
  bool already_said(const Problem& problem) const {
    return std::any_of(list_.begin(), list_.end(), [&](const Problem& other) {
      return other.where.line == problem.where.line && other.where.column == problem.where.column &&
             other.element == problem.element && other.message == problem.message;
    });
  }

  // A file of the wrong kind would otherwise repeat itself for pages.
  static constexpr std::size_t most = 50;
  std::vector<Problem> list_;
  std::size_t more_ = 0;
};

/// Under `strict`, a report with anything changed or ignored becomes an InputError.
void refuse_losses(const ImportReport& report);

}  // namespace ulna
