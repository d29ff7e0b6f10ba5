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
#include "ulna/simulation/controller.hpp"
#include "ulna/simulation/parts/actuator.hpp"
#include "ulna/simulation/parts/contact.hpp"
#include "ulna/simulation/parts/event.hpp"
#include "ulna/simulation/parts/integrator.hpp"
#include "ulna/simulation/parts/joint_friction.hpp"
#include "ulna/simulation/parts/sensor.hpp"
#include "ulna/simulation/parts/stops.hpp"

namespace ulna {

enum class LoopMethod;

/// A wrench that acts on a body, in time. Empty entries are zero.
struct AppliedWrench {
  int body = 0;                                     ///< index into Model::bodies()
  Vector3<double> point = Vector3<double>::Zero();  ///< in the body's frame
  ScalarMotionPtr force[3], moment[3];
  int expressed_in = 0;  ///< frame whose axes are used; 0: world
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

/// What was made of the motions so that a flexible robot follows them (internal/plan_tip.hpp).
struct TrackingResult {
  std::string method;  ///< zv, zvd, ..., preview, causal
  double preview = 0;  ///< the frame begins to move this much later than the motions said
  double added = 0;    ///< the motions take this much longer in all
  std::string text;    ///< a sentence about it
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
  std::vector<std::shared_ptr<const Actuator>> actuators;  ///< at most one per speed
  std::vector<Sensor> sensors;
  /// What controllers take for the robot, unless they have a model of their own; null: the robot.
  std::shared_ptr<const Model> known_model;
  std::vector<AppliedWrench> wrenches;
  std::vector<Contact> contacts;
  std::vector<NonholonomicConstraint> nonholonomic;
  std::vector<Event> events;
  ElasticLevel elastic = ElasticLevel::exact;  ///< how flexible bodies are modelled
  std::string method;        ///< formulation of the equations of motion; empty: the fastest
  LoopMethod closing{};      ///< how loops are closed: multipliers, or embedding where all is free
  SourceMark dynamics_mark;  ///< of `method` and `closing` in a file
  StopOptions stops;         ///< whether and how joints feel their limits
  ImpactLaw impact_law = ImpactLaw::newton;   ///< of contacts and stops
  std::vector<JointFriction> joint_friction;  ///< where it is more at rest than in motion
  IntegratorOptions integrator;
  RecordOptions record;
  std::string source;  ///< file it was read from
  std::optional<Goal> goal;
  std::optional<TimingResult> timing;    ///< for the record: motions were planned
  std::vector<TrackingResult> tracking;  ///< for the record: motions were shaped or inverted
  /// Motions of the modal coordinates that go with those of the joints, one each; empty: zero.
  std::vector<ScalarMotionPtr> modal_motions;
  /// Where tip_error channels and the feedback of frames expect the robot: motions of the joints
  /// of the robot with rigid links, one for each speed; empty: those of the drives.
  std::vector<ScalarMotionPtr> target;
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
  /// What the actions of an event make of an experiment that was checked with all of them.
  static CheckedExperiment after_event(Experiment experiment);
  const Experiment& operator*() const { return experiment_; }
  const Experiment* operator->() const { return &experiment_; }

 private:
  CheckedExperiment() = default;
  Experiment experiment_;
};

/// The same experiment with every joint that has a motion driven by it: what `ulna inverse` runs to
/// find the efforts. InputError where its formulation gives no efforts.
ULNA_API Experiment inverse_of(const Experiment& experiment);

}  // namespace ulna
