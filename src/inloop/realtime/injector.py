"""A second mailbox for a plant, through which its controller sees and acts with faults.

The controller attaches to it as it would to the plant. Two threads transfer records: outputs from
the plant to here, inputs and commands from here to the plant. They share the mailbox of the plant:
one of them only reads, the other only writes.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from inloop.errors import InputError, MailboxError
from inloop.native.library import Reals
from inloop.realtime.closing import Closing
from inloop.realtime.faults import Corruption, Fault, split_faults
from inloop.realtime.mailboxes.attach import attach
from inloop.realtime.mailboxes.mirror import Mirror, Written
from inloop.realtime.mailboxes.outputs import Outputs

MOMENT = 0.05  # [s] polling interval of the threads


class Injector(Closing):
    """Faults between a plant and its controller; use it in a `with` statement.

    Attributes:
        name: name under which the controller attaches.
        passed: number of output records passed on.
        forwarded: number of input records passed on.
    """

    def __init__(self, plant: str, faults: Sequence[Fault], name: str = "", seed: int = 1) -> None:
        self.name = name or f"{plant}.faulty"
        self.passed = self.forwarded = 0
        self._plant = attach(plant)
        layout = self._plant.layout
        try:
            sensors, actuators = split_faults(faults, layout)
            values = np.array(list(dict(self._plant.parameters).values()), dtype=np.float64)
            self._mirror = Mirror(self.name, layout, values)
        except Exception:
            self._plant.close()
            raise
        self._sensors = Corruption(sensors, layout.output_names, seed)
        self._actuators = Corruption(actuators, [x.name for x in layout.inputs], seed + 1)
        self._stop, self._carried = threading.Event(), threading.Condition()
        self._now = self._plant.read().t
        self._pass(self._plant.read())
        self._mirror.tell(self._plant.state)
        bodies = (self._carry_outputs, self._carry_inputs)
        self._threads = [threading.Thread(target=body, daemon=True) for body in bodies]
        for thread in self._threads:
            thread.start()

    @property
    def dropped(self) -> tuple[int, int]:
        """Number of dropped output and input records."""
        return self._sensors.dropped, self._actuators.dropped

    def wait(self, outputs: int = 0, inputs: int = 0, timeout: float = 1.0) -> bool:
        """Wait until this many records have arrived, passed on or dropped.

        Args:
            outputs: records of the plant, including that of the start.
            inputs: records of the controller.
            timeout: maximum wait [s].

        Returns:
            False on timeout.
        """

        def come() -> bool:
            dropped = self.dropped
            seen, acted = self.passed + dropped[0], self.forwarded + dropped[1]
            return seen >= outputs and acted >= inputs

        with self._carried:
            return self._carried.wait_for(come, timeout)

    def _count(self, passed: int = 0, forwarded: int = 0) -> None:
        with self._carried:
            self.passed += passed
            self.forwarded += forwarded
            self._carried.notify_all()

    def _carry_outputs(self) -> None:
        self._plant.rewind()
        while self._plant.next() is not None:
            pass
        while not self._stop.is_set():
            try:
                self._plant.wait(MOMENT)
                while (outputs := self._plant.next()) is not None:
                    self._pass(outputs)
            except MailboxError:
                break  # the plant has ended
        self._mirror.end()

    def _pass(self, outputs: Outputs) -> None:
        """Publish the sensor readings, with faults."""
        count, self._now = len(self._plant.layout.output_names), outputs.t
        seen = self._sensors.apply(outputs.t, outputs.values[:count])
        if seen is None:
            self._count()
            return
        values = outputs.values.copy()
        values[:count] = seen
        self._mirror.publish(
            values,
            answers=outputs.input_sequence,
            parameters=outputs.parameter_sequence,
            step=outputs.step,
            status=outputs.status,
            flags=outputs.flags,
            partition=outputs.partition,
        )
        self._count(passed=1)

    def _carry_inputs(self) -> None:
        while not self._stop.is_set():
            if not self._mirror.wait(MOMENT):
                continue
            try:
                if (found := self._mirror.inputs()) is not None:
                    self._forward(found)
                if (command := self._mirror.command()) is not None:
                    self._command(*command)
            except MailboxError:
                return  # the plant has ended

    def _forward(self, written: Written) -> None:
        """Pass the inputs on, with faults."""
        found = self._actuators.apply(self._now, written.values)
        if found is not None:
            (self._plant.rest if written.rest else self._plant.write)(found)
        self._count(forwarded=found is not None)

    def _command(self, number: int, what: int, values: Reals) -> None:
        """Commands are not subject to faults."""
        refused = False
        try:
            self._plant.command(what, *values)
        except InputError:
            refused = True
        self._mirror.tell(self._plant.state)
        self._mirror.obeyed(number, refused)

    def close(self) -> None:
        """Stop the transfer, remove the mailbox."""
        if not self._stop.is_set():
            self._stop.set()
            for thread in self._threads:
                thread.join()
            self._mirror.close()
            self._plant.close()
