#include "ulna/elastic/internal/dynamic_condensation.hpp"

#include "condensation/partition.hpp"

namespace ulna::elastic {

Reduction dynamic_condensation(const SystemMatrices& system, const std::vector<int>& masters,
                               double omega) {
  const Partition parts(system, masters, omega * omega);
  const auto m = static_cast<int>(masters.size());
  return {parts.joined(Eigen::MatrixXd::Identity(m, m), parts.following()), masters, 0};
}

}  // namespace ulna::elastic
