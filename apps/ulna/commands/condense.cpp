#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <memory>
#include <numbers>

#include "command.hpp"
#include "commands/condense_source.hpp"
#include "output/json_output.hpp"
#include "output/output_file.hpp"
#include "output/picture.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/elastic/complex_modes.hpp"
#include "ulna/elastic/condense.hpp"
#include "ulna/elastic/natural_modes.hpp"
#include "ulna/formats/internal/matrix_market.hpp"
#include "ulna/formats/internal/mode_table_file.hpp"
#include "ulna/structure/internal/beam_reduction.hpp"

namespace ulna::cli::condense_detail {
namespace {

constexpr const char* examples =
    R"(  ulna condense t3r3-frame --q 7deg,57deg,-71deg --locked all --method guyan --keep 13
  ulna condense t3r3-frame --locked all --method all --keep 11,13,24 --json
  ulna condense t3r3-frame --locked all --method craig-bampton --interface tip --keep 13 --export arm
  ulna condense --matrices K.mtx,M.mtx --method guyan --keep 20
  ulna condense t3r3-frame --locked all --export arm.inp
  ulna condense t3r3-frame --beam forearm.tube --method craig-bampton --keep 8 --write forearm.yaml
  ulna condense t3r3-frame --locked all --method guyan,irs --keep 8,12,16,24 -o errors.svg

--export NAME writes the reduced matrices to NAME.K.mtx and NAME.M.mtx (and NAME.C.mtx); if the name ends in
.inp, it writes an input deck of the whole structure for CalculiX or Abaqus. --beam reduces a single beam, clamped at
its start, and --write stores the result as the file that a flexible link reads: beam: {..., flexible: {modes: {file:
forearm.yaml}}}. The methods guyan, irs, dynamic and serep keep freedoms that are selected one by one; guyan-one-shot
sorts them once; craig-bampton keeps the freedoms of --interface and vibration modes.)";

constexpr double hertz = 1 / (2 * std::numbers::pi);

struct Row {
  std::string method;
  int keep;
  double seconds;
  elastic::Reduction reduction;
  Eigen::VectorXd omega;         ///< of the reduced model
  elastic::ComplexModes damped;  ///< where there are dampers
  std::string failure;           ///< why there is no reduced model; empty when there is one
};

Row condensed(const Source& source, const std::string& method, int keep, double omega, int count) {
  const auto start = std::chrono::steady_clock::now();
  Row row;
  row.method = method, row.keep = keep;
  row.reduction = elastic::condense(source.system, method, keep, source.interface, omega);
  row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  elastic::EigenOptions eigen;
  eigen.count = count;
  const elastic::SystemMatrices small = elastic::reduced_system(source.system, row.reduction);
  row.omega = elastic::natural_modes(small, eigen).omega;
  if (source.system.damped()) row.damped = elastic::complex_modes(small, count);
  return row;
}

// A method that fails is a row with its reason: the others may do. The first failure is the
// answer when all fail.
std::vector<Row> compared(const Source& source, const std::vector<std::string>& methods,
                          const std::vector<int>& sizes, double omega, int count) {
  std::vector<Row> rows;
  std::exception_ptr first;
  bool any = false;
  for (const std::string& method : methods)
    for (const int keep : sizes) {
      try {
        rows.push_back(condensed(source, method, keep, omega, count));
        any = true;
      } catch (const std::runtime_error& error) {
        if (!first) first = std::current_exception();
        Row row;
        row.method = method, row.keep = keep, row.seconds = NAN, row.failure = error.what();
        rows.push_back(row);
      }
    }
  if (!any) std::rethrow_exception(first);
  return rows;
}

// What is written is the first reduction, not the first that happened to work.
const Row& first_reduction(const std::vector<Row>& rows) {
  if (!rows[0].failure.empty()) throw ComputationError(rows[0].method + ": " + rows[0].failure);
  return rows[0];
}

void export_reduced(const std::string& name, const Source& source, const Row& row) {
  const elastic::SystemMatrices small = elastic::reduced_system(source.system, row.reduction);
  const std::string what = fmt::format("{} with {} coordinates, by Ulna", row.method, row.keep);
  write_file(name + ".K.mtx", write_matrix_market(small.K, "stiffness, " + what));
  write_file(name + ".M.mtx", write_matrix_market(small.M, "mass, " + what));
  if (small.damped()) write_file(name + ".C.mtx", write_matrix_market(small.C, "damping, " + what));
}

void write_beam(const std::string& file, const Source& source, const Row& row) {
  if (!source.beam)
    throw InputError(Problem{{}, "--write", "no beam is given", "--beam BODY with it", {}});
  const ModeTable table = reduced_mode_table(*source.beam, source.system, row.reduction);
  write_file(file, write_mode_table(table, fmt::format("{} with {} coordinates, by Ulna",
                                                       row.method, row.keep)));
}

// NaN where the reduced model has no such mode, and where a free motion has become a vibration: no
// number compares it with zero.
Eigen::VectorXd errors(const Eigen::VectorXd& reduced, const Eigen::VectorXd& exact) {
  Eigen::VectorXd e = Eigen::VectorXd::Constant(exact.size(), NAN);
  const double rest = exact.size() > 0 ? 1e-6 * exact.cwiseAbs().maxCoeff() : 0;
  for (int k = 0; k < std::min(reduced.size(), exact.size()); ++k)
    if (exact(k) > 0)
      e(k) = reduced(k) / exact(k) - 1;
    else if (std::abs(reduced(k)) <= rest)
      e(k) = 0;
  return e;
}

void add_damped(Json& out, const elastic::ComplexModes& modes) {
  out["damped_hz"] = to_json(modes.damped_omega * hertz);
  out["damping_ratio"] = to_json(modes.damping_ratio);
}

/// The frequencies of the whole model, to compare with.
struct Exact {
  Eigen::VectorXd omega;
  elastic::ComplexModes damped;  ///< where there are dampers
};

void print_json_rows(const Source& source, const Exact& exact, const std::vector<Row>& rows,
                     const std::optional<std::string>& file) {
  Json out = json_object();
  out["freedoms"] = source.system.size();
  out["frequencies_hz"] = to_json(exact.omega * hertz);
  if (source.system.damped()) add_damped(out, exact.damped);
  out["reductions"] = Json::array();
  for (const Row& row : rows) {
    Json item;
    item["method"] = row.method;
    item["keep"] = row.keep;
    if (!row.failure.empty()) {
      item["failure"] = row.failure;
      out["reductions"].push_back(item);
      continue;
    }
    item["frequencies_hz"] = to_json(row.omega * hertz);
    item["errors"] = to_json(errors(row.omega, exact.omega));
    if (source.system.damped()) {
      add_damped(item, row.damped);
      item["damped_errors"] = to_json(errors(row.damped.damped_omega, exact.damped.damped_omega));
    }
    item["masters"] = Json::array();
    for (const int m : row.reduction.masters) item["masters"].push_back(source.system.name(m));
    item["component_modes"] = row.reduction.modal;
    item["seconds"] = row.seconds;
    out["reductions"].push_back(item);
  }
  if (file) out["file"] = *file;
  print_json(out);
}

// One line for each method and size, one column for each frequency.
void print_errors(const std::string& title, const Eigen::VectorXd& exact,
                  const std::vector<Row>& rows, bool damped) {
  const auto modes = static_cast<int>(exact.size());
  std::vector<std::string> methods, titles;
  Eigen::MatrixXd e(static_cast<int>(rows.size()), modes);
  Eigen::VectorXd keep(rows.size()), ms(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto r = static_cast<int>(k);
    methods.push_back(rows[k].method);
    e.row(r) =
        100 * errors(damped ? rows[k].damped.damped_omega : rows[k].omega, exact).transpose();
    keep(r) = rows[k].keep;
    ms(r) = 1e3 * rows[k].seconds;
  }
  for (int k = 0; k < modes; ++k) titles.push_back(fmt::format("{:.3f} Hz", exact(k) * hertz));
  print(heading(title));
  print(Table()
            .words("method", methods)
            .numbers("kept", keep)
            .matrix(titles, e)
            .numbers("ms", ms)
            .text());
}

void print_rows(const Source& source, const Exact& exact, const std::vector<Row>& rows) {
  print_errors(fmt::format("{} freedoms; error of each frequency in %", source.system.size()),
               exact.omega, rows, false);
  if (source.system.damped())
    print_errors("\nerror of each damped frequency in %", exact.damped.damped_omega, rows, true);
  for (const Row& row : rows)
    if (!row.failure.empty())
      print(fmt::format("\n{} with {}: {}\n", row.method, row.keep, printable(row.failure)));
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
    const Eigen::VectorXd error = 100 * errors(rows[r].omega, exact);
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

int run(const CondenseOptions& options) {
  const int count = options.count ? parse_count("--count", *options.count, 1) : 6;
  const Source source = source_of(options, count);
  for (const std::string& lost : source.lost) warn(lost);
  if (!source.deck.empty()) write_file(*options.export_to, source.deck);
  elastic::EigenOptions eigen;
  eigen.count = count;
  Exact exact;
  exact.omega = elastic::natural_modes(source.system, eigen).omega;
  if (source.system.damped()) exact.damped = elastic::complex_modes(source.system, count);
  const double omega =
      options.frequency
          ? parse_number("--frequency", *options.frequency, Dimension::frequency) / hertz
          : exact.omega(0);
  const std::string method = options.method.value_or("guyan");
  const std::vector<std::string> methods =
      method == "all" ? elastic::condensation_methods() : comma_parts(method);
  const std::vector<std::string> known = elastic::condensation_methods();
  for (const std::string& name : methods)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw InputError(Problem{{},
                               "--method",
                               "unknown method '" + name + "'",
                               fmt::format("{} or all", fmt::join(known, ", ")),
                               nearest_name_hint(name, known)});
  std::vector<int> sizes;
  for (const std::string& part : comma_parts(options.keep.value_or("12")))
    sizes.push_back(parse_count("--keep", part, 1));
  const std::vector<Row> rows = compared(source, methods, sizes, omega, count);
  if (options.export_to && source.deck.empty())
    export_reduced(*options.export_to, source, first_reduction(rows));
  if (options.write) write_beam(*options.write, source, first_reduction(rows));
  if (options.output) write_errors(*options.output, exact.omega, rows, methods);
  if (options.json)
    print_json_rows(source, exact, rows, options.output);
  else
    print_rows(source, exact, rows);
  if (options.output && !options.json)
    print(fmt::format("\nwrote {}\n", printable(*options.output)));
  return 0;
}

}  // namespace
}  // namespace ulna::cli::condense_detail

namespace ulna::cli {

Command add_condense(CLI::App& program) {
  auto options = std::make_shared<CondenseOptions>();
  CLI::App* app =
      add_robot_command(program, "condense", "Reduced-order models of the robot as a structure",
                        condense_detail::examples, *options);
  find_argument(*app, "ROBOT").required(false);
  add_text(*app, "--q", options->q, "Q1,Q2,...", q_help);
  add_structure_options(*app, options->structure);
  add_text(*app, "--method", options->method,
           "guyan|guyan-one-shot|irs|dynamic|craig-bampton|serep|all",
           "Reduction method, or several separated by commas (default: guyan)");
  add_text(*app, "--keep", options->keep, "K,...", "Number of coordinates to keep (default: 12)");
  add_text(*app, "--count", options->count, "N", "Number of frequencies to compare (default: 6)");
  add_text(*app, "--interface", options->interface, "FRAME,...",
           "Frames whose freedoms craig-bampton keeps; with --matrices freedoms 1,2,... (default: "
           "the tip)");
  add_text(*app, "--frequency", options->frequency, "HZ",
           "Frequency at which dynamic condensation is exact, in Hz (default: the first natural "
           "frequency)");
  add_text(*app, "--beam", options->beam, "BODY[.BEAM]",
           "Reduce a single beam, clamped at its start, in the axes of its section");
  add_text(*app, "--elements", options->elements, "N",
           "Number of elements of --beam (default: that of the robot file)");
  add_text(*app, "--write", options->write, "FILE",
           "Write the reduced --beam as a file of modes for a flexible link");
  add_text(*app, "--matrices", options->matrices, "K.mtx,M.mtx[,C.mtx]",
           "Matrix Market files to reduce instead of a robot");
  add_text(*app, "-o,--output", options->output, "FILE",
           "Plot the errors over --keep K1,K2,... (.svg, .png or .csv)");
  add_text(*app, "--export", options->export_to, "FILE",
           "Write the reduced matrices to FILE.K.mtx, ..., or a CalculiX deck to FILE.inp");
  return {app, [options] { return condense_detail::run(*options); }};
}

}  // namespace ulna::cli
