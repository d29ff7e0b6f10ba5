// Orocos KDL as Debian ships it: its solvers come compiled inside liborocos-kdl, so the flags of
// this file reach only the calls. They must stay those of the library (plain x86-64), because
// Eigen's alignment is part of its interface.
//
// Hinges are RotAxis joints placed at X_PJ, as the usual URDF reader of KDL makes them. (RotZ
// joints behind fixed offsets were 15 to 25 % faster in forward kinematics and 4 to 20 % slower in
// all else.) Forward kinematics asks for all segments. Forward dynamics is KDL's own pairing of the
// mass matrix with its LDL^T solution. KDL has no derivatives of the dynamics.

#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <optional>
#include <stdexcept>

#include "contestant.hpp"

namespace ulna::bench {
namespace {

KDL::Vector vector(const Vector3& v) { return {v[0], v[1], v[2]}; }
KDL::Rotation rotation(const Matrix3& m) {
  return {m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]};
}

// The segment's tip frame is the body's frame; the hinge stands at X_PJ in the parent's.
KDL::Segment segment(const Link& link) {
  const KDL::Frame X_PJ(rotation(link.R_PJ), vector(link.p_PJ));
  const KDL::Joint hinge("", X_PJ.p, X_PJ.M.UnitZ(), KDL::Joint::RotAxis);
  const Matrix3& I = link.I_BBcm;
  const KDL::RotationalInertia I_BBcm(I[0], I[4], I[8], I[1], I[2], I[5]);
  return KDL::Segment("", hinge, X_PJ,
                      KDL::RigidBodyInertia(link.mass, vector(link.p_BBcm), I_BBcm));
}

// KDL's solvers keep a reference to the chain: chain and solvers live and die together.
struct Solvers {
  explicit Solvers(const KDL::Chain& robot, const KDL::Vector& gravity)
      : chain(robot),
        fk(chain),
        jacobian(chain),
        id(chain, gravity),
        parameters(chain, gravity),
        fd(chain, gravity),
        q(chain.getNrOfJoints()),
        v(q),
        u(q),
        tau(q),
        a(q),
        mass(chain.getNrOfJoints()),
        J(chain.getNrOfJoints()),
        poses(chain.getNrOfSegments()),
        no_wrenches(chain.getNrOfSegments(), KDL::Wrench::Zero()) {}

  KDL::Chain chain;
  KDL::ChainFkSolverPos_recursive fk;
  KDL::ChainJntToJacSolver jacobian;
  KDL::ChainIdSolver_RNE id;
  KDL::ChainDynParam parameters;
  KDL::ChainFdSolver_RNE fd;
  KDL::JntArray q, v, u, tau, a;
  KDL::JntSpaceInertiaMatrix mass;
  KDL::Jacobian J;
  std::vector<KDL::Frame> poses;
  KDL::Wrenches no_wrenches;
};

class KdlContestant final : public Contestant {
 public:
  std::string name() const override { return "kdl"; }
  std::string description() const override { return "Orocos KDL, Debian's compiled library"; }
  bool supports(Task task) const override {
    return task != Task::inverse_derivatives && task != Task::forward_derivatives;
  }

  void load(const ChainSpec& spec) override {
    if (!spec.is_chain()) throw std::runtime_error("KDL's dynamics take only chains");
    KDL::Chain chain;
    for (const Link& link : spec.links) chain.addSegment(segment(link));
    solvers_.emplace(chain, vector(spec.gravity));
  }

  void run(Task task, const double* q, const double* v, const double* u) override {
    Solvers& s = *solvers_;
    set(s.q, q);
    int status = 0;
    switch (task) {
      case Task::forward_kinematics:
        status = s.fk.JntToCart(s.q, s.poses);
        break;
      case Task::tip_jacobian:
        status = s.jacobian.JntToJac(s.q, s.J);
        break;
      case Task::inverse_dynamics:
        set(s.v, v), set(s.u, u);
        status = s.id.CartToJnt(s.q, s.v, s.u, s.no_wrenches, s.tau);
        break;
      case Task::mass_matrix:
        status = s.parameters.JntToMass(s.q, s.mass);
        break;
      case Task::forward_dynamics:
        set(s.v, v), set(s.u, u);
        status = s.fd.CartToJnt(s.q, s.v, s.u, s.no_wrenches, s.a);
        break;
      default:
        status = -1;
    }
    if (status < 0) throw std::runtime_error(std::string("KDL failed in ") + name_of(task));
  }

  std::vector<double> result(Task task) const override {
    const Solvers& s = *solvers_;
    std::vector<double> out;
    switch (task) {
      case Task::forward_kinematics:
        for (const KDL::Frame& X_WB : s.poses) {
          out.insert(out.end(), X_WB.M.data, X_WB.M.data + 9);
          out.insert(out.end(), X_WB.p.data, X_WB.p.data + 3);
        }
        break;
      case Task::tip_jacobian:  // KDL's translation rows come first
        for (unsigned row : {3u, 4u, 5u, 0u, 1u, 2u})
          for (unsigned j = 0; j < s.J.columns(); ++j) out.push_back(s.J(row, j));
        break;
      case Task::mass_matrix:
        for (unsigned i = 0; i < s.mass.rows(); ++i)
          for (unsigned j = 0; j < s.mass.columns(); ++j) out.push_back(s.mass(i, j));
        break;
      case Task::inverse_dynamics:
        for (unsigned i = 0; i < s.tau.rows(); ++i) out.push_back(s.tau(i));
        break;
      case Task::forward_dynamics:
        for (unsigned i = 0; i < s.a.rows(); ++i) out.push_back(s.a(i));
        break;
      default:
        break;
    }
    return out;
  }

 private:
  static void set(KDL::JntArray& to, const double* from) {
    std::copy(from, from + to.rows(), to.data.data());
  }

  std::optional<Solvers> solvers_;
};

}  // namespace
}  // namespace ulna::bench

ulna::bench::Contestant* make_contestant() { return new ulna::bench::KdlContestant; }
