"""Exact derivatives of predictions: each segment is integrated again with its sensitivities.

Up to eight unknowns share a pass through a segment. Derivatives by entries of a segment's initial
state start as columns of the identity matrix.
"""

from __future__ import annotations

import numpy as np

from inloop.analysis.fitting.exact_modes import ModedSegments
from inloop.analysis.fitting.exact_smooth import SmoothSegments
from inloop.analysis.fitting.not_exact import NotExactError
from inloop.analysis.fitting.shooting import Shooting
from inloop.errors import BuildError, InputError, SimulationError
from inloop.plant import Array
from inloop.plant.trying import with_parameters
from inloop.plant.variation.code import LANES
from inloop.simulate.sensitivities.smooth_run import TABLEAUS

SAME = 1e-6  # allowed difference of the steps with and without derivatives, relative to the motion


class ExactDerivatives:
    """Derivatives of the predictions of segments, from steps with sensitivities."""

    def __init__(self, shooting: Shooting) -> None:
        """Derive and compile the sensitivities.

        Raises:
            NotExactError: not available for this plant, method or output.
        """
        plant = self._plant = shooting.plant
        self._shooting = shooting
        # implicit methods provide sensitivities of the continuous motion. Those of the discrete
        # steps, which a fit predicts, may differ a lot: by 10 % where the runs differ by 1 %
        if shooting.method not in TABLEAUS or TABLEAUS[shooting.method].implicit:
            raise NotExactError(f"runs are integrated by '{shooting.method}'")
        columns = max(len(shooting.varied_columns(k)) for k in range(len(shooting.segments)))
        kind = ModedSegments if plant.by_mode else SmoothSegments
        try:
            self._along = kind(shooting, min(columns, LANES[-1]))
        except (InputError, BuildError) as error:
            raise NotExactError(error.mistakes[0].what) from None
        sensed = {signal.name for signal in plant.mechanism.sensor_signals}
        for name in shooting.outputs:
            if name not in self._along.observed and name not in sensed:
                raise NotExactError(f"derivatives of '{name}' are not known")

    def __call__(self, values: Array, nodes: Array) -> tuple[list[Array], Array]:
        """As for `Differences`.

        Raises:
            NotExactError: the steps with derivatives differ from those of the run.
        """
        s = self._shooting
        late, count = s.delays(values), len(s.unknowns.names)
        seen, slopes = s.blank_derivatives()
        plain = s.simulate(s.runs_at(nodes, values))[0]
        q, qd = s.starts(values, nodes)
        with with_parameters(self._plant, s.unknowns.names, values[:count]):
            for k, segment in enumerate(s.segments):
                columns = s.varied_columns(k)
                for first in range(0, len(columns), LANES[-1]):
                    group = columns[first : first + LANES[-1]]
                    try:
                        along = self._along.at(k, (q[k], qd[k], nodes[k]))
                        y, dy, ends = along.vary(group)
                    except (BuildError, InputError, SimulationError) as error:
                        raise NotExactError(error.mistakes[0].what) from None
                    _check_same(plain[k, : segment.length + 1], y)
                    for i, column in enumerate(group):
                        seen[k][:, :, column] = s.seen(dy[:, :, i], segment, late)
                        slopes[k, :, column] = ends[:, i]
        return seen, slopes


def _check_same(plain: Array, y: Array) -> None:
    """Check that the steps with derivatives reproduce the run.

    Raises:
        NotExactError: they do not.
    """
    size = np.abs(plain).max(axis=0).clip(1e-300)
    off = float((np.abs(y - plain) / size).max(initial=0.0))
    if not off <= SAME:
        raise NotExactError(f"steps with derivatives differ from the run by {off:.1e} of it")
