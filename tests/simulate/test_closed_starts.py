"""How runs of closed mechanisms start: what was declared or given is kept, or an error says why."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from four_bar_model import BASE, L1, L2, L3, four_bar

import inloop as il
from inloop.formalisms.loops.partition import Partition, choose
from inloop.plant.formulation import choosing

CRANK, ROD = 0.1, 0.3


def slider_crank(
    crank: dict[str, Any], rod: dict[str, Any], slider: dict[str, Any], wish: str = ""
) -> il.Model:
    """In the plane y = 0; x = CRANK cos a + sqrt(ROD² - CRANK² sin² a)."""
    m = il.Model("engine", gravity=(0.0, 0.0, -9.81))
    first = m.body("crank", on=m.ground, joint=il.revolute("-y", **crank), mass=0.4,
                   com=(0.04, 0, 0), inertia=(1e-4, 4e-4, 4e-4))  # fmt: skip
    second = m.body("rod", on=first.point("pin", (CRANK, 0, 0)), joint=il.revolute("-y", **rod),
                    mass=0.3, com=(0.15, 0, 0), inertia=(1e-4, 2e-3, 2e-3))  # fmt: skip
    third = m.body("slider", on=m.ground, joint=il.prismatic("x", **slider), mass=0.5)
    m.close(second.point("end", (ROD, 0, 0)), third, name="piston")
    if wish:
        m.independent(wish)
    return m


def stroke(angle: float) -> float:
    """Position of the slider [m], by the law of cosines."""
    return CRANK * math.cos(angle) + math.sqrt(ROD**2 - (CRANK * math.sin(angle)) ** 2)


def slope(angle: float) -> float:
    """Its derivative by the angle [m/rad]."""
    root = math.sqrt(ROD**2 - (CRANK * math.sin(angle)) ** 2)
    return -CRANK * math.sin(angle) - CRANK**2 * math.sin(angle) * math.cos(angle) / root


@pytest.mark.thinned(2)
@pytest.mark.parametrize("wish", ["", "crank", "slider"])
def test_a_declared_crank_is_kept_to_the_last_bit(wish: str) -> None:
    model = slider_crank({"initial": (0.3, 150.0)}, {"guess": 0.0}, {"guess": 0.4}, wish)
    result = model.compile().simulate(t_end=1e-4, step=1e-5)
    assert result.q[0, 0] == pytest.approx(0.3, abs=1e-14)
    assert result.qd[0, 0] == pytest.approx(150.0, rel=1e-12)
    assert result["slider.q"][0] == pytest.approx(stroke(0.3), rel=1e-12)
    assert result["slider.qd"][0] == pytest.approx(150.0 * slope(0.3), rel=1e-11)
    assert result.notes == ()


def test_nothing_else_has_to_be_said() -> None:
    plant = slider_crank({"initial": (0.7, 0.0)}, {}, {}, "crank").compile()
    result = plant.simulate(t_end=1e-4, step=1e-5)
    assert result.q[0, 0] == 0.7 and not np.any(result.qd[0])


def test_a_velocity_declared_on_a_dependent_slider_is_kept() -> None:
    model = slider_crank({"initial": 0.7}, {}, {"guess": 0.35, "initial": (None, -0.25)}, "crank")
    result = model.compile().simulate(t_end=1e-4, step=1e-5)
    assert result["slider.qd"][0] == pytest.approx(-0.25, rel=1e-12)
    assert result["crank.qd"][0] == pytest.approx(-0.25 / slope(0.7), rel=1e-11)


def test_declared_joints_are_preferred_as_independent() -> None:
    for declared in ("crank", "slider"):
        said = {name: {"guess": 0.2} for name in ("crank", "rod", "slider")}
        said[declared] = {"initial": {"crank": 0.9, "slider": stroke(0.9)}[declared]}
        plant = slider_crank(**said).compile()
        assert plant.formulation.independent == (declared,)


def test_values_that_agree_up_to_the_rounding_of_data_are_taken() -> None:
    angle, x = 0.4, round(stroke(0.4), 8)
    assert x != stroke(angle)
    plant = slider_crank({"initial": (angle, 0.0)}, {}, {"initial": (x, 0.0)}).compile()
    result = plant.simulate(t_end=1e-4, step=1e-5)
    assert result["crank.q"][0] == pytest.approx(angle, abs=1e-15)
    assert result["slider.q"][0] == pytest.approx(stroke(angle), rel=1e-13)
    assert result.notes == ()


def test_positions_that_contradict_each_other_are_named() -> None:
    model = slider_crank({"initial": (0.4, 0.0)}, {}, {"initial": (0.31, 0.0)})
    with pytest.raises(il.ModelError, match=r"'crank' at 0\.4 'slider' is at") as caught:
        model.compile()
    assert "not 0.31" in str(caught.value) and "guess" in str(caught.value)


def test_velocities_that_contradict_each_other_are_named() -> None:
    model = slider_crank({"initial": (0.4, 3.0)}, {}, {"guess": 0.4, "initial": (None, 1.0)})
    with pytest.raises(il.InputError, match=r"'crank' at 3 'slider' has -0\.15\d+, not 1"):
        model.compile().simulate(t_end=1e-3)


def test_a_declared_zero_velocity_yields_and_that_is_told() -> None:
    model = slider_crank({"initial": (0.4, 3.0)}, {}, {"initial": (stroke(0.4), 0.0)})
    result = model.compile().simulate(t_end=1e-3)
    assert result["crank.qd"][0] == pytest.approx(3.0, rel=1e-13)
    assert [note for note in result.notes if "'slider' starts with velocity" in note]


def test_what_a_run_gives_by_name_is_kept_and_what_yields_is_told() -> None:
    plant = slider_crank({"initial": (0.4, 0.0)}, {}, {"guess": 0.4}).compile()
    result = plant.simulate(t_end=1e-4, step=1e-5, q={"slider": stroke(1.1)}, qd={"slider": 0.2})
    assert result["slider.q"][0] == pytest.approx(stroke(1.1), rel=1e-14)
    assert abs(result["crank.q"][0]) == pytest.approx(1.1, rel=1e-12)
    assert result["slider.qd"][0] == pytest.approx(0.2, rel=1e-12)
    assert [note for note in result.notes if "'crank' starts at" in note and "declared 0.4" in note]


def test_names_that_contradict_each_other_are_an_error() -> None:
    plant = slider_crank({"initial": (0.4, 0.0)}, {}, {"guess": 0.4}).compile()
    with pytest.raises(
        il.InputError, match=r"loop 'piston' cannot close.*'crank' at 0.4, 'slider' at 0.31"
    ):
        plant.simulate(t_end=1e-3, q={"crank": 0.4, "slider": 0.31})


def test_a_whole_vector_is_never_moved() -> None:
    plant = slider_crank({"initial": (0.4, 0.0)}, {}, {"guess": 0.4}).compile()
    closed = plant.formulation.assemble(np.array([0.9, -1.2, 0.3]), held=[0]).q
    assert plant.simulate(t_end=1e-3, q=closed).q[0] == pytest.approx(closed, abs=1e-14)
    opened = closed + np.array([0.0, 0.0, 0.05])
    with pytest.raises(il.InputError, match=r"loop 'piston' is open by 0\.05 m"):
        plant.simulate(t_end=1e-3, q=opened)


def parallelogram(size: float = 1.0) -> il.Model:
    """Written with all links along x: at q = 0 its two branches meet."""
    m = il.Model("parallelogram", gravity=(0.0, -9.81, 0.0))
    about = (0.0, size**2 / 12.0, size**2 / 12.0)
    a = m.body("a", on=m.ground, joint=il.revolute("z"), mass=1.0, com=(size / 2, 0, 0),
               inertia=about)  # fmt: skip
    b = m.body("b", on=a.point("tip", (size, 0, 0)), joint=il.revolute("z"), mass=1.0,
               com=(size, 0, 0), inertia=about)  # fmt: skip
    c = m.body("c", on=m.ground.point("base", (2 * size, 0, 0)), joint=il.revolute("z"), mass=1.0,
               com=(size / 2, 0, 0), inertia=about)  # fmt: skip
    m.close(b.point("end", (2 * size, 0, 0)), c.point("tip", (size, 0, 0)), name="ring")
    return m


def test_a_singular_position_takes_no_row_away() -> None:
    """On the branch that keeps the coupler level, a and c turn alike, b against them."""
    plant = parallelogram().compile()
    assert (
        plant.formulation.positions.mobility.rank == 2
        and plant.formulation.positions.mobility.singular
    )
    assert any("singular" in note for note in plant.formulation.notes)
    result = plant.simulate(t_end=0.2, step=1e-3, q={"a": 0.3, "b": -0.3})
    assert result.constraint_violation < 1e-12
    np.testing.assert_allclose(result["c.q"], result["a.q"], atol=1e-9)
    # two cranks of inertia 1/3 and a coupler that moves as a point: (2/3 + 1) qdd = -2 g cos q
    expected = -(2.0 * 9.81 * np.cos(result["a.q"])) / (2.0 / 3.0 + 1.0)
    np.testing.assert_allclose(result["a.qdd"], expected, rtol=1e-9)


def test_a_singular_start_says_so_and_offers_another() -> None:
    plant = parallelogram().compile()
    for q in (None, {"c": 0.0}, np.zeros(3)):
        with pytest.raises(il.InputError, match=r"singular position.*'ring'") as caught:
            plant.simulate(t_end=0.1, q=q)
        assert "Start next to it" in str(caught.value) and 'q={"' in str(caught.value)


def elbow(crank: float) -> tuple[float, float]:
    """Angles of coupler and rocker in the plane, by the law of cosines, with the elbow up."""
    pin = L1 * np.array([math.cos(crank), math.sin(crank)])
    along = np.array(BASE) - pin
    d = math.hypot(*along)
    inner = math.acos((d**2 + L2**2 - L3**2) / (2.0 * d * L2))
    coupler = math.atan2(along[1], along[0]) + inner
    end = pin + L2 * np.array([math.cos(coupler), math.sin(coupler)]) - np.array(BASE)
    return coupler, math.atan2(end[1], end[0])


def test_a_crank_that_starts_far_away_stays_on_its_branch() -> None:
    plant = four_bar().compile()
    angles = 1.0 + np.linspace(-6.0, 6.0, 9)
    for crank in angles:
        result = plant.simulate(t_end=1e-4, step=1e-4, q={"crank": crank})
        coupler, rocker = elbow(crank)
        found = result["coupler.q"][0] + crank, result["rocker.q"][0]
        assert np.cos(np.subtract(found, (coupler, rocker))) == pytest.approx(1.0, abs=1e-12)
        assert result["crank.q"][0] == crank and result.notes == ()
    many = plant.simulate_many(t_end=1e-4, step=1e-4, q={"crank": angles})
    turned = np.cos(many["rocker.q"][:, 0] - [elbow(crank)[1] for crank in angles])
    assert turned == pytest.approx(1.0, abs=1e-12)


def test_where_branches_meet_the_one_in_use_is_named() -> None:
    plant = parallelogram().compile()
    (note,) = plant.simulate(t_end=1e-3, step=1e-3, q={"c": 0.3}).notes
    assert "is singular, and branches meet there: the run starts with 'a' at" in note
    assert plant.simulate(t_end=1e-3, step=1e-3, q={"a": 0.3, "c": 0.3}).notes == ()


def three_cranks() -> il.Model:
    """A level beam on three equal cranks: one crank too many, and one row that follows."""
    m = il.Model("cranks", gravity=(0.0, -9.81, 0.0))
    length = m.parameter("length", 1.0, unit="m", range=(0.1, 3.0))
    span = m.parameter("span", 1.0, unit="m", range=(0.1, 3.0))
    tips = []
    for k, radius in enumerate((1.0, 1.0, length)):
        foot = m.ground.point(f"foot_{k}", (k * span if k == 1 else 2.0 * (k == 2), 0, 0))
        initial = {"initial": 1.0} if k == 0 else {"guess": 1.0}
        crank = m.body(f"crank_{k}", on=foot, joint=il.revolute("z", **initial), mass=0.5,
                       com=(0.4, 0, 0), inertia=(0.01, 0.04, 0.04))  # fmt: skip
        tips.append(crank.point("tip", (radius, 0, 0)))
    beam = m.body("beam", on=tips[0], joint=il.revolute("z", guess=-1.0), mass=1.0, com=(1, 0, 0),
                  inertia=(0.1, 0.3, 0.3))  # fmt: skip
    m.close(beam.point("middle", (1.0 * span, 0, 0)), tips[1], name="middle")
    m.close(beam.point("end", (2.0, 0, 0)), tips[2], name="end")
    return m


@pytest.mark.thinned(3)
@pytest.mark.parametrize("longer", [1.05, 1.2, 0.7])
def test_a_length_that_cannot_be_met_is_refused(longer: float) -> None:
    plant = three_cranks().compile()
    before = plant.simulate(t_end=0.1)
    with pytest.raises(il.InputError, match=r"'length' = .* loop '(end|middle)'"):
        plant.parameters["length"] = longer
    assert plant.parameters["length"] == 1.0
    after = plant.simulate(t_end=0.1)
    assert after.constraint_violation < 1e-12
    np.testing.assert_array_equal(after.q, before.q)


def test_lengths_that_fit_together_are_written_together() -> None:
    plant = slider_crank_with_lengths().compile()
    with pytest.raises(il.InputError, match=r"'crank' = 0\.5 loop 'piston' cannot close"):
        plant.parameters["crank"] = 0.5
    plant.parameters.update(crank=0.5, rod=0.9)
    assert dict(plant.parameters) == {"crank": 0.5, "rod": 0.9}
    result = plant.simulate(t_end=0.05)
    assert result.q[0, 0] == 1.5 and result.constraint_violation < 1e-12
    with pytest.raises(il.InputError, match="'rod'"):
        plant.parameters.update(crank=0.5, rod=0.3)
    assert dict(plant.parameters) == {"crank": 0.5, "rod": 0.9}


def slider_crank_with_lengths() -> il.Model:
    """The crank, driven upright, needs a rod that reaches down to the slider's line."""
    m = il.Model("engine", gravity=(0.0, 0.0, 0.0))
    r = m.parameter("crank", 0.1, unit="m", range=(0.0, 2.0))
    length = m.parameter("rod", 0.3, unit="m", range=(0.0, 2.0))
    first = m.body("turn", on=m.ground, joint=il.revolute("z", initial=(1.5, 0.0)), mass=0.4)
    second = m.body("swing", on=first.point("pin", (r, 0, 0)), joint=il.revolute("z", guess=-1.8),
                    mass=0.3, inertia=(1e-3, 2e-3, 2e-3))  # fmt: skip
    third = m.body("slider", on=m.ground, joint=il.prismatic("x", guess=0.3), mass=0.5)
    m.close(second.point("end", (length, 0, 0)), third, name="piston")
    m.drive(first, lambda t: 1.5 + 0.0 * t)
    return m


def test_a_run_that_loses_its_loops_fails_and_names_loop_and_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A row that is dropped though it is needed, as a wrong judgment of the rank would do."""

    def lose_a_row(J: np.ndarray, *rest: Any) -> Partition:
        return choose(np.vstack([np.zeros_like(J[:1]), J[1:]]), *rest)

    monkeypatch.setattr(choosing, "choose", lose_a_row)
    plant = slider_crank({"initial": (0.4, 3.0)}, {}, {"guess": 0.4}).compile()
    monkeypatch.undo()
    with pytest.raises(il.SimulationError, match=r"from t = \S+ s on loop 'piston' is open") as it:
        plant.simulate(t_end=0.05, step=1e-3)
    assert it.value.result.status == "LOOP_OPEN"  # type: ignore[attr-defined]


def test_a_length_that_another_mode_cannot_meet_is_refused() -> None:
    """A bar swings freely until it is caught by a rod from a point 0.5 m away."""
    m = il.Model("catch", gravity=(0.0, -9.81, 0.0))
    length = m.parameter("length", 0.4, unit="m", range=(0.01, 5.0))
    bar = m.body("bar", on=m.ground, joint=il.revolute("z", initial=(0.2, 0.0)), mass=1.0,
                 com=(0.3, 0, 0), inertia=(0.01, 0.03, 0.03))  # fmt: skip
    free, held = m.mode("free"), m.mode("held")
    with m.during(held):
        m.close(bar.point("tip", (0.6, 0, 0)), m.ground.point("hook", (0.5, -0.5, 0)),
                kind="rod", length=length, name="rope")  # fmt: skip
    m.event("taut", lambda q: q["bar"] + 1.0, mode=free, to=held)
    plant = m.compile()
    with pytest.raises(il.InputError, match=r"'length' = 4 loop 'rope' cannot close"):
        plant.parameters["length"] = 4.0
    assert plant.parameters["length"] == 0.4
    plant.parameters["length"] = 0.6


@pytest.mark.thinned(2)
@pytest.mark.parametrize("angle", [0.0, math.pi])
def test_velocities_are_kept_at_a_dead_point_of_the_independent_coordinate(angle: float) -> None:
    """The slider stands still there, so that its velocity says nothing about the crank's."""
    m = slider_crank({"guess": 0.7}, {"guess": -0.3}, {"initial": (stroke(0.7), 0.0)}, "slider")
    plant = m.compile()
    assert plant.formulation.independent == ("slider",)
    given = {"q": {"crank": angle}, "qd": {"crank": 5.0}}
    result = plant.simulate(t_end=0.1, step=1e-3, **given)
    assert result["crank.q"][0] == pytest.approx(angle, abs=1e-12)
    assert result["crank.qd"][0] == pytest.approx(5.0, rel=1e-12)
    # an engine without friction: energy is that of the start
    assert result.energy[-1].sum() == pytest.approx(result.energy[0].sum(), rel=1e-7)
    stepper = plant.stepper(**given)
    assert stepper["crank.qd"] == pytest.approx(5.0, rel=1e-12)


def engine_that_locks() -> il.Model:
    """A slider-crank, declared at rest and turning at once, that locks at a crank angle of 1."""
    m = slider_crank({"initial": (0.4, 3.0)}, {}, {"initial": (stroke(0.4), 0.0)})
    free, locked = m.mode("free"), m.mode("locked")
    with m.during(locked):
        m.lock("crank")
    m.event("stop", lambda q: 1.0 - q["crank"], mode=free, to=locked)
    return m


def test_a_run_with_modes_tells_what_assembly_changed() -> None:
    plant = engine_that_locks().compile()
    result = plant.simulate(t_end=0.3, step=1e-3)
    assert result["slider.qd"][0] == pytest.approx(3.0 * slope(0.4), rel=1e-11)
    told = [note for note in result.notes if "'slider' starts with velocity" in note]
    assert len(told) == 1 and f"{3.0 * slope(0.4):.6g}, declared 0" in told[0]
    named = plant.simulate(t_end=0.01, q={"slider": stroke(0.9)}, qd={"slider": 0.0})
    assert [n for n in named.notes if "'crank' starts at" in n and "declared 0.4" in n]


def test_a_stepper_tells_what_assembly_changed() -> None:
    model = slider_crank({"initial": (0.4, 3.0)}, {}, {"initial": (stroke(0.4), 0.0)})
    for plant in (model.compile(), engine_that_locks().compile()):
        assert f"{3.0 * slope(0.4):.6g}, declared 0" in " ".join(plant.stepper().notes)
    assert slider_crank({"initial": 0.4}, {}, {}).compile().stepper().notes == ()


def test_values_given_twice_may_differ_by_the_rounding_of_data() -> None:
    """As declared ones; the first is kept to the last bit, and more than rounding is refused."""
    plant = slider_crank({}, {}, {}).compile()
    rounded = {"crank": 0.3, "slider": round(stroke(0.3), 7)}
    assert rounded["slider"] != stroke(0.3)
    result = plant.simulate(t_end=1e-4, step=1e-5, q=rounded)
    assert result["crank.q"][0] == 0.3
    assert result["slider.q"][0] == pytest.approx(stroke(0.3), rel=1e-12)
    with pytest.raises(il.InputError, match=r"'crank' at .*, 'slider' at .* as given"):
        plant.simulate(t_end=1e-4, step=1e-5, q={"crank": 0.3, "slider": stroke(0.3) + 1e-4})


LENGTH = 0.9  # of half a bar of the scissors [m]
BAR = {"mass": 0.7, "com": (0.8, 0.05, 0), "inertia": (0.02, 0.2, 0.21)}


def scissors(**lower: float) -> il.Model:
    """Two stages; where the foot is at 0, bars of a stage may also turn as one (folded)."""
    m = il.Model("scissors", gravity=(0.0, -9.81, 0.0))
    foot = m.body("foot", on=m.ground, joint=il.prismatic("x"), mass=0.4)
    seats, at = {"a": m.ground, "b": foot}, (2 * LENGTH, 0, 0)
    for names, on in (("ab", seats), ("cd", {})):
        for name, below in zip(names, "ab", strict=True):
            seat = on[name] if on else seats[below].point("top", at)
            seats[name] = m.body(name, on=seat, joint=il.revolute("z", guess=lower.get(name, 0.0)),
                                 **BAR)  # fmt: skip
            seats[name].point("middle", (LENGTH, 0, 0))
        m.close(f"{names[0]}.middle", f"{names[1]}.middle", name=f"middle_{names}")
    return m


def test_rows_that_vanish_at_the_start_make_room_for_others() -> None:
    """Folded and upright, the height of the middle says nothing: the bars move as a pendulum."""
    q, qd = {"b": math.pi / 2, "d": 0.3}, {"b": 2.07, "d": -1.0}
    run = scissors().compile().simulate(t_end=0.1, q=q, qd=qd)
    m = il.Model("pendulum", gravity=(0.0, -9.81, 0.0))
    twice = {**BAR, "mass": 2 * BAR["mass"], "inertia": tuple(2 * x for x in BAR["inertia"])}
    b = m.body("b", on=m.ground, joint=il.revolute("z"), **twice)
    m.body("d", on=b.point("top", (2 * LENGTH, 0, 0)), joint=il.revolute("z"), **twice)
    expected = m.compile().simulate(t_end=0.1, q=q, qd=qd)
    assert not [note for note in run.notes if "independent coordinates" not in note]
    for names in ("ab", "cd"):
        for name in names:
            for signal in ("q", "qd"):
                values = run[f"{name}.{signal}"], expected[f"{names[1]}.{signal}"]
                np.testing.assert_allclose(*values, rtol=1e-8, atol=1e-8, err_msg=name)


def test_a_branch_with_fewer_degrees_of_freedom_needs_a_model_of_its_own() -> None:
    lifted = {"a": 0.5, "b": math.pi - 0.5}
    folded = scissors().compile()
    for begin in (folded.simulate, folded.stepper):
        options = {"t_end": 0.01} if begin == folded.simulate else {}
        with pytest.raises(il.InputError, match=r"1 degrees of freedom, 1 fewer .*'middle_"):
            begin(q=lifted, **options)
    run = scissors(**lifted, c=math.pi - 1.0, d=1.0 - math.pi).compile().simulate(t_end=0.1)
    assert run.constraint_violation < 1e-12
    assert run["foot.q"][0] == pytest.approx(2 * LENGTH * math.cos(run["a.q"][0]), rel=1e-12)
