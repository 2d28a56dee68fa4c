"""`repack` makes shards equal whatever is mixed: counts, counts of each dataset, and audio time as the tars have it."""
import bz2
import io
import json
import math
import os
import random
import tarfile
import unittest
import wave

import harness

ROUNDS = int(os.environ.get("SHARDMILL_BALANCE_ROUNDS", "3"))
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
        data = b"".join(member(f"{name}{i:05}.txt", b"hi") + member(f"{name}{i:05}.wav", recording(length, values[i] if values else 0))
                        for i, length in enumerate(lengths))
        self.write(f"{name}.tar", data + bytes(1024))
        return f"{name}={name}.tar"

    def put_six(self, times, order=None):
        random_ = random.Random(5)
        draws = {"a": (780, lambda: random_.lognormvariate(1.2, .4)), "b": (500, lambda: random_.lognormvariate(2.4, .3)),
                 "c": (150, lambda: random_.gauss(73, 6)), "d": (260, lambda: random_.uniform(.5, 2)),
                 "e": (160, lambda: random_.choice([1.5, 15.0]) + random_.uniform(0, .3)), "f": (190, lambda: random_.lognormvariate(1.9, .9))}
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
        return self.shardmill("repack", *sources, "--out", out, "--shards", shards, "--list-root", "/r", *options).out.decode()


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


if __name__ == "__main__":
    unittest.main()
