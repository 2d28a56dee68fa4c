#!/usr/bin/python3
"""The rules of the house that a compiler does not see. The build depends on this, so breaking one breaks the build.

1. A folder includes only itself and folders of lower layers.
2. A folder inside a layer is private to it: only files of the folder above it, and below that, include its headers.
   The folders of base/ are open to all.
3. A private header stands beside its source in src/. include/shardmill/ is the public API: its headers include each
   other and C++'s own, and only library/ includes them; COMMON lists those that everybody may include.
4. A library is included only where LIBRARIES says; headers include none but fmt, and Boost in cli/.
5. A source includes a header of its own layer: the one that it implements.
6. Layers below cli/ and library/ name no options of the command line in their messages: they give a Remedy, and cli/
   has the words. A whole command that mends something may be named: "shardmill index DIR --list-root ROOT". Texts that
   are recorded in files, and options of other programs, are in OPTION_EXCEPTIONS.
7. What calls fmt::join() includes fmt/ranges.h: fmt/format.h holds it up to fmt 10 only.

    check_layers.py ROOT [STAMP]     STAMP is touched when all is well
"""
import pathlib
import re
import sys

# From the top. Folders of one line do not include each other.
LAYERS = [
    {"cli", "library"},
    {"update", "repair", "report", "doctor"},
    {"repack", "convert", "index", "ranks"},
    {"check"},
    {"dataset"},
    {"pipeline"},
    {"source"},
    {"shard"},
    {"deal", "manifest"},
    {"parquet"},
    {"audio", "archive", "codec", "page"},
    {"model"},
    {"base"},
]
RANK = {folder: rank for rank, layer in enumerate(LAYERS) for folder in layer}

# Layers whose inner folders are open to all.
OPEN = {"base"}

# Public headers that every layer may include.
COMMON = {"shardmill/error.hpp", "shardmill/sample.hpp"}

# Layers whose messages name options, and sources of others that may: their texts stand in rejects.jsonl, or the options
# are those of other programs.
MAY_NAME_OPTIONS = {"cli", "library"}
OPTION_EXCEPTIONS = {"pipeline/intake/key_filter.cpp", "codec/zstd.cpp", "doctor/gpus.cpp", "doctor/judge_loaders.cpp"}
STRING = re.compile(r'//[^\n]*|"((?:[^"\\\n]|\\.)*)"')
CUT_STRING = re.compile(r'"\s*\n\s*"')
OPTION = re.compile(r"--[a-z][a-z-]+")
COMMAND = re.compile(r"shardmill [a-z]+ [^;]*")

# What the include begins with, and the sources below src/ that may have it.
LIBRARIES = {
    "boost/": r"cli/",
    "tbb/": r"pipeline/",
    "oneapi/": r"pipeline/",
    "bzlib.h": r"codec/bzip2/",
    "zlib.h": r"codec/gzip",
    "isa-l.h": r"codec/sums_by_isal",
    "lzma.h": r"codec/xz",
    "zstd": r"codec/zstd",
    "lz4": r"codec/lz4",
    "isa-l/": r"codec/sums_by_isal",
    "sndfile.h": r"audio/",
    "soxr.h": r"audio/resample",
    "FLAC/": r"audio/flac",
    "sqlite3.h": r"dataset/forms/(energon_database|sqlite_file)",
    "archive.h": r"archive/",
    "archive_entry.h": r"archive/",
    "xxhash.h": r"base/(hash/|version)",
    "openssl/": r"base/(hash/|version)",
    "curl/": r"base/remote/http",
    "simdjson.h": r"base/text/json_reader",
    "fmt/": r"",
    "immintrin.h": r"(base|codec)/.*_(avx512|avx2|ssse3|sha)\.cpp",
    "arm_neon.h": r"codec/.*_neon\.cpp",
    "cpuid.h": r"base/hash/sha256_lanes\.cpp",
}
# C++'s headers have no dot; of C and POSIX these.
SYSTEM = re.compile(r"[a-z_0-9]+|(sys|linux)/\w+\.h|"
                    r"(dirent|fcntl|fnmatch|glob|locale|malloc|poll|pthread|regex|sched|signal|spawn|unistd)\.h")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def folder_of(place):
    return place.rsplit("/", 1)[0] if "/" in place else ""


def own_include_problem(folder, include):
    """What is wrong with including the project's own header `include` in a file of `folder`, or None."""
    layer, other_folder = folder.split("/")[0], folder_of(include)
    other = other_folder.split("/")[0]
    if other not in RANK:
        return "no such layer"
    if not folder:
        return None if other == "cli" else "main knows cli only"
    if other != layer and RANK[other] < RANK[layer]:
        return f"upward: {layer} stands below {other}"
    if other != layer and RANK[other] == RANK[layer]:
        return f"sideways: {layer} and {other} do not know each other"
    owner = folder_of(other_folder)
    if owner and other not in OPEN and folder != owner and not folder.startswith(owner + "/"):
        return f"private: only {owner}/ includes what stands in {other_folder}/"
    return None


def library_problem(place, is_header, include):
    if SYSTEM.fullmatch(include):
        return None
    for prefix, home in LIBRARIES.items():
        if include.startswith(prefix):
            if is_header and prefix not in ("fmt/", "boost/"):
                return "only sources include this library"
            return None if re.match(home, place) else f"belongs in src/{home} only"
    return "unknown: name its home in tests/layers/check_layers.py"


def include_problem(place, is_header, include):
    """What is wrong with one include of the file at `place` (below src/), or None."""
    if include.startswith("shardmill/"):
        allowed = include in COMMON or place.startswith("library/")
        return None if allowed else "public: only library/ includes it"
    if include.endswith(".hpp") and not include.startswith(("boost/", "tbb/")):
        return own_include_problem(folder_of(place), include)
    return library_problem(place, is_header, include)


def public_include_problem(include):
    if include.startswith("shardmill/") or re.fullmatch(r"[a-z_0-9]+", include):
        return None
    return "the public API includes itself and C++'s own headers only"


def source_problems(path, place):
    is_header = path.suffix == ".hpp"
    if place == "main.cpp":
        layer = ""
    elif "/" not in place or place.split("/")[0] not in RANK:
        yield "stands in no layer"
        return
    else:
        layer = place.split("/")[0]
    text = path.read_text(encoding="utf-8")
    if layer and layer not in MAY_NAME_OPTIONS and place not in OPTION_EXCEPTIONS:
        for option in OPTION.findall(" ; ".join(COMMAND.sub("", words)
                                                for words in STRING.findall(CUT_STRING.sub("", text)))):
            yield f"names the option {option} in a message: give a Remedy, and let cli/advice.cpp say it"
    includes = INCLUDE.findall(text)
    own = (layer + "/", "shardmill/") if layer in ("library", "base") else (layer + "/",)
    if layer and not is_header and not any(name.startswith(own) for name in includes):
        yield f"includes no header of {layer}/ that it implements"
    if "fmt::join(" in text and "fmt/ranges.h" not in includes:
        yield "calls fmt::join() without fmt/ranges.h, which fmt 11 needs"
    for include in includes:
        wrong = include_problem(place, is_header, include)
        if wrong:
            yield f"includes {include}: {wrong}"


def public_problems(path, place):
    if "/" in place or path.suffix != ".hpp":
        yield "include/shardmill/ holds the headers of the public API and nothing else"
        return
    for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
        wrong = public_include_problem(include)
        if wrong:
            yield f"includes {include}: {wrong}"


def problems(root):
    sources, public = root / "src", root / "include/shardmill"
    files = sorted(path for top in (sources, root / "include") for path in top.rglob("*.[ch]pp"))
    if not files:
        yield f"{root}: no source files"
    for path in files:
        if path.is_relative_to(sources):
            found = source_problems(path, str(path.relative_to(sources)))
        elif path.is_relative_to(public):
            found = public_problems(path, str(path.relative_to(public)))
        else:
            found = ["stands outside include/shardmill/"]
        for problem in found:
            yield f"{path.relative_to(root)}: {problem}"


def main(root, stamp=None):
    found = list(problems(pathlib.Path(root)))
    for line in found:
        print(line, file=sys.stderr)
    if not found and stamp:
        pathlib.Path(stamp).touch()
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
