#include "ulna/kinematics/internal/loop_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace ulna {
namespace {

/// A row whose first entry is its pivot, of value one.
using Row = std::vector<std::pair<int, double>>;

class Elimination {
 public:
  explicit Elimination(const LoopClosure& closure, double tolerance = loop_rank_tolerance)
      : closure_(closure),
        tolerance_(tolerance),
        speeds_(closure.model().speeds()),
        order_(speeds_ + 1, -1),
        values_(Eigen::VectorXd::Zero(speeds_ + 1)) {}

  LoopElimination run(bool with_null_space = false) {
    LoopElimination out;
    for (const LoopClosure::Block& block : closure_.blocks()) {
      const std::size_t before = pivots_.size();
      take_in(block);
      out.adds.push_back(static_cast<int>(pivots_.size() - before));
    }
    SpeedSplit& split = out.split;
    for (int k = 0; k < speeds_; ++k)
      (order_[k] < 0 ? split.independent : split.dependent).push_back(k);
    split.rank = static_cast<int>(split.dependent.size());
    split.quality = quality_;
    out.dropped = dropped_;
    out.correction = solved(speeds_);
    if (!with_null_space) return out;
    out.null_space.resize(speeds_, std::ssize(split.independent));
    for (Eigen::Index k = 0; k < out.null_space.cols(); ++k)
      out.null_space.col(k) = solved(split.independent[static_cast<std::size_t>(k)]);
    return out;
  }

 private:
  /// The dependent speeds when one of the others is 1; the residual counts as the last of them. The
  /// newest pivots first: their rows hold no speed that became dependent later.
  Eigen::VectorXd solved(int one) const {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(speeds_ + 1);
    x(one) = 1;
    for (auto row = pivots_.rbegin(); row != pivots_.rend(); ++row) {
      double sum = 0;
      for (std::size_t k = 1; k < row->size(); ++k) sum += (*row)[k].second * x((*row)[k].first);
      x((*row)[0].first) = -sum;
    }
    return x.head(speeds_);
  }

  void take_in(const LoopClosure::Block& block) {
    std::vector<Row> rows;
    double largest = 0;
    for (int r = 0; r < block.rows; ++r) {
      rows.push_back(reduced(block, r));
      for (std::size_t c = 0; c < block.columns.size(); ++c)
        largest = std::max(largest, std::abs(entry(block, r, c)));
    }
    while (!rows.empty()) {
      const auto size = [&](const Row& row) {
        double most = 0;
        for (const auto& [speed, value] : row)
          if (speed != speeds_) most = std::max(most, std::abs(value));
        return most;
      };
      const auto best = std::max_element(
          rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return size(a) < size(b); });
      const double pivot = size(*best);
      if (!(pivot > tolerance_ * largest)) {  // the rest depends on what is there
        if (largest > 0) dropped_ = std::max(dropped_, pivot / largest);
        return;
      }
      quality_ = std::min(quality_, pivot / largest);
      Row row = std::move(*best);
      rows.erase(best);
      make_pivot(row);
      for (Row& other : rows) other = without(other, row);
      order_[row[0].first] = static_cast<int>(pivots_.size());
      pivots_.push_back(std::move(row));
    }
  }

  double entry(const LoopClosure::Block& block, int r, std::size_t c) const {
    return closure_.row_scale()(block.first_row + r) * block.A(r, static_cast<Eigen::Index>(c)) *
           closure_.column_scale()(block.columns[c]);
  }

  void make_pivot(Row& row) const {
    const auto size = [&](const auto& entry) {
      return entry.first == speeds_ ? -1 : std::abs(entry.second);
    };
    std::iter_swap(row.begin(), std::max_element(row.begin(), row.end(), [&](auto& a, auto& b) {
                     return size(a) < size(b);
                   }));
    const double pivot = row[0].second;
    for (auto& [speed, value] : row) value /= pivot;
  }

  /// One row of a loop without the dependent speeds. A pivot's row may hold speeds that became
  /// dependent after it, none that were before: the oldest pivots go first.
  Row reduced(const LoopClosure::Block& block, int r) {
    std::set<int> touched, waiting;
    const auto add = [&](int speed, double value) {
      values_(speed) += value;
      touched.insert(speed);
      if (order_[speed] >= 0) waiting.insert(order_[speed]);
    };
    for (std::size_t c = 0; c < block.columns.size(); ++c)
      add(block.columns[c], entry(block, r, c));
    const int row = block.first_row + r;
    add(speeds_, closure_.row_scale()(row) * closure_.residual()(row));
    while (!waiting.empty()) {
      const Row& pivot = pivots_[*waiting.begin()];
      waiting.erase(waiting.begin());
      const double factor = values_(pivot[0].first);
      if (factor == 0) continue;
      for (const auto& [speed, value] : pivot) add(speed, -factor * value);
      waiting.erase(order_[pivot[0].first]);
      values_(pivot[0].first) = 0;
    }
    return collect(touched);
  }

  Row without(const Row& row, const Row& pivot) {
    std::set<int> touched;
    for (const auto& [speed, value] : row) values_(speed) += value, touched.insert(speed);
    const double factor = values_(pivot[0].first);
    for (const auto& [speed, value] : pivot)
      values_(speed) -= factor * value, touched.insert(speed);
    values_(pivot[0].first) = 0;
    return collect(touched);
  }

  Row collect(const std::set<int>& touched) {
    Row row;
    for (const int speed : touched) {
      if (values_(speed) != 0) row.push_back({speed, values_(speed)});
      values_(speed) = 0;
    }
    return row;
  }

  const LoopClosure& closure_;
  double tolerance_;
  int speeds_;              ///< of the robot; as an index, the residual
  std::vector<int> order_;  ///< of dependent speeds, the number of their pivot; -1 elsewhere
  std::vector<Row> pivots_;
  Eigen::VectorXd values_;  ///< scratch: a row in full, zero between uses
  double quality_ = 1;
  double dropped_ = 0;
};

}  // namespace

SpeedSplit split_speeds_by_loops(const LoopClosure& closure) {
  return Elimination(closure).run().split;
}

LoopElimination eliminate_loops(const LoopClosure& closure, double tolerance,
                                bool with_null_space) {
  return Elimination(closure, tolerance).run(with_null_space);
}

}  // namespace ulna
