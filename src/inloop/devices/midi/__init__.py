"""MIDI notes from the motion of a hammer, to a port or a file."""
