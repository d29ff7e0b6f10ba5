#pragma once
// Links, joints and loops of a URDF.

#include <string>
#include <vector>

#include "ulna/model/robot.hpp"
#include "xml/xml_element.hpp"

namespace ulna {

/// A limit of this size or above is none: parsers ask for all numbers of a <limit>, and have no
/// word for infinity.
inline constexpr double urdf_unlimited = 1e300;

BodyData read_urdf_link(XmlContext& context, const XmlElement& link);
JointData read_urdf_joint(const XmlElement& joint);
/// <drake:joint>: the types that Drake adds to URDF.
JointData read_drake_joint(const XmlElement& joint);
/// <drake:rotor_inertia> and <drake:gear_ratio> of <transmission>s.
void read_drake_rotors(XmlContext& context, pugi::xml_node robot_node, Robot& robot);
/// <limit> and <dynamics> of a joint with one degree.
void read_urdf_degree(const XmlElement& joint, bool continuous, DegreeData& degree);
/// <loop_joint>, <drake:ball_constraint> and <constraint>: joints that close loops of the tree.
std::vector<JointData> read_urdf_loops(XmlContext& context, pugi::xml_node robot_node,
                                       const Robot& tree);

/// The name of a type in these elements; null where none has it.
const char* urdf_loop_type(JointType type);

/// Collects the colours of all named materials, wherever they are defined.
void read_urdf_materials(XmlContext& context, const XmlElement& robot);

/// Appends a <visual> or <collision> to the body's geometry.
void read_urdf_geometry(XmlContext& context, const XmlElement& element, BodyData& body);

}  // namespace ulna
