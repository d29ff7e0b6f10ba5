#include <fmt/format.h>

#include "modes_options.hpp"
#include "modes_output.hpp"
#include "sweep_text.hpp"
#include "table.hpp"
#include "terminal.hpp"
#include "ulna/elastic/response.hpp"
#include "ulna/structure/response_point.hpp"

namespace ulna::cli {

int modes_response(const Model& model, const Eigen::VectorXd& q, const ModesOptions& options,
                   int count) {
  const std::size_t colon = options.response->find(':');
  if (colon == std::string::npos)
    throw InputError(Problem{{}, "--response", "found '" + *options.response + "'", "FROM:TO", {}});
  const RobotFrame structure(model, q, structure_options(model, options.structure));
  const Eigen::VectorXd input = response_point(structure, options.response->substr(0, colon));
  const Eigen::VectorXd output = response_point(structure, options.response->substr(colon + 1));
  const std::vector<double> hz =
      parse_range("--frequencies", options.frequencies.value_or("1:100:1"));
  elastic::EigenOptions eigen;
  eigen.count = count;
  const elastic::NaturalModes modes = elastic::natural_modes(structure.system(), eigen);
  const double zeta = options.damping ? parse_number("--damping", *options.damping) : 0.01;
  const Eigen::VectorXd at = Eigen::Map<const Eigen::VectorXd>(hz.data(), long(hz.size()));
  const Eigen::VectorXcd h = elastic::modal_frequency_response(
      modes, Eigen::VectorXd::Constant(modes.count(), zeta), input, output, at / hertz);
  require_finite(h.real(), "the response");
  require_finite(h.imag(), "the response");
  if (options.output) {
    RecordTable table{{"frequency[Hz]", "magnitude.log10"}, Eigen::MatrixXd(at.size(), 2)};
    table.values << at, h.cwiseAbs().array().max(1e-300).log10().matrix();
    write_plot(*options.output, table, *options.response);
  }
  if (options.json) {
    Json out = json_object();
    out["hz"] = to_json(at);
    out["real"] = to_json(h.real());
    out["imag"] = to_json(h.imag());
    out["modes"] = modes.count();
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
