#pragma once
// What the parts of the MJCF reader share.

#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mesh/mesh_mass.hpp"
#include "ulna/model/robot.hpp"
#include "wording.hpp"
#include "xml/xml_element.hpp"

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
  bool exact_meshes = false;
  bool strip_paths = false;    ///< of the names of files
  bool fit_to_bounds = false;  ///< fitaabb
  std::string mesh_folder;
  /// <flag>s of <option>: what is switched off for the whole model.
  bool equalities = true, springs = true, dampers = true, friction = true, limits = true;
};

struct MjcfMesh {
  std::string file;  ///< empty where the corners stand in the model
  Vector3<double> scale = Vector3<double>::Ones();
  Triangles triangles;  ///< of `vertex` and `face`
  Pose<double> X_MR;    ///< refpos, refquat: what becomes the mesh's frame
  std::string inertia;  ///< exact, legacy, convex, shell, or empty
  /// Asked for once: the mass, or why there is none.
  std::optional<MeshMass> mass;
  std::string complaint;
};

/// A <geom> that takes its mass from a mesh.
struct MjcfMeshGeom {
  std::string mesh;
  Pose<double> X_BG;
  std::optional<double> mass;
  double density = 1000;
};

/// What the geoms of a body add up to.
struct MjcfMasses {
  Inertia<double> sum;  ///< in the axes of the body, about its origin
  bool any = false;
  std::vector<MjcfMeshGeom> meshes;  ///< not opened where the body has an <inertial>
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

class MjcfContext : public XmlContext {
 public:
  MjcfContext(const LineIndex& file_lines, const ReadOptions& read_options)
      : XmlContext{file_lines, read_options, {}, {}, {}, {}} {}

  XmlElement element(pugi::xml_node node);
  /// Checks the attributes of an element: `used` are read, all others are counted by name for one
  /// line of the report each. What looks like a misspelt attribute is a problem.
  void account(const XmlElement& element, pugi::xml_node node, const std::set<std::string>& used);
  void write_tallies();

  MjcfSettings settings;
  std::map<std::string, MjcfMesh> meshes;
  std::map<std::string, MjcfBody> bodies;
  std::map<std::string, MjcfJoint> joints;
  std::map<std::string, MjcfSite> sites;
  std::map<std::string, double> references;  ///< of joints of the robot with one degree, by name
  /// Whether the springs of all joints are slack in the posture of the file (springref = ref).
  bool slack_at_reference = true;
  /// Time constant and damping ratio of joints of the robot that have a springdamper.
  std::map<std::string, std::array<double, 2>> spring_dampers;
  std::vector<std::string> posture_joints;  ///< in the order of MuJoCo's qpos
  Robot robot;

 private:
  struct Tally {
    int count = 0;
    SourceMark first;
  };
  std::map<std::pair<std::string, std::string>, Tally> ignored_attributes_;
};

/// pos and one of quat, axisangle, euler, xyaxes, zaxis.
Pose<double> mjcf_pose(const MjcfContext& context, const XmlElement& element);
/// The turn by so many times the angles of `euler`.
Matrix3<double> mjcf_turn(const MjcfContext& context, const XmlElement& element, int times);
/// Of `fromto`: the frame in the middle of two points with its z axis from the second to the first,
/// half their distance.
std::pair<Pose<double>, double> mjcf_fromto(const XmlElement& element);
/// Names of the attributes that `mjcf_pose` reads, and those given.
std::set<std::string> with_pose(std::set<std::string> names);

/// Adds a problem, or a line to the report, for an element that is not read here. `known` are the
/// names that MuJoCo has in this place.
void refuse_misspelt(const XmlElement& element, const std::vector<std::string>& known);
/// All attributes that MuJoCo knows in an element with this tag; empty for tags not in the table.
const std::vector<std::string>& mjcf_attributes(const std::string& tag);

void read_mjcf_settings(MjcfContext& context, pugi::xml_node root);
/// Bodies, joints, sites and geoms below <worldbody>.
void read_mjcf_bodies(MjcfContext& context, pugi::xml_node worldbody);
/// Stiffness and damping of joints with a springdamper, once the tree is known.
void apply_mjcf_spring_dampers(MjcfContext& context);

/// A weighted sum of coordinates: one joint or a fixed tendon.
struct MjcfSum {
  std::vector<ConstraintData::Term> terms;
  double reference = 0;  ///< its value in the posture of the file
};
/// The joint that an attribute names; nothing after a problem.
std::optional<MjcfSum> mjcf_joint_sum(const MjcfContext& context, const XmlElement& element,
                                      const char* attribute);
/// Fixed tendons by name; springs and dampers along tendons become elements of the robot.
std::map<std::string, MjcfSum> read_mjcf_tendons(MjcfContext& context, pugi::xml_node root);

/// There is no `what` of this name among the keys of `known`.
template <class Known>
void complain_unknown(const XmlElement& element, const std::string& what, const std::string& wanted,
                      const Known& known) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : known) names.push_back(name);
  element.complain("there is no " + what + " '" + wanted + "'", "a " + what + " of this model",
                   nearest_name_hint(wanted, names));
}
void read_mjcf_equalities(MjcfContext& context, pugi::xml_node root);
void read_mjcf_actuators(MjcfContext& context, pugi::xml_node root);
/// <key>s as named postures.
void read_mjcf_keyframes(MjcfContext& context, pugi::xml_node root);

void read_mjcf_meshes(MjcfContext& context, pugi::xml_node asset);
/// The mass of a mesh for unit density; nothing, and why, where it cannot be had.
std::optional<MeshMass> mjcf_mesh_mass(MjcfContext& context, const std::string& mesh,
                                       std::string& complaint);
/// Of a body, by the rules of <compiler>; `given` is its <inertial>, in a <frame> at X_BF, or
/// empty.
Inertial mjcf_inertial(MjcfContext& context, const XmlElement& body, pugi::xml_node given,
                       const Pose<double>& X_BF, MjcfMasses masses);

/// A <geom> as a shape to draw and as a mass; both may be missing.
struct MjcfGeom {
  std::optional<Geometry> shape;
  std::optional<Inertia<double>> inertia;  ///< in the axes of the body, about its origin
  std::optional<MjcfMeshGeom> mesh;        ///< its mass is that of a mesh
};
MjcfGeom read_mjcf_geom(MjcfContext& context, pugi::xml_node node, const Pose<double>& X_BF);

}  // namespace ulna
