#include "ulna/simulation/tip_tracking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "tip/tip_grid.hpp"
#include "ulna/dynamics/internal/elastic_modes.hpp"
#include "ulna/motion/table_motion.hpp"
#include "ulna/numerics/error.hpp"

namespace ulna {
namespace {

constexpr long most_tip_nodes = 40'000;
constexpr double coarsest = 32;  ///< steps of the first grid in the motion

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
      : model_(model),
        joints_(joints),
        equations_(model, joints, end, options),
        options_(options),
        end_(end) {
    ModesQuery query;
    query.q = model.neutral();
    for (long k = 0; k < equations_.joints(); ++k)
      query.q(k) = joints[static_cast<std::size_t>(k)]->at(0).value;
    query.all_locked = true;
    const ElasticModes modes = elastic_modes(model, query);
    slowest_ = 2 * std::numbers::pi / modes.frequencies.minCoeff();
    const double fast = 2 * std::numbers::pi / (20 * modes.frequencies.maxCoeff());
    causal_step_ = options.step > 0 ? options.step : std::clamp(fast, end / 4000, end / 200);
    step_ = options.step > 0 ? options.step : end / coarsest;
  }

  TipMotion run() {
    const Eigen::VectorXd rest = state_of_rest();
    if (options_.inversion == TipInversion::causal) {
      TipGrid grid(equations_, end_, causal_step_, 0);
      grid.start_quasi_static(rest);
      return result(grid);
    }
    double preview = options_.preview > 0 ? options_.preview : std::max(10 * step_, slowest_ / 8);
    auto grid = std::make_unique<TipGrid>(equations_, end_, step_for(preview), preview);
    grid->start_quasi_static(rest);
    solve(*grid);
    // What is left at the ends decays with their distance from the motion.
    while (options_.preview <= 0 && !at_rest(*grid)) {
      preview *= 1.5;
      if (step_for(preview) > step_ || preview > 20 * slowest_) break;
      auto longer = std::make_unique<TipGrid>(equations_, end_, step_, preview);
      longer->start_from(*grid);
      solve(*longer);
      grid = std::move(longer);
    }
    return refined(std::move(grid));
  }

 private:
  double step_for(double preview) const {
    return std::max(step_, (end_ + 2 * preview) / most_tip_nodes);
  }
  bool at_rest(const TipGrid& grid) {
    const TipMotion motion = result(grid);
    return motion.early <=
           options_.tolerance * motion.v.leftCols(equations_.joints()).cwiseAbs().maxCoeff();
  }

  /// With half the step for as long as that changes less and less. Where it does not, zeros of the
  /// internal dynamics are as fast as the grid: coarser ones take them as without inertia.
  TipMotion refined(std::unique_ptr<TipGrid> grid) {
    double last = INFINITY, refused = 0;
    while (options_.step <= 0 && 2 * grid->nodes() < most_tip_nodes) {
      auto finer = std::make_unique<TipGrid>(equations_, end_, grid->h() / 2, grid->preview());
      finer->start_from(*grid);
      refused = INFINITY;
      if (!finer->solve()) break;
      const double change = refused = finer->change_from(*grid);
      if (!(change < 0.3 * last)) break;
      grid = std::move(finer);
      last = change;
      if (change < 1e-7) break;
    }
    TipMotion motion = result(*grid);
    motion.change = std::isfinite(last) ? last : refused;
    return motion;
  }

  /// The deflection under gravity before the motion, with gravity in steps where all of it at once
  /// does not converge.
  Eigen::VectorXd state_of_rest() {
    const auto of = [&](TipEquations& equations, const Eigen::VectorXd& x) {
      return equations.quasi_static(equations.target(-1), x);
    };
    Eigen::VectorXd x = Eigen::VectorXd::Zero(equations_.size());
    x.head(equations_.joints()) = equations_.target(-1).q;
    try {
      return of(equations_, x);
    } catch (const ComputationError&) {
      constexpr int parts = 20;
      for (int k = 0; k < parts; ++k) {
        Robot light = model_.robot();
        light.gravity *= static_cast<double>(k) / parts;
        const Model model(light);
        TipEquations equations(model, joints_, end_, options_);
        x = of(equations, x);
      }
      return of(equations_, x);
    }
  }

  /// With growing amplitudes of the motion where all of it at once does not converge.
  void solve(TipGrid& grid) {
    if (grid.solve()) return;
    double reached = 0, more = 0.25;
    grid.aim(0);
    grid.restore(grid.x().row(0).replicate(grid.nodes(), 1));
    Eigen::MatrixXd last = grid.x();
    while (reached < 1) {
      const double next = std::min(1.0, reached + more);
      grid.aim(next);
      if (grid.solve()) {
        // The next amplitude begins where the solutions of the last two point to.
        const Eigen::MatrixXd now = grid.x();
        if (next < 1)
          grid.restore(now + std::min(more, 1 - next) / (next - reached) * (now - last));
        last = now, reached = next;
        continue;
      }
      grid.restore(last);
      more /= 2;
      if (more < 1.0 / 64)
        throw ComputationError(fmt::format(
            "the stable inversion did not converge: it was found up to {:.3g} of the motion. The "
            "frame cannot follow it further, or the links bend too far; try a slower motion, a "
            "smaller one, or inversion: causal",
            reached));
    }
  }

  TipMotion result(const TipGrid& grid) {
    TipMotion out;
    const long n = equations_.joints(), N = equations_.size(), nodes = grid.nodes() - 4;
    out.t.resize(nodes);
    out.q = grid.x().middleRows(2, nodes);
    out.v.resize(nodes, N), out.a.resize(nodes, N), out.tau.resize(nodes, n);
    out.preview = grid.preview();
    out.tail = grid.time(nodes + 1) - end_;
    out.iterations = grid.iterations();
    Eigen::VectorXd v, a;
    for (long k = 0; k < nodes; ++k) {
      grid.differentiate(k + 2, v, a);
      out.t(k) = static_cast<double>(k) * grid.h();
      equations_.evaluate(grid.target(k + 2), grid.at(k + 2), v, a, false);
      out.v.row(k) = v.transpose(), out.a.row(k) = a.transpose();
      out.tau.row(k) = equations_.tau.head(n).transpose();
      out.gap = std::max(out.gap, equations_.gap);
    }
    out.early = std::max(out.v.row(0).head(n).cwiseAbs().maxCoeff(),
                         out.v.row(nodes - 1).head(n).cwiseAbs().maxCoeff());
    return out;
  }

  const Model& model_;
  const std::vector<ScalarMotionPtr>& joints_;
  TipEquations equations_;
  TipOptions options_;
  double end_, slowest_ = 0, step_ = 0, causal_step_ = 0;
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
