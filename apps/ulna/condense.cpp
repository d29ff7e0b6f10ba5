#include <fmt/format.h>

#include <CLI/App.hpp>
#include <chrono>
#include <cmath>
#include <memory>
#include <numbers>

#include "command.hpp"
#include "json_output.hpp"
#include "loop_state.hpp"
#include "output_file.hpp"
#include "picture.hpp"
#include "structure_options.hpp"
#include "table.hpp"
#include "terminal.hpp"
#include "ulna/elastic/complex_modes.hpp"
#include "ulna/elastic/condense.hpp"
#include "ulna/elastic/natural_modes.hpp"
#include "ulna/formats/matrix_market.hpp"
#include "ulna/formats/write_calculix.hpp"

namespace ulna::cli {
namespace {

constexpr const char* examples =
    R"(  ulna condense t3r3-frame --q 7deg,57deg,-71deg --locked all --method guyan --keep 13
  ulna condense t3r3-frame --locked all --method all --keep 11,13,24 --json
  ulna condense t3r3-frame --locked all --method craig-bampton --interface tip --keep 13 --export arm
  ulna condense --matrices K.mtx,M.mtx --method guyan --keep 20
  ulna condense t3r3-frame --locked all --export arm.inp
  ulna condense t3r3-frame --locked all --method guyan,irs --keep 8,12,16,24 -o errors.svg

--export NAME writes NAME.K.mtx, NAME.M.mtx (and NAME.C.mtx) of the reduced model, and of a name that ends in .inp a
deck for CalculiX or Abaqus of the whole frame. guyan, irs, dynamic and serep keep freedoms chosen one by one;
guyan-one-shot sorts them once. craig-bampton keeps the freedoms of --interface and modes.)";

struct Options : RobotOptions {
  VectorOption q;
  StructureChoice structure;
  std::optional<std::string> method, keep, count, interface, frequency, export_to, matrices, output;
};

constexpr double hertz = 1 / (2 * std::numbers::pi);

// K, M and perhaps C from files.
elastic::SystemMatrices read_system(const std::string& files) {
  const std::vector<std::string> names = comma_parts(files);
  if (names.size() < 2 || names.size() > 3)
    throw InputError(Problem{{}, "--matrices", "found '" + files + "'", "K.mtx,M.mtx[,C.mtx]", {}});
  elastic::SystemMatrices system;
  system.K = read_matrix_market(names[0]);
  system.M = read_matrix_market(names[1]);
  if (names.size() == 3) system.C = read_matrix_market(names[2]);
  elastic::check(system);
  return system;
}

struct Source {
  elastic::SystemMatrices system;
  std::vector<int> interface;
  std::string deck;
};

Source source_of(const Options& options, int count) {
  Source source;
  if (options.matrices) {
    if (!options.robot.empty())
      throw InputError("both a robot and --matrices are given", "one of the two");
    source.system = read_system(*options.matrices);
    if (options.interface)
      for (const std::string& part : comma_parts(*options.interface))
        source.interface.push_back(parse_count("--interface", part, 1) - 1);
    return source;
  }
  if (options.robot.empty())
    throw InputError("no robot is given", "ROBOT, or --matrices K.mtx,M.mtx");
  const Model model = load(options);
  const Eigen::VectorXd q =
      model.loops().empty() ? coordinates_from(model, options.q) : closed_state(model, options.q).q;
  const RobotFrame structure(model, q, structure_options(model, options.structure));
  source.system = structure.system();
  const int frame = frame_or_tip(model, options.interface);
  source.interface = structure.frame().nodes()[structure.node_of(frame)].map.freedoms;
  if (structure.frame().size() != structure.frame().freedoms()) source.interface.clear();
  if (options.export_to && options.export_to->ends_with(".inp"))
    source.deck = write_calculix(structure, count);
  return source;
}

struct Row {
  std::string method;
  int keep;
  double seconds;
  elastic::Reduction reduction;
  Eigen::VectorXd omega;  ///< of the reduced model
};

Row condensed(const Source& source, const std::string& method, int keep, double omega, int count) {
  const auto start = std::chrono::steady_clock::now();
  Row row{
      method, keep, 0, elastic::condense(source.system, method, keep, source.interface, omega), {}};
  row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  elastic::EigenOptions eigen;
  eigen.count = count;
  row.omega =
      elastic::natural_modes(elastic::reduced_system(source.system, row.reduction), eigen).omega;
  return row;
}

void export_reduced(const std::string& name, const Source& source, const Row& row) {
  const elastic::SystemMatrices small = elastic::reduced_system(source.system, row.reduction);
  const std::string what = fmt::format("{} with {} coordinates, by Ulna", row.method, row.keep);
  write_file(name + ".K.mtx", write_matrix_market(small.K, "stiffness, " + what));
  write_file(name + ".M.mtx", write_matrix_market(small.M, "mass, " + what));
  if (small.damped()) write_file(name + ".C.mtx", write_matrix_market(small.C, "damping, " + what));
}

Eigen::VectorXd errors(const Row& row, const Eigen::VectorXd& exact) {
  Eigen::VectorXd e(std::min(row.omega.size(), exact.size()));
  for (int k = 0; k < e.size(); ++k) e(k) = exact(k) > 0 ? row.omega(k) / exact(k) - 1 : 0;
  return e;
}

void print_json_rows(const Source& source, const Eigen::VectorXd& exact,
                     const std::vector<Row>& rows, const std::optional<std::string>& file) {
  Json out = json_object();
  out["freedoms"] = source.system.size();
  out["frequencies_hz"] = to_json(exact * hertz);
  out["reductions"] = Json::array();
  for (const Row& row : rows) {
    Json item;
    item["method"] = row.method;
    item["keep"] = row.keep;
    item["frequencies_hz"] = to_json(row.omega * hertz);
    item["errors"] = to_json(errors(row, exact));
    item["masters"] = Json::array();
    for (const int m : row.reduction.masters) item["masters"].push_back(source.system.name(m));
    item["component_modes"] = row.reduction.modal;
    item["seconds"] = row.seconds;
    out["reductions"].push_back(item);
  }
  if (file) out["file"] = *file;
  print_json(out);
}

void print_rows(const Source& source, const Eigen::VectorXd& exact, const std::vector<Row>& rows) {
  const auto modes = static_cast<int>(exact.size());
  std::vector<std::string> methods, titles;
  Eigen::MatrixXd e = Eigen::MatrixXd::Zero(static_cast<int>(rows.size()), modes);
  Eigen::VectorXd keep(rows.size()), ms(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto r = static_cast<int>(k);
    methods.push_back(rows[k].method);
    const Eigen::VectorXd error = errors(rows[k], exact);
    e.row(r).head(error.size()) = 100 * error.transpose();
    keep(r) = rows[k].keep;
    ms(r) = 1e3 * rows[k].seconds;
  }
  for (int k = 0; k < modes; ++k) titles.push_back(fmt::format("{:.3f} Hz", exact(k) * hertz));
  print(heading(fmt::format("{} freedoms; error of each frequency in %", source.system.size())));
  print(Table()
            .words("method", methods)
            .numbers("kept", keep)
            .matrix(titles, e)
            .numbers("ms", ms)
            .text());
  if (rows.size() != 1) return;
  std::string masters;
  for (const int m : rows[0].reduction.masters)
    masters += (masters.empty() ? "" : ", ") + source.system.name(m);
  print(fmt::format("\nkept: {}{}\n", masters,
                    rows[0].reduction.modal
                        ? fmt::format(" and {} component modes", rows[0].reduction.modal)
                        : ""));
}

/// The errors over the number of coordinates kept, a panel for each method.
RecordTable error_table(const Eigen::VectorXd& exact, const std::vector<Row>& rows,
                        const std::vector<std::string>& methods) {
  const auto kept = static_cast<Eigen::Index>(rows.size() / methods.size());
  const Eigen::Index modes = exact.size();
  RecordTable table;
  table.titles.push_back("coordinates kept");
  table.values.setConstant(kept, 1 + modes * static_cast<Eigen::Index>(methods.size()), NAN);
  for (std::size_t m = 0; m < methods.size(); ++m)
    for (Eigen::Index k = 0; k < modes; ++k)
      table.titles.push_back(
          fmt::format("error by {}.mode {} ({:.3g} Hz)[%]", methods[m], k + 1, exact(k) * hertz));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Eigen::Index method = static_cast<Eigen::Index>(r) / kept,
                       place = static_cast<Eigen::Index>(r) % kept;
    const Eigen::VectorXd error = 100 * errors(rows[r], exact);
    table.values(place, 0) = rows[r].keep;
    table.values.row(place).segment(1 + method * modes, error.size()) = error.transpose();
  }
  return table;
}

void write_errors(const std::string& file, const Eigen::VectorXd& exact,
                  const std::vector<Row>& rows, const std::vector<std::string>& methods) {
  if (!file.ends_with(".svg") && !file.ends_with(".png") && !file.ends_with(".csv"))
    throw InputError(Problem{
        {file, 0, 0}, {}, "unknown kind of picture", "a name that ends in .svg, .png or .csv", {}});
  if (rows.size() / methods.size() < 2)
    throw InputError(
        Problem{{}, "--keep", "one number makes no picture", "two or more for -o: 8,12,16,24", {}});
  write_table(file, error_table(exact, rows, methods), "Errors of condensed frequencies");
}

int run(const Options& options) {
  const int count = options.count ? parse_count("--count", *options.count, 1) : 6;
  const Source source = source_of(options, count);
  if (!source.deck.empty()) write_file(*options.export_to, source.deck);
  elastic::EigenOptions eigen;
  eigen.count = count;
  const Eigen::VectorXd exact = elastic::natural_modes(source.system, eigen).omega;
  const double omega =
      options.frequency ? parse_number("--frequency", *options.frequency) / hertz : exact(0);
  const std::string method = options.method.value_or("guyan");
  const std::vector<std::string> methods =
      method == "all" ? elastic::condensation_methods() : comma_parts(method);
  std::vector<Row> rows;
  for (const std::string& name : methods)
    for (const std::string& part : comma_parts(options.keep.value_or("12")))
      rows.push_back(condensed(source, name, parse_count("--keep", part, 1), omega, count));
  if (options.export_to && source.deck.empty()) export_reduced(*options.export_to, source, rows[0]);
  if (options.output) write_errors(*options.output, exact, rows, methods);
  if (options.json)
    print_json_rows(source, exact, rows, options.output);
  else
    print_rows(source, exact, rows);
  if (options.output && !options.json)
    print(fmt::format("\nwrote {}\n", printable(*options.output)));
  return 0;
}

}  // namespace

Command add_condense(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = add_robot_command(
      program, "condense", "Few coordinates that still tell the frequencies", examples, *options);
  app->get_option("ROBOT")->required(false);
  add_text(*app, "--q", options->q, "Q1,Q2,...", q_help);
  add_structure_options(*app, options->structure);
  add_text(*app, "--method", options->method,
           "guyan|guyan-one-shot|irs|dynamic|craig-bampton|serep|all",
           "How to condense, or several by commas; guyan when absent");
  add_text(*app, "--keep", options->keep, "K,...", "How many coordinates; 12 when absent");
  add_text(*app, "--count", options->count, "N", "Frequencies compared; 6 when absent");
  add_text(*app, "--interface", options->interface, "FRAME",
           "Frame whose freedoms craig-bampton keeps (of --matrices: freedoms 1,2,...); the tip");
  add_text(*app, "--frequency", options->frequency, "HZ",
           "Where dynamic condensation is exact; the first frequency when absent");
  add_text(*app, "--matrices", options->matrices, "K.mtx,M.mtx[,C.mtx]",
           "Matrix Market files instead of a robot");
  add_text(*app, "-o,--output", options->output, "FILE",
           "The errors over --keep K1,K2,... as .svg, .png or .csv");
  add_text(*app, "--export", options->export_to, "FILE",
           "The reduced matrices as FILE.K.mtx, ..., or a CalculiX deck FILE.inp");
  return {app, [options] { return run(*options); }};
}

}  // namespace ulna::cli
