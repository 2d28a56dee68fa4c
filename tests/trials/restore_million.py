#!/usr/bin/env python3
"""How fast a training goes on after 90% of an epoch of a large dataset, and what it reads for that.

    restore_million.py [SAMPLES]        1,000,000, in shards of 1,000; needs 7 GB in the temporary folder then

For each way to make batches, a first process reads 90% of an epoch, saves the state and takes the next batch. New
processes load the state and must get that batch. The time goes from before load_state_dict() to the first batch; the
time of opening, which is making the ShardDataset and its loader, is told apart, and imports are in neither. Of three
starts of a kind, the slowest counts. "Cold": the system keeps nothing of the dataset's files in memory. All is done for
a dataset without an index, as docs/training.md makes it, and again with `--index lhotse`, which docs/python.md names.

Bytes are those that the process read with system calls (rchar of /proc/self/io) in the same time. Those of the batch's
own samples are subtracted, which are their members as the loader gives them; tar headers, manifest lines and whatever
else was read count. The state itself is not read in this time, and its size is told.

The exit code is 1 if a batch is another one, or if a bar is missed: 1 s and 1 MB. The goals are 0.2 s and 64 kB.
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy

import sources

RATE = 100  # so that lengths as those of speech take few bytes
IN_A_TAR = 20000
STARTS = 3
BUCKETS = [each / 2 for each in range(2, 32)]
WAYS = {
    "batch_size": {"batch_size": 16},
    "batch_frames, 30 buckets": {"batch_frames": 12000, "buckets": BUCKETS},
    "batch_frames, 30 buckets, rank 5 of 8": {"batch_frames": 12000, "buckets": BUCKETS, "rank": 5, "world_size": 8},
}
BARS = {"s": (1, 0.2), "kB": (1000, 64)}


def members(first, count):
    """Of some samples: 1 to 15 s of noise, and a text."""
    generator = numpy.random.default_rng(first)
    frames = numpy.clip(RATE * generator.lognormal(1.4, 0.5, count), RATE, 15 * RATE).astype(int).tolist()
    noise = generator.bytes(sum(frames))
    begin = 0
    for number, length in enumerate(frames, first):
        yield f"utt{number:07}.txt", f"the text of utterance {number}".encode()
        yield f"utt{number:07}.wav", sources.wav(noise[begin:begin + length], RATE)
        begin += length


def facts(sample):
    """What is compared, and how many bytes the sample has."""
    return sample.key, sample.text, hashlib.sha256(sample.audio).hexdigest(), sum(map(len, sample.members.values()))


def make_loader(root, how, workers):
    from shardmill.torch import ShardDataset
    return ShardDataset(root, decode=facts, **how).loader(num_workers=workers)


def train(root, how, result):
    """The first process: writes the state after 90% of an epoch, and the batch that follows."""
    loader = make_loader(root, how, workers=2)
    stop, state = 9 * len(loader) // 10, None
    for batch in loader:
        if state is not None:
            break
        if loader.step == stop:
            state = loader.state_dict()
    pathlib.Path(result).write_text(json.dumps({"state": state, "batch": batch}))


def bytes_read():
    with open("/proc/self/io", "rb", buffering=0) as counts:
        return int(counts.read().split()[1])


def go_on(root, how, result, workers):
    """A new process: prints what it measured as JSON."""
    from torch.utils.data import DataLoader
    import shardmill.torch  # noqa: F401
    list(DataLoader([0], batch_size=None, num_workers=workers))  # what it imports
    known = json.loads(pathlib.Path(result).read_text())
    counting = -bytes_read() + bytes_read()
    modules = set(sys.modules)
    marks = [(bytes_read(), time.perf_counter())]
    loader = make_loader(root, how, workers)
    marks.append((bytes_read(), time.perf_counter()))
    loader.load_state_dict(known["state"])
    batch = next(iter(loader))
    marks.append((bytes_read(), time.perf_counter()))
    batch = json.loads(json.dumps(batch))
    opened, read = (after[0] - before[0] - counting for before, after in zip(marks, marks[1:]))
    opening, seconds = (after[1] - before[1] for before, after in zip(marks, marks[1:]))
    print(json.dumps({"opened": opened, "read": read, "own": sum(sample[3] for sample in batch), "opening": opening,
                      "seconds": seconds, "is_right": batch == known["batch"], "samples": len(batch),
                      "imported": sorted(set(sys.modules) - modules)}), flush=True)
    os._exit(0)  # workers fetch what nobody asks for


def forget(root):
    """The system drops what it keeps of the dataset's files."""
    os.sync()
    for path in root.rglob("*"):
        if path.is_file():
            file = os.open(path, os.O_RDONLY)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(file)


def own_process(*words):
    environment = {**os.environ, "PYTHONPATH": str(sources.PACKAGE)}
    return subprocess.run([sys.executable, "-W", "ignore", __file__, *map(str, words)], env=environment, check=True,
                          stdout=subprocess.PIPE).stdout


class Figures:
    """Prints them, and remembers whether one was missed."""

    def __init__(self):
        self.missed = 0

    def show(self, what, value, unit, is_judged=True):
        bar, goal = BARS[unit]
        verdict = ("goal reached" if value <= goal else "met" if value <= bar else "MISSED") if is_judged else ""
        self.missed += verdict == "MISSED"
        print(f"{what:100} {value:10.3f} {unit:2}  {verdict}".rstrip(), flush=True)

    def fail(self, what):
        self.missed += 1
        print(what, flush=True)


def measure(root, name, how, result, figures):
    for kind, workers, is_cold in (("cold", 0, True), ("warm", 0, False), ("cold, 2 workers", 2, True)):
        starts = []
        for _ in range(STARTS):
            if is_cold:
                forget(root)
            starts.append(json.loads(own_process("--go-on", root, json.dumps(how), result, workers)))
        if not all(start["is_right"] for start in starts):
            figures.fail(f"{name}, {kind}: ANOTHER BATCH")
        imported = set().union(*(start["imported"] for start in starts))
        if imported:
            print(f"{name}, {kind}: in the time measured these were imported: {' '.join(sorted(imported))}")
        figures.show(f"{name}: first batch, {kind}", max(start["seconds"] for start in starts), "s")
        if kind == "cold":
            figures.show(f"{name}: opening, cold", max(start["opening"] for start in starts), "s", False)
            figures.show(f"{name}: read to open", max(start["opened"] for start in starts) / 1000, "kB", False)
            figures.show(f"{name}: read beyond the {starts[0]['samples']} samples of the batch",
                         max(start["read"] - start["own"] for start in starts) / 1000, "kB")


def main(samples=1_000_000):
    figures = Figures()
    with tempfile.TemporaryDirectory(prefix="shardmill-restore-") as name:
        folder = pathlib.Path(name)
        root = folder / "train"
        (folder / "in").mkdir()
        for first in range(0, samples, IN_A_TAR):
            sources.write_tar(folder / f"in/s{first:08}.tar", members(first, min(IN_A_TAR, samples - first)))
        begin = time.perf_counter()
        sources.shardmill(folder, "repack", "in", "--out", root)
        print(f"repack of {samples} samples: {time.perf_counter() - begin:.1f} s", flush=True)
        results = {}
        for way, how in WAYS.items():
            results[way] = folder / f"{len(results)}.json"
            begin = time.perf_counter()
            own_process("--train", root, json.dumps(how), results[way])
            size = len(json.dumps(json.loads(results[way].read_text())["state"]))
            print(f"{way}: 90% of an epoch took {time.perf_counter() - begin:.1f} s, and its state has {size} bytes")
        for index in ("without an index", "--index lhotse"):
            if index.startswith("--"):
                sources.shardmill(folder, "index", root, *index.split())
            for way, how in WAYS.items():
                measure(root, f"{way}, {index}", how, results[way], figures)
    print(f"{figures.missed} missed" if figures.missed else "none missed")
    return bool(figures.missed)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--train"]:
        train(sys.argv[2], json.loads(sys.argv[3]), sys.argv[4])
    elif sys.argv[1:2] == ["--go-on"]:
        go_on(sys.argv[2], json.loads(sys.argv[3]), sys.argv[4], int(sys.argv[5]))
    else:
        sys.exit(main(*map(int, sys.argv[1:])))
