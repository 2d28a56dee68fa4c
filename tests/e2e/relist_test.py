"""A dataset that was moved gets its lists back by one command; indexes come all together or not at all."""
import json
import os
import re
import subprocess
import unittest

import harness


class Moved(harness.Case):
    def setUp(self):
        super().setUp()
        self.write("in/a.tar", harness.shard(0, 6))
        self.write("in/b.tar", harness.shard(6, 6))

    def dataset(self, *options):
        self.shardmill("repack", "in", "--out", "out", "--shards", 2, *options)
        for world_size in (1, 2):  # the lists of an earlier plan stay where they are
            self.shardmill("ranks", "out", "-w", world_size)

    def lists(self, folder):
        """All lists of paths in a dataset's folder."""
        found = [self.folder / folder / "data.list", *(self.folder / folder / "ranks").rglob("*.list")]
        self.assertGreater(len(found), 2)
        return [line for path in found for line in path.read_text().splitlines()]

    def notes(self, folder):
        result = json.loads(self.shardmill("verify", folder, "--json").out)
        self.assertTrue(result["good"])
        return [entry["what"] for entry in result["list"]]

    def check_whole(self, folder):
        self.assertEqual(self.notes(folder), [])
        for inner in (".", "ranks"):
            subprocess.run(["sha256sum", "--quiet", "--strict", "-c", "SHA256SUMS"], cwd=self.folder / folder / inner,
                           check=True)

    def test_verify_names_the_command_that_puts_it_right(self):
        self.dataset()
        (self.folder / "out").rename(self.folder / "moved")
        notes = self.notes("moved")
        command = re.search(r"'shardmill (index moved --list-root \S+)'", notes[0])[1]
        said = self.shardmill(*command.split()).out.decode()
        self.assertIn("data.list", said)
        self.check_whole("moved")
        for path in self.lists("moved"):
            self.assertTrue(path.startswith(f"{self.folder}/moved/shards/"), path)
            self.assertTrue(os.path.exists(path), path)
        # The same command would still make the same dataset.
        (self.folder / "moved").rename(self.folder / "out")
        self.assertIn(b"finished already", self.shardmill("repack", "in", "--out", "out", "--shards", 2).out)

    def test_the_command_can_be_given_to_a_shell(self):
        self.dataset()
        (self.folder / "out").rename(self.folder / "it's moved")
        note = self.notes("it's moved")[0]
        command = re.search(r"'shardmill (index .* --list-root .*)' writes the lists", note)[1]
        subprocess.run(f"'{harness.PROGRAM}' {command}", shell=True, cwd=self.folder, check=True, capture_output=True)
        self.check_whole("it's moved")

    def test_lists_of_earlier_plans_that_name_another_place(self):
        """Ranks of one world size made after the move: those of the other sizes still name the old place."""
        self.dataset()
        (self.folder / "out").rename(self.folder / "moved")
        self.shardmill("ranks", "moved", "-w", 2)
        left = [note for note in self.notes("moved") if "and the other lists of ranks/" in note]
        self.assertTrue(left)
        self.assertIn(f"names {self.folder}/out/shards/", left[0])
        self.shardmill("index", "moved", "--list-root", self.folder / "moved")
        self.check_whole("moved")
        self.assertEqual({os.path.dirname(path) for path in self.lists("moved")}, {f"{self.folder}/moved/shards"})

    def test_nothing_is_written_when_one_list_is_no_good(self):
        self.dataset()
        (self.folder / "out/ranks/world-1/data.list").write_text("/elsewhere/shards/unknown.tar\n")
        before = {path: path.read_bytes() for path in (self.folder / "out").rglob("*") if path.is_file()}
        self.fails("index", "out", "--list-root", "/new", says="/elsewhere/shards/unknown.tar, which is not a shard")
        self.assertEqual({path: path.read_bytes() for path in before}, before)

    def test_ranks_say_which_place_they_take(self):
        self.dataset()
        (self.folder / "out").rename(self.folder / "moved")
        self.shardmill("ranks", "moved", "-w", 1)
        listed = (self.folder / "moved/ranks/world-1/rank-0.list").read_text()
        self.assertTrue(listed.startswith(f"{self.folder}/moved/"))
        said = " ".join(self.shardmill("ranks", "--help", "all").out.decode().split())
        self.assertIn("repack's --list-root, or else DIR", said)

    def test_a_plan_for_another_place_than_data_list(self):
        self.dataset("--list-root", "/a")
        self.shardmill("ranks", "out", "-w", 2, "--list-root", "/b")
        self.assertTrue(any("below /b, and data.list below /a" in note for note in self.notes("out")))

    def test_for_another_machine(self):
        for options in ([], ["--list-root", "/old"]):
            with self.subTest(options=options):
                self.dataset("--force", *options)
                time = (self.folder / "out/dataset.json").stat().st_mtime_ns
                self.shardmill("index", "out", "--list-root", "/new/place")
                self.check_whole("out")
                self.assertEqual({os.path.dirname(path) for path in self.lists("out")}, {"/new/place/shards"})
                self.assertEqual((self.folder / "out/dataset.json").stat().st_mtime_ns, time)
                result = self.shardmill("index", "out", "--list-root", "/new/place", "--json")  # again
                self.assertEqual(json.loads(result.out)["files"], [])
                self.check_whole("out")

    def test_together_with_indexes(self):
        self.dataset()
        result = json.loads(self.shardmill("index", "out", "--list-root", "/r", "--index", "wids", "--json").out)
        self.assertEqual(result["files"], ["shardindex.json"])
        self.assertIn("data.list", result["lists"])
        self.check_whole("out")

    def test_lists_are_written_anew_whatever_they_hold(self):
        self.dataset()
        (self.folder / "out/data.list").write_text("nonsense\n")
        self.shardmill("verify", "out", code=1)
        self.shardmill("index", "out", "--list-root", self.folder / "out")
        self.check_whole("out")

    def test_what_makes_no_sense(self):
        self.dataset()
        self.fails("index", "in", "--list-root", "/r", code=2, says="it has no lists to move")
        self.fails("index", "out", "--list-root", "/a\nb", code=2, says="control characters")
        (self.folder / "out/run.json").write_text("{}")
        self.fails("index", "out", "--list-root", "/r", says="run.json")
        self.assertEqual({os.path.dirname(path) for path in self.lists("out")}, {f"{self.folder}/out/shards"})


class Together(harness.Case):
    def state(self, folder):
        return {name: (self.folder / folder / name).read_bytes() for name in self.names(folder)}

    def test_a_bad_shard_leaves_nothing(self):
        for number in range(6):
            self.write(f"in/s{number}.tar", harness.shard(2 * number, 2))
        self.write("in/s5.tar", harness.shard(10, 2)[:-3000])
        before = self.state("in")
        for threads in (1, 4):
            self.shardmill("index", "in", "-j", threads, code=1)
            self.assertEqual(self.state("in"), before)
            self.assertNotIn(".shardmill", os.listdir(self.folder / "in"))

    def test_a_bad_shard_of_a_dataset_leaves_it_as_it_was(self):
        self.write("in/a.tar", harness.shard(0, 8))
        self.shardmill("repack", "in", "--out", "out", "--shards", 4, "--index", "wids,dali")
        bad = self.folder / "out/shards/audio_000000003.tar"
        data = bytearray(bad.read_bytes())
        data[0:512] = b"\xff" * 512
        bad.write_bytes(data)
        before = self.state("out")
        self.shardmill("index", "out", "--index", "wids,dali,energon", code=1)
        self.assertEqual(self.state("out"), before)

    def test_what_an_interrupted_run_left_is_explained(self):
        self.write("in/a.tar", harness.shard(0, 8))
        self.shardmill("repack", "in", "--out", "out", "--shards", 2)
        for name, kind in (("audio_000000000.idx", "dali"), ("audio_000000000.tar.idx", "energon")):
            sums = (self.folder / "out/SHA256SUMS").read_bytes()
            self.shardmill("index", "out", "--index", kind)
            self.write("out/SHA256SUMS", sums)  # as a kill just before the last step leaves it
            self.assertIn(f"shards/{name}", self.names("out"))
            said = self.shardmill("verify", "out", code=1).out.decode()
            self.assertIn("does not belong", said)
            self.assertIn(f"shardmill index out --index {kind}", said)
            self.shardmill("index", "out", "--index", kind)
            self.shardmill("verify", "out")
        self.shardmill("ranks", "out", "-w", 2)
        (self.folder / "out/ranks/plan.json").unlink()
        self.assertIn("shardmill ranks out --world-size", self.shardmill("verify", "out", code=1).out.decode())


if __name__ == "__main__":
    unittest.main()
