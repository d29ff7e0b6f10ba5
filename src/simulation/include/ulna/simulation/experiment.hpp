#pragma once
// An experiment: a robot, what drives each joint, how long, with which integrator, what to record.
// Plain data, filled by hand or by the reader of experiment files (docs/experiment-file.md);
// `simulate` (simulate.hpp) checks and runs it.
//
//   Experiment experiment(std::make_shared<Model>(read_robot("puma560").robot));
//   experiment.end = 2;
//   RunResult run = simulate(experiment);

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ulna/dynamics/elastic_level.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/simulation/contact.hpp"
#include "ulna/simulation/controller.hpp"
#include "ulna/simulation/integrator.hpp"
#include "ulna/simulation/joint_modes.hpp"

namespace ulna {

enum class LoopMethod;

enum class DriveKind {
  free,       ///< no effort but those of damping, friction and springs
  locked,     ///< held where it starts
  motion,     ///< follows its motion exactly; the effort for it is found
  effort,     ///< under an effort given as a function of time, or as a formula of the state
  controller  ///< under the effort of the controller that lists it
};
ULNA_API const char* name_of(DriveKind kind);

/// What drives one joint. Functions of time, one per speed of the joint; for spherical and free
/// joints a motion is roll, pitch, yaw about the fixed axes of the joint frame F (and x, y, z in
/// F).
struct Drive {
  DriveKind kind = DriveKind::free;
  std::vector<ScalarMotionPtr> motion;  ///< of kind motion; the reference of kind controller
  std::vector<ScalarMotionPtr> effort;  ///< of kind effort; added to a controller's
  SourceMark mark;
  /// Efforts that depend on channels besides t (channels.hpp), added to `effort`; null entries:
  /// none. Only what follows from coordinates and speeds: nothing that efforts decide.
  std::vector<std::shared_ptr<const VariableFormula>> effort_formulas = {};
};

/// A wrench that acts on a body, in time. Empty entries are zero.
struct AppliedWrench {
  int body = 0;                                     ///< index into Model::bodies()
  Vector3<double> point = Vector3<double>::Zero();  ///< in the body's frame
  ScalarMotionPtr force[3], moment[3];
  int expressed_in = 0;  ///< frame whose axes are used; 0: world
};

/// Ends the run, or is only noted, where a channel passes a value. Located to 1e-9 s.
struct Event {
  enum class Direction { rising, falling, either };
  std::string name;
  std::string channel;  ///< such as "q.joint1" (channels.hpp)
  double value = 0;
  Direction direction = Direction::either;
  bool stops = true;
  SourceMark mark;
};

struct RecordOptions {
  double interval = 0;  ///< 0: a hundredth of the duration
  /// Groups or single channels (channels.hpp); empty: q, v, tau and energy.
  std::vector<std::string> channels;
  /// Steps end at the records, so that invariants are not blurred. True: steps run on and records
  /// are taken from dense output (for plots; the methods with error control of our own only).
  bool interpolate = false;
};

/// Where switched efforts (motion/switch_times.hpp) are to bring the robot; their times are
/// searched before the run (aim.hpp).
struct Goal {
  /// Wanted coordinates and speeds at the end by speed index, in SI units; not-a-number where there
  /// is no wish.
  Eigen::VectorXd q, v;
  double tolerance = 1e-8;  ///< of the root sum of squares of what is left, SI units
  bool shortest = true;     ///< with more switches than conditions: the shortest duration
};

/// What planning made of the motions (plan.hpp).
struct TimingResult {
  double duration = 0;           ///< of the motions now
  double scale = 1;              ///< how many times faster than before
  std::string limit;             ///< what stands against a shorter one
  std::vector<double> switches;  ///< times at which a least-time law switches
  std::string warning;           ///< what the timing leaves open; empty when nothing
};

struct Experiment {
  Experiment() = default;
  explicit Experiment(std::shared_ptr<const Model> robot) : model(std::move(robot)) {}

  std::string name, description;
  std::shared_ptr<const Model> model;
  /// The start. Empty: what the motions say, neutral and at rest where there is none.
  Eigen::VectorXd q, v;
  /// Robots with loops: which entries of q and v are to be kept as they are, one entry each. The
  /// others follow, so that the loops are closed. Empty: all may move; what motions say is kept.
  std::vector<char> keep_q, keep_v;
  double end = 0;  ///< the run goes from 0 to here

  std::vector<Drive> drives;  ///< one per Model::joints(); may be empty: all free
  std::vector<std::shared_ptr<const Controller>> controllers;
  std::vector<AppliedWrench> wrenches;
  std::vector<Contact> contacts;
  std::vector<NonholonomicConstraint> nonholonomic;
  std::vector<Event> events;
  ElasticLevel elastic = ElasticLevel::exact;  ///< how flexible bodies are modelled
  std::string method;        ///< formulation of the equations of motion; empty: the fastest
  LoopMethod closing{};      ///< how loops are closed: multipliers, or embedding where all is free
  SourceMark dynamics_mark;  ///< of `method` and `closing` in a file
  StopOptions stops;         ///< whether and how joints feel their limits
  IntegratorOptions integrator;
  RecordOptions record;
  std::string source;  ///< file it was read from
  std::optional<Goal> goal;
  std::optional<TimingResult> timing;  ///< for the record: motions were planned
};

/// Throws InputError with every problem found: times that are not positive, drives that do not fit
/// their joints, a start that contradicts a motion, a motion outside the limits of its joint,
/// unknown channels.
ULNA_API void check(const Experiment& experiment);

/// An experiment that `check` has seen, once. What runs an experiment asks for one of these.
class ULNA_API CheckedExperiment {
 public:
  /// InputError for what `check` finds.
  explicit CheckedExperiment(Experiment experiment);
  const Experiment& operator*() const { return experiment_; }
  const Experiment* operator->() const { return &experiment_; }

 private:
  Experiment experiment_;
};

/// The same experiment with every joint that has a motion driven by it: what `ulna inverse` runs to
/// find the efforts. InputError where its formulation gives no efforts.
ULNA_API Experiment inverse_of(const Experiment& experiment);

}  // namespace ulna
