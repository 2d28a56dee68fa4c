"""Damage that shows only after samples of the same compressed stream were taken: they are counted, and never called
good."""
import io
import json
import random
import shutil
import subprocess
import tarfile
import unittest

import harness
from resume_test import Resuming
from repack_test import tone

KEYS = 40
SKIP = ("--on-error", "skip", "--max-rejects", "all")


def shard(prefix, count=KEYS):
    return harness.tar([member for number in range(count)
                        for member in ((f"{prefix}{number:03}.txt", b"words"),
                                       (f"{prefix}{number:03}.wav", tone(40_000, hash_of(prefix, number))))])


def hash_of(prefix, number):
    return int.from_bytes(prefix.encode(), "little") * 1000 + number


def ends(data):
    """Where each sample ends in the tar: that is where its audio does."""
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return {member.name[:-4]: member.offset_data + member.size for member in tar if member.name.endswith(".wav")}


def with_a_wrong_block(frame, share):
    """A zstd frame; the block at about this share of it is of a kind that does not exist."""
    descriptor = frame[4]
    at = 5 + (0 if descriptor & 0x20 else 1) + (0, 1, 2, 4)[descriptor & 3]
    at += (1 if descriptor & 0x20 else 0, 2, 4, 8)[descriptor >> 6]
    while at < share * len(frame):
        header = int.from_bytes(frame[at:at + 3], "little")
        at += 3 + (1 if header >> 1 & 3 == 1 else header >> 3)
    return frame[:at] + bytes([frame[at] | 6]) + frame[at + 1:]


def flipped(data, share):
    at = int(share * len(data))
    return data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1:]


class Doubt(harness.Case):
    def zstd(self, data, *options):
        return harness.output_of("zstd", "-1qc", *options, data=data)

    def repack(self, out, *options, sources=("x",)):
        return self.shardmill("repack", *sources, "--out", out, "--shards", 2, *SKIP, *options)

    def record(self, out):
        return json.loads((self.folder / out / "dataset.json").read_text())

    def taken(self, out):
        lines = (self.folder / out / "tarred_audio_manifest.json").read_text().splitlines()
        return [(record["source"], record["source_key"]) for record in map(json.loads, lines)]

    def check(self, out, plain, begin=0):
        """`plain`: what the only file holds that is in doubt, from `begin` on."""
        (doubt,) = self.record(out)["doubtful"]
        self.assertEqual((doubt["dataset"], doubt["tar_bytes"][0]), ("x", begin))
        end = ends(plain)
        expected = [key for source, key in self.taken(out) if source == doubt["source"] and end[key] > begin]
        self.assertEqual(doubt["samples"], len(expected))
        self.assertGreater(doubt["samples"], 0)
        self.assertLess(max(end[key] for key in expected), doubt["tar_bytes"][1] + 1)
        verified = self.shardmill("verify", out)
        told = verified.out.decode() + verified.err
        self.assertIn(f"{doubt['samples']} samples of {doubt['source']} may be wrong", told)
        self.assertIn(f"nothing is damaged, but {doubt['samples']} samples in doubt", told)
        self.assertNotIn("all good", told)
        result = json.loads(self.shardmill("verify", out, "--json").out)
        self.assertEqual((result["good"], result["doubtful_samples"]), (True, doubt["samples"]))
        return doubt

    def test_of_each_codec(self):
        data = shard("a")
        for name, content in {
            "zst-unchecked": with_a_wrong_block(self.zstd(data, "--no-check"), 0.6),
            "zst": with_a_wrong_block(self.zstd(data), 0.6),
            "lz4-unchecked": flipped_size(harness.output_of("lz4", "-1qc", "--no-frame-crc", data=data)),
            "lz4": flipped(harness.compress("lz4", data), 0.6),
            "gz": flipped(harness.compress("gzip", data), 0.6),
        }.items():
            with self.subTest(name):
                self.write("x/a.tar", content)
                summary = self.repack(name).out.decode()
                self.assertRegex(summary,
                                 r"in doubt +\d+ samples may be wrong, because a compressed stream is damaged after "
                                 r"them")
                self.check(name, data)

    def test_blocks_that_are_checked_one_by_one_leave_none(self):
        data = shard("a")
        for codec in ("bzip2", "none"):
            with self.subTest(codec):
                self.write("x/a.tar", flipped(harness.compress(codec, data), 0.6))
                self.repack("out")
                self.assertNotIn("doubtful", self.record("out"))
                shutil.rmtree(self.folder / "out")
        self.write("x/a.tar", harness.compress("zstd", data)[:-300_000])  # what is only cut is right
        self.assertNotIn("in doubt", self.repack("out").out.decode())
        self.assertNotIn("doubtful", self.record("out"))

    def test_only_the_stream_that_is_damaged(self):
        data = shard("a", 100)
        cut = len(data) // 2
        for name, first, second in (("zst", self.zstd(data[:cut]),
                                     with_a_wrong_block(self.zstd(data[cut:], "--no-check"), 0.6)),
                                    ("gz", harness.compress("gzip", data[:cut]),
                                     flipped(harness.compress("gzip", data[cut:]), 0.6))):
            with self.subTest(name):
                self.write("x/a.tar", first + second)
                self.repack(name)
                self.check(name, data, begin=cut)

    def test_each_dataset_of_a_split_names_them(self):
        self.write("x/a.tar.zst", with_a_wrong_block(self.zstd(shard("a"), "--no-check"), 0.9))
        self.repack("out", "--split", "dev=10s", "--split-by", "key")
        (doubt,) = self.record("out/train")["doubtful"]
        self.assertEqual(self.record("out/dev")["doubtful"], [doubt])
        self.assertEqual(doubt["samples"], sum(self.record(f"out/{name}")["samples"] for name in ("train", "dev")))
        for folder in ("out", "out/dev", "out/train"):
            result = json.loads(self.shardmill("verify", folder, "--json").out)
            self.assertEqual(result["doubtful_samples"], doubt["samples"])

    def test_updates_keep_it_and_add_theirs(self):
        self.write("x/a.tar.zst", with_a_wrong_block(self.zstd(shard("a"), "--no-check"), 0.6))
        self.repack("out")
        first = self.check("out", shard("a"))
        self.write("y/b.tar.zst", with_a_wrong_block(self.zstd(shard("b"), "--no-check"), 0.6))
        self.shardmill("update", "out", "--add", "x=y", *SKIP)
        doubts = self.record("out")["doubtful"]
        self.assertEqual(doubts[0], first)
        self.assertEqual([doubt["source"] for doubt in doubts], ["x/a.tar.zst", "y/b.tar.zst"])
        self.assertEqual(self.shardmill("verify", "out", "--json").code, 0)


def flipped_size(frame):
    """An lz4 frame without a checksum; its second block has a size that no block may have."""
    at = 7  # after the magic, the flags, the block size and the checksum of the header
    at += 4 + (int.from_bytes(frame[at:at + 4], "little") & 0x7fffffff)
    return frame[:at] + b"\xff\xff\xff\x7f" + frame[at + 4:]


class Killed(Resuming):
    def setUp(self):
        harness.Case.setUp(self)
        for number in range(3):
            data = shard(f"f{number}")
            packed = (with_a_wrong_block(harness.output_of("zstd", "-1qc", "--no-check", data=data), 0.6),
                      flipped(harness.compress("gzip", data), 0.7), harness.compress("zstd", data))[number]
            self.write(f"x/f{number}.tar", packed)

    def command(self, out, *options):
        return [harness.PROGRAM, "repack", "x", "--out", out, "--shards", "3", "-j2", "-q", "--list-root", "/r", *SKIP,
                *options]

    def test_the_counts_survive_kills(self):
        seconds = self.undisturbed("reference")
        self.assertEqual(len(json.loads((self.folder / "reference/dataset.json").read_text())["doubtful"]), 2)
        random_ = random.Random(3)
        kills = 0
        while kills < 6:
            kills += self.kill_until_done("out", 1.1 * seconds, random_)
            self.same_dataset("out", "reference")
            shutil.rmtree(self.folder / "out")
        alone = [option for option in self.command("one") if option != "-j2"]
        subprocess.run([*alone, "-j1"], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        self.same_dataset("one", "reference")


del Resuming  # its tests are not for here

if __name__ == "__main__":
    unittest.main()
