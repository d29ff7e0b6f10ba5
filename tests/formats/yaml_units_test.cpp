// Numbers with units. A value with a unit equals the decimal one would type by hand.

#include <numbers>

#include "reading.hpp"

namespace ulna {
namespace {

using std::numbers::pi;
using ::testing::HasSubstr;

double mass_of(const std::string& text) {
  return robot_of(one_joint("", "mass: " + text)).bodies[0].inertial.mass;
}
double length_of(const std::string& text) {
  return robot_of(one_joint("at: [" + text + ", 0, 0]")).joints[0].X_PF.position.x();
}
double upper_of(const std::string& text) {
  return robot_of(one_joint("limits: {upper: " + text + "}")).joints[0].degrees[0].upper;
}
double speed_of(const std::string& text) {
  return robot_of(one_joint("limits: {velocity: " + text + "}"))
      .joints[0]
      .degrees[0]
      .velocity_limit;
}
double damping_of(const std::string& text) {
  return robot_of(one_joint("damping: " + text)).joints[0].degrees[0].damping;
}
double pitch_of(const std::string& text) {
  return robot_of(one_joint("pitch: " + text, "", "screw")).joints[0].pitch;
}

TEST(Units, ConvertToTheNearestDouble) {
  EXPECT_EQ(mass_of("2"), 2);
  EXPECT_EQ(mass_of("2 kg"), 2);
  EXPECT_EQ(mass_of("350 g"), 0.35);
  EXPECT_EQ(mass_of("1 lb"), 0.45359237);
  EXPECT_EQ(length_of("25 mm"), 0.025);
  EXPECT_EQ(length_of("25.4mm"), 0.0254);
  EXPECT_EQ(length_of("1 in"), 0.0254);
  EXPECT_EQ(length_of("-1.1 cm"), -0.011);
  EXPECT_EQ(length_of("+.5"), 0.5);
  EXPECT_EQ(length_of("1e-3"), 0.001);
}

TEST(Units, AnglesAreRadiansDegreesOrPartsOfPi) {
  EXPECT_EQ(upper_of("90 deg"), pi / 2);
  EXPECT_EQ(upper_of("180 deg"), pi);
  EXPECT_EQ(upper_of("pi/2"), pi / 2);
  EXPECT_EQ(upper_of("-3*pi/4"), -3 * pi / 4);
  EXPECT_EQ(upper_of("2 * (1 + 0.5)"), 3);
  EXPECT_EQ(upper_of("2 rev"), 4 * pi);
  EXPECT_EQ(upper_of("\"45 deg\""), pi / 4);
  EXPECT_EQ(upper_of("1.57079632679"), 1.57079632679);
}

TEST(Units, ComposeByProductQuotientAndPower) {
  EXPECT_EQ(speed_of("30 rpm"), pi);
  EXPECT_EQ(speed_of("180 deg/s"), pi);
  EXPECT_EQ(damping_of("0.1 N m s/rad"), 0.1);
  EXPECT_EQ(damping_of("0.1 Nm s"), 0.1);
  EXPECT_EQ(damping_of("0.1 N*m*s"), 0.1);
  EXPECT_EQ(pitch_of("1 mm/rad"), 0.001);
  EXPECT_DOUBLE_EQ(pitch_of("5 mm/rev"), 0.005 / (2 * pi));
  const Robot robot = robot_of(one_joint("", "inertia: [1000 g cm^2, 2 kg m^2, 3 kg*m^2]"));
  EXPECT_EQ(robot.bodies[0].inertial.inertia.diagonal(), Vector3<double>(1e-4, 2, 3));
}

TEST(Units, AWrongDimensionIsRefusedWithAnExample) {
  const std::string text = yaml_complaint(one_joint("", "mass: 25 mm"));
  EXPECT_THAT(text, HasSubstr("robot.yaml:5:11: body 'arm', mass: '25 mm' has the wrong unit"));
  EXPECT_THAT(text, HasSubstr("expected a mass, such as 2.5 or 2.5 kg"));
  EXPECT_THAT(yaml_complaint(one_joint("at: [90 deg, 0, 0]")), HasSubstr("a length"));
  EXPECT_THAT(yaml_complaint(one_joint("limits: {upper: 3 mm}")), HasSubstr("an angle"));
  EXPECT_THAT(yaml_complaint(one_joint("limits: {upper: 90 deg}", "", "prismatic")),
              HasSubstr("a length"));
  EXPECT_THAT(yaml_complaint(one_joint("pitch: 5 mm", "", "screw")), HasSubstr("a pitch"));
  EXPECT_THAT(yaml_complaint(one_joint("rotor: {inertia: 1, gear_ratio: 3 deg}")),
              HasSubstr("a plain number"));
}

TEST(Units, AnUnknownUnitIsRefusedWithTheNearestOne) {
  EXPECT_THAT(yaml_complaint(one_joint("limits: {upper: 90 degr}")),
              HasSubstr("unknown unit 'degr'; did you mean 'deg'?"));
}

TEST(Units, WhatIsNotAFiniteNumberIsRefused) {
  for (const char* text : {"nan", "inf", "-inf", ".nan", ".inf", "1e999", "1/0", "1 +", "(1", "abc",
                           "1..2", "0x10", "1,5", "--", "''", "1^99", "2 kg/", "9^9^9"})
    EXPECT_THAT(yaml_complaint(one_joint("", "mass: " + std::string(text))),
                HasSubstr("expected a mass"))
        << text;
  EXPECT_THAT(yaml_complaint(one_joint("", "mass: " + std::string(1000, '('))),
              HasSubstr("too long"));
}

}  // namespace
}  // namespace ulna
