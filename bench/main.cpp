// ulna-bench: times Ulna beside its peers, interleaved in one run, after making sure that they
// agree.

#include <dlfcn.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <sstream>

#include "agreement.hpp"
#include "batch.hpp"
#include "flexible.hpp"
#include "methods.hpp"
#include "platforms.hpp"
#include "report.hpp"
#include "robots.hpp"
#include "structures.hpp"
#include "timing.hpp"

namespace ulna::bench {
namespace {

struct Options {
  std::string robots = "ur5,ur5-exact,panda,chain6,chain12,chain24,chain48,chain96";
  std::string tasks = "all";
  std::string contestants = BENCH_CONTESTANTS;
  std::string robot_directory = BENCH_ROBOT_DIRECTORY;
  std::string json;
  std::string methods = "intelledex605";
  int rounds = 60;
  long batch = 1000000;
  bool simulation = true;
  bool platforms = true;
  bool structures = true;
};

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> items;
  std::istringstream in(list);
  for (std::string item; std::getline(in, item, ',');)
    if (!item.empty()) items.push_back(item);
  return items;
}

// The modules stand beside the program.
std::unique_ptr<Contestant> load_contestant(const std::string& name) {
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto file = here / ("bench_" + name + ".so");
  void* module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module) throw UsageError(fmt::format("no contestant '{}': {}", name, dlerror()));
  const auto make = reinterpret_cast<decltype(&make_contestant)>(dlsym(module, "make_contestant"));
  if (!make) throw UsageError(fmt::format("contestant '{}': {}", name, dlerror()));
  return std::unique_ptr<Contestant>(make());
}

std::vector<Task> chosen_tasks(const std::string& list) {
  if (list == "all") return {all_tasks.begin(), all_tasks.end()};
  std::vector<Task> tasks;
  for (const std::string& item : split(list)) {
    const auto found = std::ranges::find(all_tasks, item, name_of);
    if (found == all_tasks.end()) {
      std::string known;
      for (Task task : all_tasks) known += fmt::format(" {}", name_of(task));
      throw UsageError(fmt::format("unknown task '{}'; there are:{}", item, known));
    }
    tasks.push_back(*found);
  }
  return tasks;
}

// "chain" with a number, or the name of a file in the robots' directory.
std::optional<ChainSpec> robot_named(const std::string& name, const Options& options) {
  if (name.starts_with("chain")) {
    int links = 0;
    const auto [end, error] = std::from_chars(name.data() + 5, name.data() + name.size(), links);
    if (error == std::errc() && end == name.data() + name.size() && links > 0 && links <= 1000)
      return random_chain(links);
    throw UsageError(fmt::format("robot '{}': expected chain1 to chain1000", name));
  }
  return arm(name, options.robot_directory);
}

RobotFindings examine(const ChainSpec& spec, const Contestants& contestants,
                      const std::vector<Task>& tasks, int rounds) {
  for (const auto& contestant : contestants) contestant->load(spec);
  const States states(spec.links.size());
  RobotFindings findings{
      spec.name, spec.links.size(), require_agreement(contestants, spec, states), {}};
  for (Task task : tasks)
    findings.tasks.emplace_back(task, measure(contestants, task, states, rounds));
  return findings;
}

void run(const Options& options) {
  const std::vector<Task> tasks = chosen_tasks(options.tasks);
  Contestants contestants;
  Findings findings{.rounds = options.rounds};
  for (const std::string& name : split(options.contestants)) {
    contestants.push_back(load_contestant(name));
    findings.contestants.push_back({name, contestants.back()->description()});
  }
  if (std::ranges::find(findings.contestants, baseline, &Entrant::name) ==
      findings.contestants.end())
    fmt::print(stderr, "Pinocchio does not take part: there will be no ratios\n");

  for (std::string name : split(options.robots)) {
    std::optional<ChainSpec> spec = robot_named(name, options);
    if (!spec) {
      // Without the file: a shipped arm of six joints, a random one of seven.
      const std::string stand_in = name.starts_with("ur5") ? "puma560"
                                   : name == "panda"       ? "chain7"
                                                           : "";
      if (stand_in.empty())
        throw UsageError(
            fmt::format("no robot '{}': neither shipped nor in {}", name, options.robot_directory));
      fmt::print(stderr, "{}: no {}.urdf in {}, {} takes its place\n", name, name,
                 options.robot_directory, stand_in);
      spec = robot_named(stand_in, options);
    }
    findings.robots.push_back(examine(*spec, contestants, tasks, options.rounds));
    print_robot(findings.robots.back(), findings.contestants);
    std::fflush(stdout);
  }
  print_growth(findings);
  for (const std::string& name : split(options.methods)) {
    findings.methods.push_back(measure_methods(name, options.rounds));
    print_methods(findings.methods.back());
  }
  if (findings.robots.empty() && findings.methods.empty() && !options.simulation &&
      !options.platforms && !options.structures)
    throw UsageError("there is no robot to time");
  if (options.batch > 0) findings.batch = measure_batch(options.batch);
  if (options.batch > 0) print_batch(findings.batch);
  if (options.simulation) findings.simulation = measure_simulation();
  if (options.simulation) print_simulation(findings.simulation);
  if (options.platforms) findings.platforms = measure_platforms(options.rounds);
  if (options.platforms) print_platforms(findings.platforms);
  if (options.simulation) print_loop_chains(findings.loop_chains = measure_loop_chains());
  if (options.simulation) print_flexible(measure_flexible());
  if (options.structures) findings.structures = measure_structures(false);
  if (options.structures) print_structures(findings.structures);
  if (!findings.robots.empty()) print_foot(findings);
  if (!options.json.empty()) write_json(findings, options.json);
}

}  // namespace
}  // namespace ulna::bench

int main(int argc, char** argv) {
  ulna::bench::Options options;
  CLI::App app("Times Ulna beside Pinocchio, KDL and MuJoCo; all lists are comma separated.");
  app.add_option("--robots", options.robots,
                 "ur5, ur5-exact (its right angles exact), panda, chainN")
      ->capture_default_str();
  app.add_option("--tasks", options.tasks, "forward_kinematics, ..., or all")
      ->capture_default_str();
  app.add_option("--contestants", options.contestants, "who takes part")->capture_default_str();
  app.add_option("--robot-directory", options.robot_directory, "where ur5.urdf and panda.urdf are")
      ->capture_default_str();
  app.add_option("--methods", options.methods,
                 "robots on which the methods of inverse dynamics are compared; '': none")
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "rounds of about half a millisecond per contestant")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--batch", options.batch, "states of the batch of inverse dynamics; 0: none")
      ->capture_default_str()
      ->check(CLI::Range(0L, 100000000L));
  app.add_flag("--simulation,!--no-simulation", options.simulation,
               "runs of the Intelledex 605 and the integrators' own cost (on by default; "
               "alone with --robots \"\")");
  app.add_flag("--platforms,!--no-platforms", options.platforms,
               "kinematics and dynamics of the DDTS by every route (on by default)");
  app.add_flag("--structures,!--no-structures", options.structures,
               "modes of lattices of beams and a sweep of postures (on by default)");
  app.add_option("--json", options.json, "also write the findings to this file");
  CLI11_PARSE(app, argc, argv);
  try {
    ulna::bench::run(options);
    return 0;
  } catch (const ulna::bench::UsageError& error) {
    fmt::print(stderr, "ulna-bench: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "ulna-bench: {}\n", error.what());
    return 1;
  }
}
