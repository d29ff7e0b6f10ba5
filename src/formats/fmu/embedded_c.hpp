#pragma once
// The C files that FMUs are made of (fmu/c), compiled into the library as text.

#include <string>

namespace ulna {

struct EmbeddedC {
  const char *name, *text;
};
extern const EmbeddedC embedded_c_files[];  ///< a null name ends the list

/// InputError for a file that is not there.
std::string embedded_c(const std::string& name);

}  // namespace ulna
