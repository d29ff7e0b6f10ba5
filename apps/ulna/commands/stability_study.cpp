#include "commands/stability_study.hpp"

#include <fmt/format.h>

#include "commands/study_output.hpp"
#include "options/sweep_text.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/study/internal/stability_surface.hpp"

namespace ulna::cli::stability_study_detail {
namespace {

int link_of(const Model& model, const std::optional<std::string>& name) {
  std::vector<std::string> known;
  for (const FlexibleLink& link : model.flexible_links())
    known.push_back(model.bodies()[link.body].name);
  if (known.empty())
    throw InputError(fmt::format("robot '{}' has no flexible bodies", model.name()),
                     "a robot with flexible bodies");
  if (!name) return static_cast<int>(known.size()) - 1;
  for (std::size_t k = 0; k < known.size(); ++k)
    if (known[k] == *name) return static_cast<int>(k);
  throw InputError(Problem{{},
                           "--body",
                           fmt::format("robot '{}' has no flexible body '{}'", model.name(), *name),
                           fmt::format("{}", fmt::join(known, ", ")),
                           nearest_name_hint(*name, known)});
}

RecordTable table_of(const StabilitySurface& s) {
  RecordTable table;
  table.titles.push_back("spin[w1]");
  for (const double z : s.z) table.titles.push_back(fmt::format("boundary.z = {:g}[l w1]", z));
  table.values.resize(std::ssize(s.x), std::ssize(s.z) + 1);
  for (std::size_t i = 0; i < s.x.size(); ++i) table.values(static_cast<long>(i), 0) = s.x[i];
  table.values.rightCols(std::ssize(s.z)) = s.y;
  return table;
}

}  // namespace
}  // namespace ulna::cli::stability_study_detail

namespace ulna::cli {

int run_stability_study(const StabilityOptions& options) {
  const Model model = load(options);
  const int link = stability_study_detail::link_of(model, options.body);
  const StabilitySurface s =
      stability_surface(model, link, parse_range("--spin", options.spin.value_or("0.25:3:0.25")),
                        parse_range("--axial", options.axial.value_or("-0.5:0.5:0.25")));
  const std::string& body = model.bodies()[model.flexible_links()[link].body].name;
  std::vector<std::string> outputs;
  if (options.output) {
    StudyTable study{"stability", stability_study_detail::table_of(s), {}, {}};
    study.plot.title = "Stability of " + body;
    outputs = write_study(*options.output, study);
  }
  const double buckling =
      stability_surface(model, link, {0}, {}).critical(0);  // of a base that does not spin
  if (options.json) {
    Json out = json_object();
    out["body"] = body;
    out["first_frequency"] = s.first_frequency;
    out["length"] = s.length;
    out["spin_coefficient"] = s.spin;
    out["axial_coefficient"] = s.axial;
    out["critical_acceleration"] = s.metres_per_second_squared(buckling);
    out["x"] = s.x;
    out["z"] = s.z;
    out["critical"] = to_json(s.critical);
    out["y"] = matrix_to_json(s.y);
    out["outputs"] = outputs;
    if (outputs.size() == 1) out["file"] = outputs[0];
    print_json(out);
    return 0;
  }
  print(heading(fmt::format("{}: first frequency {:.6g} rad/s with its root held, length {:.6g} m",
                            body, s.first_frequency, s.length)));
  std::vector<std::string> titles;
  for (const double z : s.z) titles.push_back(fmt::format("y at z = {:g}", z));
  const Eigen::Map<const Eigen::VectorXd> x(s.x.data(), std::ssize(s.x));
  print(Table().numbers("x", x).numbers("critical a_x", s.critical).matrix(titles, s.y).text());
  print(
      fmt::format("\nx = spin / w1, y = transverse velocity / (l w1), z = axial acceleration / (l "
                  "w1^2), a_x = z - x y;\n"
                  "unstable below y. First mode alone: w^2 / w1^2 = 1 {:+.6g} x^2 {:+.6g} a_x.\n"
                  "Without spin it buckles at {:.6g} m/s^2, {:.4g} g.\n",
                  s.spin, s.axial, s.metres_per_second_squared(buckling),
                  s.metres_per_second_squared(buckling) / 9.80665));
  for (const std::string& file : outputs) print(fmt::format("wrote {}\n", printable(file)));
  return 0;
}

}  // namespace ulna::cli
