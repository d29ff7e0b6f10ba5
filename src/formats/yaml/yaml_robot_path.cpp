#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ulna/formats/internal/robot_path.hpp"
#include "ulna/formats/write_robot.hpp"
#include "ulna/model/beam.hpp"
#include "ulna/numerics/error.hpp"
#include "yaml/yaml_parts.hpp"

namespace ulna {
namespace {

using Parts = std::vector<std::string>;

constexpr std::array heads = {"bodies", "joints", "beams", "constraints", "frames", "payloads"};

[[noreturn]] void refuse_path(const std::string& path, std::string message, std::string expected) {
  throw InputError(Problem{{}, path, std::move(message), std::move(expected), {}});
}

Parts split(const std::string& path) {
  Parts parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t dot = std::min(path.find('.', begin), path.size());
    parts.push_back(path.substr(begin, dot - begin));
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

/// Walks down the tree, making what is not there.
class Place {
 public:
  Place(YamlNode& root, const std::string& path) : root_(root), path_(path), parts_(split(path)) {}

  /// One node, or the two sides of a square.
  std::vector<YamlNode*> find() {
    YamlNode* node = &root_;
    if (parts_[0] == "beams") {
      node = &beam();
    } else if (!entry_of(root_, parts_[0])) {
      refuse_path(path_, "the robot has no " + parts_[0], "a place in the robot file");
    }
    while (next_ < parts_.size())
      node = node->kind == YamlNode::Kind::sequence ? &item(*node) : &entry(*node);
    if (node->kind == YamlNode::Kind::map || node->kind == YamlNode::Kind::sequence)
      refuse_path(path_, "is not a single value", "one number or word");
    return other_side_ ? std::vector{node, other_side_} : std::vector{node};
  }

 private:
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
    static const std::string axes = "xyz";
    const std::size_t number = part.size() != 1      ? std::string::npos
                               : axes.find(part) < 3 ? axes.find(part)
                               : part >= "0" && part <= "9"
                                   ? static_cast<std::size_t>(part[0] - '0')
                                   : std::string::npos;
    if (number >= list.items.size()) {
      std::string known;
      for (YamlNode& one : list.items) known += (known.empty() ? "" : ", ") + name_of_item(one);
      refuse_path(path_, fmt::format("there is no '{}'", part),
                  list.items.empty() || name_of_item(list.items[0]).empty()
                      ? fmt::format("x, y, z or a number below {}", list.items.size())
                      : "one of " + known);
    }
    ++next_;
    return list.items[number];
  }

  YamlNode& entry(YamlNode& map) {
    const std::string& key = parts_[next_];
    if (YamlNode* found = entry_of(map, key)) {
      ++next_;
      return *found;
    }
    // A section: {tube: {...}} is meant by what it holds, and a box may be square.
    if (key == "outer" || key == "inner")
      for (YamlEntry& inner : map.entries)
        if (YamlNode* box = inner.key == "box" ? &inner.value : nullptr) {
          const std::string side = key == "outer" ? "" : "inner_";
          other_side_ = entry_of(*box, side + "width");
          YamlNode* height = entry_of(*box, side + "height");
          if (!height || !other_side_) break;
          ++next_;
          return *height;
        }
    for (YamlEntry& inner : map.entries)
      if (inner.value.kind == YamlNode::Kind::map && entry_of(inner.value, key)) return inner.value;
    if (map.kind == YamlNode::Kind::scalar)
      refuse_path(path_, fmt::format("'{}' stands where the path goes on", map.text),
                  "a place in the robot file");
    ++next_;
    map.kind = YamlNode::Kind::map;
    map.entries.push_back({key, map.line, map.column, {}});
    return map.entries.back().value;
  }

  YamlNode& beam() {
    next_ = 1;
    YamlNode* bodies = entry_of(root_, "bodies");
    if (bodies && next_ < parts_.size()) {
      for (YamlNode& body : bodies->items)
        if (YamlNode* many = entry_of(body, "beams"))
          if (YamlNode* found = named(many->items)) return *found;
      if (YamlNode* body = named(bodies->items))
        if (YamlNode* one = entry_of(*body, "beam")) return *one;
      for (YamlNode& body : bodies->items)
        if (YamlNode* one = entry_of(body, "beam"); one && name_of_item(*one) == parts_[1]) {
          next_ = 2;
          return *one;
        }
    }
    refuse_path(path_, "there is no such beam", "beams.NAME of a body or a beam");
  }

  YamlNode& root_;
  const std::string& path_;
  Parts parts_;
  std::size_t next_ = 0;
  YamlNode* other_side_ = nullptr;
};

/// A torsion constant that was given as the polar moment stays that when its section changes.
void keep_polar(const Robot& before, Robot& after) {
  const auto polar = [](const Section& s) {
    const Section numbers = numbers_of(s);
    return *numbers.Iy + *numbers.Iz;
  };
  for (std::size_t b = 0; b < after.bodies.size(); ++b)
    for (std::size_t k = 0; k < after.bodies[b].beams.size(); ++k)
      for (std::size_t i = 0; i < after.bodies[b].beams[k].sections.size(); ++i) {
        const Section& old = before.bodies[b].beams[k].sections[i];
        Section& now = after.bodies[b].beams[k].sections[i];
        const bool shaped = old.shape != Section::Shape::numbers && old.shape == now.shape;
        if (shaped && old.J && now.J && *old.J == *now.J && *old.J == polar(old))
          now.J = polar(now);
      }
}

}  // namespace

bool is_robot_path(const std::string& path) {
  const std::size_t dot = path.find('.');
  return dot != std::string::npos &&
         std::find(heads.begin(), heads.end(), path.substr(0, dot)) != heads.end();
}

Robot with_value(const Robot& robot, const std::string& path, const std::string& value) {
  YamlNode root = parse_yaml(write_robot_yaml(robot), robot.source);
  for (YamlNode* place : Place(root, path).find()) {
    place->kind = YamlNode::Kind::scalar;
    place->text = value;
  }
  try {
    Robot changed = read_robot_yaml_tree(root, robot.source, {}).robot;
    changed.source = robot.source;
    keep_polar(robot, changed);
    return changed;
  } catch (const InputError& error) {
    const Problem& first = error.problems().front();
    throw InputError(Problem{
        {}, path, fmt::format("'{}': {}", value, first.message), first.expectation, first.hint});
  }
}

}  // namespace ulna
