"""shardmill.torch: each sample exactly once an epoch, equal steps, and a training that was killed goes on with the
samples that would have come."""
import collections
import io
import itertools
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import time
import unittest
import warnings

import numpy
import soundfile

import harness
import job_to_kill
import pages

try:
    import torch
except ImportError as missing:
    raise unittest.SkipTest(f"PyTorch is not installed, scripts/setup loaders does that ({missing})")

PACKAGE = pathlib.Path(os.environ["SHARDMILL_BUILD"]) / "python"
if not (PACKAGE / "shardmill/_native.abi3.so").exists():
    raise unittest.SkipTest("the Python package was not built: python3-dev is missing")
sys.path.insert(0, str(PACKAGE))
import shardmill  # noqa: E402
from shardmill.torch import ShardDataset, decode_audio  # noqa: E402

FEW_CUTS = 2
CUTS = int(os.environ.get("SHARDMILL_TORCH_CUTS", FEW_CUTS))  # places in an epoch, for each way to read
SAMPLES = 240
RATE = 8000
CODECS = ("none", "zstd", "gzip", "lz4")
BATCHES = ({"batch_size": 7}, {"batch_frames": 700}, {"batch_frames": 700, "buckets": [0.5, 1.0]}, {})
warnings.filterwarnings("ignore", message="This DataLoader will create")


def sound(number):
    """An utterance of 0.1 to 1.5 s: all that tells it from another is its noise."""
    frames = random.Random(number).randrange(RATE // 10, 3 * RATE // 2)
    return numpy.random.default_rng(number).integers(-9000, 9000, frames, dtype=numpy.int16)


def member(number):
    form = "wav" if number % 2 else "flac"
    out = io.BytesIO()
    soundfile.write(out, sound(number), RATE, format=form.upper(), subtype="PCM_16")
    return [(f"utt{number:04}.txt", f"text {number} ä".encode()), (f"utt{number:04}.{form}", out.getvalue())]


def die_at_100(sample):
    if sample.key == "utt0100":
        os.kill(os.getpid(), signal.SIGKILL)
    return sample.key


def end_at_100(sample):
    if sample.key == "utt0100":
        raise StopIteration
    return sample.key


def is_running(process):
    """`process`: its folder in /proc."""
    try:
        return (process / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def keys_of(batches):
    return [[sample.key for sample in batch] if isinstance(batch, list) else [batch.key] for batch in batches]


KEYS = {f"utt{number:04}" for number in range(SAMPLES)}

class Torch(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.dataset = harness.Case()
        cls.dataset.setUp()
        cls.addClassCleanup(cls.dataset.doCleanups)
        cls.root = cls.dataset.folder
        cls.dataset.write("in.tar", harness.tar([each for number in range(SAMPLES) for each in member(number)]))
        for codec in CODECS:
            cls.dataset.shardmill("repack", "d=in.tar", "--out", codec, "--codec", codec, "--shards", 12, "-q")
        cls.dataset.shardmill("repack", "d=in.tar", "--out", "members", "--text", "members", "--shards", 12, "-q")
        cls.dataset.shardmill("repack", "d=in.tar", "--out", "indexed", "--index", "lhotse", "--shards", 12, "-q")

    def loader(self, codec, workers=0, rank=0, world_size=1, **how):
        options = how.pop("options", {})
        return ShardDataset(self.root / codec, rank=rank, world_size=world_size,
                            **{"shuffle_buffer": 30, **how}).loader(
            num_workers=workers, **options)

    def check_epoch(self, ranks):
        """Each sample once, and as many steps on all ranks."""
        self.assertEqual(collections.Counter(key for rank in ranks for batch in rank for key in batch),
                         collections.Counter(KEYS))
        self.assertEqual(len({len(rank) for rank in ranks}), 1)

    def test_every_sample_once_and_on_from_anywhere(self):
        chance = random.Random(7)
        ways = list(itertools.product(CODECS, (1, 2, 3, 4), (0, 1, 3)))
        if CUTS == FEW_CUTS:  # half of them, in which any two of these still meet
            ways = [way for way in ways if (CODECS.index(way[0]) + way[1] + way[2] // 2) % 2]
        for codec, world_size, workers in ways:
            how = BATCHES[(CODECS.index(codec) + world_size + workers) % 4]
            with self.subTest(codec=codec, world_size=world_size, workers=workers, how=how):
                epochs = []
                for rank in range(world_size):
                    loader = self.loader(codec, workers, rank, world_size, **how)
                    epochs.append([keys_of(loader), keys_of(loader)])
                    self.assertEqual(loader.epoch, 2)
                for epoch in range(2):
                    self.check_epoch([rank[epoch] for rank in epochs])
                self.assertNotEqual(epochs[0][0], epochs[0][1])
                for _ in range(CUTS):
                    rank, epoch = chance.randrange(world_size), chance.randrange(2)
                    whole = epochs[rank][epoch]
                    cut = chance.randrange(len(whole) + 1)
                    first = self.loader(codec, workers, rank, world_size, **how)
                    first.set_epoch(epoch)
                    batches = iter(first)
                    begun = keys_of(itertools.islice(batches, cut))
                    state = json.loads(json.dumps(first.state_dict()))
                    del batches
                    later = self.loader(codec, workers, rank, world_size, **how)
                    later.load_state_dict(state)
                    self.assertEqual(begun + keys_of(later), whole, cut)
                    self.assertEqual((later.epoch, later.step), (epoch + 1, 0))

    def test_samples_are_whole(self):
        for codec in (*CODECS, "members", "indexed"):
            for batch in self.loader(codec, batch_size=5):
                for sample in batch:
                    number = int(sample.key[3:])
                    self.assertEqual(sample.text, f"text {number} ä")
                    values, rate = decode_audio(sample)
                    self.assertEqual((rate, tuple(values.shape)), (RATE, (1, len(sound(number)))))
                    expected, _ = soundfile.read(io.BytesIO(sample.audio), dtype="float32")
                    self.assertTrue(torch.equal(values[0], torch.from_numpy(expected)))

    def test_the_order_needs_no_torch_and_no_workers(self):
        """Plain shards: the same batches with any number of workers, with an index of lines, and without PyTorch."""
        expected = keys_of(self.loader("none", batch_size=7, seed=5))
        for codec, workers in (("none", 3), ("indexed", 2)):
            self.assertEqual(keys_of(self.loader(codec, workers, batch_size=7, seed=5)), expected)
        batches = shardmill.open(self.root / "none").batches(7, seed=5, shuffle_buffer=30)
        self.assertEqual(keys_of(batches), expected)
        self.assertEqual(keys_of(shardmill.open(self.root / "none").batches(7, seed=5, shuffle_buffer=30, step=9)),
                         expected[9:])
        self.assertNotEqual(keys_of(self.loader("none", batch_size=7, seed=6)), expected)
        unshuffled = keys_of(self.loader("none", batch_size=7, shuffle=False))
        self.assertEqual([key for batch in unshuffled for key in batch],
                         [sample.key for sample in shardmill.open(self.root / "none")])
        first = self.loader("none", 2, batch_size=7, seed=5)
        batches = iter(first)
        begun = keys_of(itertools.islice(batches, 5))
        later = self.loader("none", 3, batch_size=7, seed=5)
        later.load_state_dict(first.state_dict())
        self.assertEqual(begun + keys_of(later), expected)

    def test_batches_hold_what_they_may(self):
        for how in BATCHES[1:3]:
            for batch in self.loader("none", **how):
                lengths = [max(1, round(100 * sample["duration"])) for sample in batch]
                self.assertLessEqual(len(lengths) * max(lengths), 700)
                if "buckets" in how:
                    self.assertEqual(len({sum(length >= 100 * bound for bound in how["buckets"])
                                          for length in lengths}), 1)

    def test_equal_steps(self):
        """Ranks whose lengths ask for fewer batches halve some; samples that are over are left out, and said to be."""
        for world_size in (2, 5, 8):
            steps = [self.loader("none", rank=rank, world_size=world_size, batch_frames=500).dataset.steps()
                     for rank in range(world_size)]
            own = [self.loader("none", rank=rank, world_size=world_size, batch_frames=500, steps="all").dataset.steps()
                   for rank in range(world_size)]
            self.assertEqual(set(steps), {max(own)})
        ranks = [self.epoch_of(rank, 0) for rank in range(5)]
        self.assertEqual({len(rank) for rank in ranks}, {2 * SAMPLES // 12})
        left = [KEYS - {key for rank in range(5) for (key,) in keys_of(self.epoch_of(rank, epoch))} for epoch in (1, 2)]
        self.assertNotEqual(*left)
        with self.assertRaisesRegex(ValueError, "12 shards cannot be split among 13 ranks"):
            self.loader("none", rank=0, world_size=13, batch_size=2)

    def epoch_of(self, rank, epoch):
        loader = self.loader("none", rank=rank, world_size=5)
        loader.set_epoch(epoch)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(loader)

    def test_what_is_left_out_is_a_warning(self):
        """One in an epoch, at the line that iterates, whoever reads it."""
        how = {"rank": 0, "world_size": 5, "shuffle_buffer": 30}

        def own():
            return ShardDataset(self.root / "none", **how)

        ways = {"loader": lambda: own().loader(), "workers": lambda: own().loader(num_workers=2), "dataset": own,
                "DataLoader": lambda: torch.utils.data.DataLoader(own(), batch_size=None),
                "batches": lambda: shardmill.open(self.root / "none").batches(**how)}
        for way, make in ways.items():
            with self.subTest(way=way), warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                for _ in make():
                    pass
                said = [each for each in said if "left out" in str(each.message)]
                self.assertEqual([str(each.message) for each in said],
                                 ["epoch 0: 20 samples of this rank are left out, so that all ranks take 40 steps; "
                                  "another epoch leaves out other ones"])
                if way != "DataLoader":
                    self.assertEqual(said[0].filename, __file__)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            loader = self.loader("none", shuffle=False, **how)
            first, second = keys_of(loader), keys_of(loader)
        self.assertEqual(first, second)
        self.assertEqual([str(each.message).rpartition("; ")[2] for each in said],
                         2 * ["with shuffle=False every epoch leaves out the same ones"])
        with self.assertWarnsRegex(UserWarning, "may leave out the same ones, because shuffle_buffer is 1"):
            keys_of(self.loader("none", **{**how, "shuffle_buffer": 1}))

    def test_the_workers_of_another_loader_warn_once(self):
        code = ("import sys, torch\nfrom shardmill.torch import ShardDataset\n"
                "dataset = ShardDataset(sys.argv[1], rank=0, world_size=5)\n"
                "list(torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=2, collate_fn=id))\n")
        done = subprocess.run([sys.executable, "-B", "-c", code, self.root / "none"], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(PACKAGE)})
        self.assertEqual((done.returncode, done.stderr.count("are left out")), (0, 1), done.stderr)

    def test_every_way_to_start_workers(self):
        expected = [keys_of(self.loader("zstd", 2, batch_size=7)) for _ in range(1)]
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method=method):
                loader = self.loader("zstd", 2, batch_size=7,
                                     options={"multiprocessing_context": method, "persistent_workers": True})
                self.assertEqual(keys_of(loader), expected[0])
                self.assertEqual(sum(map(len, keys_of(loader))), SAMPLES)  # the second epoch of the same workers
                self.assertEqual(loader.epoch, 2)

    def test_a_worker_that_dies_is_an_error(self):
        for codec, method in (("none", "fork"), ("zstd", "fork"), ("none", "spawn"), ("none", "forkserver")):
            with self.subTest(codec=codec,
                              method=method), self.assertRaisesRegex(RuntimeError, "worker.*exited unexpectedly"):
                list(self.loader(codec, 2, batch_size=7, decode=die_at_100,
                                 options={"multiprocessing_context": method}))

    def test_a_decoder_that_raises_stop_iteration(self):
        for workers in (0, 2):
            with self.assertRaisesRegex(RuntimeError, "decode or collate raised StopIteration"):
                list(self.loader("none", workers, batch_size=7, decode=end_at_100))

    def test_only_the_newest_iterator_of_a_loader_goes_on(self):
        whole = keys_of(self.loader("none", batch_size=7))
        for workers in (0, 2):
            loader = self.loader("none", workers, batch_size=7)
            for batch in loader:
                if loader.step == 3:
                    break
            old, new = iter(loader), iter(loader)
            begun = keys_of([next(old), next(new)])
            with self.assertRaisesRegex(shardmill.Error, "none: a newer iteration of the loader"):
                next(old)
            self.assertEqual(begun, whole[3:5])
            later = self.loader("none", batch_size=7)
            later.load_state_dict(loader.state_dict())
            self.assertEqual(keys_of(later), whole[5:])
            for go_elsewhere in (lambda: loader.set_epoch(3), lambda: loader.load_state_dict(later.state_dict())):
                new = iter(loader)
                next(new)
                go_elsewhere()
                with self.assertRaisesRegex(shardmill.Error, "ended this one"):
                    next(new)
            self.assertEqual((loader.epoch, loader.step), (1, 0))

    def changed(self, codec, change, use):
        """What use(folder) gives of a dataset that is copied, begun by next(), changed, and then read on."""
        folder = self.folder / "changing"
        harness.output_of("cp", "-r", self.root / codec, folder)
        try:
            uses = use(folder)
            next(uses)
            change(folder)
            says = "changing.*: the dataset was changed since it was opened .make a new ShardDataset"
            with self.assertRaisesRegex(shardmill.Error, says):
                next(uses)
        finally:
            harness.output_of("rm", "-r", folder)

    def test_a_dataset_that_changes_below_its_readers(self):
        """Other samples, as many in each shard."""
        members = [each for number in range(SAMPLES) for each in member(number)]
        renamed = [(f"new{name[3:]}", data) for name, data in members]
        self.dataset.write("renamed.tar", harness.tar(renamed))
        for codec in ("none", "zstd"):
            self.dataset.shardmill("repack", "d=renamed.tar", "--out", f"new-{codec}", "--codec", codec, "--shards", 12,
                                   "-q")

        def repacked(codec):
            return lambda folder: self.shardmill("repack", f"d={self.root / 'renamed.tar'}", "--out", folder, "--force",
                                                 "--codec", codec, "--shards", 12, "-q")

        def shards_only(codec):
            def copy(folder):
                for path in (self.root / f"new-{codec}/shards").iterdir():
                    harness.output_of("cp", path, folder / "new")
                    os.replace(folder / "new", folder / "shards" / path.name)
            return copy

        def loader(folder, workers):
            return ShardDataset(folder, batch_size=7, shuffle_buffer=30, rank=0,
                                world_size=1).loader(num_workers=workers)

        def whole_epochs(folder, workers):
            own = loader(folder, workers)
            while True:
                yield len(list(own))

        def states(folder, workers):
            own = loader(folder, workers)
            while True:
                next(iter(own))
                yield own.state_dict()

        def to_the_end(batches):
            next(batches)
            yield
            yield list(batches)

        for codec, change in itertools.product(("none", "zstd"), (repacked, shards_only)):
            for workers in (0, 2):
                with self.subTest(codec=codec, change=change.__name__, workers=workers):
                    self.changed(codec, change(codec), lambda folder: to_the_end(iter(loader(folder, workers))))
                    self.changed(codec, change(codec), lambda folder: whole_epochs(folder, workers))
            with self.subTest(codec=codec, change=change.__name__):
                self.changed(codec, change(codec), lambda folder: to_the_end(iter(shardmill.open(folder))))
                self.changed(codec, change(codec), lambda folder: to_the_end(
                    shardmill.open(folder).batches(7, shuffle_buffer=30)))
        for workers in (0, 2):
            self.changed("none", repacked("none"), lambda folder: states(folder, workers))

    def test_one_sample_of_a_dataset_that_changed(self):
        def replace(folder):
            os.replace(folder / "dataset.json", folder / "old")
            harness.output_of("cp", folder / "old", folder / "dataset.json")

        def samples(folder):
            dataset = shardmill.open(folder)
            while True:
                yield dataset["utt0100"]

        for codec in ("none", "zstd"):
            self.changed(codec, replace, samples)

    def test_a_copy_goes_on_from_a_state(self):
        loader = self.loader("none", batch_size=7)
        begun = keys_of(itertools.islice(loader, 4))
        harness.output_of("cp", "-r", self.root / "none", self.folder / "copy")
        copy = self.loader(self.folder / "copy", batch_size=7)
        copy.load_state_dict(loader.state_dict())
        self.assertEqual(begun + keys_of(copy), keys_of(self.loader("none", batch_size=7)))

    def test_shards_that_change_while_they_are_read(self):
        folder = self.folder / "changing"

        def cut(path):
            os.truncate(path, path.stat().st_size // 2 // 512 * 512)

        def replace(path):
            """By another shard of the same dataset."""
            number = int(path.stem.rpartition("_")[2])
            harness.output_of("cp", self.root / f"none/shards/audio_{(number + 1) % 12:09}.tar", folder / "new")
            os.replace(folder / "new", path)

        for change in (cut, replace, os.unlink):
            with self.subTest(change=change.__name__):
                harness.output_of("cp", "-r", self.root / "none", folder)
                loader = ShardDataset(folder, batch_size=7, shuffle_buffer=30, rank=0,
                                      world_size=1).loader(num_workers=2)
                batches = iter(loader)
                next(batches)
                for path in sorted((folder / "shards").iterdir()):
                    change(path)
                with self.assertRaisesRegex(shardmill.Error, r"audio_0000000\d\d.tar: "):
                    list(batches)
                del batches, loader
                harness.output_of("rm", "-r", folder)

    def test_workers_end_with_their_job(self):
        """Also where the job is killed before they have begun."""
        for method, is_early in itertools.product(("fork", "spawn", "forkserver"), (False, True)):
            with self.subTest(method=method, is_early=is_early):
                folder = self.folder / f"{method}-{is_early}"
                folder.mkdir()
                job = subprocess.Popen([sys.executable, "-B", job_to_kill.__file__, self.root / "zstd", folder, method,
                                        str(is_early)],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env={**os.environ, "PYTHONPATH": str(PACKAGE)})
                self.assertEqual(job.wait(60), -signal.SIGKILL)
                workers = [pathlib.Path("/proc") / path.name for path in folder.iterdir()]
                self.assertEqual(len(workers), 3)
                deadline = time.monotonic() + 30
                while any(map(is_running, workers)):
                    self.assertLess(time.monotonic(), deadline, "workers of a job that was killed live on")
                    time.sleep(0.1)

    def test_loaders_that_ask_each_worker(self):
        """As torchdata's StatefulDataLoader does it: the state of each worker's iterator, given to new workers."""
        whole = keys_of(self.loader("zstd", 0, batch_size=7))
        dataset = self.loader("zstd", batch_size=7).dataset
        batches = iter(dataset)
        begun = keys_of(itertools.islice(batches, 11))
        state = json.loads(json.dumps(batches.state_dict()))
        for take in (lambda new: new.load_state_dict(state) or iter(new), lambda new: self.restored(iter(new), state)):
            self.assertEqual(begun + keys_of(take(self.loader("zstd", batch_size=7).dataset)), whole)

    def test_the_state_of_each_worker(self):
        """Of workers that began in the middle of an epoch, and are asked in the middle of their share."""
        chance = random.Random(5)
        for codec, how in itertools.product(("none", "zstd"), BATCHES):
            for workers in (1, 3, 5):
                with self.subTest(codec=codec, how=how, workers=workers):
                    def plan():
                        return self.loader(codec, world_size=2, rank=1, **how).dataset._plan

                    step = chance.randrange(plan().order(3, workers).steps)
                    for worker in range(workers):
                        expected = keys_of(plan().read(3, step, worker, workers))
                        done = chance.randrange(len(expected) + 1)
                        first = plan()
                        self.assertEqual(keys_of(itertools.islice(first.read(3, step, worker, workers), done)),
                                         expected[:done])
                        later = plan()
                        later.marks = json.loads(json.dumps(first.marks_of_worker(3, step, worker, workers, done)))
                        self.assertEqual(keys_of(later.read(3, step, worker, workers, done)), expected[done:])
                        self.assertIsNone(later._lengths)  # those of all samples were not needed
                        later = plan()
                        later.marks = first.marks  # of another place: they are not used where they cannot be
                        self.assertEqual(keys_of(later.read(3, max(0, step - 3), worker, workers)),
                                         keys_of(plan().read(3, max(0, step - 3), worker, workers)))

    def test_states_go_on_without_all_lengths(self):
        """Also of states that were made after a start in the middle."""
        for codec in ("none", "zstd", "indexed"):
            how = {"batch_frames": 700, "buckets": [0.3, 0.5, 1.0], "world_size": 2, "rank": 1}
            whole = keys_of(self.loader(codec, **how))
            state = None
            for cut in (5, 9, 10, len(whole)):
                loader = self.loader(codec, **how)
                if state:
                    loader.load_state_dict(state)
                begun = keys_of(itertools.islice(loader, cut - loader.step))
                self.assertEqual(begun, whole[cut - len(begun):cut])
                self.assertEqual(loader.dataset._plan._lengths is None, state is not None)
                state = json.loads(json.dumps(loader.state_dict()))
            loader.load_state_dict({**state, "epoch": 0, "step": 3,
                                    "plan": {"ranks": {"1": [1]}, "epoch": 0, "lanes": 1}})
            with self.assertRaisesRegex(ValueError, "the state is damaged"):
                list(loader)

    @staticmethod
    def restored(batches, state):
        batches.load_state_dict(state)
        return batches

    def test_states_of_others_are_refused(self):
        state = self.loader("none", batch_size=7).state_dict()
        for codec, how in (("none", {"batch_size": 8}), ("none", {"batch_size": 7, "seed": 1}),
                           ("none", {"batch_size": 7, "shuffle_buffer": 31}),
                           ("none", {"batch_size": 7, "world_size": 2})):
            with self.assertRaisesRegex(shardmill.Error, "the state is of"):
                self.loader(codec, **how).load_state_dict(state)
        self.dataset.write("other.tar", harness.tar([each for number in range(SAMPLES) for each in member(number + 1)]))
        self.dataset.shardmill("repack", "d=other.tar", "--out", "other", "--shards", 12, "-q")
        for codec in ("other", "zstd"):
            with self.assertRaisesRegex(shardmill.Error, "the state is of another dataset"):
                self.loader(codec, batch_size=7).load_state_dict(state)
        self.loader("indexed", batch_size=7).load_state_dict(state)  # the same shards
        state = self.loader("zstd", 2, batch_size=7).state_dict()
        with self.assertRaisesRegex(shardmill.Error, "the state is of 2 workers, and this has 3"):
            self.loader("zstd", 3, batch_size=7).load_state_dict(state)
        for wrong in (5, ["a"], "12", [[1]]):
            with self.assertRaisesRegex(TypeError, "buckets is a list of bounds in seconds, and not"):
                self.loader("none", batch_frames=700, buckets=wrong)
        self.loader("none", batch_frames=700, buckets=numpy.array([0.5, 1]))
        for wrong in ({"batch_size": 0}, {"batch_size": 1, "batch_frames": 1}, {"buckets": [1]}, {"steps": "some"},
                      {"batch_frames": 9, "buckets": [2, 1]}):
            with self.assertRaises(ValueError):
                self.loader("none", **wrong)

    def test_what_is_no_state_is_refused(self):
        loader = self.loader("zstd", batch_size=7)
        good = loader.state_dict()
        for wrong, says in ((None, "of the type NoneType"), ({}, "no 'how'"),
                            ({"model": 1, "loader": good}, "no 'how'"),
                            ({**good, "how": None}, "is not a dict"), ({**good, "plan": 7}, "is not a dict"),
                            ({**good, "step": -1}, "step is not negative"), ({**good, "epoch": -1}, "epoch is not"),
                            ({**good, "step": "3"}, "step is one whole number"),
                            ({**good, "step": True}, "step is one whole number"),
                            ({name: value for name, value in good.items() if name != "workers"}, "no 'workers'")):
            for takes in (loader, *([loader.dataset] if "workers" not in says else [])):
                with self.subTest(wrong=wrong), self.assertRaisesRegex(
                        shardmill.UsageError, f"not the state of a loader: .*{says}.* .give load_state_dict"):
                    takes.load_state_dict(wrong)
        with self.assertRaisesRegex(shardmill.UsageError, "no 'batches'"):
            loader.dataset.load_state_dict({**good, "worker": 0})
        self.assertEqual((loader.epoch, loader.step), (0, 0))
        loader.load_state_dict({name: value for name, value in good.items() if name != "plan"})

    def test_damage_is_an_error(self):
        for codec in ("none", "indexed"):
            folder = self.folder / codec
            harness.output_of("cp", "-r", self.root / codec, folder)
            shard = folder / "shards/audio_000000003.tar"
            whole = shard.read_bytes()
            for damaged in (whole[:2000], bytes(512) + whole[512:], b""):
                shard.write_bytes(damaged)
                if damaged[:1] == b"\0":
                    damaged = bytearray(whole)
                    row = json.loads((folder / "manifests/manifest_000000003.json").read_text().splitlines()[2])
                    damaged[row["tar_offset"] - 512] ^= 1
                    shard.write_bytes(damaged)
                with self.assertRaisesRegex(shardmill.Error, "audio_000000003.tar"):
                    list(ShardDataset(folder, batch_size=7))
            shard.write_bytes(whole)
            manifest = folder / "manifests/manifest_000000005.json"
            manifest.write_text("".join(manifest.read_text().splitlines(keepends=True)[:-1]))
            with self.assertRaises(shardmill.Error):
                list(ShardDataset(folder, batch_size=7))

    def test_decoding(self):
        for channels, subtype, form in ((1, "PCM_16", "WAV"), (2, "PCM_24", "WAV"), (1, "FLOAT", "WAV"),
                                        (2, "PCM_16", "FLAC"),
                                        (3, "PCM_24", "FLAC"), (1, "VORBIS", "OGG")):
            out = io.BytesIO()
            soundfile.write(out, numpy.random.default_rng(1).uniform(-1, 1, (3001, channels)), 22050, format=form,
                            subtype=subtype)
            values, rate = decode_audio(out.getvalue())
            expected, _ = soundfile.read(io.BytesIO(out.getvalue()), dtype="float32", always_2d=True)
            self.assertEqual(rate, 22050)
            self.assertTrue(torch.equal(values, torch.from_numpy(expected.T)), (form, subtype))
        good = member(2)[1][1]
        for bad in (b"", b"nothing", good[:len(good) // 2], good[:200] + b"????" + good[204:]):
            with self.assertRaises(shardmill.Error):
                decode_audio(bad)

    def test_a_training_that_survives(self):
        """The loop of docs/training.md on four ranks, killed in the middle of an epoch."""
        code, = (each for each in pages.blocks((pages.ROOT / "docs/training.md").read_text(), "python")
                 if "load_state_dict" in each)
        harness.output_of("cp", "-r", self.root / "none", self.folder / "train")
        log = "open(f'log-{os.environ[\"RANK\"]}', 'a')" \
              ".write(f'{loader.epoch} {loader.step} {[key for key, _ in batch]}\\n')"
        code, found = re.subn(r"( +)for batch in loader:\n", lambda line: f"{line[0]}{line[1]}    {log}\n", code)
        self.assertEqual(found, 1)
        self.write("train.py", code.encode())
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]

        def ranks():
            return [subprocess.Popen([sys.executable, "-B", "train.py"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                     env={**os.environ, "PYTHONPATH": str(PACKAGE), "RANK": str(rank),
                                          "WORLD_SIZE": "4",
                                          "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
                                          "GLOO_SOCKET_IFNAME": "lo",
                                          "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}) for rank in range(4)]

        def lines():
            path = self.folder / "log-0"
            return path.read_text().count("\n") if path.exists() else 0

        started = ranks()
        try:
            deadline = time.monotonic() + 200
            while lines() < 7 and all(each.poll() is None for each in started) and time.monotonic() < deadline:
                time.sleep(0.01)
        finally:
            for each in started:
                each.kill()
            outputs = [each.communicate()[0].decode() for each in started]
        killed_at = lines()
        self.assertTrue((self.folder / "checkpoint.pt").exists(), outputs)
        started = ranks()
        try:
            for each in started:
                output, _ = each.communicate(timeout=300)
                self.assertEqual(each.returncode, 0, output.decode())
        finally:
            for each in started:
                each.kill()
                each.wait()
        for rank in range(4):
            expected = {}
            loader = ShardDataset(self.folder / "train", batch_size=4, rank=rank, world_size=4).loader()
            while loader.epoch < 3:
                for batch in loader:
                    expected[loader.epoch, loader.step] = [sample.key for sample in batch]
            found = {}
            for line in (self.folder / f"log-{rank}").read_text().splitlines():
                epoch, step, keys = line.split(" ", 2)
                keys = json.loads(keys.replace("'", '"'))
                self.assertEqual(found.setdefault((int(epoch), int(step)), keys), keys)  # also what was done twice
            self.assertEqual(found, expected)
        self.assertLess(killed_at, 45)


if __name__ == "__main__":
    unittest.main()
