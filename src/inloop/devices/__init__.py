"""Models of real devices: sensors, estimators, couplings, passivity, motors, and MIDI."""

from inloop.devices.estimators.adaptive_window import AdaptiveWindow
from inloop.devices.estimators.differences import BackwardDifferences, FilteredDifferences, Motion
from inloop.devices.estimators.estimator import Estimator
from inloop.devices.estimators.kalman import KalmanEstimator
from inloop.devices.haptics.actuator import Actuator
from inloop.devices.haptics.chain import DeviceChain
from inloop.devices.haptics.coupling import Coupling
from inloop.devices.haptics.device_limits import device_limits
from inloop.devices.haptics.handle import Finger, HapticHandle
from inloop.devices.haptics.passivity import ParallelController, PassivityObserver, SeriesController
from inloop.devices.haptics.rig import COARSE, FINE, SMOOTH, Rig
from inloop.devices.haptics.sampled_loop import Impedance, SampledLoop
from inloop.devices.haptics.setup import RANGES, SETUPS, Setup, find_setup
from inloop.devices.haptics.station import Station
from inloop.devices.haptics.stiffness_range import StiffnessRange, measured_stiffness
from inloop.devices.midi.midi_file import write_midi_file
from inloop.devices.midi.midi_port import MidiPort
from inloop.devices.midi.midi_velocity import hammer_speed, midi_velocity
from inloop.devices.midi.notes import Note, NoteMaker
from inloop.devices.sensors.converter import Converter
from inloop.devices.sensors.encoder import Encoder
from inloop.devices.sensors.hall_pair import HallPair, Magnet
from inloop.devices.sensors.hold import ZeroOrderHold
from inloop.devices.sensors.instruments import Instruments
from inloop.devices.sensors.late import Delay, SampledEvery
from inloop.devices.sensors.load_cell import LoadCell
from inloop.devices.sensors.noise import Noise
from inloop.devices.sensors.sensor import Sensor
from inloop.devices.sensors.voice_coil import VoiceCoil

__all__ = [
    "COARSE", "FINE", "RANGES", "SETUPS", "SMOOTH", "Actuator", "AdaptiveWindow",
    "BackwardDifferences", "Converter", "Coupling", "Delay", "DeviceChain", "Encoder", "Estimator",
    "FilteredDifferences", "Finger", "HallPair", "HapticHandle", "Impedance", "Instruments",
    "KalmanEstimator", "LoadCell", "Magnet", "MidiPort", "Motion", "Noise", "Note", "NoteMaker",
    "ParallelController", "PassivityObserver", "Rig", "SampledEvery", "SampledLoop", "Sensor",
    "SeriesController", "Setup", "Station", "StiffnessRange", "VoiceCoil", "ZeroOrderHold",
    "device_limits", "find_setup", "hammer_speed", "measured_stiffness", "midi_velocity",
    "write_midi_file",
]  # fmt: skip
