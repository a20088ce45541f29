"""Surface materials of visuals: names that renderers map to shading."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

from inloop.errors import InputError
from inloop.geometry.sizes import shown

Material: TypeAlias = Literal[
    "plastic", "metal", "paint", "rubber", "wood", "felt", "leather", "glass"
]
MATERIALS: Final[tuple[str, ...]] = get_args(Material)


def material_of(value: object) -> Material:
    """Return the material of a given name.

    Raises:
        InputError: there is no such material.
    """
    if value not in MATERIALS:
        raise InputError(
            f"unknown material {shown(value)} of a visual",
            fix=f"Write material={', '.join(map(repr, MATERIALS[:-1]))} or {MATERIALS[-1]!r}.",
        )
    return value  # type: ignore[return-value]
