"""Translates advice that names Python arguments to options of the command line."""

from __future__ import annotations

import re

OPTIONS = {
    "step": "--step",
    "method": "--method",
    "tolerance": "--tolerance",
    "t_end": "--seconds",
    "seconds": "--seconds",
    "rate": "--rate",
    "substeps": "--substeps",
    "speed": "--speed",
    "core": "--core",
    "formulation": "--formulation",
    "damping": "--damping",
    "solves": "--solves",
    "live": "--live",
    "sample": "--sample",
    "chunk": "--chunk",
    "folder": "--to",
    "external_forces": "--external-forces",
}
_VALUE = r"""(?:["']([^"']*)["']|\[([^]]*)\]|([\w.+-]*\w))"""  # a string, a list or a number
_ARGUMENT = re.compile(rf"\b({'|'.join(OPTIONS)})={_VALUE}")
_PHRASES = {
    "Compile it without formulation=": "Leave out --formulation",
    "compile without formulation='redundant'": "leave out --formulation",
    "Compile with formulation='redundant'": "Use --formulation redundant",
    "; error.result holds the run so far": "",
    " (overwrite=True)": "",
    "See plant.parameters for all names.": "`inloop describe` lists all names.",
    "Use a smaller step": "Use a smaller --step",
    "use a smaller step": "use a smaller --step",
    "Use a step smaller than": "Use a --step below",
    " or an implicit method": " or --method implicit",
    ", or set wider bounds: plant.bounds": "",
    "Use 0 < step <= t_end.": "Use 0 < --step <= --seconds.",
}


def shell_words(text: str) -> str:
    """The same text for shell users: `method="rodas"` becomes `--method rodas`."""
    for phrase, words in _PHRASES.items():
        text = text.replace(phrase, words)
    return _ARGUMENT.sub(_option, text).rstrip()


def _option(found: re.Match[str]) -> str:
    name, quoted, listed, plain = found.groups()
    value = next(text for text in (quoted, listed, plain) if text is not None)
    words = value.replace("'", "").replace(", ", ",")
    return f"{OPTIONS[name]} {words}"
