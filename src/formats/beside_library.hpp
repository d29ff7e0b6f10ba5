#pragma once
// Parts of Ulna in shared libraries of their own, which are loaded only when they are asked for.

#include <filesystem>
#include <string>
#include <vector>

namespace ulna {

/// The files of this name that lie beside this library (or the program or Python module it is part
/// of), or there in a folder `ulna` or `lib`. Nowhere else is looked: not in the current directory.
std::vector<std::filesystem::path> beside_library(const char* name);

/// A function of the part `library`, which is loaded for it; null, with the reason, where that
/// cannot be done.
void* function_of_part(const char* library, const char* function, std::string& reason);

}  // namespace ulna
