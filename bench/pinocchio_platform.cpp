// Pinocchio on a platform: its constrained dynamics with each ball as a contact of three rows
// between two joints (proximal iterations to 1e-12, no stabilisation). It has no inverse dynamics
// for some joints only.

#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/config.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>
#include <stdexcept>

#include "platform_peer.hpp"

namespace ulna::bench {
namespace {

using Vector = Eigen::Vector3d;
using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Vector vector(const Vector3& v) { return {v[0], v[1], v[2]}; }
Eigen::Matrix3d matrix(const Matrix3& m) { return Eigen::Map<const Matrix>(m.data()); }

// The joints of its own about a single axis are the fastest it has.
pinocchio::JointModel joint(const PlatformSpec::Body& body) {
  using Kind = PlatformSpec::Kind;
  if (body.kind == Kind::free) return pinocchio::JointModelFreeFlyer();
  const bool hinge = body.kind == Kind::hinge;
  const Vector axis = vector(body.axis);
  if (axis == Vector::UnitX())
    return hinge ? pinocchio::JointModel(pinocchio::JointModelRX())
                 : pinocchio::JointModel(pinocchio::JointModelPX());
  if (axis == Vector::UnitY())
    return hinge ? pinocchio::JointModel(pinocchio::JointModelRY())
                 : pinocchio::JointModel(pinocchio::JointModelPY());
  if (axis == Vector::UnitZ())
    return hinge ? pinocchio::JointModel(pinocchio::JointModelRZ())
                 : pinocchio::JointModel(pinocchio::JointModelPZ());
  return hinge ? pinocchio::JointModel(pinocchio::JointModelRevoluteUnaligned(axis))
               : pinocchio::JointModel(pinocchio::JointModelPrismaticUnaligned(axis));
}

class PinocchioPlatform : public PlatformPeer {
 public:
  explicit PinocchioPlatform(const PlatformSpec& spec)
      : spec_(spec), settings_(1e-12, 1e-12, 1e-9, 20) {
    for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
      const PlatformSpec::Body& body = spec.bodies[i];
      const pinocchio::SE3 place(matrix(body.R_PJ), vector(body.p_PJ));
      const auto parent = body.parent < 0 ? pinocchio::JointIndex(0) : ids_[body.parent];
      ids_.push_back(model_.addJoint(parent, joint(body), place, std::to_string(i)));
      model_.appendBodyToJoint(
          ids_.back(), pinocchio::Inertia(body.mass, vector(body.p_BBcm), matrix(body.I_BBcm)),
          pinocchio::SE3::Identity());
    }
    model_.gravity.linear() = vector(spec.gravity);
    for (const PlatformSpec::Ball& ball : spec.balls) {
      const pinocchio::SE3 a(Eigen::Matrix3d::Identity(), vector(ball.p_a)),
          b(Eigen::Matrix3d::Identity(), vector(ball.p_b));
      balls_.emplace_back(pinocchio::CONTACT_3D, model_, ids_[ball.a], a, ids_[ball.b], b,
                          pinocchio::LOCAL);
      ball_data_.emplace_back(balls_.back());
    }
    data_ = pinocchio::Data(model_);
    pinocchio::initConstraintDynamics(model_, data_, balls_);
  }
  std::string name() const override { return "pinocchio " PINOCCHIO_VERSION; }

  void set_states(const std::vector<PlatformState>& states) override {
    for (const PlatformState& s : states) {
      State own{Eigen::VectorXd(model_.nq), Eigen::VectorXd(model_.nv), Eigen::VectorXd(model_.nv)};
      for (std::size_t i = 0; i < spec_.bodies.size(); ++i) {
        const PlatformSpec::Body& body = spec_.bodies[i];
        const int q = model_.idx_qs[ids_[i]], v = model_.idx_vs[ids_[i]];
        if (body.kind != PlatformSpec::Kind::free) {
          own.q(q) = s.q[body.q];
          own.v(v) = s.v[body.v];
          own.tau(v) = s.tau[body.v];
          continue;
        }
        for (int c = 0; c < 3; ++c) {
          own.q(q + c) = s.q[body.q + 4 + c];
          own.q(q + 3 + c) = s.q[body.q + 1 + c];
          own.v(v + c) = s.v[body.v + 3 + c];
          own.v(v + 3 + c) = s.v[body.v + c];
          own.tau(v + c) = own.tau(v + 3 + c) = 0;
        }
        own.q(q + 6) = s.q[body.q];
      }
      states_.push_back(std::move(own));
    }
  }
  void forward(std::size_t k) override {
    const State& s = states_[k];
    pinocchio::constraintDynamics(model_, data_, s.q, s.v, s.tau, balls_, ball_data_, settings_);
  }
  std::vector<double> leg_accelerations() const override {
    std::vector<double> a;
    for (const int leg : spec_.legs)
      for (std::size_t i = 0; i < spec_.bodies.size(); ++i)
        if (spec_.bodies[i].v == leg) a.push_back(data_.ddq(model_.idx_vs[ids_[i]]));
    return a;
  }

 private:
  struct State {
    Eigen::VectorXd q, v, tau;
  };
  PlatformSpec spec_;
  pinocchio::Model model_;
  pinocchio::Data data_;
  std::vector<pinocchio::JointIndex> ids_;
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pinocchio::RigidConstraintModel) balls_;
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pinocchio::RigidConstraintData) ball_data_;
  pinocchio::ProximalSettings settings_;
  std::vector<State> states_;
};

}  // namespace
}  // namespace ulna::bench

ulna::bench::PlatformPeer* make_platform_peer(const ulna::bench::PlatformSpec& spec) {
  return new ulna::bench::PinocchioPlatform(spec);
}
