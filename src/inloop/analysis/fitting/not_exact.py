"""Where a fit has no exact derivatives."""


class NotExactError(Exception):
    """Exact derivatives are not available; the text says why."""
