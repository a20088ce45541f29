"""Common parts of all exhibits: their description, the catalog, drawings."""
