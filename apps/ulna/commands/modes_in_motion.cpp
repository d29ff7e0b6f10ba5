#include "commands/modes_options.hpp"
#include "commands/modes_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"

namespace ulna::cli::modes_in_motion_detail {
namespace {

MotionTermChoice parse_terms(const std::string& text) {
  MotionTermChoice choice{false, false, false, false};
  const auto field = [&](const std::string& word) -> bool* {
    if (word == "gyroscopic") return &choice.gyroscopic;
    if (word == "centrifugal") return &choice.centrifugal;
    if (word == "euler") return &choice.euler;
    if (word == "geometric") return &choice.geometric;
    return nullptr;
  };
  for (const std::string& word : comma_parts(text)) {
    const bool off = word.starts_with("no-");
    const std::string name = off ? word.substr(3) : word;
    if (name == "all") {
      choice = {true, true, true, true};
    } else if (name == "none") {
      choice = {false, false, false, false};
    } else if (bool* chosen = field(name)) {
      *chosen = !off;
    } else {
      throw InputError(Problem{{},
                               "--terms",
                               "unknown term '" + word + "'",
                               "all, none, gyroscopic, centrifugal, euler, geometric, or no-TERM",
                               {}});
    }
  }
  return choice;
}

}  // namespace
}  // namespace ulna::cli::modes_in_motion_detail

namespace ulna::cli {

int modes_in_motion(const Model& model, const RobotState& state, const ModesOptions& options,
                    int count) {
  const MotionTermChoice choice = modes_in_motion_detail::parse_terms(
      options.terms.value_or(options.v || options.a ? "all" : "none"));
  const RobotStructure structure(model, state.q, structure_options(model, options.structure));
  const elastic::ComplexModes modes =
      moving_modes(structure, state.q, {state.v, state.a}, choice, count, damping_of(options, 0));
  if (options.json) {
    Json out = json_object();
    out["frequencies_hz"] = to_json(modes.damped_omega * hertz);
    out["frequencies_rad"] = to_json(modes.damped_omega);
    out["damping_ratio"] = to_json(modes.damping_ratio);
    out["real"] = to_json(modes.lambda.real());
    out["imag"] = to_json(modes.lambda.imag());
    out["residuals"] = to_json(modes.residual);
    add_drawing(out, structure);
    out["shapes"] = Json::array();
    for (int k = 0; k < modes.count(); ++k) {
      Json shape = shape_json(structure, modes.shapes.col(k).real());
      shape["quadrature"] =
          matrix_to_json(node_displacements(structure, modes.shapes.col(k).imag()));
      out["shapes"].push_back(shape);
    }
    print_json(out);
    return 0;
  }
  print(Table()
            .words("mode", numbered(modes.count()))
            .numbers("Hz", modes.damped_omega * hertz)
            .numbers("rad/s", modes.damped_omega)
            .numbers("damping ratio", modes.damping_ratio)
            .text());
  return 0;
}

}  // namespace ulna::cli
