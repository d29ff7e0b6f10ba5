#pragma once
// A bushing of a sliding joint: a place where the joint holds a beam that passes through it. It
// stays on one of the two bodies while the beam of the other slides through, so the beam is
// supported at another station for every position of the joint. Elastic frames use it
// (docs/theory/structure.md, eqs. 43-44); rigid mechanics does not.

#include <limits>
#include <optional>

#include "ulna/numerics/error.hpp"

namespace ulna {

struct BushingData {
  static constexpr double rigid = std::numeric_limits<double>::infinity();
  /// `automatic`: the body that the other's beam passes through.
  enum class Side { automatic, parent, child };

  Side on = Side::automatic;
  double at = 0;                  ///< along the axis, from the joint's frame on that body
  double stiffness = rigid;       ///< across the axis, N/m
  std::optional<double> tilting;  ///< against turning across the axis, N m/rad; when not given,
                                  ///< rigid for a bushing alone and 0 among several
  std::optional<double>
      torsion;  ///< against turning about the axis, N m/rad; when not given, rigid
                ///< in the first bushing and 0 in the others; of prismatic joints
  SourceMark mark;
};

}  // namespace ulna
