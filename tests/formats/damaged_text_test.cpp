// Whatever is done to a robot file, reading it gives a robot or an InputError, nothing else.

#include <random>

#include "reading.hpp"
#include "ulna/formats/read_experiment.hpp"

namespace ulna {
namespace {

const char* const urdf = R"(<?xml version="1.0"?>
<robot name="arm"><!-- one joint -->
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0.1 0 0" rpy="0 0 1"/><mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial>
    <visual><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
  </link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="2" effort="30" velocity="4"/></joint>
</robot>
)";

// Cuts, copies, swaps and overwrites pieces at random.
std::string damaged(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end)(random);
  };
  const std::string letters = "<>/\"'[]{}:,-?#&*!|%@ \n\t=0e.~";
  for (std::size_t times = below(3) + 1; times > 0; --times) {
    const std::size_t at = below(text.size()), length = below(12);
    const std::string piece = text.substr(at, length);
    switch (below(4)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(below(text.size()), piece);
        break;
      case 2:
        text.insert(at, 1, letters[below(letters.size() - 1)]);
        break;
      case 3:
        text.resize(at);
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(below(255));
    }
  }
  return text;
}

TEST(DamagedText, NeverEscapesTheYamlReader) {
  std::mt19937 random(1);
  const std::string whole = shipped_robot_text("puma560");
  const std::string text = whole.substr(whole.find("ulna: 1"));
  for (int i = 0; i < 1000; ++i) EXPECT_NO_THROW(yaml_complaint(damaged(text, random))) << i;
}

const char* const experiment = R"(experiment: 1
robot: scara
duration: 0.8 s
constants: {A: 0.2}
start: {q: [30 deg, 60 deg, 0]}
motions: {joint2: {spline: cubic, times: [0, 1], values: [60 deg, 10 deg]}}
timing: {within: {rates: {joint2: 2}}}
drives: {joint1: {effort: {switched: 20 N m, at: [0.3 s]}}, joint2: controller, joint3: locked}
controllers: [{law: pid, kp: 100, kd: 20, ki: 5, rate: 500 Hz, limit: 40}]
goal: {q: {joint1: 60 deg}, v: {joint1: 0}}
wrenches: [{body: link3, force: [0, "3*t", 0]}]
stop: [{name: low, when: q.joint3, below: -50 mm}]
integrator: {method: dop853, rtol: 1e-10}
record: {interval: 50 ms, channels: [q, energy.kinetic]}
)";

TEST(DamagedText, NeverEscapesTheExperimentReader) {
  std::mt19937 random(3);
  ASSERT_NO_THROW(read_experiment_text(experiment, "e.yaml"));
  for (int i = 0; i < 2000; ++i) {
    const std::string text = damaged(experiment, random);
    try {
      read_experiment_text(text, "e.yaml");
    } catch (const InputError&) {
    } catch (const ComputationError&) {  // a limit that cannot be kept
    } catch (const std::exception& other) {
      ADD_FAILURE() << other.what() << "\n" << text;
    }
  }
}

TEST(DamagedText, NeverEscapesTheUrdfReader) {
  std::mt19937 random(2);
  for (int i = 0; i < 3000; ++i) EXPECT_NO_THROW(urdf_complaint(damaged(urdf, random))) << i;
}

TEST(DamagedText, CutAnywhereIsRefusedAsXml) {
  const std::string whole = urdf;
  ASSERT_EQ(urdf_complaint(whole), "accepted");
  for (std::size_t length = 0; length < whole.rfind('>'); ++length)
    EXPECT_NE(urdf_complaint(whole.substr(0, length)), "accepted") << length;
}

}  // namespace
}  // namespace ulna
