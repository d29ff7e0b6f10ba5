#include "ulna/elastic/internal/serep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ulna/elastic/natural_modes.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::elastic {
namespace {

Eigen::MatrixXd lowest_shapes(const SystemMatrices& system, int count) {
  EigenOptions options;
  options.count = count;
  const NaturalModes modes = natural_modes(system, options);
  if (modes.count() < count)
    throw ComputationError(
        fmt::format("{} coordinates, but mass for {} modes only", count, modes.count()));
  return modes.shapes;
}

Reduction in_masters(const Eigen::MatrixXd& shapes, const std::vector<int>& masters) {
  const auto m = static_cast<int>(masters.size());
  Eigen::MatrixXd at_masters(m, m);
  for (int k = 0; k < m; ++k) at_masters.row(k) = shapes.row(masters[k]);
  // The masters must tell the modes apart: T = Phi Phi_m^-1.
  const dense::PivotedQr qr(at_masters.transpose());
  if (qr.rank() < m)
    throw ComputationError("the freedoms kept cannot tell the modes apart: keep others");
  return {qr.solve(shapes.transpose()).transpose(), masters, 0};
}

// Pivots of the modes' rows, weighed by sqrt(M_ii) to be of one unit. Since Phi' M Phi = 1, these
// rows have full rank: there are always as many.
std::vector<int> telling_freedoms(const SystemMatrices& system, const Eigen::MatrixXd& shapes) {
  const Eigen::VectorXd weight = system.M.diagonal().cwiseMax(0).cwiseSqrt();
  const Eigen::MatrixXd weighed = shapes.transpose() * weight.asDiagonal();
  std::vector<int> masters = dense::PivotedQr(weighed).column_order();
  masters.resize(shapes.cols());
  std::sort(masters.begin(), masters.end());
  return masters;
}

}  // namespace

Reduction serep(const SystemMatrices& system, const std::vector<int>& masters) {
  other_freedoms(system.size(), masters);  // the checks
  return in_masters(lowest_shapes(system, static_cast<int>(masters.size())), masters);
}

Reduction serep(const SystemMatrices& system, int keep) {
  if (keep < 1 || keep > system.size())
    throw InputError(fmt::format("{} coordinates are to be kept", keep),
                     fmt::format("1 .. {}", system.size()));
  const Eigen::MatrixXd shapes = lowest_shapes(system, keep);
  return in_masters(shapes, telling_freedoms(system, shapes));
}

}  // namespace ulna::elastic
