// `ulna modes` of a robot with flexible bodies: vibration in its modal coordinates.

#include <fmt/format.h>

#include <algorithm>

#include "commands/modes_options.hpp"
#include "commands/modes_output.hpp"
#include "commands/sweep_output.hpp"
#include "options/dynamics_options.hpp"
#include "options/sweep_text.hpp"
#include "output/json_output.hpp"
#include "output/output_file.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/internal/dynamics_choice.hpp"
#include "ulna/dynamics/internal/elastic_response.hpp"
#include "ulna/dynamics/internal/exact_level.hpp"
#include "ulna/elastic/geometrically_exact.hpp"
#include "ulna/elastic/natural_modes.hpp"
#include "ulna/formats/parameters.hpp"
#include "ulna/model/internal/actuator_inputs.hpp"

namespace ulna::cli::modes_flexible_detail {
namespace {

int link_named(const Model& model, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t k = 0; k < model.flexible_links().size(); ++k) {
    known.push_back(model.bodies()[model.flexible_links()[k].body].name);
    if (known.back() == name) return static_cast<int>(k);
  }
  throw InputError(Problem{{},
                           "--rigid",
                           fmt::format("robot '{}' has no flexible body '{}'", model.name(), name),
                           fmt::format("{}", fmt::join(known, ", ")),
                           nearest_name_hint(name, known)});
}

ModesQuery query_of(const Model& model, const ModesOptions& options) {
  ModesQuery query;
  const VectorOption q = with_elastic(model, options.q, options.structure.elastic);
  const RobotState state = closed_state(model, q, options.v, options.a);
  query.q = state.q, query.v = state.v, query.a = state.a;
  query.damped = options.damped;
  const auto& locked = options.structure.locked;
  if (locked && *locked == "all")
    query.all_locked = true;
  else if (locked)
    for (const std::string& name : comma_parts(*locked)) query.locked.push_back(model.joint(name));
  if (options.rigid)
    for (const std::string& name : comma_parts(*options.rigid))
      query.rigid.push_back(link_named(model, name));
  if (options.level) query.level = elastic_level_named(*options.level, "--level");
  return query;
}

void require_modes(const Model& model, const ElasticModes& modes) {
  if (modes.speeds.empty())
    throw InputError(fmt::format("nothing of robot '{}' is left to vibrate", model.name()),
                     "a joint that is free or a body that bends");
}

void print_growth(double rate) {
  if (rate > 0) print(fmt::format("\nunstable: a mode grows at {:.4g} 1/s\n", rate));
}

/// Shapes as displacements of points along the bodies.
ModesStep step_of(const Model& model, const ModesQuery& query, const ElasticModes& modes,
                  long count) {
  ModesStep step;
  step.nodes = elastic_drawing(model, query.q).nodes;
  step.q = query.q;
  const Eigen::MatrixXd motion = modes.motion * modes.shapes;
  for (long k = 0; k < count; ++k) {
    const double w = modes.frequencies(k);
    const double damping = modes.from_poles && w > 0 ? -modes.growth(k) / w : 0;
    step.modes.push_back({w * hertz, damping, w < 0 ? "grows" : "",
                          drawn_motion(model, query.q, Eigen::VectorXd(motion.col(k)))});
  }
  return step;
}

int response(const Model& model, const ModesQuery& query, const ModesOptions& options) {
  const ResponsePath path = parse_response("--response", *options.response);
  if (path.to.size() != 1)
    throw InputError(
        Problem{{}, "--response", "found '" + *options.response + "'", "one place to watch", {}});
  const ElasticModes modes = elastic_modes(model, query);
  require_modes(model, modes);
  const std::vector<double> hz =
      parse_range("--frequencies", options.frequencies.value_or("1:100:1"), Dimension::frequency);
  const Eigen::VectorXd at = Eigen::Map<const Eigen::VectorXd>(hz.data(), std::ssize(hz));
  return report_response(
      model, options, at,
      elastic_response(modes, elastic_place(model, modes, query.q, path.from),
                       elastic_place(model, modes, query.q, path.to[0]), at / hertz),
      modes.frequencies.size());
}

/// Forward and backward whirl are alike: of such modes the one nearest in frequency follows.
Eigen::MatrixXd nearest_first(Eigen::MatrixXd alike, const ElasticModes& a, const ElasticModes& b) {
  const double fastest = b.frequencies.cwiseAbs().maxCoeff();
  for (long i = 0; i < alike.rows(); ++i)
    for (long j = 0; j < alike.cols(); ++j)
      alike(i, j) -= 1e-3 * std::abs(a.frequencies(i) - b.frequencies(j)) / fastest;
  return alike;
}

int sweep(const Model& model, ModesQuery query, const SweepGrid& grid,
          const ModesOptions& options) {
  const int most = options.count ? parse_count("--count", *options.count, 1) : 6;
  const auto points = std::ssize(grid.points);
  SweptFrequencies found;
  std::vector<ElasticModes> all;
  std::vector<std::vector<int>> order;  // by point: its modes in the rows of the table
  double fastest_growth = 0;
  ModesReport page;
  for (long i = 0; i < points; ++i) {
    const SweepPoint& point = grid.points[static_cast<std::size_t>(i)];
    query.q = point.q, query.v = point.v;
    ElasticModes modes = elastic_modes(*point.model, query);
    require_modes(*point.model, modes);
    fastest_growth = std::max(fastest_growth, growth_rate(modes));
    const long count = std::min<long>(modes.frequencies.size(), most);
    std::vector<int> mine;
    for (int k = 0; k < modes.frequencies.size(); ++k) mine.push_back(k);
    if (i == 0) {
      found.omega.resize(points, count);
      found.growth.setZero(points, count);
      found.assurance.setOnes(points, count);
    } else {
      const auto from = static_cast<std::size_t>(grid.previous[static_cast<std::size_t>(i)]);
      const ElasticModes& before = all[from];
      const Eigen::MatrixXd alike = shape_assurance(before, modes);
      const std::vector<int> next = elastic::follow_modes(nearest_first(alike, before, modes));
      for (std::size_t k = 0; k < mine.size(); ++k) {
        const int old = order[from][k];
        mine[k] = next[static_cast<std::size_t>(old)];
        if (static_cast<long>(k) < count)
          found.assurance(i, static_cast<long>(k)) = alike(old, mine[k]);
      }
    }
    for (long k = 0; k < count; ++k) {
      found.omega(i, k) = modes.frequencies(mine[static_cast<std::size_t>(k)]);
      if (modes.from_poles) found.growth(i, k) = modes.growth(mine[static_cast<std::size_t>(k)]);
    }
    if (options.is_page()) {
      const ModesStep sorted = step_of(*point.model, query, modes, modes.frequencies.size());
      ModesStep step = sorted;
      step.modes.resize(static_cast<std::size_t>(count));
      for (std::size_t k = 0; k < step.modes.size(); ++k)
        step.modes[k] = sorted.modes[static_cast<std::size_t>(mine[k])];
      step.label = grid.label(static_cast<int>(i));
      step.value = grid.axes.size() == 1 ? grid.axes[0].values[static_cast<std::size_t>(i)]
                                         : static_cast<double>(i + 1);
      page.steps.push_back(std::move(step));
    }
    all.push_back(std::move(modes));
    order.push_back(std::move(mine));
  }
  if (options.is_page()) {
    const SweepAxis& first = grid.axes[0];
    page.parameter = grid.axes.size() > 1
                         ? "combination"
                         : first.parameter + (first.unit.empty() ? "" : " [" + first.unit + "]");
    page.members = elastic_drawing(*grid.points[0].model, grid.points[0].q).members;
    write_file(*options.output, modes_html(model, grid.points[0].q, page));
  }
  const int status = report_sweep(grid, found, options, "Frequencies of " + model.name());
  if (!options.json) print_growth(fastest_growth);
  return status;
}

/// Without what rounding leaves of real parts.
Eigen::VectorXd cleaned(const Eigen::VectorXd& growth, const ElasticModes& modes) {
  const double noise = 1e-12 * modes.poles.cwiseAbs().maxCoeff();
  return growth.unaryExpr([noise](double x) { return std::abs(x) <= noise ? 0.0 : x; });
}

void print_modes(const Model& model, const ElasticModes& modes, long count, bool matrices) {
  const std::vector<std::string> names = names_of(model, modes.speeds);
  print(heading(fmt::format("{}: {} freedom{}", model.name(), names.size(),
                            names.size() == 1 ? " vibrates" : "s vibrate")));
  Table table;
  table.words("mode", numbered(static_cast<int>(count)))
      .numbers("Hz", modes.frequencies.head(count) * hertz)
      .numbers("rad/s", modes.frequencies.head(count));
  Eigen::MatrixXd shapes = modes.shapes.leftCols(count);
  const Eigen::MatrixXd ahead = modes.quadrature.leftCols(count);
  const bool whirls = ahead.norm() > 1e-6 * shapes.norm();
  if (whirls) shapes = (shapes.cwiseAbs2() + ahead.cwiseAbs2()).cwiseSqrt();
  if (modes.from_poles) table.numbers("growth 1/s", cleaned(modes.growth.head(count), modes));
  print(table.matrix(names, shapes.transpose()).text());
  if (whirls) print("\nthe freedoms are out of phase: amplitudes are shown, phases with --json\n");
  if (modes.from_poles) print("\ngrowth: real parts of the poles; negative where a mode decays\n");
  print_growth(growth_rate(modes));
  if (!matrices) return;
  for (const auto& [title, matrix] :
       {std::pair{"M", &modes.M}, std::pair{"D (and gyroscopic terms)", &modes.C},
        std::pair{"K", &modes.K}}) {
    print("\n" + heading(title));
    print(Table().words("", names).matrix(names, *matrix).text());
  }
}

void print_json_modes(const Model& model, const ElasticModes& modes, long count, bool matrices) {
  const std::vector<std::string> names = names_of(model, modes.speeds);
  Json out = json_object();
  out["frequencies_hz"] = to_json(modes.frequencies.head(count) * hertz);
  out["frequencies_rad"] = to_json(modes.frequencies.head(count));
  out["freedoms"] = names;
  out["shapes"] = Json::array();
  const Eigen::MatrixXd all = modes.motion * modes.shapes;
  for (long k = 0; k < count; ++k) {
    Json shape;
    for (int s = 0; s < model.speeds(); ++s) shape[model.speed_names()[s]] = all(s, k);
    out["shapes"].push_back(shape);
  }
  if (modes.from_poles) {
    const Eigen::MatrixXd ahead = modes.motion * modes.quadrature;
    out["growth"] = to_json(modes.growth.head(count));
    out["quadrature"] = Json::array();
    for (long k = 0; k < count; ++k) {
      Json shape;
      for (int s = 0; s < model.speeds(); ++s) shape[model.speed_names()[s]] = ahead(s, k);
      out["quadrature"].push_back(shape);
    }
  }
  out["growth_rate"] = growth_rate(modes);
  out["poles"] = Json::array();
  for (const std::complex<double>& pole : modes.poles)
    out["poles"].push_back({pole.real(), pole.imag()});
  if (matrices) {
    out["M"] = matrix_to_json(modes.M);
    out["D"] = matrix_to_json(modes.C);
    out["K"] = matrix_to_json(modes.K);
  }
  print_json(out);
}

}  // namespace
}  // namespace ulna::cli::modes_flexible_detail

namespace ulna::cli {

bool asks_for_modal_coordinates(const Model& model, const ModesOptions& options) {
  const StructureChoice& choice = options.structure;
  const bool drives = choice.elastic && choice.elastic->find('=') != std::string::npos;
  const bool frame = options.elements || options.terms || options.statics || options.transient ||
                     options.damping || options.rayleigh || choice.freedoms || choice.theory ||
                     choice.mass || choice.rotatory || drives;
  const bool modal = options.rigid || options.level || options.matrices;
  const bool flexible = model.flexible();
  if (modal && (!flexible || frame))
    throw InputError(Problem{{},
                             options.rigid   ? "--rigid"
                             : options.level ? "--level"
                                             : "--matrices",
                             flexible
                                 ? "beam elements are asked for as well"
                                 : fmt::format("no body of robot '{}' has flexible:", model.name()),
                             "the modal coordinates of a robot with flexible bodies",
                             {}});
  if (flexible && frame && !options.elements)
    note("these options ask for beam elements: damping of flexible bodies is left out");
  if (!flexible || frame) return false;
  // These change beams, not the modes that flexible bodies were given.
  return std::none_of(options.sweeps.begin(), options.sweeps.end(), [](const std::string& text) {
    const std::string name = text.substr(0, text.find('='));
    const bool path = is_robot_path(name);
    return name == "payload" ||
           (!path && (name.ends_with(".material") || name.ends_with(".ratio")));
  });
}

int modes_flexible(const Model& model, const ModesOptions& options,
                   const std::optional<SweepGrid>& along) {
  const bool counted = options.level && options.level->find(':') != std::string::npos;
  if (options.level && asks_for_elements(*options.level) && !along &&
      (counted || !has_exact_links(model))) {
    ModesOptions cut = options;
    cut.level = name_of(ElasticLevel::geometrically_exact);
    return modes_flexible(
        made_from(model, with_geometrically_exact_links(model.robot(),
                                                        elements_in("--level", *options.level))),
        cut, along);
  }
  ModesQuery query = modes_flexible_detail::query_of(model, options);
  if (options.response) return modes_flexible_detail::response(model, query, options);
  if (options.map)
    return modes_map(model, query.q, options,
                     options.count ? parse_count("--count", *options.count, 1) : 6,
                     [&](const Eigen::VectorXd& q) {
                       query.q = q;
                       return elastic_modes(model, query).frequencies;
                     });
  if (options.is_page()) query.damped = true;
  if (options.output && options.sweeps.empty() && !along && !options.is_page())
    throw InputError(Problem{{},
                             "-o",
                             "there is nothing to draw",
                             "--sweep with it, or a name that ends in .html for the shapes",
                             {}});
  if (along) return modes_flexible_detail::sweep(model, query, *along, options);
  if (!options.sweeps.empty())
    return modes_flexible_detail::sweep(
        model, query,
        parse_sweeps(options.sweeps, model, query.q, query.v,
                     [&](Robot robot) { return made_from(model, std::move(robot)); }),
        options);
  const ElasticModes modes = elastic_modes(model, query);
  modes_flexible_detail::require_modes(model, modes);
  const int most = options.count ? parse_count("--count", *options.count, 1)
                                 : static_cast<int>(modes.frequencies.size());
  const long count = std::min<long>(most, modes.frequencies.size());
  if (options.is_page()) {
    ModesReport page;
    page.members = elastic_drawing(model, query.q).members;
    page.steps.push_back(modes_flexible_detail::step_of(model, query, modes, count));
    write_file(*options.output, modes_html(model, query.q, page));
  }
  if (options.json)
    modes_flexible_detail::print_json_modes(model, modes, count, options.matrices);
  else
    modes_flexible_detail::print_modes(model, modes, count, options.matrices);
  if (options.output && !options.json)
    print(fmt::format("\nwrote {}\n", printable(*options.output)));
  return 0;
}

void add_flexible_options(CLI::App& command, ModesOptions& options) {
  add_text(command, "--rigid", options.rigid, "BODY,...", "Flexible bodies to treat as rigid");
  add_text(command, "--level", options.level, "LEVEL",
           "How flexible bodies are modelled: exact (default), geometrically-exact, consistent, "
           "inconsistent, ...");
  add_flag(command, "--matrices", options.matrices, "Add M, D and K of the flexible model");
  add_flag(command, "--elements", options.elements,
           "Use beam elements instead of the modal coordinates of flexible bodies");
}

}  // namespace ulna::cli
