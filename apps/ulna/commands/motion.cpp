#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <sstream>

#include "command.hpp"
#include "commands/motion_experiment.hpp"
#include "options/command_line.hpp"
#include "options/vector_text.hpp"
#include "output/json_output.hpp"
#include "output/picture.hpp"
#include "output/table.hpp"
#include "output/terminal.hpp"
#include "ulna/formats/read_experiment.hpp"
#include "ulna/motion/formula.hpp"
#include "ulna/motion/internal/peaks.hpp"
#include "ulna/motion/internal/sample.hpp"
#include "ulna/motion/spin_up.hpp"
#include "ulna/motion/trapezoidal_jerk.hpp"

namespace ulna::cli::motion_detail {
namespace {

constexpr const char* examples =
    R"text(  ulna motion poly345 --from 0 --to pi/2 --time 2
  ulna motion "pi/2 - (pi/6)*cycloid(t/2)" --time 2 --samples 101 -o q2.csv
  ulna motion --formula "amplitude*sin(t)" --define amplitude=0.3 --time 6 --json
  ulna motion trapezoidal-jerk --to 1 --time 1 --breaks 0,1/7,2/7,3/7,4/7,5/7,6/7,1
  ulna motion spin-up --rate 6 --time 15
  ulna motion poly4567 --to 1 --time 2 -o law.svg
  ulna motion examples/intelledex605.yaml --samples 201 -o joints.csv

Programs: constant-rate, constant-acceleration, harmonic, cycloidal, poly345, poly4567,
trapezoidal-jerk, spin-up. Formulas: t, pi, deg, + - * / ^, sin cos tan asin acos atan atan2 sinh cosh
tanh sqrt exp log abs min max sign step, and the laws cycloid harmonic poly345 poly4567 parabolic on
0..1. Numbers may be formulas without t: --to 90*deg. A formula that begins with a minus: --formula=-t.)text";

constexpr int most_samples = 1'000'000;

struct Options {
  std::optional<std::string> motion, formula, program, from, to, time, start, rate, breaks, samples;
  std::optional<std::string> output;
  std::vector<std::string> definitions;
  bool json = false;
};

double number(const char* option, const std::optional<std::string>& text, double otherwise) {
  if (!text) return otherwise;
  try {
    return constant_formula(*text);
  } catch (const std::exception& failure) {
    throw InputError(fmt::format("{}: {}", option, failure.what()));
  }
}

double required(const char* option, const std::optional<std::string>& text) {
  if (!text) throw InputError(fmt::format("{} is missing", option), "a number");
  return number(option, text, 0);
}

FormulaConstants constants_of(const Options& options) {
  FormulaConstants constants;
  for (const std::string& text : options.definitions) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError(fmt::format("--define: '{}' found", printable(text)), "NAME=NUMBER");
    const std::string name = text.substr(0, equals);
    constants[name] = number("--define", text.substr(equals + 1), 0);
  }
  return constants;
}

BreakTimes breaks_of(const std::string& text) {
  BreakTimes breaks{};
  std::istringstream list(text + ",");
  std::size_t count = 0;
  for (std::string entry; std::getline(list, entry, ','); ++count)
    if (count < breaks.size()) breaks[count] = number("--breaks", entry, 0);
  if (count != breaks.size())
    throw InputError(fmt::format("--breaks: {} times", count), "8 parts of the time, from 0 to 1");
  return breaks;
}

void refuse(const char* kind, std::initializer_list<std::pair<const char*, bool>> given) {
  for (const auto& [option, present] : given)
    if (present) throw InputError(fmt::format("{} does not take {}", kind, option));
}

/// What was asked for: the motion, its name, and the time to look at.
struct Asked {
  ScalarMotionPtr motion;
  std::shared_ptr<const MotionProgram> program;  ///< when it is one
  std::string name;
  double end;
};

Asked program_of(const Options& options, const std::string& name) {
  refuse("a motion program", {{"--define", !options.definitions.empty()}});
  const double from = number("--from", options.from, 0),
               start = number("--start", options.start, 0);
  const double time = required("--time", options.time);
  if (name == "spin-up") {
    refuse("spin-up", {{"--to", options.to.has_value()}, {"--breaks", options.breaks.has_value()}});
    const double rate = required("--rate", options.rate);
    return {std::make_shared<SpinUp>(rate, time, from, start), nullptr, name, start + time};
  }
  refuse("this program", {{"--rate", options.rate.has_value()}});
  const double to = required("--to", options.to);
  std::shared_ptr<const MotionProgram> program;
  if (options.breaks) {
    if (name != "trapezoidal-jerk") refuse(name.c_str(), {{"--breaks", true}});
    program = std::make_shared<TrapezoidalJerk>(from, to, time, start, breaks_of(*options.breaks));
  } else {
    program = program_named(name, from, to, time, start);
  }
  return {program, program, name, program->duration()};
}

Asked formula_of(const Options& options, const std::string& text) {
  refuse("a formula", {{"--from", options.from.has_value()},
                       {"--to", options.to.has_value()},
                       {"--start", options.start.has_value()},
                       {"--rate", options.rate.has_value()},
                       {"--breaks", options.breaks.has_value()}});
  const double time = required("--time", options.time);
  if (!(time > 0) || !std::isfinite(time))
    throw InputError(fmt::format("--time: {} s", time), "a time above zero");
  return {std::make_shared<Formula>(text, constants_of(options), time), nullptr, text, time};
}

Asked asked_for(const Options& options) {
  const int given =
      options.motion.has_value() + options.formula.has_value() + options.program.has_value();
  if (given != 1)
    throw InputError(given == 0 ? "no motion was given" : "several motions were given",
                     "one: a formula, or the name of a program", "see 'ulna motion --help'");
  if (options.formula) return formula_of(options, *options.formula);
  if (options.program) return program_of(options, *options.program);
  const auto& names = program_names();
  const bool program = *options.motion == "spin-up" ||
                       std::find(names.begin(), names.end(), *options.motion) != names.end();
  return program ? program_of(options, *options.motion) : formula_of(options, *options.motion);
}

Json value_to_json(const MotionValue& y) {
  return {{"value", y.value}, {"rate", y.rate}, {"acceleration", y.acceleration}, {"jerk", y.jerk}};
}
Json extreme_to_json(const Extreme& x) { return {{"value", x.value}, {"time", x.time}}; }
Json finite_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

void print_as_json(const Asked& asked, const MotionPeaks& peaks,
                   const std::optional<SampledMotion>& table,
                   const std::optional<std::string>& file) {
  Json out = json_object();
  out["motion"] = asked.name;
  out["duration"] = asked.end;
  out["begin"] = value_to_json(asked.motion->at(0));
  out["end"] = value_to_json(asked.motion->at(asked.end));
  out["peaks"] = {{"lowest", extreme_to_json(peaks.lowest)},
                  {"highest", extreme_to_json(peaks.highest)},
                  {"rate", extreme_to_json(peaks.rate)},
                  {"acceleration", extreme_to_json(peaks.acceleration)},
                  {"jerk", extreme_to_json(peaks.jerk)}};
  if (asked.program) {
    const PeakFactors f = asked.program->peak_factors();
    out["peak_factors"] = {{"velocity", f.velocity},
                           {"acceleration", finite_or_null(f.acceleration)},
                           {"jerk", finite_or_null(f.jerk)},
                           {"continuity_class", f.continuity_class}};
  }
  out["breakpoints"] = asked.motion->breakpoints();
  if (file) out["file"] = *file;
  if (table && !file) {
    out["columns"] = table->columns;
    out["rows"] = matrix_to_json(table->rows);
  }
  print_json(out);
}

void print_as_table(const Asked& asked, const MotionPeaks& peaks) {
  const MotionValue a = asked.motion->at(0), b = asked.motion->at(asked.end);
  const auto row = [](double x, double y, double peak, double time) {
    return Eigen::RowVector4d(x, y, peak, time);
  };
  Eigen::MatrixXd numbers(5, 4);
  numbers << row(a.value, b.value, peaks.lowest.value, peaks.lowest.time),
      row(a.value, b.value, peaks.highest.value, peaks.highest.time),
      row(a.rate, b.rate, peaks.rate.value, peaks.rate.time),
      row(a.acceleration, b.acceleration, peaks.acceleration.value, peaks.acceleration.time),
      row(a.jerk, b.jerk, peaks.jerk.value, peaks.jerk.time);
  print(heading(printable(asked.name)));
  print(Table()
            .words("", {"value, lowest", "value, highest", "rate", "acceleration", "jerk"})
            .numbers("at 0 s", numbers.col(0))
            .numbers(fmt::format("at {} s", number_text(asked.end)), numbers.col(1))
            .numbers("peak", numbers.col(2))
            .numbers("at time", numbers.col(3))
            .text());
  if (!asked.program) return;
  const PeakFactors f = asked.program->peak_factors();
  const auto text = [](double x) { return std::isfinite(x) ? number_text(x) : "infinite"; };
  print(fmt::format("\npeak factors: velocity {}, acceleration {}, jerk {}; class {}\n",
                    text(f.velocity), text(f.acceleration), text(f.jerk), f.continuity_class));
}

int sample_count(const Options& options) {
  const int count = options.samples ? parse_count("--samples", *options.samples, 2) : 101;
  if (count > most_samples)
    throw InputError(fmt::format("--samples: {} found", count),
                     fmt::format("at most {}", most_samples));
  return count;
}

int run_experiment(const Options& options) {
  refuse("an experiment", {{"--from", options.from.has_value()},
                           {"--to", options.to.has_value()},
                           {"--time", options.time.has_value()},
                           {"--start", options.start.has_value()},
                           {"--rate", options.rate.has_value()},
                           {"--define", !options.definitions.empty()},
                           {"--breaks", options.breaks.has_value()}});
  return run_motion_experiment({*options.motion, sample_count(options), options.output,
                                options.json, options.samples.has_value()});
}

int run(const Options& options) {
  if (options.motion && !options.formula && !options.program && is_experiment_file(*options.motion))
    return run_experiment(options);
  const Asked asked = asked_for(options);
  std::optional<SampledMotion> table;
  if (options.samples || options.output) {
    table = sampled(*asked.motion, equal_times(0, asked.end, sample_count(options)), "q");
    require_finite(table->rows, "a sample");
  }
  const MotionPeaks peaks = peaks_of(*asked.motion, 0, asked.end);
  if (options.output) {
    const bool csv = !options.output->ends_with(".svg") && !options.output->ends_with(".png");
    const std::vector<std::string> panels = {"t[s]", "value", "rate", "acceleration", "jerk"};
    write_table(*options.output, {csv ? table->columns : panels, table->rows}, asked.name);
  }
  if (options.json) {
    print_as_json(asked, peaks, table, options.output);
    return 0;
  }
  if (table && !options.output) {  // as a table that other programs read
    print(csv_text(*table));
    return 0;
  }
  print_as_table(asked, peaks);
  if (options.output) print(fmt::format("wrote {}\n", printable(*options.output)));
  return 0;
}

}  // namespace
}  // namespace ulna::cli::motion_detail

namespace ulna::cli {

Command add_motion(CLI::App& program) {
  auto options = std::make_shared<motion_detail::Options>();
  CLI::App* app =
      add_command(program, "motion", "Peaks and samples of a motion program or a formula of time",
                  motion_detail::examples);
  add_argument(*app, "MOTION", options->motion,
               "A formula in t, the name of a motion program, or an experiment file");
  add_text(*app, "--formula", options->formula, "FORMULA", "The same, always read as a formula");
  add_text(*app, "--program", options->program,
           "constant-rate|constant-acceleration|harmonic|cycloidal|poly345|poly4567|"
           "trapezoidal-jerk|spin-up",
           "The same, always read as the name of a program");
  add_text(*app, "--from", options->from, "VALUE", "Initial value of a program (default: 0)");
  add_text(*app, "--to", options->to, "VALUE", "Final value of a program");
  add_text(*app, "--time", options->time, "SECONDS",
           "Duration of a program; time span of a formula");
  add_text(*app, "--start", options->start, "SECONDS", "Start time of a program (default: 0)");
  add_text(*app, "--rate", options->rate, "VALUE", "Final rate of spin-up");
  add_text(*app, "--breaks", options->breaks, "T0,...,T7",
           "Break times of trapezoidal-jerk as fractions of the duration, from 0 to 1");
  add_texts(*app, "--define", options->definitions, "NAME=NUMBER",
            "Constant of the formula (may be repeated)");
  add_text(*app, "--samples", options->samples, "N",
           "Number of evenly spaced samples, printed as CSV (default with -o: 101)");
  add_text(*app, "-o,--output", options->output, "FILE",
           "Output file: a table (.csv) or a plot (.svg, .png)");
  add_json_flag(*app, options->json);
  return {app, [options] { return motion_detail::run(*options); }};
}

}  // namespace ulna::cli
