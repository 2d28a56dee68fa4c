"""`shardmill repack`: every sample once, unchanged, in shards that hold the same; and what happens to bad input."""
import functools
import gzip
import hashlib
import io
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import tarfile
import unittest
import wave

import numpy
import soundfile

import harness
from harness import compress, tar


def tone(frames, seed=0, rate=16000, channels=1, form="WAV"):
    """The bytes of a short, noisy recording: made in microseconds, unlike speech."""
    samples = numpy.random.default_rng(seed).integers(-3000, 3000, (frames, channels), dtype=numpy.int16)
    out = io.BytesIO()
    soundfile.write(out, samples, rate, format=form, subtype="PCM_16")
    return out.getvalue()


def corpus(prefix, count, form="wav", seed=0, shards=3):
    """Plain tars of `count` samples in all, of random and uneven lengths, and what is in them: {key: (text, audio)}."""
    tars, contents = made_corpus(prefix, count, form, seed, shards)
    return list(tars), dict(contents)


@functools.lru_cache(maxsize=16)  # all tests of a class have the same
def made_corpus(prefix, count, form, seed, shards):
    random_ = random.Random(seed)
    contents = {}
    members = [[] for _ in range(shards)]
    for number in range(count):
        key = f"{prefix}{number:05}"
        text = f"text of {key} 你好"
        data = tone(random_.randint(400, 9000), seed=seed * 100000 + number, form=form.upper())
        contents[key] = (text, data)
        where = members[random_.choice(range(shards)) if number % 3 else 0]
        where += [(f"{key}.txt", text.encode()), (f"{key}.{form}", data)]
    return [tar(each) for each in members], contents


class Repacking(harness.Case):
    def put(self, folder, tars, codec="bzip2"):
        for number, data in enumerate(tars):
            self.write(f"{folder}/part_{number}.tar{harness.SUFFIX[codec]}", compress(codec, data))

    def repack(self, *arguments, **more):
        return self.shardmill("repack", *arguments, **more)

    def records(self, out, name="tarred_audio_manifest.json"):
        return [json.loads(line) for line in (self.folder / out / name).read_text().splitlines()]

    def plain_shards(self, out):
        """The uncompressed tars of a dataset by shard id, decompressed by the codecs' own programs."""
        codecs = {".tar": "none", ".zst": "zstd", ".lz4": "lz4", ".gz": "gzip"}
        return {shard["shard_id"]: harness.decompress(codecs[pathlib.Path(shard["path"]).suffix],
                                                      (self.folder / out / shard["path"]).read_bytes())
                for shard in self.records(out, "shards.jsonl")}

    def check_against(self, out, contents, text="both"):
        """An independent reading of the dataset: every sample of `contents` once, unchanged, where it is said to be."""
        records = self.records(out)
        self.assertEqual(sorted(record["source_key"] for record in records), sorted(contents))
        self.assertEqual(len({record["key"] for record in records}), len(records))
        shards = self.plain_shards(out)
        found = {}
        for shard_id, data in shards.items():
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                names = []
                for member in archive:
                    self.assertTrue(member.isreg())
                    self.assertEqual((member.uid, member.gid, member.mode, member.mtime), (0, 0, 0o644, 0))
                    found[member.name] = (shard_id, archive.extractfile(member).read())
                    names.append(member.name)
                keys = [name.split(".")[0] for name in names]
                self.assertEqual([key for i, key in enumerate(keys) if i == 0 or keys[i - 1] != key],
                                 list(dict.fromkeys(keys)), "members of a sample are adjacent")
        for record in records:
            text_there, audio = contents[record["source_key"]]
            self.assertEqual(found[record["audio_filepath"]], (record["shard_id"], audio))
            start = record["tar_offset"]
            self.assertEqual(shards[record["shard_id"]][start:start + record["audio_bytes"]], audio)
            samples, rate = soundfile.read(io.BytesIO(audio), always_2d=True)
            self.assertEqual((record["frames"], record["sample_rate"], record["channels"]),
                             (len(samples), rate, samples.shape[1]))
            self.assertEqual(record["duration"], len(samples) / rate)
            if text in ("both", "manifest"):
                self.assertEqual(record["text"], text_there.strip())
            self.assertEqual(f"{record['key']}.txt" in found, text in ("both", "members"))
        subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=self.folder / out, check=True)

    def same_bytes(self, first, second):
        """All but run.json and the records of convert, which tell of the run, and data.list with its absolute paths."""
        self.assertEqual(self.names(first), self.names(second))
        for name in self.names(first):
            if pathlib.PurePath(name).name in ("run.json", "data.list") or name.startswith(".shardmill/converted/"):
                continue
            self.assertEqual((self.folder / first / name).read_bytes(), (self.folder / second / name).read_bytes(),
                             name)


class Whole(Repacking):
    def test_every_sample_once_and_balanced(self):
        tars, first = corpus("BAC009S", 300)
        self.put("a2", tars)
        tars, second = corpus("1-2-", 150, form="flac", seed=1)
        self.put("libri", tars, "zstd")
        self.repack("a2=a2", "libri=libri", "--out", "out", "--shards", 4)
        self.check_against("out", {**first, **second})
        shards = self.records("out", "shards.jsonl")
        self.assertEqual([shard["path"] for shard in shards], [f"shards/audio_{i:09}.tar" for i in range(4)])
        for count in ([shard["samples"] for shard in shards],
                      *([shard["datasets"][name]["samples"] for shard in shards] for name in ("a2", "libri"))):
            self.assertLessEqual(max(count) - min(count), 1)
        seconds = [shard["seconds"] for shard in shards]
        self.assertLessEqual(max(seconds) - min(seconds), max(0.010, 1e-5 * sum(seconds) / 4))
        self.assertEqual((self.folder / "out/data.list").read_text().splitlines(),
                         [f"{(self.folder / 'out').resolve()}/{shard['path']}" for shard in shards])
        for shard in shards:
            subprocess.run(["tar", "tf", self.folder / "out" / shard["path"]], check=True, stdout=subprocess.DEVNULL)
        dataset = json.loads((self.folder / "out/dataset.json").read_text())
        self.assertEqual((dataset["samples"], dataset["shards"]), (450, 4))

    def test_same_bytes_whatever_the_threads_and_the_memory(self):
        for name, form in (("x", "wav"), ("y", "flac")):
            tars, _ = corpus(name, 120, form=form)
            self.put(name, tars)
        for out, options in (("one", ["-j1"]), ("two", ["-j2", "--memory", "64MiB"]),
                             ("seven", ["-j7", "--memory", "3GiB"])):
            self.repack("x", "y", "--out", out, "--shards", 3, "--codec", "zstd", *options)
        self.same_bytes("one", "two")
        self.same_bytes("one", "seven")

    def test_every_codec(self):
        tars, contents = corpus("k", 40)
        self.put("in", tars)
        for codec in ("none", "zstd", "lz4", "gzip"):
            with self.subTest(codec=codec):
                self.repack("in", "--out", codec, "--shards", 2, "--codec", codec)
                self.check_against(codec, contents)
        self.repack("in", "--out", "seekable", "--shards", 2, "--codec", "zstd", "--seekable", "--level", 9)
        self.check_against("seekable", contents)
        shards = sorted((self.folder / "zstd/shards").iterdir())
        subprocess.run(["zstd", "-tq", *shards], check=True)
        self.assertIn("# Zstandard Frames: 1\n", harness.output_of("zstd", "-lv", str(shards[0])).decode())

    def test_transcripts_where_they_are_wanted(self):
        tars, contents = corpus("k", 20)
        self.put("in", tars)
        for text in ("both", "members", "manifest"):
            self.repack("in", "--out", text, "--shards", 2, "--text", text)
            self.check_against(text, contents, text)

    def test_more_members_than_text_and_audio_stay_with_the_sample(self):
        self.write("a.tar", tar([("k1.spk", b"S1"), ("k1.wav", tone(800)), ("k1.json", b"{}"), ("k1.txt", b"one")]))
        self.repack("a.tar", "--out", "out", "--shards", 1)
        with tarfile.open(self.folder / "out/shards/audio_000000000.tar") as archive:
            self.assertEqual(archive.getnames(), ["k1.txt", "k1.wav", "k1.json", "k1.spk"])

    def test_number_of_shards(self):
        tars, _ = corpus("k", 200)
        self.put("in", tars)
        for options, shards in ((["--shard-samples", 50], 4), (["--shard-samples", 50, "--multiple-of", 3], 3),
                                (["--prefix", "train"], 1)):
            self.repack("in", "--out", "out", "--force", *options)
            names = self.names("out/shards")
            prefix = options[1] if options[0] == "--prefix" else "audio"
            self.assertEqual(names, [f"{prefix}_{i:09}.tar" for i in range(shards)])
            self.assertEqual(len(self.names("out/manifests")), shards)

    def test_hundreds_of_shards_with_few_open_files(self):
        tars, contents = corpus("k", 400)
        self.put("in", tars)
        self.repack("in", "--out", "out", "--shards", 300,
                    preexec_fn=lambda: __import__("resource").setrlimit(__import__("resource").RLIMIT_NOFILE,
                                                                        (100, 100)))
        self.check_against("out", contents)

    def test_one_of_each_is_singular(self):
        """In all that is said of a single sample in a single shard."""
        self.write("in/one.tar", tar([("a.txt", b"words"), ("a.wav", tone(16000))]))
        made = ["repack", "in", "--out", "out", "--shards", 1]
        said = [self.shardmill(*arguments).out.decode() for arguments in (
            made, made, ["verify", "out", "--against", "in"], ["index", "out", "--index", "wids"], ["inspect", "in"],
            ["ranks", "out", "--world-size", 1, "--dry-run"], ["convert", "in", "--out", "zstd", "--codec", "zstd"],
            ["report", "out", "--out", "r.html"], ["repack", "in", "--out", "parts", "--shards", 1, "--parts", 1],
            ["repack", "--out", "parts", "--part", 0], ["repack", "--out", "parts", "--finish"])]
        said.append(self.shardmill("repack", "in", "--out", "two", "--shards", 2, code=1).err)
        (self.folder / "out/rejects.jsonl").unlink()
        said += [self.shardmill("verify", "out", code=1).out.decode(), (self.folder / "r.html").read_text()]
        self.assertEqual(re.findall(r"(?<![.,\d])1 (?:[a-z]+ "
                                    r")?(?:shard|sample|file|channel|rank|worker|part|finding|note|"
                                    r"line|time|thread|core|dataset)s\b", "\n".join(said)), [])
        for singular in ("1 shard, 1 sample,", "1 channel:", "1 index file", "1 finding"):
            self.assertTrue(any(singular in one for one in said), singular)

    def test_seed_and_order_of_sources(self):
        tars, contents = corpus("k", 60, shards=6)
        self.put("in", tars)
        for out, seed in (("a", 1), ("b", 1), ("c", 2)):
            self.repack("in", "--out", out, "--shards", 2, "--seed", seed)
            self.check_against(out, contents)
        self.same_bytes("a", "b")
        self.assertNotEqual(self.records("a"), self.records("c"))

    def test_weights(self):
        tars, contents = corpus("k", 100)
        self.put("in", tars)
        self.repack("d=in", "--out", "twice", "--shards", 2, "--weight", "d=2")
        keys = [record["key"] for record in self.records("twice")]
        self.assertEqual((len(keys), len(set(keys))), (200, 200))
        self.repack("d=in", "--out", "half", "--shards", 2, "--weight", "d=0.5", "--seed", 3)
        self.assertTrue(30 < len(self.records("half")) < 70)
        self.fails("repack", "d=in", "--out", "x", "--weight", "e=2", says="'e'", code=2)

    def test_filters_are_counted_and_are_no_error(self):
        members = [("short.wav", tone(160)), ("short.txt", b"s"), ("long.wav", tone(80000)), ("long.txt", b"l"),
                   ("good.wav", tone(16000)), ("good.txt", b"g"), ("mute.wav", tone(16000))]
        self.write("a.tar", tar(members))
        self.repack("a.tar", "--out", "out", "--shards", 1, "--min-duration", "0.5s", "--max-duration", "2s",
                    "--require-text")
        self.assertEqual([record["key"] for record in self.records("out")], ["good"])
        reasons = {reject["key"]: reject["reason"] for reject in self.records("out", "rejects.jsonl")}
        self.assertEqual(reasons, {"short": "too_short", "long": "too_long", "mute": "no_text"})

    def test_limit(self):
        tars, _ = corpus("k", 100)
        self.put("in", tars)
        for out, threads in (("a", 1), ("b", 4)):
            self.repack("in", "--out", out, "--shards", 3, "--limit", 10, "-j", threads)
            self.assertEqual(len(self.records(out)), 10)
        self.same_bytes("a", "b")

    def test_dry_run_writes_nothing(self):
        tars, _ = corpus("k", 100)
        self.put("in", tars)
        result = self.repack("in", "--out", "out", "--shard-samples", 20, "--dry-run", "--json")
        plan = json.loads(result.out)
        self.assertEqual((plan["outcome"], plan["shards"]), ("planned", 5))
        self.assertFalse((self.folder / "out").exists())

    def test_json_summary(self):
        tars, _ = corpus("k", 30)
        self.put("in", tars)
        summary = json.loads(self.repack("in", "--out", "out", "--shards", 2, "--json").out)
        self.assertEqual((summary["outcome"], summary["samples"], summary["shards"]), ("written", 30, 2))


class Again(Repacking):
    def setUp(self):
        super().setUp()
        tars, self.contents = corpus("k", 40)
        self.put("in", tars)

    def test_a_finished_folder_is_left_alone(self):
        self.repack("in", "--out", "out", "--shards", 2)
        def written():
            # The folder's own time changes when so much as a lock is made in it: it may be on a read-only filesystem.
            return {name: (self.folder / "out" / name).stat().st_mtime_ns for name in [".", *self.names("out")]}

        before = written()
        result = self.repack("in", "--out", "out", "--shards", 2)
        self.assertIn(b"finished already", result.out)
        self.assertEqual(before, written())

    def test_other_options_or_inputs_are_refused_unless_forced(self):
        self.repack("in", "--out", "out", "--shards", 2)
        self.fails("repack", "in", "--out", "out", "--shards", 4, says=["shards: was 2, now 4", "--force"])
        self.fails("repack", "in", "--out", "out", "--shards", 2, "--codec", "zstd", says="codec")
        os.utime(self.folder / "in/part_0.tar.bz2")
        self.fails("repack", "in", "--out", "out", "--shards", 2, says="in/part_0.tar.bz2")
        self.repack("in", "--out", "out", "--shards", 4, "--force")
        self.check_against("out", self.contents)
        self.repack("in", "--out", "out", "--shards", 2, "--force", "--codec", "zstd")
        self.assertEqual(len(self.names("out/shards")), 2)
        self.check_against("out", self.contents)

    def test_eight_at_once(self):
        command = [harness.PROGRAM, "repack", "in", "--out", "out", "--shards", "2", "--wait", "-j1", "--json"]
        running = [subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                   for _ in range(8)]
        said = [process.communicate() for process in running]
        self.assertEqual([process.returncode for process in running], [0] * 8, [errors for _, errors in said])
        outcomes = [json.loads(out)["outcome"] for out, _ in said]
        self.assertEqual(sorted(outcomes), ["already_there"] * 7 + ["written"])
        self.check_against("out", self.contents)
        self.assertNotIn(".shardmill", os.listdir(self.folder / "out"))

    def test_a_moved_dataset_differs_only_in_its_list(self):
        self.repack("in", "--out", "a", "--shards", 2)
        self.repack("in", "--out", "b/", "--shards", 2)
        self.same_bytes("a", "b")
        self.repack("in", "--out", "c", "--shards", 2, "--list-root", "/data/c")
        self.assertTrue((self.folder / "c/data.list").read_text().startswith("/data/c/shards/audio_000000000.tar\n"))


class BadInput(Repacking):
    """Each row: what is wrong, what the program says, and that nothing but the good is written."""

    def refused(self, *arguments, says, code=1):
        self.fails("repack", *arguments, "--out", "out", "--shards", 1, says=says, code=code)
        self.assertFalse((self.folder / "out/dataset.json").exists())

    def skipping(self, reasons, *more):
        """With skip, the bad ones are recorded, the exit code says so, and the good one is there."""
        shutil.rmtree(self.folder / "skip", ignore_errors=True)
        self.repack("a.tar", "--out", "skip", "--shards", 1, "--on-error", "skip", *more, code=3)
        rejects = self.records("skip", "rejects.jsonl")
        self.assertEqual([reject["reason"] for reject in rejects], reasons)
        self.assertEqual([record["source_key"] for record in self.records("skip")], ["good"])
        shutil.rmtree(self.folder / "skip")
        most = "all" if any(reject.get("samples_unknown") for reject in rejects) else len(reasons)
        self.repack("a.tar", "--out", "skip", "--shards", 1, "--on-error", "skip", "--max-rejects", most, *more)

    def with_bad(self, *bad):
        self.write("a.tar", tar([*bad, ("good.txt", b"good"), ("good.wav", tone(1600))]))

    def test_bad_audio(self):
        good = tone(1600)
        flac = tone(16000, form="FLAC")
        for name, data, reason in (("empty.wav", b"", "empty_audio"), ("junk.wav", b"junk" * 99, "bad_audio"),
                                   ("cut.wav", good[:-100], "truncated_audio"),
                                   ("cut.flac", flac[:-500], "truncated_audio"),
                                   ("frameless.wav", tone(0), "empty_audio")):
            with self.subTest(name=name):
                self.with_bad((name, data))
                self.refused("a.tar", says=["a.tar", name, "--on-error skip"])
                self.skipping([reason])

    def check_mended(self, name, data, mended):
        """The shard holds `mended`, which all readers read alike; the manifest knows that the bytes are others."""
        self.write("a.tar", tar([("k.txt", b"t"), (name, data)]))
        result = self.repack("a.tar", "--out", "out", "--shards", 1, "--force")
        self.assertIn(b"mended_header", result.out)
        with tarfile.open(self.folder / "out/shards/audio_000000000.tar") as shard:
            found = shard.extractfile(name).read()
        self.assertEqual(found, mended)
        record = self.records("out")[0]
        self.assertEqual(record["frames"], 1600)
        self.assertIn("source_xxh3", record)
        self.shardmill("verify", "out", "--decode", "--against", "a.tar")
        # What was mended is true, and stays as it is.
        result = self.repack("dataset:out", "--out", "again", "--shards", 1, "--force")
        self.assertNotIn(b"mended_header", result.out)

    def test_headers_that_lie_are_written_right(self):
        good = tone(1600)
        ffmpeg = good[:36] + b"LIST\x1a\0\0\0INFOISFT\x0e\0\0\0Lavf59.27.100\0" + good[36:]
        trailer = b"LIST\x0c\0\0\0INFOIART\0\0\0\0"
        for whole, data_at in ((good, 40), (ffmpeg, 74), (good + trailer, 40)):
            right = bytearray(whole)
            struct.pack_into("<I", right, 4, len(whole) - 8)
            for riff, size in ((0, 0), (0xFFFFFFFF, 0xFFFFFFFF), (0x7FFFF024, 0x7FFFF000), (36, 0),
                               (0x80000024, 0x80000000),
                               (0xFFFFFFFF, 0xFFFFFFDB), (0, None), (100, None), (0xFFFFFFFF, None)):
                lying = bytearray(right)
                struct.pack_into("<I", lying, 4, riff)
                if size is not None:
                    struct.pack_into("<I", lying, data_at, size)
                with self.subTest(data_at=data_at, riff=hex(riff), size=size):
                    self.check_mended("k.wav", bytes(lying), bytes(right))
        for name, at, form in (("frame size", 32, "<H"), ("byte rate", 28, "<I")):
            lying = bytearray(good)
            struct.pack_into(form, lying, at, 7)
            with self.subTest(name):
                self.check_mended("k.wav", bytes(lying), good)
        flac = self.encoded("flac")
        lying = bytearray(flac)
        lying[21] &= 0xF0
        lying[22:26] = bytes(4)
        self.check_mended("k.flac", bytes(lying), flac)

    def test_headers_that_leave_audio_out(self):
        """Where the RIFF covers more than its data chunk, the rest is audio; where nothing says so, it is counted."""
        good = tone(1600)
        lying = bytearray(good)
        struct.pack_into("<I", lying, 40, 1600)
        self.check_mended("k.wav", bytes(lying), good)
        struct.pack_into("<I", lying, 4, 36 + 1600)
        self.write("a.tar", tar([("k.txt", b"t"), ("k.wav", bytes(lying))]))
        for form in ("keep", "wav"):
            result = self.repack("a.tar", "--out", "out", "--shards", 1, "--force", "--audio", form)
            self.assertIn(b"1 bytes_after_audio", result.out)
            self.assertEqual(self.records("out")[0]["frames"], 800)
            result = self.shardmill("verify", "out", "--decode", "--against", "a.tar")
            note = "member 'k.wav': tar offset 1536: has 1,600 bytes after the end that its header gives"
            (self.assertIn if form == "keep" else self.assertNotIn)(note, result.out.decode() + result.err)
        self.assertIn(b"audio with bytes after the end", self.shardmill("inspect", "a.tar").out)
        twice = good[:4] + struct.pack("<I", len(good) + len(good) - 44) + good[8:] + good[36:]
        self.write("a.tar", tar([("k.txt", b"t"), ("k.wav", twice)]))
        shutil.rmtree(self.folder / "out")
        self.refused("a.tar", says=["k.wav", "it has two data chunks"])

    def test_ogg_with_bytes_behind_it(self):
        """soundfile cannot read one: it finds no length."""
        ogg = self.encoded("ogg", "VORBIS")
        self.write("a.tar", tar([("k.txt", b"t"), ("k.ogg", ogg + b"other bytes")]))
        result = self.repack("a.tar", "--out", "out", "--shards", 1)
        self.assertIn(b"1 bytes_after_audio", result.out)
        with tarfile.open(self.folder / "out/shards/audio_000000000.tar") as shard:
            self.assertEqual(shard.extractfile("k.ogg").read(), ogg)
        self.shardmill("verify", "out", "--decode", "--against", "a.tar")

    def test_au_without_a_size(self):
        for size in (0, 0xFFFFFFFF):
            with self.subTest(size=size):
                good = self.encoded("au")
                self.check_mended("k.au", good[:8] + struct.pack(">I", size) + good[12:], good)

    def encoded(self, kind, subtype="PCM_16"):
        out = io.BytesIO()
        soundfile.write(out, numpy.arange(1600, dtype=numpy.int16), 16000, format=kind, subtype=subtype)
        return out.getvalue()

    def test_a_cut_wav_is_not_taken_for_one_from_a_pipe(self):
        """Sizes that are only large are sizes: the end is missing."""
        for size in (3201, 5000, 0x7FFE0000, 0x90000000, 0xF0000000):
            data = bytearray(tone(1600))
            struct.pack_into("<I", data, 4, size + 36)
            struct.pack_into("<I", data, 40, size)
            self.write("a.tar", tar([("k.txt", b"t"), ("k.wav", bytes(data))]))
            with self.subTest(size=size):
                self.refused("a.tar", says=["k.wav", "bytes of audio are missing"])
        self.write("a.tar", tar([("k.txt", b"t"), ("k.wav", tone(1600) + tone(1600))]))
        self.refused("a.tar", says=["k.wav", "another WAV follows its audio"])

    def test_transcripts(self):
        self.with_bad(("bad.txt", "明天".encode("gbk")), ("bad.wav", tone(1600)))
        self.refused("a.tar", says=["a.tar", "bad", "UTF-8"])
        self.skipping(["bad_text"])
        self.write("b.tar", tar([("none.wav", tone(900)), ("blank.txt", b" \n"), ("blank.wav", tone(900))]))
        result = self.repack("b.tar", "--out", "out", "--shards", 1, "--allow-missing-text")
        self.assertEqual({record["key"]: record["text"] for record in self.records("out")}, {"none": "", "blank": ""})
        self.assertIn(b"transcripts    no sample", result.out)

    def test_samples_without_audio_or_with_two(self):
        self.with_bad(("lonely.txt", b"text"))
        self.refused("a.tar", says=["lonely", "no audio"])
        self.skipping(["no_audio"])
        self.with_bad(("two.wav", tone(900)), ("two.flac", tone(900, form="FLAC")))
        self.refused("a.tar", says=["two", "2 audio"])
        self.skipping(["several_audio"])

    def test_a_sample_in_two_places(self):
        self.write("a.tar",
                   tar([("k.txt", b"text"), ("good.txt", b"g"), ("good.wav", tone(900)), ("k.wav", tone(900))]))
        self.refused("a.tar", says=["'k'", "no audio"])

    def test_duplicate_keys(self):
        self.write("a.tar", tar([("k.txt", b"1"), ("k.wav", tone(900, seed=1)),
                                 ("z.txt", b"z"), ("z.wav", tone(900))]))
        self.write("b.tar", tar([("k.txt", b"2"), ("k.wav", tone(900, seed=2))]))
        self.refused("d=a.tar", "d=b.tar", says=["b.tar", "'k'", "--on-duplicate"])
        self.repack("d=a.tar", "d=b.tar", "--out", "first", "--shards", 1, "--on-duplicate", "first")
        self.assertEqual(sorted(record["key"] for record in self.records("first")), ["k", "z"])
        self.assertEqual(self.records("first", "rejects.jsonl")[0]["reason"], "duplicate_key")
        self.repack("d=a.tar", "d=b.tar", "--out", "rename", "--shards", 1, "--on-duplicate", "rename")
        records = {record["key"]: record for record in self.records("rename")}
        self.assertEqual(sorted(records), ["k", "k_2", "z"])
        self.assertEqual(records["k_2"]["source_key"], "k")
        with tarfile.open(self.folder / "rename/shards/audio_000000000.tar") as archive:
            self.assertEqual(archive.extractfile("k_2.txt").read(), b"2")
            self.assertEqual(archive.extractfile("k_2.wav").read(), tone(900, seed=2))

    def test_keys_that_loaders_would_misread(self):
        long_key = "x" * 200
        keys = ["a.b.c", "./dir/sub/k", "键", long_key, long_key + "y"]
        self.write("a.tar", tar([(f"{key}.WAV", tone(900, seed=i)) for i, key in enumerate(keys)]))
        self.repack("a.tar", "--out", "out", "--shards", 1, "--allow-missing-text")
        records = {record["source_key"]: record for record in self.records("out")}
        self.assertEqual(sorted(records), sorted(["a.b.c", "dir/sub/k", "键", long_key, long_key + "y"]))
        written = [record["key"] for record in records.values()]
        self.assertEqual(len(set(written)), 5)
        for key in written:
            self.assertNotRegex(key, r"[./\s]")
        for record in records.values():
            self.assertTrue(record["audio_filepath"].endswith(".wav"))
            self.assertLessEqual(len(record["audio_filepath"].encode()), 100)

    def test_names_cannot_forge_lines(self):
        self.write("a.tar", tar([("evil\n{}\r.wav", tone(900)), ("../../up.wav", tone(900, seed=1))]))
        self.repack("a.tar", "--out", "out", "--shards", 1, "--allow-missing-text", "--on-error", "skip",
                    "--max-rejects", 9)
        for line in (self.folder / "out/tarred_audio_manifest.json").read_text().split("\n")[:-1]:
            self.assertNotRegex(json.loads(line)["key"], r"[\n\r/.]")
        self.assertEqual(len((self.folder / "out/data.list").read_text().splitlines()), 1)

    def test_members_that_are_no_files(self):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as archive:
            for name, kind in (("d", tarfile.DIRTYPE), ("l.wav", tarfile.SYMTYPE), ("h.wav", tarfile.LNKTYPE),
                               ("dev.wav", tarfile.CHRTYPE)):
                entry = tarfile.TarInfo(name)
                entry.type, entry.linkname = kind, "/etc/passwd"
                archive.addfile(entry)
            for name, data in (("good.txt", b"text"), ("good.wav", tone(900))):
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
        self.write("a.tar", out.getvalue())
        self.refused("a.tar", says=["l.wav", "link"])
        self.skipping(["unsafe_member"] * 3)

    def test_a_sample_that_loses_a_member_counts_once(self):
        def shard(members):
            out = io.BytesIO()
            with tarfile.open(fileobj=out, mode="w") as archive:
                for name, data in members:
                    entry = tarfile.TarInfo(name)
                    if data is None:
                        entry.type, entry.linkname = tarfile.SYMTYPE, "good.wav"
                    else:
                        entry.size = len(data)
                    archive.addfile(entry, io.BytesIO(data or b""))
            return out.getvalue()
        good = [("good.txt", b"text"), ("good.wav", tone(900))]
        for lost, lines in (([("l.txt", b"text"), ("l.wav", None)], [("l", None, None)]),
                            ([("l.txt", b"text"), ("l.wav", None), ("l.flac", None)], [("l", None, None)]),
                            ([("l.wav", None)], [(None, "l.wav", None)]),
                            ([("l.wav", None), ("l.txt", b"text")], [(None, "l.wav", None), ("l", None, 0)])):
            with self.subTest(lost):
                self.write("a.tar", shard(lost + good))
                self.refused("a.tar", says=["l.wav", "link"])
                result = self.repack("a.tar", "--out", "out", "--shards", 1, "--on-error", "skip", "--max-rejects", 1,
                                     "--json")
                self.assertEqual(json.loads(result.out)["lost_samples"], 1)
                rejects = [json.loads(line) for line in (self.folder / "out/rejects.jsonl").read_text().splitlines()]
                self.assertEqual([(reject.get("key"), reject.get("member"), reject.get("samples"))
                                  for reject in rejects], lines)
                self.assertEqual({reject["reason"] for reject in rejects}, {"unsafe_member"})
                self.assertEqual(json.loads((self.folder / "out/dataset.json").read_text())["left_out"],
                                 {"unsafe_member": len(lines)})
                self.shardmill("verify", "out", "--against", "a.tar")
                shutil.rmtree(self.folder / "out")

    def test_sources_that_are_none(self):
        self.write("empty.tar", b"")
        self.refused("empty.tar", says=["empty.tar", "0 bytes"])
        self.write("text.tar", b"this is no tar\n" * 100)
        self.refused("text.tar", says="text.tar")
        (self.folder / "nothing").mkdir()
        self.refused("nothing", says="nothing")
        self.refused("missing.tar", says=["missing.tar", "No such file"])
        self.write("silent.tar", tar([("readme.txt", b"no audio here")]))
        self.refused("silent.tar", says=["silent.tar", "no audio"])

    def test_cut_tars(self):
        whole = tar([("good.txt", b"good"), ("good.wav", tone(1600)), ("b.txt", b"b"), ("b.wav", tone(1600))])
        self.write("a.tar", whole[:512 * 4 + 3244 // 512 * 512 + 512])  # cut after the first sample, without end blocks
        self.refused("a.tar", says=["a.tar", "end"])
        self.write("a.tar", whole[:512 * 16 + 7])
        self.refused("a.tar", says="a.tar")
        self.repack("a.tar", "--out", "skip", "--shards", 1, "--on-error", "skip", code=3)
        self.assertEqual([record["key"] for record in self.records("skip")], ["good"])

    def test_output_inside_the_input(self):
        tars, _ = corpus("k", 10)
        self.put("in", tars)
        self.fails("repack", "in", "--out", "in/out", "--shards", 1, says=["in/out", "source"], code=2)
        self.assertFalse((self.folder / "in/out").exists())

    def test_more_shards_than_samples(self):
        tars, _ = corpus("k", 10)
        self.put("in", tars)
        self.fails("repack", "in", "--out", "out", "--shards", 11, says=["11 shards", "10 samples"])
        self.assertFalse((self.folder / "out").exists())

    def test_a_first_run_that_fails_leaves_nothing(self):
        self.write("a.tar", b"this is no tar")
        for out in ("new", "a/new/one"):
            self.fails("repack", "a.tar", "--out", out, "--shards", 1, says="a.tar")
            self.assertEqual([path.name for path in self.folder.iterdir()], ["a.tar"])
        (self.folder / "mine").mkdir()
        self.fails("repack", "a.tar", "--out", "mine", "--shards", 1, says="a.tar")
        self.assertEqual(list((self.folder / "mine").iterdir()), [])

    def test_wrong_options(self):
        for arguments, says in ((["a.tar"], "--out"), (["--out", "out"], "SOURCE"),
                                (["a.tar", "--out", "o", "--shards", "0"], "--shards"),
                                (["a.tar", "--out", "o", "--shards", "x"], "--shards"),
                                (["a.tar", "--out", "o", "--codec", "bzip2"], "bzip2"),
                                (["a.tar", "--out", "o", "--codec", "zstd", "--level", "99"], "--level"),
                                (["a.tar", "--out", "o", "--shards", "2", "--shard-samples", "9"], "more than one"),
                                (["a.tar", "--out", "o", "--on-error", "ignore"], "stop, skip"),
                                (["a.tar", "--out", "o", "--prefix", "a/b"], "prefix"),
                                (["a.tar", "--out", "o", "--memory", "lots"], "lots"),
                                (["a.tar", "--out", "o", "--shard", "2"], "shard")):
            with self.subTest(arguments=arguments):
                self.fails("repack", *arguments, says=says, code=2)


class Damage(Repacking):
    def test_nothing_of_a_small_gzip_member_is_packed_before_it_was_checked(self):
        """Blocks as bgzip makes them, which hold whole samples; only the checksum shows that one has a wrong bit."""
        tars, contents = corpus("k", 40, shards=1)
        blocks = [bytearray(gzip.compress(tars[0][begin:begin + 65280], 0))
                  for begin in range(0, len(tars[0]), 65280)]
        self.assertGreater(len(blocks), 4)
        for offset in range(1000, 60_000, 3000):  # some of them in audio
            blocks[2][offset] ^= 1
        self.write("a.tar.gz", b"".join(blocks))
        self.repack("a.tar.gz", "--out", "out", "--shards", 1, "--on-error", "skip", "--max-rejects", "all")
        with tarfile.open(self.folder / "out/shards/audio_000000000.tar") as tar:
            packed = {member.name.rsplit(".", 1)[0]: tar.extractfile(member).read() for member in tar
                      if not member.name.endswith(".txt")}
        self.assertGreater(len(packed), 10)
        self.assertLess(len(packed), 40)
        for key, audio in packed.items():
            self.assertEqual(audio, contents[key][1], key)

    def test_a_damaged_block_costs_only_the_samples_that_touch_it(self):
        tars, contents = corpus("k", 400, shards=1)
        data = bytearray(harness.output_of("bzip2", "-1c", data=tars[0]))
        middle = len(data) // 2
        data[middle] ^= 0x10
        self.write("a.tar.bz2", bytes(data))
        self.fails("repack", "a.tar.bz2", "--out", "out", "--shards", 1, says=["a.tar.bz2", "block", "offset"])
        self.repack("a.tar.bz2", "--out", "out", "--shards", 1, "--on-error", "skip", code=3)
        kept = {record["source_key"]: record for record in self.records("out")}
        ends = {}
        offset = 0
        for key, (text, audio) in contents.items():
            size = 1024 + -(-len(text.encode()) // 512) * 512 + -(-len(audio) // 512) * 512
            ends[key] = (offset, offset + size)
            offset += size
        # A block of bzip2 -1 holds just under 100 000 bytes.
        lost = [ends[key] for key in contents if key not in kept]
        self.assertTrue(lost)
        self.assertLess(max(end for _, end in lost) - min(begin for begin, _ in lost), 100_000 + 2 * 20_000)
        for key, record in kept.items():
            self.assertEqual(record["audio_bytes"], len(contents[key][1]))
        for reject in self.records("out", "rejects.jsonl"):
            self.assertEqual((reject["source"], reject["reason"]), ("a.tar.bz2", "damaged_source"))
            if "block" in reject["problem"]:
                begin, end = reject["file_bytes"]
                self.assertTrue(begin <= middle < end < begin + 100_000, (begin, middle, end))

    def test_a_truncated_shard_gives_what_is_before_the_cut(self):
        tars, contents = corpus("k", 100, shards=1)
        # Small blocks where the format has blocks, because a block that is cut is lost completely.
        for codec in (["bzip2", "-1c"], ["zstd", "-qc"], ["gzip", "-c"], ["xz", "-c"], ["lz4", "-qcB4"]):
            with self.subTest(codec=codec):
                data = harness.output_of(*codec, data=tars[0])
                codec = codec[0]
                self.write("a.tar", data[:len(data) * 2 // 3])
                self.fails("repack", "a.tar", "--out", codec, "--shards", 1, says="a.tar")
                self.repack("a.tar", "--out", codec, "--shards", 1, "--on-error", "skip", code=3)
                kept = [record["source_key"] for record in self.records(codec)]
                self.assertEqual(sorted(kept), sorted(contents)[:len(kept)])
                self.assertGreater(len(kept), 20)

    def test_other_files_are_not_affected(self):
        tars, contents = corpus("k", 60, shards=3)
        self.put("in", tars)
        bad = self.folder / "in/part_1.tar.bz2"
        bad.write_bytes(bad.read_bytes()[:100])
        self.repack("in", "--out", "out", "--shards", 1, "--on-error", "skip", code=3)
        with tarfile.open(fileobj=io.BytesIO(tars[1])) as archive:
            lost = {name.rsplit(".", 1)[0] for name in archive.getnames()}
        self.assertEqual({record["source_key"] for record in self.records("out")}, set(contents) - lost)


class Property(Repacking):
    ROUNDS = int(os.environ.get("SHARDMILL_PROPERTY_ROUNDS", "6"))

    def test_random_options(self):
        random_ = random.Random(20261120)
        for number in range(self.ROUNDS):
            datasets = {}
            sources = []
            for name in ("p", "q", "r")[:random_.randint(1, 3)]:
                tars, contents = corpus(f"{name}{number}-", random_.randint(5, 120), random_.choice(["wav", "flac"]),
                                        seed=number, shards=random_.randint(1, 4))
                self.put(f"{number}/{name}", tars, random_.choice(list(harness.COMPRESSORS)))
                datasets.update(contents)
                sources.append(f"{name}={number}/{name}")
            text = random_.choice(["both", "members", "manifest"])
            options = ["--shards", random_.randint(1, 5), "--text", text, "--seed", random_.randint(0, 3),
                       "--codec", random_.choice(["none", "zstd", "lz4", "gzip"])]
            with self.subTest(sources=sources, options=options):
                self.repack(*sources, "--out", f"{number}/one", *options, "-j1")
                self.repack(*sources, "--out", f"{number}/many", *options, "-j5", "--memory", "64MiB")
                self.same_bytes(f"{number}/one", f"{number}/many")
                self.check_against(f"{number}/one", datasets, text)


if __name__ == "__main__":
    unittest.main()
