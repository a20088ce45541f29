"""How the page draws: which style it chooses, what a person chooses, and where its eye is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser_page import comes, opened, own_plant
from playwright.sync_api import Browser, Page

TINY = {"width": 500, "height": 420}
# an eye that looks at a box: whether it sees all corners, and how much of the picture they fill
FIT = """([low, high, points, planar, aspect]) => {
    const eye = new inloop.view.eye.constructor();
    eye.setAspect(aspect);
    eye.setScene({ planar, up: "z", bounds: { min: low, max: high, points } });
    eye.apply();
    const Vector = eye.target.constructor;
    const corners = [low[0], high[0]].flatMap((x) => [low[1], high[1]].flatMap(
        (y) => [low[2], high[2]].map((z) => new Vector(x, y, z))));
    const seen = points.length ? points.map((p) => new Vector(...p)) : corners;
    const at = seen.map((p) => p.clone().project(eye.camera));
    const wide = Math.max(...at.map(({ x }) => Math.abs(x)));
    const upright = Math.max(...at.map(({ y }) => Math.abs(y)));
    return [seen.every((p) => eye.sees(p)), wide, upright];
}"""


@pytest.fixture(scope="module")
def shared(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Page, str]]:
    errors: list[str] = []
    with (
        own_plant("pendulum", recordings=tmp_path_factory.mktemp("recordings")) as studio,
        opened(browser, studio.address, errors, viewport=TINY) as found,
    ):
        yield found, studio.address
    assert not errors


@pytest.fixture
def page(shared: tuple[Page, str]) -> Page:
    """Where nothing is drawn: for what is told without a picture."""
    return shared[0]


@pytest.fixture
def drawn(browser: Browser, shared: tuple[Page, str], errors: list[str]) -> Iterator[Page]:
    """Where the mechanism is drawn."""
    with opened(browser, shared[1], errors, draws=True, viewport=TINY) as found:
        yield found
    assert not errors


def style(page: Page) -> str:
    return str(page.evaluate("inloop.view.quality.style"))


@pytest.mark.long
def test_a_processor_draws_the_simple_style_until_a_person_chooses(drawn: Page) -> None:
    page = drawn
    assert page.evaluate("inloop.view.slow")  # Chromium of the tests has no graphics card
    assert style(page) == "simple"
    assert page.evaluate("localStorage.getItem('inloop.style')") is None
    comes(page, "inloop.view.settled")
    few = page.evaluate("inloop.view.calls")
    page.locator("#style").click()
    assert style(page) == "full" and page.locator("#style").text_content() == "Full"
    assert page.locator("#style").get_attribute("aria-pressed") == "true"
    comes(page, "inloop.view.settled")
    # shadows are a pass of their own
    assert page.evaluate("inloop.view.calls") > few
    page.reload()
    comes(page, "window.inloop?.view.scene")
    assert style(page) == "full"  # the choice was kept
    page.locator("#style").click()
    assert page.evaluate("localStorage.getItem('inloop.style')") == "simple"


def test_full_pictures_that_take_too_long_become_simple_ones(page: Page) -> None:
    find = """(chosen) => {
        const { quality } = inloop.view;
        const kept = [quality.chosen, quality.style, quality.changed];
        Object.assign(quality, { chosen, style: "full", changed: () => {}, late: 0 });
        const found = [10, 50, 50, 50, 10, 50, 50, 50, 50].map((cost) => {
            quality.took(cost);
            return quality.style;
        });
        [quality.chosen, quality.style, quality.changed] = kept;
        quality.show();
        return found;
    }"""
    # four in a row, and only if nobody wants it so
    assert page.evaluate(find, False) == ["full"] * 8 + ["simple"]
    assert page.evaluate(find, True) == ["full"] * 9


@pytest.mark.parametrize("planar", [None, "xz"])
@pytest.mark.parametrize("aspect", [0.6, 1.0, 2.2])
def test_the_eye_sees_all_of_a_box_and_no_more_than_it_must(
    page: Page, planar: str | None, aspect: float
) -> None:
    low, high = [-0.4, 0.3, -1.2], [1.9, 1.1, 0.2]
    for points in ([], [[-0.4, 0.3, -0.5], [1.9, 1.1, -0.5], [0.7, 0.7, -1.2], [0.6, 0.6, 0.2]]):
        sees, wide, upright = page.evaluate(FIT, [low, high, points, planar, aspect])
        assert sees and wide < 1.0 and upright < 1.0
        # nearly as wide as the picture, or nearly as high
        assert wide > 0.9 or upright > 0.85


def test_what_moves_out_of_the_picture_widens_it_and_what_is_seen_does_not(page: Page) -> None:
    find = """() => {
        const eye = new inloop.view.eye.constructor();
        eye.setScene({ planar: null, up: "z",
            bounds: { min: [-1, -1, -1], max: [1, 1, 1], points: [] } });
        const Vector = eye.target.constructor;
        const before = eye.distance;
        const inside = eye.include([new Vector(0.9, 0.9, 0.9)], true);
        const stayed = eye.distance === before;
        const outside = eye.include([new Vector(4, 0, 0)], true);
        const sees = eye.sees(new Vector(4, 0, 0)) && eye.sees(new Vector(-0.9, 0, 0));
        const away = eye.include([new Vector(100, 0, 0)], true);
        return [inside, stayed, outside, sees, eye.distance > before, away];
    }"""
    assert page.evaluate(find) == [False, True, True, True, True, False]
