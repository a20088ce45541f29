"""Experiments with the kart: toe while the belt runs, and the cables of its steering."""
