"""Repair dangling references in Collada files, so that no part is lost.

The reader drops a whole part if its material refers to something that does not exist. A sampler
without a surface gets the only one of its effect; other dangling references are removed, and the
part is drawn without them.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

Element = ElementTree.Element


def mended(data: bytes) -> tuple[bytes, list[str]]:
    """The file with its references repaired, and a list of the repairs in words.

    Args:
        data: a Collada file, already checked to be well-formed and without entities.
    """
    root = ElementTree.fromstring(data)
    notes = [note for effect in _all(root, "effect") for note in _mend_effect(effect)]
    notes += _drop_materials(root)
    return (ElementTree.tostring(root), notes) if notes else (data, [])


def _mend_effect(effect: Element) -> Iterator[str]:
    """Repair samplers without a surface, textures without a sampler."""
    pictures = {  # image of each surface, by name
        param.get("sid", ""): _text(param, "init_from")
        for param in _all(effect, "newparam")
        if any(_all(param, "surface"))
    }
    known: set[str] = set()
    for param in _all(effect, "newparam"):
        for source in (s for sampler in _all(param, "sampler2D") for s in _all(sampler, "source")):
            name = (source.text or "").strip()
            if name not in pictures and len(pictures) == 1:
                yield f"surface {name[:60]!a} is missing; the only one of its effect is used"
                (name,) = pictures
                source.text = name
            if name in pictures:
                known |= {param.get("sid", ""), pictures[name]}
    for look in list(effect.iter()):
        for channel in list(look):  # <diffuse> and others, which must not be empty
            names = [child.get("texture", "") for child in channel if _tag(child) == "texture"]
            lost = [name for name in names if name not in known]
            if lost:
                look.remove(channel)
                yield f"texture {lost[0][:60]!a} is missing"


def _drop_materials(root: Element) -> Iterator[str]:
    """Drop uses of materials that do not exist, or whose effect does not."""
    effects = {effect.get("id") for effect in _all(root, "effect")}
    sound = {
        material.get("id")
        for material in _all(root, "material")
        if all(_target(use, "url") in effects for use in _all(material, "instance_effect"))
    }
    for parent in list(root.iter()):
        for use in [child for child in parent if _tag(child) == "instance_material"]:
            name = _target(use, "target")
            if name not in sound:
                parent.remove(use)
                yield f"material {name[:60]!a} or its effect is missing"


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _all(element: Element, tag: str) -> Iterator[Element]:
    return (found for found in element.iter() if _tag(found) == tag)


def _text(element: Element, tag: str) -> str:
    return next(((found.text or "").strip() for found in _all(element, tag)), "")


def _target(element: Element, name: str) -> str:
    return element.get(name, "").removeprefix("#")
