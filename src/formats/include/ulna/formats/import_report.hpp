#pragma once
// What a reader did with a file: nothing is dropped in silence. Every body, joint and frame stands
// under `used`; what was altered on the way in under `changed`; what has no place in a `Robot`
// under `ignored`.

#include <string>
#include <vector>

#include "ulna/numerics/error.hpp"
#include "ulna/scalar/parts/export.hpp"

namespace ulna {

struct ImportNote {
  SourceMark where;
  std::string element;  ///< e.g. "joint 'elbow'"
  std::string what;     ///< e.g. "<safety_controller> ignored: not part of the mechanics"

  /// "line 12: joint 'elbow': <safety_controller> ignored: not part of the mechanics"
  ULNA_API std::string text() const;
};

struct ImportReport {
  std::vector<ImportNote> used;
  std::vector<ImportNote> changed;
  std::vector<ImportNote> ignored;
};

}  // namespace ulna
