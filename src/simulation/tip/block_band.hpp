#pragma once
// Linear systems of a grid whose equations at a node reach over two nodes to either side: block
// elimination on pairs of nodes, with row pivoting inside of the pairs.

#include <vector>

#include "ulna/numerics/dense.hpp"

namespace ulna {

class BlockBand {
 public:
  /// `nodes` with `size` unknowns and equations each; an even number of nodes.
  BlockBand(long nodes, long size);

  void set_zero();
  /// The block of the equations of node k with the unknowns of node j, |k - j| <= 2.
  Eigen::Block<Eigen::MatrixXd> block(long k, long j);
  /// x with A x = b, one row for each node; A is lost. False where a pivot vanishes.
  bool solve(const Eigen::MatrixXd& b, Eigen::MatrixXd& x);

 private:
  long pairs_, size_;
  std::vector<Eigen::MatrixXd> left_, middle_, right_;  ///< by pair, 2 size x 2 size
};

}  // namespace ulna
