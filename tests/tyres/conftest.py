"""Tyres that the tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

import inloop as il

DATA = Path(__file__).parents[1] / "io" / "data"


@pytest.fixture(scope="session")
def tyre_a() -> il.tyres.Pac2002:
    return il.load_tyre(DATA / "passenger_235_60_r16.tir")


@pytest.fixture(scope="session")
def tyre_b() -> il.tyres.Pac2002:
    return il.load_tyre(DATA / "passenger_185_80_r14.tir")
