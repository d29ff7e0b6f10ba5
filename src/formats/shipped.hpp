#pragma once
// The robot files of robots/ and examples/benchmarks as text inside the library. Their definition
// is written at build time by embed_robots.cmake.

#include <optional>
#include <string>
#include <vector>

namespace ulna {

struct EmbeddedRobot {
  const char* name;
  const char* group;  ///< "benchmarks" or empty
  const char* text;
};

/// Ends with a null name.
extern const EmbeddedRobot embedded_robots[];

std::optional<std::string> find_embedded_robot(const std::string& name);
std::vector<std::string> embedded_robot_names();

}  // namespace ulna
