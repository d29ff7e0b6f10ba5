#pragma once
// States as Python gives them: arrays, or {name: value} of some coordinates or speeds, those of
// joints that close loops included. States of robots with loops must fit them: dynamics at an open
// posture means nothing.

#include <map>

#include "row_argument.hpp"
#include "ulna/kinematics/state.hpp"
#include "ulna/model/internal/requirements.hpp"

namespace ulna::python {

/// InputError unless q closes the loops, if there are any, to 1e-8 (m, rad); and, where given, v
/// and a keep them closed to 1e-8 of their size.
void require_closed(Context& context, const ConstVector& q, const ConstVector* v = nullptr,
                    const ConstVector* a = nullptr);

/// One part of a state, or a batch of them: None, (n,), (N, n), or a dict whose values are numbers
/// or (N,).
class PartArgument {
 public:
  /// InputError naming the argument.
  PartArgument(const RobotHandle& robot, const py::object& given, const char* name, StateKind kind);
  py::ssize_t count() const { return count_; }  ///< -1: one, not a batch
  StatePart at(py::ssize_t i) const;

 private:
  void add(const std::string& name, py::handle value, std::vector<py::ssize_t>& counts);

  const char* name_;
  enum class Form { none, all, named } form_ = Form::none;
  RowArgument all_;
  std::vector<std::pair<std::string, Array>> named_;
  py::ssize_t count_ = -1;
};

}  // namespace ulna::python
