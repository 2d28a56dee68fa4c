"""`shardmill cat`: every codec and every way files of it are put together, members, pipes, and what goes wrong."""
import bz2
import json
import lzma
import os
import random
import signal
import subprocess
import unittest

import harness
from harness import compress, output_of


def multi_part_files(plain):
    """Files of several streams, frames or members, by name: what parallel compressors and `cat a b` make."""
    half = len(plain) // 2
    skippable = (0x184D2A50).to_bytes(4, "little") + (5).to_bytes(4, "little") + b"12345"
    for codec in ("bzip2", "gzip", "xz", "zstd", "lz4"):
        yield f"{codec}, two parts", compress(codec, plain[:half]) + compress(codec, plain[half:])
        yield f"{codec}, an empty part between", b"".join(
            compress(codec, part) for part in (plain[:half], b"", plain[half:]))
    yield "pbzip2", output_of("pbzip2", "-c", "-b1", "-p2", data=plain)
    yield "lbzip2", output_of("lbzip2", "-c", "-1", data=plain)
    yield "pigz", output_of("pigz", "-c", data=plain)
    yield "xz of many blocks", output_of("xz", "-c", "-0", "-T2", "--block-size=65536", data=plain)
    yield "xz with padding", lzma.compress(plain[:half]) + b"\0" * 8 + lzma.compress(plain[half:])
    yield "lzma-2 of CRC32", lzma.compress(plain, check=lzma.CHECK_CRC32)
    yield "gzip with a name", output_of("sh", "-c", "t=$(mktemp) && cat >$t && gzip -c $t && rm $t", data=plain)
    yield "zstd of many threads", output_of("zstd", "-qc", "-T2", "-B65536", "--long=24", data=plain)
    yield "zstd with checksums and no size", output_of("zstd", "-qc", "--check", "--no-content-size", data=plain)
    yield "zstd, skippable frames", skippable + compress("zstd", plain[:half]) + skippable + compress(
        "zstd", plain[half:]) + skippable
    yield "lz4, linked blocks and sizes", output_of("lz4", "-qc", "-BD", "-B4", "--content-size", data=plain)
    yield "lz4, skippable frame", compress("lz4", plain[:half]) + skippable + compress("lz4", plain[half:])


COMPRESSED = [codec for codec in harness.COMPRESSORS if codec != "none"]


class WholeShard(harness.Case):
    def test_every_codec(self):
        plain = harness.shard()
        for codec in harness.COMPRESSORS:
            packed = self.write("a.tar" + harness.SUFFIX[codec], compress(codec, plain))
            for threads in (1, 2, 7):
                with self.subTest(codec=codec, threads=threads):
                    result = self.shardmill("cat", packed, "-j", threads)
                    self.assertEqual(result.out, plain)
                    self.assertEqual(result.err, "")

    def test_files_of_several_parts(self):
        plain = harness.shard(count=12)
        for name, packed in multi_part_files(plain):
            with self.subTest(name=name):
                self.write("a", packed)
                self.assertEqual(self.shardmill("cat", "a").out, plain)

    def test_bzip2_levels_and_contents(self):
        random_bytes = random.Random(1).randbytes(2_500_000)
        contents = {
            "speech": harness.shard(count=20),
            "one byte": b"x",
            "zeros in one block": bytes(45_000_000),
            "incompressible": random_bytes,
            "period 2": b"ab" * 500_000,
            "period 900": random_bytes[:900] * 1500,
            "period of a block": random_bytes[:299_993] * 6,
            "runs of every length": b"".join(bytes([n % 251]) * n for n in range(1, 1500)),
        }
        for name, plain in contents.items():
            for level in (1, 9) if len(plain) > 1_000_000 else range(1, 10):
                with self.subTest(name=name, level=level):
                    self.write("a.bz2", bz2.compress(plain, level))
                    self.assertEqual(self.shardmill("cat", "a.bz2", "-j", 2).out, plain)

    def test_every_vector_path_gives_the_same(self):
        plain = harness.shard(count=40)
        self.write("a.bz2", bz2.compress(plain))
        for path in harness.vector_paths():
            with self.subTest(path=path):
                self.assertEqual(self.shardmill("cat", "a.bz2", env={"SHARDMILL_VECTOR_PATH": path}).out, plain)

    def test_names_do_not_matter(self):
        self.write("a.tar.gz", compress("bzip2", harness.shard()))
        self.assertEqual(self.shardmill("cat", "a.tar.gz").out, harness.shard())

    def test_no_content_is_no_error(self):
        for codec in ("bzip2", "gzip", "xz", "zstd", "lz4"):
            with self.subTest(codec=codec):
                self.write("empty", compress(codec, b""))
                self.assertEqual(self.shardmill("cat", "empty").out, b"")


class Pipes(harness.Case):
    def test_standard_input(self):
        plain = harness.shard()
        for codec in harness.COMPRESSORS:
            with self.subTest(codec=codec):
                packed = self.write("a", compress(codec, plain))
                self.assertEqual(self.shardmill("cat", "-", input=packed.read_bytes()).out, plain)
                with open(packed, "rb") as file:
                    self.assertEqual(self.shardmill("cat", "-", stdin=file).out, plain)

    def test_named_pipe(self):
        os.mkfifo(self.folder / "pipe")
        packed = self.write("a", compress("bzip2", harness.shard()))
        writer = subprocess.Popen(["timeout", "60", "cp", packed, self.folder / "pipe"])
        self.addCleanup(writer.wait)
        self.addCleanup(writer.terminate)
        self.assertEqual(self.shardmill("cat", "pipe").out, harness.shard())

    def test_reader_that_goes_away(self):
        packed = self.write("a", compress("bzip2", harness.shard(count=60)))
        with subprocess.Popen([harness.PROGRAM, "cat", packed], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as cat:
            self.assertEqual(len(cat.stdout.read(10)), 10)
            cat.stdout.close()
            self.assertEqual(cat.stderr.read(), b"")
        self.assertIn(cat.returncode, (-signal.SIGPIPE, 128 + signal.SIGPIPE))

    def test_full_disk(self):
        packed = self.write("a", compress("bzip2", harness.shard()))
        with open("/dev/full", "wb") as full:
            self.fails("cat", packed, stdout=full, says="No space left on device")
            self.fails("cat", packed, "utt00001.wav", stdout=full, says="No space left on device")

    def test_closed_output(self):
        packed = self.write("a", compress("bzip2", harness.shard()))
        closed = subprocess.run(["sh", "-c", f'"{harness.PROGRAM}" cat "{packed}" >&-'], stderr=subprocess.PIPE)
        self.assertEqual(closed.returncode, 1)
        self.assertIn(b"standard output", closed.stderr)


class OneMember(harness.Case):
    def setUp(self):
        super().setUp()
        self.members = [("utt1.txt", b"hello\n"), ("utt1.wav", harness.audio(1)), ("utt2.txt", b"world\n"),
                        ("utt2.flac", harness.audio(2, "flac")), ("only.json", b"{}"), ("./dir/utt3.txt", b"deep\n"),
                        ("x" * 150 + ".txt", b"long\n"), ("empty.txt", b""),
                        ("a.b.txt", b"two\n"), ("a.b.wav", harness.audio(3)), ("pair.txt", b"p\n"),
                        ("pair.spk", b"s\n")]
        self.write("a.tar.bz2", compress("bzip2", harness.tar(self.members)))

    def member(self, name):
        return self.shardmill("cat", "a.tar.bz2", name).out

    def test_by_whole_name(self):
        for name, data in self.members:
            with self.subTest(name=name):
                self.assertEqual(self.member(name), data)

    def test_by_key(self):
        self.assertEqual(self.member("utt1"), harness.audio(1))
        self.assertEqual(self.member("utt2"), harness.audio(2, "flac"))
        self.assertEqual(self.member("a.b"), harness.audio(3))
        self.assertEqual(self.member("only"), b"{}")

    def test_not_there(self):
        for name in ("utt9", "utt9.wav", "utt1.mp3", "utt", "", ".txt"):
            if not name:
                continue
            with self.subTest(name=name):
                self.assertEqual(self.fails("cat", "a.tar.bz2", name, says=["a.tar.bz2", name]).out, b"")

    def test_key_that_does_not_say_which(self):
        self.fails("cat", "a.tar.bz2", "pair", says=["a.tar.bz2", "pair"])

    def test_the_checksum_of_a_member_is_compared(self):
        """It may come long after the member; bytes that no checksum confirms are not written."""
        rng = random.Random(4)
        noise = [(f"utt{number}.wav", harness.audio(1) + rng.randbytes(200_000)) for number in range(20)]
        plain = harness.tar(noise)
        forms = {"gzip": compress("gzip", plain), "zstd": output_of("zstd", "-qc", "-1", data=plain),
                 "lz4": output_of("lz4", "-qc", "-9", data=plain), "bzip2": compress("bzip2", plain)}
        for codec, packed in forms.items():
            name = "noise.tar" + harness.SUFFIX[codec]
            self.write(name, packed)
            for number in (0, 10, 19):
                self.assertEqual(self.shardmill("cat", name, f"utt{number}").out, noise[number][1])
            for draw in range(12):
                flipped = bytearray(packed)
                flipped[rng.randrange(len(packed) * 9 // 20, len(packed) // 2)] ^= 1 << rng.randrange(8)
                self.write(name, flipped)
                with self.subTest(codec=codec, draw=draw):
                    got = harness.Result(subprocess.run([harness.PROGRAM, "cat", name, "utt9"], cwd=self.folder,
                                                        capture_output=True))
                    self.assertIn(got.out, (b"", noise[9][1]))
                    self.assertEqual(got.code == 0, got.out != b"")

    def test_no_tar(self):
        self.write("b.bz2", bz2.compress(b"this is no tar at all" * 100))
        self.assertEqual(self.fails("cat", "b.bz2", "utt1", says="b.bz2").out, b"")


class BadInput(harness.Case):
    def test_what_cannot_be_read(self):
        (self.folder / "folder").mkdir()
        self.write("zero.tar.bz2", b"")
        for name, cause in [("missing.tar", "No such file"), ("folder", "folder"), ("zero.tar.bz2", "empty")]:
            with self.subTest(name=name):
                self.fails("cat", name, says=[name, cause])
        self.fails("cat", "-", input=b"", says="empty")

    def test_unreadable(self):
        self.write("a.tar", harness.shard()).chmod(0)
        command = [*harness.WITHOUT_RIGHTS, harness.PROGRAM, "cat", "a.tar"]
        result = subprocess.run(command, cwd=self.folder, capture_output=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"a.tar: cannot open: Permission denied", result.stderr)

    def test_cut_anywhere(self):
        plain = harness.shard(count=2)
        for codec in ("bzip2", "gzip", "xz", "zstd", "lz4"):
            packed = compress(codec, plain)
            cuts = {*range(1, 24), *range(24, len(packed), len(packed) // 15), *(len(packed) - n for n in range(1, 14))}
            for cut in sorted(cuts):
                with self.subTest(codec=codec, cut=cut):
                    self.write("cut.tar" + harness.SUFFIX[codec], packed[:cut])
                    result = self.fails("cat", "cut.tar" + harness.SUFFIX[codec], says="cut.tar")
                    self.assertTrue(plain.startswith(result.out))

    def test_flipped_bit_anywhere(self):
        plain = harness.shard(count=2)
        for codec in ("bzip2", "gzip", "xz", "zstd", "lz4"):
            packed = compress(codec, plain) if codec != "zstd" else output_of("zstd", "-qc", "--check", data=plain)
            name = "flipped.tar" + harness.SUFFIX[codec]
            # Every bit is the business of the unit tests.
            for bit in sorted({*range(0, 96, 3), *range(96, len(packed) * 8, len(packed) * 8 // 30)}):
                flipped = bytearray(packed)
                flipped[bit // 8] ^= 0x80 >> bit % 8
                with self.subTest(codec=codec, bit=bit):
                    self.write(name, flipped)
                    self.check_flipped(name, plain, harness.COMPRESSORS[codec][0])

    def check_flipped(self, name, plain, peer):
        """Damage is found, or did no harm. Where the codec's own program complains, so do we."""
        result = harness.Result(subprocess.run([harness.PROGRAM, "cat", name], cwd=self.folder, capture_output=True))
        accepted = subprocess.run([peer, "-dc", name], cwd=self.folder, capture_output=True).returncode == 0
        if result.code == 0:
            self.assertEqual(result.out, plain)
            if not accepted:
                self.assertIn("warning: " + name, result.err)
        else:
            self.assertEqual(result.code, 1)
            self.assertFalse(accepted, result.err)
            self.assertTrue(result.err.startswith(f"shardmill cat: {name}: "), result.err)
            self.assertEqual(len(result.err.splitlines()), 1, result.err)

    def test_damage_says_where(self):
        plain = harness.shard(count=60)
        packed = bytearray(bz2.compress(plain, 1))
        packed[len(packed) // 2] ^= 0x10
        self.write("a.tar.bz2", packed)
        result = self.fails("cat", "a.tar.bz2", says=["a.tar.bz2", "block", "offset"])
        self.assertTrue(plain.startswith(result.out))
        self.assertGreater(len(result.out), len(plain) // 4)

    def test_what_follows_the_last_stream_is_damage_unless_it_is_ignored(self):
        plain = harness.shard()
        for codec in COMPRESSED:
            packed = compress(codec, plain)
            for trailing in (b"\x01garbage after the end", b"no more", bytes(512) + b"x"):
                with self.subTest(codec=codec, trailing=trailing):
                    self.write("a", packed + trailing)
                    place = str(len(packed) + len(trailing) - len(trailing.lstrip(b"\0")))
                    result = self.fails("cat", "a",
                                        says=["offset " + place, "the bytes after the end", "--ignore-trailing"])
                    self.assertEqual(result.out, plain)
                    result = self.shardmill("cat", "a", "--ignore-trailing")
                    self.assertEqual(result.out, plain)
                    self.assertIn("warning: a: offset " + place, result.err)
                    self.assertEqual(len(result.err.splitlines()), 1)

    def test_zeros_may_follow_the_last_stream(self):
        plain = harness.shard()
        for codec in COMPRESSED:
            for zeros in (1, 3, 512, 10240):
                with self.subTest(codec=codec, zeros=zeros):
                    self.write("a", compress(codec, plain) + bytes(zeros))
                    result = self.shardmill("cat", "a")
                    self.assertEqual((result.out, result.err), (plain, ""))

    def test_a_bit_flipped_in_the_magic_of_a_later_stream(self):
        """Half of the shard would be gone without a word."""
        plain = harness.shard(count=20)
        half = len(plain) // 2
        for codec in COMPRESSED:
            first = compress(codec, plain[:half])
            good = first + compress(codec, plain[half:])
            name = "a.tar" + harness.SUFFIX[codec]
            for bit in range(0, 16, 3):
                with self.subTest(codec=codec, bit=bit):
                    flipped = bytearray(good)
                    flipped[len(first) + bit // 8] ^= 1 << bit % 8
                    self.write(name, flipped)
                    place = len(first) + (flipped[len(first)] == 0)  # a zero may be padding, what follows may not
                    result = self.fails("cat", name, says=[name, f"offset {place}"])
                    self.assertEqual(result.out, plain[:half])
            self.shardmill("convert", name, "--out", "out", code=1)
            self.assertFalse((self.folder / "out").exists())
            for command in (["inspect", name], ["verify", name], ["repack", name, "--out", "packed", "--shards", "1"]):
                result = self.shardmill(*command, code=1)
                self.assertIn("the bytes after the end of a compressed stream", result.out.decode() + result.err,
                              command)
            self.assertFalse((self.folder / "packed/dataset.json").exists())

    def test_not_what_its_suffix_says(self):
        for suffix in (".tar", ".tar.bz2", ".tar.gz", ".tar.xz", ".tar.zst", ".tar.lz4"):
            with self.subTest(suffix=suffix):
                self.write("wrong" + suffix, b"neither a tar nor compressed\n" * 40)
                self.fails("cat", "wrong" + suffix, says="wrong" + suffix)


class Usage(harness.Case):
    def test_wrong_usage(self):
        self.write("a.tar", harness.shard())
        for arguments in ([], ["a.tar", "b", "c"], ["a.tar", "--nonsense"], ["a.tar", "-j", "0"], ["a.tar", "-j", "x"],
                          ["a.tar", "--memory", "lots"], ["a.tar", "--progress", "loud"], ["a.tar", "--threads"]):
            with self.subTest(arguments=arguments):
                self.fails("cat", *arguments, code=2, says="shardmill cat: ")

    def test_help_and_version(self):
        self.assertRegex(self.shardmill("--version").out.decode(), r"^shardmill \d+\.\d+\.\d+\n$")
        facts = json.loads(self.shardmill("--version", "--json").out)
        self.assertEqual(f"shardmill {facts['version']}\n", self.shardmill("--version").out.decode())
        self.assertRegex(facts["compiler"], r"^(gcc|clang) \d+")
        self.assertIn(facts["vector_path"], facts["vector_paths"])
        self.assertEqual(facts["vector_paths"][-1], "portable")
        for library in ("libbz2", "libzstd", "boost_program_options", "tbb"):
            self.assertRegex(facts["libraries"][library], r"^\d+\.\d+", library)
        overview = self.shardmill("--help").out.decode()
        for command in ("cat", "convert"):
            self.assertIn(f"  {command} ", overview)
            self.assertIn("usage: shardmill " + command, self.shardmill(command, "--help").out.decode())

    def test_no_command_and_unknown_command(self):
        self.assertIn("shardmill --help lists all commands", self.shardmill(code=2).err)
        self.fails("concat", code=2, says="concat")

    def test_help_into_a_full_disk(self):
        with open("/dev/full", "wb") as full:
            self.fails("--help", stdout=full, says="No space left")


if __name__ == "__main__":
    unittest.main()
