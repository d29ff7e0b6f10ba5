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
  bool bare = false;   ///< without <inertial>
  std::vector<Geometry> shapes;
  SourceMark mark;  ///< of an included file; empty: the main file has it
};

struct SdfJoint {
  std::string name, own_name;  ///< the second as the file has it
  std::string type;  ///< revolute, continuous, prismatic, ball, universal, screw, fixed, ...
  std::string parent, child;  ///< links, or "world"
  Pose<double> X_WJ;
  std::vector<Vector3<double>> axes;  ///< in the joint's frame
  std::vector<DegreeData> degrees;    ///< one for each axis
  double thread_pitch = 1;
  std::optional<double> screw_thread_pitch;  ///< metres a turn
  double gearbox_ratio = 1;
  std::string gearbox_reference;  ///< a link, as `parent`
  std::optional<Mimic> mimic;     ///< the leader as the file has it
  SourceMark mark;                ///< as of a link
};

struct SdfFrame {
  std::string name, link;  ///< the link, or "world"
  Pose<double> X_WF;
  SourceMark mark;  ///< as of a link
};

struct SdfModel {
  std::string name;
  std::optional<Vector3<double>> gravity;
  std::vector<SdfLink> links;
  std::vector<SdfJoint> joints;
  std::vector<SdfFrame> frames;
  std::vector<std::string> included;  ///< files
};

/// InputError with what the library says is wrong, or where it is not installed.
SdfModel load_sdf(const std::string& text, const std::string& file);

}  // namespace ulna
