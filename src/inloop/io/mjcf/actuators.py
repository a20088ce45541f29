"""Actuators of MJCF: special cases of one law.

    force = (g0 + g1 l + g2 ld) u + b0 + b1 l + b2 ld,    l = gear Σ c q,    effort = gear c force

where u is the control or its filtered form, and c are the coefficients of a fixed tendon, 1 for
a joint. Controls and forces are clamped to their ranges.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from inloop.io.mjcf.defaults import Defaults
from inloop.io.mjcf.settings import Settings, limited
from inloop.io.remarks import Remarks
from inloop.io.values import number, number_attribute, numbers
from inloop.io.xml import Element
from inloop.model.names import quoted, suggestion

Range = tuple[float, float]
Three = tuple[float, float, float]
NOTHING: Three = (0.0, 0.0, 0.0)
READ = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder")
DYNAMICS = ("none", "integrator", "filter", "filterexact")
_SHARED = ("ctrllimited", "forcelimited", "actlimited", "ctrlrange", "forcerange", "actrange",
           "gear", "dyntype", "gaintype", "biastype", "delay", "damping", "armature")  # fmt: skip


@dataclass(frozen=True)
class Actuator:
    """An actuator with its defaults resolved.

    Attributes:
        name: its name in the file, "" if it has none.
        joints: names of the joints with their coefficients.
        gear: gear ratio.
        gain: g0, g1, g2 of the law.
        bias: b0, b1, b2 of the law.
        dynamics: "none", "integrator" or "filter".
        timeconst: time constant of the filter [s].
        ctrlrange: lowest and highest control, or None.
        forcerange: lowest and highest force, or None.
        where: file and line.
    """

    name: str
    joints: Mapping[str, float]
    gear: float
    gain: Three
    bias: Three
    dynamics: str
    timeconst: float
    ctrlrange: Range | None
    forcerange: Range | None
    where: str


@dataclass(frozen=True)
class _Law:
    """Values shared by all kinds of actuators, which defaults may change."""

    gain: Three = (1.0, 0.0, 0.0)
    bias: Three = NOTHING
    dynprm: float = 1.0
    dyntype: str = "none"
    gaintype: str = "fixed"
    biastype: str = "none"


def read_actuators(
    root: Element,
    defaults: Defaults,
    settings: Settings,
    remarks: Remarks,
    single: Mapping[str, bool],
    tendons: Mapping[str, Mapping[str, float]],
) -> list[Actuator]:
    """Return the supported actuators; the others are noted.

    Args:
        root: the file.
        defaults: default classes.
        settings: settings of the file.
        remarks: collects notes on what is not read.
        single: for each joint, whether it has one coordinate.
        tendons: joint coefficients of each fixed tendon.
    """
    found = []
    for section in root.all("actuator"):
        for element in section.children:
            problem = _problem(element, tendons, single)
            if problem:
                remarks.add(f"not read: <{element.tag}> {_named(element)}{problem}", element.where)
            else:
                found.append(_read(element, defaults, settings, remarks, tendons))
    return [actuator for actuator in found if actuator is not None]


def _named(element: Element) -> str:
    return quoted(element.attributes.get("name", "without name"))


def _problem(
    element: Element, tendons: Mapping[str, object], single: Mapping[str, bool]
) -> str | None:
    """Why an actuator is not read, or None."""
    if element.tag not in READ:
        return ""
    for name in ("site", "body", "cranksite", "slidersite"):
        if name in element.attributes:
            return f", which acts on a {name}"
    if "tendon" in element.attributes:
        return None if element.attributes["tendon"] in tendons else ", which acts on a tendon"
    joint = element.attributes.get("joint", element.attributes.get("jointinparent"))
    if joint is None:
        return ", which acts on something unknown"
    if joint not in single:
        element.fail(
            f"<{element.tag}> {_named(element)}: there is no joint {quoted(joint)}",
            suggestion(joint, single),
        )
    return None if single[joint] else ", which acts on a ball or free joint"


def _read(
    element: Element,
    defaults: Defaults,
    settings: Settings,
    remarks: Remarks,
    tendons: Mapping[str, Mapping[str, float]],
) -> Actuator | None:
    law = _Law()
    shared: dict[str, str] = {}
    for step in (*defaults.of_actuator(element), element):
        law = _changed(law, step)
        shared.update({k: v for k, v in step.attributes.items() if k in _SHARED})
    merged = Element(element.tag, {**shared, **element.attributes}, element.where)
    joint = element.attributes.get("joint", element.attributes.get("jointinparent", ""))
    joints = tendons[element.attributes["tendon"]] if "tendon" in element.attributes else {
        joint: 1.0}  # fmt: skip
    strange = [
        f"{name}={quoted(value)}"
        for name, value, known in (
            ("dyntype", law.dyntype, DYNAMICS),
            ("gaintype", law.gaintype, ("fixed", "affine")),
            ("biastype", law.biastype, ("none", "affine")),
        )
        if value not in known
    ]
    if strange:
        remarks.add(
            f"not read: <{element.tag}> {_named(element)} with {', '.join(strange)}", element.where
        )
        return None
    _tell_rest(merged, law, settings, remarks)
    gear = numbers_up_to(merged, "gear", 6, (1.0,))
    return Actuator(
        name=element.attributes.get("name", ""),
        joints=joints,
        gear=gear[0],
        gain=law.gain if law.gaintype == "affine" else (law.gain[0], 0.0, 0.0),
        bias=law.bias if law.biastype == "affine" else NOTHING,
        dynamics="filter" if law.dyntype.startswith("filter") else law.dyntype,
        timeconst=law.dynprm,
        ctrlrange=_range(merged, "ctrl", settings),
        forcerange=_range(merged, "force", settings),
        where=element.where,
    )


def _tell_rest(element: Element, law: _Law, settings: Settings, remarks: Remarks) -> None:
    """Note attributes that would change the motion and are not read."""
    for name in ("delay", "damping", "armature", "dampratio", "inheritrange", "actearly"):
        if element.attributes.get(name, "0") not in ("0", "false"):
            remarks.add(f"{name} of actuators is not read", element.where)
    if law.dyntype != "none" and limited(element, "actlimited", "actrange", settings):
        remarks.add("actrange of actuators is not read: activations are not clamped", element.where)


def _range(element: Element, name: str, settings: Settings) -> Range | None:
    if not limited(element, f"{name}limited", f"{name}range", settings):
        return None
    text = element.attributes.get(f"{name}range", "0 0")
    low, high = numbers(element, text, f"{name}range of <{element.tag}>", count=2)
    if low > high:
        element.fail(f"{name}range is {text}", "Write the lowest value first.")
    return low, high


def numbers_up_to(
    element: Element, name: str, most: int, default: tuple[float, ...]
) -> tuple[float, ...]:
    """Return an attribute of one to `most` numbers."""
    words = element.attributes.get(name, "").split()
    if not words:
        return default
    if len(words) > most:
        element.fail(f"{name} has {len(words)} numbers", f"Write at most {most}.")
    return tuple(number(element, word, f"{name} of <{element.tag}>") for word in words)


def _three(element: Element, name: str, before: Three) -> Three:
    values = numbers_up_to(element, name, 20, ())
    return (*values, *before[len(values) :])[:3]  # type: ignore[return-value]


def _changed(law: _Law, element: Element) -> _Law:
    """Return the law after applying an element: a default, or the actuator itself."""

    def value(name: str, default: float) -> float:
        return number_attribute(element, name, default)

    a = element.attributes
    if element.tag == "general":
        return replace(
            law,
            gain=_three(element, "gainprm", law.gain),
            bias=_three(element, "biasprm", law.bias),
            dynprm=numbers_up_to(element, "dynprm", 20, (law.dynprm,))[0],
            dyntype=a.get("dyntype", law.dyntype),
            gaintype=a.get("gaintype", law.gaintype),
            biastype=a.get("biastype", law.biastype),
        )
    if element.tag == "motor":
        return _Law()
    if element.tag in ("position", "intvelocity"):
        kp = value("kp", law.gain[0])
        kv = -value("kv", -law.bias[2])
        time = value("timeconst", 0.0)
        dyntype = "filterexact" if time else "none"
        if element.tag == "intvelocity":
            dyntype = "integrator"
        return _Law((kp, 0.0, 0.0), (law.bias[0], -kp, kv), time or 1.0, dyntype, "fixed", "affine")
    if element.tag == "velocity":
        kv = value("kv", law.gain[0])
        return _Law((kv, 0.0, 0.0), (0.0, 0.0, -kv), 1.0, "none", "fixed", "affine")
    if element.tag == "damper":
        return _Law((0.0, 0.0, -value("kv", 0.0)), NOTHING, 1.0, "none", "affine", "none")
    if element.tag == "cylinder":
        area = value("area", law.gain[0])
        if "diameter" in a:
            area = math.pi / 4.0 * value("diameter", 0.0) ** 2
        bias = _three(element, "bias", law.bias)
        time = value("timeconst", law.dynprm)
        return _Law((area, 0.0, 0.0), bias, time, "filter", "fixed", "affine")
    # unsupported kinds: no values are valid
    return replace(law, gaintype=element.tag)
