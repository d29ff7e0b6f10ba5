// Whatever is done to a robot file, reading it gives a robot or an InputError, nothing else.

#include <random>

#include "reading.hpp"

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
