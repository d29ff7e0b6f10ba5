// Inverse dynamics of mechanisms with loops, and what passes through the closing joints.

#include <fmt/format.h>

#include <Eigen/QR>
#include <Eigen/SVD>

#include "common.hpp"
#include "ulna/dynamics/loops.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/model/check_size.hpp"

namespace ulna {
namespace {

std::string names_of(const Model& model, const std::vector<int>& speeds) {
  std::string text;
  for (int k : speeds) text += (text.empty() ? "'" : ", '") + model.speed_names()[k] + "'";
  return text;
}

void check_actuated(const Model& model, const LoopInverseOptions& options, int dof) {
  std::vector<bool> seen(model.speeds(), false);
  for (int k : options.actuated) {
    if (k < 0 || k >= model.speeds() || seen[k])
      throw InputError(fmt::format("speed number {} among the actuated ones", k),
                       fmt::format("different numbers 0 .. {}", model.speeds() - 1));
    seen[k] = true;
  }
  if (static_cast<int>(options.actuated.size()) < dof)
    throw InputError(
        fmt::format("{} actuated joints ({}) for the {} degrees of freedom of robot "
                    "'{}'",
                    options.actuated.size(), names_of(model, options.actuated), dof, model.name()),
        "at least as many as degrees of freedom");
  if (options.weights.size() != 0 &&
      (options.weights.size() != std::ssize(options.actuated) || !options.weights.allFinite() ||
       !(options.weights.minCoeff() > 0)))
    throw InputError("weights of the actuators that do not fit",
                     fmt::format("{} numbers above zero", options.actuated.size()));
}

}  // namespace

LoopEfforts LoopDynamics::inverse(Workspace& work, const VectorRef& q, const VectorRef& v,
                                  const VectorRef& a, const LoopInverseOptions& wanted,
                                  ExternalWrenches wrenches) {
  check_fits(model_, work);
  check_size(model_, q, model_.coordinates(), "q");
  check_size(model_, v, model_.speeds(), "v");
  check_size(model_, a, model_.speeds(), "a");
  closure_.update_rates(work, q, v);
  const SpeedSplit split = split_speeds(closure_);
  const CoordinateMap map = independent_map(closure_, split);
  LoopInverseOptions options = wanted;
  if (options.actuated.empty()) options.actuated = split.independent;
  const int dof = static_cast<int>(split.independent.size());
  check_actuated(model_, options, dof);

  // eq. 18: the multipliers do no work along G, so that G' needs only the actuated efforts.
  bias(work, q, v, a, wrenches, bias_);
  const auto count = static_cast<Eigen::Index>(options.actuated.size());
  Eigen::VectorXd root_weight = Eigen::VectorXd::Ones(count);
  if (options.weights.size() > 0) root_weight = options.weights.cwiseSqrt();
  const Eigen::MatrixXd drive =
      map.G(options.actuated, Eigen::all).transpose() * root_weight.cwiseInverse().asDiagonal();
  LoopEfforts result;
  result.dof = dof;
  result.redundant_actuation = count > dof;
  result.redundant_rows = split.rank < closure_.rows();
  result.tau.setZero(model_.speeds());
  if (dof > 0) {
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
    solver.setThreshold(loop_rank_tolerance);
    solver.compute(drive);
    if (solver.rank() < dof)
      throw ComputationError(
          fmt::format("the actuated joints {} do not drive robot '{}' here: of "
                      "its {} degrees of freedom they move {}",
                      names_of(model_, options.actuated), model_.name(), dof, solver.rank()));
    const Eigen::VectorXd efforts = solver.solve(map.G.transpose() * bias_);
    result.tau(options.actuated) = root_weight.cwiseInverse().cwiseProduct(efforts);
  }
  // eq. 19: A' lambda carries the rest.
  if (closure_.rows() > 0) {
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
    solver.setThreshold(loop_rank_tolerance);
    solver.compute(closure_.scaled_jacobian().transpose());
    const Eigen::VectorXd rest =
        closure_.column_scale().cwiseProduct(Eigen::VectorXd(bias_ - result.tau));
    result.lambda = closure_.row_scale().cwiseProduct(solver.solve(rest));
  } else {
    result.lambda.resize(0);
  }
  return result;
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
