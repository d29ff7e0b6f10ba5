#pragma once
// The level of robots whose links are geometrically exact (elastic/geometrically_exact.hpp). It is
// a property of the robot: what answers for a level is given a robot that is cut into elements, and
// then leaves nothing out.

#include "ulna/dynamics/elastic_level.hpp"

namespace ulna {

/// Whether some link has elements instead of modes.
ULNA_API bool has_exact_links(const Model& model);

/// InputError where the links of the robot are not made for the level: modes for
/// geometrically-exact, elements for levels that truncate.
ULNA_API void check_level(const Model& model, ElasticLevel level);

}  // namespace ulna
