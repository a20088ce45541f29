"""Layout of the records of a mailbox: names, units, ranges, and positions."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from inloop.errors import MailboxError
from inloop.native.mirror import constant, mirror
from inloop.native.realtime_functions import COMMANDS, RINGS, realtime_function

LINE = 64  # bytes of a cache line
PERIODS = (1e-9, 1e9)  # [s] plausible periods
KINDS = ("q", "z", "signal", "input", "parameter")
ABOUT = "about"  # lines of the text that hold a fact: its name, and its value as the unit
BODY = "body"  # lines that name a body which can be pulled
GRIPS = constant("INLOOP_GRIPS")  # maximum number of bodies pulled at a time


@dataclass(frozen=True)
class Quantity:
    """One named number.

    Attributes:
        name: such as "shoulder" or "shoulder.tau".
        unit: a label.
        least, most: range of a parameter, or of an input in user interfaces.
        default: of a parameter or input.
    """

    name: str
    unit: str = ""
    least: float = -math.inf
    most: float = math.inf
    default: float = 0.0


@dataclass(frozen=True)
class Layout:
    """The numbers of a plant, in the order of the records.

    Attributes:
        model: name of the model.
        coordinates: q and qd.
        states: internal states of force laws, and components of quaternions.
        signals: further outputs: accelerations, multipliers, efforts of drives, outputs of laws;
            for a plant with events: index of the mode, events since the start.
        inputs: joint efforts, motion of driven joints, inputs of the model.
        parameters: live parameters.
        stepper_states: length of the state in snapshots.
        period: simulated time per step [s].
        about: facts for attached processes: digest of the model, method, sub-steps, ….
        bodies: names of the bodies that can be pulled.
    """

    model: str
    coordinates: tuple[Quantity, ...]
    states: tuple[Quantity, ...]
    signals: tuple[Quantity, ...]
    inputs: tuple[Quantity, ...]
    parameters: tuple[Quantity, ...]
    stepper_states: int
    period: float
    about: tuple[tuple[str, str], ...] = ()
    bodies: tuple[str, ...] = ()

    @property
    def groups(self) -> tuple[tuple[Quantity, ...], ...]:
        """The quantities by kind, in the order of KINDS."""
        return (self.coordinates, self.states, self.signals, self.inputs, self.parameters)

    @cached_property
    def cuts(self) -> tuple[int, ...]:
        """Ends of t, q, qd, z, signals, applied inputs and x in the outputs."""
        n, counts = len(self.coordinates), [1]
        sizes = (n, n, len(self.states), len(self.signals), len(self.inputs), self.stepper_states)
        for size in sizes:
            counts.append(counts[-1] + size)
        return tuple(counts)

    @property
    def counts(self) -> tuple[int, ...]:
        """Length of a record of each ring."""
        command = 1 + self.stepper_states
        hand, pulls = (GRIPS * ctypes.sizeof(mirror(f"inloop_{x}")) // 8 for x in ("grip", "pull"))
        return (self.cuts[-1], len(self.inputs), len(self.parameters), command, hand, pulls)

    @property
    def command_values(self) -> int:
        """Number of arguments of a command."""
        return self.counts[COMMANDS]

    @property
    def output_names(self) -> list[str]:
        """Names of t, q, qd, states and signals, in the order of the outputs."""
        names = [f"{c.name}.{kind}" for kind in ("q", "qd") for c in self.coordinates]
        return ["t", *names, *(x.name for x in (*self.states, *self.signals))]

    @cached_property
    def index(self) -> dict[str, int]:
        """Position of each output by name: "t", "<coordinate>.q", signals, inputs as applied."""
        found: dict[str, int] = {}
        for k, name in enumerate([*self.output_names, *(x.name for x in self.inputs)]):
            found.setdefault(name, k)
        return found

    def text(self) -> bytes:
        """The description stored in the segment."""
        lines = [f"model\t{self.model}\t\t0\t0\t0"]
        for kind, group in zip(KINDS, self.groups, strict=True):
            for x in group:
                numbers = f"{x.least!r}\t{x.most!r}\t{x.default!r}"
                lines.append(f"{kind}\t{x.name}\t{_one_word(x.unit)}\t{numbers}")
        lines += [f"{BODY}\t{_one_word(name)}\t\t0\t0\t0" for name in self.bodies]
        for name, value in self.about:
            lines.append(f"{ABOUT}\t{_one_word(name)}\t{_one_word(value)}\t0\t0\t0")
        return ("\n".join(lines) + "\n").encode()


def names(group: Iterable[Quantity]) -> list[str]:
    """Names in their order."""
    return [x.name for x in group]


def parse(header: ctypes.Structure, text: bytes) -> Layout:
    """The layout that a checked segment describes.

    Raises:
        MailboxError: the text does not fit the header.
    """
    found = parse_text(text, header.stepper_states, header.period)
    counts = [header.coordinates, header.states, header.signals, header.inputs, header.parameters]
    if [len(group) for group in found.groups] != counts:
        raise _damaged()
    return found


def parse_text(text: bytes, stepper_states: int, period: float) -> Layout:
    """The layout that a text describes; the inverse of `Layout.text`.

    Raises:
        MailboxError: the text is invalid.
    """
    groups: dict[str, list[Quantity]] = {kind: [] for kind in ("model", *KINDS, BODY, ABOUT)}
    try:
        for line in text.decode().splitlines():
            kind, name, unit, *numbers = line.split("\t")
            least, most, default = map(float, numbers)
            if not ((name + unit).isprintable() and least <= most and math.isfinite(default)):
                raise ValueError(line)
            groups[kind].append(Quantity(name, unit, least, most, default))
    except (ValueError, KeyError):
        raise _damaged() from None
    named = {kind: tuple(group) for kind, group in groups.items()}
    if len(named["model"]) != 1 or not PERIODS[0] <= period <= PERIODS[1]:
        raise _damaged()
    q, z, signals, inputs, parameters = (named[kind] for kind in KINDS)
    model = named["model"][0].name
    about = tuple((fact.name, fact.unit) for fact in named[ABOUT])
    bodies = tuple(body.name for body in named[BODY])
    return Layout(model, q, z, signals, inputs, parameters, stepper_states, period, about, bodies)


def _one_word(text: str) -> str:
    """A printable text that fits between two tabs."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _damaged() -> MailboxError:
    return MailboxError(
        "the description in the mailbox is damaged", fix="Stop the plant and start it again."
    )


def header_of(
    layout: Layout, slots: Sequence[int], scripted: bool = False
) -> tuple[ctypes.Structure, bytes]:
    """Header and text of a new segment.

    Args:
        layout: its layout.
        slots: number of records in each ring, powers of two.
        scripted: whether it has a scripted clock.
    """
    text = layout.text()
    header = mirror("inloop_header")(
        magic=constant("INLOOP_MAGIC"),
        version=constant("INLOOP_VERSION"),
        header_size=ctypes.sizeof(mirror("inloop_header")),
        creator=realtime_function("il_mailbox_self")(0),
        period=layout.period,
        stepper_states=layout.stepper_states,
        text_size=len(text),
    )
    kinds = ("coordinates", "states", "signals", "inputs", "parameters")
    for name, group in zip(kinds, layout.groups, strict=True):
        setattr(header, name, len(group))
    end = _lines(ctypes.sizeof(mirror("inloop_header")))
    for ring in RINGS:
        values = layout.counts[ring]
        header.rings[ring] = mirror("inloop_place")(offset=end, slots=slots[ring], values=values)
        stride = ctypes.sizeof(mirror("inloop_record")) + _lines(8 * values)
        end += ctypes.sizeof(mirror("inloop_ring")) + slots[ring] * stride
    header.statistics_offset = end
    end = _lines(end + ctypes.sizeof(mirror("inloop_statistics")))
    if scripted:
        header.clock_offset = end
        end += _lines(ctypes.sizeof(mirror("inloop_clock")))
    header.text_offset = end
    header.size = _lines(header.text_offset + len(text))
    place = ctypes.create_string_buffer(text, len(text))
    hashed = realtime_function("il_mailbox_hash")
    header.layout_hash = hashed(ctypes.addressof(header), ctypes.addressof(place))
    return header, text


def _lines(size: int) -> int:
    """Size in whole cache lines [bytes]."""
    return -(-size // LINE) * LINE
