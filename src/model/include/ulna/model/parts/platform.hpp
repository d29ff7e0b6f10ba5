#pragma once
// A parallel robot as its geometry describes it: a platform held by N legs, each with one drive.
// `platform_robot` makes the ordinary robot with loops of it, `platform_of` finds the description
// in an ordinary robot; closed-form kinematics and dynamics (kinematics/platform_kinematics.hpp,
// dynamics/platform_dynamics.hpp) work on it. docs/theory/platforms.md, section 1.
//
//   kind         joints from the base                               drive
//   slider       two crossing hinges (a universal joint with its    leg length
//                cross), slide, ball
//   rod          hinge, rod with universal joint (or ball) at the   crank angle
//                crank and ball at the platform
//   pair         hinge, two such rods side by side: a parallelogram crank angle
//   universal    hinge, rod with universal joints at both ends      crank angle
//   planar       three parallel hinges                              crank angle
//
// A carriage on a rail may stand in the place of the crank (hexaglide, linear Delta); the drive is
// then its place on the rail.
//
// Sliders and rods leave the platform six freedoms, pairs and universals the three translations,
// planar legs the three of their plane.

#include <optional>

#include "ulna/model/robot.hpp"
#include "ulna/scalar/parts/export.hpp"

namespace ulna {

enum class LegKind { slider, rod, pair, universal, planar };
ULNA_API const char* name_of(LegKind kind);
/// Whether legs of these kinds hold one platform in the closed form.
ULNA_API bool leave_same_freedom(LegKind a, LegKind b);

struct PlatformLeg {
  std::string name;
  LegKind kind = LegKind::slider;
  Vector3<double> base = Vector3<double>::Zero();      ///< centre of its first joint, world
  Vector3<double> platform = Vector3<double>::Zero();  ///< centre of its last joint, platform frame
  Vector3<double> axis = Vector3<double>::UnitX();     ///< of its first hinge, world
  /// Across the axis, world: where leg or crank points when its angles are zero. Of the two
  /// crank angles at a pose, the one nearer to zero at the home pose is meant.
  Vector3<double> zero = Vector3<double>::UnitZ();
  double crank_length = 0, rod_length = 0;
  /// Direction of the rail, world, for a carriage in place of the crank; zero for a crank. `base`
  /// is then the inner end of the rod with the drive at zero, `axis` the first axis of its joint.
  Vector3<double> rail = Vector3<double>::Zero();
  double spacing = 0;        ///< pair: distance of the two rods, along the axis
  bool crank_balls = false;  ///< rod, pair: a ball at the crank, too; the rods then spin idly

  /// Masses, each in the frame of its body: at zero, cross, cylinder and rod of a slider have x
  /// along the axis and z along the leg, the rod's origin at the ball; crank and rod of the others
  /// have x along themselves and z along the axis, origin at the inner end; a carriage has x along
  /// `zero`, origin at the rod. A pair has two rods.
  Inertial cross, cylinder, rod, crank;

  DegreeData drive;         ///< limits of length or angle, and the like
  DegreeData hinge, swing;  ///< limits of a slider's two hinges
  double radius = 0;        ///< for clearances; 0: none
  /// In the robot that platform_of read: its passive joints from the base outward, and the sense of
  /// a slider's second hinge.
  std::vector<std::string> joints;
  double swing_sense = 1;
  Vector3<double> rod_zero = Vector3<double>::UnitX();  ///< the rod at zero, in the crank's frame

  bool on_rail() const { return rail.squaredNorm() > 0; }
  bool drive_slides() const { return kind == LegKind::slider || on_rail(); }  ///< metres
};

class Model;

struct PlatformData {
  std::string name = "platform";
  std::string description;
  Vector3<double> gravity{0, 0, -9.81};
  Inertial inertial;  ///< of the platform, in its frame
  Pose<double> home;  ///< of the platform in the world when its joint is at zero
  std::vector<PlatformLeg> legs;
  std::string platform_body = "platform";  ///< name of the body
  std::string float_joint = "float";       ///< what carries it in the ordinary robot
  std::string element = {};  ///< a force element of the robot, which the closed form leaves out
};

/// The ordinary robot: the platform floats (joint "float": free, or planar), each leg L brings
/// bodies and joints named after it, and its last joint closes a loop. The drive has the leg's
/// name. InputError for fewer than three legs, mixed freedoms, lengths that are not positive.
ULNA_API Robot platform_robot(const PlatformData& data);

/// The description of an ordinary robot. InputError saying what is no platform about it.
ULNA_API PlatformData platform_of(const Robot& robot);
/// That of a model, which has recognised it; InputError for others.
ULNA_API const PlatformData& platform_of(const Model& model);
/// The same for a robot that may be none.
ULNA_API std::optional<PlatformData> platform_if_any(const Robot& robot);

}  // namespace ulna
