"""That `repack` and `inspect` say which loaders cannot read the shards."""
import json
import shutil
import tarfile
import unittest

import harness

TEXT = ("text_members", "NeMo's Lhotse reader", "--text manifest")


class LoaderLimits(harness.Case):
    def setUp(self):
        super().setUp()
        self.write("wav.tar", harness.shard(0, 4))
        self.write("flac.tar", harness.shard(10, 4, "flac"))

    def not_for(self, *arguments):
        """By the JSON of a dry run and of the run; the text of both must tell the same."""
        answers = []
        for number, dry in enumerate((["--dry-run"], [])):
            command = ["repack", *arguments, "--shards", 2, *dry, "--out"]
            limits = json.loads(self.shardmill(*command, f"json{number}", "--json").out)["not_for"]
            text = self.shardmill(*command, f"text{number}").out.decode()
            self.assertEqual(text.count("  loaders  "), len(limits))
            for limit in limits:
                self.assertIn(f"{limit['advice']} is needed for {limit['loader']}: {limit['text']}", text)
            answers.append([(limit["id"], limit["loader"], limit["advice"]) for limit in limits])
        for folder in ("json1", "text1"):
            shutil.rmtree(self.folder / folder)
        self.assertEqual(*answers)
        return answers[0]

    def test_repack(self):
        self.assertEqual(self.not_for("wav.tar", "--text", "manifest"), [])
        self.assertEqual(self.not_for("wav.tar"), [TEXT])
        for codec in ("zstd", "lz4"):
            self.assertEqual(self.not_for("flac.tar", "--text", "manifest", "--codec", codec),
                             [("codec", "WeNet and NeMo", "--codec none")])
        self.assertEqual(self.not_for("flac.tar", "--text", "manifest", "--codec", "gzip"), [])
        self.assertEqual(self.not_for("flac.tar", "--text", "manifest", "--prefix", "train"),
                         [("prefix", "NeMo's Lhotse reader", "--prefix audio")])
        mixed = ("mixed_containers", "Hugging Face datasets", "--audio flac")
        self.assertEqual(self.not_for("wav.tar", "flac.tar"), [mixed, TEXT])
        self.assertEqual(self.not_for("wav.tar", "flac.tar", "--audio", "flac"), [TEXT])

    def test_repack_of_recordings(self):
        self.write("corpus/a.wav", harness.audio(1))
        self.write("corpus/a.txt", b"a")
        self.write("corpus/b.flac", harness.audio(2, "flac"))
        self.write("corpus/b.txt", b"b")
        self.assertEqual([limit[0] for limit in self.not_for("corpus")], ["mixed_containers", "text_members"])
        self.assertEqual([limit[0] for limit in self.not_for("corpus", "--audio", "wav", "--sample-rate", 8000)],
                         ["text_members"])

    def test_a_plan_in_parts_says_it_before_the_work(self):
        command = ["repack", "wav.tar", "flac.tar", "--shards", 2, "--parts", 2, "--codec", "zstd",
                   "--text", "manifest"]
        limits = json.loads(self.shardmill(*command, "--out", "a", "--json").out)["not_for"]
        self.assertEqual([limit["id"] for limit in limits], ["codec"])
        self.assertIn(f"loaders        --codec none is needed for WeNet and NeMo: {limits[0]['text']}",
                      self.shardmill(*command, "--out", "b").out.decode())

    def inspect(self, *arguments):
        issues = json.loads(self.shardmill("inspect", "--json", *arguments).out)["datasets"][0]["issues"]
        return {issue["id"]: (issue["severity"], issue["loader"], issue["count"]) for issue in issues}

    def test_inspect(self):
        reader = "NeMo's Lhotse reader"
        self.write("mixed/train_0.tar", harness.shard(0, 4))
        self.write("mixed/audio_1.tar", harness.shard(10, 3, "flac"))
        self.assertEqual(self.inspect("mixed"), {"mixed_containers": ("hazard", "Hugging Face datasets", 3),
                                                 "shard_name": ("note", reader, 1),
                                                 "text_members": ("note", reader, 7)})
        self.assertEqual(self.inspect("--fast", "mixed"), {"shard_name": ("note", reader, 1)})
        self.shardmill("repack", "mixed", "--out", "good", "--shards", 2, "--text", "manifest", "--audio", "wav")
        self.assertNotIn("NeMo", self.shardmill("inspect", "good/shards").out.decode())
        self.shardmill("repack", "mixed", "--out", "own", "--shards", 2, "--codec", "lz4")
        self.assertIn("--codec, --audio, --text and --prefix solve",
                      self.shardmill("inspect", "own/shards").out.decode())
        self.write("zstd/audio_0.tar.zst", harness.compress("zstd", harness.shard(0, 4)))
        self.assertIn("WeNet and NeMo skip it without an error", self.shardmill("inspect", "zstd").out.decode())


class AudioAlone(harness.Case):
    """NeMo's Lhotse reader takes each member of a tar for a sample, so with --text manifest there are no others."""

    def put(self, name, first, count=12, more=()):
        """A shard of samples with a KEY.json; those of `more` have other members, too."""
        members = []
        for n in range(first, first + count):
            key = f"k{n:02}"
            about = {"speaker": f"S{n % 3}", "text": f"text {n}", "tags": ["a", {"b": 1}], "score": n / 4}
            members += [(f"{key}.txt", b"text %d" % n), (f"{key}.wav", harness.audio(n)),
                        (f"{key}.json", json.dumps(about).encode())]
            members += [(f"{key}.{extension}", b"bytes %d" % n) for extension in dict(more).get(n, ())]
        self.write(name, harness.tar(members))

    def check(self, folder):
        """By NeMo's rule: the members of a shard are those that its manifest names. Returns all lines by key."""
        lines = {}
        for manifest in sorted((self.folder / folder / "manifests").glob("*.json")):
            of_shard = [json.loads(line) for line in manifest.read_text().splitlines()]
            shard = manifest.name.replace("manifest_", "audio_").replace(".json", ".tar")
            with tarfile.open(self.folder / folder / "shards" / shard) as archive:
                self.assertEqual(archive.getnames(), [line["audio_filepath"] for line in of_shard])
            lines.update((line["source_key"], line) for line in of_shard)
        for key, line in lines.items():
            n = int(key[1:])
            self.assertEqual((line["text"], line["speaker"], line["tags"], line["score"]),
                             (f"text {n}", f"S{n % 3}", ["a", {"b": 1}], n / 4))
        return lines

    def test_fields_go_into_the_manifests(self):
        self.put("in.tar", 0)
        for options in ([], ["--threads", 1], ["--index", "nemo,lhotse,idxpack"]):
            result = self.shardmill("repack", "in.tar", "--out", "out", "--shards", 2, "--text", "manifest", "--force",
                                    *options)
            self.assertEqual(result.err, "")
            self.assertEqual(len(self.check("out")), 12)
        self.shardmill("repack", "in.tar", "--out", "one", "--shards", 2, "--text", "manifest", "--threads", 1)
        for shard in ("audio_000000000.tar", "audio_000000001.tar"):
            self.assertEqual(*((self.folder / folder / "shards" / shard).read_bytes() for folder in ("out", "one")))
        said = self.shardmill("verify", "out", "--decode", "--against", "in.tar").out.decode()
        self.assertNotIn("note", said)
        # A finished dataset with all members becomes one without.
        self.shardmill("repack", "in.tar", "--out", "all", "--shards", 2)
        self.assertEqual(self.shardmill("repack", "all", "--out", "again", "--shards", 2, "--text", "manifest").err, "")
        self.assertEqual(len(self.check("again")), 12)
        self.shardmill("verify", "again", "--against", "all")

    def test_other_members_are_told(self):
        more = {1: ["npy", "jpg"], 2: ["npy"], 3: ["mp4"]}
        self.put("in.tar", 0, more=more)
        command = ["repack", "in.tar", "--shards", 2, "--out"]
        told = [".jpg of 1, .mp4 of 1, .npy of 2", "3 samples have members that are left out", "--text both"]
        for options in (["--dry-run"], [], ["--split", "dev=0.2s", "--split-by", "key"]):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            said = self.shardmill(*command, "out", "--text", "manifest", *options).err
            for part in told:
                self.assertIn(part, said)
            self.assertEqual(said.count("--text both"), 1)
        shutil.rmtree(self.folder / "out")
        self.shardmill(*command, "out", "--text", "manifest", "-q")
        self.assertEqual(len(self.check("out")), 12)
        self.shardmill("verify", "out", "--against", "in.tar")
        # The advice keeps them.
        self.assertEqual(self.shardmill(*command, "all", "--text", "both").err, "")
        said = self.shardmill("repack", "all", "--out", "again", "--shards", 2, "--text", "manifest").err
        self.assertIn(told[0], said)
        self.check("again")
        # A list of numbers is no field, and another transcript than KEY.txt is one that the manifest has not.
        self.write("odd.tar", harness.tar([("a.txt", b"a"), ("a.wav", harness.audio(1)), ("a.json", b"[1]"),
                                           ("b.txt", b"b"), ("b.wav", harness.audio(2)), ("b.json", b'{"text": "c"}')]))
        said = self.shardmill("repack", "odd.tar", "--out", "odd", "--shards", 1, "--text", "manifest").err
        self.assertIn("2 samples have members that are left out", said)
        self.assertIn(".json of 2", said)

    def test_all_that_happens_later(self):
        self.put("in.tar", 0)
        self.put("more.tar", 12, more={13: ["npy"]})
        self.shardmill("repack", "in.tar", "--out", "out", "--shards", 3, "--text", "manifest", "--parity", 1,
                       "--index", "nemo,lhotse")
        said = self.shardmill("update", "out", "--add", "more.tar").err
        self.assertIn(".npy of 1", said)
        self.assertIn("shardmill repack --text both", said)
        self.assertEqual(len(self.check("out")), 24)
        self.shardmill("verify", "out", "--against", "in.tar", "more.tar")
        self.shardmill("update", "out", "--remix")
        self.assertEqual(len(self.check("out")), 24)
        self.shardmill("index", "out", "--index", "nemo,lhotse,idxpack")
        self.shardmill("verify", "out", "--against", "in.tar", "more.tar")
        # Made again from the sources, with the same bytes.
        self.shardmill("repack", "in.tar", "more.tar", "--out", "two", "--shards", 2, "--text", "manifest", "-q")
        before = (self.folder / "two/shards/audio_000000000.tar").read_bytes()
        (self.folder / "two/shards/audio_000000000.tar").unlink()
        self.shardmill("repair", "two")
        self.assertEqual((self.folder / "two/shards/audio_000000000.tar").read_bytes(), before)
        # And in parts.
        self.shardmill("repack", "in.tar", "more.tar", "--out", "parts", "--shards", 2, "--text", "manifest", "-q",
                       "--parts", 2)
        for part in (0, 1):
            self.shardmill("repack", "--out", "parts", "--part", part, "-q")
        self.assertIn(".npy of 1", self.shardmill("repack", "--out", "parts", "--finish").err)
        self.assertEqual(len(self.check("parts")), 24)

    def test_verify_finds_other_members(self):
        self.put("in.tar", 0, count=2)
        self.shardmill("repack", "in.tar", "--out", "out", "--shards", 1)
        path = self.folder / "out/dataset.json"
        path.write_text(path.read_text().replace('"text": "both"', '"text": "manifest"'))
        said = self.shardmill("verify", "out", code=1).out.decode()
        self.assertIn("k00.json", said)
        self.assertIn("is there, although the shards should hold nothing but audio", said)


if __name__ == "__main__":
    unittest.main()
