#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "options/degrees.hpp"
#include "options/robot_options.hpp"
#include "options/state_options.hpp"
#include "output/json_output.hpp"
#include "output/mobility_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"

namespace ulna::cli::info_detail {
namespace {

constexpr const char* examples = R"(  ulna info puma560
  ulna info arm.urdf --package arm_description=/opt/arm_description
  ulna info arm.yaml --json | jq .dof)";

// Degrees of freedom that a declared joint adds to the robot; a closing joint keeps its own number.
int degrees_of(const Model& model, const JointData& joint) {
  for (const Joint& tree : model.joints())
    if (tree.name == joint.name) return tree.speeds;
  return size_of(joint.type).speeds;
}

Json joints_json(const Model& model) {
  Json joints = Json::array();
  for (const JointData& joint : model.robot().joints) {
    Json entry = {{"name", joint.name},
                  {"type", name_of(joint.type)},
                  {"parent", joint.parent},
                  {"child", joint.child},
                  {"dof", degrees_of(model, joint)}};
    if (joint.mimic) entry["mimic"] = joint.mimic->joint;
    joints.push_back(std::move(entry));
  }
  return joints;
}

Json info_json(const Model& model) {
  Json out = json_object();
  out["name"] = model.name();
  out["dof"] = model.speeds();
  out["mass"] = model.mass();
  out["bodies"] = Json::array();
  for (const BodyData& body : model.robot().bodies) out["bodies"].push_back(body.name);
  out["joints"] = joints_json(model);
  out["loops"] = Json::array();
  for (const Loop& loop : model.loops()) out["loops"].push_back(loop.joint);
  const MobilityFindings findings = find_mobility(model);
  out["mobility"] = findings.report ? finite_dof(*findings.report) : Json();
  if (findings.concern_loops()) out["mobility_report"] = mobility_json(model, findings);
  if (!model.elements().empty()) {
    out["elements"] = Json::array();
    for (const Element& element : model.elements())
      out["elements"].push_back({{"name", element.name}, {"type", name_of(element.type)}});
  }
  out["gravity"] = to_json(model.robot().gravity);
  out["frames"] = Json::array();
  for (const FrameData& frame : model.robot().frames) out["frames"].push_back(frame.name);
  out["tip"] = model.frames()[model.tip_frame()].name;
  out["coordinates"] = model.coordinate_names();
  out["speeds"] = model.speed_names();
  // Of joints that close loops, as --q and --v take them.
  out["closing_coordinates"] = Json::array();
  out["closing_speeds"] = Json::array();
  for (const Entry& entry : closing_coordinate_entries(model))
    out["closing_coordinates"].push_back(entry.name);
  for (const Entry& entry : closing_speed_entries(model))
    out["closing_speeds"].push_back(entry.name);
  out["limits"] = {{"lower", limits_to_json(model.lower())},
                   {"upper", limits_to_json(model.upper())},
                   {"velocity", limits_to_json(model.velocity_limit())},
                   {"effort", limits_to_json(model.effort_limit())}};
  return out;
}

std::string joint_table(const Model& model) {
  std::vector<std::string> name, type, parent, child, dof, remark;
  for (const JointData& joint : model.robot().joints) {
    name.push_back(joint.name);
    type.emplace_back(name_of(joint.type));
    parent.push_back(joint.parent);
    child.push_back(joint.child);
    dof.push_back(std::to_string(degrees_of(model, joint)));
    remark.push_back(joint.mimic ? "follows " + joint.mimic->joint : "");
    for (const Loop& loop : model.loops())
      if (loop.joint == joint.name) remark.back() = "closes a loop";
  }
  return Table()
      .words("joint", name)
      .words("type", type)
      .words("parent", parent)
      .words("child", child)
      .words("dof", dof)
      .words("", remark)
      .text();
}

std::string body_table(const Model& model) {
  const auto& bodies = model.robot().bodies;
  std::vector<std::string> name;
  Eigen::VectorXd mass(bodies.size());
  Eigen::MatrixXd centre(bodies.size(), 3);
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    name.push_back(bodies[k].name);
    const Inertial inertial = inertial_of(bodies[k]);
    mass(row) = inertial.mass;
    centre.row(row) = inertial.centre.transpose();
  }
  return Table()
      .words("body", name)
      .numbers("mass kg", mass)
      .matrix({"centre x", "y", "z m"}, centre)
      .text();
}

// One row per speed. A quaternion has no limits, so only speeds with a coordinate of their own
// have.
std::string limit_table(const Model& model) {
  Eigen::VectorXd lower = Eigen::VectorXd::Constant(model.speeds(), -DegreeData::unlimited);
  Eigen::VectorXd upper = -lower;
  for (int v = 0; v < model.speeds(); ++v)
    if (const int q = model.coordinate_of_speed()[v]; q >= 0) {
      lower(v) = model.lower()(q);
      upper(v) = model.upper()(q);
    }
  return Table()
      .words("degree of freedom", model.speed_names())
      .words("unit", shown_units(speed_entries(model)))
      .numbers("lower", shown(lower, speed_entries(model)))
      .numbers("upper", shown(upper, speed_entries(model)))
      .numbers("max speed", shown(model.velocity_limit(), speed_entries(model)))
      .numbers("max effort", model.effort_limit())
      .words("unit", effort_units(model))
      .text();
}

std::string frame_table(const Model& model) {
  std::vector<std::string> name, body;
  for (const FrameData& frame : model.robot().frames) {
    name.push_back(frame.name);
    body.push_back(frame.body);
  }
  return Table().words("frame", name).words("on body", body).text();
}

std::string element_table(const Model& model) {
  std::vector<std::string> name, type, from, to;
  for (const ElementData& element : model.robot().elements) {
    const auto end = [](const ElementEnd& e) { return e.frame.empty() ? e.body : e.frame; };
    name.push_back(element.name);
    type.emplace_back(name_of(element.type));
    from.push_back(element.joint.empty() ? end(element.from) : "joint " + element.joint);
    to.push_back(element.joint.empty() ? end(element.to) : "");
  }
  return Table()
      .words("element", name)
      .words("type", type)
      .words("from", from)
      .words("to", to)
      .text();
}

std::string payload_table(const Model& model) {
  const auto& payloads = model.robot().payloads;
  std::vector<std::string> name, body;
  Eigen::VectorXd mass(payloads.size());
  for (std::size_t k = 0; k < payloads.size(); ++k) {
    name.push_back(payloads[k].name);
    body.push_back(payloads[k].body);
    mass(k) = payloads[k].inertial.mass;
  }
  return Table().words("payload", name).words("on body", body).numbers("mass kg", mass).text();
}

void print_info(const Model& model) {
  const Robot& robot = model.robot();
  const MobilityFindings mobility = find_mobility(model);
  print(heading(robot.name));
  if (!robot.description.empty()) print("  " + printable(robot.description) + "\n");
  print(fmt::format("  {} of freedom{}, {}, mass {} kg\n", counted(model.speeds(), "degree"),
                    mobility.concern_loops() ? " of the open tree" : "",
                    counted(model.coordinates(), "coordinate"), number_text(model.mass())));
  print(fmt::format("  gravity {} m/s^2\n", numbers_text(robot.gravity)));
  print(fmt::format("  tip {}\n", printable(model.frames()[model.tip_frame()].name)));
  if (!robot.joints.empty()) print("\n" + joint_table(model));
  if (mobility.concern_loops()) print("\n" + mobility_text(model, mobility));
  if (!robot.bodies.empty()) print("\n" + body_table(model));
  if (!robot.elements.empty()) print("\n" + element_table(model));
  if (!robot.payloads.empty()) print("\n" + payload_table(model));
  if (model.speeds() > 0) print("\n" + limit_table(model));
  if (!robot.frames.empty()) print("\n" + frame_table(model));
}

}  // namespace
}  // namespace ulna::cli::info_detail

namespace ulna::cli {

Command add_info(CLI::App& program) {
  auto options = std::make_shared<RobotOptions>();
  CLI::App* app = add_robot_command(program, "info", "Bodies, joints, frames and limits of a robot",
                                    info_detail::examples, *options);
  return {app, [options] {
            const Model model = load(*options);
            if (options->json)
              print_json(info_detail::info_json(model));
            else
              info_detail::print_info(model);
            return 0;
          }};
}

}  // namespace ulna::cli
