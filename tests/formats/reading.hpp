#pragma once
// What the tests of the readers share: reading text, and the complaint a bad text gets.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ulna/formats/read_robot.hpp"
#include "ulna/formats/write_robot.hpp"

namespace ulna {

inline constexpr double rounding = 1e-15;  ///< a few units in the last place of numbers near 1

inline Robot robot_of(const std::string& yaml) {
  return read_robot_yaml_text(yaml, "robot.yaml").robot;
}

/// What the InputError of a call says, or "accepted".
template <class Call>
std::string complaint(Call&& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

/// All problems of the InputError of a call, one a line, or "not refused".
template <class Call>
std::string problems_of(Call&& call) {
  try {
    call();
  } catch (const InputError& error) {
    std::string all;
    for (const Problem& p : error.problems()) all += p.text() + "\n";
    return all;
  }
  return "not refused";
}

inline void expect_parts(const std::string& text, const std::vector<std::string>& parts,
                         const std::string& input) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << input << "\n--> " << text;
}

inline std::string yaml_complaint(const std::string& text) {
  return complaint([&] { read_robot_yaml_text(text, "robot.yaml"); });
}

inline std::string urdf_complaint(const std::string& text) {
  return complaint([&] { read_urdf_text(text, "robot.urdf"); });
}

inline std::string file_complaint(const std::string& path) {
  return complaint([&] { read_robot(path); });
}

/// A robot of one body on one joint; the texts are lines of that body and of that joint.
inline std::string one_joint(const std::string& joint_lines, const std::string& body_lines = {},
                             const std::string& type = "revolute") {
  const auto indented = [](const std::string& lines) {
    std::string out;
    std::size_t begin = 0;
    while (begin < lines.size()) {
      const std::size_t end = std::min(lines.find('\n', begin), lines.size());
      out += "    " + lines.substr(begin, end - begin) + "\n";
      begin = end + 1;
    }
    return out;
  };
  return "ulna: 1\nname: test\nbodies:\n  - name: arm\n" + indented(body_lines) +
         "joints:\n  - name: hinge\n    type: " + type + "\n    parent: world\n    child: arm\n" +
         indented(joint_lines);
}

}  // namespace ulna
