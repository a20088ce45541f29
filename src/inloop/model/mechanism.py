"""The frozen result of the builder: a tree of rigid bodies and all that acts on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from inloop.errors import ModelError, counted
from inloop.model import topology
from inloop.model.bounds import Bounded
from inloop.model.constraints.elements import Constraint, Coupling, Drive, Loop
from inloop.model.contacts.contact import Contact
from inloop.model.contacts.grounded import OnGround, shapes_on_ground
from inloop.model.contacts.hard import Hard, HardStop
from inloop.model.contacts.pile import Pile
from inloop.model.controllers.controller import Controller
from inloop.model.describe import describe
from inloop.model.elements import Attitude, Body, Frame, Ground, Part, Point
from inloop.model.flexible_links.flexible import FlexibleLink
from inloop.model.geometry import Vector3
from inloop.model.laws.effects import (
    AnyLaw,
    CoupledForce,
    ExternalForce,
    Force,
    FrameForce,
    JointForce,
    JointInput,
    LawOutput,
    LawState,
    LineForce,
    Torque,
)
from inloop.model.modes.elements import Event, Lock, Mode
from inloop.model.names import quoted, suggestion
from inloop.model.parameters import Input, Parameter
from inloop.model.sensors.sensor import Sensor, Signal
from inloop.model.topology import GROUND
from inloop.symbolic import Expr, Graph


@dataclass(frozen=True, repr=False)
class Mechanism:
    """A checked model: immutable, with all names resolved to indices.

    Attributes:
        name: name of the model.
        doc: the user's description.
        gravity: acceleration of gravity in world axes [m/s²].
        graph: owner of all expressions.
        time: symbol of time in the force laws [s].
        bodies: base to tip; body k moves with coordinate k.
        ground: everything fixed in the world.
        parameters: numbers that may change between steps.
        inputs: signals that the force laws use.
        joint_forces: laws that act on joints.
        coupled_forces: laws that act on several joints each.
        forces: laws that act at points.
        torques: laws that apply torques to bodies.
        line_forces: laws along the line between two points.
        frame_forces: laws between two frames.
        external_forces: force and torque inputs on bodies.
        joint_inputs: effort inputs of joints.
        loops: closures of the tree.
        constraints: expressions of the user that must vanish.
        drives: joints whose motion is prescribed.
        independent: bodies whose coordinates the user wants as independent.
        notes: what was changed or ignored, as text.
        where: file and line.
        locks: joints that are held at their current position.
        modes: sets of elements that are active together for a while; empty if nothing changes.
        events: transitions between modes.
        membership: modes of the elements that are not always active; drives as "drive <joint>".
        mode: name of the mode, for a mechanism in one mode.
        bounded: formulas of parameters that have a bound.
        metadata: data that came with the model and is not part of the equations, by source.
        flexible_links: beams whose nodes are displaced by massless bodies.
        contacts: shapes that may touch, with the names of their force laws.
        hard_stops: rigid joint limits.
        pile: bodies that may touch each other anywhere.
        sensors: measurements; their signals are outputs of the plant.
        couplings: joints with proportional motions: gears, racks, differentials.
        started: bodies whose initial position was set after the model was written; declared initial
            positions yield to them.
        controller: the controller that is sampled inside the loop, if any.
    """

    name: str
    doc: str
    gravity: Vector3
    graph: Graph
    time: Expr
    bodies: tuple[Body, ...]
    ground: Ground
    parameters: tuple[Parameter, ...]
    inputs: tuple[Input, ...]
    joint_forces: tuple[JointForce, ...]
    coupled_forces: tuple[CoupledForce, ...]
    forces: tuple[Force, ...]
    torques: tuple[Torque, ...]
    line_forces: tuple[LineForce, ...]
    frame_forces: tuple[FrameForce, ...]
    external_forces: tuple[ExternalForce, ...]
    joint_inputs: tuple[JointInput, ...]
    loops: tuple[Loop, ...]
    constraints: tuple[Constraint, ...]
    drives: tuple[Drive, ...]
    independent: tuple[int, ...]
    notes: tuple[str, ...]
    where: str
    locks: tuple[Lock, ...] = ()
    modes: tuple[Mode, ...] = ()
    events: tuple[Event, ...] = ()
    membership: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))
    mode: str = ""
    bounded: tuple[Bounded, ...] = ()
    metadata: Mapping[str, object] = field(
        default_factory=lambda: MappingProxyType({}), compare=False
    )
    flexible_links: tuple[FlexibleLink, ...] = ()
    contacts: tuple[Contact, ...] = ()
    hard_stops: tuple[HardStop, ...] = ()
    pile: Pile | None = None
    sensors: tuple[Sensor, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    started: tuple[int, ...] = ()
    controller: Controller | None = None

    def __repr__(self) -> str:
        bodies = counted(len(self.bodies), "body", "bodies")
        counts = f"{bodies}, {counted(len(self.parameters), 'parameter')}"
        return f"<Mechanism {quoted(self.name)}: {counts}>"

    def describe(self) -> str:
        """Return a readable table."""
        return self._description

    @cached_property
    def _description(self) -> str:
        return describe(self)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the joints, in the order of qd and tau, and of the leading entries of q."""
        return tuple(body.joint.name for body in self.bodies)

    @cached_property
    def attitudes(self) -> tuple[Attitude, ...]:
        """Unit quaternions of the ball joints, in the order of their bodies."""
        found = []
        for k, body in enumerate(self.bodies):
            attitude = body.joint.kind.attitude
            if body.joint.kind.part != 0 or attitude is None:
                continue
            parts = self.bodies[k : k + 3]
            if [part.joint.kind.part for part in parts] != [0, 1, 2]:
                raise ModelError(
                    f"body {quoted(body.name)}: other bodies are between parts of its ball joint",
                    body.where,
                    "Declare the body with its joint: m.body(..., joint=ball()).",
                )
            found.append(Attitude(parts[-1].name, (k, k + 1, k + 2), attitude))
        return tuple(found)

    @cached_property
    def turned(self) -> tuple[int, ...]:
        """For each ball joint, the first of its three coordinates."""
        return tuple(attitude.bodies[0] for attitude in self.attitudes)

    @cached_property
    def state_names(self) -> tuple[str, ...]:
        """Names of the integrated states besides the coordinates: states of laws, quaternions."""
        return (*(state.name for state in self.states), *self.positions[len(self.bodies) :])

    @cached_property
    def positions(self) -> tuple[str, ...]:
        """Names of all entries of q: the coordinates, then the components of the quaternions."""
        return (*self.coordinates, *(name for each in self.attitudes for name in each.names))

    @cached_property
    def first_q(self) -> tuple[float, ...]:
        """Declared q: for joints in loops, it may be a guess."""
        turns = (component for each in self.attitudes for component in each.first)
        return (*(body.joint.initial[0] for body in self.bodies), *turns)

    @cached_property
    def first_qd(self) -> tuple[float, ...]:
        """Declared velocities."""
        return tuple(body.joint.initial[1] for body in self.bodies)

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Index of the parent of each body, or GROUND; see `topology`."""
        return tuple(body.parent for body in self.bodies)

    @cached_property
    def states(self) -> tuple[LawState, ...]:
        """Internal states of all laws, in the order of `laws`, then of drives."""
        return tuple(state for law in (*self.laws, *self.drives) for state in law.states)

    @cached_property
    def law_outputs(self) -> tuple[LawOutput, ...]:
        """Outputs of the laws, in the order of `laws`."""
        return tuple(output for law in self.laws for output in law.outputs)

    @cached_property
    def sensor_signals(self) -> tuple[Signal, ...]:
        """Signals of the sensors, in their order."""
        return tuple(signal for sensor in self.sensors for signal in sensor.signals)

    @cached_property
    def coupled_efforts(self) -> dict[str, str]:
        """Unit of the effort of each coupling on each joint, "<coupling>.<joint>.effort"."""
        joints = [(c.name, self.bodies[k].joint) for c in self.couplings for k, _ in c.factors]
        return {f"{name}.{j.name}.effort": j.kind.dimension.effort for name, j in joints}

    @property
    def signals_by_sensor(self) -> dict[str, tuple[str, ...]]:
        """Names of the signals of each sensor."""
        return {item.name: tuple(signal.name for signal in item.signals) for item in self.sensors}

    @property
    def laws(self) -> tuple[AnyLaw, ...]:
        """All laws: joint, coupled and point forces, torques, line forces, frame forces."""
        laws: list[AnyLaw] = [*self.joint_forces, *self.coupled_forces]
        laws += [*self.forces, *self.torques, *self.line_forces, *self.frame_forces]
        return tuple(laws)

    @property
    def touches(self) -> bool:
        """Whether there are contacts or joint stops, which act suddenly."""
        stops = any(law.stop for law in self.joint_forces)
        return stops or bool(self.contacts)

    @property
    def hard_contacts(self) -> tuple[Contact | HardStop | Pile, ...]:
        """Contacts, stops and piles for the method "moreau"; those detected at run time last."""
        pile = () if self.pile is None else (self.pile,)
        return (*self.declared_contacts, *self.found_contacts, *pile)

    @property
    def declared_contacts(self) -> tuple[Contact | HardStop, ...]:
        """Hard contacts of pairs of shapes with a closed form, and hard stops."""
        hard = [contact for contact in self.contacts if isinstance(contact.law, Hard)]
        return (*(contact for contact in hard if contact.found is None), *self.hard_stops)

    @property
    def found_contacts(self) -> tuple[Contact, ...]:
        """Hard contacts with collision detection at run time."""
        return tuple(contact for contact in self.contacts if contact.found is not None)

    @property
    def on_ground(self) -> tuple[OnGround, ...]:
        """Shapes that may touch a ground of triangles."""
        return shapes_on_ground(self.found_contacts, self.pile)

    @property
    def closed(self) -> bool:
        """Whether the motion is constrained by more than the joints of the tree."""
        rows = (*self.loops, *self.constraints, *self.couplings, *self.locks)
        return bool(rows or self.drives)

    def in_mode(self, mode: str) -> Mechanism:
        """Return the mechanism with only the elements and events of one of its modes."""
        if mode not in (known := [item.name for item in self.modes]):
            raise self._unknown("mode", mode, known)

        def holds(element: str) -> bool:
            return mode in self.membership.get(element, (mode,))

        names = self.coordinates
        return replace(
            self,
            name=f"{self.name}_{mode}",
            mode=mode,
            joint_forces=tuple(law for law in self.joint_forces if holds(law.name)),
            coupled_forces=tuple(law for law in self.coupled_forces if holds(law.name)),
            forces=tuple(law for law in self.forces if holds(law.name)),
            torques=tuple(law for law in self.torques if holds(law.name)),
            line_forces=tuple(law for law in self.line_forces if holds(law.name)),
            frame_forces=tuple(law for law in self.frame_forces if holds(law.name)),
            contacts=tuple(item for item in self.contacts if holds(item.name)),
            hard_stops=tuple(item for item in self.hard_stops if holds(item.name)),
            # omit sensors of absent contacts
            sensors=tuple(
                sensor
                for sensor in self.sensors
                if all(holds(at.name) for at in sensor.at if isinstance(at, Contact))
            ),
            loops=tuple(loop for loop in self.loops if holds(loop.name)),
            constraints=tuple(item for item in self.constraints if holds(item.name)),
            couplings=tuple(item for item in self.couplings if holds(item.name)),
            locks=tuple(lock for lock in self.locks if holds(lock.name)),
            drives=tuple(d for d in self.drives if holds(f"drive {names[d.body]}")),
            events=tuple(event for event in self.events if event.mode == mode),
            modes=(),
            membership=MappingProxyType({}),
        )

    def as_mode(self, mode: str) -> Mechanism:
        """Return the mechanism as one mode of a machine; it must not have modes itself."""
        events = tuple(replace(event, mode=mode, to=event.to or mode) for event in self.events)
        return replace(self, name=f"{self.name}_{mode}", mode=mode, events=events)

    def children(self, body: int) -> tuple[Body, ...]:
        """Return the bodies attached to a body, or to GROUND."""
        return tuple(self.bodies[k] for k in topology.children(self.parents, body))

    def ancestors(self, body: int) -> tuple[Body, ...]:
        """Return parent, grandparent, ... of a body."""
        return tuple(self.bodies[k] for k in topology.ancestors(self.parents, body))

    def body(self, name: str) -> Body:
        """Return a body by name; for a merged one, the body that carries it."""
        if name not in self._parts:
            raise self._unknown("body", name, self._parts)
        index, _ = self._parts[name]
        if index == GROUND:
            raise ModelError(
                f"model {quoted(self.name)}: body {quoted(name)} is part of the ground",
                fix="Its points and frames can be looked up; it does not move.",
            )
        return self.bodies[index]

    def joint(self, name: str) -> Body:
        """Return the body that a joint moves."""
        if name not in self.coordinates:
            raise self._unknown("joint", name, self.coordinates)
        return self.bodies[self.coordinates.index(name)]

    def parameter(self, name: str) -> Parameter:
        """Return a parameter by name."""
        known = {parameter.name: parameter for parameter in self.parameters}
        if name not in known:
            raise self._unknown("parameter", name, known)
        return known[name]

    def point(self, path: str) -> Point:
        """Return a point: "tool.tip", "tool.com", "tool.origin", a frame's origin, or "tool"."""
        frame = self._frames.get(path)
        if path in self._points:
            return self._points[path]
        if frame is not None:
            return Point(frame.name, path, frame.body, frame.p_BF, frame.where)
        owner, _, name = path.rpartition(".") if path not in self._parts else (path, "", "origin")
        if owner not in self._parts or name not in ("origin", "com"):
            raise self._unknown("point", path, (*self._points, *self._frames, *self._parts))
        index, part = self._parts[owner]
        position = part.p_BF if name == "origin" else part.p_BC
        return Point(name, f"{owner}.{name}", index, position, part.where)

    def frame(self, path: str) -> Frame:
        """Return a frame by path, or the frame of a body as it was written."""
        if path in self._frames:
            return self._frames[path]
        if path in self._parts:
            index, part = self._parts[path]
            return Frame("origin", path, index, part.p_BF, part.R_BF, part.where)
        raise self._unknown("frame", path, (*self._frames, *self._parts))

    @property
    def _carriers(self) -> Iterable[tuple[int, Body | Ground]]:
        yield GROUND, self.ground
        yield from enumerate(self.bodies)

    @cached_property
    def _parts(self) -> dict[str, tuple[int, Part]]:
        return {part.name: (k, part) for k, carrier in self._carriers for part in carrier.parts}

    @cached_property
    def _points(self) -> dict[str, Point]:
        return {point.path: point for _, carrier in self._carriers for point in carrier.points}

    @cached_property
    def _frames(self) -> dict[str, Frame]:
        return {frame.path: frame for _, carrier in self._carriers for frame in carrier.frames}

    def _unknown(self, kind: str, name: str, known: Iterable[str]) -> ModelError:
        return ModelError(
            f"model {quoted(self.name)} has no {kind} {quoted(name)}", fix=suggestion(name, known)
        )
