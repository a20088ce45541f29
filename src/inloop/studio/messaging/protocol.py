"""All messages between server and page: the one description that both sides are checked against.

`message_types` has what the server says, `request_types` what a page asks for, `scene_types` what
is drawn, `frames` the binary frames. The server builds and reads texts by these types, `page_types`
writes them as `page/messages.js`, with which the page's code is checked. Numbers that are not
finite become null.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, NotRequired, get_args, get_origin, get_type_hints

from inloop.studio.messaging.message_types import Message
from inloop.studio.messaging.request_types import Request


@cache
def fields(form: Any) -> dict[str, tuple[Any, bool, str]]:
    """Type of each field of a form, whether it must be there, and what is said of it."""
    found: dict[str, tuple[Any, bool, str]] = {}
    for name, hint in get_type_hints(form, include_extras=True).items():
        needed = get_origin(hint) is not NotRequired
        if not needed:
            (hint,) = get_args(hint)
        told = ""
        if get_origin(hint) is Annotated:
            hint, told = get_args(hint)
        found[name] = (hint, needed, told)
    return found


def by_name(union: Any, tag: str) -> dict[str, Any]:
    """The forms of `Message` by their `kind`, or of `Request` by their `do`."""
    forms = {get_args(fields(form)[tag][0])[0]: form for form in get_args(union)}
    assert len(forms) == len(get_args(union)), "two messages have the same name"
    return forms


MESSAGES: Mapping[str, Any] = by_name(Message, "kind")
REQUESTS: Mapping[str, Any] = by_name(Request, "do")
