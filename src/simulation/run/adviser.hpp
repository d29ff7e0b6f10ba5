#pragma once
// Watches a run of a flexible robot and says, once each, where its model is leaving the ground it
// stands on. docs/theory/flexible.md, section 8.

#include <set>
#include <string>
#include <vector>

#include "run/mechanical_system.hpp"

namespace ulna {

class Adviser {
 public:
  explicit Adviser(const Experiment& experiment);

  /// At a state that was just evaluated.
  void look(const MechanicalSystem& system);
  /// Equations of flexible bodies may: then what was recorded is the result of the run.
  bool may_diverge() const { return model_.modes() > 0; }
  /// A body has left its axis by twice its length or more: `reason` says which.
  bool diverged(const MechanicalSystem& system);
  std::string reason;
  /// What ended the integration at this state, with what the mass matrix has to do with it.
  std::string explained(std::string message, const MechanicalSystem& system) const;
  std::vector<std::string> notes;
  /// For a run that goes on later: the keys of what was said.
  const std::set<std::string>& said() const { return said_; }
  void restore(std::vector<std::string> all, const std::vector<std::string>& keys) {
    notes = std::move(all);
    said_ = {keys.begin(), keys.end()};
  }

 private:
  void say(const std::string& key, std::string note);
  void compare_modes(const Experiment& experiment);
  std::string singular_values(const MechanicalSystem& system) const;
  void look_at_deflections(const MechanicalSystem& system);
  void look_at_rates(const MechanicalSystem& system);
  void look_at_stability(const MechanicalSystem& system);

  const Model& model_;
  ElasticLevel level_;
  double first_ = 0;    ///< lowest frequency with the joints locked, at the start
  double weakest_ = 0;  ///< smallest singular value of the mass matrix at the start
  std::set<std::string> said_;
};

/// The integrator for an experiment whose method is automatic: CVODE's BDF where the highest modal
/// frequency would ask an explicit method for more than 300 000 steps.
IntegratorMethod method_for(const Experiment& experiment);

}  // namespace ulna
