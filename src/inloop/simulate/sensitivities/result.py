"""Derivatives of a run, by name."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.errors import InputError, name_hint
from inloop.plant import Array


@dataclass(frozen=True)
class Sensitivities:
    """Derivatives of the signals of a run.

        result.sensitivities["crank.q", "mass"]  # ∂(crank.q)/∂mass at each sample

    Attributes:
        by: names of parameters, start values and inputs.
        signals: names of the differentiated signals.
        values: shape (samples, signals, by), in the unit of the signal per unit of the quantity.
    """

    by: tuple[str, ...]
    signals: tuple[str, ...]
    values: Array

    def __getitem__(self, key: str | tuple[str, str]) -> Array:
        """Derivatives of a signal by one quantity, (samples,), or by all, (samples, by)."""
        signal, by = (key, None) if isinstance(key, str) else key
        column = self.values[:, _place(signal, self.signals, "signal")]
        return column if by is None else column[:, _place(by, self.by, "derivative by")]

    def __repr__(self) -> str:
        return (
            f"Sensitivities of {len(self.signals)} signals by {', '.join(self.by)}, "
            f"{len(self.values)} samples"
        )


def _place(name: str, known: tuple[str, ...], what: str) -> int:
    if name not in known:
        raise InputError(f"there is no {what} '{name}'", fix=name_hint(name, known))
    return known.index(name)
