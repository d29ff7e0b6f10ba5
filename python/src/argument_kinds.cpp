#include "argument_kinds.hpp"

#include <fmt/format.h>

#include <array>

#include "names.hpp"
#include "signature_text.hpp"

namespace ulna::python {
namespace {

/// "List[float]" as "List" and its arguments {"float"}.
struct WrittenKind {
  std::string name;
  std::vector<std::string> of;
};

WrittenKind read_kind(const std::string& type) {
  const std::size_t open = type.find('[');
  if (open == std::string::npos || type.back() != ']') return {type, {}};
  return {type.substr(0, open), split_at_commas(type.substr(open + 1, type.size() - open - 2))};
}

bool is_str_or_bytes(py::handle value) {
  return PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr());
}

bool is_whole_number(py::handle value) { return PyIndex_Check(value.ptr()); }

bool reads_as_number(py::handle value) {
  if (PyComplex_Check(value.ptr()) || !PyNumber_Check(value.ptr())) return false;
  PyObject* const number = PyNumber_Float(value.ptr());
  if (!number) PyErr_Clear();
  Py_XDECREF(number);
  return number != nullptr;
}

bool is_list_of(py::handle value, const std::string& type) {
  if (!PySequence_Check(value.ptr()) || is_str_or_bytes(value)) return false;
  const auto items = py::reinterpret_borrow<py::sequence>(value);
  for (std::size_t k = 0; k < items.size(); ++k)
    if (!is_of_kind(py::object(items[k]), type)) return false;
  return true;
}

bool is_dict_of(py::handle value, const WrittenKind& kind) {
  if (!PyDict_Check(value.ptr())) return false;
  for (const auto& [key, item] : entries_of(value))
    if (!is_of_kind(key, kind.of[0]) || !is_of_kind(item, kind.of[1])) return false;
  return true;
}

bool is_tuple_of(py::handle value, const WrittenKind& kind) {
  if (!PySequence_Check(value.ptr()) || is_str_or_bytes(value)) return false;
  const auto items = py::reinterpret_borrow<py::sequence>(value);
  if (items.size() != kind.of.size()) return false;
  for (std::size_t k = 0; k < kind.of.size(); ++k)
    if (!is_of_kind(py::object(items[k]), kind.of[k])) return false;
  return true;
}

/// "ulna._core.Robot": whether the value is one.
bool is_instance(py::handle value, const std::string& type) {
  for (const PyTypeObject* t = Py_TYPE(value.ptr()); t; t = t->tp_base) {
    const py::handle object(reinterpret_cast<PyObject*>(const_cast<PyTypeObject*>(t)));
    const std::string name = std::string(py::str(object.attr("__module__"))) + "." +
                             std::string(py::str(object.attr("__qualname__")));
    if (name == type) return true;
  }
  return false;
}

/// "ulna._core.Robot" is ulna.Robot to those who use it.
std::string public_name(std::string name) {
  const std::size_t core = name.find("._core");
  if (core != std::string::npos) name.erase(core, 6);
  return name;
}

struct Words {
  const char *type, *one, *several;
};
constexpr std::array<Words, 12> type_words = {{{"float", "a number", "numbers"},
                                               {"int", "an int", "ints"},
                                               {"str", "a str", "strs"},
                                               {"bool", "True or False", "bools"},
                                               {"complex", "a complex number", "complex numbers"},
                                               {"object", "an object", "objects"},
                                               {"dict", "a dict", "dicts"},
                                               {"list", "a list", "lists"},
                                               {"tuple", "a tuple", "tuples"},
                                               {"Iterable", "an iterable", "iterables"},
                                               {"iterable", "an iterable", "iterables"},
                                               {"function", "a function", "functions"}}};

std::string several(const std::string& type) {
  const WrittenKind kind = read_kind(type);
  for (const Words& w : type_words)
    if (kind.name == w.type) return w.several;
  if (kind.name == "Tuple") return "tuples " + kind_text(type).substr(8);
  return public_name(type);
}

}  // namespace

bool is_of_kind(py::handle value, const std::string& type) {
  const WrittenKind kind = read_kind(type);
  if (kind.name == "Optional") return value.is_none() || is_of_kind(value, kind.of[0]);
  if (kind.name == "float") return reads_as_number(value);
  if (kind.name == "int") return is_whole_number(value);
  if (kind.name == "str") return is_str_or_bytes(value);
  if (kind.name == "complex") return PyNumber_Check(value.ptr()) != 0;
  if (kind.name == "List") return is_list_of(value, kind.of[0]);
  if (kind.name == "Tuple") return is_tuple_of(value, kind);
  if (kind.name == "Dict") return is_dict_of(value, kind);
  if (kind.name == "dict") return PyDict_Check(value.ptr()) != 0;
  if (kind.name == "tuple") return PyTuple_Check(value.ptr()) != 0;
  if (kind.name == "list") return PyList_Check(value.ptr()) != 0;
  if (kind.name == "Iterable" || kind.name == "iterable")
    return py::isinstance<py::iterable>(value);
  if (kind.name.starts_with("ulna.")) return is_instance(value, kind.name);
  return true;
}

bool is_too_large(py::handle value, const std::string& type) {
  const WrittenKind kind = read_kind(type);
  if (kind.name == "Optional") return !value.is_none() && is_too_large(value, kind.of[0]);
  return kind.name == "int" && is_whole_number(value);
}

bool is_unwritable(py::handle value, int levels) {
  if (PyUnicode_Check(value.ptr())) {
    if (PyUnicode_AsUTF8(value.ptr())) return false;
    PyErr_Clear();
    return true;
  }
  if (levels == 0) return false;
  // The plain kinds only: those that are derived from them may run code.
  if (PyDict_CheckExact(value.ptr())) {
    PyObject *key = nullptr, *item = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(value.ptr(), &at, &key, &item);)
      if (is_unwritable(key, levels - 1) || is_unwritable(item, levels - 1)) return true;
  }
  if (PyList_CheckExact(value.ptr()) || PyTuple_CheckExact(value.ptr()))
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(value.ptr()); ++k)
      if (is_unwritable(PySequence_Fast_GET_ITEM(value.ptr(), k), levels - 1)) return true;
  return false;
}

std::string written(py::handle text) {
  PyObject* const bytes = PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace");
  if (!bytes) throw py::error_already_set();
  return py::reinterpret_steal<py::bytes>(bytes);
}

std::string kind_text(const std::string& type) {
  const WrittenKind kind = read_kind(type);
  for (const Words& w : type_words)
    if (kind.name == w.type) return w.one;
  if (kind.name == "Optional") return kind_text(kind.of[0]) + " or None";
  if (kind.name == "List") return fmt::format("a list of {}", several(kind.of[0]));
  if (kind.name == "Dict") return fmt::format("a dict of {}", several(kind.of[1]));
  if (kind.name == "Tuple") {
    std::string parts;
    for (const std::string& part : kind.of) parts += (parts.empty() ? "" : ", ") + kind_text(part);
    return fmt::format("a tuple ({})", parts);
  }
  return "an " + public_name(type);
}

std::string kind_name(PyTypeObject* type) {
  const py::handle object(reinterpret_cast<PyObject*>(type));
  const std::string module = py::str(object.attr("__module__")),
                    name = py::str(object.attr("__qualname__"));
  return module == "builtins" ? name : public_name(module + "." + name);
}

std::string found_text(py::handle value) {
  if (value.is_none()) return "None";
  if (PyType_Check(value.ptr()))
    return "the class " + kind_name(reinterpret_cast<PyTypeObject*>(value.ptr()));
  const std::string type = kind_name(Py_TYPE(value.ptr()));
  std::string text;
  try {
    text = py::repr(value);
  } catch (const py::error_already_set&) {
    return type;
  }
  const bool short_enough = text.size() <= 40 && text.find('<') == std::string::npos;
  return short_enough ? fmt::format("{} ({})", type, text) : type;
}

}  // namespace ulna::python
