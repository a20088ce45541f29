"""What can be tried with the flexible link: frequencies, controllers, faults, mismatches."""
