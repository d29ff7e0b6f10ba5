#include "wording.hpp"

#include <fmt/format.h>

namespace ulna {

std::string one_of(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 60;
  if (text.size() <= most) return fmt::format("'{}'", text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return fmt::format("'{}...'", text.substr(0, end));
}

}  // namespace ulna
