#include "stacked.hpp"

#include "ulna/kinematics/assembly.hpp"

namespace ulna::python {

void refuse_ragged() {
  throw InputError("the states of the batch give results of different sizes",
                   "states alike in what they lead to", "call the function for each of them");
}

py::object sample_posture(const Model& model) { return to_array(assembled(model)); }

py::object stack_array(py::ssize_t count, std::span<const py::ssize_t> tail) {
  std::vector<py::ssize_t> shape;
  if (count >= 0) shape.push_back(count);
  shape.insert(shape.end(), tail.begin(), tail.end());
  return new_array(shape);
}

}  // namespace ulna::python
