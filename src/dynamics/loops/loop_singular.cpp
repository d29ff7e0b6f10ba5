// Where loops come to depend on each other: the same equations by singular values.
// docs/theory/closed-loops.md, eq. 17.

#include "loops/loop_system.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

void LoopSystem::make_dense(Eigen::MatrixXd& M, Eigen::MatrixXd& A) const {
  M.setZero(n_, n_);
  A.setZero(rows_, n_);
  for (std::size_t e = 0; e < mass_entries_.size(); ++e) {
    const auto [r, c] = mass_entries_[e];
    M(r, c) = M(c, r) = mass_values_[e];
  }
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const std::vector<int>& columns = closure_.blocks()[k].columns;
    for (std::size_t c = 0; c < columns.size(); ++c)
      A.col(columns[c]).segment(parts_[k].first, parts_[k].rows) +=
          parts_[k].A.col(static_cast<Eigen::Index>(c));
  }
}

/// With M = L L' and B = A L^-T, each row of length one: x = L^-T (y + B+ (g - B y)), y = L^-1 f.
/// Rows of B that depend on others to within the rank tolerance ask for nothing.
bool LoopSystem::solve_by_values(const Eigen::VectorXd& f, Eigen::VectorXd& x) {
  std::vector<int> free;
  for (int k = 0; k < n_; ++k) {
    if (held_[k]) continue;
    free.push_back(k);
    x(k) = 0;
  }
  packed_.setZero();
  residual(f, x);  // what is left for the free speeds to do
  const Eigen::VectorXd left = right_;

  Eigen::MatrixXd M, A;
  make_dense(M, A);
  const dense::Cholesky mass(M(free, free));
  if (!mass.ok()) return false;
  Eigen::MatrixXd B_t = A(Eigen::all, free).transpose();
  mass.solve_L(B_t);
  Eigen::MatrixXd B = B_t.transpose();
  Eigen::VectorXd size = B.rowwise().norm();
  for (double& s : size) s = s > 0 ? s : 1;
  B = size.cwiseInverse().asDiagonal() * B;
  Eigen::VectorXd y = left(free);
  mass.solve_L(y);
  const Eigen::VectorXd missing = left.tail(rows_).cwiseQuotient(size) - B * y;
  const dense::Svd svd = dense::svd(B, dense::SvdParts::thin);
  const Eigen::VectorXd push = svd.solve(missing, loop_rank_tolerance_of(closure_.model()));
  Eigen::VectorXd moves = y + push;
  mass.solve_L_transposed(moves);
  if (!moves.allFinite()) return false;
  for (std::size_t i = 0; i < free.size(); ++i) x(free[i]) = moves(static_cast<Eigen::Index>(i));
  // lambda: B' S lambda = push, the minimum-norm solution.
  const int rank = svd.rank(loop_rank_tolerance_of(closure_.model()));
  const Eigen::VectorXd along =
      (svd.V.leftCols(rank).transpose() * push).cwiseQuotient(svd.values.head(rank));
  packed_ = (svd.U.leftCols(rank) * along).cwiseQuotient(size);
  // Loops whose rows all hold nothing leave no values.
  joint_margin_ = svd.values.size() > 0 ? svd.values(svd.values.size() - 1) : 1;
  return true;
}

/// x = x0 + Z y: x0 satisfies the loops, Z spans what they leave free, and Z' M Z y = Z' (f - M x0)
/// has an answer where masses and loops together determine the motion. In pure numbers.
bool LoopSystem::solve_by_null_space(const Eigen::VectorXd& f, Eigen::VectorXd& x) {
  std::vector<int> free;
  for (int k = 0; k < n_; ++k) {
    if (held_[k]) continue;
    free.push_back(k);
    x(k) = 0;
  }
  packed_.setZero();
  residual(f, x);
  Eigen::MatrixXd M, A;
  make_dense(M, A);
  if (!M.allFinite() || !A.allFinite() || !right_.allFinite()) return false;
  const Eigen::VectorXd scale = closure_.column_scale()(free);
  M = (scale.asDiagonal() * M(free, free) * scale.asDiagonal()).eval();
  A = (A(Eigen::all, free) * scale.asDiagonal()).eval();
  Eigen::VectorXd size = A.rowwise().norm();
  for (double& s : size) s = s > 0 ? s : 1;
  A = size.cwiseInverse().asDiagonal() * A;
  const Eigen::VectorXd efforts = scale.cwiseProduct(right_(free));
  const double tolerance = loop_rank_tolerance_of(closure_.model());
  const dense::Svd svd = dense::svd(A, dense::SvdParts::full);
  const int rank = svd.rank(tolerance);
  const Eigen::VectorXd x0 = svd.solve(right_.tail(rows_).cwiseQuotient(size), tolerance);
  const Eigen::MatrixXd Z = svd.V.rightCols(std::ssize(free) - rank);
  const Eigen::MatrixXd K = Z.transpose() * M * Z;
  const dense::SymmetricEigen eigen = dense::eigen_symmetric(K);
  // Rounding of the terms, and of masses that stand still.
  const double length = closure_.length_scale(),
               terms = M.size() > 0 ? M.diagonal().cwiseAbs().maxCoeff() : 0;
  const double rounding =
      std::max(1e-13 * terms, 1e-15 * closure_.model().mass() * length * length);
  if (K.size() > 0 && !(eigen.values(0) > std::max(1e-12 * eigen.values.tail(1)(0), rounding))) {
    const Eigen::VectorXd loose = (Z * eigen.vectors.col(0)).cwiseAbs();
    for (std::size_t k = 0; k < free.size(); ++k)
      if (loose(static_cast<Eigen::Index>(k)) > 0.1 * loose.maxCoeff())
        undetermined_ +=
            (undetermined_.empty() ? "'" : ", '") + closure_.model().speed_names()[free[k]] + "'";
    return false;
  }
  const Eigen::VectorXd moves =
      x0 + Z * dense::Cholesky(K).solve(Z.transpose() * (efforts - M * x0));
  if (!moves.allFinite()) return false;
  for (std::size_t k = 0; k < free.size(); ++k)
    x(free[k]) = scale(static_cast<Eigen::Index>(k)) * moves(static_cast<Eigen::Index>(k));
  // A' lambda = M x - f, the minimum-norm solution.
  const Eigen::VectorXd along = svd.V.leftCols(rank).transpose() * (M * moves - efforts);
  packed_ = (svd.U.leftCols(rank) * along.cwiseQuotient(svd.values.head(rank))).cwiseQuotient(size);
  return true;
}

/// The same with Z' M Z y = Z' (f - M x0) by elimination: M is not symmetric.
bool LoopSystem::solve_unsymmetric(const Eigen::VectorXd& f, Eigen::VectorXd& x) {
  std::vector<int> free;
  for (int k = 0; k < n_; ++k) {
    if (held_[k]) continue;
    free.push_back(k);
    x(k) = 0;
  }
  Eigen::MatrixXd M, A;
  make_dense(M, A);
  const Eigen::VectorXd scale = closure_.column_scale()(free);
  const Eigen::VectorXd left = f - unsymmetric_ * x, missing = g_packed_ - A * x;
  M = (scale.asDiagonal() * unsymmetric_(free, free) * scale.asDiagonal()).eval();
  A = (A(Eigen::all, free) * scale.asDiagonal()).eval();
  const Eigen::VectorXd efforts = scale.cwiseProduct(left(free));
  const double tolerance = loop_rank_tolerance_of(closure_.model());
  const dense::Svd svd = dense::svd(A, dense::SvdParts::full);
  const int rank = svd.rank(tolerance);
  const Eigen::VectorXd x0 = svd.solve(missing, tolerance);
  const Eigen::MatrixXd Z = svd.V.rightCols(std::ssize(free) - rank);
  const dense::Lu K(Z.transpose() * M * Z);
  if (Z.cols() > 0 && !(K.pivots().cwiseAbs().minCoeff() > 0)) return false;
  const Eigen::VectorXd along_loops = Z.transpose() * (efforts - M * x0);
  const Eigen::VectorXd moves = x0 + Z * K.solve(along_loops);
  if (!moves.allFinite()) return false;
  for (std::size_t k = 0; k < free.size(); ++k)
    x(free[k]) = scale(static_cast<Eigen::Index>(k)) * moves(static_cast<Eigen::Index>(k));
  const Eigen::VectorXd along = svd.V.leftCols(rank).transpose() * (M * moves - efforts);
  packed_ = svd.U.leftCols(rank) * along.cwiseQuotient(svd.values.head(rank));
  return true;
}

}  // namespace ulna
