#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "orientation.hpp"
#include "ulna/formats/write_robot.hpp"
#include "ulna/model/joints/joint_traits.hpp"
#include "yaml/yaml_beam.hpp"
#include "yaml/yaml_element.hpp"
#include "yaml/yaml_write.hpp"

namespace ulna {

namespace {

using yaml::inertia;
using yaml::limit;
using yaml::list;
using yaml::number;
using yaml::rows;
using yaml::text;

// "{position: [...], rpy: [...]}"; empty for the identity. Angles only where they give the same
// bits.
std::string pose(const Pose<double>& X) {
  const bool placed = X.position != Vector3<double>::Zero();
  if (X.rotation == Matrix3<double>::Identity()) return placed ? list(X.position) : "";
  std::string out = "{";
  if (placed) out += "position: " + list(X.position) + ", ";
  if (const auto rpy = exact_rpy(X.rotation))
    out += "rpy: " + list(*rpy);
  else
    out += "rotation: " + rows(X.rotation);
  return out + "}";
}

class Writer {
 public:
  std::string write(const Robot& robot) {
    out_ = "# A robot file of Ulna, described in docs/robot-file.md. SI units, radians.\n";
    line("ulna: 1");
    line("name: " + text(robot.name));
    if (!robot.description.empty()) line("description: " + text(robot.description));
    line("gravity: " + list(robot.gravity));
    if (robot.loop_tolerance > 0) line("loop_tolerance: " + number(robot.loop_tolerance));
    section("bodies", robot.bodies, true);
    section("joints", robot.joints, true);
    section("constraints", robot.constraints, false);
    section("elements", robot.elements, false);
    section("frames", robot.frames, false);
    section("payloads", robot.payloads, false);
    section("postures", robot.postures, false);
    return std::move(out_);
  }

 private:
  void line(const std::string& content) { out_ += content + "\n"; }

  template <class Items>
  void section(const char* key, const Items& items, bool always) {
    if (items.empty()) {
      if (always) line(fmt::format("\n{}: []", key));
      return;
    }
    line(fmt::format("\n{}:", key));
    for (const auto& item : items) {
      line("  - name: " + text(item.name));
      write_item(item);
    }
  }

  void key(const char* name, const std::string& value) {
    if (!value.empty()) line(fmt::format("    {}: {}", name, value));
  }

  void write_item(const BodyData& body) {
    write_inertial(body.inertial);
    if (body.beams.size() == 1) key("beam", write_beam(body.beams[0], body.modal.get()));
    if (body.beams.size() > 1) line("    beams:");
    if (body.beams.size() > 1)
      for (const BeamData& beam : body.beams) line("      - " + write_beam(beam));
    if (body.geometry.empty()) return;
    line("    geometry:");
    for (const Geometry& geometry : body.geometry) write_geometry(geometry);
  }

  void write_item(const ElementData& element) { out_ += write_element(element, pose); }

  void write_item(const FrameData& frame) {
    key("body", text(frame.body));
    key("at", pose(frame.X_BF));
  }

  void write_item(const PostureData& posture) {
    line(posture.places.empty() ? "    q: {}" : "    q:");
    for (const PostureData::Place& place : posture.places)
      line(fmt::format("      {}: {}", yaml::quoted(place.joint),
                       place.values.size() == 1 ? number(place.values[0]) : list(place.values)));
  }

  void write_item(const PayloadData& payload) {
    key("body", text(payload.body));
    key("at", pose(payload.X_BL));
    write_inertial(payload.inertial);
  }

  void write_inertial(const Inertial& inertial) {
    const Inertial nothing;
    if (inertial.mass != nothing.mass) key("mass", number(inertial.mass));
    if (inertial.centre != nothing.centre) key("centre", list(inertial.centre));
    if (inertial.inertia != nothing.inertia) key("inertia", inertia(inertial.inertia));
  }

  void write_geometry(const Geometry& geometry) {
    std::string item;
    const std::string round = fmt::format("{{radius: {}, length: {}}}", number(geometry.size.x()),
                                          number(geometry.size.y()));
    switch (geometry.shape) {
      case Geometry::Shape::box:
        item = "box: " + list(geometry.size);
        break;
      case Geometry::Shape::cylinder:
        item = "cylinder: " + round;
        break;
      case Geometry::Shape::capsule:
        item = "capsule: " + round;
        break;
      case Geometry::Shape::sphere:
        item = "sphere: " + number(geometry.size.x());
        break;
      case Geometry::Shape::mesh:
        item = "mesh: " + yaml::quoted(geometry.mesh);
        if (geometry.scale != Vector3<double>::Ones())
          item = fmt::format("mesh: {{file: {}, scale: {}}}", yaml::quoted(geometry.mesh),
                             list(geometry.scale));
        break;
    }
    const std::string at = pose(geometry.X_BG);
    if (!at.empty()) item += ", at: " + at;
    if (geometry.colour) item += ", colour: " + list(*geometry.colour);
    if (geometry.use == Geometry::Use::collision) item += ", use: collision";
    line("      - {" + item + "}");
  }

  void write_item(const JointData& joint) {
    key("type", name_of(joint.type));
    key("parent", text(joint.parent));
    key("child", text(joint.child));
    key("at", pose(joint.X_PF));
    key("child_at", pose(joint.X_MC));
    const JointData standard;
    const JointTraits& traits = traits_of(joint.type);
    if (traits.keys.axis && joint.axis != standard.axis) key("axis", list(joint.axis));
    if (traits.keys.axis2) key("axis2", list(joint.axis2));
    if (traits.keys.pitch) key("pitch", number(joint.pitch));
    if (!traits.speeds.empty()) write_degrees(joint);
    if (joint.mimic)
      key("mimic",
          fmt::format("{{joint: {}, multiplier: {}, offset: {}}}", yaml::quoted(joint.mimic->joint),
                      number(joint.mimic->multiplier), number(joint.mimic->offset)));
    if (joint.cut) key("cut", "true");
    if (!joint.bushings.empty()) line("    bushings:");
    for (const BushingData& bushing : joint.bushings) write_bushing(bushing);
  }

  void write_bushing(const BushingData& bushing) {
    using Side = BushingData::Side;
    const auto hold = [](double value) {
      return value == BushingData::rigid ? std::string("rigid") : number(value);
    };
    std::string item =
        fmt::format("at: {}, stiffness: {}", number(bushing.at), hold(bushing.stiffness));
    if (bushing.on != Side::automatic)
      item += bushing.on == Side::parent ? ", on: parent" : ", on: child";
    if (bushing.tilting) item += ", tilting: " + hold(*bushing.tilting);
    if (bushing.torsion) item += ", torsion: " + hold(*bushing.torsion);
    line("      - {" + item + "}");
  }

  void write_item(const ConstraintData& constraint) {
    key("type", name_of(constraint.type));
    if (constraint.type == ConstraintData::Type::distance) {
      key("parent", text(constraint.parent));
      key("child", text(constraint.child));
      key("parent_point", list(constraint.parent_point));
      key("child_point", list(constraint.child_point));
      key("length", number(constraint.length));
      return;
    }
    line("    terms:");
    for (const ConstraintData::Term& term : constraint.terms)
      line(fmt::format("      - {{joint: {}, {}, degree: {}}}", yaml::quoted(term.joint),
                       factor_or_polynomial(term), term.degree + 1));
    key("offset", number(constraint.offset));
  }

  static std::string factor_or_polynomial(const ConstraintData::Term& term) {
    if (term.higher.empty()) return "factor: " + number(term.factor);
    std::string text = "polynomial: [" + number(term.factor);
    for (const double c : term.higher) text += ", " + number(c);
    return text + "]";
  }

  // One property of all degrees of freedom; empty where all have the default.
  static std::string per_degree(const JointData& joint, double DegreeData::*member,
                                std::string (*format)(double)) {
    std::vector<DegreeData> degrees = joint.degrees;
    degrees.resize(static_cast<std::size_t>(size_of(joint.type).speeds));
    bool all_default = true, all_same = true;
    std::string values;
    for (const DegreeData& degree : degrees) {
      all_default = all_default && degree.*member == DegreeData().*member;
      all_same = all_same && degree.*member == degrees[0].*member;
      values += (values.empty() ? "[" : ", ") + format(degree.*member);
    }
    if (all_default) return {};
    return all_same ? format(degrees[0].*member) : values + "]";
  }

  void write_degrees(const JointData& joint) {
    key("limits", group({{"lower", per_degree(joint, &DegreeData::lower, limit)},
                         {"upper", per_degree(joint, &DegreeData::upper, limit)},
                         {"velocity", per_degree(joint, &DegreeData::velocity_limit, limit)},
                         {"effort", per_degree(joint, &DegreeData::effort_limit, limit)}}));
    key("damping", per_degree(joint, &DegreeData::damping, number));
    key("friction", per_degree(joint, &DegreeData::friction, number));
    const std::string rest = per_degree(joint, &DegreeData::rest, number);
    std::string stiffness = per_degree(joint, &DegreeData::stiffness, number);
    const std::string hardening = per_degree(joint, &DegreeData::hardening, number),
                      backlash = per_degree(joint, &DegreeData::backlash, number);
    // A spring needs a stiffness to be read.
    if (stiffness.empty() && !(rest + hardening + backlash).empty()) stiffness = "0";
    key("spring", group({{"stiffness", stiffness},
                         {"rest", rest},
                         {"hardening", hardening},
                         {"backlash", backlash}}));
    key("rotor", group({{"inertia", per_degree(joint, &DegreeData::rotor_inertia, number)},
                        {"gear_ratio", per_degree(joint, &DegreeData::gear_ratio, number)}}));
  }

  // "{key: value, ...}" of those that have a value.
  static std::string group(const std::vector<std::pair<std::string, std::string>>& entries) {
    std::string out;
    for (const auto& [name, value] : entries)
      if (!value.empty()) out += (out.empty() ? "{" : ", ") + name + ": " + value;
    return out.empty() ? out : out + "}";
  }

  std::string out_;
};

}  // namespace

std::string write_robot_yaml(const Robot& robot) { return Writer().write(robot); }

}  // namespace ulna
