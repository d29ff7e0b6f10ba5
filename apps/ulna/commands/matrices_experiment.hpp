#pragma once
// `ulna matrices EXPERIMENT`: the 4x4 matrices of every link along the motions of an experiment.

#include "commands/experiment_run.hpp"

namespace ulna::cli {

/// Of these bodies (all when empty), at every record; into `output` as a table, if given.
int run_matrices_experiment(const ExperimentOptions& options,
                            const std::vector<std::string>& bodies,
                            const std::optional<std::string>& output);

}  // namespace ulna::cli
