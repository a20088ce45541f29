"""Writes for type checkers and editors what is found at run time.

A kind of joint or sensor is one file; what a person writes for it, such as `il.screw(...)`, is
found there. Stubs name all of them, so that they are completed, documented and checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from inloop.joints.kinds import WRITTEN as JOINTS
from inloop.model.sensors.kinds import WRITTEN as SENSORS

ABOVE = Path(__file__).parent.parent
STUBS: dict[Path, Mapping[str, Callable[..., object]]] = {
    ABOVE / "joints" / "written.pyi": JOINTS,
    ABOVE / "model" / "sensors" / "written.pyi": SENSORS,
}
HEAD = "# Written by `python -m inloop.model.written_stubs`: add a file to kinds/ instead.\n"


def stub(written: Mapping[str, Callable[..., object]]) -> str:
    """The text of a stub that names functions where they are defined."""
    names = sorted(written)
    imports = "".join(f"from {written[name].__module__} import {name}\n" for name in names)
    listed = "".join(f'    "{name}",\n' for name in names)
    return f"{HEAD}\n{imports}\n__all__ = [\n{listed}]\n"


if __name__ == "__main__":
    for target, functions in STUBS.items():
        target.write_text(stub(functions), encoding="utf-8")
