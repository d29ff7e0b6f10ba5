#pragma once
// Triangles of a mesh file for drawing: STL (binary and text), Wavefront OBJ and COLLADA (vertices
// and faces; colours, normals and textures are left aside). Files are taken as hostile: sizes are
// checked before anything is allocated.

#include <string>
#include <vector>

#include "ulna/numerics/error.hpp"

namespace ulna {

/// Nine numbers for each triangle: x, y, z of its corners.
using Triangles = std::vector<float>;

/// By the ending of the name, .stl, .obj or .dae. InputError when the file is missing, of another
/// kind, damaged, or above `most` triangles.
ULNA_API Triangles read_mesh(const std::string& file, std::size_t most = 300'000);

}  // namespace ulna
