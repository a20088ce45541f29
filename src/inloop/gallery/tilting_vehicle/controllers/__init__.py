"""Controllers for the tilting vehicle: separate programs that use only its mailbox.

python -m inloop.gallery.tilting_vehicle.controllers.combined tilting_vehicle [--path weave]
"""
