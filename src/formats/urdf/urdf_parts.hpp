#pragma once
// Links, joints and loops of a URDF.

#include <string>
#include <vector>

#include "ulna/model/robot.hpp"
#include "urdf/urdf_element.hpp"

namespace ulna {

BodyData read_urdf_link(UrdfContext& context, const UrdfElement& link);
JointData read_urdf_joint(const UrdfElement& joint);
/// <limit> and <dynamics> of a joint with one degree.
void read_urdf_degree(const UrdfElement& joint, bool continuous, DegreeData& degree);
/// <loop_joint> and <drake:ball_constraint>: joints that close loops of the tree.
std::vector<JointData> read_urdf_loops(UrdfContext& context, pugi::xml_node robot_node,
                                       const Robot& tree);

/// Collects the colours of all named materials, wherever they are defined.
void read_urdf_materials(UrdfContext& context, const UrdfElement& robot);

/// Appends a <visual> or <collision> to the body's geometry.
void read_urdf_geometry(UrdfContext& context, const UrdfElement& element, BodyData& body);

}  // namespace ulna
