"""Generates the type definitions of all messages for the page.

python -m inloop.studio.messaging.page_types
"""

from __future__ import annotations

import json
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, is_typeddict

from inloop.studio.messaging import frames
from inloop.studio.messaging.message_types import Message
from inloop.studio.messaging.protocol import MESSAGES, REQUESTS, fields
from inloop.studio.messaging.request_types import Request

TARGET = Path(__file__).parents[1] / "page" / "messages.js"
LONGEST_LINE = 100  # of the code of the page
PLAIN = {str: "string", float: "number", int: "number", bool: "boolean", type(None): "null"}
HEAD = """\
// All messages between page and server. Written by `python -m inloop.studio.messaging.page_types`:
// change message_types.py, request_types.py, scene_types.py or frames.py there instead.
"""


def page_types() -> str:
    """The whole file."""
    parts = [HEAD, *(_typedef(form) for form in _forms(Message, Request))]
    for name, forms in (("Message", MESSAGES), ("Request", REQUESTS)):
        union = " | ".join(form.__name__ for form in forms.values())
        parts.append(f"/** @typedef {{{union}}} {name} */\n")
    parts.append(_frames())
    return "\n".join(parts)


def _forms(*hints: Any) -> Iterator[Any]:
    """All typed dictionaries that occur, each once, parts before the types that contain them."""
    forms: dict[str, Any] = {}

    def visit(hint: Any) -> None:
        if is_typeddict(hint):
            if hint.__name__ in forms:
                assert forms[hint.__name__] is hint, f"two forms are called {hint.__name__}"
                return
            for part, _, _ in fields(hint).values():
                visit(part)
            forms[hint.__name__] = hint
        for arg in get_args(hint):
            visit(arg)

    for hint in hints:
        visit(hint)
    return iter(forms.values())


def _typedef(form: Any) -> str:
    lines = [f" * @typedef {{object}} {form.__name__}"]
    if form.__doc__ and not form.__doc__.startswith("dict("):
        lines.insert(0, f" * {form.__doc__}")
    for name, (hint, needed, description) in fields(form).items():
        shown = name if needed else f"[{name}]"
        lines.append(f" * @property {{{script_type(hint)}}} {shown} {description}".rstrip())
    return "\n".join(["/**", *lines, " */", ""])


def script_type(hint: Any) -> str:
    """A type in TypeScript notation."""
    origin, args = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        return str(hint.__name__)
    if origin in (Union, types.UnionType):
        return " | ".join(dict.fromkeys(map(script_type, args)))
    if origin is Literal:
        return " | ".join(json.dumps(arg) for arg in args)
    if origin is list:
        return f"Array<{script_type(args[0])}>"
    if origin is tuple:
        return f"[{', '.join(map(script_type, args))}]"
    if origin is dict:
        return f"Record<string, {script_type(args[1])}>"
    return PLAIN[hint]


def _frames() -> str:
    """Constants of the binary frames: kinds and field offsets."""
    kinds = "".join(f"export const {name} = {number};\n" for name, number in frames.KINDS.items())
    layouts = ""
    for name, layout in frames.LAYOUTS.items():
        places = [f"{field}: {at}" for field, at in (*layout.places.items(), ("size", layout.size))]
        line = f"export const {name} = {{ {', '.join(places)} }};\n"
        if len(line) > LONGEST_LINE:
            line = (
                "\n  ".join([f"export const {name} = {{", *(f"{at}," for at in places)]) + "\n};\n"
            )
        layouts += line
    return f"// kinds of binary frames\n{kinds}\n// bytes at which their fields begin\n{layouts}"


if __name__ == "__main__":
    TARGET.write_text(page_types(), encoding="utf-8")
