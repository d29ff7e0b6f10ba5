#pragma once
// Text from outside: read with a size limit, refused when it is not text.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ulna/numerics/error.hpp"

namespace ulna {

inline constexpr std::size_t megabyte = 1'000'000;
inline constexpr std::size_t largest_yaml = 8 * megabyte;
// A URDF names its meshes, it does not hold them: real ones stay far below this.
inline constexpr std::size_t largest_xml = 16 * megabyte;

/// The content of a file. InputError when it is missing, a folder, unreadable or above `limit`.
std::string read_text_file(const std::string& path, std::size_t limit);

/// Written beside its place and renamed: the file appears complete or not at all. ComputationError
/// when it cannot be written.
void write_text_file(const std::string& path, const std::string& content);

/// InputError unless the text is at most `limit` long, not blank, and valid UTF-8 without control
/// characters.
void check_text(const std::string& text, const std::string& file_name, std::size_t limit);

/// XML begins with '<', which no file in YAML does.
bool begins_like_xml(const std::string& text);

/// Without the blanks and line ends around it.
std::string_view trimmed(std::string_view text);

/// Turns offsets in a text into lines and columns.
class LineIndex {
 public:
  LineIndex(const std::string& text, std::string file_name);
  SourceMark mark(std::size_t offset) const;
  const std::string& file() const { return file_; }

 private:
  std::vector<std::size_t> starts_;
  std::string file_;
};

}  // namespace ulna
