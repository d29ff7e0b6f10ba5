#pragma once
// An experiment that somebody else advances: a piece at a time, with inputs that change in between
// and outputs read at any of those times. Co-simulation (docs/fmu.md), hardware in the loop,
// learning environments.
//
//   Stepping run(with_inputs(experiment, {"tau.joint1"}), {"q", "v"});
//   run.begin();
//   for (int k = 1; k <= 1000; ++k) {
//     run.set(0, -2 * run.outputs()[0]);
//     run.advance(1e-3 * k);
//   }
//
// What is due at the time of a pause, a sample or an event, happens when the run goes on, with the
// inputs it has then. The state between pauses is that of `simulate`, to the integrator's
// tolerance.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ulna/simulation/simulate.hpp"

namespace ulna {

/// A function of time that is set from outside, between evaluations; not for several runs at once.
class ULNA_API InputSignal final : public ScalarMotion {
 public:
  explicit InputSignal(const MotionValue& start) : now(start) {}
  MotionValue at(double) const override { return now; }
  double duration() const override { return 0; }
  MotionValue now;
};

/// A number that is given from outside.
struct ExperimentInput {
  enum class Part { value, rate, acceleration };
  std::string name, unit;  ///< "tau.joint1", "Nm"
  double start = 0;        ///< what the experiment has at t = 0
  Part part = Part::value;
  std::shared_ptr<InputSignal> signal;
  void set(double x) const;
};

struct ExperimentWithInputs {
  Experiment experiment;
  std::vector<ExperimentInput> inputs;
};

/// All that can be an input of an experiment:
///   tau.SPEED        effort of a joint that is free, under an effort or a controller (added to it)
///   reference.Q, reference_rate.Q, reference_acceleration.Q
///                    what a controller leads a joint to; no spherical and free joints
ULNA_API std::vector<std::string> input_names(const Experiment& experiment);
/// Those that the experiment says nothing about itself: efforts of free joints, references of
/// controlled joints without a motion.
ULNA_API std::vector<std::string> open_inputs(const Experiment& experiment);
/// The experiment with these inputs in place of its own functions; InputError naming the nearest
/// for others.
ULNA_API ExperimentWithInputs with_inputs(const Experiment& experiment,
                                          const std::vector<std::string>& names);

class ULNA_API Stepping {
 public:
  /// `channels`: names as of `record`. InputError for what `check` finds.
  Stepping(ExperimentWithInputs experiment, const std::vector<std::string>& channels);
  ~Stepping();
  Stepping(Stepping&&) noexcept;
  Stepping& operator=(Stepping&&) noexcept;

  const std::vector<ExperimentInput>& inputs() const;
  const std::vector<Channel>& channels() const;
  /// Takes effect from now on.
  void set(std::size_t input, double value);

  /// Assembles and begins at t = 0.
  void begin();
  double t() const;
  /// To this time, or until an event stops the run. InputError for one before now.
  void advance(double t);
  bool ended() const;
  /// "end time", "event 'hit'".
  std::string reason() const;
  /// The channels now, before what is due now; valid until the next call.
  std::span<const double> outputs();

  /// The integrated vector now, and its rates (docs/theory/simulation.md, eq. 7).
  std::span<const double> state() const;
  void rates(double* rates);

  /// All that is needed to go on from here later. InputError after an event has changed the robot
  /// or what drives it.
  Checkpoint save() const;
  /// The inputs must be set before.
  void restore(const Checkpoint& checkpoint);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna
