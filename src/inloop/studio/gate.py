"""Who may come in: only this machine by default, others with a token, no foreign pages ever."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from inloop.errors import InputError

LOCAL = ("localhost", "127.0.0.1", "::1")
COOKIE = "inloop_token"
SHORTEST_TOKEN = 8


@dataclass(frozen=True)
class Gate:
    """Checks requests before anything else sees them.

    Attributes:
        host: address to listen on.
        token: that visitors must show; "" if this machine only may come, and without one.
        hosts: names under which the studio may be called, beside those of this machine.
    """

    host: str = "127.0.0.1"
    token: str = ""
    hosts: frozenset[str] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        if self.host not in LOCAL and not self.token:
            raise InputError(
                f"listening on {self.host!a} lets others in",
                fix="Add --token auto, and give the address with the token to those who may come.",
            )
        if self.token and len(self.token) < SHORTEST_TOKEN:
            raise InputError(
                f"a token of {len(self.token)} characters is guessed soon",
                fix=f"Use at least {SHORTEST_TOKEN}, or --token auto.",
            )

    def knows_host(self, header: str) -> bool:
        """Is this the name of this studio? Another one is a page that has borrowed our address."""
        try:
            name = (urlsplit(f"//{header}").hostname or "").lower()
        except ValueError:
            return False
        return name in LOCAL or name == self.host.lower() or name in self.hosts

    def has_token(self, query: str, cookies: str) -> bool:
        """Does a request show the token? True if none is needed."""
        if not self.token:
            return True
        shown = parse_qs(query).get("token", [])
        try:
            jar = SimpleCookie(cookies)
        except CookieError:
            jar = SimpleCookie()
        if COOKIE in jar:
            shown.append(jar[COOKIE].value)
        wanted = self.token.encode()
        return any(hmac.compare_digest(given.encode(), wanted) for given in shown)

    def refusal(self, headers: Mapping[str, str], query: str) -> str:
        """Why a request is turned away; "" if it is not."""
        if not self.knows_host(headers.get("host", "")):
            return "this studio is not called by that name"
        if not self.has_token(query, headers.get("cookie", "")):
            return "the token is missing or wrong"
        return ""

    def socket_refusal(self, headers: Mapping[str, str], query: str) -> str:
        """The same for a WebSocket, whose origin must be a page of this studio."""
        reason = self.refusal(headers, query)
        if reason:
            return reason
        origin, host = headers.get("origin"), headers.get("host", "")
        if origin is None:
            # no browser; it needs to know the token
            return "" if self.token else "a page must say where it comes from"
        if urlsplit(origin).netloc.lower() != host.lower():
            return "pages from elsewhere may not drive this studio"
        return ""


def new_token() -> str:
    """A token that nobody guesses."""
    return secrets.token_urlsafe(16)
