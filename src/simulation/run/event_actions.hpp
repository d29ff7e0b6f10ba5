#pragma once
// A run goes in phases: an event that changes the robot or what drives it ends one, and the next
// begins at the same state with another experiment.

#include "ulna/simulation/simulate.hpp"

namespace ulna {

/// Where an event ended a phase, and what the next one begins with.
struct PhaseLink {
  bool begins = false;               ///< this phase goes on from another one
  std::vector<EventAction> actions;  ///< what is to change now; none: the run is over
  std::string event;                 ///< whose
  Checkpoint at;                     ///< in the layout of the phase that ended
  Eigen::VectorXd q, v, q_ref, v_ref;
  std::vector<double> levels;  ///< of the events
  Eigen::VectorXd z;           ///< states of controllers and actuators
  double energy = 0;           ///< of the robot before the change
  Eigen::Vector3d works;       ///< of efforts, of wrenches, dissipated
};

/// Whether the system of equations is another one after this action.
bool changes_system(const EventAction& action);

/// The actions of an event at a state: where one is a call, what the function asks for besides.
/// InputError where the experiment has no place for that.
std::vector<EventAction> actions_of(const Experiment& experiment, const Event& event, double t,
                                    const Eigen::VectorXd& q, const Eigen::VectorXd& v);

/// Kinetic and potential energy, without those of closing joints, which no action changes.
double energy_of(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v);

/// The experiment of the next phase.
Experiment after_actions(const Experiment& experiment, PhaseLink& link);

/// The experiment of the phase that a checkpoint was taken in, with the actions of all events
/// before it applied to the states that they found; `link` says where that phase began. Functions
/// that events call are called again. InputError where the checkpoint does not fit.
Experiment experiment_at(const Experiment& experiment, const Checkpoint& from, PhaseLink& link);

}  // namespace ulna
