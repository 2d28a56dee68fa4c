"""`shardmill ranks --batch ...`: steps, padding and waiting, against the loaders' rules written down in Python."""
import bisect
import itertools
import json
import random
import struct
import unittest
import warnings

import harness
from ranks_test import ORDER, SPLIT

try:
    import torch.utils.data
    from torch.utils.data.datapipes.iter import IterableWrapper
except ImportError:
    torch = None

RATE = 8000
USUAL = {"wenet": 1500, "wenet-old": 1500, "webdataset": 1000, "nemo": 2048, "lhotse": 20000}


def wav(frames):
    """So much silence: 8 bits, one byte a frame."""
    form = struct.pack("<IHHIIHH", 16, 1, 1, RATE, RATE, 1, 8)
    head = b"RIFF" + struct.pack("<I", 36 + frames) + b"WAVEfmt " + form
    return head + b"data" + struct.pack("<I", frames) + bytes(frames)


def features(record):
    """Frames of torchaudio's kaldi.fbank after a resampling to 16 kHz."""
    values = -(-record["frames"] * 16000 // record["sample_rate"])
    return 0 if values < 400 else 1 + (values - 400) // 160


# What the loaders do, after their documented code.

def torch_shuffle(samples, size, seed):
    """ShufflerIterDataPipe."""
    generator, buffer = random.Random(seed), []
    for sample in samples:
        if len(buffer) == size:
            drawn = generator.randint(0, size - 1)
            buffer[drawn], sample = sample, buffer[drawn]
            yield sample
        else:
            buffer.append(sample)
    while buffer:
        yield buffer.pop(generator.randint(0, len(buffer) - 1))


def stretches(samples, size, change):
    """WeNet's processors sort(), and shuffle() up to 3.0.0."""
    samples = iter(samples)
    while stretch := list(itertools.islice(samples, size)):
        change(stretch)
        yield from stretch


def webdataset_shuffle(data, size, generator, initial=100):
    data, buffer = iter(data), []

    def pick():
        place = generator.randint(0, len(buffer) - 1)
        picked, buffer[place] = buffer[place], buffer[-1]
        buffer.pop()
        return picked

    for sample in data:
        buffer.append(sample)
        if len(buffer) < size:
            buffer.extend(itertools.islice(data, 1))
        if len(buffer) >= min(initial, size):
            yield pick()
    while buffer:
        yield pick()


def static(samples, size):
    samples = iter(samples)
    while batch := list(itertools.islice(samples, size)):
        yield batch


class Window:
    """WeNet's DynamicBatchWindow. A worker keeps it from epoch to epoch."""

    def __init__(self, most):
        self.longest, self.most = 0, most

    def is_full(self, sample, held):
        self.longest = max(self.longest, sample)
        if self.longest * (held + 1) <= self.most:
            return False
        self.longest = sample
        return True


def dynamic(samples, window):
    """WeNet's dynamic_batch."""
    buffer = []
    for sample in samples:
        if window.is_full(sample, len(buffer)):
            if buffer:
                yield buffer
            buffer = [sample]
        else:
            buffer.append(sample)
    if buffer:
        yield buffer


def bucketed(samples, most, bins, size, seed, worker):
    """Lhotse's DynamicBucketingSampler with sync_buckets, in a loader worker."""
    samples, buckets = iter(samples), [[] for _ in range(len(bins) + 1)]
    choose, generator = random.Random(1234 + worker), random.Random(seed)

    def fill(count):
        for sample in itertools.islice(samples, count):
            buckets[bisect.bisect_left(bins, sample)].append(sample)

    def batch_of(bucket):
        batch = []
        for sample in bucket:
            batch.append(sample)
            if (len(batch) + 1) * max(batch) > most:
                return batch, True
        return batch, False

    def select():
        begin = choose.randrange(len(buckets))
        places = [begin] + [place for away in range(1, len(buckets)) for place in (begin - away, begin + away)
                            if 0 <= place < len(buckets)]
        for good in (lambda bucket: batch_of(bucket)[1], bool):
            for place in places:
                if good(buckets[place]):
                    return buckets[place]
        return None

    fill(size)
    while (bucket := select()) is not None:
        order = list(range(len(bucket)))
        if seed is not None:
            generator.shuffle(order)
        batch, _ = batch_of([bucket[place] for place in order])
        for place in sorted(order[:len(batch)], reverse=True):
            del bucket[place]
        fill(len(batch))
        yield batch


def by_length(samples, bins, sizes, held=10000):
    """WeNet's bucket_by_sequence_length, on PyTorch's Grouper."""
    groups, count = {}, 0
    for sample in samples:
        bucket = next((number for number, bound in enumerate(bins) if sample < bound), len(bins))
        groups.setdefault(bucket, []).append(sample)
        count += 1
        if len(groups[bucket]) == sizes[bucket]:
            count -= sizes[bucket]
            yield groups.pop(bucket)
        if count == held:
            group = groups.pop(max(groups, key=lambda bucket: len(groups[bucket])))
            count -= len(group)
            yield group
    yield from groups.values()


def in_turns(workers):
    """DataLoader."""
    for turn in itertools.zip_longest(*workers):
        yield from (batch for batch in turn if batch is not None)


class Steps(harness.Case):
    shards, uneven = 12, False

    def setUp(self):
        super().setUp()
        choose = random.Random(5)
        for number in range(self.shards):
            count = choose.randrange(20, 60) if self.uneven else 40
            lengths = [int(RATE * min(15, choose.lognormvariate(0.9, 0.6) + 0.2)) for _ in range(count)]
            self.write(f"in/s{number:02}.tar",
                       harness.tar([(f"s{number}-{i}.wav", wav(length)) for i, length in enumerate(lengths)]))
        self.shardmill("repack", "in", "--out", "out", "--shards", self.shards - self.uneven, "-q",
                       "--allow-missing-text")
        self.samples = [[json.loads(line) for line in path.read_text().splitlines()]
                        for path in sorted((self.folder / "out/manifests").iterdir())]

    def ranks(self, *arguments, code=0):
        return json.loads(self.shardmill("ranks", "out", "--json", "--dry-run", *arguments, code=code).out)

    def batches(self, loader, numbers, rank, worker, workers, seed, buffer, sort, make, bins, window):
        """What one worker gives."""
        measure = features if loader.startswith("wenet") else lambda record: record["duration"]
        if loader in ("webdataset", "nemo") and seed is not None and buffer:
            generator = random.Random(seed + (rank * workers + worker) * 0x9E3779B9)
            numbers = list(webdataset_shuffle(numbers, 100 if loader == "webdataset" else buffer, generator))
        samples = [measure(record) for number in numbers for record in self.samples[number]]
        if seed is not None and buffer:
            if loader == "wenet":
                samples = list(torch_shuffle(samples, buffer, seed))
            elif loader == "wenet-old":
                samples = list(stretches(samples, buffer, random.Random(seed + worker).shuffle))
            elif loader == "webdataset":
                samples = list(webdataset_shuffle(samples, buffer, generator))
        if loader.startswith("wenet") and sort:
            samples = list(stretches(samples, sort, list.sort))
        if make[0] == "--batch":
            return list(static(samples, make[1]))
        if make[0] == "--batch-frames":
            return list(dynamic(samples, window if loader == "wenet" else Window(make[1])))
        if make[0] == "--batch-buckets":
            *few, rest = (part.split(":") for part in make[1].split(","))
            return list(by_length(samples, [int(frames) for frames, _ in few],
                                  [int(part[-1]) for part in (*few, rest)]))
        return list(bucketed(samples, make[1], bins, max(buffer, 1), seed, worker))

    def check(self, found, loader, world, workers, make, epochs, seed, buffer=None, sort=500, bins=()):
        """All epochs of one loader."""
        buffer = USUAL[loader] if buffer is None else buffer
        order = list(range(len(self.samples)))
        windows = [[Window(make[1]) for _ in range(workers)] for _ in range(world)]
        self.assertEqual(len(found["epochs"]), max(epochs, 1))
        for epoch, steps in enumerate(found["epochs"]):
            split = SPLIT[loader](ORDER[loader](order, seed, epoch) if epochs else order, world, workers)
            ranks = [list(in_turns([self.batches(loader, numbers, rank, worker, workers,
                                                 seed + epoch if epochs else None,
                                                 buffer, sort, make, bins, windows[rank][worker])
                                    for worker, numbers in enumerate(split[rank])])) for rank in range(world)]
            self.assertEqual(steps["steps"], [len(rank) for rank in ranks])
            padded = sum(len(batch) * max(batch) for rank in ranks for batch in rank)
            filled = sum(sum(batch) for rank in ranks for batch in rank)
            lasts = sum(max(len(batch) * max(batch) for batch in step if batch)
                        for step in itertools.zip_longest(*ranks))
            self.assertAlmostEqual(steps["padding_share"], 1 - filled / padded, 9)
            self.assertAlmostEqual(steps["idle_share"], 1 - padded / (world * lasts), 9)
        self.assertEqual(found["fewest"], min(min(steps["steps"]) for steps in found["epochs"]))
        self.assertEqual(found["most"], max(max(steps["steps"]) for steps in found["epochs"]))
        self.assertEqual(found["uneven_epochs"], sum(len(set(steps["steps"])) > 1 for steps in found["epochs"]))

    def compare(self, make, loaders, *options, teams=((1, 1), (2, 3), (4, 1), (5, 2)), epochs=3, seed=7, **more):
        for world, workers in teams:
            amount = f"{make[1]}s" if make[0] == "--batch-duration" else make[1]
            result = self.ranks("-w", world, "-k", workers, make[0], amount, "--loader", ",".join(loaders), "--epochs",
                                epochs,
                                "--seed", seed, *options)
            bins = result.get("bucket_duration_bins", ())
            for entry in result["world_sizes"][0]["loaders"]:
                with self.subTest(make=make, loader=entry["loader"], world=world, workers=workers):
                    self.check(entry["steps"], entry["loader"], world, workers, make, epochs, seed, bins=bins, **more)


class Even(Steps):
    def test_static(self):
        self.compare(("--batch", 7), ("wenet", "wenet-old", "webdataset", "nemo"))
        self.compare(("--batch", 7), ("wenet", "wenet-old", "webdataset", "nemo"), "--shuffle-buffer", 30,
                     "--sort-buffer", 20,
                     buffer=30, sort=20)
        self.compare(("--batch", 1000), ("wenet", "nemo"), "--shuffle-buffer", 1, buffer=1)

    def test_without_a_shuffle(self):
        self.compare(("--batch", 7), ("wenet", "wenet-old", "webdataset", "nemo"), epochs=0)
        self.compare(("--batch", 7), ("wenet", "webdataset"), "--shuffle-buffer", 0, "--sort-buffer", 0, buffer=0,
                     sort=0)
        self.compare(("--batch-duration", 40), ("lhotse",), "--buckets", 5, epochs=0)

    def test_dynamic(self):
        self.compare(("--batch-frames", 2000), ("wenet", "wenet-old"))
        self.compare(("--batch-frames", 2000), ("wenet", "wenet-old"), "--shuffle-buffer", 30, "--sort-buffer", 20,
                     buffer=30, sort=20)
        self.compare(("--batch-frames", 300), ("wenet",))  # many samples are longer than that

    def test_buckets_of_wenet(self):
        self.compare(("--batch-buckets", "150:9,300:5,400:3,2"), ("wenet",))
        self.compare(("--batch-buckets", "250:4,1"), ("wenet",), "--shuffle-buffer", 30, "--sort-buffer", 0, buffer=30,
                     sort=0)
        self.compare(("--batch-buckets", "7"), ("wenet",))
        for wrong in ("", "5:", ":5", "5:5", "5:5,4:4,3", "5:5,5:4,3", "5:0,3", "5:5,0", "x:5,3", "5,5", "5:5:5,3"):
            self.fails("ranks", "out", "-w", 2, "--dry-run", f"--batch-buckets={wrong}", code=2, says="--batch-buckets")

    def test_buckets(self):
        self.compare(("--batch-duration", 40), ("lhotse",), "--buckets", 5)
        self.compare(("--batch-duration", 25.5), ("lhotse",), "--buckets", 8, "--shuffle-buffer", 40, buffer=40)
        self.compare(("--batch-duration", 1), ("lhotse",))  # many samples are longer than that

    def test_all_threads_say_the_same(self):
        arguments = ("out", "-w", 3, "-k", 2, "--batch-frames", 2000, "--dry-run", "--json")
        self.assertEqual(self.shardmill("ranks", *arguments, "-j", 1).out,
                         self.shardmill("ranks", *arguments, "-j", 4, "--memory", "1MiB").out)

    def test_text(self):
        text = self.shardmill("ranks", "out", "-w", 4, "--dry-run", "--batch", 10, "--loader",
                              "wenet,nemo").out.decode()
        self.assertIn("steps in batches of 10 samples, over 20 epochs with seeds from 42 on", text)
        self.assertRegex(text, r"(?m)^  wenet +12 +no +\d+\.\d% +\d+\.\d%$")
        self.assertNotIn("Equal audio is not equal steps", text)
        text = self.shardmill("ranks", "out", "-w", 4, "--dry-run", "--batch-frames", 2000, "--epochs", 0).out.decode()
        self.assertIn("steps in batches of up to 2,000 frames, without any shuffle", text)
        found = self.ranks("-w", 4, "--batch-frames", 2000, "--loader",
                           "wenet")["world_sizes"][0]["loaders"][0]["steps"]
        self.assertGreater(found["uneven_epochs"], 0)
        text = self.shardmill("ranks", "out", "-w", 4, "--batch-frames", 2000, "--loader", "wenet",
                              "--dry-run").out.decode()
        self.assertIn(f"or end each epoch after {found['fewest']} steps on all", text)
        other = found["static_batches"]
        self.assertIn(f"batches of {other['samples']} samples take {other['fewest']} steps on each rank", text)
        size = other["samples"]
        again = self.ranks("-w", 4, "--batch", size, "--loader", "wenet")["world_sizes"][0]["loaders"][0]["steps"]
        self.assertEqual({name: again[name] for name in other if name != "samples"},
                         {name: other[name] for name in other if name != "samples"})

    def test_wrong_usage(self):
        for arguments, says in ((("--batch", 0), "--batch 0"), (("--batch", "x"), "--batch x"),
                                (("--batch", 4, "--batch-frames", 9), "different ways"),
                                (("--batch-duration", "0s"), "--batch-duration"), (("--sort-buffer", 9), "no effect"),
                                (("--shuffle-buffer", 9), "no effect"),
                                (("--batch-frames", 9, "--loader", "nemo"), "nemo"),
                                (("--batch", 9, "--loader", "lhotse"), "lhotse"),
                                (("--batch", 9, "--loader", "nemo", "--sort-buffer", 9), "--sort-buffer is for wenet")):
            with self.subTest(arguments):
                self.fails("ranks", "out", "-w", 2, "--dry-run", *arguments, code=2, says=says)
        self.fails("ranks", "in", "-w", 2, "--batch", 4, code=2, says="manifests")


class Uneven(Steps):
    """Shards that differ by a sample, and do not divide."""
    uneven = True

    def test_all(self):
        self.compare(("--batch", 5), ("wenet", "wenet-old", "webdataset", "nemo"))
        self.compare(("--batch-frames", 2000), ("wenet",))
        self.compare(("--batch-duration", 40), ("lhotse",), "--buckets", 5)

    def test_what_would_be_better(self):
        counts = [len(shard) for shard in self.samples]
        self.assertEqual(max(counts) - min(counts), 1)
        # Batches that only the larger shards fill twice.
        found = self.ranks("-w", 11, "--batch", min(counts), "--loader",
                           "nemo")["world_sizes"][0]["loaders"][0]["steps"]
        self.assertEqual((found["fewest"], found["most"], found["steps_if_even"]), (1, 2, 1))
        self.shardmill("repack", "in", "--out", "even", "--shards", 11, "-q", "--allow-missing-text", "--even",
                       "leave-out")
        text = self.shardmill("ranks", "even", "-w", 11, "--batch", min(counts), "--loader", "nemo",
                              "--dry-run").out.decode()
        self.assertRegex(text, r"(?m)^  nemo +1 +no ")
        text = self.shardmill("ranks", "out", "-w", 11, "--batch", min(counts), "--loader", "nemo",
                              "--dry-run").out.decode()
        self.assertIn("--even leave-out take 1 step on all ranks", text)
        text = self.shardmill("ranks", "out", "-w", 4, "--batch", 3, "--loader", "wenet", "--dry-run").out.decode()
        self.assertIn("--multiple-of 4 divide among all workers", text)


@unittest.skipIf(torch is None, "needs PyTorch")
class PlanFor(harness.Case):
    """--plan-for, judged by the simulator that the other tests here compare with the loaders' rules."""

    def setUp(self):
        super().setUp()
        choose = random.Random(6)
        for number, count in enumerate((150, 61, 102)):
            lengths = [int(RATE * min(15, choose.lognormvariate(0.9, 0.6) + 0.2)) for _ in range(count)]
            self.write(f"in/s{number}.tar",
                       harness.tar([(f"s{number}-{i}.wav", wav(length)) for i, length in enumerate(lengths)]))

    def repack(self, *options, code=0):
        return self.shardmill("repack", "in", "--out", "out", "--allow-missing-text", *options, code=code)

    def steps(self, world, workers, batch, loader):
        told = json.loads(self.shardmill("ranks", "out", "--json", "--dry-run", "-w", world, "-k", workers, "--batch",
                                         batch,
                                         "--loader", loader, "--epochs", 5).out)
        return told["world_sizes"][0]["loaders"][0]["steps"]

    def test_all_ranks_take_the_same_steps(self):
        for loader, world, workers, batch in (("wenet", 4, 3, 7), ("wenet-old", 3, 1, 10), ("webdataset", 2, 2, 16),
                                              ("nemo", 5, 2, 3)):
            with self.subTest(loader=loader):
                plan = f"{loader},static={batch},ranks={world},workers={workers}"
                said = self.repack("--plan-for", plan, "--shard-samples", 20, "--force").out.decode()
                steps = self.steps(world, workers, batch, loader)
                self.assertEqual((steps["uneven_epochs"], steps["fewest"]), (0, steps["most"]))
                count = "step" if steps["most"] == 1 else "steps"
                self.assertIn(f"{loader}: batches of {batch} samples take {steps['most']} {count} on each of {world} "
                              f"ranks", said)
                dataset = json.loads((self.folder / "out/dataset.json").read_text())
                self.assertEqual(dataset["options"]["plan-for"], plan)
                self.assertEqual(dataset["options"]["even"], "leave-out")
                self.assertEqual(dataset["shards"] % (world * workers), 0)
        self.shardmill("verify", "out")
        self.assertIn("plan-for: was",
                      self.repack("--plan-for", "nemo,static=4,ranks=5,workers=2", "--shard-samples", 20, code=1).err)

    def test_with_repeated_samples_and_more_multiples(self):
        said = self.repack("--plan-for", "wenet,static=4,ranks=4", "--even", "repeat", "--multiple-of", 6,
                           "--shard-samples", 30).out
        self.assertEqual(len((self.folder / "out/data.list").read_text().splitlines()), 12)
        steps = self.steps(4, 1, 4, "wenet")
        self.assertEqual((steps["uneven_epochs"], steps["fewest"]), (0, 21))
        self.assertIn(b"take 21 steps on each of 4 ranks", said)
        self.assertEqual(json.loads((self.folder / "out/dataset.json").read_text())["evened"]["left_out"], 0)

    def test_update_keeps_the_plan(self):
        choose = random.Random(7)
        self.repack("--plan-for", "wenet,static=4,ranks=2", "--shard-samples", 100)
        found = []
        for name in "ab":
            members = [(f"{name}{i}.wav", wav(int(RATE * min(15, choose.lognormvariate(0.9, 0.6) + 0.2))))
                       for i in range(90)]
            self.write(f"{name}.tar", harness.tar(members))
            said = self.shardmill("update", "out", "--add", f"in={name}.tar", "--allow-missing-text").out.decode()
            found.append(len((self.folder / "out/data.list").read_text().splitlines()))
            steps = self.steps(2, 1, 4, "wenet")
            self.assertIn(f"batches of 4 samples take {steps['most']} steps on each of 2 ranks", said)
            self.assertEqual(steps["uneven_epochs"], 0)
        self.assertEqual(found, [6, 8])

    def test_nothing_is_said_twice(self):
        """The last one would win, and nobody would know."""
        self.write("a.tar", harness.shard())
        for options, says in ((("--plan-for", "wenet,static=2,ranks=8,ranks=4"), "ranks= twice"),
                              (("--weight", "a=2", "--weight", "a=3"), "--weight a=3"),
                              (("--take", "1s", "--take", "2s"), "--take 2s")):
            self.fails("repack", "a=a.tar", "--out", "out", *options, code=2, says=says)

    def test_dry_run(self):
        said = self.repack("--plan-for", "wenet,static=4,ranks=4", "--dry-run").out.decode()
        self.assertRegex(said,
                         r"shards +4\n  steps +wenet: batches of 4 samples take 2\d steps on each of 4 ranks, .* "
                         r"\(estimated\)")
        self.assertFalse((self.folder / "out").exists())

    def test_batches_that_are_never_full(self):
        said = self.repack("--plan-for", "wenet,static=100,ranks=4,workers=2", "--shards", 8).out.decode()
        self.assertRegex(said,
                         r"take 2 steps on each of 4 ranks, in every epoch; no batch is full: each worker reads only "
                         r"3\d samples")

    def test_advice_is_for_the_ranks_of_the_plan(self):
        said = self.repack("--plan-for", "wenet,static=4,ranks=4,workers=2", "--workers", 2, "--dry-run").out.decode()
        self.assertIn("4 ranks x 2 workers", said)
        self.assertIn("contradicts --plan-for",
                      self.repack("--plan-for", "wenet,static=4,ranks=4", "--ranks", 8, "--dry-run", code=2).err)

    def test_refused(self):
        for plan, says in (("wenet", "is not LOADER"), ("wenet,static=16", "lacks"),
                           ("wenet,static=0,ranks=2", "static=0"),
                           ("wenet,dynamic=12000,ranks=2", "variable size"), ("lhotse,static=16,ranks=2", "lhotse"),
                           ("none,static=16", "unknown loader"), ("static=16,ranks=2", "unknown loader"),
                           ("cats,static=16,ranks=2", "names the unknown loader cats"),
                           ("wenet,static=16,ranks=2,cats=2", "LOADER,static=N")):
            self.assertIn(says, self.repack("--plan-for", plan, code=2).err, plan)
        self.assertIn("--even", self.repack("--plan-for", "wenet,static=4,ranks=4", "--even", "off", code=2).err)
        self.assertIn("not a multiple of 4",
                      self.repack("--plan-for", "wenet,static=4,ranks=4", "--shards", 6, code=2).err)


@unittest.skipIf(torch is None, "needs PyTorch")
class Torch(unittest.TestCase):
    """The rules above are those of PyTorch's own code."""

    def test_shuffler(self):
        for size in (1, 7, 100, 1000):
            pipe = IterableWrapper(list(range(500)), deepcopy=False).shuffle(buffer_size=size).set_seed(11)
            self.assertEqual(list(pipe), list(torch_shuffle(range(500), size, 11)))

    def test_turns_of_workers(self):
        batches = [[(worker, number) for number in range(count)] for worker, count in enumerate((3, 9, 0, 5))]

        class Worker(torch.utils.data.IterableDataset):
            def __iter__(self):
                return iter(batches[torch.utils.data.get_worker_info().id])

        for prefetch in (1, 2, 5):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that four workers are many for this machine
                loader = torch.utils.data.DataLoader(Worker(), batch_size=None, num_workers=4, prefetch_factor=prefetch)
                found = [tuple(batch) for batch in loader]
            self.assertEqual(found, list(in_turns(batches)))


if __name__ == "__main__":
    unittest.main()
