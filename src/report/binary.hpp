#pragma once
// Numbers as base64 of little-endian binary, the form in which the page reads them.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ulna {

std::string base64(std::span<const unsigned char> bytes);

template <class T>
std::string base64_of(const std::vector<T>& values) {
  static_assert(std::is_arithmetic_v<T>);
  return base64({reinterpret_cast<const unsigned char*>(values.data()), values.size() * sizeof(T)});
}

}  // namespace ulna
