#include "ulna/simulation/linearize.hpp"

#include <algorithm>
#include <numeric>

#include "linear/linear_output.hpp"
#include "ulna/dynamics/derivatives.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

Matrix3<double> skew(const Vector3<double>& w) {
  Matrix3<double> S;
  S << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  return S;
}

/// How a change of q in the moving tangent goes on by itself: zero but for joints with quaternions,
/// whose axes turn with them (eq. 31).
Eigen::MatrixXd transport(const Model& model, const VectorRef& v) {
  Eigen::MatrixXd T = Eigen::MatrixXd::Zero(model.speeds(), model.speeds());
  for (const TangentBlock& block : model.blocks()) {
    if (block.kind == TangentBlock::Kind::line) continue;
    const Matrix3<double> W = skew(v.segment<3>(block.v));
    T.block<3, 3>(block.v, block.v) = -W;
    if (block.kind != TangentBlock::Kind::free) continue;
    T.block<3, 3>(block.v + 3, block.v + 3) = -W;
    T.block<3, 3>(block.v + 3, block.v) = -skew(v.segment<3>(block.v + 3));
  }
  return T;
}

}  // namespace

LinearSystem linearize_loops(const Model& model, const VectorRef& q, const VectorRef& v,
                             const VectorRef& tau, const LinearOutput& output);

LinearSystem linearize(const Model& model, const VectorRef& q, const VectorRef& v,
                       const VectorRef& tau, const LinearOutput& output) {
  if (!model.loops().empty()) return linearize_loops(model, q, v, tau, output);
  const int n = model.speeds();
  Workspace work(model);
  DerivativeWorkspace derivatives(model);
  const ForwardDerivatives& d = forward_dynamics_derivatives(model, work, derivatives, q, v, tau);
  LinearSystem linear;
  linear.speeds.resize(static_cast<std::size_t>(n));
  std::iota(linear.speeds.begin(), linear.speeds.end(), 0);
  linear.acceleration = d.acceleration;
  linear.A = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  linear.A.topLeftCorner(n, n) = transport(model, v);
  linear.A.topRightCorner(n, n).setIdentity();
  linear.A.bottomLeftCorner(n, n) = d.da_dq;
  linear.A.bottomRightCorner(n, n) = d.da_dv;
  const Eigen::MatrixXd efforts = choose_inputs(model, q, v, output, linear);
  linear.B = Eigen::MatrixXd::Zero(2 * n, efforts.cols());
  linear.B.bottomRows(n) = d.da_dtau * efforts;
  const OutputRows y = output_rows(model, q, output, linear.speeds);
  linear.outputs = y.names;
  linear.C.resize(y.by_q.rows(), 2 * n);
  linear.C << y.by_q, y.by_v;
  linear.D = Eigen::MatrixXd::Zero(linear.C.rows(), linear.B.cols());
  return linear;
}

Eigen::VectorXcd poles(const Eigen::MatrixXd& A) {
  if (A.rows() == 0) return {};
  if (!A.allFinite()) throw ComputationError("the linear system is not finite");
  Eigen::VectorXcd values = dense::eigenvalues(A);
  std::sort(values.begin(), values.end(), [](const auto& x, const auto& y) {
    return x.real() != y.real() ? x.real() > y.real() : x.imag() > y.imag();
  });
  return values;
}

}  // namespace ulna
