"""Controllers that are part of a plant: functions of time and outputs, sampled inside the loop."""
