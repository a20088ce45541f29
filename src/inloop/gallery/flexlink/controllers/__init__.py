"""Controllers for the flexible link: separate programs that use only its mailbox.

python -m inloop.gallery.flexlink.controllers.lq flexlink [--tuning 2 --from 90 --to 94]
"""
