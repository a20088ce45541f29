"""Devices as they are: sensors, estimators, couplings, passivity, motors, and MIDI."""

from inloop.devices.actuator import Actuator
from inloop.devices.adaptive_window import AdaptiveWindow
from inloop.devices.chain import DeviceChain, Estimator, Sensor
from inloop.devices.converter import Converter
from inloop.devices.coupling import Coupling
from inloop.devices.device_limits import device_limits
from inloop.devices.differences import BackwardDifferences, FilteredDifferences, Motion
from inloop.devices.encoder import Encoder
from inloop.devices.hall_pair import HallPair, Magnet
from inloop.devices.handle import Finger, HapticHandle
from inloop.devices.hold import ZeroOrderHold
from inloop.devices.instruments import Instruments
from inloop.devices.kalman import KalmanEstimator
from inloop.devices.late import Delay, SampledEvery
from inloop.devices.load_cell import LoadCell
from inloop.devices.midi_file import write_midi_file
from inloop.devices.midi_port import MidiPort
from inloop.devices.midi_velocity import hammer_speed, midi_velocity
from inloop.devices.noise import Noise
from inloop.devices.notes import Note, NoteMaker
from inloop.devices.passivity import ParallelController, PassivityObserver, SeriesController
from inloop.devices.rig import COARSE, FINE, SMOOTH, Rig
from inloop.devices.sampled_loop import Impedance, SampledLoop
from inloop.devices.setup import RANGES, SETUPS, Setup, find_setup
from inloop.devices.station import Station
from inloop.devices.stiffness_range import StiffnessRange, measured_stiffness
from inloop.devices.voice_coil import VoiceCoil

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
