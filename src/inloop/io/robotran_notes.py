"""What a user should know about a ROBOTRAN file that was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from inloop.io.notes import not_read
from inloop.io.robotran_elements import MbsSystem
from inloop.model.names import quoted


def notes_of(system: MbsSystem) -> Iterator[str]:
    """Yield one sentence for each thing worth knowing."""
    natures = Counter(joint.nature for body in system.bodies for joint in body.joints)
    for nature, count in natures.items():
        if nature != "independent":
            yield f"{count} joints are {quoted(nature)} in the file; here they are free coordinates"
    if system.cuts:
        yield f"{len(system.cuts)} cut loops are kept in the metadata; the model is the open tree"
    if system.links:
        yield f"{len(system.links)} links are kept in the metadata; the file has no laws for them"
    sensors = sum(len(point.sensors) for body in system.bodies for point in body.points)
    if sensors:
        yield f"{sensors} sensors are kept in the metadata"
    for point in system.base_points:
        for force in point.forces:
            yield f"external force {quoted(force)} acts on the base and has no effect"
    yield from not_read(system.ignored)
