#include "modal_body/modal_parts.hpp"
#include "modal_body/sample_basis.hpp"

namespace ulna {

Eigen::MatrixXd modal_stiffness(const BendingBeam& of, const BeamSamples& samples) {
  return of.table ? of.table->stiffness : samples.stiffness(true);
}

/// The bending moments turn with the twisted section: K3 = v'' + phi w'', K2 = -(w'' - phi v'').
/// Only with both planes and torsion is there anything to couple. A table's stiffness is linear.
void fill_stiffness(const BendingBeam& of, const BeamSamples& s, ModalBody& body) {
  const bool coupled = !of.table && s.any(twisting) && s.any(across_y) && s.any(across_z);
  if (!coupled) return store_symmetric(modal_stiffness(of, s), body.stiffness);
  store_symmetric(s.stiffness(false), body.stiffness);
  const int k = s.modes();
  const long n = s.root_rho.size();
  const Eigen::VectorXd root_z = s.EIz.cwiseSqrt(), root_y = s.EIy.cwiseSqrt();
  SampleBasis basis;
  const auto add = [&](const Eigen::VectorXd& in_z, const Eigen::VectorXd& in_y) {
    Eigen::VectorXd both(2 * n);
    both << root_z.cwiseProduct(in_z), root_y.cwiseProduct(in_y);
    return both.isZero(0) ? -1 : basis.add(both);
  };
  std::vector<int> column;
  for (int i = 0; i < k; ++i)
    column.push_back(add(s.curvatures[across_y].col(i), s.curvatures[across_z].col(i)));
  Eigen::MatrixXi pair(k, k);
  const auto product = [&](int t, int i, ShapePart part) {
    return s.values[twisting].col(t).cwiseProduct(s.curvatures[part].col(i));
  };
  for (int i = 0; i < k; ++i)
    for (int j = i; j < k; ++j)
      pair(i, j) = pair(j, i) = add(product(i, j, across_z) + product(j, i, across_z),
                                    -product(i, j, across_y) - product(j, i, across_y));
  body.strains = basis.size();
  for (int h = 0; h < body.strains; ++h) {
    for (int i = 0; i < k; ++i) body.strain_linear.push_back(basis.coordinate(column[i], h));
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < k; ++j) body.strain_quadratic.push_back(basis.coordinate(pair(i, j), h));
  }
}

}  // namespace ulna
