#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "freezer.hpp"

namespace ulna {
namespace {

class Checker {
 public:
  explicit Checker(const Robot& robot) : robot_(robot) {}

  std::vector<Problem> run(bool& references_hold, std::vector<Problem>& warnings) {
    names();
    for (const BodyData& body : robot_.bodies) {
      check_numbers(body.mark, "body '" + body.name + "'", body.inertial);
      check_beams(body);
    }
    check_welded_groups();
    for (const PayloadData& payload : robot_.payloads) check_payload(payload);
    for (const FrameData& frame : robot_.frames) {
      require_body(frame.mark, "frame '" + frame.name + "'", frame.body);
      check_pose(frame.mark, "frame '" + frame.name + "'", frame.X_BF);
    }
    for (const JointData& joint : robot_.joints) check_joint(joint);
    for (const ConstraintData& constraint : robot_.constraints) check_constraint(constraint);
    if (references_hold_) check_couplings_agree();
    if (!robot_.gravity.allFinite())
      say({robot_.source}, "gravity", "has an entry that is not a finite number",
          "three finite numbers");
    references_hold = references_hold_;
    warnings = std::move(warnings_);
    return std::move(problems_);
  }

 private:
  void say(const SourceMark& mark, std::string element, std::string message,
           std::string expectation = {}, std::string hint = {}) {
    problems_.push_back(
        {mark, std::move(element), std::move(message), std::move(expectation), std::move(hint)});
  }

  /// The nearest known name; only for the first problems, a search costs as much as reading the
  /// file.
  std::string hint(const std::string& name, const std::set<std::string>& known) const {
    if (problems_.size() > 20) return {};
    return nearest_name_hint(name, {known.begin(), known.end()});
  }

  /// Something a name refers to is missing or ambiguous.
  void say_reference(const SourceMark& mark, std::string element, std::string message,
                     std::string expectation, std::string hint = {}) {
    references_hold_ = false;
    say(mark, std::move(element), std::move(message), std::move(expectation), std::move(hint));
  }

  template <class Items>
  void unique(const Items& items, const char* what, std::set<std::string>& seen) {
    for (const auto& item : items) {
      if (item.name.empty())
        say_reference(item.mark, what, "has no name", "a name of its own");
      else if (!seen.insert(item.name).second)
        say_reference(item.mark, fmt::format("{} '{}'", what, item.name), "the name is used twice",
                      "names that differ");
    }
  }

  void names() {
    body_names_.insert(world_name);
    std::set<std::string> joints, payloads;
    unique(robot_.bodies, "body", body_names_);
    std::set<std::string> frames = body_names_;  // bodies are frames too
    unique(robot_.frames, "frame", frames);
    unique(robot_.joints, "joint", joints);
    unique(robot_.constraints, "constraint", joints);  // a loop is known by one name
    unique(robot_.payloads, "payload", payloads);
    for (const JointData& joint : robot_.joints) {
      joints_.emplace(joint.name, &joint);
      joint_names_.insert(joint.name);
    }
  }

  void require_body(const SourceMark& mark, const std::string& element, const std::string& body) {
    if (body_names_.count(body)) return;
    say_reference(mark, element, fmt::format("there is no body '{}'", body), "the name of a body",
                  hint(body, body_names_));
  }

  void check_pose(const SourceMark& mark, const std::string& element, const Pose<double>& X) {
    if (!X.position.allFinite() || !X.rotation.allFinite()) {
      say(mark, element, "its pose has an entry that is not a finite number", "finite numbers");
    } else if ((X.rotation.transpose() * X.rotation - Matrix3<double>::Identity()).norm() > 1e-9 ||
               X.rotation.determinant() < 0) {
      say(mark, element, "its rotation is not a right-handed orthonormal matrix",
          "a rotation matrix");
    }
  }

  void check_numbers(const SourceMark& mark, const std::string& element, const Inertial& inertial) {
    if (!inertial.centre.allFinite())
      say(mark, element, "the centre of mass is not finite", "finite numbers");
    if (!inertial.inertia.allFinite())
      say(mark, element, "an inertia entry is not a finite number", "finite numbers");
    if (!std::isfinite(inertial.mass) || inertial.mass < 0)
      say(mark, element, fmt::format("mass {}", inertial.mass), "a mass that is not negative");
  }

  void check_flexible(const BodyData& body, const BeamData& beam, const std::string& element) {
    if (!beam.flexible || beam.flexible->modes() == 0 || body.modal) return;
    if (body.beams.size() > 1)
      say(beam.mark, element, "it is flexible, and its body has other beams", "a body of its own",
          "join the two bodies by a fixed joint");
    else
      say(beam.mark, element, "it is flexible, but its modes have not been made",
          "make_flexible(robot) before the model");
  }

  void check_beams(const BodyData& body) {
    std::set<std::string> names;
    for (const BeamData& beam : body.beams) {
      const std::string element = fmt::format("body '{}', beam{}", body.name,
                                              beam.name.empty() ? "" : " '" + beam.name + "'");
      const std::size_t before = problems_.size();
      for (Problem& problem : ulna::check(beam, element)) problems_.push_back(std::move(problem));
      if (problems_.size() == before) check_flexible(body, beam, element);
      if (body.beams.size() > 1 && !names.insert(beam.name).second)
        say(beam.mark, element, "two beams of one body have the same name", "names that differ");
    }
    if (!body.beams.empty() && (body.inertial.mass != 0 || !body.inertial.inertia.isZero(0)))
      say(body.mark, "body '" + body.name + "'", "has mass or inertia beside its beam",
          "mass from the beam alone", "list rigid parts under attached: of the beam");
  }

  /// Mechanics only feels the sum of bodies welded together, and exporters split measured inertias
  /// carelessly: an impossible body is an error only if its whole welded group is impossible.
  void check_welded_groups() {
    for (const JointData& joint : robot_.joints)
      if (joint.type == JointType::fixed) welds_.emplace(joint.child, &joint);
    std::map<std::string, Inertia<double>> groups;
    std::map<std::string, int> members;
    for (const BodyData& body : robot_.bodies) {
      const Weld weld = weld_of(body.name);
      const Inertial own = inertial_of(body);
      groups[weld.root] +=
          transform(weld.X_RB, Inertia<double>::from_centre(own.mass, own.centre, own.inertia));
      ++members[weld.root];
    }
    for (const BodyData& body : robot_.bodies) {
      const Inertial own = inertial_of(body);
      if (!(own.mass >= 0) || !own.inertia.allFinite()) continue;  // said already
      const std::string reason = why_impossible(own.mass, own.inertia);
      const std::string root = weld_of(body.name).root;
      if (reason.empty()) continue;
      const bool harmless =
          root == world_name || (members[root] > 1 && why_impossible(groups[root]).empty());
      const char* harm = root == world_name ? " (harmless: it does not move)"
                                            : " (harmless: what it is welded to makes up for it)";
      (harmless ? warnings_ : problems_)
          .push_back({body.mark,
                      "body '" + body.name + "'",
                      "impossible inertia: " + reason + (harmless ? harm : ""),
                      "the inertia of a real body about its centre of mass",
                      {}});
    }
  }

  /// The body that moves, and where a body welded to it stands. Found once per body.
  struct Weld {
    std::string root;
    Pose<double> X_RB;
  };
  Weld weld_of(const std::string& body) {
    std::vector<std::string> path;
    std::string at = body;
    while (!weld_cache_.count(at)) {
      const auto weld = welds_.find(at);
      const bool end = weld == welds_.end() || path.size() > robot_.bodies.size();
      if (end)
        weld_cache_[at] = {at, {}};
      else
        path.push_back(at), at = weld->second->parent;
    }
    for (auto child = path.rbegin(); child != path.rend(); ++child) {
      const JointData& joint = *welds_[*child];
      const Weld& parent = weld_cache_[joint.parent];
      weld_cache_[*child] = {parent.root, parent.X_RB * joint.X_PF * joint.X_MC};
    }
    return weld_cache_[body];
  }

  void check_payload(const PayloadData& payload) {
    const std::string element = "payload '" + payload.name + "'";
    require_body(payload.mark, element, payload.body);
    check_pose(payload.mark, element, payload.X_BL);
    check_numbers(payload.mark, element, payload.inertial);
    const std::string reason = why_impossible(payload.inertial.mass, payload.inertial.inertia);
    if (!reason.empty() && payload.inertial.mass >= 0 && payload.inertial.inertia.allFinite())
      say(payload.mark, element, "impossible inertia: " + reason, "the inertia of a real body");
  }

  void check_axis(const JointData& joint, const std::string& element, const Vector3<double>& axis,
                  const char* key) {
    if (!axis.allFinite())
      say(joint.mark, element, fmt::format("{} has an entry that is not a finite number", key),
          "a direction");
    else if (axis.norm() < 1e-12)
      say(joint.mark, element, fmt::format("{} is the zero vector", key), "a direction");
  }

  void check_joint(const JointData& joint) {
    const std::string element = "joint '" + joint.name + "'";
    require_body(joint.mark, element, joint.parent);
    require_body(joint.mark, element, joint.child);
    if (joint.parent == joint.child)
      say_reference(joint.mark, element, fmt::format("joins body '{}' to itself", joint.child),
                    "two different bodies");
    check_pose(joint.mark, element, joint.X_PF);
    check_pose(joint.mark, element, joint.X_MC);
    const bool has_axis = joint.type != JointType::fixed && joint.type != JointType::spherical &&
                          joint.type != JointType::free;
    if (has_axis) check_axis(joint, element, joint.axis, "axis");
    if (joint.type == JointType::universal) {
      check_axis(joint, element, joint.axis2, "axis2");
      const bool directions = joint.axis.allFinite() && joint.axis2.allFinite() &&
                              joint.axis.norm() > 1e-12 && joint.axis2.norm() > 1e-12;
      if (directions && joint.axis.normalized().cross(joint.axis2.normalized()).norm() < 1e-6)
        say(joint.mark, element, "its two axes are parallel", "two axes of different directions");
    }
    if (!std::isfinite(joint.pitch))
      say(joint.mark, element, "pitch is not a finite number", "metres per radian");
    const int speeds = size_of(joint.type).speeds;
    if (static_cast<int>(joint.degrees.size()) > speeds)
      say(joint.mark, element, fmt::format("data for {} degrees of freedom", joint.degrees.size()),
          fmt::format("at most {} for a {} joint", speeds, name_of(joint.type)));
    for (std::size_t k = 0; k < joint.degrees.size(); ++k)
      check_degree(joint, element, static_cast<int>(k));
    if (joint.mimic) check_mimic(joint, element);
  }

  void check_constraint(const ConstraintData& constraint) {
    const std::string element = fmt::format("{} '{}'", name_of(constraint.type), constraint.name);
    if (constraint.type == ConstraintData::Type::distance)
      check_rod(constraint, element);
    else
      check_coupling(constraint, element);
  }

  void check_rod(const ConstraintData& rod, const std::string& element) {
    require_body(rod.mark, element, rod.parent);
    require_body(rod.mark, element, rod.child);
    if (rod.parent == rod.child)
      say_reference(rod.mark, element, fmt::format("joins body '{}' to itself", rod.child),
                    "two different bodies");
    if (!rod.parent_point.allFinite() || !rod.child_point.allFinite())
      say(rod.mark, element, "a point has an entry that is not a finite number", "finite numbers");
    if (!std::isfinite(rod.length) || !(rod.length > 0))
      say(rod.mark, element, fmt::format("length {}", rod.length), "a length above zero",
          "a spherical joint holds two points together");
  }

  void check_coupling(const ConstraintData& coupling, const std::string& element) {
    if (coupling.terms.empty())
      say(coupling.mark, element, "couples no joint", "a factor for each of its joints");
    if (!std::isfinite(coupling.offset))
      say(coupling.mark, element, "the offset is not a finite number", "a finite number");
    for (const ConstraintData::Term& term : coupling.terms) {
      const auto found = joints_.find(term.joint);
      if (found == joints_.end()) {
        say_reference(coupling.mark, element, fmt::format("there is no joint '{}'", term.joint),
                      "the name of a joint", hint(term.joint, joint_names_));
        continue;
      }
      const JointSize size = size_of(found->second->type);
      if (size.coordinates != size.speeds || size.speeds == 0)
        say_reference(coupling.mark, element,
                      fmt::format("joint '{}' is {}", term.joint, name_of(found->second->type)),
                      "joints with axes");
      else if (term.degree < 0 || term.degree >= size.speeds)
        say_reference(
            coupling.mark, element,
            fmt::format("joint '{}' has no degree of freedom number {}", term.joint, term.degree),
            fmt::format("0 .. {}", size.speeds - 1));
      if (!std::isfinite(term.factor) || term.factor == 0)
        say(coupling.mark, element,
            fmt::format("the factor of joint '{}' is {}", term.joint, term.factor),
            "a number other than zero");
    }
  }

  /// Couplings are linear: whether they contradict each other needs no robot. Row by row, each is
  /// reduced by those before it; one that vanishes must leave no offset.
  void check_couplings_agree() {
    std::map<std::pair<std::string, int>, int> column;
    std::vector<Eigen::VectorXd> rows;
    std::vector<int> pivots;
    std::vector<const ConstraintData*> couplings;
    for (const ConstraintData& constraint : robot_.constraints)
      if (constraint.type == ConstraintData::Type::coupling) {
        couplings.push_back(&constraint);
        for (const auto& term : constraint.terms)
          column.emplace(std::pair(term.joint, term.degree), static_cast<int>(column.size()));
      }
    const int n = static_cast<int>(column.size());
    for (const ConstraintData* coupling : couplings) {
      Eigen::VectorXd row = Eigen::VectorXd::Zero(n + 1);
      for (const auto& term : coupling->terms)
        row(column.at({term.joint, term.degree})) += term.factor;
      row(n) = coupling->offset;
      if (!row.allFinite()) return;  // said already
      const double size = row.cwiseAbs().maxCoeff();
      for (std::size_t k = 0; k < rows.size(); ++k) row -= row(pivots[k]) * rows[k];
      int pivot = 0;
      const double left = n == 0 ? 0 : row.head(n).cwiseAbs().maxCoeff(&pivot);
      if (left > 1e-12 * size) {
        rows.push_back(row / row(pivot));
        pivots.push_back(pivot);
      } else if (std::abs(row(n)) > 1e-9 * size) {
        say(coupling->mark, fmt::format("coupling '{}'", coupling->name),
            fmt::format("contradicts the couplings before it by {:.3g}", std::abs(row(n))),
            "couplings that can hold together");
      }
    }
  }

  void check_degree(const JointData& joint, const std::string& element, int k) {
    const DegreeData& d = joint.degrees[k];
    if (!(d.lower <= d.upper) || d.lower == DegreeData::unlimited ||
        d.upper == -DegreeData::unlimited)
      say(joint.mark, element, fmt::format("limits {} .. {}", d.lower, d.upper), "lower <= upper");
    const auto not_negative = [&](double value, const char* key, bool finite) {
      if (!(value >= 0) || (finite && !std::isfinite(value)))
        say(joint.mark, element, fmt::format("{} is {}", key, value),
            "a number that is not negative");
    };
    not_negative(d.velocity_limit, "velocity limit", false);
    not_negative(d.effort_limit, "effort limit", false);
    not_negative(d.damping, "damping", true);
    not_negative(d.friction, "friction", true);
    not_negative(d.stiffness, "stiffness", true);
    not_negative(d.hardening, "hardening", true);
    not_negative(d.backlash, "backlash", true);
    not_negative(d.rotor_inertia, "rotor inertia", true);
    const bool quaternion = size_of(joint.type).coordinates != size_of(joint.type).speeds;
    const bool limited = d.lower > -DegreeData::unlimited || d.upper < DegreeData::unlimited;
    if (quaternion && k < 3 && limited)
      say(joint.mark, element,
          fmt::format("a limit on the turn of a {} joint", name_of(joint.type)),
          "limits on joints with axes", "use revolute joints instead, or none for the turns");
    if (quaternion && d.rotor_inertia != 0)
      say(joint.mark, element, fmt::format("a rotor on a {} joint", name_of(joint.type)),
          "rotors on joints with axes", "use revolute joints instead");
    if (quaternion && (d.stiffness != 0 || d.hardening != 0))
      say(joint.mark, element, fmt::format("a spring on a {} joint", name_of(joint.type)),
          "springs on joints with axes", "use revolute joints instead");
    if (!std::isfinite(d.rest))
      say(joint.mark, element, "spring rest is not a finite number", "a coordinate value");
    if (!std::isfinite(d.gear_ratio) || d.gear_ratio == 0)
      say(joint.mark, element, fmt::format("gear ratio is {}", d.gear_ratio),
          "a number other than zero");
  }

  void check_mimic(const JointData& joint, const std::string& element) {
    if (size_of(joint.type).speeds != 1)
      say(joint.mark, element, fmt::format("a {} joint cannot mimic", name_of(joint.type)),
          "a joint with one degree of freedom");
    if (!std::isfinite(joint.mimic->multiplier) || !std::isfinite(joint.mimic->offset))
      say(joint.mark, element, "mimic multiplier or offset is not a finite number",
          "finite numbers");
    // Follow the chain of leaders; a chain longer than the number of joints is a cycle.
    std::string leader = joint.mimic->joint;
    for (std::size_t steps = 0; steps <= robot_.joints.size(); ++steps) {
      const auto found = joints_.find(leader);
      if (found == joints_.end()) {
        say(joint.mark, element, fmt::format("mimics joint '{}', which does not exist", leader),
            "the name of a joint", hint(leader, joint_names_));
        references_hold_ = false;
        return;
      }
      const JointData& lead = *found->second;
      if (size_of(lead.type).speeds != 1) {
        say(joint.mark, element,
            fmt::format("mimics joint '{}' of type {}", leader, name_of(lead.type)),
            "a joint with one degree of freedom");
        return;
      }
      if (!lead.mimic || sound_mimics_.count(leader)) {
        sound_mimics_.insert(joint.name);
        return;
      }
      leader = lead.mimic->joint;
    }
    say(joint.mark, element, "mimics itself in a circle",
        "a chain of mimic joints that ends at a driven joint");
  }

  const Robot& robot_;
  std::set<std::string> body_names_, joint_names_;
  std::set<std::string> sound_mimics_;  // joints whose chain of leaders was followed to its end
  bool references_hold_ = true;
  std::map<std::string, const JointData*> joints_, welds_;
  std::map<std::string, Weld> weld_cache_;
  std::vector<Problem> problems_, warnings_;
};

}  // namespace

std::vector<Problem> check(const Robot& robot, bool& references_hold,
                           std::vector<Problem>& warnings) {
  return Checker(robot).run(references_hold, warnings);
}

}  // namespace ulna
