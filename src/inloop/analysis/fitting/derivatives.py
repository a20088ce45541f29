"""Derivatives of predictions: exact if available, else central differences."""

from __future__ import annotations

from collections.abc import Callable

from inloop.analysis.fitting.differences import Differences
from inloop.analysis.fitting.exact import ExactDerivatives
from inloop.analysis.fitting.not_exact import NotExactError
from inloop.analysis.fitting.shooting import Shooting
from inloop.plant import Array

EXACT, DIFFERENCES = "exact sensitivities of the steps", "central differences"

Method = Callable[[Array, Array], tuple[list[Array], Array]]


class Derivatives:
    """Derivatives of `Shooting.predict` by all unknowns and by initial states of segments.

    Attributes:
        how: the method as text, with the reason if it is not exact.
    """

    def __init__(self, shooting: Shooting, *, exact: bool = True) -> None:
        self._shooting = shooting
        self._method: Method = Differences(shooting)
        self.how = DIFFERENCES
        if not exact:
            return
        try:
            self._method, self.how = ExactDerivatives(shooting), EXACT
        except NotExactError as reason:
            self._fall_back(reason)

    def _fall_back(self, reason: NotExactError) -> None:
        self._method = Differences(self._shooting)
        self.how = f"{DIFFERENCES}, because {reason}"

    def __call__(self, values: Array, nodes: Array) -> tuple[list[Array], Array]:
        """Derivatives of the predictions of each segment, and of the states at handovers.

        Returns:
            One array (samples, channels, unknowns + state size) per segment, and one of shape
            (segments, state size, unknowns + state size).
        """
        try:
            seen, slopes = self._method(values, nodes)
        except NotExactError as reason:
            self._fall_back(reason)
            seen, slopes = self._method(values, nodes)
        self._shooting.add_delays(values, nodes, seen)
        return seen, slopes
