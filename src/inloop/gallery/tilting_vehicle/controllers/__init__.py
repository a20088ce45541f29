"""Controllers for the tilting vehicle: programs that know its mailbox and nothing else.

python -m inloop.gallery.tilting_vehicle.controllers.combined tilting_vehicle [--path slalom]
"""
