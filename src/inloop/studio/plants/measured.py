"""Data for the panels of contacts and sensors: descriptions, and values at one moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inloop.errors import MailboxError
from inloop.realtime.elements import contacts_of, sensors_of
from inloop.realtime.mailboxes.layout import Layout
from inloop.studio.messaging.message_types import Readings, TouchingPair, WatchedSensor
from inloop.studio.plants.sources import Moment

CONTACT_QUANTITIES = ("gap", "force", "friction")


class Measured:
    """Contacts and sensors of a plant, as described by its mailbox or its recording.

    Attributes:
        contacts: for the page, in the order of the plant.
        sensors: likewise.
    """

    def __init__(self, layout: Layout) -> None:
        """Read the description.

        Raises:
            MailboxError: the description is damaged.
        """
        contacts = contacts_of(layout)
        self.contacts = [_contact(name, data) for name, data in contacts.items()]
        self.sensors = [_sensor(name, data) for name, data in sensors_of(layout).items()]
        told = [_texts(data.get("outputs"), f"contact {name}") for name, data in contacts.items()]
        wanted = [[outputs.get(key, "") for key in CONTACT_QUANTITIES] for outputs in told]
        self._contacts = _columns(wanted, layout)
        signals = [[signal["name"] for signal in item["signals"]] for item in self.sensors]
        self._sensors = _columns(signals, layout)

    def __bool__(self) -> bool:
        return bool(self.contacts or self.sensors)

    def readings(self, moment: Moment) -> Readings:
        """Values of all of them; null where the current mode does not define one."""
        # index -1, for a missing signal, is the None at the end
        values = [*moment.values.tolist(), None]
        return {
            "kind": "readings",
            "contacts": [[values[k] for k in columns] for columns in self._contacts],
            "sensors": [[values[k] for k in columns] for columns in self._sensors],
        }


def _contact(name: str, data: Mapping[str, Any]) -> TouchingPair:
    element = f"contact {name}"
    first, second = _pair(data.get("between"), element)
    shapes = _pair(data.get("shapes"), element)
    law, friction = (_text(data.get(key), element) for key in ("law", "friction"))
    return {
        "name": name, "between": (first, second), "shapes": shapes, "law": law,
        "friction": friction,
    }  # fmt: skip


def _sensor(name: str, data: Mapping[str, Any]) -> WatchedSensor:
    element = f"sensor {name}"
    at = data.get("at")
    if not isinstance(at, Sequence) or isinstance(at, str):
        raise _damaged(element)
    signals = _texts(data.get("signals"), element)
    return {
        "name": name,
        "quantity": _text(data.get("kind"), element),
        "at": [_text(path, element) for path in at],
        "signals": [{"name": signal, "unit": unit} for signal, unit in signals.items()],
    }


def _columns(names: Sequence[Sequence[str]], layout: Layout) -> list[list[int]]:
    """Columns of the outputs; -1 for a missing signal."""
    return [[layout.index.get(name, -1) for name in group] for group in names]


def _text(value: object, element: str) -> str:
    if not isinstance(value, str):
        raise _damaged(element)
    return value


def _texts(value: object, element: str) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise _damaged(element)
    return {_text(key, element): _text(item, element) for key, item in value.items()}


def _pair(value: object, element: str) -> tuple[str, str]:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        raise _damaged(element)
    return _text(value[0], element), _text(value[1], element)


def _damaged(element: str) -> MailboxError:
    return MailboxError(
        f"the description of {element!a} is damaged", fix="Stop the plant and start it again."
    )
