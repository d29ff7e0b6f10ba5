#include "ulna/elastic/internal/craig_bampton.hpp"

#include <fmt/format.h>

#include "condensation/partition.hpp"
#include "ulna/elastic/natural_modes.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::elastic {

Reduction craig_bampton(const SystemMatrices& system, const std::vector<int>& interface,
                        int modes) {
  const Partition parts(system, interface);
  const auto fixed = static_cast<int>(interface.size());
  const int n = static_cast<int>(parts.slaves().size());
  if (modes < 0 || modes > n)
    throw InputError(fmt::format("{} component modes", modes), fmt::format("0 .. {}", n));
  Eigen::MatrixXd top = Eigen::MatrixXd::Zero(fixed, fixed + modes);
  Eigen::MatrixXd bottom(n, fixed + modes);
  top.leftCols(fixed).setIdentity();
  bottom.leftCols(fixed) = parts.following();
  if (modes > 0) {
    SystemMatrices clamped;
    clamped.K = parts.block(system.K, false, false);
    clamped.M = parts.block(system.M, false, false);
    for (const int s : parts.slaves()) clamped.names.push_back(system.name(s));
    EigenOptions options;
    options.count = modes;
    const NaturalModes found = natural_modes(clamped, options);
    if (found.count() < modes)
      throw InputError(
          fmt::format("{} component modes, but mass for {} only", modes, found.count()));
    bottom.rightCols(modes) = found.shapes;
  }
  return {parts.joined(top, bottom), interface, modes};
}

}  // namespace ulna::elastic
