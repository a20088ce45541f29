"""Broken and hostile URDF files: a clear error with the line, and no model."""

from __future__ import annotations

from pathlib import Path

import pytest

from inloop.errors import FileFormatError, InputError, ModelError
from inloop.geometry.mesh_files import given_file
from inloop.io import xml
from inloop.io.load import load

INERTIAL = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
LINKS = f'<link name="a"/>\n<link name="b">{INERTIAL}</link>\n'
JOINT = '<joint name="j" type="revolute"><parent link="a"/><child link="b"/>\n{}</joint>'


def robot(content: str) -> str:
    return f'<robot name="r">\n{content}</robot>'


def joint(content: str) -> str:
    return robot(LINKS + JOINT.format(content))


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "not well-formed XML"),
        ("solid arm\nfacet", 1, "not well-formed XML"),
        ("<robot name='r'>\n<link name='a'>\n", 3, "not well-formed XML"),
        ("<robot name='r'><link name='a'/></robots>", 1, "not well-formed XML"),
        ("<COLLADA/>", 1, "the root element is <COLLADA>: the file is a mesh"),
        ("<html/>", 1, "of an unknown kind"),
        ('<robot><link name="a"/></robot>', 1, "<robot> has no attribute 'name'"),
        (robot(""), 1, "the robot has 0 links"),
        (robot("<link/>"), 2, "<link> has no attribute 'name'"),
        (robot('<xacro:macro name="x"/>'), 2, "this is a xacro file"),
        (robot('<link name="a">\n<inertial/></link>'), 3, "<inertial> has no <mass>"),
        (robot(LINKS.replace('value="2"', 'value="two"')), 3, "'two', which is not a number"),
        (robot(LINKS.replace('value="2"', 'value="nan"')), 3, "'nan', which is not a number"),
        (robot(LINKS.replace('value="2"', 'value="1_0"')), 3, "'1_0', which is not a number"),
        (robot(LINKS.replace('ixx="1"', 'ixx="1e300"')), 3, "ixx of <inertia> = 1e+300"),
        (robot(LINKS.replace('ixx="1"', 'ixx="-inf"')), 3, "ixx of <inertia> = -inf"),
        (robot(LINKS.replace('ixx="1"', "")), 3, "<inertia> has no attribute 'ixx'"),
        (joint("").replace("revolute", "spiral"), 4, "joint 'j': unknown type 'spiral'"),
        (joint("").replace('<child link="b"/>', ""), 4, "<joint> has no <child>"),
        (joint('<origin xyz="1 2"/>'), 5, "xyz of <origin> has 2 numbers, not 3"),
        (joint('<axis xyz="0 0 0"/>'), 5, "the axis has length zero"),
        (joint('<limit lower="2" upper="1"/>'), 5, "lower = 2 is above upper = 1"),
        (joint('<limit lower="nan" upper="1"/>'), 5, "'nan', which is not a number"),
        (joint('<axis xyz="1 0 0"/>\n<axis xyz="0 1 0"/>'), 6, "<joint> has a second <axis>"),
        (joint("<mimic/>"), 5, "<mimic> has no attribute 'joint'"),
    ],
)
def test_broken_files(written, text: str, line: int, said: str) -> None:
    path = written(text)
    with pytest.raises(FileFormatError) as caught:
        load(path)
    (mistake,) = caught.value.mistakes
    assert said in mistake.what
    assert mistake.where == f"{path}:{line}"
    assert mistake.fix


def connect(name: str, parent: str, child: str) -> str:
    return (
        f'<joint name="{name}" type="fixed">'
        f'<parent link="{parent}"/><child link="{child}"/></joint>\n'
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (LINKS + connect("j", "a", "c"), [(4, "joint 'j': its child 'c' does not exist")]),
        (LINKS, [(3, "link 'b': is a second root besides 'a'")]),
        (
            LINKS + connect("j", "a", "b") + connect("k", "b", "a"),
            [(2, "link 'a': is attached to itself: 'a' on 'b' on 'a'")],
        ),
        (
            LINKS + '<link name="c"/>\n' + connect("j", "a", "b") + connect("k", "c", "b"),
            [(6, "link 'b': has two parents, 'a' by 'j' and 'c' by 'k'")],
        ),
        (
            LINKS + '<link name="a"/>\n' + connect("j", "a", "b") + connect("j", "a", "x"),
            [
                (4, "link 'a': the name is already used at"),
                (6, "joint 'j': the name is already used at"),
                (6, "joint 'j': its child 'x' does not exist"),
            ],
        ),
        (
            (LINKS + connect("j", "a", "b")).replace('value="2"', 'value="-3.5"'),
            [(3, "body 'b': mass must be >= 0 kg, got -3.5")],
        ),
    ],
)
def test_links_that_are_no_tree(written, content: str, expected: list[tuple[int, str]]) -> None:
    path = written(robot(content))
    with pytest.raises(ModelError) as caught:
        load(path)
    mistakes = caught.value.mistakes
    assert [mistake.where for mistake in mistakes] == [f"{path}:{line}" for line, _ in expected]
    for mistake, (_, said) in zip(mistakes, expected, strict=True):
        assert said in mistake.what


LAUGHS = '<!DOCTYPE robot [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>\n'
EXTERNAL = '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n'


@pytest.mark.parametrize("declaration", [LAUGHS, EXTERNAL, '<!DOCTYPE robot SYSTEM "r.dtd">\n'])
def test_document_types_and_entities_are_refused(written, declaration: str) -> None:
    path = written(declaration + robot('<link name="&a;"/>'))
    with pytest.raises(FileFormatError, match="document type"):
        load(path)


def test_an_entity_without_declaration_is_refused(written) -> None:
    with pytest.raises(FileFormatError, match="undefined entity"):
        load(written(robot('<link name="&x;"/>')))


def test_deep_nesting_is_refused(written) -> None:
    with pytest.raises(FileFormatError, match="nested deeper than 100"):
        load(written(robot("<a>" * 200_000)))


def test_large_files_are_refused(written, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given_file, "LARGEST_FILE", 3 * 2**20)
    monkeypatch.setattr(xml, "MOST_ELEMENTS", 1000)
    with pytest.raises(FileFormatError, match="larger than 3 MB"):
        load(written(robot(" " * (3 * 2**20))))
    with pytest.raises(FileFormatError, match="more than 1000 elements"):
        load(written(robot("<a/>" * 1000)))


def test_too_many_links_are_refused_at_once(written) -> None:
    links = "".join(f'<link name="l{k}"/>' for k in range(20_000))
    with pytest.raises(FileFormatError, match="20000 links"):
        load(written(robot(links)))


@pytest.mark.parametrize("encoding", ["no-such-code", "utf-7", "rot13", "hex", "shift_jis"])
def test_odd_encodings_are_refused(written, encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>' + robot('<link name="a"/>')
    with pytest.raises(FileFormatError):
        load(written(text))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_usual_encodings_are_read(written, encoding: str) -> None:
    declared = {"utf-8-sig": "utf-8", "latin-1": "iso-8859-1"}.get(encoding, encoding)
    text = f'<?xml version="1.0" encoding="{declared}"?>' + robot('<link name="çé"/>')
    kept = load(written(text.encode(encoding))).metadata["urdf"]
    assert kept.bodies == {"çé": "unnamed"}  # type: ignore[attr-defined]


def test_names_with_quotes_and_newlines_do_no_harm(written) -> None:
    name = "a&quot;; */ system(&apos;x&apos;);&#10;// 'b'" + "é" * 500
    path = written(joint("").replace('"b"', f'"{name}"').replace('"j"', f'"{name}"'))
    mechanism = load(path).build()
    assert mechanism.coordinates == ("a_system_x_b",)
    assert all("\n" not in note and len(note) < 200 for note in mechanism.notes)
    wrong = joint("").replace('<child link="b"/>', f'<child link="{name}"/>')
    with pytest.raises(ModelError) as caught:
        load(written(wrong))
    assert "\n" not in caught.value.mistakes[0].what


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="No such file"):
        load(tmp_path / "nothing.urdf")
    with pytest.raises(FileFormatError, match="not a regular file"):
        load(tmp_path)
    with pytest.raises(FileFormatError, match="not a regular file"):
        load("/dev/zero")
    with pytest.raises(FileFormatError, match="cannot open"):
        load("a\0b")


def test_an_unknown_option_is_named(written) -> None:
    with pytest.raises(InputError, match=r"no option 'bass'.*'base'"):
        load(written(joint("")), bass=True)
