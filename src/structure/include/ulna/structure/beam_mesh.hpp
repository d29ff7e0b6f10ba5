#pragma once
// How finely the beams of a robot are cut into elements, and whether that is fine enough for the
// modes that are asked for.

#include "ulna/structure/structure_modes.hpp"

namespace ulna {

/// Every element of every beam cut into `factor` equal ones.
ULNA_API Robot with_finer_beams(Robot robot, int factor);

/// Largest relative difference of the lowest frequencies on the two meshes; rigid-body modes (below
/// 1e-6 of the highest) are left out. Beam elements converge from above, with the fourth power of
/// their length: what is left after halving them is about a fifteenth of it.
ULNA_API double mesh_error(const Eigen::VectorXd& coarse, const Eigen::VectorXd& fine);

}  // namespace ulna
