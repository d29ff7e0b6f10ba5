#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "ulna/formats/read_robot.hpp"
#include "urdf/urdf_parts.hpp"
#include "urdf/urdf_tree.hpp"
#include "wording.hpp"
#include "xml/xml_scan.hpp"

namespace ulna {

namespace {

[[noreturn]] void refuse(SourceMark where, std::string message, std::string expectation,
                         std::string hint = {}) {
  throw InputError(
      Problem{std::move(where), {}, std::move(message), std::move(expectation), std::move(hint)});
}

void refuse_xacro(SourceMark where) {
  refuse(std::move(where), "this is a xacro file, a URDF still to be expanded", "a plain URDF",
         "--xacro NAME:=VALUE lets the program xacro expand it (--xacro '' without arguments), or "
         "expand it first: xacro robot.urdf.xacro > robot.urdf");
}

SourceMark mark_of(pugi::xml_node node, const LineIndex& lines) {
  return lines.mark(static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug() - 1, 0)));
}

pugi::xml_node find_robot(const pugi::xml_document& document, const LineIndex& lines) {
  const pugi::xml_node root = document.document_element();
  const std::string name = root.name();
  const SourceMark where = mark_of(root, lines);
  if (name == "robot") return root;
  if (name == "sdf" || name == "mujoco")
    refuse(where, fmt::format("this is {} file", name == "sdf" ? "an SDF" : "a MuJoCo"),
           "a URDF, which begins with <robot>", "convert it to URDF first");
  refuse(where, fmt::format("the outermost element is <{}>", name),
         "a URDF, which begins with <robot>");
}

template <class Items>
void refuse_duplicates(const Items& items, const char* what, Problems& problems) {
  std::map<std::string, int> first_line;
  for (const auto& item : items) {
    const auto [place, fresh] = first_line.emplace(item.name, item.mark.line);
    if (!fresh && !item.name.empty())
      problems.add(item.mark, fmt::format("{} {}", what, in_quotes(item.name)),
                   fmt::format("the name is taken by the {} on line {}", what, place->second),
                   "names that differ");
  }
}

// A root called "world" is the world; any other root is fixed to it.
void attach_root(Robot& robot, const std::string& root, XmlContext& context) {
  const auto link = std::find_if(robot.bodies.begin(), robot.bodies.end(),
                                 [&](const BodyData& body) { return body.name == root; });
  if (root == world_name) {
    if (link->inertial.mass != 0 || !link->inertial.inertia.isZero(0))
      context.report.ignored.push_back(
          {link->mark, "link 'world'", "<inertial> ignored: the world does not move"});
    if (!link->geometry.empty())
      context.report.ignored.push_back(
          {link->mark, "link 'world'", "<visual> and <collision> ignored: the world has no shape"});
    robot.bodies.erase(link);
    return;
  }
  JointData weld;
  weld.name = "world_to_" + root;
  const auto taken = [&] {
    return std::any_of(robot.joints.begin(), robot.joints.end(),
                       [&](const JointData& joint) { return joint.name == weld.name; });
  };
  while (taken()) weld.name += "_";
  weld.child = root;
  weld.mark = link->mark;
  context.report.used.push_back(
      {link->mark, "link " + in_quotes(root),
       fmt::format("root, fixed to the world by joint {}", in_quotes(weld.name))});
  robot.joints.insert(robot.joints.begin(), std::move(weld));
}

Robot read_elements(XmlContext& context, pugi::xml_node node) {
  Robot robot;
  robot.source = context.lines.file();
  robot.name = node.attribute("name").value();
  const XmlElement element(context, node, "robot " + in_quotes(robot.name));
  element.needed_text("name");
  element.expect({"name", "version"}, {},
                 {"link", "joint", "material", "loop_joint", "drake:joint", "drake:ball_constraint",
                  "constraint"});
  read_urdf_materials(context, element);
  for (const pugi::xml_node link : node.children("link"))
    robot.bodies.push_back(read_urdf_link(
        context, {context, link, "link " + in_quotes(link.attribute("name").value())}));
  for (const pugi::xml_node joint : node.children("joint"))
    robot.joints.push_back(
        read_urdf_joint({context, joint, "joint " + in_quotes(joint.attribute("name").value())}));
  for (const pugi::xml_node joint : node.children("drake:joint"))
    robot.joints.push_back(read_drake_joint(
        {context, joint, "drake:joint " + in_quotes(joint.attribute("name").value())}));
  read_drake_rotors(context, node, robot);
  refuse_duplicates(robot.bodies, "link", context.problems);
  refuse_duplicates(robot.joints, "joint", context.problems);
  if (robot.bodies.empty())
    element.complain("there is no <link>", "at least one link");
  else if (const std::string root = hang_urdf_tree(robot, context); !root.empty()) {
    std::vector<JointData> loops = read_urdf_loops(context, node, robot);
    attach_root(robot, root, context);
    std::move(loops.begin(), loops.end(), std::back_inserter(robot.joints));
  }
  for (const auto& [package, count] : context.unresolved_packages)
    context.report.used.push_back(
        {element.mark(), "package " + in_quotes(package),
         fmt::format("folder not known, {} mesh names kept as written; --package {}=FOLDER "
                     "resolves them",
                     count, package)});
  return robot;
}

}  // namespace

ReadResult read_urdf_text(const std::string& text, const std::string& file_name,
                          const ReadOptions& options) {
  check_text(text, file_name, largest_xml);
  const LineIndex lines(text, file_name);
  if (file_name.ends_with(".xacro")) refuse_xacro({file_name});
  scan_xml(text, lines);

  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (parsed.status == pugi::status_no_document_element)
    refuse({file_name}, "there is no XML element", "a URDF, which begins with <robot>");
  if (!parsed)
    refuse(lines.mark(static_cast<std::size_t>(parsed.offset)),
           fmt::format("not valid XML: {}", parsed.description()), {});
  const pugi::xml_node xacro = document.find_node(
      [](pugi::xml_node node) { return std::string_view(node.name()).starts_with("xacro:"); });
  if (xacro) refuse_xacro(mark_of(xacro, lines));

  XmlContext context{lines, options, {}, {}, {}, {}};
  ReadResult result;
  result.robot = read_elements(context, find_robot(document, lines));
  context.problems.throw_if_any();
  result.report = std::move(context.report);
  if (options.strict) refuse_losses(result.report);
  return result;
}

}  // namespace ulna
