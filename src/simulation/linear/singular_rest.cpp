#include "linear/singular_rest.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ulna/dynamics/loops.hpp"
#include "ulna/kinematics/internal/named_efforts.hpp"
#include "ulna/kinematics/mobility.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {

std::vector<Eigen::VectorXd> postures_on_branches(const Model& model, const Eigen::VectorXd& q) {
  constexpr double away = 0.1;  // rad or m: far enough for the loops to be regular
  std::vector<Eigen::VectorXd> postures;
  const Mobility here = mobility(model, q);
  if (!here.singular()) return postures;
  Workspace work(model);
  LoopDynamics loops(model);
  for (const MotionBranch& branch : here.branches)
    for (const double side : {away, -away}) {
      const double size = branch.direction.cwiseAbs().maxCoeff();
      if (!(size > 0)) continue;
      Eigen::VectorXd beside = model.integrate(q, side / size * branch.direction);
      if (loops.close_positions(work, beside, 1e-13)) postures.push_back(beside);
    }
  return postures;
}

OpenMotions open_motions(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& tau,
                         int usual) {
  Workspace work(model);
  LoopDynamics loops(model);
  LoopClosure closure(model);
  closure.update(work, q);
  // A search ends beside a singular posture: values of the loops this small vanish in it.
  constexpr double vanishing = 1e-5, unbalanced = 1e-6;
  const dense::Svd svd = dense::svd(closure.scaled_jacobian(), dense::SvdParts::full);
  const Eigen::MatrixXd N = svd.V.rightCols(model.speeds() - svd.rank(vanishing));
  OpenMotions open;
  open.gained = static_cast<int>(N.cols()) - usual;
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(model.speeds()),
                        given = efforts_on_tree(closure, work, tau),
                        missing = loops.required_efforts(work, q, rest, rest) - given,
                        scale = closure.column_scale();
  const Eigen::VectorXd along = N * (N.transpose() * scale.cwiseProduct(missing));
  open.fall = -scale.cwiseProduct(along);
  open.balanced =
      open.gained <= 0 || !(along.norm() > unbalanced * scale.cwiseProduct(missing).norm());
  return open;
}

std::vector<Eigen::VectorXd> postures_after_fall(const Model& model, const Eigen::VectorXd& q,
                                                 const OpenMotions& open) {
  std::vector<Eigen::VectorXd> postures;
  if (open.balanced) return postures;
  Workspace work(model);
  LoopDynamics loops(model);
  for (const double away : {0.1, 0.3}) {
    Eigen::VectorXd beside = model.integrate(q, away / open.fall.cwiseAbs().maxCoeff() * open.fall);
    if (loops.close_positions(work, beside, 1e-13)) postures.push_back(beside);
  }
  return postures;
}

std::string unheld_text(const Model& model, const OpenMotions& open) {
  if (open.balanced) return {};
  Eigen::Index most = 0;
  open.fall.cwiseAbs().maxCoeff(&most);
  return fmt::format(
      "the search ended at a singular posture of the loops (stretched or folded), where they gain "
      "{} degree{} of freedom. Efforts are missing for the motions that open there, most of all "
      "along '{}'; beside it the loops hold them by forces that grow without bound, so that the "
      "robot does not rest there. Try another starting posture",
      open.gained, open.gained == 1 ? "" : "s",
      model.speed_names()[static_cast<std::size_t>(most)]);
}

}  // namespace ulna
