#include "fast_method.hpp"

#include <fmt/format.h>

#include "argument_kinds.hpp"

namespace ulna::python {
namespace {

int place_of(const Signature& signature, PyObject* keyword) {
  for (int k = 0; k < signature.count; ++k)  // callers' keywords are interned as a rule
    if (signature.interned[k] == keyword) return k;
  for (int k = 0; k < signature.count; ++k)
    if (PyUnicode_Compare(signature.interned[k], keyword) == 0) return k;
  throw py::type_error(fmt::format("{}() got an unexpected keyword argument '{}'",
                                   signature.function, written(keyword)));
}

}  // namespace

void Signature::bind(PyObject* const* args, Py_ssize_t given, PyObject* keywords,
                     PyObject** slots) const {
  if (given > positional)
    throw py::type_error(fmt::format("{}() takes at most {} positional argument{} ({} given)",
                                     function, positional, positional == 1 ? "" : "s", given));
  for (Py_ssize_t k = 0; k < given; ++k) slots[k] = args[k];
  if (keywords) {
    const Py_ssize_t named = PyTuple_GET_SIZE(keywords);
    for (Py_ssize_t k = 0; k < named; ++k) {
      const int place = place_of(*this, PyTuple_GET_ITEM(keywords, k));
      if (slots[place])
        throw py::type_error(
            fmt::format("{}() got multiple values for argument '{}'", function, names[place]));
      slots[place] = args[given + k];
    }
  }
  for (int k = 0; k < required; ++k)
    if (!slots[k])
      throw py::type_error(fmt::format("{}() missing required argument: '{}'", function, names[k]));
  for (int k = required; k < count; ++k)  // None for what is required is refused when it is read
    if (slots[k] == Py_None) slots[k] = nullptr;
}

}  // namespace ulna::python
