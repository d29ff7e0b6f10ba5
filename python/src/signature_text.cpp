#include "signature_text.hpp"

#include <utility>

namespace ulna::python {
namespace {

/// Where the bracket that opens at `open` is closed; npos if nowhere.
std::size_t closing_bracket(const std::string& text, std::size_t open) {
  int depth = 0;
  char quote = 0;
  for (std::size_t k = open; k < text.size(); ++k) {
    const char c = text[k];
    if (quote) {
      if (c == '\\') ++k;
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if ((c == ')' || c == ']' || c == '}') && --depth == 0) {
      return k;
    }
  }
  return std::string::npos;
}

WrittenParameter read_parameter(const std::string& text) {
  WrittenParameter out;
  const std::size_t colon = text.find(": ");
  out.name = text.substr(0, colon);
  if (colon == std::string::npos) return out;
  const std::size_t equals = text.find(" = ", colon);
  out.type = text.substr(colon + 2, equals == std::string::npos ? equals : equals - colon - 2);
  if (equals != std::string::npos) out.fallback = text.substr(equals + 3);
  return out;
}

/// As a literal that Python's parser reads: infinity has none of its own, and objects are printed
/// in angle brackets.
std::string literal(const std::string& value) {
  if (value == "inf") return "1e999";
  if (value == "nan" || value.find('<') != std::string::npos) return "...";
  return value;
}

}  // namespace

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t k = 0; k <= text.size(); ++k) {
    if (k < text.size() && (text[k] == '(' || text[k] == '[' || text[k] == '{')) {
      const std::size_t end = closing_bracket(text, k);
      if (end == std::string::npos) return parts;
      k = end;
    } else if (k < text.size() && (text[k] == '\'' || text[k] == '"')) {
      const std::size_t end = text.find(text[k], k + 1);
      if (end == std::string::npos) return parts;
      k = end;
    } else if (k == text.size() || text[k] == ',') {
      if (k > begin) parts.push_back(text.substr(begin, k - begin));
      begin = k + 1;
      while (begin < text.size() && text[begin] == ' ') ++begin;
    }
  }
  return parts;
}

std::optional<SignatureText> read_signature(const std::string& docstring) {
  const std::size_t open = docstring.find('('), line = docstring.find('\n');
  if (open == std::string::npos || open > line) return std::nullopt;
  const std::size_t close = closing_bracket(docstring, open);
  if (close == std::string::npos || docstring.compare(close, 5, ") -> ") != 0) return std::nullopt;
  SignatureText out;
  out.function = docstring.substr(0, open);
  bool by_name_only = false;
  for (const std::string& part : split_at_commas(docstring.substr(open + 1, close - open - 1))) {
    if (part == "*") {
      by_name_only = true;
    } else if (part != "/") {
      out.parameters.push_back(read_parameter(part));
      out.parameters.back().by_name_only = by_name_only;
    }
  }
  const std::size_t end = docstring.find('\n', close);
  if (end != std::string::npos) out.doc = docstring.substr(end);
  out.doc.erase(0, out.doc.find_first_not_of('\n'));
  while (!out.doc.empty() && out.doc.back() == '\n') out.doc.pop_back();
  return out;
}

std::string SignatureText::internal_doc(const std::string& name, std::size_t hidden) const {
  std::string list;
  bool starred = false;
  for (std::size_t k = hidden; k < parameters.size(); ++k) {
    const WrittenParameter& p = parameters[k];
    if (!list.empty()) list += ", ";
    if (p.by_name_only && !std::exchange(starred, true)) list += "*, ";
    list += p.name;
    if (p.fallback) list += "=" + literal(*p.fallback);
  }
  return name + "(" + list + ")\n--\n\n" + doc;
}

}  // namespace ulna::python
