"""A rover with sixteen solids and six wheels on a plane or on terrain of triangles."""
