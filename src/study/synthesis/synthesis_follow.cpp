#include "synthesis/synthesis_follow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/independent_speeds.hpp"

namespace ulna {
namespace {

using Vector = Eigen::VectorXd;

class Follower {
 public:
  Follower(const SynthesisEquations& equations, const SynthesisTask& task, const Vector& x)
      : equations_(equations), task_(task), design_(equations.design(equations.values_of(x))) {
    result_.values = equations.values_of(x);
    result_.phase = equations.phase_of(x);
    result_.error = INFINITY;
    for (int k = 0; k < equations.targets(); ++k)
      result_.postures.push_back(equations.posture_of(x, k));
  }

  Design run() {
    if (!design_) {
      result_.note = "it cannot be built";
      return std::move(result_);
    }
    result_.robot = design_->model.robot();
    result_.transmission = task_.transmission ? M_PI : 0;
    const bool inputs = std::all_of(task_.targets.begin(), task_.targets.end(),
                                    [](const SynthesisTarget& t) { return !t.inputs.empty(); });
    inputs ? follow() : check_postures();
    if (task_.transmission && result_.transmission < task_.transmission->least - 1e-9)
      add_note(fmt::format("the transmission angle falls to {:.4g} deg",
                           result_.transmission * 180 / M_PI));
    const Vector faults = equations_.shape_faults(*design_);
    if (faults(0) > 1e-9 || faults(1) > 1e-9) add_note("Grashof's condition is missed");
    if (faults(2) > 1e-9) add_note("it is too large");
    if (task_.speed_limit && result_.followed) find_speed();
    return std::move(result_);
  }

 private:
  void add_note(const std::string& text) {
    result_.note += (result_.note.empty() ? "" : "; ") + text;
  }

  /// Closes the loops with some coordinates held; false where that takes a jump.
  bool close(Vector& q, const std::vector<std::pair<int, double>>& held, double reach) {
    AssemblyOptions options;
    options.start = q;
    options.restarts = 0;
    options.limits = false;
    options.tolerance = 1e-12;
    for (const auto& [place, value] : held) {
      options.start(place) = value;
      options.held.push_back(place);
    }
    const AssemblyResult found = assemble(design_->model, options);
    if (found.solutions.empty()) return false;
    const double moved = design_->model.difference(q, found.solutions[0].q).cwiseAbs().maxCoeff();
    q = found.solutions[0].q;
    return moved <= reach;
  }

  void look(const Vector& q) {
    update_poses(design_->model, design_->work, q);
    if (task_.transmission)
      result_.transmission = std::min(result_.transmission, equations_.transmission(*design_));
  }

  /// Eq. 4: from each target to the next in steps of three degrees of the input.
  void follow() {
    Vector q = result_.postures[0];
    double error = 0;
    result_.followed = true;
    for (int k = 0; k < equations_.targets(); ++k) {
      const auto& inputs = equations_.inputs(k);
      double way = 0;
      for (const auto& [place, value] : inputs)
        way = std::max(way, std::abs(value + result_.phase - q(place)));
      const int steps = std::max(1, static_cast<int>(std::ceil(way / (3 * M_PI / 180))));
      const Vector from = q;
      for (int s = 1; s <= steps; ++s) {
        std::vector<std::pair<int, double>> held;
        for (const auto& [place, value] : inputs)
          held.push_back({place, from(place) + (value + result_.phase - from(place)) * s / steps});
        if (!close(q, held, k == 0 ? INFINITY : 0.6)) {
          result_.followed = false;
          add_note(fmt::format("it cannot be moved to target {}", k + 1));
          result_.error = worst_of_postures();
          return;
        }
        look(q);
      }
      error = std::max(error, equations_.miss(*design_, k));
      result_.postures[k] = q;
    }
    result_.error = error;
  }

  /// Free inputs: every target in its own posture.
  void check_postures() {
    result_.error = worst_of_postures();
    result_.followed = std::isfinite(result_.error);
  }

  double worst_of_postures() {
    double error = 0;
    for (int k = 0; k < equations_.targets(); ++k) {
      Vector q = result_.postures[k];
      if (!close(q, {}, INFINITY)) return INFINITY;
      look(q);
      error = std::max(error, equations_.miss(*design_, k));
    }
    return error;
  }

  /// Eq. 5: the largest speed of the frame per rate of the input, over its cycle or its targets.
  void find_speed() {
    const auto& [name, limit] = *task_.speed_limit;
    const std::vector<std::string>& names = design_->model.coordinate_names();
    const int place = static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
    const int speed = speeds_by_name(design_->model, {name})[0];
    Vector q = result_.postures[0];
    const double from = q(place);
    double largest = 0;
    constexpr int steps = 360;
    for (int s = 0; s <= steps; ++s) {
      if (!close(q, {{place, from + 2 * M_PI * s / steps}}, 0.6)) {
        add_note("its input does not turn fully: no largest speed");
        return;
      }
      LoopClosure& closure = design_->closure;
      closure.update(design_->work, q);
      SpeedSplit split;
      try {
        split = split_speeds(closure, {speed});
      } catch (const std::exception&) {
        add_note(fmt::format("'{}' alone does not drive it: no largest speed", name));
        return;
      }
      const Vector v = independent_map(closure, split).G.col(0);
      update_motions(design_->model, design_->work, q, v, design_->work.zero());
      largest = std::max(
          largest, frame_velocity(design_->model, design_->work, design_->model.frame(task_.frame))
                       .linear.norm());
    }
    result_.largest_speed = largest > 0 ? limit / largest : 0;
  }

  const SynthesisEquations& equations_;
  const SynthesisTask& task_;
  std::unique_ptr<DesignModel> design_;
  Design result_;
};

}  // namespace

Design followed_design(const SynthesisEquations& equations, const SynthesisTask& task,
                       const Vector& x) {
  return Follower(equations, task, x).run();
}

}  // namespace ulna
