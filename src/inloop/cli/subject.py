"""The mechanism of a command: from the gallery, or from a file."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

import inloop as il
from inloop import gallery
from inloop.cli.formulations import formulation_of
from inloop.cli.python_file import Compiled, Described, model_of_file
from inloop.cli.setting_files import add_settings
from inloop.errors import FileFormatError
from inloop.formalisms import LiveParameter
from inloop.gallery import Exhibit
from inloop.gallery.exhibition.option import Chosen
from inloop.model.starting import Base
from inloop.plant.formulation import REDUCED
from inloop.plant.parameters import Parameters

FILE_ENDINGS = (".urdf", ".xml", ".sdf", ".mbs", ".py")


@dataclass(frozen=True)
class Subject:
    """A model and its origin.

    Attributes:
        model: the model, or a plant compiled by a file.
        exhibit: its entry in the gallery, None for a file.
        settings: parameter values given on the command line.
        options: options of the exhibit given there.
        names: all global names of a Python file.
        formulation: formulation given there, as arguments of `il.Model.compile`.
    """

    model: Described
    exhibit: Exhibit | None
    settings: dict[str, float]
    options: dict[str, Chosen] = field(default_factory=dict)
    names: Mapping[str, Any] = field(default_factory=dict)
    formulation: Mapping[str, Any] = field(default_factory=dict)

    def compile(self, **options: Any) -> il.Plant:
        """Compile the plant with the given parameters, for commands that run it.

        Args:
            options: further arguments of `il.Model.compile` from the command.
        """
        wanted = {**self.formulation, **options}
        _refuse_second_compilation(self.model, wanted)
        if numbers := self._set_numbers():
            wanted["live"] = [*wanted.get("live", ()), *numbers]
        plant = self.model.compile(**wanted)
        plant.parameters.update(self.settings)
        return plant

    def build(self) -> il.Mechanism:
        """The frozen description, with the given parameters as defaults, for commands that read it.

        Raises:
            InputError: no such parameter, or a value out of its range.
        """
        mechanism = self.model.build()
        values = Parameters(
            [LiveParameter(p.name, p.default, p.unit, p.range) for p in mechanism.parameters]
        )
        values.update(self.settings)
        return replace(
            mechanism,
            parameters=tuple(replace(p, default=values[p.name]) for p in mechanism.parameters),
        )

    def _set_numbers(self) -> list[str]:
        """Settings of numbers of a body, such as "rod.mass", which become parameters for it."""
        dotted = [name for name in self.settings if "." in name]
        if isinstance(self.model, Compiled) or not dotted:
            return []
        mechanism = self.model.build()
        declared = {parameter.name for parameter in mechanism.parameters}
        bodies = {body.name for body in mechanism.bodies}
        return [x for x in dotted if x not in declared and x.partition(".")[0] in bodies]

    @property
    def integrator(self) -> tuple[str | None, float | None]:
        """Method and tolerance that suit the exhibit; None: the plant's defaults.

        Those of an exhibit are for its reduced equations.
        """
        if self.exhibit is None or self.formulation.get("formulation", REDUCED) != REDUCED:
            return None, None
        return self.exhibit.method, self.exhibit.tolerance


def add_subject(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that `find_subject` reads."""
    parser.add_argument(
        "mechanism",
        metavar="NAME|FILE",
        help="a name from `inloop list`, or a file: .urdf, .xml (MuJoCo), .sdf, .mbs, or "
        ".py that defines an il.Model, preferably called `model`",
    )
    add_settings(
        parser,
        help="set a parameter, or an option such as the number of links; may be repeated; "
        "@FILE reads them from a file",
    )
    add_base(parser)


def add_base(parser: argparse.ArgumentParser) -> None:
    """Add the option for the base of a URDF robot."""
    parser.add_argument(
        "--base",
        choices=get_args(Base),
        help="URDF only: root link fixed (default), free, or free with angles instead of a "
        "quaternion",
    )


def find_subject(args: argparse.Namespace) -> Subject:
    """The mechanism named by the arguments, built with its options."""
    given = {} if args.base is None else {"base": args.base}
    if args.mechanism not in gallery.names() and _is_file(args.mechanism):
        # commands that run a robot (`add_start`) apply its damping and friction
        model, names = _load(args.mechanism, given, runs=hasattr(args, "held"))
        settings = _numbers(_settings(args.set))
        formulation = formulation_of(args)
        _refuse_second_compilation(model, formulation)
        return Subject(model, None, settings, names=names, formulation=formulation)
    if given:
        raise il.InputError(
            f"--base is only for URDF files; {args.mechanism[:60]!a} is not a file",
            fix="Remove it.",
        )
    if args.mechanism not in gallery.names() and os.path.isdir(args.mechanism):
        raise il.InputError(
            f"{args.mechanism[:60]!a} is a folder",
            fix=f"Give a name from `inloop list`, or a file: {', '.join(FILE_ENDINGS)}.",
        )
    found = _find_exhibit(args.mechanism, args.set, files=True)
    return replace(found, formulation=formulation_of(args))


def _refuse_second_compilation(model: Described, wanted: Mapping[str, Any]) -> None:
    """Reject compile options for a plant that a file has already compiled."""
    if isinstance(model, Compiled) and wanted:
        name = next(iter(wanted))
        raise il.InputError(
            f"--{name} is only for models; this file has already compiled its plant",
            fix=f"Define `model` in the file, or write m.compile({name}=...) there.",
        )


def subject_of_facts(facts: Mapping[str, str]) -> Subject:
    """The mechanism named by the metadata of a recording or of a running plant.

    The metadata is untrusted data: it may name a mechanism of the gallery and its options. A file
    that it names is never opened, let alone run.

    Raises:
        InputError: not a mechanism of the gallery; the message gives its origin.
    """
    source = facts.get("source", "")
    if source not in gallery.names():
        origin = f"it came from {source[:200]!a}" if source else "it does not name its source"
        raise il.InputError(f"its mechanism is not in the gallery: {origin}")
    return _find_exhibit(source, _told_settings(facts.get("settings", "[]")))


def _told_settings(text: str) -> list[str]:
    try:
        words = json.loads(text)
    except (ValueError, RecursionError):
        words = None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise il.InputError("its settings are not valid", fix="Name the mechanism.")
    return words


def _find_exhibit(name: str, words: Sequence[str], *, files: bool = False) -> Subject:
    """A mechanism of the gallery; named files are opened only if the user named them."""
    given, exhibit = _settings(words), gallery.get(name)
    options: dict[str, Chosen] = {
        name: _option(exhibit, name, given.pop(name))
        for name in list(given)
        if name in exhibit.options
    }
    for name in set(given) & set(exhibit.files):
        if not files:
            raise il.InputError(
                f"it was created with a file, {name}={given[name][:60]!a}, which is not opened "
                "automatically",
                fix=f"Name the mechanism yourself: {exhibit.name} --set {name}=FILE.",
            )
        options[name] = given.pop(name)
    return Subject(exhibit.build(**options), exhibit, _numbers(given), options)


def _settings(words: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not (name and sign and value):
            raise il.InputError(
                f"--set {word[:60]!a} is not an assignment", fix="Write it as --set length=0.8."
            )
        pairs[name.strip()] = value.strip()
    return pairs


def _option(exhibit: Exhibit, name: str, text: str) -> bool | int | float:
    option = exhibit.options[name]
    try:
        return option.read(text)
    except ValueError:
        raise il.InputError(
            f"option '{name}' of '{exhibit.name}' cannot be {text[:40]!a}",
            fix=f"Give {option.allowed}, such as {option.default}.",
        ) from None


def _numbers(given: dict[str, str]) -> dict[str, float]:
    numbers = {}
    for name, text in given.items():
        try:
            numbers[name] = float(text)
        except ValueError:
            raise il.InputError(
                f"parameter {name[:40]!a} cannot be {text[:40]!a}", fix="Give a number."
            ) from None
    return numbers


def _is_file(name: str) -> bool:
    if name.lower().endswith(FILE_ENDINGS) or os.sep in name:
        return True
    try:
        return Path(name).is_file()
    except (ValueError, OSError):  # not a valid file name
        return False


def _load(
    name: str, options: Mapping[str, Any], *, runs: bool
) -> tuple[Described, Mapping[str, Any]]:
    """The model described by a file, and the global names of a Python file."""
    if "\0" in name:
        raise FileFormatError(f"{name[:40]!a} is not a file name", fix="Give a path.")
    if not name.lower().endswith(".py"):
        from inloop.io.load import options_of_runs  # readers are imported only when needed

        return il.load(name, **(options_of_runs(name) if runs else {}), **options), {}
    if options:
        raise il.InputError(
            f"--base is only for URDF files; {name[:60]!a} is a Python file",
            fix='Write il.load(..., base="free") in it.',
        )
    return model_of_file(Path(name))
