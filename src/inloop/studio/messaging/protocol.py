"""All messages between server and page: the single description that both sides use.

`message_types` has the messages of the server, `request_types` the requests of a page,
`scene_types`
the drawing, `frames` the binary frames. The server builds and parses texts by these types;
`page_types` writes them to `page/messages.js`, against which the page's code is type-checked.
Non-finite numbers become null.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, NotRequired, get_args, get_origin, get_type_hints

from inloop.studio.messaging.message_types import Message
from inloop.studio.messaging.request_types import Request


@cache
def fields(form: Any) -> dict[str, tuple[Any, bool, str]]:
    """Type of each field of a message, whether it is required, and its description."""
    descriptions: dict[str, tuple[Any, bool, str]] = {}
    for name, hint in get_type_hints(form, include_extras=True).items():
        needed = get_origin(hint) is not NotRequired
        if not needed:
            (hint,) = get_args(hint)
        text = ""
        if get_origin(hint) is Annotated:
            hint, text = get_args(hint)
        descriptions[name] = (hint, needed, text)
    return descriptions


def by_name(union: Any, tag: str) -> dict[str, Any]:
    """The variants of `Message` by their `kind`, or of `Request` by their `do`."""
    forms = {get_args(fields(form)[tag][0])[0]: form for form in get_args(union)}
    assert len(forms) == len(get_args(union)), "two messages have the same name"
    return forms


MESSAGES: Mapping[str, Any] = by_name(Message, "kind")
REQUESTS: Mapping[str, Any] = by_name(Request, "do")
