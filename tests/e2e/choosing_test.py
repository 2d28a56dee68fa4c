"""Which samples are taken: lists of keys, amounts, and shares of a mix."""
import collections
import io
import json
import os
import random
import signal
import subprocess
import tarfile
import time
import unittest
import wave

import harness
from repack_test import Repacking, corpus, tone


class Choosing(Repacking):
    def setUp(self):
        super().setUp()
        self.contents = {}
        for number, (name, count) in enumerate((("big", 900), ("small", 100))):
            tars, contents = corpus(name, count, shards=4, seed=number + 1)
            self.put(name, tars, "none")
            self.contents[name] = contents

    def seconds(self, out):
        totals = collections.Counter()
        for record in self.records(out):
            totals[record["dataset"]] += record["duration"]
        return totals

    def all_seconds(self):
        if not hasattr(self, "all_"):
            self.repack("big", "small", "--out", "all", "--shards", 2, "-q")
            self.all_ = self.seconds("all")
        return self.all_

    def options(self, out):
        return json.loads((self.folder / out / "dataset.json").read_text())["options"]


class Subsets(Repacking):
    """Samples that say themselves which subset they are in, whatever they come from."""

    def setUp(self):
        super().setUp()
        self.wanted = {}
        rows, shards = [], {"train": [], "val": []}
        for number in range(9):
            key, subset = f"u{number}", "val" if number % 3 == 0 else "train"
            audio = tone(16000 + 1600 * number, seed=number)
            self.write(f"audio/{key}.wav", audio)
            rows.append({"audio_filepath": f"audio/{key}.wav", "text": f"words {number}", "subset": subset})
            shards[subset] += [(f"{key}.txt", f"words {number}".encode()), (f"{key}.wav", audio),
                               (f"{key}.json", json.dumps({"subset": subset}).encode())]
            self.wanted.setdefault(subset, set()).add(f"words {number}")
        self.write("list.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())
        self.write("table.csv", "".join(",".join(row) + "\n" for row in [
            ("path", "text", "split"), *([*row.values()] for row in rows)]).encode())
        for subset, members in shards.items():
            self.write(f"shards/{subset}.tar", harness.tar(members))
            self.write(f"apart/{subset}/x.tar", harness.tar([m for m in members if not m[0].endswith("json")]))
            self.write(f"{subset}.csv", "".join(
                f"{row['audio_filepath'][6:]},{row['text']}\n" for row in
                [{"audio_filepath": "audio/path", "text": "text"}, *rows]
                if row.get("subset", subset) == subset).encode())

    def texts(self, out):
        shards = self.plain_shards(out).values()
        tars = [tarfile.open(fileobj=io.BytesIO(shard)) for shard in shards]
        return {tar.extractfile(member).read().decode() for tar in tars for member in tar
                if member.name.endswith("txt")}

    def test_all_kinds_of_sources(self):
        self.repack("list.jsonl", "--out", "whole", "--shards", 1, "--subset", "all", "-q")
        for sources in (["list.jsonl"], ["nemo:list.jsonl"], ["table.csv"], ["shards"], ["dataset:whole"],
                        ["x=audio", "--metadata", "table.csv"], ["x=audio", "--labels", "table.csv"],
                        ["x=audio", "--labels", "x=train.csv", "--labels", "x=val.csv"], ["apart"]):
            with self.subTest(sources):
                for asked, subset in (("val", "val"), ("dev", "val"), ("train", "train")):
                    self.repack(*sources, "--out", "out", "--shards", 1, "--subset", asked, "--force", "-q")
                    self.assertEqual(self.texts("out"), self.wanted[subset])
                result = self.repack(*sources, "--out", "out", "--shards", 1, "--force")
                self.assertEqual(self.texts("out"), self.wanted["val"] | self.wanted["train"])
                self.assertIn("mixed", result.err)
                self.assertIn("--subset train", result.err)
                self.assertEqual(self.repack(*sources, "--out", "out", "--shards", 1, "--force", "--subset",
                                             "all").err, "")

    def test_what_is_left_out_is_counted(self):
        result = self.repack("shards", "--out", "out", "--shards", 1, "--subset", "val", "--json")
        self.assertEqual(json.loads(result.out)["left_out"], {"other_subset": 6})
        # What says nothing counts as training data.
        self.assertIn("mixed: 6 of train, 3 of dev", self.repack(
            "x=audio", "--metadata", "table.csv", "--out", "out", "--shards", 1, "--force").err)
        rows = (self.folder / "table.csv").read_text().replace(",train", ",")
        self.write("half.csv", rows.encode())
        self.assertIn("mixed: 6 of train, 3 of dev", self.repack(
            "x=audio", "--metadata", "half.csv", "--out", "out", "--shards", 1, "--force").err)
        self.write("plain.tar", harness.tar([("p.txt", b"plain"), ("p.wav", tone(16000))]))
        for subset, more in (("val", set()), ("train", {"plain"}), ("all", {"plain"})):
            self.repack("shards", "x=plain.tar", "--out", "out", "--shards", 1, "--subset", subset, "--force", "-q")
            self.assertEqual(self.texts("out") - self.wanted["val"] - self.wanted["train"], more)
        self.fails("repack", "apart", "--out", "no", "--shards", 1, "--subset", "test",
                   says="apart: holds no file of the subset test (it has train, val)")
        self.fails("repack", "list.jsonl", "--out", "no", "--shards", 1, "--subset", "test",
                   says="holds no audio of the subset test (it has train, val; one list")


class Keys(Choosing):
    def taken(self, out):
        return {record["source_key"] for record in self.records(out)}

    def test_only_these_and_none_of_those(self):
        keys = list(self.contents["big"])
        self.write("only", "\r\n".join(keys[:50] + keys[:3]).encode())
        self.write("never", ("\n".join(keys[40:60]) + "\n\n").encode())
        result = self.repack("big", "small", "--out", "out", "--shards", 2, "--include-keys", "only",
                             "--exclude-keys", "never")
        self.assertEqual(self.taken("out"), set(keys[:40]))
        self.assertEqual(result.err, "")
        self.shardmill("verify", "out", "--against", "big", "small")
        reasons = collections.Counter(reject["reason"] for reject in self.records("out", "rejects.jsonl"))
        self.assertEqual(reasons, {"not_included": 950, "excluded": 10})
        # By its keys, not by its name or their order.
        self.write("moved", "\n".join(reversed(keys[:50])).encode())
        self.assertIn(b"finished already",
                      self.repack("big", "small", "--out", "out", "--shards", 2, "--include-keys", "moved",
                                  "--exclude-keys", "never").out)
        self.write("only", b"\n".join(key.encode() for key in keys[:49]))
        self.fails("repack", "big", "small", "--out", "out", "--shards", 2, "--include-keys", "only",
                   "--exclude-keys", "never",
                   says="include-keys: was")
        self.fails("repack", "big", "small", "--out", "out", "--shards", 2, says="include-keys: was")

    def test_keys_that_match_nothing_are_named(self):
        keys = list(self.contents["big"])
        self.write("only", "\n".join(keys[:9] + ["no such key"]).encode())
        err = self.repack("big", "--out", "a", "--shards", 1, "--include-keys", "only").err
        self.assertIn("only: lists 1 key that no source has: 'no such key'\n", err)
        self.write("never", "\n".join(["k1", "k2"] + keys[:9] + ["k3", "k4", "k5"]).encode())
        err = self.repack("big", "--out", "b", "--shards", 1, "--exclude-keys", "never").err
        self.assertIn("never: lists 5 keys that no source has: 'k1', 'k2', 'k3', ...\n", err)
        self.assertEqual(len(self.taken("b")), 891)

    def test_in_parts(self):
        keys = list(self.contents["big"])
        (self.folder / "lists").mkdir()
        self.write("lists/never", "\n".join(keys[:500] + ["x"]).encode())
        self.repack("../big", "--out", "../out", "--shards", 4, "--parts", 2, "--exclude-keys", "never",
                    cwd=self.folder / "lists")
        self.repack("--out", "out", "--part", 0)
        self.repack("--out", self.folder / "out", "--part", 1, cwd="/")
        self.assertIn("1 key that no source has: 'x'", self.repack("--out", "out", "--finish").err)
        self.assertEqual(self.taken("out"), set(keys[500:]))
        self.repack("big", "--out", "other", "--shards", 4, "--parts", 2, "--exclude-keys", "lists/never")
        self.write("lists/never", b"other")
        self.fails("repack", "--out", "other", "--part", "0", says=["lists/never", "no longer holds the keys"])

    def test_a_dataset_is_asked_by_the_keys_it_has(self):
        self.repack("d=big", "--out", "two", "--shards", 2, "--weight", "d=2")
        keys = sorted(record["key"] for record in self.records("two"))[:7]
        self.write("only", "\n".join(keys).encode())
        self.assertEqual(self.repack("two", "--out", "out", "--shards", 1, "--include-keys", "only").err, "")
        self.assertEqual(sorted(record["key"] for record in self.records("out")), keys)

    def test_refused(self):
        self.write("empty", b"\n\n")
        self.fails("repack", "big", "--out", "out", "--include-keys", "empty", says="empty: lists no keys")
        self.fails("repack", "big", "--out", "out", "--include-keys", "missing", says=["missing", "No such file"])
        self.fails("repack", "big", "--out", "out", "--include-keys", "big", says="big")
        self.write("none", b"a\nb\n")
        self.fails("repack", "big", "--out", "out", "--shards", 2, "--include-keys", "none",
                   says="all samples were left out: 900 not_included")


class Amounts(Choosing):
    def test_a_part_of_about_so_much(self):
        everything = self.all_seconds()
        for threads in (1, 5):
            self.repack("big", "small", "--out", f"out{threads}", "--shards", 2, "--take", "big=100s", "--seed", 3,
                        "-j", threads)
        self.same_bytes("out1", "out5")
        taken = self.seconds("out1")
        self.assertAlmostEqual(taken["big"], 100, delta=10)
        self.assertAlmostEqual(taken["small"], everything["small"])
        self.assertEqual(self.options("out1")["take"], "big=100")
        self.shardmill("verify", "out1", "--against", "big", "small")
        self.repack("big", "small", "--out", "other", "--shards", 2, "--take", "big=100s", "--seed", 4)
        keys = [{record["key"] for record in self.records(out) if record["dataset"] == "big"}
                for out in ("out1", "other")]
        self.assertGreater(len(keys[0] - keys[1]), 50)
        self.assertIn(b"finished already",
                      self.repack("big", "small", "--out", "out1", "--shards", 2, "--take", "big=1m40s",
                                  "--seed", 3).out)
        self.fails("repack", "big", "small", "--out", "out1", "--shards", 2, "--take", "big=101s", "--seed", 3,
                   says="take: was big=100, now big=101")

    def test_another_amount_than_was_asked_for_is_told(self):
        """Each of two samples is taken or not, so that half of one too much or too little comes out."""
        for number in range(2):
            self.write(f"two/{number}.wav", tone(16000, seed=number))
            self.write(f"two/{number}.txt", b"t")
        said = self.repack("two", "--out", "out", "--shards", 1, "--take", "two=1.5s").out.decode()
        taken = self.seconds("out")["two"]
        self.assertIn(f"two: {taken:.2f} s, and 1.50 s were asked for", said)
        self.assertIn("ask for " + ("more" if taken < 1.5 else "less"), said)

    def test_of_all_together(self):
        everything = self.all_seconds()
        self.repack("big", "small", "--out", "out", "--shards", 2, "--take", "60s", "--seed", 1)
        taken = self.seconds("out")
        self.assertAlmostEqual(sum(taken.values()), 60, delta=10)
        self.assertAlmostEqual(taken["small"] / taken["big"], everything["small"] / everything["big"], delta=0.08)

    def test_of_a_finished_dataset_by_its_records(self):
        self.all_seconds()
        self.repack("all", "--out", "out", "--shards", 2, "--take", "small=10s", "--take", "50s")
        taken = self.seconds("out")
        self.assertAlmostEqual(taken["small"], 10, delta=3)
        self.assertAlmostEqual(taken["big"], 50, delta=10)
        self.shardmill("verify", "out", "--against", "all")

    def test_in_parts_as_on_one_machine(self):
        options = ["--shards", 4, "--take", "big=100s", "--mix", "temperature=0.5", "--weight", "small=2"]
        self.repack("big", "small", "--out", "parts", *options, "--parts", 2)
        for part in (1, 0):
            self.repack("--out", "parts", "--part", part)
        self.repack("--out", "parts", "--finish")
        self.repack("big", "small", "--out", "whole", *options)
        self.assertEqual(*({record["key"] for record in self.records(out)} for out in ("parts", "whole")))
        self.assertEqual(self.options("parts")["shares"], self.options("whole")["shares"])

    def test_what_is_only_counted_is_in_no_file(self):
        for number, options in enumerate((["--weight", "big=0.5"], ["--take", "small=10s"])):
            said = self.repack("big", "small", "--out", f"out{number}", "--shards", 2, *options).out.decode()
            self.assertRegex(said, r"left out +[0-9,]+ by_weight\n")
            self.assertEqual((self.folder / f"out{number}/rejects.jsonl").read_bytes(), b"")

    def test_amounts_that_cannot_be_reached(self):
        self.fails("repack", "big", "small", "--out", "out", "--take", "small=2h",
                   says=["'small' holds about", "2.0 h"])
        self.fails("repack", "big", "small", "--out", "out", "--take", "200h", says="the sources hold about")
        self.fails("repack", "big", "small", "--out", "out", "--take", "smal=1s", says=["smal", "small"], code=2)
        self.fails("repack", "big", "--out", "out", "--take", "big=1s", "--weight", "big=2", says="both", code=2)
        self.fails("repack", "big", "--out", "out", "--take", "big=much", says=["--take big=much", "duration"], code=2)


class Estimates(Repacking):
    def test_shards_of_any_codec_are_estimated_alike(self):
        # Noise: files that are hardly smaller when they are compressed, of a few pieces each.
        random.seed(4)
        for number in range(3):
            members = []
            for sample in range(60):
                noise = io.BytesIO()
                with wave.open(noise, "wb") as out:
                    out.setparams((1, 2, 16000, 0, "NONE", ""))
                    out.writeframes(random.randbytes(50000))
                members.append((f"k{number}{sample:03}.wav", noise.getvalue()))
            data = harness.tar(members)
            for codec in ("none", "gzip", "bzip2", "xz", "zstd", "lz4"):
                (self.folder / codec).mkdir(exist_ok=True)
                self.write(f"{codec}/{number}.tar", data if codec == "none" else harness.compress(codec, data))
        for codec in ("none", "gzip", "bzip2", "xz", "zstd", "lz4"):
            with self.subTest(codec):
                told = json.loads(self.repack(codec, "--out", "out", "--dry-run", "--json", "--allow-missing-text").out)
                self.assertAlmostEqual(told["estimated_samples"], 180, delta=18)


class Mix(Choosing):
    def test_temperature(self):
        everything = self.all_seconds()
        self.repack("big", "small", "--out", "alike", "--shards", 2, "--mix", "temperature=0")
        taken = self.seconds("alike")
        self.assertAlmostEqual(taken["big"] / taken["small"], 1, delta=0.15)
        self.assertAlmostEqual(sum(taken.values()) / sum(everything.values()), 1, delta=0.1)
        self.shardmill("verify", "alike", "--against", "big", "small")
        self.repack("big", "small", "--out", "half", "--shards", 2, "--mix", "temperature=0.5", "--take", "100s")
        taken = self.seconds("half")
        self.assertAlmostEqual(taken["big"] / taken["small"], (everything["big"] / everything["small"]) ** 0.5,
                               delta=0.6)
        self.assertAlmostEqual(sum(taken.values()), 100, delta=12)
        self.assertEqual(self.options("half")["mix"], "temperature=0.5")

    def test_dry_run_shows_each_dataset(self):
        out = self.repack("big", "small", "--out", "out", "--dry-run", "--mix", "temperature=0").out.decode()
        self.assertRegex(out, r"big +about [0-9.]+ min, taken 0\.5\d* times: [0-9.]+ min\n")
        self.assertRegex(out, r"small +about [0-9.]+ s, taken 4\.\d+ times: [0-9.]+ min\n")
        told = json.loads(self.repack("big", "small", "--out", "out", "--dry-run", "--weight", "big=2", "--json").out)
        self.assertEqual([(each["dataset"], each["weight"]) for each in told["datasets"]], [("big", 2), ("small", 1)])
        self.assertFalse((self.folder / "out/dataset.json").exists())

    def test_refused(self):
        for wrong in ("0.5", "temperature=2", "temperature=x", "hours"):
            self.fails("repack", "big", "--out", "out", "--mix", wrong, says="is not temperature=T", code=2)


class Stopped(Choosing):
    def test_killed_and_gone_on_with(self):
        keys = list(self.contents["big"])
        self.write("never", "\n".join(keys[:100] + ["absent"]).encode())
        options = ["big", "small", "--shards", "3", "--exclude-keys", "never", "--take", "big=150s",
                   "--mix", "temperature=0.4"]
        random_ = random.Random(5)
        began = time.monotonic()
        self.repack(*options, "--out", "reference")
        seconds = time.monotonic() - began
        kills = 0
        while True:
            process = subprocess.Popen([harness.PROGRAM, "repack", *options, "--out", "out", "-q"], cwd=self.folder,
                                       env={**os.environ, "SHARDMILL_CHECKPOINT_BYTES": "200K"})
            try:
                self.assertEqual(process.wait(random_.uniform(0, 1.2 * seconds) * 1.1 ** kills), 0)
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                kills += 1
        self.same_bytes("out", "reference")


class Forms(Repacking):
    """Lists of keys and tables as other systems write them."""

    def test_byte_order_mark_and_crlf(self):
        tars, _ = corpus("k", 9, shards=1)
        self.put("in", tars, "none")
        mark = b"\xef\xbb\xbf"
        self.write("keys", mark + b"k00001\r\nk00002\r\n")
        taken = {}
        for option in ("--include-keys", "--exclude-keys"):
            result = self.repack("in", "--out", "out", "--shards", 1, option, "keys", "--force", "-q")
            self.assertEqual(result.err, "")
            taken[option] = {record["key"] for record in self.records("out")}
        self.assertEqual(taken["--include-keys"], {"k00001", "k00002"})
        self.assertEqual(taken["--exclude-keys"], {f"k{n:05}" for n in range(9)} - taken["--include-keys"])
        self.repack("in", "--out", "out", "--shards", 1, "--force", "-q")
        self.shardmill("update", "out", "--remove-keys", "keys", "-q")
        self.assertEqual({record["key"] for record in self.records("out")}, taken["--exclude-keys"])
        self.write("keys", "k00003\n".encode("utf-16"))
        self.fails("update", "out", "--remove-keys", "keys", says=["keys: is UTF-16", "iconv"])
        for table in (b"key\ttext\r\nk00001\tnew\r\n", b'"key","text"\r\nk00001,"new"\r\n',
                      b'{"key":"k00001","text":"new"}\r\n', b"text\tkey\r\nnew\tk00001"):
            self.write("table", mark + table)
            self.repack("in", "--out", "out", "--shards", 1, "--force", "-q", "--metadata", "table")
            self.assertEqual({record["key"]: record["text"] for record in self.records("out")}["k00001"], "new")


if __name__ == "__main__":
    unittest.main()
