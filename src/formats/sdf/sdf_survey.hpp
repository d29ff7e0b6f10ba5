#pragma once
// What the XML of an SDF file says itself, beside libsdformat: the places of elements and what is
// listed as ignored, also of included files. One file uses it (sdf_reader.cpp).

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "wording.hpp"
#include "xml/xml_element.hpp"

namespace ulna {

/// Elements of SDF that say nothing about mechanics, listed as ignored.
class SdfSurvey {
 public:
  SdfSurvey(XmlContext& context, pugi::xml_node root) : context_(context) { walk(root, ""); }

  SourceMark place_of(const char* tag, const std::string& name) const {
    for (const std::string& each : {name, own_name(name)})
      if (const auto known = places_.find({tag, each}); known != places_.end())
        return known->second;
    return {context_.lines.file()};
  }
  /// Where the element stands that a message of libsdformat is about, which names it and has no
  /// line; the first model where it names none.
  SourceMark place_in_message(const std::string& message) const {
    SourceMark best{context_.lines.file()};
    std::size_t at = std::string::npos;
    for (const auto& [key, mark] : places_)
      for (const std::string& words :
           {fmt::format("name[{}]", key.second), fmt::format("named {} ", key.second),
            fmt::format("type of {} ", joint_types_.count(key.second) ? joint_types_.at(key.second)
                                                                      : std::string("?"))})
        if (const std::size_t found = message.find(words); key.first != "model" && found < at)
          at = found, best = mark;
    return best.line > 0 ? best : first_model_;
  }

 private:
  /// Without the names of its models.
  static std::string own_name(const std::string& name) {
    const std::size_t scope = name.rfind("::");
    return scope == std::string::npos ? name : name.substr(scope + 2);
  }

  /// `scope` has the names of the models around an element, the outermost first.
  void walk(pugi::xml_node node, const std::string& scope) {
    static const std::vector<std::string> axis = {"xyz", "use_parent_model_frame", "limit",
                                                  "dynamics", "mimic"};
    static const std::map<std::string, std::vector<std::string>> known = {
        {"sdf", {"model", "world"}},
        {"world", {"model", "gravity", "include", "frame"}},
        {"model",
         {"link", "joint", "frame", "pose", "static", "model", "include", "self_collide",
          "allow_auto_disable", "enable_wind"}},
        {"link",
         {"pose", "inertial", "visual", "collision", "gravity", "self_collide", "kinematic",
          "must_be_base_link", "velocity_decay", "enable_wind"}},
        {"joint",
         {"parent", "child", "pose", "axis", "axis2", "thread_pitch", "screw_thread_pitch",
          "gearbox_ratio", "gearbox_reference_body"}},
        {"axis", axis},
        {"axis2", axis},
        {"limit", {"lower", "upper", "effort", "velocity", "stiffness", "dissipation"}},
        {"dynamics", {"damping", "friction", "spring_reference", "spring_stiffness"}},
        {"inertial", {"pose", "mass", "inertia"}},
        {"inertia", {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}}};
    const std::string tag = node.name(), name = node.attribute("name").value();
    const XmlElement element(context_, node,
                             name.empty() ? "<" + tag + ">" : tag + " " + in_quotes(name));
    if (!name.empty()) note_place(tag, scope, name, element.mark());
    if (tag == "model" && first_model_.line == 0) first_model_ = element.mark();
    if (tag == "joint" && !name.empty()) joint_types_[name] = node.attribute("type").value();
    if (tag == "link") note_forces(node, element);
    if (tag == "sdf") note_other_worlds(node);
    const auto row = known.find(tag);
    if (row == known.end()) return;
    for (const pugi::xml_node child : node.children()) {
      if (child.type() != pugi::node_element) continue;
      const std::string inner = child.name();
      const std::vector<std::string>& names = row->second;
      if (std::find(names.begin(), names.end(), inner) != names.end()) {
        walk(child, tag == "model" ? scope + name + "::" : scope);
        continue;
      }
      const std::string hint = nearest_name_hint(inner, names);
      XmlElement(context_, child, element.about())
          .note_ignored(fmt::format("<{}> ignored: {}", inner,
                                    hint.empty() ? "not part of the mechanics" : hint));
    }
  }

  /// What changes the motion of a link in Gazebo and has no counterpart here.
  static void note_forces(pugi::xml_node link, const XmlElement& element) {
    if (const pugi::xml_node gravity = link.child("gravity"); gravity && !gravity.text().as_bool())
      element.note_ignored("<gravity> ignored: gravity acts on all bodies alike");
    if (link.child("enable_wind").text().as_bool())
      element.note_ignored("<enable_wind> ignored: forces of the air are not modelled");
    if (link.child("kinematic").text().as_bool())
      element.note_ignored("<kinematic> ignored: forces move all bodies; a drive leads a joint");
    for (const char* kind : {"linear", "angular"})
      if (link.child("velocity_decay").child(kind).text().as_double() != 0)
        element.note_ignored(
            fmt::format("<velocity_decay> {} ignored: dampers act in joints", kind));
    if (link.child("inertial").attribute("auto").as_bool())
      element.complain("the inertia is left to be computed from collisions (auto)",
                       "mass and inertia as numbers",
                       "a newer libsdformat writes them: gz sdf --print --expand-auto-inertials");
  }

  /// By its name with those of its models, with and without the outermost, and by its own.
  void note_place(const std::string& tag, const std::string& scope, const std::string& name,
                  const SourceMark& mark) {
    const std::size_t outermost = scope.find("::");
    const std::string inner = outermost == std::string::npos ? "" : scope.substr(outermost + 2);
    for (const std::string& around : {scope, inner, std::string()})
      places_.emplace(std::pair(tag, around + name), mark);
  }

  /// One world is read, with all its models; without a world the model.
  void note_other_worlds(pugi::xml_node sdf) {
    for (pugi::xml_node world = sdf.child("world").next_sibling("world"); world;
         world = world.next_sibling("world"))
      XmlElement(context_, world, "world " + in_quotes(world.attribute("name").value()))
          .note_ignored("ignored: one world is read, the first");
  }

  XmlContext& context_;
  std::map<std::pair<std::string, std::string>, SourceMark> places_;
  std::map<std::string, std::string> joint_types_;
  SourceMark first_model_;
};

}  // namespace ulna
