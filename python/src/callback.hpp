#pragma once
// Functions of Python that objects of C++ call.
//
// Python's garbage collector finds cycles only through references it can see. A controller or a
// motion in C++ therefore refers to its function without owning it (CallbackPtr); the Python object
// it belongs to (Experiment, Motion, Trajectory) owns it, once each, and shows it to the collector
// (Callbacks, collect_garbage). What is left without an owner raises when it is called.

#include <memory>
#include <vector>

#include "bindings.hpp"
#include "python_lock.hpp"

namespace ulna::python {

class Callback {
 public:
  explicit Callback(py::handle function) : function_(function.ptr()) {}
  /// Calls it; with Python's lock.
  template <class... Arguments>
  py::object operator()(const Arguments&... arguments) const {
    const py::object function = held();
    const py::tuple given = py::make_tuple(arguments...);
    PyObject* const result =
        outliving_python([&] { return PyObject_CallObject(function.ptr(), given.ptr()); });
    if (!result) throw py::error_already_set();
    return py::reinterpret_steal<py::object>(result);
  }

 private:
  friend class Callbacks;
  py::object held() const;
  PyObject* function_;  ///< null once no owner is left
  long owners_ = 0;
};
using CallbackPtr = std::shared_ptr<Callback>;

/// The functions that one Python object owns. Copies own them, too. Made and let go of by any
/// thread, with or without Python's lock.
class Callbacks {
 public:
  Callbacks() = default;
  Callbacks(const Callbacks& other);
  Callbacks(Callbacks&& other) noexcept : all_(std::move(other.all_)) { other.all_.clear(); }
  Callbacks& operator=(Callbacks other) noexcept {
    all_.swap(other.all_);
    return *this;
  }
  ~Callbacks() { clear(); }

  CallbackPtr add(py::handle function);
  void add(const Callbacks& other);
  void clear();
  bool empty() const { return all_.empty(); }
  int traverse(visitproc visit, void* argument) const;

 private:
  void own(const CallbackPtr& one);
  void drop_unused();
  std::vector<CallbackPtr> all_;
  std::size_t checked_ = 16;  ///< unused ones are looked for when there are this many
};

/// Lets the garbage collector see what objects of a class own. `callbacks_of` finds it from the
/// C++ object, null when there is nothing. The class has py::dynamic_attr.
using CallbacksOf = Callbacks* (*)(void* value);

namespace detail {

/// Null also for objects of two compiled classes, the first of which may be another one.
inline Callbacks* callbacks_in(PyObject* self, CallbacksOf find) {
  auto* const instance = reinterpret_cast<py::detail::instance*>(self);
  if (!instance->simple_layout) return nullptr;
  void* const value = instance->get_value_and_holder().value_ptr();
  return value ? find(value) : nullptr;
}

template <CallbacksOf find>
void set_up_collection(PyHeapTypeObject* heap) {
  PyTypeObject& type = heap->ht_type;
  type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  type.tp_traverse = [](PyObject* self, visitproc visit, void* arg) -> int {
    if (const int stop = py::detail::pybind11_traverse(self, visit, arg)) return stop;
    const Callbacks* const owned = callbacks_in(self, find);
    return owned ? owned->traverse(visit, arg) : 0;
  };
  type.tp_clear = [](PyObject* self) -> int {
    if (Callbacks* const owned = callbacks_in(self, find)) owned->clear();
    return py::detail::pybind11_clear(self);
  };
  // pybind11 takes the object apart while the collector may still look into it.
  type.tp_dealloc = [](PyObject* self) {
    PyObject_GC_UnTrack(self);
    py::detail::pybind11_object_dealloc(self);
  };
}

}  // namespace detail

/// To be given to py::class_.
template <CallbacksOf find>
py::custom_type_setup collect_garbage() {
  return py::custom_type_setup(&detail::set_up_collection<find>);
}

}  // namespace ulna::python
