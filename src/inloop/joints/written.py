"""What a person writes for each kind of joint: revolute(...), screw(...), ....

They are found where the kinds are. Type checkers and editors read them in `written.pyi`, which
`make format` writes.
"""

from inloop.joints.kinds import WRITTEN

globals().update(WRITTEN)
__all__ = list(WRITTEN)
