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

}  // namespace ulna::cli
