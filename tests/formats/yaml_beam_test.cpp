// Beams in robot files: read, written back, and refused with the name of the link.

#include "reading.hpp"
#include "ulna/model/model.hpp"

namespace ulna {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string model_complaint(const std::string& beam) {
  return complaint([&] { const Model model(robot_of(one_joint("", beam))); });
}

TEST(YamlBeam, OfOneKeyEach) {
  const Robot robot = robot_of(one_joint("", R"(beams:
  - {name: a, from: [0, 0, 1], to: [0, 2 m, 1], reference: [1, 0, 0], material: steel, section: {round: 20 mm}, elements: 4}
  - {name: b, length: 300 mm, material: {E: 70 GPa, nu: 0.25, density: 2.7e3 kg/m^3}, sections: [{tube: {outer: 3 cm, thickness: 2 mm}}, {A: 1e-4, Iy: 2e-8, Iz: 1 cm^4, J: 3e-8, ky: 0.5, kz: 0.6}]}
  - {name: c, length: 1, EA: 1e6, EI: 80 N m^2, GJ: 60, mass_per_length: 1.2 kg/m, polar_inertia: 1e-4, attached: [{at: end, mass: 2, centre: [0, 0, 0.1]}, {at: 0.25, mass: 1}], flexible: {modes: {bending_y: 3, torsion: 1}, family: clamped-tip-body, damping: {rayleigh: [0.1, 1e-5]}}})"));
  const auto& beams = robot.bodies[0].beams;
  ASSERT_EQ(beams.size(), 3u);
  EXPECT_EQ(beams[0].elements, 4);
  EXPECT_EQ(beams[0].to, Vector3<double>(0, 2, 1));
  EXPECT_EQ(beams[1].elements, 2);
  EXPECT_DOUBLE_EQ(beams[1].material->G, 28e9);
  EXPECT_DOUBLE_EQ(properties_of(beams[1], 1).EIz, 700);
  EXPECT_DOUBLE_EQ(beams[1].sections[0].inner_height, 0.026);
  EXPECT_EQ(beams[2].products->EIy, 80);
  EXPECT_EQ(beams[2].attached[1].station, 0.25);
  EXPECT_EQ(beams[2].flexible->bending_y, 3);
  EXPECT_EQ(beams[2].flexible->bending_z, 0);
  EXPECT_EQ(beams[2].flexible->rayleigh->second, 1e-5);

  const Robot again = robot_of(write_robot_yaml(robot));
  for (std::size_t k = 0; k < 3; ++k) {
    const BeamData &x = beams[k], &y = again.bodies[0].beams[k];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.from, y.from);
    EXPECT_EQ(x.to, y.to);
    EXPECT_EQ(x.elements, y.elements);
    for (int e = 0; e < 2; ++e) {
      const BeamProperties p = properties_of(x, e), q = properties_of(y, e);
      EXPECT_EQ(p.EA, q.EA);
      EXPECT_EQ(p.EIy, q.EIy);
      EXPECT_EQ(p.GJ, q.GJ);
      EXPECT_EQ(p.kGAz, q.kGAz);
      EXPECT_EQ(p.polar_inertia, q.polar_inertia);
    }
    EXPECT_EQ(inertial_of(x).centre, inertial_of(y).centre);
  }
}

TEST(YamlBeam, MassComesFromTheBeam) {
  const Model model(robot_of(one_joint(
      "", "beam: {length: 2, EI: 10, mass_per_length: 3, attached: [{at: end, mass: 1}]}")));
  EXPECT_DOUBLE_EQ(model.mass(), 7);
  const Inertial inertial = inertial_of(model.robot().bodies[0]);
  EXPECT_NEAR(inertial.centre.x(), (6 * 1 + 1 * 2) / 7.0, 1e-15);
}

TEST(YamlBeam, MistakesNameTheLink) {
  EXPECT_THAT(
      yaml_complaint(one_joint("", "beam: {length: 1, material: steal, section: {round: 1}}")),
      AllOf(HasSubstr("body 'arm', beam"), HasSubstr("did you mean 'steel'?")));
  EXPECT_THAT(yaml_complaint(one_joint("", "beam: {material: steel, section: {round: 1}}")),
              HasSubstr("has no end"));
  EXPECT_THAT(yaml_complaint(
                  one_joint("", "beam: {length: 1, material: steel, section: {tube: {outer: 1}}}")),
              HasSubstr("hollow is missing"));
  EXPECT_THAT(
      yaml_complaint(one_joint("", "beam: {length: 1, EI: 1, flexible: {family: clamped}}")),
      HasSubstr("unknown family"));
  const std::string round = "material: steel, section: {round: 0.1}}";
  EXPECT_THAT(model_complaint("beam: {length: 0, " + round),
              AllOf(HasSubstr("body 'arm', beam"), HasSubstr("expected a length above zero")));
  EXPECT_THAT(model_complaint("mass: 1\nbeam: {length: 1, " + round),
              AllOf(HasSubstr("body 'arm'"), HasSubstr("in addition to its beam")));
  EXPECT_THAT(model_complaint("beam: {length: 1, reference: [2, 0, 0], " + round),
              HasSubstr("along the axis"));
  EXPECT_THAT(model_complaint("beam: {length: 1, material: steel, section: {round: -1}}"),
              HasSubstr("above zero"));
  EXPECT_THAT(
      model_complaint("beam: {length: 1, material: steel, section: {tube: {outer: 1, inner: 2}}}"),
      HasSubstr("the hollow is 2 in 1"));
  EXPECT_THAT(
      model_complaint(
          "beam: {length: 1, elements: 3, material: steel, sections: [{round: 1}, {round: 2}]}"),
      HasSubstr("2 sections for 3 elements"));
  EXPECT_THAT(model_complaint("beam: {length: 1, elements: 0, " + round),
              HasSubstr("at least one"));
  EXPECT_THAT(model_complaint("beam: {length: 1, mass_per_length: 1}"), HasSubstr("no stiffness"));
  EXPECT_THAT(model_complaint("beam: {length: 1, attached: [{at: 2, mass: 1}], " + round),
              HasSubstr("fraction from 0 to 1"));
}

}  // namespace
}  // namespace ulna
