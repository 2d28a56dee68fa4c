"""What repack says of shards for training: advice that changes no byte, and warnings of a choice that serves it
badly."""
import json
import unittest

import harness


class Advice(harness.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # A tar whose samples are mostly zeros: 240 of 1 MB take no time to make.
        cls.wave = b"RIFF" + (1000036).to_bytes(4, "little") + b"WAVEfmt " + (16).to_bytes(4, "little") + \
            bytes.fromhex("01000100803e0000007d000002001000") + b"data" + (1000000).to_bytes(4, "little") + \
            bytes(1000000)

    def source(self, count):
        members = [member for number in range(count)
                   for member in ((f"u{number:05}.txt", b"text"), (f"u{number:05}.wav", self.wave))]
        self.write("in/a.tar", harness.tar(members))

    def plan(self, *arguments, warns=()):
        result = self.shardmill("repack", "in", "--out", "out", "--dry-run", "--json", *arguments)
        lines = result.err.splitlines()
        self.assertEqual(len(lines), len(warns), lines)
        for line, words in zip(lines, warns):
            self.assertTrue(line.startswith("shardmill repack: warning: "), line)
            for word in [words] if isinstance(words, str) else words:
                self.assertIn(word, line)
        found = json.loads(result.out)
        if "for_training" in found:
            self.assertEqual(len(found["for_training"]["warnings"]), len(warns))
        return found

    def test_recommends_a_number_that_serves_all_workers(self):
        self.source(120)
        advice = self.plan("--ranks", 2, "--workers", 2)["for_training"]
        self.assertEqual([advice["ranks"], advice["workers"], advice["shards"], advice["shards_a_worker"]],
                         [2, 2, 4, 1])
        self.assertAlmostEqual(advice["shard_bytes"], 30e6, delta=1e6)
        self.assertEqual(advice["shard_samples"], 30)
        # What it recommends is right, and taken without a warning.
        advice = self.plan("--ranks", 2, "--workers", 2, "--shards", 4)["for_training"]
        self.assertEqual(advice["chosen"]["idle_share"], 0)
        text = self.shardmill("repack", "in", "--out", "out", "--dry-run", "--ranks", 2, "--workers", 2,
                              "--shards", 4).out.decode()
        self.assertRegex(text, r"  for training   4 shards are right for 2 ranks x 2 workers: about 30\.\d MB and 30 "
                               r"samples each, 1 shard for each worker")
        self.assertIn("  shuffle buffer 30 samples: 30.", text)

    def test_speaks_of_usual_ranks_unasked(self):
        self.source(120)
        advice = self.plan()["for_training"]
        self.assertEqual([advice["ranks"], advice["workers"]], [8, 4])
        self.source(5)  # a trial
        self.assertNotIn("for_training", self.plan())
        self.assertEqual(self.plan("--ranks", 1, "--workers", 1)["for_training"]["shards"], 1)

    def test_warns_of_a_choice(self):
        self.source(120)
        team = ("--ranks", 2, "--workers", 2)
        self.plan(*team, "--shards", 3, warns=[["3 shards are too few", "1 of 4 workers", "--shards 4"]])
        self.plan(*team, "--shards", 1, warns=[["1 shard is too few", "3 of 4 workers"]])
        self.plan(*team, "--shards", 20, warns=[["20 shards hold about 6.0", "MB each", "--shards 4 holds about 30."]])
        self.plan(*team, "--shards", 5, warns=[["idle for 37.5% of their time", "--multiple-of 4"]])
        self.plan(*team, "--shard-size", "30MB")
        self.plan(*team, "--shard-size", "6MB", warns=["20 shards hold about"])
        self.plan(*team, "--shard-samples", 40, warns=["3 shards are too few"])
        # No ranks were named, so nobody knows of idle workers.
        self.plan("--shards", 3)
        self.plan("--shards", 60, warns=["60 shards hold about 2.0"])

    def test_changes_nothing(self):
        self.source(6)
        self.shardmill("repack", "in", "--out", "plain", "--shards", 3)
        result = self.shardmill("repack", "in", "--out", "advised", "--shards", 3, "--ranks", 2, "--workers", 1,
                                "--json")
        self.assertIn("3 shards do not divide into 2 ranks x 1 worker", result.err)
        self.assertEqual(json.loads(result.out)["for_training"]["chosen"]["shards"], 3)
        for name in ("dataset.json", "shards.jsonl", "SHA256SUMS"):
            self.assertEqual((self.folder / "plain" / name).read_bytes(), (self.folder / "advised" / name).read_bytes())
        result = self.shardmill("repack", "in", "--out", "unsaid", "--ranks", 2, "--workers", 1)
        self.assertIn("1 shard is too few for 2 ranks x 1 worker", result.err)
        again = self.shardmill("repack", "in", "--out", "plain", "--shards", 3, "--ranks", 4)
        self.assertIn(b"finished already", again.out)
        self.assertEqual(again.err, "")

    def test_split(self):
        self.source(120)
        result = self.shardmill("repack", "in", "--out", "out", "--split", "dev=60s", "--split-by", "key", "--dry-run",
                                "--ranks", 2, "--workers", 2, "--shards", 3)
        self.assertIn("1 of 4 workers", result.err)

    def test_wrong_use(self):
        self.source(1)
        self.fails("repack", "in", "--out", "out", "--ranks", "0", code=2, says="--ranks")
        self.fails("repack", "in", "--out", "out", "--workers", "many", code=2, says="--workers")
        self.fails("repack", "in", "--out", "out", "--parts", "2", "--ranks", "8", code=2,
                   says=["--ranks", "--dry-run"])
        self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
