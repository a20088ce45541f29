"""Write type stubs for functions that are discovered at run time.

Each kind of joint or sensor is one file that also defines its user function, such as
`il.screw(...)`. Stubs list all of them for completion, documentation and type checks.
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
    """The text of a stub that imports functions from where they are defined."""
    names = sorted(written)
    imports = "".join(f"from {written[name].__module__} import {name}\n" for name in names)
    listed = "".join(f'    "{name}",\n' for name in names)
    return f"{HEAD}\n{imports}\n__all__ = [\n{listed}]\n"


if __name__ == "__main__":
    for target, functions in STUBS.items():
        target.write_text(stub(functions), encoding="utf-8")
