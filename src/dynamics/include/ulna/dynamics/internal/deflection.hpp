#pragma once
// What flexible bodies look like at a state: the deflection of their ends, bending moments, elastic
// energy. For tables, channels and drawings; not for kernels.

#include "ulna/model/model.hpp"

namespace ulna {

/// Of the end of flexible body `link` (index into Model::flexible_links()) from where it would be
/// if rigid: x, y, z, slopes along y and z, twist; in the axes of its root.
ULNA_API Vector6<double> end_deflection(const Model& model, int link, const VectorRef& q);
/// The pose of a section in the root frame, at x along the undeformed axis.
ULNA_API Pose<double> section_pose(const Model& model, int link, const VectorRef& q, double x);
/// Twisting moment and bending moments about y and z in the section at x along the undeformed axis.
ULNA_API Vector3<double> section_moment(const Model& model, int link, const VectorRef& q,
                                        double x = 0);
ULNA_API double elastic_energy(const Model& model, const VectorRef& q);
/// The largest end deflection across its axis by the length of the body.
ULNA_API double largest_deflection(const Model& model, const VectorRef& q);

}  // namespace ulna
