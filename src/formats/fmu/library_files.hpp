#pragma once
// The shared libraries that this library needs and that cannot be expected on every system.

#include <string>
#include <vector>

namespace ulna {

struct LibraryFile {
  std::string path, name;  ///< where it is, and by which name it is looked for
};

/// What is needed comes before what needs it; the library of Ulna itself is the last: the part
/// made for FMUs (libulna_fmu.so), which lies beside this library, in a folder `ulna` or `lib`
/// there, or the whole. Empty where Ulna is part of a program and neither is there.
std::vector<LibraryFile> library_files();

}  // namespace ulna
