#include "commands/linearize_system.hpp"

#include <fmt/format.h>

#include <cmath>

#include "output/output_file.hpp"
#include "output/picture.hpp"

namespace ulna::cli {
namespace {

std::string rows_text(const Eigen::MatrixXd& M, const char* between, const char* end) {
  std::string text;
  for (long i = 0; i < M.rows(); ++i)
    for (long k = 0; k < M.cols(); ++k)
      text += fmt::format("{}{}", M(i, k), k + 1 < M.cols() ? between : end);
  return text;
}

std::string name_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name);
  return "{" + text + "}";
}

std::string octave_text(const SystemMatrices& s, const std::optional<Eigen::MatrixXd>& K) {
  std::string text = "% x = (change of q, change of v), u = change of the efforts\n";
  for (const auto& [name, M] : {std::pair{"A", &s.A}, {"B", &s.B}, {"C", &s.C}, {"D", &s.D}})
    text += fmt::format("{} = [{}];\n", name, rows_text(*M, " ", "; "));
  if (K) text += fmt::format("K = [{}];\n", rows_text(*K, " ", "; "));
  text += fmt::format("states = {};\ninputs = {};\noutputs = {};\n", name_list(s.states),
                      name_list(s.inputs), name_list(s.outputs));
  if (s.period > 0) text += fmt::format("sample_time = {};\n", s.period);
  return text + (s.period > 0 ? "sys = ss(A, B, C, D, sample_time);\n" : "sys = ss(A, B, C, D);\n");
}

std::string system_csv(const SystemMatrices& s, const std::optional<Eigen::MatrixXd>& K) {
  std::string text;
  for (const auto& [name, M] : {std::pair{"A", &s.A}, {"B", &s.B}, {"C", &s.C}, {"D", &s.D}})
    text += fmt::format("# {}, {} x {}\n{}", name, M->rows(), M->cols(), rows_text(*M, ",", "\n"));
  if (K) text += fmt::format("# K, {} x {}\n{}", K->rows(), K->cols(), rows_text(*K, ",", "\n"));
  if (s.period > 0) text += fmt::format("# sample time, s\n{}\n", s.period);
  return text;
}

}  // namespace

void add_system(Json& out, const SystemMatrices& s) {
  out["A"] = matrix_to_json(s.A);
  out["B"] = matrix_to_json(s.B);
  out["C"] = matrix_to_json(s.C);
  out["D"] = matrix_to_json(s.D);
  out["inputs"] = s.inputs;
  out["outputs"] = s.outputs;
  if (s.period > 0) out["sample_time"] = s.period;
}

void add_gramians(Json& out, const Gramians& g) {
  out["gramians"] = {{"controllability", matrix_to_json(g.controllability)},
                     {"observability", matrix_to_json(g.observability)},
                     {"hankel", to_json(g.hankel)}};
}

RecordTable bode_table(const SystemMatrices& s, int count) {
  const std::vector<double> frequencies = bode_frequencies(s.A, count, s.period);
  const auto responses = frequency_response(s.A, s.B, s.C, s.D, frequencies, s.period);
  RecordTable table;
  table.titles = {"w[rad/s]"};
  const long columns = s.C.rows() * s.B.cols();
  for (const char* kind : {"magnitude", "phase"})
    for (const std::string& output : s.outputs)
      for (const std::string& input : s.inputs)
        table.titles.push_back(
            fmt::format("{}.{} by {}[{}]", kind, output, input, kind[0] == 'm' ? "dB" : "deg"));
  const auto rows = static_cast<long>(frequencies.size());
  table.values.resize(rows, 1 + 2 * columns);
  table.values.col(0) = Eigen::Map<const Eigen::VectorXd>(frequencies.data(), rows);
  Eigen::VectorXcd H(rows);
  for (long k = 0; k < columns; ++k) {
    for (long row = 0; row < rows; ++row)
      H(row) = responses[static_cast<std::size_t>(row)](k / s.B.cols(), k % s.B.cols());
    table.values.col(1 + k) = 20 * H.cwiseAbs().array().max(1e-300).log10();
    table.values.col(1 + columns + k) = unwrapped_degrees(H);
  }
  return table;
}

void write_system(const std::string& file, const SystemMatrices& s,
                  const std::optional<Eigen::MatrixXd>& K) {
  if (file.ends_with(".m")) return write_file(file, octave_text(s, K));
  if (file.ends_with(".csv")) return write_file(file, system_csv(s, K));
  if (file.ends_with(".json")) {
    Json out = json_object();
    add_system(out, s);
    out["states"] = s.states;
    if (K) out["K"] = matrix_to_json(*K);
    return write_file(file, json_text(out) + "\n");
  }
  throw InputError(Problem{{},
                           "--output",
                           fmt::format("'{}' found", file),
                           "a file name that ends in .m, .csv or .json",
                           {}});
}

}  // namespace ulna::cli
