"""Experiments with the flexible link: frequencies, controllers, faults, mismatches."""
