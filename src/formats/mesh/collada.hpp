#pragma once
// Triangles of a COLLADA file (.dae): triangles, polylists, polygons, strips and fans of its
// geometries, placed by the nodes of its scene and scaled by its unit.
//
// <up_axis> is left aside. In robot files meshes are given in the axes of their link, whatever that
// element says: RViz, MoveIt and Gazebo take them so, and many published files that say Y_UP
// rely on it. Of materials the diffuse colour is taken; textures, skins and
// morphs are left aside.

#include <string>

#include "ulna/formats/internal/mesh.hpp"

namespace ulna {

/// `text` is the content of `file`, which errors name.
std::vector<MeshPart> read_collada(const std::string& file, std::string& text, std::size_t most);

}  // namespace ulna
