#pragma once
// Poses in files, as this program prints them: the JSON of `fk` (one frame or several), of
// `platform`, an object with `position` and `rotation`, `quaternion` or `rpy`, or a 4x4 list.

#include "options/pose_options.hpp"

namespace ulna::cli {

/// InputError naming the file and what was found in it.
TypedPose pose_of_file(const std::string& file, const std::string& frame);

/// 16 or 12 numbers by rows; InputError where they are no rotation and position.
TypedPose pose_of_matrix(const std::string& where, const Eigen::VectorXd& entries);

}  // namespace ulna::cli
