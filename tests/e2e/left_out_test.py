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
                self.assertIn("2 samples were left out for an error, more than --max-rejects 0 allows", result.err)
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

    def test_filters_are_no_errors(self):
        options = ["--exclude", "k1*", "--max-rejects", 2]
        for _ in range(2):
            result = self.repack("in", "--out", "out", *SKIP, *options, "--json")
            self.assertEqual(self.left_out(result)["excluded"], 11)
            self.assertEqual(result.err, "")
        self.assertFalse(self.is_dated_undone())

    def test_datasets_of_earlier_versions(self):
        """Their dataset.json does not say what was left out; rejects.jsonl does."""
        self.repack("in", "--out", "out", *SKIP, code=3)
        path = self.folder / "out/dataset.json"
        record = json.loads(path.read_text())
        self.assertEqual(record.pop("left_out"), {"bad_audio": 1, "truncated_audio": 1})
        path.write_text(json.dumps(record))
        result = self.repack("in", "--out", "out", *SKIP, "--json", code=3)
        self.assertEqual(self.left_out(result), {"bad_audio": 1, "truncated_audio": 1})

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
            return subprocess.run(["make", f"SHARDMILL={harness.PROGRAM}", f"MOST={most}"], cwd=self.folder,
                                  capture_output=True, env={**os.environ, "LC_ALL": "C"}).returncode

        self.assertEqual([make(0), make(0)], [2, 2])
        self.assertEqual([make(2), make(0)], [0, 0], "done is done")


if __name__ == "__main__":
    unittest.main()
