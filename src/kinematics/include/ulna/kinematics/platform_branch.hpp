#pragma once
// On which branch a platform stands: reached from its home pose along closed postures with the
// drives moving straight to their values, in another working mode of a leg, or in another assembly
// of the same drives. docs/theory/platforms.md, section 2.

#include <optional>

#include "ulna/model/model.hpp"
#include "ulna/spatial/pose.hpp"

namespace ulna {

struct PlatformBranch {
  std::string body;                   ///< the platform
  Pose<double> pose;                  ///< its pose
  bool at_home = false;               ///< the home pose itself
  bool of_home = false;               ///< on the branch of the home pose
  std::string why = {};               ///< what says that it is on another one
  ULNA_API std::string text() const;  ///< one sentence: where it starts and on which branch
};

/// Of the platform of a robot at a closed posture. None for robots of which no body floats on the
/// world, with modes, or whose home pose cannot be assembled.
ULNA_API std::optional<PlatformBranch> platform_branch(const Model& model,
                                                       const Eigen::VectorXd& q);

/// Whether a sentence of PlatformBranch::text says that nothing is unusual: the branch of home.
ULNA_API bool says_home_branch(const std::string& text);

}  // namespace ulna
