#pragma once
// Inverse kinematics in closed form, where the arm has one: all postures at once, without a start.
// docs/theory/inverse-kinematics.md, section "Closed forms".
//
//   two turning joints with parallel axes, a point of their plane            at most 2
//   three turning joints, a point (the T3R3 type and every other)            at most 4
//   three turning joints with parallel axes, a pose in their plane           at most 2
//   six turning joints, the last three axes through one point (Pieper)       at most 8
//
// The position part is Pieper's: where the second joint puts a point and where the first one can
// fetch it are circles, and eliminating their intersection leaves an equation of degree four (often
// two) in the third angle.

#include <optional>
#include <string>
#include <vector>

#include "ulna/kinematics/kinematics.hpp"

namespace ulna {

/// Why an arm has no closed form for a frame, or nothing when it has: "joint 'lift' slides".
/// `with_rotation`: for poses rather than points.
ULNA_API std::string why_no_closed_form(const Model& model, int frame, bool with_rotation);

/// Postures that bring the frame's origin to a point, within the limits; whole turns are added
/// where those need it. Empty when it cannot be reached. InputError when the arm has no closed
/// form.
ULNA_API std::vector<Eigen::VectorXd> closed_form_positions(const Model& model, int frame,
                                                            const Vector3<double>& point);
/// Postures that bring the frame to a pose.
ULNA_API std::vector<Eigen::VectorXd> closed_form_poses(const Model& model, int frame,
                                                        const Pose<double>& X_WF);

}  // namespace ulna
