"""Access control: a token, by default only from this machine; no pages of other origins."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from inloop.errors import InputError

LOCAL = ("localhost", "127.0.0.1", "::1")
COOKIE = "inloop_token_"  # and the port: cookies of one machine are shared by all its ports
SHORTEST_TOKEN = 8
FRAMES = "http://localhost:* http://127.0.0.1:*"


@dataclass(frozen=True)
class Gate:
    """Checks requests before any other code sees them.

    Attributes:
        host: address to listen on.
        token: required from clients; "" if everybody on this machine may connect without one.
        hosts: host names accepted in addition to those of this machine.
        framed: pages of this machine, such as notebooks, may show the studio in a frame.
    """

    host: str = "127.0.0.1"
    token: str = ""
    hosts: frozenset[str] = field(default_factory=frozenset)
    framed: bool = False

    def __post_init__(self) -> None:
        if self.host not in LOCAL and not self.token:
            raise InputError(
                f"listening on {self.host!a} lets other machines in",
                fix="Leave out --no-token, and give the address with its token only to those you "
                "trust.",
            )
        if self.framed and not self.token:
            raise InputError(
                "a studio without a token cannot be shown in a frame: any page could embed it",
                fix="Leave out --no-token.",
            )
        if self.token and len(self.token) < SHORTEST_TOKEN:
            raise InputError(
                f"a token of {len(self.token)} characters is too easy to guess",
                fix=f"Use at least {SHORTEST_TOKEN}, or leave out --token for a random one.",
            )

    @property
    def frames(self) -> str:
        """Origins that may embed the studio in a frame, as a value of `frame-ancestors`."""
        return FRAMES if self.framed else "'none'"

    def knows_host(self, header: str) -> bool:
        """Whether this is a host name of this studio; prevents DNS rebinding."""
        try:
            name = (urlsplit(f"//{header}").hostname or "").lower()
        except ValueError:
            return False
        return name in LOCAL or name == self.host.lower() or name in self.hosts

    def has_token(self, headers: Mapping[str, str], query: str) -> bool:
        """Whether a request carries the token; True if none is needed."""
        if not self.token:
            return True
        shown = parse_qs(query).get("token", [])
        try:
            jar = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            jar = SimpleCookie()
        name = cookie_name(headers.get("host", ""))
        if name in jar:
            shown.append(jar[name].value)
        wanted = self.token.encode()
        return any(hmac.compare_digest(given.encode(), wanted) for given in shown)

    def refusal(self, headers: Mapping[str, str], query: str) -> str:
        """Why a request is rejected; "" if it is accepted."""
        if not self.knows_host(headers.get("host", "")):
            return "this studio does not have that host name"
        if not self.has_token(headers, query):
            return "the token is missing or wrong: open the address that `inloop studio` printed"
        return ""

    def socket_refusal(self, headers: Mapping[str, str], query: str) -> str:
        """The same for a WebSocket, which must have the origin of this studio."""
        reason = self.refusal(headers, query)
        if reason:
            return reason
        origin, host = headers.get("origin"), headers.get("host", "")
        if origin is None:
            # not a browser; the token is required
            return "" if self.token else "the request has no Origin header"
        if urlsplit(origin).netloc.lower() != host.lower():
            return "pages from other sites may not drive this studio"
        return ""


def cookie_name(host: str) -> str:
    """Name of the cookie that holds the token for this host and port."""
    try:
        return f"{COOKIE}{urlsplit(f'//{host}').port or 80}"
    except ValueError:
        return f"{COOKIE}80"


def new_token() -> str:
    """A random token that cannot be guessed."""
    return secrets.token_urlsafe(16)
