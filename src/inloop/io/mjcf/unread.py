"""Content of an MJCF file that is not read, by name and line: a traversal of all elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inloop.io.mjcf.defaults import ACTUATORS, ORIENTATIONS
from inloop.io.remarks import Remarks
from inloop.io.xml import Element
from inloop.model.names import quoted

_POSE = {"pos", *ORIENTATIONS}
_ACTUATOR = {
    "name", "class", "joint", "jointinparent", "tendon", "gear", "ctrllimited", "forcelimited",
    "ctrlrange", "forcerange", "actlimited", "actrange", "delay", "damping", "armature",
}  # fmt: skip
_LAWS = {
    "general": {"gaintype", "gainprm", "biastype", "biasprm", "dyntype", "dynprm", "actearly"},
    "position": {"kp", "kv", "timeconst", "dampratio", "inheritrange"},
    "intvelocity": {"kp", "kv", "dampratio", "inheritrange"},
    "velocity": {"kv"},
    "damper": {"kv"},
    "cylinder": {"timeconst", "area", "diameter", "bias"},
}
# attributes that are read, or noted by their readers
_READ: Mapping[str, set[str]] = {
    "mujoco": {"model"},
    "compiler": {
        "angle", "autolimits", "eulerseq", "coordinate", "inertiafromgeom", "inertiagrouprange",
        "meshdir", "assetdir", "strippath", "balanceinertia", "boundmass", "boundinertia",
        "settotalmass",
    },
    "option": {"gravity"},
    "flag": {"gravity", "actuation", "clampctrl", "spring", "damper", "passive", "equality",
             "constraint", "contact", "limit", "frictionloss"},
    "default": {"class"},
    "worldbody": {"name", "childclass"},
    "body": {"name", "childclass", "mocap", "gravcomp", *_POSE},
    "frame": {"name", "childclass", *_POSE},
    "inertial": {"mass", "diaginertia", "fullinertia", *_POSE},
    "joint": {
        "name", "class", "type", "pos", "axis", "limited", "range", "ref", "springref",
        "stiffness", "damping", "armature", "frictionloss", "springdamper", "springyield",
    },
    "freejoint": {"name", "class"},
    "geom": {"name", "class", "type", "size", "fromto", "mesh", "mass", "density", "shellinertia",
             "rgba", "material", "contype", "conaffinity", "hfield", "group", *_POSE},
    "site": {"name", "class", *_POSE},
    "mesh": {"name", "class", "file", "scale", "vertex", "face", "refpos", "refquat", "inertia"},
    "material": {"name", "class", "rgba"},
    "connect": {"name", "class", "active", "body1", "body2", "anchor", "site1", "site2"},
    "weld": {"name", "class", "active", "body1", "body2", "anchor", "relpose", "site1", "site2"},
    "key": {"name", "qpos", "qvel"},
    "jointpos": {"name", "joint"},
    "jointvel": {"name", "joint"},
    "equality": set(),
    "tendon": {"name", "class", "stiffness", "damping", "springlength"},
    **{tag: _ACTUATOR | _LAWS.get(tag, set()) for tag in ACTUATORS},
}  # fmt: skip
_COUPLING = {"name", "class", "active", "joint1", "joint2", "polycoef"}
# attributes of features that are omitted as a whole, by feature
_CONTACT = {"condim", "priority", "friction", "solmix", "solref", "solimp", "margin", "gap",
            "surfacevel", "adhesion"}  # fmt: skip
_SOLVER = {
    "timestep", "impratio", "tolerance", "ls_tolerance", "noslip_tolerance", "ccd_tolerance",
    "sleep_tolerance", "integrator", "cone", "jacobian", "solver", "iterations", "ls_iterations",
    "noslip_iterations", "ccd_iterations", "sdf_iterations", "sdf_initpoints", "o_margin",
    "o_solref", "o_solimp", "o_friction", "solreflimit", "solimplimit", "solreffriction",
    "solimpfriction", "solref", "solimp", "margin", "torquescale", "warmstart", "filterparent",
    "refsafe", "midphase", "eulerdamp", "autoreset", "nativeccd", "island", "multiccd",
    "override", "energy", "fwdinv", "invdiscrete", "sleep", "diagexact", "sensor", "apirate",
}  # fmt: skip
_DRAWING = {"group", "rgba", "material", "size", "type", "fromto", "user", "castshadow", "mesh",
            "texrepeat", "texuniform", "texture", "emission", "specular", "shininess",
            "reflectance", "metallic", "roughness", "smoothnormal", "texcoord", "normal",
            "maxhullvert", "width", "texturedir", "discardvisual", "content_type"}  # fmt: skip
_WITHOUT_MOTION = {"visual", "statistic", "size", "camera", "light", "texture", "skin"}
_INSIDE = {"joint", "freejoint", "geom", "site", "inertial", "flag"}  # bodies and options
_WHOLE = ("custom", "extension", "deformable", "contact")


class Unread:
    """Collects what is not read, by purpose."""

    def __init__(self, remarks: Remarks) -> None:
        self._remarks = remarks
        self._places: dict[str, dict[str, str]] = {}

    def tell(self, root: Element) -> Iterator[str]:
        """Traverse a file; return sentences about attributes, one for each purpose."""
        self._attributes(root, _READ["mujoco"])
        for section in root.children:
            self._section(section)
        for purpose, places in self._places.items():
            listed = ", ".join(f"{name} ({where})" for name, where in places.items())
            yield f"not read, {purpose}: {listed}"

    def _section(self, section: Element) -> None:
        if section.tag in _WITHOUT_MOTION:
            self._add("for drawing or memory", section.label, section.where)
        elif section.tag in _WHOLE:
            for child in section.children or [section]:
                self._remarks.add(f"not read: <{child.tag}> in <{section.tag}>", child.where)
        elif section.tag in ("worldbody", "default", "compiler", "option"):
            self._nested(section)
        elif section.tag == "asset":
            self._children(section, {"mesh", "material"})
        elif section.tag == "equality":
            self._equalities(section)
        elif section.tag == "tendon":
            self._tendons(section)
        elif section.tag == "actuator":
            for child in section.children:
                self._attributes(child, _READ.get(child.tag, set(child.attributes)))
        elif section.tag == "sensor":
            self._sensors(section)
        elif section.tag == "keyframe":
            self._children(section, {"key"})
        else:
            self._remarks.add(f"not read: {section.label}", section.where)

    def _nested(self, element: Element) -> None:
        """Bodies, frames and default classes, which may be nested."""
        self._attributes(element, _READ[element.tag])
        for child in element.children:
            if child.tag in ("body", "frame", "default"):
                self._nested(child)
            elif child.tag in _WITHOUT_MOTION:
                self._add("for drawing or memory", child.label, child.where)
            elif child.tag in (_READ if element.tag == "default" else _INSIDE):
                self._attributes(child, _READ[child.tag])
                for inner in child.children:
                    self._remarks.add(f"not read: {inner.label} in {child.label}", inner.where)
            else:
                self._remarks.add(f"not read: {child.label} in {element.label}", child.where)

    def _children(self, section: Element, known: set[str]) -> None:
        for child in section.children:
            if child.tag in known:
                self._attributes(child, _READ[child.tag])
            elif child.tag in _WITHOUT_MOTION:
                self._add("for drawing or memory", child.label, child.where)
            else:
                self._remarks.add(f"not read: {child.label} in {section.label}", child.where)

    def _equalities(self, section: Element) -> None:
        for child in section.children:
            known = _COUPLING if child.tag == "joint" else _READ.get(child.tag)
            if known is not None:
                self._attributes(child, known)

    def _tendons(self, section: Element) -> None:
        for child in section.children:
            if child.tag == "fixed":
                self._attributes(child, _READ["tendon"])
                for joint in child.all("joint"):
                    self._attributes(joint, {"joint", "coef"})
            else:
                named = quoted(child.attributes.get("name", "without name"))
                self._remarks.add(f"not read: tendon {child.label} {named}", child.where)

    def _sensors(self, section: Element) -> None:
        for child in section.children:
            if child.tag in ("jointpos", "jointvel"):
                self._attributes(child, _READ[child.tag])
            else:
                self._remarks.add(f"not read: sensor {child.label}", child.where)

    def _attributes(self, element: Element, known: set[str]) -> None:
        for name in (name for name in element.attributes if name not in known):
            self._add(_purpose(element.tag, name), f"{name[:40]!a} of {element.label}",
                      element.where)  # fmt: skip

    def _add(self, purpose: str, name: str, where: str) -> None:
        self._places.setdefault(purpose, {}).setdefault(name, where)


def _purpose(tag: str, name: str) -> str:
    if tag == "geom" and name in _CONTACT:
        return "for contacts"
    if name in ("density", "viscosity", "wind", "fluidshape", "fluidcoef"):
        return "so that no medium resists the motion"
    if name in _SOLVER and tag not in ("body", "geom"):
        return "for MuJoCo's solver"
    if name in _DRAWING:
        return "for drawing or memory"
    return "not known or not supported"
