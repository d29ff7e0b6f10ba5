# # Ulna inside JAX
# Inverse and forward dynamics as functions of JAX, with derivative rules built on Ulna's own closed-form derivatives. So `jax.grad`
# and `jax.jacobian` go through the robot, and nothing is differentiated by differences. Needs `pip install jax`.

import sys

import numpy as np

import ulna

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    print("JAX is not installed (pip install jax): this example is skipped")
    sys.exit(0)

jax.config.update("jax_enable_x64", True)
robot = ulna.load("puma560")

# ## A function of JAX that calls Ulna
# `pure_callback` hands the arrays to Python; the rule for tangents needs the three matrices that
# `inverse_dynamics_derivatives` gives.


def ask(method, *arguments):
    """One call of a method of the robot from inside of JAX."""
    shape = jax.ShapeDtypeStruct((robot.nv,), jnp.float64)
    return jax.pure_callback(lambda *x: method(*map(np.asarray, x)), shape, *arguments)


def ask_matrices(method, *arguments):
    shape = jax.ShapeDtypeStruct((robot.nv, robot.nv), jnp.float64)
    return jax.pure_callback(lambda *x: tuple(method(*map(np.asarray, x)))[:3], (shape,) * 3, *arguments)


@jax.custom_jvp
def inverse_dynamics(q, v, a):
    return ask(robot.inverse_dynamics, q, v, a)


@inverse_dynamics.defjvp
def inverse_dynamics_rule(point, change):
    by = ask_matrices(robot.inverse_dynamics_derivatives, *point)
    return inverse_dynamics(*point), sum(D @ d for D, d in zip(by, change))


@jax.custom_jvp
def forward_dynamics(q, v, tau):
    return ask(robot.forward_dynamics, q, v, tau)


@forward_dynamics.defjvp
def forward_dynamics_rule(point, change):
    by = ask_matrices(robot.forward_dynamics_derivatives, *point)
    return forward_dynamics(*point), sum(D @ d for D, d in zip(by, change))


# ## A gradient through a simulation
# The effort that stops the arm after a few steps, by gradient descent through semi-implicit Euler.

q, v, a = np.full(6, 0.2), np.full(6, 0.5), np.full(6, 1.0)
J = jax.jacobian(inverse_dynamics, argnums=0)(q, v, a)
assert np.allclose(J, robot.inverse_dynamics_derivatives(q, v, a).dtau_dq, atol=1e-12)


def energy_left(tau):
    x, w = jnp.asarray(q), jnp.asarray(v)
    for _ in range(5):
        w = w + 0.01 * forward_dynamics(x, w, tau)
        x = x + 0.01 * w
    return w @ w


slope = jax.grad(energy_left)(jnp.zeros(6))
h = 1e-5
by_differences = (energy_left(h * jnp.eye(6)[0]) - energy_left(-h * jnp.eye(6)[0])) / (2 * h)
print("slope by Ulna's derivatives", slope[0], "by differences", by_differences)
assert abs(slope[0] - by_differences) < 1e-4 * abs(by_differences) + 1e-8
