"""What the trials share: the program and its package, and sources that are made fast."""
import os
import pathlib
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import harness  # noqa: E402

PROGRAM = harness.PROGRAM
PACKAGE = pathlib.Path(os.environ.get("SHARDMILL_BUILD") or pathlib.Path(PROGRAM).parent) / "python"
BLOCK = 512


def shardmill(folder, *words):
    """Runs the program in a folder."""
    done = subprocess.run([PROGRAM, *map(str, words), "-q"], cwd=folder, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"shardmill {' '.join(map(str, words))}: exit code {done.returncode}")


def wav(data, rate, bits=8):
    """A file of one channel."""
    form = struct.pack("<HHIIHH", 1, 1, rate, rate * bits // 8, bits // 8, bits)
    return struct.pack("<4sI8sI16s4sI", b"RIFF", 36 + len(data), b"WAVEfmt ", 16, form, b"data", len(data)) + data


def header(name, size):
    """Of a regular file in a tar. Python's tarfile takes ten times as long to make it."""
    before = name.encode().ljust(100, b"\0") + b"0000644\0000000000\0000000000\0%011o\00000000000000\0" % size
    behind = b"0" + bytes(100) + b"ustar\00000"
    return (before + b"%06o\0 " % (sum(before) + 8 * ord(" ") + sum(behind)) + behind).ljust(BLOCK, b"\0")


def write_tar(path, members):
    """A plain tar of (name, bytes) pairs, whose names are short and of ASCII."""
    with open(path, "wb", buffering=1 << 20) as out:
        for name, data in members:
            out.write(header(name, len(data)))
            out.write(data)
            out.write(bytes(-len(data) % BLOCK))
        out.write(bytes(2 * BLOCK))
