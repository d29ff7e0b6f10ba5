#pragma once
// The one check every algorithm makes of its arguments.

#include "ulna/model/model.hpp"

namespace ulna {

[[noreturn]] ULNA_API void refuse_size(const Model& model, long found, int expected,
                                       const char* what);

inline void check_size(const Model& model, const VectorRef& x, int expected, const char* what) {
  if (x.size() != expected) [[unlikely]]
    refuse_size(model, x.size(), expected, what);
}

}  // namespace ulna
