"""Page and server speak of the same messages; the page holds no code that nobody uses.

`make page` checks types and style of the page's code; here is what no type tells.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, is_typeddict

import pytest
from described import faults

import inloop
from inloop.studio.messaging import scene_types
from inloop.studio.messaging.message_types import Histograms, Told
from inloop.studio.messaging.page_types import TARGET, page_types
from inloop.studio.messaging.protocol import MESSAGES, REQUESTS, fields
from inloop.studio.messaging.requests import READERS

PAGE = TARGET.parent
CHECKS = Path(__file__).parent / "page"
PLAYER = Path(inloop.__file__).parent / "pictures" / "player.html"
OWN = {path.name: path.read_text() for path in PAGE.glob("*.js") if path != TARGET}
CODE = "\n".join(OWN.values())
# that say what a server says, for a plant that a page carries
SPEAKERS = {"plantsession.js", "notemaker.js", "histogram.js"}
# told to whoever else speaks with the server, and to tests
UNREAD = {"driven", "handle", "rate_hz"}


def test_the_page_has_the_description_of_the_server() -> None:
    assert TARGET.read_text(encoding="utf-8") == page_types(), (
        "run python -m inloop.studio.messaging.page_types"
    )


def test_the_page_asks_for_all_that_the_server_does() -> None:
    said = "".join(re.findall(r"\.(?:say\(|way\([^{]*)\{\s*do: ([^,}]*)", CODE))
    assert set(re.findall(r'"(\w+)"', said)) - {"paused"} == set(REQUESTS)


def test_the_server_can_read_every_word_of_a_request() -> None:
    words = {name: hint for form in REQUESTS.values() for name, (hint, *_) in fields(form).items()}
    del words["do"]
    assert [name for name, hint in words.items() if hint not in READERS] == []


def test_the_page_handles_all_that_the_server_says() -> None:
    table = re.search(r"^const RECEIVE = \{\n(.*?)^\};", OWN["main.js"], re.DOTALL | re.MULTILINE)
    assert table is not None
    assert set(re.findall(r"^  (\w+)[:(]", table[1], re.MULTILINE)) == set(MESSAGES)


def test_the_page_reads_every_field_that_the_server_sends() -> None:
    shapes = get_args(scene_types.Shape)  # these are for files, too
    names = {name for form in forms(*MESSAGES.values()) if form not in shapes
             for name in fields(form)}  # fmt: skip
    unread = {name for name in names if not re.search(rf"\b{name}\b", CODE)}
    assert unread <= UNREAD


def forms(*hints: Any) -> Iterator[Any]:
    """All forms that occur in others."""
    for hint in hints:
        if is_typeddict(hint):
            yield hint
            yield from forms(*(part for part, _, _ in fields(hint).values()))
        yield from forms(*get_args(hint))


def test_what_the_page_exports_is_imported() -> None:
    exported = {
        (file, name)
        for file, text in {**OWN, TARGET.name: TARGET.read_text()}.items()
        for name in re.findall(r"^export (?:async )?(?:const|function|class) (\w+)", text, re.M)
    }
    imported = {
        (file, name)
        for names, file in re.findall(r'^import \{([^}]*)\} from "\./(\w+\.js)"', CODE, re.M)
        for name in re.findall(r"\w+", names)
    }
    called = re.search(
        r'const \{ (\w+) \} = await import\("inloop/(\w+\.js)"\)', PLAYER.read_text()
    )
    assert called is not None
    assert exported == imported | {(called[2], called[1])}


def test_elements_that_are_looked_for_are_in_the_page() -> None:
    markup = (PAGE / "index.html").read_text() + PLAYER.read_text()
    made = set(re.findall(r'\bid: "([\w-]+)"', CODE))
    sought = set(re.findall(r'byId\("([\w-]+)"\)', CODE))
    assert len(sought) > 40
    assert sought <= set(re.findall(r'\bid="([\w-]+)"', markup)) | made


def test_what_is_not_as_described_is_found() -> None:
    told = {"level": "warn", "text": "late", "fix": ""}
    assert list(faults(told, Told, "notice")) == []
    assert list(faults({**told, "level": "bad"}, Told, "notice")) != []
    assert list(faults({**told, "more": 1}, Told, "notice")) == ["notice.more is not described"]
    del told["fix"]
    assert list(faults(told, Told, "notice")) == ["notice.fix is missing"]
    assert any("reaction" in x for x in faults({"kind": "histogram"}, Histograms, "histogram"))


@pytest.mark.thinned(5)
@pytest.mark.parametrize(
    ("here", "there", "where"),
    [
        ("@property {number} overruns", "@property {number} delays", "deadlines.js"),
        ('@property {"pause"} do', '@property {"halt"} do', "transport.js"),
        ('@property {"note"} kind', '@property {"tone"} kind', "main.js"),
        ("@property {Array<number>} counts", "@property {number} counts", "deadlines.js"),
        ("@property {number} factor", "@property {string} factor", "transport.js"),
    ],
)
def test_a_change_of_the_description_does_not_pass_unseen(
    tmp_path: Path, here: str, there: str, where: str
) -> None:
    checker = CHECKS / "node_modules" / ".bin" / "tsc"
    if not checker.exists():
        assert "CI" not in os.environ, "make page fetches the type checker"
        pytest.skip("make page fetches the type checker")
    description = page_types()
    assert description.count(here) == 1
    for name, text in {**OWN, TARGET.name: description.replace(here, there)}.items():
        (tmp_path / name).write_text(text)
    settings = {"extends": str(CHECKS / "tsconfig.json"), "include": [str(tmp_path / "*.js")]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [checker, "-p", tmp_path], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode != 0 and where in done.stdout
    # those who say it for a plant that a page carries are told, too
    assert set(re.findall(r"(\w+\.js)\(", done.stdout)) - SPEAKERS == {where}
