"""`repack` makes shards equal whatever is mixed: counts, counts of each dataset, and audio time as the tars have it."""
import bz2
import io
import json
import math
import os
import random
import resource
import shutil
import subprocess
import tarfile
import time
import unittest
import wave

import harness

ROUNDS = int(os.environ.get("SHARDMILL_BALANCE_ROUNDS", "3"))
KILLS = int(os.environ.get("SHARDMILL_KILLS", "8"))
RATE = 200  # values a second: small files, and lengths in steps of 5 ms


def recording(seconds, value=0):
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        frames = max(1, round(seconds * RATE))
        file.writeframes(random.Random(value).randbytes(2 * frames) if value else bytes(2 * frames))
    return out.getvalue()


def member(name, data):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    return info.tobuf(tarfile.USTAR_FORMAT) + data + bytes(-len(data) % 512)


class Balancing(harness.Case):
    def put(self, name, lengths, values=None):
        """Plain tar NAME.tar, in this order; `values`: a number for each sample that is noise and not silence."""
        data = b"".join(member(f"{name}{i:05}.txt", b"hi")
                        + member(f"{name}{i:05}.wav", recording(length, values[i] if values else 0))
                        for i, length in enumerate(lengths))
        self.write(f"{name}.tar", data + bytes(1024))
        return f"{name}={name}.tar"

    def put_six(self, times, order=None):
        random_ = random.Random(5)
        draws = {"a": (780, lambda: random_.lognormvariate(1.2, .4)),
                 "b": (500, lambda: random_.lognormvariate(2.4, .3)),
                 "c": (150, lambda: random_.gauss(73, 6)), "d": (260, lambda: random_.uniform(.5, 2)),
                 "e": (160, lambda: random_.choice([1.5, 15.0]) + random_.uniform(0, .3)),
                 "f": (190, lambda: random_.lognormvariate(1.9, .9))}
        sources = []
        for name, (count, draw) in draws.items():
            lengths = [min(max(draw(), .2), 120) for _ in range(int(count * times))]
            sources.append(self.put(name, sorted(lengths) if order == "sorted" else lengths))
        return sources

    def measure(self, out):
        """Frames, samples and samples of each dataset of every shard, counted from its tar."""
        shards = []
        for line in (self.folder / out / "shards.jsonl").read_text().splitlines():
            frames, counts = 0, {}
            with tarfile.open(self.folder / out / json.loads(line)["path"]) as tar:
                for each in tar:
                    if each.name.endswith(".wav"):
                        frames += (each.size - 44) // 2
                        counts[each.name[0]] = counts.get(each.name[0], 0) + 1
            shards.append((frames, counts))
        return shards

    def check_equal(self, out, by_dataset=True):
        shards = self.measure(out)
        seconds = [frames / RATE for frames, _ in shards]
        counts = [sum(by.values()) for _, by in shards]
        self.assertLessEqual(max(counts) - min(counts), 1)
        for name in {name for _, by in shards for name in by} if by_dataset else ():
            of_name = [by.get(name, 0) for _, by in shards]
            self.assertLessEqual(max(of_name) - min(of_name), 1, name)
        self.assertLessEqual(max(seconds) - min(seconds), max(0.01, 1e-5 * sum(seconds) / len(seconds)) + 1e-9)

    def repack(self, sources, out, shards, *options):
        return self.shardmill("repack", *sources, "--out", out, "--shards", shards, "--list-root", "/r",
                              *options).out.decode()


class Mixes(Balancing):
    def test_random_ones(self):
        for number in range(ROUNDS):
            random_ = random.Random(number)
            shards = random_.randint(2, 40)
            sources = []
            for name in "abcdefgh"[:random_.randint(1, 8)]:
                median, width = random_.uniform(1, 12), random_.uniform(.1, .8)
                lengths = [min(max(random_.lognormvariate(math.log(median), width), .2), 4 * median)
                           for _ in range(random_.randint(shards, 25 * shards))]
                sources.append(self.put(name, sorted(lengths) if random_.random() < .25 else lengths))
            sources.append(self.put("z", [random_.uniform(1, 9) for _ in range(20 * shards)]))
            with self.subTest(mix=number, shards=shards, datasets=len(sources)):
                self.repack(sources, f"out{number}", shards, "--seed", number)
                self.check_equal(f"out{number}")

    def test_many_unlike_samples(self):
        """15,900 samples in 128 shards: more than are held as a whole."""
        self.repack(self.put_six(7.8), "out", 128)
        self.check_equal("out")

    def test_long_shards(self):
        """250 samples a shard, of which the deal holds back a small part."""
        for order in ("drawn", "sorted"):
            with self.subTest(order=order):
                self.repack(self.put_six(1, order), order, 8)
                self.check_equal(order)

    def test_a_dataset_ends_early(self):
        """Its compressed size says that there are few samples left when most are still to come."""
        random_ = random.Random(2)
        lengths = [random_.uniform(1, 9) for _ in range(1200)]
        self.put("a", lengths, [i + 1 if i < 300 else 0 for i in range(1200)])
        self.write("a.tar.bz2", bz2.compress((self.folder / "a.tar").read_bytes(), 1))
        other = self.put("b", [random_.uniform(3, 4) for _ in range(1300)])
        self.repack(["a=a.tar.bz2", other], "out", 9)
        self.check_equal("out")


class GivenBack(Balancing):
    """The samples that are held until the end cannot make these shards equal, so shards give samples back."""
    SHARDS = 48

    def setUp(self):
        super().setUp()
        self.sources = self.put_six(1.5, "sorted")

    def test_shards_are_equal(self):
        self.repack(self.sources, "out", self.SHARDS)
        self.check_equal("out")
        self.shardmill("verify", "out", "--against", *self.sources)

    def test_with_other_options(self):
        for number, options in enumerate((["--even", "leave-out"], ["--even", "repeat"], ["--mix", "temperature=0.5"],
                                          ["--codec", "zstd"], ["--weight", "a=1.5"])):
            with self.subTest(options=options):
                out = f"out{number}"
                self.repack(self.sources, out, self.SHARDS, *options)
                self.check_equal(out) if "zstd" not in options else self.check_record(out)
                counts = {json.loads(line)["samples"]
                          for line in (self.folder / out / "shards.jsonl").read_text().splitlines()}
                if "--even" in options:
                    self.assertEqual(len(counts), 1)
                self.shardmill("verify", out)

    def check_record(self, out):
        balance = json.loads((self.folder / out / "dataset.json").read_text())["balance"]
        self.assertTrue(balance["even"])

    def test_split(self):
        self.repack(self.sources, "out", self.SHARDS, "--split", "dev=20m,test=10m", "--split-by", "key")
        for split in ("train", "dev", "test"):
            self.check_equal(f"out/{split}")

    def test_in_parts(self):
        self.repack(self.sources, "out", self.SHARDS, "--parts", 2)
        for part in (0, 1):
            self.shardmill("repack", "--out", "out", "--part", part)
        self.shardmill("repack", "--out", "out", "--finish")
        self.check_equal("out")

    def test_killed_at_any_time(self):
        self.repack(self.sources, "reference", self.SHARDS, "-j", 1)
        command = [harness.PROGRAM, "repack", *self.sources, "--out", "out", "--shards", str(self.SHARDS),
                   "--list-root", "/r", "-q"]
        random_ = random.Random(7)
        for _ in range(KILLS):
            run = subprocess.Popen(command, cwd=self.folder)
            time.sleep(random_.uniform(0.05, 0.9))
            run.kill()
            run.wait()
            if (self.folder / "out/dataset.json").exists():
                self.same_bytes("out", "reference")
                shutil.rmtree(self.folder / "out")
        self.shardmill(*command[1:])
        self.same_bytes("out", "reference")

    def same_bytes(self, out, reference):
        self.assertEqual((self.folder / out / "SHA256SUMS").read_bytes(),
                         (self.folder / reference / "SHA256SUMS").read_bytes())
        self.shardmill("verify", out)


class Reasons(Balancing):
    """What is said where no deal can make the shards equal."""

    def reason(self, lengths, shards, *options):
        out = f"out{len(list(self.folder.iterdir()))}"
        source = self.put("a", lengths)
        text = self.repack([source], out, shards, *options)
        line = [line.strip() for line in text.splitlines() if "not equal" in line]
        self.assertLessEqual(len(line), 1)
        summary = json.loads(self.shardmill("repack", source, "--out", out + "j", "--shards", shards, "--json",
                                            *options).out)
        self.assertEqual(summary["even"], not line)
        return line[0] if line else "", summary.get("least_spread_seconds")

    def test_one_long_sample(self):
        line, least = self.reason([1.0] * 40 + [73.0], 4)
        self.assertEqual(line, "the shards are not equal, and must differ by 71.7 s at least: one sample lasts 73 s, "
                               "longer than a shard's share of 28.2 s")
        self.assertAlmostEqual(least, 82 - 31 / 3, places=6)

    def test_the_mix_is_kept(self):
        """As one dataset, the same samples would be nearer to each other."""
        text = self.repack([self.put("a", [0.3] * 36), self.put("b", [0.3, 0.6, 0.9, 1.8, 0.5])], "out", 4)
        self.assertIn("at least while each holds its share of every dataset: one sample lasts 1.8 s", text)

    def test_one_long_sample_too_many(self):
        line, least = self.reason([9.0] * 3 + [1.0] * 3, 2)
        self.assertEqual(line,
                         "the shards are not equal, and must differ by 8 s at least: 3 samples last 9 s or longer, "
                               "so one of 2 shards gets 2 of them")
        self.assertEqual(least, 8)

    def test_few_long_samples(self):
        line, _ = self.reason([5.0] * 3 + [1.0] * 13, 4)
        self.assertIn("only 3 samples last 5 s or longer, so one of 4 shards gets none", line)

    def test_steps(self):
        line, least = self.reason([2.0, 3.0, 4.0, 2.0, 3.0, 3.0, 2.0, 3.0], 4)
        self.assertIn("all lengths are multiples of 1 s, and their sum is not divisible by 4 shards", line)
        self.assertEqual(least, 1)

    def test_exactly_ten_milliseconds_are_equal(self):
        self.assertEqual(self.reason([2.70, 2.71], 2), ("", None))

    def test_an_update_on_a_coarse_grid_takes_no_longer_than_a_repack(self):
        """No deal is equal. Each search for one ends, and all of them together do."""
        chance = random.Random(7)
        coarse = [chance.choice([.1, .2, .3, .4, .5, .6]) for _ in range(348)]
        few = [chance.choice([.14, .24, .34]) for _ in range(18)]

        def seconds_for(*words):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            said = self.shardmill(*words, "--progress", "none").out.decode()
            return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, said

        first = [self.put("a", coarse[:300]), self.put("few", few)]
        seconds_for("repack", *first, "--out", "out", "--shards", 40)
        more = self.put("more", coarse[300:])
        updated, said = seconds_for("update", "out", "--add", more.replace("more=", "a="))
        made, _ = seconds_for("repack", *first, more.replace("more=", "a="), "--out", "all", "--shards", 46)
        self.assertLess(updated, 4 * made + 1)
        self.assertIn("the shards are not equal", said)
        # Its shards do not have the same shares of `a` and `few`.
        self.assertNotIn("its share of every dataset", said)
        self.shardmill("verify", "out")

    def test_no_reason_is_made_up(self):
        random_ = random.Random(1)
        line, least = self.reason([random_.uniform(1, 9) for _ in range(7)], 2)
        self.assertEqual(line, "the shards are not equal: no better deal of 7 samples to 2 shards was found")
        self.assertLess(least, 0.01)

    def test_nothing_is_said_of_equal_shards(self):
        self.assertEqual(self.reason([1.0, 2.0] * 20, 4), ("", None))


if __name__ == "__main__":
    unittest.main()
