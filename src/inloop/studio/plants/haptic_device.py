"""The haptic device between pages and plant: the studio's side of its process.

It replaces the plant as the writer of inputs: values written to it go to the finger of the device.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from inloop.devices import RANGES, SETUPS, Setup, find_setup
from inloop.native.library import Reals
from inloop.studio.messaging.message_types import DeviceReadings, Rig, SettingRange, Settings, Told
from inloop.studio.messaging.protocol import fields
from inloop.studio.plants.catalog import Catalog
from inloop.studio.plants.live import Live
from inloop.studio.plants.processes import child_environment

MOUSE = "mouse"  # no device: the pointer drives the plant
ENDS_WITHIN = 2.0  # [s]
SETTLES_WITHIN = 0.5  # [s] without changes before the limits are computed again
UNSTABLE = 0.1  # of the periods at the force limit of the motor


def offer(stage_device: Mapping[str, Any] | None, rate: float) -> list[Rig]:
    """Devices that can hold a plant of this rate [Hz]; none if it has no suitable joint."""
    if stage_device is None or stage_device.get("haptic") is None:
        return []
    return [
        {"name": name, "title": setup.title}
        for name, setup in SETUPS.items()
        if setup.rate <= rate * (1.0 + 1e-9)
    ]


def ranges(rate: float) -> list[SettingRange]:
    """Settings with their ranges; the servo rate is limited to that of the plant."""
    found = [{"name": name, **vars(setting)} for name, setting in RANGES.items()]
    for setting in found:
        if setting["name"] == "rate":
            setting["high"] = min(setting["high"], rate)
    return cast(list[SettingRange], found)


class HapticDevice:
    """A device that holds a plant.

    Args:
        live: the plant.
        catalog: provides the commands of the processes.
        device: device of the exhibit.
        rig: name of the device to start from.
        settings: settings that differ from it.
        publish: called with its panels.
        ended: called when its process has ended unexpectedly.

    Raises:
        InputError: unknown device, or an invalid setting.

    Attributes:
        rig: name of the device to start from.
        setup: current setup.
        layout: layout of the plant.
    """

    def __init__(
        self,
        live: Live,
        catalog: Catalog,
        device: Mapping[str, Any],
        rig: str,
        settings: Mapping[str, Any],
        publish: Callable[[DeviceReadings], None],
        ended: Callable[[HapticDevice], None],
    ) -> None:
        self.rig, self.layout = rig, live.layout
        self.setup = self._fitting(settings)
        self._live, self._catalog, self._advice = live, catalog, device["haptic"]["advice"]
        self._column = [x.name for x in live.layout.inputs].index(device["input"])
        self._publish, self._ended = publish, ended
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._finder: asyncio.Task[None] | None = None
        self._limits: dict[str, float | None] | None = None
        self._target: float | None = None
        self._leaving = False

    async def start(self) -> None:
        """Start the device process."""
        self._process = await _started(self._catalog.device_command(self._live.name, self.rig))
        self._reader = asyncio.create_task(self._read(self._process))
        self.change(self.settings)

    def change(self, settings: Mapping[str, Any]) -> None:
        """Continue with different settings.

        Raises:
            InputError: a setting is invalid.
        """
        self.setup, self._limits = self._fitting(settings), None
        self._say({"settings": self.settings})
        if self._finder is not None:
            self._finder.cancel()
        self._finder = asyncio.create_task(self._find_limits())

    @property
    def settings(self) -> Settings:
        """Current settings."""
        return cast(Settings, {name: getattr(self.setup, name) for name in fields(Settings)})

    def _fitting(self, settings: Mapping[str, Any]) -> Setup:
        found = find_setup(self.rig).changed(settings)
        return found.changed({"rate": min(found.rate, 1.0 / self.layout.period)})

    # the interface of `Writer`

    @property
    def now(self) -> float:
        """The plant's clock [s]."""
        return self._live.now

    def take_inputs(self) -> None:
        """Do nothing: the device has them."""

    def release_inputs(self) -> None:
        """Do nothing: the device keeps them."""

    def rest_inputs(self, values: Reals) -> None:
        """Move the finger to rest; the device keeps the inputs."""
        self.write_inputs(values)

    def write_inputs(self, values: Reals) -> int:
        """Set the target of the finger; returns the number of the next inputs."""
        target = float(values[self._column])
        if target != self._target:
            self._target = target
            self._say({"target": target})
        return self._live.inputs_written + 1

    def _say(self, words: Mapping[str, Any]) -> None:
        pipe = self._process.stdin if self._process is not None else None
        if pipe is not None and not pipe.is_closing():
            pipe.write(json.dumps(words).encode() + b"\n")

    # output of the process

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Publish panels until the device ends."""
        assert process.stdout is not None
        async for line in process.stdout:
            with contextlib.suppress(ValueError):
                self._publish(self._panel(json.loads(line)))
        if not self._leaving:
            self._ended(self)

    def _panel(self, found: dict[str, Any]) -> DeviceReadings:
        """Data for the page from a panel of the process."""
        notice: Told | None = None
        if found["at_limit"] > UNSTABLE:
            notice = {
                "level": "error",
                "text": "The loop of device and mechanism is unstable: the motor is at its limit, "
                f"{found['limit']:g} N.",
                "fix": self._advice,
            }
        told = {**found, "limits": self._limits, "notice": notice}
        return cast(DeviceReadings, {name: told[name] for name in fields(DeviceReadings)})

    async def _find_limits(self) -> None:
        """Compute and measure the limits of the device, in another process."""
        await asyncio.sleep(SETTLES_WITHIN)
        process = await _started(self._catalog.limits_command(self.rig, self.settings))
        try:
            told, _ = await process.communicate()
            with contextlib.suppress(ValueError):
                self._limits = json.loads(told)
        finally:
            if process.returncode is None:
                process.kill()

    async def end(self) -> None:
        """Release the plant and end the process."""
        self._leaving = True
        for task in (self._finder, self._reader):
            if task is not None:
                task.cancel()
        process = self._process
        if process is None or process.returncode is not None:
            return
        if process.stdin is not None:
            process.stdin.close()  # it puts the joint to rest and ends
        try:
            await asyncio.wait_for(process.wait(), ENDS_WITHIN)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


async def _started(command: Sequence[str]) -> asyncio.subprocess.Process:
    """A process that reads and writes lines, in a new session, so that Ctrl-C does not reach it."""
    return await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
        env=child_environment(),
    )
