#include "mjcf/mjcf_defaults.hpp"

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "mjcf/mjcf_attach.hpp"
#include "mjcf/mjcf_document.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

using Attributes = std::map<std::string, std::string>;
using MjcfClass = std::map<std::string, Attributes>;  ///< by the tag of the element

/// Ways to say one thing: an element that uses one of them takes none of the others from its class.
const std::set<std::string>& alternatives_to(const std::string& attribute) {
  static const std::set<std::string> turns = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
  static const std::set<std::string> none;
  return turns.count(attribute) ? turns : none;
}

/// All actuators share one record of defaults; so do hinges and free joints not.
std::string record_of(const std::string& tag) {
  static const std::set<std::string> actuators = {"motor",    "position", "velocity", "intvelocity",
                                                  "cylinder", "damper",   "adhesion", "muscle",
                                                  "general",  "plugin",   "dcmotor"};
  if (actuators.count(tag)) return "general";
  static const std::set<std::string> equalities = {"connect", "weld", "flex", "flexvert"};
  return equalities.count(tag) ? "equality" : tag;
}

/// Of a list of numbers an element may give the first ones only; the others are those of its class.
std::string completed(const std::string& attribute, const std::string& given,
                      const std::string& of_class) {
  if (attribute != "size" && attribute != "polycoef") return given;
  std::istringstream own(given), others(of_class);
  std::string all = given, word;
  for (std::string other; others >> other;)
    if (!(own >> word)) all += " " + other;
  return all;
}

bool hidden(std::string_view attribute) { return attribute.starts_with('@'); }

SourceMark place(pugi::xml_node node) {
  return {node.attribute(file_attribute).value(), node.attribute(line_attribute).as_int()};
}

class Defaults {
 public:
  Defaults(pugi::xml_node root, Problems& problems) : problems_(problems) {
    for (pugi::xml_node node : root.children("default")) read(node, {}, true);
    while (root.remove_child("default")) {
    }
  }

  void apply(pugi::xml_node node, const std::string& around, const std::string& section) {
    for (pugi::xml_node child : node.children()) {
      if (child.type() != pugi::node_element || child.attribute(complete_attribute)) continue;
      const std::string tag = child.name();
      const std::string of_children = child.attribute("childclass").value();
      const bool container = tag == "body" || tag == "worldbody" || tag == "frame";
      if (!container) fill(child, tag, around, section);
      if (!of_children.empty()) find(of_children, child);
      apply(child, of_children.empty() ? around : of_children, container ? "body" : tag);
    }
  }

 private:
  void read(pugi::xml_node node, const MjcfClass& inherited, bool outermost) {
    std::string name = node.attribute("class").value();
    if (name.empty() && outermost) name = main_;
    if (name.empty()) {
      problems_.add(place(node), "default", "a nested <default> has no class", "class=\"name\"");
      return;
    }
    if (outermost) main_ = name;
    MjcfClass own = classes_.count(name) ? classes_[name] : inherited;
    for (const pugi::xml_node element : node.children()) {
      if (element.type() != pugi::node_element || element.name() == std::string("default"))
        continue;
      merge(element, own[record_of(element.name())]);
    }
    classes_[name] = own;
    for (const pugi::xml_node inner : node.children("default")) read(inner, own, false);
  }

  static void merge(pugi::xml_node element, Attributes& record) {
    for (const pugi::xml_attribute attribute : element.attributes()) {
      if (hidden(attribute.name())) continue;
      for (const std::string& other : alternatives_to(attribute.name())) record.erase(other);
      std::string& value = record[attribute.name()];
      value = completed(attribute.name(), attribute.value(), value);
    }
  }

  const MjcfClass* find(const std::string& name, pugi::xml_node user) {
    const auto found = classes_.find(name);
    if (found != classes_.end()) return &found->second;
    std::vector<std::string> names;
    for (const auto& [known, record] : classes_) names.push_back(known);
    problems_.add(place(user), "<" + std::string(user.name()) + ">",
                  "there is no default class " + in_quotes(name), "a class of <default>",
                  nearest_name_hint(name, names));
    return nullptr;
  }

  void fill(pugi::xml_node element, const std::string& tag, const std::string& around,
            const std::string& section) {
    const std::string asked = element.attribute("class").value();
    const std::string& name = !asked.empty() ? asked : !around.empty() ? around : main_;
    if (asked.empty() && around.empty() && !classes_.count(main_)) return;
    const MjcfClass* record = find(name, element);
    if (!record) return;
    // <joint> of a tendon or an equality is no joint of a body.
    const std::string key = section == "body" || section == "asset" || section == "actuator"
                                ? record_of(tag)
                            : section == "equality" ? "equality"
                            : section == "tendon"   ? "tendon"
                                                    : std::string();
    const auto found = record->find(key);
    if (found == record->end()) return;
    for (const auto& [attribute, value] : found->second) {
      if (pugi::xml_attribute own = element.attribute(attribute.c_str())) {
        own = completed(attribute, own.value(), value).c_str();
        continue;
      }
      bool replaced = false;
      for (const std::string& other : alternatives_to(attribute))
        replaced = replaced || element.attribute(other.c_str());
      if (!replaced) element.append_attribute(attribute.c_str()) = value.c_str();
    }
  }

  Problems& problems_;
  std::string main_ = "main";
  std::map<std::string, MjcfClass> classes_;
};

}  // namespace

void apply_mjcf_defaults(pugi::xml_node root, Problems& problems) {
  Defaults defaults(root, problems);
  for (pugi::xml_node section : root.children())
    if (section.type() == pugi::node_element)
      defaults.apply(section, section.attribute("childclass").value(),
                     section.name() == std::string("worldbody") ? "body" : section.name());
}

}  // namespace ulna
