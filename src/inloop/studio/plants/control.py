"""The controller of a plant: chosen by name, started, tuned, given targets, replaced, monitored.

It is a process of its own, attached to the mailbox. A new one gets ready while the old one works,
and takes over once that has ended: the inputs are held for the few milliseconds in between. A page
can only choose controllers of the catalog, and give numbers, which are clipped to their ranges.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from inloop.errors import InputError
from inloop.studio.messaging.message_types import Controllers, ControllerState, Tracking
from inloop.studio.plants.breakable import in_thread
from inloop.studio.plants.catalog import Offered
from inloop.studio.plants.live import Live
from inloop.studio.plants.processes import child_environment

NONE, POSE, POINT = "none", "pose", "point"
READY_WITHIN = 60.0  # [s]
ENDS_WITHIN = 2.0  # [s]
MOST_SAID = 600  # characters of its output
LONGEST_LINE = 65536  # bytes
FARTHEST = 100.0  # [m]: points farther away are rejected


class Control:
    """Runs the controllers of a plant, one at a time.

    Args:
        live: the plant.
        offered: available controllers.
        changed: called after each change of state or settings.
        publish: called with the tracking data of the controller.

    Attributes:
        active: name of the active controller, or "none".
        state: state of its process.
        said: why it has ended unexpectedly, or "".
        values: its settings by name.
        path: what it follows: a path, "pose" or "point".
        target: the point that was dragged [m].
    """

    def __init__(
        self,
        live: Live,
        offered: Sequence[Offered],
        changed: Callable[[], None],
        publish: Callable[[Tracking], None],
    ) -> None:
        self._live, self._changed, self._publish = live, changed, publish
        self.offered = {offer.name: offer for offer in offered}
        self.active, self.said = NONE, ""
        self.state: ControllerState = "none"
        self.values: dict[str, float] = {}
        self.path = POSE
        self.target: tuple[float, float, float] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="inloop-control-")
        self._busy = asyncio.Lock()
        self._is_ready: asyncio.Future[None] | None = None
        self.see(live.parameters())

    # requests

    async def use(self, name: str) -> None:
        """Activate another controller, or none.

        Raises:
            InputError: unknown name, or it does not start.
        """
        if name != NONE and name not in self.offered:
            raise InputError(
                f"there is no controller {name[:40]!a}", fix="Choose one from the list."
            )
        async with self._busy:
            await self._let_go_of_hold(name)
            if name == NONE:
                await self._leave("rest")
                self.active, self.state, self.said = NONE, "none", ""
                self._changed()
            elif self.offered[name].holds:
                await self._leave("rest")
                await asyncio.to_thread(self._live.set_parameters, {self.offered[name].holds: 1.0})
                self.active, self.state, self.said, self.values = name, "running", "", {}
                self._changed()
            else:
                await self._start(self.offered[name])

    def see(self, values: Mapping[str, float]) -> None:
        """Update from parameters, with which joints may have been held or released by hand."""
        for offer in self.offered.values():
            held = values.get(offer.holds, 0.0) > 0.0
            if held and self.active == NONE:
                self.active, self.state, self.values = offer.name, "running", {}
                self._changed()
            elif offer.holds and not held and self.active == offer.name:
                self.active, self.state = NONE, "none"
                self._changed()

    async def _let_go_of_hold(self, following: str) -> None:
        """Release joints held by the plant itself, unless this controller stays active."""
        held = self.offered.get(self.active)
        if held is not None and held.holds and following != self.active:
            await asyncio.to_thread(self._live.set_parameters, {held.holds: 0.0})

    def tune(self, name: str, value: float) -> None:
        """Change a setting of the active controller; a set point of a joint selects the pose.

        Raises:
            InputError: it has no such setting.
        """
        offer = self._at_work()
        knob = next((k for k in (*offer.sliders, *offer.goals) if k.name == name), None)
        if knob is None:
            words = f"controller '{offer.name}' has no setting {name[:40]!a}"
            raise InputError(words, fix="Choose one from the list.")
        self.values[name] = min(max(value, knob.low), knob.high)
        if knob in offer.goals:
            self.path = POSE
        self._pass_on()

    def follow(self, path: str) -> None:
        """Follow a path, or hold the pose of the set points.

        Raises:
            InputError: there is no such path.
        """
        offer = self._at_work()
        if path not in (*offer.paths, *([POSE] if offer.goals else [])):
            raise InputError(f"there is no path {path[:40]!a}", fix="Choose one from the list.")
        self.path = path
        self._pass_on()

    def aim(self, point: tuple[float, float, float]) -> None:
        """Move the tool to a point in the world [m].

        Raises:
            InputError: the controller moves no tool, or the point is too far away.
        """
        if not self._at_work().paths:
            raise InputError("this controller does not move a tool", fix="Choose another one.")
        if not all(abs(x) <= FARTHEST for x in point):
            raise InputError("this point is too far away", fix="Drag it closer.")
        self.target, self.path = point, POINT
        self._pass_on()

    def hold(self, pose: Mapping[str, float]) -> None:
        """Hold a pose: coordinates by joint.

        Raises:
            InputError: the controller has no set points.
        """
        offer = self._at_work()
        if not offer.goals:
            raise InputError("this controller does not hold a pose", fix="Choose another one.")
        for knob in offer.goals:
            value = pose.get(knob.name.removeprefix("goal."), knob.value)
            self.values[knob.name] = min(max(value, knob.low), knob.high)
        self.path = POSE
        self._pass_on()

    def _at_work(self) -> Offered:
        if self.active == NONE:
            raise InputError("no controller is active", fix="Choose one first.")
        return self.offered[self.active]

    # its process

    async def _start(self, offer: Offered) -> None:
        """Start a controller that takes over when it is ready; on failure the old one continues."""
        before, self.said = (self.active, self.values, self.path), ""
        if not offer.piped:
            await self._leave("held")
        self._settle(offer, fresh=self.active != offer.name)
        self.state = "starting"
        self._changed()
        process: asyncio.subprocess.Process | None = None
        try:
            command = await in_thread(offer.command, Path(self._folder.name))
            process = await _started(command, offer.piped)
            reader = asyncio.create_task(self._read(process, offer))
            if offer.piped:
                self._say(process, self._settings(offer))
                await self._ready(process)
                await self._leave("held")
                # it may have been tuned meanwhile
                self._say(process, self._settings(offer))
            self._process, self._reader, self.state = process, reader, "running"
            if process.returncode is not None:
                self._ended(process, offer)
        except BaseException as error:
            if process is not None and process.returncode is None:
                process.kill()
            self.state, self.said = "ended", str(error)[:MOST_SAID]
            if self._process is not None:
                self.state, (self.active, self.values, self.path) = "running", before
            self._changed()
            raise
        self._changed()

    def _settle(self, offer: Offered, *, fresh: bool) -> None:
        """Initial settings: the previous ones for the same controller, else the defaults."""
        self.active = offer.name
        known = {knob.name: knob.value for knob in (*offer.sliders, *offer.goals)}
        kept = {} if fresh and not offer.goals else self.values
        self.values = {name: kept.get(name, value) for name, value in known.items()}
        if self.path not in (*offer.paths, POSE, POINT) or (self.path == POINT and not offer.paths):
            self.path = POSE
        if fresh and offer.opens_with and self.path == POSE:
            self.path = offer.opens_with

    async def _ready(self, process: asyncio.subprocess.Process) -> None:
        """Wait until a controller is ready to take over."""
        waiting = asyncio.create_task(process.wait())
        ready = self._is_ready = asyncio.get_running_loop().create_future()
        try:
            done, _ = await asyncio.wait(
                (waiting, ready), timeout=READY_WITHIN, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            waiting.cancel()
        if ready not in done:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            words = self.said or "it did not respond"
            raise InputError(f"the controller did not start: {words}", fix="Choose another one.")

    async def _leave(self, how: str) -> None:
        """End the active controller, with its inputs put to rest or held for the next one."""
        process, self._process = self._process, None
        reader, self._reader = self._reader, None
        if process is None:
            return
        if process.returncode is None:
            if process.stdin is not None:
                self._say(process, {"leave": how})
                process.stdin.close()
            else:
                process.terminate()
            try:
                await asyncio.wait_for(process.wait(), ENDS_WITHIN)
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):  # it may have just ended
                    process.kill()
                await process.wait()
        if reader is not None:
            reader.cancel()

    async def _read(self, process: asyncio.subprocess.Process, offer: Offered) -> None:
        """Handle the output of a controller until it ends."""
        assert process.stdout is not None
        while line := await _line(process.stdout):
            self._hear(process, line)
        await process.wait()
        if process is self._process:
            self._ended(process, offer)

    def _hear(self, process: asyncio.subprocess.Process, line: bytes) -> None:
        try:
            found = json.loads(line)
        except ValueError:
            self.said = line.decode(errors="replace").strip()[:MOST_SAID]
            return
        if not isinstance(found, dict):
            return
        ready = self._is_ready
        if found.get("ready") is True and ready is not None and not ready.done():
            ready.set_result(None)
        elif process is self._process and "t" in found:
            self._publish(_tracking(found))

    def _ended(self, process: asyncio.subprocess.Process, offer: Offered) -> None:
        """The process has ended unexpectedly."""
        code = process.returncode or 0
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        self._process, self.state = None, "ended"
        self.said = f"controller '{offer.name}' {how}" + (f": {self.said}" if self.said else "")
        self._changed()

    async def close(self) -> None:
        """End the controller; called when the plant is closed."""
        async with self._busy:
            await self._leave("rest")
        self._folder.cleanup()

    # settings

    def _pass_on(self) -> None:
        """Send settings to the process."""
        offer = self._at_work()
        if self._process is not None:
            if offer.piped:
                self._say(self._process, self._settings(offer))
            elif offer.settings is not None:
                self._write_file(offer)
        self._changed()

    def _settings(self, offer: Offered) -> dict[str, float]:
        found = dict(self.values)
        if offer.paths:
            numbers = {POSE: 0.0, POINT: -1.0}
            numbers |= {name: k + 1.0 for k, name in enumerate(offer.paths)}
            found["path"] = numbers[self.path]
            if self.target is not None:
                found |= {f"target.{a}": x for a, x in zip("xyz", self.target, strict=True)}
        return found

    def _write_file(self, offer: Offered) -> None:
        """Write settings for programs that read a file, atomically."""
        assert offer.settings is not None
        target = Path(self._folder.name) / offer.settings
        new = target.with_suffix(".new")
        new.write_text("".join(f"{name} {value!r}\n" for name, value in self.values.items()))
        new.replace(target)

    def _say(self, process: asyncio.subprocess.Process, words: Mapping[str, Any]) -> None:
        pipe = process.stdin
        if pipe is not None and not pipe.is_closing():
            pipe.write(json.dumps(words).encode() + b"\n")

    # messages for pages

    def told(self) -> Controllers:
        """The available controllers, and the state of the active one."""
        offer = self.offered.get(self.active)
        return {
            "offered": [
                {
                    "name": each.name,
                    "doc": each.doc,
                    "sliders": [cast(Any, vars(k)) for k in each.sliders],
                    "goals": [cast(Any, vars(k)) for k in each.goals],
                    "paths": {n: [list(p) for p in curve] for n, curve in each.paths.items()},
                }
                for each in self.offered.values()
            ],
            "active": self.active,
            "state": self.state,
            "said": self.said,
            "values": dict(self.values),
            "path": self.path if offer is not None and (offer.paths or offer.goals) else "",
            "target": None if self.target is None else list(self.target),
        }


async def _started(command: Sequence[str], piped: bool) -> asyncio.subprocess.Process:
    """A process whose output is read, in a new session, so that Ctrl-C does not reach it."""
    return await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE if piped else asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
        env=child_environment(),
        limit=LONGEST_LINE,
    )


async def _line(stream: asyncio.StreamReader) -> bytes:
    """The next line; lines that are too long are discarded."""
    while True:
        try:
            return await stream.readline()
        except ValueError:
            continue


def _tracking(found: Mapping[str, Any]) -> Tracking:
    """Tracking data of a controller; invalid values become None."""

    def number(value: Any) -> float | None:
        good = isinstance(value, int | float) and not isinstance(value, bool)
        return float(value) if good and math.isfinite(value) else None

    def point(value: Any) -> list[float] | None:
        numbers = [number(x) for x in value] if isinstance(value, list) else []
        good = len(numbers) == 3 and None not in numbers
        return cast(list[float], numbers) if good else None

    return {
        "kind": "tracking",
        "t": number(found.get("t")),
        "error": number(found.get("error")),
        "tool": point(found.get("tool")),
        "wanted": point(found.get("wanted")),
    }
