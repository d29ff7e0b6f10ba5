#pragma once
// Force elements in the structure of a robot: their tangent stiffness and damping at the posture.
// docs/theory/elements.md, section 6.

#include <functional>

#include "ulna/elastic/beam_structure.hpp"
#include "ulna/model/model.hpp"

namespace ulna {

/// The frame of an element's point on its body as it was built.
Pose<double> point_on_body(const Model& model, const ElementPoint& point);

/// The node of the frame that carries a place of a body, given in the world.
using NodeAt = std::function<int(int body, const Vector3<double>& p_W, const std::string& name)>;

/// `freedom_of_speed`: -1 where a joint is locked. All nodes and freedoms must be there.
void add_element_springs(const Model& model, const VectorRef& q,
                         const std::vector<Pose<double>>& X_WB,
                         const std::vector<int>& freedom_of_speed, elastic::BeamStructure& frame,
                         const NodeAt& node_at);
/// The node at every point of every element.
std::vector<std::vector<int>> element_nodes(const Model& model,
                                            const std::vector<Pose<double>>& X_WB,
                                            const NodeAt& node_at);

}  // namespace ulna
