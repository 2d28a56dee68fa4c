"""More left out than allowed: said each time, by the exit code, the summary and the date of dataset.json."""
import json
import os
import subprocess
import unittest

import harness
from repack_test import Repacking, tone

SKIP = ["--shards", 2, "--on-error", "skip"]


class LeftOut(Repacking):
    def setUp(self):
        super().setUp()
        members = [(f"k{i}.{extension}", data) for i in range(20)
                   for extension, data in (("txt", b"t"), ("wav", tone(1600 + i)))]
        bad = [("junk.txt", b"x"), ("junk.wav", b"junk" * 99), ("cut.txt", b"x"), ("cut.wav", tone(1600)[:-100])]
        self.write("in/a.tar", harness.tar(members[:20] + bad))
        self.write("in/b.tar", harness.tar(members[20:]))

    def left_out(self, result):
        return json.loads(result.out)["left_out"]

    def is_dated_undone(self, out="out"):
        return (self.folder / out / "dataset.json").stat().st_mtime == 0

    def test_the_same_command_says_it_again(self):
        wanted = {"bad_audio": 1, "truncated_audio": 1}
        for attempt in range(3):
            with self.subTest(attempt=attempt):
                result = self.repack("in", "--out", "out", *SKIP, "--json", code=3)
                self.assertEqual(self.left_out(result), wanted)
                self.assertIn("2 samples were left out because of errors, more than --max-rejects 0 allows", result.err)
                self.assertTrue(self.is_dated_undone())
        text = self.repack("in", "--out", "out", *SKIP, code=3).out.decode()
        self.assertIn("left out: 1 bad_audio, 1 truncated_audio", text)

    def test_what_is_allowed_is_done(self):
        self.repack("in", "--out", "out", *SKIP, code=3)
        result = self.repack("in", "--out", "out", *SKIP, "--max-rejects", 2, "--json")
        self.assertEqual(self.left_out(result), {"bad_audio": 1, "truncated_audio": 1})
        self.assertFalse(self.is_dated_undone())
        self.repack("in", "--out", "out", *SKIP, "--max-rejects", 1, code=3)
        self.assertTrue(self.is_dated_undone())

    def allowed(self, out="out"):
        return json.loads((self.folder / out / "run.json").read_text())["max_rejects"]

    def test_what_is_allowed_later_counts_for_updates(self):
        self.repack("in", "--out", "out", *SKIP, code=3)
        self.repack("in", "--out", "out", *SKIP, "--max-rejects", 2)
        self.assertEqual(self.allowed(), 2)
        self.shardmill("verify", "out")
        self.shardmill("update", "out", "--remix", "--max-rejects", 0)  # that has lost nothing
        self.assertEqual((self.allowed(), self.is_dated_undone()), (0, False))
        self.repack("in", "--out", "out", *SKIP, "--max-rejects", 2, "--force")
        self.write("more.tar", harness.tar([(f"m{i}.{extension}", data) for i in range(12) for extension, data in
                                            (("txt", b"t"), ("wav", tone(1600 + i) if i > 1 else b"junk" * 99))]))
        add = ["update", "out", "--add", "in=more.tar"]
        self.shardmill(*add)
        self.assertFalse(self.is_dated_undone())
        again = self.shardmill(*add, "--max-rejects", 1, code=3)
        self.assertIn("--max-rejects 1", again.err)
        self.assertEqual((self.allowed(), self.is_dated_undone()), (1, True))
        self.shardmill(*add, "--max-rejects", "all")
        self.assertFalse(self.is_dated_undone())
        self.assertFalse((self.folder / "out/.shardmill").exists())

    def test_a_split_is_judged_again(self):
        command = ["in", "--out", "out", "--split", "dev=0.4s", "--split-by", "key", *SKIP[2:], "--shards", 1]
        self.repack(*command, code=3)
        self.assertEqual((self.folder / "out/split.json").stat().st_mtime, 0)
        self.repack(*command, "--max-rejects", 2)
        self.assertNotEqual((self.folder / "out/split.json").stat().st_mtime, 0)
        for split in ("train", "dev"):
            self.assertEqual((self.allowed(f"out/{split}"), self.is_dated_undone(f"out/{split}")), (2, False))
            self.shardmill("update", f"out/{split}", "--remix")

    def test_the_same_limit_changes_no_file(self):
        self.repack("in", "--out", "out", *SKIP, "--max-rejects", 2)
        before = (self.folder / "out/run.json").stat()
        self.repack("in", "--out", "out", *SKIP, "--max-rejects", 2)
        after = (self.folder / "out/run.json").stat()
        self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))

    def test_filters_are_no_errors(self):
        options = ["--exclude", "k1*", "--max-rejects", 2]
        for _ in range(2):
            result = self.repack("in", "--out", "out", *SKIP, *options, "--json")
            self.assertEqual(self.left_out(result)["excluded"], 11)
            self.assertEqual(result.err, "")
        self.assertFalse(self.is_dated_undone())

    def dataset(self):
        """A finished one of 20 samples in 4 shards, to be read as a source."""
        (self.folder / "in/a.tar").write_bytes(b"")
        members = [(f"k{i}.{extension}", data) for i in range(20)
                   for extension, data in (("txt", b"t"), ("wav", tone(1600 + i)))]
        self.write("good/a.tar", harness.tar(members))
        self.repack("good", "--out", "d", "--shards", 4)
        return self.records("d", "shards.jsonl")

    def test_a_lost_shard_of_a_dataset_is_all_its_samples(self):
        """`--max-rejects` counts samples, not lines of rejects.jsonl."""
        shard = self.dataset()[2]
        path = self.folder / "d" / shard["path"]
        for harm in (path.unlink, lambda: path.write_bytes(b"short")):
            with self.subTest(harm=harm):
                harm()
                self.repack("d", "--out", "x", *SKIP, "--max-rejects", 5, "--force")
                reject, = self.records("x", "rejects.jsonl")
                self.assertEqual((reject["reason"], reject["samples"]), ("unreadable_source", 5))
                for _ in range(2):  # the second time it is finished already
                    done = self.repack("d", "--out", "x", *SKIP, "--max-rejects", 4, "--json", code=3)
                    self.assertEqual(json.loads(done.out)["lost_samples"], 5)
                    self.assertIn("5 samples were left out because of errors, more than --max-rejects 4", done.err)
                    self.assertTrue(self.is_dated_undone("x"))
                text = self.repack("d", "--out", "x", *SKIP, "--max-rejects", 5).out.decode()
                self.assertIn("lost to errors: 5 samples", text)

    def test_damage_in_a_dataset_is_counted_sample_by_sample(self):
        path = self.folder / "d" / self.dataset()[1]["path"]
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0x55
        path.write_bytes(data)
        done = json.loads(self.repack("d", "--out", "x", *SKIP, "--json", code=3).out)
        self.assertEqual((done["lost_samples"], done["files_of_unknown_loss"]), (20 - done["samples"], 0))
        self.assertGreater(done["lost_samples"], 0)
        self.repack("d", "--out", "x", *SKIP, "--max-rejects", done["lost_samples"])

    def test_where_the_loss_is_not_known_no_number_is_enough(self):
        """A byte flipped in one bzip2 shard, another cut short, a third not there: who knows what was in them?"""
        tars = [harness.tar([(f"{shard}{i}.{extension}", data) for i in range(20)
                             for extension, data in (("txt", b"t"), ("wav", tone(3200 + i, seed=i)))])
                for shard in "abc"]
        flipped, cut, whole = (bytearray(harness.compress("bzip2", each)) for each in tars)
        flipped[len(flipped) // 2] ^= 0xFF
        self.write("bz/a.tar.bz2", bytes(flipped))
        self.write("bz/b.tar.bz2", bytes(cut[:len(cut) * 2 // 3]))
        self.write("bz/c.tar.bz2", bytes(whole))
        self.write("list", f"{self.folder}/bz/a.tar.bz2\n{self.folder}/bz/b.tar.bz2\n{self.folder}/bz/c.tar.bz2\n"
                           f"{self.folder}/bz/gone.tar.bz2\n".encode())
        for _ in range(2):
            done = self.repack("list", "--out", "x", *SKIP, "--max-rejects", 1000, "--json", code=3)
            self.assertEqual(json.loads(done.out)["files_of_unknown_loss"], 3)
            self.assertIn("3 source files could not be read to the end: the number of lost samples is unknown",
                          done.err)
            self.assertTrue(self.is_dated_undone("x"))
        text = self.repack("list", "--out", "x", *SKIP, "--max-rejects", "all").out.decode()
        self.assertIn("an unknown number of samples from 3 source files", text)
        self.assertFalse(self.is_dated_undone("x"))
        unknown = [one["source"] for one in self.records("x", "rejects.jsonl") if one.get("samples_unknown")]
        self.assertEqual(len(set(unknown)), 3)
        first = (self.folder / "x/rejects.jsonl").read_bytes()
        self.repack("list", "--out", "y", *SKIP, "--max-rejects", "all", "-j", 1)
        self.assertEqual((self.folder / "y/rejects.jsonl").read_bytes(), first)
        self.fails("repack", "list", "--out", "z", "--max-rejects", "any", says="is not a number", code=2)

    def test_finish_says_it_again(self):
        self.repack("in", "--out", "out", *SKIP, "--max-rejects", 1, "--parts", 2)
        for part in (0, 1):
            self.repack("--out", "out", "--part", part)
        for step in (["--finish"], ["--finish"], ["--part", 0]):
            result = self.repack("--out", "out", *step, "--json", code=3)
            self.assertEqual(self.left_out(result), {"bad_audio": 1, "truncated_audio": 1})
            self.assertIn("--max-rejects 1", result.err)
        result = self.repack("in", "--out", "out", *SKIP, "--max-rejects", 1, "--parts", 2, code=3)
        self.assertIn("--max-rejects 1", result.err)

    def test_parts_that_may_lose_as_much(self):
        self.repack("in", "--out", "out", *SKIP, "--max-rejects", 2, "--parts", 2)
        for part in (0, 1):
            self.repack("--out", "out", "--part", part)
        for _ in range(2):
            self.repack("--out", "out", "--finish")

    def test_make_does_not_take_it_for_done(self):
        self.write("Makefile", b"""
out/dataset.json:
\t$(SHARDMILL) repack in --out out --shards 2 --on-error skip --max-rejects $(MOST) --depfile out.d
-include out.d
""")

        def make(most):
            return subprocess.run(["make", f"SHARDMILL={harness.PROGRAM_IN_SHELL}", f"MOST={most}"], cwd=self.folder,
                                  capture_output=True, env={**os.environ, "LC_ALL": "C"}).returncode

        self.assertEqual([make(0), make(0)], [2, 2])
        self.assertEqual([make(2), make(0)], [0, 0], "done is done")


if __name__ == "__main__":
    unittest.main()
