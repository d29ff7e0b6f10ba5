#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

namespace ulna::bench {
namespace {

// The ratio of least times to the baseline's.
std::optional<double> ratio(const Timings& timings, const std::string& name) {
  const auto base = timings.find(baseline), own = timings.find(name);
  if (base == timings.end() || own == timings.end()) return std::nullopt;
  return own->second.least_ns / base->second.least_ns;
}

// About three figures, without decimals where they would say nothing.
std::string nanoseconds(double ns) { return fmt::format("{:.{}f}", ns, ns < 10 ? 2 : 0); }

std::string cell(const Timings& timings, const std::string& name) {
  const auto own = timings.find(name);
  if (own == timings.end()) return "-";
  const std::string times =
      fmt::format("{} ({})", nanoseconds(own->second.least_ns), nanoseconds(own->second.median_ns));
  const auto r = ratio(timings, name);
  return r ? fmt::format("{} {:6.2f}", times, *r) : times;
}

// A yardstick's least and its middle median over everything that was run.
Timing yardstick(const Findings& findings, const char* name) {
  std::vector<double> least, median;
  for (const RobotFindings& robot : findings.robots) {
    for (const auto& [task, timings] : robot.tasks) {
      least.push_back(timings.at(name).least_ns);
      median.push_back(timings.at(name).median_ns);
    }
  }
  if (least.empty()) return {};
  std::ranges::sort(median);
  return {*std::ranges::min_element(least), median[median.size() / 2]};
}

nlohmann::json json_of(const Timing& timing) {
  return {{"least_ns", timing.least_ns}, {"median_ns", timing.median_ns}};
}

nlohmann::json json_of(const Timings& timings) {
  nlohmann::json out;
  for (const auto& [name, timing] : timings) {
    out[name] = json_of(timing);
    const bool is_yardstick = name == add_yardstick || name == sincos_yardstick;
    if (const auto r = ratio(timings, name); r && !is_yardstick) out[name]["ratio"] = *r;
  }
  return out;
}

nlohmann::json json_of(const Findings& findings) {
  nlohmann::json out = {{"format", 1}, {"rounds", findings.rounds}, {"baseline", baseline}};
  for (const Entrant& entrant : findings.contestants)
    out["contestants"].push_back({{"name", entrant.name}, {"description", entrant.description}});
  for (const char* name : {add_yardstick, sincos_yardstick})
    out["yardsticks"][name] = json_of(yardstick(findings, name));
  for (const RobotFindings& robot : findings.robots) {
    nlohmann::json tasks;
    for (const auto& [task, timings] : robot.tasks) tasks[name_of(task)] = json_of(timings);
    out["robots"].push_back({{"name", robot.robot},
                             {"joints", robot.joints},
                             {"disagreements", robot.disagreements},
                             {"tasks", tasks}});
  }
  for (const MethodFindings& robot : findings.methods) {
    nlohmann::json methods;
    for (const auto& [name, timing] : robot.timings) {
      methods[name] = json_of(timing);
      methods[name]["ratio"] = robot.ratio(name);
    }
    out["methods"].push_back(
        {{"robot", robot.robot}, {"disagreement", robot.disagreement}, {"methods", methods}});
  }
  if (findings.batch.states > 0)
    out["batch"] = {{"states", findings.batch.states},
                    {"plain_ns", findings.batch.plain},
                    {"packs_ns", findings.batch.packs},
                    {"packs_two_threads_ns", findings.batch.packs_two_threads},
                    {"compiled_ns", findings.batch.compiled},
                    {"compiled_pack_ns", findings.batch.compiled_pack},
                    {"compiled_batch_ns", findings.batch.compiled_batch},
                    {"compiled_two_threads_ns", findings.batch.compiled_two_threads},
                    {"instruction_set", findings.batch.instruction_set}};
  for (const SimulatedRun& run : findings.simulation.runs)
    out["simulation"]["runs"].push_back({{"name", run.name},
                                         {"seconds", run.seconds},
                                         {"times_real_time", run.times_real_time()},
                                         {"evaluations", run.evaluations}});
  for (const LoopChainRun& run : findings.loop_chains)
    out["loop_chains"].push_back(
        {{"loops", run.loops}, {"seconds", run.seconds}, {"evaluations", run.evaluations}});
  for (const auto& [name, ns] : findings.simulation.own_ns) out["simulation"]["own_ns"][name] = ns;
  for (const auto& [name, time] : findings.platforms.timings)
    out["platforms"]["ddts"][name] = {{"least_ns", time.least_ns}, {"median_ns", time.median_ns}};
  for (const LatticeRow& row : findings.structures.lattices)
    out["structures"]["lattices"].push_back({{"freedoms", row.freedoms},
                                             {"seconds", row.seconds},
                                             {"cpu_seconds", row.cpu_seconds},
                                             {"memory_mb", row.memory_mb}});
  if (findings.structures.postures > 0)
    out["structures"]["sweep"] = {{"postures", findings.structures.postures},
                                  {"seconds", findings.structures.sweep_seconds},
                                  {"cpu_seconds", findings.structures.sweep_cpu_seconds}};
  return out;
}

}  // namespace

void print_robot(const RobotFindings& findings, const std::vector<Entrant>& contestants) {
  const bool ratios = std::ranges::count(contestants, baseline, &Entrant::name) > 0;
  fmt::print("{}, {} joints: ns least (median){}\n", findings.robot, findings.joints,
             ratios ? fmt::format(", ratio to {}", baseline) : "");
  fmt::print("  {:<20}", "");
  for (const Entrant& entrant : contestants) fmt::print("{:>26}", entrant.name);
  fmt::print("\n");
  for (const auto& [task, timings] : findings.tasks) {
    fmt::print("  {:<20}", name_of(task));
    for (const Entrant& entrant : contestants) fmt::print("{:>26}", cell(timings, entrant.name));
    fmt::print("\n");
  }
  fmt::print("  {:<20}", "largest difference");
  for (const Entrant& entrant : contestants) {
    const auto found = findings.disagreements.find(entrant.name);
    fmt::print("{:>26}", found == findings.disagreements.end()
                             ? "reference"
                             : fmt::format("{:.0e}", found->second));
  }
  fmt::print("\n\n");
}

void print_growth(const Findings& findings) {
  const auto half = std::ranges::find(findings.robots, "chain48", &RobotFindings::robot);
  const auto whole = std::ranges::find(findings.robots, "chain96", &RobotFindings::robot);
  if (half == findings.robots.end() || whole == findings.robots.end()) return;
  fmt::print("growth from chain48 to chain96, of least times\n  {:<20}", "");
  for (const Entrant& entrant : findings.contestants) fmt::print("{:>26}", entrant.name);
  fmt::print("\n");
  for (std::size_t i = 0; i < half->tasks.size(); ++i) {
    fmt::print("  {:<20}", name_of(half->tasks[i].first));
    for (const Entrant& entrant : findings.contestants) {
      const auto a = half->tasks[i].second.find(entrant.name);
      const auto b = whole->tasks[i].second.find(entrant.name);
      const bool both = a != half->tasks[i].second.end() && b != whole->tasks[i].second.end();
      fmt::print("{:>26}",
                 both ? fmt::format("{:.2f}", b->second.least_ns / a->second.least_ns) : "-");
    }
    fmt::print("\n");
  }
}

void print_foot(const Findings& findings) {
  const Timing add = yardstick(findings, add_yardstick);
  const Timing sincos = yardstick(findings, sincos_yardstick);
  fmt::print("\n");
  if (!findings.robots.empty())
    fmt::print(
        "yardsticks: a dependent integer add {:.3f} ns ({:.3f}), sine and cosine of 6 angles one "
        "by "
        "one {:.1f} ns ({:.1f})\n",
        add.least_ns, add.median_ns, sincos.least_ns, sincos.median_ns);
  for (const Entrant& entrant : findings.contestants)
    fmt::print("{}: {}\n", entrant.name, entrant.description);
}

void write_json(const Findings& findings, const std::filesystem::path& file) {
  std::filesystem::path partial = file;
  partial += ".partial";
  std::ofstream out(partial);
  out << json_of(findings).dump(2) << '\n';
  out.close();
  if (!out) throw std::runtime_error("cannot write " + partial.string());
  std::filesystem::rename(partial, file);
}

}  // namespace ulna::bench
