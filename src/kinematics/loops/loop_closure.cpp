#include "ulna/kinematics/loop_closure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "loops/relative_motion.hpp"
#include "ulna/model/internal/check_size.hpp"
#include "ulna/scalar/dual.hpp"

namespace ulna {
namespace {

/// Rows x 6: how the residual answers a small twist of M in F (axes of F, at M's origin).
void residual_gradient(const Loop& loop, const RelativePose<double>& X, double* r,
                       Eigen::Matrix<double, 6, 6>& W) {
  using D = Dual<6>;
  // dR = [w] R, dp = v
  const Mat3<double>& R = X.R;
  const auto entry = [](double value, double wx, double wy, double wz) {
    D x(value);
    x.d[0] = wx;
    x.d[1] = wy;
    x.d[2] = wz;
    return x;
  };
  const auto column = [&](double x, double y, double z, D& dx, D& dy, D& dz) {
    dx = entry(x, 0, z, -y);
    dy = entry(y, -z, 0, x);
    dz = entry(z, y, -x, 0);
  };
  RelativePose<D> moving;
  column(R.xx, R.yx, R.zx, moving.R.xx, moving.R.yx, moving.R.zx);
  column(R.xy, R.yy, R.zy, moving.R.xy, moving.R.yy, moving.R.zy);
  column(R.xz, R.yz, R.zz, moving.R.xz, moving.R.yz, moving.R.zz);
  moving.p = {D::variable(X.p.x, 3), D::variable(X.p.y, 4), D::variable(X.p.z, 5)};
  D rows[6];
  loop_rows(loop, moving, rows);
  for (int k = 0; k < loop.rows; ++k) {
    r[k] = rows[k].value;
    for (int c = 0; c < 6; ++c) W(k, c) = rows[k].d[c];
  }
}

double angle_between(double sine, double cosine) { return std::atan2(std::abs(sine), cosine); }

}  // namespace

LoopClosure::LoopClosure(const Model& model) : model_(model) {
  const int n = static_cast<int>(std::ssize(model.loops()));
  blocks_.resize(n);
  steps_.resize(n);
  relative_.resize(n);
  for (int k = 0; k < n; ++k) {
    blocks_[k].first_row = rows_;
    blocks_[k].rows = model.loops()[k].rows;
    rows_ += blocks_[k].rows;
    find_columns(k);
    const auto columns = static_cast<Eigen::Index>(blocks_[k].columns.size());
    blocks_[k].A.setZero(blocks_[k].rows, columns);
    relative_[k].setZero(6, columns);
  }
  residual_.setZero(rows_);
  bias_.setZero(rows_);
  row_scale_.setOnes(rows_);
  column_scale_.setOnes(model.speeds());
  const double length = length_scale();
  for (int v = 0; v < model.speeds(); ++v)
    if (model.speed_dimensions()[v] == Dimension::length) column_scale_(v) = length;
  for (int k = 0; k < n; ++k) {
    const Loop& loop = model.loops()[k];
    if (loop.kind == LoopKind::coupling) {
      // A coupling's row is measured by its own largest term.
      double size = 0;
      for (const CouplingTerm& term : loop.terms)
        size = std::max(size, term.size(column_scale_(term.v)) * column_scale_(term.v));
      row_scale_(blocks_[k].first_row) = size > 0 ? 1 / size : 1;
      continue;
    }
    const int turns = turn_rows(loop);
    row_scale_.segment(blocks_[k].first_row + turns, loop.rows - turns).setConstant(1 / length);
  }
}

namespace {

/// Of a node that lies between two frames: the modes of a flexible body act where one leaves it.
int speeds_on_the_way(const TreeNode& node) {
  if (node.kind == NodeKind::flexible) return 0;
  return node.kind == NodeKind::station ? node.modal->modes : speeds_of(node.kind);
}

}  // namespace

void LoopClosure::find_columns(int k) {
  const Loop& loop = model_.loops()[k];
  Block& block = blocks_[k];
  if (loop.kind == LoopKind::coupling) {
    for (const CouplingTerm& term : loop.terms) block.columns.push_back(term.v);
  } else {
    // Up from both sides to where the ways meet: beyond that both frames move alike.
    const std::vector<TreeNode>& nodes = model_.topology().nodes;
    int child = loop.node_M, parent = loop.node_F;
    while (child != parent) {
      const bool child_side = child > parent;  // parents have smaller numbers
      int& node = child_side ? child : parent;
      steps_[k].push_back({node, 0, child_side ? 1.0 : -1.0});
      for (int d = 0; d < speeds_on_the_way(nodes[node]); ++d)
        block.columns.push_back(nodes[node].v + d);
      node = nodes[node].parent;
    }
  }
  std::sort(block.columns.begin(), block.columns.end());
  block.columns.erase(std::unique(block.columns.begin(), block.columns.end()), block.columns.end());
  for (Step& step : steps_[k]) {
    const int speed = model_.topology().nodes[step.node].v;
    step.place =
        static_cast<int>(std::lower_bound(block.columns.begin(), block.columns.end(), speed) -
                         block.columns.begin());
  }
}

void LoopClosure::relative_jacobian(const Workspace& work, int k, Eigen::MatrixXd& J) const {
  const Loop& loop = model_.loops()[k];
  const NodePose<double> F = frame_in_world(work, loop.node_F, loop.X_NF);
  const NodePose<double> M = frame_in_world(work, loop.node_M, loop.X_NM);
  J.setZero();
  for (const Step& step : steps_[k]) {
    const TreeNode& node = model_.topology().nodes[step.node];
    const NodePose<double>& pose = work.view().pose[step.node];
    const Vec3<double> r = M.p - pose.p;
    int place = step.place;
    const auto add = [&](const Vec3<double>& w, const Vec3<double>& v) {
      const Vec3<double> w_F = transposed_times(F.R, w), v_F = transposed_times(F.R, v);
      J.col(place) +=
          step.sense * (Vector6<double>() << w_F.x, w_F.y, w_F.z, v_F.x, v_F.y, v_F.z).finished();
      ++place;
    };
    if (node.kind == NodeKind::screw) {
      const Vec3<double> z = joint_axis(pose), w = scaled(node.sigma, z);
      add(w, cross(w, r) + scaled(node.h, z));
      continue;
    }
    if (node.kind == NodeKind::flexible) continue;  // its modes move its stations
    if (node.kind == NodeKind::station) {
      const Mat3<double>& R = work.view().pose[node.parent].R;
      const Vec3<double>* hinge = work.view().modal[step.node].hinge;
      for (int j = 0; j < node.modal->modes; ++j) {
        const Vec3<double> w = R * hinge[j];
        add(w, R * hinge[node.modal->modes + j] + cross(w, r));
      }
      continue;
    }
    const Vec3<double> axes[3] = {{pose.R.xx, pose.R.yx, pose.R.zx},
                                  {pose.R.xy, pose.R.yy, pose.R.zy},
                                  {pose.R.xz, pose.R.yz, pose.R.zz}};
    for (const Vec3<double>& e : axes) add(e, cross(e, r));
    if (node.kind == NodeKind::free)
      for (const Vec3<double>& e : axes) add(Vec3<double>::zero(), e);
  }
}

namespace {

/// Entries that only rounding has made become zero. Two hinges on one axis hold each other nowhere:
/// were their rows left at 1e-17, a rank relative to the largest entry would count them.
void drop_rounding(const Eigen::Matrix<double, 6, 6>& W, const Eigen::MatrixXd& relative,
                   double reach, Eigen::MatrixXd& A) {
  constexpr double noise = 64 * std::numeric_limits<double>::epsilon();  // a dozen operations each
  for (Eigen::Index c = 0; c < A.cols(); ++c) {
    const double turn = relative.col(c).head<3>().norm();
    const double slide = relative.col(c).tail<3>().norm() + turn * reach;
    for (Eigen::Index row = 0; row < A.rows(); ++row) {
      const double terms = W.row(row).head<3>().cwiseAbs().sum() * turn +
                           W.row(row).tail<3>().cwiseAbs().sum() * slide;
      if (std::abs(A(row, c)) < noise * terms) A(row, c) = 0;
    }
  }
}

}  // namespace

void LoopClosure::update_block(const Workspace& work, int k, const VectorRef& q) {
  const Loop& loop = model_.loops()[k];
  Block& block = blocks_[k];
  if (loop.rows == 0) {  // holds nothing, but its dampers and motors act
    if (loop.kind == LoopKind::joint) relative_jacobian(work, k, relative_[k]);
    return;
  }
  double* r = residual_.data() + block.first_row;
  if (loop.kind == LoopKind::coupling) {
    r[0] = -loop.offset;
    block.A.setZero();
    for (const CouplingTerm& term : loop.terms) {
      r[0] += term.value(q(term.q));
      const auto place = std::lower_bound(block.columns.begin(), block.columns.end(), term.v) -
                         block.columns.begin();
      block.A(0, place) += term.slope(q(term.q));
    }
    return;
  }
  Eigen::Matrix<double, 6, 6> W;
  residual_gradient(loop, loop_pose(work, loop), r, W);
  relative_jacobian(work, k, relative_[k]);
  block.A = W.topRows(loop.rows).lazyProduct(relative_[k]);
  const Vec3<double> p_WM = frame_in_world(work, loop.node_M, loop.X_NM).p;
  drop_rounding(W, relative_[k], std::sqrt(dot(p_WM, p_WM)) + model_.length_scale(), block.A);
}

TwistRows LoopClosure::rows_of_twist(const Workspace& work, int k) const {
  const Loop& loop = model_.loops()[k];
  if (loop.kind == LoopKind::coupling) return TwistRows(0, 6);
  Eigen::Matrix<double, 6, 6> W;
  double r[6];
  residual_gradient(loop, loop_pose(work, loop), r, W);
  return W.topRows(loop.rows);
}

void LoopClosure::update(Workspace& work, const VectorRef& q) {
  update_poses(model_, work, q);
  for (int k = 0; k < static_cast<int>(blocks_.size()); ++k) update_block(work, k, q);
}

void LoopClosure::update_rates(Workspace& work, const VectorRef& q, const VectorRef& v) {
  update_motions(model_, work, q, v, work.zero());
  for (int k = 0; k < static_cast<int>(blocks_.size()); ++k) {
    update_block(work, k, q);
    const Loop& loop = model_.loops()[k];
    if (loop.kind == LoopKind::coupling) {
      double& bias = bias_(blocks_[k].first_row);
      bias = 0;
      for (const CouplingTerm& term : loop.terms)
        bias -= term.curvature(q(term.q)) * v(term.v) * v(term.v);
      continue;
    }
    Taylor rows[6];
    loop_rows(loop, moving_pose(loop_motion(work, loop)), rows);
    for (int row = 0; row < loop.rows; ++row) bias_(blocks_[k].first_row + row) = -rows[row].second;
  }
}

Eigen::MatrixXd LoopClosure::jacobian() const {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(rows_, model_.speeds());
  for (const Block& block : blocks_)
    for (std::size_t c = 0; c < block.columns.size(); ++c)
      A.block(block.first_row, block.columns[c], block.rows, 1) =
          block.A.col(static_cast<Eigen::Index>(c));
  return A;
}

Eigen::MatrixXd LoopClosure::scaled_jacobian() const {
  return row_scale_.asDiagonal() * jacobian() * column_scale_.asDiagonal();
}

void LoopClosure::add_transposed(const Eigen::VectorXd& x, Eigen::VectorXd& y) const {
  for (const Block& block : blocks_)
    for (std::size_t c = 0; c < block.columns.size(); ++c)
      y(block.columns[c]) +=
          block.A.col(static_cast<Eigen::Index>(c)).dot(x.segment(block.first_row, block.rows));
}

void LoopClosure::times(const Eigen::VectorXd& v, Eigen::VectorXd& y) const {
  y.setZero(rows_);
  for (const Block& block : blocks_)
    for (std::size_t c = 0; c < block.columns.size(); ++c)
      y.segment(block.first_row, block.rows) +=
          v(block.columns[c]) * block.A.col(static_cast<Eigen::Index>(c));
}

Eigen::VectorXd LoopClosure::times(const Eigen::VectorXd& v) const {
  Eigen::VectorXd y;
  times(v, y);
  return y;
}

LoopGap LoopClosure::gap(const Workspace& work, int k) const {
  const Loop& loop = model_.loops()[k];
  const Block& block = blocks_[k];
  LoopGap gap;
  if (loop.rows == 0) return gap;
  const auto rows = residual_.segment(block.first_row, block.rows);
  if (loop.kind == LoopKind::coupling) {
    // In the unit of its first term's coordinate.
    const CouplingTerm& first = loop.terms[0];
    const bool slides = model_.speed_dimensions()[first.v] == Dimension::length;
    (slides ? gap.length : gap.angle) = std::abs(rows(0)) / first.size(column_scale_(first.v));
    return gap;
  }
  const RelativePose<double> X = loop_pose(work, loop);
  const Mat3<double>& R = X.R;
  if (loop.kind == LoopKind::distance) {
    gap.length = std::abs(std::sqrt(dot(X.p, X.p)) - loop.length);
    return gap;
  }
  const int turns = turn_rows(loop);
  gap.length = rows.tail(loop.rows - turns).norm();
  const double tilt = angle_between(std::hypot(R.xz, R.yz), R.zz);
  if (turns == 3)
    gap.angle = angle_between(0.5 * std::hypot(R.zy - R.yz, R.xz - R.zx, R.yx - R.xy),
                              0.5 * (R.xx + R.yy + R.zz - 1));
  else if (turns == 2)
    gap.angle = tilt;
  else if (turns == 1)
    gap.angle = std::abs(rows(0));
  const double own = with_joint(loop.type, [&](auto type) { return type.length_gap(loop, X); });
  if (own >= 0) gap.length = own;
  return gap;
}

double LoopClosure::largest_gap(const Workspace& work) const {
  double largest = 0;
  for (int k = 0; k < static_cast<int>(blocks_.size()); ++k) {
    const LoopGap open = gap(work, k);
    largest = std::max({largest, open.length, open.angle});
    if (std::isnan(open.length) || std::isnan(open.angle)) return INFINITY;
  }
  return largest;
}

std::string loop_name(const Loop& loop) {
  switch (loop.kind) {
    case LoopKind::distance:
      return fmt::format("distance '{}'", loop.joint);
    case LoopKind::coupling:
      return fmt::format("coupling '{}'", loop.joint);
    default:
      return fmt::format("the loop closed by joint '{}'", loop.joint);
  }
}

std::string gap_text(const Loop& loop, const LoopGap& gap) {
  const bool turns = loop.kind == LoopKind::joint && turn_rows(loop) > 0;
  if (!turns && gap.angle == 0) return fmt::format("{:.4g} m", gap.length);
  if (loop.kind == LoopKind::coupling) return fmt::format("{:.4g} rad", gap.angle);
  return fmt::format("{:.4g} m and {:.4g} rad", gap.length, gap.angle);
}

}  // namespace ulna
