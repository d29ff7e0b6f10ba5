#pragma once
// `ulna inverse EXPERIMENT`: the efforts along the motions of an experiment.

#include "commands/experiment_run.hpp"

namespace ulna::cli {

int run_inverse_experiment(const ExperimentOptions& options);

}  // namespace ulna::cli
