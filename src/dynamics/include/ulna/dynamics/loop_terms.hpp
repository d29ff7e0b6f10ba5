#pragma once
// The equations of motion of a mechanism on its independent speeds (docs/theory/closed-loops.md,
// eq. 16):
//
//   M a_i + coriolis + gravity = G' tau,   M = G' M_tree G
//
// without damping, friction and springs, as the terms of a tree are given.

#include "ulna/dynamics/loops.hpp"

namespace ulna {

struct LoopTerms {
  std::vector<int> independent;  ///< speeds
  Eigen::MatrixXd M;
  Eigen::VectorXd coriolis;  ///< G' (C v + M gamma): quadratic in the speeds
  Eigen::VectorXd gravity;
};

/// At a closed posture, for speeds that keep the loops closed. `independent` empty: by pivoting.
ULNA_API LoopTerms loop_terms(const Model& model, const VectorRef& q, const VectorRef& v,
                              const std::vector<int>& independent = {});

}  // namespace ulna
