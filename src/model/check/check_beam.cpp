#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "ulna/model/kernels/exact_beam.hpp"
#include "ulna/model/parts/beam.hpp"
#include "ulna/spatial/inertia.hpp"

namespace ulna {
namespace {

class BeamChecker {
 public:
  BeamChecker(const BeamData& beam, std::string element)
      : beam_(beam), element_(std::move(element)) {}

  std::vector<Problem> run() {
    axis();
    if (beam_.products)
      products(*beam_.products);
    else
      material_and_sections();
    if (beam_.elements < 1) say(fmt::format("{} elements", beam_.elements), "at least one element");
    for (const AttachedBody& body : beam_.attached) attached(body);
    if (beam_.flexible) flexible(*beam_.flexible);
    return std::move(problems_);
  }

 private:
  void say(std::string message, std::string expectation, std::string hint = {}) {
    problems_.push_back(
        {beam_.mark, element_, std::move(message), std::move(expectation), std::move(hint)});
  }

  void positive(double value, const std::string& what) {
    if (!(value > 0) || !std::isfinite(value))
      say(fmt::format("{} is {}", what, value), "a number above zero");
  }
  void not_negative(double value, const std::string& what) {
    if (!(value >= 0) || !std::isfinite(value))
      say(fmt::format("{} is {}", what, value), "a number that is not negative");
  }

  void axis() {
    const Vector3<double> along = beam_.to - beam_.from;
    if (!along.allFinite()) return say("its ends are not finite", "two points in body axes");
    const double size = std::max(beam_.from.norm(), beam_.to.norm());
    if (!(along.norm() > 1e-12 * size))
      return say("its length is zero", "two ends that differ", "give to: [x, y, z] or length:");
    if (!beam_.reference) return;
    const double across =
        along.normalized().cross(*beam_.reference).norm() / beam_.reference->norm();
    if (!(across > 1e-6))
      say("the reference lies along the axis or is zero",
          "a direction that with the axis spans the section's x-y plane");
  }

  void material_and_sections() {
    if (!beam_.material || beam_.sections.empty())
      return say(!beam_.material ? "it has no material" : "it has no section",
                 "material and section, or the products EA, EI, GJ and mass_per_length");
    positive(beam_.material->E, "Young's modulus E");
    positive(beam_.material->G, "shear modulus G");
    if (beam_.material->E >= 3 * beam_.material->G * (1 + 1e-12))
      say(fmt::format("E = {:.4g} and G = {:.4g} mean a Poisson ratio of {:.3g}", beam_.material->E,
                      beam_.material->G, beam_.material->E / (2 * beam_.material->G) - 1),
          "a Poisson ratio below 0.5");
    not_negative(beam_.material->density, "density");
    const auto count = static_cast<int>(beam_.sections.size());
    if (count != 1 && count != beam_.elements)
      say(fmt::format("{} sections for {} elements", count, beam_.elements),
          "one section, or one for each element");
    for (int k = 0; k < count; ++k)
      section(beam_.sections[k], count == 1 ? "section" : fmt::format("section {}", k + 1));
  }

  void section(const Section& s, const std::string& which) {
    const std::size_t before = problems_.size();
    if (s.shape != Section::Shape::numbers) shape(s, which);
    if (problems_.size() > before) return;
    const Section n = numbers_of(s);
    positive(n.A.value_or(0), which + ": area A");
    positive(n.Iy.value_or(0), which + ": Iy");
    positive(n.Iz.value_or(0), which + ": Iz");
    positive(n.J.value_or(0), which + ": torsion constant J");
    not_negative(n.Ip.value_or(0), which + ": polar moment Ip");
    not_negative(n.ky.value_or(0), which + ": shear coefficient ky");
    not_negative(n.kz.value_or(0), which + ": shear coefficient kz");
  }

  void shape(const Section& s, const std::string& which) {
    positive(s.height, which + (s.width == s.height || s.width == 0 ? ": size" : ": height"));
    const bool two = s.shape == Section::Shape::rectangle || s.shape == Section::Shape::box ||
                     s.shape == Section::Shape::i;
    if (two) positive(s.width, which + ": width");
    const bool hollow = s.shape == Section::Shape::tube || s.shape == Section::Shape::box;
    if (hollow && !(s.inner_height >= 0 && s.inner_height < s.height))
      say(fmt::format("{}: the hollow is {} in {}", which, s.inner_height, s.height),
          "an inner size from zero to below the outer");
    else if (s.shape == Section::Shape::box && !(s.inner_width >= 0 && s.inner_width < s.width))
      say(fmt::format("{}: the hollow is {} in {}", which, s.inner_width, s.width),
          "an inner size from zero to below the outer");
    if (s.shape != Section::Shape::i) return;
    positive(s.flange, which + ": flange");
    positive(s.web, which + ": web");
    if (2 * s.flange >= s.height || s.web > s.width)
      say(which + ": flanges or web do not fit into the height and width",
          "2 flange < height and web <= width");
  }

  void products(const BeamProperties& p) {
    if (beam_.material || !beam_.sections.empty())
      say("it has both the products EA, EI, ... and a material or section", "one of the two");
    for (const auto& [value, what] : {std::pair{p.EA, "EA"},
                                      {p.EIy, "EIy"},
                                      {p.EIz, "EIz"},
                                      {p.GJ, "GJ"},
                                      {p.kGAy, "kGAy"},
                                      {p.kGAz, "kGAz"},
                                      {p.mass, "mass_per_length"},
                                      {p.polar_inertia, "polar_inertia"},
                                      {p.rotatory_inertia_y, "rotatory inertia about y"},
                                      {p.rotatory_inertia_z, "rotatory inertia about z"}})
      not_negative(value, what);
    if (p.EA == 0 && p.EIy == 0 && p.EIz == 0 && p.GJ == 0)
      say("it has no stiffness", "EA, EI (or EIy and EIz), GJ");
  }

  void attached(const AttachedBody& body) {
    if (!(body.station >= 0 && body.station <= 1))
      say(fmt::format("a body is attached at {} of the length", body.station),
          "start, end or a fraction from 0 to 1");
    not_negative(body.inertial.mass, "mass of an attached body");
    const bool finite = body.inertial.inertia.allFinite() && body.inertial.centre.allFinite();
    const std::string reason =
        finite ? why_impossible(body.inertial.mass, body.inertial.inertia) : "not finite";
    if (body.inertial.mass >= 0 && !reason.empty())
      say("impossible inertia of an attached body: " + reason, "the inertia of a real body");
  }

  void flexible(const FlexibleData& f) {
    for (const int n : {f.bending_y, f.bending_z, f.torsion, f.axial})
      if (n < 0)
        say(fmt::format("flexible: {} modes", n), "a number that is not negative");
      else if (n > 2 && f.family == ModeFamily::geometrically_exact)
        say(fmt::format("flexible: {} functions of a strain in each element", n),
            "0 (locked), 1 (constant) or 2 (linear)", "elements: N makes it finer");
    if (f.modes() == 0) say("flexible: no modes", "at least one mode", "leave flexible: out");
    const auto given = static_cast<int>(f.damping.size());
    if (given > 1 && given != f.modes())
      say(fmt::format("flexible: damping of {} modes, there are {}", given, f.modes()),
          "one number for all, or one for each mode");
    for (const double zeta : f.damping) not_negative(zeta, "flexible: damping");
    if (f.rayleigh) {
      not_negative(f.rayleigh->first, "flexible: rayleigh a");
      not_negative(f.rayleigh->second, "flexible: rayleigh b");
      if (given > 0) say("flexible: damping given twice", "a list or rayleigh");
    }
  }

  const BeamData& beam_;
  std::string element_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> check(const BeamData& beam, const std::string& element) {
  return BeamChecker(beam, element).run();
}

}  // namespace ulna
