#pragma once
// The states along the motions of an experiment, for commands that tell something of each.

#include "commands/experiment_run.hpp"
#include "ulna/dynamics/inverse_dynamics.hpp"

namespace ulna::cli {

struct RecordedState {
  double t;
  Eigen::VectorXd q, v, a;
  std::vector<ExternalWrench> wrenches;  ///< what pushes the bodies there, contacts included
};

struct RecordedMotion {
  Experiment experiment;              ///< with every joint that has a motion driven by it
  std::vector<int> motors;            ///< speeds that follow motions or are locked
  std::vector<RecordedState> states;  ///< at its records
};

RecordedMotion recorded_motion(const ExperimentOptions& options);

}  // namespace ulna::cli
