"""The studio's menu: what it says of options is what holds when one is chosen."""

from __future__ import annotations

import pytest

import inloop as il
from inloop.cli.commands.studio_catalog import GalleryCatalog


def test_ranges_of_options_are_told_and_hold() -> None:
    catalog = GalleryCatalog()
    numbers = [
        (entry["name"], option)
        for entry in catalog.menu()
        for option in entry["options"]
        if not isinstance(option["default"], bool)
    ]
    assert ("n_pendulum", "n") in [(name, option["name"]) for name, option in numbers]
    for name, option in numbers:
        low, high = option["range"]
        assert low <= option["default"] <= high
        assert f"{low:g}" in option["allowed"] and f"{high:g}" in option["allowed"]
        for beyond in (low - 1, high + 1):
            with pytest.raises(il.InputError) as refused:
                catalog.choose(name, {option["name"]: beyond})
            assert option["allowed"] in str(refused.value)
