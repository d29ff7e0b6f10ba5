#pragma once
// One experiment with a flexible robot at every level of fidelity, side by side: what each
// simplification costs in accuracy and gains in time, and where it fails.
// docs/theory/flexible.md, section 8.

#include "ulna/simulation/simulate.hpp"

namespace ulna {

struct FidelityRow {
  ElasticLevel level;
  bool complete = false;
  std::string reason;    ///< how it ended
  double t = 0;          ///< where
  Eigen::VectorXd peak;  ///< largest end deflection across the axis, one per flexible body
  Eigen::VectorXd end;   ///< coordinates of the joints at its end
  Eigen::VectorXd
      end_error;  ///< from those of `exact`, in the tangent; empty where it ended earlier
  double deflection_error = 0;  ///< largest difference of an end deflection from exact, m
  double energy_balance = 0;    ///< J
  double largest_kinetic = 0;   ///< J
  double wall_seconds = 0;
  long evaluations = 0;
  std::vector<std::string> notes;
  Eigen::VectorXd times;       ///< of its records, s
  Eigen::MatrixXd deflection;  ///< at these: y and z of the end of each flexible body, m
};

struct FidelityStudy {
  std::vector<std::string> bodies;  ///< the flexible ones
  std::vector<FidelityRow> rows;    ///< exact first
};

/// Runs the experiment at each of the levels (empty: all). `exact` always runs, to compare with.
/// InputError for a rigid robot. `progress` is called before each level; false ends the study.
ULNA_API FidelityStudy fidelity_study(const Experiment& experiment,
                                      std::vector<ElasticLevel> levels = {},
                                      const std::function<bool(ElasticLevel)>& progress = {},
                                      std::stop_token stop = {});

}  // namespace ulna
