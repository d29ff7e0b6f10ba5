#include "yaml/yaml_place.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ulna/model/internal/formula_syntax.hpp"
#include "ulna/numerics/error.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

using PathParts = std::vector<std::string>;

[[noreturn]] void refuse_path(const std::string& path, std::string message, std::string expected,
                              std::string hint = {}) {
  throw InputError(Problem{{}, path, std::move(message), std::move(expected), std::move(hint)});
}

PathParts split_path(const std::string& path) {
  PathParts parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t dot = std::min(path.find('.', begin), path.size());
    parts.push_back(path.substr(begin, dot - begin));
    if (parts.back().empty()) refuse_path(path, "has an empty part", "names joined by dots");
    begin = dot + 1;
  }
  return parts;
}

YamlNode* entry_of(YamlNode& map, const std::string& key) {
  for (YamlEntry& entry : map.entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

std::string name_of_item(YamlNode& item) {
  YamlNode* name = item.kind == YamlNode::Kind::map ? entry_of(item, "name") : nullptr;
  return name ? name->text : "";
}

/// x, y, z or a number from 0; -1 for other words.
int index_of(const std::string& part) {
  static const std::string axes = "xyz";
  if (part.size() == 1 && axes.find(part) < 3) return static_cast<int>(axes.find(part));
  if (part.size() > 6 || part.find_first_not_of("0123456789") != std::string::npos) return -1;
  return std::stoi(part);
}

/// A vector that is not in the file has these entries.
std::vector<const char*> default_vector(const std::string& key) {
  if (key == "gravity") return {"0", "0", "-9.81"};
  if (key == "axis") return {"0", "0", "1"};
  if (key == "axis2") return {"1", "0", "0"};
  return {"0", "0", "0"};
}

/// Walks down the tree, making what is not there.
class Place {
 public:
  Place(YamlNode& root, const std::string& path)
      : root_(root), path_(path), parts_(split_path(path)) {}

  std::vector<YamlNode*> find() {
    YamlNode* node = parts_[0] == "beams" && !entry_of(root_, "beams") ? &beam() : &root_;
    while (next_ < parts_.size())
      node = node->kind == YamlNode::Kind::sequence ? &item(*node) : &entry(*node);
    if (node->kind == YamlNode::Kind::map || node->kind == YamlNode::Kind::sequence)
      refuse_path(path_, "is not a single value", "one number or word" + inside(*node));
    return other_side_ ? std::vector{node, other_side_} : std::vector{node};
  }

 private:
  static std::string inside(YamlNode& node) {
    std::string names;
    for (const YamlEntry& entry : node.entries) names += (names.empty() ? "" : ", ") + entry.key;
    for (YamlNode& one : node.items)
      if (const std::string name = name_of_item(one); !name.empty())
        names += (names.empty() ? "" : ", ") + name;
    return names.empty() ? "" : ", the path going on with one of " + names;
  }

  /// Names may hold dots: the longest that fits.
  YamlNode* named(std::vector<YamlNode>& items) {
    for (std::size_t end = parts_.size(); end > next_; --end) {
      std::string name;
      for (std::size_t k = next_; k < end; ++k) name += (name.empty() ? "" : ".") + parts_[k];
      for (YamlNode& one : items)
        if (name_of_item(one) == name) {
          next_ = end;
          return &one;
        }
    }
    return nullptr;
  }

  YamlNode& item(YamlNode& list) {
    if (YamlNode* found = named(list.items)) return *found;
    const std::string& part = parts_[next_];
    // x, y and z are entries of vectors; among items with names they are names.
    const bool named_items =
        std::ranges::any_of(list.items, [](YamlNode& one) { return !name_of_item(one).empty(); });
    const int number = named_items && !formula_text::is_digit(part[0]) ? -1 : index_of(part);
    if (number < 0 || static_cast<std::size_t>(number) >= list.items.size()) {
      std::vector<std::string> known;
      for (YamlNode& one : list.items)
        if (std::string name = name_of_item(one); !name.empty()) known.push_back(std::move(name));
      refuse_path(path_, fmt::format("there is no '{}'", part),
                  known.empty() ? fmt::format("x, y, z or a number below {}", list.items.size())
                                : one_of(known),
                  nearest_name_hint(part, known));
    }
    ++next_;
    return list.items[static_cast<std::size_t>(number)];
  }

  YamlNode& entry(YamlNode& map) {
    const std::string& key = parts_[next_];
    // Keys may hold dots too, as motions of joints with several coordinates do.
    for (std::size_t end = parts_.size(); end > next_; --end) {
      std::string name;
      for (std::size_t k = next_; k < end; ++k) name += (name.empty() ? "" : ".") + parts_[k];
      if (YamlNode* found = entry_of(map, name)) {
        next_ = end;
        return *found;
      }
    }
    // at: {position: [...], rpy: ...}
    if (YamlNode* position = entry_of(map, "position"); position && index_of(key) >= 0)
      return *position;
    if (YamlNode* side = side_of_box(map, key)) return *side;
    // A section: {tube: {...}} is meant by what it holds.
    for (YamlEntry& inner : map.entries)
      if (inner.value.kind == YamlNode::Kind::map && entry_of(inner.value, key)) return inner.value;
    if (map.kind == YamlNode::Kind::scalar)
      refuse_path(path_, fmt::format("'{}' has a value, but the path continues below it", map.text),
                  "a place in the file");
    return added(map, key);
  }

  /// The two sides of a box are one where the path says outer or inner.
  YamlNode* side_of_box(YamlNode& map, const std::string& key) {
    if (key != "outer" && key != "inner") return nullptr;
    YamlNode* box = entry_of(map, "box");
    if (!box) return nullptr;
    const std::string side = key == "outer" ? "" : "inner_";
    YamlNode *height = entry_of(*box, side + "height"), *width = entry_of(*box, side + "width");
    if (!height || !width) return nullptr;
    other_side_ = width;
    ++next_;
    return height;
  }

  YamlNode& added(YamlNode& map, const std::string& key) {
    ++next_;
    map.kind = YamlNode::Kind::map;
    map.entries.push_back({key, map.line, map.column, {}});
    YamlNode& made = map.entries.back().value;
    made.line = map.line, made.column = map.column;
    if (next_ + 1 == parts_.size() && index_of(parts_[next_]) >= 0) {
      made.kind = YamlNode::Kind::sequence;
      for (const char* text : default_vector(key)) {
        YamlNode number;
        number.kind = YamlNode::Kind::scalar;
        number.text = text;
        number.line = map.line, number.column = map.column;
        made.items.push_back(number);
      }
    }
    return made;
  }

  YamlNode& beam() {
    next_ = 1;
    std::vector<std::string> known;
    YamlNode* bodies = entry_of(root_, "bodies");
    if (bodies && next_ < parts_.size()) {
      for (YamlNode& body : bodies->items)
        if (YamlNode* many = entry_of(body, "beams")) {
          if (YamlNode* found = named(many->items)) return *found;
          for (YamlNode& one : many->items) known.push_back(name_of_item(one));
        }
      if (YamlNode* body = named(bodies->items)) {
        if (YamlNode* one = entry_of(*body, "beam")) return *one;
        next_ = 1;
      }
      for (YamlNode& body : bodies->items)
        if (YamlNode* one = entry_of(body, "beam")) {
          known.push_back(name_of_item(body));
          if (name_of_item(*one) != parts_[1]) continue;
          next_ = 2;
          return *one;
        }
    }
    refuse_path(path_, "there is no such beam",
                known.empty() ? "a robot with beams" : one_of(known),
                parts_.size() > 1 ? nearest_name_hint(parts_[1], known) : "");
  }

  YamlNode& root_;
  const std::string& path_;
  PathParts parts_;
  std::size_t next_ = 0;
  YamlNode* other_side_ = nullptr;
};

}  // namespace

std::vector<YamlNode*> place_in(YamlNode& root, const std::string& path) {
  return Place(root, path).find();
}

std::string text_at(const YamlNode& root, const std::string& path) {
  YamlNode copy = root;
  return place_in(copy, path).front()->text;
}

}  // namespace ulna
