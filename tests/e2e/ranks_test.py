"""`shardmill ranks`: what each rank gets, against the loaders' own rules written down in Python once more."""
import bz2
import itertools
import json
import pathlib
import random
import struct
import subprocess
import unittest

import numpy

import harness

RATE = 1000  # of the audio: long at few bytes
LOADERS = ("wenet", "wenet-old", "webdataset", "nemo", "lhotse")


def wav(milliseconds):
    """A tone of this length: 8 bits, one byte a millisecond."""
    data = bytes((tick * milliseconds) % 251 for tick in range(milliseconds))
    form = struct.pack("<IHHIIHH", 16, 1, 1, RATE, RATE, 1, 8)
    head = b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + form
    return head + b"data" + struct.pack("<I", len(data)) + data


def shard(name, milliseconds):
    return harness.tar([member for number, length in enumerate(milliseconds) for member in
                        ((f"{name}-{number:04}.txt", b"some words"), (f"{name}-{number:04}.wav", wav(length)))])


def uneven_lengths(shards, seed):
    """For each shard the lengths of its samples, as WeNet's make_shard_list would never mind."""
    choose = random.Random(seed)
    return [[choose.randrange(300, 9000) for _ in range(choose.choice((5, 12, 30)))] for _ in range(shards)]


# The loaders' rules, after their documented code. Each gives [rank][worker] -> places in the list.

def islice_split(order, world, workers):
    """WebDataset's split_by_node and split_by_worker; Lhotse's are the same with slices."""
    return [[list(itertools.islice(itertools.islice(order, rank, None, world), worker, None, workers))
             for worker in range(workers)] for rank in range(world)]


def wenet(order, world, workers):
    """ShardingFilterIterDataPipe below DataLoader's _sharding_worker_init_fn."""
    def instance(rank, worker):
        return worker * world + rank
    return [[[item for place, item in enumerate(order) if place % (world * workers) == instance(rank, worker)]
             for worker in range(workers)] for rank in range(world)]


def nemo(order, world, workers):
    """expand_sharded_filepaths with 'scatter', then webdataset_split_by_workers."""
    result = []
    for rank in range(world):
        begin = (len(order) // world) * rank
        block = order[begin:begin + len(order) // world]
        result.append([block[worker::workers] for worker in range(workers)])
    return result


def torch_shuffled(order, seed):
    """ShufflerIterDataPipe with a buffer for all."""
    generator, buffer, result = random.Random(seed), list(order), []
    while buffer:
        result.append(buffer.pop(generator.randint(0, len(buffer) - 1)))
    return result


def shuffled(order, seed):
    order = list(order)
    random.Random(seed).shuffle(order)
    return order


SPLIT = {"wenet": wenet, "wenet-old": islice_split, "webdataset": islice_split, "nemo": nemo, "lhotse": islice_split}
ORDER = {"wenet": lambda order, seed, epoch: torch_shuffled(order, seed + epoch),
         "wenet-old": lambda order, seed, epoch: shuffled(order, epoch),
         "webdataset": lambda order, seed, epoch: order,
         "nemo": lambda order, seed, epoch: order,
         "lhotse": lambda order, seed, epoch: shuffled(order, seed + epoch)}


def idle_shares(split, seconds):
    totals = [sum(seconds[number] for worker in rank for number in worker) for rank in split]
    return [1 - total / max(totals) for total in totals]


class Ranks(harness.Case):
    def ranks(self, *arguments, code=0):
        return json.loads(self.shardmill("ranks", "--json", "--progress", "none", *arguments, code=code).out)

    def make_shards(self, folder, lengths, suffix=".tar", pack=bytes):
        for number, milliseconds in enumerate(lengths):
            self.write(f"{folder}/s{number:03}{suffix}", pack(shard(f"s{number:03}", milliseconds)))

    def repack(self, source, out, shards, *more):
        self.shardmill("repack", source, "--out", out, "--shards", shards, "--progress", "none", "-q", *more)

    def shard_seconds(self, out):
        return [json.loads(line)["seconds"] for line in (self.folder / out / "shards.jsonl").read_text().splitlines()]


class Rules(Ranks):
    """Against the rules above, on shards that are as uneven as they come."""

    @classmethod
    def setUpClass(cls):
        cls.lengths = uneven_lengths(13, 7)
        cls.seconds = [sum(shard) / 1000 for shard in cls.lengths]

    def setUp(self):
        super().setUp()
        self.make_shards("foreign", self.lengths)

    def check(self, found, split):
        self.assertEqual(len(found["ranks"]), len(split))
        shares = idle_shares(split, self.seconds)
        for rank, workers, share in zip(found["ranks"], split, shares):
            mine = [number for worker in workers for number in worker]
            self.assertEqual(rank["shards"], len(mine))
            self.assertEqual(rank["samples"], sum(len(self.lengths[number]) for number in mine))
            self.assertAlmostEqual(rank["seconds"], sum(self.seconds[number] for number in mine), 6)
            self.assertAlmostEqual(rank["idle_share"], share, 9)
            self.assertEqual(rank["bytes"], sum((self.folder / f"foreign/s{number:03}.tar").stat().st_size
                                                for number in mine))
            for worker, numbers in zip(rank["workers"], workers, strict=True):
                self.assertEqual(worker["shards"], len(numbers))
                self.assertAlmostEqual(worker["seconds"], sum(self.seconds[number] for number in numbers), 6)
        self.assertAlmostEqual(found["idle_share"], max(shares), 9)
        read = {number for rank in split for worker in rank for number in worker}
        self.assertEqual(found["never_read"],
                         [f"foreign/s{number:03}.tar" for number in range(13) if number not in read])
        self.assertEqual(found["workers_without_data"], sum(not worker for rank in split for worker in rank))

    def test_the_list_as_it_stands(self):
        for world, workers in ((1, 1), (4, 1), (4, 3), (5, 2), (13, 1), (13, 2)):
            result = self.ranks("foreign", "-w", world, "-k", workers, "--epochs", 0)
            self.assertEqual([entry["loader"] for entry in result["world_sizes"][0]["loaders"]], list(LOADERS))
            for entry in result["world_sizes"][0]["loaders"]:
                with self.subTest(world=world, workers=workers, loader=entry["loader"]):
                    self.assertIsNone(entry["worst_epoch"])
                    self.check(entry, SPLIT[entry["loader"]](list(range(13)), world, workers))

    def test_the_worst_of_shuffled_epochs(self):
        result = self.ranks("foreign", "-w", "3,4", "-k", 2, "--epochs", 9, "--seed", 5)
        for world in result["world_sizes"]:
            for entry in world["loaders"]:
                with self.subTest(world=world["world_size"], loader=entry["loader"]):
                    splits = [SPLIT[entry["loader"]](ORDER[entry["loader"]](list(range(13)), 5, epoch),
                                                     world["world_size"], 2) for epoch in range(9)]
                    worst = max(range(9), key=lambda epoch: max(idle_shares(splits[epoch], self.seconds)))
                    shuffles = entry["loader"] in ("wenet", "wenet-old", "lhotse")
                    self.assertEqual(entry["worst_epoch"], worst if shuffles else None)
                    self.check(entry, splits[worst])

    def test_a_list_decides_the_order(self):
        backwards = [f"foreign/s{number:03}.tar" for number in reversed(range(13))]
        self.write("data.list", ("\n".join(backwards) + "\n").encode())
        entry = self.ranks("data.list", "-w", 4, "--loader", "nemo")["world_sizes"][0]["loaders"][0]
        self.check(entry, nemo(list(reversed(range(13))), 4, 1))

    def test_webdataset_stops_at_a_worker_without_data(self):
        text = self.shardmill("ranks", "foreign", "-w", 5, "-k", 3).out.decode().splitlines()
        lines = [line for line in text if "without data stop with an error" in line]
        self.assertEqual(lines, ["  webdataset: 2 workers without data stop with an error"])
        self.assertIn("  wenet, wenet-old, lhotse: 2 workers without data", text)

    def test_text_tells_the_same(self):
        text = self.shardmill("ranks", "foreign", "-w", "4", "-k", 2, "--progress", "none").out.decode()
        worst = max(self.ranks("foreign", "-w", 4, "-k", 2)["world_sizes"][0]["loaders"],
                    key=lambda entry: entry["idle_share"])
        for part in ("foreign: 13 shards of", "world size 4, 2 loader workers for each rank",
                     f"{100 * worst['idle_share']:.1f}%",
                     f"1 shard never read: {self.seconds[12]:.2f} s", "waits", "divide into no world size",
                     "--multiple-of 8", "--out DIR", "rank 3"):
            self.assertIn(part, text)
        self.assertEqual(text.count("\n    rank "), 4)


class Lists(Ranks):
    def setUp(self):
        super().setUp()
        self.make_shards("source", uneven_lengths(6, 3), ".tar.bz2", bz2.compress)

    def lists(self, folder, world):
        return [(self.folder / folder / f"world-{world}/rank-{rank}.list").read_text().splitlines()
                for rank in range(world)]

    def test_of_a_dataset(self):
        self.repack("source", "out", 12)
        self.ranks("out", "--world-size", "1,2,4,5,12", "-k", 3)
        paths = (self.folder / "out/data.list").read_text().splitlines()
        plan = json.loads((self.folder / "out/ranks/plan.json").read_text())
        self.assertEqual([world["world_size"] for world in plan["world_sizes"]], [1, 2, 4, 5, 12])
        for world in plan["world_sizes"]:
            lists = self.lists("out/ranks", world["world_size"])
            self.assertEqual(sorted(path for lines in lists for path in lines), paths)
            self.assertEqual([rank["shards"] for rank in world["ranks"]], [len(lines) for lines in lists])
            divides = 12 % world["world_size"] == 0
            self.assertEqual(len({len(lines) for lines in lists}) == 1, divides)
            strided = self.folder / f"out/ranks/world-{world['world_size']}/data.list"
            self.assertEqual(strided.exists(), divides)
            if divides:
                order = strided.read_text().splitlines()
                self.assertEqual([order[rank::world["world_size"]] for rank in range(world["world_size"])], lists)
        self.shardmill("verify", "out")

    def test_of_a_dataset_twice_are_the_same_bytes(self):
        self.repack("source", "out", 6)
        self.shardmill("ranks", "out", "-w", "2,3", "-q")
        before = {name: (self.folder / "out" / name).read_bytes() for name in self.names("out")}
        self.shardmill("ranks", "out", "-w", "2,3", "-q", "-j", 1)
        self.assertEqual({name: (self.folder / "out" / name).read_bytes() for name in self.names("out")}, before)

    def test_of_other_shards_only_where_told(self):
        before = self.names()
        self.shardmill("ranks", "source", "-w", 3)
        self.assertEqual(self.names(), before)
        found = self.ranks("source", "-w", 3, "-k", 2, "--out", "lists")["world_sizes"][0]
        lists = self.lists("lists", 3)
        self.assertEqual(sorted(path for lines in lists for path in lines),
                         [str(path.resolve()) for path in sorted((self.folder / "source").iterdir())])
        self.assertEqual({len(lines) for lines in lists}, {2})
        self.assertLessEqual(found["lists"]["idle_share"],
                             min(loader["idle_share"] for loader in found["loaders"]) + 1e-9)

    def test_a_list_that_the_next_plan_lacks_leaves_the_checksums_too(self):
        self.repack("source", "eight", 8)
        self.repack("source", "nine", 9)
        self.ranks("eight", "-w", 4, "--out", "lists")
        self.assertIn("world-4/data.list", (self.folder / "lists/SHA256SUMS").read_text())
        self.ranks("nine", "-w", 4, "--out", "lists")
        self.assertFalse((self.folder / "lists/world-4/data.list").exists())
        subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=self.folder / "lists", check=True)

    def test_world_sizes_that_have_nothing_in_common(self):
        self.repack("source", "out", 40)
        primes = "2,3,5,7,11,13,17,19,23,29,31,37"
        self.assertEqual(self.ranks("out", "-w", primes, "--dry-run")["multiple_of"], 0)
        self.assertNotIn("--multiple-of", self.shardmill("ranks", "out", "-w", primes, "--dry-run").out.decode())
        self.assertEqual(self.ranks("out", "-w", "4,6", "-k", 3, "--dry-run")["multiple_of"], 36)
        self.assertEqual(self.ranks("out", "-w", 1, "-k", 2, "--dry-run")["even_world_sizes"], [1, 2, 4, 5, 10, 20])

    def test_dry_run_writes_nothing(self):
        self.repack("source", "out", 4)
        before = self.names()
        self.shardmill("ranks", "out", "-w", 2, "--dry-run")
        self.assertEqual(self.names(), before)

    def test_list_root(self):
        self.repack("source", "out", 4, "--list-root", "/data/here")
        self.shardmill("ranks", "out", "-w", 2)
        self.assertEqual({pathlib.PurePath(path).parent for lines in self.lists("out/ranks", 2) for path in lines},
                         {pathlib.PurePath("/data/here/shards")})
        self.shardmill("verify", "out")
        self.shardmill("ranks", "out", "-w", 2, "--list-root", "/there/")
        self.assertTrue(self.lists("out/ranks", 2)[0][0].startswith("/there/shards/audio_"))
        self.fails("ranks", "source", "-w", 2, "--list-root", "/there", code=2, says="cannot have another root")

    def test_verify_finds_lists_that_do_not_fit(self):
        self.repack("source", "out", 4)
        self.shardmill("ranks", "out", "-w", 2)
        list_file = self.folder / "out/ranks/world-2/rank-1.list"
        lines = list_file.read_text().splitlines()
        for change, says in ((lines[:1], "0 times"), (lines + lines[:1], "2 times"),
                             (["/elsewhere/shards/audio_000000009.tar"] + lines[1:], "not a shard of the dataset")):
            list_file.write_text("\n".join(change) + "\n")
            self.assertIn(says, self.shardmill("verify", "out", code=1).out.decode())
        list_file.unlink()
        self.assertIn("rank-1.list", self.shardmill("verify", "out", code=1).out.decode())

    def test_another_dataset_in_the_same_place_has_no_lists_yet(self):
        self.repack("source", "out", 4)
        self.shardmill("ranks", "out", "-w", 2)
        self.repack("source", "out", 6, "--force")
        self.assertFalse((self.folder / "out/ranks").exists())
        self.shardmill("verify", "out")


class Balanced(Ranks):
    """The promise: what repack wrote gives every rank the same, whatever the loader and its shuffle."""

    def test_idle_share_before_and_after(self):
        lengths = [[length * 4 for length in lengths] for lengths in uneven_lengths(48, 11)]
        self.make_shards("source", lengths)
        self.repack("source", "out", 16)
        mean = sum(self.shard_seconds("out")) / 16
        for world, workers in ((1, 1), (16, 1), (4, 4), (2, 8)):
            before, after = (self.ranks(name, "-w", world, "-k", workers)["world_sizes"][0]["loaders"]
                             for name in ("source", "out"))
            for entry in after:
                # 1e-5, or the 10 ms that a shard as short as these may differ by
                self.assertLessEqual(entry["idle_share"], max(1e-5, 0.010 / mean), entry["loader"])
                self.assertEqual({worker["shards"] for rank in entry["ranks"] for worker in rank["workers"]},
                                 {16 // (world * workers)})
            if world > 1:
                self.assertGreater(min(entry["idle_share"] for entry in before), 0.01)
        text = self.shardmill("ranks", "out", "-w", "2,8,16").out.decode()
        self.assertIn("Every rank gets the same audio", text)
        self.assertIn("Equal audio does not mean equal steps", text)

    def test_long_shards_differ_by_less_than_a_hundredth_of_a_thousandth(self):
        choose = random.Random(2)
        lengths = [[choose.randrange(5_000, 30_000) for _ in range(130)] for _ in range(8)]
        self.make_shards("source", lengths)
        self.repack("source", "out", 8)
        self.assertGreater(min(self.shard_seconds("out")), 1000)
        for entry in self.ranks("out", "-w", 8, "--epochs", 20)["world_sizes"][0]["loaders"]:
            self.assertLessEqual(entry["idle_share"], 1e-5, entry["loader"])


class Supply(Ranks):
    """Whether loader workers keep trainers busy."""

    def test_the_story(self):
        """Eight ranks on mixed uneven bz2 shards: a rank with one shard has one worker at work, and starves."""
        choose = random.Random(4)
        lengths = [[choose.randrange(500, 5000) for _ in range(count)] for count in [85] * 11 + [200]]
        seconds = [sum(shard) / 1000 for shard in lengths]
        self.make_shards("source", lengths, ".tar.bz2", bz2.compress)
        supply = ("-w", 8, "-k", 2, "--need", "400x", "--supply", "250x")
        ranks = self.ranks("source", "--epochs", 0, "--loader", "wenet",
                           *supply)["world_sizes"][0]["loaders"][0]["ranks"]
        self.assertEqual([rank["starves"] for rank in ranks], [False] * 3 + [True] * 5)
        self.assertAlmostEqual(ranks[4]["delivered"], 250)
        self.assertAlmostEqual(ranks[4]["load_seconds"], seconds[4] / 250)
        self.assertAlmostEqual(ranks[4]["train_seconds"], seconds[4] / 400)
        epoch = seconds[11] / 250  # one worker of rank 3 has the long shard alone
        self.assertAlmostEqual(ranks[4]["busy_share"], seconds[4] / 400 / epoch)
        text = self.shardmill("ranks", "source", "--epochs", 0, "--loader", "wenet", *supply).out.decode()
        for part in ("5 of 8", "starves: 250x of 400x", f"GPU busy {100 * ranks[4]['busy_share']:.0f}%",
                     "Ranks starve"):
            self.assertIn(part, text)

        self.repack("source", "out", 16)
        for entry in self.ranks("out", *supply)["world_sizes"][0]["loaders"]:
            self.assertEqual({rank["starves"] for rank in entry["ranks"]}, {False})
            self.assertGreater(min(rank["busy_share"] for rank in entry["ranks"]), 0.999)
        self.assertNotIn("starve:", self.shardmill("ranks", "out", *supply).out.decode())

    def test_measured(self):
        self.write("mixed/a.tar.bz2", bz2.compress(harness.shard(0, 6)))
        self.write("mixed/b.tar", harness.shard(6, 6, "flac"))
        found = self.ranks("mixed", "-w", 2, "--need", "0.001x")
        supply = found["supply"]
        self.assertTrue(supply["measured"])
        self.assertGreater(supply["audio_decoding"], 0)
        self.assertEqual({entry["codec"]: entry["used"] for entry in supply["codecs"]},
                         {"plain tar": True, "bzip2": True, "gzip": False, "zstd": False, "lz4": False})
        for entry in supply["codecs"]:
            self.assertGreater(entry["worker_speed"], 0)
            self.assertEqual(entry["workers_needed"], 1)
        self.assertFalse(any(rank["starves"] for rank in found["world_sizes"][0]["loaders"][0]["ranks"]))
        # A rank with bz2 shards starves beside one with plain shards, between what workers deliver of the two.
        speeds = {entry["codec"]: entry["worker_speed"] for entry in supply["codecs"]}
        between = (speeds["bzip2"] * speeds["plain tar"]) ** 0.5
        found = self.ranks("mixed", "-w", 2, "--loader", "wenet", "--epochs", 0, "--need", f"{between:.0f}x")
        ranks = found["world_sizes"][0]["loaders"][0]["ranks"]
        self.assertEqual([rank["starves"] for rank in ranks], [True, False])
        self.assertLess(ranks[1]["busy_share"], 0.9)
        text = self.shardmill("ranks", "mixed", "-w", 2, "--need", f"{between:.0f}x").out.decode()
        self.assertRegex(text, "if shards are even and written as: .*plain tar")
        self.assertIn("Ranks starve by decoding alone", text)
    def test_says_what_the_verdict_rests_on(self):
        self.write("a.tar", harness.shard(0, 6))
        supply = self.ranks("a.tar", "-w", 1, "--need", "0.001x")["supply"]
        self.assertEqual(supply["basis"], "decoding alone")
        python, seconds = supply["python_assumed"], sum(len(harness.speech(number)[1]) for number in range(6)) / 16000
        for entry in supply["codecs"]:
            slower = 6 * python["seconds_per_sample"] + len(harness.shard(0, 6)) * python["seconds_per_tar_byte"]
            self.assertAlmostEqual(seconds / entry["worker_speed"], seconds / entry["decoder_speed"] + slower,
                                   delta=1e-6)
        text = self.shardmill("ranks", "a.tar", "-w", 1, "--need", "0.001x").out.decode()
        self.assertRegex(text, r"even lists .* none +100%, rank 0 +decoding alone\n")
        self.assertIn("No rank starves by decoding alone", text)
        found = self.ranks("a.tar", "-w", 1, "--need", "400x", "--supply", "480x")
        self.assertEqual((found["supply"]["basis"], found["world_sizes"][0]["lists"]["supply_basis"]),
                         ("as given",) * 2)
        self.assertNotIn("python_assumed", found["supply"])
        text = self.shardmill("ranks", "a.tar", "-w", 1, "--need", "400x", "--supply", "480x").out.decode()
        self.assertRegex(text, r"even lists .* none +100%, rank 0 +supply as given\n")
        self.assertNotIn("ecoding alone", text)

    def test_nobody_delivers_a_thousand_years_a_second(self):
        self.write("mixed/a.tar.bz2", bz2.compress(harness.shard(0, 6)))
        self.write("mixed/b.tar", harness.shard(6, 6, "flac"))
        # No worker can deliver a thousand years of audio per second.
        found = self.ranks("mixed", "-w", 2, "--need", "1000000000x")
        self.assertTrue(all(rank["starves"] for rank in found["world_sizes"][0]["loaders"][0]["ranks"]))
        self.assertGreater(min(entry["workers_needed"] for entry in found["supply"]["codecs"]), 100)


class Buckets(Ranks):
    """--buckets: the bins of Lhotse's estimate_duration_buckets(), its rule written down anew."""

    def test_bins_of_a_dataset(self):
        members = [(name, data) for name, data in harness.samples(range(120))]
        self.write("source.tar", harness.tar(members))
        self.shardmill("repack", "source.tar", "--out", "out", "--shards", "4")
        durations = sorted(json.loads(line)["duration"]
                           for line in (self.folder / "out/tarred_audio_manifest.json").read_text().splitlines())
        share, filled, bins = float(numpy.sum(durations)) / 6, 0.0, []
        for duration in durations:
            if filled > share:
                bins.append(duration)
                filled = 0.0
            filled += duration
        told = json.loads(self.shardmill("ranks", "out", "--world-size", "2", "--buckets", "6", "--json").out)
        self.assertEqual(told["bucket_duration_bins"], bins)
        self.assertAlmostEqual(sum(bucket["audio_share"] for bucket in told["buckets"]), 1)
        text = self.shardmill("ranks", "out", "--world-size", "2", "--buckets", "6").out.decode()
        self.assertIn(f"bucket_duration_bins=[{','.join(str(numpy.round(b, 5)) for b in bins)}]\n", text)

    def test_where_there_are_none(self):
        self.write("a.tar", harness.tar(list(harness.samples(range(3)))))
        result = self.shardmill("ranks", "a.tar", "--world-size", "1", "--buckets", "2", code=2)
        self.assertIn("come from the manifests", result.err)
        self.shardmill("repack", "a.tar", "--out", "out", "--shards", "1")
        result = self.shardmill("ranks", "out", "--world-size", "1", "--buckets", "4", code=2)
        self.assertIn("more than there are samples: 3", result.err)


def token_bins(seconds, tokens, buckets, parts):
    """NeMo's estimate_duration_bins_2d.py with numpy 1, which adds single numbers in double precision."""
    def in_order(first, second):
        order = numpy.lexsort((second, first))
        return first[order], second[order]

    seconds, tokens = in_order(numpy.array(seconds, numpy.float32), numpy.array(tokens, numpy.int32))
    share, filled, ends = float(seconds.sum()) / buckets, 0.0, []
    for i, size in enumerate(seconds):
        if filled > share:
            size = numpy.round(size, 3)
            ends.append((size, i))
            filled = 0.0
        filled += float(size)
    ends.append((numpy.round(seconds[-1], 3), len(seconds)))
    bins, rates, begin, merged = [], [], 0, 1
    for (longest, end), following in zip(ends, [*ends[1:], (None, 0)]):
        if following[0] == longest:
            merged += 1
            continue
        of_bucket = tokens[begin:end] / seconds[begin:end]
        if numpy.std(of_bucket) > 0:
            kept = (of_bucket - numpy.mean(of_bucket)) / numpy.std(of_bucket) <= 4
        else:
            kept = numpy.full(len(of_bucket), True)
        counts, held = numpy.sort(tokens[begin:end][kept]), 0
        for count in counts.tolist():
            if held > counts.sum() / (parts * merged):
                bins.append([round(float(longest), 3), count])
                held = 0
            held += count
        bins.append([round(float(longest), 3), int(counts[-1])])
        rates += [of_bucket[kept].max()] * (len(bins) - len(rates))
        begin, merged = end, 1
    return bins, rates


class TokenBins(Ranks):
    """--sub-buckets: bins of duration and of tokens."""

    def told(self, *options):
        return json.loads(self.shardmill("ranks", "out", "--world-size", "2", "--json", *options).out)

    def setUp(self):
        super().setUp()
        members, rows = [], []
        for number in range(150):
            text = harness.speech(number)[0] if number != 70 else "\u5f88" * 400  # an outlier
            members += [(f"utt{number:05}.txt", text.encode()), (f"utt{number:05}.wav", harness.audio(number))]
            rows.append({"key": f"utt{number:05}", "count": number % 17, "ids": list(range(number % 11))})
        self.write("source.tar", harness.tar(members))
        self.write("facts.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())
        self.shardmill("repack", "source.tar", "--out", "out", "--shards", "4", "--metadata", "facts.jsonl")
        self.rows = [json.loads(line)
                     for line in (self.folder / "out/tarred_audio_manifest.json").read_text().splitlines()]

    def test_bins_of_a_dataset(self):
        seconds = [row["duration"] for row in self.rows]
        for counts, options in (([len(row["text"]) for row in self.rows], ()),
                                ([row["count"] for row in self.rows], ("--tokens", "count")),
                                ([len(row["ids"]) for row in self.rows], ("--tokens", "ids"))):
            for buckets, parts in ((2, 1), (5, 2), (30, 3), (100, 4)):
                bins, rates = token_bins(seconds, counts, buckets, parts)
                told = self.told("--buckets", buckets, "--sub-buckets", parts, *options)
                self.assertEqual(told["bucket_duration_bins"], bins)
                numpy.testing.assert_allclose(told["max_tps"], rates, rtol=1e-12)
        bins, rates = token_bins(seconds, [len(row["text"]) for row in self.rows], 5, 2)
        self.assertLess(max(count for _, count in bins), 400)
        text = self.shardmill("ranks", "out", "--world-size", "2", "--buckets", 5, "--sub-buckets", 2).out.decode()
        self.assertIn("bucket_duration_bins=[" + ",".join(f"[{b:.3f},{t}]" for b, t in bins) + "]\n", text)
        self.assertIn("max_tps=[" + ",".join(f"{rate:.2f}" for rate in rates) + "]\n", text)

    def test_wrong_usage(self):
        for options, says in ((("--sub-buckets", 2), "--buckets"),
                              (("--buckets", 3, "--sub-buckets", 0), "out of range"),
                              (("--buckets", 3, "--tokens", "count"), "--sub-buckets"),
                              (("--buckets", 3, "--sub-buckets", 2, "--batch-duration", "60s", "--loader", "lhotse"),
                               "cannot be combined")):
            self.assertIn(says, self.shardmill("ranks", "out", "-w", 1, *options, code=2).err)
        self.fails("ranks", "out", "-w", 1, "--buckets", 3, "--sub-buckets", 2, "--tokens", "nothing",
                   says=["'nothing'", "line 1"])
        self.fails("ranks", "out", "-w", 1, "--buckets", 3, "--sub-buckets", 2, "--tokens", "text", says="'text'")
        self.shardmill("repack", "source.tar", "--out", "bare", "--shards", "1", "--text", "members")
        self.fails("ranks", "bare", "-w", 1, "--buckets", 3, "--sub-buckets", 2, says="no text")


class BadInput(Ranks):
    def setUp(self):
        super().setUp()
        self.make_shards("source", [[1000, 2000], [3000], [1500, 500, 700]])

    def test_usage(self):
        for arguments, says in (((), "no DIR or SOURCE"), (("source",), "--world-size is missing"),
                                (("source", "-w", 0), "'0' is not a number of ranks"),
                                (("source", "-w", "2,,3"), "''"), (("source", "-w", "2x"), "'2x'"),
                                (("source", "-w", "-1"), ""), (("source", "-w", 2, "-k", 0), "--workers 0"),
                                (("source", "-w", 2, "-k", 1025), "1 to 1024"),
                                (("source", "-w", 2, "--epochs", 1001), "0 to 1000"),
                                (("source", "-w", 2, "--loader", "torch"), "--loader torch is unknown"),
                                (("source", "-w", 2, "--epochs", "many"), "--epochs many"),
                                (("source", "-w", 2, "--need", "-3x"), ""),
                                (("source", "-w", 2, "--need", "0x"), "rate"),
                                (("source", "-w", 2, "--supply", "3x"), "without --need"),
                                (("source", "-w", 4), ("world size 4", "shards: 3", "--multiple-of 4"))):
            with self.subTest(arguments=arguments):
                self.fails("ranks", *arguments, "--progress", "none", code=2, says=says)

    def test_a_raw_corpus_has_no_shards(self):
        self.write("corpus/wavs/a.wav", wav(2000))
        self.write("corpus/wav.scp", b"a wavs/a.wav\n")
        self.write("corpus/text", b"a some words\n")
        for source in ("kaldi:corpus", "corpus"):
            self.fails("ranks", source, "-w", 1, code=2, says="shardmill repack makes shards of it")

    def test_no_such_source(self):
        self.fails("ranks", "nowhere", "-w", 2, says="nowhere")
        self.write("data.list", b"source/s000.tar\nsource/s999.tar\n")
        self.fails("ranks", "data.list", "-w", 2, says="s999.tar")

    def test_unfinished_dataset(self):
        self.repack("source", "out", 2)
        (self.folder / "out/dataset.json").unlink()
        self.fails("ranks", "out", "-w", 2, says=("not finished", "dataset.json", "same repack command"))

    def test_records_that_do_not_fit_the_shards(self):
        self.repack("source", "out", 2)
        first = self.folder / "out/shards/audio_000000000.tar"
        whole = first.read_bytes()
        first.write_bytes(whole[:-512])
        self.fails("ranks", "out", "-w", 2, says=("audio_000000000.tar", "bytes, and shards.jsonl says"))
        first.unlink()
        self.fails("ranks", "out", "-w", 2, says=("audio_000000000.tar", "is missing"))
        first.write_bytes(whole)
        records = self.folder / "out/shards.jsonl"
        lines = records.read_text().splitlines(keepends=True)
        for change in (lines[:1], lines[::-1], [lines[0], lines[1][:40]],
                       [lines[0], lines[1].replace('"samples":3', '"samples":4', 1)],
                       [lines[0].replace('"seconds":', '"seconds":1', 1), lines[1]]):
            records.write_text("".join(change))
            self.fails("ranks", "out", "-w", 2, says="out/")
        records.write_text("".join(lines))
        manifest = self.folder / "out/manifests/manifest_000000001.json"
        lines = manifest.read_text().splitlines(keepends=True)
        for change in (lines[1:], lines + lines[:1], [lines[0].replace('"duration":', '"duration":1', 1), *lines[1:]]):
            manifest.write_text("".join(change))
            for command in (("ranks", "out", "-w", 2), ("index", "out", "--index", "speechbrain")):
                self.fails(*command, says=("manifest_000000001.json", "SHA-256", "shardmill verify"))
        manifest.unlink()
        self.fails("ranks", "out", "-w", 2, says="manifest_000000001.json")
        self.assertFalse((self.folder / "out/speechbrain.json").exists())
        self.assertFalse((self.folder / "out/ranks").exists())

    def test_damaged_shards_count_as_far_as_they_can_be_read(self):
        whole = (self.folder / "source/s000.tar").read_bytes()
        self.write("source/s000.tar", whole[:2560 + 1000])
        result = self.shardmill("ranks", "source", "-w", 3, "--json", "--epochs", 0, "--need", "10x")
        self.assertIn("s000.tar: is damaged", result.err)
        self.assertEqual(json.loads(result.out)["world_sizes"][0]["loaders"][0]["ranks"][1]["seconds"], 3)


if __name__ == "__main__":
    unittest.main()
