#!/usr/bin/env python3
"""What the indexes of other loaders cost when `repack` writes them at once.

    index_cost.py [MB] [ROUNDS] [WAY...]    600 MB in 5 rounds, all ways; needs 4 times MB in the temporary folder

The sources are plain tars of noise with the rhythm of speech (wav, 16 kHz, 2 to 12 s) and texts. In each round, all
ways to repack them run in turn, each after a sync, with the sources in memory, and the output is removed. A way is
compared with the same options without the index in the same round, and the medians of these ratios are printed, of
seconds that pass and of seconds of the processor (user and system, by wait4), and how much the output is larger.

Ways: none; text-manifest, which is `--text manifest` alone; each kind that `shardmill index --help` lists; and
combinations: wids,dali,energon (what `shardmill index` writes by itself), idxpack,shar and nemo,idxpack. Those with
nemo have `--text manifest`, as that loader needs it, and are compared with text-manifest.
"""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

import sources

RATE = 16000
TARS = 12
SHARDS = 16
TEXT_MANIFEST = ["--text", "manifest"]


def speech_like(generator):
    """2 to 12 s of noise with little above 4 kHz, and some four syllables a second."""
    frames = int(RATE * generator.uniform(2, 12))
    noise = numpy.convolve(generator.standard_normal(frames, dtype=numpy.float32), numpy.ones(4, "float32"), "same")
    loudness = numpy.repeat(generator.lognormal(-1, 1, frames // 2000 + 2).astype("float32"), 2000)[:frames]
    return numpy.clip(1500 * noise * loudness, -32768, 32767).astype("<i2")


def members(tar, size):
    """Of one tar of at least `size` bytes."""
    generator, number, written = numpy.random.default_rng(tar), 0, 0
    while written < size:
        data = sources.wav(speech_like(generator).tobytes(), RATE, 16)
        yield f"t{tar:02}-{number:06}.txt", f"utterance {number} of tar {tar}, with a text of usual length".encode()
        yield f"t{tar:02}-{number:06}.wav", data
        number, written = number + 1, written + len(data)


def all_ways():
    """Options by name."""
    ways = {"none": [], "text-manifest": TEXT_MANIFEST}
    for kinds in (*sources.harness.all_forms(), "wids,dali,energon", "idxpack,shar", "nemo,idxpack"):
        ways[kinds] = ["--index", kinds] + (TEXT_MANIFEST if base_of(kinds) == "text-manifest" else [])
    return ways


def base_of(way):
    return "text-manifest" if "nemo" in way.split(",") else "none"


def run(folder, options):
    """Seconds that pass, seconds of the processor, and bytes of the output."""
    os.sync()
    for path in (folder / "in").iterdir():
        path.read_bytes()
    command = [sources.PROGRAM, "repack", "in", "--out", "out", "--shards", str(SHARDS), "-q", *options]
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"failed: {' '.join(command)}")
    size = sum(path.stat().st_size for path in (folder / "out").rglob("*") if path.is_file())
    shutil.rmtree(folder / "out")
    return wall, usage.ru_utime + usage.ru_stime, size


def main(megabytes=600, rounds=5, *chosen):
    ways = all_ways()
    if set(chosen) - set(ways):
        sys.exit(f"index_cost: the ways are {' '.join(ways)}")
    if chosen:
        ways = {way: ways[way] for way in ways if way in chosen or way in {base_of(each) for each in chosen}}
    with tempfile.TemporaryDirectory(prefix="shardmill-index-") as name:
        folder = pathlib.Path(name)
        (folder / "in").mkdir()
        for tar in range(TARS):
            sources.write_tar(folder / f"in/s{tar:02}.tar", members(tar, megabytes * 1_000_000 // TARS))
        run(folder, [])
        figures = {way: [] for way in ways}
        for _ in range(rounds):
            for way, options in ways.items():
                figures[way].append(run(folder, options))
    print(f"{megabytes} MB, medians of {rounds} rounds")
    print(f"{'':20} {'seconds':>9} {'of CPU':>9} {'MB':>9}    ratios: {'seconds':>9} {'of CPU':>9} {'MB':>9}   to")
    for way, own in figures.items():
        seconds, of_cpu, size = (statistics.median(each) for each in zip(*own))
        line = f"{way:20} {seconds:9.3f} {of_cpu:9.3f} {size / 1e6:9.1f}"
        if way != base_of(way):
            ratios = [[after / before for before, after in zip(*pair)] for pair in zip(figures[base_of(way)], own)]
            line += " " * 12 + "".join(f" {statistics.median(each):9.3f}" for each in zip(*ratios))
            line += f"   {base_of(way)}"
        print(line)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:])
