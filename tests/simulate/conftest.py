"""Makes `random_trees`, `four_bar_model` and `stiff_models` importable for these tests."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "formalisms")]
