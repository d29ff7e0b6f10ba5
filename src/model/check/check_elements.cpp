// Springs, dampers, actuators and bushings.

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>

#include "check/findings.hpp"
#include "ulna/model/parts/force_formula.hpp"

namespace ulna {
namespace {

class ElementCheck {
 public:
  ElementCheck(Findings& found, const ElementData& data)
      : found_(found),
        data_(data),
        element_(fmt::format("{} '{}'", name_of(data.type), data.name)) {}

  void run() {
    using Type = ElementData::Type;
    if (data_.joint.empty())
      check_ends();
    else
      check_joint();
    if (data_.type == Type::spring_damper || data_.type == Type::torsion) check_law();
    if (data_.type == Type::actuator) check_actuator();
    if (data_.type == Type::bushing) check_bushing();
    if (data_.any_axis) check_any_axis();
    if (data_.type == Type::torsion && data_.joint.empty() &&
        (!data_.axis.allFinite() || data_.axis.norm() < 1e-9))
      say("the axis has no direction", "a vector that is not zero");
  }

 private:
  void say(const std::string& message, const std::string& expectation,
           const std::string& hint = {}) {
    found_.say(data_.mark, element_, message, expectation, hint);
  }

  /// The body an end is on; empty when there is none.
  std::string body_of(const ElementEnd& end) {
    if (end.frame.empty()) {
      found_.require_body(data_.mark, element_, end.body);
      found_.require_pose(data_.mark, element_, end.X_BE);
      return end.body;
    }
    std::set<std::string> names = found_.body_names;
    for (const FrameData& frame : found_.robot.frames) {
      if (frame.name == end.frame) return frame.body;
      names.insert(frame.name);
    }
    if (found_.body_names.count(end.frame)) return end.frame;
    found_.say_reference(data_.mark, element_,
                         fmt::format("there is no frame or body '{}'", end.frame),
                         "the name of a frame or body", found_.hint(end.frame, names));
    return {};
  }

  void check_ends() {
    const std::string from = body_of(data_.from), to = body_of(data_.to);
    bool apart = from != to;
    for (const ElementEnd& end : data_.through) apart = body_of(end) != from || apart;
    if (!from.empty() && !to.empty() && !apart)
      say(fmt::format("both ends are on body '{}'", from), "two different bodies");
    const bool line =
        data_.type == ElementData::Type::spring_damper || data_.type == ElementData::Type::actuator;
    if (!line && !data_.through.empty())
      say("runs through other points", "only spring-damper and actuator do");
    if (data_.through.size() + 2 > static_cast<std::size_t>(Element::most_points))
      say(fmt::format("runs through {} points", data_.through.size()),
          fmt::format("at most {}", Element::most_points - 2), "split it in two elements");
  }

  void check_joint() {
    const auto joint = found_.joints.find(data_.joint);
    if (data_.type != ElementData::Type::torsion)
      say("lies along a joint", "only a torsion does", "a joint has a spring of its own");
    if (joint == found_.joints.end())
      found_.say_reference(data_.mark, element_, fmt::format("there is no joint '{}'", data_.joint),
                           "the name of a joint", found_.hint(data_.joint, found_.joint_names));
    else if (size_of(joint->second->type).speeds != 1)
      found_.say_reference(
          data_.mark, element_,
          fmt::format("joint '{}' is {}", data_.joint, name_of(joint->second->type)),
          "a joint with one degree of freedom");
  }

  void check_table(const ElementTable& table, const char* what) {
    const auto finite = [](double x) { return std::isfinite(x); };
    if (table.empty() && table.force.empty()) return;
    if (table.at.size() != table.force.size() || table.at.size() < 2)
      say(fmt::format("the {} has {} places and {} forces", what, table.at.size(),
                      table.force.size()),
          "two or more of each");
    else if (!std::all_of(table.at.begin(), table.at.end(), finite) ||
             !std::all_of(table.force.begin(), table.force.end(), finite))
      say(fmt::format("the {} has an entry that is not a finite number", what), "finite numbers");
    else if (std::adjacent_find(table.at.begin(), table.at.end(), std::greater_equal<>()) !=
             table.at.end())
      say(fmt::format("the {} does not rise in its first column", what),
          "each place greater than the one before");
  }

  void check_law() {
    const ElementLaw& law = data_.law;
    for (const double x :
         {law.rest, law.stiffness, law.hardening, law.backlash, law.damping, law.preload})
      if (!std::isfinite(x)) return say("has an entry that is not a finite number", "numbers");
    if (law.backlash < 0) say(fmt::format("backlash {}", law.backlash), "zero or more");
    if (law.damping < 0) say(fmt::format("damping {}", law.damping), "zero or more");
    if (data_.type == ElementData::Type::spring_damper && law.rest < 0)
      say(fmt::format("free length {}", law.rest), "zero or more");
    check_table(law.spring, "table");
    check_table(law.damper, "damper table");
    if (law.stiffness == 0 && law.hardening == 0 && law.damping == 0 && law.preload == 0 &&
        law.spring.empty() && law.damper.empty())
      say("exerts no force", "one of stiffness, hardening, damping, preload, table, damper_table");
  }

  /// Where there is no turn, its axis jumps with the smallest motion; the torque must vanish there.
  void check_any_axis() {
    const ElementLaw& law = data_.law;
    if (data_.type != ElementData::Type::torsion || !data_.joint.empty())
      return say("acts about any axis", "only a torsion between two bodies does");
    if (law.rest != 0 || law.preload != 0 || law.damping != 0 || !law.spring.empty() ||
        !law.damper.empty())
      say("acts about any axis and has more than a spring",
          "stiffness, hardening and backlash only",
          "a spherical joint has damping of its own; to turn the rest, turn the frame of an end");
  }

  void check_actuator() {
    if (!data_.formula.empty()) try {
        const ForceFormula read(data_.formula, data_.name);
      } catch (const InputError& error) {
        const Problem& p = error.problems().front();
        say(p.element.empty() ? p.message : p.element + ": " + p.message, p.expectation, p.hint);
      }
    if (!std::isfinite(data_.force)) say("the force is not a finite number", "a finite number");
    if (!(data_.least_length >= 0) || !(data_.greatest_length > data_.least_length))
      say(fmt::format("stroke from {} to {}", data_.least_length, data_.greatest_length),
          "two lengths, the second greater");
    if (!(data_.rate_limit > 0))
      say(fmt::format("rate limit {}", data_.rate_limit), "a speed above zero");
  }

  void check_bushing() {
    if (!data_.stiffness.allFinite() || !data_.damping.allFinite())
      return say("a matrix has an entry that is not a finite number", "finite numbers");
    require_symmetric(data_.stiffness, "stiffness",
                      "a symmetric matrix: a spring without an energy is an actuator");
    require_symmetric(data_.damping, "damping",
                      "a symmetric matrix: its skew part does no work and does not damp");
    if (data_.stiffness.isZero(0) && data_.damping.isZero(0))
      say("exerts no force", "stiffness, damping or both");
  }

  void require_symmetric(const Eigen::Matrix<double, 6, 6>& matrix, const char* what,
                         const char* expectation) {
    const double off = (matrix - matrix.transpose()).cwiseAbs().maxCoeff();
    if (off > 1e-12 * matrix.cwiseAbs().maxCoeff())
      say(fmt::format("the {} differs from its transpose by {:.3g}", what, off), expectation);
  }

  Findings& found_;
  const ElementData& data_;
  const std::string element_;
};

}  // namespace

void check_elements(Findings& found) {
  for (const ElementData& element : found.robot.elements) ElementCheck(found, element).run();
}

}  // namespace ulna
