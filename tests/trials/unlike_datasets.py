#!/usr/bin/env python3
"""Mixes six datasets that are as unlike as speech corpora are, and measures the shards by their tars.

    unlike_datasets.py [SEEDS]      3 seeds, each in 8, 16, 24, 31 and 48 shards, and once in 128

The datasets have 150 to 780 samples, 2,040 together: short commands, long read sentences, talks of 73 s, samples of
about two lengths only, and a broad mix; the run with 128 shards has 7.8 times as many. Their order is drawn, or by
length. A miss is printed: audio times of two shards that differ by more than 10 ms, numbers of samples that differ by
more than one, or of samples of one dataset. The last line has the largest difference; the exit code is 1 for a miss.
"""
import json
import pathlib
import random
import sys
import tarfile
import tempfile

import sources

RATE = 2000  # values of 8 bits a second: half a millisecond each
SHARDS = (8, 16, 24, 31, 48)
MOST_SECONDS = 0.01


def lengths_of(chance):
    """By dataset: how many samples it has, and a function that draws the seconds of one."""
    return {"a": (780, lambda: chance.lognormvariate(1.2, .4)), "b": (500, lambda: chance.lognormvariate(2.4, .3)),
            "c": (150, lambda: chance.gauss(73, 6)), "d": (260, lambda: chance.uniform(.5, 2)),
            "e": (160, lambda: chance.choice([1.5, 15.0]) + chance.uniform(0, .3)),
            "f": (190, lambda: chance.lognormvariate(1.9, .9))}


def make_sources(folder, seed, times, is_sorted):
    chance = random.Random(seed)
    for name, (count, draw) in lengths_of(chance).items():
        lengths = [min(max(draw(), .2), 120) for _ in range(int(count * times))]
        if is_sorted:
            lengths.sort()
        audio = ((f"{name}{number:05}.wav", sources.wav(bytes(int(RATE * length)), RATE))
                 for number, length in enumerate(lengths))
        sources.write_tar(folder / f"{name}.tar", audio)
    return [f"{name}={name}.tar" for name in lengths_of(chance)]


def shards_of(out):
    """Seconds, and samples of each dataset, of every shard."""
    for line in (out / "shards.jsonl").read_text().splitlines():
        frames, counts = 0, dict.fromkeys("abcdef", 0)
        with tarfile.open(out / json.loads(line)["path"]) as tar:
            for member in tar:
                frames += member.size - 44
                counts[member.name[0]] += 1
        yield frames / RATE, counts


def spread_of(folder, given, shards, seed):
    """The largest difference in seconds, and whether all numbers are as they should be."""
    sources.shardmill(folder, "repack", *given, "--out", "out", "--shards", shards, "--seed", seed, "--force",
                      "--allow-missing-text")
    seconds, counts = zip(*shards_of(folder / "out"))
    numbers = [[sum(each.values()) for each in counts], *([each[name] for each in counts] for name in "abcdef")]
    return max(seconds) - min(seconds), all(max(each) - min(each) <= 1 for each in numbers)


def main(seeds=3):
    largest, misses, runs = 0, 0, 0
    cases = [(seed, shards, 1, is_sorted) for seed in range(1, seeds + 1) for is_sorted in (False, True)
             for shards in SHARDS] + [(1, 128, 7.8, False)]
    for seed, shards, times, is_sorted in cases:
        with tempfile.TemporaryDirectory(prefix="shardmill-unlike-") as name:
            folder = pathlib.Path(name)
            spread, is_even = spread_of(folder, make_sources(folder, seed, times, is_sorted), shards, seed)
        largest, runs = max(largest, spread), runs + 1
        if spread > MOST_SECONDS or not is_even:
            misses += 1
            print(f"seed {seed}, {shards} shards, {'by length' if is_sorted else 'drawn'}: {1000 * spread:.1f} ms"
                  f"{'' if is_even else ', and numbers of samples differ'}", flush=True)
    print(f"{runs} runs, {misses} misses; audio times differ by {1000 * largest:.1f} ms at most")
    return misses > 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
