"""Training jobs read what repack wrote: PyTorch's loaders in all their ways to start, and four ranks that train
together."""
import collections
import functools
import io
import json
import os
import pathlib
import random
import subprocess
import sys
import tarfile
import unittest

import numpy
import soundfile

import harness

try:
    import torch
    import torchaudio
except ImportError as missing:
    raise unittest.SkipTest(f"PyTorch is not installed, scripts/setup loaders does that ({missing})")

import wenet_reader

RATE = 8000
RANKS = 4
WORKERS = 2
SHARDS = RANKS * WORKERS
SAMPLES = SHARDS * 64
UNEVEN = (120, 90, 80, 70, 60, 52, 40)  # samples of the source's shards
assert sum(UNEVEN) == SAMPLES


@functools.lru_cache(maxsize=None)
def utterance(number):
    """Half a second to four, told apart by what repeats in it; as (text, frames, bytes of the file)."""
    chance = random.Random(number)
    frames = chance.randrange(RATE // 2, 4 * RATE)
    tone = numpy.resize(numpy.random.default_rng(number).integers(-9000, 9000, 50, dtype=numpy.int16), frames)
    out = io.BytesIO()
    soundfile.write(out, tone, RATE, format="WAV" if number % 2 else "FLAC", subtype="PCM_16")
    return f"utterance {number} ä", frames, out.getvalue()


def members(number):
    text, _, data = utterance(number)
    return [(f"utt{number:04}.txt", text.encode()), (f"utt{number:04}.{'wav' if number % 2 else 'flac'}", data)]


EXPECTED = {f"utt{number:04}": (utterance(number)[0], utterance(number)[1], RATE) for number in range(SAMPLES)}


class Loaders(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.dataset = harness.Case()
        cls.dataset.setUp()
        cls.addClassCleanup(cls.dataset.doCleanups)
        cls.root = cls.dataset.folder
        first = 0
        sources = []
        for index, count in enumerate(UNEVEN):
            shard = harness.tar([member for number in range(first, first + count) for member in members(number)])
            sources.append(cls.dataset.write(f"source/part_{index}.tar.bz2", harness.compress("bzip2", shard)))
            first += count
        (cls.root / "source.list").write_text("".join(f"{path}\n" for path in sources))
        for codec in ("none", "zstd"):
            cls.dataset.shardmill("repack", "source", "--out", codec, "--codec", codec, "--shards", SHARDS)
        zstd_shards = (cls.root / "zstd/data.list").read_text().splitlines()
        (cls.root / "zstd.list").write_text("".join(f"pipe:zstd -dc '{path}'\n" for path in zstd_shards))

    def lines(self, name):
        return (self.root / name).read_text().splitlines()

    def check_epoch(self, read):
        """Every sample exactly once, each as it was."""
        self.assertEqual(len(read), SAMPLES)
        self.assertEqual({key: (text, frames, rate) for key, text, frames, rate, _ in read}, EXPECTED)

    def test_every_way_to_start_workers(self):
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method=method):
                dataset = wenet_reader.Shards(self.lines("none/data.list"))
                self.check_epoch(list(wenet_reader.epoch_of(dataset, WORKERS, method)))

    def test_without_workers_and_from_zstd(self):
        for name, workers in (("none/data.list", 0), ("zstd.list", 0), ("zstd.list", WORKERS)):
            with self.subTest(list=name, workers=workers):
                dataset = wenet_reader.Shards(self.lines(name))
                self.check_epoch(list(wenet_reader.epoch_of(dataset, workers)))

    def test_every_rank_has_its_share_in_every_epoch(self):
        for epoch in range(3):
            ranks = [list(wenet_reader.epoch_of(
                wenet_reader.Shards(self.lines("none/data.list"), rank, RANKS, epoch), 0)) for rank in range(RANKS)]
            self.check_epoch([sample for rank in ranks for sample in rank])
            self.assertEqual({len(rank) for rank in ranks}, {SAMPLES // RANKS})

    def test_audio_loads_from_memory(self):
        shard = self.lines("none/data.list")[0]
        with tarfile.open(shard) as archive:
            audio = [(each.name, archive.extractfile(each).read())
                     for each in archive if not each.name.endswith(".txt")]
        self.assertEqual({name.rpartition(".")[2] for name, _ in audio}, {"wav", "flac"})
        backends = torchaudio.list_audio_backends() if hasattr(torchaudio, "list_audio_backends") else ["soundfile"]
        for backend in backends:
            torchaudio.set_audio_backend(backend)
            for name, data in audio[:10]:
                with self.subTest(backend=backend, name=name):
                    sound, rate = torchaudio.load(io.BytesIO(data), format=name.rpartition(".")[2])
                    expected, _ = soundfile.read(io.BytesIO(utterance(int(name[3:7]))[2]), dtype="float32")
                    self.assertEqual(rate, RATE)
                    self.assertTrue(torch.equal(sound[0], torch.from_numpy(expected)))

    def train_together(self, cases):
        """Four ranks as processes; returns [case][epoch][rank]. Whatever hangs is stopped, and fails."""
        (self.folder / "cases.json").write_text(json.dumps(cases))
        job = pathlib.Path(__file__).parent / "training_job.py"
        ranks = [subprocess.Popen(
            [sys.executable, "-B", job, str(rank), str(RANKS), self.folder / "rendezvous", self.folder / "cases.json",
             self.folder / f"rank-{rank}.json"], env={**os.environ, "GLOO_SOCKET_IFNAME": "lo"},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for rank in range(RANKS)]
        try:
            for rank in ranks:
                output, _ = rank.communicate(timeout=300)
                self.assertEqual(rank.returncode, 0, output.decode())
        finally:
            for rank in ranks:
                rank.kill()
                rank.wait()
                rank.stdout.close()
        results = [json.loads((self.folder / f"rank-{rank}.json").read_text()) for rank in range(RANKS)]
        return [[[results[rank][case][epoch] for rank in range(RANKS)] for epoch in range(len(results[0][case]))]
                for case in range(len(cases))]

    def test_four_ranks_train_together(self):
        even, uneven = self.train_together([
            {"list": str(self.root / "none/data.list"), "workers": WORKERS, "join": False},
            {"list": str(self.root / "source.list"), "workers": 1, "join": True}])  # without Join it would hang
        for epoch in even:
            self.assertEqual(collections.Counter(key for rank in epoch for key in rank["keys"]),
                             collections.Counter(list(EXPECTED)))
            self.assertEqual({len(rank["keys"]) for rank in epoch}, {SAMPLES // RANKS})
            self.assertEqual({rank["steps"] for rank in epoch}, {SAMPLES // RANKS // 8})
            seconds = [rank["frames"] / RATE for rank in epoch]
            self.assertLessEqual(max(seconds) - min(seconds), max(0.010, 1e-5 * sum(seconds) / RANKS), seconds)
        for epoch in uneven:
            self.assertEqual(collections.Counter(key for rank in epoch for key in rank["keys"]),
                             collections.Counter(list(EXPECTED)))
            steps = [rank["steps"] for rank in epoch]
            self.assertGreater(max(steps), min(steps) + 1, "the source's shards should leave ranks without data early")
            seconds = [rank["frames"] / RATE for rank in epoch]
            self.assertGreater(max(seconds), 1.2 * min(seconds))


if __name__ == "__main__":
    unittest.main()
