"""Public functions of all joint kinds: revolute(...), screw(...), ....

They are collected from the kinds. Type checkers and editors read them from `written.pyi`, which
`make format` generates.
"""

from inloop.joints.kinds import WRITTEN

globals().update(WRITTEN)
__all__ = list(WRITTEN)
