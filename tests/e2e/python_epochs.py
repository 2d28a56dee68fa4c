"""Epochs of everything that the Python package does, to see what stays behind: memory, threads, open files.

    python_epochs.py FOLDER EPOCHS [KIND...]

FOLDER is empty, and gets the datasets. After each tenth of the epochs a line tells what the process holds.
Under valgrind, see scripts/soak leaks. It has no numpy, which would leave things behind of its own.
"""
import bz2
import gc
import json
import os
import pathlib
import pickle
import sys
import warnings

import shardmill

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "data/example"


class Enough(Exception):
    pass


def stop(counts):
    raise Enough


class Epochs:
    """Each method whose name begins with `kind_` is a kind of epoch."""

    def __init__(self, folder):
        self.folder = folder
        self.sources = {"zh": EXAMPLE / "mandarin", "en": EXAMPLE / "english"}
        shardmill.repack(self.sources, folder / "plain", shards=2)
        shardmill.repack(self.sources, folder / "zstd", shards=2, codec="zstd")
        whole = (folder / "plain/shards/audio_000000000.tar").read_bytes()
        (folder / "whole.tar.bz2").write_bytes(bz2.compress(whole))
        (folder / "cut.tar").write_bytes(whole[:len(whole) * 2 // 3])
        (folder / "cut.tar.bz2").write_bytes(bz2.compress(whole)[:-2000])
        (folder / "twice.tar").write_bytes(whole + whole)
        self.keys = [sample.key for sample in shardmill.open(folder / "plain")]

    def kind_plain(self):
        for sample in shardmill.open(self.folder / "plain"):
            sample.text, sample.audio, sample.fields["duration"]

    def kind_zstd(self):
        for sample in shardmill.open(self.folder / "zstd", threads=2):
            sample.text, sample.audio

    def kind_bzip2(self):
        for sample in shardmill.open(self.folder / "whole.tar.bz2", threads=1):
            sample.text, sample.audio

    def kind_break(self):
        for path in ("plain", "zstd", "whole.tar.bz2"):
            for sample in shardmill.open(self.folder / path, threads=1):
                break
        iter(shardmill.open(self.folder / "plain"))  # never asked for a sample

    def kind_error(self):
        for path in ("cut.tar", "cut.tar.bz2", "twice.tar", "nothing.tar"):
            try:
                for sample in shardmill.open(self.folder / path):
                    pass
            except shardmill.Error:
                pass
        try:
            shardmill.open(self.folder / "plain", threads="one")
        except TypeError:
            pass

    def kind_damage(self):
        for path in ("cut.tar", "cut.tar.bz2", "twice.tar"):
            for rule in ("ignore", "error"):
                with warnings.catch_warnings():
                    warnings.simplefilter(rule, shardmill.DamageWarning)
                    try:
                        for sample in shardmill.open(self.folder / path, skip_damage=True):
                            pass
                    except shardmill.DamageWarning:
                        pass

    def kind_keys(self):
        dataset = shardmill.open(self.folder / "plain")
        for key in self.keys:
            dataset[key].audio
        "nobody" in dataset
        try:
            dataset["nobody"]
        except KeyError:
            pass
        pickle.loads(pickle.dumps(dataset))[self.keys[0]]

    def kind_fork(self):
        samples = iter(shardmill.open(self.folder / "zstd", threads=1))
        next(samples)
        process = os.fork()
        if process == 0:
            try:
                next(samples)
            except shardmill.Error:
                del samples
                if sum(1 for _ in shardmill.open(self.folder / "zstd")) == len(self.keys):
                    os.execvp("true", ["true"])  # valgrind would find the other process's memory in this one
            os._exit(2)
        assert os.waitpid(process, 0)[1] == 0

    def kind_stopped(self):
        try:
            shardmill.repack(EXAMPLE / "english", self.folder / "stopped", shards=2, progress=stop, threads=2)
        except Enough:
            pass

    def kind_jobs(self):
        assert shardmill.verify(self.folder / "plain", decode=True, progress=len)["good"]
        shardmill.ranks(self.folder / "plain", world_size=2, epochs=2)
        shardmill.repack(self.sources, self.folder / "plain", shards=2)  # it is there already
        try:
            shardmill.repack(self.folder / "nothing", self.folder / "x", shards=2)
        except shardmill.Error:
            pass

    def kind_refused(self):
        for options in ({"shard_count": 4}, {"shards": object()}, {"audio": "rar"}, {"threads": -1}):
            try:
                shardmill.repack(EXAMPLE / "english", self.folder / "x", **options)
            except (TypeError, ValueError):
                pass


def held():
    """What the process holds now."""
    status = pathlib.Path("/proc/self/status").read_text()
    return {"rss_kib": int(status.partition("VmRSS:")[2].split()[0]), "threads": len(os.listdir("/proc/self/task")),
            "files": len(os.listdir("/proc/self/fd")), "objects": len(gc.get_objects())}


def main(folder, epochs, *kinds):
    made = Epochs(pathlib.Path(folder))
    kinds = kinds or [name[5:] for name in dir(made) if name.startswith("kind_")]
    epochs = int(epochs)
    for epoch in range(epochs):
        getattr(made, "kind_" + kinds[epoch % len(kinds)])()
        if (epoch + 1) % max(1, epochs // 10) == 0:
            gc.collect()
            print(json.dumps({"epochs": epoch + 1, **held()}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
