"""What is public tells its arguments, and calls that do not fit are answered with near names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints

import pytest

import inloop as il
from inloop.errors import name_hint
from inloop.plant.keywords import SYNONYMS
from inloop.realtime import Options
from inloop.realtime.options import OptionValues
from inloop.realtime.run import StartOptions

OPEN = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """All public functions of `il`, and the public methods of its classes."""
    for name in il.__all__:
        item = getattr(il, name)
        if inspect.isclass(item):
            # types of annotations and protocols are not made by users
            made = inspect.isfunction(item.__init__) and not getattr(item, "_is_protocol", False)
            yield from [(name, item)] if made and not issubclass(item, Exception) else []
            for member, function in inspect.getmembers(item, inspect.isfunction):
                if not member.startswith("_"):
                    yield f"{name}.{member}", function
        elif inspect.isfunction(item):
            yield name, item


PUBLIC = dict(public())


def test_all_are_looked_at() -> None:
    assert {"start", "Plant.simulate", "Plant.sweep", "Model.compile", "Stepper.step"} <= set(
        PUBLIC
    )
    assert len(PUBLIC) > 150


@pytest.mark.parametrize("name", PUBLIC)
def test_arguments_have_names_and_types(name: str) -> None:
    item = PUBLIC[name]
    assert inspect.getdoc(item)
    parameters = [p for n, p in inspect.signature(item).parameters.items() if n != "self"]
    first = parameters[:1] if "." in name else []  # of functions that became methods
    for parameter in parameters:
        typed = parameter.annotation is not inspect.Parameter.empty or parameter in first
        assert typed, parameter
        # "anything goes" is no answer to somebody who asks what to write
        assert parameter.kind not in OPEN or parameter.annotation != "Any", parameter


@pytest.mark.parametrize("name", [n for n in PUBLIC if n.startswith("Plant.") or "." not in n])
def test_many_arguments_are_described(name: str) -> None:
    item = PUBLIC[name]
    text = inspect.getdoc(item) or ""
    names = [n for n in inspect.signature(item).parameters if n not in ("self", "plant")]
    if len(names) > 5 and not inspect.isclass(item):
        described = re.findall(r"^ {4}(\w+)(?:, \w+)*:", text.partition("Args:")[2], re.MULTILINE)
        assert set(names) <= set(described)


def test_keywords_for_type_checkers_are_those_of_the_functions() -> None:
    assert get_type_hints(OptionValues) == get_type_hints(Options)
    parameters = inspect.signature(il.start).parameters
    assert set(StartOptions.__annotations__) == set(parameters) - {"plant"}
    assert set(inspect.signature(il.run).parameters) == {*parameters, "studio", "browser"}


@pytest.fixture(scope="module")
def plant() -> il.Plant:
    m = il.Model("slides")
    push = m.input("push")
    a = m.body("crank", on=m.ground, joint=il.prismatic("x"), mass=1.3)
    b = m.body("other", on=a, joint=il.prismatic("y"), mass=0.7)
    m.drive(a, lambda t: 0.1 * t)
    m.joint_force(b, lambda q: push - 2.0 * q)
    return m.compile(backend="python")


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda p: p.simulate(t_end=1.0, dt=1e-3), "no argument 'dt'. Did you mean step?"),
        (lambda p: p.simulate(tend=1.0), "no argument 'tend'. Did you mean t_end?"),
        (lambda p: p.simulate(duration=1.0), "no argument 'duration'. Did you mean t_end?"),
        (lambda p: p.simulate(t_end=1.0, crnk=lambda t: t), "'crnk'. Did you mean crank?"),
        (lambda p: p.simulate(t_end=1.0, push=2.0), r"'push' is an input .* inputs={\"push\":"),
        (lambda p: p.simulate(t_end=1.0, other=2.0), r"other: not a driven .* q={\"other\":"),
        (lambda p: p.simulate(t_end=1.0, parameters={}), "Set plant.parameters["),
        (lambda p: p.simulate(t_end=1.0, inputs={"crank.tau": 1.0}), 'm.joint_input("crank")'),
        (lambda p: p.simulate(), "missing a required .*'t_end'.* it takes t_end, step"),
        (lambda p: p.simulate(1.0), "too many positional arguments. By name, it takes t_end"),
        (lambda p: p.simulate_many(t_end=1.0, params={}), "'params'. Did you mean parameters?"),
        (lambda p: p.stepper(dt=1e-3), "stepper has no argument 'dt'. Did you mean step?"),
        (lambda p: p.equilibrium(q0={}), "equilibrium has no argument 'q0'. Did you mean q?"),
        (lambda p: p.linearize(output=[]), "'output'. Did you mean outputs?"),
        (lambda p: p.sweep("k", [1.0], nonsense=1), "'nonsense'. It takes over, values, what"),
        (lambda p: p.export_c("x", dt=1.0), "export_c has no argument 'dt'. Did you mean step?"),
        (lambda p: il.start(p, frequency=1e3), "'frequency'. Did you mean rate?"),
        (lambda p: il.run(p, duration=3.0), "'duration'. Did you mean seconds?"),
        (lambda p: il.load("a.urdf", mimics=True), "Did you mean mimic?"),
        (lambda p: il.Model("m").body("a", mas=1.0), "body has no argument 'mas'. Did you mean"),
        (lambda p: il.Model("m").body("a", parent="b"), "'parent'. Did you mean on?"),
        (lambda p: il.Model("m").gear("a", "b"), "gear: missing a required argument: 'ratio'"),
        (lambda p: il.Model("m").build(1), "too many positional arguments. By name, it takes no"),
        (lambda p: il.Model(nam="m"), "Model has no argument 'nam'. Did you mean name?"),
        (lambda p: il.Model("m").compile(back_end="c"), "'back_end'. Did you mean backend?"),
    ],
)  # fmt: skip
def test_calls_that_do_not_fit(plant: il.Plant, call: Callable[[Any], Any], told: str) -> None:
    with pytest.raises(il.InputError, match=re.escape(told) if "*" not in told else told):
        call(plant)


@pytest.mark.parametrize(
    ("wrong", "known", "told"),
    [
        ("cranc.q", ["crank.q", "rod.q"], "Did you mean crank.q"),
        ("zzz", ["crank.q", "rod.q"], "Names are: crank.q, rod.q."),
        ("zzz", [f"joint_{k}" for k in range(40)], "joint_11 and 28 more."),
        ("zzz", [], "Names are: none."),
        (7, ["crank.q"], "Names are: crank.q."),
    ],
)
def test_unknown_names_are_answered_with_near_ones(
    wrong: object, known: list[str], told: str
) -> None:
    assert told in name_hint(wrong, known)


@pytest.mark.parametrize(("wrong", "meant"), [("revolut", "revolute"), ("optimize", "optimise")])
def test_python_finds_near_names_of_the_package(wrong: str, meant: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(il, wrong)
    # from which Python makes its "Did you mean ...?"
    assert caught.value.name == wrong and meant in dir(caught.value.obj)


@pytest.mark.parametrize("function", [il.run, il.start, il.show])
@pytest.mark.parametrize("given", [il.Model("arm"), None, "pendulum"])
def test_a_model_must_be_compiled_first(function: Callable[..., Any], given: Any) -> None:
    with pytest.raises(il.InputError, match=r"needs a compiled plant.*plant = model\.compile\(\)"):
        function(given, rate=1000.0)


def test_a_model_says_where_methods_of_plants_are() -> None:
    model: Any = il.Model("arm")
    with pytest.raises(AttributeError, match=r"compile it first: .*plant\.simulate"):
        model.simulate(t_end=1.0)
    with pytest.raises(AttributeError, match=r"has no attribute 'bodys'$"):
        model.bodys("b")


def test_signals_and_inputs_too(plant: il.Plant) -> None:
    result = gallery_plant("pendulum").simulate(t_end=0.002, step=1e-3)
    with pytest.raises(il.InputError, match=r"no signal 'angel.q'\. Did you mean angle.q"):
        result["angel.q"]
    with pytest.raises(il.InputError, match=r"no input 'pusch'\. Did you mean push\?"):
        plant.equilibrium(inputs={"pusch": 1.0})


def test_synonyms_are_no_arguments_of_the_functions_that_they_help_with() -> None:
    for name, item in PUBLIC.items():
        if name.startswith("Plant."):
            known = set(inspect.signature(item).parameters)
            for argument in known & set(SYNONYMS):
                assert not known & set(SYNONYMS[argument]), (name, argument)


def gallery_plant(name: str) -> il.Plant:
    from inloop import gallery

    return gallery.get(name).build().compile()


@pytest.mark.parametrize("name", ["pendulum", "slider_crank", "stick_slip"])
def test_outputs_are_what_a_result_holds(name: str) -> None:
    plant = gallery_plant(name)
    result = plant.simulate(t_end=0.002, step=1e-3)
    assert set(result.names) == set(plant.outputs)
    assert {n: result.units.get(n, "") for n in result.names} == plant.outputs
    stepper = plant.stepper()
    assert set(stepper.look().signals) <= set(plant.outputs)


def test_outputs_of_ball_joints_and_couplings() -> None:
    m = il.Model("top")
    m.body("top", on=m.ground, joint=il.ball(), mass=1.3, com=(0, 0, 0.4), inertia=(0.3, 0.2, 0.1))
    a = m.body("a", on=m.ground, joint=il.revolute("x"), mass=1.0, inertia=(1, 1, 1))
    b = m.body("b", on=m.ground, joint=il.revolute("y"), mass=1.0, inertia=(1, 1, 1))
    m.gear(a, b, ratio=-2.5)
    plant = m.compile()
    assert set(plant.simulate(t_end=0.002, step=1e-3).names) == set(plant.outputs)


def test_outputs_of_all_modes() -> None:
    plant = gallery_plant("bouncing_ball")
    names = {"t", "energy.total", "mode", "events"}
    assert names | {n for n in plant.outputs if n.endswith((".q", ".qd"))} <= set(plant.outputs)
    result = plant.simulate(t_end=0.002, step=1e-3)
    assert set(result.names) <= set(plant.outputs)
