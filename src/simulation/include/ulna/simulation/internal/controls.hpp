#pragma once
// What acts on the joints and bodies of a run from outside: the reference motions, efforts as
// functions of time and as formulas, sensors, controllers (continuous, or sampled with their
// efforts held in between), actuators, applied wrenches; and the times at which any of these may
// jump.

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/simulation/experiment.hpp"
#include "ulna/simulation/internal/reference.hpp"

namespace ulna {

class ActuatorBank;
class ControllerView;
class EffortFormulas;
class SensorBank;

class ULNA_API Controls {
 public:
  explicit Controls(const Experiment& experiment);
  ~Controls();

  Reference reference;

  /// How many numbers the continuous controllers and the actuators keep in y.
  int states() const { return states_; }
  /// Those at the start, with the robot at (q, v).
  Eigen::VectorXd start(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  SensorBank& sensors() { return *sensors_; }
  const SensorBank& sensors() const { return *sensors_; }
  const ActuatorBank& actuators() const { return *actuators_; }
  /// The reference at t where the rates need it, not only samples and records.
  void follow(double t);
  bool always_follows() const { return always_follows_; }

  /// Efforts at a state; `z` and `dz` are the states of the continuous controllers and their rates.
  void efforts(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, const double* z,
               Eigen::VectorXd& tau, double* dz);
  /// Samples the controllers that are due at t.
  bool samples() const { return !sampled_.empty(); }
  void sample(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v);

  /// How many wrenches are applied, the wrenches they become, and their values at t.
  std::size_t wrench_count() const { return applied_.size(); }
  std::vector<ExternalWrench> wrenches() const;
  void update_wrenches(double t, std::span<ExternalWrench> wrenches) const;

  /// The next time after t at which something may jump; infinite when there is none.
  double next_breakpoint(double t) const;
  /// The last one up to t, 0 when there is none.
  double last_breakpoint(double t) const;
  /// Functions of time are evaluated inside this segment from now on.
  void set_segment(double begin, double end);
  void end_segment(double end);
  /// t, on the side of a breakpoint that belongs to the segment.
  double inside(double t) const;

  /// What sampled controllers remember, for a run that goes on later.
  void remember(std::vector<double>& memory) const;
  /// From the beginning of `memory`; returns how many numbers it took.
  long recall(const Eigen::VectorXd& memory);

 private:
  struct Pending {
    double time;
    Eigen::VectorXd tau;
  };
  struct Sampled {
    std::unique_ptr<ControllerView> view;
    double period, delay;
    Eigen::VectorXd z, dz, tau, given;  ///< efforts that act, and those computed last
    long count = 0;                     ///< of samples taken
    std::deque<Pending> pending;        ///< efforts that do not act yet
  };
  struct Continuous {
    std::unique_ptr<ControllerView> view;
    int first;  ///< of its states among all of them
  };
  struct EffortFunction {
    int speed;
    const ScalarMotion* effort;
  };
  void collect_breakpoints(const Experiment& experiment);
  void compute(Sampled& s, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v);

  std::shared_ptr<const Model> model_;
  std::vector<Drive> drives_;
  std::vector<AppliedWrench> applied_;
  std::unique_ptr<SensorBank> sensors_;
  std::unique_ptr<ActuatorBank> actuators_;
  std::vector<EffortFunction> functions_;
  std::unique_ptr<EffortFormulas> formulas_;  ///< null where no effort depends on the state
  std::vector<Continuous> continuous_;
  std::vector<Sampled> sampled_;
  int first_actuator_state_ = 0;
  std::vector<double> breakpoints_;
  double segment_begin_ = 0, segment_end_;
  bool always_follows_ = false;
  int states_ = 0;
};

}  // namespace ulna
