#pragma once
// What the modal coordinates of a flexible robot answer besides frequencies: the response of a
// place to a harmonic force at another one, and shapes as displacements of points to be drawn.
// docs/theory/flexible.md, eq. 27 and 35.

#include <string>

#include "ulna/dynamics/internal/elastic_modes.hpp"

namespace ulna {

/// A place to push or to watch, on the freedoms that vibrate: "tip.z" is the force on (or the
/// displacement of) a frame's point along a world axis, "tip.rx" moment and rotation, "elbow" the
/// effort or motion of a joint that is free. InputError naming what does not exist or is locked.
ULNA_API Eigen::VectorXd elastic_place(const Model& model, const ElasticModes& modes,
                                       const VectorRef& q, const std::string& where);

/// out' (K - w^2 M + i w C)^-1 in, with the damping of the robot itself, at each w (rad/s).
ULNA_API Eigen::VectorXcd elastic_response(const ElasticModes& modes, const Eigen::VectorXd& in,
                                           const Eigen::VectorXd& out, const Eigen::VectorXd& w);

/// Points of the robot at a state, and which of them are joined: sections along flexible bodies,
/// and lines from the origins of rigid bodies to their frames and to the joints they carry.
struct ElasticDrawing {
  Eigen::Matrix3Xd nodes;
  std::vector<std::vector<int>> members;
};
ULNA_API ElasticDrawing elastic_drawing(const Model& model, const VectorRef& q);
/// How the points move with speeds v, by unit of time.
ULNA_API Eigen::Matrix3Xd drawn_motion(const Model& model, const VectorRef& q, const VectorRef& v);

}  // namespace ulna
