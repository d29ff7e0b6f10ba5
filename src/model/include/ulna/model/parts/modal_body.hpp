#pragma once
// A flexible body as the kernels see it: a beam with k modal coordinates eta, reduced to numbers
// (docs/theory/flexible.md, eq. 5-12). Everything is in the beam's root frame: origin at the start
// of its axis, x along it, y and z those of the section.
//
// Every point of the axis is a polynomial of degree two in eta,
//
//   r(x, eta) = x e1 + A(x) eta - e1 eta' beta(x) eta / 2,      beta_ij = int_0^x phi_i' phi_j' dx,
//
// and so is its projection onto any function of x. Projected onto a basis that is orthonormal
// under the mass per length, the kinetic energy is that of a few generalised points without any
// remainder:
//
//   T = 1/2 sum_g |e_g v + w x R_g(eta) + dR_g/dt|^2,   R_g = int rho psi_g r dx.
//
// Nothing is integrated at run time, and the mass matrix is a sum of squares: positive at every
// deflection. The strain energy has the same form where twist couples the two bending planes.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ulna/model/parts/beam.hpp"

namespace ulna {

/// A section of the beam that carries a joint, a frame or a rigid body: its position and rotation
/// R = Rz(c) Ry(b) Rx(a) in the root frame. Matrices are row major with `modes` columns.
struct ModalStation {
  double x = 0;                        ///< undeformed place along the axis
  std::vector<double> position;        ///< 3 x k: slope of the position in eta
  std::vector<double> shortening;      ///< k x k: position.x has + eta' (.) eta / 2
  std::vector<double> angles;          ///< 3 x k: a, b, c
  std::vector<double> twist_coupling;  ///< k x k: a has + eta' (.) eta / 2
};

struct BeamElements;

struct ModalBody {
  int modes = 0;  ///< k

  // Mass: generalised points.
  int points = 0;
  std::vector<double> share;      ///< e_g
  std::vector<double> place;      ///< x of R_g at eta = 0
  std::vector<double> linear;     ///< points x 3 x k
  std::vector<double> quadratic;  ///< points x k x k: R_g.x has + eta' (.) eta / 2

  // Spin of the sections about the axis: T = 1/2 sum_s (e_s w_x + l_s deta)^2.
  int spins = 0;
  std::vector<double> spin_share;   ///< e_s
  std::vector<double> spin_linear;  ///< spins x k

  // Elastic energy 1/2 eta' K eta + 1/2 sum_h (l_h eta + eta' Q_h eta / 2)^2, damping effort D
  // deta.
  std::vector<double> stiffness, damping;  ///< k x k
  int strains = 0;
  std::vector<double> strain_linear;     ///< strains x k
  std::vector<double> strain_quadratic;  ///< strains x k x k

  std::vector<ModalStation> stations;  ///< those that are used, filled when the robot is frozen

  // Not read by kernels.
  Pose<double> X_BR;  ///< the root frame in the body's frame
  double length = 0;
  bool turns_at_root = false;  ///< modes with a slope at the root: pinned ones
  /// Of a geometrically exact beam (exact_beam.hpp); null for one with modes.
  std::shared_ptr<const BeamElements> elements;
  std::vector<std::string> names;   ///< of the modes: "y1", "z1", "t1", "x1", ...
  std::vector<double> frequencies;  ///< of the beam alone with each mode by itself, rad/s
  std::function<ModalStation(double x)> station_at;      ///< any section of the axis
  std::function<std::vector<double>(double x)> moments;  ///< 3 x k: twisting moment, bending
                                                         ///< moments about y and z by eta
  /// The same body clamped at its other end, for trees that reach it there.
  std::function<std::shared_ptr<const ModalBody>()> reversed;
};

}  // namespace ulna
