#pragma once
// Links and joints of a URDF.

#include <string>

#include "ulna/model/robot.hpp"
#include "urdf_element.hpp"

namespace ulna {

BodyData read_urdf_link(UrdfContext& context, const UrdfElement& link);
JointData read_urdf_joint(const UrdfElement& joint);

/// Collects the colours of all named materials, wherever they are defined.
void read_urdf_materials(UrdfContext& context, const UrdfElement& robot);

/// Appends a <visual> or <collision> to the body's geometry.
void read_urdf_geometry(UrdfContext& context, const UrdfElement& element, BodyData& body);

}  // namespace ulna
