#pragma once
// The straight beam element in space: two nodes, each with displacements u, v, w and rotations
// rx, ry, rz, in the member's axes (12 freedoms). Axial and torsional motion are linear, bending
// cubic with the shear correction phi = 12 EI/(kGA L^2): phi = 0 is Euler and Bernoulli
// (docs/theory/structure.md, eqs. 8-14). Stiffness in closed form; everything that is an integral
// of the shape functions by Gauss points, which is exact here.

#include "ulna/model/parts/beam.hpp"
#include "ulna/scalar/parts/export.hpp"

namespace ulna::elastic {

using Matrix12 = Eigen::Matrix<double, 12, 12>;
using Vector12 = Eigen::Matrix<double, 12, 1>;

enum class BeamTheory { euler_bernoulli, timoshenko };
enum class MassMatrix { consistent, lumped };

struct ElementOptions {
  BeamTheory theory = BeamTheory::euler_bernoulli;
  MassMatrix mass = MassMatrix::consistent;
  bool rotatory_inertia = false;  ///< of the slices in bending; torsion always has its own
};

/// phi_y of bending in the x-y plane and phi_z of the x-z plane (eq. 9).
struct ShearRatio {
  double y = 0, z = 0;
};
ULNA_API ShearRatio shear_ratio(const BeamProperties& p, double length, BeamTheory theory);

ULNA_API Matrix12 beam_stiffness(const BeamProperties& p, double length,
                                 BeamTheory theory = BeamTheory::euler_bernoulli);
ULNA_API Matrix12 beam_mass(const BeamProperties& p, double length, const ElementOptions& options);

/// Geometric stiffness of an axial force that runs linearly from `start` to `end`, tension
/// positive (eq. 13).
ULNA_API Matrix12 beam_geometric_stiffness(const BeamProperties& p, double length, double start,
                                           double end, BeamTheory theory);

/// Displacement of the axis at xi = x/L from the 12 freedoms, and the rotation of the slice there.
using Matrix3x12 = Eigen::Matrix<double, 3, 12>;
ULNA_API Matrix3x12 displacement_shapes(double xi, double length, const ShearRatio& phi);
ULNA_API Matrix3x12 rotation_shapes(double xi, double length, const ShearRatio& phi);

/// The work-equivalent nodal forces of a line load that runs linearly from `start` to `end`, N/m.
ULNA_API Vector12 beam_load(double length, const ShearRatio& phi, const Vector3<double>& start,
                            const Vector3<double>& end);

/// Integral of mass N' B N over the element for a constant 3x3 matrix B: with B = 1 the consistent
/// mass, with B = 2 [w] the gyroscopic matrix, with B = [w][w] + [dw/dt] the centrifugal and Euler
/// stiffness of a turning frame (eqs. 12, 21).
ULNA_API Matrix12 beam_inertia_integral(const BeamProperties& p, double length,
                                        const ElementOptions& options, const Matrix3<double>& B);

}  // namespace ulna::elastic
