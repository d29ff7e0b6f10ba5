#include "output/mobility_output.hpp"

#include <fmt/format.h>

#include "options/state_options.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/platform_posture.hpp"

namespace ulna::cli {

MobilityFindings find_mobility(const Model& model) {
  MobilityFindings findings;
  const AssemblyResult found = assemble(model);
  if (found.solutions.empty()) {
    findings.reason = found.reason;
    return findings;
  }
  findings.q = found.solutions[0].q;
  findings.report = mobility(model, findings.q);
  findings.notes = mobility_notes(model, *findings.report);
  return findings;
}

Json finite_dof(const Mobility& report) {
  return report.determined ? Json(report.full_cycle_dof) : Json();
}

Json mobility_json(const Model& model, const MobilityFindings& findings) {
  if (!findings.report) return {{"reason", findings.reason}};
  const Mobility& report = *findings.report;
  Json out = {{"q", to_json(findings.q)},   {"speeds", report.speeds},
              {"rows", report.rows},        {"rank", report.rank},
              {"dof", report.dof},          {"full_cycle_dof", finite_dof(report)},
              {"gruebler", report.gruebler}};
  out["loops"] = Json::array();
  for (const LoopMobility& loop : report.loops)
    out["loops"].push_back({{"name", loop.name},
                            {"rows", loop.rows},
                            {"rank", loop.rank},
                            {"loop_rank", loop.loop_rank},
                            {"adds", loop.adds},
                            {"speeds", loop.speeds},
                            {"dependent", loop.dependent()}});
  out["independent"] = names_of(model, report.independent);
  out["directions"] = matrix_to_json(report.directions.transpose());
  out["singular"] = report.singular();
  out["branches"] = Json::array();
  for (const MotionBranch& branch : report.branches)
    out["branches"].push_back({{"direction", to_json(branch.direction)},
                               {"dof", branch.dof},
                               {"both_senses", branch.both}});
  out["notes"] = findings.notes;
  out["idle_spins"] = idle_spins(model.robot());
  return out;
}

std::string mobility_text(const Model& model, const MobilityFindings& findings) {
  std::string text = heading("mobility");
  if (!findings.report) return text + "  " + printable(findings.reason) + "\n";
  const Mobility& report = *findings.report;
  text += fmt::format(
      "  {}, {} of rank {}: {} of freedom ({} by counting), {} for finite motions\n",
      counted(report.speeds, "speed"), counted(report.rows, "row"), report.rank,
      counted(report.dof, "degree"), report.gruebler,
      report.determined ? std::to_string(report.full_cycle_dof) : "not determined how many");
  const std::vector<std::string> spins = idle_spins(model.robot());
  if (!spins.empty())
    text += fmt::format("  {} of these are idle spins of rods between two balls ({}): {} without\n",
                        spins.size(), printable(fmt::format("{}", fmt::join(spins, ", "))),
                        report.dof - static_cast<int>(spins.size()));
  if (!report.independent.empty())
    text += fmt::format(
        "  independent: {}\n",
        printable(fmt::format("{}", fmt::join(names_of(model, report.independent), ", "))));
  std::vector<std::string> name, rows, rank, adds, whole;
  for (const LoopMobility& loop : report.loops) {
    name.push_back(loop.name);
    rows.push_back(std::to_string(loop.rows));
    rank.push_back(std::to_string(loop.rank));
    adds.push_back(std::to_string(loop.adds));
    whole.push_back(std::to_string(loop.loop_rank));
  }
  text += Table()
              .words("loop", name)
              .words("rows", rows)
              .words("rank", rank)
              .words("adds", adds)
              .words("whole loop", whole)
              .text();
  for (const std::string& note : findings.notes) text += "  " + printable(note) + "\n";
  return text;
}

}  // namespace ulna::cli
