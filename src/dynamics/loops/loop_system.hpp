#pragma once
// The equations of a mechanism with loops as one sparse symmetric system
//
//   [ M   A' ] [   x   ]   [ f ]
//   [ A  -mu ] [-lambda] = [ g ]                                    docs/theory/closed-loops.md,
//   eq. 17
//
// M has the pattern of the tree, each loop's rows are compressed to as many as are independent in
// it (SVD of its own Jacobian), and AMD ordering with an LDL' analysed once for its pattern does
// the rest. Rows that depend on others make the system singular; mu > 0 makes it definite again,
// and proximal iterations remove what mu falsifies.
//
// Where loops that are sound by themselves come to depend on each other, these iterations do not
// end, and the dense equations are solved by singular values instead (loop_singular.cpp).
//
// Speeds may be held (eq. 20): their x is given, and what it takes is found afterwards. Nothing
// allocates after construction, but at such postures.

#include <algorithm>
#include <string>

#include "ulna/dynamics/loops.hpp"
#include "ulna/numerics/internal/sparse_ldlt.hpp"

namespace ulna {

class LoopSystem {
 public:
  explicit LoopSystem(const LoopClosure& closure);

  /// Speeds whose x is given; one entry each. Counts from the next `factor` on.
  void hold(const std::vector<char>& held) { held_ = held; }
  const std::vector<char>& held() const { return held_; }

  /// The mass matrix at q, by branches (branch_mass_matrix.hpp).
  void update_mass(Workspace& work, const double* q);
  /// The same from a mass matrix that was computed in another way; it need not be symmetric (levels
  /// below exact), and is solved by its null space then.
  void set_mass(const Eigen::MatrixXd& M);
  /// From that and the closure's last update. `damping`: mu over the size of A M^-1 A'.
  void factor(double damping = 1e-9);
  /// After `factor`: another factorisation came near rounding, so that masses and loops together
  /// shall decide what is determined.
  void doubt() { doubtful_ = true; }
  /// Some speed that is not held moves no mass, as the last `factor` saw it.
  bool some_massless() const { return some_massless_; }

  /// M x - A' lambda = f, A x = g, with x given where held (and f without meaning there). `scale`:
  /// what x is to be compared with when it is small itself. False where it does not converge: M and
  /// the loops do not determine x.
  bool solve(const Eigen::VectorXd& f, const Eigen::VectorXd& g, Eigen::VectorXd& x,
             Eigen::VectorXd& lambda, double scale = 0);
  /// The size of x under f without loops and couplings.
  double free_size(const Eigen::VectorXd& f) const;

  /// M x - A' lambda = 0, A x + mu lambda = g, x zero where held: a damped step, for rows that are
  /// nearly dependent because the loops are still open. False where it is not finite.
  bool damped_step(const Eigen::VectorXd& g, Eigen::VectorXd& x);

  /// y = M x with the mass matrix of the last `update_mass`.
  void mass_times(const Eigen::VectorXd& x, Eigen::VectorXd& y) const;

  int iterations() const { return iterations_; }
  /// After `solve` failed: the speeds that neither masses nor loops determine, "'a', 'b'"; empty
  /// where that is not known.
  const std::string& undetermined() const { return undetermined_; }
  /// Of all loops the smallest singular value kept over the largest of its loop, at the last
  /// `factor`, or the smallest of all loops together where they depend on each other: near zero
  /// close to a singular posture.
  double margin() const { return std::min(margin_, joint_margin_); }

 private:
  /// One loop's compressed rows: U' A, with U orthonormal but for the units of its rows.
  struct Part {
    int first = 0, rows = 0;
    bool wide = true;  ///< no fewer columns than rows
    Eigen::MatrixXd scaled,
        turn;  ///< scratch of the SVD: A (or A', if wide) of pure numbers, and U
    Eigen::MatrixXd U, A;
  };
  void make_pattern();
  void compress(std::size_t loop);
  double length_of(std::size_t loop) const;
  void put_values(double damping);
  void pack(const Eigen::VectorXd& g, Eigen::VectorXd& packed) const;
  /// The multipliers of all rows from packed_.
  void unpack(Eigen::VectorXd& lambda) const;
  /// right_ = what is missing from the true equations (15), without mu.
  void residual(const Eigen::VectorXd& f, const Eigen::VectorXd& x);

  bool solve_by_values(const Eigen::VectorXd& f, Eigen::VectorXd& x);
  /// The same for a mass matrix that is singular by itself.
  bool solve_by_null_space(const Eigen::VectorXd& f, Eigen::VectorXd& x);
  /// x = x0 + Z y with a mass matrix that is not symmetric.
  bool solve_unsymmetric(const Eigen::VectorXd& f, Eigen::VectorXd& x);
  /// The mass matrix and the compressed rows of all loops, whole.
  void make_dense(Eigen::MatrixXd& M, Eigen::MatrixXd& A) const;
  void shift_massless(double largest);
  bool massless_follow();
  double mass_rounding(int speed) const;
  /// Whether the efforts balance along every speed, to rounding of what acts there.
  bool is_solved(const Eigen::VectorXd& f, const Eigen::VectorXd& x);

  const LoopClosure& closure_;
  int n_, rows_ = 0;
  std::vector<Part> parts_;
  std::vector<std::pair<int, int>> mass_entries_;  ///< lower triangle of M that can be non-zero
  std::vector<double> mass_values_;
  Eigen::MatrixXd unsymmetric_;        ///< the mass matrix where it is not symmetric; else empty
  std::vector<std::size_t> diagonal_;  ///< places of the diagonal of M among them
  std::vector<char> held_, slides_;    ///< by speed; slides have the unit of length
  std::vector<char> massless_;         ///< by speed: nothing beyond it has mass
  bool some_massless_ = false;
  bool doubtful_ = false;  ///< masses alone may be singular where no speed is without mass
  bool loose_ = false;     ///< the factors say that some massless speed is not determined
  std::string undetermined_;
  SparseLdlt ldlt_;
  bool factored_ = false;
  Eigen::VectorXd mu_, mass_shift_, mass_diagonal_, right_, packed_, g_packed_, terms_;
  int iterations_ = 0;
  double margin_ = 1, joint_margin_ = 1;
};

}  // namespace ulna
