// Masses, inertias and beams of bodies and payloads.

#include <fmt/format.h>

#include <cmath>

#include "check/findings.hpp"
#include "ulna/model/beam.hpp"

namespace ulna {
namespace {

void check_numbers(Findings& found, const SourceMark& mark, const std::string& element,
                   const Inertial& inertial) {
  if (!inertial.centre.allFinite())
    found.say(mark, element, "the centre of mass is not finite", "finite numbers");
  if (!inertial.inertia.allFinite())
    found.say(mark, element, "an inertia entry is not a finite number", "finite numbers");
  if (!std::isfinite(inertial.mass) || inertial.mass < 0)
    found.say(mark, element, fmt::format("mass {}", inertial.mass), "a mass that is not negative");
}

void check_flexible(Findings& found, const BodyData& body, const BeamData& beam,
                    const std::string& element) {
  if (!beam.flexible || beam.flexible->modes() == 0 || body.modal) return;
  if (body.beams.size() > 1)
    found.say(beam.mark, element, "it is flexible, and its body has other beams",
              "a body of its own", "join the two bodies by a fixed joint");
  else
    found.say(beam.mark, element, "it is flexible, but its modes have not been made",
              "make_flexible(robot) before the model");
}

void check_beams(Findings& found, const BodyData& body) {
  std::set<std::string> names;
  for (const BeamData& beam : body.beams) {
    const std::string element = fmt::format("body '{}', beam{}", body.name,
                                            beam.name.empty() ? "" : " '" + beam.name + "'");
    const std::size_t before = found.problems.size();
    for (Problem& problem : check(beam, element)) found.problems.push_back(std::move(problem));
    if (found.problems.size() == before) check_flexible(found, body, beam, element);
    if (body.beams.size() > 1 && !names.insert(beam.name).second)
      found.say(beam.mark, element, "two beams of one body have the same name",
                "names that differ");
  }
  if (!body.beams.empty() && (body.inertial.mass != 0 || !body.inertial.inertia.isZero(0)))
    found.say(body.mark, "body '" + body.name + "'", "has mass or inertia beside its beam",
              "mass from the beam alone", "list rigid parts under attached: of the beam");
}

void check_geometry(Findings& found, const BodyData& body) {
  for (std::size_t k = 0; k < body.geometry.size(); ++k) {
    const Geometry& shape = body.geometry[k];
    const std::string element = fmt::format("body '{}', geometry {}", body.name, k + 1);
    if (!shape.size.allFinite() || (shape.size.array() < 0).any())
      found.say(
          body.mark, element,
          fmt::format("its size is ({})", fmt::join(shape.size.begin(), shape.size.end(), ", ")),
          "lengths that are finite and not negative");
    if (!shape.scale.allFinite() || (shape.scale.array() == 0).any())
      found.say(body.mark, element, "the scale of its mesh is zero or not finite",
                "finite numbers other than zero");
    found.require_pose(body.mark, element, shape.X_BG);
  }
}

/// The body that moves, and where a body welded to it stands.
struct Weld {
  std::string root;
  Pose<double> X_RB;
};

/// Found once per body.
class Welds {
 public:
  explicit Welds(const Robot& robot) : bodies_(robot.bodies.size()) {
    for (const JointData& joint : robot.joints)
      if (joint.type == JointType::fixed) joints_.emplace(joint.child, &joint);
  }

  Weld of(const std::string& body) {
    std::vector<std::string> path;
    std::string at = body;
    while (!known_.count(at)) {
      const auto weld = joints_.find(at);
      const bool end = weld == joints_.end() || path.size() > bodies_;
      if (end)
        known_[at] = {at, {}};
      else
        path.push_back(at), at = weld->second->parent;
    }
    for (auto child = path.rbegin(); child != path.rend(); ++child) {
      const JointData& joint = *joints_[*child];
      const Weld& parent = known_[joint.parent];
      known_[*child] = {parent.root, parent.X_RB * joint.X_PF * joint.X_MC};
    }
    return known_[body];
  }

 private:
  std::size_t bodies_;
  std::map<std::string, const JointData*> joints_;
  std::map<std::string, Weld> known_;
};

/// Mechanics only feels the sum of bodies welded together, and exporters split measured inertias
/// carelessly: an impossible body is an error only if its whole welded group is impossible.
void check_welded_groups(Findings& found) {
  Welds welds(found.robot);
  std::map<std::string, Inertia<double>> groups;
  std::map<std::string, int> members;
  for (const BodyData& body : found.robot.bodies) {
    const Weld weld = welds.of(body.name);
    const Inertial own = inertial_of(body);
    groups[weld.root] +=
        transform(weld.X_RB, Inertia<double>::from_centre(own.mass, own.centre, own.inertia));
    ++members[weld.root];
  }
  for (const BodyData& body : found.robot.bodies) {
    const Inertial own = inertial_of(body);
    if (!(own.mass >= 0) || !own.inertia.allFinite()) continue;  // said already
    const std::string reason = why_impossible(own.mass, own.inertia);
    const std::string root = welds.of(body.name).root;
    if (reason.empty()) continue;
    const bool harmless =
        root == world_name || (members[root] > 1 && why_impossible(groups[root]).empty());
    const char* harm = root == world_name ? " (harmless: it does not move)"
                                          : " (harmless: what it is welded to makes up for it)";
    (harmless ? found.warnings : found.problems)
        .push_back({body.mark,
                    "body '" + body.name + "'",
                    "impossible inertia: " + reason + (harmless ? harm : ""),
                    "the inertia of a real body about its centre of mass",
                    {}});
  }
}

void check_payload(Findings& found, const PayloadData& payload) {
  const std::string element = "payload '" + payload.name + "'";
  found.require_body(payload.mark, element, payload.body);
  found.require_pose(payload.mark, element, payload.X_BL);
  check_numbers(found, payload.mark, element, payload.inertial);
  const std::string reason = why_impossible(payload.inertial.mass, payload.inertial.inertia);
  if (!reason.empty() && payload.inertial.mass >= 0 && payload.inertial.inertia.allFinite())
    found.say(payload.mark, element, "impossible inertia: " + reason, "the inertia of a real body");
}

}  // namespace

void check_bodies(Findings& found) {
  for (const BodyData& body : found.robot.bodies) {
    check_numbers(found, body.mark, "body '" + body.name + "'", body.inertial);
    check_beams(found, body);
    check_geometry(found, body);
  }
  check_welded_groups(found);
}

void check_payloads(Findings& found) {
  for (const PayloadData& payload : found.robot.payloads) check_payload(found, payload);
}

}  // namespace ulna
