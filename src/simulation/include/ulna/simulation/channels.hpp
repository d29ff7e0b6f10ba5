#pragma once
// What can be recorded of a run, and stopped on. A group gives several channels:
//
//   q, v, a, tau     one per coordinate or speed: q.joint1[rad], tau.joint1[Nm]
//   reference        q of the motions
//   energy           kinetic, potential, total, work of efforts, work of external wrenches,
//                    dissipated, balance (total minus start minus what was put in)
//   momentum         about the world's origin: momentum.ax .. az (angular), momentum.lx .. lz
//   power            efforts, external, dissipated, and the residual of the power balance
//   frame.NAME       position x, y, z and quaternion w, i, j, k of a frame
//   twist.NAME       angular velocity wx, wy, wz and velocity vx, vy, vz of a frame's origin;
//                    twist.NAME/BASE@AXES: relative to BASE, in the axes of AXES (world both)
//   acceleration.NAME  dwx, dwy, dwz and ax, ay, az: the same of its acceleration
//   reaction         fx .. mz through every joint, from its parent on its child, at the joint, in
//                    world axes; reaction.NAME for one joint. Robots without loops
//   external.BODY    fx .. mz of the wrenches applied to a body, forces of contacts and rolling
//                    included, about its origin, world axes
//   deflection.BODY  of the end of a flexible body from where it would be if rigid, in its root's
//                    axes: x, y, z, and the slopes along y and z and the twist
//   moment.BODY      at the root of a flexible body: twist, y, z
//   strain.BODY@SHARE  bending strain of a flexible body in the section at that share of its
//   length,
//                    by the distance of the fibre from the axis (1/m): y and z
//   tip_error.FRAME  from where the robot with rigid links would have a frame to where it is: x, y,
//                    z and distance
//   elastic          elastic energy; largest deflection by length; lowest eigenvalue of the dynamic
//                    stiffness by the modal masses, below zero where a body buckles
//   constraint       how far quaternions are from unit length
//   closing_rate     of the joints that close loops; likewise closing_acceleration, and
//   closing_effort
//                    of their springs, dampers and friction
//   closure          how far the loops are open: length, angle, the largest of all
//   closing          coordinates of the joints that close loops: closing.pin[rad]
//   element.NAME     length, rate, force and energy of a force element; of a torsion angle, rate
//                    and torque
//   contact.NAME     gap, normal force, friction along the tangents t1 and t2 of the plane, slip
//                    speed, mode (0 open, 1 sticks, 2 slips)
//   nonholonomic.NAME  slip: the speed that should vanish; fx, fy, fz: the force that sees to it,
//   on
//                    the body, world axes
//
//   sensor.NAME      the readings of a sensor: q and v of an encoder, wx .. az of an imu, ...
//   actuator.NAME    command, effort, and what it has besides: current, voltage, pressure, ...
//
// A single channel is named without its unit: "q.joint1", "energy.kinetic", "frame.wrist.z".

#include <string>
#include <vector>

#include "ulna/model/model.hpp"

namespace ulna {

struct Channel {
  enum class Kind {
    q,
    v,
    a,
    tau,
    reference,
    energy,
    momentum,
    power,
    frame,
    twist,
    acceleration,
    reaction,
    external,
    constraint,
    closure,
    closing,
    closing_rate,
    closing_acceleration,
    closing_effort,
    deflection,
    moment,
    strain,
    elastic,
    contact,
    nonholonomic,
    element,
    sensor,
    actuator,
    tip_error
  };
  std::string name;  ///< without unit
  std::string unit;
  Kind kind;
  int index;      ///< within the kind
  int frame = 0;  ///< which frame, joint, body, loop, flexible body or contact
  int relative_to = 0, expressed_in = 0;  ///< frames, of twists and accelerations; 0: world

  /// "q.joint1[rad]".
  std::string title() const { return name + "[" + unit + "]"; }
};

/// The channels of a group or a single one; InputError with the nearest name when there is none.
ULNA_API std::vector<Channel> channels_named(const Model& model, const std::string& name);

/// The default record: q, v, tau, energy.
ULNA_API std::vector<std::string> default_channels();

/// "N" or "Nm".
ULNA_API std::string effort_unit(const Model& model, int speed);
/// Units of speeds by joint type: "rad" or "m" per speed, and of coordinates ("1" for quaternions).
ULNA_API std::vector<std::string> speed_units(const Model& model);
ULNA_API std::vector<std::string> coordinate_units(const Model& model);

}  // namespace ulna
