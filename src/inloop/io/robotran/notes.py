"""Notes for the user about an imported ROBOTRAN file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator

from inloop.io.notes import not_read
from inloop.io.robotran.elements import DEPENDENT, DRIVEN, INDEPENDENT, MbsSystem
from inloop.model.names import quoted


def notes_of(system: MbsSystem, laws: Container[str]) -> Iterator[str]:
    """Yield one sentence per note.

    Args:
        system: elements of the file.
        laws: names of the links with a law.
    """
    natures = Counter(joint.nature for body in system.bodies for joint in body.joints)
    for nature, count in natures.items():
        if nature in DRIVEN:
            yield f"{count} joints are {quoted(nature)} in the file; their motion is a live input"
        elif nature == DEPENDENT and not system.cuts:
            yield (
                f"{count} joints are {quoted(nature)} in the file, which cuts no loop; here they "
                "are free coordinates"
            )
        elif nature not in (INDEPENDENT, DEPENDENT):
            yield f"{count} joints are {quoted(nature)} in the file; here they are free coordinates"
    without = [quoted(link.name) for link in system.links if link.name not in laws]
    if without:
        yield (
            f"{len(without)} links are kept in the metadata but exert no force "
            f"({', '.join(without)}), since the file has no laws for them: give link_laws="
        )
    sensors = sum(len(point.sensors) for body in system.bodies for point in body.points)
    if sensors:
        yield f"{sensors} sensors are kept in the metadata"
    for point in system.base_points:
        for force in point.forces:
            yield f"external force {quoted(force)} acts on the base and has no effect"
    yield from not_read(system.ignored)
