#pragma once
// The checks every algorithm makes of its arguments.

#include "ulna/model/parts/workspace.hpp"

namespace ulna {

[[noreturn]] ULNA_API void refuse_size(const Model& model, long found, int expected,
                                       const char* what);

[[noreturn]] ULNA_API void refuse_workspace(const Model& model);
[[noreturn]] ULNA_API void refuse_frame(const Model& model, int frame);

/// A workspace of another robot would be written past its end.
inline void check_fits(const Model& model, const Workspace& work) {
  if (work.nodes() != static_cast<int>(model.topology().nodes.size()) ||
      work.tau.size() != model.speeds()) [[unlikely]]
    refuse_workspace(model);
}
inline void check_frame(const Model& model, int frame) {
  if (frame < 0 || frame >= static_cast<int>(model.frames().size())) [[unlikely]]
    refuse_frame(model, frame);
}
inline void check_size(const Model& model, const VectorRef& x, int expected, const char* what) {
  if (x.size() != expected) [[unlikely]]
    refuse_size(model, x.size(), expected, what);
}

}  // namespace ulna
