// `ulna modes` of a robot with flexible bodies: vibration in its modal coordinates.

#include <fmt/format.h>

#include <algorithm>

#include "commands/modes_options.hpp"
#include "commands/modes_output.hpp"
#include "options/sweep_text.hpp"
#include "output/json_output.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/dynamics/internal/elastic_modes.hpp"
#include "ulna/elastic/natural_modes.hpp"

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
  if (options.level) {
    const auto level = elastic_level_from_name(*options.level);
    if (!level)
      throw InputError(Problem{{},
                               "--level",
                               fmt::format("'{}' found", *options.level),
                               fmt::format("{}", fmt::join(elastic_level_names(), ", ")),
                               nearest_name_hint(*options.level, elastic_level_names())});
    query.level = *level;
  }
  return query;
}

/// What a sweep changes: an entry of q or of v.
struct Swept {
  bool speed;
  int index;
  std::vector<double> values;
  std::string name;
};

/// "v.elbow=0:6:0.5", "v2=...", "elbow=...", "q.elbow=...", "q2=...".
Swept parse_spin(const Model& model, const std::string& text) {
  const std::size_t equals = text.find('=');
  const auto refuse = [&](const std::string& found, const std::string& hint) {
    throw InputError(Problem{{},
                             "--sweep",
                             found,
                             "NAME=A:B:STEP with v.JOINT or v1, v2, ... for a speed, JOINT or q1, "
                             "q2, ... for a coordinate",
                             hint});
  };
  if (equals == std::string::npos) refuse(fmt::format("'{}' found", text), {});
  std::string name = text.substr(0, equals);
  Swept out{false, -1, {}, name};
  const std::string values = text.substr(equals + 1);
  const auto find = [&](const std::vector<std::string>& names, const std::string& wanted) {
    const auto at = std::find(names.begin(), names.end(), wanted);
    return at == names.end() ? -1 : static_cast<int>(at - names.begin());
  };
  const auto numbered = [&](char letter, int count) {
    const bool digits =
        name.size() > 1 && name[0] == letter &&
        std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
    const int k = digits && name.size() < 6 ? std::stoi(name.substr(1)) - 1 : -1;
    return k < count ? k : -1;
  };
  out.index = find(model.coordinate_names(), name);
  if (out.index < 0 && name.starts_with("q."))
    out.index = find(model.coordinate_names(), name.substr(2));
  if (out.index < 0) out.index = numbered('q', model.coordinates());
  if (out.index >= 0) {
    out.values = parse_range("--sweep", values, coordinate_entries(model)[out.index].dimension);
    return out;
  }
  out.speed = true;
  if (name.starts_with("v.")) out.index = find(model.speed_names(), name.substr(2));
  if (out.index < 0) out.index = numbered('v', model.speeds());
  if (out.index < 0)
    refuse(fmt::format("robot '{}' has no '{}'", model.name(), name),
           nearest_name_hint(name, model.coordinate_names()));
  out.values = parse_range("--sweep", values, speed_entries(model)[out.index].dimension, "/s");
  return out;
}

std::vector<std::string> speed_names(const Model& model, const ElasticModes& modes) {
  std::vector<std::string> names;
  for (const int k : modes.speeds) names.push_back(model.speed_names()[k]);
  return names;
}

void require_modes(const Model& model, const ElasticModes& modes) {
  if (modes.speeds.empty())
    throw InputError(fmt::format("nothing of robot '{}' is left to vibrate", model.name()),
                     "a joint that is free or a body that bends");
}

void print_growth(double rate) {
  if (rate > 0) print(fmt::format("\nruns away: a mode grows at {:.4g} 1/s\n", rate));
}

/// Forward and backward whirl are alike: of such modes the one nearest in frequency follows.
Eigen::MatrixXd nearest_first(Eigen::MatrixXd alike, const ElasticModes& a, const ElasticModes& b) {
  const double fastest = b.frequencies.cwiseAbs().maxCoeff();
  for (long i = 0; i < alike.rows(); ++i)
    for (long j = 0; j < alike.cols(); ++j)
      alike(i, j) -= 1e-3 * std::abs(a.frequencies(i) - b.frequencies(j)) / fastest;
  return alike;
}

int sweep(const Model& model, ModesQuery query, const ModesOptions& options) {
  const Swept swept = parse_spin(model, *options.sweep);
  const int most = options.count ? parse_count("--count", *options.count, 1) : 6;
  const auto points = std::ssize(swept.values);
  Eigen::MatrixXd omega, growth, assurance;
  ElasticModes before;
  std::vector<int> order;  // columns of `before` that the rows of the table follow
  double fastest_growth = 0;
  for (long i = 0; i < points; ++i) {
    (swept.speed ? query.v : query.q)(swept.index) = swept.values[static_cast<std::size_t>(i)];
    ElasticModes modes = elastic_modes(model, query);
    require_modes(model, modes);
    fastest_growth = std::max(fastest_growth, growth_rate(modes));
    const long count = std::min<long>(modes.frequencies.size(), most);
    if (i == 0) {
      for (int k = 0; k < modes.frequencies.size(); ++k) order.push_back(k);
      omega.resize(points, count);
      growth.setZero(points, count);
      assurance.setOnes(points, count);
    } else {
      const Eigen::MatrixXd alike = shape_assurance(before, modes);
      const std::vector<int> next = elastic::follow_modes(nearest_first(alike, before, modes));
      for (std::size_t k = 0; k < order.size(); ++k) {
        const int from = order[k];
        order[k] = next[static_cast<std::size_t>(from)];
        if (static_cast<long>(k) < count)
          assurance(i, static_cast<long>(k)) = alike(from, order[k]);
      }
    }
    for (long k = 0; k < count; ++k) {
      omega(i, k) = modes.frequencies(order[static_cast<std::size_t>(k)]);
      if (modes.from_poles) growth(i, k) = modes.growth(order[static_cast<std::size_t>(k)]);
    }
    before = std::move(modes);
  }
  const Eigen::MatrixXd hz = omega * hertz;
  const Eigen::Map<const Eigen::VectorXd> values(swept.values.data(), std::ssize(swept.values));
  std::vector<std::string> titles;
  for (int k = 1; k <= hz.cols(); ++k) titles.push_back(fmt::format("mode {} Hz", k));
  if (options.output) {
    RecordTable table;
    table.titles.push_back(swept.name);
    for (int k = 1; k <= hz.cols(); ++k)
      table.titles.push_back(fmt::format("frequency.mode {}[Hz]", k));
    table.values.resize(hz.rows(), hz.cols() + 1);
    table.values << values, hz;
    write_plot(*options.output, table, "Frequencies of " + model.name());
  }
  if (options.json) {
    Json out = json_object();
    out["parameter"] = swept.name;
    out["values"] = swept.values;
    out["frequencies_hz"] = matrix_to_json(hz);
    out["frequencies_rad"] = matrix_to_json(omega);
    out["growth"] = matrix_to_json(growth);
    out["assurance"] = matrix_to_json(assurance);
    if (options.output) out["file"] = *options.output;
    print_json(out);
    return 0;
  }
  print(Table().numbers(swept.name, values).matrix(titles, hz).text());
  print_growth(fastest_growth);
  if (options.output) print(fmt::format("\nwrote {}\n", printable(*options.output)));
  return 0;
}

/// Without what rounding leaves of real parts.
Eigen::VectorXd cleaned(const Eigen::VectorXd& growth, const ElasticModes& modes) {
  const double noise = 1e-12 * modes.poles.cwiseAbs().maxCoeff();
  return growth.unaryExpr([noise](double x) { return std::abs(x) <= noise ? 0.0 : x; });
}

void print_modes(const Model& model, const ElasticModes& modes, long count, bool matrices) {
  const std::vector<std::string> names = speed_names(model, modes);
  print(heading(fmt::format("{}: {} freedoms vibrate", model.name(), names.size())));
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
  const std::vector<std::string> names = speed_names(model, modes);
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
  const bool frame = options.elements || options.terms || options.statics || options.response ||
                     options.transient || options.map || options.damping || options.rayleigh ||
                     choice.freedoms || choice.theory || choice.mass || choice.rotatory ||
                     options.is_page() || drives;
  const bool modal = options.rigid || options.level || options.matrices;
  if (modal && (!model.flexible() || frame))
    throw InputError(Problem{{},
                             options.rigid   ? "--rigid"
                             : options.level ? "--level"
                                             : "--matrices",
                             model.flexible()
                                 ? "beam elements are asked for as well"
                                 : fmt::format("no body of robot '{}' has flexible:", model.name()),
                             "the modal coordinates of a robot with flexible bodies",
                             {}});
  if (model.flexible() && frame && !options.elements)
    note("these options ask for beam elements: damping of flexible bodies is left out");
  if (!model.flexible() || frame) return false;
  if (!options.sweep) return true;
  const std::string name = options.sweep->substr(0, options.sweep->find('='));
  return name != "payload" && !name.ends_with(".material") && !name.ends_with(".ratio");
}

int modes_flexible(const Model& model, const ModesOptions& options) {
  const ModesQuery query = modes_flexible_detail::query_of(model, options);
  if (options.output && !options.sweep)
    throw InputError(Problem{{},
                             "-o",
                             "there is nothing to draw",
                             "--sweep with it, or a name that ends in .html for the shapes",
                             {}});
  if (options.sweep) return modes_flexible_detail::sweep(model, query, options);
  const ElasticModes modes = elastic_modes(model, query);
  modes_flexible_detail::require_modes(model, modes);
  const int most = options.count ? parse_count("--count", *options.count, 1)
                                 : static_cast<int>(modes.frequencies.size());
  const long count = std::min<long>(most, modes.frequencies.size());
  if (options.json)
    modes_flexible_detail::print_json_modes(model, modes, count, options.matrices);
  else
    modes_flexible_detail::print_modes(model, modes, count, options.matrices);
  return 0;
}

void add_flexible_options(CLI::App& command, ModesOptions& options) {
  add_text(command, "--rigid", options.rigid, "BODY,...", "Flexible bodies held rigid");
  add_text(command, "--level", options.level, "LEVEL",
           "How flexible bodies are modelled: exact (default), consistent, inconsistent, ...");
  add_flag(command, "--matrices", options.matrices, "M, D and K of the flexible model too");
  add_flag(command, "--elements", options.elements,
           "Beam elements instead of the modal coordinates of flexible bodies");
}

}  // namespace ulna::cli
