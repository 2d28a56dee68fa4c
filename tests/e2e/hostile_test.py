"""Input made to hurt: bombs, sizes that cannot be, headers without end, names that would forge records."""
import bz2
import io
import json
import os
import struct
import subprocess
import sys
import tarfile
import unittest

import numpy
import soundfile

import harness
from repack_test import Repacking, tone

MEBIBYTE = 1 << 20
# Runs a program; prints its exit code and its peak of memory in bytes.
MEASURE = """import os, sys
_, status, usage = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024)"""
MEMORY = 128 * MEBIBYTE
# Memory in addition to --memory: the program, its libraries, and the windows and tables of compressors.
BESIDE_MEMORY = 64 * MEBIBYTE


def header(name, size, kind=b"0"):
    """A ustar header; `size` is a number, or the 12 bytes of the field."""
    field = size if isinstance(size, bytes) else b"%011o\0" % size
    block = bytearray(struct.pack("100s8s8s8s12s12s8sc100s8s", name, b"0000644", b"0000000", b"0000000", field,
                                  b"00000000000", b" " * 8, kind, b"", b"ustar\x0000").ljust(512, b"\0"))
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def base256(number):
    return number.to_bytes(12, "big", signed=True) if number < 0 else bytes([0x80]) + number.to_bytes(11, "big")


def padded(data):
    return data + bytes(-len(data) % 512)


# The second sample is next to the damage, so nobody can tell whether it is whole.
GOOD = b"".join(header(name, len(tone(1600))) + padded(tone(1600)) for name in (b"good.wav", b"next.wav"))
END = bytes(1024)


class Hostile(Repacking):
    def peak(self, *arguments, code):
        """Runs the program with --memory, checks its peak of memory and that it ends with one line at most."""
        # A child's peak starts with its parent's size, so a small process stands in between.
        done = subprocess.run([sys.executable, "-ISc", MEASURE, harness.PROGRAM, *map(str, arguments), "--memory",
                               str(MEMORY), "-q"], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=600)
        error = done.stderr.decode()
        result, peak = map(int, done.stdout.split())
        self.assertEqual(result, code, error)
        self.assertLessEqual(len(error.splitlines()), 1 if code else 0, error)
        unjudged = ", not judged: a sanitizer needs memory of its own" if harness.SANITIZED else ""
        print(f"{self.id()} {arguments[:2]}: peak {peak // MEBIBYTE} MiB{unjudged}", file=sys.stderr)
        if not unjudged:
            self.assertLess(peak, MEMORY + BESIDE_MEMORY)

    def only_good(self, name, data):
        """A hostile shard whose first sample is good: with skip, that is there, and something is recorded as lost."""
        self.write(name, data)
        self.fails("repack", "--allow-missing-text", name, "--out", "stop", "--shards", 1, says=name)
        self.peak("repack", "--allow-missing-text", name, "--out", "skip", "--shards", 1, "--on-error", "skip",
                  "--force", code=3)
        self.assertIn("good", [record["source_key"] for record in self.records("skip")])
        self.assertGreaterEqual(len(self.records("skip", "rejects.jsonl")), 1)


class Bombs(Hostile):
    def test_one_member_of_gigabytes(self):
        size = 2 << 30
        zeros = bytes(32 * MEBIBYTE)
        for codec in ("bzip2", "zstd"):
            with self.subTest(codec=codec):
                parts = [harness.compress(codec, GOOD + header(b"bomb.wav", size))]
                parts += [harness.compress(codec, zeros)] * (size // len(zeros))
                parts += [harness.compress(codec, END)]
                name = f"bomb.tar{harness.SUFFIX[codec]}"
                self.write(name, b"".join(parts))
                self.peak("repack", "--allow-missing-text", name, "--out", codec, "--shards", 1, "--on-error", "skip",
                          code=3)
                self.assertEqual({record["key"] for record in self.records(codec)}, {"good", "next"})
                self.assertEqual(len(self.records(codec, "rejects.jsonl")), 1)
                self.assertIn("bomb.wav", (self.folder / codec / "rejects.jsonl").read_text())
                self.peak("convert", name, "--out", "plain", code=0)
                self.assertEqual((self.folder / "plain/bomb.tar").stat().st_size, size + len(GOOD) + 512 + 1024)
                (self.folder / "plain/bomb.tar").unlink()

    def test_thousands_of_silent_recordings_in_a_few_kilobytes(self):
        out = io.BytesIO()
        silence = bytearray(tone(32000))
        silence[44:] = bytes(len(silence) - 44)
        with tarfile.open(fileobj=out, mode="w") as archive:
            for number in range(4000):
                entry = tarfile.TarInfo(f"silent{number:05}.wav")
                entry.size = len(silence)
                archive.addfile(entry, io.BytesIO(silence))
        self.write("silent.tar.zst", harness.compress("zstd", out.getvalue()))
        self.peak("repack", "--allow-missing-text", "silent.tar.zst", "--out", "out", "--shards", 4, "--codec", "zstd",
                  code=0)
        self.assertEqual(len(self.records("out")), 4000)

    def test_a_minute_cut_into_hours(self):
        """Windows that overlap two hundredfold."""
        samples = numpy.random.default_rng(0).integers(-3000, 3000, 60 * 16000, dtype=numpy.int16)
        (self.folder / "corpus").mkdir()
        soundfile.write(self.folder / "corpus/minute.wav", samples, 16000)
        begins = [number * 40 / 600 for number in range(600)]
        self.write("corpus/wav.scp", f"minute {self.folder}/corpus/minute.wav\n".encode())
        self.write("corpus/segments", "".join(f"window{number:03} minute {begin:.3f} {begin + 20:.3f}\n"
                                              for number, begin in enumerate(begins)).encode())
        self.write("corpus/text", "".join(f"window{number:03} words\n" for number in range(600)).encode())
        self.peak("repack", "--allow-missing-text", "corpus", "--out", "out", "--shards", 2, "-j", 2, code=0)
        self.assertEqual(len(self.records("out")), 600)


class Tars(Hostile):
    def test_sizes_that_cannot_be(self):
        for size in (base256(1 << 62), base256((1 << 64) + 512), base256((1 << 80) - 1), base256(-1),
                     base256(-(1 << 62)), b"\xff" * 12, b"77777777777\0", b"-0000000512\0", b"9" * 12,
                     b"0x10".ljust(12)):
            with self.subTest(size=size):
                self.only_good("a.tar", GOOD + header(b"evil.wav", size) + bytes(4096) + END)

    def test_headers_without_end(self):
        name = b"x" * 512
        for kind in (b"L", b"K", b"x", b"g"):
            with self.subTest(kind=kind):
                data = name if kind in b"LK" else b"30 path=abcdefghijklmnopqrstu\n".ljust(512, b"\0")
                size = 512 if kind in b"LK" else 30
                chain = (header(b"././@LongLink", size, kind) + data) * 20000
                self.only_good("a.tar.zst", harness.compress("zstd", GOOD + chain))

    def test_a_name_of_a_gigabyte(self):
        name = header(b"././@LongLink", 1 << 30, b"L")
        parts = [bz2.compress(GOOD + name)] + [bz2.compress(b"x" * (32 * MEBIBYTE))] * 32
        parts += [bz2.compress(header(b"evil.wav", 0) + END)]
        self.only_good("a.tar.bz2", b"".join(parts))


class Audio(Hostile):
    def test_headers_that_cannot_be(self):
        good = tone(1600)
        for offset, form, value in ((22, "<H", 0), (22, "<H", 65535), (24, "<I", 0), (24, "<I", 0xFFFFFFFF),
                                    (34, "<H", 0), (34, "<H", 65535), (16, "<I", 0xFFFFFFFF), (20, "<H", 0x1234)):
            with self.subTest(offset=offset, value=value):
                evil = bytearray(good)
                struct.pack_into(form, evil, offset, value)
                self.write("a.tar", harness.tar([("evil.wav", bytes(evil)), ("good.wav", good)]))
                self.peak("repack", "--allow-missing-text", "a.tar", "--out", "skip", "--shards", 1,
                          "--on-error", "skip", "--force", code=3)
                self.assertEqual([record["source_key"] for record in self.records("skip")], ["good"])
        for place in range(18, 26):
            evil = bytearray(tone(1600, form="FLAC"))
            evil[place] ^= 0xFF
            self.write("a.tar", harness.tar([("evil.flac", bytes(evil)), ("good.wav", good)]))
            self.repack("a.tar", "--out", "skip", "--shards", 1, "--allow-missing-text", "--on-error", "skip",
                        "--max-rejects", 1, "--force")
            self.assertIn("good", [record["source_key"] for record in self.records("skip")])


class Names(Hostile):
    def test_every_record_stays_one_line_of_json(self):
        names = ['quote".wav', "back\\slash.wav", "tab\t.wav", "nul-free\x01\x1f\x7f.wav", "line\u2028\u2029.wav",
                 '"},{"key":"forged.wav', "new\nline.wav",
                 "\ud83d\ude00.wav".encode("utf-16", "surrogatepass").decode("utf-16"),
                 "..wav", "../../etc/x.wav", "/abs/y.wav", "%s%n.wav", "$(reboot).wav", "-rf.wav", " .wav",
                 "a" * 300 + ".wav"]
        members = [(name, tone(900, seed=number)) for number, name in enumerate(names)]
        members.append((b"\xff\xfe.wav".decode("utf-8", "surrogateescape"), tone(900, seed=99)))
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT, errors="surrogateescape") as archive:
            for name, data in members:
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
        self.write("a.tar", out.getvalue())
        self.repack("a.tar", "--out", "out", "--shards", 1, "--allow-missing-text", "--on-error", "skip",
                    "--max-rejects", 99,
                    "--on-duplicate", "rename")
        records, rejects = self.records("out"), self.records("out", "rejects.jsonl")
        self.assertEqual(len(records) + len(rejects), len(members))
        self.assertEqual(len({record["key"] for record in records}), len(records))
        for record in records:
            self.assertNotRegex(record["key"], r"[./\s\x00-\x1f\x7f]")
        for name in ("tarred_audio_manifest.json", "rejects.jsonl", "manifests/manifest_000000000.json"):
            text = (self.folder / "out" / name).read_bytes().decode()  # valid UTF-8 throughout
            self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f]")
            for line in text.split("\n")[:-1]:
                self.assertIsInstance(json.loads(line), dict)


if __name__ == "__main__":
    unittest.main()
