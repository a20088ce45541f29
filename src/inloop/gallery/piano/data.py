"""Data of a grand-piano action: the one file to edit for another action.

Side view in millimeters, grams and degrees: x away from the player, z up, origin at the balance
pin of the key. Points are given in the rest position; points of the hammer are given relative to
its pin, at the string with the shank horizontal. The data need not match exactly: the resting
heights follow from the forces at rest (`rest`).

No complete table of a real action was found in print. Sources: [S] the haptic piano key of
UCLouvain and its Renner action (dip 9.5 mm, let-off between 8 and 9 mm; Timmermans, Dehez and
Fisette, Machines 8(4):76, 2020, and later); [T] technicians' figures for makers' actions; [P]
plausible, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass

Point = tuple[float, float]  # x, z [mm]


@dataclass(frozen=True)
class Dial:
    """A live parameter of the model, in SI units."""

    value: float
    unit: str
    range: tuple[float, float]
    doc: str
    reason: str


@dataclass(frozen=True)
class Cushion:
    """Felt, leather or wood between two parts: F = k dᵖ when pressed slowly.

    Attributes:
        force: a force [N], and
        depth: the slow compression that it causes [mm], which a technician can measure.
        reason: why these values.
        exponent: p.
        loss: fraction of the force of fast loading that relaxes, Stulov's ε.
        time: relaxation time [s].
        slip: shear of the surfaces before they slip [mm], for contacts with friction.
    """

    force: float
    depth: float
    reason: str
    exponent: float = 2.0
    loss: float = 0.6
    time: float = 5e-3
    slip: float = 0.1


@dataclass(frozen=True)
class Piece:
    """A straight piece of a part, or a point mass if both ends coincide, for its inertia.

    Attributes:
        mass: [g].
        a, b: its ends [mm].
    """

    mass: float
    a: Point
    b: Point


# --- dials ------------------------------------------------------------------------------------

DIALS = {
    "g": Dial(9.81, "m/s^2", (0.0, 25.0), "gravity, along -z", "standard"),
    "key_dip": Dial(
        9.5e-3, "m", (8.0e-3, 11.0e-3), "travel of the key front under a firm finger of 10 N",
        "[S] 9.5 mm; [T] 9.5 to 11 mm",
    ),
    "blow_distance": Dial(
        47.0e-3, "m", (42.0e-3, 50.0e-3), "from the hammer at rest up to the string",
        "[T] 42 to 49 mm, 47 in general",
    ),
    "let_off": Dial(
        0.0, "m", (-1.5e-3, 1.5e-3), "height of the let-off button above its normal position",
        "[S] varied by 0.5 mm; normal: the hammer is let off 1 to 1.5 mm below the string",
    ),
    "drop": Dial(
        0.0, "m", (-1.5e-3, 1.5e-3), "height of the drop screw above its normal position",
        "[T] after a slow let-off the hammer rests 2 to 3 mm below the string",
    ),
    "capstan_height": Dial(
        0.0, "m", (-0.4e-3, 0.4e-3), "height of the capstan above its normal position",
        "normal: the hammer rests at the blow distance",
    ),
    "check_distance": Dial(
        0.0, "m", (-1.0e-3, 3.0e-3), "back-check to the rear of its normal position",
        "[T] the hammer is caught 12 to 15 mm below the string",
    ),
    "repetition_spring": Dial(
        0.051, "N*m", (0.02, 0.12), "torque of the repetition spring on its lever, at rest",
        "[P] just above the weight of the hammer, so that it rises slowly out of the check",
    ),
    "jack_spring": Dial(
        0.005, "N*m", (0.001, 0.02), "torque of the spring that turns the jack back, at rest",
        "[P] ten times the weight of the jack; returns it in about 10 ms",
    ),
    "hammer_mass": Dial(
        10.0e-3, "kg", (4.0e-3, 20.0e-3), "head of the hammer, without its shank",
        "[T] 4 g in the treble to 12 g in the bass",
    ),
    "key_lead": Dial(
        70.0e-3, "kg", (0.0, 100.0e-3), "lead in the key, 180 mm in front of the balance pin",
        "[T] three leads; so that the down-weight is 0.5 N",
    ),
    "damper_mass": Dial(
        37.0e-3, "kg", (5.0e-3, 100.0e-3), "damper with its wire and lever, at the key end",
        "[P] 0.2 to 0.4 N more at the key front",
    ),
    "damper_gap": Dial(
        4.2e-3, "m", (0.0, 15.0e-3), "key end below the damper at rest; 15 mm with the pedal down",
        "[T] dampers are lifted when the hammer is half-way",
    ),
    "mu_knuckle": Dial(
        0.2, "1", (0.01, 0.6), "friction of the knuckle on jack and lever",
        "[P] graphited wood on leather, 0.2 to 0.35",
    ),
    "mu_button": Dial(0.25, "1", (0.01, 0.6), "friction of the jack toe on the let-off button",
                      "[P] wood on felt, 0.2 to 0.35"),
    "mu_check": Dial(0.4, "1", (0.01, 0.9), "friction of the hammer tail on the back-check",
                     "[P] roughened wood on leather, 0.3 to 0.5"),
    "mu_capstan": Dial(0.2, "1", (0.01, 0.6), "friction of the capstan under the heel",
                       "[P] polished brass on felt"),
    "pin_friction": Dial(
        1.0, "1", (0.0, 2.0), "friction of all pins and guides, relative to PINS",
        "so that down-weight and up-weight differ by 0.25 to 0.3 N",
    ),
}  # fmt: skip

# of the finger that holds the key (option `finger`)
FINGER_DIALS = {
    "finger_stiffness": Dial(
        3000.0, "N/m", (200.0, 8000.0), "of the finger tip, between desired and actual travel",
        "[P] a relaxed finger pad is compressed by 1 mm under 3 N",
    ),
    "finger_damping": Dial(
        6.0, "N*s/m", (0.0, 50.0), "of the finger tip",
        "[P] a tenth of critical with 0.3 kg, the effective mass at the key front",
    ),
    "finger_cutoff": Dial(
        30.0, "Hz", (2.0, 200.0), "of the second-order filter that smooths the desired travel",
        "[P] half the rate of a mouse",
    ),
}  # fmt: skip

# --- points [mm] ------------------------------------------------------------------------------

# balance pin at the origin
KEY = {
    "front": (-250.0, 5.0),  # [T] contact of the finger
    "front_stop": (-240.0, -10.0),  # [P] front pin, slightly behind the finger; key 20 mm high
    "back_rest": (190.0, -10.0),  # [P] back rail under the check
    # [P] 115 mm in a first drawing; 117.5 so that the let-off precedes the bed (ratio of key to
    # hammer 5.7, makers 5 to 6). It meets the heel on the line of both pins at half dip: no sliding
    "capstan": (117.5, 46.5),
    "check": (209.6, 92.0),  # [P] clears the rising tail by 1 mm, catches it 12 to 15 mm down [T]
    "lifter": (225.0, 10.0),  # [P] end of the key
}
WHIPPEN = {
    # [P] 93 mm behind the jack, ratio 1.56 to the heel. 13 mm higher than in the first drawing, so
    # that jack and knuckle move in the same direction at half blow: otherwise they slide by 3 mm
    "pin": (177.0, 75.0),
    "heel": (117.5, 46.5),  # over the capstan
}
JACK = {
    "pin": (84.0, 62.0),  # [P] under the knuckle
    # [P] middle of its top; 61 mm long. Its rear edge is 0.3 mm behind the center of the knuckle,
    # so that it is free after 1.2 mm of key travel. The height follows from the knuckle
    "top": (82.0, 123.2),
    "toe": (64.0, 66.0),  # [P] arm of 20 mm, makers 20 to 25
    "back": (85.0, 92.0),  # halfway up: contact with the felt of the spoon behind it,
    "front": (81.0, 92.0),  # and with the fence in front of it
}
LEVER = {
    "pin": (127.0, 105.0),  # [P] on the post of the whippen, 43 mm behind the knuckle
    "nose": (74.0, 124.0),  # under the drop screw
    "tail": (157.0, 100.0),  # on the hook
}
HAMMER = {
    "pin": (69.0, 140.0),  # [P] 15 mm in front of the knuckle at rest, 18 at the string
    "knuckle": (18.3, -5.9),  # [T] 17 mm at half blow; under the shank
    "crown": (130.0, 40.0),  # [T] 130 mm along the shank, 48 mm up with its radius
    "tail": (138.0, -24.0),  # [P] behind the head, below the shank
    "shank": (110.0, 0.0),  # over the rest cushion
}
SHANK_AT_REST = 0.35  # below the horizontal [rad]: 47 mm of blow at 130 mm
BUTTON = (64.0, 74.65)  # underside of the let-off button: hammer let off 1.4 mm below the string
SCREW = (74.0, 131.35)  # underside of the drop screw: hammer 3 mm below the string after let-off
DAMPER = (225.0, 150.0)  # its felt on the string, over the end of the key
CUSHION_GAP = 2.0  # between shank and rest cushion at rest: touched only after hard falls
JACK_SWING = 5.0  # of its middle, to the fence: three times what the let-off needs
JACK_GAP = 0.03  # between jack and knuckle, at rest: the lever carries the hammer [T]

# of round surfaces [mm]: knuckle 10 mm thick [T], crown of a used hammer, the others typical
RADIUS = {
    "front_stop": 1.0, "back_rest": 1.0, "capstan": 6.0, "knuckle": 5.0, "crown": 8.0, "tail": 3.0,
    "shank": 3.0, "toe": 2.0, "nose": 1.5, "back": 2.0, "front": 2.0,
    "lever_tail": 2.0, "foot": 2.0, "head": 1.0,
}  # fmt: skip
JACK_WIDTH = 5.0
CHECK_LENGTH, CHECK_THICKNESS = 24.0, 2.0
CHECK_LEAN = (
    28.0  # to the rear [degrees]: 12 more than the path of the tail, below its friction angle
)

# --- masses [g] -------------------------------------------------------------------------------

# [P] a key of spruce, 480 by 22 by 20 mm, capstan and back-check; leads and heads are dials
KEY_PIECES = (
    Piece(100.0, (-250.0, 0.0), (230.0, 0.0)),
    Piece(12.0, (117.5, 20.0), (117.5, 20.0)),
    Piece(8.0, (205.0, 70.0), (205.0, 70.0)),
)
KEY_LEAD = (-180.0, 0.0)  # middle of the leads
# [P] 18 to 20 g with heel and post
WHIPPEN_PIECES = (
    Piece(14.0, (177.0, 72.0), (80.0, 66.0)),
    Piece(5.0, (115.0, 50.0), (127.0, 105.0)),
)
# [P] maple, 62 by 6 by 6 mm, and its toe; lever of 100 by 9 by 6 mm; shank of 6 mm
JACK_PIECES = (Piece(2.2, (84.0, 60.0), (84.0, 123.0)), Piece(0.9, (84.0, 62.0), (61.0, 66.0)))
LEVER_PIECES = (Piece(5.0, (74.0, 121.0), (157.0, 102.0)),)
SHANK = Piece(3.5, (0.0, 0.0), (140.0, 0.0))
HEAD = ((132.0, -20.0), (130.0, 40.0))  # from tail to crown

# --- springs and pins -------------------------------------------------------------------------

REPETITION_RATE = 0.25  # [N·m/rad]: a long spring, a tenth more when the lever is pressed down
JACK_RATE = 0.02  # [N·m/rad]: a third more when the jack is tripped
# [P] friction of the pins [N·m] and of the damper's guide [N], and the speed at which it is fully
# developed: the hammer swings a few times, the lever is tight enough to lift the hammer smoothly
# and almost without oscillation, the two pins of the key take 0.05 N at its front
PINS = {"key": 1.2e-2, "whippen": 6e-4, "jack": 3e-4, "lever": 5e-3, "hammer": 1e-3}
PIN_SPEED = 0.02  # [rad/s]
GUIDE, GUIDE_SPEED = 0.03, 2e-3  # [N], [m/s]

# --- cushions ---------------------------------------------------------------------------------

CUSHIONS = {
    "key_bed": Cushion(10.0, 0.4, "front felt: 0.4 mm under a firm finger", exponent=2.5),
    "key_rest": Cushion(1.0, 0.3, "back rail cloth, soft and lossy", loss=0.8),
    "capstan": Cushion(3.0, 0.25, "heel cushion: firm felt under cloth", loss=0.7),
    "jack_knuckle": Cushion(3.0, 0.18, "leather over felt", time=3e-3),
    "lever_knuckle": Cushion(3.0, 0.18, "leather over felt", time=3e-3),
    "let_off_button": Cushion(5.0, 0.3, "felt punching", time=3e-3),
    "drop_screw": Cushion(5.0, 0.3, "leather on the lever", time=3e-3),
    "string": Cushion(
        6.0, 0.6, "7e8 N/m^2.5; a rigid string: its compliance is included in the felt",
        exponent=2.5, loss=0.3, time=3e-4,
    ),
    "back_check": Cushion(20.0, 1.2, "leather over felt on a bent wire", loss=0.5, slip=0.2),
    "damper_lift": Cushion(1.0, 0.3, "felt of the key end"),
    "damper_seat": Cushion(1.0, 0.3, "damper felt on the string"),
    "hammer_rest": Cushion(3.0, 1.0, "soft cushion under the shank", loss=0.8, time=5e-3),
    "jack_stop": Cushion(1.0, 0.2, "felt of the spoon", time=2e-3),
    "jack_fence": Cushion(1.0, 0.2, "felt of the slot in the lever", time=2e-3),
    "lever_stop": Cushion(3.0, 0.1, "thin felt of the lever's hook", time=3e-3),
}  # fmt: skip
SHEAR_DAMPING = 0.5  # of sticking surfaces, per newton [s/m]: the jack comes to rest in 2 ms
