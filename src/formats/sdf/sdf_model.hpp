#pragma once
// What libsdformat makes of an SDF file, as plain data: links placed in the world, joints with one
// frame each. The library itself is used in sdf_library.cpp only, and only where it is installed.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ulna/model/robot.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {

struct SdfLink {
  std::string name;  ///< with the names of its models before it where there are several
  Pose<double> X_WL;
  Inertial inertial;
  bool fixed = false;  ///< of a static model
  std::vector<Geometry> shapes;
};

struct SdfJoint {
  std::string name, own_name;  ///< the second as the file has it
  std::string type;  ///< revolute, continuous, prismatic, ball, universal, screw, fixed, ...
  std::string parent, child;  ///< links, or "world"
  Pose<double> X_WJ;
  std::vector<Vector3<double>> axes;  ///< in the joint's frame
  std::vector<DegreeData> degrees;    ///< one for each axis
  double thread_pitch = 1;
};

struct SdfFrame {
  std::string name, link;  ///< the link, or "world"
  Pose<double> X_WF;
};

struct SdfModel {
  std::string name;
  std::optional<Vector3<double>> gravity;
  std::vector<SdfLink> links;
  std::vector<SdfJoint> joints;
  std::vector<SdfFrame> frames;
};

/// InputError with what the library says is wrong, or where it is not installed.
SdfModel load_sdf(const std::string& text, const std::string& file);

}  // namespace ulna
