#include <fmt/format.h>

#include <utility>

#include "commands/modes_options.hpp"
#include "commands/modes_output.hpp"
#include "options/sweep_text.hpp"
#include "output/picture.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/elastic/internal/modal_superposition.hpp"
#include "ulna/simulation/channels.hpp"
#include "ulna/structure/internal/response_point.hpp"

namespace ulna::cli {

namespace {

/// Of FRAME.x and the like, and of coordinates of joints: "m" or "rad".
std::string place_unit(const Model& model, const std::string& place) {
  for (int k = 0; k < model.speeds(); ++k)
    if (model.speed_names()[static_cast<std::size_t>(k)] == place)
      return speed_units(model)[static_cast<std::size_t>(k)];
  const std::size_t dot = place.rfind('.');
  return dot != std::string::npos && place.compare(dot + 1, 1, "r") == 0 ? "rad" : "m";
}

}  // namespace

ResponsePath parse_response(const std::string& option, const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon + 1 == text.size())
    throw InputError(Problem{{}, option, "found '" + text + "'", "FROM:TO", {}});
  return {text.substr(0, colon), comma_parts(text.substr(colon + 1))};
}

StructureDamping damping_of(const ModesOptions& options, double otherwise) {
  StructureDamping damping;
  damping.ratio = options.rayleigh ? 0 : otherwise;
  if (options.damping) damping.ratio = parse_number("--damping", *options.damping);
  if (damping.ratio < 0 || damping.ratio >= 1)
    throw InputError(
        Problem{{}, "--damping", "found '" + *options.damping + "'", "0 or more and below 1", {}});
  if (options.rayleigh) {
    const std::vector<std::string> parts = comma_parts(*options.rayleigh);
    if (parts.size() == 2) {
      damping.mass = parse_number("--rayleigh", parts[0]);
      damping.stiffness = parse_number("--rayleigh", parts[1]);
    }
    if (parts.size() != 2 || damping.mass < 0 || damping.stiffness < 0)
      throw InputError(Problem{{},
                               "--rayleigh",
                               "found '" + *options.rayleigh + "'",
                               "two numbers that are not negative: of M, of K",
                               {}});
  }
  return damping;
}

int modes_response(const Model& model, const Eigen::VectorXd& q, const ModesOptions& options,
                   int count) {
  const ResponsePath path = parse_response("--response", *options.response);
  const RobotStructure structure(model, q, structure_options(model, options.structure));
  const Eigen::VectorXd input = response_point(structure, path.from);
  if (path.to.size() != 1)
    throw InputError(
        Problem{{}, "--response", "found '" + *options.response + "'", "one place to watch", {}});
  const Eigen::VectorXd output = response_point(structure, path.to[0]);
  const std::vector<double> hz =
      parse_range("--frequencies", options.frequencies.value_or("1:100:1"), Dimension::frequency);
  StructureDamping damping = damping_of(options, 0.01);
  const double zeta = std::exchange(damping.ratio, 0.0);  // the modes have it themselves
  const elastic::ModalSuperposition modes(damped_system(structure, damping), zeta, count);
  const Eigen::VectorXd at = Eigen::Map<const Eigen::VectorXd>(hz.data(), long(hz.size()));
  const Eigen::VectorXcd h = modes.frequency_response(input, output, at / hertz);
  return report_response(model, options, at, h, modes.modes().count());
}

int report_response(const Model& model, const ModesOptions& options, const Eigen::VectorXd& at,
                    const Eigen::VectorXcd& h, long modes) {
  require_finite(h.real(), "the response");
  require_finite(h.imag(), "the response");
  if (options.output) {
    const ResponsePath path = parse_response("--response", *options.response);
    const std::string name = fmt::format("{} by {}", path.to.front(), path.from);
    RecordTable table{{"frequency[Hz]",
                       fmt::format("magnitude.{}[{}/{}]", name, place_unit(model, path.to.front()),
                                   place_unit(model, path.from) == "m" ? "N" : "Nm"),
                       fmt::format("phase.{}[deg]", name)},
                      Eigen::MatrixXd(at.size(), 3)};
    table.values << at, h.cwiseAbs(), unwrapped_degrees(h);
    require_plot_name(*options.output);
    write_bode(*options.output, table, "Frequency response of " + model.name());
  }
  if (options.json) {
    Json out = json_object();
    out["hz"] = to_json(at);
    out["real"] = to_json(h.real());
    out["imag"] = to_json(h.imag());
    out["modes"] = modes;
    if (options.output) out["file"] = *options.output;
    print_json(out);
    return 0;
  }
  print(Table()
            .numbers("Hz", at)
            .numbers("magnitude", h.cwiseAbs())
            .numbers("phase deg", h.cwiseArg() * (180 / std::numbers::pi))
            .text());
  if (options.output) print(fmt::format("\nwrote {}\n", printable(*options.output)));
  return 0;
}

}  // namespace ulna::cli
