"""Loads on a mechanism besides gravity: wrenches, efforts, and the states of force laws."""

from __future__ import annotations

from dataclasses import dataclass, field

from inloop.formalisms.frames import GROUND
from inloop.formalisms.laws.ports import Port
from inloop.formalisms.recursions.rne import Wrench
from inloop.formalisms.vectors import Vector, add, cross
from inloop.symbolic import Expr


@dataclass
class Loads:
    """Loads on the mechanism besides gravity and the efforts tau.

    Attributes:
        wrenches: by link index, about the link's internal origin in its axes.
        efforts: by coordinate, from laws of joints and joint inputs.
        inputs: symbols of joint inputs and of external force and torque components, in order.
        input_names: their names.
        rates: time derivatives of internal states of laws and drives, in the order of the model.
        radial: placeholders in the rates for the force that a joint transmits perpendicular to its
            axis, by coordinate; see `reactions`.
        multipliers: placeholders in the rates for multipliers, by name of the row or its element.
        drive_efforts: placeholders in the rates for efforts of driven joints, by coordinate.
        observed: outputs of the laws, by name "<law>.<output>", in the order of the model.
        others: quantities of other elements that laws use: placeholders of the model → symbols
            here.
        ports: the laws for implicit methods; laws without a port are treated explicitly.
    """

    wrenches: dict[int, Wrench] = field(default_factory=dict)
    efforts: dict[int, Expr] = field(default_factory=dict)
    inputs: list[Expr] = field(default_factory=list)
    input_names: list[str] = field(default_factory=list)
    rates: list[Expr] = field(default_factory=list)
    observed: dict[str, Expr] = field(default_factory=dict)
    radial: dict[int, Expr] = field(default_factory=dict)
    multipliers: dict[str, Expr] = field(default_factory=dict)
    drive_efforts: dict[int, Expr] = field(default_factory=dict)
    others: dict[Expr, Expr] = field(default_factory=dict)
    ports: list[Port] = field(default_factory=list)

    @property
    def reactions(self) -> tuple[Expr, ...]:
        """Placeholders in the rates for quantities known only with the accelerations."""
        forces = (*self.radial.values(), *self.multipliers.values())
        return (*forces, *self.drive_efforts.values())

    def push(self, index: int, effort: Expr) -> None:
        """Add an effort of a joint."""
        known = self.efforts.get(index)
        self.efforts[index] = effort if known is None else known + effort

    def apply(self, index: int, p_CQ: Vector, f: Vector, n: Vector) -> None:
        """Add a force at Q and a torque, both in the link's internal axes."""
        if index == GROUND:
            return
        n = add(n, cross(p_CQ, f))
        known = self.wrenches.get(index)
        self.wrenches[index] = (
            Wrench(f, n) if known is None else Wrench(add(known.f, f), add(known.n, n))
        )
