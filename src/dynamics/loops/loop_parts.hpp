#pragma once
// What LoopDynamics keeps behind its header: both routes and their storage.

#include "loops/loop_embedding.hpp"
#include "loops/loop_system.hpp"

namespace ulna {

struct LoopDynamics::System {
  explicit System(const LoopClosure& closure)
      : equations(closure),
        embedding(closure),
        closing(closing_degrees(closure.model())),
        motors(closure.model().speeds() + static_cast<int>(closing.size()),
               closure.model().speeds()),
        drive(Eigen::MatrixXd::Zero(closure.model().speeds() + std::ssize(closing),
                                    closure.model().speeds())),
        MG(Eigen::MatrixXd::Zero(closure.model().speeds(), closure.model().speeds())),
        reduced(MG),
        free(Eigen::VectorXd::Zero(closure.model().speeds())),
        efforts(Eigen::VectorXd::Zero(drive.rows())) {}

  LoopSystem equations;     ///< multipliers
  LoopEmbedding embedding;  ///< independent speeds
  std::vector<ClosingDegree> closing;
  PivotedQr motors;  ///< of inverse dynamics: the actuated rows of G and K G
  Eigen::MatrixXd drive, MG, reduced;
  Eigen::VectorXd free, efforts;
};

}  // namespace ulna
