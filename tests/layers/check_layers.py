#!/usr/bin/python3
"""The rules of the house that a compiler does not see. The build depends on this, so breaking one breaks the build.

1. A folder includes only itself and folders of lower layers.
2. A library is included only where LIBRARIES says; headers include none but fmt, and Boost in cli/.
3. Headers stand in include/shardmill/LAYER/, sources in src/LAYER/; a source includes what it implements.

    check_layers.py ROOT [STAMP]     STAMP is touched when all is well
"""
import pathlib
import re
import sys

# From the top. Folders of one line do not include each other.
LAYERS = [
    {"cli"},
    {"commands"},
    {"pipeline"},
    {"source"},
    {"shard"},
    {"deal", "manifest"},
    {"audio", "archive", "codec", "page"},
    {"model"},
    {"base"},
]
RANK = {folder: rank for rank, layer in enumerate(LAYERS) for folder in layer}

# What the include begins with, and the sources below src/ that may have it.
LIBRARIES = {
    "boost/": r"cli/",
    "tbb/": r"(pipeline|codec)/",
    "oneapi/": r"(pipeline|codec)/",
    "bzlib.h": r"codec/bzip2",
    "zlib.h": r"codec/gzip",
    "lzma.h": r"codec/xz",
    "zstd": r"codec/zstd",
    "lz4": r"codec/lz4",
    "sndfile.h": r"audio/",
    "soxr.h": r"audio/resample",
    "FLAC/": r"audio/flac_(writer|decoding)",
    "archive": r"archive/",
    "xxhash.h": r"base/",
    "openssl/": r"base/",
    "simdjson.h": r"base/json_reader",
    "fmt/": r"",
    "immintrin.h": r"(base|codec)/.*_(avx512|avx2|ssse3)\.cpp",
    "arm_neon.h": r"codec/.*_neon\.cpp",
}
# C++'s headers have no dot; of C and POSIX these.
SYSTEM = re.compile(r"[a-z_0-9]+|(sys|linux)/\w+\.h|(dirent|fcntl|fnmatch|glob|poll|pthread|sched|signal|spawn|unistd)\.h")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def include_problem(place, folder, is_header, include):
    """What is wrong with one include of the file at `place` (below src/ or include/shardmill/), or None."""
    own = re.fullmatch(r"shardmill/(\w+)/\w+\.hpp", include)
    if own:
        other = own[1]
        if other not in RANK:
            return "no such layer"
        if not folder:
            return None if other == "cli" else "main knows cli only"
        if other != folder and RANK[other] < RANK[folder]:
            return f"upward: {folder} stands below {other}"
        if other != folder and RANK[other] == RANK[folder]:
            return f"sideways: {folder} and {other} do not know each other"
        return None
    if SYSTEM.fullmatch(include):
        return None
    for prefix, home in LIBRARIES.items():
        if include.startswith(prefix):
            if is_header and prefix not in ("fmt/", "boost/"):
                return "only sources include this library"
            return None if re.match(home, place) else f"belongs in src/{home} only"
    return "unknown: name its home in tests/layers/check_layers.py"


def place_problem(path, place, is_header):
    """What is wrong with where a file stands, or None."""
    if place == "main.cpp":
        return None
    if not re.fullmatch(r"\w+/\w+\.(cpp|hpp)", place) or place.split("/")[0] not in RANK:
        return "stands in no layer"
    if is_header != (path.suffix == ".hpp"):
        return "headers stand in include/shardmill/, sources in src/"
    return None


def problems(root):
    files = sorted(path for top in ("src", "include/shardmill") for path in (root / top).rglob("*.[ch]pp"))
    if not files:
        yield f"{root}: no source files"
    for path in files:
        is_header = path.is_relative_to(root / "include")
        place = str(path.relative_to(root / ("include/shardmill" if is_header else "src")))
        folder = place.split("/")[0] if "/" in place else ""
        wrong_place = place_problem(path, place, is_header)
        if wrong_place:
            yield f"{path.relative_to(root)}: {wrong_place}"
            continue
        includes = INCLUDE.findall(path.read_text(encoding="utf-8"))
        if folder and not is_header and not any(name.startswith(f"shardmill/{folder}/") for name in includes):
            yield f"{path.relative_to(root)}: includes no header of {folder}/ that it implements"
        for include in includes:
            wrong = include_problem(place, folder, is_header, include)
            if wrong:
                yield f"{path.relative_to(root)}: includes {include}: {wrong}"


def main(root, stamp=None):
    found = list(problems(pathlib.Path(root)))
    for line in found:
        print(line, file=sys.stderr)
    if not found and stamp:
        pathlib.Path(stamp).touch()
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
