#pragma once
// Parts of Ulna in shared libraries of their own, which are loaded only when they are asked for.

#include <filesystem>
#include <vector>

namespace ulna {

/// The files of this name that lie beside this library (or the program or Python module it is part
/// of), or there in a folder `ulna` or `lib`. Nowhere else is looked: not in the current directory.
std::vector<std::filesystem::path> beside_library(const char* name);

}  // namespace ulna
