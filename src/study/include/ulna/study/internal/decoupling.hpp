#pragma once
// How far a robot's drives act each for itself: along a motion, the efforts that come from
// accelerations against those that come from velocities, the diagonal of I* and P* against the
// rest, and what forces are wrong by when terms are left out, as controllers do
// (docs/theory/influence-coefficients.md, section 6; the study of Lim, Freeman and Tesar 1989).

#include "ulna/dynamics/internal/coordinate_transfer.hpp"
#include "ulna/simulation/experiment.hpp"

namespace ulna {

/// A state of the whole robot on a motion.
struct MotionState {
  double t = 0;
  Eigen::VectorXd q, v, a;
};

/// The motions of an experiment, at `count` + 1 times from 0 to its end. With loops, the joints
/// that have motions must determine the others, which follow. InputError when nothing moves,
/// ComputationError with the time where the loops cannot be closed.
ULNA_API std::vector<MotionState> motion_states(const Experiment& experiment, int count);
/// The same at given times; those of robots with loops are followed from one to the next.
ULNA_API std::vector<MotionState> motion_states(const Experiment& experiment,
                                                const std::vector<double>& times);

/// The inputs of a study when none are named: the drives of a platform; what the experiment moves,
/// where that determines the robot at `q`; else independent speeds found by pivoting.
ULNA_API std::vector<int> decoupling_inputs(const Experiment& experiment, const VectorRef& q);

struct Spread {
  double least = 0, mean = 0, greatest = 0;
};

struct Decoupling {
  std::vector<std::string> inputs;
  Eigen::VectorXd t;
  /// Efforts of the inputs, one row for each time.
  Eigen::MatrixXd acceleration, velocity, gravity, total;
  /// Mean size of the entries off the diagonal over that on it, for I* and for P* (symmetric parts,
  /// mean over the planes), one for each time.
  Eigen::VectorXd inertia_coupling, power_coupling;
  Spread inertia_spread, power_spread;
  double mean_inertia = 0, mean_power = 0;  ///< mean size of the entries of I* and of P*
  /// Of all inputs and times, root mean square of the velocity efforts over that of the others.
  double rms_ratio = 0;
  Eigen::VectorXd peak_ratio;   ///< by input: greatest velocity effort over greatest acceleration's
  Eigen::VectorXd correlation;  ///< by input: of its acceleration effort with its own acceleration
  double peak = 0;              ///< greatest effort of accelerations and velocities together
  /// Greatest errors over that peak when terms are left out: P*, off the diagonal of I*, both.
  double without_power = 0, without_off_diagonal = 0, without_both = 0;
};

/// `inputs`: indices into all_speed_names(); as many as the robot has degrees of freedom.
ULNA_API Decoupling decoupling(const Model& model, const std::vector<int>& inputs,
                               const std::vector<MotionState>& states);

/// The robot with only these bodies heavy.
ULNA_API Robot with_mass_only(Robot robot, const std::vector<std::string>& bodies);

}  // namespace ulna
