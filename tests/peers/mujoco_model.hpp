#pragma once
// MuJoCo's view of a robot: its file, its model and data, and its coordinates.
//
// Ulna's coordinates differ from MuJoCo's for balls and floating bodies. With v_mj = T(q) v:
//
//   ball   q_mj: quaternion of the body C in its parent at zero; w in axes of C
//   free   q_mj: position and quaternion of C in the world; velocity of C's origin in world axes,
//   then
//          w in axes of C
//
// so that tau = T' tau_mj, M = T' M_mj T and a_mj = T a + dT/dt v.

#include <mujoco/mujoco.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <array>
#include <cstring>
#include <limits>
#include <locale>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

#include "ulna/model/model.hpp"
#include "ulna/model/parts/placement.hpp"
#include "ulna/spatial/rotation.hpp"

namespace ulna::testing {

/// Writes a robot of any joints but screws as an MJCF file, to the last digit. Floating bodies must
/// hang on the world. Bodies without mass get the least that MuJoCo wants.
class MjcfWriter {
 public:
  explicit MjcfWriter(const Robot& robot) : robot_(robot) {
    out_.imbue(std::locale::classic());
    out_.precision(std::numeric_limits<double>::max_digits10);
    out_ << "<mujoco><compiler angle='radian' inertiafromgeom='false' "
            "boundmass='1e-12' boundinertia='0' balanceinertia='false'/>\n<option";
    attribute("gravity", robot.gravity);
    out_ << "/>\n<worldbody>\n";
    write_bodies_on(world_name);
    out_ << "</worldbody></mujoco>\n";
  }
  std::string text() const { return out_.str(); }

 private:
  void attribute(const char* name, const Eigen::VectorXd& numbers) {
    out_ << ' ' << name << "='" << numbers.transpose().format(plain_) << '\'';
  }
  void quaternion(const Matrix3<double>& R) {
    const Eigen::Quaterniond q(R);
    attribute("quat", Eigen::Vector4d(q.w(), q.x(), q.y(), q.z()));
  }

  // Bodies nest: an element holds those of its children.
  void write_bodies_on(const std::string& parent) {
    for (const JointData& joint : robot_.joints) {
      if (joint.parent != parent) continue;
      const Pose<double> X_PC = joint.X_PF * joint.X_MC;
      out_ << "<body name='" << joint.child << '\'';
      attribute("pos", X_PC.position);
      quaternion(X_PC.rotation);
      out_ << ">\n";
      write_joint(joint);
      for (const BodyData& body : robot_.bodies)
        if (body.name == joint.child) write_inertial(body.inertial);
      write_bodies_on(joint.child);
      out_ << "</body>\n";
    }
  }

  // A body may have several joints one after the other; axes and anchor are in the body's frame.
  void write_joint(const JointData& joint) {
    const Pose<double> X_CM = joint.X_MC.inverse();
    const auto write = [&](const char* type, int degree, const Vector3<double>& axis_F) {
      out_ << "<joint type='" << type << "' name='" << joint.name << '.' << degree
           << "' limited='false'";
      if (joint.type != JointType::free) attribute("pos", X_CM.position);
      attribute("axis", X_CM.rotation * axis_F);
      if (degree < static_cast<int>(joint.degrees.size())) {
        const DegreeData& d = joint.degrees[degree];
        out_ << " damping='" << d.damping << "' stiffness='" << d.stiffness << "' springref='"
             << d.rest << "' armature='" << d.rotor_inertia * d.gear_ratio * d.gear_ratio << '\'';
      }
      out_ << "/>\n";
    };
    const Vector3<double> axis = joint.axis.normalized();
    switch (joint.type) {
      case JointType::fixed:
        return;
      case JointType::revolute:
        return write("hinge", 0, axis);
      case JointType::prismatic:
        return write("slide", 0, axis);
      case JointType::cylindrical:
        write("hinge", 0, axis);
        return write("slide", 1, axis);
      case JointType::universal:
        write("hinge", 0, axis);
        return write("hinge", 1, joint.axis2.normalized());
      case JointType::planar: {
        const Matrix3<double> plane = axes_along(axis);
        write("slide", 0, plane.col(0));
        write("slide", 1, plane.col(1));
        return write("hinge", 2, axis);
      }
      case JointType::spherical:
        return write("ball", 0, axis);
      case JointType::free:
        return write("free", 0, axis);
      case JointType::sphere_in_groove:
        write("slide", 0, axis);
        return write("ball", 1, axis);
      case JointType::screw:
        throw std::logic_error("MuJoCo has no screws");
    }
  }

  void write_inertial(const Inertial& inertial) {
    const Eigen::SelfAdjointEigenSolver<Matrix3<double>> principal(inertial.inertia);
    Matrix3<double> axes = principal.eigenvectors();
    if (axes.determinant() < 0) axes.col(0) *= -1;
    out_ << "<inertial mass='" << inertial.mass << '\'';
    attribute("pos", inertial.centre);
    quaternion(axes);
    attribute("diaginertia", principal.eigenvalues());
    out_ << "/>\n";
  }

  const Robot& robot_;
  std::ostringstream out_;
  const Eigen::IOFormat plain_{Eigen::FullPrecision, Eigen::DontAlignCols, " ", " "};
};

/// A model read by MuJoCo from text, and its data. Contacts, limits and friction are off: they are
/// constraints there.
struct Mujoco {
  Mujoco(const std::string& text, const char* file_name, const Vector3<double>& gravity)
      : model(load(text, file_name), mj_deleteModel), data(nullptr, mj_deleteData) {
    model->opt.disableflags |= mjDSBL_CONSTRAINT;
    model->opt.enableflags |= mjENBL_ENERGY;
    for (int k = 0; k < 3; ++k) model->opt.gravity[k] = gravity(k);
    data.reset(mj_makeData(model.get()));
  }

  static mjModel* load(const std::string& text, const char* file_name) {
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), file_name, static_cast<int>(text.size()));
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), file_name)], text.data(), text.size());
    std::array<char, 1000> error{};
    mjModel* model = mj_loadXML(file_name, files.get(), error.data(), error.size());
    mj_deleteVFS(files.get());
    if (!model) throw std::runtime_error(std::string("MuJoCo refuses the robot: ") + error.data());
    return model;
  }

  int body(const std::string& name) const { return id(mjOBJ_BODY, name); }
  int joint(const std::string& name) const { return id(mjOBJ_JOINT, name); }

  Pose<double> body_pose(int body) const {
    Pose<double> X;
    X.position = Eigen::Map<const Vector3<double>>(data->xpos + 3 * body);
    X.rotation =
        Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(data->xmat + 9 * body);
    return X;
  }
  Eigen::MatrixXd mass_matrix() const {
    Eigen::MatrixXd M(model->nv, model->nv);
    mj_fullM(model.get(), M.data(), data->qM);
    return M;
  }
  Eigen::Map<Eigen::VectorXd> per_speed(mjtNum* x) const { return {x, model->nv}; }

  std::unique_ptr<mjModel, decltype(&mj_deleteModel)> model;
  std::unique_ptr<mjData, decltype(&mj_deleteData)> data;

 private:
  int id(mjtObj kind, const std::string& name) const {
    const int found = mj_name2id(model.get(), kind, name.c_str());
    if (found < 0) throw std::runtime_error("MuJoCo has no '" + name + "'");
    return found;
  }
};

/// The state of an Ulna robot in MuJoCo's coordinates.
struct MujocoState {
  Eigen::VectorXd q, v, a;
  Eigen::MatrixXd T;  ///< v_mj = T v

  MujocoState(const Model& model, const Mujoco& mujoco, const Eigen::VectorXd& q_ulna,
              const Eigen::VectorXd& v_ulna, const Eigen::VectorXd& a_ulna)
      : q(Eigen::VectorXd::Zero(mujoco.model->nq)),
        a(Eigen::VectorXd::Zero(mujoco.model->nv)),
        T(Eigen::MatrixXd::Zero(mujoco.model->nv, model.speeds())) {
    for (std::size_t k = 0; k < model.joints().size(); ++k) {
      const Joint& joint = model.joints()[k];
      const JointData& data = model.robot().joints[k];
      for (int degree = 0; degree < joint.speeds; ++degree) {
        const int id = mujoco.joint(joint.name + '.' + std::to_string(degree));
        q_at = mujoco.model->jnt_qposadr[id];
        v_at = mujoco.model->jnt_dofadr[id];
        const int coordinate = model.coordinate_of_speed()[joint.v + degree];
        if (coordinate < 0) break;
        q(q_at) = q_ulna(coordinate);
        T(v_at, joint.v + degree) = 1;
      }
      for (const TangentBlock& block : model.blocks())
        if (block.joint == static_cast<int>(k) && block.kind == TangentBlock::Kind::ball)
          ball(block, data, q_ulna);
      if (joint.type == JointType::free) floating(joint, data, q_ulna, v_ulna);
    }
    v = T * v_ulna;
    a += T * a_ulna;
  }

 private:
  // R_PC = R_PF R R_MC = (R_PF R_MC) (R_MC' R R_MC)
  void ball(const TangentBlock& block, const JointData& data, const Eigen::VectorXd& q_ulna) {
    const Matrix3<double> R_CM = data.X_MC.inverse().rotation;
    q(q_at) = q_ulna(block.q);
    q.segment<3>(q_at + 1) = R_CM * q_ulna.segment<3>(block.q + 1);
    T.block<3, 3>(v_at, block.v) = R_CM;
  }

  void floating(const Joint& joint, const JointData& data, const Eigen::VectorXd& q_ulna,
                const Eigen::VectorXd& v_ulna) {
    const Eigen::Vector4d turn = q_ulna.segment<4>(joint.q);
    const Pose<double> X_FM{
        Eigen::Quaterniond(turn(0), turn(1), turn(2), turn(3)).toRotationMatrix(),
        q_ulna.segment<3>(joint.q + 4)};
    const Pose<double> X_WM = data.X_PF * X_FM, X_WC = X_WM * data.X_MC;
    const Eigen::Quaterniond C(X_WC.rotation);
    q.segment<7>(q_at) << X_WC.position, C.w(), C.x(), C.y(), C.z();
    // The velocity of C's origin is R_WM (v + w x p_MC).
    const Vector3<double> p = data.X_MC.position;
    T.block<3, 3>(v_at, joint.v) = -X_WM.rotation * skew(p);
    T.block<3, 3>(v_at, joint.v + 3) = X_WM.rotation;
    T.block<3, 3>(v_at + 3, joint.v) = data.X_MC.rotation.transpose();
    const Vector3<double> w = v_ulna.segment<3>(joint.v), v_M = v_ulna.segment<3>(joint.v + 3);
    a.segment<3>(v_at) = X_WM.rotation * w.cross(v_M + w.cross(p));
  }

  int q_at = 0, v_at = 0;
};

}  // namespace ulna::testing
