#pragma once
// `ulna motion EXPERIMENT`: the motions of the joints as the experiment has planned them.

#include <optional>
#include <string>

namespace ulna::cli {

struct MotionExperimentOptions {
  std::string file;
  int samples = 101;
  std::optional<std::string> output;
  bool json = false, table = false;
};
int run_motion_experiment(const MotionExperimentOptions& options);

}  // namespace ulna::cli
