"""What a run is started with and what hits it: closed descriptors, limits, signals, a terminal of some width."""
import fcntl
import json
import os
import pty
import re
import resource
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

import harness
from repack_test import Repacking, corpus

INJECTOR = os.environ.get("SHARDMILL_FAULT_INJECTOR")


class Streams(harness.Case):
    def setUp(self):
        super().setUp()
        self.write("in/a.tar.bz2", harness.compress("bzip2", harness.shard(0, 6)))
        self.write("in/b.tar.bz2", harness.compress("bzip2", harness.shard(6, 6)))

    def shell(self, command):
        """Runs it by bash; $S stands for the program."""
        return subprocess.run(["bash", "-c", command.replace("$S", harness.PROGRAM_IN_SHELL)], cwd=self.folder,
                              capture_output=True, timeout=120).returncode

    def contents(self, folder):
        return {name: (self.folder / folder / name).read_bytes() for name in self.names(folder)
                if name not in ("run.json", "data.list")}

    def test_closed_descriptors_get_no_part_of_the_results(self):
        self.assertEqual(self.shell("$S repack in --out want --shards 2; $S convert in --out plain"), 0)
        for number, closed in enumerate(("<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", "<&- >&- 2>&-")):
            with self.subTest(closed=closed):
                # If nobody gets the summary, the command fails, but the dataset is whole.
                failed = int(" >&-" in " " + closed)
                self.assertEqual(self.shell(f"$S repack in --out r{number} --shards 2 --progress bar {closed}"), failed)
                self.assertEqual(self.contents(f"r{number}"), self.contents("want"))
                self.assertEqual(self.shell(f"$S convert in --out c{number} --progress bar {closed}"), failed)
                results, expected = ({name: data for name, data in self.contents(folder).items()
                                      if not name.startswith(".shardmill/")}  # records hold times
                                     for folder in (f"c{number}", "plain"))
                self.assertEqual(results, expected)

    def test_messages_that_cannot_be_written_stop_nothing(self):
        self.write("in/bad.tar.bz2", b"BZh9" + b"junk" * 99)
        for mode in ("bar", "plain", "none"):
            self.assertEqual(self.shell(f"$S repack in --out {mode} --shards 2 --on-error skip --max-rejects all "
                                        f"--progress {mode} 2>/dev/full"), 0)
        self.assertEqual(self.shell("$S repack nothing --out x 2>/dev/full"), 1)
        self.assertEqual(self.shell("$S nonsense 2>/dev/full"), 2)
        self.assertEqual(self.shell("$S 2>/dev/full"), 2)

    def test_results_that_cannot_be_written_are_a_failure(self):
        self.assertEqual(self.shell("$S repack in --out out --shards 2 --json >/dev/full"), 1)
        self.assertEqual(self.shell("$S cat in/a.tar.bz2 >/dev/full"), 1)

    def test_a_reader_that_went_away_is_told_by_the_exit_code(self):
        for command in ("verify in", "inspect in", "repack --help"):
            with self.subTest(command=command):
                self.assertEqual(self.shell(f"(sleep 0.3; $S {command}) | true; exit ${{PIPESTATUS[0]}}"), 141)


class Limits(harness.Case):
    def setUp(self):
        super().setUp()
        self.write("in/a.tar", harness.shard(0, 12))

    def test_limit_on_file_sizes(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

        for command in (["repack", "in", "--out", "out", "--shards", "1"], ["convert", "in", "--out", "out"]):
            with self.subTest(command=command[0]):
                result = self.shardmill(*command, code=1, preexec_fn=limit)
                self.assertIn("File too large", result.err)
                self.assertIn("ulimit -f", result.err)
                self.assertEqual([name for name in self.names("out") if not name.startswith(".shardmill/")], [])

    @unittest.skipUnless(INJECTOR, "the fault injector was not built")
    def test_threads_that_cannot_be_started(self):
        # When other processes reach the limit later, the library that starts threads fails.
        for most in (0, 1, 2, 5, 8, 9, 10):
            with self.subTest(most=most):
                result = self.shardmill("repack", "in", "--out", "out", "--shards", "1", "-j", 8, code=1,
                                        env={"LD_PRELOAD": INJECTOR, "FAULT_THREADS": str(most)})
                if most < 8:
                    self.assertRegex(result.err, "cannot start .*thread.*ulimit -u")
                self.assertIn("Resource temporarily unavailable", result.err)
                self.assertEqual([name for name in self.names("out") if not name.startswith(".shardmill/")], [])


class Signals(harness.Case):
    """The first signal ends a run that waits for somebody who says nothing."""

    def stopped(self, process, number, seconds=5):
        time.sleep(0.3)
        self.assertIsNone(process.poll(), "it should still be waiting")
        began = time.monotonic()
        process.send_signal(number)
        try:
            error = process.communicate(timeout=seconds)[1]
        finally:
            process.kill()
        self.assertEqual(process.returncode, 128 + number, error)
        self.assertLess(time.monotonic() - began, 2)
        return error.decode()

    def start(self, *arguments, **more):
        more.setdefault("stdin", subprocess.PIPE)
        return subprocess.Popen([harness.PROGRAM, *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **more)

    def test_a_pipe_that_says_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            said = self.stopped(self.start("cat", "-"), number)
            self.assertNotIn("go on", said)  # only commands that write keep anything

    def test_a_pipe_that_nobody_writes_to(self):
        os.mkfifo(self.folder / "pipe")
        self.stopped(self.start("cat", "pipe"), signal.SIGTERM)

    def test_a_pipe_that_stops_in_the_middle(self):
        os.mkfifo(self.folder / "pipe")
        process = self.start("cat", "pipe")
        with open(self.folder / "pipe", "wb", buffering=0) as pipe:
            pipe.write(harness.compress("bzip2", harness.shard())[:5000])
            self.stopped(process, signal.SIGTERM)

    def test_a_slow_pipe_is_read_to_its_end(self):
        os.mkfifo(self.folder / "pipe")
        data = harness.compress("bzip2", harness.shard())
        process = self.start("cat", "pipe", stdin=subprocess.DEVNULL)
        time.sleep(0.3)
        with open(self.folder / "pipe", "wb", buffering=0) as pipe:
            for begin in range(0, len(data), 1 + len(data) // 4):
                pipe.write(data[begin:begin + 1 + len(data) // 4])
                time.sleep(0.2)
        out, error = process.communicate(timeout=20)
        self.assertEqual((process.returncode, out, error), (0, harness.shard(), b""))

    def test_a_command_that_hangs_and_all_it_has_started(self):
        for number, hang in enumerate(("sleep 98765", "sleep 98765 | cat", "exec >&-; sleep 98765")):
            with self.subTest(hang=hang):
                self.write(f"k{number}/wav.scp", f"key echo $$ > pids; {hang} |\n".encode())
                self.write(f"k{number}/text", b"key words\n")
                process = self.start("repack", f"k{number}", "--out", f"out{number}", "--shards", "1",
                                     "--allow-commands", "--on-error", "skip", "--ignore-free-space")
                pids = self.folder / "pids"
                for _ in range(200):  # until the command has begun, on a busy machine
                    if pids.exists() and pids.read_text().endswith("\n"):
                        break
                    time.sleep(0.05)
                self.stopped(process, signal.SIGTERM)
                group = int(pids.read_text())
                pids.unlink()
                with self.assertRaises(ProcessLookupError):
                    for _ in range(100):  # whoever inherits them may take a moment to see that they have ended
                        os.killpg(group, 0)
                        time.sleep(0.05)
                self.assertFalse((self.folder / f"out{number}/dataset.json").exists())


class Terminal(Repacking):
    """Progress in a terminal, read as a person would see it."""

    def watched(self, columns, *arguments):
        """Runs the program in a terminal; returns the exit code and every state of every line."""
        controller, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen([harness.PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=terminal)
        os.close(terminal)
        said = b""
        while True:
            try:
                piece = os.read(controller, 65536)
            except OSError:  # Linux says so when the other end is closed
                break
            if not piece:
                break
            said += piece
        os.close(controller)
        return process.wait(), [line for line in re.split(r"\r\x1b\[K|\r?\n", said.decode()) if line]

    def test_lines_fit_and_no_phase_passes_its_end(self):
        tars, _ = corpus("long", 500, shards=3)
        self.put("in", tars, "bzip2")
        for columns in (80, 40):
            with self.subTest(columns=columns):
                code, lines = self.watched(columns, "repack", "in", "--out", f"out{columns}", "--shards", "2",
                                           "--codec", "zstd", "--level", "19", "-j1", "--list-root", "/r")
                self.assertEqual(code, 0, lines)
                shown = [line for line in lines if "%" in line]
                self.assertTrue(shown, lines)
                self.assertLess(max(map(len, shown)), columns, shown)
                shares = [int(re.search(r"(\d+)%", line)[1]) for line in shown]
                self.assertLessEqual(max(shares), 100)
                self.assertTrue(any("compressing" in line for line in shown), shown)


if __name__ == "__main__":
    unittest.main()
