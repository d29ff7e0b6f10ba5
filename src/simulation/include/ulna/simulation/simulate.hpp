#pragma once
// Runs an experiment. docs/theory/simulation.md.

#include <functional>
#include <optional>
#include <stop_token>

#include "ulna/simulation/channels.hpp"
#include "ulna/simulation/experiment.hpp"

namespace ulna {

/// "open", "sticks", "slips".
ULNA_API const char* name_of(ContactState state);

struct EventNote {
  std::string name;
  double t;
};

/// What an actuator had to give: the basis of its choice.
struct SizingRow {
  std::string name, kind;  ///< of the actuator
  std::string unit;        ///< of efforts: "Nm" or "N"
  double peak_effort = 0;  ///< of its size, at the records, as speed and power
  double rms_effort = 0;   ///< over the whole run
  double window_rms = 0;   ///< largest over its window, between records
  double continuous = 0;   ///< what it bears for ever; infinite when it is not said
  double peak_speed = 0, peak_power = 0;
  struct Peak {
    std::string name, unit;
    double value = 0;
  };
  std::vector<Peak> readings;  ///< currents, voltages, pressures: their largest sizes
};

/// A largest size, and when it occurred.
struct PeakValue {
  double value = 0, t = 0;
  void look(double size, double time) {
    if (size > value) value = size, t = time;
  }
};

/// What the drive of a degree of freedom had to give; integrals by the trapezoidal rule over the
/// records.
struct MotorDuty {
  std::string name;                ///< of the speed
  std::string unit;                ///< of efforts: "Nm" or "N"
  PeakValue effort, speed, power;  ///< sizes
  double rms_effort = 0, rms_speed = 0, rms_power = 0;
  double taken = 0, given_back = 0;  ///< J, both positive
};

/// The largest load of the bearings of a joint (BearingLoad), at the records.
struct BearingPeak {
  std::string joint;
  bool closes = false;  ///< a loop
  PeakValue force, moment;
};

/// For how long a joint was beyond its limits, s.
struct TimeOutside {
  std::string name;  ///< of the degree of freedom
  double position = 0, speed = 0, effort = 0;
  double first = 0;  ///< when a limit was first passed
};

struct RunSummary {
  bool complete = false;      ///< reached the end time or a stop event
  std::string reason;         ///< "end time", "event 'hit'", "interrupted"
  double t = 0;               ///< where it ended
  IntegratorMethod method{};  ///< used
  IntegratorStatistics statistics;
  double wall_seconds = 0;  ///< the parts before a resumption included
  long records = 0;
  Eigen::VectorXd q, v, tau;   ///< at the end
  double energy_balance = 0;   ///< largest |energy - start - work| at the records, J
  double largest_kinetic = 0;  ///< at the records, J
  double largest_energy = 0;   ///< of kinetic and |potential| together at the records, J
  /// energy_balance against the largest kinetic energy; empty where nothing moves beyond rounding.
  ULNA_API std::optional<double> relative_balance() const;
  double constraint = 0;    ///< largest distance of a quaternion from unit length at the records
  double closure = 0;       ///< how far a loop was open at most at the records, m or rad
  double nonholonomic = 0;  ///< largest speed along nonholonomic rows at the records, m/s
  struct ContactNote {
    std::string name;
    ContactState state;  ///< in the end
    long impacts;
  };
  std::vector<ContactNote> contacts;
  /// Robots with loops: speeds that determine the others, by pivoting at the start; when they come
  /// near to failing others are chosen, and that is noted.
  std::vector<int> independent;
  struct Switch {
    double t;
    std::vector<int> independent;
  };
  std::vector<Switch> switches;
  Eigen::Vector3d works = Eigen::Vector3d::Zero();  ///< of efforts, of wrenches, dissipated
  std::vector<EventNote> events;
  std::vector<std::string> notes;     ///< advice: where a model is strained, impulses
  std::vector<SizingRow> sizing;      ///< one row per actuator
  std::vector<MotorDuty> motors;      ///< one per degree of freedom that is driven
  std::vector<BearingPeak> bearings;  ///< one per joint; empty for large mechanisms (duty.hpp)
  bool bearings_unique = true;  ///< false: redundant closures, which share loads as of least norm
  std::vector<TimeOutside> outside;  ///< only those that were
};

/// Where an event changed the robot or what drives it, so that a run can be brought to that point
/// again: the state that its actions found.
struct PhaseStart {
  std::string event;
  double t = 0;
  Eigen::VectorXd q, v, q_ref, v_ref;
};

/// All that is needed to go on with a run later, taken at a record: what follows is the same, to
/// the last bit, as without the interruption.
struct Checkpoint {
  double t = 0;
  long records = 0;  ///< taken so far, that at t included
  Eigen::VectorXd y, controllers;
  StepMemory step;
  IntegratorStatistics statistics;
  double start_energy = 0, largest_kinetic = 0, largest_balance = 0, largest_constraint = 0;
  double largest_closure = 0, largest_slip = 0, largest_energy = 0;
  Eigen::VectorXd frames;   ///< quaternions last recorded, so that their signs go on
  double wall_seconds = 0;  ///< so far
  std::vector<EventNote> events;
  std::vector<std::string> notes, said;  ///< advice, and the keys of what was said
  std::vector<int> independent;          ///< of RunSummary
  std::vector<RunSummary::Switch> switches;
  long jumps = 0;  ///< of prescribed rates, and the first of them
  double first_jump = 0;
  Eigen::VectorXd sizing;          ///< peaks and sums of the actuators so far
  std::vector<PhaseStart> phases;  ///< what events have changed, in order
  Eigen::VectorXd duty;            ///< those of motors, bearings and limits
};

struct RunOptions {
  /// Called at each record with the time and the channels' values. May be empty.
  std::function<void(double t, std::span<const double> row)> record;
  /// Called at once with warnings about the start, which are also among the notes. May be empty.
  std::function<void(const std::string&)> warn;
  /// Called after each step with the time reached. May be empty.
  std::function<void(double t)> progress;
  /// Called after `record`; may be empty. Its argument is valid during the call.
  std::function<void(const Checkpoint&)> checkpoint;
  const Checkpoint* resume = nullptr;  ///< go on from here
  std::stop_token stop;
};

/// Checks the experiment and runs it. InputError for what `check` finds; ComputationError where the
/// integration fails.
ULNA_API RunSummary simulate(const Experiment& experiment, const RunOptions& options);
ULNA_API RunSummary simulate(const CheckedExperiment& experiment, const RunOptions& options);

/// A run kept in memory.
struct Run {
  std::vector<Channel> channels;  ///< besides t
  std::vector<double> t;
  Eigen::MatrixXd values;  ///< one row per record, one column per channel
  RunSummary summary;
  /// The column of a channel by name; InputError when it was not recorded.
  ULNA_API Eigen::VectorXd column(const std::string& name) const;
};
ULNA_API Run simulate(const Experiment& experiment, std::stop_token stop = {});

/// As channels_named for a robot, those of contacts and nonholonomic rows besides.
ULNA_API std::vector<Channel> channels_named(const Experiment& experiment, const std::string& name);
/// Why the feedback of a controller may not use a channel; empty: it may. InputError where there is
/// no such channel, or several.
ULNA_API std::string why_no_feedback_of(const Experiment& experiment, const std::string& channel);
/// The channels that an experiment records, in order.
ULNA_API std::vector<Channel> channels_of(const Experiment& experiment);
/// The times of its records.
ULNA_API std::vector<double> record_times(const Experiment& experiment);

}  // namespace ulna
