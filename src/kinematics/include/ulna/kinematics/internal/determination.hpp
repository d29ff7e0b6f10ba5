#pragma once
// Whether chosen rates determine a mechanism, those of closing joints among them: decided on pure
// numbers, where a turn of one radian counts like a slide by the robot's length. A joint that the
// loops keep at rest determines nothing, however its row is scaled.

#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/model/joints/joint_traits.hpp"

namespace ulna {

/// What counts as one for the rate of a degree of a closing joint: 1, or the robot's length.
inline double closing_scale(const Model& model, int loop, int degree) {
  const Degree& of = traits_of(model.loops()[static_cast<std::size_t>(loop)].type)
                         .speeds[static_cast<std::size_t>(degree)];
  return of.dimension == Dimension::length ? model.length_scale() : 1;
}

/// How well rates at places in all_speed_names() determine the independent speeds, of which they
/// are the rows of N: the smallest singular value over the largest, or over 1 if that is smaller.
double determination(const LoopClosure& closure, const SpeedSplit& split,
                     const std::vector<int>& places, Eigen::MatrixXd N);

}  // namespace ulna
