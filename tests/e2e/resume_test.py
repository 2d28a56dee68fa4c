"""Killed, stopped or out of room at any moment: the same command goes on, and the result is the undisturbed one."""
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

import harness
from repack_test import Repacking, corpus

KILLS = int(os.environ.get("SHARDMILL_KILLS", "24"))


class Resuming(Repacking):
    def setUp(self):
        super().setUp()
        self.contents = {}
        for name, form, codec in (("x", "wav", "bzip2"), ("y", "flac", "zstd"), ("z", "wav", "none")):
            tars, contents = corpus(name, 150, form=form, shards=4)
            self.put(name, tars, codec)
            self.contents.update(contents)
        # One file of many blocks, like real shards: the run must continue in the middle of it.
        tars, contents = corpus("m", 150, shards=1)
        self.write("x/many.tar.bz2", harness.output_of("bzip2", "-1c", data=tars[0]))
        self.contents.update(contents)

    def command(self, out, *options):
        # Always the same name for the output, so that data.list is the same too.
        return [harness.PROGRAM, "repack", "x", "y", "z", "--out", out, "--shards", "3", "-j2", "-q",
                "--list-root", "/r",
                *options]

    def start(self, out, *options):
        return subprocess.Popen(self.command(out, *options), cwd=self.folder, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE,
                                env={**os.environ, "SHARDMILL_CHECKPOINT_BYTES": "100K"})

    def undisturbed(self, out, *options):
        began = time.monotonic()
        process = self.start(out, *options)
        self.assertEqual(process.communicate()[1], b"")
        return time.monotonic() - began

    def same_dataset(self, first, second):
        self.same_bytes(first, second)
        self.assertEqual(*((self.folder / out / "data.list").read_bytes() for out in (first, second)))

    def kill_until_done(self, out, seconds, random_, *options):
        """Returns how often the run was killed before it got through."""
        kills = 0
        while True:
            process = self.start(out, *options)
            try:
                # Longer each time, so that even a machine that has become slow gets through in the end.
                error = process.communicate(timeout=random_.uniform(0, seconds) * 1.1 ** kills)[1]
                self.assertEqual((process.returncode, error), (0, b""))
                return kills
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                kills += 1
                self.assertTrue(not (self.folder / out / "dataset.json").exists()
                                or not (self.folder / out / ".shardmill/journal").exists()
                                or (self.folder / out / ".shardmill/publish").exists())


class KilledMerges(Resuming):
    def command(self, out, *options):
        return [harness.PROGRAM, "repack", *self.sources, "--out", out, "--shards", "3", "-j2", "-q",
                "--list-root", "/r",
                *options]

    def test_of_datasets(self):
        """Gone on with in the middle of shards whose manifests are in step with them, and of one where they are not."""
        for out, sources, codec in (("p", ("x", "y"), "zstd"), ("q", ("z",), "none")):
            self.shardmill("repack", *sources, "--out", out, "--shards", 2, "--codec", codec,
                           *(["--seekable"] if codec == "zstd" else []))
        shard = self.folder / "q/shards/audio_000000000.tar"
        data = shard.read_bytes()
        middle = data.index(b"ustar", len(data) // 3) // 512 * 512
        shard.write_bytes(data[:middle] + bytes(b ^ 0x55 for b in data[middle:middle + 512]) + data[middle + 512:])
        self.sources = ["p", "q"]
        options = ["--on-error", "skip", "--max-rejects", "99", "--on-duplicate", "first"]
        seconds = self.undisturbed("reference", *options)
        random_ = random.Random(11)
        kills = 0
        while kills < KILLS // 3:
            kills += self.kill_until_done("out", 1.1 * seconds, random_, *options)
            self.same_dataset("out", "reference")
            shutil.rmtree(self.folder / "out")


class Killed(Resuming):
    def test_at_random_moments(self):
        random_ = random.Random(7)
        for options in (["--codec", "none"], ["--codec", "zstd", "--level", "12"]):
            reference = f"reference{options[1]}"
            seconds = self.undisturbed(reference, *options)
            kills = 0
            while kills < KILLS // 2:
                kills += self.kill_until_done("out", 1.1 * seconds, random_, *options)
                self.same_dataset("out", reference)
                shutil.rmtree(self.folder / "out")

    def test_a_journal_is_gone_on_with(self):
        self.undisturbed("reference")
        process = self.caught(lambda: self.start("out"), (self.folder / "out/.shardmill/journal").exists)
        process.kill()
        process.communicate()
        self.fails("repack", "x", "y", "z", "--out", "out", "--shards", 4, "-q",
                   says=["unfinished", "shards", "--force"])
        result = self.shardmill("repack", "x", "y", "z", "--out", "out", "--shards", 3, "--list-root", "/r", "--json")
        self.assertIn(b'"resumed": true', result.out)
        self.same_dataset("out", "reference")


class Dealt(Resuming):
    def test_held_samples_are_freed_while_they_are_dealt_and_a_kill_then_changes_nothing(self):
        self.undisturbed("reference")
        held = self.folder / "out/.shardmill/held"

        def is_partly_freed():
            try:
                facts = held.stat()
            except FileNotFoundError:
                return False
            return facts.st_size > 300_000 and 0.1 < facts.st_blocks * 512 / facts.st_size < 0.9

        for _ in range(3):
            process = self.caught(lambda: self.start("out"), is_partly_freed)
            process.kill()
            process.communicate()
            self.undisturbed("out")
            self.same_dataset("out", "reference")
            shutil.rmtree(self.folder / "out")

class Flipped(Resuming):
    """A bit that flips in a scratch file while nobody is at work."""

    def test_a_resumed_run_notices(self):
        work = self.folder / "out/.shardmill"
        for codec in ("none", "zstd"):
            options = ["--codec", codec]
            reference = f"reference-{codec}"
            self.undisturbed(reference, *options)
            spools = [work / f"spool/{shard:09}.tar" for shard in range(3)]
            filled = []  # when the journal was written that was there as soon as all spools held something

            def journal_knows_the_spools():
                if not (work / "journal").exists() or any(len(self.content(spool)) <= 100_000 for spool in spools):
                    return False
                written = (work / "journal").stat().st_mtime_ns
                filled.append(written)
                return written > filled[0]

            def start():
                filled.clear()
                return self.start("out", *options)

            process = self.caught(start, journal_knows_the_spools)
            process.kill()
            process.communicate()
            kept = self.folder / "kept"
            shutil.copytree(self.folder / "out", kept)
            command = ["repack", "x", "y", "z", "--out", "out", "--shards", 3, "--list-root", "/r", *options, "-q"]
            for name in ("spool/000000001.tar", "spool/000000002.json", "keys", "held", "journal"):
                with self.subTest(codec=codec, file=name):
                    path = work / name
                    data = bytearray(path.read_bytes())
                    data[len(data) // 10] ^= 4
                    path.write_bytes(data)
                    self.fails(*command, says=(name, "--force"))
                    shutil.rmtree(self.folder / "out")
                    shutil.copytree(kept, self.folder / "out")
            self.shardmill(*command)
            self.same_dataset("out", reference)
            shutil.rmtree(self.folder / "out")
            shutil.rmtree(kept)


class Stopped(Resuming):
    options = ["--codec", "zstd", "--level", "19"]

    def caught_early(self):
        """Stopped after its first words in the lock file, and before its first checkpoint."""
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        return self.caught(lambda: self.start("out", *self.options),
                           lambda: self.content("out/.shardmill/lock") and not self.content("out/.shardmill/journal"))

    def test_signals_leave_a_message_and_their_code(self):
        self.undisturbed("reference", *self.options)
        for number in (signal.SIGTERM, signal.SIGINT):
            process = self.caught_early()
            process.send_signal(number)
            process.send_signal(signal.SIGCONT)
            error = process.communicate()[1].decode()
            self.assertEqual(process.returncode, 128 + number, error)
            self.assertEqual(len(error.splitlines()), 1)
            self.assertIn("run the same command again", error)
        process = self.start("out", *self.options)
        self.assertEqual((process.communicate()[1], process.returncode), (b"", 0))
        self.same_dataset("out", "reference")

    def test_a_second_run_is_told_who_is_at_work(self):
        process = self.caught_early()
        second = subprocess.run(self.command("out", *self.options), cwd=self.folder, capture_output=True)
        self.assertEqual(second.returncode, 1)
        self.assertIn(f"pid {process.pid}", second.stderr.decode())
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.communicate()[1], b"")


class FullDisk(Resuming):
    def test_goes_on_when_there_is_room_again(self):
        mount = self.folder / "small"
        mount.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1500k", "none", mount],
                          capture_output=True).returncode != 0:
            self.skipTest("a small filesystem cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", mount], check=True)
        self.undisturbed("reference")
        process = self.start("small/out", "--ignore-free-space")
        error = process.communicate()[1].decode()
        self.assertEqual(process.returncode, 1)
        self.assertIn("No space left on device", error)
        self.assertIn("make room", error)
        subprocess.run(["mount", "-o", "remount,size=100m", mount], check=True)
        process = self.start("small/out", "--ignore-free-space")
        self.assertEqual((process.communicate()[1], process.returncode), (b"", 0))
        self.same_dataset("small/out", "reference")


if __name__ == "__main__":
    unittest.main()
