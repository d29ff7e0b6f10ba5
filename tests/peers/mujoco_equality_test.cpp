// Equalities of MuJoCo models, hard in Ulna, against MuJoCo's own forward dynamics with its
// equalities stiffened: the compliance R that its solver leaves is taken down by 1e5, from 1e-4 of
// the mechanism's own to 1e-9. MuJoCo holds J a = -(B J v + K r) and leaves out dJ/dt v; that term,
// from differences of its own Jacobian, is put where the solver reads its reference.

#include <gtest/gtest.h>

#include "../support/random_robot.hpp"
#include "agreement.hpp"
#include "mujoco_same_state.hpp"
#include "ulna/dynamics/dynamics.hpp"
#include "ulna/formats/read_robot.hpp"
#include "ulna/formats/write_robot.hpp"
#include "ulna/kinematics/assembly.hpp"
#include "ulna/kinematics/loop_closure.hpp"
#include "ulna/numerics/dense.hpp"

namespace ulna {
namespace {

using testing::Generator;
using testing::Mujoco;
using testing::random_entries;
using testing::SameState;

class StiffMujoco {
 public:
  explicit StiffMujoco(const Mujoco& peer) : m_(peer.model.get()), d_(peer.data.get()) {
    m_->opt.disableflags = mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS | mjDSBL_WARMSTART;
    m_->opt.solver = mjSOL_NEWTON;
    m_->opt.jacobian = mjJAC_DENSE;
    m_->opt.tolerance = 0;
    m_->opt.iterations = 50;
    for (int k = 0; k < m_->neq; ++k) {  // as stiff as a file can say
      mjtNum* impedance = m_->eq_solimp + mjNIMP * k;
      impedance[0] = impedance[1] = 0.9999;
    }
  }

  Eigen::VectorXd acceleration(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    const Eigen::VectorXd bend = rate_of_jacobian(q, v);
    set(q, v);
    mj_fwdPosition(m_, d_);
    for (int k = 0; k < d_->nefc; ++k) {
      d_->efc_R[k] *= 1e-5;
      d_->efc_D[k] = 1 / d_->efc_R[k];
    }
    mj_fwdVelocity(m_, d_);
    mj_fwdActuation(m_, d_);
    mj_fwdAcceleration(m_, d_);
    for (int k = 0; k < d_->nefc; ++k) d_->efc_aref[k] = -bend(k);
    mj_fwdConstraint(m_, d_);
    return Eigen::Map<Eigen::VectorXd>(d_->qacc, m_->nv);
  }

  /// How far the equalities are open.
  double opening(const Eigen::VectorXd& q) {
    set(q, Eigen::VectorXd::Zero(m_->nv));
    mj_fwdPosition(m_, d_);
    return Eigen::Map<Eigen::VectorXd>(d_->efc_pos, d_->nefc).cwiseAbs().maxCoeff();
  }

 private:
  void set(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    Eigen::Map<Eigen::VectorXd>(d_->qpos, m_->nq) = q;
    Eigen::Map<Eigen::VectorXd>(d_->qvel, m_->nv) = v;
  }

  /// dJ/dt v by central differences of second order: error about 1e-10.
  Eigen::VectorXd rate_of_jacobian(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    constexpr double h = 1e-5;
    Eigen::VectorXd sum;
    for (const double side : {-1.0, 1.0}) {
      Eigen::VectorXd moved = q;
      mj_integratePos(m_, moved.data(), v.data(), side * h);
      set(moved, v);
      mj_fwdPosition(m_, d_);
      const Eigen::Map<Eigen::Matrix<double, -1, -1, Eigen::RowMajor>> J(d_->efc_J, d_->nefc,
                                                                         m_->nv);
      if (sum.size() == 0) sum.setZero(d_->nefc);
      sum += side / (2 * h) * (J * v);
    }
    return sum;
  }

  mjModel* m_;
  mjData* d_;
};

void expect_same_accelerations(const std::string& text, int states = 4) {
  Robot robot = read_mjcf_text(text, "robot.xml").robot;
  for (JointData& joint : robot.joints)
    for (DegreeData& degree : joint.degrees) degree.friction = 0;  // a constraint in MuJoCo
  const Model model(robot);
  ASSERT_FALSE(model.loops().empty());
  const Mujoco peer(text, "robot.xml", robot.gravity);
  StiffMujoco stiff(peer);
  Dynamics dynamics(model);
  LoopClosure closure(model);
  Workspace work(model);
  Generator g(5);
  for (int state = 0; state < states; ++state) {
    // Near the posture of the file, where the assembly is known to close.
    AssemblyOptions options;
    options.start = model.integrate(model.neutral(), 0.2 * random_entries(g, model.speeds()));
    const Eigen::VectorXd q = assembled(model, options);
    closure.update(work, q);
    const Eigen::MatrixXd A = closure.jacobian();
    const Eigen::VectorXd any = random_entries(g, model.speeds());
    const Eigen::VectorXd v = any - dense::LeastNorm(A).solve(A * any);
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.speeds());
    for (const Eigen::VectorXd& speed : {zero, v}) {
      const Eigen::VectorXd a = dynamics.forward(q, speed, zero);
      const SameState same(model, peer, q, speed, a);
      EXPECT_LT(stiff.opening(same.q), 1e-9);
      testing::expect_agreement(same.a, stiff.acceleration(same.q, same.v), 1e-6);
    }
  }
}

const std::string mass = "<inertial mass='1.3' pos='0.1 0.02 0' diaginertia='0.011 0.02 0.025'/>";

TEST(MujocoEqualities, ConnectsHoldAFourBar) {
  expect_same_accelerations(
      "<mujoco><compiler angle='radian'/><worldbody>"
      "<body name='crank'><joint name='a' axis='0 1 0' damping='0.1'/>" +
      mass + "<body name='coupler' pos='0 0 0.3'><joint name='b' axis='0 1 0'/>" + mass +
      "<body name='rocker' pos='0.8 0 0.1'><joint name='c' axis='0 1 0' stiffness='3'/>" + mass +
      "</body></body></body></worldbody><equality>"
      "<connect body1='rocker' body2='world' anchor='0.1 0 -0.5'/></equality></mujoco>");
}

TEST(MujocoEqualities, WeldsAndConnectsHoldAFloatingMechanism) {
  expect_same_accelerations(
      "<mujoco><compiler angle='radian'/><worldbody>"
      "<body name='base' pos='0 0 2'><freejoint name='root'/>" +
      mass + "<body name='l1' pos='0.2 0 0'><joint name='a' type='ball'/>" + mass +
      "<body name='l2' pos='0.3 0 0'><joint name='b' axis='0 1 0'/>" + mass +
      "</body></body>"
      "<body name='r1' pos='-0.2 0.1 0'><joint name='c' axis='1 0 0'/><joint name='d' axis='0 0 "
      "1'/>" +
      mass +
      "<body name='r2' pos='0.3 0.2 0'><joint name='e' type='ball'/><joint name='f' type='slide' "
      "axis='1 1 0'/>" +
      mass +
      "</body></body></body>"
      "<body name='tool' pos='0.1 0 2.4' euler='0.3 0.2 0.1'><freejoint name='carried'/>" +
      mass +
      "</body>"
      "</worldbody><equality><connect body1='l2' body2='r2' anchor='0.2 0.1 0'/>"
      "<weld body1='l2' body2='tool' relpose='0.1 0.2 0.3 1 0.2 0.1 0'/></equality></mujoco>");
}

/// relpose places the anchor of the second body.
TEST(MujocoEqualities, WeldsHoldTheirAnchor) {
  for (const char* weld :
       {"anchor='0.1 0.05 -0.1'", "relpose='0.1 0.02 0.3 1 0.2 0.1 0' anchor='0.1 0 0.2'"}) {
    SCOPED_TRACE(weld);
    expect_same_accelerations(
        "<mujoco><compiler angle='radian'/><worldbody>"
        "<body name='a' pos='0 0 2'><joint name='j' axis='0 1 0'/>" +
        mass + "<body name='l' pos='0.3 0 0'><joint name='b' type='ball'/>" + mass +
        "</body></body><body name='tool' pos='0.1 0 2.4' euler='0.3 0.2 0.1'><freejoint "
        "name='carried'/>" +
        mass + "</body></worldbody><equality><weld body1='l' body2='tool' " + weld +
        "/></equality></mujoco>");
  }
}

TEST(MujocoEqualities, JointsAndTendonsAreCoupled) {
  const std::string bodies =
      "<mujoco><compiler angle='radian'/><worldbody>"
      "<body name='p'><joint name='x' axis='0 1 0' ref='0.4'/>" +
      mass + "<body name='r' pos='0.3 0 0'><joint name='y' axis='0 1 1' ref='-0.1'/>" + mass +
      "<body name='s' pos='0.2 0 0.1'><joint name='z' type='slide' axis='1 0 0' ref='0.05'/>" +
      mass + "<body name='w' pos='0 0.2 0'><joint name='u' axis='0 0 1'/>" + mass +
      "</body></body></body></body></worldbody>";
  expect_same_accelerations(
      bodies +
      "<equality><joint joint1='y' joint2='x' polycoef='0.1 -1.5 0 0 0'/><joint "
      "joint1='z' polycoef='0.2 0 0 0 0'/></equality></mujoco>");
  expect_same_accelerations(
      bodies +
      "<tendon><fixed name='left'><joint joint='y' coef='2'/><joint joint='z' coef='-3'/></fixed>"
      "<fixed name='right'><joint joint='x' coef='1.5'/><joint joint='u' "
      "coef='0.5'/></fixed></tendon>"
      "<equality><tendon tendon1='left' tendon2='right' polycoef='0.05 0.4 0 0 "
      "0'/></equality></mujoco>");
  // Polynomials of one coordinate.
  expect_same_accelerations(
      bodies +
      "<equality><joint joint1='y' joint2='x' polycoef='0.1 -1.5 0.7 -0.4 0.2'/></equality>"
      "</mujoco>");
  const std::string curved =
      bodies +
      "<tendon><fixed name='left'><joint joint='y' coef='2'/><joint joint='z' coef='-3'/></fixed>"
      "<fixed name='right'><joint joint='x' coef='-1.5'/></fixed></tendon>"
      "<equality><tendon tendon1='left' tendon2='right' polycoef='0.05 0.4 -0.6 0.3 "
      "0.1'/></equality></mujoco>";
  expect_same_accelerations(curved);
  const Model model(read_mjcf_text(curved, "robot.xml").robot);
  expect_same_accelerations(write_robot(model, RobotFormat::mjcf).text);
}

// Robots of ours as MuJoCo models: what was written is the same mechanism there.
TEST(MujocoEqualities, WrittenLoopsMoveInTheSameWay) {
  for (const char* name : {"four-bar", "five-bar"}) {
    SCOPED_TRACE(name);
    expect_same_accelerations(write_robot(Model(read_robot(name).robot), RobotFormat::mjcf).text);
  }
}

}  // namespace
}  // namespace ulna
