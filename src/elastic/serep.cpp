#include "ulna/elastic/serep.hpp"

#include <Eigen/QR>

#include "ulna/elastic/natural_modes.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::elastic {

Reduction serep(const SystemMatrices& system, const std::vector<int>& masters) {
  const auto m = static_cast<int>(masters.size());
  other_freedoms(system.size(), masters);  // the checks
  EigenOptions options;
  options.count = m;
  const NaturalModes modes = natural_modes(system, options);
  Eigen::MatrixXd at_masters(m, modes.count());
  for (int k = 0; k < m; ++k) at_masters.row(k) = modes.shapes.row(masters[k]);
  // The masters must tell the modes apart: T = Phi Phi_m^-1.
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(at_masters.transpose());
  if (modes.count() < m || qr.rank() < m)
    throw ComputationError("the freedoms kept cannot tell the modes apart: keep others");
  return {qr.solve(modes.shapes.transpose()).transpose(), masters, 0};
}

}  // namespace ulna::elastic
