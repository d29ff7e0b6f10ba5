#include "run/bounded_json.hpp"

#include <fmt/format.h>

#include "ulna/numerics/error.hpp"

namespace ulna {

void check_json_depth(const std::string& text, const std::string& file_name) {
  constexpr int deepest = 64;
  int depth = 0, line = 1;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (in_text) {
      if (c == '\\') ++i;
      in_text = c != '"';
      continue;
    }
    in_text = c == '"';
    if (c == ']' || c == '}') --depth;
    if ((c == '[' || c == '{') && ++depth > deepest)
      throw InputError(Problem{{file_name, line, 0},
                               {},
                               fmt::format("nested deeper than {} levels", deepest),
                               "the file as Ulna wrote it",
                               {}});
  }
}

}  // namespace ulna
