"""Observers in a thread of C beside a plant: at its mailbox, like any controller."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import inloop as il
from inloop.realtime import Recording, record
from inloop.realtime.mailboxes.layout import Layout
from inloop.realtime.mailboxes.mirror import Mirror
from inloop.realtime.mailboxes.outputs import Flag, State

PERIOD, HANG = 2e-3, 30.0


def observer_of(plant: il.Plant, **options: object) -> il.observers.Observer:
    given = {"measured": {"rail.q": 1e-4}, "period": PERIOD, **options}
    return il.observer(
        plant, unknown={"rail.tau": 3.0}, doubt={"rail.q": 0.05, "rail.qd": 0.3}, **given
    )


def test_records_appear_once_more_with_estimates(oscillator: il.Plant) -> None:
    python, draw = observer_of(oscillator), np.random.default_rng(4)
    options = {"rate": 1.0 / PERIOD, "mode": "lock-step", "q": {"rail": 0.04}}
    with (
        il.start(oscillator, name="seen", **options) as loop,
        il.observe("seen", observer_of(oscillator)) as seen,
        il.attach("seen.observed") as estimates,
    ):
        plant = loop.mailbox
        for k in range(60):
            told = estimates.wait(HANG)
            assert told is not None
            record = plant.read()
            assert (told.step, told.flags) == (k, record.flags)
            for part in ("q", "qd", "inputs", "x"):
                np.testing.assert_array_equal(getattr(told, part), getattr(record, part))
            estimate = python.step(record)
            for name in ("rail.q", "rail.qd", "rail.tau.unknown"):
                assert told[f"observer.{name}"] == estimate[name]
                assert told[f"observer.{name}.deviation"] == estimate.deviations[name]
            assert told["observer.nis"] == estimate.nis
            plant.write({"rail.tau": draw.normal()})
        # it is there to be read
        with pytest.raises(il.MailboxError, match=r"inputs of plant 'seen\.obs"):
            estimates.write({"rail.tau": 1.0})
        with pytest.raises(il.MailboxError, match=r"commands of plant 'seen.observed'"):
            estimates.pause()
        assert "observer.rail.q" not in plant.layout.index
        loop.close()
        assert seen.wait(HANG)
        assert estimates.gone
    assert seen.lost == 0
    assert "seen.observed" not in il.running()


def test_parameters_that_change_are_passed_on(tmp_path: Path) -> None:
    """Readers of the estimates find the parameters of each record, so nothing is lost."""
    m = il.Model("weight", gravity=(0.0, 0.0, 0.0))
    m.body("mass", on=m.ground, joint=il.prismatic("x", name="rail"), mass=1.3)
    plant = m.compile(live=["mass.mass"])
    clock = il.ScriptedClock()
    with il.start(plant, name="weighed", rate=1.0 / PERIOD, clock=clock) as loop:
        loop.mailbox.parameters["mass.mass"] = 1.5
        loop.clock.advance(5 * PERIOD)
        with il.observe("weighed", observer_of(plant)) as seen:
            box = seen.mailbox
            for mass in (1.5, 2.0, 3.0):
                loop.mailbox.parameters["mass.mass"] = mass
                loop.clock.advance(5 * PERIOD)
                while box.peek().t < loop.mailbox.peek().t:
                    assert box.wait(HANG)
                assert box.parameters["mass.mass"] == mass
            found = record(box, tmp_path / "estimates.mcap", seconds=0.0)
    assert (found.records, found.lost) == (16, 0)
    told = [sample.parameters for sample in Recording(found.path)]
    masses = [float(values[0]) for values in told if values is not None]
    assert masses == [1.5, 1.5, 2.0, 3.0]


@contextlib.contextmanager
def device(layout: Layout) -> Iterator[Mirror]:
    """A mailbox that a link fills: nobody steps anything."""
    with Mirror("device", layout, np.array([x.default for x in layout.parameters])) as made:
        made.tell(State.RUNNING)
        yield made


def test_a_device_whose_records_get_lost(oscillator: il.Plant) -> None:
    """Records that never came are bridged, as the same observer does in Python."""
    python = observer_of(oscillator)
    with il.start(oscillator, name="model", rate=1.0 / PERIOD, mode="lock-step") as loop:
        layout = loop.mailbox.layout
    at, wait = layout.index, contextlib.ExitStack()
    with device(layout) as mailbox, wait:
        rows = np.zeros((60, layout.counts[0]))
        rows[:, 0] = PERIOD * np.arange(len(rows))
        rows[:, at["rail.q"]] = 0.03 * np.cos(5.0 * rows[:, 0])
        rows[:, at["rail.tau"]] = 2.0 * np.sin(9.0 * rows[:, 0])
        rows[7, at["rail.q"]] = np.nan  # this one was not measured
        mailbox.publish(rows[0], flags=int(Flag.SET))
        seen = wait.enter_context(il.observe("device", observer_of(oscillator)))
        box = wait.enter_context(il.attach("device.observed"))
        for k, row in enumerate(rows):
            if k in (20, 21, 22, 40):
                continue
            if k > 0:
                mailbox.publish(row, step=k)
            told = box.wait(HANG)
            assert told is not None
            values = {name: float(row[at[name]]) for name in ("t", "rail.q", "rail.tau")}
            estimate = python.step(values)
            assert told["observer.rail.qd"] == estimate["rail.qd"]
            assert told["observer.rail.qd.deviation"] == estimate.deviations["rail.qd"]
            assert told["observer.lost"] == python.lost
            assert np.isnan(told["observer.rail.q.innovation"]) == (k == 7)
        assert python.lost == 4
        # the device has been started anew
        mailbox.publish(rows[0], step=0)
        told = box.wait(HANG)
        assert told["observer.restarts"] == 1.0
        # too far ahead to be bridged
        rows[1, 0] = 1e6
        mailbox.publish(rows[1], step=1)
        assert box.wait(HANG)["observer.restarts"] == 2.0
        mailbox.end()
        assert seen.wait(HANG)


def test_what_does_not_fit_is_refused(oscillator: il.Plant, rocker: il.Plant) -> None:
    with pytest.raises(il.MailboxError, match="no plant named 'nobody' runs here"):
        il.observe("nobody", observer_of(oscillator))
    with il.start(rocker, name="bars", rate=1.0 / PERIOD, mode="lock-step"):
        with pytest.raises(il.InputError, match=r"plant 'rocker' has no output 'rail.q'"):
            il.observe("bars", observer_of(oscillator))
        with pytest.raises(il.InputError, match="priority = 400"):
            il.observe("bars", observer_of(oscillator), priority=400)
    assert "bars.observed" not in il.running()
