# # Coming from Pinocchio, the Robotics Toolbox or MuJoCo
# The same questions side by side. Twists, wrenches and the rows of a Jacobian have the rotation first
# here; Pinocchio and the Robotics Toolbox have the linear part first.
#
# | | Ulna | Pinocchio | Robotics Toolbox (Python) | MuJoCo |
# |---|---|---|---|---|
# | read a robot | `ulna.load("arm.urdf")` | `pin.buildModelFromUrdf` | `rtb.ERobot.URDF` | `MjModel.from_xml_path` |
# | sizes | `nq`, `nv` | `nq`, `nv` | `n` | `nq`, `nv` |
# | pose of a frame | `fk(q, "hand")` | `framesForwardKinematics`, `data.oMf` | `fkine(q)` | `mj_kinematics`, `data.xpos` |
# | Jacobian | `jacobian(q, "hand")` | `computeFrameJacobian(..., LOCAL_WORLD_ALIGNED)` | `jacob0(q)` | `mj_jac` |
# | inverse dynamics | `inverse_dynamics(q, v, a)` | `rnea` | `rne` | `mj_inverse` |
# | forward dynamics | `forward_dynamics(q, v, tau)` | `aba` | `accel` | `mj_forward` |
# | mass matrix | `mass_matrix(q)` | `crba` | `inertia` | `mj_fullM` |
# | Coriolis matrix | `coriolis(q, v)` | `computeCoriolisMatrix` | `coriolis` | - |
# | gravity | `gravity(q)` | `computeGeneralizedGravity` | `gravload` | `qfrc_bias` at rest |
# | derivatives | `inverse_dynamics_derivatives` | `computeRNEADerivatives` | - | `mjd_inverseFD` |
# | regressor | `regressor(q, v, a)` | `computeJointTorqueRegressor` | - | - |
# | inverse kinematics | `ik(target)` | - | `ikine_LM` | - |
# | quaternions | w, x, y, z | x, y, z, w | - | w, x, y, z |
# | `q` of a free joint | quaternion, position | position, quaternion | - | position, quaternion |
# | `v` of a free joint | angular, linear, both in the body's axes | linear, angular, both in the body's axes | - | linear in the world's axes, angular in the body's |
# | many states | `(N, n)` arrays | a loop | some functions | `rollout` |

import numpy as np

import ulna

robot = ulna.load("puma560")
q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, robot.nv))

# Where another library wants the linear part first, swap the halves; of a free joint coordinates, too:

J = robot.jacobian(q)
linear_first = np.concatenate([J[3:], J[:3]])
assert linear_first.shape == (6, 6)


def free_joint_of_pinocchio(q, v):
    """(q, v) of a free joint here as Pinocchio orders them."""
    return np.concatenate([q[4:7], q[1:4], q[:1]]), np.concatenate([v[3:], v[:3]])


def free_joint_of_mujoco(q, v):
    """The same as MuJoCo does, whose linear velocity is in world axes."""
    R = ulna.pose(quaternion=q[:4])[:3, :3]
    return np.concatenate([q[4:7], q[:4]]), np.concatenate([R @ v[3:], v[:3]])

# If Pinocchio is installed, the numbers can be compared on one URDF.

try:
    import pinocchio as pin
except ImportError:
    pin = None

URDF = """<robot name="two"><link name="base"/>
<link name="l1"><inertial><mass value="2"/><origin xyz="0 0 0.2"/><inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="l2"><inertial><mass value="1"/><origin xyz="0 0 0.15"/><inertia ixx="0.01" iyy="0.01" izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j1" type="continuous"><parent link="base"/><child link="l1"/><axis xyz="0 1 0"/></joint>
<joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/><origin xyz="0 0 0.4"/><axis xyz="1 0 0"/></joint>
</robot>"""
two = ulna.loads(URDF)
tau = two.inverse_dynamics([0.3, 0.4], [1.0, -1.0], [2.0, 0.5])
print("tau", tau)
if pin:
    model = pin.buildModelFromXML(URDF)
    state = [np.array(x) for x in ([np.cos(0.3), np.sin(0.3), np.cos(0.4), np.sin(0.4)], [1.0, -1.0], [2.0, 0.5])]
    assert np.allclose(pin.rnea(model, model.createData(), *state), tau, atol=1e-12)
