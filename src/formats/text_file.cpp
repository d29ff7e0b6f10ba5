#include "text_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "ulna/numerics/internal/visible_text.hpp"

namespace ulna {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_file(const std::string& file, std::string message,
                              std::string expectation = {}, std::string hint = {}) {
  throw InputError(
      Problem{{file}, {}, std::move(message), std::move(expectation), std::move(hint)});
}

// "100 MiB" where that is exact, else megabytes, rounded up so that a size above the limit reads
// so.
std::string size_text(std::uintmax_t size) {
  constexpr std::uintmax_t mebibyte = std::uintmax_t(1) << 20;
  if (size % mebibyte == 0) return fmt::format("{} MiB", size / mebibyte);
  const std::uintmax_t tenths = size / (megabyte / 10) + (size % (megabyte / 10) != 0);
  return tenths % 10 == 0 ? fmt::format("{} MB", tenths / 10)
                          : fmt::format("{}.{} MB", tenths / 10, tenths % 10);
}

[[noreturn]] void refuse_size(const std::string& file, const std::string& size, std::size_t limit) {
  refuse_file(file, fmt::format("the file is too large ({})", size), "at most " + size_text(limit));
}

}  // namespace

bool begins_like_xml(const std::string& text) {
  const std::size_t start = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;  // byte order mark
  const std::size_t first = text.find_first_not_of(" \t\r\n", start);
  return first != std::string::npos && text[first] == '<';
}

std::string read_text_file(const std::string& path, std::size_t limit) {
  constexpr std::size_t largest_stream = 256 * megabyte, largest_device = 16 * megabyte;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) refuse_file(path, "no such file");
  if (fs::is_directory(status)) refuse_file(path, "this is a folder", "the name of a file");
  if (fs::is_regular_file(status)) {
    const std::uintmax_t size = fs::file_size(path, error);
    if (!error && size > limit) refuse_size(path, size_text(size), limit);
  } else {  // of unknown size: it may have no end
    const bool device = fs::is_character_file(status) || fs::is_block_file(status);
    limit = std::min<std::size_t>(limit, device ? largest_device : largest_stream);
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse_file(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  // Pipes and devices have no size: stop one byte past the limit.
  std::string text;
  std::vector<char> block(1 << 16);
  while (text.size() <= limit && in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) refuse_file(path, "cannot be read to its end");
  if (text.size() > limit) refuse_size(path, "not read to its end", limit);
  return text;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

void check_text(const std::string& text, const std::string& file_name, std::size_t limit) {
  if (text.size() > limit) refuse_size(file_name, size_text(text.size()), limit);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    refuse_file(file_name, "the file is empty", "a robot");
  int line = 1;
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t length = utf8_length(text, i);
    const bool control =
        (static_cast<unsigned char>(c) < 0x20u && c != '\n' && c != '\r' && c != '\t') || c == 0x7F;
    if (length == 0 || control) {
      const SourceMark where{file_name, line, static_cast<int>(i - line_start) + 1};
      const std::string found = fmt::format("byte 0x{:02x} does not belong in a text file",
                                            static_cast<unsigned char>(c));
      throw InputError(Problem{where,
                               {},
                               found,
                               "a robot file in UTF-8 text",
                               length == 0 ? "if it is text in another encoding, convert it with "
                                             "'iconv -f latin1 -t utf-8'"
                                           : "this looks like binary data"});
    }
    i += length;
    if (c == '\n') {
      ++line;
      line_start = i;
    }
  }
}

LineIndex::LineIndex(const std::string& text, std::string file_name) : file_(std::move(file_name)) {
  starts_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') starts_.push_back(i + 1);
}

SourceMark LineIndex::mark(std::size_t offset) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto line = static_cast<std::size_t>(after - starts_.begin());
  return {file_, static_cast<int>(line), static_cast<int>(offset - starts_[line - 1]) + 1};
}

void write_text_file(const std::string& path, const std::string& content) {
  const std::string beside = path + ".new";
  std::FILE* file = std::fopen(beside.c_str(), "wb");
  int reason = file ? 0 : errno;
  if (file) {
    if (std::fwrite(content.data(), 1, content.size(), file) != content.size()) reason = errno;
    if (std::fflush(file) != 0 && reason == 0) reason = errno;
    if (fsync(fileno(file)) != 0 && reason == 0) reason = errno;
    if (std::fclose(file) != 0 && reason == 0) reason = errno;
    if (reason == 0 && std::rename(beside.c_str(), path.c_str()) != 0) reason = errno;
    if (reason == 0) return;
    std::remove(beside.c_str());
  }
  throw ComputationError(fmt::format("{}: cannot be written: {}", path, std::strerror(reason)));
}

}  // namespace ulna
