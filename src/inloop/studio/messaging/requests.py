"""Parses requests of a page: every message is validated here before it is used."""

from __future__ import annotations

import json
import math
from typing import Any, cast

from inloop.errors import InputError
from inloop.studio.messaging.protocol import REQUESTS, fields
from inloop.studio.messaging.request_types import Options, Request

LONGEST = 4096  # bytes of a message
MOST_SIGNALS = 64
LONGEST_NAME = 200


class RequestError(InputError):
    """An invalid message."""


def read_request(text: str) -> Request:
    """A request with all its fields checked for type and size.

    Raises:
        RequestError: the message is invalid.
    """
    try:
        message = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise RequestError("a message is not JSON text", fix="Reload the page.") from None
    if not isinstance(message, dict) or not isinstance(message.get("do"), str):
        raise RequestError("a message does not say what to do", fix="Reload the page.")
    what = message["do"]
    if what not in REQUESTS:
        raise RequestError(f"unknown request {what[:40]!a}", fix="Reload the page.")
    words = fields(REQUESTS[what])
    unknown = [word for word in message if word not in words]
    if unknown:
        raise RequestError(f"{what} does not take {unknown[0][:40]!a}", fix="Reload the page.")
    request: dict[str, Any] = {"do": what}
    for word, (kind, needed, _) in words.items():
        if word == "do":
            continue
        if message.get(word) is not None:
            request[word] = READERS[kind](what, word, message[word])
        elif needed:
            raise RequestError(f"{what} needs {word}", fix="Reload the page.")
    return cast(Request, request)


def _no_constant(name: str) -> float:
    raise ValueError(name)  # NaN and infinity are not valid JSON


def _wrong(what: str, word: str, kind: str) -> RequestError:
    return RequestError(f"{what}: {word} must be {kind}", fix="Reload the page.")


def _number(what: str, word: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(what, word, "a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise _wrong(what, word, "a finite number")
    return number


def _whole(what: str, word: str, value: Any) -> int:
    number = _number(what, word, value)
    if number != int(number) or not 1 <= number <= 1_000_000:
        raise _wrong(what, word, "a whole number from 1 to 1000000")
    return int(number)


def _flag(what: str, word: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(what, word, "true or false")
    return value


def _name(what: str, word: str, value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_NAME:
        raise _wrong(what, word, "a name")
    return value


def _names(what: str, word: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MOST_SIGNALS:
        raise _wrong(what, word, f"a list of at most {MOST_SIGNALS} names")
    return tuple(_name(what, word, item) for item in value)


def _options(what: str, word: str, value: Any) -> Options:
    if not isinstance(value, dict) or len(value) > MOST_SIGNALS:
        raise _wrong(what, word, "values by name")
    options: Options = {}
    for name, item in value.items():
        _name(what, word, name)
        if isinstance(item, str):
            _name(what, word, item)
        elif not isinstance(item, bool):
            _number(what, word, item)
        options[name] = item
    return options


# by field type
READERS: dict[Any, Any] = {
    float: _number, int: _whole, bool: _flag, str: _name, list[str]: _names, Options: _options,
}  # fmt: skip
