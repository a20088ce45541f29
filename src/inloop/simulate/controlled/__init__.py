"""Runs with a controller: a function of time and outputs, called at samples, held between them."""
