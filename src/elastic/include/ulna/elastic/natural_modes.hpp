#pragma once
// K x = omega^2 M x: the natural frequencies and shapes of an undamped structure, lowest first.
//
// Small systems: all modes at once, from M x = mu (K + s M) x with mu = 1/(omega^2 + s), which
// takes singular M (lumped masses without rotation) and, with s > 0, singular K (free joints,
// free-free beams). Large ones: Lanczos iteration on the inverse (Spectra) with K + s M factored by
// LDL' in Eigen's approximate minimum degree order. docs/theory/structure.md, eqs. 15-17.

#include <Eigen/Core>
#include <string>

#include "ulna/elastic/parts/system_matrices.hpp"

namespace ulna::elastic {

struct NaturalModes {
  Eigen::VectorXd omega;     ///< rad/s; exactly zero for rigid-body modes
  Eigen::MatrixXd shapes;    ///< one column each, x'Mx = 1
  Eigen::VectorXd residual;  ///< |K x - omega^2 M x| / (|K| |x|), of rounding size when all is well
  int rigid_body_modes = 0;
  std::string warning;  ///< e.g. frequencies that the conditioning of K leaves few digits

  int count() const { return static_cast<int>(omega.size()); }
};

struct EigenOptions {
  enum class Method { automatic, dense, sparse };
  int count = 10;  ///< lowest modes wanted; 0: all (dense)
  Method method = Method::automatic;
  int dense_limit = 500;  ///< automatic: up to this size dense
};

/// Throws InputError (see `check`) and ComputationError: stiffness that is not positive, iteration
/// that does not converge.
ULNA_API NaturalModes natural_modes(const SystemMatrices& system, const EigenOptions& options = {});

/// Modal assurance criterion with the mass matrix, |a'Mb|^2 / (a'Ma b'Mb), for each pair of
/// columns.
ULNA_API Eigen::MatrixXd modal_assurance(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b,
                                         const SparseMatrix& M);

/// Which column of `next` continues each column of `previous`: the pairing with the largest
/// assurances first, so that modes keep their identity where frequencies cross.
ULNA_API std::vector<int> follow_modes(const Eigen::MatrixXd& assurance);

}  // namespace ulna::elastic
