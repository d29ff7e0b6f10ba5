#pragma once
// Runs the built program as a user would: words in; standard output, standard error and the exit
// status out. Each test has a folder of its own, because tests run side by side.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace ulna::test {

using Json = nlohmann::json;

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

inline std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

struct Outcome {
  int status = -1;  ///< exit status; -signal when one ended it
  std::string out, err;
  long peak_kilobytes = 0;
};

/// `out_path`: a file that takes the place of standard output. `meanwhile`: what to do to the
/// running program.
inline Outcome run_cli(const std::vector<std::string>& words, const std::string& out_path = {},
                       const std::function<void(pid_t)>& meanwhile = {}) {
  const TemporaryFolder folder;
  const std::string out = out_path.empty() ? folder.path("out") : out_path;
  const std::string err = folder.path("err");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT, 0600);

  std::string program = ULNA_CLI;
  std::vector<std::string> copies = words;
  std::vector<char*> arguments = {program.data()};
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failure = posix_spawn(&child, ULNA_CLI, &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw std::runtime_error("cannot run " ULNA_CLI);

  if (meanwhile) meanwhile(child);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  Outcome outcome;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  if (out_path.empty()) outcome.out = content_of(out);
  outcome.err = content_of(err);
  outcome.peak_kilobytes = usage.ru_maxrss;
  return outcome;
}

/// Runs with `--json` and returns the object; fails the test unless it is one, alone, with status
/// 0.
inline Json run_json(std::vector<std::string> words, int expected_status = 0) {
  words.emplace_back("--json");
  const Outcome outcome = run_cli(words);
  EXPECT_EQ(outcome.status, expected_status) << outcome.err;
  const Json object = Json::parse(outcome.out, nullptr, false);
  EXPECT_TRUE(object.is_object()) << outcome.out;
  return object;
}

/// Runs with `--json` and expects a refusal: status 2, nothing on standard output, and an error
/// that says all of these.
inline void expect_refusal(std::vector<std::string> words, const std::vector<std::string>& says) {
  words.emplace_back("--json");
  std::string command;
  for (const std::string& word : words) command += word + " ";
  const Outcome outcome = run_cli(words);
  EXPECT_EQ(outcome.status, 2) << command;
  EXPECT_EQ(outcome.out, "") << command;
  EXPECT_NE(outcome.err.find("error: "), std::string::npos) << command << "\n" << outcome.err;
  for (const std::string& part : says)
    EXPECT_NE(outcome.err.find(part), std::string::npos)
        << command << "does not say " << part << ":\n"
        << outcome.err;
}

/// The same structure exactly, numbers within `tolerance`.
inline void expect_json(const Json& actual, const Json& expected, double tolerance,
                        const std::string& where = "") {
  if (expected.is_number() && actual.is_number()) {
    EXPECT_NEAR(actual.get<double>(), expected.get<double>(), tolerance) << "at " << where;
  } else if (expected.is_array() && actual.is_array()) {
    ASSERT_EQ(actual.size(), expected.size()) << "at " << where << ": " << actual;
    for (std::size_t k = 0; k < expected.size(); ++k)
      expect_json(actual[k], expected[k], tolerance, where + "[" + std::to_string(k) + "]");
  } else if (expected.is_object() && actual.is_object()) {
    for (const auto& [key, value] : actual.items())
      EXPECT_TRUE(expected.contains(key)) << "not expected at " << where << ": " << key;
    for (const auto& [key, value] : expected.items()) {
      if (!actual.contains(key))
        ADD_FAILURE() << "missing at " << where << ": " << key;
      else
        expect_json(actual[key], value, tolerance, where + "." + key);
    }
  } else {
    EXPECT_EQ(actual, expected) << "at " << where;
  }
}

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
