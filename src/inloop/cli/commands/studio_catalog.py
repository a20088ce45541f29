"""The gallery as the studio's menu: appearance and start command of each mechanism."""

from __future__ import annotations

import argparse
import functools
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import inloop as il
from inloop import gallery
from inloop.cli.commands import midi
from inloop.cli.commands.studio_controllers import offered_controllers
from inloop.cli.formulations import formulation_words
from inloop.cli.observers import named_observer
from inloop.cli.starting import prepare, start_words, tell_notes
from inloop.cli.subject import Subject, find_subject, subject_of_facts
from inloop.cli.watched_files import files_of, forget_modules
from inloop.errors import InloopError
from inloop.gallery import Cockpit, Exhibit
from inloop.gallery.exhibition.option import Chosen
from inloop.realtime import Recording, running
from inloop.realtime.mailboxes.layout import Layout
from inloop.studio.drawing.stage import Stage, make_stage
from inloop.studio.messaging.message_types import MenuEntry
from inloop.studio.plants.catalog import Choice, Options

HIGHEST = 5000.0  # [Hz]: shorter steps are combined in one period
ADAPTIVE = 5  # fixed steps in place of one adaptive step
MOMENT, SHOWN_FOR = 0.1, 5.0  # [s]
THIN = 0.25  # width of a disc relative to its radius


class GalleryCatalog:
    """All mechanisms of the gallery, and a file named on the command line.

    Args:
        rate: steps per second of all mechanisms [Hz]; None: suitable for each.
        speed: initial simulated seconds per second; None: suitable for each.
        name: name under which all of them run; None: the model's.
        clock: clock of all mechanisms, as in `inloop run --clock`.
        formulation: formulation of all mechanisms, as read by `formulation_of`.
    """

    def __init__(
        self,
        rate: float | None = None,
        speed: float | None = None,
        name: str | None = None,
        clock: str = "system",
        formulation: Mapping[str, Any] | None = None,
    ) -> None:
        self._rate, self._speed, self._fixed_name, self._clock = rate, speed, name, clock
        self._formulation = dict(formulation or {})
        self._own: set[str] = set()  # names of plants already used
        self._file: argparse.Namespace | None = None  # for the file of the command line

    def menu(self) -> list[MenuEntry]:
        """Name, title and options of each entry; the user's own file comes first."""
        own = [] if self._file is None else [_file_entry(self._file.mechanism)]
        return own + self._exhibits()

    @functools.cache  # noqa: B019  # one catalog per program
    def _exhibits(self) -> list[MenuEntry]:
        return [
            {
                "name": exhibit.name,
                "title": exhibit.title,
                "options": [
                    {
                        "name": name,
                        "default": option.default,
                        "doc": option.doc,
                        "range": option.range,
                        "allowed": option.allowed,
                    }
                    for name, option in exhibit.options.items()
                ],
            }
            for exhibit in gallery.exhibits()
        ]

    def choose(self, name: str, options: Options) -> Choice:
        """A gallery mechanism, or the file of the command line; pages cannot choose others."""
        if self._file is not None and name == self._file.mechanism and not options:
            forget_modules(Path(name))  # they may have changed
            return self.subject(self._file)
        for option in set(options) & set(gallery.get(name).files):
            raise il.InputError(
                f"option '{option}' of '{name}' is a file, which cannot be chosen in the page",
                fix=f"Start with `inloop studio {name} --set {option}=FILE`.",
            )
        words = [f"{key}={value}" for key, value in options.items()]
        plain = argparse.Namespace(mechanism=name, set=words, base=None, q=[], held=None)
        vars(plain).update(self._formulation)
        return self.subject(plain)

    def subject(self, args: argparse.Namespace) -> Choice:
        """A mechanism named on the command line."""
        found = find_subject(args)
        prepare(found, args, held=True)
        tell_notes(found)
        mechanism = found.model.build()
        known = {p.name for p in mechanism.parameters}
        for setting in found.settings:
            if setting not in known:
                raise il.InputError(
                    f"'{args.mechanism}' has no option or parameter {setting[:40]!a}",
                    fix=f"`inloop describe {args.mechanism}` lists them all.",
                )
        if (observer := getattr(args, "observer", None)) is not None:
            named_observer(observer, found.names)
        plant = self._name(mechanism.name)
        stage = stage_of(found)
        haptic = stage.device is not None and stage.device["haptic"] is not None
        command = self._command(args, found, plant, haptic)
        offered = offered_controllers(found, plant, args)
        watched: tuple[Path, ...] = ()
        if found.exhibit is None:
            self._file, watched = args, files_of(Path(args.mechanism))
        return Choice(plant, stage, args.mechanism, command, offered, watched=watched)

    def attached(self, plant: str, stage: Path | None, args: argparse.Namespace) -> Choice:
        """A plant started by another process.

        It is drawn as the mechanism named on the command line, or else as the gallery mechanism
        that the plant names. No file that the plant names is opened.
        """
        with il.attach(plant) as box:
            layout = box.layout
        if stage is not None:
            return Choice(plant, Stage.load(stage))
        return Choice(plant, self._drawn(f"plant '{plant}'", plant, layout, args))

    def recorded(self, path: Path, args: argparse.Namespace) -> Choice:
        """A recording in place of a plant, drawn by the same rules."""
        if not path.is_file():
            raise il.InputError(f"there is no file {str(path)[:80]!a}", fix="Check the path.")
        recording = Recording(path)
        name = recording.facts["name"]
        stage = self._drawn(f"the recording {path.name!a}", name, recording.layout, args)
        return Choice(name, stage, recording=path)

    def _drawn(self, what: str, name: str, layout: Layout, args: argparse.Namespace) -> Stage:
        """Appearance of a foreign plant: as named on the command line, or else by itself."""
        if args.mechanism is not None:
            drawn = stage_of(find_subject(args))
            count = len(layout.coordinates)
            if drawn.library is None or not drawn.library.fits(layout.index, count):
                raise il.InputError(
                    f"{what} and {args.mechanism!a} have different coordinates",
                    fix="Name the mechanism that runs there, with its options.",
                )
            return drawn
        try:
            return stage_of(subject_of_facts(dict(layout.about)))
        except InloopError as error:
            why = error.mistakes[0].what
            unknown = (
                f"The shape of this plant is not known: {why}. Start the studio with its file."
            )
            return Stage(name, unknown)

    def record_command(self, plant: str, path: Path) -> tuple[str, ...]:
        """Command of a recorder process."""
        return (*_program("record"), plant, "--history", "--to", str(path))

    def device_command(self, plant: str, rig: str) -> tuple[str, ...]:
        """Command of a haptic device process."""
        return (*_program("device"), plant, "--rig", rig, "--piped")

    def limits_command(self, rig: str, settings: Mapping[str, Any]) -> tuple[str, ...]:
        """Command for the limits of a haptic device, without a plant."""
        words = ["--rig", rig, "--limits", "--json"]
        for name, value in settings.items():
            if isinstance(value, bool):
                words += [f"--{name}"] if value else []
            else:
                words += [f"--{name.replace('_', '-')}", repr(value)]
        return (*_program("device"), *words)

    def _name(self, model: str) -> str:
        """A name not used by any running plant."""
        if self._fixed_name is not None:
            return self._fixed_name
        taken = set(running()) - self._own
        name = model if model not in taken else f"{model}-{os.getpid()}"
        self._own.add(name)
        return name

    def _command(
        self, args: argparse.Namespace, found: Subject, plant: str, haptic: bool
    ) -> tuple[str, ...]:
        exhibit = found.exhibit
        rate, substeps = pace(exhibit, self._rate)
        words = [args.mechanism, "--rate", repr(rate), "--substeps", str(substeps)]
        words += ["--speed", repr(self._speed or natural_speed(exhibit)), "--name", plant]
        # the studio refreshes inputs 60 times per second, and says when they may stay
        words += ["--stale-after", "0.5", "--clock", self._clock, "--with-parent"]
        for setting in args.set:
            words += ["--set", setting]
        if args.base is not None:
            words += ["--base", args.base]
        for option in ("controller", "period"):  # given again when the file has changed
            if (value := getattr(args, option, None)) is not None and exhibit is None:
                words += [f"--offer-{option}", str(value)]
        if (observer := getattr(args, "observer", None)) is not None:
            words += ["--observer", observer]
        words += formulation_words(found.formulation)
        words += start_words(args)
        if haptic:
            # the plant must not stop on an unstable device: that is what users want to observe
            words += ["--policy", "CHATTERING=hold", "--policy", "LOOP_OPEN=hold"]
        return (*_program("run"), *words)


def _file_entry(path: str) -> MenuEntry:
    return {"name": path, "title": Path(path).name, "options": []}


def pace(exhibit: Exhibit | None, rate: float | None = None) -> tuple[float, int]:
    """Rate [Hz] and sub-steps suitable for a mechanism in real time."""
    step = exhibit.step if exhibit is not None else 1e-3
    if exhibit is not None and exhibit.tolerance is not None:
        step /= ADAPTIVE
        rate = rate or 1.0 / exhibit.step
    found = rate or min(1.0 / step, HIGHEST)
    return found, max(1, round(1.0 / (found * step)))


def natural_speed(exhibit: Exhibit | None) -> float:
    """Simulated seconds per second: very short motions are shown slowly."""
    short = exhibit is not None and exhibit.seconds < MOMENT
    return exhibit.seconds / SHOWN_FOR if exhibit is not None and short else 1.0


def _program(command: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "inloop.cli", command)


def stage_of(subject: Subject) -> Stage:
    """Appearance of a mechanism in the studio."""
    mechanism, exhibit = subject.model.build(), subject.exhibit
    if exhibit is None:
        own = subject.names.get("cockpit")
        ride = own.data() if isinstance(own, Cockpit) else None
        return make_stage(mechanism, remarks=mechanism.notes, cockpit=ride)
    hand, cockpit = exhibit.hand(**subject.options), exhibit.ride(**subject.options)
    return make_stage(
        mechanism,
        title=exhibit.title,
        look_at=exhibit.look_at,
        plane=exhibit.view.axes if exhibit.view is not None and len(exhibit.view.axes) == 2 else "",
        reach=exhibit.reach if _as_usual(exhibit, subject.options) else None,
        looks=_looks(exhibit, subject.options),
        device=hand.data() if hand is not None else None,
        notes=_notes(exhibit),
        plots=_plots(exhibit),
        cockpit=cockpit.data() if cockpit is not None else None,
    )


def _as_usual(exhibit: Exhibit, options: Mapping[str, Chosen]) -> bool:
    """Whether all options have their defaults."""
    return exhibit.complete(options) == exhibit.complete({})


def _plots(exhibit: Exhibit) -> tuple[str, ...]:
    """Signals to plot first: those of the exhibit's figure."""
    panels = exhibit.view.panels if exhibit.view is not None else ()
    return tuple(
        name for panel in panels for name in ((panel,) if isinstance(panel, str) else panel)
    )


def _notes(exhibit: Exhibit) -> dict[str, Any] | None:
    """Signals for `inloop midi`; only plants with all of them make notes."""
    if exhibit.notes is None:
        return None
    contact, damped = map(midi.Condition.parse, (exhibit.notes.contact, exhibit.notes.damped))
    return {
        "speed": exhibit.notes.speed,
        "contact": contact.name,
        "contact_above": contact.value,
        "damped": damped.name,
        "damped_above": damped.value,
        "note": exhibit.notes.note,
    }


def _looks(exhibit: Exhibit, options: Mapping[str, Chosen]) -> dict[str, tuple[il.Visual, ...]]:
    """Shapes by body; discs of the figure are discs here, too."""
    found: dict[str, tuple[il.Visual, ...]] = {}
    if exhibit.view is not None:
        for body, radius in exhibit.view.discs.items():
            half = THIN * radius / 2.0
            found[body] = (il.disc((0.0, -half, 0.0), (0.0, half, 0.0), radius),)
    if exhibit.looks is not None:
        given = exhibit.complete(options)
        found |= exhibit.looks(**given)
    return found
