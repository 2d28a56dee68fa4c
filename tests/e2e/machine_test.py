"""What is wrong with the machine, or changes under a run, ends it: no sample is left out for it."""
import json
import os
import resource
import subprocess
import time
import unittest

import harness
from audio_test import encode, noise
from harness import compress


class FewDescriptors(harness.Case):
    def setUp(self):
        super().setUp()
        for number in range(12):
            self.write(f"corpus/u{number:02}.wav", encode(noise(8000), 16000, "WAV"))
            self.write(f"corpus/u{number:02}.txt", b"text")
        for number in range(6):
            self.write(f"shards/s{number}.tar.bz2", compress("bzip2", harness.shard(6 * number)))

    def run_with(self, descriptors, *arguments):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

        return harness.Result(subprocess.run([harness.PROGRAM, *arguments], cwd=self.folder, capture_output=True,
                                             preexec_fn=limit, timeout=120))

    def test_repack_takes_all_samples_or_ends(self):
        whole = {}
        for source in ("corpus", "shards"):
            self.shardmill("repack", source, "--out", f"whole-{source}", "--shards", 3)
            whole[source] = json.loads((self.folder / f"whole-{source}/dataset.json").read_text())["samples"]
        codes = set()
        for descriptors in range(6, 34, 3):
            for source in whole:
                with self.subTest(descriptors=descriptors, source=source):
                    out = f"{source}{descriptors}"
                    result = self.run_with(descriptors, "repack", source, "--out", out, "--shards", "3",
                                           "--on-error", "skip", "--max-rejects", "100", "-j", "4")
                    codes.add(result.code)
                    if result.code == 0:
                        dataset = json.loads((self.folder / out / "dataset.json").read_text())
                        self.assertEqual(dataset["samples"], whole[source])
                    else:
                        self.assertEqual(result.code, 1, result.err)
                        self.assertFalse((self.folder / out / "dataset.json").exists())
                        self.assertIn("Too many open files", result.err)
        self.assertEqual(codes, {0, 1})

    def test_checks_find_no_damage(self):
        for descriptors in range(6, 34, 3):
            for arguments in (["inspect", "shards"], ["verify", "shards"], ["convert", "shards", "--out", "o"]):
                with self.subTest(descriptors=descriptors, arguments=arguments):
                    result = self.run_with(descriptors, *arguments, "-j", "4")
                    if result.code != 0:
                        self.assertIn("Too many open files", result.err)
                        self.assertEqual(result.out, b"")


class ChangedWhileItIsRead(harness.Case):
    """The reader stands still, as nobody takes what it writes, while the file is changed."""

    def check(self, change, says):
        path = self.write("a.tar.gz", compress("gzip", harness.shard(count=40)))
        process = subprocess.Popen([harness.PROGRAM, "cat", "a.tar.gz"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stdout.read(1)
        time.sleep(0.1)
        change(path)
        _, error = process.communicate()
        self.assertEqual(process.returncode, 1, error)
        self.assertEqual(error.decode().splitlines(),
                         [f"shardmill cat: a.tar.gz: {says} (run again when no other program writes it)"])

    def test_replaced(self):
        def replace(path):
            data = path.read_bytes()
            times = path.stat()
            self.write("b", data)
            os.utime(self.folder / "b", ns=(times.st_atime_ns, times.st_mtime_ns))
            (self.folder / "b").rename(path)

        self.check(replace, "changed while it was read")

    def test_written(self):
        self.check(lambda path: path.write_bytes(bytes(100)), "changed while it was read")

    def test_grown(self):
        def grow(path):
            with open(path, "ab") as file:
                file.write(bytes(512))

        self.check(grow, "changed while it was read")

    def test_removed(self):
        self.check(lambda path: path.unlink(), "was moved or removed while it was read")


if __name__ == "__main__":
    unittest.main()
