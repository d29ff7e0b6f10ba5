// From noisy logs to base parameters: what the time axis, the filter and the deviations promise.

#include "ulna/study/measurement.hpp"

#include <gmock/gmock.h>

#include "ulna/formats/read_robot.hpp"
#include "ulna/study/internal/signal.hpp"

namespace ulna {
namespace {

using ::testing::HasSubstr;

/// Three hinges, the first upright, with friction; lengths and masses of a small arm.
constexpr const char* friction_arm = R"(
ulna: 1
name: small-arm
bodies:
  - {name: column, mass: 4, centre: [0, 0, 0.1], inertia: [0.02, 0.02, 0.015]}
  - {name: upper, mass: 3, centre: [0.2, 0.01, 0], inertia: [0.01, 0.06, 0.06]}
  - {name: fore, mass: 2, centre: [0.15, 0, 0.02], inertia: [0.005, 0.03, 0.03]}
joints:
  - {name: base, type: revolute, parent: world, child: column, axis: [0, 0, 1], damping: 0.6, friction: 0.9}
  - {name: shoulder, type: revolute, parent: column, child: upper, axis: [0, 1, 0], at: [0, 0, 0.3], damping: 0.8, friction: 1.2}
  - {name: elbow, type: revolute, parent: upper, child: fore, axis: [0, 1, 0], at: [0.4, 0, 0], damping: 0.3, friction: 0.5}
)";

/// What loggers of a robot that follows an excitation would record.
struct NoisyLog {
  Model model{read_robot_text(friction_arm, "arm.yaml").robot};
  TorqueRegressor regressor{model, {.rotors = false, .damping = true, .friction = true}};
  BaseParameters base = base_parameters_by_rank(regressor);
  Eigen::VectorXd truth = base.combination * regressor.parameters();
  double rate = 500, period = 8;

  MeasuredLog exact(unsigned seed, int candidates = 5) {
    ExcitationOptions options;
    options.seed = seed;
    options.period = period;
    options.samples = static_cast<int>(rate * period);
    options.candidates = candidates;
    options.harmonics = 6;
    const Recording moved = excitation(regressor, base, options);
    MeasuredLog log;
    log.name = "log.csv";
    const Eigen::Index n = moved.samples();
    log.t = Eigen::VectorXd::LinSpaced(n, 0, static_cast<double>(n - 1) / rate).array() + 1234.5;
    log.coordinates = {0, 1, 2};
    log.q = moved.q;
    log.efforts = {0, 1, 2};
    log.tau.resize(3, n);
    Workspace work(model);
    for (Eigen::Index k = 0; k < n; ++k)
      log.tau.col(k) =
          inverse_dynamics(model, work, moved.q.col(k), moved.v.col(k), moved.a.col(k));
    return log;
  }
};

void add_noise(MeasuredLog& log, double of_q, double of_tau, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  for (double& x : log.q.reshaped()) x += of_q * normal(generator);
  for (double& x : log.tau.reshaped()) x += of_tau * normal(generator);
}

TEST(ZeroPhaseFilter, PassesSlowSignalsInPhaseAndStopsFastOnes) {
  const ZeroPhaseFilter filter(10, 1000);
  const Eigen::VectorXd t = Eigen::VectorXd::LinSpaced(4000, 0, 3.999);
  for (const double f : {1.0, 10.0, 40.0}) {
    Eigen::VectorXd x = (2 * M_PI * f * t.array()).sin();
    const Eigen::VectorXd in = x;
    filter.apply(x);
    const auto middle = Eigen::seqN(1000, 2000);
    // 1 at f << fc, 1/sqrt(2) at fc, f^-8 above; no phase: the sine stays one.
    EXPECT_LT((x(middle) - filter.gain(f) * in(middle)).cwiseAbs().maxCoeff(), 1e-6) << f;
  }
  EXPECT_NEAR(filter.gain(10), M_SQRT1_2, 1e-12);
  EXPECT_GT(filter.gain(1), 0.9999999);
  EXPECT_LT(filter.gain(40), 1e-4);
  // A straight line passes from end to end.
  Eigen::VectorXd line = 3 * t.array() - 1;
  const Eigen::VectorXd before = line;
  filter.apply(line);
  EXPECT_LT((line - before).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Measurement, FindsTheNoiseAndACutoffBetweenMotionAndNoise) {
  NoisyLog lab;
  MeasuredLog log = lab.exact(1);
  add_noise(log, 2e-5, 0.1, 1);
  const Measurement measured = measured_motion(lab.model, log);
  EXPECT_NEAR(measured.offset, 1234.5, 0);
  EXPECT_NEAR(measured.rate, 500, 1e-6);
  ASSERT_EQ(measured.noise.size(), 3u);
  for (const CoordinateNoise& noise : measured.noise) {
    EXPECT_NEAR(noise.position, 2e-5, 0.2 * 2e-5);  // the median of a thousand lines, known to 5 %
    EXPECT_GT(noise.cutoff, 6 / 8.0);               // the highest harmonic
    EXPECT_LT(noise.cutoff, 20);
    EXPECT_LT(noise.acceleration, 0.1 * noise.acceleration_rms);
  }
  EXPECT_THAT(measured.warnings, ::testing::IsEmpty());
}

TEST(Measurement, DerivativesAreThoseOfTheMotion) {
  NoisyLog lab;
  const MeasuredLog log = lab.exact(2);
  const Measurement measured = measured_motion(lab.model, log);
  ASSERT_EQ(measured.parts.size(), 1u);
  ExcitationOptions same{.seed = 2, .period = 8, .harmonics = 6, .samples = 4000, .candidates = 5};
  const Recording truth = excitation(lab.regressor, lab.base, same);
  const auto inside = Eigen::seqN(200, 3600);
  const Recording& found = measured.parts[0].recording;
  const auto off = [&](const Eigen::MatrixXd& x, const Eigen::MatrixXd& y) {
    return (x(Eigen::all, inside) - y(Eigen::all, inside)).cwiseAbs().maxCoeff() /
           y.cwiseAbs().maxCoeff();
  };
  EXPECT_LT(off(found.q, truth.q), 1e-5);
  EXPECT_LT(off(found.v, truth.v), 1e-4);
  EXPECT_LT(off(found.a, truth.a), 1e-3);
}

TEST(Measurement, ChecksTheTimeAxis) {
  NoisyLog lab;
  MeasuredLog log = lab.exact(3);
  const Eigen::Index n = log.t.size();
  // Three records lost in one place, a tenth of a second in another, one record twice.
  std::vector<Eigen::Index> kept;
  for (Eigen::Index k = 0; k < n; ++k)
    if (!(k >= 1000 && k < 1003) && !(k >= 2000 && k < 2050)) kept.push_back(k);
  kept.insert(kept.begin() + 100, 99);
  log.t = Eigen::VectorXd(log.t(kept));
  log.q = Eigen::MatrixXd(log.q(Eigen::all, kept));
  log.tau = Eigen::MatrixXd(log.tau(Eigen::all, kept));
  const Measurement measured = measured_motion(lab.model, log);
  ASSERT_EQ(measured.parts.size(), 2u);
  EXPECT_EQ(measured.samples(), n - 50);
  EXPECT_THAT(measured.warnings,
              ::testing::ElementsAre(HasSubstr("a record whose"), HasSubstr("interpolated"),
                                     HasSubstr("a gap splits the log")));
  MeasuredLog back = log;
  back.t.reverseInPlace();
  EXPECT_THROW(measured_motion(lab.model, back), InputError);
  back.t = back.t.head(10).eval();
  back.q = back.q.leftCols(10).eval();
  back.tau = back.tau.leftCols(10).eval();
  EXPECT_THROW(measured_motion(lab.model, back), InputError);
}

TEST(Measurement, WarnsOfAmplifiedNoise) {
  NoisyLog lab;
  MeasuredLog log = lab.exact(4);
  add_noise(log, 0.02, 0, 4);
  const Measurement measured = measured_motion(lab.model, log, {.cutoff = 40});
  EXPECT_THAT(measured.warnings, ::testing::Contains(HasSubstr("amplifies the noise")));
  log = lab.exact(4);
  EXPECT_THAT(measured_motion(lab.model, log, {.cutoff = 0.4}).warnings,
              ::testing::Contains(HasSubstr("removes")));
}

// Of 200 trials with noise in positions and efforts and with friction, base parameters are within
// 1.96 stated deviations of the truth in 95 %.
TEST(Measurement, DeviationsHoldInTwoHundredTrials) {
  NoisyLog lab;
  const MeasuredLog exact = lab.exact(5, 20);
  constexpr int trials = 200;
  Eigen::VectorXd inside = Eigen::VectorXd::Zero(lab.base.count());
  double squares = 0;
  for (int trial = 0; trial < trials; ++trial) {
    MeasuredLog log = exact;
    add_noise(log, 2e-5, 0.2, 100 + static_cast<unsigned>(trial));
    const Identification found =
        identify(lab.regressor, lab.base, {measured_motion(lab.model, log)});
    const Eigen::VectorXd z = (found.estimate - lab.truth).cwiseQuotient(found.deviations());
    inside += (z.array().abs() < 1.96).cast<double>().matrix();
    squares += z.squaredNorm() / static_cast<double>(z.size() * trials);
  }
  inside /= trials;
  RecordProperty("mean_coverage", std::to_string(inside.mean()));
  RecordProperty("least_coverage", std::to_string(inside.minCoeff()));
  // A share of 0.95 in 200 trials scatters by sqrt(0.95 0.05/200) = 0.0154; the mean of all
  // parameters by less.
  EXPECT_NEAR(inside.mean(), 0.95, 0.02);
  EXPECT_GT(inside.minCoeff(), 0.95 - 4 * 0.0154);
  EXPECT_NEAR(squares, 1, 0.15);
}

TEST(Consistent, BodiesCanExistAndExplainTheEfforts) {
  NoisyLog lab;
  MeasuredLog log = lab.exact(6, 20);
  add_noise(log, 2e-5, 2, 6);  // much noise: plain least squares gives bodies that cannot exist
  const Measurement measured = measured_motion(lab.model, log);
  const Identification found = identify(lab.regressor, lab.base, {measured});
  EXPECT_THAT(
      impossible_bodies(lab.regressor, nearest_parameters(lab.regressor, lab.base, found.estimate)),
      ::testing::Not(::testing::IsEmpty()));
  const ConsistentParameters possible = consistent_parameters(lab.regressor, lab.base, found);
  EXPECT_THAT(impossible_bodies(lab.regressor, possible.parameters), ::testing::IsEmpty());
  EXPECT_LT(possible.distance, 3);  // as near to the estimate as its deviations allow
  for (int k = 30; k < lab.regressor.columns(); ++k) EXPECT_GT(possible.parameters(k), 0);
  // Without noise they are the truth.
  MeasuredLog clean = lab.exact(6, 20);
  const Identification sure =
      identify(lab.regressor, lab.base, {measured_motion(lab.model, clean)});
  const ConsistentParameters same = consistent_parameters(lab.regressor, lab.base, sure);
  EXPECT_LT((same.base - lab.truth).cwiseAbs().maxCoeff(), 5e-3);
}

}  // namespace
}  // namespace ulna
