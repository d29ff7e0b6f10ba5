#pragma once
// A flexible beam at the places of a quadrature: shapes, mass and stiffness, times its weights.

#include <Eigen/Core>

#include "modal_body/beam_shapes.hpp"
#include "modal_body/quadrature.hpp"

namespace ulna {

struct BeamSamples {
  /// Shapes of the beam's family, or of a table.
  BeamSamples(const BeamData& beam, const std::string& element, const ModeTable* table);

  int modes() const { return static_cast<int>(shapes.size()); }
  bool any(ShapePart part) const;
  /// int_0^x of the product of the slopes of shapes i and j across the axis, at all places.
  Eigen::VectorXd shortening(int i, int j) const;
  /// docs/theory/flexible.md, eq. 10 without its coupling: bending in both planes (or not),
  /// torsion, stretching.
  Eigen::MatrixXd stiffness(bool with_bending) const;

  std::vector<BeamShape> shapes;
  Quadrature points;
  Eigen::VectorXd root_rho, root_spin;  ///< roots of mass and polar inertia, with the weight
  Eigen::VectorXd EIy, EIz, GJ, EA;
  std::array<Eigen::MatrixXd, 4> values, slopes, curvatures;  ///< places x modes, by part
};

}  // namespace ulna
