// Help, the list of commands and the list of robots.

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "run_cli.hpp"

namespace ulna::test {
namespace {

using ::testing::HasSubstr;

TEST(Help, CommandsHaveOneLineEach) {
  const Outcome alone = run_cli({});
  EXPECT_EQ(alone.status, 0);
  int groups = 0, commands = 0;
  for (const std::string& line : lines_of(alone.out.substr(0, alone.out.find("\nExamples:")))) {
    if (line.ends_with(":") && line != "Options:") ++groups;
    if (!line.starts_with("  ") || line.starts_with("  -")) continue;
    ++commands;
    ASSERT_GT(line.size(), 34u) << line;
    EXPECT_EQ(line.substr(32, 2), "  ") << line;  // a name, and what it does beside it
    EXPECT_NE(line[34], ' ') << line;
  }
  EXPECT_EQ(groups, 5);
  EXPECT_GT(commands, 30);
}

TEST(Help, HelpGoesOnBelowWhatItExplains) {
  for (const char* command : {"ik", "plot", "modes", "identify"}) {
    const std::vector<std::string> lines = lines_of(run_cli({command, "--help"}).out);
    for (std::size_t k = 1; k < lines.size(); ++k) {
      // A paragraph is filled: no line ends early because the text of the program did.
      const std::string &line = lines[k - 1], &next = lines[k];
      if (line.empty() || next.empty() || line[0] == ' ' || next[0] == ' ') continue;
      if (line.ends_with(':') || line.starts_with("Usage") || next.starts_with("Usage")) continue;
      if (line.ends_with('.')) continue;
      EXPECT_GT(line.size() + 1 + next.find(' '), 85u) << command << ": " << line;
    }
    const auto robot = std::ranges::find_if(
        lines, [](const std::string& line) { return line.starts_with("  ROBOT (required)"); });
    if (robot == lines.end()) continue;
    EXPECT_TRUE(robot[1].empty() || robot[1].starts_with(std::string(34, ' ')) ||
                robot[1].substr(32, 2) == "  ")
        << robot[1];
  }
}

TEST(Help, AnUnknownCommandIsShort) {
  const Outcome outcome = run_cli({"inverze", "puma560"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean 'inverse'?"));
  EXPECT_LT(outcome.err.size(), 120u) << outcome.err;
}

TEST(Help, RobotsAreListedInGroups) {
  const Outcome text = run_cli({"robots"});
  std::size_t at = 0;
  for (const char* title :
       {"Current arms:", "Arms of the literature:", "Mechanisms and parallel robots:",
        "Flexible robots:", "Benchmark problems:"}) {
    const std::size_t next = text.out.find(title);
    ASSERT_NE(next, std::string::npos) << title;
    EXPECT_GE(next, at);
    at = next;
  }
  std::map<std::string, std::string> group;
  const Json listed = run_json({"robots"});
  for (const Json& robot : listed["robots"])
    group[robot["name"].get<std::string>()] = robot["group"].get<std::string>();
  EXPECT_EQ(group["fr3"], "arms");
  EXPECT_EQ(group["puma560"], "classic");
  EXPECT_EQ(group["unimate"], "classic");
  EXPECT_EQ(group["four-bar"], "mechanisms");
  EXPECT_EQ(group["stewart-6-6"], "mechanisms");
  EXPECT_EQ(group["flexible-four-bar"], "flexible");
  EXPECT_EQ(group["bricard"], "benchmarks");
}

// Data of today's arms come from somewhere, under some licence; masses that are guesses say so.
TEST(Help, RobotsStateTheirSources) {
  const Json listed = run_json({"robots"});
  int arms = 0;
  for (const Json& robot : listed["robots"]) {
    if (robot["group"] != "arms") continue;
    ++arms;
    const std::string text = run_cli({"robots", robot["name"]}).out;
    const std::string head = text.substr(0, text.find("ulna: 1"));
    EXPECT_THAT(head, ::testing::AnyOf(HasSubstr("BSD-3-Clause"), HasSubstr("Apache-2.0"),
                                       HasSubstr("IEEE Robotics and Automation Letters")));
    EXPECT_THAT(head, HasSubstr("acts and numbers only")) << robot["name"];
  }
  EXPECT_EQ(arms, 8);
  EXPECT_THAT(run_cli({"robots", "kr6r900"}).out, HasSubstr("ESTIMATES"));
  EXPECT_THAT(run_cli({"robots", "unimate"}).out, HasSubstr("ALL DATA ARE CHOSEN"));
  EXPECT_THAT(run_cli({"robots"}).out, HasSubstr("Sources and licences of the data: ulna robots"));
  // The file is one to start from.
  TemporaryFolder folder;
  const std::string file = folder.write("mine.yaml", run_json({"robots", "ur5e"})["file"]);
  EXPECT_EQ(run_json({"mass", file})["M"], run_json({"mass", "ur5e"})["M"]);
  expect_refusal({"robots", "UR5"}, {"no shipped robot is called 'UR5'", "ur5e"});
  EXPECT_LT(run_cli({"robots", "UR5"}).err.size(), 150u);
}

TEST(Help, TheVersionIsOneLetter) {
  const Outcome outcome = run_cli({"-V"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, run_cli({"--version"}).out);
}

}  // namespace
}  // namespace ulna::test
