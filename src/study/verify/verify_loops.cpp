#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/dynamics/dynamics.hpp"
#include "ulna/dynamics/internal/energy_rate.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/model/kernels/spring.hpp"
#include "ulna/study/verify.hpp"

namespace ulna {
namespace {

using Vector = Eigen::VectorXd;

class LoopVerifier {
 public:
  LoopVerifier(const Model& model, unsigned seed)
      : model_(model), work_(model), loops_(model), closure_(model), generator_(seed) {
    home_ = assembled(model);
  }

  /// False when the random start could not be assembled or is singular: no state to compare at.
  bool one_state() {
    AssemblyOptions options;
    options.start = model_.random(generator_);
    options.restarts = 3;
    options.tolerance = 1e-12;
    const AssemblyResult found = assemble(model_, options);
    if (found.solutions.empty()) {
      ++open;
      return false;
    }
    q = found.solutions[0].q;
    closure_.update(work_, q);
    const SpeedSplit split = split_speeds(closure_);
    // So near to a singular posture the rank itself is a matter of opinion.
    if (split.quality < 10 * loop_rank_tolerance) {
      ++singular;
      return false;
    }
    quality_ = split.quality;
    const Vector drawn = entries();
    drawn_ = drawn.norm();  // rounding is that of what was projected, however little is left of it
    v = compatible_speeds(closure_, drawn);
    closure_.update_rates(work_, q, v);
    a = compatible_accelerations(closure_, entries());
    kinematics();
    dynamics();
    energy_balance();
    return true;
  }

  std::vector<VerifyPair> pairs;
  int open = 0, singular = 0;

 private:
  Vector entries() {
    std::uniform_real_distribution<double> one(-1, 1);
    Vector x(model_.speeds());
    for (double& e : x) e = one(generator_);
    return closure_.column_scale().cwiseProduct(x);  // slides by the robot's length
  }

  void note(const char* first, const char* second, const char* quantity, double difference,
            double bound) {
    if (std::isnan(difference)) difference = INFINITY;
    for (VerifyPair& pair : pairs)
      if (pair.a == first && pair.b == second && pair.quantity == quantity) {
        if (difference * pair.bound <= pair.max_difference * bound) return;
        pair.max_difference = difference;
        pair.bound = bound;
        return;
      }
    pairs.push_back({first, second, quantity, difference, bound});
  }
  void compare(const char* first, const char* second, const char* quantity, const Vector& x,
               const Vector& y, double bound, double scale = 0) {
    const auto size = [](const Vector& z) { return z.size() ? z.cwiseAbs().maxCoeff() : 0; };
    note(first, second, quantity, size(x - y) / std::max({size(x), size(y), scale, 1e-300}), bound);
  }

  void kinematics() {
    const Vector zero = Vector::Zero(closure_.rows());
    compare("A v", "zero", "closure of speeds", closure_.times(v), zero, 1e-12, drawn_);
    compare("A a", "b", "closure of accelerations", closure_.times(a), closure_.bias(), 1e-10,
            a.norm());
    const Vector b = closure_.bias(), direction = entries();
    const Vector rate = closure_.times(direction);
    const double h = 1e-5;
    const auto residual = [&](double t, const Vector& d) {
      closure_.update(work_, model_.integrate(q, t * d));
      return Vector(closure_.residual());
    };
    compare("A", "differences", "Jacobian of the closure", rate,
            (residual(h, direction) - residual(-h, direction)) / (2 * h), 1e-6,
            direction.norm() * std::max(1.0, model_.length_scale()));
    const auto speed = [&](double t) {
      closure_.update(work_, model_.integrate(q, t * v));
      return closure_.times(v);
    };
    compare("b", "differences", "bias of the closure", -b, (speed(h) - speed(-h)) / (2 * h), 1e-6,
            drawn_ * drawn_ * std::max(1.0, model_.length_scale()));
  }

  void dynamics() {
    const Vector tau = entries().cwiseQuotient(closure_.column_scale().cwiseAbs2()) *
                       model_.mass() * model_.length_scale();
    const Vector by_multipliers = loops_.forward(work_, q, v, tau);
    const Vector lambda = loops_.lambda();
    const Vector by_embedding = loops_.forward(work_, q, v, tau, {}, LoopMethod::embedding);
    // Near singular postures the independent speeds lose digits: in proportion to the condition,
    // and their accelerations to its square.
    const double bound = 1e-10 * std::max({1.0, 0.1 / quality_, 1e-5 / (quality_ * quality_)});
    compare("multipliers", "embedding", "forward dynamics", by_multipliers, by_embedding, bound);
    closure_.update_rates(work_, q, v);
    const double power = lambda.dot(closure_.times(v));
    note("lambda' A v", "zero", "power of the reactions",
         std::abs(power) / std::max(lambda.norm() * std::max(v.norm(), drawn_), 1e-300), 1e-11);
    const LoopEfforts efforts = loops_.inverse(work_, q, v, a);
    for (const Formulation& f : formulations()) {
      if (f.name == formulations().front().name || !why_not(f, model_, Question::forward).empty())
        continue;
      DynamicsOptions asked{f.name};
      asked.actuated = efforts.actuated;
      Dynamics by(model_, asked);
      if (why_not(f, model_, Question::inverse).empty())
        compare("newton-euler", f.name, "inverse dynamics", efforts.tau, by.inverse(q, v, a).tau,
                bound);
      compare("multipliers", f.name, "forward dynamics", by_multipliers, by.forward(q, v, tau),
              bound);
    }
    for (const LoopMethod method : {LoopMethod::multipliers, LoopMethod::embedding}) {
      const Vector back = loops_.forward(work_, q, v, efforts.tau, {}, method);
      compare(name_of(method), "inverse dynamics undone", "forward dynamics", back, a, 100 * bound);
    }
  }

  /// The power of the efforts is what the energy gains and what dampers and friction take.
  void energy_balance() {
    const LoopEfforts efforts = loops_.inverse(work_, q, v, a);
    double taken = dissipated_power(model_, q, v);
    const auto dissipated = [&](const DegreeData& d, double rate) {
      taken += d.damping * rate * rate + d.friction * std::abs(rate);
    };
    for (std::size_t k = 0; k < model_.loops().size(); ++k) {
      const Loop& loop = model_.loops()[k];
      if (loop.degrees.empty()) continue;
      const ClosingJointState state = closure_.closing_state(work_, static_cast<int>(k), q, v, a);
      for (std::size_t d = 0; d < loop.degrees.size(); ++d)
        dissipated(loop.degrees[d], state.v(static_cast<Eigen::Index>(d)));
    }
    const double h = 1e-5;
    const auto total = [&](double t) {
      const Vector step = t * v + 0.5 * t * t * a;
      const Energy e = energy(model_, work_, model_.integrate(q, step), v + t * a);
      return e.kinetic + e.potential + closing_springs(model_.integrate(q, step));
    };
    const double gained = (total(h) - total(-h)) / (2 * h);
    const double scale = efforts.tau.cwiseAbs().dot(v.cwiseAbs()) + std::abs(taken) +
                         std::abs(gained) + model_.mass() * model_.length_scale() * v.norm();
    note("power of the efforts", "change of energy", "balance of energy",
         std::abs(efforts.tau.dot(v) - taken - gained) / std::max(scale, 1e-300), 1e-6);
  }

  double closing_springs(const Vector& at) {
    double sum = 0;
    for (std::size_t k = 0; k < model_.loops().size(); ++k) {
      const Loop& loop = model_.loops()[k];
      for (std::size_t d = 0; d < loop.degrees.size(); ++d) {
        if (!loop.degrees[d].has_spring()) continue;
        const double x =
            closure_.closing_state(work_, static_cast<int>(k), at, work_.zero(), work_.zero())
                .q(static_cast<Eigen::Index>(d)) -
            loop.degrees[d].rest;
        sum += spring_energy(loop.degrees[d], x);
      }
    }
    return sum;
  }

  const Model& model_;
  Workspace work_;
  LoopDynamics loops_;
  LoopClosure closure_;
  std::mt19937_64 generator_;
  Vector home_, q, v, a;
  double quality_ = 1, drawn_ = 1;
};

}  // namespace

VerifyResult verify_loops(const Model& model, const VerifyOptions& options) {
  VerifyResult result;
  LoopVerifier verifier(model, options.seed);
  int tried = 0;
  while (result.states < options.states && ++tried <= 10 * options.states) {
    if (!verifier.one_state()) continue;
    ++result.states;
    if (options.progress && !options.progress(result.states)) break;
  }
  if (result.states == 0)
    throw ComputationError(fmt::format(
        "robot '{}': of {} random starts {} could not be assembled and {} came to singular "
        "postures: no state to compare at",
        model.name(), tried - 1, verifier.open, verifier.singular));
  result.open = verifier.open;
  result.singular = verifier.singular;
  result.pairs = std::move(verifier.pairs);
  return result;
}

}  // namespace ulna
