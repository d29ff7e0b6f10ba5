#include "ulna/numerics/internal/visible_text.hpp"

#include <fmt/format.h>

namespace ulna {
namespace {

unsigned utf8_byte(std::string_view text, std::size_t k) {
  return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u;
}

unsigned code_point(std::string_view text, std::size_t i, std::size_t length) {
  constexpr unsigned lead_bits[] = {0, 0x7Fu, 0x1Fu, 0x0Fu, 0x07u};
  unsigned code = utf8_byte(text, i) & lead_bits[length];
  for (std::size_t k = 1; k < length; ++k) code = (code << 6) | (utf8_byte(text, i + k) & 0x3Fu);
  return code;
}

/// What the character is called; null for those that may stand in a name.
const char* why_hidden(unsigned code) {
  if (code == '\n' || code == '\r') return "a line break";
  if (code == '\t') return "a tabulator";
  if (code < 0x20u || (code >= 0x7Fu && code <= 0x9Fu)) return "a control character";
  if (code == 0x2028u || code == 0x2029u) return "a line separator";
  const bool turning = code == 0x061Cu || code == 0x200Eu || code == 0x200Fu ||
                       (code >= 0x202Au && code <= 0x202Eu) || (code >= 0x2066u && code <= 0x2069u);
  if (turning) return "a mark that changes the direction of writing";
  return code == 0xFEFFu ? "a byte order mark" : nullptr;
}

bool is_break(unsigned code) { return code == '\n' || code == '\r' || code == '\t'; }

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto continues = [&](std::size_t k) { return (utf8_byte(text, k) & 0xC0u) == 0x80u; };
  const unsigned lead = utf8_byte(text, i);
  if (lead < 0x80u) return 1;
  if (lead >= 0xC2u && lead <= 0xDFu) return continues(i + 1) ? 2 : 0;
  if (lead >= 0xE0u && lead <= 0xEFu) {
    if (!continues(i + 1) || !continues(i + 2)) return 0;
    const unsigned code = code_point(text, i, 3);
    return code < 0x800u || (code >= 0xD800u && code < 0xE000u) ? 0 : 3;
  }
  if (lead >= 0xF0u && lead <= 0xF4u) {
    if (!continues(i + 1) || !continues(i + 2) || !continues(i + 3)) return 0;
    const unsigned code = code_point(text, i, 4);
    return code < 0x10000u || code > 0x10FFFFu ? 0 : 4;
  }
  return 0;
}

std::string hidden_character(std::string_view text, LineBreaks breaks) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) return fmt::format("byte 0x{:02x}, which is not UTF-8", utf8_byte(text, i));
    const unsigned code = code_point(text, i, length);
    const char* const reason = why_hidden(code);
    if (reason && !(breaks == LineBreaks::allowed && is_break(code)))
      return fmt::format("U+{:04X} ({})", code, reason);
    i += length;
  }
  return {};
}

std::string visible(std::string_view text, LineBreaks breaks) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) {
      out += fmt::format("\\x{{{:02x}}}", utf8_byte(text, i));
      ++i;
      continue;
    }
    const unsigned code = code_point(text, i, length);
    if (why_hidden(code) && !(breaks == LineBreaks::allowed && is_break(code)))
      out += fmt::format("\\u{{{:x}}}", code);
    else
      out += text.substr(i, length);
    i += length;
  }
  return out;
}

}  // namespace ulna
