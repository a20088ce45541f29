"""Parameters, delays and starts from recordings; what cannot be told; what is refused."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import inloop as il
from inloop.analysis.fitting.residual_tests import judge_residuals
from inloop.cli.main import main
from inloop.gallery.double_pendulum import double_pendulum
from inloop.gallery.flexlink.model import flexlink
from inloop.simulate.fleet import Fleet

MASS, K, C, X0, V0 = 1.7, 240.0, 3.1, 0.31, -0.8  # [kg], [N/m], [N s/m], [m], [m/s]
PERIOD, END, NOISE = 4e-3, 2.4, 2e-3  # [s], [s], [m]

SLIDER = """
import inloop as il

model = il.Model("slider", gravity=(0.0, 0.0, 0.0))
k = model.parameter("k", 170.0, unit="N/m", range=(10.0, 1e4))
c = model.parameter("c", 1.2, unit="N*s/m")
mass = model.parameter("mass", 1.7, unit="kg")
idle = model.parameter("idle", 1.0, range=(0.5, 2.0))
push = model.input("push", unit="N")
model.body("block", on=model.ground, joint=il.prismatic("x"), mass=mass)
model.joint_force("block", lambda q, qd: push - k * q - c * qd, "spring")
"""


@pytest.fixture(scope="module")
def slider() -> il.Plant:
    names: dict[str, il.Model] = {}
    exec(SLIDER, names)
    return names["model"].compile()


def swing(t: np.ndarray) -> np.ndarray:
    """Free motion of the slider in closed form [m]."""
    decay, omega = C / (2 * MASS), np.sqrt(K / MASS - (C / (2 * MASS)) ** 2)
    return np.exp(-decay * t) * (
        X0 * np.cos(omega * t) + (V0 + decay * X0) / omega * np.sin(omega * t)
    )


def measured(seed: int, delay: float = 0.0) -> dict[str, np.ndarray]:
    t = np.arange(0.0, END, PERIOD)
    noise = NOISE * np.random.default_rng(seed).normal(size=len(t))
    return {"t": t, "block.q": swing(t - delay) + noise}


def test_a_search_that_begins_with_a_negative_mass_is_refused() -> None:
    m = il.Model("loaded", gravity=(0.0, 0.0, 0.0))
    load = m.parameter("load", MASS + 1.0, unit="kg")
    m.body("block", on=m.ground, joint=il.prismatic("x"), mass=load - 1.0)
    m.joint_force("block", lambda q, qd: -K * q - C * qd, "spring")
    plant = m.compile()
    with pytest.raises(il.InputError, match="body 'block': mass must be >= 0"):
        il.fit(plant, measured(0), ["load"], bounds={"load": (0.1, 0.5)})
    found = il.fit(plant, measured(0), ["load"], bounds={"load": (-9.0, 9.0)})
    assert found.values == pytest.approx([MASS + 1.0], abs=5.0 * float(found.deviations[0]))


def test_values_lie_within_their_own_deviations(slider: il.Plant) -> None:
    truth, off = np.array([K, C]), []
    for seed in range(3):
        found = il.fit(slider, measured(seed), ["k", "c"])
        off.append((found.values - truth) / found.deviations)
        assert found.noise[0] == pytest.approx(NOISE, rel=0.15)
        assert not found.notes
    # 6 errors in units of their deviations: mean square 1, four of its own deviations
    assert np.mean(np.square(off)) == pytest.approx(1.0, abs=4.0 * np.sqrt(2.0 / 6))
    assert np.abs(off).max() < 4.0
    assert slider.parameters["k"] == 170.0  # the plant is as it was


@pytest.mark.long
def test_delay_of_a_sensor(slider: il.Plant) -> None:
    late = 0.6180 * PERIOD
    found = il.fit(
        slider, measured(3, late), ["k", "c", "block.q.delay"], segments=0.8,
        noise={"block.q": NOISE}, delay={"block.q": PERIOD},
    )  # fmt: skip
    # without an input a delay is a shift of time, which the start explains as well
    assert "block.q.delay" in found.unidentified
    push = np.where(np.arange(0.0, END, PERIOD) % 0.5 < 0.2, 40.0, -30.0)
    run = Fleet(slider, 1, step=PERIOD / 8, method="rk4")
    run.restart([0], parameters={"k": K, "c": C})
    # eight steps in a period, so that a delay of 5/8 of a period is on the grid
    fine = run.play(np.repeat(push, 8)[:, None, None] * [0.0, 1.0], 1, ["block.q"])[:, 0, 0]
    fine = np.append(0.0, fine)
    noise = NOISE * np.random.default_rng(5).normal(size=len(push) - 1)
    t = np.arange(1, len(push)) * PERIOD
    recording = {"t": t, "block.q": fine[8 * np.arange(1, len(push)) - 5] + noise, "push": push[1:]}
    found = il.fit(slider, recording, ["k", "c", "block.q.delay"])
    off = (found.values - [K, C, 5 / 8 * PERIOD]) / found.deviations
    assert np.abs(off).max() < 4.0
    assert found.deviations[2] < 0.1 * PERIOD


def test_what_is_not_told_is_named(slider: il.Plant) -> None:
    found = il.fit(slider, measured(1), ["k", "c", "mass"])
    assert set(found.unidentified) == {"k", "c", "mass"}
    assert any("not identified" in note for note in found.notes)
    ratio = found["k"] / found["mass"]
    assert ratio == pytest.approx(K / MASS, rel=0.01)
    assert np.isinf(found.deviations).all()
    # a parameter that moves nothing at all, and has no unit
    found = il.fit(slider, measured(1), ["k", "c", "idle"])
    assert found.unidentified == ("idle",) and np.isinf(found.deviations[2])
    assert found["k"] == pytest.approx(K, rel=0.01) and found["idle"] == pytest.approx(1.0)
    assert "[N/m]" in str(found) and "[]" not in str(found)


def test_what_does_not_fit_together_is_noted(slider: il.Plant) -> None:
    """Noise that is not that of the residuals; a column that is nearly called as an input."""
    recording = {**measured(1), "Push": np.ones(round(END / PERIOD))}
    for times, wrong in ((1e-3, "small"), (1e3, "large"), (1.0, "")):
        found = il.fit(slider, recording, ["k", "c"], noise={"block.q": times * NOISE})
        assert found["k"] == pytest.approx(K, rel=0.01)
        told = [note for note in found.notes if f"and are too {wrong}" in note]
        assert bool(told) == bool(wrong)
    assert found.notes == ("column 'Push' of recording 1 is not used: is it the input 'push'?",)
    # one sample that a wire has lost
    recording = measured(1)
    recording["block.q"][150] = 9.0
    notes = il.fit(slider, recording, ["k", "c"]).notes
    assert any("sample 150 of block.q in recording 1 is an outlier" in note for note in notes)
    with pytest.raises(il.ResidualError, match="is not noise, and k is at its bound") as caught:
        il.fit(slider, measured(1), ["k", "c"], bounds={"k": (10.0, 180.0)})
    fitted = caught.value.fitted
    assert "k is at its bound" in fitted.causes and set(fitted.causes) < set(fitted.notes)


def crane(samples: int) -> dict[str, np.ndarray]:
    """A cart on a spring (120 N/m, 1.3 N s/m) with a rod, pushed by 1.1 times a held force.

    From equations derived by hand, in steps of Runge and Kutta; with noise.
    """
    random = np.random.default_rng(5)
    t = 2e-3 * np.arange(samples)
    push = 3.0 * np.sign(np.sin(7.0 * t)) + random.normal(size=samples)

    def rates(x: np.ndarray, force: float) -> np.ndarray:
        # rod: 0.3 kg, center 0.25 m below the pivot, 0.003 kg m^2; cart: 1.4 kg
        s, c = 0.3 * 0.25 * np.sin(x[1]), 0.3 * 0.25 * np.cos(x[1])
        M = np.array([[1.7, -c], [-c, 0.003 + 0.3 * 0.25**2]])
        right = [1.1 * force - 120.0 * x[0] - 1.3 * x[2] - s * x[3] ** 2, -9.81 * s - 0.004 * x[3]]
        return np.array([x[2], x[3], *np.linalg.solve(M, right)])

    x, h, rows = np.array([0.0, 0.3, 0.0, 0.0]), 2e-3, []
    for force in push:
        rows.append(x[:2])
        k1 = rates(x, force)
        k2 = rates(x + 0.5 * h * k1, force)
        k3 = rates(x + 0.5 * h * k2, force)
        x = x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + rates(x + h * k3, force))
    seen = np.array(rows) + [2e-4, 1e-3] * random.normal(size=(samples, 2))
    return {"t": t, "push": push, "cart.q": seen[:, 0], "rod.q": seen[:, 1]}


def test_short_parts_do_not_carry_the_search_away() -> None:
    """The first parts of this recording contain little more than noise."""
    m = il.Model("crane")
    k, c = m.parameter("k", 90.0, unit="N/m"), m.parameter("c", 0.5, unit="N*s/m")
    gain, push = m.parameter("gain", 0.8), m.input("push", unit="N")
    cart = m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=1.4)
    m.body(
        "rod",
        on=cart,
        joint=il.revolute("y"),
        mass=0.3,
        com=(0, 0, -0.25),
        inertia=(2e-3, 3e-3, 2e-3),
    )
    m.joint_force("cart", lambda q, qd: gain * push - k * q - c * qd, "spring")
    m.joint_force("rod", lambda q, qd: -0.004 * qd, "bearing")
    plant, recording = m.compile(), crane(750)
    found = il.fit(plant, recording, ["k", "c", "gain"])
    assert np.all(np.abs(found.values - [120.0, 1.3, 1.1]) < 4.0 * found.deviations)
    # such a part alone: what it does not determine stays near the guess
    short = {name: values[:10] for name, values in recording.items()}
    found = il.fit(plant, short, ["k", "c", "gain"])
    assert {"k", "c"} <= set(found.unidentified)
    assert found.values == pytest.approx([90.0, 0.5, 0.8], rel=1.0)


def pushed() -> dict[str, np.ndarray]:
    """The forced swing of the slider, in closed form, with noise."""
    t, omega, push = np.arange(0.0, END, PERIOD), 15.0, 40.0
    answer = push / (K - MASS * omega**2 + 1j * C * omega)
    noise = NOISE * np.random.default_rng(4).normal(size=len(t))
    return {
        "t": t,
        "block.q": swing(t) + (answer * np.exp(1j * omega * t)).imag + noise,
        "push": push * np.sin(omega * t),
    }


def test_a_missing_column_of_an_input_is_named(slider: il.Plant) -> None:
    recording = pushed()
    del recording["push"]
    with pytest.raises(
        il.ResidualError, match="no column 'push': this input counts as constant, 0"
    ):
        il.fit(slider, recording, ["k", "c"])


def test_columns_of_inputs_that_are_smooth(slider: il.Plant) -> None:
    """Held inputs come half a period late."""
    recording = pushed()
    held = il.fit(slider, recording, ["k", "c"], refuse=False)
    assert abs(held["c"] - C) > 5.0 * held.deviations[1]
    assert any("if they are smooth" in note for note in held.notes)
    smooth = il.fit(slider, recording, ["k", "c"], inputs="smooth")
    assert np.all(np.abs(smooth.values - [K, C]) < 4.0 * smooth.deviations) and not smooth.notes
    with pytest.raises(il.InputError, match="inputs is 'linear'"):
        il.fit(slider, recording, ["k"], inputs="linear")  # type: ignore[arg-type]


def test_rows_that_tell_the_inputs_that_led_to_them(slider: il.Plant) -> None:
    """Random pushes, each held over one period; the block in closed form, by the matrix of one."""
    rate = np.array([[0.0, 1.0, 0.0], [-K / MASS, -C / MASS, 1.0 / MASS], [0.0, 0.0, 0.0]])
    turn, noise = expm(rate * PERIOD), np.random.default_rng(5)
    push, states = 40.0 * noise.normal(size=600), np.zeros((600, 2))
    for k in range(1, 600):
        states[k] = (turn @ [*states[k - 1], push[k]])[:2]
    told = {"t": PERIOD * np.arange(600), "block.q": states[:, 0], "push": push}
    told["block.q"] = told["block.q"] + 1e-4 * noise.normal(size=600)
    right = il.fit(slider, told, ["k", "c"], inputs="before")
    assert np.all(np.abs(right.values - [K, C]) < 4.0 * right.deviations) and not right.notes
    wrong = il.fit(slider, told, ["k", "c"], refuse=False)
    assert any("that led to it c" in note and 'inputs="before"' in note for note in wrong.notes)


def test_a_table_of_a_device_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No velocities, a spreadsheet's mark at the begin, spaces after commas, a smooth input."""
    model, table = tmp_path / "slider.py", tmp_path / "device.csv"
    model.write_text(SLIDER)
    recording = pushed()
    rows = np.column_stack(list(recording.values()))
    np.savetxt(table, rows, delimiter=", ", header="\ufefft, block.q, push", comments="",
               encoding="utf-8")  # fmt: skip
    words = ["identify", str(model), str(table), "--fit", "k,c", "--json"]
    assert main([*words, "--inputs", "smooth"]) == 0
    told = json.loads(capsys.readouterr().out)
    for name, truth in (("k", K), ("c", C)):
        found = told["parameters"][name]
        assert abs(found["value"] - truth) < 4.0 * found["deviation"]
    assert told["notes"] == []
    assert main([*words, "--noise", "block.q=1e-3", "--noise", "block.q=2e-3"]) == 2
    assert "--noise of 'block.q' is given twice" in capsys.readouterr().err
    # saved in a form that tells more, it is still a table of columns
    il.read(table).save(tmp_path / "device.npz")
    assert il.read(tmp_path / "device.npz").columns_only


@pytest.mark.long
def test_recording_of_another_plant_is_refused(slider: il.Plant) -> None:
    recording = measured(2)
    t = recording["t"]
    # a pendulum's swing at a large angle is no damped sine
    recording["block.q"] += 0.3 * np.sin(9.0 * t) ** 3
    with pytest.raises(il.ResidualError, match=r"'slider' does not explain recording 1") as refused:
        il.fit(slider, recording, ["k", "c"])
    assert refused.value.fitted.tests[0].structure > 0.9
    assert il.fit(slider, recording, ["k", "c"], refuse=False).notes


def test_recording_that_is_kept_back(slider: il.Plant) -> None:
    found = il.fit(slider, [measured(1), measured(2)], ["k", "c"], check=measured(3))
    assert [each.recording for each in found.tests] == ["recording 1", "recording 2"]
    assert found.validation[0].rms == pytest.approx(NOISE, rel=0.15)
    assert found.validation[0].white
    same = il.fit(slider, measured(1), ["k", "c"], check=measured(1))
    assert same.notes[-1].startswith("check 1 is recording 1 again")
    other = measured(4)
    other["block.q"] *= np.linspace(1.0, 1.6, len(other["t"]))
    with pytest.raises(il.ResidualError, match="check 1"):
        il.fit(slider, measured(1), ["k", "c"], check=other)


def test_chaos_needs_segments() -> None:
    plant = double_pendulum().compile()
    names = [n for n in plant.parameters if n != "g"]
    truth = plant.parameters[names[0]]
    start = dict(zip(plant.coordinates, (2.4, 1.1), strict=True))
    run = plant.simulate(
        t_end=2.5, step=1e-3, sample=0.02, q=start, tolerance=1e-10, method="dopri"
    )
    random = np.random.default_rng(8)
    recording = {"t": run.t}
    for name in plant.coordinates:
        recording[f"{name}.q"] = run[f"{name}.q"] + 2e-3 * random.normal(size=len(run.t))
    plant.parameters[names[0]] = 1.07 * truth
    outputs = [f"{name}.q" for name in plant.coordinates]
    found = il.fit(plant, recording, names[:1], outputs=outputs, segments=0.5, step=2e-3)
    assert abs(found.values[0] - truth) < 4.0 * found.deviations[0]
    assert found.deviations[0] < 1e-3 * truth
    assert not any("gaps" in note for note in found.notes)


UNKNOWN_LINK = {"length": 1.37, "alpha": 0.62, "beta": 6.1e-5, "payload": 0.23}


def link_recording(plant: il.Plant, seed: int, seconds: float) -> il.Result:
    """The flexible link, pushed to and fro, by an encoder and a strain gauge as they are.

    Its steps are far shorter than those of fits, whose errors are those of a fit to a real link.
    """
    random = np.random.default_rng(seed)
    push = 4.0 * np.repeat(random.choice([-1.0, 1.0], 80), 25)
    plant.parameters.update(UNKNOWN_LINK)
    run = plant.simulate(
        t_end=seconds, step=2.5e-5, sample=1e-3, method="rk4", period=1e-3,
        controller=lambda t, _: {"motor.command": push[min(round(t / 1e-3), len(push) - 1)]},
    )  # fmt: skip
    plant.parameters.reset()
    signals = dict(run.signals)
    for name, noise, step in (("encoder", 1e-4, np.pi / 1e4), ("strain", 5e-3, 20.0 / 2**16)):
        noisy = signals[name] + noise * random.normal(size=len(run.t))
        signals[name] = np.round(noisy / step) * step
    return dataclasses.replace(run, signals=signals)


def fit_link(plant: il.Plant, recording: Any, names: list[str], step: float = 1e-4) -> il.Fitted:
    return il.fit(
        plant, recording, names, outputs=["encoder", "strain"], start="recorded", method="rk4",
        step=step,
    )  # fmt: skip


@pytest.mark.long
def test_flexible_link_of_two_elements() -> None:
    plant = flexlink(elements=2, axial=False, start=-90.0).compile()
    run = link_recording(plant, 1, 0.4)
    plant.parameters.update({name: UNKNOWN_LINK[name] for name in ("alpha", "beta")})
    found = fit_link(plant, run, ["length", "payload"], step=5e-4)
    for name in ("length", "payload"):
        assert found[name] == pytest.approx(UNKNOWN_LINK[name], rel=5e-3), name
    assert found.derivatives.startswith("exact")


def test_steps_that_are_too_long_are_noted(slider: il.Plant) -> None:
    recording = measured(1)
    true = swing(recording["t"])
    recording["block.q"] = true + 0.05 * (recording["block.q"] - true)
    found = il.fit(slider, recording, ["k", "c"], method="implicit", step=4e-3)
    note = next(note for note in found.notes if note.startswith("steps of 4 ms are long"))
    assert "standard deviations (step=)" in note
    better = il.fit(slider, recording, ["k", "c"], method="implicit", step=2.5e-4)
    assert not better.notes
    assert abs(better["k"] - K) < 4.0 * better.deviations[0]


@pytest.mark.long
def test_flexible_link_that_the_fitter_does_not_know() -> None:
    plant = flexlink(axial=False, start=-90.0).compile()
    run = link_recording(plant, 1, 2.0)
    found = fit_link(plant, run, list(UNKNOWN_LINK))
    for name, truth in UNKNOWN_LINK.items():
        assert found[name] == pytest.approx(truth, rel=5e-3), name
    # half as many elements: another plant
    columns = {name: run[name] for name in ("t", "encoder", "strain", "motor.command")}
    other = flexlink(elements=2, axial=False, start=-90.0).compile()
    with pytest.raises(il.ResidualError, match="does not explain"):
        fit_link(other, columns, list(UNKNOWN_LINK))


def test_white_noise_and_what_is_none() -> None:
    random = np.random.default_rng(2)
    noise = random.normal(size=2000)
    told = judge_residuals(noise, 5.0 * noise, "r", "c", 1.0, True)
    assert told.white and told.structure < 0.02 and not told.refused
    walk = np.convolve(noise, np.ones(30) / 30, "same")
    told = judge_residuals(walk, 5.0 * walk, "r", "c", 0.01, True)
    assert not told.white and told.structure > 0.8 and told.refused


def test_played_inputs_are_those_of_single_steps(slider: il.Plant) -> None:
    blocks = np.random.default_rng(1).normal(size=(20, 3, 2))
    together, single = Fleet(slider, 3), Fleet(slider, 3)
    told = together.play(blocks, 4, ["block.qd", "block.q"])
    for k, rows in enumerate(blocks):
        single.inputs[:] = rows
        single.advance(4)
        assert np.array_equal(told[k], single.outputs[:, [1, 0]])
    assert np.abs(told).max() > 0.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fit": ["stiffness"]}, "no live parameter 'stiffness'"),
        ({"fit": ["k"], "outputs": ["block.z"]}, "no output 'block.z'"),
        ({"fit": ["k"], "bounds": {"c": (0, 1)}}, "bounds of 'c', which is not fitted"),
        ({"fit": ["k"], "noise": {"block.q": -1.0}}, "noise of 'block.q' is -1"),
        ({"fit": ["k"], "segments": 0.0}, "segments of 0.0 s"),
        ({"fit": ["k"], "segments": 0.01}, "Use more than 4 periods of the recording, 0.016 s"),
        ({"fit": ["k"], "start": "there"}, "start is 'there'"),
        ({"fit": []}, "no parameters are given to fit"),
        ({"fit": ["k"], "most": 0}, "0 evaluations make no sense"),
        ({"fit": ["k"], "delay": {"block.q": 9.0}}, "unknowns behind a delay of 9 s"),
        ({"fit": ["k", "block.q"]}, "Initial states are fitted anyway"),
    ],
)
def test_arguments_of_no_use(slider: il.Plant, options: dict[str, object], words: str) -> None:
    with pytest.raises(il.InputError, match=words):
        il.fit(slider, measured(0), **options)  # type: ignore[arg-type]


def test_recordings_of_no_use(slider: il.Plant) -> None:
    recording = measured(0)
    uneven = {**recording, "t": recording["t"] ** 2}
    with pytest.raises(il.InputError, match="not equally spaced"):
        il.fit(slider, uneven, "k")
    late = {**recording, "t": recording["t"] + 0.1 * (recording["t"] > 1.198)}
    with pytest.raises(il.InputError, match=r"after t = 1.196 s the next one comes 0.104 s later"):
        il.fit(slider, late, "k")
    with pytest.raises(il.InputError, match="the recording has no signals to compare"):
        il.fit(slider, {"t": recording["t"]}, "k")
    with pytest.raises(il.InputError, match=r"Write 'Block.Q' as 'block.q'"):
        il.fit(slider, {"t": recording["t"], "Block.Q": recording["block.q"]}, "k")
    with pytest.raises(il.InputError, match="not finite"):
        il.fit(slider, {**recording, "block.q": np.full(len(recording["t"]), np.nan)}, "k")
    with pytest.raises(il.InputError, match=r"recording 1 is a string, 'run.mcap'. Read the file"):
        il.fit(slider, "run.mcap", "k")  # type: ignore[arg-type]


def test_a_velocity_that_is_missing_at_first(slider: il.Plant) -> None:
    """As those of differences are: of no use as a start, and a poor guess of one elsewhere."""
    recording = measured(0)
    rate = np.gradient(recording["block.q"], recording["t"])
    rate[0] = np.nan
    found = il.fit(slider, {**recording, "block.qd": rate}, ["k", "c"])
    assert np.all(np.abs(found.values - [K, C]) < 4.0 * found.deviations)
    with pytest.raises(il.InputError, match=r"initial state: 'block.qd' is not finite"):
        il.fit(slider, {**recording, "block.qd": rate}, "k", start="recorded")


def test_from_the_command_line(
    slider: il.Plant, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, run, found = tmp_path / "slider.py", tmp_path / "run.npz", tmp_path / "found.txt"
    model.write_text(SLIDER)
    slider.parameters.update(k=K, c=C)
    result = slider.simulate(t_end=1.0, sample=5e-3, q={"block": X0})
    result.save(run)
    slider.parameters.reset()
    page = tmp_path / "fit.html"
    words = ["identify", str(model), str(run), "--fit", "k,c", "--out", str(found)]
    assert main([*words, "--report", str(page), "--plot", str(tmp_path / "fit.png")]) == 0
    assert "data:image/png" in page.read_text() and (tmp_path / "fit.png").stat().st_size > 1000
    values = dict(line.split("#")[0].split(" = ") for line in found.read_text().splitlines()[1:])
    assert float(values["k"]) == pytest.approx(K, rel=1e-5)
    capsys.readouterr()
    assert main(["run", str(model), "--set", f"@{found}", "--seconds", "0.01", "--json"]) == 0
    assert f'"k": {float(values["k"])!r}' in capsys.readouterr().out
    # of another plant: refused, and no parameters are written
    found.unlink()
    grown = result.q * np.linspace(1.0, 2.0, len(result.t))[:, None]
    dataclasses.replace(result, q=grown).save(run)
    assert main(words) == 1
    assert "does not explain recording 1" in capsys.readouterr().err and not found.exists()
    found.write_text("k 3\n")
    with pytest.raises(SystemExit):
        main(["run", str(model), "--set", f"@{found}"])
    assert "line 1: 'k 3' is not an assignment" in capsys.readouterr().err


def test_residuals_of_rounding_are_no_reason_for_a_note(slider: il.Plant) -> None:
    """A recording of the plant itself, without noise: there is nothing to complain of."""
    slider.parameters.update({"k": K, "c": C})
    recording = slider.simulate(t_end=1.0, step=1e-3, q={"block": 0.2})
    slider.parameters.reset()
    found = il.fit(slider, recording, ["k", "c"], outputs=["block.q"])
    assert [found["k"], found["c"]] == pytest.approx([K, C], rel=1e-6)
    assert found.notes == () and all(test.white for test in found.tests)
