"""A kart held on a running belt: forces of its tyres, a load cell, steering through cables."""
