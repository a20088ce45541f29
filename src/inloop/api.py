"""The names a user imports: `import inloop as il`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from inloop import analysis
from inloop.model import Mechanism, ModelBuilder
from inloop.plant import Array, BarePlant
from inloop.simulate import Result, simulate


class Plant(BarePlant):
    """The compiled equations of motion of a mechanism, ready to be evaluated and simulated."""

    def simulate(
        self,
        *,
        t_end: float,
        step: float = 1e-3,
        method: str = "rk4",
        q: Mapping[str, float] | Array | None = None,
        qd: Mapping[str, float] | Array | None = None,
        tau: Mapping[str, float] | Array | None = None,
        inputs: Mapping[str, float] | None = None,
        sample: float | None = None,
        tolerance: float | None = None,
        start: Result | None = None,
        reactions: str | Sequence[str] = (),
        **motions: Callable[[Any], Any],
    ) -> Result:
        """Integrate the equations of motion; see `inloop.simulate.simulate`.

        Further keywords name driven joints: `plant.simulate(t_end=2.0, crank=lambda t: 6 * t)`.
        """
        return simulate(
            self,
            t_end=t_end,
            step=step,
            method=method,
            q=q,
            qd=qd,
            tau=tau,
            inputs=inputs,
            sample=sample,
            tolerance=tolerance,
            start=start,
            motions=motions,
            reactions=reactions,
        )

    def equilibrium(self, *args: Any, **options: Any) -> analysis.Equilibrium:
        """Static equilibrium; see `inloop.analysis.equilibrium`."""
        return analysis.equilibrium(self, *args, **options)

    def linearize(self, *args: Any, **options: Any) -> analysis.Linear:
        """Linear model about a motion; see `inloop.analysis.linearize`."""
        return analysis.linearize(self, *args, **options)

    def modes(self, *args: Any, **options: Any) -> analysis.Modes:
        """Frequencies, damping and mode shapes; see `inloop.analysis.modes`."""
        return analysis.modes(self, *args, **options)

    def energy_audit(self, result: Result, **options: Any) -> analysis.EnergyAudit:
        """Power and work by source; see `inloop.analysis.energy_audit`."""
        return analysis.energy_audit(self, result, **options)

    def sweep(self, *args: Any, **options: Any) -> analysis.Sweep:
        """Quasi-static sweep; see `inloop.analysis.sweep`."""
        return analysis.sweep(self, *args, **options)

    def inverse_dynamics_run(self, *args: Any, **options: Any) -> analysis.InverseRun:
        """Efforts over a trajectory; see `inloop.analysis.inverse_dynamics_run`."""
        return analysis.inverse_dynamics_run(self, *args, **options)


class Model(ModelBuilder):
    """The description of a mechanism; `build()` freezes it, `compile()` makes it a plant."""

    def compile(
        self,
        *,
        live: str | Sequence[str] = (),
        external_forces: str | Sequence[str] = (),
        backend: str = "auto",
    ) -> Plant:
        """Derive the equations, emit code, build it.

        Args:
            live: numbers of the model to keep as parameters beside the declared ones: "all", or
                names such as "crank.mass" or "crank.pin.x".
            external_forces: bodies that get force and torque inputs beside the declared ones:
                "all" or names.
            backend: "c", "python", or "auto" for C where a compiler is found.
        """
        return compile_mechanism(
            self.build(), live=live, external_forces=external_forces, backend=backend
        )


def compile_mechanism(mechanism: Mechanism, **options: Any) -> Plant:
    """A plant from a frozen mechanism; options as in `Model.compile`."""
    return Plant(mechanism, **options)


def load(path: str | Path, **options: Any) -> Model:
    """Read a mechanism from a file: URDF or ROBOTRAN .mbs."""
    from inloop import io

    model = io.load(path, model_type=Model, **options)
    assert isinstance(model, Model)
    return model
