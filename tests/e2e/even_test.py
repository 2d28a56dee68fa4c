"""`repack --even`: all shards hold exactly the same number of samples, and what it took is recorded."""
import collections
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


class Evening(Repacking):
    def put_two(self, first=503, second=101):
        self.keys = {}
        for number, (name, count) in enumerate((("a", first), ("b", second))):
            tars, contents = corpus(name, count, shards=4, seed=number + 1)
            self.put(name, tars, "none")
            self.keys[name] = list(contents)
        return [key for keys in self.keys.values() for key in keys]

    def check_even(self, out):
        shards = self.records(out, "shards.jsonl")
        self.assertEqual(len({shard["samples"] for shard in shards}), 1, [shard["samples"] for shard in shards])
        seconds = [shard["seconds"] for shard in shards]
        self.assertLessEqual(max(seconds) - min(seconds), 0.011)
        return json.loads((self.folder / out / "dataset.json").read_text())


    def updated(self, *arguments):
        said = self.shardmill("update", "out", *arguments).out.decode()
        self.check_even("out")
        return said

    def waiting(self):
        path = self.folder / "out/pending/manifest.json"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class LeaveOut(Evening):
    def test_the_fewest_are_left_out_and_named(self):
        keys = self.put_two()
        said = self.repack("a", "b", "--out", "out", "--shards", 7, "--even", "leave-out").out.decode()
        dataset = self.check_even("out")
        rejects = self.records("out", "rejects.jsonl")
        self.assertEqual({reject["reason"] for reject in rejects}, {"uneven"})
        self.assertEqual(len(rejects), 604 % 7)
        self.assertEqual({record["source_key"] for record in self.records("out")},
                         set(keys) - {reject["key"] for reject in rejects})
        self.assertEqual(dataset["evened"]["left_out"], 604 % 7)
        self.assertRegex(said, r"even +all shards hold the same number of samples; left out: 2 samples, \d+\.\d+ s\n")
        self.assertEqual(dataset["samples"], 602)
        self.shardmill("verify", "out", "--against", "a", "b")
        self.assertIn(b"finished already",
                      self.repack("a", "b", "--out", "out", "--shards", 7, "--even", "leave-out").out)
        self.fails("repack", "a", "b", "--out", "out", "--shards", 7, says="even: was leave-out, now off")
        # Another seed leaves out others.
        left = {reject["key"] for reject in rejects}
        others = set()
        for seed in range(1, 4):
            self.repack("a", "b", "--out", f"seed{seed}", "--shards", 7, "--even", "leave-out", "--seed", seed)
            others |= {reject["key"] for reject in self.records(f"seed{seed}", "rejects.jsonl")}
        self.assertTrue(others - left)

    def test_what_is_lost_is_still_found(self):
        self.put_two()
        self.repack("a", "b", "--out", "out", "--shards", 7, "--even", "leave-out")
        path = self.folder / "out/rejects.jsonl"
        path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
        self.assertIn("is in none of the shards",
                      self.shardmill("verify", "out", "--against", "a", "b", code=1).out.decode())


class Repeat(Evening):
    def test_the_fewest_are_taken_twice(self):
        keys = self.put_two()
        said = self.repack("a", "b", "--out", "out", "--shards", 7, "--even", "repeat").out.decode()
        dataset = self.check_even("out")
        counts = collections.Counter(record["source_key"] for record in self.records("out"))
        self.assertEqual(set(counts), set(keys))
        twice = {key for key, count in counts.items() if count == 2}
        self.assertEqual(len(twice), 7 - 604 % 7)
        self.assertEqual(sum(counts.values()), 609)
        self.assertEqual({key for each in dataset["evened"]["repeated_keys"].values() for key in each}, twice)
        self.assertEqual(len({record["key"] for record in self.records("out")}), 609)
        self.assertEqual((self.folder / "out/rejects.jsonl").read_bytes(), b"")
        self.assertRegex(said, r"even +all shards hold the same number of samples; taken twice: 5 samples")
        self.shardmill("verify", "out", "--against", "a", "b")

    def test_a_repeat_that_is_not_recorded_is_found(self):
        self.put_two()
        self.repack("a", "b", "--out", "out", "--shards", 7, "--even", "repeat")
        path = self.folder / "out/dataset.json"
        record = json.loads(path.read_text())
        name, names = next(iter(record["evened"]["repeated_keys"].items()))
        lost = names.pop()
        names.append(next(key for key in self.keys[name] if key not in names and key != lost))
        path.write_text(json.dumps(record))
        said = self.shardmill("verify", "out", "--against", "a", "b", code=1).out.decode()
        self.assertIn("is there more often than in the sources", said)
        self.assertIn("is repeated, but it is not", said)


class Any(Evening):
    def test_random_sets(self):
        random_ = random.Random(4)
        for number in range(8):
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir()
            self.put_two(random_.randint(1, 300), random_.randint(1, 40))
            keys = sum(map(len, self.keys.values()))
            shards = random_.randint(1, min(keys, 12))
            even = random_.choice(["leave-out", "repeat"])
            options = ["a", "b", "--shards", shards, "--even", even, "--seed", number]
            if number % 3 == 0:
                options += ["--weight", "b=2.5"]
            self.repack(*options, "--out", "out", "-j", random_.randint(1, 4))
            self.repack(*options, "--out", "again", "-j", 1)
            self.same_bytes("out", "again")
            samples = {shard["samples"] for shard in self.records("out", "shards.jsonl")}
            self.assertEqual(len(samples), 1, (options, samples))
            self.shardmill("verify", "out", "--against", "a", "b")

    def test_killed(self):
        self.put_two()
        random_ = random.Random(5)
        for even in ("leave-out", "repeat"):
            command = [harness.PROGRAM, "repack", "a", "b", "--shards", "7", "--even", even, "-q"]
            began = time.monotonic()
            subprocess.run([*command, "--out", f"reference-{even}"], cwd=self.folder, check=True)
            seconds = time.monotonic() - began
            kills = 0
            while kills < 5:
                tries = 0
                while True:
                    process = subprocess.Popen([*command, "--out", "out"], cwd=self.folder,
                                               env={**os.environ, "SHARDMILL_CHECKPOINT_BYTES": "200K"})
                    try:
                        self.assertEqual(process.wait(random_.uniform(0, 1.1 * seconds) * 1.1 ** tries), 0)
                        break
                    except subprocess.TimeoutExpired:
                        process.send_signal(signal.SIGKILL)
                        process.wait()
                        tries += 1
                kills += tries
                self.same_bytes("out", f"reference-{even}")
                shutil.rmtree(self.folder / "out")

    def test_update_keeps_it(self):
        self.put_two(512, 128)
        self.repack("a", "b", "--out", "out", "--shards", 8, "--even", "leave-out")
        self.write("bad", self.keys["a"][0].encode())
        self.updated("--remove-keys", "bad")
        tars, _ = corpus("n", 200, shards=2, seed=9)
        self.put("n", tars, "none")
        self.updated("--add", "a=n", "--rewrite-limit", "none")
        self.shardmill("verify", "out", "--against", "a=a", "b=b", "a=n")

    def test_a_new_dataset(self):
        """It waits if it costs too much, and the advice that is given helps: then all shards hold the same number."""
        for even in ("leave-out", "repeat"):
            with self.subTest(even=even):
                self.put_two(512, 128)
                self.repack("a", "--out", "out", "--shards", 8, "--even", even, "--force")
                self.updated("--add", "b", "--rewrite-limit", "0")
                self.updated("--remix")
                self.assertEqual(self.waiting(), [])
                shards = self.records("out", "shards.jsonl")
                self.assertEqual({shard["samples"] for shard in shards}, {64})
                tars, _ = corpus("n", 13, shards=1, seed=9)
                self.put("n", tars, "none")
                planned = json.loads(self.shardmill("update", "out", "--add", "a=n", "--remix", "--dry-run",
                                                    "--json").out)
                said = self.updated("--add", "a=n", "--remix")
                self.assertEqual(len(self.waiting()), 3)
                self.assertLess(planned["pending"], 10)
                self.assertIn("3 are too few for each to get one more", said)
                self.shardmill("verify", "out", "--against", "a=a", "b=b", "a=n")

    def test_random_histories(self):
        for seed, even in ((1, "leave-out"), (2, "repeat")):
            with self.subTest(seed=seed):
                random_ = random.Random(seed)
                self.put_two(random_.randint(280, 300), random_.randint(80, 90))
                self.repack("a", "b", "--out", "out", "--shards", 4, "--even", even, "--force")
                sources = ["a=a", "b=b"]
                for step in range(6):
                    command = []
                    if random_.random() < 0.6:
                        name = f"n{seed}{step}"
                        tars, _ = corpus(name, random_.choice([5, 40, 130]), shards=1, seed=100 + step)
                        self.put(name, tars, "none")
                        sources.append(f"{random_.choice('abc')}={name}")
                        command += ["--add", sources[-1]]
                    if not command or random_.random() < 0.4:
                        repeated = [record["key"] for record in self.records("out") if record["key"].endswith("_x2")]
                        keys = [record["key"] for record in self.records("out") + self.waiting()]
                        gone = set(random_.sample(keys, random_.choice([1, 3, 20])) + repeated[:1])
                        self.write(f"keys{step}", "".join(f"{key}\n" for key in gone).encode())
                        command += ["--remove-keys", f"keys{step}"]
                    command += random_.choice([[], [], ["--rewrite-limit", "none"], ["--remix"]])
                    with self.subTest(step=step, command=command):
                        self.updated(*command)
                        self.shardmill("verify", "out", "--against", *sources)

    def test_refused(self):
        self.put_two(20, 10)
        self.fails("repack", "a", "--out", "out", "--even", "very", says="--even very", code=2)
        self.fails("repack", "a", "--out", "out", "--shards", 2, "--even", "repeat", "--parts", 2, says="--parts",
                   code=2)


if __name__ == "__main__":
    unittest.main()
