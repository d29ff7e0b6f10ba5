#include "xml/xml_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "wording.hpp"

namespace ulna {

namespace {

constexpr std::size_t deepest_element = 100;
constexpr std::size_t most_items = 500'000;  // tags and attributes

class Scanner {
 public:
  Scanner(std::string_view text, const LineIndex& lines) : text_(text), lines_(lines) {}

  void run() {
    for (std::size_t at = text_.find('<'); at != text_.npos; at = text_.find('<', at)) {
      const std::string_view here = text_.substr(at);
      if (here.starts_with("<!--"))
        at = past("-->", at, 4, "this comment is not closed");
      else if (here.starts_with("<![CDATA["))
        at = past("]]>", at, 9, "this CDATA section is not closed");
      else if (here.starts_with("<?"))
        at = past("?>", at, 2, "this declaration is not closed");
      else if (here.starts_with("<!"))
        refuse(at, "document types (<!DOCTYPE ...>) are not accepted", "remove it");
      else
        at = tag(at);
    }
    if (!open_.empty())
      refuse(text_.size(),
             fmt::format("the file ends inside <{}>, which began on line {}", name_at(open_.back()),
                         line(open_.back())),
             "is the file complete?");
  }

 private:
  [[noreturn]] void refuse(std::size_t at, std::string message, std::string hint = {}) const {
    throw InputError(Problem{lines_.mark(at), {}, std::move(message), {}, std::move(hint)});
  }

  std::size_t past(std::string_view end, std::size_t at, std::size_t skip, const char* complaint) {
    const std::size_t found = text_.find(end, at + skip);
    if (found == text_.npos) refuse(at, complaint, "is the file complete?");
    return found + end.size();
  }

  int line(std::size_t at) const { return lines_.mark(at).line; }

  std::string name_at(std::size_t at) const {
    const std::size_t begin = at + (text_.substr(at).starts_with("</") ? 2 : 1);
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n/>", begin), text_.size());
    constexpr std::size_t most = 60;
    return std::string(text_.substr(begin, std::min(end - begin, most)));
  }

  // Past the tag at `at`; quotes may hide a '>'.
  std::size_t tag(std::size_t at) {
    std::size_t end = at + 1;
    for (char quote = 0; end < text_.size() && (quote != 0 || text_[end] != '>'); ++end) {
      const char c = text_[end];
      if (quote == 0 && c == '<') break;
      if (quote == 0 && c == '=') ++items_;
      if (quote != 0 && c == quote)
        quote = 0;
      else if (quote == 0 && (c == '"' || c == '\''))
        quote = c;
    }
    if (end == text_.size() || text_[end] != '>')
      refuse(at, fmt::format("the tag <{} is not closed by '>'", name_at(at)));

    if (++items_ > most_items) refuse(at, "too many elements for one file");

    if (text_[at + 1] == '/') {
      if (open_.empty()) refuse(at, fmt::format("</{}> closes nothing", name_at(at)));
      if (name_at(open_.back()) != name_at(at))
        refuse(at, fmt::format("</{}> stands where </{}> is due, for the tag on line {}",
                               name_at(at), name_at(open_.back()), line(open_.back())));
      open_.pop_back();
    } else if (text_[end - 1] != '/') {
      if (open_.size() >= deepest_element)
        refuse(at, fmt::format("nested deeper than {} levels", deepest_element));
      open_.push_back(at);
    }
    return end + 1;
  }

  std::string_view text_;
  const LineIndex& lines_;
  std::size_t items_ = 0;
  std::vector<std::size_t> open_;  // where the open elements begin
};

}  // namespace

void scan_xml(const std::string& text, const LineIndex& lines) { Scanner(text, lines).run(); }

std::string outermost_element(const std::string& text) {
  std::size_t at = 0;
  while ((at = text.find('<', at)) != std::string::npos) {
    const std::string_view rest = std::string_view(text).substr(at + 1);
    if (rest.starts_with("!--")) {
      at = text.find("-->", at);
      if (at == std::string::npos) return {};
    } else if (!rest.starts_with("?") && !rest.starts_with("!")) {
      return std::string(rest.substr(0, std::min(rest.find_first_of(" \t\r\n/>"), rest.size())));
    }
    ++at;
  }
  return {};
}

}  // namespace ulna
