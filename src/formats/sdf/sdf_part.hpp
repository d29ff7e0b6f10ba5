#pragma once
// The door to libulna_sdf.so, the part of Ulna that holds libsdformat. Loading libsdformat takes 30
// ms (it makes a regular expression in each of its files), which a program that reads no SDF file
// need not spend.
//
// No exception crosses: the part is linked with nothing of Ulna, whatever that is linked into.

#include <string>
#include <vector>

#include "sdf/sdf_model.hpp"

namespace ulna {

/// Fills the model, or the problems.
using LoadSdf = void(const std::string& text, const std::string& file, SdfModel& model,
                     std::vector<Problem>& problems);
inline constexpr const char* load_sdf_name = "ulna_load_sdf";

}  // namespace ulna
