#include <fmt/format.h>

#include <cmath>

#include "modal_body/modal_parts.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

/// Of the modes that an eigenvector is made of, weighted by their kinetic energy.
double damping_ratio(const std::vector<double>& given, const Eigen::VectorXd& vector,
                     const Eigen::MatrixXd& M) {
  if (given.empty()) return 0;
  if (given.size() == 1) return given[0];
  double sum = 0, all = 0;
  for (long i = 0; i < vector.size(); ++i) {
    const double share = M(i, i) * vector(i) * vector(i);
    sum += share * given[static_cast<std::size_t>(i)], all += share;
  }
  return sum / all;
}

}  // namespace

/// A damping ratio for each mode of the bare beam, Rayleigh's two factors, or a table's own.
void fill_damping(const BendingBeam& of, const BeamSamples& samples, ModalBody& body) {
  const int k = body.modes;
  if (k == 0) return;
  const Eigen::MatrixXd K = modal_stiffness(of, samples), M = modal_mass(body);
  const dense::Cholesky factor(M);
  const Eigen::VectorXd pivots = factor.pivots();
  for (int i = 0; i < k; ++i)
    if (!factor.ok() || !(pivots(i) > 1e-12 * M(i, i)))
      refuse_beam(of.beam, of.element,
                  "its modes cannot be normalised by mass: some depend on others", "fewer modes",
                  "finite elements carry at most as many modes as elements");
  for (int i = 0; i < k; ++i)
    body.frequencies.push_back(std::sqrt(std::max(0.0, K(i, i) / M(i, i))));
  if (of.table && of.table->damping.size() > 0 && of.damping.empty() && !of.rayleigh)
    return store_symmetric(of.table->damping, body.damping);
  if (of.rayleigh)
    return store_symmetric(of.rayleigh->first * M + of.rayleigh->second * K, body.damping);
  if (of.damping.size() > 1 && static_cast<int>(of.damping.size()) != k)
    refuse_beam(of.beam, of.element,
                fmt::format("{} damping ratios for {} modes", of.damping.size(), k),
                "one for all, or one each");
  const dense::SymmetricEigen eigen = dense::eigen_symmetric(K, M);
  if (!eigen.ok || (of.table && !(eigen.values.minCoeff() > 0)))
    refuse_beam(of.beam, of.element, "the stiffness of its modes is not positive definite",
                "a member that is held at its start");
  const Eigen::MatrixXd P = M * eigen.vectors;
  Eigen::MatrixXd D = Eigen::MatrixXd::Zero(k, k);
  for (int m = 0; m < k; ++m)
    D += 2 * damping_ratio(of.damping, eigen.vectors.col(m), M) *
         std::sqrt(std::max(0.0, eigen.values(m))) * P.col(m) * P.col(m).transpose();
  store_symmetric(D, body.damping);
}

}  // namespace ulna
