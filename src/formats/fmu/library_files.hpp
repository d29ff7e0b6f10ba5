#pragma once
// The shared libraries that this library needs and that cannot be expected on every system.

#include <string>
#include <vector>

namespace ulna {

struct LibraryFile {
  std::string path, name;  ///< where it is, and by which name it is looked for
};

/// What is needed comes before what needs it; the library of Ulna itself is the last. Empty where
/// Ulna is part of a program.
std::vector<LibraryFile> library_files();

}  // namespace ulna
