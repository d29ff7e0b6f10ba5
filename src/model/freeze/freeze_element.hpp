#pragma once
// Force elements from bodies and frames to the nodes of the tree.

#include "freeze/freezer.hpp"

namespace ulna {

/// A point of an element, its frame looked up.
struct ElementPlace {
  std::string body;
  Pose<double> X_BE;
};
/// Both ends of an element and what it runs through, in order; none of a torsion along a joint.
std::vector<ElementPlace> places_of(const Robot& robot, const ElementData& data);

/// The frames of a joint that closes a loop, z along its axis, for a torsion along it. InputError
/// where it does not simply turn.
std::vector<ElementPlace> places_along(const ElementData& data, const JointData& joint);

/// The formula of its force, with the places of the coordinates and speeds that it refers to; null
/// where it has none.
std::shared_ptr<const ForceFormula> formula_of(const ElementData& data,
                                               const std::vector<std::string>& coordinates,
                                               const std::vector<std::string>& speeds);

Element element_of(const ElementData& data, const std::vector<TreeNode>& nodes,
                   const std::vector<int>& bodies, const std::vector<CarriedFrame>& points);

}  // namespace ulna
