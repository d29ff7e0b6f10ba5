#pragma once
// A frame on its body as it was built. A node carries frames; on a flexible body that node is the
// section the frame stands on, and the way from the body's root to the section comes back here.

#include "ulna/model/model.hpp"
#include "ulna/model/parts/modal_body.hpp"

namespace ulna {

/// X_BF of a frame that `node` carries at X_NF, before `body` bends: the inverse of Model::carrier.
inline Pose<double> pose_on_body(const Model& model, int body, int node, const Pose<double>& X_NF) {
  const Pose<double> X_BN = model.bodies()[body].X_NB.inverse();
  const TreeNode& carrier = model.topology().nodes[node];
  if (carrier.kind != NodeKind::station) return X_BN * X_NF;
  const double along = carrier.modal->stations[carrier.station].x;
  return X_BN * (Pose<double>::translation({along, 0, 0}) * X_NF);
}

}  // namespace ulna
