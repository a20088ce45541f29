"""modelDescription.xml for both versions of the standard, from one set of facts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as Xml

from inloop.io.fmi.base_units import base_units
from inloop.io.fmi.dependencies import Dependencies
from inloop.io.fmi.variables import Variable, Variables

Attributes = dict[str, str]
MODES = "Mode"  # name of the enumeration type of the output `mode`
TOOL = "inloop"


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Content of the model description.

    Attributes:
        name: name of the plant and of the library.
        token: identifies the FMU in both library and description.
        about: description as text.
        variables: all variables.
        dependencies: dependencies of outputs and derivatives, where known.
        modes: names of the modes.
        step: step size of co-simulation [s].
        t_end: stop time of the default experiment [s].
        exchanged: whether model exchange is supported.
        derivatives: whether directional derivatives are provided.
        has_events: whether events may occur.
        sources: names of the .c files.
    """

    name: str
    token: str
    about: str
    variables: Variables
    dependencies: Dependencies
    modes: Sequence[str]
    step: float
    t_end: float
    exchanged: bool
    derivatives: bool
    has_events: bool
    sources: Sequence[str]


def describe(facts: Facts, version: str) -> bytes:
    """The model description as UTF-8."""
    root = _version_2(facts) if version == "2.0" else _version_3(facts)
    Xml.indent(root)
    return bytes(Xml.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def build_description(facts: Facts) -> bytes:
    """sources/buildDescription.xml of FMI 3."""
    root = Xml.Element("fmiBuildDescription", {"fmiVersion": "3.0"})
    build = Xml.SubElement(root, "BuildConfiguration", {"modelIdentifier": facts.name})
    files = Xml.SubElement(build, "SourceFileSet", {"language": "C99"})
    for name in facts.sources:
        Xml.SubElement(files, "SourceFile", {"name": name})
    Xml.SubElement(build, "Library", {"name": "m", "external": "true"})
    Xml.indent(root)
    return bytes(Xml.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


# ---- common to both versions ----


def _root(facts: Facts, more: Attributes) -> Xml.Element:
    own = {"modelName": facts.name, "description": facts.about, "generationTool": TOOL}
    return Xml.Element("fmiModelDescription", {**more, **own, "variableNamingConvention": "flat"})


def _units(root: Xml.Element, variables: Iterable[Variable]) -> None:
    known = dict.fromkeys(v.unit for v in variables if v.unit)
    if not known:
        return
    units = Xml.SubElement(root, "UnitDefinitions")
    for name in known:
        unit = Xml.SubElement(units, "Unit", {"name": name})
        powers = base_units(name)
        if powers is not None:
            Xml.SubElement(unit, "BaseUnit", {base: str(k) for base, k in powers.items()})


def _experiment(root: Xml.Element, facts: Facts) -> None:
    stop, step = repr(facts.t_end), repr(facts.step)
    about = {"startTime": "0.0", "stopTime": stop, "stepSize": step}
    Xml.SubElement(root, "DefaultExperiment", about)


def _log_categories(root: Xml.Element) -> None:
    categories = Xml.SubElement(root, "LogCategories")
    for name, about in (
        ("logStatusWarning", "what keeps a solver from going on"),
        ("logStatusError", "why a function has failed"),
    ):
        Xml.SubElement(categories, "Category", {"name": name, "description": about})


def _roles(variable: Variable) -> Attributes:
    found: Attributes = {"causality": variable.causality, "variability": variable.variability}
    found |= {"initial": variable.initial} if variable.initial else {}
    return found | ({"description": variable.about} if variable.about else {})


def _numbers(variable: Variable) -> Attributes:
    """Unit, range and start of a real variable."""
    found: Attributes = {}
    if variable.unit:
        found["unit"] = variable.unit
    for word, value in (("min", variable.least), ("max", variable.most)):
        if math.isfinite(value):
            found[word] = repr(value)
    if variable.start is not None:
        found["start"] = repr(float(variable.start))
    return found


def _depends(variable: Variable, known: Dependencies, named: Callable[[int], str]) -> Attributes:
    """The variables it depends on, and how; empty if unknown."""
    if variable.number not in known:
        return {}
    on = dict(sorted(known[variable.number].items()))
    return {"dependencies": " ".join(map(named, on)), "dependenciesKind": " ".join(on.values())}


def _unknown_at_start(variables: Variables) -> list[Variable]:
    every = (*variables.outputs, *variables.states, *variables.rates)
    return [variable for variable in every if variable.initial != "exact"]


# ---- FMI 3.0 ----


def _version_3(facts: Facts) -> Xml.Element:
    root = _root(facts, {"fmiVersion": "3.0", "instantiationToken": facts.token})
    both = {
        "modelIdentifier": facts.name,
        "canGetAndSetFMUState": "true",
        "canSerializeFMUState": "true",
    }
    if facts.exchanged:
        exact = {"providesDirectionalDerivatives": _word(facts.derivatives)}
        needs = {"needsCompletedIntegratorStep": "true"}
        Xml.SubElement(root, "ModelExchange", {**both, **exact, **needs})
    stepped = {
        "canHandleVariableCommunicationStepSize": "true",
        "fixedInternalStepSize": repr(facts.step),
        "hasEventMode": "true",
        "mightReturnEarlyFromDoStep": _word(facts.has_events),
    }
    Xml.SubElement(root, "CoSimulation", {**both, **stepped})
    _units(root, facts.variables.all)
    if any(v.type == "mode" for v in facts.variables.all):
        types = Xml.SubElement(root, "TypeDefinitions")
        _items(Xml.SubElement(types, "EnumerationType", {"name": MODES}), facts.modes)
    _log_categories(root)
    _experiment(root, facts)
    listed = Xml.SubElement(root, "ModelVariables")
    for variable in facts.variables.all:
        _variable_3(listed, variable)
    structure = Xml.SubElement(root, "ModelStructure")
    groups = {
        "Output": facts.variables.outputs,
        "ContinuousStateDerivative": facts.variables.rates,
        "InitialUnknown": _unknown_at_start(facts.variables),
        "EventIndicator": facts.variables.levels,
    }
    for tag, variables in groups.items():
        known = facts.dependencies if tag != "InitialUnknown" else {}
        for variable in variables:
            own = {"valueReference": str(variable.number)}
            Xml.SubElement(structure, tag, own | _depends(variable, known, str))
    return root


def _variable_3(parent: Xml.Element, variable: Variable) -> None:
    own = {"name": variable.name, "valueReference": str(variable.number), **_roles(variable)}
    if variable.type == "mode":
        Xml.SubElement(parent, "Enumeration", {**own, "declaredType": MODES})
    elif variable.type == "whole":
        Xml.SubElement(parent, "Int64", own)
    else:
        own |= _numbers(variable)
        if variable.derivative_of is not None:
            own["derivative"] = str(variable.derivative_of)
        Xml.SubElement(parent, "Float64", own)


# ---- FMI 2.0 ----


def _version_2(facts: Facts) -> Xml.Element:
    known = {"fmiVersion": "2.0", "guid": facts.token}
    if facts.exchanged:
        known["numberOfEventIndicators"] = str(len(facts.variables.levels))
    root = _root(facts, known)
    both = {
        "modelIdentifier": facts.name,
        "canNotUseMemoryManagementFunctions": "true",
        "canGetAndSetFMUstate": "true",
        "canSerializeFMUstate": "true",
    }
    if facts.exchanged:
        exact = {"providesDirectionalDerivative": _word(facts.derivatives)}
        _sources_2(Xml.SubElement(root, "ModelExchange", {**both, **exact}), facts.sources)
    stepped = {"canHandleVariableCommunicationStepSize": "true"}
    _sources_2(Xml.SubElement(root, "CoSimulation", {**both, **stepped}), facts.sources)
    _units(root, facts.variables.all)
    if any(v.type == "mode" for v in facts.variables.all):
        types = Xml.SubElement(root, "TypeDefinitions")
        simple = Xml.SubElement(types, "SimpleType", {"name": MODES})
        _items(Xml.SubElement(simple, "Enumeration"), facts.modes)
    _log_categories(root)
    _experiment(root, facts)
    listed = Xml.SubElement(root, "ModelVariables")
    for variable in facts.variables.all[1:]:
        _variable_2(listed, variable)
    structure = Xml.SubElement(root, "ModelStructure")
    groups = {
        "Outputs": facts.variables.outputs,
        "Derivatives": facts.variables.rates,
        "InitialUnknowns": _unknown_at_start(facts.variables),
    }
    for tag, variables in groups.items():
        if variables:
            group = Xml.SubElement(structure, tag)
            told = facts.dependencies if tag != "InitialUnknowns" else {}
            for variable in variables:
                own = {"index": _index(variable.number)}
                Xml.SubElement(group, "Unknown", own | _depends(variable, told, _index))
    return root


def _sources_2(parent: Xml.Element, names: Sequence[str]) -> None:
    files = Xml.SubElement(parent, "SourceFiles")
    for name in names:
        Xml.SubElement(files, "File", {"name": name})


def _variable_2(parent: Xml.Element, variable: Variable) -> None:
    own = {"name": variable.name, "valueReference": str(variable.number), **_roles(variable)}
    scalar = Xml.SubElement(parent, "ScalarVariable", own)
    if variable.type == "mode":
        Xml.SubElement(scalar, "Enumeration", {"declaredType": MODES})
    elif variable.type == "whole":
        Xml.SubElement(scalar, "Integer")
    else:
        numbers = _numbers(variable)
        if variable.derivative_of is not None:
            numbers["derivative"] = _index(variable.derivative_of)
        Xml.SubElement(scalar, "Real", numbers)


def _index(number: int) -> str:
    """Index of a variable in FMI 2, from one: its number, as time (0) is not listed there."""
    return str(number)


def _items(parent: Xml.Element, modes: Sequence[str]) -> None:
    for number, name in enumerate(modes):
        Xml.SubElement(parent, "Item", {"name": name, "value": str(number)})


def _word(truth: bool) -> str:
    return "true" if truth else "false"
