#pragma once

#include <string>

#include "ulna/model/kernels/exact_beam.hpp"

namespace ulna {

/// A chain of elements with strains as coordinates. docs/theory/geometrically-exact.md.
ModalBody geometrically_exact_body(const BeamData& beam, const std::string& element);

}  // namespace ulna
