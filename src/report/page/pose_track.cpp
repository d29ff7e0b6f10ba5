#include "page/pose_track.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "page/binary.hpp"
#include "ulna/dynamics/centroidal.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna {

PoseTrack::PoseTrack(const Model& model, bool with_centre)
    : model_(model), work_(model), with_centre_(with_centre && has_moving_mass(model)) {}

void PoseTrack::add(const VectorRef& q) {
  const Eigen::VectorXd posture = model_.normalized(q);
  update_poses(model_, work_, posture);
  for (std::size_t b = 1; b < model_.bodies().size(); ++b) {
    const Pose<double> X_WB = frame_pose(model_, work_, static_cast<int>(b));
    for (const double x : X_WB.position) positions_.push_back(x);
    for (const double x : quaternion_from_rotation(X_WB.rotation))
      quaternions_.push_back(static_cast<std::int16_t>(std::lround(32767 * x)));
  }
  if (!with_centre_) return;
  for (const double x : centre_of_mass_motion(model_, work_, posture, work_.zero()).position)
    centres_.push_back(static_cast<float>(x));
}

nlohmann::ordered_json PoseTrack::json() const {
  double low[3] = {0, 0, 0}, size[3] = {0, 0, 0};
  for (std::size_t axis = 0; axis < 3 && !positions_.empty(); ++axis) {
    double least = INFINITY, greatest = -INFINITY;
    for (std::size_t k = axis; k < positions_.size(); k += 3) {
      least = std::min(least, positions_[k]);
      greatest = std::max(greatest, positions_[k]);
    }
    low[axis] = least, size[axis] = greatest - least;
  }
  std::vector<std::uint16_t> quantised;
  quantised.reserve(positions_.size());
  for (std::size_t k = 0; k < positions_.size(); ++k) {
    const double share = size[k % 3] > 0 ? (positions_[k] - low[k % 3]) / size[k % 3] : 0;
    quantised.push_back(static_cast<std::uint16_t>(std::lround(65535 * share)));
  }
  nlohmann::ordered_json out;
  out["low"] = low;
  out["size"] = size;
  out["position"] = base64_of(quantised);
  out["quaternion"] = base64_of(quaternions_);
  if (with_centre_) out["centre"] = base64_of(centres_);
  return out;
}

}  // namespace ulna
