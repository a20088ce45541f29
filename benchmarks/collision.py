"""Collision of wheels and other shapes with 20,000 triangles, compared with coal."""

from __future__ import annotations

import ctypes
import time
from pathlib import Path
from typing import Any

import numpy as np

import inloop as il
from benchmarks.report import Bar, Findings, note, progress, show
from inloop.geometry import Mesh
from inloop.geometry.collision import collision_shape
from inloop.native import (
    COUNT,
    POINTER,
    REAL,
    RUNTIME_FLAGS,
    BuildOptions,
    NativeLibrary,
    build_library,
    runtime_headers,
    runtime_sources,
)
from inloop.native.mirror import mirror
from inloop.native.running.collision import Collider

CELLS, CELL = 100, 0.12  # 20,000 triangles
ROUGH, RADIUS, DEEP = 0.02, 0.129, 0.003  # [m]
MARGIN = 0.2 * 0.05
QUERIES = 2000
TILTED = np.cos(np.radians(0.06))

HEADERS = ["shape", "heights µs", "mesh µs", "touches", "tilted on flat", "coal µs", "touches",
           "tilted on flat"]  # fmt: skip
LEGEND = """\
CPU time of one query of one thread, 20,000 rough triangles, shapes 3 mm deep. tilted: touches on a
flat mesh whose normal is off by more than 0.06 degrees."""


def shapes() -> dict[str, Any]:
    """Our shape, coal's, and whether it stands upright."""
    import coal

    return {
        "sphere": (il.sphere(RADIUS), coal.Sphere(RADIUS), False),
        "wheel, cylinder": (il.cylinder(RADIUS, 0.1), coal.Cylinder(RADIUS, 0.1), True),
        "wheel, torus": (il.torus(RADIUS - 0.05, 0.05), None, True),
        "capsule": (il.capsule(0.08, 0.2), coal.Capsule(0.08, 0.2), False),
        "box": (il.box((0.4, 0.3, 0.2)), coal.Box(0.4, 0.3, 0.2), False),
    }


def grounds(rough: float) -> tuple[il.Heightfield, Mesh]:
    """The same ground as a heightfield and as a mesh."""
    heights = rough * np.random.default_rng(3).normal(size=(CELLS + 1, CELLS + 1))
    field = il.heightfield(heights, (CELLS * CELL, CELLS * CELL), -1.0)
    surface = field.surface()
    return field, Mesh(surface.vertices, surface.triangles[: 2 * CELLS**2])


def rotations(upright: bool, tilt: float, rng: np.random.Generator) -> np.ndarray:
    """R_AB of many poses: any heading, slightly tilted."""
    from scipy.spatial.transform import Rotation

    turns = [rng.uniform(-3.0, 3.0, QUERIES), *rng.uniform(-tilt, tilt, (2, QUERIES))]
    turned = Rotation.from_euler("zyx", np.transpose(turns))
    about_x = Rotation.from_euler("x", np.pi / 2 if upright else 0.0)
    return (turned * about_x).as_matrix()


def lowered(collider: Collider, R: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Positions at which the shape penetrates by 3 mm, found by lowering it."""
    places = np.empty((len(R), 3))
    for k, turned in enumerate(R):
        place = np.array([*rng.uniform(-5.0, 5.0, 2), 0.4])
        for _ in range(60):
            touches = collider.touches(place, turned, 0.5)
            gap = min((touch.gap for touch in touches), default=0.1)
            place[2] -= gap + DEEP
            if abs(gap + DEEP) < 1e-6:
                break
        places[k] = place
    return places


class Timer:
    """Times queries in C."""

    def __init__(self) -> None:
        source = Path(__file__).with_name("collision_queries.c")
        sources = {**runtime_sources(), source.name: source.read_text()}
        library = NativeLibrary(
            build_library(
                sources, runtime_headers(), options=BuildOptions(extra_flags=RUNTIME_FLAGS)
            )
        )
        types = (POINTER, POINTER, POINTER, COUNT, REAL, COUNT, POINTER)
        self._run = library.function("bench_collision", *types, returns=REAL)

    def time(self, collider: Collider, places: np.ndarray, R: np.ndarray) -> tuple[float, float]:
        """Time of a query [µs] and contacts per query."""
        poses = (mirror("il_pose") * len(places))()
        for pose, place, turned in zip(poses, places, R, strict=True):
            pose.p[:], pose.R[:] = place.tolist(), turned.ravel().tolist()
        touches = ctypes.c_int64()
        ends = [ctypes.addressof(x) for x in (collider.a, collider.b, poses)]
        count = len(places)
        ns = self._run(*ends, count, MARGIN, 10, ctypes.addressof(touches))
        return 1e-3 * ns, touches.value / count


def of_coal(mesh: Mesh) -> Any:
    """The mesh in coal."""
    import coal

    vertices, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for vertex in mesh.vertices:
        vertices.append(vertex)
    for triangle in mesh.triangles:
        triangles.append(coal.Triangle(*map(int, triangle)))
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(mesh.triangles), len(mesh.vertices))
    model.addSubModel(vertices, triangles)
    model.endModel()
    return model


def coal_queries(
    ground: Any, shape: Any, places: np.ndarray, R: np.ndarray
) -> tuple[float, float, float]:
    """Time [µs, from Python], contacts, and the fraction with a normal tilted from z."""
    import coal

    request, here = coal.CollisionRequest(), coal.Transform3s()
    request.num_max_contacts, request.enable_contact = 64, True
    poses = [coal.Transform3s(turned, place) for turned, place in zip(R, places, strict=True)]
    found, tilted = 0, 0
    begin = time.thread_time()
    results = []
    for pose in poses:
        result = coal.CollisionResult()
        coal.collide(ground, here, shape, pose, request, result)
        results.append(result)
    spent = time.thread_time() - begin
    for result in results:
        for k in range(result.numContacts()):
            found += 1
            tilted += abs(result.getContact(k).normal[2]) < TILTED
    return 1e6 * spent / len(poses), found / len(poses), tilted / max(1, found)


def run() -> Findings:
    """Measure all shapes."""
    findings, timer, rows = Findings(), Timer(), []
    rough, flat = grounds(ROUGH), grounds(0.0)
    their_rough, their_flat = of_coal(rough[1]), of_coal(flat[1])
    for name, (shape, theirs, upright) in shapes().items():
        progress(name)
        rng = np.random.default_rng(5)
        tables = collision_shape(shape)
        field, mesh = (Collider(collision_shape(ground), tables) for ground in rough)
        R = rotations(upright, 0.2, rng)
        places = lowered(field, R, rng)
        (heights_us, touches), (mesh_us, _) = (timer.time(x, places, R) for x in (field, mesh))
        level = Collider(collision_shape(flat[1]), tables)
        R_flat = rotations(upright, 0.0, rng)
        on_flat = lowered(level, R_flat, rng)
        normals = [
            touch.normal[2]
            for p, turned in zip(on_flat, R_flat, strict=True)
            for touch in level.touches(p, turned, MARGIN)
        ]
        tilted = float(np.mean(np.array(normals) < TILTED))
        peer = None
        if theirs is not None:
            peer = (
                *coal_queries(their_rough, theirs, places, R)[:2],
                coal_queries(their_flat, theirs, on_flat, R_flat)[2],
            )
        row = {"shape": name, "heights_us": heights_us, "mesh_us": mesh_us, "touches": touches}
        findings.rows.append({**row, "tilted": tilted, "coal": peer})
        cells = [name, f"{heights_us:.2f}", f"{mesh_us:.2f}", f"{touches:.2f}", f"{tilted:.0%}"]
        cells += (
            ["–"] * 3 if peer is None else [f"{peer[0]:.0f}", f"{peer[1]:.1f}", f"{peer[2]:.0%}"]
        )
        rows.append(cells)
        findings.bars.append(Bar(f"collision: {name}, tilted on flat", tilted, 0.0, at_least=False))
        if name == "sphere" or name.startswith("wheel"):
            bar = 2.0 if name == "sphere" else 6.0
            what = f"collision: {name} on 20,000 triangles"
            findings.bars.append(Bar(what, mesh_us, bar, "µs", at_least=False))
    show(HEADERS, rows)
    note(LEGEND)
    return findings
