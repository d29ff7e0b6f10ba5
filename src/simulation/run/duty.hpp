#pragma once
// What a run asks of motors and bearings, and for how long joints are beyond their limits, gathered
// at its records. docs/experiment-file.md, "Motors, bearings and limits".
//
// Peaks are those at the records. Integrals take efforts, speeds and powers as linear between
// records: error of second order in the interval.

#include "run/mechanical_system.hpp"
#include "ulna/dynamics/internal/bearing_loads.hpp"
#include "ulna/simulation/simulate.hpp"

namespace ulna {

class Duty {
 public:
  explicit Duty(const Experiment& experiment);

  /// Reactions at every record are wanted: not for large mechanisms, where they would outweigh the
  /// run. There the loads are gathered where `reaction` is recorded.
  bool wants_reactions() const;
  /// At a record, of which the state was just evaluated; `reactions` may be null.
  void look(const MechanicalSystem& system, const KnownReactions* reactions);
  /// Sentences about limits that are passed at the state.
  std::vector<std::string> beyond_limits(const MechanicalSystem& system) const;
  /// The tables at the end of the run.
  void put(double t, RunSummary& summary) const;

  Eigen::VectorXd memory() const;
  void recall(const Eigen::VectorXd& memory);

 private:
  /// One degree of freedom of a joint of the tree.
  struct Degree {
    std::string name, unit, rate;
    int q = -1, v = 0;
    double lower, upper, speed_limit, effort_limit;
    // From here on what is remembered.
    double driven = 0;  ///< 1: at some record
    PeakValue effort, speed, power;
    double effort_squared = 0, speed_squared = 0, power_squared = 0, taken = 0, given_back = 0;
    double last_effort = 0, last_speed = 0, last_power = 0;
    double last_beyond[3] = {};  ///< position, speed, effort: below zero inside
    double outside[3] = {};      ///< seconds
    double first = -1;

    template <class Visit>
    void remember(const Visit& visit);
  };
  struct Bearing {
    BearingPeak peak;
    std::size_t place;  ///< in KnownReactions::bearings
  };
  template <class Visit>
  void remember(const Visit& visit);
  void look_at(Degree& degree, const MechanicalSystem& system, double dt);

  const Experiment& e_;
  std::vector<Degree> degrees_;
  std::vector<Bearing> bearings_;
  bool looked_ = false, loads_ = false, unique_ = true;
  double last_t_ = 0;
};

}  // namespace ulna
