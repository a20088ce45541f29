"""A plant whose loop has an observer: estimates beside the truth in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser_page import comes, opened, own_plant, pass_time
from playwright.sync_api import Browser

import inloop as il
from inloop.cli.observers import named_observer

CART = """
import inloop as il

model = il.Model("cart", gravity=(0.0, 0.0, 0.0))
rail = il.prismatic("x", name="rail", initial=(0.3, 0.0))
model.body("cart", on=model.ground, joint=rail, mass=2.0)
model.joint_force("rail", lambda q, qd: -40.0 * q)


def watching():
    return il.observer(model.compile(), measured={"rail.q": 1e-3}, q={"rail": 0.2}, period=1e-3)
"""


@pytest.mark.long
def test_estimates_are_shown_beside_the_truth(
    browser: Browser, tmp_path: Path, errors: list[str]
) -> None:
    file = tmp_path / "cart.py"
    file.write_text(CART)
    with (
        own_plant(str(file), "--observer", "watching", recordings=tmp_path) as studio,
        opened(browser, studio.address, errors) as page,
        il.attach(studio.plant) as box,
    ):
        both = "rail.q,observer.rail.q,rail.qd,observer.rail.qd"
        sure = "observer.rail.q.deviation,observer.rail.qd.deviation"
        comes(page, f"String(inloop.plots.subscription.names) === '{both},{sure}'")
        assert page.evaluate("inloop.plots.chosen.join()") == both
        pass_time(page, box, 0.5)
        last = "(name) => inloop.plots.samples.columns.get(name)[inloop.plots.samples.length - 1]"
        comes(page, f"inloop.plots.samples.end === {box.peek().t!r}")
        told = [page.evaluate(last, name) for name in ("rail.q", "observer.rail.q")]
        assert told[1] == pytest.approx(told[0], abs=2e-3)
        assert told[0] == pytest.approx(box.peek()["rail.q"], abs=1e-6)
        # the dashes let the truth show through
        dashes = page.evaluate("inloop.plots.charts[0].plot.series.slice(1).map((s) => s.dash)")
        assert not dashes[0] and len(dashes[1]) == 2
        # about the estimate a band, two deviations to each side: the last column of its chart
        comes(page, f"inloop.plots.charts[0].data[0].at(-1) === {box.peek().t!r}")
        assert page.evaluate("inloop.plots.charts[0].columns.at(-1)") in sure
        wide = page.evaluate("inloop.plots.charts[0].data.at(-1).at(-1)")
        assert wide == pytest.approx(box.peek()["observer.rail.q.deviation"], rel=1e-6)
    assert not errors


def test_an_observer_that_a_file_does_not_define_is_named() -> None:
    with pytest.raises(il.InputError, match=r"has no observer 'nope'\. Define it in the file"):
        named_observer("nope", {"model": 1})
