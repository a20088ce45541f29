"""Tells what of a message is not as `inloop.studio.messaging.protocol` describes it."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, Literal, Union, get_args, get_origin, is_typeddict

from inloop.studio.messaging.protocol import MESSAGES, fields


def check_message(message: dict[str, Any]) -> None:
    """A text that the server has sent is as described, in every field."""
    form = MESSAGES[message["kind"]]
    assert not (found := list(faults(message, form, message["kind"]))), found[:5]


def faults(value: Any, hint: Any, where: str) -> Iterator[str]:
    """What of plain data is not as described."""
    origin, args = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        yield from _faults_of_form(value, hint, where)
    elif origin in (Union, types.UnionType):
        if all(any(faults(value, arg, where)) for arg in args):
            closest = min((list(faults(value, arg, where)) for arg in args), key=len)
            yield f"{closest[0]}, as none of its forms"
    elif origin is Literal:
        if value not in args:
            yield f"{where} is {value!r}, not one of {args}"
    elif origin in (list, tuple):
        if not isinstance(value, list | tuple) or (origin is tuple and len(value) != len(args)):
            yield f"{where} is {value!r}, no {hint}"
        else:
            kinds = args if origin is tuple else args * len(value)
            for k, (item, kind) in enumerate(zip(value, kinds, strict=True)):
                yield from faults(item, kind, f"{where}[{k}]")
    elif origin is dict:
        for name, item in value.items() if isinstance(value, dict) else [("", value)]:
            yield from faults(item, args[1], f"{where}[{name!r}]")
    elif not _is_plain(value, hint):
        yield f"{where} is {value!r}, no {getattr(hint, '__name__', hint)}"


def _faults_of_form(value: Any, form: Any, where: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{where} is {value!r}, no {form.__name__}"
        return
    known = fields(form)
    yield from (f"{where}.{name} is not described" for name in value if name not in known)
    for name, (hint, needed, _) in known.items():
        if name in value:
            yield from faults(value[name], hint, f"{where}.{name}")
        elif needed:
            yield f"{where}.{name} is missing"


def _is_plain(value: Any, kind: Any) -> bool:
    """Is it of a plain type, as JSON has them?"""
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return value is None if kind is type(None) else isinstance(value, kind)
