#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "options/robot_options.hpp"
#include "output/json_output.hpp"
#include "output/mobility_output.hpp"
#include "output/terminal.hpp"

namespace ulna::cli::check_detail {
namespace {

constexpr const char* examples = R"(  ulna check arm.urdf
  ulna check arm.urdf --strict
  ulna check arm.yaml --json | jq .problems)";

struct Findings {
  ImportReport report;
  std::vector<Problem> problems;
  std::vector<std::string> notes;  ///< worth knowing, and no fault

  void add(const InputError& error) {
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
  }
};

// A mechanism that cannot be assembled is refused. One that cannot move is a structure, which is
// worth a note.
void check_loops(const Model& model, Findings& findings) {
  const MobilityFindings mobility = find_mobility(model);
  if (!mobility.report)
    findings.problems.push_back(
        {{model.robot().source, 0, 0}, "loops", mobility.reason, "loops that can be closed", {}});
  findings.notes = mobility.notes;
}

// What --strict refuses and what the model refuses are both of interest, and so is the report of a
// file that --strict refuses: hence the reading without it first.
Findings find(const RobotOptions& options) {
  Findings findings;
  try {
    RobotOptions tolerant = options;
    tolerant.strict = false;
    ReadResult result = read(tolerant);
    findings.report = std::move(result.report);
    try {
      const Model model(std::move(result.robot));
      // Doubtful data that was taken all the same counts as a loss, as in a file.
      for (const Problem& warning : model.warnings())
        findings.report.changed.push_back({warning.where, warning.element, warning.message});
      if (options.strict && !model.warnings().empty()) findings.add(InputError(model.warnings()));
      check_loops(model, findings);
    } catch (const InputError& error) {
      findings.add(error);
    }
    if (options.strict) read(options);
  } catch (const InputError& error) {
    findings.add(error);
  }
  return findings;
}

Json texts(const std::vector<ImportNote>& notes) {
  Json list = Json::array();
  for (const ImportNote& item : notes) list.push_back(item.text());
  return list;
}

Json check_json(const Findings& findings) {
  Json out = json_object();
  out["ok"] = findings.problems.empty();
  out["used"] = texts(findings.report.used);
  out["changed"] = texts(findings.report.changed);
  out["ignored"] = texts(findings.report.ignored);
  out["problems"] = Json::array();
  for (const Problem& problem : findings.problems) out["problems"].push_back(problem.text());
  out["notes"] = findings.notes;
  return out;
}

void print_notes(const char* title, const std::vector<ImportNote>& notes) {
  if (notes.empty()) return;
  print(heading(fmt::format("{} ({})", title, notes.size())));
  for (const ImportNote& item : notes) print("  " + printable(item.text()) + "\n");
}

void print_check(const RobotOptions& options, const Findings& findings) {
  print_notes("used", findings.report.used);
  print_notes("changed", findings.report.changed);
  print_notes("ignored", findings.report.ignored);
  if (!findings.notes.empty()) print(heading("notes"));
  for (const std::string& item : findings.notes) print("  " + printable(item) + "\n");
  if (findings.problems.empty())
    print(heading(fmt::format("{}: ok", options.robot)));
  else
    print(heading(fmt::format("{}: {} problem{}", options.robot, findings.problems.size(),
                              findings.problems.size() == 1 ? "" : "s")));
}

}  // namespace
}  // namespace ulna::cli::check_detail

namespace ulna::cli {

Command add_check(CLI::App& program) {
  auto options = std::make_shared<RobotOptions>();
  CLI::App* app = add_robot_command(
      program, "check", "Check a robot file: what was used, changed, ignored or is wrong",
      check_detail::examples, *options);
  return {app, [options] {
            const check_detail::Findings findings = check_detail::find(*options);
            if (options->json)
              print_json(check_detail::check_json(findings));
            else
              check_detail::print_check(*options, findings);
            if (!findings.problems.empty()) throw InputError(findings.problems);
            return 0;
          }};
}

}  // namespace ulna::cli
