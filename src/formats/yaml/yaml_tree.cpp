#include "yaml/yaml_tree.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

#include "problems.hpp"
#include "text_file.hpp"
#include "ulna/numerics/internal/visible_text.hpp"
#include "wording.hpp"

namespace ulna {

namespace {

constexpr int deepest_nesting = 64;
constexpr int most_values = 500'000;

// yaml-cpp queues every token of a [...] or {...} before it lets go of the first, and recurses on
// nesting. So brackets are bounded here, before it sees the text.
void check_brackets(const std::string& text, const std::string& file_name) {
  int depth = 0, values = 0, line = 1;
  std::size_t line_start = 0;
  bool comment = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      line_start = i + 1;
      comment = false;
    } else if (c == '#' && (i == line_start || text[i - 1] == ' ')) {
      comment = true;
    }
    if (c == ',' || c == '[' || c == '{' || c == ':' || c == '-' || c == '?') ++values;
    if (!comment && (c == '[' || c == '{')) ++depth;
    if (!comment && (c == ']' || c == '}') && depth > 0) --depth;
    const SourceMark where{file_name, line, static_cast<int>(i - line_start) + 1};
    if (depth > deepest_nesting)
      throw InputError(
          Problem{where, {}, fmt::format("nested deeper than {} levels", deepest_nesting), {}, {}});
    if (values > 4 * most_values)
      throw InputError(Problem{where, {}, "too many values for one file", {}, {}});
  }
}

// Of the bracket at `start` and those inside it, the innermost that is never closed; npos if all
// are.
std::size_t unclosed_bracket(const std::string& text, std::size_t start) {
  const std::string blank = " \t\r\n";
  std::vector<std::size_t> open;
  char quote = 0, before = 0;  // the quote we are in; the last character that is not blank
  for (std::size_t i = start; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = 0;
    } else if ((c == '"' || c == '\'') && std::string("[{,:").find(before) != std::string::npos) {
      quote = c;
    } else if (c == '#' && i > start && blank.find(text[i - 1]) != std::string::npos) {
      i = std::min(text.find('\n', i), text.size());
      continue;
    } else if (c == '[' || c == '{') {
      open.push_back(i);
    } else if (c == ']' || c == '}') {
      if (open.size() <= 1) return std::string::npos;
      open.pop_back();
    }
    if (blank.find(c) == std::string::npos) before = c;
  }
  return open.empty() ? std::string::npos : open.back();
}

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& text, std::string file_name, Problems& problems)
      : text_(text), file_(std::move(file_name)), problems_(problems) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check(mark, {}, anchor);
    place(node(YamlNode::Kind::null, mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_alias(mark); }
  void OnAnchor(const YAML::Mark& mark, const std::string&) override { refuse_alias(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check(mark, tag, anchor);
    // Escapes in quotes ("\e") bring in what check_text keeps out of the file itself.
    const std::string hidden = hidden_character(value, LineBreaks::allowed);
    if (!hidden.empty())
      stop(mark.line + 1, mark.column + 1, "the text holds " + hidden,
           "hidden characters are not accepted");
    YamlNode scalar = node(YamlNode::Kind::scalar, mark);
    scalar.text = value;
    place(std::move(scalar));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    check(mark, tag, anchor);
    open(node(YamlNode::Kind::sequence, mark), bracket(mark, style));
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    check(mark, tag, anchor);
    open(node(YamlNode::Kind::map, mark), bracket(mark, style));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

  /// InputError if a bracket that is open now is never closed: that explains what goes wrong after
  /// it.
  void blame_open_bracket() const {
    for (const Open& collection : stack_)
      if (collection.bracket != no_bracket) return blame_bracket(collection.bracket);
  }

 private:
  // A collection under construction; for a map, whether its next event is a key.
  struct Open {
    YamlNode node;
    bool expects_key;
    std::size_t bracket;  // where its [ or { stands
  };
  static constexpr std::size_t no_bracket = std::string::npos;  // lines of a block

  YamlNode node(YamlNode::Kind kind, const YAML::Mark& mark) const {
    YamlNode made;
    made.kind = kind;
    made.line = mark.line + 1;
    made.column = mark.column + 1;
    return made;
  }

  [[noreturn]] void stop(int line, int column, std::string message, std::string hint = {}) const {
    throw InputError(Problem{{file_, line, column}, {}, std::move(message), {}, std::move(hint)});
  }
  [[noreturn]] void refuse_alias(const YAML::Mark& mark) const {
    stop(mark.line + 1, mark.column + 1, "YAML anchors and aliases (&, *) are not accepted",
         "write the value out where it is needed");
  }

  void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) refuse_alias(mark);
    // yaml-cpp itself tags plain scalars "?" and quoted ones "!".
    if (!tag.empty() && tag != "?" && tag != "!")
      stop(mark.line + 1, mark.column + 1,
           fmt::format("YAML tags ({}) are not accepted", in_quotes(tag)));
    if (++values_ > most_values)
      stop(mark.line + 1, mark.column + 1, "too many values for one file");
  }

  // yaml-cpp does not count a byte order mark.
  std::size_t bracket(const YAML::Mark& mark, YAML::EmitterStyle::value style) const {
    const std::size_t order_mark = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    return style == YAML::EmitterStyle::Flow ? static_cast<std::size_t>(mark.pos) + order_mark
                                             : no_bracket;
  }

  void blame_bracket(std::size_t start) const {
    const std::size_t at = unclosed_bracket(text_, start);
    if (at == std::string::npos) return;
    const bool map = text_[at] == '{';
    throw InputError(Problem{LineIndex(text_, file_).mark(at),
                             {},
                             fmt::format("the '{}' opened here is not closed", map ? '{' : '['),
                             fmt::format("a closing '{}'", map ? '}' : ']'),
                             "is the file complete?"});
  }

  void open(YamlNode collection, std::size_t bracket) {
    if (static_cast<int>(stack_.size()) >= deepest_nesting)
      stop(collection.line, collection.column,
           fmt::format("nested deeper than {} levels", deepest_nesting));
    if (!stack_.empty() && stack_.back().expects_key) {
      // yaml-cpp takes a bracket that is not closed for the beginning of a key.
      if (bracket != no_bracket) blame_bracket(bracket);
      refuse_key(collection);
    }
    stack_.push_back({std::move(collection), false, bracket});
    stack_.back().expects_key = stack_.back().node.kind == YamlNode::Kind::map;
  }

  void close() {
    YamlNode done = std::move(stack_.back().node);
    stack_.pop_back();
    place(std::move(done));
  }

  void place(YamlNode value) {
    if (stack_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = stack_.back();
    if (parent.node.kind == YamlNode::Kind::sequence) {
      parent.node.items.push_back(std::move(value));
    } else if (parent.expects_key) {
      if (value.kind != YamlNode::Kind::scalar) refuse_key(value);
      for (const YamlEntry& entry : parent.node.entries)
        if (entry.key == value.text)
          problems_.add({file_, value.line, value.column}, {},
                        fmt::format("the key {} is given twice; first on line {}",
                                    in_quotes(entry.key), entry.line));
      if (parent.node.entries.size() >= most_keys)
        stop(value.line, value.column, "too many keys in one map");
      parent.node.entries.push_back({value.text, value.line, value.column, {}});
      parent.expects_key = false;
    } else {
      parent.node.entries.back().value = std::move(value);
      parent.expects_key = true;
    }
  }

  [[noreturn]] void refuse_key(const YamlNode& key) const {
    blame_open_bracket();
    stop(key.line, key.column, "a key must be a word");
  }

  static constexpr std::size_t most_keys = 1000;  // the search for duplicates is linear
  const std::string& text_;
  std::string file_;
  Problems& problems_;
  YamlNode root_;
  std::vector<Open> stack_;
  int values_ = 0;
};

}  // namespace

YamlNode parse_yaml(const std::string& text, const std::string& file_name) {
  check_brackets(text, file_name);
  Problems problems;
  TreeBuilder builder(text, file_name, problems);
  try {
    std::istringstream in(text);
    YAML::Parser parser(in);
    parser.HandleNextDocument(builder);
    YamlNode root = builder.take_root();
    TreeBuilder rest(text, file_name, problems);
    if (parser.HandleNextDocument(rest))
      problems.add({file_name, rest.take_root().line, 1}, {}, "the file holds a second document",
                   "one robot per file");
    problems.throw_if_any();
    return root;
  } catch (const YAML::Exception& error) {
    builder.blame_open_bracket();
    throw InputError(Problem{{file_name, error.mark.line + 1, error.mark.column + 1},
                             {},
                             "not valid YAML: " + error.msg,
                             {},
                             "the mistake may stand a little before this place"});
  }
}

}  // namespace ulna
