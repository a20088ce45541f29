"""The web server: the page, its modules, recordings, and the WebSocket."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from inloop.errors import InloopError, InputError
from inloop.studio.messaging.client import Client, encode
from inloop.studio.messaging.message_types import Notice
from inloop.studio.server.gate import Gate, cookie_name
from inloop.studio.server.session import OffenseError, Session
from inloop.studio.server.ticker import Ticker

try:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response
    from starlette.routing import Mount, Route, WebSocketRoute
    from starlette.staticfiles import StaticFiles
    from starlette.websockets import WebSocket, WebSocketDisconnect
except ImportError as error:
    raise InputError(
        f"the studio needs the package {error.name}", fix="Install it: pip install inloop[studio]"
    ) from error

MOST_CLIENTS = 32
SEND_BUFFER = 1 << 16  # bytes in the kernel: stale data there cannot be recalled
LARGEST_FRAME = 1 << 16  # bytes; longer ones are not even read
POLICY, BUSY = 1008, 1013  # WebSocket close codes
HERE = Path(str(files("inloop.studio")))
PAGE, VENDOR = HERE / "page", HERE / "vendor"
CONTENT_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors "
)


class Guard:
    """Rejects requests that the gate refuses, and adds security headers."""

    def __init__(self, app: Any, gate: Gate) -> None:
        self._app, self._gate = app, gate
        self._headers = [
            (b"content-security-policy", (CONTENT_POLICY + gate.frames).encode()),
            (b"x-content-type-options", b"nosniff"),
            *([] if gate.framed else [(b"x-frame-options", b"DENY")]),
            (b"referrer-policy", b"no-referrer"),
            (b"cross-origin-resource-policy", b"same-origin"),
            (b"cache-control", b"no-cache"),
        ]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)  # WebSockets are checked in `door`
            return
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        query = scope["query_string"].decode("latin-1")
        reason = self._gate.refusal(headers, query)

        async def send_on(message: Any) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", []))
                known = {name.lower() for name, _ in given}
                message["headers"] = [*given, *(h for h in self._headers if h[0] not in known)]
            await send(message)

        if reason:
            await PlainTextResponse(reason, status_code=403)(scope, receive, send_on)
        elif self._gate.token and "token=" in query and scope["path"] == "/":
            # keep the token out of the address bar
            response: Response = RedirectResponse("/", status_code=303)
            name = cookie_name(headers.get("host", ""))
            response.set_cookie(name, self._gate.token, httponly=True, samesite="strict")
            await response(scope, receive, send_on)
        else:
            await self._app(scope, receive, send_on)


def make_app(session: Session, gate: Gate) -> Any:
    """The web application."""

    async def index(_: Any) -> Response:
        return FileResponse(PAGE / "index.html")

    async def recording(request: Any) -> Response:
        try:
            path = session.running.recordings.find(request.path_params["name"])
        except InloopError as error:
            return PlainTextResponse(str(error), status_code=404)
        return FileResponse(path, media_type="application/octet-stream", filename=path.name)

    async def mesh(request: Any) -> Response:
        """A packed mesh of the current plant, by the hash of its content."""
        name = request.path_params["name"]
        content = session.running.meshes.get(name)
        if content is None:
            return PlainTextResponse("no mesh of this plant has that name", status_code=404)
        headers = {"cache-control": "private, max-age=31536000, immutable"}
        return Response(content, media_type="application/octet-stream", headers=headers)

    async def door(websocket: WebSocket) -> None:
        headers = dict(websocket.headers)
        reason = gate.socket_refusal(headers, websocket.url.query)
        if reason or len(session.clients) >= MOST_CLIENTS:
            await websocket.close(POLICY if reason else BUSY, reason or "too many pages are open")
            return
        await websocket.accept()
        await _serve(websocket, session)

    routes = [
        Route("/", index),
        Route("/recording/{name}", recording),
        Route("/mesh/{name}", mesh),
        WebSocketRoute("/ws", door),
        Mount("/static", StaticFiles(directory=PAGE)),
        Mount("/vendor", StaticFiles(directory=VENDOR, check_dir=False)),
    ]
    return Guard(Starlette(routes=routes), gate)


async def _serve(websocket: WebSocket, session: Session) -> None:
    """Serve one page until it disconnects or is disconnected."""
    client = Client(websocket)
    sender = asyncio.create_task(client.send_all())
    session.join(client)
    reason = ""
    try:
        while True:
            received = asyncio.create_task(websocket.receive())
            await asyncio.wait({received, sender}, return_when=asyncio.FIRST_COMPLETED)
            if sender.done():
                received.cancel()
                reason = (
                    "this page does not read its messages fast enough" if client.overwhelmed else ""
                )
                break
            message = received.result()
            if message["type"] == "websocket.disconnect":
                break
            session.hear(client, message.get("text") or message.get("bytes") or b"")
    except OffenseError as offense:
        reason = str(offense)
    except WebSocketDisconnect:
        pass
    finally:
        session.leave(client)
        sender.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await sender
    with contextlib.suppress(Exception):
        if reason:
            farewell: Notice = {
                "kind": "notice", "level": "error", "text": reason, "fix": "Reload the page.",
            }  # fmt: skip
            await websocket.send_text(encode(farewell))
            await websocket.close(POLICY, reason[:100])


def listen(host: str, port: int | None, usual: int = 0) -> socket.socket:
    """A socket to listen on.

    Args:
        host: address.
        port: 0: any free port; None: the usual port, or any free one if that is taken.
        usual: port to try first.

    Raises:
        InputError: the port is in use.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    problem = ""
    for number in (usual, 0) if port is None else (port,):
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        try:
            found.bind((host, number))
            return found
        except (OSError, OverflowError) as error:
            found.close()
            problem = getattr(error, "strerror", None) or str(error)
    raise InputError(
        f"cannot listen on {host}, port {port}: {problem}",
        fix="Choose another one with --port, or 0 for any.",
    )


async def serve(
    session: Session,
    gate: Gate,
    place: socket.socket,
    begin: Callable[[], Awaitable[None]],
    ready: Callable[[], None],
) -> None:
    """Serve until stopped.

    Args:
        session: state shared by the pages.
        gate: access control.
        place: socket to listen on.
        begin: opens the first plant.
        ready: called when the page can be opened.
    """
    config = uvicorn.Config(
        make_app(session, gate),
        ws="websockets-sansio",
        ws_max_size=LARGEST_FRAME,
        ws_per_message_deflate=False,
        log_level="error",
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    ticker = asyncio.create_task(Ticker(session).run())

    async def first() -> None:
        ready()
        with contextlib.suppress(InloopError):  # reported in the state
            await begin()

    starter = asyncio.create_task(first())
    try:
        await server.serve(sockets=[place])
    finally:
        for task in (ticker, starter):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        await session.close()
