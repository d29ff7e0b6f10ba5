#pragma once
// A joint of several degrees is a row of turns and slides about fixed axes, one degree each: what
// they are, and what their coordinates and speeds are called.

#include <string>
#include <vector>

#include "ulna/model/robot.hpp"

namespace ulna {

/// One turn-and-slide of a joint: about z of the frame F A, by sigma and h times the degree.
struct JointPart {
  Matrix3<double> A;
  double sigma, h;
  int degree;
};

/// From parent to child; none for fixed joints and for those with a quaternion.
std::vector<JointPart> parts_of(const JointData& joint);

/// What follows the joint's name in that of each coordinate, and of each speed.
struct DegreeSuffixes {
  std::vector<const char*> coordinates, speeds;
};
DegreeSuffixes degree_suffixes(JointType type);

}  // namespace ulna
