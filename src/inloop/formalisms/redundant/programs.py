"""Programs of the redundant equations, as called by the step and the acceleration solver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inloop.formalisms.recursions.kinematics import poses, velocities
from inloop.formalisms.redundant.bodies import blocks_of
from inloop.formalisms.redundant.lines import Lines, bodies_of_lines
from inloop.formalisms.redundant.newton import Place, newton_matrix
from inloop.formalisms.redundant.system import BodySystem, Layout
from inloop.formalisms.vectors import matrix_times
from inloop.symbolic import Expr, Input, Output, Program

PLACE, RESIDUAL, MATRIX, GAPS, SPEEDS = (
    f"redundant_{kind}" for kind in ("place", "residual", "matrix", "gaps", "speeds")
)


@dataclass(frozen=True)
class RedundantPrograms:
    """Programs, and the meaning of their results.

    Attributes:
        programs: position, residual, matrix, acceleration gaps, constraint velocities.
        layout: rows and unknowns.
        places: row and column of each entry of the matrix.
        bodies: body of each row and unknown, in two variants: see `bodies_of_lines`.
        on_velocities: which constraint rows constrain velocities only.
        free: coordinates that are not driven.
        links: for each body, the index of the link whose frame it has.
    """

    programs: tuple[Program, ...]
    layout: Layout
    places: tuple[Place, ...]
    bodies: tuple[Lines, Lines]
    on_velocities: tuple[bool, ...]
    free: tuple[int, ...]
    links: tuple[int, ...]


def redundant_programs(system: BodySystem) -> RedundantPrograms:
    """Derive all programs."""
    matrix = newton_matrix(system)
    rows = [e for rows in system.balances for e in rows]
    rows += [system.efforts[k] for k in system.free]
    rows += [*system.state_rows, *(e for rows in system.gaps for e in rows), *system.constraints]
    residual = (
        Output.vector("r", rows, "equations of motion [N, N·m], joints and rows [m, rad]"),
        *_efforts(system),
    )
    formalism = "bodies in six coordinates, forces as unknowns"
    common = _blocks(system)
    scales = Input("scales", matrix.scales, "1/β', γ'/β', 1/γ', ε")
    entries = Output.vector("A", matrix.entries.values(), "entries of the matrix")
    gaps = Output.vector("g", system.acceleration_gaps, "[m/s², rad/s²]")
    speeds = Output.vector("v", system.speeds, "[m/s, rad/s]")
    programs = (
        _place(system),
        Program(RESIDUAL, common, residual, "What is left of all equations.", formalism),
        Program(MATRIX, (*common, scales), (entries,), "Newton's matrix.", formalism),
        Program(GAPS, common, (gaps,), "Joints and rows, differentiated twice.", formalism),
        Program(SPEEDS, common, (speeds,), "Rates of the rows in use.", formalism),
    )
    return RedundantPrograms(
        programs=programs,
        layout=system.layout,
        places=tuple(matrix.entries),
        bodies=bodies_of_lines(system, [*matrix.entries]),
        on_velocities=tuple(system.on_velocities(row) for row in system.rows),
        free=system.free,
        links=tuple(body.link.number - 1 for body in system.bodies),
    )


def _efforts(system: BodySystem) -> Sequence[Output]:
    if not system.driven:
        return ()
    efforts = [system.efforts[k] for k in system.driven]
    return (Output.vector("effort", efforts, "of driven joints [N·m or N]"),)


def _blocks(system: BodySystem) -> tuple[Input, ...]:
    """All inputs of the functions, in one order; empty blocks are omitted."""
    symbols, d = system.skeleton.symbols, system.derivation
    bodies = blocks_of(system.bodies)
    found: list[tuple[str, Sequence[Expr], str]] = [
        ("q", symbols.q, "coordinates [rad or m]"),
        ("qd", symbols.qd, "velocities"),
        ("qdd", symbols.qdd, "accelerations"),
        ("pose", bodies.pose, "p_WC and R_WC of each body"),
        ("twist", bodies.twist, "velocity of its origin in W, angular velocity in C"),
        ("accel", bodies.accel, "their rates"),
        ("lam", bodies.lam, "wrenches that the joints transmit"),
        ("mu", system.mu, "multipliers"),
        ("zd", system.zd, "rates of states of laws"),
        ("tau", symbols.tau, "efforts"),
    ]
    blocks = [Input(name, tuple(items), doc) for name, items, doc in found if items]
    return (*blocks, *d.load_blocks(), Input("t", (symbols.t,), "time [s]"))


def _place(system: BodySystem) -> Program:
    """Bodies at the poses given by their joints."""
    skeleton = system.skeleton
    where, moving = poses(skeleton), velocities(skeleton)
    pose: list[Expr] = []
    twist: list[Expr] = []
    for body in system.bodies:
        index = body.link.number - 1
        R, (om, v) = where[index].R_WC, moving[index]
        pose += (*where[index].p_WC, *(entry for row in R for entry in row))
        twist += (*matrix_times(R, v), *om)
    symbols = skeleton.symbols
    inputs = (Input("q", tuple(symbols.q), ""), Input("qd", tuple(symbols.qd), ""))
    outputs = (Output.vector("pose", pose, ""), Output.vector("twist", twist, ""))
    return Program(PLACE, inputs, outputs, "Bodies where their joints put them.", "")
