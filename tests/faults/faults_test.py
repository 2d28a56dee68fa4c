"""The n-th I/O call fails, for n after n: a clean message or success, and the next run makes the undisturbed result.

SHARDMILL_FAULTS=all tries every n; the short form takes a few of each scenario."""
import errno
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "e2e"))

import harness
from repack_test import Repacking, corpus

INJECTOR = os.environ.get("SHARDMILL_FAULT_INJECTOR", "")
ALL = os.environ.get("SHARDMILL_FAULTS") == "all"
TRACES = ("Sanitizer", "terminate called", "what():", "runtime error:", "filesystem error")


@unittest.skipUnless(INJECTOR, "SHARDMILL_FAULT_INJECTOR names no library to preload")
@unittest.skipIf("thread" in os.environ.get("SHARDMILL_SANITIZE", ""), "the thread sanitizer must be loaded first")
class Faults(Repacking):
    points = 8  # in the short form

    def setUp(self):
        super().setUp()
        self.folder = self.folder.resolve()
        for name, form, codec in (("x", "wav", "bzip2"), ("y", "flac", "zstd")):
            tars, _ = corpus(name, 12, form=form, shards=1)
            self.put(name, tars, codec)

    def faulty(self, command, timeout=600, **faults):
        """Runs `command` with the injector told `faults`; it may end well or with a message, nothing else."""
        environment = {**os.environ, "LD_PRELOAD": INJECTOR, "FAULT_FOLDER": str(self.folder),
                       "SHARDMILL_CHECKPOINT_BYTES": "20K",
                       # The sanitizers' own libraries may come after the injector: it passes all calls on to them.
                       "ASAN_OPTIONS": "verify_asan_link_order=0",
                       **{f"FAULT_{name.upper()}": str(value) for name, value in faults.items()}}
        done = subprocess.run([harness.PROGRAM, *map(str, command)], cwd=self.folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)
        lines = done.stderr.decode().splitlines()
        self.assertIn(done.returncode, (0, 1), lines)
        for line in lines:
            self.assertRegex(line, "^shardmill")
            for trace in TRACES:
                self.assertNotIn(trace, line)
        # One line says what went wrong; convert says it for each shard. A good update warns of samples that wait, and
        # of sources that it did not read again.
        if done.returncode == 0:
            lines = [line for line in lines if "wait in pending/" not in line and "nothing was read from" not in line]
        self.assertTrue(done.returncode <= len(lines) <= done.returncode * (2 if command[0] == "convert" else 1), lines)
        return done.returncode

    def calls(self, command):
        """The names of the calls that an undisturbed run makes."""
        self.assertEqual(self.faulty(command, report=self.folder / "calls"), 0)
        return (self.folder / "calls").read_text().splitlines()

    def every_call(self, command, out, prepare, check, complete=lambda: None):
        """`prepare()`, `command` with a fault, `check()`, `command` again, `complete()`: for all n and faults."""
        shutil.rmtree(self.folder / out, ignore_errors=True)
        prepare()
        made = self.calls(command)
        complete()
        self.same_bytes(out, "reference")
        # More than were counted: how the threads take turns changes the number a little.
        numbers = range(1, len(made) + 3)
        failed = 0
        for kind, faults in enumerate(({"errno": errno.EIO}, {"errno": errno.ENOSPC, "stays": 1})):
            step = 1 if ALL else max(1, len(made) // self.points)
            for number in numbers[kind * step // 2::step]:
                name = made[min(number, len(made)) - 1]
                with self.subTest(call=number, name=name, **faults):
                    shutil.rmtree(self.folder / out, ignore_errors=True)
                    prepare()
                    failed += self.faulty(command, at=number, **faults)
                    check()
                    self.assertEqual(self.faulty(command), 0)
                    complete()
                    self.same_bytes(out, "reference")
        print(f"{self.id()}: {len(made)} calls, {len(set(made))} kinds, {failed} runs failed cleanly", file=sys.stderr)
        self.assertGreater(failed, 0)
        return made


class RepackFaults(Faults):
    def command(self, out, *more):
        return ["repack", "x", "y", "--out", out, "--shards", 2, "-j1", "-q", "--list-root", "/r", *more]

    def complete_or_not_declared(self):
        """dataset.json is there only beside the right content."""
        if not (self.folder / "out/dataset.json").exists():
            return
        for name in self.names("reference"):
            if name not in ("run.json", "data.list", "kaldi/wav.scp", "kaldi/kaldiio.scp", "nemo/input_cfg.yaml",
                            "idxpack/nemo.idxpack", "idxpack/shar.idxpack"):
                self.assertEqual((self.folder / "out" / name).read_bytes(),
                                 (self.folder / "reference" / name).read_bytes(), name)

    def test_plain(self):
        self.assertEqual(self.faulty(self.command("reference")), 0)
        made = self.every_call(self.command("out"), "out", lambda: None, self.complete_or_not_declared)
        for name in ("open", "read", "pread", "pwrite", "write", "fsync", "rename", "close", "unlink", "mkdir"):
            self.assertIn(name, made)

    def test_compressed(self):
        self.assertEqual(self.faulty(self.command("reference", "--codec", "zstd")), 0)
        self.every_call(self.command("out", "--codec", "zstd"), "out", lambda: None, self.complete_or_not_declared)

    def test_with_parity(self):
        self.assertEqual(self.faulty(self.command("reference", "--parity", 1)), 0)
        self.every_call(self.command("out", "--parity", 1), "out", lambda: None, self.complete_or_not_declared)

    def test_indexed(self):
        indexes = ("--index", ",".join(harness.all_forms()))
        self.assertEqual(self.faulty(self.command("reference", *indexes)), 0)
        self.every_call(self.command("out", *indexes), "out", lambda: None, self.complete_or_not_declared)

    def test_gone_on_with(self):
        """The faults hit the second run, which goes on from the journal of a first."""
        self.assertEqual(self.faulty(self.command("reference", "--codec", "zstd")), 0)
        made = self.calls(self.command("out", "--codec", "zstd"))
        for number in range(len(made) // 2, len(made)):
            shutil.rmtree(self.folder / "out")
            self.faulty(self.command("out", "--codec", "zstd"), at=number, errno=errno.EIO)
            if (self.folder / "out/.shardmill/journal").exists():
                break
        (self.folder / "out").rename(self.folder / "begun")
        self.assertTrue((self.folder / "begun/.shardmill/journal").exists())
        self.every_call(self.command("out", "--codec", "zstd"), "out",
                        lambda: shutil.copytree(self.folder / "begun", self.folder / "out"),
                        self.complete_or_not_declared)

    def test_replacing(self):
        """The folder holds an older, larger dataset with indexes, all of which goes."""
        self.assertEqual(self.faulty(self.command("reference")), 0)
        self.assertEqual(self.faulty(["repack", "x", "--out", "older", "--shards", 3, "-q", "--list-root", "/r",
                                      "--index", "energon,amphion"]), 0)

        def old_or_new():
            if not (self.folder / "out/dataset.json").exists():
                return
            older = (self.folder / "out/dataset.json").read_bytes() == (self.folder / "older/dataset.json").read_bytes()
            for name in self.names("older" if older else "reference"):
                if name != "run.json":
                    self.assertEqual((self.folder / "out" / name).read_bytes(),
                                     (self.folder / ("older" if older else "reference") / name).read_bytes(), name)

        self.every_call(self.command("out", "--force"), "out",
                        lambda: shutil.copytree(self.folder / "older", self.folder / "out"), old_or_new)

    def test_short_and_interrupted_transfers_change_nothing(self):
        for codec in ("none", "zstd"):
            shutil.rmtree(self.folder / "reference", ignore_errors=True)
            self.assertEqual(self.faulty(self.command("reference", "--codec", codec)), 0)
            for every in (1, 2, 3, 7):
                with self.subTest(codec=codec, every=every):
                    shutil.rmtree(self.folder / "out", ignore_errors=True)
                    self.assertEqual(self.faulty(self.command("out", "--codec", codec), short=every), 0)
                    self.same_bytes("out", "reference")


class RepairFaults(Faults):
    def test_every_call(self):
        """From parity, from other files, and from the sources: at any fault each file is as before or right."""
        command = ["repack", "x", "y", "--out", "reference", "--shards", 3, "-q", "--list-root", "/r", "--parity", 1]
        self.assertEqual(self.faulty(command), 0)
        lost = ["shards/audio_000000000.tar", "shards/audio_000000002.tar", "tarred_audio_manifest.json", "data.list",
                "manifests/manifest_000000001.json", "dataset.json", "parity/shards_000000.p00"]

        def damaged():
            shutil.copytree(self.folder / "reference", self.folder / "out")
            for name in lost:
                (self.folder / "out" / name).write_bytes(b"damaged")

        def no_worse():
            for name in self.names("reference"):
                data = (self.folder / "out" / name).read_bytes()
                self.assertTrue(data == (self.folder / "reference" / name).read_bytes()
                                or (name in lost and data == b"damaged"), name)

        made = self.every_call(["repair", "out", "-j1", "-q"], "out", damaged, no_worse)
        for name in ("open", "pread", "pwrite", "write", "fsync", "rename", "close"):
            self.assertIn(name, made)


class UpdateFaults(Faults):
    def test_every_call(self):
        """Adding and removing: the old dataset or the new one, or none is declared; and then the new one."""
        tars, _ = corpus("z", 12, shards=1)
        self.put("z", tars)
        self.assertEqual(self.faulty(["repack", "x", "y", "--out", "older", "--shards", 4, "-q", "--list-root", "/r",
                                      "--parity", 1]), 0)
        keys = [record["key"] for record in self.records("older")]
        self.write("keys", "".join(f"{key}\n" for key in keys[::6]).encode())
        command = ["update", "out", "--add", "x=z", "--remove-keys", "keys", "-j1", "-q"]

        def prepare():
            shutil.copytree(self.folder / "older", self.folder / "out")

        def old_or_new():
            if not (self.folder / "out/dataset.json").exists():
                return
            older = (self.folder / "out/dataset.json").read_bytes() == (self.folder / "older/dataset.json").read_bytes()
            for name in self.names("older" if older else "reference"):
                if name != "run.json":
                    self.assertEqual((self.folder / "out" / name).read_bytes(),
                                     (self.folder / ("older" if older else "reference") / name).read_bytes(), name)

        prepare()
        self.assertEqual(self.faulty(command), 0)
        (self.folder / "out").rename(self.folder / "reference")
        made = self.every_call(command, "out", prepare, old_or_new)
        for name in ("open", "pread", "write", "fsync", "rename", "close", "unlink"):
            self.assertIn(name, made)


class SplitFaults(Faults):
    def test_every_call(self):
        """All datasets of a split, or none is declared; and then all of them."""
        command = ["repack", "x", "y", "--shards", 2, "-j1", "-q", "--list-root", "/r", "--split", "dev=1.5s,test=1s",
                   "--split-by", "key", "--out"]

        def all_or_not_declared():
            if not (self.folder / "out/split.json").exists():
                return
            for name in self.names("reference"):
                if not name.endswith("run.json"):
                    self.assertEqual((self.folder / "out" / name).read_bytes(),
                                     (self.folder / "reference" / name).read_bytes(), name)

        self.assertEqual(self.faulty([*command, "reference"]), 0)
        made = self.every_call([*command, "out"], "out", lambda: None, all_or_not_declared)
        for name in ("open", "pread", "write", "fsync", "rename", "close", "unlink", "mkdir"):
            self.assertIn(name, made)


class PartsFaults(Faults):
    points = 4

    def test_every_step(self):
        plan = ["repack", "x", "y", "--out", "out", "--shards", 2, "--parts", 2, "--list-root", "/r"]
        parts = [["repack", "--out", "out", "--part", part] for part in (0, 1)]
        last = [["repack", "--out", "out", step] for step in ("--deal", "--finish")]
        steps = [[*step, "-j1", "-q"] for step in (plan, *parts, last[0], *parts, last[1])]

        def run(some):
            for step in some:
                self.assertEqual(self.faulty(step), 0)

        run(steps)
        (self.folder / "out").rename(self.folder / "reference")
        for index, step in enumerate(steps):
            with self.subTest(step=step):
                run(steps[:index])
                if index > 0:
                    (self.folder / "out").rename(self.folder / "before")
                # Planning a run that is complete takes away the lock file that could not be removed.
                self.every_call(step, "out",
                                lambda: index > 0 and shutil.copytree(self.folder / "before", self.folder / "out"),
                                lambda: None, lambda: run([*steps[index + 1:], steps[0]]))
                for folder in ("before", "out"):
                    shutil.rmtree(self.folder / folder, ignore_errors=True)


class ConvertFaults(Faults):
    def test_every_call(self):
        (self.folder / "y/part_0.tar.zst").rename(self.folder / "y/part_1.tar.zst")
        for codec in ("none", "zstd"):
            with self.subTest(codec=codec):
                command = ["convert", "x", "y", "--codec", codec, "-j1", "-q", "--out"]
                shutil.rmtree(self.folder / "reference", ignore_errors=True)
                self.assertEqual(self.faulty([*command, "reference"]), 0)

                def whole_or_absent():
                    for name in self.names("out") if (self.folder / "out").exists() else ():
                        # A record is without the size of its result until that is there.
                        if not name.endswith(".part") and not name.startswith(".shardmill/"):
                            self.assertEqual((self.folder / "out" / name).read_bytes(),
                                             (self.folder / "reference" / name).read_bytes(), name)

                self.every_call([*command, "out"], "out", lambda: None, whole_or_absent)

    def test_short_and_interrupted_transfers_change_nothing(self):
        command = ["convert", "x", "--codec", "zstd", "-q", "--out"]
        self.assertEqual(self.faulty([*command, "reference"]), 0)
        for every in (1, 2, 3, 7):
            self.assertEqual(self.faulty([*command, "out", "--force"], short=every), 0)
            self.same_bytes("out", "reference")


if __name__ == "__main__":
    unittest.main()
