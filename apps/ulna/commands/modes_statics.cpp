#include <fmt/format.h>

#include "commands/modes_options.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/structure/statics.hpp"

namespace ulna::cli {

int modes_statics(const Model& model, const RobotState& state, const ModesOptions& options) {
  const RobotFrame structure(model, state.q, structure_options(model, options.structure));
  const int frame = frame_or_tip(model, options.frame);
  StaticLoad load;
  load.motion = {state.v, state.a};
  const StaticDeflection bent = static_deflection(structure, state.q, load);
  const Vector6<double> tip =
      structure.frame().node_motion(structure.node_of(frame), bent.freedoms);
  const Matrix6<double> C = compliance(structure, frame);
  if (options.json) {
    Json out = json_object();
    out["frame"] = model.frames()[frame].name;
    out["translation"] = to_json(tip.head<3>());
    out["rotation"] = to_json(tip.tail<3>());
    out["compliance"] = matrix_to_json(C);
    out["members"] = Json::array();
    for (const StressResultants& member : bent.members) {
      Json item;
      item["element"] = member.element;
      item["start"] = to_json(member.start);
      item["end"] = to_json(member.end);
      out["members"].push_back(item);
    }
    print_json(out);
    return 0;
  }
  print(fmt::format("{} moves by {} m and turns by {} rad\n\n", model.frames()[frame].name,
                    numbers_text(tip.head<3>()), numbers_text(tip.tail<3>())));
  print(heading("compliance: (translation, rotation) per (force, moment)"));
  print(matrix_text(C));
  print(heading("\nstress resultants, at the start of each element and at its end"));
  std::vector<std::string> names;
  Eigen::MatrixXd forces(2 * static_cast<int>(bent.members.size()), 6);
  for (std::size_t k = 0; k < bent.members.size(); ++k) {
    names.push_back(bent.members[k].element);
    names.emplace_back("");
    forces.row(2 * static_cast<int>(k)) = bent.members[k].start.transpose();
    forces.row(2 * static_cast<int>(k) + 1) = bent.members[k].end.transpose();
  }
  print(Table().words("element", names).matrix({"N", "Qy", "Qz", "T", "My", "Mz"}, forces).text());
  return 0;
}

}  // namespace ulna::cli
