"""Bodies with six coordinates each as C."""
