"""Checks of arguments, with errors that name the one that is wrong."""
import os


def need(name, value, kinds, what):
    """A TypeError unless `value` is of one of these kinds. True is no number here."""
    if not isinstance(value, kinds) or (isinstance(value, bool) and kinds is not bool):
        raise TypeError(f"{name} is {what}, and not {value!r}")


def need_counts(**values):
    for name, value in values.items():
        need(name, value, int, "one whole number")
        if value < 0:
            raise ValueError(f"{name} is not negative")
        if value >= 1 << (32 if name == "threads" else 64):
            raise ValueError(f"{name} is too large: {value}")


def need_flags(**values):
    for name, value in values.items():
        need(name, value, bool, "True or False")


def need_callback(progress):
    if progress is not None and not callable(progress):
        raise TypeError(f"progress is a function, and not {progress!r}")


def path_text(name, value):
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise TypeError(f"{name} is a path, and not {value!r}")
    return os.fsdecode(value)


def path_texts(name, values):
    """Of one path or of several."""
    if isinstance(values, (str, bytes, os.PathLike)):
        values = [values]
    try:
        values = list(values)
    except TypeError:
        raise TypeError(f"{name} is a path or a list of paths, and not {values!r}") from None
    return [path_text(f"each of {name}", value) for value in values]
