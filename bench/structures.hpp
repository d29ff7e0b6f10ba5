#pragma once
// Structures: the ten lowest modes of clamped lattices of beams from 10^4 to 10^5 freedoms, and a
// sweep of a thousand postures of the arm of 66 freedoms.

#include <vector>

namespace ulna::bench {

struct LatticeRow {
  int cells;  ///< nodes along each edge of the cube
  int freedoms;
  double seconds;      ///< assembly and ten modes, one thread
  double cpu_seconds;  ///< the same without what others took of the machine
  double memory_mb;    ///< peak of the process so far
  double first_hertz;
  double residual;  ///< largest, relative to |K||x|
};

struct StructureFindings {
  std::vector<LatticeRow> lattices;
  int postures = 0;
  double sweep_seconds = 0, sweep_cpu_seconds = 0;  ///< on two threads
};

/// `quick`: the smaller lattices only.
StructureFindings measure_structures(bool quick);
void print_structures(const StructureFindings& findings);

}  // namespace ulna::bench
