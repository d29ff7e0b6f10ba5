#include <algorithm>
#include <cstdlib>

#include "sweep/ranks.hpp"

namespace ulna::cli {

int launched_tasks() {
  // Open MPI; MPICH and its kin; Slurm within a step (SLURM_NTASKS alone is there in a batch
  // script, too).
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"})
    if (const char* value = std::getenv(name)) return std::atoi(value);
  if (const char* step = std::getenv("SLURM_STEP_NUM_TASKS"); step && std::getenv("SLURM_PROCID"))
    return std::atoi(step);
  return 1;
}

int allotted(int processors) {
  // A cluster that does not bind tasks to their processors says only how many each has.
  const char* value = std::getenv("SLURM_CPUS_PER_TASK");
  const int most = value ? std::atoi(value) : 0;
  return std::max(1, most > 0 ? std::min(most, processors) : processors);
}

}  // namespace ulna::cli
