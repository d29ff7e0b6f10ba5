// Masses, inertias and beams of bodies and payloads.

#include <fmt/format.h>

#include <cmath>

#include "check/findings.hpp"
#include "check/impossible_bodies.hpp"
#include "ulna/model/parts/beam.hpp"

namespace ulna {
namespace {

constexpr const char* repair_hint = "--repair nearest takes the nearest possible one";

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
    found.say(body.mark, "body '" + body.name + "'", "has mass or inertia in addition to its beam",
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

/// Inertias that no body can have are common in robots that people have, and mechanics computes
/// with them: what moves with the body mostly makes up for it. Where it does not, the mass matrix
/// is not positive at a posture, and is refused there. A matrix without symmetry is no inertia at
/// all.
void say_impossible(Findings& found, const SourceMark& mark, const std::string& element,
                    const Matrix3<double>& inertia, const std::string& reason,
                    const std::string& expectation) {
  const double asymmetry = (inertia - inertia.transpose()).cwiseAbs().maxCoeff();
  const bool fatal = asymmetry > 1e-9 * inertia.cwiseAbs().maxCoeff();
  (fatal ? found.problems : found.warnings)
      .push_back(
          {mark, element, "impossible inertia: " + reason, expectation, fatal ? "" : repair_hint});
}

void check_inertias(Findings& found) {
  for (const ImpossibleBody& one : impossible_bodies(found.robot))
    say_impossible(found, one.body->mark, "body '" + one.body->name + "'",
                   inertial_of(*one.body).inertia, one.reason + one.harmless,
                   "the inertia of a real body about its centre of mass");
}

void check_payload(Findings& found, const PayloadData& payload) {
  const std::string element = "payload '" + payload.name + "'";
  found.require_body(payload.mark, element, payload.body);
  found.require_pose(payload.mark, element, payload.X_BL);
  check_numbers(found, payload.mark, element, payload.inertial);
  const Inertial& own = payload.inertial;
  if (!(own.mass >= 0) || !own.inertia.allFinite()) return;  // said already
  const std::string reason = why_impossible(own.mass, own.inertia);
  if (reason.empty()) return;
  say_impossible(found, payload.mark, element, own.inertia, reason, "the inertia of a real body");
}

}  // namespace

void check_bodies(Findings& found) {
  for (const BodyData& body : found.robot.bodies) {
    check_numbers(found, body.mark, "body '" + body.name + "'", body.inertial);
    check_beams(found, body);
    check_geometry(found, body);
  }
  check_inertias(found);
}

void check_payloads(Findings& found) {
  for (const PayloadData& payload : found.robot.payloads) check_payload(found, payload);
}

}  // namespace ulna
