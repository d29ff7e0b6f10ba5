#include "ulna/study/sampling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ulna/numerics/error.hpp"
#include "ulna/study/sample_statistics.hpp"

namespace ulna {
namespace {

// The known answers that Salmon et al. publish with Philox4x32-10.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (std::array<std::uint32_t, 4>{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
  EXPECT_EQ(
      philox({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u}),
      (std::array<std::uint32_t, 4>{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}));
}

TEST(Sobol, FirstPointsOfTwoDimensions) {
  const double x[] = {0, 0.5, 0.25, 0.75}, y[] = {0, 0.5, 0.75, 0.25};
  for (std::uint32_t n = 0; n < 4; ++n) {
    EXPECT_EQ(sobol_bits(n, 0) * 0x1p-32, x[n]);
    EXPECT_EQ(sobol_bits(n, 1) * 0x1p-32, y[n]);
  }
}

// The first 2^m points of every coordinate of a Sobol sequence, scrambled or not, lie in different
// intervals of length 2^-m.
TEST(Sobol, EveryIntervalHoldsOnePoint) {
  for (int d = 0; d < sobol_dimensions(); ++d)
    for (const bool scrambled : {false, true}) {
      std::set<std::uint32_t> seen;
      for (std::uint32_t n = 0; n < 1024; ++n) {
        const std::uint32_t bits = sobol_bits(n, d);
        seen.insert((scrambled ? owen_scrambled(bits, 12345u + unsigned(d)) : bits) >> 22);
      }
      EXPECT_EQ(seen.size(), 1024u) << "dimension " << d << " scrambled " << scrambled;
    }
}

TEST(Permutation, HoldsEveryNumberOnce) {
  for (const std::uint64_t count : {1ull, 2ull, 7ull, 1000ull}) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t n = 0; n < count; ++n) seen.insert(permuted(n, count, 3, 1));
    EXPECT_EQ(seen.size(), count);
    EXPECT_LT(*seen.rbegin(), count);
  }
}

TEST(Distributions, QuantileIsTheInverseOfTheProbability) {
  using Kind = Distribution::Kind;
  for (Distribution d :
       {Distribution{Kind::uniform, 2, 5}, Distribution{Kind::log_uniform, 0.1, 10},
        Distribution{Kind::normal, 3, 0.5}, Distribution{Kind::log_normal, 0, 1},
        Distribution{Kind::triangular, 0, 4, 1}, Distribution{Kind::normal, 0, 1, 0, -1, 2}})
    for (const double p : {1e-6, 0.1, 0.5, 0.77, 1 - 1e-6})
      EXPECT_NEAR(d.probability(d.quantile(p)), p, 1e-13);  // some rounding of erfc and log
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-15);
}

SamplePlan two_normals(SamplingMethod method, long count) {
  SamplePlan plan;
  plan.parameters.resize(2);
  plan.parameters[0].name = "a", plan.parameters[0].distribution = Distribution::normal(1, 2);
  plan.parameters[1].name = "b", plan.parameters[1].distribution = Distribution::normal(-1, 0.5);
  plan.method = method, plan.count = count;
  return plan;
}

TEST(Samples, CorrelationIsTheOneAskedFor) {
  SamplePlan plan = two_normals(SamplingMethod::random, 20000);
  plan.correlated = {0, 1};
  plan.correlation.resize(2, 2);
  plan.correlation << 1, -0.6, -0.6, 1;
  plan.check();
  double ab = 0;
  for (long k = 0; k < plan.total(); ++k) {
    const std::vector<double> row = plan.values(k);
    ab += (row[0] - 1) / 2 * (row[1] + 1) / 0.5;
  }
  EXPECT_NEAR(ab / 20000, -0.6, 4 * 1.2 / std::sqrt(20000.0));  // four standard deviations
  plan.correlation << 1, 1.1, 1.1, 1;
  EXPECT_THROW(plan.check(), InputError);
}

TEST(Samples, LatinHypercubeHasOneSampleInEveryStratum) {
  SamplePlan plan = two_normals(SamplingMethod::latin_hypercube, 500);
  plan.check();
  for (std::size_t p = 0; p < 2; ++p) {
    std::set<long> strata;
    for (long k = 0; k < 500; ++k)
      strata.insert(
          static_cast<long>(500 * plan.parameters[p].distribution.probability(plan.values(k)[p])));
    EXPECT_GE(strata.size(), 498u);  // rounding may put one next door
  }
}

TEST(Samples, GridRunsThroughAllCombinationsLastFastest) {
  SamplePlan plan;
  plan.parameters.resize(2);
  plan.parameters[0].name = "a", plan.parameters[0].values = {1, 2};
  plan.parameters[1].name = "b", plan.parameters[1].values = {5, 6, 7};
  plan.check();
  ASSERT_EQ(plan.total(), 6);
  EXPECT_EQ(plan.values(1), (std::vector<double>{1, 6}));
  EXPECT_EQ(plan.values(3), (std::vector<double>{2, 5}));
}

// The function of Ishigami and Homma has indices in closed form.
TEST(Sensitivity, IndicesOfIshigami) {
  SamplePlan plan;
  const double pi = M_PI;
  for (const char* name : {"x1", "x2", "x3"}) {
    SampleParameter p;
    p.name = name, p.distribution = Distribution::uniform(-pi, pi);
    plan.parameters.push_back(p);
  }
  plan.method = SamplingMethod::sobol, plan.count = 8192, plan.indices = true;
  plan.check();
  std::vector<double> values;
  for (long k = 0; k < plan.total(); ++k) {
    const auto x = plan.values(k);
    values.push_back(std::sin(x[0]) + 7 * std::pow(std::sin(x[1]), 2) +
                     0.1 * std::pow(x[2], 4) * std::sin(x[0]));
  }
  const SobolIndices s = sobol_indices(values, 3);
  const double first[] = {0.3139, 0.4424, 0}, total[] = {0.5576, 0.4424, 0.2437};
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(s.first[k], first[k], 0.01);  // the error of 8192 points of the sequence
    EXPECT_NEAR(s.total[k], total[k], 0.01);
    EXPECT_LE(s.first_confidence[k].low, first[k] + 0.01);
    EXPECT_GE(s.first_confidence[k].high, first[k] - 0.01);
  }
}

TEST(Statistics, RanksAndPercentiles) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {1, 8, 27, 64}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
  std::vector<double> values;
  for (int k = 0; k <= 100; ++k) values.push_back(k);
  values.push_back(NAN);
  const SampleStatistics s = sample_statistics(values);
  EXPECT_EQ(s.count, 101);
  EXPECT_DOUBLE_EQ(s.percentiles[3], 50);
  EXPECT_DOUBLE_EQ(s.percentiles[1], 5);
  EXPECT_NEAR(s.mean, 50, 1e-12);
}

// Counting finds what sorting finds, for values of any sign and size, in pieces of any length.
TEST(Statistics, PercentilesInPiecesAreThoseOfTheSortedValues) {
  std::vector<double> values;
  for (std::uint32_t k = 0; k < 20001; ++k) {
    const auto r = philox({k, 0, 0, 0}, {5, 6});
    const double u = double(r[0]) / 4294967296.0 - 0.5;
    values.push_back(k % 7 == 0 ? 0.0 : k % 11 == 0 ? -0.0 : u * std::pow(10, int(r[1] % 30) - 15));
  }
  const ValueReader pieces = [&](const auto& see) {
    for (std::size_t at = 0; at < values.size(); at += 333)
      see(std::span(values).subspan(at, std::min<std::size_t>(333, values.size() - at)));
  };
  const SampleStatistics s = sample_statistics(pieces);
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(s.count, 20001);
  EXPECT_EQ(s.least, sorted.front());
  EXPECT_EQ(s.largest, sorted.back());
  for (std::size_t k = 0; k < s.percentiles.size(); ++k)  // 20,000 times a level is a whole number
    EXPECT_EQ(s.percentiles[k],
              sorted[static_cast<std::size_t>(std::lround(20000 * SampleStatistics::levels()[k]))]);
}

// Every other point of a Sobol sequence lies in one half of the first coordinate; the choice by a
// hash does not.
TEST(Statistics, ChosenSamplesStandForAll) {
  long chosen = 0, low = 0;
  for (long k = 0; k < 200000; ++k) {
    if (!stands_for_all(k, 200000, 10000)) continue;
    ++chosen;
    low += sobol_bits(static_cast<std::uint32_t>(k), 0) >> 31 == 0;
  }
  EXPECT_NEAR(double(chosen), 10000, 400);  // four deviations
  EXPECT_NEAR(double(low) / double(chosen), 0.5, 0.02);
}

TEST(Takes, OfADampedStep) {
  std::vector<double> t, y;
  for (int k = 0; k <= 10000; ++k) {
    t.push_back(k * 1e-3);
    y.push_back(1 - std::exp(-t.back()) * std::cos(5 * t.back()));
  }
  TakeOptions to_one;
  to_one.goal = 1, to_one.goal_given = true;
  // The first extremum is where tan 5t = -1/5; records are 1 ms apart.
  const double peak = (M_PI - std::atan(0.2)) / 5;
  EXPECT_NEAR(taken(Take::overshoot, t, y, to_one), std::exp(-peak) * 5 / std::sqrt(26.0), 1e-5);
  EXPECT_LT(taken(Take::settling, t, y, to_one), std::log(50.0));
  EXPECT_NEAR(taken(Take::time_above, t, y, to_one), M_PI / 10, 1e-5);
  EXPECT_NEAR(taken(Take::mean, {0, 1, 3}, {0, 1, 1}, {}), 2.5 / 3, 1e-15);
  EXPECT_NEAR(taken(Take::rms, {0, 2}, {3, 3}, {}), 3, 1e-15);
}

}  // namespace
}  // namespace ulna
