#pragma once
// Where the numbers of a run are in the vector y that integrators see (docs/theory/simulation.md,
// eq. 7):
//
//   y = (q and v of what is not driven, the modes of flexible bodies at last; states of the
//        controllers; work of the efforts, work of external wrenches, dissipated work)
//
// Indices only; nothing is computed here.

#include <vector>

#include "ulna/simulation/experiment.hpp"

namespace ulna {

struct ULNA_API StateLayout {
  /// `controller_states`: how many numbers the continuous controllers keep.
  StateLayout(const Model& model, const std::vector<Drive>& drives, int controller_states);

  std::vector<char> driven;             ///< one entry per speed: follows a motion, or is locked
  std::vector<int> place;               ///< of each speed among the integrated ones, or -1
  std::vector<int> free_q, free_v;      ///< coordinates and speeds that are integrated
  std::vector<int> driven_q, driven_v;  ///< taken from the reference
  std::vector<int> quaternions;         ///< first entry in y of each integrated quaternion
  int first_v = 0, first_z = 0, first_work = 0, size = 0;

  /// False when every state may be integrated as a plain number.
  bool curved() const { return !quaternions.empty(); }
  /// The integrated coordinates and speeds from y, and back.
  void take(const double* y, Eigen::VectorXd& q, Eigen::VectorXd& v) const;
  void put(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double* y) const;
  void put_speeds(const Eigen::VectorXd& v, double* y) const;
};

/// One entry per speed: true where it follows a motion or is locked.
std::vector<char> driven_speeds(const Model& model, const std::vector<Drive>& drives);

}  // namespace ulna
