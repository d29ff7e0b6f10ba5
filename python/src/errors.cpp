#include "errors.hpp"

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna::python {
std::string python_words(const std::string& text) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == ' ' || text[i - 1] == '\'' || text[i - 1] == '(';
    const bool option = begins && text.compare(i, 2, "--") == 0 && i + 2 < text.size();
    if (!option || !is_letter(text[i + 2])) {
      out += text[i];
      continue;
    }
    for (i += 2; i < text.size() && (is_letter(text[i]) || text[i] == '-'); ++i)
      out += text[i] == '-' ? '_' : text[i];
    --i;
  }
  return out;
}

namespace {

// They live as long as the interpreter.
PyObject* input_error = nullptr;
PyObject* computation_error = nullptr;

py::list problems_of(const InputError& error) {
  py::list problems;
  for (const Problem& p : error.problems()) {
    py::dict entry;
    entry["file"] = p.where.file;
    entry["line"] = p.where.line;
    entry["column"] = p.where.column;
    entry["element"] = p.element;
    entry["message"] = p.message;
    entry["expectation"] = p.expectation;
    entry["hint"] = p.hint;
    problems.append(entry);
  }
  return problems;
}

/// Raises an instance of `type` with one attribute.
void raise(PyObject* type, const char* what, const char* attribute, const py::object& value) {
  const py::object error = py::reinterpret_borrow<py::object>(type)(what);
  py::setattr(error, attribute, value);
  PyErr_SetObject(type, error.ptr());
}

InputError for_python(const InputError& error) {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) {
    problem.element = python_words(problem.element);
    problem.expectation = python_words(problem.expectation);
    problem.hint = python_words(problem.hint);
  }
  return InputError(std::move(problems));
}

void raise(const InputError& given) {
  const InputError error = for_python(given);
  raise(input_error, error.what(), "problems", problems_of(error));
}
void raise(const ComputationError& error) {
  raise(computation_error, error.what(), "measure", py::float_(error.measure()));
}

/// What pybind11 says when an argument is of another type, in words that name no type of C++.
void raise(const py::cast_error& error) {
  const std::string text = error.what();
  if (text.find("non-held") != std::string::npos) {
    PyErr_SetString(PyExc_TypeError, uninitialised_text);
    return;
  }
  const std::size_t from = text.find("of type <class '"), to = text.find("'>", from);
  const std::string type = from == std::string::npos || to == std::string::npos
                               ? "another type"
                               : text.substr(from + 16, to - from - 16);
  if (type == "str" && text.find("string") != std::string::npos) {  // a str that is no string
    PyErr_SetString(PyExc_TypeError, surrogate_text);
    return;
  }
  PyErr_SetString(PyExc_TypeError, ("an argument is of the wrong type: " + type).c_str());
}

void translate(std::exception_ptr pointer) {
  try {
    std::rethrow_exception(pointer);
  } catch (const py::cast_error& error) {
    raise(error);
  } catch (const InputError& error) {
    raise(error);
  } catch (const ComputationError& error) {
    raise(error);
  }
}

PyObject* new_error(py::module_& m, const char* name, const char* doc, PyObject* base,
                    const char* attribute, const py::object& fallback) {
  const std::string full = std::string("ulna.") + name;
  py::dict members;
  members[attribute] = fallback;
  PyObject* type = PyErr_NewExceptionWithDoc(full.c_str(), doc, base, members.ptr());
  if (!type) throw py::error_already_set();
  m.attr(name) = py::reinterpret_borrow<py::object>(type);
  return type;
}

}  // namespace

void set_python_error() noexcept {
  try {
    throw;
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::cast_error& error) {
    raise(error);
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const InputError& error) {
    raise(error);
  } catch (const ComputationError& error) {
    raise(error);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

void add_errors(py::module_& m) {
  input_error = new_error(m, "InputError",
                          "Wrong input: the text names the place, what was found and what was "
                          "expected;\n`problems` has each problem as a dict.",
                          PyExc_ValueError, "problems", py::tuple());
  computation_error =
      new_error(m, "ComputationError",
                "The input is valid, but the computation failed: unreachable, singular, "
                "diverged.\n`measure` is the number that shows it, or nan.",
                PyExc_RuntimeError, "measure", py::float_(NAN));
  py::register_exception_translator(translate);
}

}  // namespace ulna::python
