"""Where many runs are computed: in this process, or on a Ray cluster."""

from __future__ import annotations

import types
from typing import Any

from inloop.errors import InputError
from inloop.plant.arguments import useless
from inloop.simulate.many.ray_cluster import RayCluster

RAY = "ray"


def find_place(on: Any) -> RayCluster | None:
    """The place chosen by the user; None: this process.

    Args:
        on: None, "ray", the module `ray`, or the address of a cluster.

    Raises:
        InputError: it is none of these.
    """
    if on is None:
        return None
    # == of an array returns an array
    named = isinstance(on, str) and on == RAY
    if named or (isinstance(on, types.ModuleType) and on.__name__ == RAY):
        return RayCluster(None)
    if not isinstance(on, str):
        raise useless(on, "on", 'Give "ray", or the address of a Ray cluster.')
    host, _, port = on.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal() or "/" in host or on != on.strip():
        raise InputError(
            f"on is {on[:60]!a}, which is not a place to run",
            fix='Give "ray", or an address such as "10.0.0.5:6379" or "ray://head:10001".',
        )
    return RayCluster(on)
