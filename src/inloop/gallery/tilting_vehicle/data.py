"""Numbers of the tilting vehicle, full size and smaller.

CLEVER (Compact Low Emission Vehicle for Urban Transport): 332 kg without driver, with one of 75 kg
39 % of the weight on the front wheel, 40 % of the mass does not tilt, wheelbase 2.4 m. How masses
and heights divide is not told and chosen so that it looks like it: 244 kg tilt about an axis on
the road, their center 0.6 m above it. A model of 1 : s has lengths by s, masses by s³, inertias by
s⁵, forces by s³ and moments by s⁴; at speeds by √s it leans as the large one does.
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
        tilting_ahead, standing_ahead: of their centers before the rear axle [m].
        tilting_inertia: of the cabin about its center, along the tilt axis [kg m²].
        turning_inertia: likewise across [kg m²].
        module_inertia: of the rear module, about its center [kg m²].
        wheelbase, track, radius: of the wheels [m].
        wheel_mass: of each; it is part of the masses above [kg].
        wheel_inertia: about its axis [kg m²].
        tyre_stiffness: [N/m].
        tyre_damping: [N·s/m].
        relaxation: length until a tyre pushes [m].
        torque: largest of the tilt motor [N·m].
        most: tilt at which stops are met [rad].
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
        """The model 1 : 1/s of it."""
        powers = {
            "mass": 3, "height": 1, "ahead": 1, "inertia": 5, "wheelbase": 1, "track": 1,
            "radius": 1, "stiffness": 2, "damping": 2.5, "relaxation": 1, "torque": 4, "most": 0,
            "noise": 4,
        }  # fmt: skip
        values = vars(self).items()
        return Vehicle(**{name: x * s ** powers[name.rpartition("_")[2]] for name, x in values})

    @property
    def roll_stiffness(self) -> float:
        """Of the rear module on its tyres, less what its weight takes off [N·m/rad]."""
        springs = 0.5 * self.tyre_stiffness * self.track**2
        return springs - self.standing_mass * G * self.standing_height

    @property
    def lifting_moment(self) -> float:
        """On the rear module, that takes the load off one of its wheels [N·m]."""
        rear = (1.0 - FRONT_SHARE) * G * (self.tilting_mass + self.standing_mass)
        return 0.5 * rear * self.track

    @property
    def inertia(self) -> float:
        """Of what tilts, about the tilt axis [kg m²]."""
        return self.tilting_inertia + self.tilting_mass * self.tilting_height**2

    @property
    def moment(self) -> float:
        """First moment of what tilts about the tilt axis [kg m]."""
        return self.tilting_mass * self.tilting_height


CLEVER = Vehicle()
SIZE = 0.25  # of the demonstrator
POTENTIOMETER = 0.005235987755982988  # standard deviation, 0.3 deg [rad]
GYRO, GYRO_BIAS, BIAS_WALK = 0.01, 0.02, 1e-8  # [rad/s], [rad/s], [rad²/s³]
ACCELEROMETER = 0.2  # [m/s²]
TICKS = 1024  # of the encoders of the rear wheels, per turn
