"""Exhibits of installed packages: entry points of the group "inloop.exhibits".

A package that cannot be read or imported is reported by name and does not affect the others.
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
SHOWN = 200  # characters shown of an error


@dataclass(frozen=True)
class Installed:
    """An exhibit that a package declares.

    Attributes:
        name: name of the exhibit.
        package: package that provides it.
        entry: its entry point.
    """

    name: str
    package: str
    entry: EntryPoint

    def load(self) -> Exhibit:
        """Import it.

        Raises:
            InputError: the package cannot be imported, or the entry point is not this exhibit.
        """
        try:
            exhibit = self.entry.load()
        except (Exception, SystemExit) as error:
            reason = f"{type(error).__name__}: {error}"[:SHOWN]
            raise self._broken(f"cannot be imported ({reason})") from error
        if not isinstance(exhibit, Exhibit):
            raise self._broken(f"is not an Exhibit but of type {type(exhibit).__name__}")
        if exhibit.name != self.name:
            raise self._broken(f"calls itself {exhibit.name[:LONGEST]!a}")
        return exhibit

    def _broken(self, what: str) -> InputError:
        return InputError(
            f"exhibit '{self.name}' of package {self.package!a} {what}",
            where=f"entry point {self.entry.name} = {self.entry.value}",
            fix=f"Update, repair or uninstall package {self.package!a}.",
        )


def installed_exhibits() -> list[Installed]:
    """Exhibits of all packages, sorted by package. Warns about packages that cannot be read."""
    by_package: dict[str, list[Installed]] = {}
    for package, distribution in _offering():
        # if a package is installed twice, the first on the path counts, as for imports
        if package not in by_package:
            by_package[package] = list(_read(package, distribution))
    return [exhibit for package in sorted(by_package) for exhibit in by_package[package]]


def _offering() -> Iterator[tuple[str, Distribution]]:
    """Packages that name the group; only one file of each package is read."""
    for distribution in distributions():
        try:
            text = distribution.read_text(FILE)
        except (OSError, UnicodeDecodeError) as error:
            _warn(f"{FILE} of package {_name(distribution)!a} cannot be read ({error})"[:SHOWN])
            continue
        if text is not None and GROUP in text:
            yield _name(distribution), distribution


def _name(distribution: Distribution) -> str:
    """Name of a package, if its metadata can be read."""
    try:
        name: str | None = distribution.name
    except (OSError, UnicodeDecodeError, KeyError):
        name = None
    return name or "without a name"


def _read(package: str, distribution: Distribution) -> Iterator[Installed]:
    try:
        entries = distribution.entry_points.select(group=GROUP)
    except Exception as error:  # malformed lines raise exceptions of any type
        _warn(f"{FILE} of package {package!a} cannot be read ({error})"[:SHOWN])
        return
    for entry in entries:
        if entry.name.isidentifier() and len(entry.name) <= LONGEST:
            yield Installed(entry.name, package, entry)
        else:
            shown = entry.name[:LONGEST]
            _warn(
                f"exhibit {shown!a} of package {package!a} is left out: that is not an identifier"
            )


def _warn(problem: str) -> None:
    warnings.warn(f"{problem}. Repair or reinstall that package.", stacklevel=2)
