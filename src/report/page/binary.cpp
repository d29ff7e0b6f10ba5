#include "page/binary.hpp"

#include <bit>

namespace ulna {

// The page reads the bytes as they are.
static_assert(std::endian::native == std::endian::little);

std::string base64(std::span<const unsigned char> bytes) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t left = bytes.size() - k;
    const std::uint32_t word =
        bytes[k] << 16 | (left > 1 ? bytes[k + 1] : 0) << 8 | (left > 2 ? bytes[k + 2] : 0);
    out += digits[word >> 18];
    out += digits[word >> 12 & 63];
    out += left > 1 ? digits[word >> 6 & 63] : '=';
    out += left > 2 ? digits[word & 63] : '=';
  }
  return out;
}

std::string from_base64(std::string_view text) {
  const auto digit = [](char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
  };
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    const int value = digit(c);
    if (value < 0) break;
    word = word << 6 | static_cast<std::uint32_t>(value);
    if ((bits += 6) < 8) continue;
    bits -= 8;
    out += static_cast<char>(word >> bits & 0xFF);
  }
  return out;
}

}  // namespace ulna
