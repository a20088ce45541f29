"""The drawing of a mechanism: its sketch, its scene, its meshes."""
