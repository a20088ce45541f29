"""Names for structures of il_loop.h that are made at their first use; see `mirror`."""

from __future__ import annotations

import ctypes
from typing import Any, cast

from inloop.native.mirror import mirror

TargetStructure = ctypes.Structure


class AspectStructure(ctypes.Structure):
    """Makes an il_aspect."""

    def __new__(cls, **fields: Any) -> AspectStructure:
        """With these fields."""
        return cast(AspectStructure, mirror("il_aspect")(**fields))


class ViewStructure(ctypes.Structure):
    """Makes an il_view."""

    def __new__(cls, *values: Any) -> ViewStructure:
        """With these values of its first fields."""
        return cast(ViewStructure, mirror("il_view")(*values))
