#include "closing_spring.hpp"

#include "ulna/kinematics/loop_closure.hpp"
#include "ulna/model/joints/joint_traits.hpp"
#include "ulna/model/kernels/spring.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

/// How far the joint stands from the rest of a spring along one of its degrees.
double stretch_of(const Model& model, const VectorRef& q, const Loop& loop, int degree,
                  double rest) {
  const int coordinate = traits_of(loop.type).coordinate_of_speed(degree);
  if (coordinate < 0) return 0;
  Workspace work(model);
  LoopClosure closure(model);
  closure.update(work, q);
  const auto number = static_cast<int>(&loop - model.loops().data());
  return closure.closing_coordinates(work, number)(coordinate) - rest;
}

}  // namespace

std::optional<ClosingSpring> closing_spring(const Model& model, const VectorRef& q,
                                            const Loop& loop, const JointSupport& support,
                                            const JointColumns& S) {
  const auto n = static_cast<int>(S.cols());
  Eigen::VectorXd k(n), c(n), effort(n);
  for (int i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const DegreeData d = at < loop.degrees.size() ? loop.degrees[at] : DegreeData();
    const double stretch = d.has_spring() ? stretch_of(model, q, loop, i, d.rest) : 0;
    k(i) = spring_tangent(d, stretch) + support.stiffness;
    c(i) = d.damping + support.damping;
    effort(i) = spring_effort(d, stretch);
  }
  if (n == 0 || (k.isZero(0) && c.isZero(0) && effort.isZero(0))) return {};
  const Eigen::MatrixXd along = dense::PivotedQr(S).solve(Eigen::MatrixXd::Identity(6, 6));
  return ClosingSpring{along.transpose() * k.asDiagonal() * along,
                       along.transpose() * c.asDiagonal() * along, -along.transpose() * effort};
}

}  // namespace ulna
