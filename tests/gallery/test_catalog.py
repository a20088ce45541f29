"""The gallery as a catalog: names, options, references, errors."""

from __future__ import annotations

import inspect
import subprocess
import sys

import numpy as np
import pytest
from exhibit_plants import SMALLER, plant_of

import inloop as il
from inloop import gallery


@pytest.fixture(params=gallery.names())
def exhibit(request: pytest.FixtureRequest) -> gallery.Exhibit:
    return gallery.get(request.param)


def test_the_promised_mechanisms_are_there() -> None:
    promised = {"pendulum", "double_pendulum", "n_pendulum", "puma560", "chain"}
    assert promised <= set(gallery.names())


def test_an_entry_tells_what_it_is(exhibit: gallery.Exhibit) -> None:
    assert exhibit.title and exhibit.look_at.endswith(".") and exhibit.start
    assert exhibit.seconds > 0.0
    assert exhibit.build().name == exhibit.name


def test_an_experiment_uses_or_refuses_seconds(exhibit: gallery.Exhibit) -> None:
    for name, experiment in exhibit.experiments.items():
        text = inspect.getsource(experiment.run)
        assert experiment.fixed_length != ("bench.seconds" in text or "bench.at_least" in text)
        if experiment.fixed_length:
            with pytest.raises(il.InputError, match=f"'{name}' has a fixed length"):
                exhibit.experiment(name, seconds=1.0)


@pytest.mark.parametrize(
    ("name", "experiment", "least"), [("rover", "circle", 4.0), ("kart", "toe", 1.0)]
)
def test_an_experiment_too_short_to_show_anything_is_refused(
    name: str, experiment: str, least: float
) -> None:
    with pytest.raises(il.InputError, match=f"too short .*seconds >= {least:g}"):
        gallery.get(name).experiment(experiment, seconds=0.9 * least)


@pytest.mark.thinned(3)
def test_every_build_is_a_fresh_model(exhibit: gallery.Exhibit) -> None:
    first, second = exhibit.build(), exhibit.build()
    assert first is not second
    assert first.describe() == second.describe()


def test_teachers_find_sliders_with_units_and_ranges(exhibit: gallery.Exhibit) -> None:
    parameters = exhibit.build().build().parameters
    assert any(p.name == "g" for p in parameters)
    for parameter in parameters:
        assert parameter.unit and parameter.range and parameter.doc, parameter.name


# their own tests compare them with these or other values of their sources
COMPARED_ELSEWHERE = {
    "andrews", "bicycle", "bricard", "kart", "piano", "rover", "stewart", "suspension",
    "tilting_vehicle",
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.long] if name in COMPARED_ELSEWHERE else [])
        for name in gallery.names()
    ],
)
def test_references_are_met(name: str) -> None:
    exhibit, plant = gallery.get(name), plant_of(name)
    for comparison in exhibit.compare(plant):
        assert comparison.ok, f"{comparison.reference.what}: {comparison.error}"
        assert comparison.reference.source


@pytest.mark.long
@pytest.mark.parametrize("name", SMALLER)
def test_references_are_met_by_what_is_shown(name: str) -> None:
    exhibit = gallery.get(name)
    assert all(comparison.ok for comparison in exhibit.compare(exhibit.build().compile()))


def test_a_missed_reference_is_noticed() -> None:
    reference = gallery.Reference("a", (1.0, 2.0), "m", 0.1, "nowhere", lambda plant: [1.0, 2.2])
    comparison = reference.compare(plant_of("pendulum"))
    assert comparison.error == pytest.approx(0.2)
    assert not comparison.ok


# without laws, drives and damping, which put energy in and take it out
CONSERVATIVE = [
    "pendulum", "double_pendulum", "n_pendulum", "puma560", "chain", "heavy_top", "satellite",
    "four_bar", "slider_crank", "bricard", "truss", "rolling_disc", "bouncing_ball",
    "cart_pendulum",
]  # fmt: skip


def test_all_that_keep_their_energy_are_known() -> None:
    found = []
    for name in gallery.names():
        model = gallery.get(name).build().build()
        laws = (model.joint_forces, model.forces, model.line_forces, model.frame_forces)
        damped = any((l.alpha, l.beta) != (0.0, 0.0) for l in model.flexible_links)
        if not (any(laws) or model.drives or damped):
            found.append(name)
    assert found == CONSERVATIVE


@pytest.mark.thinned(5)
@pytest.mark.parametrize("name", CONSERVATIVE)
def test_energy_stays_while_it_moves(name: str) -> None:
    exhibit = gallery.get(name)
    plant = plant_of(exhibit.name)
    result = plant.simulate(t_end=1.0, step=min(2.5e-4, exhibit.step))
    # what impacts take is known
    lost = np.zeros(len(result.t))
    for event in result.events:
        lost[result.t >= event.t] += event.energy_lost
    total = result["energy.total"] + lost
    assert np.ptp(total) < 1e-9 * np.max(result.energy[:, 0])
    assert np.max(result.energy[:, 0]) > 0.01 * np.ptp(result.energy[:, 1])
    assert np.max(np.ptp(result.q, axis=0)) > 0.01


@pytest.mark.thinned(3)
def test_no_ordinary_run_is_doubted(exhibit: gallery.Exhibit) -> None:
    """As it comes, with the step and the method of the exhibit: no alarm where nothing is wrong."""
    how = {"step": exhibit.step, "method": exhibit.method, "tolerance": exhibit.tolerance}
    result = plant_of(exhibit.name).simulate(t_end=min(exhibit.seconds, 1000 * exhibit.step), **how)
    assert (result.doubts, result.status) == ((), "OK")


def test_mechanisms_are_imported_when_asked_for() -> None:
    code = (
        "import sys; from inloop import gallery; gallery.names();"
        "assert not [m for m in sys.modules if m.startswith('inloop.gallery.puma')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("puma", "Did you mean 'puma560'?"),
        ("Pendulum", "Did you mean 'pendulum'?"),
        ("zzz", "'zzz'. `inloop list` shows them all"),
        ("", "''. `inloop list` shows them all"),
        ("x" * 10_000, "xxx...'. `inloop list` shows them all"),
        ("catalog", "'catalog'. `inloop list` shows them all"),  # a module, but no mechanism
        ("../pendulum", "pendulum"),
    ],
)
def test_unknown_names_get_a_hint(name: str, hint: str) -> None:
    with pytest.raises(il.InputError) as caught:
        gallery.get(name)
    assert hint in str(caught.value)
    assert len(str(caught.value)) < 250


def test_control_characters_are_not_repeated() -> None:
    with pytest.raises(il.InputError) as caught:
        gallery.get("\x1b[31m\n")
    assert "\x1b" not in str(caught.value) and "\n" not in str(caught.value)


def test_unknown_options_get_a_hint() -> None:
    with pytest.raises(il.InputError, match=r"no option 'm'. It has: n\."):
        gallery.get("n_pendulum").build(m=3)
    with pytest.raises(il.InputError, match="Did you mean 'friction'"):
        gallery.get("puma560").build(fricton=True)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("n_pendulum", {"n": 0}),
        ("n_pendulum", {"n": 401}),
        ("chain", {"n": 0}),
        ("chain", {"seed": -1}),
    ],
)
def test_options_out_of_range_are_refused(name: str, options: dict[str, int]) -> None:
    with pytest.raises(il.InputError, match="Give a"):
        gallery.get(name).build(**options)


def test_options_read_text() -> None:
    assert gallery.Option(10, "").read("40") == 40
    assert gallery.Option(False, "").read("On") is True
    assert gallery.Option(True, "").read("0") is False
    assert gallery.Option(0.5, "").read("0.25") == 0.25
    for option, text in ((gallery.Option(10, ""), "4.5"), (gallery.Option(False, ""), "perhaps")):
        with pytest.raises(ValueError):
            option.read(text)


def test_numbers_among_the_options_have_ranges() -> None:
    for exhibit in map(gallery.get, gallery.names()):
        for name, option in exhibit.options.items():
            if not isinstance(option.default, bool):
                assert option.range is not None, f"{exhibit.name}: {name}"
                assert option.fits(option.default)


@pytest.mark.parametrize(
    ("exhibit", "option", "value", "allowed"),
    [
        ("flexlink", "elements", 1_000_000, "a whole number from 2 to 40"),
        ("flexible_four_bar", "elements", 10**400, "a whole number from 3 to 60"),
        ("n_pendulum", "n", 401, "a whole number from 1 to 400"),
        ("n_pendulum", "n", True, "a whole number from 1 to 400"),
        ("n_pendulum", "n", 4.5, "a whole number from 1 to 400"),
        ("chain", "sliders", 1, "true or false"),
        ("flexlink", "start", float("nan"), "a number from -360 to 360"),
    ],
)
def test_options_outside_their_range_are_refused(
    exhibit: str, option: str, value: float, allowed: str
) -> None:
    with pytest.raises(
        il.InputError, match=f"option '{option}' of '{exhibit}' cannot be"
    ) as caught:
        gallery.get(exhibit).build(**{option: value})
    assert caught.value.mistakes[0].fix == f"Give {allowed}."
