#include "ulna/elastic/parts/reduction.hpp"

#include <fmt/format.h>

#include "condensation/partition.hpp"
#include "modal_body/rounding.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::elastic {
namespace {

SparseMatrix picker(int size, const std::vector<int>& columns) {
  SparseMatrix P(size, static_cast<int>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) P.insert(columns[k], static_cast<int>(k)) = 1;
  P.makeCompressed();
  return P;
}

}  // namespace

std::vector<int> other_freedoms(int size, const std::vector<int>& masters) {
  std::vector<bool> taken(size, false);
  for (const int m : masters) {
    if (m < 0 || m >= size)
      throw InputError(fmt::format("freedom {} is to be kept", m + 1),
                       fmt::format("1 .. {}", size));
    if (taken[m]) throw InputError(fmt::format("freedom {} is kept twice", m + 1));
    taken[m] = true;
  }
  std::vector<int> others;
  for (int i = 0; i < size; ++i)
    if (!taken[i]) others.push_back(i);
  return others;
}

ReducedSystem reduce(const SystemMatrices& system, const Reduction& reduction) {
  const Eigen::MatrixXd& T = reduction.T;
  const auto congruent = [&](const SparseMatrix& A) {
    const Eigen::MatrixXd R = T.transpose() * (A * T);
    Eigen::MatrixXd S = 0.5 * (R + R.transpose());
    const double noise = S.size() > 0 ? rounding_of_diagonal * S.diagonal().maxCoeff() : 0;
    for (int k = 0; k < S.rows(); ++k)
      if (S(k, k) < 0 && S(k, k) >= -noise) S(k, k) = 0;
    return S;
  };
  ReducedSystem r{congruent(system.M), Eigen::MatrixXd::Zero(T.cols(), T.cols()),
                  congruent(system.K)};
  if (system.damped()) r.C = congruent(system.C);
  return r;
}

SystemMatrices reduced_system(const SystemMatrices& system, const Reduction& reduction) {
  const ReducedSystem r = reduce(system, reduction);
  SystemMatrices s;
  s.M = r.M.sparseView();
  s.K = r.K.sparseView();
  if (system.damped()) s.C = r.C.sparseView();
  for (const int m : reduction.masters) s.names.push_back(system.name(m));
  for (int k = 0; k < reduction.modal; ++k) s.names.push_back(fmt::format("mode {}", k + 1));
  return s;
}

Partition::Partition(const SystemMatrices& system, const std::vector<int>& masters, double omega2)
    : masters_(masters),
      slaves_(other_freedoms(system.size(), masters)),
      pick_masters_(picker(system.size(), masters_)),
      pick_slaves_(picker(system.size(), slaves_)) {
  const SparseMatrix D = omega2 == 0 ? system.K : SparseMatrix(system.K - omega2 * system.M);
  const SparseMatrix Dss = block(D, false, false);
  factor_ = SparseFactor(Dss);
  const Eigen::VectorXd scale = Dss.diagonal();
  if (!factor_.ok() || !(factor_.pivots().array().abs() > 1e-13 * scale.array().abs()).all())
    throw ComputationError(
        "the freedoms left out could move without stiffness: keep more, or others (a free joint "
        "must "
        "be among those kept)");
  following_ = -factor_.solve(Eigen::MatrixXd(block(D, false, true)));
}

SparseMatrix Partition::block(const SparseMatrix& A, bool master_rows, bool master_columns) const {
  const SparseMatrix& rows = master_rows ? pick_masters_ : pick_slaves_;
  const SparseMatrix& columns = master_columns ? pick_masters_ : pick_slaves_;
  return rows.transpose() * A * columns;
}

Eigen::MatrixXd Partition::joined(const Eigen::MatrixXd& master_rows,
                                  const Eigen::MatrixXd& slave_rows) const {
  Eigen::MatrixXd T(masters_.size() + slaves_.size(), master_rows.cols());
  for (std::size_t k = 0; k < masters_.size(); ++k)
    T.row(masters_[k]) = master_rows.row(static_cast<int>(k));
  for (std::size_t k = 0; k < slaves_.size(); ++k)
    T.row(slaves_[k]) = slave_rows.row(static_cast<int>(k));
  return T;
}

}  // namespace ulna::elastic
