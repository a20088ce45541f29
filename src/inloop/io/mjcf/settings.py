"""Global settings of an MJCF file: <compiler> and <option>."""

from __future__ import annotations

from dataclasses import dataclass

from inloop.io.values import number_attribute, numbers, vector_attribute
from inloop.io.xml import Element
from inloop.model.names import quoted

_SWITCHES = {"true": True, "false": False}
_FLAGS = {"enable": True, "disable": False}


@dataclass(frozen=True)
class Settings:
    """Settings for the interpretation of the file.

    Attributes:
        degrees: whether angles are in degrees, else in radians.
        autolimits: whether a range alone implies a limit.
        eulerseq: axes of the three angles of `euler`; lower case rotates with the body.
        inertiafromgeom: "true" always, "false" never, "auto" for bodies without <inertial>.
        inertia_groups: range of geom groups that have mass.
        mesh_folder: folder of meshes, inside the model's folder.
        strip_path: whether folders in mesh file names are ignored.
        balance: whether impossible inertias become those of spheres.
        least_mass: minimum mass of each body [kg].
        least_inertia: minimum principal moment of each body [kg·m²].
        total_mass: total mass to which the bodies are scaled [kg]; None: not scaled.
        gravity: [m/s²].
        disabled: flags that are switched off.
    """

    degrees: bool
    autolimits: bool
    eulerseq: str
    inertiafromgeom: str
    inertia_groups: tuple[float, float]
    mesh_folder: str
    strip_path: bool
    balance: bool
    least_mass: float
    least_inertia: float
    total_mass: float | None
    gravity: tuple[float, ...]
    disabled: frozenset[str]


def read_settings(root: Element) -> Settings:
    """Read all <compiler> and <option> elements; later ones take precedence."""
    compiler, option = _joined(root, "compiler"), _joined(root, "option")
    flags = _joined(Element("option", {}, root.where, _inner(root, "option", "flag")), "flag")
    if compiler.attributes.get("coordinate", "local") != "local":
        compiler.fail(
            "coordinates are global, which MuJoCo itself no longer reads",
            "Load and save the file with MuJoCo 2.3.3 or older, which writes local coordinates.",
        )
    total = number_attribute(compiler, "settotalmass", -1.0)
    groups = compiler.attributes.get("inertiagrouprange", "0 5")
    low, high = numbers(compiler, groups, "inertiagrouprange", count=2)
    gravity = vector_attribute(option, "gravity", (0.0, 0.0, -9.81))
    disabled = frozenset(name for name in flags.attributes if not _flag(flags, name))
    return Settings(
        degrees=_choice(compiler, "angle", ("degree", "radian")) == "degree",
        autolimits=switch(compiler, "autolimits", True),
        eulerseq=_read_sequence(compiler),
        inertiafromgeom=_choice(compiler, "inertiafromgeom", ("auto", "true", "false")),
        inertia_groups=(low, high),
        mesh_folder=compiler.attributes.get("meshdir", compiler.attributes.get("assetdir", "")),
        strip_path=switch(compiler, "strippath", False),
        balance=switch(compiler, "balanceinertia", False),
        least_mass=number_attribute(compiler, "boundmass", 0.0),
        least_inertia=number_attribute(compiler, "boundinertia", 0.0),
        total_mass=total if total > 0.0 else None,
        gravity=(0.0, 0.0, 0.0) if "gravity" in disabled else gravity,
        disabled=disabled,
    )


def switch(element: Element, name: str, default: bool) -> bool:
    """Return a Boolean attribute."""
    text = element.attributes.get(name)
    if text is None:
        return default
    if text not in _SWITCHES:
        element.fail(f"{name} of {element.label} is {quoted(text)}", "Write true or false.")
    return _SWITCHES[text]


def limited(element: Element, switch_name: str, range_name: str, settings: Settings) -> bool:
    """Whether a range is a limit: as written, or because a range is given."""
    if element.attributes.get(switch_name, "auto") != "auto":
        return switch(element, switch_name, False)
    return settings.autolimits and range_name in element.attributes


def _joined(root: Element, tag: str) -> Element:
    """One element with the attributes of all elements of this tag."""
    joined = Element(tag, {}, root.where)
    for element in root.all(tag):
        joined.attributes.update(element.attributes)
        joined.where = element.where
    return joined


def _inner(root: Element, outer: str, tag: str) -> list[Element]:
    return [element for section in root.all(outer) for element in section.all(tag)]


def _choice(element: Element, name: str, choices: tuple[str, ...]) -> str:
    text = element.attributes.get(name, choices[0])
    if text not in choices:
        element.fail(
            f"{name} of {element.label} is {quoted(text)}", f"Write one of: {', '.join(choices)}."
        )
    return text


def _flag(flags: Element, name: str) -> bool:
    text = flags.attributes[name]
    if text not in _FLAGS:
        flags.fail(f"flag {quoted(name)} is {quoted(text)}", "Write enable or disable.")
    return _FLAGS[text]


def _read_sequence(compiler: Element) -> str:
    text = compiler.attributes.get("eulerseq", "xyz")
    if len(text) != 3 or set(text.lower()) - set("xyz"):
        compiler.fail(f"eulerseq is {quoted(text)}", "Write three axes such as xyz or ZYX.")
    return text
