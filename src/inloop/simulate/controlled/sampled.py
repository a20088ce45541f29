"""What a controller reads at a sample: the same offline and in real time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from inloop.errors import InputError, near_names
from inloop.plant import Array

MOST_SHOWN = 12  # names in an error


class SampledNames:
    """Names of the values that a controller reads, in order.

    Attributes:
        index: index of each value by name.
        n: number of coordinates, which follow the time.
    """

    def __init__(self, coordinates: int, names: Iterable[str]) -> None:
        """Index the names; the first of equal names counts.

        Args:
            coordinates: number of coordinates.
            names: "t", q and qd of all coordinates, states, signals, and held inputs.
        """
        self.n = coordinates
        self.index: dict[str, int] = {}
        for k, name in enumerate(names):
            self.index.setdefault(name, k)


class Sampled(Mapping[str, float]):
    """Outputs of a plant at one sample, by name: `outputs["crank.q"]`.

    It contains the time "t", "<coordinate>.q" and ".qd", states of laws, all signals (sensors,
    outputs of laws, multipliers, drive efforts, ...) and the inputs held so far: the content of the
    mailbox of a running plant.
    """

    __slots__ = ("_names", "_values")

    def __init__(self, names: SampledNames, values: Array) -> None:
        self._names, self._values = names, values

    @property
    def t(self) -> float:
        """Time [s]."""
        return float(self._values[0])

    @property
    def q(self) -> Array:
        """Coordinates [rad or m], in the order of `plant.coordinates`, shape (n,)."""
        return self._values[1 : 1 + self._names.n].copy()

    @property
    def qd(self) -> Array:
        """Velocities [rad/s or m/s], shape (n,)."""
        return self._values[1 + self._names.n : 1 + 2 * self._names.n].copy()

    def __getitem__(self, name: str) -> float:
        """An output by name.

        Raises:
            InputError: unknown name.
        """
        place = self._names.index.get(name)
        if place is None:
            raise unknown_name("output", name, self._names.index)
        return float(self._values[place])

    def __contains__(self, name: object) -> bool:
        return name in self._names.index

    def __iter__(self) -> Iterator[str]:
        return iter(self._names.index)

    def __len__(self) -> int:
        return len(self._names.index)

    def __repr__(self) -> str:
        return f"<outputs at t = {self.t:g} s: {len(self)} values>"


def unknown_name(kind: str, name: object, known: Iterable[str]) -> InputError:
    """The error for an unknown name, with similar ones."""
    names = list(known)
    meant = near_names(str(name), names, most=3)
    if meant:
        fix = f"Did you mean {' or '.join(repr(each) for each in meant)}?"
    else:
        more = ", ..." if len(names) > MOST_SHOWN else ""
        fix = f"Names are: {', '.join(names[:MOST_SHOWN])}{more}."
    return InputError(f"the plant has no {kind} {str(name)[:60]!r}", fix=fix)
