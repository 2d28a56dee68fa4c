"""`repack --parity`, `repair`, and what `verify` says of it: any files of a group come back byte for byte."""
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

import harness
from repack_test import Repacking, corpus

LOSSES = int(os.environ.get("SHARDMILL_LOSSES", "40"))  # random ones; a long run tries 500
KILLS = int(os.environ.get("SHARDMILL_KILLS", "20"))


def product(a, b):
    """In GF(2^8) with x^8 + x^4 + x^3 + x^2 + 1."""
    result = 0
    while b:
        if b & 1:
            result ^= a
        a <<= 1
        if a & 0x100:
            a ^= 0x11d
        b >>= 1
    return result


INVERSE = {a: b for a in range(1, 256) for b in range(1, 256) if product(a, b) == 1}


def parity_file(data):
    """A parity file as docs/formats.md describes it: its header, and its parity bytes."""
    first, header, rest = data.split(b"\n", 2)
    assert first == b"shardmill parity 1", first
    assert data[-65:] == hashlib.sha256(data[:-65]).hexdigest().encode() + b"\n"
    return json.loads(header), rest[:-65]


def decode(header, have, size):
    """All files of a group, from `have`: {number of a file, or ("parity", number): its bytes}. Gauss and Jordan."""
    count = len(header["files"])
    rows = []
    for piece, data in list(have.items())[:count]:
        if isinstance(piece, tuple):
            row = [INVERSE[(255 - piece[1]) ^ column] for column in range(count)]
        else:
            row = [int(column == piece) for column in range(count)]
        rows.append((row, bytearray(data.ljust(size, b"\0"))))
    for column in range(count):
        pivot = next(i for i in range(column, count) if rows[i][0][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        factor = INVERSE[rows[column][0][column]]
        table = bytes(product(factor, value) for value in range(256))
        rows[column] = ([product(factor, value) for value in rows[column][0]], rows[column][1].translate(table))
        for other in range(count):
            share = rows[other][0][column]
            if other == column or not share:
                continue
            table = bytes(product(share, value) for value in range(256))
            add = int.from_bytes(rows[column][1].translate(table), "big")
            rows[other] = ([x ^ product(share, y) for x, y in zip(rows[other][0], rows[column][0])],
                           (int.from_bytes(rows[other][1], "big") ^ add).to_bytes(size, "big"))
    return [data[:file["bytes"]] for (_, data), file in zip(rows, header["files"])]


class Repairing(Repacking):
    shards = 5
    options = ["--parity", "2"]

    def setUp(self):
        super().setUp()
        tars, self.contents = corpus("x", 60, shards=6)
        self.put("in", tars)
        self.repack("in", "--out", "good", "--shards", self.shards, "--list-root", "/r", *self.options)

    def fresh(self):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        shutil.copytree(self.folder / "good", self.folder / "out")

    def damage(self, name, random_):
        """Lost, cut, grown, flipped or replaced."""
        path = self.folder / "out" / name
        data = path.read_bytes()
        kind = random_.choice(["lost", "cut", "grown", "flipped", "zeros"] if data else ["lost", "grown"])
        if kind == "lost":
            return path.unlink()
        at = random_.randrange(max(1, len(data)))
        path.write_bytes({"cut": data[:at], "grown": data + b"x" * (at + 1), "zeros": b"\0" * (len(data) + 1),
                          "flipped": data[:at] + bytes([data[at] ^ 1 << random_.randrange(8)]) + data[at + 1:]
                          if data else b""}[kind])

    def check_whole(self):
        for name in self.names("good"):
            self.assertEqual((self.folder / "out" / name).read_bytes(), (self.folder / "good" / name).read_bytes(),
                             name)
        self.assertEqual(self.names("out"), self.names("good"))
        self.shardmill("verify", "out")

    def groups(self):
        """The names of the files of each group, parity files last."""
        groups = {}
        for path in sorted((self.folder / "good/parity").iterdir()):
            header, _ = parity_file(path.read_bytes())
            names = groups.setdefault(header["group"], [file["path"] for file in header["files"]])
            names.append(f"parity/{path.name}")
        return groups


class Parity(Repairing):
    def test_an_independent_decoder_gets_everything_back(self):
        random_ = random.Random(1)
        for group, names in self.groups().items():
            headers = []
            have = {}
            for number, name in enumerate(names):
                data = (self.folder / "good" / name).read_bytes()
                if name.startswith("parity/"):
                    header, data = parity_file(data)
                    self.assertEqual((header["group"], header["parity"], header["parity_files"]),
                                     (group, len(headers), 2))
                    headers.append(header)
                    have["parity", header["parity"]] = data
                else:
                    have[number] = data
            header = headers[0]
            size = max(file["bytes"] for file in header["files"])
            self.assertEqual({len(data) for piece, data in have.items() if isinstance(piece, tuple)}, {size})
            for _ in range(3):
                rest = dict(have)
                for lost in random_.sample(list(have), 2):
                    del rest[lost]
                for file, data in zip(header["files"], decode(header, rest, size)):
                    self.assertEqual(data, (self.folder / "good" / file["path"]).read_bytes())
                    self.assertEqual(file["sha256"], hashlib.sha256(data).hexdigest())

    def test_the_same_bytes_for_any_threads_and_memory(self):
        for number, how in enumerate((["-j1"], ["-j3", "--memory", "1MiB"])):
            self.repack("in", "--out", f"again{number}", "--shards", self.shards, "--list-root", "/r", *self.options,
                        *how)
            self.same_bytes("good", f"again{number}")
        self.assertEqual(json.loads((self.folder / "good/dataset.json").read_bytes())["parity"], 2)
        self.assertIn("finished already",
                      self.repack("in", "--out", "good", "--shards", self.shards, "--list-root", "/r",
                                  *self.options).out.decode())
        subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=self.folder / "good", check=True)

    def test_groups_of_many_shards(self):
        tars, _ = corpus("y", 140, seed=2)
        self.put("many", tars)
        self.repack("many", "--out", "good2", "--shards", 130, "--parity", "1", "--list-root", "/r")
        sizes = {}
        for path in (self.folder / "good2/parity").glob("shards*"):
            sizes[path.name] = len(parity_file(path.read_bytes())[0]["files"])
        self.assertEqual(sizes, {"shards_000000.p00": 65, "shards_000001.p00": 65})
        for shard in (3, 129):
            (self.folder / f"good2/shards/audio_{shard:09}.tar").unlink()
        self.shardmill("repair", "good2")
        self.shardmill("verify", "good2")

    def test_wrong_use(self):
        for value in ("17", "-1", "many"):
            self.fails("repack", "in", "--out", "new", "--parity", value, code=2, says="--parity")
        self.fails("repair", code=2, says="DIR")
        self.fails("repair", "in", says="not a dataset")
        self.fails("repair", "nothing", says="not a dataset")

    def test_moved_datasets_keep_their_parity(self):
        self.fresh()
        self.shardmill("index", "out", "--list-root", "/elsewhere")
        self.shardmill("verify", "out")
        record = (self.folder / "out/dataset.json").read_bytes()
        (self.folder / "out/dataset.json").write_bytes(b"x")
        self.shardmill("repair", "out")
        self.assertEqual((self.folder / "out/dataset.json").read_bytes(), record)
        self.shardmill("verify", "out")


class Losses(Repairing):
    def test_any_two_of_a_group(self):
        random_ = random.Random(2)
        groups = self.groups()
        for loss in range(LOSSES):
            self.fresh()
            chosen = random_.sample(sorted(groups), random_.randrange(1, len(groups) + 1))
            lost = [name for group in chosen for name in random_.sample(groups[group], random_.randrange(1, 3))]
            for name in lost:
                self.damage(name, random_)
            with self.subTest(loss=loss, lost=lost):
                done = json.loads(self.shardmill("repair", "out", "--json", "-q").out)
                self.assertLessEqual(set(lost), {file["file"] for file in done["repaired"]} |
                                     {name for name in lost if (self.folder / "out" / name).read_bytes() ==
                                      (self.folder / "good" / name).read_bytes()})
                self.assertTrue(done["good"])
                self.check_whole()

    def test_verify_says_what_can_be_made_again(self):
        self.fresh()
        for name in ("shards/audio_000000001.tar", "data.list", "tarred_audio_manifest.json", "parity/records.p01"):
            (self.folder / "out" / name).unlink()
        self.assertEqual({finding["file"]: finding["repair"] for finding in
                          json.loads(self.shardmill("verify", "out", "--json", code=1).out)["list"]
                          if "repair" in finding},
                         {"out/shards/audio_000000001.tar": "parity", "out/data.list": "files",
                          "out/tarred_audio_manifest.json": "files", "out/parity/records.p01": "parity"})
        self.assertIn("audio_000000001.tar: is missing; repairable from parity",
                      self.shardmill("verify", "out", code=1).out.decode())
        before = self.names("out")
        planned = json.loads(self.shardmill("repair", "out", "--dry-run", "--json").out)
        self.assertEqual(len(planned["repaired"]), 4)
        self.assertFalse(planned["good"])
        self.assertEqual(self.names("out"), before)
        self.shardmill("repair", "out")
        self.check_whole()

    def test_files_that_others_tell_of(self):
        """Without any parity."""
        self.repack("in", "--out", "good", "--shards", 3, "--list-root", "/r", "--force",
                    "--index", ",".join(harness.all_forms()))
        whole = [name for name in self.names("good") if not name.startswith("shards/audio") or name.endswith(".idx")]
        for name in whole:
            if name in ("dataset.json", "run.json", "shards.jsonl"):
                continue
            self.fresh()
            self.damage(name, random.Random(name))
            with self.subTest(name):
                self.shardmill("repair", "out")
                self.check_whole()

    def test_nothing_to_do_changes_nothing(self):
        self.fresh()
        dates = {name: (self.folder / "out" / name).stat().st_mtime_ns for name in self.names("out")}
        self.assertIn("nothing to repair", self.shardmill("repair", "out").out.decode())
        self.assertEqual({name: (self.folder / "out" / name).stat().st_mtime_ns for name in self.names("out")}, dates)

    def test_too_much_is_lost(self):
        """Also the sources: what can be made again is, the rest stays as it was and is named."""
        self.fresh()
        shutil.rmtree(self.folder / "in")
        for shard in (0, 1, 2):
            (self.folder / f"out/shards/audio_{shard:09}.tar").write_bytes(b"damaged")
        (self.folder / "out/manifests/manifest_000000004.json").unlink()
        done = json.loads(self.shardmill("repair", "out", "--json", code=1).out)
        self.assertEqual([file["file"] for file in done["repaired"]], ["manifests/manifest_000000004.json"])
        self.assertEqual([file["file"] for file in done["not_repaired"]],
                         [f"shards/audio_{shard:09}.tar" for shard in (0, 1, 2)])
        self.assertIn("cannot find this source", done["not_repaired"][0]["why"])
        for shard in (0, 1, 2):
            self.assertEqual((self.folder / f"out/shards/audio_{shard:09}.tar").read_bytes(), b"damaged")
        text = self.shardmill("repair", "out", code=1).out.decode()
        self.assertIn("shards/audio_000000000.tar: not repaired", text)

    def test_checksums_are_damaged(self):
        """A flipped digit or letter is told from a damaged file."""
        sums = (self.folder / "good/SHA256SUMS").read_bytes()
        random_ = random.Random(3)
        for _ in range(LOSSES // 4):
            self.fresh()
            at = random_.randrange(len(sums))
            (self.folder / "out/SHA256SUMS").write_bytes(
                sums[:at] + bytes([sums[at] ^ 1 << random_.randrange(8)]) + sums[at + 1:])
            with self.subTest(at=at, byte=sums[at:at + 1]):
                self.shardmill("repair", "out")
                self.check_whole()
        self.fresh()
        (self.folder / "out/SHA256SUMS").unlink()
        (self.folder / "out/shards/audio_000000002.tar").unlink()
        self.shardmill("repair", "out")
        self.check_whole()

    def test_checksums_that_lost_whole_lines(self):
        """No line is damaged then, and an index has no other witness but run.json."""
        self.fresh()
        self.shardmill("index", "out", "--index", "speechbrain,kaldi,nemo,mds,funasr,parquet")
        whole = {path.relative_to(self.folder / "out"): path.read_bytes() for path in (self.folder / "out").rglob("*")
                 if path.is_file() and path.name not in ("run.json", "lock")}
        sums = (self.folder / "out/SHA256SUMS").read_bytes().splitlines(keepends=True)
        self.shardmill("repair", "out")
        for left in ([], sums[:3], sums[:-1], sums[3:], sums[::2]):
            (self.folder / "out/SHA256SUMS").write_bytes(b"".join(left))
            (self.folder / "out/funasr/train.jsonl").write_bytes(b"garbage")
            (self.folder / "out/speechbrain.json").unlink()
            with self.subTest(left=len(left)):
                self.shardmill("repair", "out")
                self.shardmill("verify", "out")
                for path, data in whole.items():
                    self.assertEqual((self.folder / "out" / path).read_bytes(), data, path)

    def test_a_damaged_header_invents_no_file(self):
        self.fresh()
        path = self.folder / "out/parity/manifests_000000.p00"
        path.write_bytes(path.read_bytes().replace(b"manifest_000000002.json", b"manidest_000000002.json", 1))
        self.shardmill("repair", "out")
        self.check_whole()

    def test_all_parity_is_lost(self):
        self.fresh()
        shutil.rmtree(self.folder / "out/parity")
        self.shardmill("repair", "out")
        self.check_whole()


class Sources(Repairing):
    options = []

    def opened(self, *command):
        """The files of in/ that a run opens for reading."""
        trace = self.folder / "trace"
        done = subprocess.run(["strace", "-f", "-qq", "-e", "trace=openat", "-o", trace, harness.PROGRAM, *command],
                              cwd=self.folder, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {line.split('"')[1].split("/")[-1] for line in trace.read_text().splitlines()
                if "/part_" in line or '"in/part_' in line}

    def test_shards_are_packed_again(self):
        for options in (["--codec", "zstd", "--level", "9"], ["--codec", "zstd", "--seekable"], ["--audio", "flac"],
                        ["--text", "manifest", "--weight", "in=2"], ["--codec", "gzip", "--text", "members"],
                        ["--sample-rate", "8000", "--codec", "lz4"]):
            with self.subTest(options=options):
                self.repack("in", "--out", "good", "--shards", self.shards, "--list-root", "/r", "--force", *options)
                self.fresh()
                for shard in sorted((self.folder / "out/shards").iterdir())[1:3]:
                    shard.unlink()
                done = json.loads(self.shardmill("repair", "out", "--json").out)
                self.assertEqual({file["from"] for file in done["repaired"]}, {"sources"})
                self.check_whole()

    def test_renamed_duplicates(self):
        tars, _ = corpus("x", 20, seed=5)
        self.put("in2", tars, "zstd")
        self.repack("a=in", "b=in2", "--out", "good", "--shards", 3, "--list-root", "/r", "--force",
                    "--on-duplicate", "rename", "--seed", "3")
        self.fresh()
        for shard in (self.folder / "out/shards").iterdir():
            shard.unlink()
        self.shardmill("repair", "out")
        self.check_whole()

    def test_corpora(self):
        for number in range(24):
            key = f"spk{number % 3}-utt{number:02}"
            self.write(f"raw/{key}.wav", self.contents[f"x{number:05}"][1])
            self.write(f"raw/{key}.txt", b"text " + key.encode())
        self.repack("audio:raw", "--out", "good", "--shards", 3, "--list-root", "/r", "--force")
        self.fresh()
        (self.folder / "out/shards/audio_000000001.tar").write_bytes(b"")
        self.shardmill("repair", "out")
        self.check_whole()

    def raw_corpus(self, count=24):
        for number in range(count):
            key = f"spk{number % 3}-utt{number:02}"
            self.write(f"raw/{key}.wav", self.contents[f"x{number:05}"][1])
            self.write(f"raw/{key}.txt", b"text " + key.encode())

    def test_a_dataset_made_of_a_dataset(self):
        """Whatever that one was made of: no shard, or audio that is another in it."""
        self.raw_corpus()
        for first, second in (([], []), (["--audio", "flac"], ["--weight", "main=2"]), ([], ["--audio", "flac"]),
                              (["--audio", "flac", "--weight", "main=2"], ["--sample-rate", "8000"])):
            with self.subTest(first=first, second=second):
                self.repack("main=audio:raw", "--out", "first", "--shards", 3, "--force", "-q", *first)
                self.repack("dataset:first", "in", "--out", "good", "--shards", 3, "--list-root", "/r", "--force", "-q",
                            *second)
                self.fresh()
                (self.folder / "out/shards/audio_000000001.tar").unlink()
                (self.folder / "out/shards/audio_000000002.tar").write_bytes(b"damaged")
                done = json.loads(self.shardmill("repair", "out", "--json").out)
                self.assertEqual([file["from"] for file in done["repaired"]], ["sources", "sources"])
                self.check_whole()

    def test_a_dataset_whose_dataset_grew(self):
        self.raw_corpus()
        self.repack("main=audio:raw", "--out", "first", "--shards", 3, "-q")
        self.repack("dataset:first", "--out", "good", "--shards", 3, "--list-root", "/r", "--force", "-q")
        self.shardmill("update", "first", "--add", "main=in", "--remix", "-q")
        self.fresh()
        (self.folder / "out/shards/audio_000000001.tar").unlink()
        self.shardmill("repair", "out")
        self.check_whole()

    def test_a_dataset_whose_dataset_lacks_samples(self):
        """What is not there any more is named, and what is to be done."""
        self.raw_corpus()
        self.repack("main=audio:raw", "--out", "first", "--shards", 3, "-q")
        self.repack("dataset:first", "--out", "good", "--shards", 1, "--list-root", "/r", "--force", "-q")
        self.fresh()
        shutil.copytree(self.folder / "first", self.folder / "kept")
        (self.folder / "out/shards/audio_000000000.tar").unlink()
        (self.folder / "first/shards/audio_000000001.tar").unlink()
        why = lambda: json.loads(self.shardmill("repair", "out", "--json", code=1).out)["not_repaired"][0]["why"]
        self.assertIn("first/shards/audio_000000001.tar", why())
        shutil.rmtree(self.folder / "first")
        self.assertIn("first: ", why())
        shutil.copytree(self.folder / "kept", self.folder / "first")
        self.write("gone", b"spk0-utt00\n")
        self.shardmill("update", "first", "--remove-keys", "gone", "-q")
        self.assertIn("first: has no sample any more that was made of 'spk0-utt00' in raw/spk0-utt00.wav", why())
        shutil.rmtree(self.folder / "first")
        (self.folder / "kept").rename(self.folder / "first")
        self.shardmill("repair", "out")
        self.check_whole()

    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_only_the_sources_that_the_manifest_names_are_read(self):
        self.repack("in", "--out", "good", "--shards", "20", "--list-root", "/r", "--force")
        self.fresh()
        manifest = self.folder / "out/manifests/manifest_000000003.json"
        named = {json.loads(line)["source"].split("/")[-1] for line in manifest.read_text().splitlines()}
        self.assertLess(len(named), 6)
        (self.folder / "out/shards/audio_000000003.tar").unlink()
        self.assertEqual(named, self.opened("repair", "out"))
        self.check_whole()

    def test_sources_that_changed_are_named(self):
        tars, _ = corpus("x", 60, shards=6, seed=9)
        self.put("in", tars)
        self.fresh()
        (self.folder / "out/shards/audio_000000001.tar").write_bytes(b"damaged")
        done = json.loads(self.shardmill("repair", "out", "--json", code=1).out)
        self.assertIn("has changed", done["not_repaired"][0]["why"])
        self.assertIn("in/part_", done["not_repaired"][0]["why"])
        self.assertEqual((self.folder / "out/shards/audio_000000001.tar").read_bytes(), b"damaged")

    def test_parity_and_sources_together(self):
        """Three of a group that bears two are lost."""
        self.repack("in", "--out", "good", "--shards", self.shards, "--list-root", "/r", "--force", "--parity", "2")
        self.fresh()
        for shard in (0, 2, 4):
            (self.folder / f"out/shards/audio_{shard:09}.tar").unlink()
        self.shardmill("repair", "out")
        self.check_whole()


class Waiting(Repairing):
    """What dataset.json says must be there, whatever SHA256SUMS says or no longer says."""
    shards = 4
    options = ["--parity", "1"]

    def make(self, parity):
        """A dataset in which samples wait, in good/."""
        self.repack("in", "--out", "good", "--shards", 4, "--list-root", "/r", "--force", "--parity", parity)
        self.put("more", corpus("y", 14, seed=2)[0])
        self.shardmill("update", "good", "--add", "y=more", "--rewrite-limit", "0")
        self.assertTrue((self.folder / "good/pending/samples.tar").exists())
        self.fresh()

    def lose(self, *names):
        for name in names:
            path = self.folder / "out" / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def not_repaired(self):
        done = json.loads(self.shardmill("repair", "out", "--json", code=1).out)
        self.assertFalse(done["good"])
        found = json.loads(self.shardmill("verify", "out", "--json", code=1).out)["list"]
        return {file["file"] for file in done["not_repaired"]}, {finding["file"] for finding in found}

    def test_samples_that_waited_are_missed(self):
        waiting = {"pending/samples.tar", "pending/manifest.json"}
        for parity, lost in ((0, ["SHA256SUMS", "pending"]), (0, ["SHA256SUMS", "pending/samples.tar"]),
                             (1, ["SHA256SUMS", "pending", "parity/pending.p00"]), (1, ["SHA256SUMS", "pending"])):
            self.make(parity)
            self.lose(*lost)
            gone = {name for name in waiting if not (self.folder / "out" / name).exists()}
            with self.subTest(parity=parity, lost=lost):
                beyond, found = self.not_repaired()
                self.assertLessEqual(gone | {"SHA256SUMS"}, beyond)
                self.assertLessEqual({f"out/{name}" for name in gone}, found)
                self.assertFalse((self.folder / "out/SHA256SUMS").exists())

    def test_lines_of_what_waited_are_missed(self):
        self.make(1)
        self.lose("pending", "parity/pending.p00")
        path = self.folder / "out/SHA256SUMS"
        path.write_text("".join(line for line in path.read_text().splitlines(True) if "pending" not in line))
        beyond, found = self.not_repaired()
        self.assertLessEqual({"pending/samples.tar", "pending/manifest.json"}, beyond)
        self.assertLessEqual({"out/pending/samples.tar", "out/pending/manifest.json"}, found)

    def test_checksums_are_lost_with_what_parity_restores(self):
        self.make(1)
        for lost in (["pending/samples.tar"], ["pending/manifest.json"], ["parity/pending.p00"],
                     ["parity/shards_000000.p00"], ["parity/manifests_000000.p00"], ["parity/records.p00"], ["parity"],
                     ["parity/shards_000000.p00", "manifests/manifest_000000001.json"],
                     ["pending/samples.tar", "data.list"]):
            self.fresh()
            self.lose("SHA256SUMS", *lost)
            with self.subTest(lost):
                self.shardmill("repair", "out")
                self.check_whole()

    def test_damaged_parity_is_not_believed(self):
        self.make(1)
        for name in ("shards_000000", "manifests_000000", "records", "pending"):
            self.fresh()
            path = self.folder / f"out/parity/{name}.p00"
            data = path.read_bytes()
            at = len(data) * 3 // 4
            path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])
            self.lose("SHA256SUMS")
            with self.subTest(name):
                self.shardmill("repair", "out")
                self.check_whole()

    def test_lost_indexes_and_checksums(self):
        self.repack("in", "--out", "good", "--shards", 3, "--list-root", "/r", "--force", "--index", "wids,dali,shar")
        for lost in ("shards/audio_000000001.idx", "shardindex.json"):
            self.fresh()
            self.lose("SHA256SUMS", lost)
            with self.subTest(lost):
                done = json.loads(self.shardmill("repair", "out", "--json").out)
                # What is as it was is not told.
                self.assertEqual({file["file"] for file in done["repaired"]}, {"SHA256SUMS", lost})
                self.check_whole()

    def test_lost_indexes_that_were_added_later(self):
        """Nothing but run.json knows of them."""
        self.repack("in", "--out", "good", "--shards", 3, "--list-root", "/r", "--force")
        self.shardmill("index", "good", "--index", "wids,dali")
        self.shardmill("index", "good", "--index", "dali,lhotse")
        self.assertEqual(json.loads((self.folder / "good/run.json").read_text())["indexes"], "wids,dali,lhotse")
        for lost in ("shards/audio_000000001.idx", "shardindex.json", "tarred_audio_manifest.json.idx"):
            self.fresh()
            self.lose("SHA256SUMS", lost)
            with self.subTest(lost):
                self.shardmill("repair", "out")
                self.check_whole()
        self.fresh()
        self.shardmill("update", "out", "--remix")
        self.assertEqual(json.loads((self.folder / "out/run.json").read_text())["indexes"], "wids,dali,lhotse")


class Contradictions(Repairing):
    """What repair says and does fits what verify says, before and after."""
    shards = 2
    options = ["--parity", "1"]

    def path(self, name):
        return self.folder / "out" / name

    def repairable(self):
        """What verify says of the damaged files in out/, by name."""
        found = json.loads(self.shardmill("verify", "out", "--json", code=1).out)["list"]
        return {finding["file"].removeprefix("out/"): finding["repair"] for finding in found if "repair" in finding}

    def dry_run(self, code):
        done = json.loads(self.shardmill("repair", "out", "--dry-run", "--json", code=code).out)
        return ({file["file"]: file["from"] for file in done["repaired"]},
                {file["file"]: file["why"] for file in done["not_repaired"]})

    def test_parity_files_of_others(self):
        """They are sealed, and yet not what SHA256SUMS says."""
        self.put("in2", corpus("z", 30, seed=8)[0])
        self.repack("in2", "--out", "other", "--shards", 2, "--list-root", "/r", "--parity", "1")
        self.repack("in2", "--out", "more", "--shards", 2, "--list-root", "/r", "--parity", "2", "--prefix", "more")
        for source, name in (("other/parity/shards_000000.p00", "shards_000000.p00"),
                             ("other/parity/records.p00", "records.p00"),
                             ("more/parity/manifests_000000.p01", "manifests_000000.p00"),
                             ("good/parity/records.p00", "shards_000000.p00"),
                             ("good/parity/manifests_000000.p00", "records.p00")):
            with self.subTest(source=source, name=name):
                self.fresh()
                shutil.copy(self.folder / source, self.path(f"parity/{name}"))
                self.assertEqual(self.repairable(), {f"parity/{name}": "parity"})
                done = json.loads(self.shardmill("repair", "out", "--json").out)
                self.assertEqual([file["file"] for file in done["repaired"]], [f"parity/{name}"])
                self.check_whole()
                if source == "other/parity/records.p00":
                    continue  # without SHA256SUMS, nobody knows that the records are not the wrong ones
                shutil.copy(self.folder / source, self.path(f"parity/{name}"))
                self.path("SHA256SUMS").unlink()
                self.shardmill("repair", "out")
                self.check_whole()

    def test_all_in_one_repair(self):
        self.repack("in", "--out", "good", "--shards", 2, "--list-root", "/r", "--force", "--parity", "1", "--index",
                    "speechbrain")
        self.fresh()
        shutil.rmtree(self.path("parity"))
        self.path("speechbrain.csv").unlink()
        self.path("SHA256SUMS").unlink()
        self.path("dataset.json").write_bytes(self.path("dataset.json").read_bytes() + b"\n")
        if self.shardmill("repair", "out", code=None).code == 0:
            self.shardmill("verify", "out")
            self.assertTrue(self.path("speechbrain.csv").exists())

    def test_files_that_are_not_of_the_dataset(self):
        for name in ("shards/audio_000000009.tar", "manifests/manifest_000000009.json", "parity/notes.txt"):
            self.fresh()
            self.path(name).write_bytes(b"stray")
            with self.subTest(name):
                says = "does not belong to the dataset: no record names it"
                text = self.shardmill("verify", "out", code=1).out.decode()
                self.assertIn(f"{name}: {says}", text)
                self.assertIn("you can move it away", text)
                for options in ([], ["--dry-run"]):
                    done = json.loads(self.shardmill("repair", "out", "--json", *options, code=1).out)
                    self.assertEqual([file["file"] for file in done["not_repaired"]], [name])
                    self.assertIn(says, done["not_repaired"][0]["why"])
                    self.assertIn("you can move it away", done["not_repaired"][0]["why"])
                    self.assertEqual(done["repaired"], [])
                self.assertEqual(self.path(name).read_bytes(), b"stray")
                self.path(name).unlink()
                self.check_whole()

    def test_dry_run_looks_for_the_sources(self):
        self.fresh()
        for shard in (0, 1):
            self.path(f"shards/audio_{shard:09}.tar").unlink()
        lost = {f"shards/audio_{shard:09}.tar" for shard in (0, 1)}
        self.assertEqual(self.dry_run(code=0), (dict.fromkeys(lost, "sources"), {}))
        (self.folder / "in").rename(self.folder / "away")
        planned, beyond = self.dry_run(code=1)
        self.assertEqual((planned, set(beyond)), ({}, lost))
        self.shardmill("repair", "out", code=1)
        (self.folder / "away").rename(self.folder / "in")
        self.shardmill("repair", "out")
        self.check_whole()

    def test_dry_run_knows_later_steps(self):
        self.fresh()
        self.path("parity/records.p00").unlink()
        with open(self.path("rejects.jsonl"), "ab") as file:
            file.write(b"x\n")
        self.assertEqual(self.dry_run(code=0)[1], {})
        self.shardmill("repair", "out")
        self.check_whole()

    def test_dataset_json_is_damaged_and_run_json_gone(self):
        self.fresh()
        for damaged in (b"x", (self.folder / "good/dataset.json").read_bytes()[:-30], b'{"format": "other"}'):
            self.path("run.json").unlink(missing_ok=True)
            self.path("dataset.json").write_bytes(damaged)
            with self.subTest(damaged[:10]):
                done = json.loads(self.shardmill("repair", "out", "--json", code=1).out)
                self.assertEqual([file["file"] for file in done["repaired"]], ["dataset.json"])
                self.assertEqual([file["file"] for file in done["not_repaired"]], ["run.json"])
                self.assertEqual(self.path("dataset.json").read_bytes(),
                                 (self.folder / "good/dataset.json").read_bytes())

    def test_a_split_is_named(self):
        self.repack("in", "--out", "split", "--shards", 1, "--split", "dev=2s", "--split-by", "key")
        self.fails("repair", "split", says=["holds the datasets of a split", "split/train", "split/dev"])


class Killed(Repairing):
    def test_at_random_moments(self):
        """Whatever moment: each file is as before or as it should be, and the same command mends the rest."""
        random_ = random.Random(4)
        lost = ["shards/audio_000000000.tar", "shards/audio_000000003.tar", "dataset.json", "data.list",
                "manifests/manifest_000000001.json", "tarred_audio_manifest.json", "SHA256SUMS"]
        self.fresh()
        seconds = None
        for _ in range(KILLS):
            self.fresh()
            for name in lost:
                (self.folder / "out" / name).write_bytes(b"damaged")
            start = time.monotonic()
            process = subprocess.Popen([harness.PROGRAM, "repair", "out", "-q"], cwd=self.folder,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if seconds is None:
                process.communicate()
                seconds = time.monotonic() - start
                self.check_whole()
                continue
            time.sleep(random_.random() * seconds)
            process.kill()
            process.communicate()
            for name in self.names("good"):
                data = (self.folder / "out" / name).read_bytes()
                right = data == (self.folder / "good" / name).read_bytes()
                self.assertTrue(right or (name in lost and data == b"damaged"), name)
            self.shardmill("repair", "out")
            self.check_whole()

    def test_one_at_a_time(self):
        def start():
            self.fresh()
            (self.folder / "out/shards/audio_000000000.tar").unlink()
            return subprocess.Popen([harness.PROGRAM, "repair", "out", "-q"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        first = self.caught(start, lambda: b"repair out" in self.content("out/.shardmill/lock"))
        second = subprocess.Popen([harness.PROGRAM, "repair", "out"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        time.sleep(0.2)
        self.assertIsNone(second.poll(), "it waits")
        first.send_signal(signal.SIGCONT)
        self.assertIn(b"nothing to repair", second.communicate()[0])
        self.assertEqual(first.wait(), 0)
        self.check_whole()


if __name__ == "__main__":
    unittest.main()
