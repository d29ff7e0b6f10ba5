#pragma once
// What is done with a robot that a reader accepted: it is written and read back without loss, made
// a model, and moved. InputError and ComputationError are answers; anything else ends the fuzzer.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "ulna/dynamics/inverse_dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/formats/write_robot.hpp"

namespace ulna::fuzz {

[[noreturn]] inline void fail(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
  std::abort();
}

/// Written, read and written again gives the same text.
inline void round_trip(const Robot& robot) {
  const std::string written = write_robot_yaml(robot);
  try {
    const std::string again = write_robot_yaml(read_robot_yaml_text(written, "written.yaml").robot);
    if (again != written) fail("a robot changed by being written and read", written + again);
  } catch (const InputError& error) {
    fail("what was written cannot be read", error.what() + ("\n" + written));
  }
}

inline void move(const Robot& robot) {
  const Model model(robot);
  Workspace work(model);
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(model.speeds());
  inverse_dynamics(model, work, model.neutral(), one, one);
}

/// `read` makes a ReadResult from text.
template <class Read>
void read_and_use(const Read& read, const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const Robot robot = read(text).robot;
    round_trip(robot);
    move(robot);
  } catch (const InputError&) {
  } catch (const ComputationError&) {
  }
}

}  // namespace ulna::fuzz
