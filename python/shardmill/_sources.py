"""The files that the arguments of open() name."""
import glob
import os
import re

from shardmill import _native
from shardmill._files import is_address, problem

SUFFIXES = tuple(".tar" + codec for codec in ("", ".bz2", ".gz", ".xz", ".zst", ".lz4")) + (".tgz", ".tbz2", ".txz")


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


def _names_at(prefix):
    """The files directly in a folder of a bucket."""
    begin = prefix.rstrip("/") + "/"
    return [file[len(begin):] for file in _native.files_below(begin) if "/" not in file[len(begin):]]


def shards_in(folder):
    """The shards that lie in a folder that is no dataset, by their names."""
    names = _names_at(folder) if is_address(folder) else os.listdir(folder)
    shards = sorted(os.path.join(folder, name) for name in names
                    if name.endswith(SUFFIXES) and not name.startswith("."))
    if not shards:
        raise problem(folder, "holds no shards, and is no finished dataset of shardmill's",
                      "shards are files such as a.tar or a.tar.bz2")
    return shards


def paths_of(source):
    """The files and folders that a path or a pattern names; each of them exists, but for addresses."""
    source = os.fspath(source)
    if isinstance(source, bytes):
        source = os.fsdecode(source)
    if re.match(r"(?:s3|https?):/[^/]", source):
        raise problem(source, "is no address: those begin as s3://", "give a text: pathlib drops a slash")
    if is_address(source):
        path, mark, question = source.partition("?")
        return [text + mark + question for text in braces_expanded(path)]
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
