"""Events that end the modes of hard contacts, and their times along a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy

from inloop.plant import Array
from inloop.simulate.sensitivities.touching.phase import Kept, Modes, Phase

LOOKS = 8  # evaluations per step
SLOW = (
    1e-8  # of the largest velocity at the start of modes: slower slip in space keeps its direction
)


@dataclass(frozen=True)
class Happening:
    """An event that ends the modes.

    Attributes:
        kind: a contact "hits" or "is released"; a disc "slips", "sticks" or "slows".
        number: of the contact or disc.
    """

    kind: str
    number: int


@dataclass(frozen=True)
class Indicator:
    """A number that is positive until an event.

    Attributes:
        value: current value.
        change: its derivatives along the directions.
    """

    value: float
    change: Array


def indicators(
    phase: Phase, kept: Kept, modes: Modes, slow: float = 0.0
) -> dict[Happening, Indicator]:
    """Indicators of all events that may end the modes.

    Args:
        phase: the equations.
        kept: the motion.
        modes: of the contacts.
        slow: velocity below which slip in space keeps its direction [m/s].
    """
    system, seen, f = phase.system, kept.seen, kept.force
    result = {}
    for i, normal in enumerate(system.normals):
        if modes.closed[i]:
            result[Happening("is released", i)] = Indicator(f.value[normal], f.change[normal])
        else:
            result[Happening("hits", i)] = Indicator(seen.gap.value[i], seen.gap.change[i])
    for j, disc in enumerate(system.discs):
        rows, normal, begun = list(disc.rows), system.normals[disc.contact], modes.slips[j]
        if not modes.closed[disc.contact]:
            continue
        if begun is None:
            mu, dmu = phase.limit(disc, seen)
            size = float(np.linalg.norm(f.value[rows]))
            along = f.value[rows] / size if size > 0.0 else np.zeros(len(rows))
            result[Happening("slips", j)] = Indicator(
                mu * f.value[normal] - size,
                mu * f.change[normal] + dmu * f.value[normal] - along @ f.change[rows],
            )
        elif np.any(begun):
            u, du = seen.u.value[rows], seen.u.change[rows]
            if j in modes.frozen:
                result[Happening("sticks", j)] = Indicator(float(begun @ u), begun @ du)
                continue
            d = phase.direction(modes, j, seen.u.value)
            result[Happening("slows", j)] = Indicator(float(d @ u) - slow, d @ du)
    return result


@dataclass(frozen=True)
class Watch:
    """Indicators to evaluate while modes last.

    Attributes:
        phase: the equations, without directions.
        modes: of the contacts.
        begun: time at which they started [s].
        slow: see `indicators`.
        fresh: indicators that start at zero: initial value, and the size of rounding below it.
    """

    phase: Phase
    modes: Modes
    begun: float
    slow: float
    fresh: Mapping[Happening, tuple[float, float]] = field(default_factory=dict)

    def values(self, t: float, state: tuple[Array, Array]) -> dict[Happening, float]:
        """All indicators; those that start at zero as their mean growth since then."""
        none = np.zeros((len(state[0]), 0))
        kept = self.phase.keep(t, state, none, np.zeros(0), self.modes)
        values = {}
        for what, indicator in indicators(self.phase, kept, self.modes, self.slow).items():
            values[what] = indicator.value
            if what in self.fresh:
                first, rounding = self.fresh[what]
                values[what] = (indicator.value - first + rounding) / max(t - self.begun, 1e-300)
        return values

    def first(
        self, dense: Callable[[float], Array], span: tuple[float, float],
        state_of: Callable[[Array], tuple[Array, Array]],
    ) -> tuple[float, Happening] | None:  # fmt: skip
        """The first event along a step, with its time; None: there is none."""
        times = np.linspace(*span, LOOKS + 1)
        before: float | None = None
        for t in times[1:]:
            values = self.values(t, state_of(dense(t)))
            below = [what for what, value in values.items() if not value > 0.0]
            if below:
                start = float(span[0] if before is None else before)
                roots = [(self._root(dense, (start, float(t)), state_of, w), w) for w in below]
                return min(roots, key=lambda root: root[0])
            before = float(t)
        return None

    def _root(
        self, dense: Callable[[float], Array], span: tuple[float, float],
        state_of: Callable[[Array], tuple[Array, Array]], what: Happening,
    ) -> float:  # fmt: skip
        def value(t: float) -> float:
            return self.values(t, state_of(dense(t)))[what]

        a, b = span
        # an indicator that starts at zero may return to it long before it is evaluated
        while what in self.fresh and a <= self.begun and b - a > 1e-13 * max(1.0, abs(b)):
            middle = a + 1e-2 * (b - a)
            a, b = (middle, b) if value(middle) > 0.0 else (a, middle)
        if a <= self.begun or not value(a) > 0.0:
            return a
        return float(scipy.optimize.brentq(value, a, b, xtol=1e-15, rtol=1e-14))


def begun_watch(
    phase: Phase, kept: Kept, modes: Modes, t: float, released: Sequence[Happening]
) -> Watch:
    """Watch modes that start now; `released` have started without a velocity of their own."""
    fastest = float(np.abs(kept.seen.u.value).max(initial=0.0))
    slow, fresh = SLOW * fastest, {}
    for what, indicator in indicators(phase, kept, modes, slow).items():
        near = 1e-9 * phase.length if what.kind == "hits" else 1e-9 * (phase.length + fastest)
        if what.kind in ("hits", "sticks") and indicator.value <= near:
            rounding = 1e-13 * (phase.length + fastest) if what in released else 0.0
            fresh[what] = (indicator.value, rounding)
    bare = Phase(phase.system, phase.around.with_directions(phase.around.dg[:, :0]))
    return Watch(bare, modes, t, slow, fresh)
