#include "ulna/kinematics/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "loops/assembly_search.hpp"
#include "loops/closed_by_parts.hpp"
#include "loops/follow_closure.hpp"
#include "loops/home_posture.hpp"
#include "loops/posture_search.hpp"
#include "ulna/kinematics/independent_speeds.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/numerics/internal/rank.hpp"
#include "ulna/scalar/internal/interruption.hpp"

namespace ulna {
namespace {

class Assembler {
 public:
  Assembler(const Model& model, const AssemblyOptions& options)
      : model_(model),
        options_(options),
        closure_(model),
        work_(model),
        equations_(closure_, work_, options.closing),
        turns_(model),
        counts_turns_(loops_count_turns(closure_)) {
    start_ = options.start.size() > 0 ? model.normalized(options.start) : model.neutral();
    if (!start_.allFinite()) throw InputError("a start that is not finite", "finite coordinates");
    if (!(options.tolerance > 0)) throw InputError("a tolerance that is not above zero");
    allowed_ = std::max(options.tolerance, model.robot().loop_tolerance);
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
    const bool followed = nothing_to_close() || start_at_home() || follow_turns() || close_many();
    Eigen::VectorXd from = start_;
    for (int trial = 0; !followed && trial <= options_.restarts; ++trial) {
      interruption_point();
      ++result_.starts;
      const Eigen::VectorXd found = search_from(from);
      const bool first = result_.solutions.empty();
      if (consider(found) && !options_.all) break;
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
  /// One search, which goes over to another thread of screws where it ends at the wrong one.
  Eigen::VectorXd search_from(const Eigen::VectorXd& from) {
    constexpr int most_threads = 4;  // rounding the turns of several screws may miss at first
    Eigen::VectorXd at = from, best;
    double least = INFINITY;
    for (int thread = 0; thread <= most_threads; ++thread) {
      const SearchOutcome found = search_closure(equations_, options_, free_, at);
      result_.iterations += found.iterations;
      result_.evaluations += found.evaluations;
      equations_.update(found.q);
      const double gap = equations_.largest_gap();
      if (thread > 0 && !(gap < least)) break;
      least = gap, best = found.q;
      if (gap <= allowed_ || !counts_turns_) break;
      const std::optional<Eigen::VectorXd> turned =
          turned_to_other_threads(equations_, free_, best);
      if (!turned) break;
      at = *turned;
    }
    return best;
  }

  /// A robot without loops is assembled as it stands.
  bool nothing_to_close() {
    if (closure_.rows() > 0) return false;
    result_.solutions.push_back({start_, result_.nearest_gap = 0});
    return true;
  }

  /// Robots of many speeds of which none is held: loops that do not share speeds by themselves.
  bool close_many() {
    constexpr int many = 60;
    const bool plain = !options_.all && options_.closing.empty() &&
                       options_.method == AssemblyMethod::gauss_newton &&
                       static_cast<int>(free_.size()) == model_.speeds();
    if (!plain || model_.speeds() <= many) return false;
    const auto q = closed_by_parts(closure_, work_, start_, 1e-3 * options_.tolerance);
    if (!q) return false;
    ++result_.starts;
    return consider(*q);
  }

  /// Some of its coordinates, of which it has one more than speeds, are held.
  bool holds_quaternion(const TangentBlock& block) const {
    if (block.kind == TangentBlock::Kind::line) return false;
    const auto first = is_held_.begin() + block.q;
    return std::find(first, first + block.speeds + 1, true) != first + block.speeds + 1;
  }

  bool holds_position(const TangentBlock& block) const {
    for (int k = block.q + 4; k < block.q + block.speeds + 1; ++k)
      if (is_held_[static_cast<std::size_t>(k)]) return true;
    return false;
  }

  void find_free() {
    free_.clear();
    const LeastSquaresProblem box = posture_problem(model_);
    std::vector<bool> held(model_.speeds(), false);
    for (int k = 0; k < model_.speeds(); ++k) {
      const int entry = box.retract ? box.euclidean[k] : k;
      if (entry >= 0) held[k] = is_held_[entry];
    }
    // A quaternion is held as a whole, and with the position of a free body its rotation.
    for (const TangentBlock& block : model_.blocks())
      if (holds_quaternion(block))
        std::fill_n(held.begin() + block.v, holds_position(block) ? block.speeds : 3, true);
    for (int k = 0; k < model_.speeds(); ++k)
      if (!held[k]) free_.push_back(k);
  }

  /// Whether the start says more than the held coordinates.
  bool start_is_told() const {
    const Eigen::VectorXd neutral = model_.neutral();
    for (int k = 0; k < model_.coordinates(); ++k)
      if (!is_held_[k] && start_(k) != neutral(k)) return true;
    return false;
  }

  /// A platform of which nothing else is said is at home, or where continuity leads from there.
  bool start_at_home() {
    if (!options_.home || !options_.closing.empty() || start_is_told()) return false;
    const std::optional<Eigen::VectorXd> home = home_posture(equations_, options_);
    if (!home) return false;
    Eigen::VectorXd target = *home;
    bool some_held = false;
    for (int k = 0; k < model_.coordinates(); ++k) {
      if (!is_held_[k]) continue;
      target(k) = start_(k);
      some_held = some_held || k < model_.joint_coordinates();
    }
    start_ = target;
    if (options_.all) return false;
    std::optional<Eigen::VectorXd> q = home;
    if (some_held) q = follow_closure(equations_, options_, free_, *home, start_);
    if (!q) {
      result_.note = fmt::format(
          "robot '{}' cannot be led from its home pose to these values without passing a singular "
          "posture or a limit: the posture found is on another branch",
          model_.name());
      return false;
    }
    ++result_.starts;
    for (int k = 0; k < model_.coordinates(); ++k)
      if (is_held_[k]) (*q)(k) = start_(k);
    return consider(*q);
  }

  /// Where turns count, the posture is the one that continuity from the reference leads to; a start
  /// that says more than the held coordinates tells the turns itself.
  bool follow_turns() {
    const bool some_held = static_cast<int>(free_.size()) < model_.joint_speeds();
    if (options_.all || !some_held || !options_.closing.empty() || !counts_turns_) return false;
    if (options_.reference.size() == 0 && start_is_told()) return false;
    const Eigen::VectorXd reference =
        options_.reference.size() > 0 ? model_.normalized(options_.reference) : model_.neutral();
    std::optional<Eigen::VectorXd> q =
        follow_closure(equations_, options_, free_, reference, start_);
    if (!q) return false;
    ++result_.starts;
    for (int k = 0; k < model_.coordinates(); ++k)
      if (is_held_[k]) (*q)(k) = start_(k);
    closure_.update(work_, *q);
    result_.nearest = *q;
    result_.nearest_gap = closure_.largest_gap(work_);
    result_.solutions.push_back({*q, result_.nearest_gap});
    note_other_turns(*q);
    return true;
  }

  void note_other_turns(const Eigen::VectorXd& q) {
    const SearchOutcome direct = search_closure(equations_, options_, free_, start_);
    closure_.update(work_, direct.q);
    if (!(closure_.largest_gap(work_) <= allowed_) ||
        same_posture(model_, turns_, q, direct.q, options_.distinct))
      return;
    Eigen::Index most = 0;
    Eigen::VectorXd apart = model_.difference(direct.q, q);
    turns_.take_out_of_difference(apart);
    apart.cwiseAbs().maxCoeff(&most);
    result_.note = fmt::format(
        "the loops of robot '{}' also close with other numbers of turns ('{}' elsewhere by "
        "{:.6g}); "
        "turns are counted continuously from the {} posture",
        model_.name(), model_.speed_names()[most], -apart(most),
        options_.reference.size() > 0 ? "given" : "neutral");
  }

  /// Takes a posture in if it is closed and new.
  bool consider(Eigen::VectorXd q) {
    equations_.update(q);
    const double gap = equations_.largest_gap();
    if (gap < result_.nearest_gap) {
      result_.nearest_gap = gap;
      result_.nearest = q;
    }
    if (!(gap <= allowed_)) return false;
    bring_near(q);
    if (options_.all && options_.distinct_frame >= 0) return consider_frame(q, gap);
    for (const Assembly& other : result_.solutions)
      if (same_posture(model_, turns_, other.q, q, options_.distinct) ||
          (options_.all && same_but_for_idle_freedoms(other.q, q)))
        return false;
    result_.solutions.push_back({q, gap});
    return true;
  }

  /// Postures are counted by the pose of one frame. Those of one pose are counted besides.
  bool consider_frame(const Eigen::VectorXd& q, double gap) {
    if (std::any_of(postures_.begin(), postures_.end(), [&](const Eigen::VectorXd& other) {
          return same_posture(model_, turns_, other, q, options_.distinct);
        }))
      return false;
    postures_.push_back(q);
    ++result_.postures;
    const Pose<double> pose = frame_pose(model_, work_, options_.distinct_frame);
    for (const Pose<double>& other : poses_)
      if ((other.position - pose.position).norm() < options_.distinct * model_.length_scale() &&
          (other.rotation - pose.rotation).norm() < options_.distinct)
        return false;
    poses_.push_back(pose);
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

  /// Whether q can be moved to the other posture by the freedom that is left with the inputs held:
  /// then only an idle freedom (of a joint whose coordinates cannot be held one by one) differs.
  bool same_but_for_idle_freedoms(const Eigen::VectorXd& other, Eigen::VectorXd q) {
    constexpr int most = 60;
    constexpr double longest = 0.5;  // radians, or lengths of the robot
    const Eigen::VectorXd& scale = closure_.column_scale();
    double before = INFINITY;
    for (int step = 0; step < most; ++step) {
      Eigen::VectorXd way = model_.difference(q, other);
      turns_.take_out_of_difference(way);
      const double left = way.norm();
      if (left < options_.distinct) return true;
      if (!(left < before)) return false;
      before = left;
      equations_.update(q);
      const Eigen::MatrixXd N = rank_by_svd(equations_.scaled_jacobian()(Eigen::all, free_),
                                            loop_rank_tolerance_of(model_))
                                    .null_space;
      const Eigen::VectorXd scaled = way.cwiseQuotient(scale);
      Eigen::VectorXd along = N * (N.transpose() * scaled(free_));
      if (!(along.norm() > 1e-3 * scaled.norm())) return false;
      along *= std::min(1.0, longest / along.norm());
      Eigen::VectorXd move = Eigen::VectorXd::Zero(model_.speeds());
      move(free_) = along;
      q = search_closure(equations_, options_, free_, model_.integrate(q, scale.cwiseProduct(move)))
              .q;
    }
    return false;
  }

  /// All postures of a mechanism with freedom left: those with the inputs of the first.
  void hold_independent() {
    if (!options_.all) return;
    const Eigen::VectorXd& q = result_.solutions[0].q;
    equations_.update(q);
    const LeastSquaresProblem box = posture_problem(model_);
    // What is held already leaves less to choose: columns of the free speeds alone. Coordinates of
    // quaternions cannot be held one by one, and are made dependent where that is possible.
    const Eigen::MatrixXd A = equations_.scaled_jacobian()(Eigen::all, free_);
    std::vector<int> preferred;
    for (int k = 0; k < std::ssize(free_); ++k)
      if (box.retract && box.euclidean[free_[k]] < 0) preferred.push_back(k);
    std::vector<bool> dependent(free_.size(), false);
    for (int p : leading_columns(A, preferred, rank_by_qr(A, loop_rank_tolerance_of(model_)).rank))
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
    for (const TangentBlock& block : model_.blocks())
      if (holds_quaternion(block))
        q.segment(block.q, block.speeds + 1) = start_.segment(block.q, block.speeds + 1);
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
    equations_.update(result_.nearest);
    double most = -1;
    LoopGap worst;
    for (int k = 0; k < std::ssize(model_.loops()); ++k) {
      const LoopGap gap = closure_.gap(work_, k);
      const double size = std::max(gap.length / model_.length_scale(), gap.angle);
      if (size <= most) continue;
      most = size;
      worst = gap;
      result_.open_loop = k;
    }
    if (result_.open_loop < 0) return;
    // Loops that close while a closing joint misses its value: it says how far it can go.
    const AssemblyEquations::Miss miss = equations_.largest_miss();
    if (miss.size > most) {
      result_.open_loop = miss.loop;
      result_.reason = fmt::format(
          "robot '{}' cannot be assembled: joint '{}', which closes a loop, misses its coordinate "
          "by {:.3g} in the best of {} starts",
          model_.name(), model_.loops()[miss.loop].joint, miss.size, result_.starts);
    } else {
      const Loop& loop = model_.loops()[result_.open_loop];
      result_.reason = fmt::format(
          "robot '{}' cannot be assembled: {} stays open by {} in the best of {} starts",
          model_.name(), loop_name(loop), gap_text(loop, worst), result_.starts);
    }
    std::string held;
    for (int k = 0; k < model_.joint_coordinates(); ++k)
      if (is_held_[k])
        held += fmt::format(", {} = {:.6g}", model_.coordinate_names()[k], start_(k));
    held += equations_.given_text();
    if (!held.empty()) result_.reason += ", with" + held.substr(1);
  }

  const Model& model_;
  const AssemblyOptions& options_;
  LoopClosure closure_;
  Workspace work_;
  AssemblyEquations equations_;
  WholeTurns turns_;
  const bool counts_turns_;
  Eigen::VectorXd start_;
  std::vector<bool> is_held_;              ///< by coordinate
  std::vector<int> free_;                  ///< speeds
  double allowed_ = 0;                     ///< gap
  std::vector<Eigen::VectorXd> postures_;  ///< with distinct_frame
  std::vector<Pose<double>> poses_;
  AssemblyResult result_;
};

}  // namespace

AssemblyResult assemble(const Model& model, const AssemblyOptions& options) {
  return Assembler(model, options).run();
}

Eigen::VectorXd assembled(const Model& model, const AssemblyOptions& options) {
  AssemblyResult result = assemble(model, options);
  if (result.solutions.empty()) throw ComputationError(result.reason, result.nearest_gap);
  return result.solutions[0].q;
}

}  // namespace ulna
