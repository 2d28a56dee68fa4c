"""The exceptions of the library."""


class Error(Exception):
    """What went wrong, where, and what to do about it."""

    problem = ""  # one clause
    advice = ""  # what to do; may be empty
    path = None  # the file
    member = None  # the file inside the tar
    offset = None  # in bytes, in the file as it lies on disk


class DamageWarning(UserWarning):
    """What a shard lost that is read with skip_damage."""


class UsageError(Error, ValueError):
    """Arguments that make no sense."""
