"""That `repack` and `inspect` say which loaders cannot read the shards."""
import json
import shutil
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


if __name__ == "__main__":
    unittest.main()
