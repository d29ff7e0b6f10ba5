#pragma once
// `inertia: from-geometry` and `density:` of a body: mass, centre and inertia of the solids that
// its shapes are, meshes included. `planar: true`: inertias of which only the moment about z is
// given. docs/robot-file.md, "Bodies".

#include "ulna/model/robot.hpp"
#include "yaml/yaml_parts.hpp"

namespace ulna {

bool takes_inertia_from_geometry(const YamlMap& body);

/// Fills the inertial of a body that has its shapes already; problems go to the context.
void inertia_from_geometry(YamlContext& context, const YamlMap& map, BodyData& body);

/// Looks whether all joints keep the z axes of the bodies parallel, and completes inertias
/// [0, 0, Izz] by Ixx = Iyy = Izz / 2: those of a lamina, which do not matter in the plane.
void complete_planar(YamlContext& context, const YamlMap& map, Robot& robot);

}  // namespace ulna
