#include "callback.hpp"

#include "ulna/numerics/error.hpp"

namespace ulna::python {

py::object Callback::held() const {
  if (!function_)
    throw ComputationError("the Python function of a motion or controller no longer exists");
  return py::reinterpret_borrow<py::object>(function_);
}

Callbacks::Callbacks(const Callbacks& other) { add(other); }

CallbackPtr Callbacks::add(py::handle function) {
  auto one = std::make_shared<Callback>(function);
  own(one);
  return one;
}

void Callbacks::add(const Callbacks& other) {
  if (other.empty()) return;
  const Locked locked;
  for (const CallbackPtr& one : std::vector<CallbackPtr>(other.all_)) own(one);
}

void Callbacks::own(const CallbackPtr& one) {
  if (!one->function_) return;
  if (all_.size() >= checked_) {
    drop_unused();
    checked_ = 2 * all_.size() + 16;
  }
  all_.push_back(one);
  Py_INCREF(one->function_);
  ++one->owners_;
}

void Callbacks::clear() {
  if (all_.empty()) return;
  const Locked locked;
  std::vector<CallbackPtr> gone;
  gone.swap(all_);  // what a function's end runs may come back here
  for (const CallbackPtr& one : gone) {
    PyObject* const function = one->function_;
    if (--one->owners_ == 0) one->function_ = nullptr;
    Py_DECREF(function);
  }
}

/// Functions of drives that were replaced: nothing but owners refers to them.
void Callbacks::drop_unused() {
  Callbacks unused;
  std::vector<CallbackPtr> used;
  for (CallbackPtr& one : all_)
    (one.use_count() == one->owners_ ? unused.all_ : used).push_back(std::move(one));
  all_ = std::move(used);
}

int Callbacks::traverse(visitproc visit, void* arg) const {
  for (const CallbackPtr& one : all_) Py_VISIT(one->function_);
  return 0;
}

}  // namespace ulna::python
