# # Generating code
# The equations of one robot as straight-line source code, and as a compiled function.

import tempfile

import numpy as np

import ulna

robot = ulna.load("intelledex605")
print("functions:", ", ".join(ulna.function_names()))
print("languages:", ", ".join(ulna.language_names()))

code = robot.generate("inverse", "c")
print(code.name, code.operations)
with tempfile.TemporaryDirectory() as folder:
    for path in code.write(folder):
        print("wrote", path.name, path.stat().st_size, "bytes")

# Masses and lengths may stay symbols: then they are an argument.

print("with symbolic inertias:", robot.generate("inverse", "c", symbolic=["inertias"]).operations)

# Compiled by the system's compiler, kept in the user's cache, called with arrays or batches.

inverse = robot.compile("inverse")
if not inverse.compiled:
    print(inverse.warning)
q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, 1000, robot.nv))
assert np.allclose(inverse(q, v, a), robot.inverse_dynamics(q, v, a), atol=1e-9)

# Every route agrees on this robot: the table lists the largest difference of each pair.

result = robot.verify(states=20)
print(result)
assert result.ok
