#include "ulna/study/verify.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <memory>

#include "command.hpp"
#include "json_output.hpp"
#include "robot_options.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace ulna::cli {
namespace {

constexpr const char* examples = R"(  ulna verify puma560
  ulna verify arm.urdf --states 1000 --json

Random states inside the limits; every method and every identity. Differences are relative to the size
of the terms. Exit status 1: one of them exceeds its bound.)";

struct Options : RobotOptions {
  int states = 100;
  unsigned seed = 1;
};

/// A line on standard error that counts the states, on a terminal only.
std::function<bool(int)> progress_of(int states) {
  if (!isatty(STDERR_FILENO) || states < 200) return {};
  return [states](int done) {
    if (done % 50 == 0 || done == states)
      fmt::print(stderr, "\r{} of {} states{}", done, states, done == states ? "\n" : "");
    return true;
  };
}

int run(const Options& options) {
  const Model model = load(options);
  const VerifyResult result =
      verify(model, {options.states, options.seed, progress_of(options.states)});
  if (options.json) {
    Json out = json_object();
    out["states"] = result.states;
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
    out["ok"] = result.ok();
    print_json(out);
  } else {
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
    print(heading(fmt::format("{} states: {}", result.states,
                              result.ok() ? "all agree" : "they do not agree")));
  }
  return result.ok() ? 0 : 1;
}

}  // namespace

Command add_verify(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = add_robot_command(program, "verify", "Whether every method gives the same answer",
                                    examples, *options);
  app->add_option("--states", options->states, "How many random states")->capture_default_str();
  app->add_option("--seed", options->seed, "Of the random states")->capture_default_str();
  return {app, [options] { return run(*options); }};
}

}  // namespace ulna::cli
