"""What is computed from the samples of a run when it is over."""

from __future__ import annotations

import numpy as np

from inloop.plant import Array, BarePlant
from inloop.simulate.inputs import Inputs
from inloop.simulate.systems import Samples

BLOCK = 200  # samples


def energy(plant: BarePlant, q: Array, qd: Array) -> Array:
    """Energy of all samples, in blocks short enough that no vector code has to be compiled."""
    cuts = range(0, len(q), BLOCK)
    blocks = [plant.energy(q[k : k + BLOCK], qd[k : k + BLOCK]) for k in cuts]
    return np.concatenate(blocks)


def law_outputs(plant: BarePlant, found: Samples, inputs: Inputs) -> dict[str, Array]:
    """What the force laws make known at all samples, in blocks as for the energy."""
    blocks = []
    for begin in range(0, len(found.t), BLOCK):
        rows = slice(begin, begin + BLOCK)
        t = found.t[rows]
        u = inputs.over(plant, t)
        blocks.append(plant.law_outputs(found.q[rows], found.qd[rows], found.z[rows], u, t))
    return {name: np.concatenate([b[name] for b in blocks]) for name in blocks[0]}
