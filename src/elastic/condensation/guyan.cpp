#include "ulna/elastic/internal/guyan.hpp"

#include "condensation/partition.hpp"

namespace ulna::elastic {

Reduction guyan(const SystemMatrices& system, const std::vector<int>& masters) {
  const Partition parts(system, masters);
  const auto m = static_cast<int>(masters.size());
  return {parts.joined(Eigen::MatrixXd::Identity(m, m), parts.following()), masters, 0};
}

}  // namespace ulna::elastic
