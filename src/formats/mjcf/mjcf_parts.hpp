#pragma once
// What the parts of the MJCF reader share.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ulna/model/robot.hpp"
#include "urdf/urdf_element.hpp"

namespace ulna {

/// <compiler>.
struct MjcfSettings {
  double angle = 0.017453292519943295;  ///< radians in a unit of angle: degrees unless told
  bool limits_follow_range = true;      ///< autolimits
  std::string euler = "xyz";            ///< lower case: about carried axes; upper case: fixed ones
  enum class FromGeoms { always, where_missing, never } inertia = FromGeoms::where_missing;
  int first_group = 0, last_group = 5;  ///< groups of geoms that have mass
  double least_mass = 0, least_inertia = 0, total_mass = -1;
  bool balance = false;
  std::string mesh_folder;
};

struct MjcfMesh {
  std::string file;
  Vector3<double> scale = Vector3<double>::Ones();
};

/// What is known of a body once the tree has been read.
struct MjcfBody {
  std::string name;   ///< in the robot
  Pose<double> X_WB;  ///< where every joint stands at its reference
};

/// What equalities and actuators need to know of a joint.
struct MjcfJoint {
  std::size_t index;  ///< in Robot::joints
  double reference;   ///< coordinate in the posture of the file
};

struct MjcfSite {
  std::string body;
  Pose<double> X_BS;
};

class MjcfContext : public UrdfContext {
 public:
  MjcfContext(const LineIndex& file_lines, const ReadOptions& read_options)
      : UrdfContext{file_lines, read_options, {}, {}, {}, {}} {}

  UrdfElement element(pugi::xml_node node);
  /// Checks the attributes of an element: `used` are read, all others are counted by name for one
  /// line of the report each.
  void account(const UrdfElement& element, pugi::xml_node node, const std::set<std::string>& used);
  void write_tallies();

  MjcfSettings settings;
  std::map<std::string, MjcfMesh> meshes;
  std::map<std::string, MjcfBody> bodies;
  std::map<std::string, MjcfJoint> joints;
  std::map<std::string, MjcfSite> sites;
  Robot robot;

 private:
  struct Tally {
    int count = 0;
    SourceMark first;
  };
  std::map<std::pair<std::string, std::string>, Tally> ignored_attributes_;
};

/// pos and one of quat, axisangle, euler, xyaxes, zaxis.
Pose<double> mjcf_pose(const MjcfContext& context, const UrdfElement& element);
/// Names of the attributes that `mjcf_pose` reads, and those given.
std::set<std::string> with_pose(std::set<std::string> names);

void read_mjcf_settings(MjcfContext& context, pugi::xml_node root);
/// Bodies, joints, sites and geoms below <worldbody>.
void read_mjcf_bodies(MjcfContext& context, pugi::xml_node worldbody);
void read_mjcf_equalities(MjcfContext& context, pugi::xml_node root);
void read_mjcf_actuators(MjcfContext& context, pugi::xml_node root);

/// A <geom> as a shape to draw and as a mass; both may be missing.
struct MjcfGeom {
  std::optional<Geometry> shape;
  std::optional<Inertia<double>> inertia;  ///< in the axes of the body, about its origin
};
MjcfGeom read_mjcf_geom(MjcfContext& context, pugi::xml_node node, const Pose<double>& X_BF);

}  // namespace ulna
