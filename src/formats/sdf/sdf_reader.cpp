// SDF, the format of Gazebo. libsdformat resolves poses, frames, nested models and included files;
// here links become bodies and joints, which have one frame each in SDF, joints with a frame on
// both bodies. Coordinates are zero where the file places the links.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <set>

#include "sdf/sdf_model.hpp"
#include "sdf/sdf_survey.hpp"
#include "text_file.hpp"
#include "ulna/formats/read_robot.hpp"
#include "wording.hpp"
#include "xml/xml_element.hpp"
#include "xml/xml_scan.hpp"

namespace ulna {
namespace {

class SdfReader {
 public:
  SdfReader(XmlContext& context, const SdfSurvey& survey, SdfModel model)
      : context_(context), survey_(survey), model_(std::move(model)) {}

  Robot run() {
    robot_.source = context_.lines.file();
    robot_.name = model_.name;
    if (model_.gravity) robot_.gravity = *model_.gravity;
    for (const SdfLink& link : model_.links) add_link(link);
    for (const SdfJoint& joint : model_.joints)
      if (joint.type != "gearbox") add_joint(joint);
    for (const SdfJoint& joint : model_.joints)
      if (joint.type == "gearbox") add_gearbox(joint);
    hold_the_rest();
    for (const SdfFrame& frame : model_.frames) add_frame(frame);
    context_.problems.throw_if_any();
    return std::move(robot_);
  }

 private:
  void used(const SourceMark& where, const std::string& element, std::string what) {
    context_.report.used.push_back({where, element, std::move(what)});
  }

  SourceMark place(const SourceMark& included, const char* tag, const std::string& name) const {
    return included.line > 0 ? included : survey_.place_of(tag, name);
  }

  void add_link(const SdfLink& link) {
    BodyData body;
    body.name = link.name;
    body.mark = place(link.mark, "link", link.name);
    body.inertial = link.inertial;
    body.geometry = link.shapes;
    poses_[link.name] = link.X_WL;
    group_[link.name] = link.name;
    used(body.mark, "link " + in_quotes(link.name),
         link.bare ? "body of 1 kg and 1 kg m^2 by the rule of SDF: it has no <inertial>"
                   : "body with mass");
    robot_.bodies.push_back(std::move(body));
  }

  /// One link of each group that joints hold together.
  std::string group(const std::string& link) {
    std::string at = link;
    while (at != world_name && group_[at] != at) at = group_[at];
    return at;
  }
  void join(const std::string& one, const std::string& two) {
    const std::string a = group(one), b = group(two);
    if (a == b) return;
    if (a == world_name)
      group_[b] = world_name;
    else
      group_[a] = b;
  }

  void add_joint(const SdfJoint& given) {
    const std::string element = "joint " + in_quotes(given.name);
    JointData joint;
    joint.name = given.name;
    joint.mark = place(given.mark, "joint", given.name);
    if (!read_type(given, joint)) {
      context_.problems.add(
          joint.mark, element, fmt::format("joints of type {} are not read", in_quotes(given.type)),
          "revolute, continuous, prismatic, ball, universal, revolute2, screw, gearbox or "
          "fixed");
      return;
    }
    joint.parent = given.parent;
    joint.child = given.child;
    if (joint.child == world_name) {  // the world carries, it is not carried
      context_.problems.add(joint.mark, element, "the world is its child", "a link as the child",
                            "exchange parent and child, and turn the axis about");
      return;
    }
    joint.X_PF = pose(given.parent).inverse() * given.X_WJ;
    joint.X_MC = given.X_WJ.inverse() * pose(given.child);
    joint.degrees = given.degrees;
    joint.degrees.resize(static_cast<std::size_t>(size_of(joint.type).speeds));
    if (given.mimic && joint.degrees.size() == 1) {
      joint.mimic = given.mimic;
      joint.mimic->joint = prefix_of(given) + given.mimic->joint;
    } else if (given.mimic) {
      context_.problems.add(joint.mark, element, "a joint of several degrees follows another one",
                            "<mimic> in a joint with one degree");
    }
    joint.cut = !children_.insert(joint.child).second;
    used(joint.mark, element,
         fmt::format("{} joint {} {} to {}", name_of(joint.type),
                     joint.cut ? "that closes a loop from" : "from", in_quotes(joint.parent),
                     in_quotes(joint.child)));
    join(joint.parent, joint.child);
    robot_.joints.push_back(std::move(joint));
  }

  /// The hinge between two links and its sense from the first to the second about a direction in
  /// the world; null: there is none along it.
  const SdfJoint* hinge_between(const std::string& from, const std::string& to,
                                const Vector3<double>& direction, double& sense) const {
    for (const SdfJoint& joint : model_.joints) {
      const bool along = joint.parent == from && joint.child == to;
      const bool against = joint.parent == to && joint.child == from;
      const bool turns = joint.type == "revolute" || joint.type == "continuous";
      if (!turns || !(along || against) || joint.axes.empty()) continue;
      const Vector3<double> axis = (joint.X_WJ.rotation * joint.axes[0]).normalized();
      const double cosine = axis.dot(direction.normalized());
      if (std::abs(cosine) < 1 - 1e-9) continue;
      sense = (cosine > 0) == along ? 1 : -1;
      return &joint;
    }
    return nullptr;
  }

  /// The names of the models around a joint.
  static std::string prefix_of(const SdfJoint& joint) {
    return joint.name.substr(0, joint.name.size() - joint.own_name.size());
  }

  /// theta_2 = -ratio theta_1: the turns of parent and child against the reference body, about the
  /// first and the second axis.
  void add_gearbox(const SdfJoint& given) {
    const std::string element = "joint " + in_quotes(given.name);
    const SourceMark mark = place(given.mark, "joint", given.name);
    const std::string& reference = given.gearbox_reference;
    const SdfJoint* hinges[2] = {nullptr, nullptr};
    double senses[2] = {1, 1};
    for (std::size_t k = 0; k < 2 && k < given.axes.size(); ++k)
      hinges[k] = hinge_between(reference, k == 0 ? given.parent : given.child,
                                given.X_WJ.rotation * given.axes[k], senses[k]);
    if (!hinges[0] || !hinges[1])
      return context_.problems.add(
          mark, element, "no hinges along its axes join its links to the reference body",
          "revolute joints between gearbox_reference_body and both links, along axis and axis2");
    ConstraintData constraint;
    constraint.name = given.name;
    constraint.mark = mark;
    constraint.type = ConstraintData::Type::coupling;
    constraint.terms = {{hinges[1]->name, senses[1], 0},
                        {hinges[0]->name, given.gearbox_ratio * senses[0], 0}};
    used(mark, element,
         "coupling of the joints " + in_quotes(hinges[0]->name) + " and " +
             in_quotes(hinges[1]->name));
    robot_.constraints.push_back(std::move(constraint));
  }

  bool read_type(const SdfJoint& given, JointData& joint) const {
    static const std::map<std::string, JointType> types = {
        {"revolute", JointType::revolute},   {"continuous", JointType::revolute},
        {"prismatic", JointType::prismatic}, {"ball", JointType::spherical},
        {"universal", JointType::universal}, {"revolute2", JointType::universal},
        {"screw", JointType::screw},         {"fixed", JointType::fixed}};
    const auto type = types.find(given.type);
    if (type == types.end()) return false;
    joint.type = type->second;
    if (!given.axes.empty()) joint.axis = given.axes[0];
    if (given.axes.size() > 1) joint.axis2 = given.axes[1];
    // Radians a metre of a left-handed thread, or metres a turn of a right-handed one.
    joint.pitch = -1 / given.thread_pitch;
    if (given.screw_thread_pitch) joint.pitch = *given.screw_thread_pitch / (2 * std::numbers::pi);
    return true;
  }

  /// Static models stand on the world; what nothing holds floats.
  void hold_the_rest() {
    for (const SdfLink& link : model_.links)
      if (link.fixed && group(link.name) != world_name) hold(link, JointType::fixed);
    for (const bool roots_only : {true, false})
      for (const SdfLink& link : model_.links)
        if (group(link.name) != world_name && !(roots_only && children_.count(link.name)))
          hold(link, JointType::free);
  }

  void hold(const SdfLink& link, JointType type) {
    JointData joint;
    joint.name = "world_to_" + link.name;
    joint.type = type;
    joint.child = link.name;
    joint.X_PF = link.X_WL;
    joint.degrees.resize(static_cast<std::size_t>(size_of(type).speeds));
    joint.mark = place(link.mark, "link", link.name);
    used(joint.mark, "link " + in_quotes(link.name),
         fmt::format("{} by joint {}",
                     type == JointType::free ? "floats: held" : "static: fixed to the world",
                     in_quotes(joint.name)));
    join(world_name, link.name);
    robot_.joints.insert(robot_.joints.begin(), std::move(joint));
  }

  void add_frame(const SdfFrame& given) {
    FrameData frame;
    frame.name = given.name;
    frame.body = given.link;
    frame.X_BF = pose(given.link).inverse() * given.X_WF;
    frame.mark = place(given.mark, "frame", given.name);
    used(frame.mark, "frame " + in_quotes(frame.name), "frame on " + in_quotes(frame.body));
    robot_.frames.push_back(std::move(frame));
  }

  Pose<double> pose(const std::string& link) const {
    const auto known = poses_.find(link);
    return known == poses_.end() ? Pose<double>() : known->second;
  }

  XmlContext& context_;
  const SdfSurvey& survey_;
  SdfModel model_;
  Robot robot_;
  std::map<std::string, Pose<double>> poses_;
  std::map<std::string, std::string> group_;
  std::set<std::string> children_;
};

/// What is ignored in a file that the model includes.
void survey_included(XmlContext& main, const std::string& file) {
  const std::string text = read_text_file(file, largest_xml);
  const LineIndex lines(text, file);
  pugi::xml_document document;
  if (!document.load_buffer(text.data(), text.size())) return;  // libsdformat has read it
  XmlContext context{lines, main.options, {}, {}, {}, {}};
  const SdfSurvey survey(context, document.document_element());
  context.problems.throw_if_any();
  const std::filesystem::path path(file);
  for (ImportNote& note : context.report.ignored) {
    note.element = (path.parent_path().filename() / path.filename()).string() + ", " + note.element;
    main.report.ignored.push_back(std::move(note));
  }
}

}  // namespace

ReadResult read_sdf_text(const std::string& text, const std::string& file_name,
                         const ReadOptions& options) {
  check_text(text, file_name, largest_xml);
  const LineIndex lines(text, file_name);
  scan_xml(text, lines);
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed)
    throw InputError(Problem{lines.mark(static_cast<std::size_t>(parsed.offset)),
                             {},
                             fmt::format("not valid XML: {}", parsed.description()),
                             {},
                             {}});
  if (outermost_element(text) != "sdf")
    throw InputError(Problem{{file_name, 1, 1},
                             {},
                             fmt::format("the outermost element is <{}>", outermost_element(text)),
                             "an SDF file, which begins with <sdf>",
                             {}});
  XmlContext context{lines, options, {}, {}, {}, {}};
  const SdfSurvey survey(context, document.document_element());
  ReadResult result;
  try {
    SdfModel model = load_sdf(text, file_name);
    for (const std::string& file : model.included) survey_included(context, file);
    result.robot = SdfReader(context, survey, std::move(model)).run();
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems)
      if (problem.where.file == file_name && problem.where.line == 0)
        problem.where = survey.place_in_message(problem.message);
    throw InputError(std::move(problems));
  }
  result.report = std::move(context.report);
  if (options.strict) refuse_losses(result.report);
  return result;
}

}  // namespace ulna
