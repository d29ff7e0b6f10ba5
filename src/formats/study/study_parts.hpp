#pragma once
// What a study is made of inside.

#include <optional>

#include "ulna/formats/study.hpp"
#include "ulna/kinematics/state.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/structure/robot_frame.hpp"
#include "ulna/study/sample_statistics.hpp"

namespace ulna {

/// Where the value of a parameter goes: a path, or q.NAME and v.NAME of the postures.
struct StudyTarget {
  std::string path;
  std::optional<VariableFormula> formula;  ///< of the parameters; none: the value itself
  std::vector<int> variables;              ///< parameters by the formula's variables
  int parameter = -1;
  std::string unit;
};

struct StudyRunKind {
  enum class Kind { simulate, inverse, modes, deflection, linearize, equilibrium };
  Kind kind = Kind::simulate;
  NamedValues q, v;     ///< of the posture
  std::string posture;  ///< by name
  bool all_locked = true;
  std::vector<std::string> locked;
  int count = 6;  ///< modes
  bool elements = false;
  std::string frame;
  Vector3<double> force = Vector3<double>::Zero();
  bool gravity = true;
};

/// A measure: a formula of results, parameters and measures before it, or a number taken of a
/// formula of channels over time.
struct StudyMeasure {
  std::string name;
  VariableFormula formula;
  std::optional<Take> take;
  TakeOptions options;
};

struct StudyConstraint {
  std::string text;
  VariableFormula left, right;
  bool at_most = true;
};

struct Study::Parts {
  std::string text, file, description;
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
  std::vector<std::string> channels;     ///< that measures need
  bool edits = false;                    ///< a target changes a file

  std::vector<ParameterValue> edited(const std::vector<double>& values) const;
  NamedValues state(const std::vector<double>& values, char part) const;
  double value_of(const StudyTarget& target, const std::vector<double>& values) const;
};

}  // namespace ulna
