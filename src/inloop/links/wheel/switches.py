"""Buttons of a wheel: gears, brake and reverse as latched states, and a reset."""

from __future__ import annotations

LOWEST, HIGHEST = -1, 6  # gears
GEARS = {"gear_up": 1, "gear_down": -1}
TOGGLES = ("parking", "reverse")


class Switches:
    """States of the switches.

    Attributes:
        values: inputs by the names "gear", "parking" and "reverse", as far as there are buttons.
    """

    def __init__(self, buttons: dict[str, int]) -> None:
        """Of buttons by name, see `profile.BUTTONS`, with their codes."""
        self._names = {code: name for name, code in buttons.items()}
        names = ["gear"] * any(name in GEARS for name in buttons)
        names += [name for name in TOGGLES if name in buttons]
        self.values = dict.fromkeys(names, 0.0)

    def press(self, code: int) -> bool:
        """A button was pressed; True if it requests a reset."""
        name = self._names.get(code, "")
        if name in GEARS:
            wanted = self.values["gear"] + GEARS[name]
            self.values["gear"] = float(min(max(wanted, LOWEST), HIGHEST))
        elif name in TOGGLES:
            self.values[name] = 1.0 - self.values[name]
        return name == "reset"
