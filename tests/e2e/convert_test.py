"""`shardmill convert`: the same tar under another compression, once, whole or not at all."""
import bz2
import json
import os
import resource
import shutil
import signal
import subprocess
import tarfile
import time
import unittest

import harness
from harness import SUFFIX, compress, decompress


class Case(harness.Case):
    def results(self, folder):
        """All in it but what convert knows of them."""
        return [name for name in self.names(folder) if not name.startswith(".shardmill/converted/")]


class Converting(Case):
    def test_from_every_codec_to_every_codec(self):
        plain = harness.shard()
        for source in harness.COMPRESSORS:
            self.write(f"in/{source}.tar{SUFFIX[source]}", compress(source, plain))
        for target in ("none", "zstd", "lz4", "gzip"):
            with self.subTest(target=target):
                self.shardmill("convert", "in", "--out", f"out-{target}", "--codec", target)
                names = [f"{source}.tar{SUFFIX[target]}" for source in sorted(harness.COMPRESSORS)]
                self.assertEqual(self.results(f"out-{target}"), names)
                for name in names:
                    packed = (self.folder / f"out-{target}" / name).read_bytes()
                    self.assertEqual(decompress(target, packed), plain, name)

    def test_plain_is_the_default_and_a_tar_to_everyone(self):
        self.write("a.tar.bz2", compress("bzip2", harness.shard()))
        self.shardmill("convert", "a.tar.bz2", "--out", "out")
        with tarfile.open(self.folder / "out/a.tar") as archive:
            self.assertEqual(archive.getnames(), [name for name, _ in harness.samples(range(6))])

    def test_levels(self):
        self.write("a.tar.bz2", compress("bzip2", harness.shard(count=20)))
        for codec in ("zstd", "lz4", "gzip"):
            sizes = []
            for level in (1, 9):
                self.shardmill("convert", "a.tar.bz2", "--out", f"{codec}{level}", "--codec", codec, "--level", level)
                sizes.append((self.folder / f"{codec}{level}/a.tar{SUFFIX[codec]}").stat().st_size)
            self.assertLess(sizes[1], sizes[0], codec)

    def test_result_does_not_depend_on_threads(self):
        self.write("a.tar.bz2", bz2.compress(harness.shard(count=40), 1))
        for codec in ("zstd", "gzip", "lz4"):
            results = set()
            for threads in (1, 2, 7):
                self.shardmill("convert", "a.tar.bz2", "--out", f"{codec}{threads}", "--codec", codec, "-j", threads)
                results.add((self.folder / f"{codec}{threads}/a.tar{SUFFIX[codec]}").read_bytes())
            self.assertEqual(len(results), 1, codec)

    def test_zstd_is_one_frame_unless_seekable(self):
        plain = harness.shard(count=40)
        self.write("a.tar.bz2", compress("bzip2", plain))
        self.shardmill("convert", "a.tar.bz2", "--out", "one", "--codec", "zstd")
        self.shardmill("convert", "a.tar.bz2", "--out", "many", "--codec", "zstd", "--seekable")
        one = (self.folder / "one/a.tar.zst").read_bytes()
        many = (self.folder / "many/a.tar.zst").read_bytes()
        magic = b"\x28\xb5\x2f\xfd"
        self.assertEqual(one.count(magic), 1)
        self.assertGreater(many.count(magic), 1)
        self.assertEqual(many[-4:], b"\xb1\xea\x92\x8f")  # the seek table's magic number
        self.assertEqual(decompress("zstd", many), plain)

    def test_sources(self):
        for number in range(4):
            self.write(f"in/s{number}.tar.bz2", compress("bzip2", harness.shard(number)))
        self.write("shards.list", b"# two of them\nin/s1.tar.bz2\n\nin/s3.tar.bz2\n")
        for sources, expected in [(["in"], "0123"), (["in/s*.tar.bz2"], "0123"), (["shards.list"], "13"),
                                  (["in/s2.tar.bz2", "in/s0.tar.bz2"], "02")]:
            with self.subTest(sources=sources):
                out = f"out{expected}{len(sources[0])}"
                self.shardmill("convert", *sources, "--out", out)
                self.assertEqual(self.results(out), [f"s{number}.tar" for number in expected])

    def test_short_suffixes(self):
        self.write("in/a.tbz2", compress("bzip2", harness.shard()))
        self.write("in/b.tgz", compress("gzip", harness.shard()))
        self.shardmill("convert", self.folder / "in/a.tbz2", self.folder / "in/b.tgz", "--out", "out",
                       "--codec", "zstd")
        self.assertEqual(self.results("out"), ["a.tar.zst", "b.tar.zst"])


class Again(Case):
    def setUp(self):
        super().setUp()
        for number in range(3):
            self.write(f"in/s{number}.tar.bz2", compress("bzip2", harness.shard(number)))
        self.convert()

    def convert(self, *more):
        return json.loads(self.shardmill("convert", "in", "--out", "out", "--codec", "zstd", "--json", *more).out)

    def result(self, number):
        return self.folder / f"out/s{number}.tar.zst"

    def test_what_is_done_is_skipped(self):
        before = [self.result(number).stat().st_mtime_ns for number in range(3)]
        self.assertEqual(self.convert()["up_to_date"], 3)
        self.assertEqual(before, [self.result(number).stat().st_mtime_ns for number in range(3)])

    def test_newer_source_is_done_again(self):
        later = time.time() + 10
        os.utime(self.folder / "in/s1.tar.bz2", (later, later))
        summary = self.convert()
        self.assertEqual((summary["converted"], summary["up_to_date"]), (1, 2))

    def test_lost_result_is_done_again(self):
        self.result(2).unlink()
        self.assertEqual(self.convert()["converted"], 1)
        self.assertTrue(self.result(2).exists())

    def test_result_that_was_changed_is_replaced_by_force_only(self):
        whole = self.result(0).read_bytes()
        flipped = whole[:50] + bytes([whole[50] ^ 1]) + whole[51:]
        for now in (b"", whole[:3], whole[:-1], b"my data\n", flipped):
            with self.subTest(now=now[:9]):
                self.result(0).write_bytes(now)
                self.fails("convert", "in", "--out", "out", "--codec", "zstd", says=["s0.tar.zst", "--force"])
                self.assertEqual(self.result(0).read_bytes(), now)
                self.assertEqual(self.convert("--force")["converted"], 3)
                self.assertEqual(self.result(0).read_bytes(), whole)
        self.assertEqual(self.convert()["up_to_date"], 3)

    def test_result_that_was_changed_and_dated_back_is_done_again(self):
        whole = self.result(0).read_bytes()
        self.result(0).write_bytes(whole[:50] + bytes([whole[50] ^ 1]) + whole[51:])
        os.utime(self.result(0), (1, 1))
        self.assertEqual(self.convert()["converted"], 1)
        self.assertEqual(self.result(0).read_bytes(), whole)

    def test_force(self):
        self.assertEqual(self.convert("--force")["converted"], 3)

    def test_other_options_make_it_anew(self):
        for options in (["--level", 9], ["--level", 9, "--seekable"], ["--seekable"], []):
            with self.subTest(options=options):
                self.assertEqual(self.convert(*options)["converted"], 3)
                self.assertEqual(self.convert(*options)["up_to_date"], 3)
        self.assertEqual(self.convert("--level", 3)["up_to_date"], 3)  # as without --level

    def test_source_of_another_time_or_size_is_done_again(self):
        source = self.folder / "in/s1.tar.bz2"
        os.utime(source, (1, 1))
        self.assertEqual(self.convert()["converted"], 1)
        before = source.stat()
        self.write("in/s1.tar.bz2", compress("bzip2", harness.shard(7)))
        os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.assertEqual(self.convert()["converted"], 1)
        self.assertEqual(decompress("zstd", self.result(1).read_bytes()), harness.shard(7))

    def test_moved_with_its_sources(self):
        (self.folder / "elsewhere").mkdir()
        for name in ("in", "out"):
            (self.folder / name).rename(self.folder / "elsewhere" / name)
        again = json.loads(self.shardmill("convert", "elsewhere/in", "--out", "elsewhere/out", "--codec", "zstd",
                                          "--json").out)
        self.assertEqual(again["up_to_date"], 3)

    def test_killed_between_result_and_record(self):
        """The record is without a size then, and the result is made again."""
        record = self.folder / "out/.shardmill/converted/s1.tar.zst"
        first_line = record.read_bytes().splitlines(keepends=True)[0]
        for broken in (first_line, first_line + b"{}", record.read_bytes()[:-20]):
            with self.subTest(broken=broken):
                record.write_bytes(broken)
                self.assertEqual(self.convert()["converted"], 1)
                self.assertEqual(self.convert()["up_to_date"], 3)

    def test_the_folder_of_results_is_no_dataset(self):
        for command in (["verify", "out"], ["inspect", "out"], ["ranks", "out", "--world-size", "1", "--dry-run"]):
            self.shardmill(*command)
        self.shardmill("repack", "out", "--out", "packed", "--shards", "1", "--on-duplicate", "rename")


class OneName(Case):
    """Two sources that would become the same result."""

    def setUp(self):
        super().setUp()
        self.write("a/x.tar.bz2", compress("bzip2", harness.shard(1)))
        self.write("b/x.tar.bz2", compress("bzip2", harness.shard(2)))
        self.shardmill("convert", "a", "--out", "out")

    def test_one_after_the_other(self):
        self.fails("convert", "b", "--out", "out", says=["x.tar", "made from", "a/x.tar.bz2", "--force"], code=1)
        self.assertEqual((self.folder / "out/x.tar").read_bytes(), harness.shard(1))
        self.shardmill("convert", "b", "--out", "out", "--force")
        self.assertEqual((self.folder / "out/x.tar").read_bytes(), harness.shard(2))

    def test_where_the_first_is_gone(self):
        shutil.rmtree(self.folder / "a")
        self.shardmill("convert", "b", "--out", "out")
        self.assertEqual((self.folder / "out/x.tar").read_bytes(), harness.shard(2))

    def test_a_file_that_convert_did_not_make(self):
        self.write("out/y.tar", b"somebody's")
        self.write("a/y.tar.bz2", compress("bzip2", harness.shard(3)))
        for force in ([], ["--force"]):
            self.fails("convert", "a", "--out", "out", *force, says="y.tar")
            self.assertEqual((self.folder / "out/y.tar").read_bytes(), b"somebody's")


class Reporting(Case):
    def setUp(self):
        super().setUp()
        for number in range(3):
            self.write(f"in/s{number}.tar.bz2", compress("bzip2", harness.shard(number)))

    def test_json(self):
        summary = json.loads(self.shardmill("convert", "in", "--out", "out", "--json").out)
        self.assertEqual((summary["converted"], summary["failed"]), (3, 0))
        self.assertEqual([shard["source"] for shard in summary["shards"]],
                         [f"in/s{number}.tar.bz2" for number in range(3)])
        for number, shard in enumerate(summary["shards"]):
            self.assertEqual(shard["outcome"], "converted")
            self.assertEqual(shard["plain_bytes"], len(harness.shard(number)))
            self.assertEqual(shard["result_bytes"], (self.folder / shard["result"]).stat().st_size)

    def test_json_with_failures_is_still_json(self):
        self.write("in/s1.tar.bz2", b"BZh9garbage")
        summary = json.loads(self.shardmill("convert", "in", "--out", "out", "--json", code=1).out)
        self.assertEqual((summary["converted"], summary["failed"]), (2, 1))
        self.assertIn("s1.tar.bz2", summary["shards"][1]["problem"])

    def test_quiet(self):
        result = self.shardmill("convert", "in", "--out", "out", "-q")
        self.assertEqual((result.out, result.err), (b"", ""))

    def test_progress_stays_on_standard_error(self):
        for how in ("plain", "bar", "none"):
            with self.subTest(how=how):
                result = self.shardmill("convert", "in", "--out", how, "--progress", how, "--json")
                json.loads(result.out)
                if how != "bar":
                    self.assertNotIn("\r", result.err)
                    self.assertNotIn("\x1b", result.err)


class Trouble(Case):
    def good_and_bad(self):
        good = compress("bzip2", harness.shard(count=20))
        flipped = bytearray(good)
        flipped[len(good) // 2] ^= 1
        self.write("in/good1.tar.bz2", good)
        self.write("in/good2.tar.bz2", good)
        self.write("in/cut.tar.bz2", good[:-100])
        self.write("in/flipped.tar.bz2", flipped)
        self.write("in/garbage.tar.bz2", b"no tar and no bzip2\n" * 50)
        self.write("in/zero.tar.bz2", b"")

    def test_damaged_among_good(self):
        self.good_and_bad()
        for codec in ("none", "zstd"):
            with self.subTest(codec=codec):
                result = self.shardmill("convert", "in", "--out", codec, "--codec", codec, code=1)
                self.assertEqual(self.results(codec), [f"good{number}.tar{SUFFIX[codec]}" for number in (1, 2)])
                for name in ("cut", "flipped", "garbage", "zero"):
                    lines = [line for line in result.err.splitlines() if f"in/{name}.tar.bz2" in line]
                    self.assertEqual(len(lines), 1, result.err)
                self.assertRegex(result.err, r"in/flipped\.tar\.bz2: block \d+ at offset \d+")

    def test_old_result_survives_a_source_that_was_damaged(self):
        self.write("in/a.tar.bz2", compress("bzip2", harness.shard()))
        self.shardmill("convert", "in", "--out", "out")
        self.write("in/a.tar.bz2", b"BZh9garbage")
        self.shardmill("convert", "in", "--out", "out", code=1)
        self.assertEqual((self.folder / "out/a.tar").read_bytes(), harness.shard())
        self.assertEqual(self.results("out"), ["a.tar"])

    def test_missing_source(self):
        self.fails("convert", "nowhere.tar.bz2", "--out", "out", says="nowhere.tar.bz2")
        self.fails("convert", "no*.tar.bz2", "--out", "out", says="no*.tar.bz2")

    def test_empty_folder(self):
        (self.folder / "in").mkdir()
        self.fails("convert", "in", "--out", "out", says="in")

    def test_two_shards_of_one_name(self):
        for name in ("x/a.tar.bz2", "y/a.tar.bz2"):
            self.write(name, compress("bzip2", harness.shard()))
        self.fails("convert", "x/a.tar.bz2", "y/a.tar.bz2", "--out", "out", code=2, says="a.tar")
        self.assertFalse((self.folder / "out").exists())

    def test_never_onto_itself(self):
        self.write("in/a.tar", harness.shard())
        self.fails("convert", "in/a.tar", "--out", "in", code=2, says="in/a.tar")
        self.assertEqual((self.folder / "in/a.tar").read_bytes(), harness.shard())

    def test_what_follows_the_last_stream_can_be_ignored(self):
        self.write("in/a.tar.bz2", compress("bzip2", harness.shard()) + b"a signature")
        self.fails("convert", "in", "--out", "out", says=["in/a.tar.bz2", "--ignore-trailing"])
        self.assertFalse((self.folder / "out").exists())
        result = self.shardmill("convert", "in", "--out", "out", "--ignore-trailing")
        self.assertIn("warning: in/a.tar.bz2: offset", result.err)
        self.assertEqual((self.folder / "out/a.tar").read_bytes(), harness.shard())

    def test_write_error_leaves_nothing(self):
        self.write("in/a.tar.bz2", compress("bzip2", harness.shard(count=20)))

        def small_files_only():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

        result = self.shardmill("convert", "in", "--out", "out", code=1, preexec_fn=small_files_only)
        self.assertIn("File too large", result.err)
        self.assertFalse((self.folder / "out").exists())

    def test_output_that_cannot_be_a_folder(self):
        self.write("in/a.tar.bz2", compress("bzip2", harness.shard()))
        self.write("file", b"")
        self.fails("convert", "in", "--out", "file", says="file")

    def test_stopped_by_a_signal(self):
        big = compress("bzip2", harness.shard(count=120))
        for number in range(30):
            self.write(f"in/s{number:02}.tar.bz2", big)
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number):
                out = self.folder / "out"
                command = [harness.PROGRAM, "convert", "in", "--out", out, "--codec", "zstd", "-j1"]
                convert = self.caught(lambda: subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL,
                                                               stderr=subprocess.PIPE),
                                      lambda: 0 < len(list(out.glob("*.zst"))) < 15)
                convert.send_signal(number)
                convert.send_signal(signal.SIGCONT)
                convert.communicate()
                self.assertIn(convert.returncode, (128 + number, -number))
                results = sorted(out.glob("[!.]*"))
                self.assertIn(len(results), range(1, 30))
                for result in results:
                    self.assertEqual(result.suffix, ".zst")
                    self.assertEqual(decompress("zstd", result.read_bytes()), harness.shard(count=120))
                shutil.rmtree(out)


class Usage(Case):
    def test_wrong_usage(self):
        self.write("a.tar.bz2", compress("bzip2", harness.shard()))
        for arguments in ([], ["a.tar.bz2"], ["--out", "out"], ["a.tar.bz2", "--out"],
                          ["a.tar.bz2", "--out", "out", "--codec", "bzip2"],
                          ["a.tar.bz2", "--out", "out", "--codec", "rar"],
                          ["a.tar.bz2", "--out", "out", "--codec", "zstd", "--level", "99"],
                          ["a.tar.bz2", "--out", "out", "--codec", "zstd", "--level", "high"],
                          ["a.tar.bz2", "--out", "out", "--level", "3"],
                          ["a.tar.bz2", "--out", "out", "--codec", "gzip", "--seekable"],
                          ["a.tar.bz2", "--out", "out", "--nonsense"]):
            with self.subTest(arguments=arguments):
                self.fails("convert", *arguments, code=2, says="shardmill convert: ")
                self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
