"""Experiments with the flexible link of the gallery: frequencies, and the spectrum of a tap."""

from __future__ import annotations

import numpy as np
import pytest

from inloop import gallery
from inloop.gallery.flexlink.experiments import modes, tap


def test_modes_are_those_of_theory_and_lead_to_the_measured_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(modes, "MANY", 4)  # spares a compilation; see test_rod for ten
    figures = gallery.get("flexlink").experiment("modes").figures
    # of the source's data: finite elements, theory
    found, exact = figures["frequencies_hz"], figures["theory [Hz]"]
    assert found[:4] == pytest.approx((3.879, 24.336, 68.590, 135.31), rel=1e-3)
    assert exact == pytest.approx((3.879, 24.308, 68.063, 133.38, 220.48), rel=2e-4)
    assert figures["free length [m]"] == pytest.approx(1.39, abs=0.005)
    fitted = figures["frequencies with the free length [Hz]"]
    assert fitted[:3] == pytest.approx(modes.MEASURED[:3], rel=0.02)


def test_peaks_of_a_spectrum_are_found_between_its_lines() -> None:
    t = np.arange(0.0, tap.BETWEEN * len(tap.TAPS) + 0.2, tap.SAMPLE)
    exact = np.array([3.876, 24.31, 68.17])
    signal = np.zeros_like(t)
    for moment in tap.TAPS:
        after = np.maximum(t - moment - tap.CONTACT, 0.0)
        for k, f in enumerate(exact):
            decay = np.exp(-0.3 * (k + 1) * after)
            signal += np.where(after > 0.0, decay * np.sin(2 * np.pi * f * after), 0.0)
    f, size = tap.spectrum(signal)
    assert tap.peaks(f, size, exact * 1.03) == pytest.approx(exact, abs=0.03)
    assert f[1] > 0.2  # the lines are farther apart
