"""Derived equations as files of a language."""

from __future__ import annotations

from inloop.cli.derivation import DerivationReport
from inloop.codegen import emit_library, matlab, python
from inloop.native import runtime_headers
from inloop.plant import labels

LANGUAGES = ("c", "python", "matlab")


def emit(report: DerivationReport, language: str) -> dict[str, str]:
    """File name → text.

    Args:
        report: what was derived.
        language: one of LANGUAGES; C files come with the headers they include.
    """
    mechanism, programs = report.mechanism, (report.prepare, *report.programs)
    about = labels.about(mechanism, report.parameters)
    if language == "python":
        return {f"{mechanism.name}.py": python.emit_module(programs, mechanism.name, about)}
    if language == "matlab":
        return matlab.emit_files(programs, mechanism.name, about)
    told = labels.manifest(mechanism, report.inputs, report.parameters, report.programs)
    files = emit_library(programs, mechanism.name, about, told)
    headers = runtime_headers()
    needed = {name: headers[name] for name in ("il_export.h", "il_scalar.h", "il_chart.h")}
    return {**files.sources, **files.headers, **needed}
