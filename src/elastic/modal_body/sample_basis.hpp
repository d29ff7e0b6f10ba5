#pragma once
// Columns sampled at the places of a quadrature, times the root of its weights, and their
// coordinates in an orthonormal basis of what they span: docs/theory/flexible.md, eq. 7.

#include <Eigen/Core>
#include <vector>

namespace ulna {

class SampleBasis {
 public:
  /// Takes a column in; the basis grows where it holds something new. Its number.
  int add(const Eigen::VectorXd& column) {
    Eigen::VectorXd rest = column, coordinates = Eigen::VectorXd::Zero(size());
    for (int pass = 0; pass < 2; ++pass)
      for (int g = 0; g < size(); ++g) {
        const double share = basis_[g].dot(rest);
        coordinates(g) += share;
        rest -= share * basis_[g];
      }
    const double norm = rest.norm();
    if (norm > 1e-12 * column.norm()) {
      basis_.push_back(rest / norm);
      coordinates.conservativeResize(size());
      coordinates(size() - 1) = norm;
    }
    columns_.push_back(coordinates);
    return static_cast<int>(columns_.size()) - 1;
  }
  int size() const { return static_cast<int>(basis_.size()); }
  /// Zero for the column -1: none.
  double coordinate(int column, int g) const {
    return column >= 0 && g < columns_[column].size() ? columns_[column](g) : 0;
  }

 private:
  std::vector<Eigen::VectorXd> basis_, columns_;
};

}  // namespace ulna
