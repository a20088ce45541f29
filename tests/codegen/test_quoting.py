"""Texts of a person stay where they were put, whatever they hold, in every language.

The languages themselves judge: the preprocessor of C removes comments, Python's tokenizer names
them, Octave runs what is left.
"""

from __future__ import annotations

import ast
import io
import subprocess
import tokenize
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import inloop as il
from inloop.cli.derivation import derive
from inloop.cli.text_files import LANGUAGES, emit
from inloop.codegen import quoting

STRICT = ("-std=c99", "-trigraphs", "-Wall", "-Wextra", "-pedantic", "-Werror")
FRAGMENTS = [
    "*/", "/*", "//", "*\\\n/", "*??/\n/", "??/", "???/", "\\", "\\\n", "\\ ", "\n", "\r", "\r\n",
    "\f", "\v", "\t", "\0", "\x1b[2J", "\x85", "\u2028", "\u2029", "\u202e", "\ud800", "\udfff",
    '"', '"""', "'''", "'", "%", "%{", "%}", "#{", "...", "{", "}", "#", "coding: utf-7",
    "coding=latin1", "\\x41", "\\u", "\\N{", "\\7", "777", "%s", "$(x)", "é", "µ", "𝑞", "\ufeff",
    "x", " ", ";", "__import__('os')", "error('left');", "#error left", "abort();",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(FRAGMENTS) | st.characters(), max_size=8).map("".join)
MANY = st.lists(TEXTS, min_size=1, max_size=40)
FUZZ = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def gcc(require_program: Callable[[str], str]) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    program = require_program("gcc")

    def call(*words: str, text: str) -> subprocess.CompletedProcess[bytes]:
        command = [program, *STRICT, *words, "-xc", "-"]
        return subprocess.run(command, input=text.encode(), capture_output=True, check=False)

    return call


@FUZZ
@given(MANY)
def test_c_comments_cannot_be_left(gcc, texts: list[str]) -> None:
    comments = [*map(quoting.c_heading, texts), quoting.c_comment(texts)]
    comments += [quoting.c_comment([text]) for text in texts]
    done = gcc("-E", "-P", text="\n".join(comments) + "\n")
    assert done.returncode == 0, done.stderr
    assert not done.stdout.strip() and not done.stderr


@FUZZ
@given(MANY)
def test_c_strings_are_what_was_said(gcc, tmp_path: Path, texts: list[str]) -> None:
    said = [text.encode(errors="replace") for text in texts]
    lines = ["#include <stdio.h>", "int main(void)", "{"]
    for text, data in zip(texts, said, strict=True):
        literal = quoting.c_string(text, "    ")
        lines += ["    fwrite(", literal, f"    , 1, {len(data)}, stdout);"]
        # the literal is neither longer nor shorter
        lines.append(f"    if (sizeof({literal}) != {len(data) + 1}) return 1;")
    done = gcc("-o", str(tmp_path / "said"), text="\n".join([*lines, "    return 0;", "}", ""]))
    assert done.returncode == 0, done.stderr
    found = subprocess.run([tmp_path / "said"], capture_output=True, check=True)
    assert found.stdout == b"".join(said)


@given(MANY)
@settings(deadline=None)
def test_python_comments_and_docstrings_cannot_be_left(texts: list[str]) -> None:
    lines = [*quoting.python_comment(texts), *map(quoting.python_heading, texts)]
    text = "\n".join([*lines, "def f():", *quoting.python_docstring(texts, "    "), ""])
    tree = ast.parse(text)
    [function] = tree.body
    [docstring] = function.body
    assert isinstance(docstring, ast.Expr) and isinstance(docstring.value, ast.Constant)
    # every printable text is still there
    for word in (piece for line in texts for piece in line.splitlines()):
        assert quoting.printable(word) in docstring.value.value
    # nor do they say how the file is to be read
    encoding, _ = tokenize.detect_encoding(io.BytesIO(text.encode()).readline)
    assert encoding == "utf-8"


@FUZZ
@given(MANY)
def test_matlab_comments_cannot_be_left(require_program, tmp_path: Path, texts: list[str]) -> None:
    lines = ["count = 0;"]
    for text in texts:
        for comment in [*quoting.matlab_comment([text]), quoting.matlab_heading(text)]:
            lines += [comment, "count = count + 1;"]
    script = tmp_path / "counts.m"
    script.write_text("\n".join([*lines, "printf('%d', count);", ""]), encoding="utf-8")
    command = [require_program("octave-cli"), "--norc", "--no-history", "--quiet", str(script)]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert int(done.stdout) == sum("count = count" in line for line in lines)


@given(TEXTS)
def test_names_of_generated_code_are_identifiers(text: str) -> None:
    if text.isascii() and text.isidentifier():
        assert quoting.identifier(text) == text
    else:
        with pytest.raises(il.BuildError, match="cannot be named"):
            quoting.identifier(text)


MARK = "left_the_comment"
HOSTILE = (
    f"*\\\n/ int {MARK}; /* two\nlines {MARK} */ int {MARK}; *??/\n/ int {MARK};\r{MARK}()\f{MARK}"
    f'\u2028{MARK}() """ + {MARK}() \ud800 \x00 \\'
)


def hostile_model() -> il.Model:
    """Every text that a person can write is hostile."""
    m = il.Model("arm", doc=HOSTILE)
    length = m.parameter("length", 0.7, unit="m", range=(0.1, 2.0), doc=HOSTILE)
    push = m.input("push", unit="N", doc=HOSTILE)
    upper = m.body(
        "upper", on=m.ground, joint=il.revolute("y"), mass=1.3, com=(0.2, 0.0, 0.1),
        inertia=(0.02, 0.03, 0.011), doc=HOSTILE,
    )  # fmt: skip
    tip = upper.point("tip", (length, 0.0, 0.0))
    m.body("lower", on=tip, joint=il.prismatic("x"), mass=0.6, doc=HOSTILE)
    m.joint_force("upper", lambda q, qd: push - 0.3 * qd)
    return m


def code_of(language: str, text: str, gcc: Callable[..., object], headers: Path) -> str:
    """What is left of a file without its comments and strings."""
    if language == "c":
        done = gcc("-E", "-P", f"-I{headers}", text=text)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()
    if language == "matlab":
        # a comment ends with its line, and nothing else does
        return "\n".join(line.partition("%")[0] for line in text.splitlines())
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    kept = [t for t in tokens if t.type not in (tokenize.COMMENT, tokenize.STRING)]
    return " ".join(token.string for token in kept)


@pytest.mark.parametrize("language", LANGUAGES)
def test_docs_of_a_model_are_nothing_but_comments(language: str, gcc, tmp_path: Path) -> None:
    files = emit(derive(hostile_model().build(), ["direct_dynamics"]), language)
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert any(MARK in text for text in files.values())  # it is told
    for name, text in files.items():
        if not name.startswith("il_"):
            assert MARK not in code_of(language, text, gcc, tmp_path), name


@pytest.mark.parametrize("backend", ["python", "c"])
def test_docs_change_nothing_in_a_plant(backend: str) -> None:
    plant = hostile_model().compile(backend=backend)
    # the rod falls from rest: qdd about its hinge from the moment of the weight
    q, qd = [0.0, 0.0], [0.0, 0.0]
    M = plant.mass_matrix(q)
    qdd = plant.direct_dynamics(q, qd, [0.0, 0.0])
    moment = 9.81 * (1.3 * 0.2 + 0.6 * 0.7)
    assert M[0, 0] == pytest.approx(0.03 + 1.3 * (0.2**2 + 0.1**2) + 0.6 * 0.7**2, rel=1e-12)
    assert (M @ qdd)[0] == pytest.approx(moment, rel=1e-12)
