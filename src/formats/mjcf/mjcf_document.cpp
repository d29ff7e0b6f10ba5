#include "mjcf/mjcf_document.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <set>
#include <string_view>

#include "mjcf/mjcf_attach.hpp"
#include "mjcf/mjcf_defaults.hpp"
#include "text_file.hpp"
#include "wording.hpp"
#include "xml/xml_scan.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

// A file of a few lines could otherwise ask for any amount of memory.
constexpr int most_elements = 200'000;
constexpr int most_copies = 10'000;
constexpr int deepest_nesting = 200;

[[noreturn]] void refuse_mjcf(SourceMark where, std::string message, std::string expectation,
                              std::string hint = {}) {
  throw InputError(
      Problem{std::move(where), {}, std::move(message), std::move(expectation), std::move(hint)});
}

SourceMark place_of(pugi::xml_node node) {
  return {node.attribute(file_attribute).value(), node.attribute(line_attribute).as_int()};
}

/// Notes the place of an element and of all below it.
void annotate(pugi::xml_node node, const LineIndex& lines) {
  if (node.type() != pugi::node_element) return;
  const std::ptrdiff_t offset = node.offset_debug();
  const SourceMark where = lines.mark(static_cast<std::size_t>(offset > 0 ? offset - 1 : 0));
  node.append_attribute(line_attribute) = where.line;
  node.append_attribute(file_attribute) = lines.file().c_str();
  for (const pugi::xml_node child : node.children()) annotate(child, lines);
}

void parse(const std::string& text, const std::string& file_name, pugi::xml_document& document) {
  check_text(text, file_name, largest_xml);
  const LineIndex lines(text, file_name);
  scan_xml(text, lines);
  const pugi::xml_parse_result parsed =
      document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed)
    refuse_mjcf(lines.mark(static_cast<std::size_t>(parsed.offset)),
                fmt::format("not valid XML: {}", parsed.description()), {});
  annotate(document.document_element(), lines);
}

/// Puts the content of included files where they are named.
class Includes {
 public:
  explicit Includes(const std::string& main_file) : folder_(fs::path(main_file).parent_path()) {
    read_.insert(main_file);
  }

  void expand(pugi::xml_node node) {
    for (pugi::xml_node child = node.first_child(); child;) {
      pugi::xml_node next = child.next_sibling();
      if (child.name() == std::string_view("include"))
        insert(child, node);
      else
        expand(child);
      child = next;
    }
  }

 private:
  void insert(pugi::xml_node include, pugi::xml_node parent) {
    const SourceMark where = place_of(include);
    const std::string name = include.attribute("file").value();
    if (name.empty()) refuse_mjcf(where, "<include> names no file", "file=\"part.xml\"");
    const std::string path = (folder_ / name).lexically_normal().string();
    if (!read_.insert(path).second)
      refuse_mjcf(where, fmt::format("file {} is included twice", in_quotes(name)),
                  "each file once, as MuJoCo requires");
    std::string text;
    try {
      text = read_text_file(path, largest_xml);
    } catch (const InputError& error) {
      refuse_mjcf(where, fmt::format("the included file {} cannot be read", in_quotes(path)),
                  "a file beside the model", "paths are relative to the folder of the main file");
    }
    pugi::xml_document part;
    parse(text, path, part);
    expand(part.document_element());
    for (const pugi::xml_node child : part.document_element().children())
      parent.insert_copy_before(child, include);
    parent.remove_child(include);
  }

  fs::path folder_;
  std::set<std::string> read_;
};

/// Joins sections that are given several times (<worldbody>, <asset>, ...), as MuJoCo does.
void join_sections(pugi::xml_node root) {
  static const std::set<std::string_view> joined = {"worldbody", "asset",    "equality", "tendon",
                                                    "actuator",  "keyframe", "contact",  "sensor"};
  for (pugi::xml_node section = root.first_child(); section;) {
    pugi::xml_node next = section.next_sibling();
    const pugi::xml_node first = root.child(section.name());
    if (joined.count(section.name()) && first != section) {
      pugi::xml_node target = first;
      for (const pugi::xml_node child : section.children()) target.append_copy(child);
      root.remove_child(section);
    }
    section = next;
  }
}

/// Writes out <replicate>: a frame for each copy, names with the number of the copy.
class Replicates {
 public:
  void expand(pugi::xml_node node, int depth) {
    count(node, 1, depth);
    for (pugi::xml_node child = node.first_child(); child;) {
      if (child.name() == std::string_view("replicate")) {
        expand(child, depth + 1);  // the numbers of those inside come first in a name
        const pugi::xml_node next = child.next_sibling();
        copies(child, node);
        node.remove_child(child);
        child = next;
        continue;
      }
      if (child.type() == pugi::node_element) expand(child, depth + 1);
      child = child.next_sibling();
    }
  }

 private:
  void count(pugi::xml_node node, long more, int depth) {
    elements_ += more;
    if (elements_ > most_elements || depth > deepest_nesting)
      refuse_mjcf(place_of(node),
                  fmt::format("the model has more than {} elements or is nested more than {} deep",
                              most_elements, deepest_nesting),
                  "a smaller model");
  }

  static long size_of(pugi::xml_node node) {
    long size = 1;
    for (const pugi::xml_node child : node.children()) size += size_of(child);
    return size;
  }

  void copies(pugi::xml_node replicate, pugi::xml_node parent) {
    const std::string_view given = trimmed(replicate.attribute("count").value());
    int times = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), times);
    if (error != std::errc() || end != given.data() + given.size()) times = 0;
    if (times < 1 || times > most_copies)
      refuse_mjcf(place_of(replicate),
                  fmt::format("count of <replicate> is {}",
                              in_quotes(replicate.attribute("count").value())),
                  fmt::format("a whole number from 1 to {}", most_copies));
    count(replicate, times * size_of(replicate), 0);
    const int digits = static_cast<int>(std::to_string(times - 1).size());
    const std::string separator = replicate.attribute("sep").value();
    // Each copy is placed in the one before: the frames are nested in meaning, not in the file, so
    // the reader is told how often to apply the step.
    for (int k = 0; k < times; ++k) {
      pugi::xml_node frame = parent.insert_child_before("frame", replicate);
      for (const char* name : {"offset", "euler", "childclass", line_attribute, file_attribute})
        if (const pugi::xml_attribute a = replicate.attribute(name))
          frame.append_attribute(name == std::string_view("offset") ? "pos" : name) = a.value();
      frame.append_attribute("@repeat") = k;
      for (const pugi::xml_node child : replicate.children()) frame.append_copy(child);
      rename(frame, fmt::format("{}{:0{}}", separator, k, digits));
    }
  }

  static void rename(pugi::xml_node node, const std::string& suffix) {
    for (pugi::xml_node child : node.children()) {
      if (pugi::xml_attribute name = child.attribute("name"))
        name = (name.value() + suffix).c_str();
      rename(child, suffix);
    }
  }

  long elements_ = 0;
};

}  // namespace

MjcfDocument::MjcfDocument(const std::string& text, const std::string& file_name, int depth) {
  parse(text, file_name, document_);
  const pugi::xml_node mujoco = document_.document_element();
  if (mujoco.name() != std::string_view("mujoco"))
    refuse_mjcf(place_of(mujoco), fmt::format("the outermost element is <{}>", mujoco.name()),
                "a MuJoCo model, which begins with <mujoco>");
  Includes(file_name).expand(mujoco);
  join_sections(mujoco);
  expand_mjcf_attachments(mujoco, file_name, depth);
  Replicates().expand(mujoco, 0);
  Problems problems;
  apply_mjcf_defaults(mujoco, problems);
  problems.throw_if_any();
}

}  // namespace ulna
