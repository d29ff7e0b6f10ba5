#include "ulna/study/sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "ulna/numerics/dense.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

// Streams of the generator: what a number is drawn for.
constexpr std::uint32_t stream_point = 1, stream_permutation = 2, stream_scramble = 3;

std::array<std::uint32_t, 2> key_of(std::uint64_t seed) {
  return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
}

/// eq. 2: within (0, 1), 52 bits and a half.
double open_unit(std::uint64_t seed, std::uint64_t n, std::uint32_t dimension) {
  const auto r = philox(
      {static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(n >> 32), dimension, stream_point},
      key_of(seed));
  const std::uint64_t bits = (std::uint64_t{r[1]} << 32 | r[0]) >> 12;
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

[[noreturn]] void refuse_plan(const std::string& what, const std::string& expected) {
  throw InputError(Problem{{}, "sampling", what, expected, {}});
}

void check_distribution(const SampleParameter& p) {
  const Distribution& d = p.distribution;
  const auto refuse = [&](const std::string& what, const char* expected) {
    throw InputError(Problem{{}, "parameter '" + p.name + "'", what, expected, {}});
  };
  const bool normal =
      d.kind == Distribution::Kind::normal || d.kind == Distribution::Kind::log_normal;
  if (!std::isfinite(d.a) || !std::isfinite(d.b)) refuse("it is not finite", "finite numbers");
  if (normal && !(d.b > 0)) refuse(fmt::format("deviation {}", d.b), "a deviation above 0");
  if (!normal && !(d.a < d.b)) refuse(fmt::format("from {} to {}", d.a, d.b), "from below to");
  if (d.kind == Distribution::Kind::log_uniform && !(d.a > 0))
    refuse(fmt::format("from {}", d.a), "a number above 0");
  if (d.kind == Distribution::Kind::triangular && !(d.a <= d.mode && d.mode <= d.b))
    refuse(fmt::format("mode {} outside {} to {}", d.mode, d.a, d.b), "a mode between the ends");
  if (!(d.least < d.most)) refuse("no value is left between least and most", "least below most");
  const Distribution whole{d.kind, d.a, d.b, d.mode};
  if (!(whole.probability(d.most) - whole.probability(d.least) > 1e-12))
    refuse("almost nothing of the distribution is left between least and most",
           "bounds within the distribution");
}

}  // namespace

const char* name_of(SamplingMethod method) {
  switch (method) {
    case SamplingMethod::random:
      return "random";
    case SamplingMethod::latin_hypercube:
      return "latin-hypercube";
    case SamplingMethod::sobol:
      return "sobol";
  }
  return "";
}

// J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random numbers: as easy as 1, 2,
// 3" (2011).
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c,
                                    std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(p0)};
    k[0] += 0x9E3779B9u, k[1] += 0xBB67AE85u;
  }
  return c;
}

// A network of Feistel on the smallest even number of bits that holds `count`, walked until it is
// within it.
std::uint64_t permuted(std::uint64_t n, std::uint64_t count, std::uint64_t seed,
                       std::uint32_t stream) {
  if (count < 2) return n;
  const int half = (static_cast<int>(std::bit_width(count - 1)) + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = n >> half, right = n & mask;
    for (std::uint32_t round = 0; round < 6; ++round) {
      const auto r =
          philox({static_cast<std::uint32_t>(right), static_cast<std::uint32_t>(right >> 32),
                  stream << 3 | round, stream_permutation},
                 key_of(seed));
      const std::uint64_t next = left ^ ((std::uint64_t{r[1]} << 32 | r[0]) & mask);
      left = right, right = next;
    }
    n = left << half | right;
  } while (n >= count);
  return n;
}

void SamplePlan::check() {
  random_.clear(), axes_.clear();
  grid_ = table_ = 1;
  std::set<std::string> names;
  constexpr long most = 1'000'000'000'000;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const SampleParameter& p = parameters[k];
    if (!names.insert(p.name).second)
      refuse_plan("parameter '" + p.name + "' is given twice", "each parameter once");
    const long n = static_cast<long>(p.values.size());
    if (p.is_random()) {
      check_distribution(p);
      random_.push_back(static_cast<int>(k));
    } else if (p.tabled) {
      if (table_ != 1 && table_ != n)
        refuse_plan("the columns of the table differ in length", "columns of one length");
      table_ = n;
    } else {
      axes_.push_back(static_cast<int>(k));
      grid_ *= n;
    }
    if (grid_ > most) refuse_plan("the grid has too many points", fmt::format("at most {}", most));
  }
  const long d = random_count();
  if (count < 1) refuse_plan(fmt::format("count {}", count), "at least 1");
  if (indices && d < 2) refuse_plan("indices of fewer than two parameters", "distributions");
  if (indices && !correlated.empty())
    refuse_plan("Sobol indices of correlated parameters", "independent parameters for 'indices'");
  points_ = d == 0 ? 1 : count * (indices ? d + 2 : 1);
  if (grid_ > most / table_ / points_)
    refuse_plan("there are too many samples", fmt::format("at most {}", most));
  if (method == SamplingMethod::sobol && (indices ? 2 * d : d) > sobol_dimensions())
    refuse_plan(fmt::format("{} dimensions", indices ? 2 * d : d),
                fmt::format("at most {} of a Sobol sequence; random and latin-hypercube have no "
                            "limit",
                            sobol_dimensions()));
  if (method == SamplingMethod::sobol && count > (1L << 32))
    refuse_plan(fmt::format("{} points", count), "at most 2^32 of a Sobol sequence");
  if (correlated.empty()) return;
  const auto m = static_cast<long>(correlated.size());
  if (correlation.rows() != m || correlation.cols() != m)
    refuse_plan("the correlation matrix does not fit its parameters",
                fmt::format("{} x {} numbers", m, m));
  for (const int k : correlated)
    if (std::ranges::count(correlated, k) > 1)
      refuse_plan("'" + parameters[static_cast<std::size_t>(k)].name + "' is correlated twice",
                  "each parameter once");
  for (const int k : correlated)
    if (!parameters[static_cast<std::size_t>(k)].is_random())
      refuse_plan("'" + parameters[static_cast<std::size_t>(k)].name + "' has no distribution",
                  "correlations of parameters with distributions");
  if (!correlation.isApprox(correlation.transpose(), 1e-12) ||
      !correlation.diagonal().isApproxToConstant(1, 1e-12))
    refuse_plan("the correlation matrix is not symmetric with a diagonal of ones",
                "correlations between -1 and 1");
  const dense::Cholesky factor(correlation);
  if (!factor.ok())
    refuse_plan("the correlation matrix is not positive definite",
                "correlations that are possible together");
  factor_ = factor.L();
}

double SamplePlan::unit_value(long point, int dimension) const {
  const auto n = static_cast<std::uint64_t>(point);
  const auto dim = static_cast<std::uint32_t>(dimension);
  switch (method) {
    case SamplingMethod::random:
      return open_unit(seed, n, dim);
    case SamplingMethod::latin_hypercube:
      return (static_cast<double>(permuted(n, static_cast<std::uint64_t>(count), seed, dim)) +
              open_unit(seed, n, dim)) /
             static_cast<double>(count);
    case SamplingMethod::sobol: {
      std::uint32_t bits = sobol_bits(static_cast<std::uint32_t>(n), dimension);
      if (scrambled)
        bits = owen_scrambled(bits, philox({dim, 0, 0, stream_scramble}, key_of(seed))[0]);
      return (static_cast<double>(bits) + 0.5) * 0x1p-32;
    }
  }
  return 0.5;
}

void SamplePlan::random_values(long point, std::vector<double>& row) const {
  const int d = random_count();
  const long block = indices ? point % (d + 2) : 0;
  if (indices) point /= d + 2;
  std::vector<double> u(static_cast<std::size_t>(d));
  for (int k = 0; k < d; ++k) {
    const bool second = indices && (block == 1 || block == k + 2);  // from B
    u[static_cast<std::size_t>(k)] = unit_value(point, second ? d + k : k);
  }
  if (!correlated.empty()) {
    Eigen::VectorXd z(static_cast<long>(correlated.size()));
    std::vector<std::size_t> place;
    for (const int k : correlated)
      place.push_back(static_cast<std::size_t>(std::ranges::find(random_, k) - random_.begin()));
    for (std::size_t i = 0; i < place.size(); ++i)
      z(static_cast<long>(i)) = normal_quantile(u[place[i]]);
    const Eigen::VectorXd scores = factor_ * z;
    for (std::size_t i = 0; i < place.size(); ++i)
      u[place[i]] = normal_probability(scores(static_cast<long>(i)));
  }
  for (int k = 0; k < d; ++k) {
    const auto p = static_cast<std::size_t>(random_[static_cast<std::size_t>(k)]);
    row[p] = parameters[p].distribution.quantile(u[static_cast<std::size_t>(k)]);
  }
}

std::vector<double> SamplePlan::values(long sample) const {
  std::vector<double> row(parameters.size());
  long rest = sample / points_;
  random_values(sample % points_, row);
  const long line = rest % table_;
  rest /= table_;
  for (std::size_t k = parameters.size(); k-- > 0;) {
    const SampleParameter& p = parameters[k];
    if (p.is_random()) continue;
    if (p.tabled) {
      row[k] = p.values[static_cast<std::size_t>(line)];
      continue;
    }
    const long n = static_cast<long>(p.values.size());
    row[k] = p.values[static_cast<std::size_t>(rest % n)];
    rest /= n;
  }
  return row;
}

}  // namespace ulna
