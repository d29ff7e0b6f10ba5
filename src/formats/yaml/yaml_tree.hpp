#pragma once
// YAML text as a small tree that knows where everything stands. Built on yaml-cpp's event parser,
// with what a data file never needs refused: duplicate keys, anchors, aliases, tags, keys that are
// not words, several documents, and anything large or deep enough to exhaust the parser.

#include <string>
#include <vector>

namespace ulna {

struct YamlEntry;

struct YamlNode {
  enum class Kind { null, scalar, sequence, map };
  Kind kind = Kind::null;
  int line = 0;                    ///< from 1
  int column = 0;                  ///< from 1
  std::string text;                ///< scalars
  std::vector<YamlNode> items;     ///< sequences
  std::vector<YamlEntry> entries;  ///< maps, in the order of the file
};

struct YamlEntry {
  std::string key;
  int line = 0;
  int column = 0;
  YamlNode value;
};

/// Throws InputError with file, line and column. The text has passed `check_text`.
YamlNode parse_yaml(const std::string& text, const std::string& file_name);

}  // namespace ulna
