"""A model is composed of functions; a person sees them as its methods, with signature and text."""

from __future__ import annotations

import inspect
import pydoc
import re

import pytest

import inloop as il

METHODS = [
    name
    for name, member in inspect.getmembers(il.Model, inspect.isfunction)
    if not name.startswith("_")
]


def test_methods_lie_on_the_model_and_not_on_a_stack_of_classes() -> None:
    from inloop.model import ModelBuilder

    assert il.Model.__mro__ == (il.Model, ModelBuilder, object)
    assert len(METHODS) > 25


@pytest.mark.parametrize("name", METHODS)
def test_every_argument_is_named_and_described(name: str) -> None:
    method = getattr(il.Model, name)
    text = inspect.getdoc(method) or ""
    assert text
    _, *arguments = inspect.signature(method).parameters.values()
    assert method.__name__ == name
    if "Args:" in text:
        described = re.findall(r"^ {4}(\w+):", text.partition("Args:")[2], re.MULTILINE)
        assert [argument.name for argument in arguments] == described[: len(arguments)]
    else:
        assert len(arguments) <= 3


def test_help_shows_them() -> None:
    page = pydoc.plain(pydoc.render_doc(il.Model))
    assert "stiffness: 'Scalar', damping: 'Scalar' = 0.0, *, free_length: 'Scalar'" in page
    assert "distance at which the spring is relaxed [m]" in page
