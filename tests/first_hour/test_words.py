"""Nothing in the first hours needs a word that is not in the documentation."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

USERS = ("haptics_engineer", "control_engineer", "teacher", "roboticist", "robotran_user")
# modules that are not ours: whoever writes Python knows them
OTHERS = {"json", "math", "sys", "nbformat", "nbclient", "cart"}


@pytest.fixture(scope="module")
def known(repository: Path) -> set[str]:
    """All words of the README and of docs/."""
    pages = [repository / "README.md", *sorted((repository / "docs").glob("*.md"))]
    return set(re.findall(r"--[a-z-]+|\w+", " ".join(page.read_text() for page in pages)))


def module(user: str) -> ModuleType:
    return importlib.import_module(f"test_{user}")


def python_texts(user: ModuleType) -> Iterator[str]:
    yield from (text for name, text in user.FILES.items() if name.endswith(".py"))
    yield from getattr(user, "CELLS", ())


def python_words(text: str) -> set[str]:
    """Names of what is not the user's own: imported, asked of an object, given as a keyword."""
    tree = ast.parse(text)
    foreign, words = set(OTHERS), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in OTHERS:
            foreign |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            words |= {*(node.module or "").split("."), *(alias.name for alias in node.names)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and root(node) not in foreign:
            words.add(node.attr)
        elif isinstance(node, ast.Call) and root(node.func) not in foreign:
            words |= {keyword.arg for keyword in node.keywords if keyword.arg is not None}
    return words


def root(node: ast.AST) -> str:
    """The name that a chain of attributes and calls begins with."""
    while not isinstance(node, ast.Name):
        inner = getattr(node, "value", None) or getattr(node, "func", None)
        if not isinstance(inner, ast.AST):
            return ""
        node = inner
    return node.id


def shell_words(command: str) -> set[str]:
    """Program, command and options; what follows them is the user's own."""
    program, *others = shlex.split(command)
    options = {word.partition("=")[0] for word in others if word.startswith("--")}
    if program != "inloop":
        return options
    return {program, *others[:1], *options}


@pytest.mark.parametrize("user", USERS)
def test_every_word_is_documented(user: str, known: set[str]) -> None:
    hour = module(user)
    commands = [*hour.COMMANDS, *getattr(hour, "LATER", ()), getattr(hour, "STUDIO", "")]
    used = {word for command in commands if command for word in shell_words(command)}
    used |= {word for text in python_texts(hour) for word in python_words(text)}
    methods = {name for kind in (str, list, dict) for name in dir(kind)} | {"tolist"}
    assert len(used) > 10
    assert not used - known - methods - {"__file__"}


def test_a_word_that_is_not_there_is_found(known: set[str]) -> None:
    text = "import inloop as il\nil.read('a').undocumented_thing(strange_option=1)"
    assert python_words(text) - known == {"undocumented_thing", "strange_option"}
    assert shell_words("inloop run a.py --strange 3") - known == {"--strange"}
