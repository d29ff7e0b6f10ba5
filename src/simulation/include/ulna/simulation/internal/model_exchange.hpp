#pragma once
// An experiment as equations for somebody else's integrator (model exchange, docs/fmu.md): rates
// and outputs at any state, indicators whose signs change where a contact state or a channel passes
// its border, and what happens at those instants and at known times. docs/theory/simulation.md, eq.
// 7-19.
//
// Loops and quaternions drift in an integrator that knows nothing of them: `drifted` says when they
// should be moved back, which `pass_event` does.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ulna/simulation/stepping.hpp"

namespace ulna {

class ULNA_API ModelExchange {
 public:
  /// InputError for what `check` finds, and for events that change the system.
  ModelExchange(const ExperimentWithInputs& experiment, const std::vector<std::string>& channels);
  ~ModelExchange();

  /// Why an experiment cannot be exchanged; empty: it can.
  static std::string refusal(const Experiment& experiment);

  int states() const;
  int indicators() const;
  /// Names of the states: "q.joint1", "v.joint1", "controller.0", "work.efforts".
  std::vector<std::string> state_names() const;
  const std::vector<Channel>& channels() const;

  /// y at the start; then `pass_event` once.
  Eigen::VectorXd start();
  void rates(double t, const double* y, double* dy);
  std::span<const double> outputs(double t, const double* y);
  void indicate(double t, const double* y, double* z);

  struct Change {
    bool states = false;  ///< y was changed
    bool ends = false;    ///< an event stops the run
    double next;          ///< when the next event is known to be; infinite: never
  };
  /// All that is due at (t, y): samples, jumps, contact states, events; y is moved onto the loops.
  Change pass_event(double t, double* y);
  /// Loops or quaternions are further from closed than 1e-9.
  bool drifted(double t, const double* y);

  Eigen::VectorXd memory() const;
  void set_memory(const Eigen::VectorXd& memory);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ulna
