"""Files that are read at single places, on this machine and on servers; and what tells that one was replaced."""
import os
import threading
import weakref

from shardmill import _native
from shardmill._errors import Error

_ADVICE = "shardmill verify says what else is wrong"


def is_address(path):
    return path.startswith(("s3://", "http://", "https://"))


def problem(path, what, advice=""):
    """An Error about a path."""
    error = Error(f"{path}: {what}" + (f" ({advice})" if advice else ""))
    error.path, error.problem, error.advice = str(path), what, advice
    return error


class KnownPath:
    """A path or an address, and the part of an address that messages may show. Of addresses with the same part, a process can
    have only one open at a time."""

    _lock = threading.Lock()
    _all = weakref.WeakValueDictionary()

    def __init__(self, source):
        self.source = str(source)
        self._know()

    def _know(self):
        self.shown = self.source
        if not is_address(self.source):
            return
        with self._lock:
            self.shown = _native.shown_address(self.source)
            other = self._all.get(self.shown)
            if other is not None and other.source != self.source:
                raise problem(self.shown, "is open with another password, or with other text behind its '?'",
                              "read the other one first, and drop it, or use another process")
            _native.known_address(self.source)
            self._all[self.shown] = other or self
            self._other = other  # lives as long as any of them

    def __getstate__(self):
        return {"source": self.source}

    def __setstate__(self, state):
        self.source = state["source"]
        self._know()


def stamp_of(path):
    """Returns the size and the time of a file, or its version on a server, which differ once it is replaced; None if it does not
    exist."""
    if is_address(path):
        return _native.facts_of(path)
    try:
        facts = os.stat(path)
    except FileNotFoundError:
        return None
    except OSError as failure:
        raise problem(path, f"cannot be read: {failure.strerror}") from failure
    return facts.st_size, facts.st_mtime_ns


def stamps_in(folder, names):
    """Those of the files with these names in a folder."""
    if is_address(folder):
        return _native.facts_in(folder, names)
    return [stamp_of(os.path.join(folder, name)) for name in names]


def tell_change(stamps):
    """As need_unchanged(), after something failed. Servers tell changes themselves, and may not answer at all."""
    if not any(is_address(path) for path, _ in stamps):
        need_unchanged(stamps)


def need_unchanged(stamps):
    """Raises an Error if a file of a dataset has changed. `stamps`: pairs of a path and its stamp at the opening."""
    for path, stamp in stamps:
        now = stamp_of(path)
        if now != stamp:
            gone = "" if now else "cannot be read: No such file or directory; "
            raise problem(path, gone + "the dataset was changed since it was opened",
                          "make a new ShardDataset, or call shardmill.open() again")


class _LocalFile:
    def __init__(self, path):
        self._file = open(path, "rb", buffering=0)

    def size(self):
        return os.fstat(self._file.fileno()).st_size

    def read(self, size, offset):
        """Fewer bytes only at the end."""
        data = os.pread(self._file.fileno(), size, offset)
        while data and len(data) < size:
            more = os.pread(self._file.fileno(), size - len(data), offset + len(data))
            if not more:
                break
            data += more
        return data

    def close(self):
        self._file.close()


class PlacesOf:
    """The bytes of a file, by their places. Several threads may read those of a file on a server at the same time."""

    def __init__(self, path):
        self.path = path
        try:
            self._file = _native.RemoteFile(path) if is_address(path) else _LocalFile(path)
        except OSError as failure:
            raise problem(path, f"cannot be read: {failure.strerror}", _ADVICE) from failure

    def read(self, size, offset):
        """Exactly `size` bytes."""
        data = self.read_up_to(size, offset)
        if len(data) != size:
            raise problem(self.path, f"ends before byte {offset + size}", _ADVICE)
        return data

    def read_up_to(self, size, offset):
        """Fewer bytes only at the end."""
        try:
            return self._file.read(size, offset)
        except OSError as failure:
            raise problem(self.path, f"cannot be read: {failure.strerror}", _ADVICE) from failure

    def read_both(self, begin, offset, size):
        """Returns the bytes from `begin` to `offset`, and `size` more: with one question to a server, and without a copy from a
        file."""
        if isinstance(self._file, _LocalFile):
            return self.read(offset - begin, begin), self.read(size, offset)
        data = self.read(offset + size - begin, begin)
        return data[:offset - begin], data[offset - begin:]

    def read_all(self):
        return self.read_up_to(self.size(), 0)

    def size(self):
        return self._file.size()

    def close(self):
        """Does nothing for a file on a server, which other threads may still read."""
        if isinstance(self._file, _LocalFile):
            self._file.close()


def exists(path):
    return _native.facts_of(path) is not None if is_address(path) else os.path.exists(path)
