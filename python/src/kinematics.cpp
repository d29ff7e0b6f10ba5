// Robot: poses, velocities, Jacobians.

#include "bindings.hpp"
#include "fast_method.hpp"
#include "names.hpp"
#include "states.hpp"
#include "ulna/dynamics/centroidal.hpp"
#include "ulna/kinematics/frame_motion.hpp"

namespace ulna::python {
namespace {

Signature fk_signature{"fk", {"q", "frame", "out"}, 2, 1};
py::object fk(RobotHandle& robot, PyObject** slots) {
  const int frame = frame_argument(robot, slots[1], "frame"), nq = robot.model->coordinates();
  return over_states<1>(robot, states_of<1>(robot, slots, {"q"}), {4, 4}, slots[2], cheap_share,
                        [=](Context& c, const auto& x, double* out) {
                          update_poses(c.model, c.work, ConstVector(x[0], nq));
                          store(frame_pose(c.model, c.work, frame), out);
                        });
}

/// All frames from one pass: a dict of views into one array.
Signature poses_signature{"poses", {"q"}, 1, 1};
py::object poses(RobotHandle& robot, PyObject** slots) {
  const int nq = robot.model->coordinates();
  const int frames = static_cast<int>(robot.model->frames().size());
  const py::object all =
      over_states<1>(robot, states_of<1>(robot, slots, {"q"}), {frames, 4, 4}, nullptr, cheap_share,
                     [=](Context& c, const auto& x, double* out) {
                       update_poses(c.model, c.work, ConstVector(x[0], nq));
                       for (int f = 0; f < frames; ++f)
                         store(frame_pose(c.model, c.work, f), out + 16 * f);
                     });
  py::dict out;
  for (int f = 0; f < frames; ++f) {
    const py::object key =
        py::make_tuple(py::ellipsis(), f, py::slice(0, 4, 1), py::slice(0, 4, 1));
    out[py::str(robot.model->frames()[f].name)] = all[key];
  }
  return out;
}

void store_twist(const Twist<double>& twist, double* out) {
  Eigen::Map<Eigen::Vector3d>{out} = twist.angular;
  Eigen::Map<Eigen::Vector3d>{out + 3} = twist.linear;
}

/// slots: frame, relative_to, expressed_in
FrameQuery frame_query(const RobotHandle& robot, PyObject** slots) {
  FrameQuery query{.frame = frame_argument(robot, slots[0], "frame")};
  if (slots[1]) query.relative_to = frame_argument(robot, slots[1], "relative_to");
  if (slots[2]) query.expressed_in = frame_argument(robot, slots[2], "expressed_in");
  return query;
}

Signature velocity_signature{"velocity", {"q", "v", "frame", "relative_to", "expressed_in"}, 3, 2};
py::object velocity(RobotHandle& robot, PyObject** slots) {
  const FrameQuery query = frame_query(robot, slots + 2);
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  return over_states<2>(robot, states_of<2>(robot, slots, {"q", "v"}), {6}, nullptr, cheap_share,
                        [=](Context& c, const auto& x, double* out) {
                          update_motions(c.model, c.work, ConstVector(x[0], nq),
                                         ConstVector(x[1], nv), c.work.zero());
                          store_twist(frame_velocity(c.model, c.work, query), out);
                        });
}

Signature acceleration_signature{
    "acceleration", {"q", "v", "a", "frame", "relative_to", "expressed_in"}, 4, 2};
py::object acceleration(RobotHandle& robot, PyObject** slots) {
  const FrameQuery query = frame_query(robot, slots + 3);
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  return over_states<3>(robot, states_of<3>(robot, slots, {"q", "v", "a"}), {6}, nullptr,
                        cheap_share, [=](Context& c, const auto& x, double* out) {
                          update_motions(c.model, c.work, ConstVector(x[0], nq),
                                         ConstVector(x[1], nv), ConstVector(x[2], nv));
                          store_twist(frame_acceleration(c.model, c.work, query), out);
                        });
}

JacobianQuery query_from(RobotHandle& robot, PyObject** slots) {
  JacobianQuery query{.frame = frame_argument(robot, slots[0], "frame")};
  if (slots[1]) query.relative_to = frame_argument(robot, slots[1], "relative_to");
  if (slots[2]) query.expressed_in = frame_argument(robot, slots[2], "expressed_in");
  if (slots[3]) query.point = vector3(slots[3], "point");
  return query;
}

Signature jacobian_signature{
    "jacobian", {"q", "frame", "relative_to", "expressed_in", "point", "out"}, 2, 1};
py::object robot_jacobian(RobotHandle& robot, PyObject** slots) {
  const JacobianQuery query = query_from(robot, slots + 1);
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  return over_states<1>(robot, states_of<1>(robot, slots, {"q"}), {6, nv}, slots[5], cheap_share,
                        [&](Context& c, const auto& x, double* out) {
                          MutableRows(out, 6, nv) =
                              jacobian(c.model, c.work, ConstVector(x[0], nq), query);
                        });
}

Signature jacobian_rate_signature{
    "jacobian_rate", {"q", "v", "frame", "relative_to", "expressed_in", "point"}, 3, 2};
py::object jacobian_rate(RobotHandle& robot, PyObject** slots) {
  const JacobianQuery query = query_from(robot, slots + 2);
  const int nq = robot.model->coordinates(), nv = robot.model->speeds();
  return over_states<2>(robot, states_of<2>(robot, slots, {"q", "v"}), {6, nv}, nullptr, dear_share,
                        [&](Context& c, const auto& x, double* out) {
                          MutableRows(out, 6, nv) = jacobian_derivative(
                              c.model, ConstVector(x[0], nq), ConstVector(x[1], nv), query);
                        });
}

Signature centre_signature{"centre_of_mass", {"q"}, 1, 1};
py::object robot_centre(RobotHandle& robot, PyObject** slots) {
  const int nq = robot.model->coordinates();
  return over_states<1>(robot, states_of<1>(robot, slots, {"q"}), {3}, nullptr, cheap_share,
                        [=](Context& c, const auto& x, double* out) {
                          update_poses(c.model, c.work, ConstVector(x[0], nq));
                          Eigen::Map<Eigen::Vector3d>{out} = centre_of_mass(c.model, c.work);
                        });
}

}  // namespace

void add_kinematics(RobotClass& robot) {
  add_fast_method<fk_signature, fk>(
      robot, "(self, q, frame=None, *, out=None)",
      "Pose of a frame in the world as 4x4 matrix (default: the tip).\n\nShape (4, 4), or (N, 4, "
      "4) for a batch. Only the tree is used: loops are not closed.");
  add_fast_method<poses_signature, poses>(robot, "(self, q)",
                                          "Poses of all frames: a dict from name to 4x4 matrix.");
  add_fast_method<velocity_signature, velocity>(
      robot, "(self, q, v, frame=None, *, relative_to=None, expressed_in=None)",
      "Angular velocity of a frame and velocity of its origin: shape (6,).\n\nrelative_to: the "
      "frame of reference; expressed_in: the frame whose axes are used (default: the\nworld).");
  add_fast_method<acceleration_signature, acceleration>(
      robot, "(self, q, v, a=None, frame=None, *, relative_to=None, expressed_in=None)",
      "Angular acceleration of a frame and acceleration of its origin: shape (6,).\n\nrelative_to: "
      "the frame of reference, whose own motion is subtracted; expressed_in: the frame\nwhose axes "
      "are used (default: the world).");
  add_fast_method<jacobian_signature, robot_jacobian>(
      robot, "(self, q, frame=None, *, relative_to=None, expressed_in=None, point=None, out=None)",
      "J with (angular velocity; velocity of the point) = J v, shape (6, nv), rotation "
      "first.\n\nframe: the moving frame (default: the tip). relative_to: the frame of reference; "
      "expressed_in:\nthe frame whose axes are used (default: the world). point: a point fixed to "
      "the frame, in its\naxes (default: its origin).");
  add_fast_method<jacobian_rate_signature, jacobian_rate>(
      robot, "(self, q, v, frame=None, *, relative_to=None, expressed_in=None, point=None)",
      "Time derivative of the entries of jacobian(q, ...) when q moves with v.");
  add_fast_method<centre_signature, robot_centre>(
      robot, "(self, q)", "Centre of mass of everything that moves, in the world.");
}

}  // namespace ulna::python
