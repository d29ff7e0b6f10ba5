#include "ulna/study/verify.hpp"

#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "options/robot_options.hpp"
#include "output/interrupt.hpp"
#include "output/json_output.hpp"
#include "output/progress.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"

namespace ulna::cli::verify_detail {
namespace {

constexpr const char* examples = R"(  ulna verify puma560
  ulna verify arm.urdf --states 1000 --json

Compares every pair of methods and checks every identity at random states within the limits. Differences
are relative to the size of the terms. Exit status 1: a difference exceeds its bound, or Ctrl-C stopped
the comparison, with the table so far.)";

struct Options : RobotOptions {
  int states = 100;
  unsigned seed = 1;
};

VerifyResult verify_with_progress(const Model& model, const Options& options) {
  constexpr long many = 1000;
  const InterruptGuard guard;
  Progress progress("states", options.states, many);
  return verify(model, {options.states, options.seed, [&](int done) {
                          progress.update(done);
                          return !guard.interrupted();
                        }});
}

Json json_of(const VerifyResult& result) {
  Json out = json_object();
  out["states"] = result.states;
  if (result.open > 0 || result.singular > 0)
    out["left_out"] = {{"not_assembled", result.open}, {"singular", result.singular}};
  out["partial"] = result.partial;
  out["pairs"] = Json::array();
  for (const VerifyPair& pair : result.pairs) {
    // JSON has no infinity: a difference that is not a number shows as the largest there is.
    const double shown = std::min(pair.max_difference, std::numeric_limits<double>::max());
    out["pairs"].push_back({{"a", pair.a},
                            {"b", pair.b},
                            {"quantity", pair.quantity},
                            {"max_difference", shown},
                            {"bound", pair.bound},
                            {"ok", pair.ok()}});
  }
  if (!result.notes.empty()) out["notes"] = result.notes;
  out["ok"] = result.ok();
  return out;
}

void print_table(const VerifyResult& result, int asked) {
  std::vector<std::string> quantity, first, second, difference, bound, verdict;
  for (const VerifyPair& pair : result.pairs) {
    quantity.push_back(pair.quantity);
    first.push_back(pair.a);
    second.push_back(pair.b);
    difference.push_back(fmt::format("{:.1e}", pair.max_difference));
    bound.push_back(fmt::format("{:.1e}", pair.bound));
    verdict.push_back(pair.ok() ? "ok" : "EXCEEDED");
  }
  print(Table()
            .words("quantity", quantity)
            .words("by", first)
            .words("and by", second)
            .words("difference", difference)
            .words("bound", bound)
            .words("", verdict)
            .text());
  for (const std::string& item : result.notes) note(item);
  const std::string states = result.partial
                                 ? fmt::format("partial, {} of {} states", result.states, asked)
                                 : counted(result.states, "state");
  print(heading(states + (result.ok() ? ": all agree" : ": they do not agree")));
  if (result.open > 0 || result.singular > 0)
    print(
        fmt::format("  left out: {} starts that could not be assembled, {} at singular postures\n",
                    result.open, result.singular));
}

int run(const Options& options) {
  const Model model = load(options);
  const VerifyResult result = verify_with_progress(model, options);
  if (options.json)
    print_json(json_of(result));
  else
    print_table(result, options.states);
  return result.ok() && !result.partial ? 0 : 1;
}

}  // namespace
}  // namespace ulna::cli::verify_detail

namespace ulna::cli {

Command add_verify(CLI::App& program) {
  auto options = std::make_shared<verify_detail::Options>();
  CLI::App* app =
      add_robot_command(program, "verify", "Compare all methods with each other on a robot",
                        verify_detail::examples, *options);
  add_integer(*app, "--states", options->states, "Number of random states");
  add_integer(*app, "--seed", options->seed, "Seed of the random states");
  return {app, [options] { return verify_detail::run(*options); }};
}

}  // namespace ulna::cli
