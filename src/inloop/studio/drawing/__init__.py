"""How a mechanism looks: its sketch, the scene made of it, meshes."""
