"""Whatever command was interrupted, and whatever was lost since: another command goes on, or says which one does."""
import bisect
import contextlib
import hashlib
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

import harness
from repack_test import Repacking, corpus

INJECTOR = os.environ.get("SHARDMILL_FAULT_INJECTOR", "")
ROUNDS = int(os.environ.get("SHARDMILL_KILLS", "12"))


def command_in(message):
    """The command that a message names between quotes."""
    return shlex.split(re.search(r"'shardmill ([^']*)'", message)[1])


@unittest.skipIf(harness.SANITIZED or not os.path.exists(INJECTOR),
                 "the fault injector is not there, or does not go with sanitizers")
class Interrupting(Repacking):
    MAKE = ("repack", "main=a.tar", "main=b.tar", "--out", "out", "--shards", "4", "--parity", "1", "--list-root", "/r",
            "-q", "-j1")
    AGAIN = ("repack", "main=a.tar", "main=b.tar", "--out", "out", "--shards", "3", "--parity", "1",
             "--list-root", "/r", "-q", "-j1", "--force")
    UPDATE = ("update", "out", "--add", "main=c.tar", "-q", "-j1")

    def setUp(self):
        super().setUp()
        for name, count in (("a", 60), ("b", 40), ("c", 50)):
            self.write(f"{name}.tar", corpus(name, count, shards=1, seed=ord(name))[0][0])
        self.shardmill(*self.MAKE)
        shutil.copytree(self.folder / "out", self.folder / "old")

    def restart(self):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        shutil.copytree(self.folder / "old", self.folder / "out")

    def snapshot(self):
        return {name: hashlib.sha256((self.folder / "out" / name).read_bytes()).hexdigest()
                for name in self.names("out")
                if name != "run.json" and not name.startswith(".shardmill/")}

    def environment(self, **faults):
        return {"LD_PRELOAD": INJECTOR, "FAULT_FOLDER": str(self.folder), "SHARDMILL_CHECKPOINT_BYTES": "50K",
                **{name: str(value) for name, value in faults.items()}}

    def calls(self, *command):
        """The calls of a whole run, as names."""
        self.shardmill(*command, env=self.environment(FAULT_REPORT=self.folder / "report"))
        return (self.folder / "report").read_text().split()

    def cut(self, *command, at):
        """The state on disk after a kill: from call `at` on, nothing succeeds."""
        self.restart()
        self.shardmill(*command, code=None, env=self.environment(FAULT_AT=at, FAULT_STAYS=1, FAULT_ERRNO=5))
        lock = self.folder / "out/.shardmill/lock"
        if lock.exists():
            lock.unlink()

    def publishing(self, *command):
        """The calls between the first rename to a final name and the last one."""
        calls = self.calls(*command)
        renames = [number for number, name in enumerate(calls, 1) if name.startswith("rename")]
        return calls, renames

    def cut_before_publishing(self, *command):
        calls = self.calls(*command)
        for at in range(len(calls) // 3, len(calls), max(1, len(calls) // 100)):
            self.cut(*command, at=at)
            work = self.folder / "out/.shardmill"
            if (work / "journal").exists() or (work / "update/stage/journal").exists():
                return
        self.fail("never interrupted at work")


class Replacing(Interrupting):
    def test_the_old_dataset_is_repaired_and_updated(self):
        self.cut_before_publishing(*self.AGAIN)
        note = self.shardmill("verify", "out").out.decode()
        self.assertIn("as it was before", note)
        good = self.snapshot()
        shutil.copytree(self.folder / "out", self.folder / "cut")
        for command in (["update", "out", "--remix"], ["update", "out", "--add", "main=c.tar"]):
            result = self.shardmill(*command)
            self.assertIn("interrupted", result.err)
            self.assertFalse((self.folder / "out/.shardmill").exists())
            self.shardmill("verify", "out")
            shutil.rmtree(self.folder / "out")
            shutil.copytree(self.folder / "cut", self.folder / "out")
        (self.folder / "out/shards/audio_000000001.tar").unlink()
        self.shardmill("repair", "out")
        self.assertEqual(self.snapshot(), good)
        self.assertFalse((self.folder / "out/.shardmill").exists())
        for command in (["index", "out", "--index", "wids"], ["ranks", "out", "-w", "2"], ["report", "out"],
                        list(self.MAKE)):
            shutil.rmtree(self.folder / "out")
            shutil.copytree(self.folder / "cut", self.folder / "out")
            self.shardmill(*command)
            self.shardmill("verify", "out")

    def test_a_run_in_parts_may_go_on_or_be_dropped(self):
        parts = [*self.AGAIN, "--parts", "2"]
        self.shardmill(*parts)
        says = self.fails("update", "out", "--remix", says=["in parts", "--force"]).err
        (self.folder / "out/shards/audio_000000001.tar").unlink()
        self.shardmill("repair", "out")
        shutil.copytree(self.folder / "out", self.folder / "cut")
        for part in range(2):
            self.shardmill("repack", "--out", "out", "--part", part, "-q")
        self.shardmill(*command_in(says), "-q")
        self.assertEqual(len(self.records("out", "shards.jsonl")), 3)
        shutil.rmtree(self.folder / "out")
        shutil.copytree(self.folder / "cut", self.folder / "out")
        self.shardmill("update", "out", "--remix", "--force", "-q")
        self.shardmill("verify", "out")
        self.assertFalse((self.folder / "out/.shardmill").exists())


class Publishing(Interrupting):
    def at_random_renames(self, command, seed, check):
        self.restart()
        calls, renames = self.publishing(*command)
        new = self.snapshot()
        random_ = random.Random(seed)
        tried = 0
        for _ in range(20 * ROUNDS):
            if tried == ROUNDS:
                break
            self.cut(*command, at=random_.choice(renames[len(renames) // 3:]) + random_.choice([0, 0, 1]))
            if (self.folder / "out/.shardmill/publish").exists():
                tried += 1
                check(new, random_)
        self.assertEqual(tried, ROUNDS)

    def test_every_command_goes_on_or_names_the_one_that_does(self):
        def check(new, random_):
            for command in (["verify", "out"], ["ranks", "out", "-w", "2"], ["index", "out", "--index", "wids"],
                            ["repair", "out", "--dry-run"]):
                result = self.shardmill(*command, code=None)
                self.assertNotIn("same repack", result.err + result.out.decode())
                self.assertNotIn("--force", result.err)
            says = self.shardmill("verify", "out", code=None)
            if random_.random() < 0.5 and not says.code:
                return
            self.shardmill(*(command_in(says.out.decode() + says.err) if random_.random() < 0.5 else self.UPDATE))
            self.assertEqual(self.snapshot(), new)
            self.assertFalse((self.folder / "out/.shardmill").exists())
            self.shardmill("verify", "out")
        self.at_random_renames(self.UPDATE, 1, check)

    def test_nothing_is_written_for_the_old_dataset(self):
        """Once the new one is promised, a list of the old one would end up in it."""
        for command in (self.UPDATE, self.AGAIN):
            self.restart()
            calls, _ = self.publishing(*command)
            new = self.snapshot()
            promised = self.folder / "out/.shardmill/publish"

            def is_promised(at, command=command, promised=promised):
                self.cut(*command, at=at)
                return promised.exists()
            first = bisect.bisect_left(range(len(calls)), True, lo=1, key=is_promised)
            for at in range(first, first + 14):
                self.assertTrue(is_promised(at))
                for writer in (["index", "out", "--index", "wids"], ["ranks", "out", "-w", "2"], ["report", "out"]):
                    self.fails(*writer, says="shardmill repair")
                self.shardmill("repair", "out", "-q")
                self.assertEqual(self.snapshot(), new)
                self.shardmill("verify", "out")

    def test_a_file_is_lost_that_parity_covers(self):
        def check(new, random_):
            parity = ("shards/", "manifests/", "parity/")
            files = {}
            for name in self.names("out"):
                inner = re.sub(r"^\.shardmill/(update/)?ready/", "", name)
                is_replaced = name == inner and (self.folder / "out/.shardmill/update/ready" / inner).exists()
                if inner in new and inner.startswith(parity) and not is_replaced:
                    files[name] = inner
            name = random_.choice(sorted(files))
            (self.folder / "out" / name).unlink()
            self.shardmill(*self.UPDATE, code=None)
            result = self.shardmill("repair", "out", "-q", code=None)
            self.assertEqual((result.code, result.err), (0, ""), name)
            self.assertEqual(self.snapshot(), new, name)
            self.shardmill("verify", "out")
            self.assertFalse((self.folder / "out/.shardmill").exists())
        self.at_random_renames(self.UPDATE, 2, check)

    def test_its_shards_are_no_source(self):
        def check(new, random_):
            if (self.folder / "out/dataset.json").exists():
                return
            tars = sorted((self.folder / "out/shards").glob("*.tar"))
            for source in ["out/shards", "out/shards/*.tar", *[f"out/shards/{tar.name}" for tar in tars[:1]]]:
                if tars:
                    self.fails("repack", source, "--out", "new",
                               says=["do not have their names yet", "shardmill repair"])
            self.shardmill("repair", "out", "-q")
            self.shardmill("repack", "out/shards", "--out", "new", "--force", "-q")
        self.at_random_renames(self.AGAIN, 4, check)

    def test_of_repack(self):
        def check(new, random_):
            self.shardmill("repair", "out", "-q")
            self.assertEqual(self.snapshot(), new)
            self.shardmill("verify", "out")
        self.at_random_renames(self.AGAIN, 3, check)


class Reading(Interrupting):
    def test_verify_while_an_update_is_published(self):
        """Never damage: what was read is good, or was changed while it was read."""
        changed = 0
        for number in range(300):
            if changed == 5:
                break
            self.restart()
            process = subprocess.Popen([harness.PROGRAM, "verify", "out", "-j1", "--decode"], cwd=self.folder,
                                       stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.wait_until_it_reads_a_shard(process)
            time.sleep(number % 30 / 10_000)
            process.send_signal(signal.SIGSTOP)
            self.shardmill(*self.UPDATE)
            process.send_signal(signal.SIGCONT)
            out, error = process.communicate()
            if process.returncode != 0:
                self.assertIn(b"the dataset was changed while it was read", error, out)
                changed += 1
        self.assertGreater(changed, 0)

    def wait_until_it_reads_a_shard(self, process):
        while process.poll() is None:
            with contextlib.suppress(OSError):
                if any("/shards/" in os.readlink(link) for link in Path(f"/proc/{process.pid}/fd").iterdir()):
                    return


class Splits(Interrupting):
    MAKE = (*Interrupting.MAKE, "--split", "dev=3s", "--split-by", "key")
    AGAIN = (*Interrupting.AGAIN, "--split", "dev=4s", "--split-by", "key")

    def test_one_dataset_is_changed(self):
        calls = self.calls(*self.AGAIN)
        random_ = random.Random(4)
        for _ in range(ROUNDS):
            self.cut(*self.AGAIN, at=random_.randint(len(calls) // 3, len(calls)))
            command = random_.choice([["repair", "out/train"], ["update", "out/dev", "--remix"], ["repair", "out/dev"]])
            self.shardmill(*command, "-q", code=None)
            result = self.shardmill("verify", "out", code=None)
            self.assertEqual(result.code, 0, result.out.decode() + result.err)
            self.shardmill(*self.AGAIN)
            self.shardmill("verify", "out", "--against", "main=a.tar", "main=b.tar")


if __name__ == "__main__":
    unittest.main()
