"""The builder: how a user writes a mechanism.

It owns a draft and has a method for each kind of element. These methods are functions of other
modules that take the model as first argument; signature and docstring are theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Self

from inloop.errors import counted
from inloop.model import bodies
from inloop.model.constraints import couplings, velocities
from inloop.model.constraints import declaring as constraints
from inloop.model.contacts import declaring as contacts
from inloop.model.contacts import piling, stops
from inloop.model.controllers import declaring as controllers
from inloop.model.draft import Draft
from inloop.model.flexible_links import declaring as flexible_links
from inloop.model.freeze import freeze
from inloop.model.geometry import Scalar
from inloop.model.handles import BodyHandle
from inloop.model.laws import force_elements, forces, joint_friction
from inloop.model.mechanism import Mechanism
from inloop.model.modes import declaring as modes
from inloop.model.names import GROUND_NAME, quoted
from inloop.model.parameters import read_input, read_parameter
from inloop.model.sensors import declaring as sensors
from inloop.model.source import caller_line
from inloop.model.tyres import declaring as tyres
from inloop.symbolic import Expr, Graph


class ModelBuilder:
    """Collects bodies, loops, parameters and forces; `build()` checks and freezes them.

    Mistakes do not raise immediately: `build()` reports all of them at once, each with the line
    that caused it.
    """

    # bodies
    body = bodies.body
    chain = bodies.chain
    flexible_link = flexible_links.flexible_link
    # forces
    joint_force = forces.joint_force
    coupled_force = forces.coupled_force
    force = forces.force
    torque = forces.torque
    line_force = forces.line_force
    frame_force = forces.frame_force
    joint_input = forces.joint_input
    external_force = forces.external_force
    spring = force_elements.spring
    torsion_spring = force_elements.torsion_spring
    potential = force_elements.potential
    joint_stop = force_elements.joint_stop
    bushing = force_elements.bushing
    lugre = joint_friction.lugre
    coulomb = joint_friction.coulomb
    contact = contacts.contact
    hard_stop = stops.hard_stop
    pile = piling.pile
    tyre = tyres.tyre
    # constraints
    close = constraints.close
    constraint = constraints.constraint
    gear = couplings.gear
    rack = couplings.rack
    couple = couplings.couple
    rolls = velocities.rolls
    knife_edge = velocities.knife_edge
    velocity_constraint = velocities.velocity_constraint
    drive = constraints.drive
    independent = constraints.independent
    # modes and events
    mode = modes.mode
    during = modes.during
    lock = modes.lock
    event = modes.event
    # measurements
    output = sensors.output
    sensor = sensors.sensor
    # control
    controller = controllers.controller

    def __init__(
        self,
        name: str,
        gravity: Sequence[Scalar] | Callable[[Self], Sequence[Scalar]] = (0.0, 0.0, -9.81),
        doc: str = "",
        *,
        strict_inertia: bool = True,
    ) -> None:
        """Start a model.

        Args:
            name: name of the model; prefix of the generated code.
            gravity: acceleration of gravity in world axes [m/s²], or a function of the new
                model that returns it, to make it a parameter:
                `gravity=lambda m: (0, 0, -m.parameter("g", 9.81, unit="m/s^2"))`.
            doc: description, repeated in generated code.
            strict_inertia: False turns physically impossible inertias into notes instead of
                mistakes; meant for files with rounded numbers.
        """
        self._draft = Draft(name, doc, strict_inertia, where=caller_line())
        read = self._draft.intake(f"model {quoted(name)}")
        self._draft.name = read.name(name)
        written = gravity(self) if callable(gravity) else gravity
        self._draft.gravity = read.vector(written, "gravity")

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._draft.name

    @property
    def graph(self) -> Graph:
        """The graph that owns all expressions of the model."""
        return self._draft.graph

    @property
    def ground(self) -> BodyHandle:
        """The ground, at rest in the world; its axes are the world axes."""
        return BodyHandle(self._draft, GROUND_NAME)

    def parameter(
        self,
        name: str,
        default: float,
        unit: str = "",
        range: tuple[float, float] | None = None,
        doc: str = "",
    ) -> Expr:
        """Declare a number that can be changed while the model runs.

        Args:
            name: name in the model and in generated code.
            default: value; used in the equations unchanged, so write it in SI.
            unit: label such as "N/m".
            range: lowest and highest value.
            doc: description.

        Returns:
            A symbol that may be used wherever a number may.
        """
        read = self._draft.intake(f"parameter {quoted(name)}")
        parameter = read_parameter(read, name, default, unit, range, doc)
        self._draft.parameters.append(parameter)
        return parameter.symbol

    def input(self, name: str, unit: str = "", doc: str = "") -> Expr:
        """Declare an input signal that force laws may use; it is 0 until connected.

        Its name may have two parts, such as "motor.command".
        """
        read = self._draft.intake(f"input {quoted(name)}")
        signal = read_input(read, name, unit, doc)
        self._draft.inputs.append(signal)
        return signal.symbol

    @contextmanager
    def reading(self, where: str) -> Iterator[None]:
        """Use `where` (such as "arm.urdf:12") as the location of all elements declared inside.

        For file readers: mistakes then point into the file instead of the reader's caller.
        """
        before, self._draft.reading = self._draft.reading, where
        try:
            yield
        finally:
            self._draft.reading = before

    def note(self, text: str) -> None:
        """Add a note about the model, which `describe()` prints."""
        self._draft.notes.append(text)

    @property
    def metadata(self) -> dict[str, object]:
        """Data that came with the model and is not part of the equations, by source.

        File readers store here what inloop does not use: `metadata["urdf"]`, for example.
        """
        return self._draft.metadata

    def build(self) -> Mechanism:
        """Check everything and return the frozen mechanism.

        Raises:
            ModelError: with all mistakes at once.
        """
        return freeze(self._draft)

    def describe(self) -> str:
        """Return a readable table of the finished mechanism."""
        return self.build().describe()

    def __repr__(self) -> str:
        draft = self._draft
        bodies = counted(len(draft.bodies), "body", "bodies")
        counts = f"{bodies}, {counted(len(draft.parameters), 'parameter')}"
        return f"<{type(self).__name__} {quoted(draft.name)}: {counts}>"
