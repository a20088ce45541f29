"""What goes into a plant and comes out of it: names, units, places."""
