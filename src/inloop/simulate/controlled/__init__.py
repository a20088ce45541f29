"""Runs with a controller: called at samples, its outputs held in between."""
