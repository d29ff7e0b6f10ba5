#include "run_cli.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>

#include "support/places.hpp"

namespace ulna::test {

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

long count_of(const std::string& text, const std::string& part) {
  long count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Outcome run_cli(const std::vector<std::string>& words, const std::string& out_path,
                const std::function<void(pid_t)>& meanwhile) {
  const TemporaryFolder folder;
  const std::string out = out_path.empty() ? folder.path("out") : out_path;
  const std::string err = folder.path("err");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT, 0600);

  std::string program = testing::ulna_program();
  std::vector<std::string> copies = words;
  std::vector<char*> arguments = {program.data()};
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failure =
      posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw std::runtime_error("cannot run " + program);

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

Json run_json(std::vector<std::string> words, int expected_status) {
  words.emplace_back("--json");
  const Outcome outcome = run_cli(words);
  EXPECT_EQ(outcome.status, expected_status) << outcome.err;
  const Json object = Json::parse(outcome.out, nullptr, false);
  EXPECT_TRUE(object.is_object()) << outcome.out;
  return object;
}

void expect_refusal(std::vector<std::string> words, const std::vector<std::string>& says) {
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

void expect_json(const Json& actual, const Json& expected, double tolerance,
                 const std::string& where) {
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

}  // namespace ulna::test
