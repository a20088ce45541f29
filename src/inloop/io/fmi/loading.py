"""An FMU as a controller or an actuator of a plant."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

from inloop.errors import InputError, SimulationError, near_names
from inloop.io.fmi.archive import Opened, open_fmu
from inloop.plant.arguments import real

MOST_TOLD = 300  # maximum number of characters quoted from an FMU's messages
REAL = ("Real", "Float64")


def load_fmu(
    file: str | os.PathLike[str],
    *,
    reads: Mapping[str, str | float] | None = None,
    leads: Mapping[str, str] | None = None,
    parameters: Mapping[str, float] | None = None,
) -> FmuController:
    """Load a co-simulation FMU that reads outputs of a plant and drives its inputs.

    The result is a controller like any other: `plant.simulate(controller=…, period=…)` calls it,
    and `il.run` runs it in its own process. At each sample it steps to the current time with the
    inputs of the previous sample, then reads the new inputs and returns its outputs.

    Args:
        file: path of the FMU (FMI 2.0 or 3.0).
        reads: FMU input → plant output, or a number; default: matched by name.
        leads: FMU output → plant input; default: matched by name.
        parameters: parameters of the FMU, by name.

    Raises:
        FileFormatError: not an FMU, or not usable on this machine.
        InputError: unknown variable.
    """
    return FmuController(open_fmu(file), reads, leads, parameters or {})


class FmuController:
    """A co-simulation FMU as a controller of a plant."""

    def __init__(
        self,
        opened: Opened,
        reads: Mapping[str, str | float] | None,
        leads: Mapping[str, str] | None,
        parameters: Mapping[str, float],
    ) -> None:
        self.__name__ = str(opened.description.modelName)
        self._opened = opened
        inputs, outputs = self._names("input"), self._names("output")
        wired = {name: name for name in inputs} if reads is None else reads
        led = {name: name for name in outputs} if leads is None else leads
        self._reads = {self._checked(name, inputs): by for name, by in wired.items()}
        self._leads = {self._checked(name, outputs): to for name, to in led.items()}
        known = self._names("parameter")
        self._parameters = {
            self._checked(name, known): real(value, f"parameter '{name}'")
            for name, value in parameters.items()
        }
        self._inputs, self._outputs = inputs, outputs
        self._fmu: Any = None
        self._t = 0.0
        self._said: list[str] = []

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the FMU's inputs."""
        return tuple(self._inputs)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the FMU's outputs."""
        return tuple(self._outputs)

    def reset(self) -> None:
        """Restart with a new instance at the next sample."""
        self._free()

    def __call__(self, t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        """Inputs of the plant, by name."""
        values = [
            by if isinstance(by, (int, float)) else outputs[by] for by in self._reads.values()
        ]
        try:
            if self._fmu is None:
                self._start(t, values)
            elif t > self._t:
                self._fmu.doStep(
                    currentCommunicationPoint=self._t, communicationStepSize=t - self._t
                )
                self._t = t
                self._set(self._reads, self._inputs, values)
            told = self._get()
        except SimulationError:
            raise
        except Exception as error:  # from fmpy, whatever the FMU returned
            raise self._failed(t, error) from error
        answer = dict(zip(self._leads.values(), told, strict=True))
        lost = [name for name, value in answer.items() if not math.isfinite(value)]
        if lost:
            raise self._failed(t, f"it gives no finite value for '{lost[0]}'")
        return answer

    # ---- life cycle of an instance ----

    def _start(self, t: float, values: list[float]) -> None:
        import fmpy

        self._said = []
        self._t = t
        description, folder = self._opened.description, str(self._opened.folder)
        self._fmu = fmu = fmpy.instantiate_fmu(
            folder, description, "CoSimulation", logger=self._listen
        )
        known = self._names("parameter")
        if description.fmiVersion == "2.0":
            fmu.setupExperiment(startTime=t)
            self._set(self._parameters, known, list(self._parameters.values()))
            fmu.enterInitializationMode()
        else:
            self._set(self._parameters, known, list(self._parameters.values()))
            fmu.enterInitializationMode(startTime=t)
        self._set(self._reads, self._inputs, values)
        fmu.exitInitializationMode()

    def _set(self, names: Mapping[str, Any], known: Mapping[str, int], values: list[float]) -> None:
        numbers = [known[name] for name in names]
        if numbers:
            two = self._opened.description.fmiVersion == "2.0"
            (self._fmu.setReal if two else self._fmu.setFloat64)(numbers, values)

    def _get(self) -> list[float]:
        numbers = [self._outputs[name] for name in self._leads]
        two = self._opened.description.fmiVersion == "2.0"
        return (
            list((self._fmu.getReal if two else self._fmu.getFloat64)(numbers)) if numbers else []
        )

    def _free(self) -> None:
        fmu, self._fmu = self._fmu, None
        if fmu is not None:
            try:
                fmu.terminate()
            except Exception:  # not possible after an error; it is freed anyway
                self._said = []
            fmu.freeInstance()

    def __del__(self) -> None:
        if getattr(self, "_fmu", None) is not None:
            self._free()

    # ---- names and errors ----

    def _names(self, causality: str) -> dict[str, int]:
        """Value references by name of the real variables with a causality."""
        every = self._opened.description.modelVariables
        return {
            str(v.name): int(v.valueReference)
            for v in every
            if v.causality == causality and v.type in REAL and not v.dimensions
        }

    def _checked(self, name: str, known: Mapping[str, int]) -> str:
        if name not in known:
            near = near_names(str(name), known)
            fix = f"Did you mean {' or '.join(near)}?" if near else f"It has: {_listed(known)}."
            raise InputError(f"FMU '{self.__name__}' has no such variable {name!r}", fix=fix)
        return name

    def _listen(self, *words: Any) -> None:
        """Collect messages of the FMU: the text is the last argument."""
        last = words[-1]
        self._said.append(last.decode(errors="replace") if isinstance(last, bytes) else str(last))
        del self._said[:-5]

    def _failed(self, t: float, error: object) -> SimulationError:
        said = f" ({self._said[-1][:MOST_TOLD]})" if self._said else ""
        what = f"FMU '{self.__name__}' failed at t = {t:.6g} s: {str(error)[:MOST_TOLD]}{said}"
        return SimulationError(what, fix="Check its inputs, its parameters and the period.")


def _listed(names: Mapping[str, int]) -> str:
    return ", ".join(list(names)[:12]) or "none"
