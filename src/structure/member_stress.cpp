#include "ulna/structure/member_stress.hpp"

#include <cmath>
#include <map>

#include "ulna/elastic/internal/direction_cosines.hpp"

namespace ulna {
namespace {

constexpr int stations = 16;  // of an element

// The cubic with values a, b and slopes da, db at the ends of [0, length], and its slope.
double cubic(double a, double da, double b, double db, double length, double x) {
  const double t = x / length, u = 1 - t;
  return a * u * u * (1 + 2 * t) + b * t * t * (3 - 2 * t) + length * t * u * (da * u - db * t);
}
double cubic_slope(double a, double da, double b, double db, double length, double x) {
  const double t = x / length;
  return 6 * t * (1 - t) * (b - a) / length + da * (1 - t) * (1 - 3 * t) + db * t * (3 * t - 2);
}

const Section& section_of(const BeamData& beam, int element) {
  return beam.sections[beam.sections.size() == 1 ? 0 : static_cast<std::size_t>(element)];
}

double severity(const MemberStress& member) {
  return member.stress ? member.stress->von_mises : member.resultants.norm();
}

}  // namespace

elastic::Resultants resultants_at(const StressResultants& e, double length, double x) {
  const double t = x / length;
  elastic::Resultants r = (1 - t) * e.start + t * e.end;  // N and T
  // dMz/dx = -Qy, dMy/dx = Qz
  r(5) = cubic(e.start(5), -e.start(1), e.end(5), -e.end(1), length, x);
  r(4) = cubic(e.start(4), e.start(2), e.end(4), e.end(2), length, x);
  r(1) = -cubic_slope(e.start(5), -e.start(1), e.end(5), -e.end(1), length, x);
  r(2) = cubic_slope(e.start(4), e.start(2), e.end(4), e.end(2), length, x);
  return r;
}

std::vector<MemberStress> member_stresses(const RobotStructure& structure,
                                          const StaticDeflection& bent) {
  const Robot& robot = structure.model().robot();
  const auto& elements = structure.frame().elements();
  std::map<std::pair<int, int>, std::size_t> place;  // of a body's beam in the result
  std::map<std::pair<int, int>, double> passed;      // length of its elements so far
  std::vector<MemberStress> found;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const elastic::StructureElement& e = elements[k];
    const BodyData& body = robot.bodies[static_cast<std::size_t>(e.group - 1)];
    const BeamData& beam = body.beams[static_cast<std::size_t>(e.member)];
    const std::pair key{e.group, e.member};
    const bool fresh = place.emplace(key, found.size()).second;
    if (fresh) found.push_back({body.name, beam.name, 0, {}, {}});
    MemberStress& worst = found[place.at(key)];
    for (int s = 0; s <= stations; ++s) {
      const double x = e.length * s / stations;
      MemberStress here{
          body.name, beam.name, passed[key] + x, resultants_at(bent.members[k], e.length, x), {}};
      if (!beam.products && !beam.sections.empty())
        here.stress = elastic::section_stress(section_of(beam, e.section), here.resultants);
      if ((fresh && s == 0) || severity(here) > severity(worst)) worst = here;
    }
    passed[key] += e.length;
  }
  return found;
}

std::vector<MemberCosines> member_cosines(const RobotStructure& structure,
                                          const std::string& method) {
  const Model& model = structure.model();
  std::vector<MemberCosines> found;
  for (const BodyData& body : model.robot().bodies) {
    const Pose<double>& X = structure.body_pose(model.body(body.name));
    for (const BeamData& beam : body.beams) {
      const Vector3<double> A = X * beam.from, B = X * beam.to;
      // The reference point of the section's x-y plane, not square to the member.
      const Vector3<double> y = X.rotation * section_axes(beam).col(1);
      const Vector3<double> P = A + (B - A).norm() * y + 0.3 * (B - A);
      found.push_back({beam.name.empty() ? body.name : body.name + "." + beam.name,
                       elastic::member_axes(method, A, B, P).transpose()});
    }
  }
  return found;
}

}  // namespace ulna
