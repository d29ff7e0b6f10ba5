#pragma once
// A robot that was read from a MuJoCo model, in the coordinates of MuJoCo.

#include "mujoco_model.hpp"

namespace ulna::testing {

/// The state of a robot read from MJCF in MuJoCo's coordinates: the same numbers, but for the order
/// of floating coordinates and the axes of their velocity.
struct SameState {
  Eigen::VectorXd q, v, a;
  Eigen::MatrixXd T;  ///< v_mj = T v
  SameState(const Model& model, const Mujoco& peer, const Eigen::VectorXd& q_u,
            const Eigen::VectorXd& v_u, const Eigen::VectorXd& a_u)
      : q(Eigen::VectorXd::Zero(peer.model->nq)),
        a(Eigen::VectorXd::Zero(peer.model->nv)),
        T(Eigen::MatrixXd::Zero(peer.model->nv, model.speeds())) {
    for (const Joint& joint : model.joints()) {
      if (joint.speeds == 0) continue;
      const int id = peer.joint(joint.name);
      const int q_at = peer.model->jnt_qposadr[id], v_at = peer.model->jnt_dofadr[id];
      if (joint.type != JointType::free) {
        q.segment(q_at, joint.coordinates) = q_u.segment(joint.q, joint.coordinates);
        T.block(v_at, joint.v, joint.speeds, joint.speeds).setIdentity();
        continue;
      }
      const Eigen::Vector4d turn = q_u.segment<4>(joint.q);
      const Matrix3<double> R =
          Eigen::Quaterniond(turn(0), turn(1), turn(2), turn(3)).toRotationMatrix();
      q.segment<3>(q_at) = q_u.segment<3>(joint.q + 4);
      q.segment<4>(q_at + 3) = turn;
      T.block<3, 3>(v_at, joint.v + 3) = R;
      T.block<3, 3>(v_at + 3, joint.v).setIdentity();
      const Vector3<double> w = v_u.segment<3>(joint.v), along = v_u.segment<3>(joint.v + 3);
      a.segment<3>(v_at) = R * w.cross(along);
    }
    v = T * v_u;
    a += T * a_u;
  }
};

}  // namespace ulna::testing
