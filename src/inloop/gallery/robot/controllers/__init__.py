"""Controllers for the robot: separate programs that use only its mailbox.

python -m inloop.gallery.robot.controllers.computed_torque robot [--settings FILE]
"""
