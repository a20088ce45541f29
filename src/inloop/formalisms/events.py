"""Events of a mode: the monitored expressions, and the initial state of the next mode.

The programs read the whole state of the mode (all coordinates, multipliers, efforts) as computed by
the constrained motion. They are valid for every partition, except for the projection of velocities
onto the constraints, which is generated once for each partition that has code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inloop.errors import InputError
from inloop.formalisms.derive import Derivation
from inloop.formalisms.laws.forces import Places
from inloop.formalisms.loops.impact import project
from inloop.formalisms.loops.partition import Partition
from inloop.formalisms.loops.rows import Row
from inloop.formalisms.recursions.energy import kinetic_energy, potential_energy
from inloop.model import Event, Mechanism, Quantity
from inloop.symbolic import Expr, Input, Output, Program, Scalar

STATE = "q qd loads"


class ModeEvents:
    """Programs of one mode.

    Args:
        derivation: the equations of the mode.
        rows: its constraint rows, redundant ones included.
        partition: the first partition, or the one whose projection is wanted; None for a tree.
            Forces of rows that it does not use are unknown to events.
    """

    def __init__(
        self, derivation: Derivation, rows: Sequence[Row], partition: Partition | None
    ) -> None:
        self.derivation = derivation
        self._partition = partition
        graph = derivation.graph
        used = [rows[k] for k in partition.rows] if partition else []
        driven = partition.driven if partition else ()
        names = derivation.mechanism.coordinates
        self._lam = {row.name: graph.symbol(f"lam.{row.name}") for row in rows}
        self._effort = {names[k]: graph.symbol(f"effort.{names[k]}") for k in driven}
        # an element with one row is also known by its own name
        self._forces: dict[str, Expr] = {row.name: self._lam[row.name] for row in used}
        for row in used:
            if sum(other.element == row.element for other in used) == 1:
                self._forces[row.element] = self._lam[row.name]
        self._places = Places(derivation.skeleton)

    def programs(self, targets: Mapping[str, Mechanism]) -> list[Program]:
        """All programs of the mode, with the projection of its first choice.

        Args:
            targets: mechanisms of all modes, by name.
        """
        found = [self._energy()]
        events = self.derivation.mechanism.events
        if events:
            found.append(self._indicators())
        for event in events:
            for kind, mode in (("to", event.to), ("settle", event.settles_in)):
                if mode is not None:
                    name = f"{kind}_{event.name}"
                    found.append(self._handover(event, targets[mode], name))
        if self._partition is not None:
            found.append(self.projection())
        return found

    def _make(self, name: str, outputs: Sequence[Output], doc: str, forces: bool = True) -> Program:
        """A program that reads the whole state of the mode, with or without its forces."""
        made = self.derivation.make(name, STATE, tuple(outputs), doc, "")
        inputs = list(made.inputs)
        if not self.derivation.uses_time:
            inputs.append(Input("t", (self.derivation.symbols.t,), "time [s]"))
        if self._lam and forces:
            inputs.append(Input("lam", tuple(self._lam.values()), "multipliers [N or N·m]"))
        if self._effort and forces:
            inputs.append(Input("effort", tuple(self._effort.values()), "efforts of drives"))
        return Program(name, tuple(inputs), tuple(outputs), doc, "")

    def _energy(self) -> Program:
        skeleton = self.derivation.skeleton
        E = [kinetic_energy(skeleton), potential_energy(skeleton)]
        out = Output.vector("E", E, "kinetic and potential energy [J]")
        return self._make("mode_energy", [out], "Energy beside an event.", False)

    def _indicators(self) -> Program:
        events = self.derivation.mechanism.events
        g = [self._substitute(event, [event.indicator])[0] for event in events]
        e = [self._substitute(event, [event.restitution])[0] for event in events]
        outputs = [
            Output.vector("g", g, "what is watched: " + ", ".join(x.name for x in events)),
            Output.vector("e", e, "restitution of the events' impacts"),
        ]
        rows = {
            f"{event.name} {row}": self._substitute(event, [value])[0]
            for event in events
            for row, value in event.row_restitution
        }
        if rows:
            doc = "restitution of single rows: " + ", ".join(rows)
            outputs.append(Output.vector("er", list(rows.values()), doc))
        return self._make("indicators", outputs, "Indicators of the mode's events.")

    def _handover(self, event: Event, target: Mechanism, name: str) -> Program:
        """Initial q, qd and z of the next mode, in its own order."""
        mechanism, symbols = self.derivation.mechanism, self.derivation.symbols
        known = dict(zip(_position_names(mechanism), symbols.q, strict=True))
        for joint, qd in zip(mechanism.coordinates, symbols.qd, strict=True):
            known[f"{joint}.qd"] = qd
        for state, symbol in zip(mechanism.states, symbols.states, strict=True):
            known[state.name] = symbol
        values = self._substitute(event, [value for _, value in event.sets])
        sets = dict(zip((key for key, _ in event.sets), values, strict=True))
        wanted = _initial(target)
        for key in sets:
            if key not in wanted:
                raise InputError(
                    f"event '{event.name}' sets '{key}', which mode '{target.mode}' does not have",
                    fix=f"It has: {', '.join(list(wanted)[:12])}.",
                )
        graph = self.derivation.graph
        start = {
            key: sets.get(key, known.get(key, graph.constant(value)))
            for key, value in wanted.items()
        }
        positions = len(target.positions)
        behind = positions + len(target.coordinates)
        listed = list(start.values())
        outputs = [
            Output.vector("q_next", listed[:positions], "coordinates [rad or m], quaternions"),
            Output.vector("qd_next", listed[positions:behind], "velocities [rad/s or m/s]"),
        ]
        if target.states:
            outputs.append(Output.vector("z_next", listed[behind:], "states of force laws"))
        return self._make(name, outputs, f"State after event '{event.name}', before it is closed.")

    def projection(self, suffix: str = "") -> Program:
        """Velocities after the constraints engage, for the given partition.

        Args:
            suffix: end of the program's name.
        """
        d, parts = self.derivation, self._partition
        assert parts is not None
        e = [d.graph.symbol(f"e.{name}") for name in self._lam]
        qd, impulse = project(d.mechanism, d.skeleton, parts, [e[row] for row in parts.rows])
        outputs = [
            Output.vector("qd_next", qd, "velocities after the constraints have gripped"),
            Output.vector("impulse", impulse, "impulses of the rows in use [N·s or N·m·s]"),
        ]
        doc = "Velocities after the constraints have gripped, with restitution."
        made = self._make(f"project{suffix}", outputs, doc, False)
        block = Input("e", tuple(e), "restitution of all rows")
        return Program(made.name, (*made.inputs, block), made.outputs, doc, "")

    def _substitute(self, event: Event, exprs: Sequence[Scalar]) -> list[Expr]:
        replace = {event.t: self.derivation.symbols.t}
        for quantity in event.quantities:
            replace.update(zip(quantity.symbols, self._values(event, quantity), strict=True))
        return self.derivation.symbols.substitute(exprs, replace)

    def _values(self, event: Event, quantity: Quantity) -> Sequence[Expr]:
        """Expressions that replace a quantity's placeholders."""
        mechanism, symbols = self.derivation.mechanism, self.derivation.symbols
        if quantity.kind in ("q", "qd"):
            values = symbols.q if quantity.kind == "q" else symbols.qd
            return [values[mechanism.coordinates.index(quantity.key)]]
        if quantity.kind in ("p", "v"):
            _, p_WQ, v_W = self._places.point(mechanism.point(quantity.key))
            return p_WQ if quantity.kind == "p" else v_W
        states = [state.name for state in mechanism.states]
        known = {
            "force": self._forces,
            "effort": self._effort,
            "z": dict(zip(states, symbols.states, strict=True)),
            "out": self.derivation.loads.observed,
        }[quantity.kind]
        if quantity.key not in known:
            raise InputError(
                f"event '{event.name}': mode '{mechanism.mode}' has no {quantity.kind} "
                f"'{quantity.key}'",
                fix=f"It has: {', '.join(known) or 'none'}.",
            )
        return [known[quantity.key]]


def _initial(mechanism: Mechanism) -> dict[str, float]:
    """Entries of the state of a mode, with their initial values."""
    initial = dict(zip(_position_names(mechanism), mechanism.first_q, strict=True))
    initial |= {f"{body.joint.name}.qd": body.joint.initial[1] for body in mechanism.bodies}
    return initial | {state.name: state.initial for state in mechanism.states}


def _position_names(mechanism: Mechanism) -> list[str]:
    """Names of the entries of q: "crank.q", ..., then components of quaternions."""
    turning = mechanism.positions[len(mechanism.coordinates) :]
    return [*(f"{joint}.q" for joint in mechanism.coordinates), *turning]
