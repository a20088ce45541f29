"""The flexible link, hub held, tapped at its tip with a hammer: spectrum of the strain signal."""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import Bench, Experiment, Outcome
from inloop.gallery.flexlink.experiments.modes import MEASURED, frequencies
from inloop.gallery.flexlink.experiments.plots import BLUE, ORANGE, dress

STEP, SAMPLE = 2e-5, 5e-4  # [s]
TAPS, BETWEEN = (0.05, 4.05, 8.05), 4.0  # times of the taps, interval between them [s]
PUSH, CONTACT = 40.0, 1e-3  # of a tap: maximum force [N], duration [s]
SHOWN = 300.0  # [Hz]
NEAR = 0.1  # relative range around a mode's frequency in which its peak is searched


def _hammer(t: Any) -> Any:
    """Force of the hammer: half sine waves [N]."""
    force: Any = 0.0
    for tap in TAPS:
        inside = il.where(t > tap, il.where(t < tap + CONTACT, 1.0, 0.0), 0.0)
        force = force + inside * PUSH * il.sin((np.pi / CONTACT) * (t - tap))
    return force


def spectrum(signal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies [Hz] and amplitudes after a tap, root mean square over all taps.

    The window is the falling half of a Hann window, since the response starts at full amplitude.
    """
    count = round((BETWEEN - CONTACT) / SAMPLE)
    first = [round((tap + CONTACT) / SAMPLE) for tap in TAPS]
    parts = [signal[k : k + count] for k in first if k + count <= len(signal)]
    if not parts:
        raise il.InputError("the run ends before the first tap is over", fix="Run for 5 s or more.")
    window = np.hanning(2 * count)[count:]
    power = [np.abs(np.fft.rfft((part - part.mean()) * window)) ** 2 for part in parts]
    size = 2.0 * np.sqrt(np.mean(power, axis=0)) / window.sum()
    return np.fft.rfftfreq(count, SAMPLE), np.asarray(size)


def peaks(f: np.ndarray, size: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Peaks within 10 % of each frequency, by parabolic interpolation of the logarithm [Hz]."""
    refined = []
    for frequency in near:
        inside = np.flatnonzero(np.abs(f / frequency - 1.0) < NEAR)
        k = int(inside[np.argmax(size[inside])])
        low, top, high = np.log(size[k - 1 : k + 2])
        refined.append(f[k] + (f[1] - f[0]) * 0.5 * (low - high) / (low - 2.0 * top + high))
    return np.array(refined)


def _run(bench: Bench) -> Outcome:
    plant = bench.compile(held=True)
    modes = frequencies(bench.compile())
    rest = plant.equilibrium()
    run = plant.simulate(
        t_end=bench.seconds or len(TAPS) * BETWEEN + TAPS[0],
        step=STEP,
        sample=SAMPLE,
        q=rest.q,
        inputs={"load_origin.force.z": _hammer},
    )
    f, size = spectrum(run["strain"])
    seen = peaks(f, size, modes)
    return Outcome(
        figures={
            "peaks_hz": tuple(map(float, seen)),
            "frequencies_hz": tuple(map(float, modes)),
            "measured [Hz]": MEASURED,
            "largest strain signal [V]": float(np.abs(run["strain"]).max()),
        },
        draw=lambda figure: _draw(figure, run, f, size, seen),
        size=(8.0, 6.0),
        result=run,
        notes=("--set length=1.39 gives the free length that fits the measured modes",),
    )


def _draw(figure: Any, run: il.Result, f: np.ndarray, size: np.ndarray, seen: np.ndarray) -> None:
    upper, lower = figure.subplots(2, 1, height_ratios=(1.0, 1.6))
    upper.plot(run.t, run["strain"], color=BLUE, linewidth=0.7)
    dress(upper, "strain [V]")
    upper.set_xlabel("t [s]")
    shown = f <= SHOWN
    lower.semilogy(f[shown], size[shown], color=BLUE, linewidth=0.9)
    for frequency in seen:
        lower.axvline(frequency, color=BLUE, linewidth=0.7, linestyle=":")
    for frequency in MEASURED:
        lower.axvline(frequency, color=ORANGE, linewidth=0.9, linestyle="--")
    lower.plot([], [], color=ORANGE, linestyle="--", label="measured (source)")
    lower.plot([], [], color=BLUE, linestyle=":", label="peaks")
    lower.legend(fontsize=8)
    dress(lower, "amplitude of strain [V]")
    lower.set_xlabel("frequency [Hz]")


TAP = Experiment("Tapped at the tip with the hub held: spectrum of the strain signal.", _run)
