#pragma once
// Hints for names of coordinates and speeds that a robot does not have.

#include <string>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

/// As nearest_name_hint; a joint that is fixed or follows another one has no coordinate, and the
/// hint says so.
ULNA_API std::string nearest_entry_hint(const Model& model, const std::string& name,
                                        const std::vector<std::string>& known);

}  // namespace ulna
