#pragma once
// The constants of bending modes that books print: mass integrals E, F, G, stiffness H and the
// foreshortening integrals mu, eta, beta(l). docs/theory/flexible.md, eq. 13-15. The kernels use
// the richer set in ModalBody; these are for checks, stability charts and comparison with print.

#include <Eigen/Core>

#include "ulna/elastic/parts/mode_family.hpp"

namespace ulna {

struct ModalIntegrals {
  Eigen::VectorXd E, F;  ///< int rho phi, int rho x phi
  Eigen::MatrixXd G, H;  ///< int rho phi phi, int EI phi'' phi''
  /// int rho beta dx and int rho x beta dx with beta_ij(x) = int_0^x phi_i' phi_j' dx.
  Eigen::MatrixXd mu, eta;
  Eigen::MatrixXd beta;  ///< at the tip
};

/// Of any modes of a uniform beam, by quadrature.
ULNA_API ModalIntegrals modal_integrals(const ModeSet& modes, double mass_per_length, double EI);

/// Of the first `count` clamped-free modes, in closed form.
ULNA_API ModalIntegrals clamped_free_integrals(double length, int count, double mass_per_length,
                                               double EI);

}  // namespace ulna
