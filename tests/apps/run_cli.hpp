#pragma once
// Runs the built program as a user would: words in; standard output, standard error and the exit
// status out. Each test has a folder of its own, because tests run side by side.

#include <gtest/gtest.h>
#include <sys/types.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ulna::test {

using Json = nlohmann::json;

inline constexpr double g0 = 9.81;  ///< the default gravity

/// A new folder, removed with all it holds.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ulna-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder: " + name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

std::string content_of(const std::string& path);

long count_of(const std::string& text, const std::string& part);
std::vector<std::string> lines_of(const std::string& text);

struct Outcome {
  int status = -1;  ///< exit status; -signal when one ended it
  std::string out, err;
  long peak_kilobytes = 0;
};

/// `out_path`: a file that takes the place of standard output. `meanwhile`: what to do to the
/// running program.
Outcome run_cli(const std::vector<std::string>& words, const std::string& out_path = {},
                const std::function<void(pid_t)>& meanwhile = {});

/// Runs with `--json` and returns the object; fails the test unless it is one, alone, with status
/// 0.
Json run_json(std::vector<std::string> words, int expected_status = 0);

/// Runs with `--json` and expects a refusal: status 2, nothing on standard output, and an error
/// that says all of these.
void expect_refusal(std::vector<std::string> words, const std::vector<std::string>& says);

/// The same structure exactly, numbers within `tolerance`.
void expect_json(const Json& actual, const Json& expected, double tolerance,
                 const std::string& where = "");

/// A planar arm with two hinges about z, gravity along -y: link lengths 1 and 0.5, rods with their
/// centres in the middle.
inline constexpr const char* planar_arm = R"(
ulna: 1
name: planar
description: two hinges
gravity: [0, -9.81, 0]
bodies:
  - {name: upper, mass: 2, centre: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2]}
  - {name: lower, mass: 1, centre: [0.25, 0, 0], inertia: [0.001, 0.02, 0.02]}
joints:
  - name: shoulder
    type: revolute
    parent: world
    child: upper
    limits: {lower: -170 deg, upper: 170 deg, velocity: 3, effort: 100}
  - name: elbow
    type: revolute
    parent: upper
    child: lower
    at: [1, 0, 0]
    limits: {lower: -2.5, upper: 2.5, velocity: 3}
frames:
  - {name: tool, body: lower, at: [0.5, 0, 0]}
)";

}  // namespace ulna::test
