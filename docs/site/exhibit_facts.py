"""How large the equations of each exhibit are: `python docs/site/exhibit_facts.py` writes them.

Deriving all of them takes a minute or two, so that the site reads them from exhibits.json.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from inloop import gallery

FILE = Path(__file__).with_name("exhibits.json")
# functions that give the accelerations, the one in use first
MOTION = ("constrained", "direct_dynamics")


def facts(name: str) -> dict[str, Any]:
    """Bodies, coordinates, degrees of freedom, and operations of the accelerations."""
    plant = gallery.get(name).build().compile()
    mechanism, formulation = plant.mechanism, plant.formulation
    counts = next((plant.operations[key] for key in MOTION if key in plant.operations), None)
    return {
        "coordinates": plant.n,
        "freedoms": len(formulation.independent),
        "constraints": len(formulation.row_names),
        # hard stops of joints are hard contacts alone, penalties are contacts alone
        "contacts": len({c.name for c in (*mechanism.contacts, *mechanism.hard_contacts)}),
        "modes": len(plant.by_mode) if len(plant.by_mode) > 1 else 0,
        "operations": counts["total"] if counts else None,
    }


def main() -> None:
    """Write the facts of all exhibits."""
    found = {name: facts(name) for name in gallery.names()}
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
