"""The power at all steps of a run with contacts, mostly by interpolation.

Contacts act within a few steps, so a run with contacts is checked at all of them. The energy at all
steps is known. Power is evaluated at every fourth step and interpolated by a cubic in between; then

    ΔE = ∫ P dt

is compared with the energies of all steps. The best-fitting intervals stay interpolated, as many as
are off by no more than FITS of the energy exchanged so far in total; the others and their neighbors
are evaluated step by step. So

- a contact that begins and ends between two evaluated steps is always detected, and with it a
  step that is too long: it changes the energy, but not the interpolated power;
- what is reported about a run, and from when on, is what all steps would report: the work is
  off by at most FITS, and runs are doubted from 200 times as much (verdict.py);
- what goes undetected would also do so with all steps: forces that come and go within one step
  and leave the energy unchanged. Beyond that, only an integration error that equals the
  interpolation error in each step would go undetected.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from inloop.plant import Array
from inloop.simulate.judging.balance import ROUNDING, balance, largest

Rows = NDArray[np.intp]  # indices of samples

APART = 4  # steps between two that are always evaluated
FITS = 1e-5  # of the energy exchanged: maximum error of all interpolated steps together
WORTH = 10 * APART  # minimum number of steps for which interpolation pays off


def contact_power(
    t: Array, energy: Array, drives: Array, laws_at: Callable[[Rows], Array]
) -> Array:
    """Power at all samples [W], shape (N,).

    Args:
        t: times of the samples [s], shape (N,).
        energy: kinetic and potential [J], shape (N, 2).
        drives: power of everything except force laws and inputs [W], shape (N,).
        laws_at: returns the power of force laws and inputs at samples, by index [W].
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
    """Cubic interpolation at all samples."""
    power = np.empty(known[-1] + 1)
    # in units of intervals, which all but the last have the same number of steps
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
    """The samples in and next to intervals in which energy and power do not match."""
    work = balance(t, power).work
    with np.errstate(all="ignore"):
        off = np.abs(np.diff(energy[:, 0] + energy[:, 1] - work))
        off = np.add.reduceat(off, known[:-1])
        # relative to the energy exchanged so far: a run that explodes is examined from its start
        seen = np.maximum.accumulate(np.maximum(energy[:, 0], np.abs(work)))[known[1:]]
        off = np.where(off <= ROUNDING * largest(energy), 0.0, off / seen)
        # the best ones, as many as fit together; values that are not finite do not
        order = np.argsort(off)
        bad = np.ones(len(off), dtype=bool)
        bad[order[np.cumsum(off[order]) <= FITS]] = False
    beside = bad.copy()
    beside[1:] |= bad[:-1]
    beside[:-1] |= bad[1:]
    return np.asarray(np.flatnonzero(np.repeat(beside, np.diff(known))))
