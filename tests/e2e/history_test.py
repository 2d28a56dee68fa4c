"""`verify --against` after any history of a dataset: nothing that is in order is a finding, and every loss is one."""
import hashlib
import io
import json
import os
import random
import shutil
import tarfile
import unittest

import harness
from repack_test import Repacking, tone

STEPS = int(os.environ.get("SHARDMILL_UPDATES", "7"))


class History(Repacking):
    """Sources in plain tars that share keys, and that grow."""

    def setUp(self):
        super().setUp()
        self.members = {}  # of each tar
        self.audio = 0
        self.tried = 0
        self.grown = set()
        self.gone_or_twice = set()

    def source(self, name, keys):
        """Writes the samples into a tar, after those that it has already."""
        for key in keys:
            self.audio += 1
            self.members.setdefault(name, []).extend(
                [(f"{key}.txt", f"text {self.audio}".encode()),
                 (f"{key}.wav", tone(800 + self.audio, seed=self.audio))])
        self.write(name, harness.tar(self.members[name]))

    def all_sources(self):
        return [f"main={name}" for name in self.members]

    def verify(self, out="out", code=0):
        return json.loads(self.shardmill("verify", out, "--json", "--against", *self.all_sources(), code=code).out)

    def samples(self):
        waiting = self.folder / "out/pending/manifest.json"
        return self.records("out") + ([json.loads(line) for line in waiting.read_text().splitlines()]
                                      if waiting.exists() else [])

    def lose(self, record):
        """A copy of the dataset without this sample, whose checksums are right."""
        shutil.rmtree(self.folder / "bad", ignore_errors=True)
        shutil.copytree(self.folder / "out", self.folder / "bad")
        root = self.folder / "bad"
        is_waiting = not any(each["key"] == record["key"] for each in self.records("out"))
        shard = "pending/samples.tar" if is_waiting else f"shards/audio_{record['shard_id']:09}.tar"
        manifest = "pending/manifest.json" if is_waiting else f"manifests/manifest_{record['shard_id']:09}.json"
        data = (root / shard).read_bytes()
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            mine = [member for member in archive if member.name.split(".")[0] == record["key"]]
        begin = mine[0].offset
        end = mine[-1].offset_data + (mine[-1].size + 511) // 512 * 512
        (root / shard).write_bytes(data[:begin] + data[end:] + bytes(end - begin))
        lines = [json.loads(line) for line in (root / manifest).read_text().splitlines()]
        for line in lines:
            line["tar_offset"] -= end - begin if line["tar_offset"] > end else 0
        (root / manifest).write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines
                                             if line["key"] != record["key"]))
        self.seal(root)

    def seal(self, root):
        sums = root / "SHA256SUMS"
        names = [line[66:] for line in sums.read_text().splitlines()]
        sums.write_text("".join(f"{hashlib.sha256((root / name).read_bytes()).hexdigest()}  {name}\n"
                                for name in names))

    def found(self, says):
        return {(entry["file"], entry.get("member", "")) for entry in self.verify("bad", code=1)["list"]
                if entry["severity"] == "finding" and says in entry["what"]}

    def check(self, random_):
        """Nothing is found, and then what is lost is."""
        self.verify()
        for record in random_.sample(self.samples(), 3):
            # What a file had when it was read the first time, nobody knows of one that changed. Where samples of it
            # were also removed or renamed, one too few may be one that it did not have.
            holders = {name for name in self.grown for member,
                       _ in self.members[name] if member == record["source_key"] + ".wav"}
            if holders and record["source_key"] in self.gone_or_twice:
                continue
            self.tried += 1
            self.lose(record)
            self.assertIn(record["source_key"], {key for _, key in self.found("is in none of the shards")}, record)


class Accounts(History):
    def remove(self, *keys, says=()):
        self.write("keys", "".join(f"{key}\n" for key in keys).encode())
        self.shardmill("update", "out", "--remove-keys", "keys", "-q", *says)

    def add(self, *names, says=("--on-duplicate", "first")):
        self.shardmill("update", "out", "--add", *(f"main={name}" for name in names), "-q", *says)

    def make(self, *names):
        self.repack(*(f"main={name}" for name in names), "--out", "out", "--shards", 2, "-q", "--on-duplicate", "first")

    def test_added_twice(self):
        self.source("a.tar", [f"k{n}" for n in range(12)])
        self.make("a.tar")
        self.source("b.tar", ["other0", "other1"])
        self.add("a.tar", "b.tar")
        self.check(random.Random(1))
        # Once more with something new, as a folder that grows is added again and again.
        self.source("a.tar", ["new0", "new1"])
        self.grown = {"a.tar"}
        self.add("a.tar")
        self.check(random.Random(2))
        self.add("b.tar", says=["--on-duplicate", "rename"])
        self.check(random.Random(3))

    def test_removed_and_added_again(self):
        self.source("a.tar", [f"k{n}" for n in range(12)])
        self.make("a.tar")
        self.remove("k3", "k4")
        self.verify()
        before = self.samples()
        said = self.shardmill("update", "out", "--add", "main=a.tar", "--on-duplicate", "first").out.decode()
        self.assertEqual(said, "nothing was changed: out has all samples of the sources already, or they stay out, as "
                         "they or their speakers were removed: 10 duplicate_key, 2 removed\n")
        self.assertEqual(self.samples(), before)
        self.add("a.tar", says=["--on-duplicate", "first", "--take-back"])
        self.verify()
        # A loss of what was removed once and came again is no removal.
        for key in ("k3", "k5"):
            self.lose(next(record for record in self.samples() if record["key"] == key))
            self.assertEqual(self.found("is in none of the shards"), {("a.tar", key)})
        self.source("b.tar", ["k4", "other"])
        self.remove("k4", says=["--add", "main=b.tar", "--on-duplicate", "first"])
        self.check(random.Random(4))

    def test_a_reject_that_nothing_explains(self):
        self.source("a.tar", [f"k{n}" for n in range(12)])
        self.make("a.tar")
        self.source("b.tar", ["other"])
        self.add("a.tar", "b.tar")
        shutil.copytree(self.folder / "out", self.folder / "bad")
        rejects = self.folder / "bad/rejects.jsonl"
        lines = rejects.read_text().splitlines(keepends=True)
        rejects.write_text("".join(lines + lines[:1]))
        self.seal(self.folder / "bad")
        self.assertIn("bad/rejects.jsonl", {file for file, _ in self.found("1 time too often")})
        rejects.write_text("".join(lines[1:]))
        self.seal(self.folder / "bad")
        self.assertEqual(self.found("is not among the rejects"), {("a.tar", json.loads(lines[0])["key"])})

    def test_the_same_file_under_two_names(self):
        self.source("a.tar", [f"k{n}" for n in range(12)])
        self.make("a.tar")
        self.shardmill("update", "out", "--add", "other=a.tar", "-q", "--on-duplicate", "rename")
        self.shardmill("verify", "out", "--against", "main=a.tar", "other=a.tar")

    def test_of_a_dataset_with_odd_keys(self):
        """A finished dataset that is added again lists what its samples were called."""
        self.source("a.tar", [f"dir/k.{n}" for n in range(12)])
        self.make("a.tar")
        self.shardmill("repack", "dataset:out", "--out", "second", "--shards", 2, "-q")
        self.source("b.tar", ["dir/other.1"])
        self.shardmill("update", "second", "--add", "dataset:out", "main=b.tar", "--on-duplicate", "first", "-q")
        self.shardmill("verify", "second", "--against", "dataset:out", "main=b.tar")
        self.write("keys", b"dir_k_3\n")
        self.shardmill("update", "second", "--remove-keys", "keys", "-q")
        self.shardmill("verify", "second", "--against", "dataset:out", "main=b.tar")
        self.shardmill("update", "out", "--remix", "-q")
        self.shardmill("update", "second", "--add", "dataset:out", "--on-duplicate", "first", "-q",
                       "--rewrite-limit", "none", "--take-back")
        self.shardmill("verify", "second", "--against", "dataset:out", "main=b.tar")

    def test_of_a_dataset_that_changes(self):
        """Its samples come from other shards the second time, and have keys that they got there."""
        for number, name in enumerate(("a.tar", "b.tar", "c.tar")):
            self.source(name, [f"{'ab'[number // 2]}{n:03}" for n in range(12)])
        self.repack("main=a.tar", "main=b.tar", "--out", "first", "--shards", 2, "-q", "--on-duplicate", "rename")
        self.write("keys", b"a003\n")
        self.shardmill("update", "first", "--remove-keys", "keys", "-q")
        self.repack("dataset:first", "--out", "out", "--shards", 2, "-q")
        for source in ("c.tar", "d.tar"):
            if source == "d.tar":
                self.source(source, ["d0", "d1"])
            self.shardmill("update", "first", "--add", f"main={source}", "--remix", "-q")
            self.shardmill("update", "out", "--add", "dataset:first", "--on-duplicate", "first", "-q",
                           "--rewrite-limit", "none")
            self.shardmill("verify", "out", "--against", "dataset:first")

    def test_random(self):
        for seed in (1, 2):
            with self.subTest(seed=seed):
                self.history(random.Random(seed))
        self.assertGreater(self.tried, 20)

    def history(self, random_):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.members = {}
        self.grown = set()
        self.gone_or_twice = set()
        keys = [f"{random_.choice(['', 'dir/'])}k{random_.choice(['', '.'])}{n}" for n in range(80)]
        for name in ("a.tar", "b.tar"):
            self.source(name, random_.sample(keys, 25))
        self.make("a.tar", "b.tar")
        self.check(random_)
        for step in range(STEPS):
            command = []
            names = list(self.members)
            action = random_.choice(["again", "grown", "new", "remove", "both"])
            if action == "new":
                names.append(f"n{step}.tar")
                self.source(names[-1], random_.sample(keys, 10))
            name = names[-1] if action == "new" else random_.choice(names)
            if action == "grown":
                had = {member[0].rsplit(".", 1)[0] for member in self.members[name]}
                self.source(name, random_.sample([key for key in keys if key not in had], 5))
                self.grown.add(name)
            if action != "remove":
                command += ["--add", f"main={name}", "--on-duplicate", random_.choice(["first", "first", "rename"])]
                command += random_.choice([[], ["--take-back"]])
            if action in ("remove", "both"):
                gone = random_.sample([record["key"] for record in self.samples()], 6)
                self.gone_or_twice.update(record["source_key"] for record in self.samples() if record["key"] in gone)
                self.write("keys", "".join(f"{key}\n" for key in gone).encode())
                command += ["--remove-keys", "keys"]
            command += random_.choice([[], [], ["--rewrite-limit", "none"], ["--remix"]])
            with self.subTest(step=step, command=command):
                result = self.shardmill("update", "out", "-q", *command, code=None)
                if result.code != 0:  # then nothing has changed
                    self.assertIn("all samples were left out", result.err)
                self.gone_or_twice.update(record["source_key"]
                                          for record in self.samples() if record["key"].endswith("_2"))
                self.check(random_)


if __name__ == "__main__":
    unittest.main()
