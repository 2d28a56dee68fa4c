"""What the tests of the program share: running it, and making shards of speech to run it on."""
import bz2
import functools
import io
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tarfile
import tempfile
import time
import unittest

import numpy
import soundfile

# Before a command: even for root, it may then read only what the modes of files allow.
WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
PROGRAM = os.environ.get("SHARDMILL") or str(pathlib.Path(__file__).parents[2] / "build/release/shardmill")
PROGRAM_IN_SHELL = shlex.quote(PROGRAM)  # its path may have blanks
SANITIZED = bool(os.environ.get("SHARDMILL_SANITIZE"))
SAMPLE_RATE = 16000
COMPRESSORS = {
    "none": ["cat"],
    "bzip2": ["bzip2", "-c"],
    "gzip": ["gzip", "-nc"],
    "xz": ["xz", "-1c"],
    "zstd": ["zstd", "-qc"],
    "lz4": ["lz4", "-qc"],
}
SUFFIX = {"none": "", "bzip2": ".bz2", "gzip": ".gz", "xz": ".xz", "zstd": ".zst", "lz4": ".lz4"}
WORDS = "the shard holds as much audio as every other one so that no rank has to wait for the rest".split()


@functools.lru_cache(maxsize=None)
def vector_paths():
    """The values of SHARDMILL_VECTOR_PATH that this machine can run."""
    probe = bz2.compress(b"probe")
    return [path for path in ("portable", "ssse3", "avx2", "avx512", "neon")
            if subprocess.run([PROGRAM, "cat", "-"], input=probe, capture_output=True,
                              env={**os.environ, "SHARDMILL_VECTOR_PATH": path}).returncode == 0]


@functools.lru_cache(maxsize=None)
def all_forms():
    """The forms of other projects' loaders, as the program lists them."""
    about = subprocess.run([PROGRAM, "index", "--help"], capture_output=True, check=True).stdout.decode()
    kinds = about.split("The kinds are:\n")[1].split("Those that")[0]
    return re.findall(r"^  ([a-z-]+) {2,}", kinds, re.MULTILINE)


class Result:
    def __init__(self, completed):
        self.code = completed.returncode
        self.out = completed.stdout
        self.err = completed.stderr.decode()


class Case(unittest.TestCase):
    """A test with a folder of its own, `self.folder`, in which the program runs."""

    maxDiff = 2000

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="shardmill-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def shardmill(self, *arguments, code=0, **more):
        """Runs the program, checks its exit code (None: any), and that no message is more than it should be."""
        if "input" not in more:
            more.setdefault("stdin", subprocess.DEVNULL)
        more.setdefault("stdout", subprocess.PIPE)
        environment = {**os.environ, **more.pop("env", {})}
        completed = subprocess.run([PROGRAM, *map(str, arguments)], cwd=more.pop("cwd", self.folder),
                                   stderr=subprocess.PIPE,
                                   timeout=300, env=environment, **more)
        result = Result(completed)
        self.assertIn(result.code, [result.code if code is None else code], f"shardmill {arguments}: {result.err}")
        for trace in ("Sanitizer", "terminate called", "what():", "runtime error:"):
            self.assertNotIn(trace, result.err)
        return result

    def fails(self, *arguments, says, code=1, faults=1, **more):
        """Runs the program, which must fail with a line for each fault (None: of any number); the first holds
        each of `says`."""
        result = self.shardmill(*arguments, code=code, **more)
        # A slow run shows its progress now and then, and that it waits for a server; these are no messages.
        news = re.compile(r"shardmill \w+: ( *\d+%|.*; the next attempt is in \d+ s$)")
        lines = [line for line in result.err.splitlines() if not news.match(line)]
        self.assertEqual(len(lines), faults or max(1, len(lines)), result.err)
        self.assertTrue(lines[0].startswith("shardmill"), lines[0])
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(str(part), lines[0])
        return result

    def write(self, name, data):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def caught(self, start, at_work):
        """What `start()` starts, stopped (SIGSTOP) at a moment when `at_work()` is true. A run too quick is
        repeated."""
        for _ in range(200):
            process = start()
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            while process.poll() is None and not at_work():
                time.sleep(0.001)
            process.send_signal(signal.SIGSTOP)
            if process.poll() is None:
                os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            if process.poll() is None and at_work():
                return process
            process.kill()
            process.communicate()
            shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.fail("no run was caught at work")

    def content(self, name):
        """Of a file that may vanish at any moment, or not be there yet: then nothing."""
        try:
            return (self.folder / name).read_bytes()
        except FileNotFoundError:
            return b""

    def names(self, folder="."):
        """All files below a folder of the test, hidden and temporary ones too."""
        root = self.folder / folder
        return sorted(str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir())


def output_of(*command, data=b""):
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True).stdout


def compress(codec, data):
    """Compresses with the codec's own program, never with shardmill."""
    return compressed(codec, bytes(data))


@functools.lru_cache(maxsize=64)  # most tests of a file compress the same
def compressed(codec, data):
    return output_of(*COMPRESSORS[codec], data=data)


def decompress(codec, data):
    return data if codec == "none" else output_of(COMPRESSORS[codec][0], "-dc", data=data)


@functools.lru_cache(maxsize=None)
def speech(number):
    """Utterance `number`: its text and its samples, 16 kHz, with the noise that recordings have. Always the same."""
    text = " ".join(WORDS[(number * 7 + step * 3) % len(WORDS)] for step in range(2 + number % 5))
    with tempfile.NamedTemporaryFile(suffix=".wav") as spoken:
        subprocess.run(["espeak-ng", "-v", "en", "-s", str(140 + number % 60), "-w", spoken.name, text], check=True)
        samples, rate = soundfile.read(spoken.name, dtype="float64")
    times = numpy.arange(int(len(samples) * SAMPLE_RATE / rate)) * rate / SAMPLE_RATE
    samples = numpy.interp(times, numpy.arange(len(samples)), samples) * 0.7
    noise = numpy.random.default_rng(number).normal(0, 0.002, len(samples))
    return text, ((samples + noise) * 32000).astype(numpy.int16)


@functools.lru_cache(maxsize=None)
def audio(number, form="wav"):
    """Utterance `number` as the bytes of a wav or flac file."""
    out = io.BytesIO()
    soundfile.write(out, speech(number)[1], SAMPLE_RATE, format=form.upper(), subtype="PCM_16")
    return out.getvalue()


def samples(numbers, form="wav"):
    """Members of a shard as WeNet's scripts write them: [("utt00001.txt", ...), ("utt00001.wav", ...), ...]."""
    return [member for number in numbers for member in
            ((f"utt{number:05}.txt", speech(number)[0].encode()), (f"utt{number:05}.{form}", audio(number, form)))]


def tar(members):
    """A plain tar of (name, bytes) pairs."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


@functools.lru_cache(maxsize=None)
def shard(first=0, count=6, form="wav"):
    """A plain tar of `count` samples of speech."""
    return tar(samples(range(first, first + count), form))
