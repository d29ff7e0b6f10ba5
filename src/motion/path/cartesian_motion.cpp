#include "ulna/motion/cartesian_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "path/frame_follower.hpp"
#include "ulna/model/internal/requirements.hpp"

namespace ulna {
namespace {

void check(const Model& model, int frame, const PoseMotion& motion,
           const CartesianMotionOptions& options) {
  if (!options.driven.empty()) require_loops(model, "driven", ": all of its joints move", "none");
  if (frame < 0 || frame >= std::ssize(model.frames()))
    throw InputError(fmt::format("there is no frame {}", frame),
                     fmt::format("0 to {}", model.frames().size() - 1));
  if (options.start.size() > 0 && options.start.size() != model.coordinates())
    throw InputError(fmt::format("a start of {} coordinates", options.start.size()),
                     fmt::format("{}", model.coordinates()));
  const double end = motion.duration();
  if (!std::isfinite(end) || !(end > 0))
    throw InputError(fmt::format("a Cartesian motion that lasts {} s", end),
                     "a finite time above zero");
}

}  // namespace

CartesianMotion::CartesianMotion(const Model& model, int frame, const PoseMotion& motion,
                                 const CartesianMotionOptions& options) {
  check(model, frame, motion, options);
  duration_ = motion.duration();
  breakpoints_ = motion.breakpoints();
  breakpoints_.push_back(0);
  breakpoints_.push_back(duration_);
  std::erase_if(breakpoints_, [&](double t) { return t < 0 || t > duration_; });
  breakpoints_ = merged_times(std::move(breakpoints_));

  FrameFollower follower(model, frame, motion, options);
  std::vector<double> times;
  std::vector<Eigen::Matrix<double, 6, Eigen::Dynamic>> pieces;  // one column per coordinate
  Eigen::VectorXd q;
  for (std::size_t k = 0; k + 1 < breakpoints_.size(); ++k) {
    const std::vector<FollowedNode> nodes =
        follower.follow(breakpoints_[k], breakpoints_[k + 1], q);
    if (k == 0) {
      driven_ = follower.driven();
      start_ = nodes[0].q;
    }
    const std::vector<int>& places = follower.driven_coordinates();
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
      const FollowedNode &a = nodes[i], &b = nodes[i + 1];
      times.push_back(a.t);
      auto& piece = pieces.emplace_back(6, std::ssize(driven_));
      for (Eigen::Index c = 0; c < piece.cols(); ++c) {
        const int j = places[static_cast<std::size_t>(c)], s = driven_[static_cast<std::size_t>(c)];
        piece.col(c) =
            quintic_hermite({a.q(j), a.v(s), a.a(s), 0}, {b.q(j), b.v(s), b.a(s), 0}, b.t - a.t);
      }
    }
    q = nodes.back().q;
  }
  times.push_back(duration_);
  pose_error_ = follower.pose_error();
  for (Eigen::Index j = 0; j < std::ssize(driven_); ++j) {
    Eigen::MatrixXd coefficients(6, std::ssize(pieces));
    for (Eigen::Index k = 0; k < coefficients.cols(); ++k)
      coefficients.col(k) = pieces[static_cast<std::size_t>(k)].col(j);
    coordinates_.emplace_back(times, std::move(coefficients));
  }
}

void CartesianMotion::at(double t, Eigen::Ref<Eigen::VectorXd> q, Eigen::Ref<Eigen::VectorXd> v,
                         Eigen::Ref<Eigen::VectorXd> a) const {
  for (Eigen::Index k = 0; k < size(); ++k) {
    const MotionValue y = coordinates_[static_cast<std::size_t>(k)].at(t);
    q(k) = y.value;
    v(k) = y.rate;
    a(k) = y.acceleration;
  }
}

}  // namespace ulna
