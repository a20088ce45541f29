"""The error for fits without exact derivatives."""


class NotExactError(Exception):
    """Exact derivatives are not available; the text says why."""
