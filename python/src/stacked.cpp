#include "stacked.hpp"

namespace ulna::python {

void refuse_ragged() {
  throw InputError("the states of the batch give results of different sizes",
                   "states alike in what they lead to", "call the function for each of them");
}

void refuse_empty(const char* name) {
  throw InputError(Problem{{}, name, "has no states", "one or more", {}});
}

py::object stack_array(py::ssize_t count, std::span<const py::ssize_t> tail) {
  std::vector<py::ssize_t> shape;
  if (count >= 0) shape.push_back(count);
  shape.insert(shape.end(), tail.begin(), tail.end());
  return new_array(shape);
}

}  // namespace ulna::python
