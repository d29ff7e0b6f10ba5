#include "ulna/study/synthesis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

#include "synthesis/synthesis_equations.hpp"
#include "synthesis/synthesis_follow.hpp"
#include "synthesis/synthesis_reduced.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/numerics/internal/complex_method.hpp"
#include "ulna/numerics/internal/davidon_fletcher_powell.hpp"
#include "ulna/numerics/internal/hooke_jeeves.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

using Vector = Eigen::VectorXd;

/// Random variables within their bounds; postures by assembling one target after the other from the
/// last, so that they begin on one branch where that is possible.
Vector random_start(const SynthesisEquations& equations, const SynthesisTask& task,
                    std::mt19937_64& generator) {
  std::uniform_real_distribution<double> one(0, 1);
  Vector x = Vector::Zero(equations.unknowns());
  for (int k = 0; k < equations.variables(); ++k)
    x(k) = task.variables[k].lower +
           one(generator) * (task.variables[k].upper - task.variables[k].lower);
  if (task.free_phase) x(equations.variables()) = M_PI * (2 * one(generator) - 1);
  const auto design = equations.design(equations.values_of(x));
  if (!design) return x;
  Vector q = design->model.random(generator);
  for (int k = 0; k < equations.targets(); ++k) {
    AssemblyOptions options;
    options.start = q;
    options.restarts = k == 0 ? 5 : 0;
    options.limits = false;
    options.seed = static_cast<unsigned>(generator());
    for (const auto& [place, value] : equations.inputs(k)) {
      options.start(place) = value + equations.phase_of(x);
      options.held.push_back(place);
    }
    const AssemblyResult found = assemble(design->model, options);
    q = found.solutions.empty() ? found.nearest : found.solutions[0].q;
    equations.set_posture(x, k, q);
  }
  return x;
}

Vector search(const SynthesisEquations& equations, const LeastSquaresProblem& least,
              const Vector& start, SynthesisMethod method, unsigned seed) {
  LeastSquaresOptions options;
  options.max_iterations = 300;
  options.residual_tolerance = 1e-14;
  if (method == SynthesisMethod::gauss_newton) return solve_least_squares(least, start, options).x;
  ReducedSynthesis reduced(equations, least, start);
  MinimizeProblem problem = reduced.problem();
  const Vector from = reduced.start();
  switch (method) {
    case SynthesisMethod::hooke_jeeves: {
      HookeJeevesOptions pattern;
      pattern.step = 0.1 * equations.length();
      pattern.value = 1e-26;
      pattern.evaluations = 20000;
      return reduced.whole(hooke_jeeves(problem, from, pattern).x);
    }
    case SynthesisMethod::complex_method: {
      // Finite bounds: half a turn either way for the phase.
      for (Eigen::Index k = 0; k < from.size(); ++k) {
        if (!std::isfinite(problem.lower(k))) problem.lower(k) = from(k) - M_PI;
        if (!std::isfinite(problem.upper(k))) problem.upper(k) = from(k) + M_PI;
      }
      ComplexMethodOptions complex;
      complex.seed = seed;
      complex.value = 1e-26;
      complex.evaluations = 20000;
      return reduced.whole(complex_method(problem, from, complex).x);
    }
    default: {
      // It takes no bounds: variables beyond them are not there, and its steps turn back.
      const Vector lower = problem.lower, upper = problem.upper;
      problem.value = [value = problem.value, lower, upper](const Vector& y) {
        return (y.array() < lower.array()).any() || (y.array() > upper.array()).any() ? INFINITY
                                                                                      : value(y);
      };
      DavidonFletcherPowellOptions descent;
      descent.iterations = 500;
      descent.value = 1e-26;
      return reduced.whole(davidon_fletcher_powell(problem, from, descent).x);
    }
  }
}

bool same_design(const Design& a, const Design& b, const SynthesisTask& task) {
  for (std::size_t k = 0; k < task.variables.size(); ++k) {
    const double range = task.variables[k].upper - task.variables[k].lower;
    const auto i = static_cast<Eigen::Index>(k);
    if (std::abs(a.values(i) - b.values(i)) > 1e-4 * range) return false;
  }
  return true;
}

/// Those that move through their targets first, then by error.
bool better(const Design& a, const Design& b) {
  const bool whole_a = a.followed && a.note.empty(), whole_b = b.followed && b.note.empty();
  return whole_a != whole_b ? whole_a : a.error < b.error;
}

}  // namespace

const char* name_of(SynthesisMethod method) {
  constexpr const char* names[] = {"gauss-newton", "davidon-fletcher-powell", "hooke-jeeves",
                                   "complex"};
  return names[static_cast<int>(method)];
}

std::vector<SynthesisMethod> synthesis_methods() {
  return {SynthesisMethod::gauss_newton, SynthesisMethod::davidon_fletcher_powell,
          SynthesisMethod::hooke_jeeves, SynthesisMethod::complex_method};
}

SynthesisResult synthesize(const Robot& robot, const SynthesisTask& task,
                           const SynthesisOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const SynthesisEquations equations(robot, task);
  if (equations.curved() && options.method != SynthesisMethod::gauss_newton)
    throw InputError(
        fmt::format("method {} with spherical or free joints", name_of(options.method)),
        "gauss-newton");
  if (options.restarts < 1 || options.wanted < 1)
    throw InputError("fewer than one start or design", "1 or more");
  const LeastSquaresProblem least = equations.problem();
  std::mt19937_64 generator(options.seed);
  SynthesisResult result;
  double smallest = INFINITY;
  for (int start = 0; start < options.restarts; ++start) {
    interruption_point();
    ++result.starts;
    const Vector from = random_start(equations, task, generator);
    Vector r;
    if (equations.residual(from, r) && r.allFinite()) {
      const Vector x =
          search(equations, least, from, options.method, static_cast<unsigned>(generator()));
      Design design = followed_design(equations, task, x);
      smallest = std::min(smallest, design.error);
      const auto twin =
          std::find_if(result.designs.begin(), result.designs.end(),
                       [&](const Design& other) { return same_design(design, other, task); });
      if (twin == result.designs.end())
        result.designs.push_back(std::move(design));
      else if (better(design, *twin))
        *twin = std::move(design);
      std::sort(result.designs.begin(), result.designs.end(), better);
      if (static_cast<int>(result.designs.size()) > options.wanted)
        result.designs.resize(options.wanted);
    }
    if (options.progress && !options.progress(start + 1, smallest)) break;
    const auto done =
        std::count_if(result.designs.begin(), result.designs.end(), [&](const Design& design) {
          return design.followed && design.note.empty() &&
                 design.error <= options.tolerance * equations.length();
        });
    if (done >= options.wanted) break;
  }
  result.evaluations = equations.evaluations;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace ulna
