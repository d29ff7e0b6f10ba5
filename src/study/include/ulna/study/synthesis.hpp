#pragma once
// Dimension synthesis: lengths and places of a mechanism so that one of its frames meets given
// points or poses. docs/theory/synthesis.md.
//
// The unknowns are the design variables, one phase common to all inputs (if asked for) and the
// coordinates of the mechanism at every target; the equations are its loops, the targets and the
// inputs, all at once (eq. 1). So a design that cannot be assembled is no wall to the search. What
// is found is then checked the hard way: moved from target to target on one branch (eq. 4).
//
//   SynthesisTask task;
//   task.frame = "coupler_point";
//   task.targets = {...};
//   task.variables = {design_variable(robot, "crank", {"joint.pin.at.x"}, 0.05, 0.2)};
//   SynthesisResult found = synthesize(robot, task, {.restarts = 100});

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

/// One number of a robot's data.
struct DesignPlace {
  enum class Kind {
    joint_at,        ///< JointData::X_PF, position
    joint_child_at,  ///< JointData::X_MC, position
    joint_turn,      ///< JointData::X_PF, turned by a vector in its own axes
    frame_at,        ///< FrameData::X_BF, position
    rod_length       ///< ConstraintData::length
  };
  Kind kind = Kind::joint_at;
  int index = 0;  ///< into Robot::joints, frames or constraints
  int axis = 0;
  double factor = 1;  ///< the number is this times the variable
};

/// "joint.pin.at.x", "joint.pin.child_at.y", "joint.pin.turn.z", "frame.tip.at.x",
/// "constraint.rod.length", with "-" before it for the opposite. InputError naming what is unknown.
ULNA_API DesignPlace design_place(const Robot& robot, const std::string& text);

struct DesignVariable {
  std::string name;
  std::vector<DesignPlace> places;
  double lower = 0, upper = 0;
};
ULNA_API DesignVariable design_variable(const Robot& robot, const std::string& name,
                                        const std::vector<std::string>& places, double lower,
                                        double upper);

struct SynthesisTarget {
  Vector3<double> position = Vector3<double>::Zero();
  std::optional<Matrix3<double>> rotation;
  /// Coordinates that are given here, by name; empty: free.
  std::vector<std::pair<std::string, double>> inputs;
};

/// The angle at `middle` between the lines to the other two joints stays this far from 0 and pi.
struct TransmissionAngle {
  std::string from, middle, to;  ///< joints
  double least = 0;              ///< rad
};

enum class GrashofType { crank_rocker, double_crank, double_rocker, any };
ULNA_API const char* name_of(GrashofType type);
ULNA_API std::optional<GrashofType> grashof_from_name(const std::string& name);

/// Four joints of a planar four-bar in their order round the loop, the first two those of the
/// crank.
struct GrashofCondition {
  std::string joints[4];
  GrashofType type = GrashofType::crank_rocker;
};

struct SynthesisTask {
  std::string frame;
  std::vector<SynthesisTarget> targets;
  std::vector<DesignVariable> variables;
  bool free_phase = false;  ///< all given inputs are shifted by one unknown angle
  std::optional<TransmissionAngle> transmission;
  std::optional<GrashofCondition> grashof;
  double size = std::numeric_limits<double>::infinity();  ///< largest distance of two joints
  /// The largest rate of this input at which the frame's origin stays below this speed.
  std::optional<std::pair<std::string, double>> speed_limit;
};

enum class SynthesisMethod { gauss_newton, davidon_fletcher_powell, hooke_jeeves, complex_method };
ULNA_API const char* name_of(SynthesisMethod method);
ULNA_API std::vector<SynthesisMethod> synthesis_methods();

struct SynthesisOptions {
  SynthesisMethod method = SynthesisMethod::gauss_newton;
  int restarts = 100;
  unsigned seed = 1;
  int wanted = 5;           ///< designs kept; the search ends when as many meet the targets
  double tolerance = 1e-9;  ///< of the targets, over the robot's length, that counts as met
  /// Called after each start with its number and the smallest error so far; false ends the search.
  std::function<bool(int start, double error)> progress;
};

struct Design {
  Robot robot;
  Eigen::VectorXd values;  ///< of the variables
  double phase = 0;
  std::vector<Eigen::VectorXd> postures;  ///< at the targets
  /// Largest distance of the frame from its targets, m (turns count by the robot's length).
  double error = 0;
  bool followed = false;     ///< moved through all targets on one branch
  std::string note;          ///< why not, and constraints that are missed
  double transmission = 0;   ///< least on the way, rad; 0 where not asked for
  double largest_speed = 0;  ///< of the input, 1/s; 0 where not asked for
};

struct SynthesisResult {
  std::vector<Design> designs;  ///< the best first
  int starts = 0;
  long evaluations = 0;
  double seconds = 0;
};

/// InputError for a task that does not fit the robot.
ULNA_API SynthesisResult synthesize(const Robot& robot, const SynthesisTask& task,
                                    const SynthesisOptions& options = {});

/// The robot with the variables set.
ULNA_API Robot with_design(Robot robot, const std::vector<DesignVariable>& variables,
                           const Eigen::VectorXd& values);

}  // namespace ulna
