"""The piano action against its equations written out by hand in the plane, with NumPy alone.

Along a blow and a release every part touches what it can touch; at many instants accelerations,
rates of the states of laws and contact forces are those of hand-written planar mechanics.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from exhibit_plants import plant_of

import inloop as il
from inloop.gallery.piano import data
from inloop.gallery.piano.rest import forces_at_rest, sunk

BODIES = ("key", "whippen", "jack", "lever", "hammer", "damper")
MM = 1e-3
Vector = np.ndarray


def turn(angle: float, r: Vector) -> Vector:
    """A vector in x and z, turned from x to z."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * r[0] - s * r[1], s * r[0] + c * r[1]])


def across(r: Vector) -> Vector:
    """Velocity of r when it turns from x to z at 1 rad/s."""
    return np.array([-r[1], r[0]])


@dataclass
class Frame:
    """A body in the plane: origin, angle, their derivatives by q, and what is left at qdd = 0."""

    o: Vector
    angle: float
    J_o: Vector
    J_angle: Vector
    acc_o: Vector

    def at(self, r: Vector) -> tuple[Vector, Vector]:
        """A point given in axes of the body, and its Jacobian."""
        arm = turn(self.angle, r)
        return self.o + arm, self.J_o + np.outer(across(arm), self.J_angle)

    def jacobian_at(self, p: Vector) -> Vector:
        """Jacobian of the material point that is at p."""
        return self.J_o + np.outer(across(p - self.o), self.J_angle)


def frames(q: Vector, qd: Vector) -> dict[str, Frame]:
    signs = {"key": {0: 1.0}, "whippen": {1: -1.0}, "jack": {1: -1.0, 2: 1.0},
             "lever": {1: -1.0, 3: 1.0}, "hammer": {4: 1.0}, "damper": {}}  # fmt: skip
    rear = MM * np.array(data.WHIPPEN["pin"])
    found = {}
    for name in BODIES:
        J_angle = np.zeros(6)
        for k, sign in signs[name].items():
            J_angle[k] = sign
        o, J_o, acc = np.zeros(2), np.zeros((2, 6)), np.zeros(2)
        if name == "whippen":
            o = rear
        elif name in ("jack", "lever"):
            pin = MM * np.array((data.JACK if name == "jack" else data.LEVER)["pin"])
            arm = turn(-q[1], pin - rear)
            o, J_o[:, 1], acc = rear + arm, -across(arm), -(qd[1] ** 2) * arm
        elif name == "hammer":
            o = MM * np.array(data.HAMMER["pin"])
        elif name == "damper":
            o = MM * np.array(data.DAMPER) + np.array([0.0, q[5]])
            J_o[1, 5] = 1.0
        found[name] = Frame(o, float(J_angle @ q), J_o, J_angle, acc)
    found["ground"] = Frame(np.zeros(2), 0.0, np.zeros((2, 6)), np.zeros(6), np.zeros(2))
    return found


def masses() -> dict[str, list[tuple[float, Vector, float]]]:
    """Mass [kg], center from the pin [m] and own inertia [kg·m²] of the pieces of each part."""
    dial = {name: d.value for name, d in data.DIALS.items()}

    def rods(pieces: list[tuple[float, Vector, Vector]], pin: Vector) -> list:
        return [(m, MM * (0.5 * (a + b) - pin), m * (MM * np.linalg.norm(a - b)) ** 2 / 12.0)
                for m, a, b in pieces]  # fmt: skip

    def of(pieces: tuple[data.Piece, ...]) -> list[tuple[float, Vector, Vector]]:
        return [(1e-3 * p.mass, np.array(p.a), np.array(p.b)) for p in pieces]

    lower = -data.SHANK_AT_REST
    lead = np.array(data.KEY_LEAD)
    head = [turn(lower, np.array(p)) for p in data.HEAD]
    shank = [turn(lower, np.array(p)) for p in (data.SHANK.a, data.SHANK.b)]
    return {
        "key": rods([*of(data.KEY_PIECES), (dial["key_lead"], lead, lead)], np.zeros(2)),
        "whippen": rods(of(data.WHIPPEN_PIECES), np.array(data.WHIPPEN["pin"])),
        "jack": rods(of(data.JACK_PIECES), np.array(data.JACK["pin"])),
        "lever": rods(of(data.LEVER_PIECES), np.array(data.LEVER["pin"])),
        "hammer": rods([(1e-3 * data.SHANK.mass, *shank), (dial["hammer_mass"], *head)],
                       np.zeros(2)),
        "damper": [(dial["damper_mass"], np.zeros(2), 0.0)],
    }  # fmt: skip


def places() -> dict[str, Vector]:
    """Points of all surfaces in axes of their bodies [m]; what carries something sits higher."""
    dial = {name: d.value for name, d in data.DIALS.items()}
    r, carried = data.RADIUS, forces_at_rest()
    deep = {name: 1e3 * sunk(name, force) for name, force in carried.items()}  # [mm]
    lower, pin = -data.SHANK_AT_REST, np.array(data.HAMMER["pin"])
    hammer = {name: turn(lower, np.array(data.HAMMER[name]))
              for name in ("knuckle", "crown", "tail", "shank")}  # fmt: skip
    x, z = pin + hammer["knuckle"]
    rail = pin + hammer["shank"] - (0.0, r["shank"] + data.CUSHION_GAP)
    begin = 1e3 * dial["key_dip"] - data.CUSHIONS["key_bed"].depth
    stop, back = data.KEY["front_stop"], data.KEY["back_rest"]
    string = pin[1] + hammer["crown"][1] + r["crown"] + 1e3 * dial["blow_distance"]
    rear = np.array(data.WHIPPEN["pin"])
    jack, lever = np.array(data.JACK["pin"]), np.array(data.LEVER["pin"])
    foot = data.KEY["lifter"][1] - data.DAMPER[1] + r["foot"] + 1e3 * dial["damper_gap"]
    found = {
        "ground.front_felt": (stop[0], stop[1] - r["front_stop"] - begin * stop[0] / -250.0),
        "ground.back_rail": (back[0], back[1] - r["back_rest"] + deep["key_rest"]),
        "ground.button": data.BUTTON,
        "ground.screw": data.SCREW,
        "ground.string": (pin[0] + data.HAMMER["crown"][0], string),
        "ground.hammer_rail": rail,
        "ground.damper_seat": (data.DAMPER[0], data.DAMPER[1] - r["head"] + deep["damper_seat"]),
        "key.front_stop": stop,
        "key.back_rest": back,
        "key.capstan": (
            data.KEY["capstan"][0],
            data.KEY["capstan"][1] + deep["capstan"] - r["capstan"],
        ),
        "key.check": data.KEY["check"],
        "key.lifter": data.KEY["lifter"],
        "whippen.heel": np.array(data.WHIPPEN["heel"]) - rear,
        "whippen.spoon": np.array(data.JACK["back"]) - rear + (r["back"] - deep["jack_stop"], 0.0),
        "whippen.fence": np.array(data.JACK["front"]) - rear - (r["front"] + data.JACK_SWING, 0.0),
        "whippen.hook": np.array(data.LEVER["tail"])
        - rear
        + (0.0, deep["lever_stop"] - r["lever_tail"]),
        "jack.top": np.array([data.JACK["top"][0], z - r["knuckle"] - data.JACK_GAP]) - jack,
        "jack.toe": np.array(data.JACK["toe"]) - jack,
        "jack.front": np.array(data.JACK["front"]) - jack,
        "jack.back": np.array(data.JACK["back"]) - jack,
        "lever.top": np.array([x, z - r["knuckle"] + deep["lever_knuckle"]]) - lever,
        "lever.nose": np.array(data.LEVER["nose"]) - lever,
        "lever.tail": np.array(data.LEVER["tail"]) - lever,
        "damper.foot": (0.0, foot),
        "damper.head": (0.0, 0.0),
        **{f"hammer.{name}": point for name, point in hammer.items()},
    }
    return {name: MM * np.array(point) for name, point in found.items()}


def surfaces() -> list[tuple]:
    """Name, first surface, its normal or (line, length, radius), second, its radius, friction."""
    lean = math.radians(data.CHECK_LEAN)
    line = np.array([math.sin(lean), math.cos(lean)])
    up, down, front = np.array([0.0, 1.0]), np.array([0.0, -1.0]), np.array([-1.0, 0.0])
    jack = (np.array([1.0, 0.0]), MM * data.JACK_WIDTH, 0.0)
    check = (line, MM * data.CHECK_LENGTH, 0.5 * MM * data.CHECK_THICKNESS)
    return [
        ("key_bed", "ground.front_felt", up, "key.front_stop", "front_stop", None),
        ("key_rest", "ground.back_rail", up, "key.back_rest", "back_rest", None),
        ("capstan", "whippen.heel", down, "key.capstan", "capstan", "mu_capstan"),
        ("let_off_button", "ground.button", down, "jack.toe", "toe", "mu_button"),
        ("drop_screw", "ground.screw", down, "lever.nose", "nose", None),
        ("jack_stop", "whippen.spoon", front, "jack.back", "back", None),
        ("jack_fence", "whippen.fence", -front, "jack.front", "front", None),
        ("lever_stop", "whippen.hook", up, "lever.tail", "lever_tail", None),
        ("jack_knuckle", "jack.top", jack, "hammer.knuckle", "knuckle", "mu_knuckle"),
        ("lever_knuckle", "lever.top", up, "hammer.knuckle", "knuckle", "mu_knuckle"),
        ("string", "ground.string", down, "hammer.crown", "crown", None),
        ("back_check", "key.check", check, "hammer.tail", "tail", "mu_check"),
        ("hammer_rest", "ground.hammer_rail", up, "hammer.shank", "shank", None),
        ("damper_lift", "key.lifter", up, "damper.foot", "foot", None),
        ("damper_seat", "ground.damper_seat", up, "damper.head", "head", None),
    ]


def bristles(z: float, v: float, mu: float, slip: float) -> tuple[float, float]:
    """Friction per newton and the rate of z: elasto-plastic LuGre with a bristle of `slip`."""
    s0, s1 = mu / slip, data.SHEAR_DAMPING
    share = (z * math.copysign(1.0, v) / slip - 0.7) / 0.3
    alpha = 0.5 - 0.5 * math.cos(math.pi * min(max(share, 0.0), 1.0))
    rate = v - alpha * abs(v) * z / slip
    return s0 * z + s1 / (1.0 + (s1 * v / mu) ** 2) * rate, rate


class ByHand:
    """Accelerations, rates and forces from q, qd, the states of laws and the wanted travel."""

    def __init__(self) -> None:
        self.dial = {n: d.value for n, d in {**data.DIALS, **data.FINGER_DIALS}.items()}
        self.masses, self.places, self.surfaces = masses(), places(), surfaces()

    def __call__(
        self, q: Vector, qd: Vector, state: dict[str, float], wanted: float
    ) -> tuple[Vector, dict[str, float], dict[str, float]]:
        body = frames(q, qd)
        M, Q = np.zeros((6, 6)), np.zeros(6)
        for name, pieces in self.masses.items():
            frame = body[name]
            for mass, center, own in pieces:
                arm = turn(frame.angle, center)
                J = frame.J_o + np.outer(across(arm), frame.J_angle)
                left = frame.acc_o - (frame.J_angle @ qd) ** 2 * arm
                M += mass * J.T @ J + own * np.outer(frame.J_angle, frame.J_angle)
                Q -= mass * J.T @ (left + np.array([0.0, self.dial["g"]]))
        rates: dict[str, float] = {}
        forces: dict[str, float] = {}
        for surface in self.surfaces:
            Q += self.contact(body, qd, surface, state, rates, forces)
        Q += self.joints(q, qd, state, wanted, rates, forces)
        return np.linalg.solve(M, Q), rates, forces

    def contact(
        self, body: dict[str, Frame], qd: Vector, surface: tuple, state: dict[str, float],
        rates: dict[str, float], forces: dict[str, float],
    ) -> Vector:  # fmt: skip
        name, first, shape, second, radius, mu = surface
        A, B = body[first.split(".")[0]], body[second.split(".")[0]]
        a, b = A.at(self.places[first])[0], B.at(self.places[second])[0]
        r, cushion = MM * data.RADIUS[radius], data.CUSHIONS[name]
        if isinstance(shape, tuple):
            line, length, thick = turn(A.angle, shape[0]), shape[1], shape[2]
            along = min(max(line @ (b - a), -0.5 * length), 0.5 * length)
            offset = b - a - along * line
            gap = np.linalg.norm(offset) - thick - r
            n = offset / np.linalg.norm(offset)
        else:
            n = turn(A.angle, shape)
            gap = n @ (b - a) - r
        k = cushion.force / (MM * cushion.depth) ** cushion.exponent / (1.0 - cushion.loss)
        elastic, memory = k * max(-gap, 0.0) ** cushion.exponent, state[f"{name}.memory"]
        push = max(elastic - cushion.loss * memory, 0.0)
        rates[f"{name}.memory"] = (elastic - memory) / cushion.time
        forces[f"{name}.gap"], forces[f"{name}.force"] = gap, push
        C = b - (r + 0.5 * gap) * n
        J = B.jacobian_at(C) - A.jacobian_at(C)
        force = push * n
        if mu is not None:
            t = np.array([n[1], -n[0]])
            z, v, slip = state[f"{name}.z"], float(t @ J @ qd), MM * cushion.slip
            friction, rate = bristles(z, v, self.dial[mu], slip)
            straighten = -(self.dial[mu] / slip / data.SHEAR_DAMPING) * z
            rates[f"{name}.z"] = rate if gap < 0.0 else straighten
            forces[f"{name}.friction"] = -push * friction
            force = force - push * friction * t
        return J.T @ force

    def joints(
        self, q: Vector, qd: Vector, state: dict[str, float], wanted: float,
        rates: dict[str, float], forces: dict[str, float],
    ) -> Vector:  # fmt: skip
        Q, dial = np.zeros(6), self.dial
        Q[2] -= data.JACK_RATE * q[2] + dial["jack_spring"]
        Q[3] -= data.REPETITION_RATE * q[3] + dial["repetition_spring"]
        for k, name in enumerate(BODIES[:5]):
            Q[k] -= dial["pin_friction"] * data.PINS[name] * math.tanh(qd[k] / data.PIN_SPEED)
        Q[5] -= dial["pin_friction"] * data.GUIDE * math.tanh(qd[5] / data.GUIDE_SPEED)
        tip, speed = state["key_front.tip"], state["key_front.tip_speed"]
        push = max(dial["finger_stiffness"] * (tip - 0.25 * math.sin(q[0]))
                   + dial["finger_damping"] * (speed - 0.25 * qd[0]), 0.0)  # fmt: skip
        pace = 2.0 * math.pi * dial["finger_cutoff"]
        rates["key_front.tip"] = speed
        rates["key_front.tip_speed"] = pace**2 * (wanted - tip) - 2.0 * pace * speed
        forces["key_front.force"] = push
        Q[0] += 0.25 * push
        return Q


@pytest.fixture(scope="module")
def plant() -> il.Plant:
    return plant_of("piano")


def test_accelerations_rates_and_forces_are_those_of_planar_mechanics(plant: il.Plant) -> None:
    def wanted(t: float) -> float:
        return 11.5e-3 if t < 0.25 else 0.0

    result = plant.simulate(
        t_end=0.6, step=1e-4, method="implicit",
        inputs={"finger": lambda t: il.where(t < 0.25, 11.5e-3, 0.0)},
    )  # fmt: skip
    touched = {n for n in data.CUSHIONS if result[f"{n}.force"].max() > 0.0}
    assert touched == set(data.CUSHIONS)
    names = [state.name for state in plant.mechanism.states]
    z = np.stack([result[name] for name in names], axis=1)
    rows = np.arange(3, len(result.t), 47)
    u = np.array([[wanted(t)] for t in result.t[rows]])
    found = plant.evaluate("direct_dynamics", q=result.q[rows], qd=result.qd[rows],
                           z=z[rows], u=u, tau=np.zeros((len(rows), 6)))  # fmt: skip
    told = plant.law_outputs(result.q[rows], result.qd[rows], z[rows], u)
    by_hand = ByHand()
    for k, row in enumerate(rows):
        state = dict(zip(names, z[row], strict=True))
        qdd, rates, forces = by_hand(result.q[row], result.qd[row], state, u[k, 0])
        np.testing.assert_allclose(found["qdd"][k], qdd, rtol=1e-8, atol=1e-6)
        for name, force in forces.items():
            assert told[name][k] == pytest.approx(force, rel=1e-8, abs=1e-10), name
        for name, rate in rates.items():
            at = names.index(name)
            assert found["zd"][k, at] == pytest.approx(rate, rel=1e-8, abs=1e-7), name
