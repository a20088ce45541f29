"""The single file: the studio's page, its modules, the plant and its meshes, packed."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from inloop.studio.messaging.client import encode
from inloop.studio.page_modules import page_modules
from inloop.studio.server.vendor_files import VENDOR

ENTRIES = ("main.js", "draw.js", "plantworker.js", "stringprocessor.js")
SHEET = re.compile(r'\s*<link rel="stylesheet" href="/(static|vendor)/([\w.]+)">')
ICON_LINK = re.compile(r'\s*<link rel="icon"[^>]*>')
SCRIPT = re.compile(r'\s*<script type="module"[^>]*></script>')
SYMBOL = re.compile(r'\bid="([\w-]+)"')
USED = re.compile(r'href="/static/(icons|icon)\.svg#([\w-]+)"')
# nothing is loaded from elsewhere, whatever a file contains
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' blob: data: 'wasm-unsafe-eval'; "
    "worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; media-src blob:; "
    "base-uri 'none'; form-action 'none'"
)


def page_text(
    title: str, wasm: bytes, facts: Mapping[str, Any], meshes: Mapping[str, bytes]
) -> str:
    """The text of the file.

    Args:
        title: title of the page; any text.
        wasm: the compiled plant.
        facts: data about the plant.
        meshes: packed meshes and pictures of the drawing, by name.
    """
    page = files("inloop.studio").joinpath("page")
    text = page.joinpath("index.html").read_text(encoding="utf-8")
    sheets = "\n".join(_sheet(*found) for found in SHEET.findall(text))
    text = SCRIPT.sub("", ICON_LINK.sub("", SHEET.sub("", text)))
    text = USED.sub(r'href="#icon-\2"', text)
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    head = f"{policy}\n<style>\n{sheets}\n</style>"
    blocks = {
        "modules": json.dumps(page_modules(*ENTRIES)).encode(),
        "facts": encode(facts).encode(),  # type: ignore[arg-type]
        "wasm": wasm,
        "meshes": _joined(meshes),
    }
    data = "\n".join(
        f'<script type="text/plain" id="carried-{name}">{_packed(block)}</script>'
        for name, block in blocks.items()
    )
    boot = files("inloop.io.page").joinpath("boot.js").read_text(encoding="utf-8")
    script = boot.replace("@meshes@", json.dumps({k: len(v) for k, v in meshes.items()}))
    text = re.sub(r"<title>.*?</title>", lambda _: f"<title>{html.escape(title)}</title>", text)
    text = text.replace("</head>", f"{head}\n</head>")
    return text.replace("</body>", f"{_icons()}\n{data}\n<script>\n{script}</script>\n</body>")


def _sheet(place: str, name: str) -> str:
    folder: Any = VENDOR if place == "vendor" else files("inloop.studio").joinpath("page")
    return str(folder.joinpath(name).read_text(encoding="utf-8"))


def _icons() -> str:
    """All icons, with ids that are unique in the page."""
    page = files("inloop.studio").joinpath("page")
    texts = [page.joinpath(name).read_text(encoding="utf-8") for name in ("icons.svg", "icon.svg")]
    bare = [re.sub(r"<\?xml.*?\?>", "", text) for text in texts]
    return f"<div hidden>{''.join(SYMBOL.sub(_prefixed, text) for text in bare)}</div>"


def _prefixed(found: re.Match[str]) -> str:
    return f'id="icon-{found[1]}"'


def _joined(meshes: Mapping[str, bytes]) -> bytes:
    return b"".join(meshes.values())


def _packed(data: bytes) -> str:
    # no time stamp: the same plant yields the same file
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()
