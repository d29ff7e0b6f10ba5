#include "mjcf/mjcf_attach.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <string_view>

#include "mjcf/mjcf_document.hpp"
#include "text_file.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

namespace fs = std::filesystem;

constexpr int deepest_model = 8;
constexpr int most_attached = 200'000;  ///< elements

[[noreturn]] void refuse_attach(pugi::xml_node at, std::string message, std::string expectation,
                                std::string hint = {}) {
  throw InputError(
      Problem{{at.attribute(file_attribute).value(), at.attribute(line_attribute).as_int()},
              "<attach>",
              std::move(message),
              std::move(expectation),
              std::move(hint)});
}

/// The last value that a <compiler> gives.
std::string setting(pugi::xml_node root, const char* name) {
  std::string value;
  for (const pugi::xml_node compiler : root.children("compiler"))
    if (const pugi::xml_attribute given = compiler.attribute(name)) value = given.value();
  return value;
}

/// Attributes that hold the name of an element, its own or another's.
constexpr const char* names_of_elements[] = {
    "name",    "joint",   "joint1", "joint2",  "jointinparent", "body",       "body1",   "body2",
    "site",    "site1",   "site2",  "refsite", "cranksite",     "slidersite", "geom",    "tendon",
    "tendon1", "tendon2", "mesh",   "hfield",  "sidesite",      "target",     "material"};

bool is_element(pugi::xml_node node) { return node.type() == pugi::node_element; }

/// Names with their kind, as "joint hip"; the same joint is named by several attributes.
std::string kind_of(std::string_view attribute) {
  while (!attribute.empty() && (attribute.back() == '1' || attribute.back() == '2'))
    attribute.remove_suffix(1);
  if (attribute == "jointinparent") return "joint";
  return std::string(attribute.ends_with("site") ? "site" : attribute);
}

class Attachments {
 public:
  Attachments(pugi::xml_node root, const std::string& main_file, int depth)
      : root_(root), folder_(fs::path(main_file).parent_path()), depth_(depth) {}

  void expand(pugi::xml_node node) {
    for (pugi::xml_node child = node.first_child(); child;) {
      const pugi::xml_node next = child.next_sibling();
      if (child.name() == std::string_view("attach"))
        insert(child, node);
      else if (child.name() != std::string_view("asset"))
        expand(child);
      child = next;
    }
  }

 private:
  void insert(pugi::xml_node attach, pugi::xml_node parent) {
    if (depth_ >= deepest_model)
      refuse_attach(attach, "models attach models without end",
                    fmt::format("at most {} models in each other", deepest_model));
    const std::string path = file_of(attach);
    std::string text;
    try {
      text = read_text_file(path, largest_xml);
    } catch (const InputError&) {
      refuse_attach(attach, fmt::format("the model {} cannot be read", in_quotes(path)),
                    "a file beside the model", "paths are relative to the folder of the main file");
    }
    const MjcfDocument document(text, path, depth_ + 1);
    const pugi::xml_node model = document.root();
    compare_settings(attach, model);
    prefix_ = attach.attribute("prefix").value();
    model_folder_ = fs::path(path).parent_path();
    known_.clear();
    const std::string body = attach.attribute("body").value();
    const pugi::xml_node world = model.child("worldbody");
    if (body.empty()) {
      for (const pugi::xml_node child : world.children())
        if (is_element(child)) place(child, attach, parent);
    } else if (const pugi::xml_node found = find_body(world, body)) {
      place(found, attach, parent);
    } else {
      refuse_attach(attach, "the model has no body " + in_quotes(body), "a body of the model");
    }
    add_section(model, "asset", true);
    for (const char* section : {"tendon", "equality", "actuator"})
      add_section(model, section, false);
    parent.remove_child(attach);
  }

  std::string file_of(pugi::xml_node attach) const {
    const std::string wanted = attach.attribute("model").value();
    for (const pugi::xml_node model : root_.child("asset").children("model")) {
      const std::string file = model.attribute("file").value();
      const std::string name = model.attribute("name").value();
      if (file.empty() || (name.empty() ? fs::path(file).stem().string() : name) != wanted)
        continue;
      return (folder_ / file).lexically_normal().string();
    }
    refuse_attach(attach, "there is no model " + in_quotes(wanted),
                  "a <model name=\"...\" file=\"...\"/> of <asset>");
  }

  /// Elements of both models stand in one tree and are read by the settings of the outer one.
  void compare_settings(pugi::xml_node attach, pugi::xml_node model) const {
    for (const char* name :
         {"angle", "eulerseq", "autolimits", "inertiafromgeom", "inertiagrouprange", "boundmass",
          "boundinertia", "balanceinertia", "exactmeshinertia", "fitaabb"}) {
      const auto said = [&](pugi::xml_node root) {
        const std::string value = setting(root, name);
        const bool degrees = name == std::string_view("angle") && value.empty();
        return degrees ? std::string("degree") : value;
      };
      if (said(root_) == said(model)) continue;
      refuse_attach(attach,
                    fmt::format("the models differ in {} of <compiler>: {} here, {} there", name,
                                in_quotes(said(root_)), in_quotes(said(model))),
                    "the same <compiler> in both models",
                    "let MuJoCo save one of them with the settings of the other");
    }
  }

  static pugi::xml_node find_body(pugi::xml_node node, const std::string& name) {
    for (const pugi::xml_node child : node.children()) {
      if (!is_element(child)) continue;
      if (child.name() == std::string_view("body") && child.attribute("name").value() == name)
        return child;
      if (const pugi::xml_node found = find_body(child, name)) return found;
    }
    return {};
  }

  void place(pugi::xml_node from, pugi::xml_node attach, pugi::xml_node parent) {
    remember(from);
    finish(parent.insert_copy_before(from, attach));
  }

  void remember(pugi::xml_node node) {
    if (!is_element(node)) return;
    std::string kind = node.name();
    if (kind == "freejoint") kind = "joint";
    if (const pugi::xml_attribute name = node.attribute("name"))
      known_.insert(kind + " " + name.value());
    for (const pugi::xml_node child : node.children()) remember(child);
  }

  /// Names get the prefix; defaults are those of the model it comes from.
  void finish(pugi::xml_node node) {
    if (!is_element(node)) return;
    if (++attached_ > most_attached)
      refuse_attach(node, fmt::format("more than {} elements are attached", most_attached),
                    "a smaller model");
    for (const char* attribute : names_of_elements)
      if (pugi::xml_attribute given = node.attribute(attribute))
        given = (prefix_ + given.value()).c_str();
    for (const char* attribute : {"class", "childclass"}) node.remove_attribute(attribute);
    if (!node.attribute(complete_attribute)) node.append_attribute(complete_attribute) = "1";
    for (const pugi::xml_node child : node.children()) finish(child);
  }

  /// Whether all that an element of a section names is part of what was attached.
  bool concerns(pugi::xml_node node) const {
    for (const pugi::xml_attribute attribute : node.attributes()) {
      const std::string name = attribute.name();
      bool names = false;
      for (const char* known : names_of_elements) names = names || name == known;
      if (names && name != "name" && name != "material" &&
          !known_.count(kind_of(name) + " " + attribute.value()))
        return false;
    }
    for (const pugi::xml_node child : node.children())
      if (is_element(child) && !concerns(child)) return false;
    return true;
  }

  void add_section(pugi::xml_node model, const char* section, bool all) {
    for (const pugi::xml_node item : model.child(section).children()) {
      if (!is_element(item) || item.name() == std::string_view("model")) continue;
      if (!all && !concerns(item)) continue;
      if (section == std::string_view("tendon"))
        known_.insert("tendon " + std::string(item.attribute("name").value()));
      pugi::xml_node target = root_.child(section);
      if (!target) target = root_.append_child(section);
      pugi::xml_node copy = target.append_copy(item);
      if (item.name() == std::string_view("mesh")) place_mesh(copy, model);
      finish(copy);
    }
  }

  /// The folder of its own model, and a name of its own.
  void place_mesh(pugi::xml_node mesh, pugi::xml_node model) const {
    pugi::xml_attribute file = mesh.attribute("file");
    if (!file) return;
    if (!mesh.attribute("name"))
      mesh.append_attribute("name") = fs::path(file.value()).stem().string().c_str();
    std::string folder = setting(model, "meshdir");
    if (folder.empty()) folder = setting(model, "assetdir");
    file = fs::absolute(model_folder_ / folder / file.value()).lexically_normal().string().c_str();
  }

  pugi::xml_node root_;
  fs::path folder_, model_folder_;
  int depth_, attached_ = 0;
  std::string prefix_;
  std::set<std::string> known_;  ///< "joint hip", of what was attached last
};

}  // namespace

void expand_mjcf_attachments(pugi::xml_node root, const std::string& main_file, int depth) {
  Attachments attachments(root, main_file, depth);
  for (const pugi::xml_node world : root.children("worldbody")) attachments.expand(world);
}

}  // namespace ulna
