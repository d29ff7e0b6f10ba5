#include "yaml/yaml_write.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "ulna/numerics/error.hpp"

namespace ulna::yaml {

std::string number(double value) {
  if (!std::isfinite(value))
    throw InputError(fmt::format("a robot with the number {} cannot be written", value),
                     "finite numbers");
  return fmt::format("{}", value + 0.0);  // -0 becomes 0
}

std::string limit(double value) { return std::isinf(value) ? "none" : number(value); }

std::string text(const std::string& raw) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  bool plain = !raw.empty() && is_letter(raw[0]) && raw.back() != ' ';
  for (const char c : raw)
    plain = plain && (is_letter(c) || (c >= '0' && c <= '9') || c == ' ' || c == '.' || c == '-' ||
                      c == '/' || c == ',' || c == '(' || c == ')');
  if (plain && raw != "null" && raw != "Null" && raw != "NULL") return raw;
  std::string out = "\"";
  for (const char c : raw) {
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20u || c == 0x7F)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + "\"";
}

std::string quoted(const std::string& raw) {
  const std::string written = text(raw);
  return written.starts_with('"') ? written : "\"" + written + "\"";
}

std::string rows(const Matrix3<double>& m) {
  std::string out;
  for (int i = 0; i < 3; ++i) out += (i ? ", " : "[") + list(Vector3<double>(m.row(i).transpose()));
  return out + "]";
}

std::string inertia(const Matrix3<double>& I) {
  if (I != I.transpose()) return rows(I);
  const Vector3<double> diagonal = I.diagonal();
  if (I == Matrix3<double>(diagonal.asDiagonal())) return list(diagonal);
  return list(std::array<double, 6>{I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)});
}

}  // namespace ulna::yaml
