#pragma once
// Linear systems whose coefficients lie near the diagonal: elimination with row pivoting inside of
// the band. Its cost is linear in the number of unknowns. Pivoting across the nodes of a grid keeps
// the growing and the decaying solutions of a boundary-value problem apart.

#include <Eigen/Core>
#include <vector>

namespace ulna {

class BandLu {
 public:
  /// Row i has coefficients in columns i - below to i + above.
  BandLu(long size, long below, long above);

  void set_zero();
  double& operator()(long row, long column);
  /// b becomes x with A x = b; A is lost. False where a pivot vanishes.
  bool solve(Eigen::VectorXd& b);

 private:
  long size_, below_, above_, width_;
  std::vector<double> rows_;  ///< row i from column i - below, with room for what pivoting fills in
};

}  // namespace ulna
