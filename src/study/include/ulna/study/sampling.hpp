#pragma once
// The samples of a study: which values its parameters have in sample k. Every sample is a pure
// function of its number and of the seed, so that samples can be computed anywhere, in any order,
// by any number of processes. docs/theory/sampling.md.
//
//   SamplePlan plan;
//   plan.parameters = {{.name = "mass", .distribution = Distribution::normal(5, 0.2)}};
//   plan.method = SamplingMethod::sobol, plan.count = 1024;
//   plan.check();
//   std::vector<double> row = plan.values(17);

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "ulna/scalar/parts/export.hpp"

namespace ulna {

/// The counter-based generator Philox4x32-10 (eq. 1).
ULNA_API std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                             std::array<std::uint32_t, 2> key);

/// How a parameter scatters; by its quantile function (eq. 3-6).
struct Distribution {
  enum class Kind { uniform, log_uniform, normal, log_normal, triangular };
  Kind kind = Kind::uniform;
  double a = 0, b = 1;  ///< ends; of a normal one mean and deviation (of the logarithm: log_normal)
  double mode = 0.5;    ///< of a triangular one
  /// Cut off outside of these; what is left has the whole probability.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();

  static Distribution uniform(double from, double to) { return {Kind::uniform, from, to}; }
  static Distribution normal(double mean, double deviation) {
    return {Kind::normal, mean, deviation};
  }
  ULNA_API double quantile(double probability) const;
  ULNA_API double probability(double value) const;
};

struct SampleParameter {
  std::string name;
  std::vector<double> values = {};      ///< of a grid, or of a table; words are numbered from 0
  std::vector<std::string> words = {};  ///< of a list or a table of words: value k is word k
  bool tabled = false;                  ///< all tabled ones run through their values together
  Distribution distribution = {};       ///< where there are no values
  bool is_random() const { return values.empty(); }
  /// What a value of a list of words stands for; null for numbers.
  const std::string* word(double value) const {
    if (words.empty() || !(value >= 0 && value < double(words.size()))) return nullptr;
    return &words[static_cast<std::size_t>(value)];
  }
};

enum class SamplingMethod { random, latin_hypercube, sobol };
ULNA_API const char* name_of(SamplingMethod method);

struct SamplePlan {
  std::vector<SampleParameter> parameters;
  SamplingMethod method = SamplingMethod::random;
  long count = 1;  ///< of points of the random parameters
  std::uint64_t seed = 1;
  bool scrambled = true;  ///< of the Sobol sequence
  /// For Sobol indices each point becomes d + 2 samples: A, B, and A with one parameter from B
  /// (eq. 12).
  bool indices = false;
  /// Correlations of the normal scores of random parameters, by their places; empty: none (eq. 7).
  std::vector<int> correlated = {};
  Eigen::MatrixXd correlation = {};

  /// InputError where the plan contradicts itself.
  ULNA_API void check();
  /// All of them: grid x table x random points. The random part of a sample depends on the place
  /// within the last only: every point of the grid sees the same ensemble.
  long total() const { return grid_ * table_ * points_; }
  ULNA_API std::vector<double> values(long sample) const;

  int random_count() const { return static_cast<int>(random_.size()); }
  const std::vector<int>& random_parameters() const { return random_; }
  const std::vector<int>& grid_parameters() const { return axes_; }
  long ensemble() const { return points_; }

 private:
  double unit_value(long point, int dimension) const;
  void random_values(long point, std::vector<double>& row) const;

  long grid_ = 1, table_ = 1, points_ = 1;
  std::vector<int> random_, axes_;
  Eigen::MatrixXd factor_;  ///< of the correlation
};

/// Coordinate `dimension` of point n of the Sobol sequence, as 32 bits behind the binary point;
/// scrambled by the nested uniform scrambling of a hash with `seed` (eq. 9, 10).
ULNA_API std::uint32_t sobol_bits(std::uint32_t n, int dimension);
ULNA_API std::uint32_t owen_scrambled(std::uint32_t bits, std::uint32_t seed);
/// Dimensions that have direction numbers.
ULNA_API int sobol_dimensions();
/// Place n of a random permutation of 0 .. count - 1 (eq. 8).
ULNA_API std::uint64_t permuted(std::uint64_t n, std::uint64_t count, std::uint64_t seed,
                                std::uint32_t stream);

/// The standard normal distribution and its inverse.
ULNA_API double normal_probability(double x);
ULNA_API double normal_quantile(double probability);

}  // namespace ulna
