#include <memory>

#include "command.hpp"
#include "options/command_line.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/formats/read_robot.hpp"

namespace ulna::cli::robots_detail {
namespace {

constexpr const char* examples = R"(  ulna robots
  ulna robots --json | jq -r .robots[].name)";

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
  for (const char* group : {"arms", "", "benchmarks"}) {
    std::vector<std::string> names, descriptions;
    for (const ShippedRobot& robot : robots) {
      if (robot.group != group) continue;
      names.push_back(robot.name);
      descriptions.push_back(robot.description);
    }
    const std::string title = group == std::string("arms") ? "arm of today"
                              : *group                     ? "benchmark"
                                                           : "robot";
    if (title != "arm of today") print("\n");
    print(Table().words(title, names).words("", descriptions).text());
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
