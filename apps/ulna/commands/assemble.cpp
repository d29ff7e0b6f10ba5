#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.hpp"
#include "options/degrees.hpp"
#include "options/loop_state.hpp"
#include "options/method.hpp"
#include "options/robot_options.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/kinematics/loop_closure.hpp"
#include "ulna/model/internal/requirements.hpp"
#include "ulna/model/parts/platform.hpp"

namespace ulna::cli::assemble_detail {
namespace {

constexpr const char* examples = R"(  ulna assemble four-bar --q joint1=300deg
  ulna assemble four-bar --q joint4=30deg        # joint4 closes the loop
  ulna assemble rccc --q joint1=0 --all --json
  ulna assemble five-bar --q left=120deg,right=60deg --method newton-raphson
  ulna assemble crank-rocker --method compare

Finds joint positions that close all loops, starting from the coordinates --q or holding those that
--q names. --all lists every assembly; for platforms, one for each pose. If degrees of freedom
remain, the independent coordinates keep the values of the first assembly.
Exit status 1: the robot cannot be assembled; the message names the loop that stays open.)";

struct Options : RobotOptions {
  VectorOption q;
  std::optional<std::string> method, restarts, seed, tolerance;
  bool all = false, by_posture = false;
};

struct Method {
  const char* name;
  std::optional<AssemblyMethod> method;  ///< none: all of them beside each other
};
constexpr Method methods[] = {{"gauss-newton", AssemblyMethod::gauss_newton},
                              {"newton-raphson", AssemblyMethod::newton_raphson},
                              {"davidon-fletcher-powell", AssemblyMethod::davidon_fletcher_powell},
                              {"hooke-jeeves", AssemblyMethod::hooke_jeeves},
                              {"complex", AssemblyMethod::complex_method},
                              {"compare", std::nullopt}};

/// The body on a free or planar joint that loops hold; -1 where there is none.
int floating_body(const Model& model) {
  const LoopClosure closure(model);
  for (const Joint& joint : model.joints()) {
    if (joint.parent != 0 || (joint.type != JointType::free && joint.type != JointType::planar))
      continue;
    for (const LoopClosure::Block& block : closure.blocks())
      if (std::ranges::binary_search(block.columns, joint.v)) return joint.child;
  }
  return -1;
}

AssemblyOptions options_from(const Model& model, const Options& options) {
  AssemblyOptions assembly = assembly_options(model, coordinates_part(model, options.q));
  assembly.all = options.all;
  if (options.all && !options.by_posture) {
    const PlatformData* platform = model.platform();
    assembly.distinct_frame = platform ? model.body(platform->platform_body) : floating_body(model);
  }
  if (options.restarts) assembly.restarts = parse_count("--restarts", *options.restarts, 0);
  if (options.seed) assembly.seed = static_cast<unsigned>(parse_count("--seed", *options.seed, 0));
  if (options.tolerance) assembly.tolerance = parse_number("--tolerance", *options.tolerance);
  if (!(assembly.tolerance > 0))
    throw InputError(Problem{
        {}, "--tolerance", fmt::format("{} found", *options.tolerance), "a number above zero", {}});
  return assembly;
}

/// Those of the joints that close loops, at a posture.
std::vector<std::pair<std::string, Eigen::VectorXd>> closing_coordinates(const Model& model,
                                                                         const Eigen::VectorXd& q) {
  std::vector<std::pair<std::string, Eigen::VectorXd>> list;
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, q);
  int k = 0;
  for (const Loop& loop : model.loops())
    if (const SmallVector own = closure.closing_coordinates(work, k++); own.size() > 0)
      list.emplace_back(loop.joint, own);
  return list;
}

void add_result(Json& out, const Model& model, const AssemblyResult& found) {
  out["solutions"] = Json::array();
  for (const Assembly& solution : found.solutions) {
    Json closing = Json::object();
    for (const auto& [name, q] : closing_coordinates(model, solution.q)) closing[name] = to_json(q);
    out["solutions"].push_back(
        {{"q", to_json(solution.q)}, {"closing", closing}, {"gap", solution.gap}});
  }
  if (found.postures > 0) out["assemblies"] = found.postures;
  if (!found.note.empty()) out["note"] = found.note;
  out["starts"] = found.starts;
  out["iterations"] = found.iterations;
  out["evaluations"] = found.evaluations;
  out["seconds"] = found.seconds;
  if (found.solutions.empty()) {
    out["reason"] = found.reason;
    out["open_loop"] = model.loops()[found.open_loop].joint;
    out["nearest"] = to_json(found.nearest);
  }
}

void print_solutions(const Model& model, const AssemblyResult& found) {
  std::vector<std::string> names = model.coordinate_names(),
                           units = shown_units(coordinate_entries(model)), titles;
  // The coordinates of closing joints follow from the others.
  for (const Entry& entry : closing_coordinate_entries(model)) {
    names.push_back(entry.name);
    units.push_back(fmt::format("{}{}closing", shown_units({entry}).front(),
                                entry.dimension == Dimension::number ? "" : ", "));
  }
  std::vector<Eigen::VectorXd> columns;
  for (std::size_t k = 0; k < found.solutions.size(); ++k) {
    Eigen::VectorXd column = found.solutions[k].q;
    for (const auto& [name, q] : closing_coordinates(model, found.solutions[k].q)) {
      column.conservativeResize(column.size() + q.size());
      column.tail(q.size()) = q;
    }
    std::vector<Entry> entries = coordinate_entries(model);
    for (const Entry& entry : closing_coordinate_entries(model)) entries.push_back(entry);
    columns.push_back(shown(column, entries));
    titles.push_back(found.solutions.size() == 1 ? "q" : fmt::format("q {}", k + 1));
  }
  Eigen::MatrixXd values(names.size(), columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) values.col(k) = columns[k];
  print(Table().words("", names).words("unit", units).matrix(titles, values).text());
  if (found.postures > 0)
    print(fmt::format(
        "\n{} pose{} of the platform, one assembly of each of {} (--by-posture lists "
        "all)",
        found.solutions.size(), found.solutions.size() == 1 ? "" : "s", found.postures));
  print(fmt::format("\n{} assembl{} from {} start{}, {} iterations, {} evaluations\n",
                    found.solutions.size(), found.solutions.size() == 1 ? "y" : "ies", found.starts,
                    found.starts == 1 ? "" : "s", found.iterations, found.evaluations));
}

int compare(const Model& model, const Options& options, AssemblyOptions assembly) {
  Json list = Json::object();
  std::vector<std::string> name, found, iterations, evaluations, time, gap;
  bool any = false;
  for (const Method& method : methods) {
    if (!method.method) continue;
    assembly.method = *method.method;
    const AssemblyResult result = assemble(model, assembly);
    any = any || !result.solutions.empty();
    add_result(list[method.name], model, result);
    name.emplace_back(method.name);
    found.push_back(std::to_string(result.solutions.size()));
    iterations.push_back(std::to_string(result.iterations));
    evaluations.push_back(std::to_string(result.evaluations));
    time.push_back(fmt::format("{:.3g}", 1e3 * result.seconds));
    gap.push_back(fmt::format("{:.1e}", result.nearest_gap));
  }
  if (options.json) {
    Json out = json_object();
    out["methods"] = list;
    print_json(out);
  } else {
    print(Table()
              .words("method", name)
              .words("found", found)
              .words("iterations", iterations)
              .words("evaluations", evaluations)
              .words("ms", time)
              .words("gap m, rad", gap)
              .text());
  }
  return any ? 0 : 1;
}

int run(const Options& options) {
  const Method& method = choose_method<Method>(methods, options.method);
  const Model model = load(options);
  require_loops(model, {}, " to close");
  AssemblyOptions assembly = options_from(model, options);
  if (!method.method) return compare(model, options, assembly);
  assembly.method = *method.method;
  const AssemblyResult found = assemble(model, assembly);
  if (options.json) {
    Json out = json_object();
    out["method"] = method.name;
    add_result(out, model, found);
    print_json(out);
  }
  if (found.solutions.empty()) {
    error(found.reason);
    return 1;
  }
  if (!found.note.empty()) note(found.note);
  if (!options.json) print_solutions(model, found);
  return 0;
}

}  // namespace
}  // namespace ulna::cli::assemble_detail

namespace ulna::cli {

Command add_assemble(CLI::App& program) {
  auto options = std::make_shared<assemble_detail::Options>();
  CLI::App* app = add_robot_command(program, "assemble", "Joint positions that close all loops",
                                    assemble_detail::examples, *options);
  add_text(*app, "--q", options->q, "Q1,Q2,...",
           "Start of the search: all coordinates, or NAME=Q,... to hold the named ones, including "
           "joints that close loops (default: neutral)");
  add_flag(*app, "--all", options->all, "List every assembly that the random starts find");
  add_flag(*app, "--by-posture", options->by_posture,
           "With --all: list every assembly of a platform's legs, not one for each pose");
  add_text(*app, "--method", options->method,
           method_names<assemble_detail::Method>(assemble_detail::methods),
           "Search method; compare runs all of them");
  add_text(*app, "--restarts", options->restarts, "N",
           "Number of random starts after the first (default: 100)");
  add_text(*app, "--seed", options->seed, "N", "Seed of the random starts (default: 1)");
  add_text(*app, "--tolerance", options->tolerance, "R",
           "Largest gap (m, rad) of a closed loop (default: 1e-10)");
  return {app, [options] { return assemble_detail::run(*options); }};
}

}  // namespace ulna::cli
