"""The messages of ROS 2 as DDS types, with the names and members of rosidl.

Serialized as XCDR1, as ROS 2 does on the wire.
"""

# cyclonedds reads annotations at run time: no `from __future__ import annotations` here

from dataclasses import dataclass, field

from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import float64, int32, sequence, uint32


@dataclass
class Time(IdlStruct, typename="builtin_interfaces.msg.dds_.Time_"):
    """builtin_interfaces/msg/Time."""

    sec: int32 = 0
    nanosec: uint32 = 0


@dataclass
class Header(IdlStruct, typename="std_msgs.msg.dds_.Header_"):
    """std_msgs/msg/Header."""

    stamp: Time = field(default_factory=Time)
    frame_id: str = ""


@dataclass
class JointState(IdlStruct, typename="sensor_msgs.msg.dds_.JointState_"):
    """sensor_msgs/msg/JointState."""

    header: Header = field(default_factory=Header)
    name: sequence[str] = field(default_factory=list)
    position: sequence[float64] = field(default_factory=list)
    velocity: sequence[float64] = field(default_factory=list)
    effort: sequence[float64] = field(default_factory=list)


@dataclass
class MultiArrayDimension(IdlStruct, typename="std_msgs.msg.dds_.MultiArrayDimension_"):
    """std_msgs/msg/MultiArrayDimension."""

    label: str = ""
    size: uint32 = 0
    stride: uint32 = 0


@dataclass
class MultiArrayLayout(IdlStruct, typename="std_msgs.msg.dds_.MultiArrayLayout_"):
    """std_msgs/msg/MultiArrayLayout."""

    dim: sequence[MultiArrayDimension] = field(default_factory=list)
    data_offset: uint32 = 0


@dataclass
class Float64MultiArray(IdlStruct, typename="std_msgs.msg.dds_.Float64MultiArray_"):
    """std_msgs/msg/Float64MultiArray."""

    layout: MultiArrayLayout = field(default_factory=MultiArrayLayout)
    data: sequence[float64] = field(default_factory=list)


@dataclass
class Float64(IdlStruct, typename="std_msgs.msg.dds_.Float64_"):
    """std_msgs/msg/Float64."""

    data: float64 = 0.0
