#include "row_argument.hpp"

namespace ulna::python {

RowArgument row_argument(const py::object& object, const char* name, py::ssize_t width,
                         const char* meaning) {
  RowArgument out;
  out.width = width;
  const auto zero = [&] {
    out.zeros.assign(static_cast<std::size_t>(width), 0);
    out.data = out.zeros.data();
  };
  if (object.is_none()) {
    zero();
    return out;
  }
  out.owner = numbers(object, name);
  out.data = out.owner.data();
  if (out.owner.ndim() == 1 && out.owner.shape(0) == width) return out;
  if (out.owner.ndim() == 2 && out.owner.shape(1) == width) {
    out.count = out.owner.shape(0);
    if (out.count == 0) zero();
    return out;
  }
  throw InputError(Problem{{},
                           name,
                           "has shape " + shape_text(out.owner),
                           fmt::format("({},) or (N, {}), {}", width, width, meaning),
                           {}});
}

py::ssize_t count_of(std::initializer_list<std::pair<const char*, py::ssize_t>> counts) {
  std::vector<py::ssize_t> found;
  std::vector<const char*> names;
  for (const auto& [name, count] : counts) {
    names.push_back(name);
    found.push_back(count);
  }
  return common_count(found, names);
}

}  // namespace ulna::python
