#pragma once
// A change of coordinates as a value: how speeds and accelerations in one set of coordinates give
// those in another,
//
//   v_out = G v_in,   a_out = G a_in + gamma,   gamma_k = v_in' H_k v_in                        (1)
//
// Independent to all speeds of a mechanism, joints to tool, legs to platform: all are this. Maps
// compose and, where square, invert. docs/theory/closed-loops.md, eq. 12-14. H may be left out;
// then gamma holds for the one v_in it was made with.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

struct CoordinateMap {
  Eigen::MatrixXd G;               ///< out x in
  Eigen::VectorXd gamma;           ///< out
  std::vector<Eigen::MatrixXd> H;  ///< one in x in matrix for each out; or empty

  Eigen::Index in() const { return G.cols(); }
  Eigen::Index out() const { return G.rows(); }
  Eigen::VectorXd speeds(const Eigen::VectorXd& v) const { return G * v; }
  Eigen::VectorXd accelerations(const Eigen::VectorXd& a) const { return G * a + gamma; }
  /// Efforts that do the same work: tau_in = G' tau_out.
  Eigen::VectorXd efforts(const Eigen::VectorXd& tau) const { return G.transpose() * tau; }
  /// gamma for other speeds; InputError without H.
  ULNA_API Eigen::VectorXd gamma_at(const Eigen::VectorXd& v) const;

  ULNA_API static CoordinateMap identity(int n);
};

/// First `inner`, then `outer`. InputError where their sizes do not fit.
ULNA_API CoordinateMap compose(const CoordinateMap& outer, const CoordinateMap& inner);

/// ComputationError where G is singular (reciprocal condition below 1e-12), InputError where it is
/// not square: which of redundant or deficient.
ULNA_API CoordinateMap inverse(const CoordinateMap& map);

}  // namespace ulna
