#pragma once
// Numbers as base64 of little-endian binary, the form in which the page reads them.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ulna {

std::string base64(std::span<const unsigned char> bytes);
/// The bytes of base64 text; characters that are none of its digits end it.
std::string from_base64(std::string_view text);

template <class T>
std::string base64_of(const std::vector<T>& values) {
  static_assert(std::is_arithmetic_v<T>);
  return base64({reinterpret_cast<const unsigned char*>(values.data()), values.size() * sizeof(T)});
}

}  // namespace ulna
