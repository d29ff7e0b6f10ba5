#pragma once
// The lowest modes of a large sparse system by Lanczos iteration on (K + s M)^-1 M, with what makes
// them complete: a shift of the size of the wanted modes, and a count of the modes below a value.
// docs/theory/structure.md, eqs. 16, 41, 42.

#include <Eigen/Core>
#include <memory>

#include "ulna/elastic/parts/system_matrices.hpp"

namespace ulna::elastic {

struct LanczosResult {
  bool converged = false;
  Eigen::MatrixXd shapes;
};

class Lanczos {
 public:
  /// Factors K + s M.
  Lanczos(const SparseMatrix& M, const SparseMatrix& K, double shift);
  ~Lanczos();
  Lanczos(Lanczos&&) noexcept;
  Lanczos& operator=(Lanczos&&) noexcept;

  /// K + s M could be factored with positive pivots.
  bool positive() const;
  double shift() const;
  Eigen::VectorXd solve(const Eigen::VectorXd& x) const;
  /// The modes nearest to -s; `without`: modes (columns, x'Mx = 1) that are known already. One
  /// start vector sees one mode of each frequency: others appear by rounding only.
  LanczosResult modes(int count, const Eigen::MatrixXd& without = {}) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

/// How many modes have omega^2 below `value`: negative pivots of K - value M (Sylvester). -1 where
/// it cannot be factored.
int modes_below(const SparseMatrix& M, const SparseMatrix& K, double value);

}  // namespace ulna::elastic
