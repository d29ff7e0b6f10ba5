#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "command.hpp"
#include "options/command_line.hpp"
#include "output/json_output.hpp"
#include "output/terminal.hpp"
#include "ulna/formats/read_robot.hpp"

namespace ulna::cli::robots_detail {
namespace {

constexpr const char* examples = R"(  ulna robots
  ulna robots ur5e
  ulna robots ur5e > my-arm.yaml
  ulna robots --json | jq -r .robots[].name

With NAME: its robot file, which begins with the sources and licences of its data and is a file to start
from.)";

constexpr std::pair<std::string_view, const char*> groups[] = {
    {"arms", "Current arms"},
    {"classic", "Arms of the literature"},
    {"mechanisms", "Mechanisms and parallel robots"},
    {"flexible", "Flexible robots"},
    {"benchmarks", "Benchmark problems"}};

struct Options {
  std::optional<std::string> name;
  bool json = false;
};

int print_file(const std::string& name, bool json) {
  const std::string text = shipped_robot_text(name);
  if (!json) {
    print(text);
    return 0;
  }
  Json out = json_object();
  out["name"] = name;
  out["file"] = text;
  print_json(out);
  return 0;
}

int run(const Options& options) {
  if (options.name) return print_file(*options.name, options.json);
  const std::vector<ShippedRobot> robots = shipped_robots();
  if (options.json) {
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
  print("\nSources and licences of the data: ulna robots NAME\n");
  return 0;
}

}  // namespace
}  // namespace ulna::cli::robots_detail

namespace ulna::cli {

Command add_robots(CLI::App& program) {
  auto options = std::make_shared<robots_detail::Options>();
  CLI::App* app = add_command(program, "robots", "List the robots that come with Ulna",
                              robots_detail::examples);
  add_argument(*app, "NAME", options->name, "One of them, whose file is shown");
  add_json_flag(*app, options->json);
  return {app, [options] { return robots_detail::run(*options); }};
}

}  // namespace ulna::cli
