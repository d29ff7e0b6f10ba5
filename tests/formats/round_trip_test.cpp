// A robot that is written and read again is the same robot, number by number.

#include <numbers>

#include "reading.hpp"

namespace ulna {
namespace {

using ::testing::HasSubstr;

void expect_same(const Pose<double>& a, const Pose<double>& b) {
  EXPECT_EQ(a.rotation, b.rotation);
  EXPECT_EQ(a.position, b.position);
}

void expect_same(const Inertial& a, const Inertial& b) {
  EXPECT_EQ(a.mass, b.mass);
  EXPECT_EQ(a.centre, b.centre);
  EXPECT_EQ(a.inertia, b.inertia);
}

void expect_same(const Geometry& a, const Geometry& b) {
  EXPECT_EQ(a.shape, b.shape);
  EXPECT_EQ(a.use, b.use);
  expect_same(a.X_BG, b.X_BG);
  EXPECT_EQ(a.size, b.size);
  EXPECT_EQ(a.mesh, b.mesh);
  EXPECT_EQ(a.scale, b.scale);
  EXPECT_EQ(a.colour, b.colour);
}

void expect_same(const DegreeData& a, const DegreeData& b) {
  for (double DegreeData::*member :
       {&DegreeData::lower, &DegreeData::upper, &DegreeData::velocity_limit,
        &DegreeData::effort_limit, &DegreeData::damping, &DegreeData::friction,
        &DegreeData::stiffness, &DegreeData::rest, &DegreeData::rotor_inertia,
        &DegreeData::gear_ratio})
    EXPECT_EQ(a.*member, b.*member);
}

void expect_same(const JointData& a, const JointData& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.parent, b.parent);
  EXPECT_EQ(a.child, b.child);
  expect_same(a.X_PF, b.X_PF);
  expect_same(a.X_MC, b.X_MC);
  EXPECT_EQ(a.axis, b.axis);
  EXPECT_EQ(a.axis2, b.axis2);
  EXPECT_EQ(a.pitch, b.pitch);
  EXPECT_EQ(a.cut, b.cut);
  ASSERT_EQ(a.mimic.has_value(), b.mimic.has_value());
  if (a.mimic) {
    EXPECT_EQ(a.mimic->joint, b.mimic->joint);
    EXPECT_EQ(a.mimic->multiplier, b.mimic->multiplier);
    EXPECT_EQ(a.mimic->offset, b.mimic->offset);
  }
  for (std::size_t i = 0; i < std::max(a.degrees.size(), b.degrees.size()); ++i)
    expect_same(i < a.degrees.size() ? a.degrees[i] : DegreeData(),
                i < b.degrees.size() ? b.degrees[i] : DegreeData());
}

void expect_same(const ConstraintData& a, const ConstraintData& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.parent, b.parent);
  EXPECT_EQ(a.child, b.child);
  EXPECT_EQ(a.parent_point, b.parent_point);
  EXPECT_EQ(a.child_point, b.child_point);
  EXPECT_EQ(a.length, b.length);
  EXPECT_EQ(a.offset, b.offset);
  ASSERT_EQ(a.terms.size(), b.terms.size());
  for (std::size_t k = 0; k < a.terms.size(); ++k) {
    EXPECT_EQ(a.terms[k].joint, b.terms[k].joint);
    EXPECT_EQ(a.terms[k].factor, b.terms[k].factor);
    EXPECT_EQ(a.terms[k].degree, b.terms[k].degree);
  }
}

void expect_same(const Robot& a, const Robot& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.description, b.description);
  EXPECT_EQ(a.gravity, b.gravity);
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    EXPECT_EQ(a.bodies[i].name, b.bodies[i].name);
    expect_same(a.bodies[i].inertial, b.bodies[i].inertial);
    ASSERT_EQ(a.bodies[i].geometry.size(), b.bodies[i].geometry.size());
    for (std::size_t k = 0; k < a.bodies[i].geometry.size(); ++k)
      expect_same(a.bodies[i].geometry[k], b.bodies[i].geometry[k]);
  }
  ASSERT_EQ(a.joints.size(), b.joints.size());
  for (std::size_t i = 0; i < a.joints.size(); ++i) expect_same(a.joints[i], b.joints[i]);
  ASSERT_EQ(a.constraints.size(), b.constraints.size());
  for (std::size_t i = 0; i < a.constraints.size(); ++i)
    expect_same(a.constraints[i], b.constraints[i]);
  ASSERT_EQ(a.frames.size(), b.frames.size());
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    EXPECT_EQ(a.frames[i].name, b.frames[i].name);
    EXPECT_EQ(a.frames[i].body, b.frames[i].body);
    expect_same(a.frames[i].X_BF, b.frames[i].X_BF);
  }
  ASSERT_EQ(a.payloads.size(), b.payloads.size());
  for (std::size_t i = 0; i < a.payloads.size(); ++i) {
    EXPECT_EQ(a.payloads[i].name, b.payloads[i].name);
    EXPECT_EQ(a.payloads[i].body, b.payloads[i].body);
    expect_same(a.payloads[i].X_BL, b.payloads[i].X_BL);
    expect_same(a.payloads[i].inertial, b.payloads[i].inertial);
  }
}

void expect_round_trip(const Robot& robot) {
  const std::string written = write_robot_yaml(robot);
  const ReadResult again =
      read_robot_yaml_text(written, "again.yaml", {.strict = true, .packages = {}});
  SCOPED_TRACE(written);
  expect_same(robot, again.robot);
}

// Every key of the format, with numbers that have no short decimal.
const char* const everything = R"(
ulna: 1
name: "every: feature # of 'it'"
description: "Two lines,\nand a \"quotation\" with \\ and \u00e9"
gravity: [1/3, -2/7, -9.80665 m/s^2]
bodies:
  - name: link1
    mass: 2.2 lb
    centre: [1/3, 25.4 mm, -1e-300]
    inertia: [1/3, 0.5, 0.6, 0.01/7, -0.02/3, 0.03]
    geometry:
      - {box: [0.1, 0.2, 1/3], at: [0, 0, 1/7], colour: [1, 0.5, 0.25]}
      - {cylinder: {radius: 5 cm, length: 0.3}, at: {rpy: [0.1, 0.2, 0.3]}, colour: [1, 1/3, 0, 0.5]}
      - {capsule: {radius: 5 cm, length: 0.3}, use: collision}
      - sphere: 30 mm
        at: {position: [1, 2, 3], quaternion: [0.5, 0.5, -0.5, 0.5]}
      - mesh: "package://x/y [z], {w}.stl"
      - mesh: {file: part.obj, scale: [0.001, 0.001, 1/3]}
  - {name: "null", mass: 1, inertia: {about: origin, axis: [1, 1, 0], angle: 20 deg, values: [3, 4, 5]}}
  - {name: "2"}
  - {name: link 4, at_zero: {position: [1, 2, 3], axis: [1, 2, 3], angle: 77 deg}}
  - {name: e, at_zero: [0, 0, 0]}
  - {name: f}
  - {name: g}
  - {name: h}
  - {name: i}
  - {name: k}
joints:
  - name: j1
    type: revolute
    parent: world
    child: link1
    axis: [1, 1/3, 0.1]
    at: {position: [0.1, 0.2, 0.3], axis: [1, 2, 3], angle: 1 rad}
    child_at: {position: [1/3, 0, 0], rotation: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}
    limits: {lower: -170 deg, upper: 2*pi/3, velocity: 30 rpm, effort: 12 N m}
    damping: 0.1 N m s/rad
    friction: 1/3
    spring: {stiffness: 40 N m/rad, rest: 10 deg}
    rotor: {inertia: 200 g cm^2, gear_ratio: -100.7}
  - {name: j2, type: prismatic, parent: link1, child: "null", dh: {convention: standard, theta: 0.3, a: 0.1, alpha: 1}, limits: {upper: 1}, mimic: {joint: j1, multiplier: 1/3, offset: 3 mm}}
  - {name: j3, type: screw, parent: "null", child: "2", pitch: 5 mm/rev, spring: {stiffness: 0, rest: 1}}
  - {name: j4, type: cylindrical, parent: world, child: link 4, screw_axis: {direction: [1, 2, 3], point: [0.1, 0, 0]}, damping: [1, 2], limits: {lower: [none, -1], effort: 7}}
  - {name: j5, type: universal, parent: world, child: e, axis: [1, 0, 0], axis2: [0, 1, 1/3], rotor: {gear_ratio: [2, 3], inertia: 1}}
  - {name: j6, type: spherical, parent: world, child: f, damping: [1, 2, 3]}
  - {name: j7, type: planar, parent: world, child: g, axis: [0, 1, 0], friction: [1, 2, 3]}
  - {name: j8, type: free, parent: world, child: h, damping: 1/3}
  - {name: j9, type: fixed, parent: h, child: i, at: [0, 0, 1]}
  - {name: j10, type: sphere-in-groove, parent: world, child: k, axis: [1, 0, 1/3], limits: {lower: [-5 cm, none, none, none]}, damping: [1, 2, 3, 4]}
  - {name: loop, type: revolute, parent: i, child: link1, cut: true}
frames:
  - {name: tool, body: i, at: {position: [0, 0, 1/3], rpy: [0, 90 deg, 0]}}
  - {name: table, body: world}
payloads:
  - {name: cup, body: i, at: [0, 0, 0.1], mass: 300 g, centre: [0, 0, 1/30], inertia: [0.001, 0.001, 0.0005]}
)";

TEST(RoundTrip, KeepsARobotThatUsesEveryKey) { expect_round_trip(robot_of(everything)); }

TEST(RoundTrip, KeepsTheShippedRobots) {
  for (const ShippedRobot& shipped : shipped_robots())
    expect_round_trip(read_robot(shipped.name).robot);
}

TEST(RoundTrip, WritesOnlyWhatDiffersFromTheDefault) {
  const std::string written = write_robot_yaml(robot_of(one_joint("")));
  EXPECT_EQ(written,
            "# A robot file of Ulna, described in docs/robot-file.md. SI units, radians.\n"
            "ulna: 1\nname: test\ngravity: [0, 0, -9.81]\n\nbodies:\n  - name: arm\n\n"
            "joints:\n  - name: hinge\n    type: revolute\n    parent: world\n    child: arm\n");
}

TEST(RoundTrip, WritesAnglesWhereTheyGiveTheSameMatrix) {
  const std::string written = write_robot_yaml(robot_of(one_joint("at: {rpy: [90 deg, 0, 0]}")));
  EXPECT_THAT(written, HasSubstr("at: {rpy: [1.5707963267948966, 0, 0]}"));
}

TEST(RoundTrip, AnEmptyRobotIsWrittenToo) {
  Robot robot;
  robot.name = "empty";
  expect_round_trip(robot);
}

TEST(RoundTrip, ANumberThatIsNotFiniteCannotBeWritten) {
  Robot robot = robot_of(one_joint(""));
  robot.bodies[0].inertial.mass = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(complaint([&] { write_robot_yaml(robot); }), HasSubstr("nan"));
}

TEST(RoundTrip, OfConstraints) {
  const Robot robot = read_robot_yaml_text(R"(
ulna: 1
name: coupled
bodies: [{name: a}, {name: b}]
joints:
  - {name: turn, type: revolute, parent: world, child: a}
  - {name: both, type: cylindrical, parent: world, child: b}
constraints:
  - {name: rod, type: distance, parent: a, child: b, parent_point: [10 mm, 0, 0], length: 30 cm}
  - name: rack
    type: coupling
    terms: [{joint: turn, factor: 0.1}, {joint: both, factor: -1, degree: 2}]
    offset: 0.25
)",
                                           "coupled.yaml", {.strict = true, .packages = {}})
                          .robot;
  ASSERT_EQ(robot.constraints.size(), 2u);
  EXPECT_EQ(robot.constraints[0].length, 0.3);
  EXPECT_EQ(robot.constraints[1].terms[1].degree, 1);
  expect_round_trip(robot);
}

}  // namespace
}  // namespace ulna
