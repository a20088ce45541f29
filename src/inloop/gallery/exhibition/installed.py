"""Exhibits of installed packages: entry points of the group "inloop.exhibits".

A package that cannot be read or imported is named, and keeps nobody else from being found.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, EntryPoint, distributions

from inloop.errors import InputError
from inloop.gallery.exhibition.exhibit import Exhibit

GROUP = "inloop.exhibits"
FILE = "entry_points.txt"
LONGEST = 40  # characters of a name
TOLD = 200  # characters of what an import has complained of


@dataclass(frozen=True)
class Installed:
    """An exhibit that a package says it has.

    Attributes:
        name: of the exhibit.
        package: that brings it.
        entry: where it is.
    """

    name: str
    package: str
    entry: EntryPoint

    def load(self) -> Exhibit:
        """Import it.

        Raises:
            InputError: the package cannot be imported, or has no such exhibit there.
        """
        try:
            found = self.entry.load()
        except (Exception, SystemExit) as error:
            told = f"{type(error).__name__}: {error}"[:TOLD]
            raise self._broken(f"cannot be imported ({told})") from error
        if not isinstance(found, Exhibit):
            raise self._broken(f"is not an Exhibit but of type {type(found).__name__}")
        if found.name != self.name:
            raise self._broken(f"calls itself {found.name[:LONGEST]!a}")
        return found

    def _broken(self, what: str) -> InputError:
        return InputError(
            f"exhibit '{self.name}' of package {self.package!a} {what}",
            where=f"entry point {self.entry.name} = {self.entry.value}",
            fix=f"Update, repair or uninstall package {self.package!a}.",
        )


def installed_exhibits() -> list[Installed]:
    """What all packages offer, by name of the package; of those that cannot be a warning tells."""
    found: dict[str, list[Installed]] = {}
    for package, distribution in _offering():
        # of a package that is installed twice the first on the path counts, as for imports
        if package not in found:
            found[package] = list(_read(package, distribution))
    return [exhibit for package in sorted(found) for exhibit in found[package]]


def _offering() -> Iterator[tuple[str, Distribution]]:
    """Packages that name the group; of the others no more than one file is read."""
    for distribution in distributions():
        try:
            text = distribution.read_text(FILE)
        except (OSError, UnicodeDecodeError) as error:
            _tell(f"{FILE} of package {_name(distribution)!a} cannot be read ({error})"[:TOLD])
            continue
        if text is not None and GROUP in text:
            yield _name(distribution), distribution


def _name(distribution: Distribution) -> str:
    """What a package calls itself, if it still can."""
    try:
        name: str | None = distribution.name
    except (OSError, UnicodeDecodeError, KeyError):
        name = None
    return name or "without a name"


def _read(package: str, distribution: Distribution) -> Iterator[Installed]:
    try:
        entries = distribution.entry_points.select(group=GROUP)
    except Exception as error:  # lines that mean nothing raise what they happen to
        _tell(f"{FILE} of package {package!a} cannot be read ({error})"[:TOLD])
        return
    for entry in entries:
        if entry.name.isidentifier() and len(entry.name) <= LONGEST:
            yield Installed(entry.name, package, entry)
        else:
            shown = entry.name[:LONGEST]
            _tell(
                f"exhibit {shown!a} of package {package!a} is left out: that is not an identifier"
            )


def _tell(problem: str) -> None:
    warnings.warn(f"{problem}. Repair or reinstall that package.", stacklevel=2)
