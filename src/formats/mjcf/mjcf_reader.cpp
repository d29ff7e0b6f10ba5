#include <fmt/format.h>

#include "mjcf/mjcf_document.hpp"
#include "mjcf/mjcf_parts.hpp"
#include "text_file.hpp"
#include "ulna/formats/read_robot.hpp"
#include "wording.hpp"

namespace ulna {
namespace {

/// What stretches or bends between bodies acts on them.
void refuse_elastic_flexes(MjcfContext& context, pugi::xml_node root) {
  for (const pugi::xml_node section : root.children("deformable"))
    for (const pugi::xml_node flex : section.children("flex"))
      for (const pugi::xml_node part : flex.children()) {
        const XmlElement element = context.element(part);
        for (const char* force : {"young", "stiffness", "damping"})
          if (part.attribute(force) && element.number(force, 0) != 0)
            return context.element(flex).complain(
                fmt::format("the {} of a <flex> is not read", force),
                "bodies that joints and equalities hold");
      }
}

}  // namespace

ReadResult read_mjcf_text(const std::string& text, const std::string& file_name,
                          const ReadOptions& options) {
  const MjcfDocument document(text, file_name);
  const pugi::xml_node root = document.root();
  const LineIndex lines(text, file_name);
  MjcfContext context(lines, options);
  context.robot.source = file_name;
  context.robot.name = root.attribute("model").value();
  if (context.robot.name.empty()) context.robot.name = "mujoco_model";

  static const std::set<std::string> read = {"compiler",  "option",   "asset",
                                             "worldbody", "equality", "tendon",
                                             "actuator",  "default",  "keyframe"};
  std::vector<std::string> known(read.begin(), read.end());
  for (const char* bystander : {"size", "statistic", "visual", "contact", "sensor", "custom",
                                "extension", "deformable", "include"})
    known.emplace_back(bystander);
  for (const pugi::xml_node section : root.children())
    if (section.type() == pugi::node_element && !read.count(section.name()))
      refuse_misspelt(context.element(section), known);

  read_mjcf_settings(context, root);
  if (!root.child("worldbody"))
    context.element(root).complain("there is no <worldbody>", "a <worldbody> with bodies");
  read_mjcf_bodies(context, root.child("worldbody"));
  read_mjcf_actuators(context, root);  // their inertia counts in springdamper
  apply_mjcf_spring_dampers(context);
  read_mjcf_equalities(context, root);
  read_mjcf_keyframes(context, root);
  refuse_elastic_flexes(context, root);
  if (context.robot.bodies.empty())
    context.element(root).complain("there is no <body>", "at least one body");
  context.problems.throw_if_any();
  context.write_tallies();

  ReadResult result{std::move(context.robot), std::move(context.report)};
  if (options.strict) refuse_losses(result.report);
  return result;
}

}  // namespace ulna
