"""Controllers for the flexible link: programs that know its mailbox and nothing else.

python -m inloop.gallery.flexlink.controllers.lq flexlink [--tuning 2 --from 90 --to 94]
"""
