#include "commands/identify_excite.hpp"

#include <fmt/format.h>

#include <cmath>

#include "options/vector_text.hpp"
#include "output/interrupt.hpp"
#include "output/json_output.hpp"
#include "output/picture.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/simulation/channels.hpp"
#include "ulna/study/identification.hpp"

namespace ulna::cli::identify_excite_detail {
namespace {

struct Excited {
  Recording motion;
  Eigen::MatrixXd tau;
  Eigen::VectorXd t;
  double condition = 0;
};

ExcitationOptions options_from(const ExciteWords& words) {
  ExcitationOptions options;
  options.seed = words.seed;
  options.from_rest = true;
  options.candidates = 100;
  if (words.period) options.period = parse_number("--period", *words.period, Dimension::time);
  const double rate = words.rate ? parse_number("--rate", *words.rate, Dimension::frequency) : 100;
  const double samples = rate * options.period;
  if (!(samples >= 20 && samples < 1e6))
    throw InputError(Problem{
        {}, "--rate", fmt::format("{:g} samples in a period", samples), "20 to a million", {}});
  options.samples = static_cast<int>(std::lround(samples));
  if (words.velocity) options.velocity = parse_number("--velocity", *words.velocity);
  if (words.acceleration)
    options.acceleration = parse_number("--acceleration", *words.acceleration);
  if (words.harmonics) options.harmonics = parse_count("--harmonics", *words.harmonics, 2);
  if (words.candidates) options.candidates = parse_count("--candidates", *words.candidates, 1);
  return options;
}

Excited excite(TorqueRegressor& regressor, const BaseParameters& base, ExcitationOptions options) {
  // Choosing among motions needs fewer samples than moving along the best.
  const int samples = options.samples;
  options.samples = std::max(20 * options.harmonics, 100);
  Excited out;
  const InterruptGuard guard;
  options.stop = [&] { return guard.interrupted(); };
  out.condition = INFINITY;
  // The k-th motion of a seed is the same at any number of samples: the best one by its own seed.
  unsigned best = options.seed;
  const int candidates = options.candidates;
  options.candidates = 1;
  for (int k = 0; k < candidates && !(k > 0 && guard.interrupted()); ++k) {
    ExcitationOptions one = options;
    one.seed = options.seed + static_cast<unsigned>(k);
    const double condition = regressor_condition(regressor, base, excitation(regressor, base, one));
    if (!(condition < out.condition) && k > 0) continue;
    out.condition = condition;
    best = one.seed;
  }
  options.seed = best;
  options.samples = samples;
  out.motion = excitation(regressor, base, options);
  // The period closes: its end, where the motion rests as at its beginning, is a sample too.
  for (Eigen::MatrixXd* rows : {&out.motion.q, &out.motion.v, &out.motion.a}) {
    rows->conservativeResize(Eigen::NoChange, samples + 1);
    rows->col(samples) = rows->col(0).eval();
  }
  out.t = Eigen::VectorXd::LinSpaced(samples + 1, 0, options.period);
  const Model& model = regressor.model();
  Workspace work(model);
  out.tau.resize(model.speeds(), samples + 1);
  for (int k = 0; k <= samples; ++k)
    out.tau.col(k) = inverse_dynamics(model, work, out.motion.q.col(k), out.motion.v.col(k),
                                      out.motion.a.col(k));
  return out;
}

RecordTable table_of(const Model& model, const Excited& excited) {
  RecordTable table;
  table.titles = {"t[s]"};
  const std::vector<std::string> units = speed_units(model);
  for (const auto& [group, rate] : {std::pair{"q", ""}, {"v", "/s"}, {"a", "/s^2"}})
    for (std::size_t k = 0; k < units.size(); ++k)
      table.titles.push_back(
          fmt::format("{}.{}[{}{}]", group, model.speed_names()[k], units[k], rate));
  table.values.resize(excited.t.size(), std::ssize(table.titles));
  table.values << excited.t, excited.motion.q.transpose(), excited.motion.v.transpose(),
      excited.motion.a.transpose();
  return table;
}

/// Share of the limit that is used, 0 where there is none.
Eigen::VectorXd used(const Eigen::VectorXd& peak, const Eigen::VectorXd& limit) {
  Eigen::VectorXd out = Eigen::VectorXd::Zero(peak.size());
  for (Eigen::Index k = 0; k < peak.size(); ++k)
    if (std::isfinite(limit(k)) && limit(k) > 0) out(k) = peak(k) / limit(k);
  return out;
}

}  // namespace
}  // namespace ulna::cli::identify_excite_detail

namespace ulna::cli {

int run_excite(const Model& model, const RegressorTerms& terms, const ExciteWords& words,
               const std::optional<std::string>& output, bool json) {
  namespace detail = identify_excite_detail;
  TorqueRegressor regressor(model, terms);
  const BaseParameters base = base_parameters_by_rank(regressor);
  const detail::Excited excited = detail::excite(regressor, base, detail::options_from(words));
  const auto peak = [](const Eigen::MatrixXd& x) -> Eigen::VectorXd {
    return x.cwiseAbs().rowwise().maxCoeff();
  };
  const Eigen::VectorXd v = peak(excited.motion.v), a = peak(excited.motion.a),
                        tau = peak(excited.tau);
  const Eigen::VectorXd effort_used = detail::used(tau, model.effort_limit());
  for (Eigen::Index k = 0; k < tau.size(); ++k)
    if (effort_used(k) > 1)
      warn(fmt::format("'{}' needs {:.3g} times its largest effort; lower --acceleration",
                       model.speed_names()[static_cast<std::size_t>(k)], effort_used(k)));
  if (output)
    write_table(*output, detail::table_of(model, excited), "Excitation of " + model.name());
  if (json) {
    Json out = json_object();
    out["base_parameters"] = base.count();
    out["condition"] = excited.condition;
    out["samples"] = excited.t.size();
    out["joints"] = model.speed_names();
    out["lowest"] = to_json(excited.motion.q.rowwise().minCoeff());
    out["highest"] = to_json(excited.motion.q.rowwise().maxCoeff());
    out["peak_velocity"] = to_json(v);
    out["peak_acceleration"] = to_json(a);
    out["peak_effort"] = to_json(tau);
    out["outputs"] = Json::array();
    if (output) out["outputs"].push_back(*output);
    print_json(out);
    return 0;
  }
  print(heading(fmt::format("{}: condition number {:.4g} for {} base parameters", model.name(),
                            excited.condition, base.count())));
  print(Table()
            .words("joint", model.speed_names())
            .numbers("lowest", excited.motion.q.rowwise().minCoeff())
            .numbers("highest", excited.motion.q.rowwise().maxCoeff())
            .numbers("peak v", v)
            .numbers("peak a", a)
            .numbers("peak effort", tau)
            .numbers("of its limit, %", 100 * effort_used)
            .text());
  print("It begins and ends at rest and may be repeated.\n");
  if (output) print(fmt::format("wrote {}\n", printable(*output)));
  return 0;
}

}  // namespace ulna::cli
