"""The kinds of joints, one file each: a file that is put here is found.

A file holds a subclass of `JointKind` and the function, called as the kind, with which a person
writes such a joint, or several in a row.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from sys import modules

from inloop.joints.kind import JointKind
from inloop.joints.spec import JointSpec

for _found in iter_modules(__path__):
    import_module(f"{__name__}.{_found.name}")

KINDS: dict[str, type[JointKind]] = {kind.name: kind for kind in JointKind.__subclasses__()}
# what a person writes, by name: revolute(...), ...
WRITTEN: dict[str, Callable[..., JointSpec | list[JointSpec]]] = {
    name: getattr(modules[kind.__module__], name) for name, kind in KINDS.items()
}
