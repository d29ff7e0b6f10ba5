#include "ulna/kinematics/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "loops/assembly_search.hpp"
#include "loops/posture_search.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/numerics/rank.hpp"

namespace ulna {
namespace {

class Assembler {
 public:
  Assembler(const Model& model, const AssemblyOptions& options)
      : model_(model), options_(options), closure_(model), work_(model), turns_(model) {
    start_ = options.start.size() > 0 ? model.normalized(options.start) : model.neutral();
    if (!start_.allFinite()) throw InputError("a start that is not finite", "finite coordinates");
    if (!(options.tolerance > 0)) throw InputError("a tolerance that is not above zero");
    is_held_.assign(model.coordinates(), false);
    for (int k : options.held) {
      if (k < 0 || k >= model.coordinates())
        throw InputError(fmt::format("coordinate number {} is held", k),
                         fmt::format("0 .. {}", model.coordinates() - 1));
      is_held_[k] = true;
    }
    if (!options.bend)
      for (int k = model.joint_coordinates(); k < model.coordinates(); ++k) is_held_[k] = true;
    find_free();
    result_.nearest = start_;
    result_.nearest_gap = INFINITY;
  }

  AssemblyResult run() {
    const auto begin = std::chrono::steady_clock::now();
    std::mt19937_64 generator(options_.seed);
    Eigen::VectorXd from = start_;
    for (int trial = 0; trial <= options_.restarts; ++trial) {
      ++result_.starts;
      const SearchOutcome found = search_closure(closure_, work_, options_, free_, from);
      result_.iterations += found.iterations;
      result_.evaluations += found.evaluations;
      const bool first = result_.solutions.empty();
      if (consider(found.q) && !options_.all) break;
      if (first && !result_.solutions.empty()) hold_independent();
      from = random_start(generator);
    }
    sort_solutions();
    if (result_.solutions.empty()) explain();
    result_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(result_);
  }

 private:
  void find_free() {
    free_.clear();
    const LeastSquaresProblem box = posture_problem(model_);
    std::vector<bool> held(model_.speeds(), false);
    for (int k = 0; k < model_.speeds(); ++k) {
      const int entry = box.retract ? box.euclidean[k] : k;
      if (entry >= 0) held[k] = is_held_[entry];
    }
    // A quaternion is held as a whole.
    for (const Joint& joint : model_.joints())
      if (joint.coordinates != joint.speeds)
        for (int k = 0; k < joint.coordinates; ++k)
          if (is_held_[joint.q + k]) std::fill_n(held.begin() + joint.v, joint.speeds, true);
    for (int k = 0; k < model_.speeds(); ++k)
      if (!held[k]) free_.push_back(k);
  }

  /// Takes a posture in if it is closed and new.
  bool consider(Eigen::VectorXd q) {
    closure_.update(work_, q);
    const double gap = closure_.largest_gap(work_);
    if (gap < result_.nearest_gap) {
      result_.nearest_gap = gap;
      result_.nearest = q;
    }
    if (!(gap <= options_.tolerance)) return false;
    bring_near(q);
    for (const Assembly& other : result_.solutions)
      if (same_posture(model_, turns_, other.q, q, options_.distinct)) return false;
    result_.solutions.push_back({q, gap});
    return true;
  }

  /// Whole turns from the start are taken out, or of all postures whole turns from zero; what is
  /// held stays to the last bit.
  void bring_near(Eigen::VectorXd& q) const {
    options_.all ? turns_.take_out(q) : turns_.bring_near(start_, q);
    for (int k = 0; k < model_.coordinates(); ++k)
      if (is_held_[k]) q(k) = start_(k);
  }

  /// All postures of a mechanism with freedom left: those with the inputs of the first.
  void hold_independent() {
    if (!options_.all) return;
    const Eigen::VectorXd& q = result_.solutions[0].q;
    closure_.update(work_, q);
    const LeastSquaresProblem box = posture_problem(model_);
    // What is held already leaves less to choose: columns of the free speeds alone.
    const Eigen::MatrixXd A = closure_.scaled_jacobian()(Eigen::all, free_);
    std::vector<bool> dependent(free_.size(), false);
    for (int p : rank_by_qr(A.transpose(), loop_rank_tolerance).independent_rows)
      dependent[p] = true;
    for (std::size_t k = 0; k < free_.size(); ++k) {
      if (dependent[k]) continue;
      const int entry = box.retract ? box.euclidean[free_[k]] : free_[k];
      if (entry >= 0) is_held_[entry] = true;
    }
    start_ = q;
    find_free();
  }

  Eigen::VectorXd random_start(std::mt19937_64& generator) const {
    Eigen::VectorXd q = model_.random(generator);
    // Unlimited slides are drawn from a metre; the robot's own length says more.
    const Eigen::VectorXd& scale = closure_.column_scale();
    const LeastSquaresProblem box = posture_problem(model_);
    for (int k = 0; k < model_.speeds(); ++k) {
      const int entry = box.retract ? box.euclidean[k] : k;
      if (entry < 0) continue;
      if (!std::isfinite(model_.lower()(entry)) && !std::isfinite(model_.upper()(entry)) &&
          scale(k) != 1)
        q(entry) *= 2 * scale(k);
      if (is_held_[entry]) q(entry) = start_(entry);
    }
    for (const Joint& joint : model_.joints())
      if (joint.coordinates != joint.speeds)
        for (int k = 0; k < joint.coordinates; ++k)
          if (is_held_[joint.q + k])
            q.segment(joint.q, joint.coordinates) = start_.segment(joint.q, joint.coordinates);
    return q;
  }

  void sort_solutions() {
    const auto way = [&](const Assembly& a) {
      Eigen::VectorXd difference = model_.difference(start_, a.q);
      turns_.take_out_of_difference(difference);
      return difference.norm();
    };
    std::stable_sort(result_.solutions.begin(), result_.solutions.end(),
                     [&](const Assembly& a, const Assembly& b) { return way(a) < way(b); });
  }

  void explain() {
    closure_.update(work_, result_.nearest);
    double most = -1;
    LoopGap worst;
    for (int k = 0; k < static_cast<int>(model_.loops().size()); ++k) {
      const LoopGap gap = closure_.gap(work_, k);
      const double size = std::max(gap.length / model_.length_scale(), gap.angle);
      if (size <= most) continue;
      most = size;
      worst = gap;
      result_.open_loop = k;
    }
    if (result_.open_loop < 0) return;
    const Loop& loop = model_.loops()[result_.open_loop];
    result_.reason =
        fmt::format("robot '{}' cannot be assembled: {} stays open by {} in the best of {} starts",
                    model_.name(), loop_name(loop), gap_text(loop, worst), result_.starts);
    const int joints = model_.joint_coordinates();
    if (std::find(is_held_.begin(), is_held_.begin() + joints, true) != is_held_.begin() + joints) {
      result_.reason += ", with";
      for (int k = 0, said = 0; k < joints; ++k)
        if (is_held_[k])
          result_.reason += fmt::format("{} {} = {:.6g}", said++ ? "," : "",
                                        model_.coordinate_names()[k], start_(k));
    }
  }

  const Model& model_;
  const AssemblyOptions& options_;
  LoopClosure closure_;
  Workspace work_;
  WholeTurns turns_;
  Eigen::VectorXd start_;
  std::vector<bool> is_held_;  ///< by coordinate
  std::vector<int> free_;      ///< speeds
  AssemblyResult result_;
};

}  // namespace

AssemblyResult assemble(const Model& model, const AssemblyOptions& options) {
  return Assembler(model, options).run();
}

Eigen::VectorXd assembled(const Model& model, const AssemblyOptions& options) {
  if (model.loops().empty())  // nothing to close
    return options.start.size() > 0 ? model.normalized(options.start) : model.neutral();
  AssemblyResult result = assemble(model, options);
  if (result.solutions.empty()) throw ComputationError(result.reason, result.nearest_gap);
  return result.solutions[0].q;
}

}  // namespace ulna
