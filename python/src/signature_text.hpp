#pragma once
// The signatures that pybind11 writes at the top of docstrings, read back: they are what error
// messages about wrong arguments (call_guard.cpp) and inspect.signature are made from.

#include <optional>
#include <string>
#include <vector>

namespace ulna::python {

struct WrittenParameter {
  std::string name;
  std::string type;                     ///< as pybind11 writes it: "float", "Optional[int]"
  std::optional<std::string> fallback;  ///< the default value, as Python prints it
  bool by_name_only = false;
};

struct SignatureText {
  std::string function;
  std::vector<WrittenParameter> parameters;
  std::string doc;  ///< what follows the signature

  /// "modes(self, q=None, *, count=6)\n--\n\nNatural frequencies ...": CPython takes the signature
  /// for inspect.signature from there. `hidden`: parameters left out at the front.
  std::string internal_doc(const std::string& name, std::size_t hidden = 0) const;
};

/// None where the text does not begin with one signature: overloads, other functions.
std::optional<SignatureText> read_signature(const std::string& docstring);

/// The parts between commas that stand outside of brackets and quotes.
std::vector<std::string> split_at_commas(const std::string& text);

}  // namespace ulna::python
