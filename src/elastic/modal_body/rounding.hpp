#pragma once

namespace ulna::elastic {

/// A diagonal entry above minus this part of the largest counts as zero.
inline constexpr double rounding_of_diagonal = 1e-9;

}  // namespace ulna::elastic
