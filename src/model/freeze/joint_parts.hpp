#pragma once
// What the coordinates and speeds of a joint are called.

#include <vector>

#include "ulna/model/joints/joint_traits.hpp"

namespace ulna {

/// What follows the joint's name in that of each coordinate, and of each speed.
struct DegreeSuffixes {
  std::vector<const char*> coordinates, speeds;
};

inline DegreeSuffixes degree_suffixes(JointType type) {
  DegreeSuffixes suffixes;
  for (const Degree& degree : traits_of(type).coordinates)
    suffixes.coordinates.push_back(degree.suffix);
  for (const Degree& degree : traits_of(type).speeds) suffixes.speeds.push_back(degree.suffix);
  return suffixes;
}

}  // namespace ulna
