#include "ulna/numerics/internal/sparse_ldlt.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace ulna {
namespace {

/// Old numbers in the order of elimination.
std::vector<int> order_of_elimination(int size, const std::vector<std::pair<int, int>>& entries) {
  std::vector<Eigen::Triplet<double>> both;
  for (const auto& [r, c] : entries) {
    both.emplace_back(r, c, 1.0);
    if (r != c) both.emplace_back(c, r, 1.0);
  }
  Eigen::SparseMatrix<double> pattern(size, size);
  pattern.setFromTriplets(both.begin(), both.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(pattern, order);
  std::vector<int> old_of_new(size);
  std::iota(old_of_new.begin(), old_of_new.end(), 0);
  if (order.size() == size)
    for (int k = 0; k < size; ++k) old_of_new[k] = order.indices()(k);
  return old_of_new;
}

}  // namespace

void SparseLdlt::analyse(int size, const std::vector<std::pair<int, int>>& entries) {
  size_ = size;
  values_.assign(entries.size(), 0.0);
  old_of_new_ = order_of_elimination(size, entries);
  std::vector<int> new_of_old(size);
  for (int k = 0; k < size; ++k) new_of_old[old_of_new_[k]] = k;

  diagonal_place_.assign(size, 0);
  std::vector<std::vector<std::pair<int, int>>> columns(size);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const int a = new_of_old[entries[e].first], b = new_of_old[entries[e].second];
    if (a == b)
      diagonal_place_[a] = static_cast<int>(e);
    else
      columns[std::max(a, b)].push_back({std::min(a, b), static_cast<int>(e)});
  }
  upper_first_.assign(1, 0);
  upper_row_.clear();
  upper_place_.clear();
  for (const auto& column : columns) {
    for (const auto& [row, place] : column)
      upper_row_.push_back(row), upper_place_.push_back(place);
    upper_first_.push_back(static_cast<int>(upper_row_.size()));
  }

  // The elimination tree, and with it the pattern of each row of L.
  std::vector<int> parent(size, -1), mark(size, -1), count(size, 0);
  std::vector<std::vector<int>> rows(size);
  for (int k = 0; k < size; ++k) {
    mark[k] = k;
    for (const auto& [from, place] : columns[k])
      for (int i = from; mark[i] != k; i = parent[i]) {
        if (parent[i] < 0) parent[i] = k;
        rows[k].push_back(i);
        ++count[i];
        mark[i] = k;
      }
    // A parent has a larger number than its children, so that ascending is an order of elimination.
    std::sort(rows[k].begin(), rows[k].end());
  }
  column_first_.assign(1, 0);
  for (int k = 0; k < size; ++k) column_first_.push_back(column_first_[k] + count[k]);
  row_of_.assign(column_first_[size], 0);
  L_.assign(row_of_.size(), 0.0);
  D_.assign(size, 1.0);
  scratch_.assign(size, 0.0);
  pattern_first_.assign(1, 0);
  pattern_column_.clear();
  pattern_place_.clear();
  std::vector<int> next(column_first_.begin(), column_first_.end() - 1);
  for (int k = 0; k < size; ++k) {
    for (const int i : rows[k]) {
      row_of_[next[i]] = k;
      pattern_column_.push_back(i);
      pattern_place_.push_back(next[i]++);
    }
    pattern_first_.push_back(static_cast<int>(pattern_column_.size()));
  }
}

bool SparseLdlt::factor() {
  double* y = scratch_.data();
  std::fill_n(y, size_, 0.0);
  least_share_ = 1;
  for (int k = 0; k < size_; ++k) {
    const double entry = values_[diagonal_place_[k]];
    double pivot = entry;
    for (int e = upper_first_[k]; e < upper_first_[k + 1]; ++e)
      y[upper_row_[e]] = values_[upper_place_[e]];
    for (int e = pattern_first_[k]; e < pattern_first_[k + 1]; ++e) {
      const int i = pattern_column_[e], place = pattern_place_[e];
      const double yi = y[i];
      y[i] = 0;
      for (int p = column_first_[i]; p < place; ++p) y[row_of_[p]] -= L_[p] * yi;
      const double l = yi / D_[i];
      pivot -= l * yi;
      L_[place] = l;
    }
    if (!std::isfinite(pivot) || pivot == 0) return false;
    D_[k] = pivot;
    if (entry > 0 && pivot < least_share_ * entry) least_share_ = pivot / entry;
  }
  return true;
}

void SparseLdlt::solve(Eigen::VectorXd& x) {
  double* y = scratch_.data();
  for (int k = 0; k < size_; ++k) y[k] = x(old_of_new_[k]);
  for (int k = 0; k < size_; ++k)
    for (int p = column_first_[k]; p < column_first_[k + 1]; ++p) y[row_of_[p]] -= L_[p] * y[k];
  for (int k = 0; k < size_; ++k) y[k] /= D_[k];
  for (int k = size_ - 1; k >= 0; --k)
    for (int p = column_first_[k]; p < column_first_[k + 1]; ++p) y[k] -= L_[p] * y[row_of_[p]];
  for (int k = 0; k < size_; ++k) x(old_of_new_[k]) = y[k];
}

}  // namespace ulna
