#include <fmt/format.h>

#include <CLI/App.hpp>
#include <cmath>
#include <memory>
#include <numbers>

#include "command.hpp"
#include "interrupt.hpp"
#include "json_output.hpp"
#include "loop_state.hpp"
#include "output_file.hpp"
#include "picture.hpp"
#include "progress.hpp"
#include "structure_options.hpp"
#include "sweep_text.hpp"
#include "table.hpp"
#include "terminal.hpp"
#include "ulna/elastic/response.hpp"
#include "ulna/report/modes_report.hpp"
#include "ulna/structure/response_point.hpp"
#include "ulna/structure/structure_modes.hpp"
#include "ulna/structure/sweep.hpp"

namespace ulna::cli {
namespace {

constexpr const char* examples = R"(  ulna modes t3r3-frame --q 7deg,57deg,-71deg --locked all
  ulna modes t3r3-frame --locked joint1,joint2 --count 8 --json
  ulna modes t3r3-frame --locked all --sweep joint2=0deg:180deg:5deg -o sweep.svg
  ulna modes t3r3-frame --locked all -o modes.html
  ulna modes t3r3-frame --locked all --sweep payload=0:50:5
  ulna modes t3r3-frame --locked all --sweep upper_arm.material=steel,aluminium
  ulna modes t3r3-frame --locked all --q 0,1,-1 --v 0.3,-0.6,1.4 --terms all,no-geometric
  ulna modes t3r3-frame --locked all --q 0,1,-1 --statics
  ulna modes t3r3-frame --locked all --q 0,1,-1 --response tip.z:tip.z --frequencies 1:100:0.5 -o frf.svg

Natural frequencies and shapes of the robot as an elastic frame at a posture. Links bend where the robot file
gives them a beam; others are rigid. --terms adds what a motion (--v, --a) and gravity do: gyroscopic,
centrifugal, euler, geometric.)";

struct Options : RobotOptions {
  VectorOption q, v, a;
  StructureChoice structure;
  std::optional<std::string> count, sweep, terms, output, frame, threads;
  std::optional<std::string> response, frequencies, damping;
  bool statics = false;
};

constexpr double hertz = 1 / (2 * std::numbers::pi);

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

Json shape_json(const RobotFrame& structure, const Eigen::VectorXd& shape) {
  Json out;
  out["displacements"] = matrix_to_json(node_displacements(structure, shape));
  return out;
}

// Where the nodes are and which are joined: enough to draw a shape.
void add_drawing(Json& out, const RobotFrame& structure) {
  const elastic::Frame& frame = structure.frame();
  out["nodes"] = Json::array();
  for (std::size_t k = 0; k < frame.nodes().size(); ++k) {
    Json node;
    node["name"] = frame.nodes()[k].name;
    node["body"] = structure.model().bodies()[structure.owner_of(static_cast<int>(k))].name;
    node["position"] = to_json(frame.nodes()[k].position);
    out["nodes"].push_back(node);
  }
  out["elements"] = Json::array();
  for (const elastic::FrameElement& e : frame.elements())
    out["elements"].push_back(Json::array({e.start, e.end}));
}

std::vector<std::string> numbered(int count) {
  std::vector<std::string> names;
  for (int k = 1; k <= count; ++k) names.push_back(fmt::format("{}", k));
  return names;
}

// ---- the page -----------------------------------------------------------------------------------

std::vector<std::vector<int>> members_of(const RobotFrame& structure) {
  std::vector<std::vector<int>> members;
  for (const elastic::FrameElement& e : structure.frame().elements())
    members.push_back({e.start, e.end});
  return members;
}

Eigen::Matrix3Xd nodes_of(const RobotFrame& structure) {
  const auto& nodes = structure.frame().nodes();
  Eigen::Matrix3Xd places(3, static_cast<Eigen::Index>(nodes.size()));
  for (std::size_t k = 0; k < nodes.size(); ++k)
    places.col(static_cast<Eigen::Index>(k)) = nodes[k].position;
  return places;
}

ModesStep step_of(const RobotFrame& structure, const elastic::NaturalModes& modes) {
  ModesStep step;
  step.nodes = nodes_of(structure);
  for (int k = 0; k < modes.count(); ++k)
    step.modes.push_back({modes.omega(k) * hertz, 0, k < modes.rigid_body_modes ? "rigid body" : "",
                          node_displacements(structure, modes.shapes.col(k)).transpose()});
  return step;
}

bool is_page(const Options& options) {
  return options.output && options.output->ends_with(".html");
}

// ---- at rest ------------------------------------------------------------------------------------

Eigen::MatrixXd used_columns(const Eigen::MatrixXd& shares, const std::vector<std::string>& all,
                             std::vector<std::string>& names) {
  Eigen::MatrixXd used(shares.rows(), 0);
  for (int k = 0; k < shares.cols(); ++k) {
    if (shares.col(k).cwiseAbs().maxCoeff() < 1e-9) continue;
    used.conservativeResize(Eigen::NoChange, used.cols() + 1);
    used.rightCols<1>() = 100 * shares.col(k);
    names.push_back(all[k] + " %");
  }
  return used;
}

int run_at_rest(const Model& model, const Eigen::VectorXd& q, const Options& options, int count) {
  const RobotFrame structure(model, q, structure_options(model, options.structure));
  elastic::EigenOptions eigen;
  eigen.count = count;
  const StructureModes found = structure_modes(structure, eigen);
  const elastic::NaturalModes& modes = found.modes;
  if (!modes.warning.empty()) warn(modes.warning);
  if (is_page(options)) {
    ModesReport page;
    page.members = members_of(structure);
    page.steps.push_back(step_of(structure, modes));
    write_file(*options.output, modes_html(model, q, page));
  }
  std::vector<std::string> parts;
  for (const Body& body : model.bodies()) parts.push_back(body.name);
  for (const std::string& speed : model.speed_names()) parts.push_back("spring of " + speed);
  if (options.json) {
    Json out = json_object();
    out["frequencies_hz"] = to_json(modes.omega * hertz);
    out["frequencies_rad"] = to_json(modes.omega);
    out["freedoms"] = structure.frame().size();
    out["rigid_body_modes"] = modes.rigid_body_modes;
    out["residuals"] = to_json(modes.residual);
    add_drawing(out, structure);
    out["shapes"] = Json::array();
    for (int k = 0; k < modes.count(); ++k) {
      Json shape = shape_json(structure, modes.shapes.col(k));
      for (std::size_t p = 0; p < parts.size(); ++p)
        shape["strain_energy"][parts[p]] = found.strain(k, static_cast<int>(p));
      for (std::size_t p = 0; p < model.bodies().size(); ++p)
        shape["kinetic_energy"][parts[p]] = found.kinetic(k, static_cast<int>(p));
      for (int s = 0; s < model.speeds(); ++s)
        shape["joints"][model.speed_names()[s]] = found.joint_motion(k, s);
      shape["effective_mass"] = to_json(found.effective_mass.row(k).transpose());
      out["shapes"].push_back(shape);
    }
    if (!modes.warning.empty()) out["warning"] = modes.warning;
    if (options.output) out["file"] = *options.output;
    print_json(out);
    return 0;
  }
  print(heading(fmt::format("{}: {} freedoms", model.name(), structure.frame().size())));
  std::vector<std::string> names;
  const Eigen::MatrixXd strain = used_columns(found.strain, parts, names);
  Table table;
  table.words("mode", numbered(modes.count()))
      .numbers("Hz", modes.omega * hertz)
      .numbers("rad/s", modes.omega)
      .matrix(names, strain)
      .matrix({"eff. mass x", "y", "z"}, found.effective_mass);
  print(table.text());
  print(
      fmt::format("\nshares are of the strain energy; effective masses in kg, of {:.6g} in all; "
                  "residuals below {:.1e}\n",
                  model.mass(), modes.residual.maxCoeff()));
  if (options.output) print(fmt::format("wrote {}\n", printable(*options.output)));
  return 0;
}

// ---- in motion ----------------------------------------------------------------------------------

int run_in_motion(const Model& model, const RobotState& state, const Options& options, int count) {
  const MotionTermChoice choice = parse_terms(options.terms.value_or("all"));
  const RobotFrame structure(model, state.q, structure_options(model, options.structure));
  const elastic::ComplexModes modes =
      moving_modes(structure, state.q, {state.v, state.a}, choice, count);
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

// ---- sweeps -------------------------------------------------------------------------------------

/// A picture or, where the name ends in .csv, its numbers.
void write_plot(const std::string& file, const RecordTable& table, const std::string& title) {
  if (!file.ends_with(".svg") && !file.ends_with(".png") && !file.ends_with(".csv"))
    throw InputError(Problem{
        {file, 0, 0}, {}, "unknown kind of picture", "a name that ends in .svg, .png or .csv", {}});
  write_table(file, table, title);
}

RecordTable sweep_table(const Sweep& sweep, const Eigen::MatrixXd& hz) {
  RecordTable table;
  table.titles.push_back(sweep.parameter + (sweep.unit.empty() ? "" : "[" + sweep.unit + "]"));
  for (int k = 1; k <= hz.cols(); ++k)
    table.titles.push_back(fmt::format("frequency.mode {}[Hz]", k));
  table.values.resize(hz.rows(), hz.cols() + 1);
  for (int k = 0; k < hz.rows(); ++k) table.values(k, 0) = sweep.variants[k].value;
  table.values.rightCols(hz.cols()) = hz;
  return table;
}

/// Each step solved again for its shapes: the sweep keeps only frequencies.
void write_sweep_page(const Model& model, const Eigen::VectorXd& q, const Options& options,
                      const Sweep& sweep, int count) {
  ModesReport page;
  page.parameter = sweep.parameter + (sweep.unit.empty() ? "" : " [" + sweep.unit + "]");
  elastic::EigenOptions eigen;
  eigen.count = count;
  for (const StructureVariant& variant : sweep.variants) {
    const RobotFrame structure(*variant.model, variant.q,
                               structure_options(*variant.model, options.structure));
    ModesStep step = step_of(structure, structure_modes(structure, eigen).modes);
    step.label = variant.label;
    step.value = variant.value;
    if (page.members.empty()) page.members = members_of(structure);
    page.steps.push_back(std::move(step));
  }
  write_file(*options.output, modes_html(model, q, page));
}

int run_sweep(const Model& model, const Eigen::VectorXd& q, const Options& options, int count) {
  const Sweep sweep = parse_sweep(*options.sweep, model, q);
  const auto points = static_cast<long>(sweep.variants.size());
  SweepOptions run;
  run.structure = structure_options(model, options.structure);
  run.count = count;
  if (options.threads) run.threads = parse_count("--threads", *options.threads, 1);
  const InterruptGuard guard;
  Progress progress("points", points, 1000);
  run.progress = [&](double share) { progress.update(std::lround(share * double(points))); };
  run.stop = [&] { return guard.interrupted(); };
  const SweepResult result = sweep_modes(sweep.variants, run);
  const Eigen::MatrixXd hz = result.omega * hertz;
  if (!result.warnings.empty()) warn(result.warnings[0]);
  if (is_page(options))
    write_sweep_page(model, q, options, sweep, count);
  else if (options.output)
    write_plot(*options.output, sweep_table(sweep, hz), "Natural frequencies");
  if (options.json) {
    Json out = json_object();
    out["parameter"] = sweep.parameter;
    out["values"] = Json::array();
    for (const StructureVariant& v : sweep.variants) {
      if (sweep.parameter.ends_with(".material"))
        out["values"].push_back(v.label);
      else
        out["values"].push_back(v.value);
    }
    out["frequencies_hz"] = matrix_to_json(hz);
    out["frequencies_rad"] = matrix_to_json(result.omega);
    out["assurance"] = matrix_to_json(result.assurance);
    if (options.output) out["file"] = *options.output;
    print_json(out);
    return 0;
  }
  std::vector<std::string> labels, titles;
  for (const StructureVariant& v : sweep.variants) labels.push_back(v.label);
  for (int k = 1; k <= hz.cols(); ++k) titles.push_back(fmt::format("mode {} Hz", k));
  print(Table().words(sweep.parameter, labels).matrix(titles, hz).text());
  if (options.output) print(fmt::format("\nwrote {}\n", printable(*options.output)));
  return 0;
}

// ---- frequency response -------------------------------------------------------------------------

int run_response(const Model& model, const Eigen::VectorXd& q, const Options& options, int count) {
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

// ---- statics ------------------------------------------------------------------------------------

int run_statics(const Model& model, const RobotState& state, const Options& options) {
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

int run(const Options& options) {
  const Model model = load(options);
  const int count = options.count ? parse_count("--count", *options.count, 1) : 6;
  RobotState state;
  if (model.loops().empty())
    state = {coordinates_from(model, options.q), speeds_from(model, options.v),
             accelerations_from(model, options.a)};
  else
    state = closed_state(model, options.q, options.v, options.a);
  const bool shapes = !options.statics && !options.v && !options.a && !options.terms;
  if (options.output && !options.sweep && !options.response && !(is_page(options) && shapes))
    throw InputError(
        Problem{{},
                "-o",
                "there is nothing to draw",
                "--sweep or --response with it, or modes at rest and a name that ends in .html",
                {}});
  if (options.sweep) return run_sweep(model, state.q, options, count);
  if (options.response)  // all modes unless a number is asked for
    return run_response(model, state.q, options, options.count ? count : 0);
  if (options.statics) return run_statics(model, state, options);
  if (options.v || options.a || options.terms) return run_in_motion(model, state, options, count);
  return run_at_rest(model, state.q, options, count);
}

}  // namespace

Command add_modes(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = add_robot_command(program, "modes",
                                    "Natural frequencies and shapes of the robot as a structure",
                                    examples, *options);
  add_text(*app, "--q", options->q, "Q1,Q2,...", q_help);
  add_text(*app, "--v", options->v, "V1,V2,...", "Speeds, with their terms");
  add_text(*app, "--a", options->a, "A1,A2,...", "Accelerations, with their terms");
  add_text(*app, "--count", options->count, "N", "How many modes; 6 when absent");
  add_structure_options(*app, options->structure);
  add_text(*app, "--terms", options->terms, "all,no-TERM,...",
           "Terms of the motion: gyroscopic, centrifugal, euler, geometric; all with --v or --a");
  add_text(*app, "--sweep", options->sweep, "PARAMETER=A:B:STEP",
           "Over a coordinate, payload, LINK.material or LINK.section.ratio");
  add_text(*app, "--threads", options->threads, "N", "Of a sweep; all of the machine when absent");
  add_text(*app, "-o,--output", options->output, "FILE",
           "A sweep or response as .svg, .png or .csv; shapes as a page, .html");
  app->add_flag(
      "--statics", options->statics,
      "Deflection, compliance and stress resultants under gravity and the motion instead");
  add_text(*app, "--response", options->response, "FROM:TO",
           "Frequency response between forces and motions: FRAME.x, .y, .z, .rx, .ry, .rz or a "
           "free joint's coordinate; of --count modes, all when absent");
  add_text(*app, "--frequencies", options->frequencies, "A:B:STEP",
           "Of --response, in Hz; 1:100:1 when absent");
  add_text(*app, "--damping", options->damping, "ZETA",
           "Of --response, of critical in every mode; 0.01 when absent");
  add_text(*app, "--frame", options->frame, "FRAME", "Of --statics; the tip when absent");
  return {app, [options] { return run(*options); }};
}

}  // namespace ulna::cli
