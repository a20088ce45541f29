"""Result of a fit to recordings: values with standard deviations, tests, a table, files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inloop.analysis.fitting.residual_tests import ResidualTest
from inloop.errors import InloopError
from inloop.plant import Array
from inloop.plant.arguments import file_path

WEAK = 0.3  # relative standard deviation above which a parameter is hardly known
ALIKE = 0.95  # correlation above which two parameters are reported as hardly distinguishable
AT_BOUND = 1e-6  # distance from a bound, relative to the range
NOTHING = 1e-100  # smallest divisor: its square does not underflow


class ResidualError(InloopError):
    """The model cannot explain a recording; `fitted` contains the best fit nevertheless."""

    fitted: Fitted


@dataclass(frozen=True)
class Comparison:
    """One recording and the prediction of the fitted model.

    Attributes:
        name: name of the recording.
        t: times [s].
        measured, predicted: outputs, shape (N, channels).
        kept_back: whether it was used for validation only.
    """

    name: str
    t: Array
    measured: Array
    predicted: Array
    kept_back: bool


@dataclass(frozen=True)
class Fitted:
    """Parameters fitted to recordings.

    Attributes:
        model: name of the plant.
        names: names of parameters, and of delays as "<channel>.delay".
        units: their units.
        first: initial values of the search.
        values: fitted values.
        covariance: covariance of the values.
        unidentified: names of unknowns that the recordings do not determine.
        outputs: names of the compared channels.
        noise: standard deviation of each channel.
        tests: residual tests, for each recording and channel.
        validation: the same for validation recordings, of which only initial states were fitted.
        comparisons: measured and predicted curves.
        notes: notes for the reader, including `causes`.
        evaluations: how often all recordings were simulated.
        derivatives: how derivatives were computed.
        channel_units: units of the outputs.
        causes: the notes that may explain residuals that are not noise.
    """

    model: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    first: Array
    values: Array
    covariance: Array
    unidentified: tuple[str, ...]
    outputs: tuple[str, ...]
    noise: Array
    tests: tuple[ResidualTest, ...]
    validation: tuple[ResidualTest, ...]
    comparisons: tuple[Comparison, ...]
    notes: tuple[str, ...]
    evaluations: int
    derivatives: str
    channel_units: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()

    @property
    def parameters(self) -> dict[str, float]:
        """Live parameters by name, for `plant.parameters.update(...)`, without delays."""
        delays = {f"{name}.delay" for name in self.outputs}
        pairs = zip(self.names, self.values, strict=True)
        return {name: float(value) for name, value in pairs if name not in delays}

    @property
    def deviations(self) -> Array:
        """Standard deviations; infinite for unidentified unknowns."""
        known = np.sqrt(np.diag(self.covariance))
        lost = [name in self.unidentified for name in self.names]
        return np.where(lost, np.inf, known)

    @property
    def correlation(self) -> Array:
        """Correlation matrix of the errors of the values."""
        return correlation_of(self.covariance)

    @property
    def weak(self) -> tuple[str, ...]:
        """Names of parameters that are hardly known."""
        rows = zip(self.names, self.values, self.deviations, strict=True)
        return tuple(name for name, value, s in rows if s > WEAK * abs(value))

    def __getitem__(self, name: str) -> float:
        """A value by name."""
        return float(self.values[self.names.index(name)])

    def __str__(self) -> str:
        """A table of values, residual tests, and notes."""
        width = max(len(name) for name in (*self.names, "parameter"))
        lines = [
            f"{'parameter':{width}}  {'first':>12}  {'value':>12}  {'deviation':>10}  relative"
        ]
        rows = zip(self.names, self.units, self.first, self.values, self.deviations, strict=True)
        for name, unit, first, value, s in rows:
            part = s / abs(value) if value else np.inf
            share = f"{100 * part:7.2f}%" if part < 10.0 else "       -"
            line = f"{name:{width}}  {first:12.6g}  {value:12.6g}  {s:10.2g}  {share}"
            lines.append(f"{line}  [{unit}]" if unit else line)
        return "\n".join([*lines, *self.told, *self.notes])

    __repr__ = __str__  # typed at a prompt, it tells the same

    @property
    def told(self) -> tuple[str, ...]:
        """The residual tests as text, one line per recording and channel."""
        return (
            *_test_lines(self.tests, "residuals"),
            *_test_lines(self.validation, "kept back"),
        )

    def test_of(self, recording: str, channel: str) -> ResidualTest:
        """The residual test of one channel of one recording."""
        every = (*self.tests, *self.validation)
        return next(x for x in every if (x.recording, x.channel) == (recording, channel))

    def check(self) -> None:
        """Raise if the model does not explain a recording.

        Raises:
            ResidualError: most of the residuals are not noise.
        """
        bad = [each for each in (*self.tests, *self.validation) if each.refused]
        if not bad:
            return
        worst = max(bad, key=lambda each: (each.structure, each.rms / each.noise))
        why = "".join(f", and {cause}" for cause in self.causes)
        error = ResidualError(
            f"model '{self.model}' does not explain {worst.recording}, whatever its "
            f"parameters: {100 * worst.structure:.0f} % of the residuals of {worst.channel} "
            f"({worst.rms:.3g} rms) is not noise{why}",
            fix="Is it a recording of this plant? If so, see where the model is wrong "
            "(error.fitted.plot(), --report), fit more parameters, cut it into segments, "
            "or accept the result (refuse=False, --accept).",
        )
        error.fitted = self
        raise error

    def save(self, path: str | Path) -> Path:
        """Write the parameters to a text file that `--set @FILE` reads."""
        target = file_path(path, "the file of parameters")
        lines = [f"# {self.model}: fitted, with standard deviations"]
        for name, value in self.parameters.items():
            k = self.names.index(name)
            lines.append(
                f"{name} = {value!r}  # ± {self.deviations[k]:.2g} {self.units[k]}".rstrip()
            )
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return target

    def plot(self, *, file: str | Path | None = None) -> Any:
        """Plot measured and predicted outputs, residuals, and their correlations."""
        from inloop.analysis.fitting.report import draw

        return draw(self, file)

    def report(self, path: str | Path) -> Path:
        """Write a self-contained .html file with the table and the figure."""
        from inloop.analysis.fitting.report import write_page

        return write_page(self, file_path(path, "the file of the report"))


def correlation_of(covariance: Array) -> Array:
    """Correlation matrix; 0 for unknowns without variance."""
    size = np.sqrt(np.diag(covariance)).clip(NOTHING)
    return np.asarray(covariance / np.outer(size, size))


def _test_lines(tests: Sequence[ResidualTest], what: str) -> list[str]:
    return [
        f"{what} of {each.channel}, {each.recording}: {each.rms:.3g} rms, noise {each.noise:.3g}; "
        f"{100 * each.explained:.4g} % explained; "
        + ("white" if each.white else f"not white ({100 * each.structure:.0f} % structure)")
        for each in tests
    ]
