// MuJoCo as Debian ships it (a compiled C library: the flags of this file reach only the calls).
//
// mj_forward and mj_inverse also look after actuators, tendons, contacts, constraints and sensors.
// These robots have none, so that each task calls only the stages which its rigid-body part needs,
// in the order of mj_forward and mj_inverse; that is the kinder comparison for MuJoCo (whole
// mj_inverse took 1.5 times as long on six joints, whole mj_forward 1.1 times):
//   forward kinematics  mj_kinematics (which also places the centres of mass)
//   tip Jacobian        mj_kinematics, mj_comPos (the hinge axes in the world), mj_jacBody
//   inverse dynamics    mj_kinematics, mj_comPos, mj_comVel, mj_rne with accelerations
//   mass matrix         mj_kinematics, mj_comPos, mj_crb (kept sparse, as MuJoCo uses it)
//   forward dynamics    those of the mass matrix, mj_factorM, mj_comVel, mj_rne without
//                       accelerations, mj_solveM
// This version has no analytical derivatives of the dynamics (only differences of whole steps).

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "contestant.hpp"

namespace ulna::bench {
namespace {

template <std::size_t N>
std::string text(const std::array<double, N>& numbers) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(std::numeric_limits<double>::max_digits10);
  for (double x : numbers) out << x << ' ';
  return out.str();
}

// MuJoCo's own principal axes of a symmetric matrix, more accurate than its reading of
// `fullinertia`.
struct PrincipalInertia {
  Vector3 moments;
  std::array<double, 4> quaternion;
};

PrincipalInertia principal(const Matrix3& I) {
  PrincipalInertia p;
  Matrix3 axes;
  mju_eig3(p.moments.data(), axes.data(), p.quaternion.data(), I.data());
  return p;
}

// Bodies nest in MJCF: a link's element holds those of its children.
void write_bodies(std::ostream& out, const ChainSpec& spec, int parent) {
  for (std::size_t i = 0; i < spec.links.size(); ++i) {
    const Link& link = spec.links[i];
    if (link.parent != parent) continue;
    std::array<double, 4> quaternion;
    mju_mat2Quat(quaternion.data(), link.R_PJ.data());
    const PrincipalInertia inertia = principal(link.I_BBcm);
    out << "<body name='b" << i << "' pos='" << text(link.p_PJ) << "' quat='" << text(quaternion)
        << "'><joint type='hinge' axis='0 0 1' limited='false'/>"
        << "<inertial mass='" << text(std::array{link.mass}) << "' pos='" << text(link.p_BBcm)
        << "' quat='" << text(inertia.quaternion) << "' diaginertia='" << text(inertia.moments)
        << "'/>\n";
    write_bodies(out, spec, static_cast<int>(i));
    out << "</body>\n";
  }
}

std::string mjcf(const ChainSpec& spec) {
  std::ostringstream out;
  out << "<mujoco model='" << spec.name << "'>\n"
      << "<compiler angle='radian' boundmass='0' boundinertia='0' balanceinertia='false'/>\n"
      << "<option gravity='" << text(spec.gravity) << "'><flag constraint='disable' "
      << "contact='disable' limit='disable' passive='disable' actuation='disable'/></option>\n"
      << "<worldbody>\n";
  write_bodies(out, spec, -1);
  out << "</worldbody>\n</mujoco>\n";
  return out.str();
}

using ModelPtr = std::unique_ptr<mjModel, decltype(&mj_deleteModel)>;
using DataPtr = std::unique_ptr<mjData, decltype(&mj_deleteData)>;

ModelPtr compile(const std::string& xml) {
  auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "robot.xml", static_cast<int>(xml.size()));
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "robot.xml")], xml.data(), xml.size());
  std::array<char, 1000> error{};
  ModelPtr model(mj_loadXML("robot.xml", files.get(), error.data(), error.size()), mj_deleteModel);
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(std::string("MuJoCo refuses the robot: ") + error.data());
  return model;
}

class MujocoContestant final : public Contestant {
 public:
  std::string name() const override { return "mujoco"; }
  std::string description() const override {
    return std::string("MuJoCo ") + mj_versionString() + ", Debian's compiled library";
  }
  double tolerance() const override { return 1e-6; }
  bool supports(Task task) const override {
    return task != Task::inverse_derivatives && task != Task::forward_derivatives;
  }

  void load(const ChainSpec& spec) override {
    model_ = compile(mjcf(spec));
    data_ = DataPtr(mj_makeData(model_.get()), mj_deleteData);
    body_.clear();
    for (std::size_t i = 0; i < spec.links.size(); ++i) {
      body_.push_back(mj_name2id(model_.get(), mjOBJ_BODY, ("b" + std::to_string(i)).c_str()));
      // MuJoCo stores bodies, and with them coordinates, depth first.
      if (model_->body_dofadr[body_.back()] != static_cast<int>(i))
        throw std::runtime_error("the MuJoCo contestant needs links numbered depth first");
    }
    tau_.assign(spec.links.size(), 0);
    jacobian_.assign(6 * spec.links.size(), 0);
  }

  void run(Task task, const double* q, const double* v, const double* u) override {
    const mjModel* m = model_.get();
    mjData* d = data_.get();
    std::copy(q, q + m->nq, d->qpos);
    mj_kinematics(m, d);
    if (task == Task::forward_kinematics) return;
    mj_comPos(m, d);
    switch (task) {
      case Task::tip_jacobian:
        mj_jacBody(m, d, jacobian_.data() + 3 * m->nv, jacobian_.data(), body_.back());
        break;
      case Task::inverse_dynamics:
        std::copy(v, v + m->nv, d->qvel);
        std::copy(u, u + m->nv, d->qacc);
        mj_comVel(m, d);
        mj_rne(m, d, 1, tau_.data());
        break;
      case Task::mass_matrix:
        mj_crb(m, d);
        break;
      case Task::forward_dynamics:
        std::copy(v, v + m->nv, d->qvel);
        mj_crb(m, d);
        mj_factorM(m, d);
        mj_comVel(m, d);
        mj_rne(m, d, 0, tau_.data());
        for (int i = 0; i < m->nv; ++i) tau_[i] = u[i] - tau_[i];
        mj_solveM(m, d, d->qacc, tau_.data(), 1);
        break;
      default:
        throw std::logic_error("MuJoCo has no such task");
    }
  }

  std::vector<double> result(Task task) const override {
    const int n = model_->nv;
    std::vector<double> out;
    switch (task) {
      case Task::forward_kinematics:
        for (int body : body_) {
          out.insert(out.end(), data_->xmat + 9 * body, data_->xmat + 9 * body + 9);
          out.insert(out.end(), data_->xpos + 3 * body, data_->xpos + 3 * body + 3);
        }
        break;
      case Task::tip_jacobian:
        return jacobian_;
      case Task::inverse_dynamics:
        return tau_;
      case Task::mass_matrix:
        out.resize(static_cast<std::size_t>(n) * n);
        mj_fullM(model_.get(), out.data(), data_->qM);
        break;
      case Task::forward_dynamics:
        out.assign(data_->qacc, data_->qacc + n);
        break;
      default:
        break;
    }
    return out;
  }

 private:
  ModelPtr model_{nullptr, mj_deleteModel};
  DataPtr data_{nullptr, mj_deleteData};
  std::vector<int> body_;
  std::vector<double> tau_, jacobian_;
};

}  // namespace
}  // namespace ulna::bench

ulna::bench::Contestant* make_contestant() { return new ulna::bench::MujocoContestant; }
