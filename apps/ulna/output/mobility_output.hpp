#pragma once
// The mobility of a robot, assembled from neutral, for `info` and `check`.

#include <optional>

#include "output/json_output.hpp"
#include "ulna/kinematics/mobility.hpp"

namespace ulna::cli {

struct MobilityFindings {
  std::optional<Mobility> report;  ///< none when it cannot be assembled
  Eigen::VectorXd q;
  std::string reason;  ///< why not
  std::vector<std::string> notes;

  /// There are closures to tell of, or why they stay open.
  bool concern_loops() const { return !report || !report->loops.empty(); }
};

MobilityFindings find_mobility(const Model& model);
/// Degrees of freedom for motions of finite length; null where they are not determined.
Json finite_dof(const Mobility& report);
Json mobility_json(const Model& model, const MobilityFindings& findings);
std::string mobility_text(const Model& model, const MobilityFindings& findings);

}  // namespace ulna::cli
