"""What is printed and built for a formulation, and what the unit of the plant calls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from inloop.formalisms import Derivation
from inloop.symbolic import Program

Files = Mapping[str, str]


class Code(ABC):
    """The functions of one choice of independent coordinates.

    Attributes:
        suffix: end of the names of its functions; empty for the first choice of a plant.
        motion: kind of the function that finds the accelerations, whose cost is told.
        beside_rates: kinds of C functions that the unit calls beside the rates.
        implicit: there are programs for implicit integrators; else these take differences.
        why_not_implicit: in words, for the notes of a run.
    """

    implicit: bool = True
    why_not_implicit: str = ""

    suffix: str
    motion: str
    beside_rates: tuple[str, ...]

    def function(self, kind: str) -> str:
        """Name of the function of a kind, such as "predictor"."""
        return kind + self.suffix

    @property
    @abstractmethod
    def autonomous(self) -> bool:
        """The rates are known not to depend on time, but through inputs."""

    # what implicit integrators and hard contacts need, where `implicit` says that there is some

    def implicit_steps(self, derivation: Derivation) -> Sequence[Program]:
        """Predictor and corrector of implicit steps, in a derivation of their own."""
        raise NotImplementedError

    def jacobian(self, derivation: Derivation) -> Program:
        """The Jacobian of the rates, in a derivation of its own."""
        raise NotImplementedError

    def emit_implicit_steps(
        self, programs: Sequence[Program], prefix: str, about: Sequence[str]
    ) -> Files:
        """C around the programs of `implicit_steps`."""
        raise NotImplementedError

    def emit_jacobian(
        self, programs: Sequence[Program], prefix: str, about: Sequence[str]
    ) -> Files:
        """C around the program of `jacobian`."""
        raise NotImplementedError

    def contact_rows(self, derivation: Derivation) -> Program:
        """Hard contacts, in a derivation of their own."""
        raise NotImplementedError

    def emit_contact_rows(
        self, programs: Sequence[Program], prefix: str, about: Sequence[str]
    ) -> Files:
        """C around the program of `contact_rows`."""
        raise NotImplementedError
