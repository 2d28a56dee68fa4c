"""The example's Makefile, and --depfile: what make does again, and what it leaves alone."""
import os
import pathlib
import shutil
import subprocess
import unittest

import harness

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "data/example"


class Make(harness.Case):
    def make(self, *arguments, code=0):
        """Runs make; returns the stages it ran, as (command, what it was run on)."""
        done = subprocess.run(["make", f"SHARDMILL={harness.PROGRAM_IN_SHELL}", *arguments], cwd=self.folder,
                              capture_output=True, timeout=300, env={**os.environ, "LC_ALL": "C"})
        self.assertEqual(done.returncode, code, done.stdout.decode() + done.stderr.decode())
        self.said = done.stdout.decode() + done.stderr.decode()
        begin = harness.PROGRAM_IN_SHELL + " "
        lines = [line[len(begin):].split() for line in self.said.splitlines() if line.startswith(begin)]
        return sorted(tuple(line[:2]) for line in lines)

    def contents(self, folder):
        return {name: (self.folder / folder / name).read_bytes() for name in self.names(folder)
                if not name.endswith("run.json")}

    def age(self, *names):
        """Makes files a little older than they are, so that what is written next is newer on any filesystem."""
        for name in names or self.names():
            path = self.folder / name
            before = path.stat().st_mtime - 100
            os.utime(path, (before, before))
        for path in self.folder.rglob("*"):
            if path.is_dir() and not names:
                before = path.stat().st_mtime - 100
                os.utime(path, (before, before))


class Example(Make):
    STAGES_BEHIND = [("ranks", "out/mixed"), ("repack", "mandarin=out/plain/mandarin"), ("verify", "out/mixed")]

    def setUp(self):
        super().setUp()
        shutil.copytree(EXAMPLE, self.folder, dirs_exist_ok=True)
        self.first = self.make("-j2")
        self.result = self.contents("out/mixed")
        self.age()

    def test_first_run_does_all_and_the_second_nothing(self):
        shards = sorted(str(path.relative_to(self.folder)) for path in self.folder.glob("*/*.tar.bz2"))
        self.assertEqual(self.first, [("convert", shard) for shard in shards] + self.STAGES_BEHIND)
        self.assertEqual(self.make("-j2"), [])
        self.assertIn("Nothing to be done", self.said)
        self.shardmill("verify", "out/mixed", "--against", "mandarin=mandarin", "english=english")

    def test_touched_source(self):
        (self.folder / "english/english_1.tar.bz2").touch()
        self.assertEqual(self.make("-j2"),
                         [("convert", "english/english_1.tar.bz2"), *self.STAGES_BEHIND])
        self.assertEqual(self.contents("out/mixed"), self.result)
        self.assertEqual(self.make(), [])

    def test_new_source(self):
        self.write("english/more.tar.bz2", harness.compress("bzip2", harness.shard()))
        self.assertEqual(self.make("-j2"), [("convert", "english/more.tar.bz2"), *self.STAGES_BEHIND])
        self.assertNotEqual(self.contents("out/mixed"), self.result)
        self.assertEqual(self.make(), [])

    def test_shard_that_was_removed_from_what_is_read(self):
        (self.folder / "english/english_1.tar.bz2").unlink()
        (self.folder / "out/plain/english/english_1.tar").unlink()
        self.assertEqual(self.make("-j2"), self.STAGES_BEHIND)
        self.assertEqual(self.make(), [])

    def test_lost_result(self):
        (self.folder / "out/mixed/dataset.json").unlink()
        self.assertEqual(self.make("-j2"), self.STAGES_BEHIND)
        self.assertEqual(self.contents("out/mixed"), self.result)

    def test_damaged_source_stops_make(self):
        path = self.folder / "english/english_1.tar.bz2"
        path.write_bytes(path.read_bytes()[:-100])
        self.make(code=2)
        self.assertEqual(self.contents("out/mixed"), self.result)
        self.assertIn(("convert", "english/english_1.tar.bz2"), self.make(code=2), "and it is tried again")


class Depfile(Make):
    MAKEFILE = """
out/dataset.json:
\t$(SHARDMILL) repack $(SOURCES) --out out --shards 1 --depfile deps/out.d $(if $(wildcard $@),--force)
-include deps/out.d
"""

    def setUp(self):
        super().setUp()
        self.write("Makefile", self.MAKEFILE.encode())
        for number, name in enumerate(("a b.tar", "c#d$e.tar", "lang=en/f.tar", "100%.tar")):
            self.write(f"in/{name}", harness.tar(harness.samples([number])))

    def test_every_file_and_folder(self):
        self.assertEqual(len(self.make("SOURCES=x=in")), 1)
        for name in ("in/a b.tar", "in/c#d$e.tar", "in/lang=en/f.tar", "in/100%.tar", "in/lang=en", "in"):
            self.age()
            self.assertEqual(self.make("SOURCES=x=in"), [])
            (self.folder / name).touch()
            self.assertEqual(len(self.make("SOURCES=x=in")), 1, name)

    def test_list_file(self):
        self.write("all.list", b"in/100%.tar\n")
        self.make("SOURCES=all.list")
        self.age()
        self.write("all.list", b"in/100%.tar\nin/lang=en/f.tar\n")
        self.assertEqual(len(self.make("SOURCES=all.list")), 1)
        self.assertEqual(self.make("SOURCES=all.list"), [])

    def test_written_also_when_all_is_done_already(self):
        self.shardmill("repack", "in", "--out", "out", "--shards", "1")
        self.shardmill("repack", "in", "--out", "out", "--shards", "1", "--depfile", "out.d")
        self.assertTrue((self.folder / "out.d").read_text().startswith(
            "# Written by shardmill\nout/dataset.json: \\\n"))

    def test_not_written_when_the_run_fails(self):
        self.write("in/bad.tar", harness.shard()[:5000])
        self.shardmill("repack", "in", "--out", "out", "--shards", "1", "--depfile", "out.d", code=1)
        self.shardmill("repack", "in", "--out", "out", "--shards", "1", "--depfile", "out.d", "--dry-run",
                       code=1)
        self.assertNotIn("out.d", self.names())

    def test_name_that_make_cannot_take_is_refused_before_the_work(self):
        self.write("in/semi;colon.tar", harness.shard())
        self.fails("repack", "in", "--out", "out", "--depfile", "out.d", says=["semi;colon", "Makefile"])
        self.fails("convert", "in/semi;colon.tar", "--out", "out", "--depfile", "out.d",
                   says=["semi;colon", "Makefile"])
        self.assertFalse((self.folder / "out").exists())
        self.assertNotIn("out/dataset.json", self.names())

    def test_convert_has_a_rule_for_each_shard(self):
        (self.folder / "in/100%.tar").unlink()
        self.shardmill("convert", "in", "--out", "out", "--codec", "zstd", "--depfile", "out.d")
        rules = (self.folder / "out.d").read_text()
        self.assertIn("out/a\\ b.tar.zst: \\\n  in/a\\ b.tar\n", rules)
        self.assertEqual(rules.count(".tar.zst: "), 3)


if __name__ == "__main__":
    unittest.main()
