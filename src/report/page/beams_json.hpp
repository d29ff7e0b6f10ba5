#pragma once
// Flexible links for the page: points along each beam at every record.

#include <nlohmann/json_fwd.hpp>

#include "ulna/model/model.hpp"

namespace ulna {

/// Collects the deflections of all flexible links, record by record.
class BeamTrack {
 public:
  explicit BeamTrack(const Model& model) : model_(model), links_(model.flexible_links().size()) {}

  void add(const VectorRef& q);
  /// The list `beams`; `radius` of the tubes.
  nlohmann::ordered_json json(double radius) const;

 private:
  static constexpr int points = 17;  ///< along each beam: smooth up to its eighth mode
  const Model& model_;
  std::vector<std::vector<float>> links_;  ///< deflections, 3 for each point and record
};

}  // namespace ulna
