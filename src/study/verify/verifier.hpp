#pragma once
// The comparisons of verify, at one random state after the other (docs/theory/verify.md).

#include "ulna/dynamics/derivatives.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/dynamics/kane_dynamics.hpp"
#include "ulna/dynamics/reactions.hpp"
#include "ulna/dynamics/torque_regressor.hpp"
#include "verify/ledger.hpp"

namespace ulna {

class Verifier {
 public:
  Verifier(const Model& model, unsigned seed);

  void examine_a_state();

  Ledger ledger;

 private:
  // verifier.cpp
  /// One for each formulation that answers the question for this robot.
  std::vector<Dynamics*> formulations_for(Question question);
  void draw_state();
  Eigen::VectorXd entries();

  // verify_methods.cpp: any two methods
  void inverse_methods();
  void forward_methods();
  void mass_matrices();

  // verify_identities.cpp: what holds for any mechanism
  void energies();
  void power_balance();
  void coriolis();
  void virtual_work();

  // verify_quantities.cpp: what is derived from them
  void joint_reactions();
  void centroidal();
  void regressors();

  // verify_derivatives.cpp: closed forms, dual numbers, differences
  void inverse_derivatives();
  void forward_derivatives();

  /// How many roundings of the solution of M a = b are allowed for.
  double forward_bound() const { return 1e-12 + 1e-15 * condition; }

  const Model& model;
  Workspace work;
  DerivativeWorkspace derivatives;
  Kane kane;
  std::vector<std::unique_ptr<Dynamics>> by_formulation;
  JointReactions reactions;
  TorqueRegressor regressor;
  std::mt19937_64 generator;
  int speeds_body = -1;  ///< whose angular velocity serves Kane's method; -1: none can

  Eigen::VectorXd q, v, a;
  Eigen::VectorXd tau;      ///< that give a
  Eigen::VectorXd efforts;  ///< of the same size, to be balanced by other accelerations
  Eigen::VectorXd bias;
  Eigen::MatrixXd M;
  double condition = 1;          ///< of M
  Eigen::VectorXd terms_of_tau;  ///< |M| |a| + |bias|: what tau is the sum of
  std::optional<SpeedMap> body_map;
  double body_map_allowance = 0;
};

}  // namespace ulna
