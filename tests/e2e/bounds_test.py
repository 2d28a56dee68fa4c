"""What is too long, too many or too often is refused early, or done in the time its size would take."""
import json
import os
import subprocess
import time

import harness
from repack_test import tone

LONGEST_LINE = 64 << 20


def shard(samples):
    """A tar of (key, text, audio)."""
    return harness.tar([member for key, text, audio in samples
                        for member in ((f"{key}.txt", text), (f"{key}.wav", audio))])


class Texts(harness.Case):
    """One bound for lines: what repack takes, all others can read."""

    def test_a_transcript_whose_manifest_line_would_be_too_long_is_refused_by_repack(self):
        # Each of these takes six bytes in JSON.
        self.write("a.tar", shard([("a", b"one", tone(800)), ("b", b"\x01" * (LONGEST_LINE // 6), tone(900)),
                                   ("c", b"three", tone(700))]))
        self.fails("repack", "a.tar", "--out", "o", says=("a.tar: member 'b'", "a manifest line of", "a line may have"))
        self.shardmill("repack", "a.tar", "--out", "o", "--on-error", "skip", "--max-rejects", 1, "--shards", 1)
        rejects = [json.loads(line) for line in (self.folder / "o/rejects.jsonl").read_text().splitlines()]
        self.assertEqual([(reject["key"], reject["reason"]) for reject in rejects], [("b", "too_large")])
        self.shardmill("verify", "o")
        self.shardmill("verify", "o", "--against", "a.tar")
        self.fails("repack", "a.tar", "--out", "p", "--text", "members", says="a manifest line of")
        self.assertIn("a manifest line of", self.shardmill("verify", "a.tar", code=1).out.decode())

    def test_the_longest_line_is_read_by_all(self):
        self.write("a.tar", shard([("a", b"y" * (LONGEST_LINE - 8192), tone(800)), ("b", b"two", tone(900))]))
        self.shardmill("repack", "a.tar", "--out", "o", "--shards", 1)
        self.shardmill("verify", "o", "--against", "a.tar")
        self.shardmill("index", "o", "--index", "speechbrain")
        self.shardmill("report", "o")

    def test_a_transcript_longer_than_a_line(self):
        self.write("a.tar", shard([("a", b"y" * (LONGEST_LINE + 1), tone(800))]))
        for text in ("members", "manifest"):
            self.fails("repack", "a.tar", "--out", "o", "--text", text, says=("member 'a'", "a transcript of"))


class Records(harness.Case):
    def test_records_without_line_ends(self):
        self.write("a.tar", shard([("a", b"one", tone(800)), ("b", b"two", tone(900))]))
        self.shardmill("repack", "a.tar", "--out", "o", "--shards", 1)
        for name in ("manifests/manifest_000000000.json", "tarred_audio_manifest.json", "shards.jsonl", "data.list",
                     "SHA256SUMS", "rejects.jsonl"):
            with self.subTest(name):
                path = self.folder / "o" / name
                sound = path.read_bytes()
                os.truncate(path, 80 << 20)
                self.assertIn(name, self.shardmill("verify", "o", code=1).out.decode())
                path.write_bytes(sound)
        self.shardmill("verify", "o")


class Memory(harness.Case):
    """--memory is kept, or it is said what a sample needs."""

    MIB = 1 << 20

    def peak(self, *arguments):
        """In bytes, beside what the program takes for next to nothing."""
        def run(*arguments):
            with subprocess.Popen([harness.PROGRAM, *map(str, arguments)], cwd=self.folder,
                                  stdout=subprocess.DEVNULL) as process:
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            return usage.ru_maxrss << 10
        self.write("small.tar", shard([("k", b"small", tone(800))]))
        return run(*arguments) - run("repack", "small.tar", "--out", "small", "--shards", 1, "-q", "--force")

    def test_a_sample_that_needs_more_is_an_error_that_says_how_much(self):
        self.write("text.tar", shard([("k", b"y" * 10 * self.MIB, tone(800))]))
        self.write("audio.tar", shard([("k", b"short", tone(20 * self.MIB))]))
        self.write("raw/long.wav", tone(20 * self.MIB))
        self.write("raw/long.txt", b"long")
        for source, needed, enough in (("text.tar", "83.9 MB", "128MiB"), ("audio.tar", "83.9 MB", "128MiB"),
                                       ("raw", "83.9 MB", "128MiB")):
            with self.subTest(source):
                self.fails("repack", source, "--out", "o", "--shards", 1, "--memory", "16M", "--on-error", "skip",
                           says=(f"about {needed}", "16.0 MB are allowed", f"--memory {enough}"))
                peak = self.peak("repack", source, "--out", f"{source}-o", "--shards", 1, "--memory", enough, "-q")
                if not harness.SANITIZED:
                    self.assertLess(peak, 128 * self.MIB)
                self.shardmill("verify", f"{source}-o", "--against", source)

    def test_many_large_recordings_wait_for_each_other(self):
        for number in range(6):
            self.write(f"raw/r{number}.wav", tone(10 * self.MIB, number))
            self.write(f"raw/r{number}.txt", b"one of six")
        for options in ([], ["-j8"]):
            out = f"out{len(options)}"
            peak = self.peak("repack", "raw", "--out", out, "--shards", 1, "--memory", "64M", "-q", *options)
            if not harness.SANITIZED:
                self.assertLess(peak, 96 * self.MIB)
            self.shardmill("verify", out, "--against", "raw")

    def large_members(self, shards):
        """Shards of two members of 20 MB each, which are read side by side."""
        for number in range(shards):
            data = shard([(f"k{number}{part}", b"words", tone(10_000_000, 10 * number + part)) for part in (0, 1)])
            self.write(f"large/f{number}.tar", data)

    def test_large_members_of_many_open_shards(self):
        self.large_members(6)
        self.shardmill("repack", "large", "--out", "reference", "--shards", 2, "--memory", "1G", "-j3")
        for options in (["-j1"], ["-j8"]):
            out = f"out{options[0]}"
            peak = self.peak("repack", "large", "--out", out, "--shards", 2, "--memory", "64M", "-q", *options)
            if not harness.SANITIZED:
                self.assertLess(peak, 96 * self.MIB)
            for name in ("SHA256SUMS", "tarred_audio_manifest.json"):
                self.assertEqual((self.folder / out / name).read_bytes(),
                                 (self.folder / "reference" / name).read_bytes())
        self.shardmill("verify", "reference", "--against", "large")

    def test_large_members_wait_below_tmpdir(self):
        self.large_members(1)
        with self.subTest("no such folder"):
            self.fails("repack", "large", "--out", "o", "--shards", 1, "--memory", "64M",
                       env={"TMPDIR": str(self.folder / "none")}, says=("none", "TMPDIR"))
        (self.folder / "tmp").mkdir()
        self.shardmill("repack", "large", "--out", "o", "--shards", 1, "--memory", "64M",
                       env={"TMPDIR": str(self.folder / "tmp")})
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])

    def test_a_member_that_is_too_large_is_refused_when_its_header_is_read(self):
        """Most of it is not even there, and who reads it as a whole finds that first."""
        data = shard([("k", b"words", tone(800)), ("long", b"words", tone(24 * self.MIB))])
        self.write("long.tar", data[:16 * self.MIB])
        for name, content in (("long.tar", data[:16 * self.MIB]),
                              ("long.tar.gz", harness.compress("gzip", data)[:16 * self.MIB])):
            with self.subTest(name):
                self.write(name, content)
                self.fails("repack", name, "--out", "o", "--shards", 1, "--memory", "64M", "--on-error", "skip",
                           says=("long", "about 101 MB", "--memory 128MiB"))


class Windows(harness.Case):
    """What decoders hold counts: a bound that was given is kept, or it is said what is needed."""

    FILES = 6

    def test_zstd(self):
        for number in range(self.FILES):
            data = shard([(f"k{number}{part}", b"words", tone(2_000_000, 10 * number + part)) for part in range(2)])
            self.write(f"in/f{number}.tar.zst", harness.output_of("zstd", "-1qc", "--long=27", data=data))
        repack = ("repack", "in", "--out", "out", "--shards", 2, "-j2")
        self.shardmill("repack", "in", "--out", "reference", "--shards", 2, "-j1")
        self.fails(*repack, "--memory", "40M",
                   says=(f"decoders of {self.FILES} open files take 80", "40.0 MB are allowed",
                         "--memory 2GiB will do"))
        self.shardmill(*repack, "--memory", "2GiB")
        self.shardmill("repack", "in", "--out", "few", "--shards", 2, "--memory", "40M", "--interleave", 2)
        for name in ("SHA256SUMS", "tarred_audio_manifest.json"):
            self.assertEqual((self.folder / "out" / name).read_bytes(), (self.folder / "reference" / name).read_bytes())
        self.shardmill("verify", "few", "--against", "in")


class Counts(harness.Case):
    def test_more_shards_than_samples_are_refused_before_any_work(self):
        self.write("a.tar", shard([(f"k{number}", b"text", tone(400, number)) for number in range(13)]))
        for options in (["--shards", 1_000_000_000], ["--shards", 1_000_000_000, "--parts", 3],
                        ["--shards", 1_000_000_000, "--dry-run"], ["--shard-samples", 10, "--multiple-of", 5000]):
            self.fails("repack", "a.tar", "--out", "o", *options, says=("shards were asked for", "only about"))
            self.assertFalse((self.folder / "o").exists())
        self.fails("repack", "a.tar", "--out", "o", "--shards", 5, "--limit", 4, says="no more than 4 samples")
        self.fails("repack", "a.tar", "--out", "o", "--shards", 14, says="give only 13 samples")

    def test_equal_keys_are_renamed_in_the_time_that_different_ones_take(self):
        def seconds(keys, out):
            self.write("a.tar", shard([(key, b"text", sound) for key in keys]))
            begin = time.monotonic()
            self.shardmill("repack", "a.tar", "--out", out, "--shards", 2, "--on-duplicate", "rename")
            return time.monotonic() - begin
        count, sound = 10_000, tone(16)
        different = seconds([f"k{number}" for number in range(count)], "different")
        equal = seconds(["k"] * count, "equal")
        self.assertLess(equal, 4 * different + 2)
        lines = (self.folder / "equal/tarred_audio_manifest.json").read_text().splitlines()
        keys = {json.loads(line)["key"] for line in lines}
        self.assertEqual(keys, {"k", *(f"k_{number}" for number in range(2, count + 1))})
