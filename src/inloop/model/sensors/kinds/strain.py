"""A strain gauge on a flexible link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from inloop.errors import InputError
from inloop.model.flexible_links.flexible import FlexibleLink
from inloop.model.geometry import Scalar
from inloop.model.handles import Handle
from inloop.model.intake import is_number
from inloop.model.sensors.seen import Seen
from inloop.model.sensors.sensor import Role, SensorKind, SensorSpec


@dataclass(frozen=True)
class Strain(SensorKind):
    """Tells how much a link is stretched on its surface.

    Attributes:
        share: of the length of the link, from its root.
        height: of the gauge above the middle of the link, along y of its axes [m].
    """

    name: ClassVar[str] = "strain"
    roles: ClassVar[tuple[Role, ...]] = ("flexible link",)
    share: float
    height: Scalar

    def signals(self, at: Sequence[FlexibleLink]) -> dict[str, str]:
        """See `SensorKind`."""
        return {"": "1"}

    def read(self, seen: Seen, at: Sequence[FlexibleLink]) -> Sequence[Scalar]:
        """See `SensorKind`."""
        bent = seen.number(self.height) * seen.curvature(at[0], self.share)
        return (seen.stretch(at[0], self.share) - bent,)


def strain(link: Handle | str, height: Scalar, share: float = 0.0) -> SensorSpec:
    """Measure the strain on the surface of a flexible link: "<name>", positive if stretched.

    Args:
        link: what m.flexible_link(...) returned, or its name.
        height: of the gauge above the middle of the link, towards positive w [m].
        share: where it sits, from 0 at the root to 1 at the tip.
    """
    if not is_number(share) or not 0.0 <= share <= 1.0:
        raise InputError(
            f"a strain gauge cannot sit at {share!r:.40} of a link",
            fix="Give a fraction of its length, from 0 at the root to 1 at the tip.",
        )
    return SensorSpec(Strain(float(share), height), (link,))
