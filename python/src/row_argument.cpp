#include "row_argument.hpp"

namespace ulna::python {

RowArgument row_argument(const py::object& object, const char* name, py::ssize_t width,
                         const char* meaning) {
  RowArgument out;
  out.width = width;
  if (object.is_none()) {
    out.zeros.assign(static_cast<std::size_t>(width), 0);
    out.data = out.zeros.data();
    return out;
  }
  out.owner = numbers(object, name);
  out.data = out.owner.data();
  if (out.owner.ndim() == 1 && out.owner.shape(0) == width) return out;
  if (out.owner.ndim() == 2 && out.owner.shape(1) == width) {
    out.count = out.owner.shape(0);
    return out;
  }
  throw InputError(Problem{{},
                           name,
                           "has shape " + shape_text(out.owner),
                           fmt::format("({},) or (N, {}), {}", width, width, meaning),
                           {}});
}

py::ssize_t count_of(std::initializer_list<std::pair<const char*, py::ssize_t>> counts) {
  py::ssize_t found = -1;
  const char* first = nullptr;
  for (const auto& [name, count] : counts) {
    if (count < 0) continue;
    if (found >= 0 && count != found) refuse_count(name, count, first, found);
    if (found < 0) first = name;
    found = count;
  }
  return found;
}

}  // namespace ulna::python
