"""What is too long, too many or too often is refused early, or done in the time its size would take."""
import json
import os
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
            self.write("a.tar", shard([(key, b"text", tone(16)) for key in keys]))
            begin = time.monotonic()
            self.shardmill("repack", "a.tar", "--out", out, "--shards", 2, "--on-duplicate", "rename")
            return time.monotonic() - begin
        count = 20_000
        different = seconds([f"k{number}" for number in range(count)], "different")
        equal = seconds(["k"] * count, "equal")
        self.assertLess(equal, 4 * different + 2)
        lines = (self.folder / "equal/tarred_audio_manifest.json").read_text().splitlines()
        keys = {json.loads(line)["key"] for line in lines}
        self.assertEqual(keys, {"k", *(f"k_{number}" for number in range(2, count + 1))})
