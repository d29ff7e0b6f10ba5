#pragma once
// What LoopDynamics keeps behind its header: both routes and their storage.

#include "loops/loop_embedding.hpp"
#include "loops/loop_system.hpp"

namespace ulna {

struct LoopDynamics::System {
  explicit System(const LoopClosure& closure)
      : equations(closure),
        embedding(closure),
        motors(closure.model().speeds(), closure.model().speeds()),
        drive(Eigen::MatrixXd::Zero(closure.model().speeds(), closure.model().speeds())),
        MG(drive),
        reduced(drive),
        free(Eigen::VectorXd::Zero(closure.model().speeds())),
        efforts(free) {}

  LoopSystem equations;     ///< multipliers
  LoopEmbedding embedding;  ///< independent speeds
  PivotedQr motors;         ///< of inverse dynamics: the actuated rows of G
  Eigen::MatrixXd drive, MG, reduced;
  Eigen::VectorXd free, efforts;
};

}  // namespace ulna
