#pragma once
// Inverse kinematics without a start, where the arm allows it: all postures at once.
// docs/theory/inverse-kinematics.md, sections "Closed forms" and "Six general axes".
//
//   two turning joints with parallel axes, a point of their plane            at most 2
//   three turning joints, a point (the T3R3 type and every other)            at most 4
//   three turning joints with parallel axes, a pose in their plane           at most 2
//   six turning joints, three successive axes through one point (Pieper)     at most 8
//   six turning joints, three successive axes parallel (UR)                  at most 8
//   any six turning joints, by elimination                                   at most 16
//
// The structure is decided by the geometry of the axes, within a tolerance that covers the rounding
// of CAD and URDF files; the postures are then brought to the arm as it is by Newton's method.

#include <optional>
#include <string>
#include <vector>

#include "ulna/kinematics/kinematics.hpp"

namespace ulna {

/// What is special about the six axes of an arm.
struct ArmStructure {
  enum class Kind {
    none,                ///< not six turning joints
    spherical,           ///< three successive axes meet in one point
    parallel,            ///< three successive axes are parallel
    intersecting_pairs,  ///< two pairs of successive axes meet
    general
  };
  Kind kind = Kind::none;
  int first = 0;  ///< of the three axes or of the first pair, from 0

  bool operator==(const ArmStructure&) const = default;
};
ULNA_API ArmStructure arm_structure(const Model& model, int frame);
/// "axes 4, 5 and 6 meet in one point".
ULNA_API std::string text_of(const ArmStructure& structure);

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

/// Why elimination does not apply, or nothing when six turning joints carry the frame.
ULNA_API std::string why_no_elimination(const Model& model, int frame);
/// The same postures for any six turning joints, by Raghavan and Roth's elimination.
ULNA_API std::vector<Eigen::VectorXd> elimination_poses(const Model& model, int frame,
                                                        const Pose<double>& X_WF);

/// The words for a posture of an arm whose second and third axes are parallel and across the first:
/// shoulder left or right, elbow up or down (along the first axis), and of a wrist flip or no flip.
/// Empty where the arm has no such part.
struct PostureNames {
  std::string shoulder, elbow, wrist;

  bool empty() const { return shoulder.empty() && elbow.empty() && wrist.empty(); }
  ULNA_API std::string text() const;  ///< "shoulder right, elbow up, wrist no flip"
};
ULNA_API PostureNames posture_names(const Model& model, int frame, const VectorRef& q);

}  // namespace ulna
