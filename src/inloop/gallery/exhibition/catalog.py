"""The names of the gallery; an exhibit is imported on first use.

Every module or package of `inloop.gallery` except `exhibition` is an exhibit: a module defines it
as `EXHIBIT`, a package in its module `exhibit`. Installed packages add theirs by entry points.
"""

from __future__ import annotations

import functools
import pkgutil
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module

from inloop.errors import InputError, near_names
from inloop.gallery.exhibition.exhibit import Exhibit
from inloop.gallery.exhibition.installed import Installed, installed_exhibits

GALLERY, _, HERE = __package__.rpartition(".")
# the order of a guided tour; exhibits that are not listed follow in alphabetical order
TOUR = (
    "pendulum", "double_pendulum", "n_pendulum", "puma560", "robot", "chain", "heavy_top",
    "satellite",
    "stick_slip", "incline",
    "four_bar", "slider_crank", "andrews", "bricard", "stewart", "suspension", "car",
    "tilting_vehicle", "kart", "truss", "chain_fountain", "rotor",
    "rolling_disc", "bicycle",
    "draw_shot", "bouncing_ball", "rocking_block", "tipping_box", "wall_pendulum", "woodpecker",
    "slider_clearance", "gripper", "robot_obstacle", "marbles", "box_stack", "wall",
    "rover", "cart_pendulum", "simple_action", "piano", "flexlink", "flexible_four_bar",
)  # fmt: skip
SHOWN = 40  # characters shown of an unknown name

Load = Callable[[], Exhibit]


def names() -> tuple[str, ...]:
    """Names of all exhibits: those of inloop, then those of installed packages."""
    return tuple(_entries())


def get(name: str) -> Exhibit:
    """An exhibit by name.

    Raises:
        InputError: the name is unknown, or the package that provides it cannot be used.
    """
    entries = _entries()
    if name not in entries:
        raise _unknown(name, entries)
    return entries[name]()


def exhibits() -> list[Exhibit]:
    """All exhibits. Warns about those that cannot be loaded."""
    loaded = []
    for name in names():
        try:
            loaded.append(get(name))
        except InputError as error:
            warnings.warn(str(error), stacklevel=2)
    return loaded


@functools.cache
def _entries() -> Mapping[str, Load]:
    """Function that imports each exhibit, by name; searched for once."""
    loaders: dict[str, Load] = _own()
    owners = dict.fromkeys(loaders, "the gallery of inloop")
    for exhibit in installed_exhibits():
        if exhibit.name in loaders:
            _warn_clash(exhibit, owners[exhibit.name])
            continue
        loaders[exhibit.name] = exhibit.load
        owners[exhibit.name] = f"package {exhibit.package!a}"
    return loaders


def _own() -> dict[str, Load]:
    modules = {
        item.name: f"{GALLERY}.{item.name}" + (".exhibit" if item.ispkg else "")
        for item in pkgutil.iter_modules(import_module(GALLERY).__path__)
        if item.name != HERE
    }
    place = {name: k for k, name in enumerate(TOUR)}
    ordered = sorted(modules, key=lambda name: (place.get(name, len(TOUR)), name))
    return {name: functools.partial(_load, modules[name]) for name in ordered}


def _load(module: str) -> Exhibit:
    exhibit = import_module(module).EXHIBIT
    assert isinstance(exhibit, Exhibit)
    return exhibit


def _warn_clash(exhibit: Installed, owner: str) -> None:
    warnings.warn(
        f"exhibit '{exhibit.name}' of package {exhibit.package!a} is left out: {owner} has one of "
        f"this name. Give its entry point another name.",
        stacklevel=2,
    )


def _unknown(name: str, known: Mapping[str, Load]) -> InputError:
    shown = name if len(name) <= SHOWN else name[: SHOWN - 3] + "..."
    near = near_names(name.lower(), known)
    hint = f"Did you mean '{near[0]}'? " if near else ""
    return InputError(
        f"the gallery has no mechanism {shown!a}", fix=f"{hint}`inloop list` shows them all."
    )
