#include "ulna/dynamics/base_parameters.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "command.hpp"
#include "options/method.hpp"
#include "options/regressor_options.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"

namespace ulna::cli::base_parameters_detail {
namespace {

constexpr const char* examples = R"(  ulna base-parameters puma560
  ulna base-parameters arm.urdf --rotors --friction --json
  ulna base-parameters puma560 --method grouping

The base parameters are the combinations of inertial parameters on which efforts depend. By rank they
are found from random states, by grouping from the types and directions of the joints. The results of
both methods are compared.)";

struct Options : RegressorOptions {
  std::optional<std::string> method;
  unsigned seed = 1;
};

struct Method {
  const char* name;
};
constexpr Method methods[] = {{"rank"}, {"grouping"}};

Json to_json(const BaseParameters& base, int index, double value,
             const std::vector<std::string>& names) {
  Json terms = Json::object();
  for (int j = 0; j < base.combination.cols(); ++j)
    if (base.combination(index, j) != 0) terms[names[j]] = base.combination(index, j);
  return {{"parameter", names[base.kept[index]]},
          {"text", describe(base, index, names)},
          {"terms", terms},
          {"value", value}};
}

void print_words(const BaseParameters& base, const Eigen::VectorXd& values,
                 const std::vector<std::string>& names, int by_rank, int by_grouping) {
  std::vector<std::string> text;
  for (int k = 0; k < base.count(); ++k) text.push_back(describe(base, k, names));
  print(Table().numbers("value", values).words("base parameter", text).text());
  std::string unfelt;
  for (int j : base.unfelt) unfelt += (unfelt.empty() ? "" : ", ") + names[j];
  if (!unfelt.empty()) print("\nWithout effect: " + unfelt + "\n");
  print(heading(fmt::format("{} base parameters of {}; {} by rank, {} by grouping", base.count(),
                            names.size(), by_rank, by_grouping)));
}

int run(const Options& options) {
  const bool grouping = choose_method<Method>(methods, options.method).name == methods[1].name;
  const Model model = load(options);
  TorqueRegressor regressor(model, options.terms());
  const BaseParameters rank = base_parameters_by_rank(regressor, {options.seed}),
                       rules = base_parameters_by_grouping(regressor);
  const BaseParameters& base = grouping ? rules : rank;
  const Eigen::VectorXd values = base.combination * regressor.parameters();
  require_finite(values, "base parameters");
  if (rank.margin < 100)
    warn(
        fmt::format("the rank is not clear: the least column kept is only {:.2g} times the "
                    "largest remainder left out",
                    rank.margin));
  const std::vector<std::string>& names = regressor.names();
  if (!options.json) {
    print_words(base, values, names, rank.count(), rules.count());
    return 0;
  }
  Json out = json_object();
  out["method"] = grouping ? "grouping" : "rank";
  out["count"] = base.count();
  out["count_by_rank"] = rank.count();
  out["count_by_grouping"] = rules.count();
  out["rank_margin"] = std::isfinite(rank.margin) ? Json(rank.margin) : Json(nullptr);
  out["base"] = Json::array();
  for (int k = 0; k < base.count(); ++k) out["base"].push_back(to_json(base, k, values(k), names));
  out["without_effect"] = Json::array();
  for (int j : base.unfelt) out["without_effect"].push_back(names[j]);
  print_json(out);
  return 0;
}

}  // namespace
}  // namespace ulna::cli::base_parameters_detail

namespace ulna::cli {

Command add_base_parameters(CLI::App& program) {
  auto options = std::make_shared<base_parameters_detail::Options>();
  CLI::App* app =
      add_robot_command(program, "base-parameters", "Identifiable (base) inertial parameters",
                        base_parameters_detail::examples, *options);
  add_text(*app, "--method", options->method,
           method_names<base_parameters_detail::Method>(base_parameters_detail::methods),
           "How the parameters are found");
  add_integer(*app, "--seed", options->seed, "Seed of the random states");
  add_term_flags(*app, *options);
  return {app, [options] { return base_parameters_detail::run(*options); }};
}

}  // namespace ulna::cli
