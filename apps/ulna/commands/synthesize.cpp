#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "command.hpp"
#include "options/method.hpp"
#include "options/robot_options.hpp"
#include "options/vector_text.hpp"
#include "output/interrupt.hpp"
#include "output/json_output.hpp"
#include "output/output_file.hpp"
#include "output/progress.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/formats/internal/read_synthesis.hpp"
#include "ulna/formats/write_robot.hpp"

namespace ulna::cli::synthesize_detail {
namespace {

constexpr const char* examples =
    R"(  ulna synthesize examples/flame-cutting/torch.yaml examples/flame-cutting/task.yaml
  ulna synthesize linkage.yaml task.yaml -o designs --restarts 500 --wanted 3
  ulna synthesize linkage.yaml task.yaml --method complex --json

Finds dimensions of ROBOT for which one of its frames meets the targets of TASK, which is described in
docs/synthesis.md. -o writes the robot file of each design. Ctrl-C ends the search and keeps the designs
found so far. Exit status 1: no design could be built.)";

struct Method {
  const char* name;
  SynthesisMethod method;
};
constexpr Method methods[] = {{"gauss-newton", SynthesisMethod::gauss_newton},
                              {"davidon-fletcher-powell", SynthesisMethod::davidon_fletcher_powell},
                              {"hooke-jeeves", SynthesisMethod::hooke_jeeves},
                              {"complex", SynthesisMethod::complex_method}};

struct Options : RobotOptions {
  std::string task;
  std::optional<std::string> method, restarts, seed, wanted, output;
};

std::vector<std::string> write_designs(const std::vector<Design>& designs, const Robot& robot,
                                       const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    throw InputError(Problem{{directory}, {}, error.message(), "a folder that can be made", {}});
  std::vector<std::string> files;
  for (std::size_t k = 0; k < designs.size(); ++k) {
    Robot named = designs[k].robot;
    named.name = fmt::format("{}-{}", robot.name, k + 1);
    files.push_back(fmt::format("{}/{}.yaml", directory, named.name));
    write_file(files.back(), write_robot_yaml(named));
  }
  return files;
}

Json design_json(const SynthesisTask& task, const Design& design) {
  Json out = Json::object();
  out["error"] = std::isfinite(design.error) ? Json(design.error) : Json();
  out["followed"] = design.followed;
  if (!design.note.empty()) out["note"] = design.note;
  out["values"] = Json::object();
  for (std::size_t k = 0; k < task.variables.size(); ++k)
    out["values"][task.variables[k].name] = design.values(static_cast<Eigen::Index>(k));
  if (task.free_phase) out["phase"] = design.phase;
  if (task.transmission) out["transmission"] = design.transmission;
  if (task.speed_limit) out["largest_speed"] = design.largest_speed;
  out["postures"] = Json::array();
  for (const Eigen::VectorXd& q : design.postures) out["postures"].push_back(to_json(q));
  return out;
}

void print_designs(const SynthesisTask& task, const SynthesisResult& found) {
  std::vector<std::string> names, titles;
  for (const DesignVariable& variable : task.variables) names.push_back(variable.name);
  if (task.free_phase) names.emplace_back("phase");
  if (task.transmission) names.emplace_back("least transmission angle");
  if (task.speed_limit) names.emplace_back("largest speed of " + task.speed_limit->first);
  names.emplace_back("largest error");
  Eigen::MatrixXd values(names.size(), found.designs.size());
  for (std::size_t k = 0; k < found.designs.size(); ++k) {
    const Design& design = found.designs[k];
    const auto column = static_cast<Eigen::Index>(k);
    Eigen::Index row = design.values.size();
    values.col(column).head(row) = design.values;
    if (task.free_phase) values(row++, column) = design.phase;
    if (task.transmission) values(row++, column) = design.transmission;
    if (task.speed_limit) values(row++, column) = design.largest_speed;
    values(row, column) = design.error;
    titles.push_back(fmt::format("design {}", k + 1));
  }
  print(Table().words("m, rad", names).matrix(titles, values).text());
  for (std::size_t k = 0; k < found.designs.size(); ++k)
    if (!found.designs[k].note.empty())
      print(fmt::format("  design {}: {}\n", k + 1, found.designs[k].note));
  print(fmt::format("\n{} starts, {} evaluations, {:.3g} s\n", found.starts, found.evaluations,
                    found.seconds));
}

int run(const Options& options) {
  const Method& method = choose_method<Method>(methods, options.method);
  const Model model = load(options);
  const SynthesisTask task = read_synthesis_task(options.task, model.robot());
  SynthesisOptions search;
  search.method = method.method;
  if (options.restarts) search.restarts = parse_count("--restarts", *options.restarts, 1);
  if (options.wanted) search.wanted = parse_count("--wanted", *options.wanted, 1);
  if (options.seed) search.seed = static_cast<unsigned>(parse_count("--seed", *options.seed, 0));
  const InterruptGuard guard;
  SynthesisResult found;
  {
    Progress progress("starts", search.restarts, search.restarts + 1);
    search.progress = [&](int start, double) {
      progress.update(start);
      return !guard.interrupted();
    };
    found = synthesize(model.robot(), task, search);
  }
  std::vector<std::string> files;
  if (options.output) files = write_designs(found.designs, model.robot(), *options.output);
  if (options.json) {
    Json out = json_object();
    out["method"] = method.name;
    out["designs"] = Json::array();
    for (const Design& design : found.designs) out["designs"].push_back(design_json(task, design));
    out["starts"] = found.starts;
    out["evaluations"] = found.evaluations;
    out["seconds"] = found.seconds;
    out["outputs"] = files;
    print_json(out);
  } else if (!found.designs.empty()) {
    print_designs(task, found);
    for (const std::string& file : files) print("wrote " + file + "\n");
  }
  if (!found.designs.empty()) return 0;
  error(fmt::format("none of {} starts gave a design that can be built", found.starts));
  return 1;
}

}  // namespace
}  // namespace ulna::cli::synthesize_detail

namespace ulna::cli {

Command add_synthesize(CLI::App& program) {
  auto options = std::make_shared<synthesize_detail::Options>();
  CLI::App* app = add_robot_command(program, "synthesize",
                                    "Dimensions of a mechanism for a given task (synthesis)",
                                    synthesize_detail::examples, *options);
  add_argument(*app, "TASK", options->task, "A synthesis task (.yaml)").required();
  add_text(*app, "--method", options->method,
           method_names<synthesize_detail::Method>(synthesize_detail::methods), "Search method");
  add_text(*app, "--restarts", options->restarts, "N",
           "Largest number of random starts (default: 100)");
  add_text(*app, "--wanted", options->wanted, "N", "Number of designs to keep (default: 5)");
  add_text(*app, "--seed", options->seed, "N", "Seed of the random starts (default: 1)");
  add_text(*app, "-o,--output", options->output, "DIR", "Write the robot file of each design");
  return {app, [options] { return synthesize_detail::run(*options); }};
}

}  // namespace ulna::cli
