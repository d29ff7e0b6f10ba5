#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "command.hpp"
#include "options/command_line.hpp"
#include "output/json_output.hpp"
#include "output/terminal.hpp"
#include "ulna/formats/read_robot.hpp"

namespace ulna::cli::robots_detail {
namespace {

constexpr const char* examples = R"(  ulna robots
  ulna robots --json | jq -r .robots[].name)";

constexpr std::pair<std::string_view, const char*> groups[] = {
    {"arms", "Current arms"},
    {"classic", "Arms of the literature"},
    {"mechanisms", "Mechanisms and parallel robots"},
    {"flexible", "Flexible robots"},
    {"benchmarks", "Benchmark problems"}};

int run(bool json) {
  const std::vector<ShippedRobot> robots = shipped_robots();
  if (json) {
    Json out = json_object();
    out["robots"] = Json::array();
    for (const ShippedRobot& robot : robots)
      out["robots"].push_back(
          {{"name", robot.name}, {"description", robot.description}, {"group", robot.group}});
    print_json(out);
    return 0;
  }
  std::size_t width = 0;
  for (const ShippedRobot& robot : robots) width = std::max(width, robot.name.size());
  for (const auto& [group, title] : groups) {
    print(fmt::format("{}{}:\n", group == groups[0].first ? "" : "\n", title));
    for (const ShippedRobot& robot : robots)
      if (robot.group == group)
        print(fmt::format("  {:<{}}  {}\n", robot.name, width, robot.description));
  }
  return 0;
}

}  // namespace
}  // namespace ulna::cli::robots_detail

namespace ulna::cli {

Command add_robots(CLI::App& program) {
  auto json = std::make_shared<bool>(false);
  CLI::App* app = add_command(program, "robots", "List the robots that come with Ulna",
                              robots_detail::examples);
  add_json_flag(*app, *json);
  return {app, [json] { return robots_detail::run(*json); }};
}

}  // namespace ulna::cli
