"""The power at all steps of a run with contacts, most of it by interpolation.

Contacts act within a few steps, so that a run with contacts is judged by all of them. The energy of
all steps is known. Power is evaluated at every fourth step, and between by a cubic through its
neighbors; then

    ΔE = ∫ P dt

is held against the energies of all steps. The intervals that fit best stay interpolated, as many as
are off by no more than FITS of the energy exchanged until then, all together; the others are
evaluated step by step, and so are those beside them. So

- a contact that begins and ends between two evaluated steps is always seen, and with it a step that
  is too long for it: it changes the energy, of which the interpolated power knows nothing;
- what is told about a run, and from when on, is what all steps tell: the work is off by no more
  than FITS, and runs are doubted from 200 times as much (verdict.py);
- what passes is what passes with all steps too: forces that come and go within one step and leave
  the energy as it was. Beyond that, only an error of the integration that equals the error of the
  interpolation in each step would pass.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from inloop.plant import Array
from inloop.simulate.judging.balance import ROUNDING, balance, largest

Rows = NDArray[np.intp]  # numbers of samples

APART = 4  # steps between two that are evaluated in any case
FITS = 1e-5  # of the energy exchanged: by so much all interpolated steps together may be off
WORTH = 10 * APART  # steps from which interpolation is worth its while


def contact_power(
    t: Array, energy: Array, drives: Array, laws_at: Callable[[Rows], Array]
) -> Array:
    """Power at all samples [W], shape (N,).

    Args:
        t: times of the samples [s], shape (N,).
        energy: kinetic and potential [J], shape (N, 2).
        drives: power of all but force laws and inputs [W], shape (N,).
        laws_at: gives the power of force laws and inputs at samples by their numbers [W].
    """
    count = len(t)
    if count < WORTH:
        return drives + laws_at(np.arange(count))
    known = np.append(np.arange(0, count - 1, APART), count - 1)
    laws = _between(known, laws_at(known))
    suspicious = _suspicious(t, energy, drives + laws, known)
    rest = np.setdiff1d(suspicious, known, assume_unique=True)
    if len(rest):
        laws[rest] = laws_at(rest)
    return drives + laws


def _between(known: Rows, values: Array) -> Array:
    """A cubic through the neighbors, at all samples."""
    power = np.empty(known[-1] + 1)
    # in steps, of which all intervals but the last one have as many
    before, after = values[:-1], values[1:]
    slope = np.gradient(values, edge_order=2)
    start, end = slope[:-1], slope[1:]
    for k in range(APART):
        s = k / APART
        cubic = before + s * (start + s * (3.0 * (after - before) - 2.0 * start - end))
        cubic += s**3 * (2.0 * (before - after) + start + end)
        places = known[:-1] + k
        inside = places < known[1:]
        power[places[inside]] = cubic[inside]
    power[known] = values
    return power


def _suspicious(t: Array, energy: Array, power: Array, known: Rows) -> Rows:
    """The samples in and beside all intervals in which energy and power do not fit."""
    work = balance(t, power).work
    with np.errstate(all="ignore"):
        off = np.abs(np.diff(energy[:, 0] + energy[:, 1] - work))
        off = np.add.reduceat(off, known[:-1])
        # against the energy exchanged until then: a run that explodes is looked at from its start
        seen = np.maximum.accumulate(np.maximum(energy[:, 0], np.abs(work)))[known[1:]]
        off = np.where(off <= ROUNDING * largest(energy), 0.0, off / seen)
        # from the best ones on, as many as fit together; what is not finite does not fit
        order = np.argsort(off)
        bad = np.ones(len(off), dtype=bool)
        bad[order[np.cumsum(off[order]) <= FITS]] = False
    beside = bad.copy()
    beside[1:] |= bad[:-1]
    beside[:-1] |= bad[1:]
    return np.asarray(np.flatnonzero(np.repeat(beside, np.diff(known))))
