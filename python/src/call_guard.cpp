// What stands around every function that pybind11 binds: wrong arguments are told in one sentence
// that names the argument, Ctrl-C reaches whatever runs (interrupt.hpp), and inspect.signature
// knows the parameters. Methods of fast_method.hpp have all of that themselves.

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "argument_kinds.hpp"
#include "bindings.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "signature_text.hpp"

namespace ulna::python {
namespace {

using Entry = PyObject* (*)(PyObject*, PyObject*, PyObject*);

struct Guarded {
  Entry entry = nullptr;  ///< pybind11's own
  SignatureText signature;
  std::string owner;  ///< the class, for methods
};

/// By the object that CPython hands to the function as its own. As long as the module lives.
std::unordered_map<PyObject*, Guarded>& guarded_functions() {
  static auto* const all = new std::unordered_map<PyObject*, Guarded>;
  return *all;
}

std::string shown(const Guarded& f) {
  if (f.signature.function == "__init__") return f.owner.substr(f.owner.rfind('.') + 1);
  return f.signature.function;
}

/// The values of a call by parameter, null where none is given; a sentence if they do not fit.
struct Bound {
  std::vector<py::handle> values;
  std::string problem;
};

std::string names_hint(const SignatureText& signature, const std::string& found) {
  std::vector<std::string> names;
  for (const WrittenParameter& p : signature.parameters) names.push_back(p.name);
  const std::string hint = nearest_name_hint(found, names);
  return hint.empty() ? "" : "; " + hint;
}

Bound bind(const Guarded& f, PyObject* args, PyObject* keywords) {
  const std::vector<WrittenParameter>& parameters = f.signature.parameters;
  Bound out;
  out.values.resize(parameters.size());
  const auto given = static_cast<std::size_t>(PyTuple_GET_SIZE(args));
  std::size_t by_place = 0;
  while (by_place < parameters.size() && !parameters[by_place].by_name_only) ++by_place;
  const std::size_t self = f.owner.empty() ? 0 : 1;
  if (given > by_place) {
    out.problem = fmt::format("takes {}{} positional argument{} ({} given)",
                              by_place > self ? "at most " : "", by_place - self,
                              by_place - self == 1 ? "" : "s", given - self);
    return out;
  }
  for (std::size_t k = 0; k < given; ++k)
    out.values[k] = PyTuple_GET_ITEM(args, static_cast<Py_ssize_t>(k));
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; keywords && PyDict_Next(keywords, &at, &key, &value);) {
    const std::string name = written(key);
    std::size_t k = 0;
    while (k < parameters.size() && parameters[k].name != name) ++k;
    if (k == parameters.size()) {
      out.problem = fmt::format("got an unexpected keyword argument '{}'{}", name,
                                names_hint(f.signature, name));
      return out;
    }
    if (out.values[k]) {
      out.problem = fmt::format("got multiple values for argument '{}'", name);
      return out;
    }
    out.values[k] = value;
  }
  for (std::size_t k = 0; k < parameters.size(); ++k)
    if (!out.values[k] && !parameters[k].fallback && k >= self) {
      out.problem = fmt::format("missing required argument: '{}'", parameters[k].name);
      return out;
    }
  return out;
}

/// Why the arguments were refused, as a sentence.
std::string refusal(const Guarded& f, PyObject* args, PyObject* keywords) {
  const std::string name = shown(f);
  const Bound bound = bind(f, args, keywords);
  if (!bound.problem.empty()) return fmt::format("{}() {}", name, bound.problem);
  const std::vector<WrittenParameter>& parameters = f.signature.parameters;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const py::handle value = bound.values[k];
    if (!value || is_of_kind(value, parameters[k].type)) continue;
    if (k == 0 && !f.owner.empty())
      return fmt::format("{}() must be called on {}, not on {}", name, kind_text(f.owner),
                         found_text(value));
    return fmt::format("{}(): {} must be {}, not {}", name, parameters[k].name,
                       kind_text(parameters[k].type), found_text(value));
  }
  for (std::size_t k = 0; k < parameters.size(); ++k)
    if (const py::handle value = bound.values[k]; value && is_too_large(value, parameters[k].type))
      return fmt::format("{}(): {} is out of range: {}", name, parameters[k].name,
                         found_text(value));
  for (std::size_t k = 0; k < parameters.size(); ++k)
    if (const py::handle value = bound.values[k]; value && is_unwritable(value))
      return fmt::format("{}(): {}: {}", name, parameters[k].name, surrogate_text);
  return fmt::format("{}() cannot be called with these arguments", name);
}

/// A float, a number of NumPy's or an array of one: nan.
bool is_nan(py::handle value) {
  PyObject* const x = value.ptr();
  if (PyFloat_Check(x)) return std::isnan(PyFloat_AS_DOUBLE(x));
  const bool of_numpy =
      std::strncmp(Py_TYPE(x)->tp_name, "numpy.float", 11) == 0 ||
      (py::isinstance<py::array>(value) && py::reinterpret_borrow<py::array>(value).ndim() == 0);
  if (!of_numpy) return false;
  const double number = PyFloat_AsDouble(x);
  PyErr_Clear();
  return std::isnan(number);
}

/// The parameter that is nan, which none may be; operators have answers of their own. Arrays are
/// looked into where they are read (arrays.hpp).
std::optional<std::string> nan_parameter(const Guarded& f, PyObject* args, PyObject* keywords) {
  bool found = false;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(args); ++k)
    found = found || is_nan(PyTuple_GET_ITEM(args, k));
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; keywords && PyDict_Next(keywords, &at, &key, &value);)
    found = found || is_nan(value);
  const std::string& name = f.signature.function;
  if (!found || (name.starts_with("__") && name != "__init__" && name != "__call__")) return {};
  const Bound bound = bind(f, args, keywords);
  for (std::size_t k = 0; k < bound.values.size(); ++k)
    if (bound.values[k] && is_nan(bound.values[k])) return f.signature.parameters[k].name;
  return {};  // in a call that is refused for other reasons
}

/// pybind11's own sentence about arguments lists all types of C++.
bool arguments_were_refused() {
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
  const py::error_already_set error;
  const std::string text = py::str(error.value());
  const bool refused = text.find("): incompatible ") != std::string::npos ||
                       text.find("called with invalid or missing `self`") != std::string::npos;
  if (!refused) {
    py::error_already_set again(error);
    again.restore();
  }
  return refused;
}

PyObject* guarded_call(PyObject* self, PyObject* args, PyObject* keywords) {
  const auto found = guarded_functions().find(self);
  if (found == guarded_functions().end()) {
    PyErr_SetString(PyExc_SystemError, "a function of ulna was called after its module was gone");
    return nullptr;
  }
  const Guarded& f = found->second;
  try {
    if (const auto name = nan_parameter(f, args, keywords))
      throw InputError(Problem{{}, *name, "is nan", "a number", {}});
  } catch (...) {
    set_python_error();
    return nullptr;
  }
  InterruptWatch watch;
  PyObject* result = nullptr;
  bool refused = false;
  {
    const InterruptionScope scope([&] { return watch.interrupted_now(); });
    try {
      result = f.entry(self, args, keywords);
    } catch (const std::exception&) {  // by what pybind11's own sentence cannot write
      PyErr_Clear();
      refused = true;
    }
  }
  if (watch.restore()) {
    Py_XDECREF(result);
    return nullptr;
  }
  if (result) return result;
  try {
    if (refused || arguments_were_refused())
      PyErr_SetString(PyExc_TypeError, refusal(f, args, keywords).c_str());
  } catch (py::error_already_set& error) {
    error.restore();
  }
  return nullptr;
}

void set_doc(PyMethodDef& definition, const std::string& text) {
  std::free(const_cast<char*>(definition.ml_doc));  // as pybind11 does
  definition.ml_doc = strdup(text.c_str());
}

/// Puts the guard around one function; null and others' functions are left alone. `name`: of the
/// property whose function it is.
void guard(py::handle object, const std::string& owner, const std::string& name = {}) {
  if (!object) return;
  PyObject* function = object.ptr();
  if (PyInstanceMethod_Check(function)) function = PyInstanceMethod_GET_FUNCTION(function);
  if (!PyCFunction_Check(function)) return;
  PyMethodDef& definition = *reinterpret_cast<PyCFunctionObject*>(function)->m_ml;
  constexpr int wanted = METH_VARARGS | METH_KEYWORDS;
  PyObject* const self = PyCFunction_GET_SELF(function);
  if (definition.ml_flags != wanted || !self || PyModule_Check(self)) return;
  const auto entry = reinterpret_cast<Entry>(reinterpret_cast<void (*)()>(definition.ml_meth));
  if (entry == &guarded_call) return;
  Guarded one{entry, {}, owner};
  if (const auto text = read_signature(definition.ml_doc ? definition.ml_doc : "")) {
    one.signature = *text;
    if (name.empty()) set_doc(definition, text->internal_doc(text->function));
    if (!name.empty() && one.signature.parameters.size() > 1)
      one.signature.parameters[1].name = name;
  } else {
    one.signature.function = definition.ml_name;
  }
  if (!name.empty()) one.signature.function = name;
  guarded_functions().emplace(self, std::move(one));
  definition.ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&guarded_call));
}

int refuse_construction(PyObject* self, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, fmt::format("{0} cannot be created by calling its class; "
                                               "help({0}) names the functions that return one",
                                               kind_name(Py_TYPE(self)))
                                       .c_str());
  return -1;
}

/// What a class takes, for inspect.signature(ulna.Experiment).
void describe_class(PyTypeObject* type, const SignatureText& init) {
  SignatureText whole = init;
  whole.doc = type->tp_doc ? type->tp_doc : "";
  const char* const dot = std::strrchr(type->tp_name, '.');
  const std::string text = whole.internal_doc(dot ? dot + 1 : type->tp_name, 1);
  auto* const memory = static_cast<char*>(PyObject_Malloc(text.size() + 1));
  if (!memory) throw std::bad_alloc();
  std::memcpy(memory, text.c_str(), text.size() + 1);
  PyObject_Free(const_cast<char*>(type->tp_doc));
  type->tp_doc = memory;
}

void guard_class(PyTypeObject* type) {
  const py::dict members = py::reinterpret_borrow<py::dict>(type->tp_dict);
  const std::string owner =
      std::string(py::str(py::handle(reinterpret_cast<PyObject*>(type)).attr("__module__"))) + "." +
      std::string(py::str(py::handle(reinterpret_cast<PyObject*>(type)).attr("__name__")));
  for (const auto& [name, value] : members) {
    if (PyObject_TypeCheck(value.ptr(), &PyProperty_Type)) {
      guard(value.attr("fget"), owner, py::str(name));
      guard(value.attr("fset"), owner, py::str(name));
    } else if (Py_TYPE(value.ptr()) == &PyStaticMethod_Type) {
      guard(value.attr("__func__"), "");
    } else {
      guard(value, owner);
    }
  }
  // Without one of pybind11's own the class has a slot that only raises.
  PyObject* init = py::object(members["__init__"]).ptr();
  if (PyInstanceMethod_Check(init)) init = PyInstanceMethod_GET_FUNCTION(init);
  if (!PyCFunction_Check(init)) {
    type->tp_init = refuse_construction;
    return;
  }
  const auto found = guarded_functions().find(PyCFunction_GET_SELF(init));
  if (found != guarded_functions().end()) describe_class(type, found->second.signature);
}

}  // namespace

void guard_calls(const py::module_& m) {
  for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(m.attr("__dict__"))) {
    if (PyModule_Check(value.ptr())) {
      guard_calls(py::reinterpret_borrow<py::module_>(value));
    } else if (PyType_Check(value.ptr())) {
      auto* const type = reinterpret_cast<PyTypeObject*>(value.ptr());
      if (py::detail::get_type_info(type)) guard_class(type);
    } else {
      guard(value, "");
    }
  }
}

}  // namespace ulna::python
