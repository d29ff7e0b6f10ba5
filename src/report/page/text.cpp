#include "page/text.hpp"

namespace ulna {
namespace {

constexpr const char* replacement = "\xEF\xBF\xBD";

bool continues(std::string_view text, std::size_t k) {
  return k < text.size() && (static_cast<unsigned char>(text[k]) & 0xC0) == 0x80;
}

// Bytes of the character at the front, 0 when it is none (overlong and surrogate forms included).
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char c = byte(0);
  if (c < 0x80) return c >= 0x20 && c != 0x7F ? 1 : 0;
  if (c < 0xC2 || c > 0xF4 || !continues(text, 1)) return 0;
  if (c < 0xE0) return c == 0xC2 && byte(1) < 0xA0 ? 0 : 2;
  if ((c == 0xE0 && byte(1) < 0xA0) || (c == 0xED && byte(1) >= 0xA0) || !continues(text, 2))
    return 0;
  if (c < 0xF0) return c == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE ? 0 : 3;
  if ((c == 0xF0 && byte(1) < 0x90) || (c == 0xF4 && byte(1) >= 0x90) || !continues(text, 3))
    return 0;
  return 4;
}

}  // namespace

std::string clean_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0)
      out += text[0] == '\t' || text[0] == '\n' ? " " : replacement;
    else
      out += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : clean_utf8(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

int characters(std::string_view utf8) {
  int count = 0;
  for (std::size_t k = 0; k < utf8.size(); ++k) count += !continues(utf8, k);
  return count;
}

std::string shortened(const std::string& utf8, int most) {
  if (characters(utf8) <= most) return utf8;
  std::size_t end = 0;
  for (int left = most; end < utf8.size(); ++end)
    if (!continues(utf8, end) && --left < 0) break;
  // `end` is after `most` characters; one of them gives way to the ellipsis.
  do --end;
  while (continues(utf8, end));
  return utf8.substr(0, end) + "…";
}

std::string shortened_inside(const std::string& utf8, int most) {
  const int count = characters(utf8);
  if (count <= most) return utf8;
  const int head = (most - 1) / 2, tail = most - 1 - head;
  std::string out;
  int place = -1;
  for (std::size_t k = 0; k < utf8.size(); ++k) {
    if (!continues(utf8, k) && ++place == head) out += "…";
    if (place < head || place >= count - tail) out += utf8[k];
  }
  return out;
}

}  // namespace ulna
