"""Freeze a draft into a mechanism: check, merge fixed joints, resolve every name."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from inloop.errors import ModelError
from inloop.geometry import Visual
from inloop.joints import quaternion
from inloop.model.checks.findings import EnoughError, Findings
from inloop.model.checks.inertia import bounded_masses
from inloop.model.checks.validation import check_draft, check_mechanism
from inloop.model.constraints.elements import Constraint, Coupling, Drive, Loop
from inloop.model.constraints.live_drives import live_motion
from inloop.model.contacts.contact import Contact
from inloop.model.contacts.pile import Pile
from inloop.model.controllers.controller import Controller
from inloop.model.controllers.tracing import traced
from inloop.model.draft import (
    BodyDraft,
    ConstraintDraft,
    ContactDraft,
    CouplingDraft,
    Draft,
    DriveDraft,
    EventDraft,
    FlexibleLinkDraft,
    LawDraft,
    LoopDraft,
    PileDraft,
    SensorDraft,
    SiteDraft,
)
from inloop.model.elements import Body, Frame, Ground, Part, Point
from inloop.model.flexible_links.flexible import FlexibleLink, Node
from inloop.model.geometry import ZERO, Matrix3, Pose, cross, times_matrix, transpose
from inloop.model.intake import Intake
from inloop.model.laws.effects import (
    CoupledForce,
    ExternalForce,
    Force,
    FrameForce,
    JointForce,
    JointInput,
    LineForce,
    Torque,
)
from inloop.model.mechanism import Mechanism
from inloop.model.merge import merge, total_inertia
from inloop.model.modes.elements import Event, Lock, Quantity
from inloop.model.names import GROUND_NAME, quoted
from inloop.model.parameters import kept_to
from inloop.model.sensors.sensor import Place, Role, Sensor, sensor_of
from inloop.model.topology import GROUND


def freeze(draft: Draft) -> Mechanism:
    """Return the mechanism of a draft, or raise ModelError with all its mistakes."""
    findings = Findings(list(draft.mistakes))
    with suppress(EnoughError):
        references_hold = check_draft(draft, findings)
        if references_hold:
            mechanism = Freezing(draft).mechanism()
            check_mechanism(mechanism, draft.strict_inertia, findings)
            if draft.controller is not None:
                mechanism = replace(mechanism, controller=_controller(draft, mechanism, findings))
    if findings.mistakes:
        raise ModelError.of(quoted(draft.name)[1:-1], findings.in_order())
    return replace(mechanism, notes=(*mechanism.notes, *findings.notes))


def _controller(draft: Draft, mechanism: Mechanism, findings: Findings) -> Controller | None:
    """The traced controller of a mechanism."""
    assert draft.controller is not None
    label = f"controller {quoted(draft.controller.name)}"
    read = Intake(findings.mistakes, draft.graph, label, draft.controller.where, draft.bounded)
    return traced(draft.controller, mechanism, read)


class Freezing:
    """Creates the parts of one mechanism; all references of the draft must be valid."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._merged = merge(draft)
        self._notes = list(draft.notes)
        self._welded: dict[int, list[BodyDraft]] = {GROUND: []}
        for k, carrier in enumerate(self._merged.carriers):
            self._welded[k] = [carrier]
        for body in draft.bodies:
            if not body.joint.kind.moves:
                self._weld(body)
        self._sites: dict[int, list[SiteDraft]] = {k: [] for k in self._welded}
        for site in draft.sites:
            self._sites[self._merged.placements[site.body].body].append(site)
        self._joint_names = [carrier.joint.name for carrier in self._merged.carriers]

    def mechanism(self) -> Mechanism:
        """Return the mechanism."""
        draft = self._draft
        laws = self._moving_laws()
        bounded = (*draft.bounded, *bounded_masses(draft))
        return Mechanism(
            name=draft.name,
            doc=draft.doc,
            gravity=draft.gravity,
            graph=draft.graph,
            time=draft.time,
            bodies=tuple(self._body(k) for k in range(len(self._merged.carriers))),
            ground=self._ground(),
            parameters=tuple(kept_to(draft.parameters, bounded)),
            bounded=bounded,
            inputs=tuple(draft.inputs),
            joint_forces=tuple(self._joint_force(w) for w in laws if w.kind == "joint_force"),
            coupled_forces=tuple(self._coupled(w) for w in laws if w.kind == "coupled_force"),
            forces=tuple(self._force(law) for law in laws if law.kind == "force"),
            torques=tuple(self._torque(law) for law in laws if law.kind == "torque"),
            line_forces=tuple(self._line_force(w) for w in laws if w.kind == "line_force"),
            frame_forces=tuple(self._frame_force(w) for w in laws if w.kind == "frame_force"),
            contacts=tuple(self._contact(item) for item in draft.contacts),
            hard_stops=tuple(draft.hard_stops),
            pile=self._pile(draft.pile),
            sensors=tuple(self._sensor(item) for item in draft.sensors),
            external_forces=tuple(self._external_forces()),
            joint_inputs=tuple(
                JointInput(i.name, self._joint_index(i.target), i.where) for i in draft.joint_inputs
            ),
            loops=tuple(self._loop(loop) for loop in draft.loops),
            constraints=tuple(self._constraint(item) for item in draft.constraints),
            couplings=tuple(self._coupling(item) for item in draft.couplings),
            drives=tuple(self._drive(drive) for drive in draft.drives),
            independent=tuple(dict.fromkeys(self._joint_index(w.joint) for w in draft.independent)),
            started=tuple(k for k, n in enumerate(self._joint_names) if n in draft.started),
            notes=tuple(self._notes),
            where=draft.where,
            locks=tuple(Lock(k.name, self._joint_index(k.joint), k.where) for k in draft.locks),
            modes=tuple(draft.modes),
            events=tuple(self._event(event) for event in draft.events),
            membership=MappingProxyType(dict(self._membership())),
            metadata=MappingProxyType(dict(draft.metadata)),
            flexible_links=tuple(self._flexible_link(link) for link in draft.flexible_links),
        )

    # bodies

    def _weld(self, body: BodyDraft) -> None:
        index = self._merged.placements[body.name].body
        self._welded[index].append(body)
        carrier = GROUND_NAME if index == GROUND else self._merged.carriers[index].name
        self._notes.append(
            f"fixed joint {quoted(body.joint.name)}: body {quoted(body.name)} "
            f"merged into {quoted(carrier)}"
        )

    def _body(self, index: int) -> Body:
        carrier = self._merged.carriers[index]
        welded = self._welded[index]
        mass, com, inertia = total_inertia([(part, self._pose(part.name)) for part in welded])
        return Body(
            name=carrier.name,
            index=index,
            parent=self._merged.parents[index],
            attachment=self._merged.attachments[index],
            joint=carrier.joint,
            mass=mass,
            com=com,
            inertia=inertia,
            parts=self._parts(index),
            points=self._points(index),
            frames=self._frames(index),
            visuals=self._visuals(index),
            doc=carrier.doc,
            where=carrier.where,
        )

    def _ground(self) -> Ground:
        itself = Part(GROUND_NAME, ZERO, Pose().R, ZERO, self._draft.where)
        return Ground(
            parts=(itself, *self._parts(GROUND)),
            points=self._points(GROUND),
            frames=self._frames(GROUND),
            visuals=self._visuals(GROUND),
        )

    def _pose(self, body: str) -> Pose:
        return self._merged.placements[body].X_BF

    def _parts(self, index: int) -> tuple[Part, ...]:
        poses = ((body, self._pose(body.name)) for body in self._welded[index])
        return tuple(Part(b.name, X.p, X.R, X.apply(b.com), b.where) for b, X in poses)

    def _points(self, index: int) -> tuple[Point, ...]:
        return tuple(
            Point(s.name, s.path, index, self._pose(s.body).apply(s.pose.p), s.where)
            for s in self._sites[index]
            if s.kind == "point"
        )

    def _frames(self, index: int) -> tuple[Frame, ...]:
        frames = (s for s in self._sites[index] if s.kind == "frame")
        poses = ((s, self._pose(s.body) @ s.pose) for s in frames)
        return tuple(Frame(s.name, s.path, index, X.p, X.R, s.where) for s, X in poses)

    def _visuals(self, index: int) -> tuple[Visual, ...]:
        return tuple(
            self._visual(body.name, visual)
            for body in self._welded[index]
            for visual in body.visuals
        )

    def _visual(self, body: str, visual: Visual) -> Visual:
        """A visual in axes of the body that carries it; points by their full path."""
        X_BF = self._pose(body)

        def placed(place: Any) -> Any:
            return f"{body}.{place}" if isinstance(place, str) else X_BF.apply(place)

        return replace(
            visual,
            position=placed(visual.position),
            until=None if visual.until is None else placed(visual.until),
            rotation=times_matrix(X_BF.R, visual.rotation),
        )

    def _flexible_link(self, link: FlexibleLinkDraft) -> FlexibleLink:
        """The beam, with its frame in the body that carries the root."""
        placement = self._merged.placements[link.name]
        x, z = link.along, link.bends_about
        # columns: along the beam, across, bending axis
        R_FE = transpose((x, cross(z, x), z))
        X_BF = placement.X_BF
        return FlexibleLink(
            name=link.name,
            body=placement.body,
            p_BE=X_BF.p,
            R_BE=times_matrix(X_BF.R, R_FE),
            nodes=tuple(self._node(name, link.EA is not None) for name in link.nodes),
            mass_per_length=link.mass_per_length,
            EI=link.EI,
            EA=link.EA,
            alpha=link.alpha,
            beta=link.beta,
            stiffening=link.stiffening,
            where=link.where,
        )

    def _node(self, name: str, stretches: bool) -> Node:
        lateral, rotation = (self._joint_index(f"{name}_{letter}") for letter in "wr")
        return Node(self._joint_index(f"{name}_u") if stretches else None, lateral, rotation)

    # forces

    def _moving_laws(self) -> list[LawDraft]:
        """Return the laws that act on moving bodies; add notes about the others."""
        moving = []
        for law in self._draft.laws:
            if law.kind in ("force", "torque") and self._point(law.targets[0]).body == GROUND:
                self._note_ground(law.kind, law.name)
            else:
                moving.append(law)
        return moving

    def _note_ground(self, kind: str, name: str) -> None:
        self._notes.append(f"{kind} {quoted(name)} acts on the ground and has no effect")

    def _point(self, path: str) -> Point:
        place = self._draft.resolve(path)
        assert place is not None
        placement = self._merged.placements[place.body]
        name = path.rpartition(".")[2] if path != place.body else "origin"
        position = placement.X_BF.apply(place.pose.p)
        return Point(name, path, placement.body, position, self._where(path))

    def _frame(self, path: str) -> Frame:
        """Return a frame; for a point, with the axes of its body as written."""
        point, place = self._point(path), self._draft.resolve(path)
        assert place is not None
        R_BF = times_matrix(self._pose(place.body).R, place.pose.R)
        return Frame(point.name, path, point.body, point.p_BQ, R_BF, point.where)

    def _where(self, path: str) -> str:
        named = self._draft.site(path) or self._draft.body(path.partition(".")[0])
        return named.where if named else self._draft.where

    def _axes(self, path: str) -> Matrix3:
        """Return R_BF of the body, as written, that a path belongs to."""
        place = self._draft.resolve(path)
        assert place is not None
        return self._pose(place.body).R

    def _joint_index(self, target: str) -> int:
        body = self._draft.body_of_joint(target)
        assert body is not None
        return self._merged.placements[body.name].body

    def _shared(self, law: LawDraft) -> dict[str, Any]:
        """Return what all laws have in common: name, placeholders, location, states and outputs."""
        return {
            **law.symbols,
            "name": law.name,
            "where": law.where,
            "states": law.states,
            "outputs": law.outputs,
            "quantities": self._by_joint(law.quantities),
        }

    def _by_joint(self, quantities: Iterable[Quantity]) -> tuple[Quantity, ...]:
        """Return the quantities, those of joints under the joint names."""
        return tuple(
            replace(item, key=self._joint_names[self._joint_index(item.key)])
            if item.kind in ("q", "qd", "effort")
            else item
            for item in quantities
        )

    def _joint_force(self, law: LawDraft) -> JointForce:
        index = self._joint_index(law.targets[0])
        stop = law.name in self._draft.stops
        return JointForce(body=index, effort=law.components[0], stop=stop, **self._shared(law))

    def _coupled(self, law: LawDraft) -> CoupledForce:
        bodies = tuple(self._joint_index(target) for target in law.targets)
        return CoupledForce(bodies=bodies, efforts=law.components, **self._shared(law))

    def _force(self, law: LawDraft) -> Force:
        return Force(at=self._point(law.targets[0]), **self._vector(law))

    def _torque(self, law: LawDraft) -> Torque:
        return Torque(body=self._point(law.targets[0]).body, **self._vector(law))

    def _vector(self, law: LawDraft) -> dict[str, Any]:
        """Return what forces and torques on one body have in common."""
        x, y, z = law.components
        axes = {"axes": law.axes, "R_BF": self._axes(law.targets[0])}
        return {**axes, "components": (x, y, z), **self._shared(law)}

    def _line_force(self, law: LawDraft) -> LineForce:
        a, b = (self._point(path) for path in law.targets)
        return LineForce(a=a, b=b, force=law.components[0], **self._shared(law))

    def _frame_force(self, law: LawDraft) -> FrameForce:
        a, b = (self._frame(path) for path in law.targets)
        fx, fy, fz, nx, ny, nz = law.components
        force, torque = (fx, fy, fz), (nx, ny, nz)
        return FrameForce(a=a, b=b, force=force, torque=torque, **self._shared(law))

    def _contact(self, item: ContactDraft) -> Contact:
        (a, b), (shape_a, shape_b) = item.paths, item.shapes
        return Contact(
            name=item.name,
            a=self._frame(a),
            b=self._frame(b),
            shape_a=shape_a,
            shape_b=shape_b,
            law=item.law,
            friction=item.friction,
            outputs=MappingProxyType({key: f"{item.name}.{key}" for key in item.outputs}),
            carried_by=(item.name,),
            where=item.where,
            found=item.found,
        )

    def _pile(self, item: PileDraft | None) -> Pile | None:
        if item is None:
            return None
        frames = tuple(self._frame(path) for path in item.paths)
        return Pile(item.name, frames, item.shapes, item.tables, item.law, item.slots, item.where)

    def _sensor(self, item: SensorDraft) -> Sensor:
        places = (self._place(*pair) for pair in zip(item.kind.roles, item.at, strict=True))
        return sensor_of(item.name, item.kind, tuple(places), item.where)

    def _place(self, role: Role, path: str) -> Place:
        """Return what a sensor is mounted on."""
        if role == "joint":
            return self._body(self._joint_index(path))
        if role == "contact":
            return next(self._contact(c) for c in self._draft.contacts if c.name == path)
        if role == "flexible link":
            return next(
                self._flexible_link(f) for f in self._draft.flexible_links if f.name == path
            )
        return self._frame(path)

    def _external_forces(self) -> Iterable[ExternalForce]:
        for item in self._draft.external_forces:
            at = self._point(item.target)
            if at.body == GROUND:
                self._note_ground("external force", item.name)
            else:
                yield ExternalForce(item.name, at, self._axes(item.target), item.where)

    # constraints

    def _loop(self, loop: LoopDraft) -> Loop:
        a, b = self._frame(loop.a), self._frame(loop.b)
        return Loop(loop.name, loop.kind, a, b, loop.axis, loop.length, loop.where)

    def _constraint(self, item: ConstraintDraft) -> Constraint:
        speeds = (item.qd or {}).items()
        return Constraint(
            name=item.name,
            positions=tuple((self._place_in_q(name), symbol) for name, symbol in item.q.items()),
            velocities=tuple((self._joint_index(joint), symbol) for joint, symbol in speeds),
            t=self._draft.time,
            rows=item.rows,
            where=item.where,
            unit=item.unit,
        )

    def _place_in_q(self, name: str) -> int:
        """Index in q of a joint coordinate or, after all of those, of a quaternion component."""
        if self._draft.body_of_joint(name) is not None:
            return self._joint_index(name)
        body, _, component = name.rpartition(".")
        carriers = self._merged.carriers
        before = carriers[: self._merged.placements[body].body + 1]
        number = sum(carrier.joint.kind.part == 0 for carrier in before) - 1
        return len(carriers) + len(quaternion.NAMES) * number + quaternion.NAMES.index(component)

    def _coupling(self, item: CouplingDraft) -> Coupling:
        factors = tuple((self._joint_index(joint), factor) for joint, factor in item.factors)
        return Coupling(item.name, item.kind, factors, item.offset, item.where)

    def _drive(self, drive: DriveDraft) -> Drive:
        index, t = self._joint_index(drive.joint), self._draft.time
        more = (drive.derivatives, drive.cutoff, drive.where)
        if drive.position is not None:
            return Drive(index, "time", t, drive.position, *more)
        joint, graph = self._merged.carriers[index].joint, self._draft.graph
        live = live_motion(joint, drive.derivatives, drive.cutoff, graph, drive.where)
        return Drive(index, "input", t, live.q, *more, live.qd, live.qdd, live.inputs, live.states)

    # modes and events

    def _event(self, event: EventDraft) -> Event:
        return Event(
            name=event.name,
            mode=event.mode,
            indicator=event.indicator,
            direction=event.direction,
            to=event.mode if event.to is None else event.to,
            impact=event.impact,
            restitution=event.restitution,
            row_restitution=event.row_restitution,
            sets=event.sets,
            settles_in=event.settles_in,
            tolerance=event.tolerance,
            quantities=self._by_joint(event.quantities),
            t=self._draft.time,
            where=event.where,
        )

    def _membership(self) -> Iterable[tuple[str, frozenset[str]]]:
        """Modes of each element that is not always active; drives by the name of the joint."""
        for element, modes in self._draft.membership.items():
            kind, _, joint = element.rpartition(" ")
            name = f"{kind} {self._joint_names[self._joint_index(joint)]}" if kind else element
            yield name, frozenset(modes)
