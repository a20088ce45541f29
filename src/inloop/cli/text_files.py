"""Derived equations as source files of a language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from inloop.cli.derivation import DerivationReport
from inloop.codegen import emit_library, matlab, python
from inloop.native import runtime_headers
from inloop.plant import labels

LANGUAGES = ("c", "python", "matlab")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def emit(report: DerivationReport, language: str) -> dict[str, str]:
    """File name → text.

    Args:
        report: the derived functions.
        language: one of LANGUAGES; C files come with the headers that they include.
    """
    mechanism, programs = report.mechanism, (report.prepare, *report.programs)
    about = labels.about(mechanism, report.parameters)
    if language == "python":
        return {f"{mechanism.name}.py": python.emit_module(programs, mechanism.name, about)}
    if language == "matlab":
        return matlab.emit_files(programs, mechanism.name, about)
    told = labels.manifest(mechanism, report.inputs, report.parameters, report.programs)
    files = emit_library(programs, mechanism.name, about, told)
    own = {**files.sources, **files.headers}
    return {**own, **_included(own.values(), runtime_headers())}


def _included(texts: Iterable[str], headers: Mapping[str, str]) -> dict[str, str]:
    """Headers included by texts, directly or indirectly."""
    found: dict[str, str] = {}
    waiting = [name for text in texts for name in INCLUDE.findall(text)]
    while waiting:
        name = waiting.pop()
        if name in headers and name not in found:
            found[name] = headers[name]
            waiting += INCLUDE.findall(headers[name])
    return found
