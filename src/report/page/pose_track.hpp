#pragma once
// The poses of all bodies at every record, quantised for the page.

#include <nlohmann/json_fwd.hpp>

#include "ulna/kinematics/kinematics.hpp"

namespace ulna {

/// Collects poses record by record. Positions become 16-bit shares of the extent of the motion,
/// quaternions 16-bit shares of 1: 1.5e-5 of either.
class PoseTrack {
 public:
  explicit PoseTrack(const Model& model, bool with_centre = true);
  void add(const VectorRef& q);
  /// {"low": [3], "size": [3], "position": base64 of uint16, "quaternion": base64 of int16 (w, x,
  /// y, z), "centre": base64 of float32} by record, then by body (the world left out).
  nlohmann::ordered_json json() const;

 private:
  const Model& model_;
  Workspace work_;
  bool with_centre_;
  std::vector<double> positions_;
  std::vector<std::int16_t> quaternions_;
  std::vector<float> centres_;
};

}  // namespace ulna
