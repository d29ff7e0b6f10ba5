#include "print/printing.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "trace/kane_speeds.hpp"
#include "trace/loop_choice.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/generate/internal/general_algorithm.hpp"
#include "ulna/kinematics/parts/speed_map.hpp"
#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/internal/visible_text.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace generate {
namespace {

constexpr int test_states = 10;

/// Of the tree, with or without loops.
double condition_of_mass(const Model& model, const Eigen::VectorXd& q) {
  Workspace work(model);
  LoopDynamics dynamics(model);
  const int n = model.speeds();
  Eigen::VectorXd column = Eigen::VectorXd::Zero(n);
  dynamics.close_speeds(work, q, column);  // makes the mass matrix
  Eigen::MatrixXd M(n, n);
  for (int k = 0; k < n; ++k) {
    dynamics.mass_times(Eigen::VectorXd::Unit(n, k), column);
    M.col(k) = column;
  }
  return 1 / dense::reciprocal_condition(M);
}

/// Results that come from M^-1 lose digits with its condition, those of loops with that of the rows
/// kept, which in A M^-1 A' counts twice.
double tolerance_of(const Model& model, const TracedFunction& f, const Eigen::VectorXd& q,
                    const std::vector<int>& rows) {
  const double quality = rows.empty() ? 1 : row_quality_at(model, q, rows);
  if (!f.name.ends_with("forward") && f.name != "forward-derivatives")
    return 1e-12 + (rows.empty() ? 0 : 1e-15 / quality);
  return 1e-12 + 1e-15 * condition_of_mass(model, q) / std::pow(quality, 2);
}

/// Digits lost with the condition of the generalized speeds, there and back.
double lost_in_speeds(const Model& model, const GeneralizedSpeeds& speeds,
                      const Eigen::VectorXd& q) {
  if (speeds.joint_rates()) return 0;
  const SpeedMap map =
      map_of_rows(model, fixed_speeds(model, speeds), q, Eigen::VectorXd::Zero(model.speeds()));
  return 1e-14 / std::pow(dense::reciprocal_condition(map.Y), 2);
}

std::vector<double> random_input(const Model& model, const Argument& argument,
                                 std::mt19937_64& generator) {
  if (argument.name == "q") {
    const Eigen::VectorXd q = model.random(generator);
    return {q.data(), q.data() + q.size()};
  }
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<double> out(argument.size());
  for (double& x : out) x = any(generator);
  return out;
}

/// The last state of these columns, made to fit the loops.
void close_last(const Model& model, std::mt19937_64& generator,
                std::vector<TestTable::Column>& columns) {
  if (LoopClosure(model).rows() == 0) return;  // every state fits
  Eigen::VectorXd q, v, a;
  const auto find = [&](const char* name) -> std::vector<double>* {
    for (TestTable::Column& column : columns)
      if (column.argument.name == name) return &column.states.back();
    return nullptr;
  };
  std::vector<double>*in_q = find("q"), *in_v = find("v"), *in_a = find("a");
  if (in_v) v = Eigen::Map<Eigen::VectorXd>(in_v->data(), model.speeds());
  if (in_a) a = Eigen::Map<Eigen::VectorXd>(in_a->data(), model.speeds());
  close_state(model, generator, q, in_v ? &v : nullptr, in_a ? &a : nullptr);
  in_q->assign(q.begin(), q.end());
  if (in_v) in_v->assign(v.begin(), v.end());
  if (in_a) in_a->assign(a.begin(), a.end());
}

}  // namespace

TestTable test_table(const Model& model, const TracedFunction& f, const TraceOptions& options) {
  TestTable table;
  table.parameters = f.parameters;
  for (const Argument& argument : f.inputs)
    if (argument.name != "c") table.inputs.push_back({argument, {}, 1});
  for (const Argument& argument : f.outputs) table.outputs.push_back({argument, {}, 1e-3});
  GeneralAlgorithm general(model, f.name, options);
  std::mt19937_64 generator(1);
  for (int state = 0; state < test_states; ++state) {
    interruption_point();
    std::vector<const double*> in;
    std::vector<double*> out;
    for (TestTable::Column& column : table.inputs)
      column.states.push_back(random_input(model, column.argument, generator));
    close_last(model, generator, table.inputs);
    for (TestTable::Column& column : table.inputs) in.push_back(column.states.back().data());
    for (TestTable::Column& column : table.outputs) {
      column.states.emplace_back(column.argument.size());
      out.push_back(column.states.back().data());
    }
    general(in.data(), out.data());
    for (TestTable::Column& column : table.outputs)
      for (const double x : column.states.back())
        column.scale = std::max(column.scale, std::abs(x));
    const std::vector<double>& q = table.inputs[0].states.back();
    const Eigen::Map<const Eigen::VectorXd> at(q.data(), model.coordinates());
    table.tolerance = std::max(table.tolerance, tolerance_of(model, f, at, f.loop_rows) +
                                                    lost_in_speeds(model, options.speeds, at));
  }
  return table;
}

std::string comment_safe(const std::string& text) {
  std::string out;
  for (char c : visible(text, LineBreaks::refused)) {
    if (c == '\\') c = '?';  // continues a line in C, begins a command in LaTeX
    if (c == '"') c = '\'';  // three of them end a docstring of Python
    const char last = out.empty() ? ' ' : out.back();
    const bool ends_comment = (last == '*' && c == '/') || (last == '/' && c == '*');
    const bool trigraph = last == '?' && c == '?';
    if (ends_comment || trigraph) out += ' ';
    out += c;
  }
  return out;
}

std::string count_text(const OperationCount& n) {
  std::string out = fmt::format("{} multiplications, {} additions", n.multiplications, n.additions);
  if (n.divisions > 0) out += fmt::format(", {} divisions", n.divisions);
  if (n.square_roots > 0) out += fmt::format(", {} square roots", n.square_roots);
  return out + fmt::format(", {} pairs of sine and cosine", n.sincos_pairs);
}

namespace {

void describe(const Argument& argument, const char* direction, std::vector<std::string>& lines) {
  const std::string size = argument.cols == 1
                               ? fmt::format("{}", argument.rows)
                               : fmt::format("{} x {}", argument.rows, argument.cols);
  lines.push_back(fmt::format("  {} {} [{}]: {}{}", direction, argument.name, size,
                              argument.meaning,
                              argument.unit.empty() ? "" : " (" + argument.unit + ")"));
  std::string line;
  for (const std::string& entry : argument.entries) {
    const std::string word = comment_safe(entry);
    if (line.size() + word.size() > 80) {
      lines.push_back("      " + line + ",");
      line.clear();
    }
    line += (line.empty() ? "" : ", ") + word;
  }
  if (!line.empty()) lines.push_back("      " + line);
}

}  // namespace

std::vector<std::string> header_lines(const TracedFunction& f) {
  std::vector<std::string> lines = {
      fmt::format("{}: {} of robot '{}'. Generated by Ulna.", f.identifier(), f.name, f.robot),
      f.method + ".", count_text(f.operations()) + ".", "SI units; matrices by rows."};
  for (const Argument& argument : f.inputs) describe(argument, "in ", lines);
  for (const Argument& argument : f.outputs) describe(argument, "out", lines);
  for (std::string& line : lines) line = comment_safe(line);
  return lines;
}

std::vector<Argument> arguments_of(const TracedFunction& f) {
  std::vector<Argument> all = f.inputs;
  all.insert(all.end(), f.outputs.begin(), f.outputs.end());
  return all;
}

std::string names_of(const std::vector<Argument>& arguments) {
  return joined(arguments, ", ", [](const Argument& a) { return a.name; });
}

std::string block(const std::vector<std::string>& lines, const std::string& before) {
  std::string out;
  for (const std::string& line : lines) out += before + line + "\n";
  return out;
}

std::string number_list(const std::vector<double>& values) {
  std::string out;
  std::size_t line = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::string number = number_text(values[k]) + (k + 1 < values.size() ? ", " : "");
    if (out.size() - line + number.size() > 90) {
      out += "\n    ";
      line = out.size();
    }
    out += number;
  }
  return out;
}

namespace {

struct Language {
  const char* name;
  Sources (*print)(const TracedFunction&, const TestTable&);
};
constexpr Language languages[] = {{"c", print_c},
                                  {"c++", print_cpp},
                                  {"c-pack4", print_c_pack4},
                                  {"c-pack8", print_c_pack8},
                                  {"python", print_python},
                                  {"matlab", print_matlab},
                                  {"rust", print_rust},
                                  {"javascript", print_javascript},
                                  {"latex", print_latex}};

}  // namespace
}  // namespace generate

const std::vector<std::string>& language_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const generate::Language& language : generate::languages) out.emplace_back(language.name);
    return out;
  }();
  return names;
}

TracedFunction renamed(TracedFunction function, const PrintOptions& print) {
  if (!print.fixed_names) return function;
  function.robot = "robot";
  if (function.prepare) {
    function.prepare = std::make_shared<TracedFunction>(*function.prepare);
    function.prepare->robot = function.robot;
  }
  return function;
}

std::vector<SourceFile> generate_source(const Model& model, const TracedFunction& function,
                                        const std::string& language, const TraceOptions& options) {
  return generate_source(model, function, language, options, {});
}

std::vector<SourceFile> generate_source(const Model& model, const TracedFunction& function,
                                        const std::string& language, const TraceOptions& options,
                                        const PrintOptions& print) {
  if (print.single_precision && language != "c" && language != "c++")
    throw InputError(Problem{{},
                             "precision",
                             fmt::format("float with the language '{}'", language),
                             "c or c++, or the precision double",
                             {}});
  for (const generate::Language& known : generate::languages)
    if (language == known.name) {
      generate::TestTable test = generate::test_table(model, function, options);
      test.single = print.single_precision;
      return known.print(renamed(function, print), test);
    }
  throw InputError(
      Problem{{},
              "language",
              fmt::format("'{}' is not available", language),
              "one of " + generate::joined(language_names(), ", ", [](const auto& n) { return n; }),
              nearest_name_hint(language, language_names())});
}

}  // namespace ulna
