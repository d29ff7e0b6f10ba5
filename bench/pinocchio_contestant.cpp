// Pinocchio, whose algorithms are header templates: they are compiled here, with this file's flags
// (PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION stays undefined, no Pinocchio library is linked).
//
// The model is made of JointModelRZ, the cheapest joint Pinocchio has for these robots, in its
// default joint collection. Its mass matrix and its articulated bodies come in two conventions,
// local and world axes, whose order depends on the robot and on the flags: load() tries both and
// keeps the faster. The Jacobian is that of the task, expressed in the base; Pinocchio's shortcut
// for one Jacobian in the tip's own axes was 2 % faster with the common flags and 18 % with -O3 on
// six joints.

#include <algorithm>
#include <chrono>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>

#include "contestant.hpp"

namespace ulna::bench {
namespace {

using ConstVector = Eigen::Map<const Eigen::VectorXd>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Matrix3RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Eigen::Matrix3d matrix(const Matrix3& m) { return Eigen::Map<const Matrix3RowMajor>(m.data()); }
Eigen::Vector3d vector(const Vector3& v) { return Eigen::Map<const Eigen::Vector3d>(v.data()); }

void append(std::vector<double>& out, const RowMajor& m) {
  out.insert(out.end(), m.data(), m.data() + m.size());
}

RowMajor both_triangles(const Eigen::MatrixXd& upper) {
  return upper.selfadjointView<Eigen::Upper>();
}

// The convention in which `call` is faster: the least of several short blocks decides.
template <class Call>
pinocchio::Convention faster_convention(const Call& call) {
  using Clock = std::chrono::steady_clock;
  const auto least = [&](pinocchio::Convention convention) {
    auto shortest = Clock::duration::max();
    for (int block = 0; block < 20; ++block) {
      const auto start = Clock::now();
      for (int i = 0; i < 20; ++i) call(convention);
      shortest = std::min(shortest, Clock::now() - start);
    }
    return shortest;
  };
  using enum pinocchio::Convention;
  return least(LOCAL) < least(WORLD) ? LOCAL : WORLD;
}

class PinocchioContestant final : public Contestant {
 public:
  std::string name() const override { return BENCH_NAME; }
  std::string description() const override {
    return "Pinocchio " PINOCCHIO_VERSION ", compiled with " BENCH_FLAGS_TEXT;
  }
  bool supports(Task) const override { return true; }

  void load(const ChainSpec& spec) override {
    model_ = pinocchio::Model();
    model_.gravity.linear() = vector(spec.gravity);
    for (const Link& link : spec.links) {
      const pinocchio::SE3 X_PJ(matrix(link.R_PJ), vector(link.p_PJ));
      const auto parent = static_cast<pinocchio::JointIndex>(link.parent + 1);
      const auto joint = model_.addJoint(parent, pinocchio::JointModelRZ(), X_PJ,
                                         "joint" + std::to_string(model_.njoints));
      model_.appendBodyToJoint(
          joint, pinocchio::Inertia(link.mass, vector(link.p_BBcm), matrix(link.I_BBcm)));
    }
    data_ = pinocchio::Data(model_);
    tip_ = static_cast<pinocchio::JointIndex>(model_.njoints - 1);
    jacobian_.setZero(6, model_.nv);
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(model_.nv, -1, 1);
    crba_convention_ =
        faster_convention([&](auto convention) { pinocchio::crba(model_, data_, x, convention); });
    aba_convention_ = faster_convention(
        [&](auto convention) { pinocchio::aba(model_, data_, x, x, x, convention); });
  }

  void run(Task task, const double* q_data, const double* v_data, const double* u_data) override {
    const ConstVector q(q_data, model_.nq), v(v_data, model_.nv), u(u_data, model_.nv);
    switch (task) {
      case Task::forward_kinematics:
        pinocchio::forwardKinematics(model_, data_, q);
        break;
      case Task::tip_jacobian:
        pinocchio::computeJointJacobians(model_, data_, q);
        pinocchio::getJointJacobian(model_, data_, tip_, pinocchio::LOCAL_WORLD_ALIGNED, jacobian_);
        break;
      case Task::inverse_dynamics:
        pinocchio::rnea(model_, data_, q, v, u);
        break;
      case Task::mass_matrix:
        pinocchio::crba(model_, data_, q, crba_convention_);
        break;
      case Task::forward_dynamics:
        pinocchio::aba(model_, data_, q, v, u, aba_convention_);
        break;
      case Task::inverse_derivatives:
        pinocchio::computeRNEADerivatives(model_, data_, q, v, u);
        break;
      case Task::forward_derivatives:
        pinocchio::computeABADerivatives(model_, data_, q, v, u);
        break;
    }
  }

  std::vector<double> result(Task task) const override {
    std::vector<double> out;
    switch (task) {
      case Task::forward_kinematics:
        for (std::size_t i = 1; i < data_.oMi.size(); ++i) {
          append(out, data_.oMi[i].rotation());
          append(out, data_.oMi[i].translation());
        }
        break;
      case Task::tip_jacobian:  // Pinocchio's translation rows come first
        append(out, jacobian_.bottomRows<3>());
        append(out, jacobian_.topRows<3>());
        break;
      case Task::inverse_dynamics:
        append(out, data_.tau);
        break;
      case Task::mass_matrix:
        append(out, both_triangles(data_.M));
        break;
      case Task::forward_dynamics:
        append(out, data_.ddq);
        break;
      case Task::inverse_derivatives:
        append(out, data_.dtau_dq);
        append(out, data_.dtau_dv);
        append(out, both_triangles(data_.M));
        break;
      case Task::forward_derivatives:
        append(out, data_.ddq_dq);
        append(out, data_.ddq_dv);
        append(out, data_.Minv);
        break;
    }
    return out;
  }

 private:
  pinocchio::Model model_;
  pinocchio::Data data_;
  pinocchio::JointIndex tip_ = 0;
  pinocchio::Convention crba_convention_{}, aba_convention_{};
  pinocchio::Data::Matrix6x jacobian_;
};

}  // namespace
}  // namespace ulna::bench

ulna::bench::Contestant* make_contestant() { return new ulna::bench::PinocchioContestant; }
