#pragma once
// The beams of one body cut into elements, in body axes, with nodes where other things attach.

#include <string>
#include <vector>

#include "ulna/model/robot.hpp"

namespace ulna {

struct MeshElement {
  int start, end;  ///< nodes
  int beam;        ///< of the body
  int section;     ///< element of the beam whose section it has
};

struct BodyMesh {
  std::vector<Vector3<double>> nodes;  ///< along the beams in their order
  std::vector<MeshElement> elements;

  int nearest(const Vector3<double>& point) const;
};

/// `points` on an axis become nodes. A body without beams has one node, at the first point. Throws
/// InputError when a beam touches no other.
BodyMesh mesh_of(const BodyData& body, const std::vector<Vector3<double>>& points);

}  // namespace ulna
