"""Checks of arguments, with errors that name the one that is wrong. Whatever Python takes for a number or a path
is one here, too: those of NumPy, and all with __index__, __float__ or __fspath__."""
import operator
import os

PATH_TYPES = (str, bytes, os.PathLike)


def _wrong(name, what, value):
    return TypeError(f"{name} is {what}, and not {value!r}")


def is_flag(value):
    """True for Python's and NumPy's bools, which are not numbers here."""
    return isinstance(value, bool) or type(value).__module__ == "numpy" and type(value).__name__ in ("bool_", "bool")


def number_text(value):
    """A number as the command reads it; None for anything else."""
    if hasattr(value, "__index__"):
        try:
            return format(operator.index(value))
        except TypeError:
            pass  # tensors and arrays have it, whatever they hold
    if not hasattr(value, "__float__"):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None  # arrays
    try:
        float(str(value))
    except ValueError:
        return format(number)
    return str(value)  # float32(0.2) is meant to be 0.2, and not 0.20000000298


def need_text(name, value, what):
    if not isinstance(value, str):
        raise _wrong(name, what, value)


def counts(**values):
    """The values as plain numbers."""
    return tuple(_count(name, value) for name, value in values.items())


def _count(name, value):
    try:
        number = None if is_flag(value) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise _wrong(name, "one whole number", value)
    if number < 0:
        raise ValueError(f"{name} is not negative: {number}")
    if number >= 1 << (32 if name == "threads" else 64):
        raise ValueError(f"{name} is too large: {number}")
    return number


def numbers(name, what, values):
    """The values as a list of floats."""
    try:
        texts = [number_text(value) for value in values]
    except TypeError:
        texts = [None]
    if None in texts:
        raise _wrong(name, what, values)
    return list(map(float, texts))


def flags(**values):
    """The values as Python's own True and False."""
    for name, value in values.items():
        if not is_flag(value):
            raise _wrong(name, "True or False", value)
    return tuple(map(bool, values.values()))


def need_callback(progress):
    if progress is not None and not callable(progress):
        raise _wrong("progress", "a function", progress)


def path_text(name, value):
    if not isinstance(value, PATH_TYPES):
        raise _wrong(name, "a path", value)
    return os.fsdecode(value)


def path_texts(name, values):
    """Of one path or of several."""
    if isinstance(values, PATH_TYPES):
        values = [values]
    try:
        values = list(values)
    except TypeError:
        raise _wrong(name, "a path or a list of paths", values) from None
    return [path_text(f"each of {name}", value) for value in values]
