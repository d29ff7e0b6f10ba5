#pragma once
// What a study is made of inside.

#include <memory>
#include <optional>

#include "ulna/formats/study.hpp"
#include "ulna/kinematics/state.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/simulation/experiment.hpp"
#include "ulna/structure/robot_structure.hpp"
#include "ulna/study/sample_statistics.hpp"

namespace ulna {

struct PlatformRun;
struct IdentifyRun;
class RobotNumbers;

/// Where the value of a parameter goes: a path, or q.NAME and v.NAME of the postures.
struct StudyTarget {
  std::string path;
  std::optional<VariableFormula> formula;  ///< of the parameters; none: the value itself
  std::vector<int> variables;              ///< parameters by the formula's variables
  int parameter = -1;
  std::string unit;

  /// It is a number of the run, not of a file: q.NAME, v.NAME, pose.x, drive.LEG.
  bool of_run() const {
    for (const char* head : {"q.", "v.", "pose.", "drive."})
      if (path.starts_with(head)) return true;
    return false;
  }
};

struct StudyRunKind {
  enum class Kind {
    simulate,
    inverse,
    modes,
    deflection,
    linearize,
    equilibrium,
    kinematics,
    platform,
    identify
  };
  Kind kind = Kind::simulate;
  std::string name;            ///< in front of its results; empty: none
  NamedValues q, v;            ///< of the posture
  std::string posture;         ///< by name
  std::optional<double> time;  ///< the state that the motions of the experiment have then
  bool all_locked = true;
  std::vector<std::string> locked;
  int count = 6;  ///< modes
  bool elements = false;
  bool by_modes = false;  ///< modes of a flexible robot by its modal coordinates
  std::string frame;
  Vector3<double> force = Vector3<double>::Zero();
  bool gravity = true;
  std::vector<std::string> channels;  ///< that are recorded, without the name of the run
  /// All that is asked for are coordinates, their rates and efforts at the records.
  bool records_alone = false;
  bool channels_alone = false;  ///< and no number of the run as a whole, such as motor.elbow.peak
  /// The experiment without changes as this run runs it, and the single channels it records.
  std::shared_ptr<const Experiment> prepared;
  std::vector<std::string> recorded;
  std::shared_ptr<const PlatformRun> platform;
  std::shared_ptr<const IdentifyRun> identify;

  bool of_experiment() const { return kind == Kind::simulate || kind == Kind::inverse; }
  bool has_posture() const {
    return !of_experiment() && kind != Kind::platform && kind != Kind::identify;
  }
  std::string result(const std::string& own) const { return name.empty() ? own : name + "." + own; }
};

/// A measure: a formula of results, parameters and measures before it, or a number taken of a
/// formula of channels over time.
struct StudyMeasure {
  std::string name;
  VariableFormula formula;
  std::optional<Take> take;
  TakeOptions options;
  std::vector<int> parameters = {};  ///< by the variables of a `take`: which parameter; -1: none
};

struct StudyConstraint {
  std::string text;
  VariableFormula left, right;
  bool at_most = true;
};

/// The name of a column in a group of results.h5, where '/' would begin another group.
std::string place_in_results(std::string name);

struct Study::Parts {
  std::string text, sources, file, description;
  SamplePlan plan;
  std::vector<std::string> units;
  std::vector<StudyTarget> targets;
  std::vector<StudyRunKind> runs;
  std::vector<StudyMeasure> measures;
  std::vector<StudyConstraint> constraints;
  double seconds = 0;  ///< limit of a sample; 0: none
  std::optional<StudyGoal> goal;

  std::optional<RobotParameters> robot;
  std::optional<ExperimentParameters> experiment;
  std::shared_ptr<const Model> nominal;  ///< the robot without changes
  std::vector<std::string> stored;
  bool edits = false;  ///< a target changes a file
  /// The places of the targets in memory, where all of them have one (robot_numbers.hpp).
  std::shared_ptr<const RobotNumbers> numbers;
  std::optional<Experiment> unchanged;  ///< the experiment without changes

  std::vector<ParameterValue> edited(const std::vector<double>& values) const;
  ParameterValue edit(const StudyTarget& target, const std::vector<double>& values) const;
  double value_of(const StudyTarget& target, const std::vector<double>& values) const;
  /// Values of targets "PREFIX.NAME" by name, in SI units.
  NamedValues named(const std::vector<double>& values, const std::string& prefix) const;
};

}  // namespace ulna
