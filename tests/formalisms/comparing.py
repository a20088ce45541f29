"""Programs with everything in them, their values, and errors in natural units."""

from __future__ import annotations

import numpy as np

from inloop.formalisms import Derivation
from inloop.formalisms.recursions import aba, crb, ltdl, rne
from inloop.symbolic import Input, Output, Program, interpret


def everything(derivation: Derivation, probe: str) -> Program:
    """All quantities of the equations of motion and of one frame, in one program.

    `qdd_ltdl` and `qdd_aba` are two formalisms; `qdd` is what the plant chooses.
    """
    names = ("mass_matrix", "bias", "inverse_dynamics", "direct_dynamics", "energy")
    outputs = [out for name in names for out in derivation.program(name).outputs]
    outputs += [out for program in derivation.sensor(probe) for out in program.outputs]
    outputs.append(Output.vector("qdd_ltdl", by_ltdl(derivation)))
    outputs.append(Output.vector("qdd_aba", by_aba(derivation)))
    s = derivation.symbols
    inputs = [Input(n, tuple(getattr(s, n))) for n in ("q", "qd", "qdd", "tau")]
    inputs.append(Input("u", (*s.inputs, *derivation.loads.inputs)))
    inputs += [Input("t", (s.t,)), derivation.parameters]
    return Program("everything", tuple(inputs), tuple(outputs))


def by_ltdl(derivation: Derivation) -> list:
    """qdd from M = LᵀDL, whatever the plant would choose."""
    d, zero = derivation, derivation.graph.zero
    c = rne.inverse_dynamics(d.base, [zero] * d.n, d.loads.wrenches)
    efforts = [d.loads.efforts.get(k, zero) for k in range(d.n)]
    right = [a - b + e for a, b, e in zip(d.symbols.tau, c, efforts, strict=True)]
    return ltdl.factorize(crb.mass_matrix(d.base)).solve(right)


def by_aba(derivation: Derivation) -> list:
    """qdd by articulated bodies, whatever the plant would choose."""
    d, zero = derivation, derivation.graph.zero
    tau = [a + d.loads.efforts.get(k, zero) for k, a in enumerate(d.symbols.tau)]
    return aba.direct_dynamics(d.base, tau, d.loads.wrenches)


def evaluate(derivation: Derivation, probe: str, q, qd, x, u=None, t=0.0) -> dict[str, np.ndarray]:
    """Everything, by the interpreter; `x` serves as qdd and as tau."""
    program = everything(derivation, probe)
    parameters = [p.default for p in derivation.symbols.parameters]
    size = len(derivation.input_names)
    u = np.zeros(size) if u is None else u
    return interpret(program, q=q, qd=qd, qdd=x, tau=x, u=u, t=[t], par=parameters)


def random_states(seed: int, n: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, qd and a third vector that serves as qdd or tau, count rows each."""
    random = np.random.default_rng(seed + 10_000)
    q, qd, x = random.uniform(-2.0, 2.0, (3, count, n))
    return q, qd, 3.0 * x


def errors(ours: dict[str, np.ndarray], theirs: dict[str, np.ndarray]) -> dict[str, float]:
    """Largest error of each quantity of one state that we have.

    Efforts and accelerations of joints are scaled by sqrt(M_ii), so that meters and radians, and
    light and heavy bodies, count the same.
    """
    M = theirs["M"]
    root = np.sqrt(np.diag(M))
    result = {}
    for name, value in ours.items():
        if name == "M":
            result[name] = np.abs((value - M) / np.outer(root, root)).max()
        elif name == "E":
            # the potential is fixed up to a constant only
            result["kinetic"] = _relative(value[0], theirs[name][0])
        elif name in ("c", "tau"):
            result[name] = _relative(value / root, theirs[name] / root)
        elif name.startswith("qdd"):
            result[name] = _relative(value * root, theirs["qdd"] * root)
        else:
            result[name] = _relative(value, theirs[name])
    return {name: float(value) for name, value in result.items()}


def _relative(ours: np.ndarray, theirs: np.ndarray) -> float:
    scale = np.abs(theirs).max()
    difference = np.abs(ours - theirs).max()
    return difference / scale if scale > 0.0 else difference
