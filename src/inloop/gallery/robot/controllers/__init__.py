"""Controllers for the robot: programs of their own that know its mailbox and nothing else.

python -m inloop.gallery.robot.controllers.computed_torque robot [--settings FILE]
"""
