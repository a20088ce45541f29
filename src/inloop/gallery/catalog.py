"""The names of the gallery; a mechanism is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module

from inloop.errors import InputError, near_names
from inloop.gallery.exhibit import Exhibit

# in the order of a guided tour; each is a module of this package with an EXHIBIT
NAMES = (
    "pendulum", "double_pendulum", "n_pendulum", "puma560", "robot", "chain",
    "stick_slip", "incline",
    "four_bar", "slider_crank", "andrews", "bricard", "stewart", "suspension", "car",
    "draw_shot", "bouncing_ball", "cart_pendulum", "simple_action", "piano", "flexlink",
    "flexible_four_bar",
)  # fmt: skip
SHOWN = 40  # characters of an unknown name
NAMED = 8  # names that are listed when there is no near one


def names() -> tuple[str, ...]:
    """Names of all mechanisms."""
    return NAMES


def get(name: str) -> Exhibit:
    """A mechanism by name.

    Raises:
        InputError: there is none of this name; tells which ones there are.
    """
    if name not in NAMES:
        raise _unknown(name)
    exhibit = import_module(f"{__package__}.{name}").EXHIBIT
    assert isinstance(exhibit, Exhibit)
    return exhibit


def _unknown(name: str) -> InputError:
    shown = name if len(name) <= SHOWN else name[: SHOWN - 3] + "..."
    near = near_names(name.lower(), NAMES, cutoff=0.5)
    some = ", ".join(NAMES[:NAMED])
    hint = f"Did you mean '{near[0]}'?" if near else f"It has: {some}, …"
    return InputError(
        f"the gallery has no mechanism {shown!a}", fix=f"{hint} `inloop list` tells all."
    )
