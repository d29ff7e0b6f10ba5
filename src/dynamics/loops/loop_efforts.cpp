// Inverse dynamics of mechanisms with loops, and what passes through the closing joints.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common.hpp"
#include "loops/loop_parts.hpp"
#include "loops/motors.hpp"
#include "ulna/kinematics/influence_coefficients.hpp"
#include "ulna/kinematics/internal/determination.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/kinematics/platform_posture.hpp"
#include "ulna/model/internal/check_size.hpp"

namespace ulna {
namespace {

std::string actuator_names(const Model& model, const std::vector<int>& actuated) {
  const std::vector<std::string> names = all_speed_names(model);
  std::string text;
  for (int k : actuated) text += (text.empty() ? "'" : ", '") + names[k] + "'";
  return text;
}

void check_actuated(const Model& model, const LoopInverseOptions& options, int dof, int closing) {
  const int all = model.speeds() + closing;
  for (const int k : options.actuated) {
    if (k < 0 || k >= all)
      throw InputError(fmt::format("speed number {} among the actuated ones", k),
                       fmt::format("numbers 0 .. {}", all - 1));
    if (std::count(options.actuated.begin(), options.actuated.end(), k) > 1)
      throw InputError(Problem{{},
                               "actuated",
                               fmt::format("{} is given twice", actuator_names(model, {k})),
                               "each joint once",
                               {}});
  }
  if (static_cast<int>(options.actuated.size()) < dof)
    throw InputError(fmt::format("{} actuated joints ({}) for the {} degrees of freedom of robot "
                                 "'{}'",
                                 options.actuated.size(), actuator_names(model, options.actuated),
                                 dof, model.name()),
                     "at least as many as degrees of freedom");
  if (options.weights.size() != 0 &&
      (options.weights.size() != std::ssize(options.actuated) || !options.weights.allFinite() ||
       !(options.weights.minCoeff() > 0)))
    throw InputError("weights of the actuators that do not fit",
                     fmt::format("{} numbers above zero", options.actuated.size()));
}

}  // namespace

LoopInverseOptions with_motors(const Model& model, LoopInverseOptions given) {
  constexpr std::size_t least_legs = 3;  // a leg alone is a chain like any other
  const PlatformData* platform = model.platform();
  if (given.actuated.empty() && platform && platform->legs.size() >= least_legs &&
      idle_spins(model.robot()).empty()) {
    const Platform known(*platform);  // legs with more than one drive have others besides
    if (known.legs() >= known.dof()) given.actuated = drive_speeds(model, known);
  }
  if (given.actuated.empty() || model.modes() == 0) return given;
  for (int k = model.joint_speeds(); k < model.speeds(); ++k) {
    if (std::ranges::count(given.actuated, k) > 0) continue;
    given.actuated.push_back(k);
    if (given.weights.size() == 0) continue;
    given.weights.conservativeResize(given.weights.size() + 1);
    given.weights(given.weights.size() - 1) = 1;
  }
  return given;
}

LoopEfforts LoopDynamics::inverse(Workspace& work, const VectorRef& q, const VectorRef& v,
                                  const VectorRef& a, const LoopInverseOptions& options,
                                  ExternalWrenches wrenches) {
  LoopEfforts result;
  inverse(work, q, v, a, options, wrenches, result);
  return result;
}

void LoopDynamics::inverse(Workspace& work, const VectorRef& q, const VectorRef& v,
                           const VectorRef& a, const LoopInverseOptions& options,
                           ExternalWrenches wrenches, LoopEfforts& result) {
  check_fits(model_, work);
  check_size(model_, q, model_.coordinates(), "q");
  check_size(model_, v, model_.speeds(), "v");
  check_size(model_, a, model_.speeds(), "a");
  closure_.update_rates(work, q, v);
  LoopEmbedding& embedding = system_->embedding;
  embedding.update();
  const int dof = embedding.dof();
  const bool chosen = !options.actuated.empty();
  const std::vector<ClosingDegree>& closing = system_->closing;
  if (chosen || options.weights.size() > 0)
    check_actuated(model_, options, dof, static_cast<int>(closing.size()));
  const std::vector<int>& actuated = chosen ? options.actuated : embedding.independent();
  const auto count = static_cast<Eigen::Index>(actuated.size());

  // docs/theory/closed-loops.md, eq. 18: the multipliers do no work along G, so that G' needs only
  // the actuated efforts; a motor on a closing joint works along K G. In units of the weights the
  // minimum-norm efforts are asked for.
  bias(work, q, v, a, wrenches, bias_);
  result.dof = dof;
  result.actuated = actuated;
  result.redundant_actuation = count > dof;
  result.redundant_rows = embedding.rank() < closure_.rows();
  result.tau.setZero(model_.speeds());
  result.closing.setZero(std::ssize(closing));
  for (SmallVector& efforts : motor_efforts_) efforts.resize(0);
  const auto root_weight = [&](Eigen::Index k) {
    return options.weights.size() > 0 ? std::sqrt(options.weights(k)) : 1.0;
  };
  if (dof > 0) {
    auto drive = system_->drive.topLeftCorner(count, dof);
    for (Eigen::Index k = 0; k < count; ++k) {
      double one = 0;  // of its rate, in its own units
      if (const int behind = actuated[k] - model_.speeds(); behind >= 0) {
        const ClosingDegree& at = closing[static_cast<std::size_t>(behind)];
        closing_row(work, at, right_);
        drive.row(k) = right_.transpose().lazyProduct(embedding.G());
        one = closing_scale(model_, at.loop, at.degree);
      } else {
        drive.row(k) = embedding.G().row(actuated[k]);
        one = closure_.column_scale()(actuated[k]);
      }
      // A joint that the loops keep at rest drives nothing: what is left of its row is rounding.
      double moved = 0;
      for (Eigen::Index c = 0; c < dof; ++c) {
        const double scale = closure_.column_scale()(embedding.independent()[c]);
        moved = std::max(moved, std::abs(drive(k, c)) * scale);
      }
      if (!(moved > loop_rank_tolerance_of(model_) * one)) drive.row(k).setZero();
      drive.row(k) /= root_weight(k);
    }
    system_->motors.factor(drive, loop_rank_tolerance_of(model_));
    if (system_->motors.rank() < dof)
      throw ComputationError(fmt::format(
          "the actuated joints {} do not drive robot '{}' here: of its {} degrees of freedom they "
          "move {}",
          actuator_names(model_, actuated), model_.name(), dof, system_->motors.rank()));
    auto free = system_->free.head(dof);
    embedding.to_independent(bias_, free);
    auto efforts = system_->efforts.head(count);
    system_->motors.solve_transposed(free, efforts);
    for (Eigen::Index k = 0; k < count; ++k) {
      const int behind = actuated[k] - model_.speeds();
      (behind < 0 ? result.tau(actuated[k]) : result.closing(behind)) = efforts(k) / root_weight(k);
    }
  }
  // eq. 19: A' lambda carries the rest.
  right_ = bias_ - result.tau;
  take_motors(work, result.closing);
  embedding.multipliers(right_, result.lambda);
}

/// y = K' of one degree of a closing joint.
void LoopDynamics::closing_row(const Workspace& work, const ClosingDegree& at,
                               Eigen::VectorXd& y) const {
  SmallVector along = SmallVector::Zero(size_of(model_.loops()[at.loop].type).speeds);
  along(at.degree) = 1;
  y.setZero();
  closure_.add_closing_efforts(work, at.loop, along, y);
}

/// Keeps the efforts of motors on closing joints for their reactions, and takes them from right_.
void LoopDynamics::take_motors(const Workspace& work, const Eigen::VectorXd& efforts) {
  const std::vector<ClosingDegree>& closing = system_->closing;
  for (std::size_t k = 0; k < closing.size(); ++k) {
    const double effort = efforts(static_cast<Eigen::Index>(k));
    if (effort == 0) continue;
    SmallVector& along = motor_efforts_[closing[k].loop];
    if (along.size() == 0) along.setZero(size_of(model_.loops()[closing[k].loop].type).speeds);
    along(closing[k].degree) = effort;
  }
  for (int k = 0; k < std::ssize(model_.loops()); ++k)
    if (motor_efforts_[k].size() > 0)
      closure_.add_closing_efforts(work, k, SmallVector(-motor_efforts_[k]), right_);
}

Wrench<double> LoopDynamics::loop_reaction(const Workspace& work, int k,
                                           const Eigen::VectorXd& lambda) const {
  const Loop& loop = model_.loops()[k];
  const LoopClosure::Block& block = closure_.blocks()[k];
  if (loop.kind == LoopKind::coupling) return {};
  Vector6<double> F =
      closure_.rows_of_twist(work, k).transpose() * lambda.segment(block.first_row, block.rows);
  if (closing_efforts_[k].size() > 0)
    F -= closure_.rates_of_twist(work, k).transpose() * closing_efforts_[k];
  if (motor_efforts_[k].size() > 0)
    F += closure_.rates_of_twist(work, k).transpose() * motor_efforts_[k];
  // From the axes of F to those of the child.
  const auto rotation = [&](int node, const Pose<double>& X) -> Matrix3<double> {
    const Mat3<double>& R = work.view().pose[node].R;
    Matrix3<double> m;
    m << R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz;
    return m * X.rotation;
  };
  const Body& child = model_.bodies()[loop.child];
  const Matrix3<double> R_CF =
      rotation(child.node, child.X_NB).transpose() * rotation(loop.node_F, loop.X_NF);
  return {R_CF * F.head<3>(), R_CF * F.tail<3>()};
}

}  // namespace ulna
