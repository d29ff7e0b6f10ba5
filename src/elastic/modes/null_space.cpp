#include "ulna/elastic/internal/null_space.hpp"

#include <cmath>

namespace ulna::elastic {
namespace {

// Gauss and Jordan on the rows, each scaled to the size one; pivots and the rows reduced by them.
struct Elimination {
  std::vector<int> pivots;
  std::vector<Eigen::VectorXd> rows;
};

Elimination eliminate(const std::vector<Eigen::VectorXd>& given) {
  Elimination e;
  for (const Eigen::VectorXd& original : given) {
    const double size = original.size() > 0 ? original.cwiseAbs().maxCoeff() : 0;
    if (size == 0) continue;
    Eigen::VectorXd row = original / size;
    for (std::size_t k = 0; k < e.rows.size(); ++k) row -= row(e.pivots[k]) * e.rows[k];
    int pivot = 0;
    if (row.cwiseAbs().maxCoeff(&pivot) < 1e-10) continue;
    row /= row(pivot);
    for (Eigen::VectorXd& other : e.rows) other -= other(pivot) * row;
    e.rows.push_back(row);
    e.pivots.push_back(pivot);
  }
  return e;
}

std::vector<int> kept(const Elimination& e, int n) {
  std::vector<bool> gone(n, false);
  for (const int pivot : e.pivots) gone[pivot] = true;
  std::vector<int> columns;
  for (int k = 0; k < n; ++k)
    if (!gone[k]) columns.push_back(k);
  return columns;
}

}  // namespace

std::vector<int> free_columns(const std::vector<Eigen::VectorXd>& rows) {
  return kept(eliminate(rows), static_cast<int>(rows[0].size()));
}

SparseMatrix null_space(const std::vector<Eigen::VectorXd>& rows) {
  const Elimination e = eliminate(rows);
  const int n = static_cast<int>(rows[0].size());
  const std::vector<int> columns = kept(e, n);
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    entries.emplace_back(columns[j], static_cast<int>(j), 1.0);
    for (std::size_t k = 0; k < e.rows.size(); ++k)
      if (const double value = e.rows[k](columns[j]); std::abs(value) > 1e-14)
        entries.emplace_back(e.pivots[k], static_cast<int>(j), -value);
  }
  SparseMatrix Z(n, static_cast<int>(columns.size()));
  Z.setFromTriplets(entries.begin(), entries.end());
  return Z;
}

}  // namespace ulna::elastic
