#include "ulna/simulation/tip_tracking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tip/block_band.hpp"
#include "tip/tip_equations.hpp"
#include "ulna/dynamics/internal/elastic_modes.hpp"
#include "ulna/motion/table_motion.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

/// Differences of fourth order over five nodes (eq. 10).
constexpr double rate_weights[] = {1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12};
constexpr double acceleration_weights[] = {-1.0 / 12, 16.0 / 12, -30.0 / 12, 16.0 / 12, -1.0 / 12};

constexpr long most_tip_nodes = 40'000;

void require_invertible(const Model& model, const std::vector<ScalarMotionPtr>& joints, double end,
                        const TipOptions& options) {
  model.require_tree("tip tracking");
  if (model.modes() == 0)
    throw InputError(fmt::format("robot '{}' has no flexible bodies", model.name()),
                     "a flexible robot: the frame of a rigid one follows its joints");
  if (model.joint_coordinates() != model.joint_speeds())
    throw InputError(fmt::format("robot '{}' has joints with quaternions", model.name()),
                     "tip tracking of joints with one coordinate for each speed");
  if (static_cast<int>(joints.size()) != model.joint_speeds())
    throw InputError(fmt::format("{} motions", joints.size()),
                     fmt::format("{}, one for each joint", model.joint_speeds()));
  if (options.frame <= 0 || options.frame >= static_cast<int>(model.frames().size()))
    throw InputError(fmt::format("there is no frame number {}", options.frame), "a frame");
  if (!(end > 0) || !std::isfinite(end))
    throw InputError(fmt::format("a motion that ends at {} s", end), "a time above 0");
  double fastest = 0, moving = 0;
  for (const ScalarMotionPtr& f : joints) {
    for (int k = 0; k <= 100; ++k) fastest = std::max(fastest, std::abs(f->at(end * k / 100).rate));
    for (const double t : {0.0, end}) moving = std::max(moving, std::abs(f->at(t).rate));
  }
  if (moving > 1e-9 * fastest)
    throw InputError("the motion does not begin and end at rest",
                     "motions at rest at 0 and at their end, such as poly345 or poly4567");
}

class Inverter {
 public:
  Inverter(const Model& model, const std::vector<ScalarMotionPtr>& joints, double end,
           const TipOptions& options)
      : equations_(model, joints, end, options),
        options_(options),
        end_(end),
        N_(equations_.size()) {
    ModesQuery query;
    query.q = model.neutral();
    for (long k = 0; k < equations_.joints(); ++k)
      query.q(k) = joints[static_cast<std::size_t>(k)]->at(0).value;
    query.all_locked = true;
    const ElasticModes modes = elastic_modes(model, query);
    slowest_ = 2 * std::numbers::pi / modes.frequencies.minCoeff();
    step_ = options.step > 0 ? options.step
                             : 2 * std::numbers::pi / (20 * modes.frequencies.maxCoeff());
  }

  TipMotion run() {
    if (options_.inversion == TipInversion::causal) {
      make_grid(0);
      guess();
      return result();
    }
    if (options_.preview > 0) return solved(options_.preview);
    // What is left at the ends decays with their distance from the motion.
    double preview = slowest_;
    for (;;) {
      TipMotion motion = solved(preview);
      const double fastest = motion.v.leftCols(equations_.joints()).cwiseAbs().maxCoeff();
      const bool longest =
          2 * (end_ + 4 * preview) / step_ > most_tip_nodes || preview > 20 * slowest_;
      if (motion.early <= options_.tolerance * fastest || longest) return motion;
      preview *= 1.5;
    }
  }

 private:
  TipMotion solved(double preview) {
    make_grid(preview);
    guess();
    solve();
    return result();
  }

  /// Equal steps; the motion begins at a node.
  void make_grid(double preview) {
    double h = std::min(step_, end_ / 50);
    h = std::max(h, (end_ + 2 * preview) / most_tip_nodes);
    const long before = static_cast<long>(std::ceil(preview / h));
    const long during = std::max(10L, static_cast<long>(std::ceil(end_ / h)));
    h_ = end_ / static_cast<double>(during);
    nodes_ = during + 1 + 2 * before;
    if (nodes_ % 2 == 1) ++nodes_;
    preview_ = static_cast<double>(before) * h_;
    targets_.clear();
    for (long k = 0; k < nodes_; ++k) targets_.push_back(equations_.target(time(k)));
  }
  /// Of the motion: negative before it begins.
  double time(long k) const { return static_cast<double>(k) * h_ - preview_; }

  /// The deflection without vibration (eq. 15); the states of rest before and after.
  void guess() {
    x_.resize(nodes_, N_);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(N_);
    x.head(equations_.joints()) = targets_.front().q;
    TipTarget ends[] = {targets_.front(), targets_.back()};
    for (TipTarget& one : ends) one.v.setZero(), one.a.setZero();
    start_ = equations_.quasi_static(ends[0], x);
    x = start_;
    for (long k = 0; k < nodes_; ++k) {
      x = equations_.quasi_static(targets_[static_cast<std::size_t>(k)], x);
      x_.row(k) = x.transpose();
    }
    stop_ = equations_.quasi_static(ends[1], x);
  }

  Eigen::VectorXd at(long k) const {
    return k < 0 ? start_ : k >= nodes_ ? stop_ : Eigen::VectorXd(x_.row(k).transpose());
  }
  void differentiate(long k, Eigen::VectorXd& v, Eigen::VectorXd& a) const {
    v.setZero(N_), a.setZero(N_);
    for (int i = 0; i < 5; ++i) {
      const Eigen::VectorXd x = at(k + i - 2);
      v += rate_weights[i] / h_ * x;
      a += acceleration_weights[i] / (h_ * h_) * x;
    }
  }

  /// Newton's iteration on all nodes at once (eq. 12).
  void solve() {
    BlockBand system(nodes_, N_);
    Eigen::MatrixXd residual(nodes_, N_), step;
    Eigen::VectorXd v, a;
    constexpr int most = 30;
    for (iterations_ = 1; iterations_ <= most; ++iterations_) {
      system.set_zero();
      for (long k = 0; k < nodes_; ++k) {
        differentiate(k, v, a);
        equations_.evaluate(targets_[static_cast<std::size_t>(k)], at(k), v, a, true);
        residual.row(k) = equations_.residual.transpose();
        for (int i = 0; i < 5; ++i)
          if (const long j = k + i - 2; j >= 0 && j < nodes_) {
            auto block = system.block(k, j);
            block = rate_weights[i] / h_ * equations_.dv +
                    acceleration_weights[i] / (h_ * h_) * equations_.da;
            if (i == 2) block += equations_.dx;
          }
      }
      if (!system.solve(residual, step)) break;
      x_ -= step;
      const double size = step.cwiseAbs().maxCoeff();
      if (size < 1e-10) return;
      if (!(size < 1e3)) break;
    }
    throw ComputationError(
        "the stable inversion did not converge: the frame cannot follow this motion, or the links "
        "bend too far; try a slower motion, fewer modes, or another step");
  }

  TipMotion result() {
    TipMotion out;
    const long n = equations_.joints();
    out.t.resize(nodes_);
    out.q = x_, out.v.resize(nodes_, N_), out.a.resize(nodes_, N_), out.tau.resize(nodes_, n);
    out.preview = preview_;
    out.tail = time(nodes_ - 1) - end_;
    out.iterations = iterations_;
    Eigen::VectorXd v, a;
    for (long k = 0; k < nodes_; ++k) {
      differentiate(k, v, a);
      out.t(k) = static_cast<double>(k) * h_;
      equations_.evaluate(targets_[static_cast<std::size_t>(k)], at(k), v, a, false);
      out.v.row(k) = v.transpose(), out.a.row(k) = a.transpose();
      out.tau.row(k) = equations_.tau.head(n).transpose();
      out.gap = std::max(out.gap, equations_.gap);
    }
    out.early = std::max(out.v.row(0).head(n).cwiseAbs().maxCoeff(),
                         out.v.row(nodes_ - 1).head(n).cwiseAbs().maxCoeff());
    return out;
  }

  TipEquations equations_;
  TipOptions options_;
  double end_, slowest_ = 0, step_ = 0, h_ = 0, preview_ = 0;
  long N_, nodes_ = 0;
  int iterations_ = 0;
  std::vector<TipTarget> targets_;
  Eigen::VectorXd start_, stop_;
  Eigen::MatrixXd x_;  ///< one row for each node
};

}  // namespace

const char* name_of(TipInversion inversion) {
  return inversion == TipInversion::preview ? "preview" : "causal";
}

ScalarMotionPtr TipMotion::coordinate(int k) const {
  MotionTable table;
  const auto n = static_cast<std::size_t>(t.size());
  table.t.assign(t.data(), t.data() + n);
  for (long i = 0; i < t.size(); ++i) {
    table.q.push_back(q(i, k));
    table.v.push_back(v(i, k));
    table.a.push_back(a(i, k));
  }
  return std::make_shared<PiecewisePolynomial>(table_motion(table, Interpolation::quintic));
}

TipMotion invert_tip(const Model& model, const std::vector<ScalarMotionPtr>& joints, double end,
                     const TipOptions& options) {
  require_invertible(model, joints, end, options);
  return Inverter(model, joints, end, options).run();
}

}  // namespace ulna
