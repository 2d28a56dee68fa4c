"""Trainings that are killed at random moments, all ranks at once, and started again from the last checkpoint of rank 0:
the samples are those that would have come, and each comes exactly once an epoch."""
import bz2
import collections
import json
import multiprocessing
import os
import random
import select
import time
import unittest
import warnings
import zlib

import torch_test  # skips all if PyTorch is missing

import torch

import harness
from shardmill.torch import ShardDataset, decode_audio

KILLS = int(os.environ.get("SHARDMILL_TRAINING_KILLS", "4"))  # in all
KILLS_OF_ONE = 2
EPOCHS = 2
SAMPLES = torch_test.SAMPLES
DATASETS = {"plain": [], "plain-members": ["--text", "members"], "plain-indexed": ["--index", "lhotse"],
            "zstd": ["--codec", "zstd"],
            "zstd-flac": ["--codec", "zstd", "--audio", "flac"], "gzip": ["--codec", "gzip"], "lz4": ["--codec", "lz4"]}
BATCHES = ({"batch_size": 7}, {"batch_frames": 700}, {"batch_frames": 700, "buckets": [0.3, 0.5, 0.75, 1.0]}, {})


def content(sample):
    """The key, the text and a checksum of the audio, to see that the sample is whole."""
    values, rate = decode_audio(sample)
    return [sample.key, sample.text, rate, zlib.crc32(values.numpy().tobytes())]


def as_list(batch):
    return batch if isinstance(batch[0], list) else [batch]


def train(loader, folder, rank, every, all_ranks):
    """One rank. Logs each step, and then waits for the others, as an exchange of gradients does; rank 0 writes a
    checkpoint after every `every` steps."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    checkpoint = folder / "checkpoint.json"
    if checkpoint.exists():
        loader.load_state_dict(json.loads(checkpoint.read_text()))
    with open(folder / f"log-{rank}", "a+", buffering=1) as log:
        log.seek(0)
        log.truncate(log.read().rfind("\n") + 1)  # a line that was cut off
        while loader.epoch < EPOCHS:
            for batch in loader:
                log.write(json.dumps([loader.epoch, loader.step, as_list(batch)]) + "\n")
                all_ranks.wait()
                if rank == 0 and loader.step % every == 0:
                    (folder / "new").write_text(json.dumps(loader.state_dict()))
                    os.replace(folder / "new", checkpoint)
    (folder / f"done-{rank}").touch()


class KilledTraining(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.dataset = harness.Case()
        cls.dataset.setUp()
        cls.addClassCleanup(cls.dataset.doCleanups)
        cls.root = cls.dataset.folder
        tar = harness.tar([each for number in range(SAMPLES) for each in torch_test.member(number)])
        cls.dataset.write("in.tar.bz2", bz2.compress(tar))
        for name, options in DATASETS.items():
            cls.dataset.shardmill("repack", "d=in.tar.bz2", "--out", name, "--shards", 16, "-q", *options)
        torch.set_num_threads(1)  # processes are forked from this one

    def loader(self, name, rank, world_size, workers, how):
        return ShardDataset(self.root / name, rank=rank, world_size=world_size, shuffle_buffer=30, decode=content,
                            **how).loader(
            num_workers=workers)

    def steps_of(self, folder, rank):
        """What a rank did, by epoch and step. What it did twice must have been the same."""
        path, found = folder / f"log-{rank}", {}
        for line in path.read_text().splitlines() if path.exists() else ():
            epoch, step, batch = json.loads(line)
            self.assertEqual(found.setdefault((epoch, step), batch), batch)
        return found

    @staticmethod
    def lines_of(folder):
        path = folder / "log-0"
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def start(self, folder, *how, world_size, every):
        """Starts all ranks. The pipe ends when all of them have ended, and all their workers."""
        reading, writing = os.pipe()
        context = multiprocessing.get_context("fork")
        all_ranks = context.Barrier(world_size)
        ranks = [context.Process(target=train,
                                 args=(self.loader(how[0], rank, world_size, *how[1:]), folder, rank, every, all_ranks))
                 for rank in range(world_size)]
        for each in ranks:
            each.start()
        os.close(writing)
        return ranks, reading

    def end(self, ranks, pipe, is_killed):
        for each in ranks:
            if is_killed:
                each.kill()
            each.join(120)
        try:
            self.assertTrue(is_killed or all(each.exitcode == 0 for each in ranks), [each.exitcode for each in ranks])
            self.assertTrue(select.select([pipe], [], [], 30)[0], "workers of a rank that was killed live on")
        finally:
            os.close(pipe)
            for each in ranks:
                each.kill()

    def check_run(self, number):
        """One training; returns how often it was killed before it was done."""
        chance = random.Random(number)
        name, how = list(DATASETS)[number % len(DATASETS)], chance.choice(BATCHES)
        world_size, workers = chance.randrange(1, 5), chance.randrange(5)
        folder = self.folder / f"run-{number}"
        folder.mkdir()
        with self.subTest(run=number, dataset=name, world_size=world_size, workers=workers, how=how):
            expected = []
            for rank in range(world_size):
                loader = self.loader(name, rank, world_size, workers, how)
                steps = {}
                while loader.epoch < EPOCHS:
                    for batch in loader:
                        steps[loader.epoch, loader.step] = as_list(batch)
                expected.append(steps)
            for epoch in range(EPOCHS):
                keys = collections.Counter(sample[0] for steps in expected for at,
                                           batch in steps.items() if at[0] == epoch
                                           for sample in batch)
                self.assertEqual(max(keys.values()), 1)
                if how:  # ranks may have more or fewer samples, and single ones cannot be halved
                    self.assertEqual(len(keys), SAMPLES)
                self.assertEqual(len({sum(at[0] == epoch for at in steps) for steps in expected}), 1)
            every = chance.randrange(1, 6)
            kills = 0
            for target in sorted(chance.sample(range(len(expected[0])), KILLS_OF_ONE)):
                ranks, pipe = self.start(folder, name, workers, how, world_size=world_size, every=every)
                deadline = time.monotonic() + 60
                while self.lines_of(folder) < target and any(each.is_alive() for each in ranks):
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.001)
                time.sleep(chance.choice((0, chance.random() * 0.1)))
                kills += any(each.is_alive() for each in ranks)
                self.end(ranks, pipe, is_killed=True)
            self.end(*self.start(folder, name, workers, how, world_size=world_size, every=every), is_killed=False)
            self.assertEqual([self.steps_of(folder, rank) for rank in range(world_size)], expected)
            return kills
        return KILLS_OF_ONE

    def test_kills_at_random_moments(self):
        warnings.simplefilter("ignore")  # of many workers, and of samples that are left out
        kills = number = 0
        while kills < KILLS:
            kills += self.check_run(number)
            number += 1
        print(f"killed_training_test: {kills} kills in {number} trainings")


if __name__ == "__main__":
    unittest.main()
