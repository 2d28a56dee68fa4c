"""`shardmill inspect`: what it says is there is there, and what it says loaders lose they lose."""
import io
import json
import os
import re
import tarfile
import unittest

import harness
import soundfile
from harness import compress

TIMINGS = ("seconds", "decoded_bytes_per_second", "audio_hours_per_second", "plain_bytes_per_second",
           "plain_audio_hours_per_second")


def entry(name, kind=tarfile.REGTYPE, data=b""):
    """The bytes of one member of a tar, without the end of the tar."""
    info = tarfile.TarInfo(name)
    info.type = kind
    info.size = len(data)
    return info.tobuf() + data + bytes(-len(data) % 512)


def entries(members):
    return b"".join(entry(name, data=data) for name, data in members)


END = bytes(1024)


def read_like_wenet(data):
    """The keys of the samples that WeNet's tar_file_and_group() hands out before it gives up a shard."""
    keys = []
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:*") as stream:
            previous = None
            for info in stream:
                position = info.name.rfind(".")
                assert position > 0
                prefix = info.name[:position]
                if previous is not None and prefix != previous:
                    keys.append(previous)
                with stream.extractfile(info) as file:
                    file.read()
                previous = prefix
            if previous is not None:
                keys.append(previous)
    except Exception:  # as WeNet does, which logs it
        pass
    return keys


COMMON = {"text_members", "shard_name"}  # notes on shards as others write them; loader_limits_test.py has them


class Inspecting(harness.Case):
    def report(self, *arguments, code=0):
        return json.loads(self.shardmill("inspect", "--json", *arguments, code=code).out)

    def issues(self, *arguments, code=0):
        """The issues of all datasets by their id; where two share it, by loader and id. Without what nearly all
        have."""
        found = {}
        for dataset in self.report(*arguments, code=code)["datasets"]:
            for issue in dataset["issues"]:
                if issue["id"] in COMMON:
                    continue
                found[issue["id"] if issue["id"] not in found else f"{issue['loader']} {issue['id']}"] = issue
        return found


class GoodShards(Inspecting):
    def setUp(self):
        super().setUp()
        for number, codec in enumerate(("none", "bzip2", "gzip", "xz")):
            name = f"english/train_{number}.tar{harness.SUFFIX[codec]}"
            self.write(name, compress(codec, harness.shard(10 * number, 4 + number)))
        self.write("other/a.tar.bz2", compress("bzip2", harness.shard(100, 3, "flac")))

    def test_agrees_with_an_independent_reader(self):
        english, other = self.report("english", "more=other")["datasets"]
        self.assertEqual((english["name"], other["name"]), ("english", "more"))
        for dataset, folder in ((english, "english"), (other, "other")):
            self.assertLessEqual({issue["id"] for issue in dataset["issues"]}, COMMON)
            for shard in dataset["shards"]:
                data = (self.folder / shard["path"]).read_bytes()
                plain = harness.decompress(shard["codec"], data)
                self.assertEqual((shard["bytes"], shard["tar_bytes"]), (len(data), len(plain)))
                seconds = [len(samples) / rate for samples, rate in self.audio_in(plain)]
                self.assertEqual(shard["samples"], len(seconds))
                self.assertAlmostEqual(shard["audio_seconds"], sum(seconds), places=6)
                self.assertAlmostEqual(shard["min_sample_seconds"], min(seconds), places=6)
                self.assertAlmostEqual(shard["max_sample_seconds"], max(seconds), places=6)
            self.assertEqual(dataset["samples"], sum(shard["samples"] for shard in dataset["shards"]))
            self.assertEqual(sorted(e["extension"] for e in dataset["extensions"]),
                             ["txt", "wav"] if folder == "english" else ["flac", "txt"])
        self.assertEqual([(a["format"], a["sample_rate"], a["channels"]) for a in other["audio"]],
                         [("flac/pcm16", 16000, 1)])

    @staticmethod
    def audio_in(plain):
        with tarfile.open(fileobj=io.BytesIO(plain)) as archive:
            for info in archive:
                if not info.name.endswith(".txt"):
                    yield soundfile.read(archive.extractfile(info))

    def test_measures_every_codec(self):
        for codec in self.report("english")["datasets"][0]["codecs"]:
            with self.subTest(codec=codec["codec"]):
                self.assertGreater(codec["decoded_bytes_per_second"], 1e5)
                self.assertGreater(codec["audio_hours_per_second"], 0)
                self.assertGreater(codec["plain_audio_hours_per_second"], 0)

    def test_the_same_for_any_threads_and_memory(self):
        def result(*arguments):
            text = self.shardmill("inspect", "--json", "english", "more=other", *arguments).out.decode()
            return re.sub(rf'"({"|".join(TIMINGS)})": [\d.e+-]+', r'"\1": 0', text)

        expected = result("-j", 1)
        for arguments in (("-j", 2), ("-j", 7), ("-j", 7, "--memory", "1")):
            self.assertEqual(result(*arguments), expected)

    def test_for_people(self):
        result = self.shardmill("inspect", "english", "more=other", env={"LC_ALL": "C.UTF-8"})
        text = result.out.decode()
        for part in ("english: 4 shards", "plain tar (1), bzip2 (1)", "wav/pcm16, 16000 Hz, 1 channel: 22 samples",
                     "shard audio", "spread", "█", "bzip2: one loader worker decodes", "h of audio a second",
                     "The shards are uneven", "shardmill repack"):
            self.assertIn(part, text)
        self.assertEqual(result.err, "")
        self.assertTrue(self.shardmill("inspect", "english", env={"LC_ALL": "C"}).out.isascii())
        self.assertEqual(self.shardmill("inspect", "english", "-q").out, b"")

    def test_even_shards(self):
        self.write("even/a.tar", harness.shard(1, 2))
        self.write("even/b.tar", harness.tar([(name.replace("utt", "other"), data) for name, data in
                                              harness.samples(range(1, 3))]))
        self.assertTrue(self.shardmill("inspect", "even").out.endswith(b"\nNo problems found.\n"))

    def test_fast(self):
        report = self.report("--fast", "english")
        dataset = report["datasets"][0]
        self.assertTrue(report["fast"])
        self.assertNotIn("samples", dataset)
        plain = sum(shard["tar_bytes"] for shard in self.report("english")["datasets"][0]["shards"])
        self.assertLess(abs(dataset["estimated_tar_bytes"] / plain - 1), 0.35)
        text = self.shardmill("inspect", "--fast", "english").out.decode()
        self.assertIn("shard size", text)
        self.assertIn("about ", text)


class Hazards(Inspecting):
    """No data is lost here: the exit code is 0."""

    def test_what_wenet_drops(self):
        some, more = entries(harness.samples(range(3))), entries(harness.samples(range(3, 7)))
        for odd in (entry("./", tarfile.DIRTYPE), entry("folder", tarfile.DIRTYPE), entry("README", data=b"x"),
                    entry(".hidden", data=b"x"), entry("./Makefile", data=b"x")):
            for plain in (odd + some + more, some + odd + more, some + more + odd):
                with self.subTest(odd=odd[:20], first=plain[:20]):
                    self.write("a.tar", plain + END)
                    issue = self.issues("a.tar").get("dropped_rest")
                    self.assertEqual(issue["lost_samples"] if issue else 0,
                                     7 - len(read_like_wenet(plain + END)))

    def test_names_with_more_dots(self):
        self.write("a.tar", harness.tar([("a.b.txt", b"x"), ("a.b.wav", harness.audio(1))]))
        issue = self.issues("a.tar")["misread_name"]
        self.assertEqual((issue["loader"], issue["count"]), ("WebDataset", 2))
        self.assertEqual(issue["first"][0]["member"], "a.b.txt")

    def test_split_sample_and_duplicates(self):
        one, two = harness.samples([1]), harness.samples([2])
        self.write("s/a.tar", harness.tar([one[0], *two, one[1]]))
        self.write("s/b.tar", harness.tar(two))
        issues = self.issues("s")
        self.assertEqual(issues["split_sample"]["first"][0]["member"], "utt00001")
        self.assertEqual(issues["duplicate_key"]["first"][0]["path"], "s/b.tar")
        self.assertEqual(issues["duplicate_key"]["count"], 1)

    def test_transcripts(self):
        sound = harness.audio(1)
        self.write("a.tar", harness.tar([("a.wav", sound), ("b.txt", b""), ("b.wav", sound), ("c.txt", b"\xff"),
                                         ("c.wav", sound), ("d.txt", b"x")]))
        issues = self.issues("a.tar")
        self.assertEqual({id: issues[id]["first"][0]["member"] for id in issues},
                         {"no_transcript": "a", "empty_transcript": "b", "bad_transcript": "c", "no_audio": "d"})

    def test_files_of_several_streams(self):
        plain = harness.shard(count=20)
        half = len(plain) // 2
        for codec in ("bzip2", "gzip", "xz"):
            with self.subTest(codec=codec):
                packed = compress(codec, plain[:half]) + compress(codec, plain[half:])
                with self.assertRaises((EOFError, tarfile.ReadError)):  # opened as WebDataset does
                    with tarfile.open(fileobj=io.BytesIO(packed), mode="r|*") as stream:
                        for info in stream:
                            stream.extractfile(info).read()
                self.write("a.tar" + harness.SUFFIX[codec], packed)
                issue = self.issues("a.tar" + harness.SUFFIX[codec])["several_streams"]
                self.assertEqual((issue["loader"], issue["first"][0]["text"]), ("WebDataset", "2 streams"))

    def test_codecs_that_tarfile_does_not_read(self):
        for codec in ("zstd", "lz4"):
            self.write(f"{codec}/a.tar{harness.SUFFIX[codec]}", compress(codec, harness.shard()))
            self.assertEqual(self.issues(codec)["codec"]["loader"], "Python's tarfile")


class Damage(Inspecting):
    """Data is lost: the exit code is 1, and everything else is still looked at."""

    def silent(self, plain):
        """How many samples tarfile reads, without any error."""
        return len(read_like_wenet(plain))

    def test_tars_that_tarfile_takes_for_whole(self):
        some, more = entries(harness.samples(range(3))), entries(harness.samples(range(3, 7)))
        broken = bytearray(more)
        broken[0:4] = b"????"
        for id, plain, lost in (("no_end", some, 0), ("lone_zero_block", some + bytes(512) + more + END, 4),
                                ("bad_header", some + bytes(broken) + END, 4),
                                ("data_after_end", some + END + more + END, 0)):
            with self.subTest(id=id):
                self.assertEqual(self.silent(plain), 3)
                self.write("a.tar", plain)
                issue = self.issues("a.tar", code=1)[id]
                self.assertEqual(issue["severity"], "damage")
                self.assertEqual(issue["lost_samples"], lost)
                text = self.shardmill("inspect", "a.tar", code=1).out.decode()
                self.assertIn("without an error", text)
                self.assertIn("Data is damaged or missing", text)

    def test_compressed_data(self):
        plain = harness.shard(count=60)
        for codec in ("bzip2", "gzip", "xz", "zstd", "lz4"):
            with self.subTest(codec=codec):
                packed = compress(codec, plain)
                self.write("d/a.tar" + harness.SUFFIX[codec], packed[:len(packed) // 2])
                self.write("d/b.tar", harness.shard(200, 2))
                report = self.report("d", code=1)
                a, b = report["datasets"][0]["shards"]
                self.assertEqual((a["damaged"], b["damaged"], b["samples"]), (True, False, 2))
                if codec != "lz4":  # all of it is one block
                    self.assertGreater(a["samples"], 10)
                issue = next(i for i in report["datasets"][0]["issues"] if i["id"] == "damaged_compression")
                self.assertGreater(issue["first"][0]["file_offset"], 0)
                (self.folder / a["path"]).unlink()

    def test_flipped_bit_in_bzip2(self):
        packed = bytearray(compress("bzip2", harness.shard(count=80)))
        packed[len(packed) // 3] ^= 1
        self.write("a.tar.bz2", packed)
        issue = self.issues("a.tar.bz2", code=1)["damaged_compression"]
        self.assertEqual(issue["count"], 1)
        self.assertIn("block", issue["first"][0])

    def test_audio(self):
        sound = harness.audio(1)
        self.write("a.tar", harness.tar([("a.txt", b"x"), ("a.wav", sound[:len(sound) // 2]), ("b.txt", b"x"),
                                         ("b.wav", b""), ("c.txt", b"x"), ("c.wav", b"no audio at all")]))
        issues = self.issues("a.tar", code=1)
        self.assertEqual({id: issue["first"][0]["member"] for id, issue in issues.items()},
                         {"truncated_audio": "a.wav", "empty_audio": "b.wav", "bad_audio": "c.wav"})

    def test_formats_that_are_not_read(self):
        """They are named with what to do, by inspect and by repack, whatever the member is called."""
        contents = {"m4a": b"\0\0\0\x20ftypM4A ", "mp4": b"\0\0\0\x20ftypisom", "webm": b"\x1a\x45\xdf\xa3",
                   "wma": bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c"), "amr": b"#!AMR\n",
                   "aac": b"\xff\xf1\x50\x80", "avi": b"RIFF\0\x10\0\0AVI LIST", "mid": b"MThd\0\0\0\6", "wv": b"wvpk",
                   "pcm": b"\1\2\3\4"}
        self.write("nothing/here", b"")
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = str(self.folder / "nothing")  # without ffmpeg
        for kind, head in contents.items():
            for name in (f"k.{kind}", "k.wav"):
                if kind == "pcm" and name == "k.wav":
                    continue
                with self.subTest(kind, name=name):
                    self.write("a.tar", harness.tar([("k.txt", b"t"), (name, head + bytes(3000))]))
                    self.assertIn("unsupported_audio", self.issues("a.tar"))
                    text = self.shardmill("inspect", "a.tar").out.decode()
                    self.assertNotIn("Nothing is wrong", text)
                    self.assertIn("convert it to FLAC first", text)
                    self.assertIn(f"'{name}'", text)
                    self.fails("repack", "a.tar", "--out", "out", says=[name, "convert it to FLAC first"])

    def test_headers_that_lie(self):
        good = harness.audio(1)
        for at, value, kind in ((40, 0xFFFFFFFF, "unknown_length"), (40, 0, "unknown_length"),
                                (4, 100, "wrong_header")):
            lying = good[:at] + value.to_bytes(4, "little") + good[at + 4:]
            self.write("a.tar", harness.tar([("k.txt", b"t"), ("k.wav", lying)]))
            self.assertIn(kind, self.issues("a.tar"))
            self.assertNotIn(b"Nothing is wrong", self.shardmill("inspect", "a.tar").out)

    def test_files_that_cannot_be_read(self):
        self.write("good.tar", harness.shard())
        self.write("list", b"good.tar\nmissing.tar\nempty.tar\n")
        self.write("empty.tar", b"")
        report = self.report("list", code=1)
        self.assertEqual([unusable["path"].split("/")[-1] for unusable in report["unusable"]],
                         ["missing.tar", "empty.tar"])
        self.assertEqual(report["datasets"][0]["samples"], 6)

    def test_no_tar(self):
        self.write("a.tar", b"neither a tar nor compressed\n" * 100)
        self.assertIn("not_a_tar", self.issues("a.tar", code=1))

    def test_fast_finds_what_was_cut(self):
        self.write("a.tar", harness.shard()[:5000])
        self.assertIn("no_end", self.issues("--fast", "a.tar", code=1))
        packed = compress("zstd", harness.shard(count=30))
        self.write("b.tar.zst", packed[:-100])
        self.assertIn("cut_short", self.issues("--fast", "b.tar.zst", code=1))


class Usage(Inspecting):
    def test_wrong_usage(self):
        self.write("a.tar", harness.shard())
        for arguments in ([], ["a.tar", "--key-rule", "mine"], ["a.tar", "--nonsense"]):
            with self.subTest(arguments=arguments):
                self.fails("inspect", *arguments, code=2, says="shardmill inspect: ")

    def test_no_source(self):
        self.fails("inspect", "missing.tar", says="missing.tar")

    def test_help(self):
        text = self.shardmill("inspect", "--help").out.decode()
        for part in ("usage: shardmill inspect", "--fast", "Example:"):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()
