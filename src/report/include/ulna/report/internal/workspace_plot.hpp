#pragma once
// A slice of a platform's workspace as SVG: good poses coloured by the condition of the drives'
// rows (dark blue: well held), the others by what is wrong, with a legend.

#include <string>

#include "ulna/kinematics/platform_quality.hpp"

namespace ulna {

/// `loci`: curves of singular poses, drawn in red.
ULNA_API std::string workspace_svg(const WorkspaceSlice& slice, const std::string& title,
                                   const std::vector<LocusPiece>& loci = {});

}  // namespace ulna
