#include <fmt/format.h>

#include "modal_body/modal_parts.hpp"
#include "modal_body/sample_basis.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

/// docs/theory/flexible.md, eq. 7, 8: the generalised points.
void fill_points(const BeamSamples& s, ModalBody& body) {
  const int k = s.modes();
  const auto n = static_cast<long>(s.points.x.size());
  SampleBasis basis;
  const Eigen::Map<const Eigen::VectorXd> x(s.points.x.data(), n);
  const int one = basis.add(s.root_rho), along = basis.add(s.root_rho.cwiseProduct(x));
  constexpr ShapePart axes[] = {stretching, across_y, across_z};
  std::vector<std::array<int, 3>> column(static_cast<std::size_t>(k), {-1, -1, -1});
  for (int i = 0; i < k; ++i)
    for (int axis = 0; axis < 3; ++axis)
      if (s.shapes[i].has(axes[axis]))
        column[i][axis] = basis.add(s.root_rho.cwiseProduct(s.values[axes[axis]].col(i)));
  Eigen::MatrixXi pair = Eigen::MatrixXi::Constant(k, k, -1);
  for (int i = 0; i < k; ++i)
    for (int j = i; j < k; ++j) {
      const bool bent = (s.shapes[i].has(across_y) && s.shapes[j].has(across_y)) ||
                        (s.shapes[i].has(across_z) && s.shapes[j].has(across_z));
      if (bent) pair(i, j) = pair(j, i) = basis.add(s.root_rho.cwiseProduct(s.shortening(i, j)));
    }
  body.points = basis.size();
  for (int g = 0; g < body.points; ++g) {
    body.share.push_back(basis.coordinate(one, g));
    body.place.push_back(basis.coordinate(along, g));
    for (int axis = 0; axis < 3; ++axis)
      for (int i = 0; i < k; ++i) body.linear.push_back(basis.coordinate(column[i][axis], g));
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < k; ++j) body.quadratic.push_back(-basis.coordinate(pair(i, j), g));
  }
}

/// eq. 9: the sections turn about the axis with the body and with the torsion modes.
void fill_spins(const BendingBeam& of, const BeamSamples& s, ModalBody& body) {
  if (!(s.root_spin.maxCoeff() > 0)) {
    if (s.any(twisting) && !of.table)
      refuse_beam(of.beam, of.element, "torsion modes, but its sections have no polar inertia",
                  "a section, or EA beside EIy and EIz", "torsion: 0 leaves twisting out");
    return;
  }
  SampleBasis basis;
  const int one = basis.add(s.root_spin);
  std::vector<int> column(static_cast<std::size_t>(s.modes()), -1);
  for (int i = 0; i < s.modes(); ++i)
    if (s.shapes[i].has(twisting))
      column[i] = basis.add(s.root_spin.cwiseProduct(s.values[twisting].col(i)));
  body.spins = basis.size();
  for (int r = 0; r < body.spins; ++r) {
    body.spin_share.push_back(basis.coordinate(one, r));
    for (int i = 0; i < s.modes(); ++i) body.spin_linear.push_back(basis.coordinate(column[i], r));
  }
}

/// eq. 31: what a mass matrix from a file has beyond that of the shapes (rotatory inertia, mass off
/// the axis) is kinetic energy of the modes alone.
void add_rest_of_mass(const BendingBeam& of, const Eigen::MatrixXd& M, ModalBody& body) {
  constexpr double slack = 0.01;
  const int k = body.modes;
  const dense::SymmetricEigen rest = dense::eigen_symmetric(M - modal_mass(body), M);
  if (!dense::Cholesky(M).ok() || !rest.ok)
    refuse_beam(of.beam, of.element, "the mass matrix of its modes is not positive definite",
                "modes that can be normalised by mass");
  const double least = rest.values.minCoeff();
  if (least < -slack)
    refuse_beam(of.beam, of.element,
                fmt::format("the mass matrix of its modes is {:.3g} % smaller than that of its "
                            "shapes with its mass per length",
                            -100 * least),
                "matrices and shapes of the same member, without the attached bodies");
  const Eigen::MatrixXd rows = rest.vectors.transpose() * M;
  for (int m = 0; m < k; ++m) {
    const double share = rest.values(m);
    if (!(share > 1e-9)) continue;
    ++body.spins;
    body.spin_share.push_back(0);
    for (int i = 0; i < k; ++i) body.spin_linear.push_back(std::sqrt(share) * rows(m, i));
  }
}

}  // namespace

Eigen::MatrixXd modal_mass(const ModalBody& body) {
  const int k = body.modes;
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(k, k);
  const auto add = [&](const std::vector<double>& rows, int count) {
    for (int r = 0; r < count; ++r) {
      const Eigen::Map<const Eigen::VectorXd> row(rows.data() + r * k, k);
      M += row * row.transpose();
    }
  };
  add(body.linear, 3 * body.points);
  add(body.spin_linear, body.spins);
  return M;
}

void fill_inertia(const BendingBeam& of, const BeamSamples& samples, ModalBody& body) {
  fill_points(samples, body);
  fill_spins(of, samples, body);
  if (of.table && of.table->mass.size() > 0) add_rest_of_mass(of, of.table->mass, body);
}

}  // namespace ulna
