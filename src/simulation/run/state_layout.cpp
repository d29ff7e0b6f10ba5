#include "ulna/simulation/internal/state_layout.hpp"

namespace ulna {
namespace {

bool is_driven(const Drive& drive) {
  return drive.kind == DriveKind::motion || drive.kind == DriveKind::locked;
}

}  // namespace

std::vector<char> driven_speeds(const Model& model, const std::vector<Drive>& drives) {
  std::vector<char> driven(static_cast<std::size_t>(model.speeds()), 0);
  for (std::size_t j = 0; j < drives.size(); ++j)
    for (int k = 0; k < model.joints()[j].speeds; ++k)
      driven[model.joints()[j].v + k] = is_driven(drives[j]);
  return driven;
}

StateLayout::StateLayout(const Model& model, const std::vector<Drive>& drives,
                         int controller_states)
    : driven(driven_speeds(model, drives)), place(driven.size(), -1) {
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    const bool follows = j < drives.size() && is_driven(drives[j]);
    for (int k = 0; k < joint.coordinates; ++k)
      (follows ? driven_q : free_q).push_back(joint.q + k);
    for (int k = 0; k < joint.speeds; ++k) {
      (follows ? driven_v : free_v).push_back(joint.v + k);
      if (!follows) place[joint.v + k] = static_cast<int>(free_v.size()) - 1;
    }
    const int first = static_cast<int>(free_q.size()) - joint.coordinates;
    for (const TangentBlock& block : model.blocks())
      if (block.joint == static_cast<int>(j) && !follows)
        quaternions.push_back(first + block.q - joint.q);
  }
  for (const FlexibleLink& link : model.flexible_links())
    for (int k = 0; k < link.modal->modes; ++k) {
      free_q.push_back(link.q + k);
      free_v.push_back(link.v + k);
      place[link.v + k] = static_cast<int>(free_v.size()) - 1;
    }
  first_v = static_cast<int>(free_q.size());
  first_z = first_v + static_cast<int>(free_v.size());
  first_work = first_z + controller_states;
  size = first_work + 3;
}

void StateLayout::take(const double* y, Eigen::VectorXd& q, Eigen::VectorXd& v) const {
  for (std::size_t i = 0; i < free_q.size(); ++i) q(free_q[i]) = y[i];
  for (std::size_t i = 0; i < free_v.size(); ++i) v(free_v[i]) = y[first_v + i];
}

void StateLayout::put(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double* y) const {
  for (std::size_t i = 0; i < free_q.size(); ++i) y[i] = q(free_q[i]);
  put_speeds(v, y);
}

void StateLayout::put_speeds(const Eigen::VectorXd& v, double* y) const {
  for (std::size_t i = 0; i < free_v.size(); ++i) y[first_v + i] = v(free_v[i]);
}

}  // namespace ulna
