#pragma once
// What the XML of an SDF file says itself, beside libsdformat: the places of elements, what the
// library does not know, and what is listed as ignored. One file uses it (sdf_reader.cpp).

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <vector>

#include "ulna/model/robot.hpp"
#include "wording.hpp"
#include "xml/xml_element.hpp"

namespace ulna {

/// Elements of SDF that say nothing about mechanics, listed as ignored.
class SdfSurvey {
 public:
  SdfSurvey(XmlContext& context, pugi::xml_node root) : context_(context) { walk(root); }

  SourceMark place_of(const char* tag, const std::string& name) const {
    const auto known = places_.find({tag, own_name(name)});
    return known == places_.end() ? SourceMark{context_.lines.file()} : known->second;
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
  bool without_inertial(const std::string& link) const {
    return bare_links_.count(own_name(link)) > 0;
  }
  /// Metres a turn, of joints that say it so.
  const std::map<std::string, double>& screw_pitches() const { return pitches_; }
  struct Gearbox {
    double ratio = 1;
    std::string reference;
  };
  const std::map<std::string, Gearbox>& gearboxes() const { return gearboxes_; }
  /// Of SDF 1.11, which older libraries do not know; the leader as the file has it.
  const std::map<std::string, Mimic>& mimics() const { return mimics_; }

 private:
  /// Without the names of its models.
  static std::string own_name(const std::string& name) {
    const std::size_t scope = name.rfind("::");
    return scope == std::string::npos ? name : name.substr(scope + 2);
  }

  void walk(pugi::xml_node node) {
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
    if (!name.empty()) places_.emplace(std::pair(tag, name), element.mark());
    if (tag == "model" && first_model_.line == 0) first_model_ = element.mark();
    if (tag == "joint" && !name.empty()) joint_types_[name] = node.attribute("type").value();
    if (tag == "link" && !node.child("inertial")) bare_links_.insert(name);
    if (const pugi::xml_node pitch = node.child("screw_thread_pitch"); tag == "joint" && pitch)
      pitches_[name] = pitch.text().as_double();
    if (tag == "joint" && node.attribute("type").value() == std::string("gearbox"))
      gearboxes_[name] = {node.child("gearbox_ratio").text().as_double(1),
                          node.child("gearbox_reference_body").text().as_string()};
    if (tag == "link") note_forces(node, element);
    if (tag == "sdf") note_other_worlds(node);
    if (const pugi::xml_node mimic = node.child("axis").child("mimic"); tag == "joint" && mimic)
      add_mimic(name, mimic);
    const auto row = known.find(tag);
    if (row == known.end()) return;
    for (const pugi::xml_node child : node.children()) {
      if (child.type() != pugi::node_element) continue;
      const std::string inner = child.name();
      const std::vector<std::string>& names = row->second;
      if (std::find(names.begin(), names.end(), inner) != names.end()) {
        walk(child);
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

  /// q = multiplier (q_leader - reference) + offset
  void add_mimic(const std::string& joint, pugi::xml_node mimic) {
    Mimic read;
    read.joint = mimic.attribute("joint").value();
    read.multiplier = mimic.child("multiplier").text().as_double(1);
    read.offset = mimic.child("offset").text().as_double(0) -
                  read.multiplier * mimic.child("reference").text().as_double(0);
    mimics_[joint] = read;
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
  std::set<std::string> bare_links_;
  std::map<std::string, std::string> joint_types_;
  SourceMark first_model_;
  std::map<std::string, double> pitches_;
  std::map<std::string, Gearbox> gearboxes_;
  std::map<std::string, Mimic> mimics_;
};

}  // namespace ulna
