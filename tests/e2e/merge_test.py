"""A finished dataset as a source: repacked, merged, resharded, it keeps every field of every sample."""
import hashlib
import io
import json
import random
import shutil
import tarfile
import unittest

import harness
from harness import compress, tar
from verify_test import tone

CODECS = [["none"], ["zstd"], ["zstd", "--seekable"], ["lz4"], ["gzip"]]
OWN = {"audio_filepath", "shard_id", "tar_offset"}  # where a sample lies: of each dataset anew


class Merging(harness.Case):
    def shardmill(self, *arguments, **more):
        """Many of the samples here have no text."""
        if arguments[0] == "repack" and not {"--part", "--finish"} & set(arguments):
            arguments = (*arguments, "--allow-missing-text")
        return super().shardmill(*arguments, **more)

    def corpora(self, seed, count=40):
        """Two raw corpora with random fields, `one` and `two`, as WeNet lists, and shards with further members."""
        random_ = random.Random(seed)
        for name in ("one", "two"):
            lines = []
            for number in range(count):
                key = f"{name}/{number:03}.{random_.choice('xyz')}"
                path = self.write(f"raw/{key}.wav", tone(random_.randint(400, 9000), seed * 1000 + number))
                line = {"key": key, "wav": str(path), "txt": random_.choice(["", "words of ", "你好 "]) + key}
                for field in random_.sample(["speaker", "language", "subset", "gender", "offset", "snr", "nested"], 4):
                    line[field] = random_.choice(["S1", "zh", "\"\\/é", 3, 1.5, True, None, [1, "a"], {"b": {}}])
                lines.append(json.dumps(line, ensure_ascii=random_.random() < 0.5))
            self.write(f"{name}.list", "\n".join(lines).encode() + b"\n")
        members = []
        for number in range(count):
            key = f"x.{number}"
            if number % 3:
                members.append((f"{key}.txt", f"text {number}".encode()))
            members += [(f"{key}.flac", tone(random_.randint(400, 9000), seed * 7000 + number, "FLAC")),
                        (f"{key}.json", json.dumps({"n": number}).encode())]
        self.write("tars/a.tar", tar(members))

    def made(self, out, *arguments, shards=3):
        self.shardmill("repack", *arguments, "--out", out, "--shards", shards)
        self.shardmill("verify", out)

    def lines(self, out):
        return [json.loads(line) for line in
                (self.folder / out / "tarred_audio_manifest.json").read_text().splitlines()]

    def samples(self, *outs):
        """All that is known of each sample, where it lies left out: of its line, and of its members."""
        samples = {}
        for out in outs:
            members = {}
            for path in (self.folder / out / "shards").iterdir():
                codec = {value: key for key, value in harness.SUFFIX.items()}.get(path.suffix, "none")
                with tarfile.open(fileobj=io.BytesIO(harness.decompress(codec, path.read_bytes()))) as archive:
                    for entry in archive:
                        key, extension = entry.name.split(".", 1)
                        data = archive.extractfile(entry).read()
                        members.setdefault(key, {})[extension] = hashlib.md5(data).hexdigest()
            for line in self.lines(out):
                fields = {name: value for name, value in line.items() if name not in OWN | {"text"}}
                own = members[line["key"]]
                text = line.get("text")
                for extension in ("txt", "json"):  # with --text manifest the line alone says what they do
                    own.pop(extension, None)
                self.assertNotIn((line["key"]), samples)
                samples[line["key"]] = (fields, text, own)
        return samples

    def tree(self, out):
        root = self.folder / out
        return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*"))
                if path.is_file() and path.name not in ("run.json", "data.list")}


class Fields(Merging):
    def test_nothing_is_lost(self):
        """Repacked, repacked into other shards, codec and text form, merged, resharded: each field stays."""
        for seed in range(2):
            with self.subTest(seed=seed):
                random_ = random.Random(seed)
                self.corpora(seed)
                self.made("a", "one=one.list", "tars=tars", "--force")
                self.made("b", "two=two.list", "--force", "--audio", "flac", "--text", "both")
                wanted = self.samples("a", "b")
                last = ["a", "b"]
                for step, text in enumerate(random_.sample(["both", "manifest"], 2) + ["manifest", "both"]):
                    out = f"step{step}"
                    codec = random_.choice(CODECS)
                    if step == 1:  # each by itself, then both together
                        for name in ("a", "b"):
                            self.made(f"{out}{name}", name, "--force", "--codec", *codec, "--text", text, shards=2)
                        self.assertEqual(self.samples(f"{out}a", f"{out}b"), wanted)
                        last = [f"{out}a", f"{out}b"]
                        continue
                    threads = []
                    for count in (1, 2):
                        self.made(out, *last, "--force", "--codec", *codec, "--text", text, "-j", count,
                                  shards=random_.choice([step + 2]))
                        threads.append(self.tree(out))
                    self.assertEqual(threads[0].keys(), threads[1].keys())
                    self.assertEqual([name for name in threads[0] if threads[0][name] != threads[1][name]], [])
                    self.assertEqual(self.samples(out), wanted)
                    self.shardmill("verify", out, "--against", *last)
                    self.assertNotIn("source_source", (self.folder / out / "tarred_audio_manifest.json").read_text())
                    last = [out]
                # KEY.json is gone: once the shards held nothing but audio. All that it said is in the lines.
                said = self.shardmill("verify", out, "--against", "one=one.list", "tars=tars", "two=two.list", code=1)
                self.assertNotIn("'one/", said.out.decode() + said.err)

    def test_text_in_members_only(self):
        self.corpora(3)
        self.made("a", "one=one.list", "tars=tars")
        self.made("b", "a", "--text", "members", "--codec", "zstd")
        self.made("c", "dataset:b", "--text", "both", shards=2)
        self.assertEqual(self.samples("c"), self.samples("a"))

    def test_encoded_anew(self):
        """The hash of the audio in the first source stays what samples are known by."""
        self.corpora(4)
        self.made("a", "one=one.list")
        self.made("b", "a", "--audio", "flac")
        self.made("c", "b", "--audio", "wav", "--channels", "mono")
        first = {line["key"]: line for line in self.lines("a")}
        for out in ("b", "c"):
            for line in self.lines(out):
                self.assertEqual(line["source_xxh3"], first[line["key"]]["xxh3"])
            self.shardmill("verify", out, "--decode", "--against", "one=one.list")
        self.shardmill("verify", "c", "--against", "b")

    def test_names(self):
        self.corpora(5)
        self.made("a", "one=one.list", "tars=tars")
        self.made("weighted", "a", "two=two.list", "--weight", "tars=2", "--weight", "two=0.5")
        found = {part["dataset"]: part["samples"] for part in
                 json.loads((self.folder / "weighted/dataset.json").read_text())["datasets"]}
        self.assertEqual(list(found), ["one", "tars", "two"])
        self.assertEqual((found["one"], found["tars"]), (40, 80))
        self.assertTrue(10 < found["two"] < 30)
        self.shardmill("verify", "weighted", "--against", "a", "two=two.list")
        self.made("named", "all=a")
        self.assertEqual({line["dataset"] for line in self.lines("named")}, {"all"})
        self.shardmill("verify", "named", "--against", "all=a")
        # Samples of one name from several sources are one dataset.
        self.made("more", "a", "one=two.list")
        self.assertEqual([(part["dataset"], part["samples"]) for part in
                          json.loads((self.folder / "more/dataset.json").read_text())["datasets"]],
                         [("one", 80), ("tars", 40)])
        self.fails("repack", "a", "--out", "bad", "--weight", "a=2", code=2, says="'a'")

    def test_folders_of_the_same_name(self):
        self.corpora(10, count=8)
        self.made("x/m", "one=one.list")
        self.made("y/m", "two=two.list")
        self.made("z", "x/m", "y/m")
        self.assertEqual({line["dataset"] for line in self.lines("z")}, {"one", "two"})
        self.assertEqual(self.samples("z"), self.samples("x/m", "y/m"))
        self.fails("repack", "x/m", "x/../x/m", "--out", "bad", says="twice")
        self.made("n", "n=x/m", "n=y/m")
        self.assertEqual({line["dataset"] for line in self.lines("n")}, {"n"})

    def test_shards_alone_are_shards(self):
        self.corpora(6)
        self.made("a", "one=one.list")
        self.made("b", "x=a/shards/*.tar")
        self.assertEqual({line["dataset"] for line in self.lines("b")}, {"x"})
        self.assertNotIn("speaker", self.lines("b")[0])

    def test_first_is_that_of_the_source_given_first(self):
        """Whatever is read first: the sources are of very different sizes."""
        for number in range(60):
            self.write(f"small/{number:03}.wav", tone(500, number))
            self.write(f"small/{number:03}.txt", b"small")
            for copy in "ab":
                self.write(f"large/{number:03}{copy if number < 30 else ''}.wav", tone(9000, 100 + number))
        self.made("s", "small=small")
        self.made("l", "large=large")
        for order, winner in ((("s", "l"), "small"), (("l", "s"), "large")):
            self.shardmill("repack", *order, "--out", "m", "--shards", 2, "--on-duplicate", "first", "--force")
            doubles = [line for line in self.lines("m") if line["key"] in {f"{n:03}" for n in range(30, 60)}]
            self.assertEqual(len(doubles), 30)
            self.assertEqual({line["dataset"] for line in doubles}, {winner})
            self.shardmill("verify", "m", "--against", *order)
        # A sample that a filter leaves out does not take the place of another.
        self.shardmill("repack", "s", "l", "--out", "m", "--shards", 2, "--on-duplicate", "first", "--force",
                       "--min-duration", "0.1")
        self.assertEqual({line["dataset"] for line in self.lines("m")}, {"large"})

    def test_in_parts_and_estimates(self):
        self.corpora(7)
        self.made("a", "one=one.list", "tars=tars", shards=6)
        self.made("b", "two=two.list", shards=6)
        self.shardmill("repack", "a", "b", "--out", "p", "--shards", 4, "--parts", 2)
        for part in range(2):
            self.shardmill("repack", "--out", "p", "--part", part)
        self.shardmill("repack", "--out", "p", "--finish")
        self.shardmill("verify", "p", "--against", "a", "b")
        self.assertEqual(self.samples("p"), self.samples("a", "b"))
        plan = json.loads(self.shardmill("repack", "a", "b", "--out", "d", "--dry-run", "--json", "--weight",
                                         "one=2").out)
        self.assertTrue(130 <= plan["estimated_samples"] <= 190, plan)
        self.shardmill("inspect", "a", "b")
        self.shardmill("ranks", "a", "b", "--world-size", 2)


class Damaged(Merging):
    def setUp(self):
        super().setUp()
        self.corpora(8)
        self.made("a", "one=one.list", "tars=tars", shards=2)

    def seal(self, *names):
        """Makes SHA256SUMS fit files that were changed."""
        sums = self.folder / "a/SHA256SUMS"
        lines = dict(reversed(line.split("  ", 1)) for line in sums.read_text().splitlines())
        for name in names:
            lines[name] = hashlib.sha256((self.folder / "a" / name).read_bytes()).hexdigest()
        sums.write_text("".join(f"{digest}  {name}\n" for name, digest in lines.items()))

    def refused(self, says):
        self.fails("repack", "a", "--out", "b", "--shards", 2, says=says)
        shutil.rmtree(self.folder / "b", ignore_errors=True)

    def change(self, name, change):
        path = self.folder / "a" / name
        good = path.read_bytes()
        self.addCleanup(path.write_bytes, good)
        path.write_bytes(change(good))
        return lambda: path.write_bytes(good)

    def test_is_never_silent(self):
        manifest = "manifests/manifest_000000001.json"
        shard = "shards/audio_000000001.tar"
        first_line_away = lambda data: data[data.index(b"\n") + 1:]
        for name, change, says in (
                (manifest, first_line_away, ["manifest_000000001.json", "SHA-256"]),
                ("shards.jsonl", lambda data: data.replace(b'"samples":40', b'"samples":41'),
                 ["shards.jsonl", "SHA-256"]),
                (shard, lambda data: data[:-512], ["audio_000000001.tar", "bytes"]),
                (shard, lambda data: data.replace(b"text 1", b"text X", 1), ["transcript"]),
                (shard, lambda data: data.replace(b"RIFF", b"RIFX", 1), [""]),
                (shard, lambda data: data[:data.index(b"RIFF") + 60] + b"other" + data[data.index(b"RIFF") + 65:],
                 ["audio", "hash"])):
            with self.subTest(name=name, says=says):
                restore = self.change(name, change)
                try:
                    self.refused(says)
                finally:
                    restore()
        restore = self.change(manifest, first_line_away)
        sums = (self.folder / "a/SHA256SUMS").read_bytes()
        self.seal(manifest)
        self.refused("no line for it")
        (self.folder / "a/SHA256SUMS").write_bytes(sums)
        restore()
        for name in (shard, manifest, "shards.jsonl", "SHA256SUMS", "dataset.json"):
            (self.folder / "a" / name).rename(self.folder / "away")
            self.refused(name)
            (self.folder / "away").rename(self.folder / "a" / name)
        self.made("good", "a")

    def test_is_skipped_and_counted(self):
        path = self.folder / "a/shards/audio_000000001.tar"
        data = path.read_bytes()
        begin = data.index(b"RIFF") + 60
        path.write_bytes(data[:begin] + b"other" + data[begin + 5:])
        self.shardmill("repack", "a", "--out", "b", "--shards", 2, "--on-error", "skip", code=3)
        rejects = [json.loads(line) for line in (self.folder / "b/rejects.jsonl").read_text().splitlines()]
        self.assertEqual([reject["reason"] for reject in rejects], ["damaged_source"])
        self.assertEqual(len(self.lines("b")), 79)

    def test_newer_format(self):
        path = self.folder / "a/dataset.json"
        record = json.loads(path.read_text())
        record["format_version"] = 2
        path.write_text(json.dumps(record))
        self.seal("dataset.json")
        self.write("one.txt", b"")
        for command in (["verify", "a"], ["repack", "a", "--out", "b"], ["inspect", "a"],
                        ["convert", "a", "--out", "c"],
                        ["ranks", "a", "--world-size", 2], ["report", "a"], ["index", "a", "--index", "dali"],
                        ["repack", "one=one.list", "tars=tars", "--out", "a", "--shards", 2]):
            with self.subTest(command=command):
                self.fails(*command, says=["a/dataset.json", "newer shardmill", "version 2"])


class Against(Merging):
    """`verify --against` sees what else was changed, for each kind of source."""

    def changed(self, out, old, new):
        """Replaces text in the manifests, and seals the dataset again."""
        root = self.folder / out
        sums = root / "SHA256SUMS"
        text = sums.read_text()
        count = 0
        for path in [*(root / "manifests").iterdir(), root / "tarred_audio_manifest.json"]:
            data = path.read_text()
            count += data.count(old)
            path.write_text(data.replace(old, new, 1))
            text = text.replace(hashlib.sha256(data.encode()).hexdigest(),
                                hashlib.sha256(path.read_bytes()).hexdigest())
        sums.write_text(text)
        self.assertGreater(count, 1)

    def test_a_changed_field(self):
        for number in range(4):
            self.write(f"kaldi/{number}.wav", tone(800, number))
        scp = "".join(f"u{number} kaldi/{number}.wav\n" for number in range(4))
        self.write("kaldi/wav.scp", scp.encode())
        for name, value in (("text", "words"), ("utt2spk", "anna"), ("utt2lang", "zh")):
            self.write(f"kaldi/{name}", "".join(f"u{number} {value}{number}\n" for number in range(4)).encode())
        self.made("a", "kaldi", shards=1)
        self.made("b", "a", shards=1)
        for out, source in (("a", "kaldi"), ("b", "a"), ("b", "kaldi")):
            for field, value, other in (("speaker", "anna1", "bert1"), ("language", "zh2", "en2"),
                                        ("dataset", "kaldi", "other"), ("source", "kaldi/3.wav", "kaldi/2.wav")):
                if field == "source" and source == "kaldi":
                    continue  # how the path of a raw corpus is given is up to the user
                with self.subTest(out=out, source=source, field=field):
                    self.shardmill("verify", out, "--against", source)
                    shutil.copytree(self.folder / out, self.folder / "good")
                    self.changed(out, f'"{field}":"{value}"', f'"{field}":"{other}"')
                    result = json.loads(self.shardmill("verify", out, "--against", source, "--json", code=1).out)
                    says = {"speaker": "further fields", "language": "further fields"}.get(field, field)
                    self.assertTrue(any(says in entry["what"] and "in the source" in entry["what"]
                                        for entry in result["list"]), result["list"])
                    shutil.rmtree(self.folder / out)
                    (self.folder / "good").rename(self.folder / out)

    def test_a_further_member(self):
        self.corpora(9, count=3)
        self.made("a", "tars=tars", shards=1)
        self.made("b", "a", shards=1)
        tars = self.folder / "tars/a.tar"
        good = tars.read_bytes()
        tars.write_bytes(good.replace(b'{"n": 1}', b'{"n": 7}'))
        for out in ("a", "b"):
            self.assertIn(b"'x.1'", self.shardmill("verify", out, "--against", "tars=tars", code=1).out)
        members = tarfile.open(fileobj=io.BytesIO(good))
        for names in ({"x.2.json": "x.2.cbor"}, {"x.2.json": None}):
            changed = [(names.get(entry.name, entry.name), members.extractfile(entry).read()) for entry in members
                       if names.get(entry.name, entry.name) is not None]
            tars.write_bytes(tar(changed))
            for out in ("a", "b"):
                with self.subTest(out=out, names=names):
                    self.assertIn(b"'x.2'", self.shardmill("verify", out, "--against", "tars=tars", code=1).out)


if __name__ == "__main__":
    unittest.main()
