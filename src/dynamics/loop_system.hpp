#pragma once
// The equations of a mechanism with loops as one sparse symmetric system
//
//   [ M   A' ] [   x   ]   [ f ]
//   [ A  -mu ] [-lambda] = [ g ]                                    docs/theory/closed-loops.md,
//   eq. 17
//
// M has the pattern of the tree, each loop's rows are compressed to as many as are independent in
// it (SVD of its own Jacobian), and AMD ordering with an LDL' decomposed once for its pattern does
// the rest. Rows that depend on others make the system singular; mu > 0 makes it definite again,
// and proximal iterations remove what mu falsifies.

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include "ulna/dynamics/loops.hpp"

namespace ulna {

class LoopSystem {
 public:
  explicit LoopSystem(const LoopClosure& closure);

  /// From work.mass_matrix and the closure's last update. `damping`: mu over the size of A M^-1 A'.
  void factor(const Eigen::MatrixXd& M, double damping = 1e-9);

  /// M x - A' lambda = f, A x = g. False where it does not converge: M and the loops do not
  /// determine x.
  bool solve(const Eigen::VectorXd& f, const Eigen::VectorXd& g, Eigen::VectorXd& x,
             Eigen::VectorXd& lambda);

  /// M x - A' lambda = 0, A x + mu lambda = g: a damped step, for rows that are nearly dependent
  /// because the loops are still open.
  Eigen::VectorXd damped_step(const Eigen::VectorXd& g) const;

  int iterations() const { return iterations_; }

 private:
  void compress();
  Eigen::VectorXd compressed(const Eigen::VectorXd& g) const;

  const LoopClosure& closure_;
  int n_, rows_ = 0;
  /// One loop's compressed rows: U' A, with U orthonormal.
  struct Part {
    int first = 0, rows = 0;
    Eigen::MatrixXd U, A;
  };
  std::vector<Part> parts_;
  std::vector<std::pair<int, int>> mass_entries_;  ///< lower triangle of M that can be non-zero
  Eigen::SparseMatrix<double> K_;                  ///< lower triangle
  std::vector<double*> mass_values_, row_values_, diagonal_values_;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower> ldlt_;
  Eigen::MatrixXd M_;
  Eigen::VectorXd mu_, mass_shift_;
  int iterations_ = 0;
};

}  // namespace ulna
