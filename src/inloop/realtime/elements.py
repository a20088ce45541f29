"""Contacts, sensors and controlled inputs of a plant as facts: texts in mailboxes and files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from inloop.errors import MailboxError
from inloop.realtime.mailboxes.layout import Layout
from inloop.realtime.quantities import Plants
from inloop.simulate.controlled.compiled import inputs_led_by_plant

CONTACT, SENSOR = "contact", "sensor"  # a fact "contact <name>" or "sensor <name>" for each
LED = "led"  # a fact for all inputs written by the plant's controller


def element_facts(plants: Plants) -> dict[str, str]:
    """Contacts and sensors of all modes, and controlled inputs, as JSON by fact name."""
    found: dict[str, str] = {}
    for plant in plants.values():
        for contact in plant.mechanism.contacts:
            found.setdefault(f"{CONTACT} {contact.name}", json.dumps(contact.data()))
        for sensor in plant.mechanism.sensors:
            found.setdefault(f"{SENSOR} {sensor.name}", json.dumps(sensor.data()))
    if led := inputs_led_by_plant(plants):
        found[LED] = json.dumps(led)
    return found


def led_inputs(layout: Layout) -> dict[str, str]:
    """Inputs written by the plant's controller, by name, and by what."""
    try:
        told = json.loads(dict(layout.about).get(LED, "{}"))
    except ValueError:
        return {}
    known = {x.name for x in layout.inputs}
    return {k: str(v) for k, v in told.items() if k in known} if isinstance(told, dict) else {}


def sensors_of(layout: Layout) -> dict[str, Mapping[str, Any]]:
    """Sensors described in a layout, by name, as `Sensor.data`."""
    return _named(layout, SENSOR)


def signals_by_sensor(layout: Layout) -> dict[str, tuple[str, ...]]:
    """Names of the signals of each sensor of a running plant, for `inloop.devices.Instruments`."""
    return {name: tuple(data["signals"]) for name, data in sensors_of(layout).items()}


def contacts_of(layout: Layout) -> dict[str, Mapping[str, Any]]:
    """Contacts described in a layout, by name, as `Contact.data`."""
    return _named(layout, CONTACT)


def _named(layout: Layout, kind: str) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for fact, text in layout.about:
        if not fact.startswith(f"{kind} "):
            continue
        try:
            data = json.loads(text)
        except ValueError:
            data = None
        if not isinstance(data, Mapping):
            raise MailboxError(
                f"the description of {fact!a} is damaged", fix="Stop the plant and start it again."
            )
        found[fact.removeprefix(f"{kind} ")] = data
    return found
