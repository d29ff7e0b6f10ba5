#include "contact/speed_response.hpp"

#include "ulna/dynamics/forward_dynamics.hpp"

namespace ulna {

void SpeedResponse::hold(const std::vector<char>& held) {
  moving_.clear();
  for (int k = 0; k < model_.speeds(); ++k)
    if (!held[k]) moving_.push_back(k);
  if (loops_) loops_->hold(held);
}

bool SpeedResponse::update(Workspace& work, const VectorRef& q) {
  if (loops_) {
    loops_->update_response(work, q);
    return true;
  }
  const auto n = static_cast<Eigen::Index>(moving_.size());
  M_.resize(n, n);
  x_.resize(n);
  const Eigen::MatrixXd& M = mass_matrix(model_, work, q);
  if (n == 0) return true;
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) M_(i, j) = M(moving_[i], moving_[j]);
  factor_.compute(M_);
  return factor_.ok();
}

bool SpeedResponse::reuse(Workspace& work, const VectorRef& q) {
  return loops_ ? true : update(work, q);
}

bool SpeedResponse::respond(const Eigen::VectorXd& efforts, Eigen::VectorXd& change) {
  if (loops_) return loops_->respond(efforts, change);
  const auto n = static_cast<Eigen::Index>(moving_.size());
  for (Eigen::Index i = 0; i < n; ++i) x_(i) = efforts(moving_[i]);
  if (n > 0) factor_.solve_in_place(x_);
  change.setZero(model_.speeds());
  for (Eigen::Index i = 0; i < n; ++i) change(moving_[i]) = x_(i);
  return true;
}

bool SpeedResponse::lead(Workspace& work, const VectorRef& q, const Eigen::VectorXd& given,
                         Eigen::VectorXd& v) {
  if (!given.isZero(0)) {
    if (!update(work, q)) return false;
    mass_times(work, given, impulse_);
    if (!respond(-impulse_, change_)) return false;
    v += given + change_;
  }
  return keep_closed(work, q, v);
}

bool SpeedResponse::keep_closed(Workspace& work, const VectorRef& q, Eigen::VectorXd& v) {
  if (!loops_) return true;
  const bool closed = loops_->close_speeds(work, q, v) &&
                      loops_->closure().times(v).norm() <= 1e-9 * (1 + v.norm());
  loops_->update_response(work, q);
  return closed;
}

void SpeedResponse::mass_times(const Workspace& work, const Eigen::VectorXd& x,
                               Eigen::VectorXd& y) const {
  if (loops_)
    loops_->mass_times(x, y);
  else
    y = work.mass_matrix * x;
}

}  // namespace ulna
