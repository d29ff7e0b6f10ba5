#pragma once
// Volume, centre and inertia of the solid that a mesh encloses, as sums over the tetrahedra between
// each triangle and a common point. For a tetrahedron 0, a, b, c of signed volume V = det[a b c]/6
// the integral of x x' is V/20 (aa' + bb' + cc' + ss'), with s = a + b + c.

#include "ulna/formats/internal/mesh.hpp"
#include "ulna/spatial/parts/types.hpp"

namespace ulna {

enum class MeshVolume {
  exact,    ///< signed volumes: right for closed meshes with outward triangles
  shell,    ///< the surface, for which `volume` is its area and density is kg/m^2
  absolute  ///< every tetrahedron counts as positive: what MuJoCo does unless told otherwise; the
            ///< same for convex meshes, more than there is for others
};

struct MeshMass {
  double volume = 0;
  Vector3<double> centre = Vector3<double>::Zero();
  Matrix3<double> inertia = Matrix3<double>::Zero();  ///< about the centre, for unit density
};

MeshMass mass_of_mesh(const Triangles& triangles, MeshVolume rule);

/// The corners scaled along each axis; a mirrored mesh keeps its triangles outward.
Triangles scaled(Triangles triangles, const Vector3<double>& scale);

}  // namespace ulna
