#pragma once
// Stresses in the members of a structure under its static load: along every element between the
// stress resultants at its ends, over every section (elastic/internal/section_stress.hpp), and of
// each beam the place where the von Mises stress is largest.

#include <optional>

#include "ulna/elastic/parts/section_stress.hpp"
#include "ulna/structure/statics.hpp"

namespace ulna {

/// Resultants at x from the start of an element of length `length`: moments run as the cubic that
/// its ends and their shear forces give, which is exact for loads that run linearly.
ULNA_API elastic::Resultants resultants_at(const StressResultants& element, double length,
                                           double x);

struct MemberStress {
  std::string body, beam;                        ///< the beam's name may be empty
  double station = 0;                            ///< from the beam's start, m
  elastic::Resultants resultants;                ///< there
  std::optional<elastic::SectionStress> stress;  ///< none where the section has no known stresses
};

/// One for every beam, in the order of bodies and beams.
ULNA_API std::vector<MemberStress> member_stresses(const RobotStructure& structure,
                                                   const StaticDeflection& bent);

/// Axes of a beam in the world: rows are its x, y, z.
struct MemberCosines {
  std::string beam;  ///< "body" or "body.beam"
  Matrix3<double> rows;
};
/// Of all beams, by a way of elastic::member_axes_methods().
ULNA_API std::vector<MemberCosines> member_cosines(const RobotStructure& structure,
                                                   const std::string& method);

}  // namespace ulna
