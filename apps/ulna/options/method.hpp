#pragma once
// Methods by name. A command that answers one question in several ways keeps a table of them, one
// line each, the default first.

#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>

#include "ulna/model/model.hpp"

namespace ulna::cli {

/// "newton-euler|kane", for help and completion.
template <class Method>
std::string method_names(std::span<const Method> methods, const char* separator = "|") {
  std::string names;
  for (const Method& method : methods)
    names += (names.empty() ? "" : separator) + std::string(method.name);
  return names;
}

/// The method named, the first when none is; InputError listing those there are.
template <class Method>
const Method& choose_method(std::span<const Method> methods,
                            const std::optional<std::string>& name) {
  if (!name) return methods.front();
  std::vector<std::string> known;
  for (const Method& method : methods) {
    if (*name == method.name) return method;
    known.emplace_back(method.name);
  }
  throw InputError(Problem{{},
                           "--method",
                           fmt::format("'{}' is not available", *name),
                           (methods.size() == 1 ? "" : "one of ") + method_names(methods, ", "),
                           nearest_name_hint(*name, known)});
}

}  // namespace ulna::cli
