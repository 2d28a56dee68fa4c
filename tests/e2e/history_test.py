"""`verify --against` after any history of a dataset: nothing that is in order is a finding, and every loss is one."""
import hashlib
import io
import json
import os
import random
import shutil
import tarfile
import unittest

import numpy
import soundfile

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
        self.has_copies = False

    def source(self, name, keys):
        """Writes the samples into a tar, after those that it has already."""
        for key in keys:
            self.audio += 1
            self.members.setdefault(name, []).extend(
                [(f"{key}.txt", f"text {self.audio}".encode()),
                 (f"{key}.json", f'{{"speaker": "{key[-1]}"}}'.encode()),
                 (f"{key}.wav", self.sound(800 + self.audio, self.audio))])
        self.write(name, harness.tar(self.members[name]))

    def sound(self, frames, seed):
        return tone(frames, seed=seed)

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
        samples = self.samples()
        for record in random_.sample(samples, min(3, len(samples))):
            # What a file had when it was read the first time, nobody knows of one that changed. Where samples of it
            # were also removed or renamed, one too few may be one that it did not have.
            holders = {name for name in self.grown for member,
                       _ in self.members[name] if member == record["source_key"] + ".wav"}
            if holders and (self.has_copies or record["source_key"] in self.gone_or_twice):
                continue
            self.tried += 1
            self.lose(record)
            lost = {key for _, key in self.found("is in none of the shards")}
            if record["source_key"] not in lost:  # one that --even took twice is there once
                self.assertTrue(self.found(f"says that '{record['source_key']}' is repeated, but it is not"), record)

    def remove(self, *keys, says=()):
        self.write("keys", "".join(f"{key}\n" for key in keys).encode())
        self.shardmill("update", "out", "--remove-keys", "keys", "-q", *says)

    def add(self, *names, says=("--on-duplicate", "first")):
        self.shardmill("update", "out", "--add", *(f"main={name}" for name in names), "-q", *says)

    def make(self, *names, says=("--on-duplicate", "first")):
        self.repack(*(f"main={name}" for name in names), "--out", "out", "--shards", 2, "-q", *says)

    def history(self, random_, *says):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.members = {}
        self.grown = set()
        self.gone_or_twice = set()
        keys = [f"{random_.choice(['', 'dir/'])}k{random_.choice(['', '.'])}{n}" for n in range(80)]
        for name in ("a.tar", "b.tar"):
            self.source(name, random_.sample(keys, 25))
        self.make("a.tar", "b.tar", says=["--on-duplicate", "first", *says])
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


class Accounts(History):
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


class Copies(History):
    """Several samples come of one: copies by weight, or the channels of stereo."""

    def setUp(self):
        super().setUp()
        self.has_copies = True
        self.channels = 1

    def sound(self, frames, seed):
        if self.channels == 1:
            return super().sound(frames, seed)
        file = io.BytesIO()
        noise = numpy.random.default_rng(seed).integers(-3000, 3000, (frames, self.channels))
        soundfile.write(file, noise.astype("int16"), 16000, format="WAV")
        return file.getvalue()

    def start_over(self, channels=1):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.members = {}
        self.grown = set()
        self.gone_or_twice = set()
        self.channels = channels

    def kinds(self):
        """The options of each kind, when its sources are ready to be written."""
        for channels, *options in ((1, "--weight", "main=2"), (1, "--weight", "main=1.5"), (1, "--weight", "main=0.5"),
                                   (2, "--channels", "split"), (3, "--channels", "split"),
                                   (2, "--channels", "split", "--weight", "main=2")):
            self.start_over(channels)
            yield options

    def test_keys_that_come_twice(self):
        for choice in ("first", "prefix,rename"):
            for kind in self.kinds():
                self.source("a.tar", [f"k{n}" for n in range(12)])
                self.source("b.tar", [f"k{n}" for n in range(8, 20)])
                self.make("a.tar", "b.tar", says=["--on-duplicate", choice, *kind])
                self.check(random.Random(1))

    def test_added_twice(self):
        for number, kind in enumerate(self.kinds()):
            self.source("a.tar", [f"k{n}" for n in range(12)])
            self.make("a.tar", says=["--on-duplicate", ("first", "prefix,first")[number % 2], *kind])
            self.source("b.tar", [f"other{n}" for n in range(9)])
            self.add("a.tar", "b.tar")
            self.check(random.Random(1))
            self.source("a.tar", [f"new{n}" for n in range(9)])
            self.grown = {"a.tar"}
            self.add("a.tar")
            self.check(random.Random(2))
            self.add("b.tar", says=["--on-duplicate", "rename"])
            self.check(random.Random(3))

    def test_removed_and_added_again(self):
        for kind in self.kinds():
            self.source("a.tar", [f"k{n}" for n in range(12)])
            self.make("a.tar", says=["--on-duplicate", "first", *kind])
            self.remove(*sorted(record["key"] for record in self.samples())[:2])
            self.check(random.Random(1))
            self.source("b.tar", [f"other{n}" for n in range(9)])
            self.add("a.tar", "b.tar")
            self.check(random.Random(2))
            speaker = self.samples()[0]["speaker"]
            self.write("speakers", f"{speaker}\n".encode())
            self.shardmill("update", "out", "--remove-speakers", "speakers", "-q")
            self.check(random.Random(3))
            self.add("a.tar", says=["--on-duplicate", "first", "--take-back"])
            self.check(random.Random(4))

    def test_even(self):
        for even in ("repeat", "leave-out"):
            for kind in self.kinds():
                self.source("a.tar", [f"k{n}" for n in range(13)])
                self.repack("main=a.tar", "--out", "out", "--shards", 3, "-q", "--even", even, *kind)
                self.check(random.Random(1))
                self.source("b.tar", [f"other{n}" for n in range(9)])
                self.add("a.tar", "b.tar")
                self.check(random.Random(2))

    def test_what_filters_leave_out(self):
        """The sound of a sample is not measured again."""
        for kind in self.kinds():
            self.source("a.tar", [f"k{n}" for n in range(12)])
            for number in range(2, 3 * 9, 3):
                name, wav = self.members["a.tar"][number]
                self.members["a.tar"][number] = (name, wav[:44] + bytes(len(wav) - 44))
            self.write("a.tar", harness.tar(self.members["a.tar"]))
            self.make("a.tar", says=["--max-silence", "50%", *kind])
            self.check(random.Random(1))

    def test_the_same_audio(self):
        for kind in self.kinds():
            self.source("a.tar", [f"k{n}" for n in range(12)])
            for number in range(2, 3 * 4, 3):
                self.members["a.tar"][number + 3 * 4] = (self.members["a.tar"][number + 3 * 4][0],
                                                         self.members["a.tar"][number][1])
            self.write("a.tar", harness.tar(self.members["a.tar"]))
            self.make("a.tar", says=["--on-duplicate-audio", "first", *kind])
            self.check(random.Random(1))

    def test_what_is_wrong_is_found(self):
        for kind in self.kinds():
            self.source("a.tar", [f"k{n}" for n in range(12)])
            self.make("a.tar", says=["--on-duplicate", "first", *kind])
            self.source("b.tar", [f"other{n}" for n in range(9)])
            self.add("a.tar", "b.tar")
            key = next(record["source_key"] for record in self.samples() if record["source_key"].startswith("k"))
            self.rejects_are_counted(key)
            self.sources_are_compared(key)

    def rejects_are_counted(self, key):
        shutil.rmtree(self.folder / "bad", ignore_errors=True)
        shutil.copytree(self.folder / "out", self.folder / "bad")
        rejects = self.folder / "bad/rejects.jsonl"
        lines = rejects.read_text().splitlines(keepends=True)
        mine = next(line for line in lines if json.loads(line)["key"] == key)
        lines.remove(mine)
        rejects.write_text("".join(lines))
        self.seal(self.folder / "bad")
        self.assertEqual(self.found("is not among the rejects"), {("a.tar", key)})
        one_more = {**json.loads(mine), "samples": (json.loads(mine).get("samples") or 1) + 1}
        for wrong in (mine * 2, json.dumps(one_more) + "\n"):
            rejects.write_text("".join(lines) + wrong)
            self.seal(self.folder / "bad")
            self.assertIn("bad/rejects.jsonl", {file for file, _ in self.found("too often")})

    def sources_are_compared(self, key):
        """Sources that hold something else than when they were read, and are as large and as old."""
        path = self.folder / "a.tar"
        was, times = path.read_bytes(), path.stat()
        members = self.members["a.tar"]
        at = next(number for number, (name, _) in enumerate(members) if name == f"{key}.wav")
        differs = "no source has a sample of this key with the same audio, transcript and members"
        for number, data in ((at - 2, b"other text"), (at - 1, b'{"speaker": "x"}'),
                             (at, members[at][1][:-1] + bytes([members[at][1][-1] ^ 1])), (at, self.sound(100, 99))):
            other = list(members)
            other[number] = (other[number][0], data)
            self.against_other(harness.tar(other), times, differs, key)
        # Samples that no source has; and some that only the source has.
        self.against_other(harness.tar(members[:at - 2] + members[at + 1:]), times, "no source has a sample", key)
        renamed = [(name.replace(f"{key}.", "x9."), data) for name, data in members]
        self.against_other(harness.tar(renamed), times, "is in none of the shards", "x9")
        path.write_bytes(was)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def against_other(self, tar, times, says, key):
        path = self.folder / "a.tar"
        path.write_bytes(tar.ljust(times.st_size, b"\0"))
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        found = [entry for entry in self.verify(code=1)["list"] if says in entry["what"]]
        self.assertIn(key, {entry.get("member", "").split(".")[0].split("_")[0] for entry in found}, says)

    def test_random(self):
        for seed, says in enumerate((["--weight", "main=2"], ["--weight", "main=1.5"], ["--channels", "split"])):
            with self.subTest(says=says):
                self.channels = 2 if "split" in says else 1
                self.history(random.Random(seed), *says)
        self.assertGreater(self.tried, 10)


if __name__ == "__main__":
    unittest.main()
