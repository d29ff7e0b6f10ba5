#pragma once
// Which frame of a robot is its tip, where none is named.

#include "ulna/model/model.hpp"

namespace ulna {

/// Of a platform held by legs: its own frame, or the last one on it. Otherwise a frame on the
/// deepest node; among equals the one declared last (a tool frame on the last body). On an arm with
/// a gripper it is the flange and not a finger, whether the fingers move or are fixed.
int tip_of(const Model& model);

}  // namespace ulna
