#pragma once
// Numbers and texts as a robot file holds them: what is read back is the same, bit by bit.

#include <string>

#include "ulna/spatial/parts/types.hpp"

namespace ulna::yaml {

std::string number(double value);
std::string limit(double value);

template <class Values>
std::string list(const Values& values) {
  std::string out;
  for (const double value : values) out += (out.empty() ? "[" : ", ") + number(value);
  return out.empty() ? "[]" : out + "]";
}

/// Plain where YAML reads it back as the same text, else in double quotes.
std::string text(const std::string& raw);
/// In double quotes always: inside braces a plain text could take in what follows it.
std::string quoted(const std::string& raw);
std::string rows(const Matrix3<double>& m);
std::string inertia(const Matrix3<double>& I);

}  // namespace ulna::yaml
