#pragma once
// A robot as a user describes it: bodies, joints, frames and payloads in any order and topology.
// Plain data, filled by hand or by a file reader, in SI units. `Model` (model.hpp) checks and
// freezes it.

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ulna/model/joints/joint_type.hpp"
#include "ulna/model/parts/beam.hpp"
#include "ulna/model/parts/bushing.hpp"
#include "ulna/model/parts/element.hpp"
#include "ulna/model/parts/inertial.hpp"
#include "ulna/numerics/error.hpp"
#include "ulna/spatial/inertia.hpp"
#include "ulna/spatial/pose.hpp"

namespace ulna {

/// The body that does not move. Its frame is the world frame.
inline constexpr const char* world_name = "world";

/// A shape for drawing or collision; mechanics never needs it.
struct Geometry {
  enum class Shape { box, cylinder, sphere, capsule, mesh };
  enum class Use { visual, collision };
  Shape shape = Shape::box;
  Use use = Use::visual;
  Pose<double> X_BG;  ///< pose of the shape in the body
  Vector3<double> size =
      Vector3<double>::Zero();  ///< box: edges; cylinder, capsule: radius, length; sphere: radius
  std::string mesh;             ///< file name as given
  Vector3<double> scale = Vector3<double>::Ones();
  std::optional<std::array<double, 4>> colour;  ///< red, green, blue, opacity in 0..1
};

struct ModalBody;

struct BodyData {
  std::string name;
  Inertial inertial;                 ///< as given: `inertial_of` has the mass of the beams too
  std::vector<BeamData> beams = {};  ///< what is elastic of it
  /// How it bends: filled by `make_flexible` (elastic/modal_body.hpp) from its beam.
  std::shared_ptr<const ModalBody> modal = {};
  std::vector<Geometry> geometry = {};
  SourceMark mark = {};
};

/// One degree of freedom of a joint: its limits and what acts along it.
struct DegreeData {
  static constexpr double unlimited = std::numeric_limits<double>::infinity();
  double lower = -unlimited;
  double upper = unlimited;
  double velocity_limit = unlimited;
  double effort_limit = unlimited;
  double damping = 0;    ///< effort -damping v
  double friction = 0;   ///< Coulomb: effort -friction sign(v)
  double stiffness = 0;  ///< spring: effort -stiffness (q - rest)
  double rest = 0;
  double hardening = 0;      ///< and -hardening (q - rest)^3
  double backlash = 0;       ///< play: the spring is slack within this of its rest, to both sides
  double rotor_inertia = 0;  ///< at the motor; felt at the joint as gear_ratio^2 rotor_inertia
  double gear_ratio = 1;

  bool has_spring() const { return stiffness != 0 || hardening != 0; }
};

/// q = multiplier q_leader + offset: the joint has no freedom of its own.
struct Mimic {
  std::string joint;
  double multiplier = 1;
  double offset = 0;
};

/// A joint holds frame M of the child against frame F of the parent.
struct JointData {
  std::string name;
  JointType type = JointType::fixed;
  std::string parent = world_name;
  std::string child;
  Pose<double> X_PF;                                 ///< joint frame on the parent body
  Pose<double> X_MC;                                 ///< child body frame in the moving joint frame
  Vector3<double> axis = Vector3<double>::UnitZ();   ///< in F; need not be of unit length
  Vector3<double> axis2 = Vector3<double>::UnitX();  ///< universal joints only, in F at q = 0
  double pitch = 0;                                  ///< screw: advance in metres per radian
  std::vector<DegreeData>
      degrees;  ///< one per degree of freedom; may be shorter: the rest are default
  std::optional<Mimic> mimic;
  bool cut = false;                        ///< prefer this joint as the one that closes its loop
  std::vector<BushingData> bushings = {};  ///< sliding joints on beams; none: one that is rigid
  SourceMark mark;
};

/// A closure that is no joint: it holds one number and has no frames of its own.
struct ConstraintData {
  enum class Type {
    distance,  ///< a rod of constant length between two points, free to turn at both ends
    coupling   ///< sum of its terms = offset: gears, racks, differentials, belts, cams
  };
  struct Term {
    std::string joint;
    double factor = 1;
    int degree = 0;                   ///< which degree of freedom of the joint, from 0
    std::vector<double> higher = {};  ///< of the coordinate's square, its cube and so on
  };
  std::string name;
  Type type = Type::distance;
  std::string parent = world_name, child;                  ///< distance: the two bodies
  Vector3<double> parent_point = Vector3<double>::Zero(),  ///< in the frame of each
      child_point = Vector3<double>::Zero();
  double length = 0;
  std::vector<Term> terms;  ///< coupling
  double offset = 0;
  SourceMark mark;
};

/// A named pose on a body.
struct FrameData {
  std::string name;
  std::string body = world_name;
  Pose<double> X_BF;
  SourceMark mark;
};

/// An extra mass carried by a body, given in a frame placed on it.
struct PayloadData {
  std::string name;
  std::string body;
  Pose<double> X_BL;
  Inertial inertial;  ///< in the axes of the payload's own frame
  SourceMark mark;
};

/// A named posture: coordinates of some joints. The others are neutral, or follow from the loops.
struct PostureData {
  struct Place {
    std::string joint;           ///< of the tree, or one that closes a loop
    std::vector<double> values;  ///< one for each coordinate of the joint
  };
  std::string name;
  std::vector<Place> places;
  SourceMark mark;
};

struct Robot {
  std::string name;
  std::string description;
  Vector3<double> gravity{0, 0, -9.81};
  double loop_tolerance = 0;  ///< gap (metres, radians) that closed loops may keep, beside rounding
  std::vector<BodyData> bodies;  ///< without the world
  std::vector<JointData> joints;
  std::vector<ConstraintData> constraints;
  std::vector<ElementData> elements;
  std::vector<FrameData> frames;
  std::vector<PayloadData> payloads;
  std::vector<PostureData> postures;
  std::string source;  ///< file it was read from, empty when built in code
};

/// A body as rigid mechanics feels it: what is given, or its beams with what is attached to them.
ULNA_API Inertial inertial_of(const BodyData& body);

/// Sizes of a joint's coordinates and speeds.
struct JointSize {
  int coordinates;
  int speeds;
};
ULNA_API JointSize size_of(JointType type);
ULNA_API const char* name_of(JointType type);
ULNA_API const char* name_of(ConstraintData::Type type);
ULNA_API std::optional<JointType> joint_type_from_name(const std::string& name);

}  // namespace ulna
