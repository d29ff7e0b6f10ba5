# # Ulna inside PyTorch
# Inverse dynamics as a function with a backward rule of its own, built on Ulna's closed-form derivatives; batches are computed at the
# speed of C++. Needs `pip install torch`.

import sys

import numpy as np

import ulna

try:
    import torch
except ImportError:
    print("PyTorch is not installed (pip install torch): this example is skipped")
    sys.exit(0)

robot = ulna.load("puma560")

# ## The rule
# What comes back is the transpose of the three matrices times the gradient, for each state of the batch.


class InverseDynamics(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, v, a):
        ctx.save_for_backward(q, v, a)
        return torch.from_numpy(robot.inverse_dynamics(q.numpy(), v.numpy(), a.numpy()))

    @staticmethod
    def backward(ctx, gradient):
        by = robot.inverse_dynamics_derivatives(*(x.numpy() for x in ctx.saved_tensors))
        g = gradient.numpy()
        return tuple(torch.from_numpy(np.einsum("...ij,...i->...j", D, g)) for D in by)


# ## Checked by PyTorch itself

rng = np.random.default_rng(1)
states = [torch.tensor(rng.uniform(-1, 1, (3, 6)), dtype=torch.float64, requires_grad=True) for _ in range(3)]
assert torch.autograd.gradcheck(InverseDynamics.apply, states, atol=1e-4)

# ## Learning a payload from efforts
# A correction of the efforts by a small network, with the robot's model inside of the loss.

torch.manual_seed(1)
net = torch.nn.Sequential(torch.nn.Linear(12, 64), torch.nn.Tanh(), torch.nn.Linear(64, 6)).double()
loaded = robot.builder().payload("tool", robot.bodies[-1], 2.0).build()
q = torch.tensor(rng.uniform(-1, 1, (200, 6)))
zero = torch.zeros_like(q)
measured = torch.from_numpy(loaded.gravity(q.numpy()))
optimiser = torch.optim.Adam(net.parameters(), lr=0.01)
losses = []
for _ in range(200):
    optimiser.zero_grad()
    loss = ((InverseDynamics.apply(q, zero, zero) + net(torch.cat([torch.sin(q), torch.cos(q)], 1)) - measured) ** 2).mean()
    loss.backward()
    optimiser.step()
    losses.append(loss.item())
print("mean squared error of the efforts", losses[0], "->", losses[-1])
assert losses[-1] < 0.05 * losses[0]
