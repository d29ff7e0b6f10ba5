#pragma once
// A system split into masters and slaves, with the slave stiffness factored once.

#include "ulna/elastic/internal/sparse_factor.hpp"
#include "ulna/elastic/parts/reduction.hpp"

namespace ulna::elastic {

class Partition {
 public:
  /// `omega2`: of K - omega2 M is the slave block factored. Throws ComputationError when singular.
  Partition(const SystemMatrices& system, const std::vector<int>& masters, double omega2 = 0);

  const std::vector<int>& slaves() const { return slaves_; }
  SparseMatrix block(const SparseMatrix& A, bool master_rows, bool master_columns) const;
  /// -Dss^-1 Dsm with D = K - omega2 M: how slaves follow masters.
  const Eigen::MatrixXd& following() const { return following_; }
  Eigen::MatrixXd solve(const Eigen::MatrixXd& rhs) const { return factor_.solve(rhs); }
  /// Rows of masters and of slaves put back in the order of the full system.
  Eigen::MatrixXd joined(const Eigen::MatrixXd& master_rows,
                         const Eigen::MatrixXd& slave_rows) const;

 private:
  std::vector<int> masters_, slaves_;
  SparseMatrix pick_masters_, pick_slaves_;  ///< columns of the identity
  SparseFactor factor_;                      ///< of D_ss
  Eigen::MatrixXd following_;
};

}  // namespace ulna::elastic
