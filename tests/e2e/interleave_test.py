"""`--interleave K`: a dataset's files are read K at a time; which sample is next depends on nothing but bytes."""
import json
import random
import shutil
import struct
import subprocess
import sys

import harness
from hostile_test import BESIDE_MEMORY, MEASURE
from repack_test import Repacking, corpus
from resume_test import KILLS, Resuming


def sources_of(records):
    return [record["source"].rsplit("/", 1)[1].split(".")[0] for record in records]


def wav(data):
    return (b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " +
            struct.pack("<IHHIIHH", 16, 1, 1, 16000, 32000, 2, 16)
            + b"data" + struct.pack("<I", len(data)) + data)


class Interleaving(Repacking):
    def setUp(self):
        super().setUp()
        self.contents = {}
        for number, codec in enumerate(("gzip", "xz", "zstd", "none", "bzip2")):
            tars, contents = corpus(f"k{number}", 60, shards=1, seed=number)
            self.write(f"in/file{number}.tar{harness.SUFFIX[codec]}", harness.compress(codec, tars[0]))
            self.contents.update(contents)

    def order(self, out):
        """The files that the samples of one shard came from, in its order."""
        return sources_of(self.records(out, "manifests/manifest_000000000.json"))

    def test_neighbours_come_from_several_files(self):
        self.repack("in", "--out", "one", "--shards", 1, "--interleave", 1)
        self.repack("in", "--out", "three", "--shards", 1, "--interleave", 3)
        self.repack("in", "--out", "all", "--shards", 1)
        for out in ("one", "three", "all"):
            self.check_against(out, self.contents)
            self.assertEqual(self.shardmill("verify", out, "--against", "in").code, 0)
        # One shard takes the samples as they come, but for some that are held back until the end.
        self.assertEqual(set(self.order("one")[:50]), {"file0"})
        self.assertEqual(set(self.order("three")[:90]), {"file0", "file1", "file2"})
        self.assertGreaterEqual(len(set(self.order("all")[:150])), 4)  # a small file is a piece or two
        self.assertEqual(dict(json.loads((self.folder / "all/dataset.json").read_text())["options"])["interleave"],
                         "16")

    def test_same_bytes_whatever_the_threads_and_the_memory(self):
        for extra in (["--codec", "none"], ["--interleave", 2, "--weight", "in=1.5", "--seed", 3], ["--limit", 70]):
            with self.subTest(extra):
                self.repack("in", "--out", "a", "--shards", 4, "-j1", *extra)
                self.repack("in", "--out", "b", "--shards", 4, "-j5", *extra)
                self.repack("in", "--out", "c", "--shards", 4, "-j3", "--memory", "3M", *extra)
                self.same_bytes("a", "b")
                self.same_bytes("a", "c")
                for out in "abc":
                    shutil.rmtree(self.folder / out)

    def test_parts(self):
        self.repack("in", "--out", "a", "--shards", 4, "--interleave", 2, "--parts", 2)
        for part in range(2):
            self.repack("--out", "a", "--part", part)
        self.repack("--out", "a", "--finish")
        self.check_against("a", self.contents)
        self.shardmill("verify", "a", "--against", "in")
        self.repack("in", "--out", "a", "--shards", 4, "--interleave", 2)
        self.fails("repack", "in", "--out", "a", "--shards", 4, "--interleave", 3, says="interleave: was 2, now 3")

    def test_datasets_that_recorded_nothing_stay_finished(self):
        self.repack("in", "--out", "out", "--shards", 2, "--interleave", 1)
        path = self.folder / "out/dataset.json"
        self.assertNotIn("interleave", json.loads(path.read_text())["options"])
        for extra in ([], ["--interleave", 1], ["--interleave", 16]):
            self.assertIn(b"finished already", self.repack("in", "--out", "out", "--shards", 2, *extra).out)
        self.fails("repack", "in", "--out", "out", "--shards", 2, "--interleave", 4, says="interleave: was 1, now 4")

    def test_wrong_numbers(self):
        for number in ("0", "x", "100000"):
            self.fails("repack", "in", "--out", "out", "--interleave", number, says="--interleave", code=2)


class Expanding(Repacking):
    def test_memory_does_not_depend_on_what_files_expand_to(self):
        """Files of silence: each quarter of a megabyte of xz is hundreds of plain ones."""
        contents = [(f"s{i:03}", b"\0" * (1 << 20)) for i in range(100)]
        for number in range(4):
            members = [member for key, data in contents
                       for member in ((f"{number}{key}.txt", b"x"), (f"{number}{key}.wav", wav(data)))]
            self.write(f"in/file{number}.tar.xz", harness.output_of("xz", "-0", "-c", data=harness.tar(members)))
        command = ["repack", "in", "--out", "out", "--shards", "4", "-j4", "--memory", "64M", "-q"]
        code, peak = map(int, subprocess.check_output([sys.executable, "-c", MEASURE, harness.PROGRAM, *command],
                                                      cwd=self.folder).split())
        self.assertEqual(code, 0)
        self.assertEqual(len(self.records("out")), 400)
        if not harness.SANITIZED:
            self.assertLess(peak, 64_000_000 + BESIDE_MEMORY)


class KilledWithManyOpenFiles(Resuming):
    def setUp(self):
        Repacking.setUp(self)
        for number in range(8):
            tars, _ = corpus(f"k{number}", 60, shards=1, seed=number)
            codec = ("gzip", "xz", "zstd", "bzip2")[number % 4]
            self.write(f"x/file{number}.tar{harness.SUFFIX[codec]}", harness.compress(codec, tars[0]))

    def command(self, out, *options):
        return [harness.PROGRAM, "repack", "x", "--out", out, "--shards", "3", "-j3", "-q", "--list-root", "/r",
                *options]

    def test_the_result_is_that_of_an_undisturbed_run(self):
        random_ = random.Random(3)
        for options in (["--interleave", "4"], ["--interleave", "16", "--seed", "5"]):
            reference = f"reference{options[1]}"
            seconds = self.undisturbed(reference, *options)
            kills = 0
            while kills < KILLS // 2:
                kills += self.kill_until_done("out", 1.1 * seconds, random_, *options)
                self.same_dataset("out", reference)
                shutil.rmtree(self.folder / "out")
