#pragma once
// A linear system as `ulna linearize` prints and writes it.

#include "output/json_output.hpp"
#include "ulna/formats/read_table.hpp"
#include "ulna/simulation/linear_analysis.hpp"

namespace ulna::cli {

struct SystemMatrices {
  Eigen::MatrixXd A, B, C, D;
  double period = 0;  ///< of a system in discrete time; 0: continuous
  std::vector<std::string> states, inputs, outputs;
};

/// A, B, C, D, names, the period if there is one.
void add_system(Json& out, const SystemMatrices& system);
/// controllability, observability and Hankel's singular values.
void add_gramians(Json& out, const Gramians& gramians);

/// Magnitude in dB and phase in degrees, against the logarithm of the frequency.
RecordTable bode_table(const SystemMatrices& system, int count = 200);

/// By the ending of its name: .m (Octave and Matlab), .csv (four blocks), .json.
void write_system(const std::string& file, const SystemMatrices& system,
                  const std::optional<Eigen::MatrixXd>& K);

}  // namespace ulna::cli
