#pragma once
// Triangles of a mesh file for drawing: STL (binary and text), Wavefront OBJ and COLLADA (vertices
// and faces, the diffuse colours of its materials; normals and textures are left aside). Files are
// taken as hostile: sizes are checked before anything is allocated.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ulna/numerics/error.hpp"

namespace ulna {

/// Nine numbers for each triangle: x, y, z of its corners.
using Triangles = std::vector<float>;

/// By the ending of the name, .stl, .obj or .dae. InputError when the file is missing, of another
/// kind, damaged, or above `most` triangles.
ULNA_API Triangles read_mesh(const std::string& file, std::size_t most = 300'000);

/// Triangles of one colour.
struct MeshPart {
  Triangles triangles;
  std::optional<std::array<double, 4>> colour;  ///< red, green, blue, opacity; none: not said
};
/// The same with the colours of COLLADA materials: one part for each colour, at least one.
ULNA_API std::vector<MeshPart> read_mesh_parts(const std::string& file, std::size_t most = 300'000);

}  // namespace ulna
