#pragma once
// One experiment of a flexible robot by each way to make a frame follow its path: joint control
// alone, input shaping, inversion, feedback of strain and of the frame.
// docs/theory/tip-tracking.md.

#include <functional>
#include <stop_token>

#include "ulna/simulation/internal/draft.hpp"

namespace ulna {

struct TipRun {
  std::string method;
  double preview = 0;      ///< the frame begins to move at this time
  double end = 0;          ///< of the motion of the frame, from its beginning
  double peak = 0;         ///< largest distance of the frame from its target, m
  double rms = 0;          ///< root mean square of it over the run
  double residual = 0;     ///< largest distance after the target has come to rest
  double peak_effort = 0;  ///< largest effort of a joint, SI units
  bool complete = true;
  std::string reason;     ///< why it is not
  Eigen::VectorXd t;      ///< from the beginning of the motion of the frame
  Eigen::VectorXd error;  ///< distances
};

/// `draft`: the experiment as it was read; its `tip` names the frame, its `shaping` the number of
/// modes and its controllers the feedback that the runs with feedback have. `progress`: called
/// before each run with its method; false ends the study.
ULNA_API std::vector<TipRun> tip_study(const ExperimentDraft& draft,
                                       const std::function<bool(const std::string&)>& progress = {},
                                       std::stop_token stop = {});

}  // namespace ulna
