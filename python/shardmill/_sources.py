"""The files that the arguments of open() name."""
import glob
import os
import re

from shardmill._errors import Error

SUFFIXES = tuple(".tar" + codec for codec in ("", ".bz2", ".gz", ".xz", ".zst", ".lz4")) + (".tgz", ".tbz2", ".txz")


def problem(path, what, advice=""):
    """An Error about a path."""
    error = Error(f"{path}: {what}" + (f" ({advice})" if advice else ""))
    error.path, error.problem, error.advice = str(path), what, advice
    return error


def stamp_of(path):
    """Returns the size and the time of a file, which differ once it is replaced; None if it does not exist."""
    try:
        facts = os.stat(path)
    except FileNotFoundError:
        return None
    except OSError as failure:
        raise problem(path, f"cannot be read: {failure.strerror}") from failure
    return facts.st_size, facts.st_mtime_ns


def need_unchanged(stamps):
    """Raises an Error if a file of a dataset has changed. `stamps`: pairs of a path and its stamp at the opening."""
    for path, stamp in stamps:
        now = stamp_of(path)
        if now != stamp:
            gone = "" if now else "cannot be read: No such file or directory; "
            raise problem(path, gone + "the dataset was changed since it was opened",
                          "make a new ShardDataset, or call shardmill.open() again")


def refuse_remote(source):
    """Raises an Error for a source on a server, before anything looks for a file with its name."""
    text = os.fsdecode(source)
    if re.match(r"(?:dataset:)?(?:https?|s3)://", text):
        raise problem(text.partition("?")[0], "Python reads only files of this machine",
                      "copy it here first, or repack it: the command shardmill reads from servers and buckets")


def braces_expanded(pattern):
    """Expands {000..063} and {train,dev} in a pattern, as the shell does."""
    found = re.search(r"\{(?:(\d+)\.\.(\d+)|([^{}]*,[^{}]*))\}", pattern)
    if not found:
        return [pattern]
    first, last, words = found.groups()
    if words is None:
        width = len(first) if first.startswith("0") or last.startswith("0") else 0
        step = 1 if int(first) <= int(last) else -1
        words = [str(number).zfill(width) for number in range(int(first), int(last) + step, step)]
    else:
        words = words.split(",")
    return [text for word in words for text in braces_expanded(pattern[:found.start()] + word + pattern[found.end():])]


def shards_in(folder):
    """The shards that lie in a folder that is no dataset, by their names."""
    shards = sorted(os.path.join(folder, name) for name in os.listdir(folder)
                    if name.endswith(SUFFIXES) and not name.startswith("."))
    if not shards:
        raise problem(folder, "holds no shards, and is no finished dataset of shardmill's",
                      "shards are files such as a.tar or a.tar.bz2")
    return shards


def paths_of(source):
    """The files and folders that a path or a pattern names; each of them exists."""
    source = os.fspath(source)
    if isinstance(source, bytes):
        source = os.fsdecode(source)
    refuse_remote(source)
    if os.path.exists(source):
        return [source]
    paths = []
    for text in braces_expanded(source):
        if glob.has_magic(text):
            matches = sorted(glob.glob(text))
            if not matches:
                raise problem(text, "no file matches this pattern")
            paths += matches
        elif os.path.exists(text):
            paths.append(text)
        else:
            raise problem(text, "there is no such file or folder")
    return paths
