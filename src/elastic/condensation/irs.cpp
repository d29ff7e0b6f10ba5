#include "ulna/elastic/internal/irs.hpp"

#include "condensation/partition.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::elastic {

Reduction irs(const SystemMatrices& system, const std::vector<int>& masters, int iterations) {
  const Partition parts(system, masters);
  const auto m = static_cast<int>(masters.size());
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(m, m);
  const SparseMatrix Msm = parts.block(system.M, false, true);
  const SparseMatrix Mss = parts.block(system.M, false, false);
  Eigen::MatrixXd t = parts.following();
  for (int k = 0; k < iterations; ++k) {
    const ReducedSystem r = reduce(system, {parts.joined(one, t), masters, 0});
    const dense::Ldlt mass(r.M);
    if (!mass.ok() || !(mass.rcond() > 1e-14))
      throw ComputationError("the masters carry no mass of their own: keep others");
    const Eigen::MatrixXd inertia = Msm + Mss * t;
    t = parts.following() + parts.solve(inertia * mass.solve(r.K));
  }
  return {parts.joined(one, t), masters, 0};
}

}  // namespace ulna::elastic
