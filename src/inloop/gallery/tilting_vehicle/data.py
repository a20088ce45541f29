"""Data of the tilting vehicle, full size and scaled.

CLEVER (Compact Low Emission Vehicle for Urban Transport): 332 kg without driver, with one of 75 kg
39 % of the weight on the front wheel, 40 % of the mass does not tilt, wheelbase 2.4 m. The
distribution of masses and heights is not published and chosen plausibly: 244 kg tilt about an axis
on the road, their center 0.6 m above it. In a model of scale s, lengths are scaled by s, masses and
forces by s³, moments by s⁴ and inertias by s⁵; at speeds scaled by √s it leans like the full-size
vehicle.
"""

from __future__ import annotations

from dataclasses import dataclass

G = 9.81  # [m/s²]
FRONT_SHARE = 0.39  # of the weight


@dataclass(frozen=True)
class Vehicle:
    """A tilting vehicle: origin on the road below the rear axle, x ahead, y to the left.

    Attributes:
        tilting_mass, standing_mass: of the cabin with fork and wheel, and of the rear module [kg].
        tilting_height, standing_height: of their centers above the road [m].
        tilting_ahead, standing_ahead: of their centers ahead of the rear axle [m].
        tilting_inertia: of the cabin about its center, along the tilt axis [kg m²].
        turning_inertia: of the cabin about its center, across the tilt axis [kg m²].
        module_inertia: of the rear module, about its center [kg m²].
        wheelbase, track, radius: of the wheels [m].
        wheel_mass: of each; it is part of the masses above [kg].
        wheel_inertia: about its axis [kg m²].
        tyre_stiffness: [N/m].
        tyre_damping: [N·s/m].
        relaxation: relaxation length of a tyre [m].
        torque: maximum of the tilt motor [N·m].
        most: tilt at the stops [rad].
        noise: of the torque cell [N·m].
    """

    tilting_mass: float = 244.0
    standing_mass: float = 163.0
    tilting_height: float = 0.60
    standing_height: float = 0.35
    tilting_ahead: float = 1.4945
    standing_ahead: float = 0.1
    tilting_inertia: float = 22.0
    turning_inertia: float = 70.0
    module_inertia: float = 12.0
    wheelbase: float = 2.4
    track: float = 0.84
    radius: float = 0.28
    wheel_mass: float = 9.0
    wheel_inertia: float = 0.4
    tyre_stiffness: float = 160e3
    tyre_damping: float = 900.0
    relaxation: float = 0.2
    torque: float = 900.0
    most: float = 0.785
    noise: float = 2.0

    def of_size(self, s: float) -> Vehicle:
        """The same vehicle scaled by s."""
        powers = {
            "mass": 3, "height": 1, "ahead": 1, "inertia": 5, "wheelbase": 1, "track": 1,
            "radius": 1, "stiffness": 2, "damping": 2.5, "relaxation": 1, "torque": 4, "most": 0,
            "noise": 4,
        }  # fmt: skip
        values = vars(self).items()
        return Vehicle(**{name: x * s ** powers[name.rpartition("_")[2]] for name, x in values})

    @property
    def roll_stiffness(self) -> float:
        """Roll stiffness of the rear module on its tyres, reduced by its weight [N·m/rad]."""
        springs = 0.5 * self.tyre_stiffness * self.track**2
        return springs - self.standing_mass * G * self.standing_height

    @property
    def lifting_moment(self) -> float:
        """Moment on the rear module that unloads one of its wheels [N·m]."""
        rear = (1.0 - FRONT_SHARE) * G * (self.tilting_mass + self.standing_mass)
        return 0.5 * rear * self.track

    @property
    def inertia(self) -> float:
        """Inertia of the tilting part about the tilt axis [kg m²]."""
        return self.tilting_inertia + self.tilting_mass * self.tilting_height**2

    @property
    def moment(self) -> float:
        """First moment of the tilting part about the tilt axis [kg m]."""
        return self.tilting_mass * self.tilting_height


CLEVER = Vehicle()
SIZE = 0.25  # of the demonstrator
POTENTIOMETER = 0.005235987755982988  # standard deviation, 0.3 deg [rad]
GYRO, GYRO_BIAS, BIAS_WALK = 0.01, 0.02, 1e-8  # [rad/s], [rad/s], [rad²/s³]
ACCELEROMETER = 0.2  # [m/s²]
TICKS = 1024  # of the encoders of the rear wheels, per turn
