"""The kinds of joints, one file each; every file in this folder is found automatically.

A file defines a subclass of `JointKind` and the public function of the same name, which returns one
joint or several in sequence.
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
# public functions by name: revolute(...), ...
WRITTEN: dict[str, Callable[..., JointSpec | list[JointSpec]]] = {
    name: getattr(modules[kind.__module__], name) for name, kind in KINDS.items()
}
