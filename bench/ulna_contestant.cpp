// Ulna's own column: the public interface, as a user would call it.

#include <memory>

#include "contestant.hpp"
#include "ulna/dynamics/derivatives.hpp"
#include "ulna/kinematics/kinematics.hpp"
#include "ulna/numerics/internal/instruction_set.hpp"
#include "ulna_robot.hpp"

namespace ulna::bench {
namespace {

using Map = Eigen::Map<const Eigen::VectorXd>;

void append(std::vector<double>& out, const Eigen::MatrixXd& m) {
  for (int r = 0; r < m.rows(); ++r)
    for (int c = 0; c < m.cols(); ++c) out.push_back(m(r, c));
}

class UlnaContestant final : public Contestant {
 public:
  std::string name() const override { return BENCH_NAME; }
  std::string description() const override {
    return std::string("the library as installed, kernels for ") + ulna::name_of(instruction_set());
  }
  bool supports(Task) const override { return true; }

  void load(const ChainSpec& spec) override {
    model_ = std::make_unique<Model>(robot_of(spec));
    work_ = std::make_unique<Workspace>(*model_);
    derivatives_ = std::make_unique<DerivativeWorkspace>(*model_);
    tip_ = model_->body("b" + std::to_string(spec.links.size() - 1));
  }

  void run(Task task, const double* q_data, const double* v_data, const double* u_data) override {
    const int n = model_->speeds();
    const Map q(q_data, n), v(v_data, n), u(u_data, n);
    switch (task) {
      case Task::forward_kinematics:
        update_poses(*model_, *work_, q);
        break;
      case Task::tip_jacobian:
        jacobian(*model_, *work_, q, {tip_});
        break;
      case Task::inverse_dynamics:
        inverse_dynamics(*model_, *work_, q, v, u);
        break;
      case Task::mass_matrix:
        mass_matrix(*model_, *work_, q);
        break;
      case Task::forward_dynamics:
        forward_dynamics(*model_, *work_, q, v, u);
        break;
      case Task::inverse_derivatives:
        inverse_dynamics_derivatives(*model_, *work_, *derivatives_, q, v, u);
        break;
      case Task::forward_derivatives:
        forward_dynamics_derivatives(*model_, *work_, *derivatives_, q, v, u);
        break;
    }
  }

  std::vector<double> result(Task task) const override {
    std::vector<double> out;
    switch (task) {
      case Task::forward_kinematics:
        for (std::size_t b = 1; b < model_->bodies().size(); ++b) {
          const Pose<double> X = frame_pose(*model_, *work_, static_cast<int>(b));
          append(out, X.rotation);
          append(out, X.position);
        }
        break;
      case Task::tip_jacobian:
        append(out, work_->jacobian);
        break;
      case Task::inverse_dynamics:
        append(out, work_->tau);
        break;
      case Task::mass_matrix:
        append(out, work_->mass_matrix);
        break;
      case Task::forward_dynamics:
        append(out, work_->acceleration);
        break;
      case Task::inverse_derivatives:
        append(out, derivatives_->inverse.dtau_dq);
        append(out, derivatives_->inverse.dtau_dv);
        append(out, derivatives_->inverse.mass_matrix);
        break;
      case Task::forward_derivatives:
        append(out, derivatives_->forward.da_dq);
        append(out, derivatives_->forward.da_dv);
        append(out, derivatives_->forward.da_dtau);
        break;
    }
    return out;
  }

 private:
  std::unique_ptr<Model> model_;
  std::unique_ptr<Workspace> work_;
  std::unique_ptr<DerivativeWorkspace> derivatives_;
  int tip_ = 0;
};

}  // namespace
}  // namespace ulna::bench

ulna::bench::Contestant* make_contestant() { return new ulna::bench::UlnaContestant; }
