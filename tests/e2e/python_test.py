"""The Python package: what it reads against Python's own tarfile and json, and jobs against the commands."""
import bz2
import fractions
import gzip
import importlib.util
import io
import json
import lzma
import multiprocessing
import os
import pathlib
import pickle
import platform
import random
import re
import signal
import subprocess
import sys
import tarfile
import time
import unittest
import warnings

import harness
import pages

BUILD = pathlib.Path(os.environ.get("SHARDMILL_BUILD", pathlib.Path(harness.PROGRAM).parent))
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "data/example"
PACKAGE = BUILD / "python"


def setUpModule():
    if os.environ.get("SHARDMILL_SANITIZE"):
        raise unittest.SkipTest("Python itself would have to be built with the sanitizer")
    if not list(PACKAGE.glob("shardmill/_native*.so")):
        raise unittest.SkipTest("the Python package was not built: python3-dev is missing")
    sys.path.insert(0, str(PACKAGE))


def members_of(path):
    """[(key, {extension: bytes})], as tarfile has them."""
    samples = {}
    with tarfile.open(path) as tar:
        for member in tar:
            key, _, extension = member.name.rpartition(".")
            samples.setdefault(key, {})[extension] = tar.extractfile(member).read()
    return list(samples.items())


def add(tar, name, data):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    tar.addfile(info, io.BytesIO(data))


def in_child(work, path, results):
    """What a DataLoader worker does with its part; `work` is one of the functions here, by name."""
    results.put(globals()[work](path))


def keys_of(path):
    import shardmill
    return [sample.key for sample in shardmill.open(path, threads=1)]


class Python(harness.Case):
    def setUp(self):
        super().setUp()
        import shardmill
        self.module = shardmill

    def make(self, out="made", *options):
        self.shardmill("repack", f"zh={EXAMPLE}/mandarin", f"en={EXAMPLE}/english", "--out", out, "--shards", 4,
                       *options)
        return self.folder / out

    def test_a_shard_of_any_codec_has_what_tarfile_finds(self):
        made = self.make()
        plain = made / "shards/audio_000000001.tar"
        expected = members_of(plain)
        shards = {"none": plain}
        for codec in ("zstd", "lz4", "gzip"):
            self.shardmill("convert", plain, "--out", codec, "--codec", codec)
            shards[codec], = (self.folder / codec).glob("audio*")
        shards["bzip2"] = self.folder / "x.tar.bz2"
        shards["bzip2"].write_bytes(subprocess.run(["bzip2", "-c", plain], capture_output=True, check=True).stdout)
        for codec, path in shards.items():
            for threads in (1, 2):
                with self.subTest(codec, threads=threads):
                    read = list(self.module.open(path, threads=threads))
                    self.assertEqual([(sample.key, sample.members) for sample in read], expected)
                    self.assertEqual([sample.text for sample in read],
                                     [members["txt"].decode().rstrip("\n") for _, members in expected])
                    self.assertEqual(read[0].audio, expected[0][1][read[0].extension])
                    self.assertEqual(self.module.open(path)[expected[-1][0]].members, expected[-1][1])

    def test_a_dataset_has_all_fields_and_gives_single_samples(self):
        for options in ((), ("--codec", "zstd"), ("--text", "manifest")):
            with self.subTest(options):
                made = self.make("_".join(("made", *options)).replace("-", ""), *options)
                lines = [json.loads(line) for path in sorted((made / "manifests").iterdir())
                         for line in path.read_text().splitlines()]
                dataset = self.module.open(made)
                samples = list(dataset)
                self.assertEqual(len(dataset), len(lines))
                self.assertEqual([sample.fields for sample in samples], lines)
                self.assertEqual([sample.text for sample in samples], [line["text"] for line in lines])
                self.assertEqual([len(sample.audio) for sample in samples], [line["audio_bytes"] for line in lines])
                for sample in reversed(samples):
                    found = dataset[sample.key]
                    self.assertEqual((found.audio, found.fields, found.text),
                                     (sample.audio, sample.fields, sample.text))
                self.assertIn(samples[3].key, dataset)
                self.assertNotIn("nobody", dataset)
                with self.assertRaises(KeyError):
                    dataset["nobody"]
                self.assertEqual(sum(len(shard) for shard in dataset.shards), len(lines))
                again = pickle.loads(pickle.dumps(dataset))
                self.assertEqual(again[samples[0].key].audio, samples[0].audio)

    def test_keys_and_lengths_of_whatever_is_open(self):
        made = self.make()
        dataset = self.module.open(made)
        shard, bare = dataset.shards[1], self.module.open(dataset.shards[1].path)
        both = self.module.open([made, made])
        inside, outside = next(iter(shard)).key, next(iter(dataset.shards[0])).key
        for opened in (dataset, shard, bare, both):
            with self.subTest(opened):
                self.assertTrue(opened)
                self.assertIn(inside, opened)
                self.assertEqual(outside in opened, opened in (dataset, both))
                self.assertNotIn("nobody", opened)
                with self.assertRaisesRegex(TypeError, "the key of a sample"):
                    3 in opened
        self.assertEqual((len(dataset), len(both)), (29, 58))
        with self.assertRaisesRegex(TypeError, "no manifest"):
            len(bare)
        with self.assertRaisesRegex(TypeError, "source is a path"):
            self.module.open({"zh": made})

    def test_files_that_vanish_are_named(self):
        made = self.make()
        dataset = self.module.open(made)
        keys = [next(iter(shard)).key for shard in dataset.shards]
        shard, manifest = made / "shards/audio_000000000.tar", made / "manifests/manifest_000000001.json"
        self.assertIn(keys[0], dataset)  # the keys are known now
        os.unlink(shard)
        os.unlink(manifest)
        for key, path in zip(keys, (shard, manifest)):
            with self.assertRaisesRegex(self.module.Error, "cannot be read: No such file") as caught:
                dataset[key]
            self.assertEqual(caught.exception.path, str(path))

    def test_a_dataset_that_changed_since_it_was_opened(self):
        changed = "the dataset was changed since it was opened .make a new ShardDataset, or call shardmill.open"
        made = self.make()
        for name in ("dataset.json", "shards/audio_000000001.tar"):
            for how in ({}, {"skip_damage": True}):
                dataset = self.module.open(made, **how)
                shards = self.module.open([dataset])
                key = next(iter(dataset.shards[1])).key
                self.assertIn(key, dataset)
                os.utime(made / name)
                for read in (lambda: list(dataset), lambda: list(shards), lambda: list(dataset.shards[1]),
                             lambda: dataset[key], lambda: list(pickle.loads(pickle.dumps(dataset))),
                             lambda: list(dataset.batches(2))):
                    with self.assertRaisesRegex(self.module.Error, changed) as caught:
                        read()
                    self.assertEqual(caught.exception.path, str(made / name))
        dataset = self.module.open(made)
        list(dataset)
        (made / "dataset.json").unlink()
        with self.assertRaisesRegex(self.module.Error, f"No such file or directory; {changed}"):
            list(dataset)

    def test_ctrl_c_ends_an_iteration_and_a_new_one_reads_all(self):
        code = ("import shardmill, signal, sys\n"
                "dataset = shardmill.open(sys.argv[1], threads=1)\n"
                "signal.signal(signal.SIGALRM, signal.default_int_handler)\n"
                "for i in range(20):\n"
                "    try:\n"
                "        signal.setitimer(signal.ITIMER_REAL, 0.05)\n"
                "        while True:\n"
                "            for sample in dataset: sample.audio\n"
                "    except KeyboardInterrupt: pass\n"
                "print(len(list(dataset)))\n")
        for options in ((), ("--codec", "zstd")):
            made = self.make("_".join(("made", *options)).replace("-", ""), *options)
            done = subprocess.run([sys.executable, "-c", code, made], capture_output=True, timeout=120,
                                  env={**os.environ, "PYTHONPATH": str(PACKAGE)})
            self.assertEqual((done.stdout, done.stderr), (b"29\n", b""))

    def test_damage_says_where_and_can_be_passed_over(self):
        path = self.folder / "x.tar.bz2"
        data = bytearray((EXAMPLE / "english/english_0.tar.bz2").read_bytes())
        path.write_bytes(data[:-2000])
        with self.assertRaises(self.module.Error) as caught:
            list(self.module.open(path))
        self.assertEqual(caught.exception.path, str(path))
        self.assertIn("x.tar.bz2", str(caught.exception))
        self.assertIsInstance(list(self.module.open(path, skip_damage=True)), list)
        with self.assertRaises(self.module.Error):
            list(self.module.open(self.folder / "nothing.tar"))

    def lossy(self, path):
        """The keys that are left of a damaged shard, and the texts of the warnings."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            keys = [sample.key for sample in self.module.open(path, skip_damage=True)]
        self.assertTrue(all(issubclass(each.category, self.module.DamageWarning) for each in caught), caught)
        return keys, [str(each.message) for each in caught]

    def damaged_headers(self, count):
        """A shard of 60 samples, the headers of so many members broken."""
        path = self.folder / "headers.tar"
        with tarfile.open(path, "w") as tar:
            for number in range(60):
                add(tar, f"k{number:02}.txt", b"text")
                add(tar, f"k{number:02}.wav", b"RIFF" * 200)
        data = bytearray(path.read_bytes())
        for number in range(count):
            data[data.index(f"k{3 * number + 2:02}.wav".encode()) + 1] ^= 1
        path.write_bytes(data)
        return path

    def test_each_loss_is_told_once_and_many_are_summed_up(self):
        keys, lost = self.lossy(self.damaged_headers(1))
        self.assertEqual(len(keys), 59)
        self.assertEqual(len(lost), 2, lost)
        self.assertRegex(lost[0], "headers.tar: offset [0-9]+: this is no tar header")
        self.assertRegex(lost[1], "'k02': it is next to damaged data")
        keys, lost = self.lossy(self.damaged_headers(15))
        self.assertEqual((len(keys), len(lost)), (45, 11), lost)
        self.assertRegex(lost[10], "headers.tar: 20 more losses")

    def test_a_loss_in_bzip2_names_the_block_and_the_sample(self):
        path = self.folder / "block.tar"
        with tarfile.open(path, "w") as tar:
            for number in range(100):
                add(tar, f"k{number}.txt", b"text")
                add(tar, f"k{number}.wav", random.Random(number).randbytes(20000))
        packed = bytearray(bz2.compress(path.read_bytes()))
        packed[len(packed) // 2] ^= 1
        path = path.with_suffix(".tar.bz2")
        path.write_bytes(packed)
        lost = self.lossy(path)[1]
        self.assertEqual(len(lost), 2, lost)
        self.assertRegex(lost[0], "block 1 at offset")
        self.assertRegex(lost[1], "member 'k[0-9]+.wav': bytes are missing here")

    def test_a_warning_comes_where_the_loss_is_and_may_be_an_exception(self):
        for path in self.in_each_codec(self.damaged_headers(2)):
            path = str(path)
            for opened in (self.module.open(path, skip_damage=True), self.module.open([path, path], skip_damage=True)):
                with self.subTest(opened), warnings.catch_warnings():
                    warnings.simplefilter("error", self.module.DamageWarning)
                    seen = []
                    with self.assertRaisesRegex(self.module.DamageWarning, "no tar header"):
                        for sample in opened:
                            seen.append(sample.key)
                    self.assertEqual(seen, ["k00", "k01"])
                    warnings.simplefilter("ignore", self.module.DamageWarning)
                    self.assertEqual(len(list(opened)), 58 * len(opened.shards))
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    for sample in opened:
                        pass
                self.assertEqual({each.filename for each in caught}, {__file__})

    def in_each_codec(self, path):
        """A tar, and the same compressed."""
        packed = path.with_suffix(".tar.bz2")
        packed.write_bytes(bz2.compress(path.read_bytes()))
        return path, packed

    def test_no_member_of_a_sample_vanishes_in_silence(self):
        """tar -S stores a file with holes as one under a made-up name, which a pax record mends."""
        (self.folder / "a.txt").write_text("text")
        with open(self.folder / "a.wav", "wb") as file:
            file.write(b"RIFF")
            file.truncate(4 << 20)
        for form in ("gnu", "pax"):
            subprocess.run(["tar", f"--format={form}", "-S", "-cf", f"{form}.tar", "a.txt", "a.wav"], cwd=self.folder,
                           check=True)
            for path in self.in_each_codec(self.folder / f"{form}.tar"):
                with self.subTest(path.name):
                    with self.assertRaisesRegex(self.module.Error, "'a': its member 'a.wav' is lost: a sparse file"):
                        list(self.module.open(path))
                    keys, lost = self.lossy(path)
                    self.assertEqual((keys, len(lost)), ([], 1))
                    self.assertIn("'a': its member 'a.wav' is lost: a sparse file", lost[0])

    def test_a_link_that_is_a_whole_sample_or_its_first_member(self):
        for first, second, lost_words in (("b.wav", "b.txt", "a hard link"), ("b.wav", None, "a hard link")):
            path = self.folder / "link.tar"
            with tarfile.open(path, "w") as tar:
                add(tar, "a.wav", b"RIFF")
                link = tarfile.TarInfo(first)
                link.type, link.linkname = tarfile.LNKTYPE, "a.wav"
                tar.addfile(link)
                if second:
                    add(tar, second, b"text")
                link.name = "latest"
                tar.addfile(link)  # belongs to no sample
            for path in self.in_each_codec(path):
                with self.subTest(path.name, second=second):
                    with self.assertRaisesRegex(self.module.Error, f"b.wav.*{lost_words}"):
                        list(self.module.open(path))
                    keys, lost = self.lossy(path)
                    self.assertEqual((keys, len(lost)), (["a"], 1), lost)
                    self.assertRegex(lost[0], f"b.wav.*{lost_words}")

    def test_what_is_passed_over_gives_a_warning_with_the_text_of_the_error(self):
        shard = self.make() / "shards/audio_000000000.tar"
        whole = [sample.key for sample in self.module.open(shard)]
        data = shard.read_bytes()
        damaged = {"cut.tar": data[:len(data) * 2 // 3], "two.tar": data + data}
        damaged["two.tar.bz2"] = bz2.compress(data) + bz2.compress(data)
        for name, packed in (("flip.tar.gz", gzip.compress(data)), ("flip.tar.xz", lzma.compress(data))):
            damaged[name] = packed[:-6] + bytes([packed[-6] ^ 1]) + packed[-5:]
        for name, content in damaged.items():
            path = self.folder / name
            path.write_bytes(content)
            with self.subTest(name):
                with self.assertRaises(self.module.Error) as caught:
                    list(self.module.open(path))
                keys, lost = self.lossy(path)
                self.assertEqual(lost[0], str(caught.exception))
                self.assertEqual(keys, whole[:len(keys)])
        self.assertEqual(self.lossy(shard), (whole, []))

    def test_a_sample_of_the_manifest_that_is_gone_gives_a_warning(self):
        made = self.make()
        shards = sorted((made / "shards").iterdir())
        os.replace(shards[0], shards[1])
        os.link(shards[1], shards[0])
        keys, lost = self.lossy(made)
        self.assertEqual(len(keys), len(set(keys)))
        self.assertIn("is left out", lost[0])
        self.assertTrue(any("are lost" in text for text in lost), lost)

    def test_a_shard_that_differs_from_its_manifest_is_an_error(self):
        made = self.make()
        first, second = made / "manifests/manifest_000000000.json", made / "manifests/manifest_000000001.json"
        lines = first.read_text().splitlines(keepends=True)
        for content in ("".join(lines[1:]), "".join(lines[:-1]), "".join(lines + lines[-1:]), second.read_text()):
            first.write_text(content)
            with self.assertRaisesRegex(self.module.Error, "shardmill verify"):
                list(self.module.open(made))

    def test_damage_in_a_dataset_can_be_passed_over(self):
        made = self.make("made", "--codec", "zstd")
        whole = {sample.key: sample for sample in self.module.open(made)}
        shard = made / "shards/audio_000000001.tar.zst"
        data = bytearray(shard.read_bytes())
        for damaged in (data[:-len(data) // 3], data[:200] + bytes([data[200] ^ 4]) + data[201:]):
            shard.write_bytes(damaged)
            with self.assertRaises(self.module.Error):
                list(self.module.open(made))
            left = list(self.module.open(made, skip_damage=True))
            self.assertLess(len(left), len(whole))
            others = sum(len(each) for each in self.module.open(made).shards if "000000001" not in each.path)
            self.assertGreaterEqual(len(left), others)
            for sample in left:
                self.assertEqual((sample.audio, sample.fields), (whole[sample.key].audio, whole[sample.key].fields))

    def test_shards_that_changed_places(self):
        made = self.make()
        dataset = self.module.open(made)
        keys = [sample.key for sample in dataset]
        first, second = made / "shards/audio_000000000.tar", made / "shards/audio_000000001.tar"
        first.rename(made / "x")
        second.rename(first)
        (made / "x").rename(second)
        with self.assertRaises(self.module.Error):
            list(dataset)
        refused = 0
        for key in keys:
            try:
                self.assertIn(key.split("-")[0], dataset[key].fields["key"])
            except self.module.Error:
                refused += 1
        self.assertEqual(refused, sum(len(shard) for shard in dataset.shards[:2]))

    def test_a_manifest_that_is_gone_or_no_json(self):
        made = self.make()
        dataset = self.module.open(made)
        manifest = made / "manifests/manifest_000000000.json"
        for content in (b"{no json\n", b"\xff\xfe\n", None):
            manifest.unlink() if content is None else manifest.write_bytes(content)
            with self.assertRaises(self.module.Error) as caught:
                list(dataset)
            self.assertEqual(caught.exception.path, str(manifest))

    def test_jobs_do_what_commands_do(self):
        made = self.make()
        counts = []
        done = self.module.repack({"zh": EXAMPLE / "mandarin", "en": EXAMPLE / "english"}, self.folder / "py", shards=4,
                                  progress=counts.append)
        self.assertEqual((done["shards"], done["samples"], done["rejects"]), (4, 29, 0))
        self.assertEqual(counts[-1]["samples"], 29)
        for path in (made / "shards").iterdir():
            self.assertEqual((self.folder / "py/shards" / path.name).read_bytes(), path.read_bytes())
        self.assertTrue(self.module.repack({"zh": EXAMPLE / "mandarin", "en": EXAMPLE / "english"}, self.folder / "py",
                                           shards=4)["already_there"])

        self.assertEqual(self.module.verify(made, decode=True)["good"], True)
        ranks = self.module.ranks(made, world_size=2, workers=2)
        told = json.loads(self.shardmill("ranks", made, "-w", 2, "--workers", 2, "--loader", "wenet", "--dry-run",
                                         "--json").out)
        world, = told["world_sizes"]
        self.assertEqual([rank["seconds"] for rank in ranks["by_loader"]],
                         [rank["seconds"] for rank in world["loaders"][0]["ranks"]])
        self.assertEqual([rank["seconds"] for rank in ranks["by_plan"]],
                         [rank["seconds"] for rank in world["lists"]["ranks"]])
        planned = sorted(path for rank in ranks["plan"] for worker in rank for path in worker)
        self.assertEqual(planned, sorted(str(path) for path in (made / "shards").iterdir()))

        shard = made / "shards/audio_000000002.tar"
        data = bytearray(shard.read_bytes())
        data[3000] ^= 1
        shard.write_bytes(data)
        found = self.module.verify(made)
        self.assertFalse(found["good"])
        self.assertIn(str(shard), [finding["path"] for finding in found["findings"]])

    def test_wrong_arguments(self):
        module = self.module
        for call in (lambda: module.repack([], self.folder / "x"), lambda: module.ranks("x", world_size=0),
                     lambda: module.ranks(EXAMPLE, world_size=1, loader="none"),
                     lambda: module.repack(EXAMPLE / "english", self.folder / "x", codec="rar"),
                     lambda: module.open("x", key_rule="none")):
            with self.assertRaises(ValueError):
                call()
        with self.assertRaisesRegex(TypeError, "shard_count.*did you mean .*shards"):
            module.repack(EXAMPLE / "english", self.folder / "x", shard_count=4)

    def test_arguments_of_a_wrong_kind_are_named(self):
        module, made = self.module, self.make()
        shard, out = made / "shards/audio_000000000.tar", self.folder / "x"
        dataset = module.open(made)
        for words, call in (("source", lambda: module.open(None)), ("source", lambda: module.open([3])),
                            ("threads", lambda: module.open(shard, threads="a")),
                            ("thread", lambda: module.open(shard, thread=1)),
                            ("memory", lambda: module.open(shard, memory=1.5)),
                            ("skip_damage", lambda: module.open(shard, skip_damage="no")),
                            ("key", lambda: dataset[0]), ("key", lambda: module.open(shard)[0]),
                            ("targets", lambda: module.verify(None)), ("targets", lambda: module.verify([1])),
                            ("decode", lambda: module.verify(shard, decode="no")),
                            ("progress", lambda: module.verify(shard, progress=3)),
                            ("progress", lambda: module.repack(shard, out, progress=3)),
                            ("out", lambda: module.repack(shard, None)),
                            ("world_size", lambda: module.ranks(made, world_size=[1, 2, 4]))):
            with self.subTest(words), self.assertRaisesRegex(TypeError, words):
                call()
        for words, call in (("no dataset and no shard", lambda: module.verify([])),
                            ("no dataset and no shard", lambda: module.ranks([], world_size=1)),
                            ("sources.*'a=b'", lambda: module.repack({"a=b": shard}, out))):
            with self.subTest(words), self.assertRaisesRegex(module.UsageError, words):
                call()
        self.assertFalse(out.exists())
        self.assertIn("audio_000000000.tar", repr(module.open([shard, shard])))

    def test_numbers_and_paths_of_any_kind(self):
        import numpy

        class Place:  # such as pathlib.Path, and not derived from it
            def __init__(self, path):
                self.path = path

            def __fspath__(self):
                return os.fsencode(self.path)

        module, source = self.module, EXAMPLE / "english"
        done = module.repack(Place(source), Place(self.folder / "x"), shards=numpy.int64(2), threads=numpy.uint8(1),
                             memory=numpy.int64(1 << 28), min_duration=numpy.float32(0.2),
                             max_duration=fractions.Fraction(99, 2),
                             weight={"english": numpy.int32(1)}, exclude=numpy.array(["*nothing"]),
                             quality=numpy.bool_(False))
        self.assertEqual((done["shards"], done["samples"]), (2, 13))
        self.assertIn('"min-duration": "0.2"', (self.folder / "x/dataset.json").read_text())
        opened = module.open(Place(self.folder / "x"), threads=numpy.int16(1), memory=numpy.uint64(1 << 28),
                             skip_damage=numpy.bool_(True))
        self.assertEqual(len(list(pickle.loads(pickle.dumps(opened)))), 13)
        self.assertTrue(module.verify(Place(self.folder / "x"), decode=numpy.bool_(True),
                                      threads=numpy.int64(1))["good"])
        self.assertEqual(len(module.ranks(Place(self.folder / "x"), world_size=numpy.int64(2),
                                          epochs=numpy.int8(1))["by_loader"]), 2)
        for words, call in (("threads", lambda: module.open(source, threads=numpy.float64(1))),
                            ("threads", lambda: module.open(source, threads=numpy.bool_(True))),
                            ("world_size", lambda: module.ranks(source, world_size=2.0)),
                            ("shards", lambda: module.repack(source, self.folder / "y", shards=object())),
                            ("each of exclude", lambda: module.repack(source, self.folder / "y", exclude=[None])),
                            ("weight\\['en'\\]", lambda: module.repack(source, self.folder / "y", weight={"en": 1j})),
                            ("skip_bad_samples",
                             lambda: module.repack(source, self.folder / "y", skip_bad_samples="no"))):
            with self.subTest(words), self.assertRaisesRegex(TypeError, words):
                call()

    def test_audio_is_what_the_program_takes_for_audio(self):
        from shardmill import _reading
        source = (pathlib.Path(__file__).resolve().parents[2] / "src/shard/keys.cpp").read_text()
        for name, known in (("kAudio", _reading.AUDIO), ("kVideo", _reading.VIDEO)):
            self.assertEqual(set(re.findall(r'"(\w+)"', re.search(name + r"\{(.*?)\}", source, re.S)[1])), set(known))
        video = _reading.Sample("k", {"txt": b"t", "mp4": b"v"})
        self.assertEqual(video.extension, "mp4")
        self.assertEqual(_reading.Sample("k", {"mp4": b"v", "wav": b"a"}).extension, "wav")

    def test_a_text_may_stand_in_a_json_member(self):
        path = self.folder / "x.tar"
        with tarfile.open(path, "w") as tar:
            for key, members in (("a", {"json": '{"text": "你好", "speaker": "s"}'}),
                                 ("b", {"txt": "txt", "json": '{"text": "json"}'}),
                                 ("c", {"json": "[1]"}), ("d", {"json": '{"text": 12}'}), ("e", {"json": "{"})):
                for extension, text in members.items():
                    add(tar, f"{key}.{extension}", text.encode())
                add(tar, f"{key}.wav", b"RIFF")
        *samples, damaged = self.module.open(path)
        self.assertEqual([sample.text for sample in samples], ["你好", "txt", None, "12"])
        with self.assertRaisesRegex(ValueError, "x.tar: member 'e.json': .*no JSON"):
            damaged.text

    def test_a_text_that_is_no_utf_8_says_where(self):
        path = self.folder / "x.tar"
        with tarfile.open(path, "w") as tar:
            add(tar, "a.txt", b"\xff\xfe")
            add(tar, "a.wav", b"RIFF")
        sample, = self.module.open(path)
        with self.assertRaisesRegex(ValueError, "x.tar: member 'a.txt': .*no UTF-8"):
            sample.text

    def test_open_takes_folders_patterns_and_mixed_lists(self):
        made = self.make()
        shards = sorted(str(path) for path in (made / "shards").iterdir())
        (self.folder / "own").mkdir()
        for number, path in enumerate(shards):
            os.link(path, self.folder / f"own/s_{number:03}.tar")
        (self.folder / "own/notes.txt").write_text("no shard")
        own, named = str(self.folder / "own"), str(self.folder / "own/s_")
        keys = [sample.key for sample in self.module.open(made)]
        for source in (own, pathlib.Path(own), f"{own}/*.tar", named + "{000..003}.tar", own + "/s_00{0,1,2,3}.tar",
                       shards, [named + "{000..001}.tar", made / "shards/audio_000000002.tar", own + "/*3.tar"],
                       iter(shards), self.module.open(own), self.module.open(made).shards, os.fsencode(own)):
            with self.subTest(source), self.module.open(source, threads=1) as opened:
                self.assertEqual([sample.key for sample in opened], keys)
                self.assertEqual(len(opened.shards), 4)
        self.assertEqual([sample.key for sample in self.module.open([made, own])], 2 * keys)
        self.assertEqual(len(self.module.open([made, own]).shards[0]), len(list(self.module.open(shards[0]))))
        one, = self.module.open(shards[0]).shards
        self.assertEqual(one.path, shards[0])
        literal = self.folder / "a[1]{2,3}.tar"
        os.link(shards[0], literal)
        self.assertEqual(self.module.open(literal).path, str(literal))

    def test_what_is_not_there_fails_when_it_is_opened(self):
        made = self.make()
        empty = self.folder / "empty"
        empty.mkdir()
        shard = str(made / "shards/audio_000000000.tar")
        for source in ("nothing", "nothing/*.tar", str(made / "shards/audio_00000000{0..9}.tar"), [shard, "nothing"],
                       empty):
            with self.subTest(source), self.assertRaises(self.module.Error) as caught:
                self.module.open(source)
            self.assertTrue(caught.exception.path)
        for source in ([], ()):
            with self.assertRaises(ValueError):
                self.module.open(source)
        with self.assertRaises(TypeError):
            self.module.open(3)
        os.unlink(shard)
        with self.assertRaisesRegex(self.module.Error, "audio_000000000.tar.*not there"):
            self.module.open(made)

    def test_a_plain_shard_has_what_tarfile_finds_in_any_form_of_tar(self):
        path = self.folder / "x.tar"
        names = ["a/b.wav", "a/b.txt", "k" * 150 + ".wav", "d" * 120 + "/" + "e" * 90 + ".txt", "ü.wav", "empty.wav"]
        for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
            with tarfile.open(path, "w", format=form) as tar:
                for number, name in enumerate(names if form != tarfile.USTAR_FORMAT else names[:2] + names[3:]):
                    info = tarfile.TarInfo(name)
                    info.size = 0 if name == "empty.wav" else 700 * number + 1
                    info.mtime = 1.5
                    tar.addfile(info, io.BytesIO(bytes([number]) * info.size))
            self.assertEqual([(sample.key, sample.members) for sample in self.module.open(path)], members_of(path))

    def test_damage_comes_after_the_samples_before_it(self):
        made = self.make()
        shard = made / "shards/audio_000000000.tar"
        whole = [sample.key for sample in self.module.open(shard)]
        cut = self.folder / "cut.tar"
        cut.write_bytes(shard.read_bytes()[:shard.stat().st_size * 2 // 3])
        seen = []
        with self.assertRaises(self.module.Error) as caught:
            for sample in self.module.open(cut):
                seen.append(sample.key)
        self.assertEqual(caught.exception.path, str(cut))
        self.assertEqual(seen, whole[:len(seen)])
        self.assertGreater(len(seen), 0)
        self.assertEqual([sample.key for sample in self.module.open(cut, skip_damage=True)], seen)

    def test_repack_takes_the_options_of_the_command(self):
        sources = {"zh": EXAMPLE / "mandarin", "en": EXAMPLE / "english"}
        words = [f"{name}={path}" for name, path in sources.items()]
        for number, (options, arguments) in enumerate((
                ({"shards": 3, "codec": "zstd", "seekable": True, "even": "leave-out"},
                 ["--shards", 3, "--codec", "zstd", "--seekable", "--even", "leave-out"]),
                ({"shard_duration": "4s", "audio": "flac", "sample_rate": 8000, "index": ["wids", "dali"],
                  "level": None},
                 ["--shard-duration", "4s", "--audio", "flac", "--sample-rate", 8000, "--index", "wids,dali"]),
                ({"samples_per_shard": 10, "weights": {"en": 2}, "text": "manifest", "min_duration": 0.2,
                  "quality": True},
                 ["--shard-samples", 10, "--weight", "en=2", "--text", "manifest", "--min-duration", 0.2, "--quality"]),
                ({"plan_for": "wenet,static=2,ranks=2", "exclude": ["*1", "*2"], "skip_bad_samples": True,
                  "max_rejects": "all"},
                 ["--plan-for", "wenet,static=2,ranks=2", "--exclude", "*1", "--exclude", "*2", "--on-error", "skip",
                  "--max-rejects", "all"]))):
            with self.subTest(options):
                self.shardmill("repack", *words, "--out", f"c{number}", *arguments, "--list-root", "/")
                self.module.repack(sources, self.folder / f"p{number}", list_root="/", **options)
                files = {}
                for kind in "cp":
                    folder = self.folder / f"{kind}{number}"
                    files[kind] = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*")
                                   if path.is_file() and path.name not in ("run.json", "dataset.json", "SHA256SUMS")}
                self.assertEqual(files["c"], files["p"])

    def test_options_that_make_no_sense_say_why(self):
        for options, words in (({"audio": "rar"}, "audio rar"), ({"even": "no"}, "give one of"),
                               ({"quality": 7}, "yes, no|no, yes|unknown"),
                               ({"shards": 3, "shard_size": "1M"}, "only one"),
                               ({"shards": 3, "multiple_of": 2}, "not a multiple"),
                               ({"min_duration": 3, "max_duration": 2}, "more than"),
                               ({"shards": 0}, "must be at least 1"),
                               ({"plan_for": "wenet,static=2,ranks=2", "even": "off"}, "even is off")):
            with self.subTest(options), self.assertRaisesRegex(ValueError, words):
                self.module.repack(EXAMPLE / "english", self.folder / "x", **options)
        with self.assertRaisesRegex(TypeError, "sample_rte.*did you mean sample_rate"):
            self.module.repack(EXAMPLE / "english", self.folder / "x", sample_rte=16000)
        with self.assertRaises(TypeError):
            self.module.repack(EXAMPLE / "english", self.folder / "x", shards=object())
        self.assertFalse((self.folder / "x").exists())

    def test_ranks_writes_the_lists_where_it_is_told(self):
        made = self.make()
        plan = self.module.ranks(made, world_size=2, epochs=0, out=self.folder / "lists")["plan"]
        written = sorted(path for path in (self.folder / "lists").rglob("*") if path.is_file())
        listed = [line for path in written for line in path.read_text().splitlines() if line.endswith(".tar")]
        self.assertEqual({os.path.basename(path) for path in listed},
                         {os.path.basename(path) for rank in plan for worker in rank for path in worker})

    def test_an_exception_of_the_callback_stops_and_the_same_call_goes_on(self):
        class Enough(Exception):
            pass

        def stop(counts):
            raise Enough

        with self.assertRaises(Enough):
            self.module.repack(EXAMPLE / "english", self.folder / "x", shards=2, progress=stop)
        self.assertEqual(self.module.repack(EXAMPLE / "english", self.folder / "x", shards=2)["samples"], 13)

    def test_an_unfinished_iteration_leaves_no_thread(self):
        made = self.make()
        shard = made / "shards/audio_000000000.tar"
        list(self.module.open(shard, threads=1))  # whatever stays for the whole process is there now
        before = len(os.listdir("/proc/self/task"))
        samples = iter(self.module.open(shard, threads=1))
        next(samples)
        del samples
        self.assertEqual(len(os.listdir("/proc/self/task")), before)

    def test_workers_of_every_start_method_read(self):
        made = self.make()
        shard = str(made / "shards/audio_000000000.tar")
        expected = keys_of(shard)  # this process has decoded, with threads of its own, before it forks
        self.module.verify(made)
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method):
                context = multiprocessing.get_context(method)
                results = context.SimpleQueue()
                child = context.Process(target=in_child, args=("keys_of", shard, results))
                os.environ["PYTHONPATH"] = f"{PACKAGE}:{pathlib.Path(__file__).parent}"
                child.start()
                child.join(60)
                self.assertEqual(child.exitcode, 0)
                self.assertEqual(results.get(), expected)

    def test_an_iteration_does_not_go_on_in_a_forked_process(self):
        samples = iter(self.module.open(self.make()))
        next(samples)
        process = os.fork()
        if process == 0:
            try:
                next(samples)
                os._exit(1)
            except self.module.Error:
                os._exit(0)
        self.assertEqual(os.waitpid(process, 0)[1], 0)
        self.assertEqual(len(list(samples)), 28)

    def test_ctrl_c_stops_a_job(self):
        # Where these tests run in the background of a shell, Ctrl-C is ignored from the start.
        code = ("import shardmill, signal, sys, time\n"
                "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
                "try: shardmill.repack(sys.argv[1], sys.argv[2], shards=2, progress=lambda counts: time.sleep(30))\n"
                "except KeyboardInterrupt: print('stopped')\n")
        job = subprocess.Popen([sys.executable, "-c", code, EXAMPLE / "english", self.folder / "x"],
                               stdout=subprocess.PIPE,
                               env={**os.environ, "PYTHONPATH": str(PACKAGE)})
        while not (self.folder / "x").exists():
            time.sleep(0.05)
        time.sleep(0.5)
        job.send_signal(signal.SIGINT)
        self.assertEqual(job.communicate(timeout=60)[0], b"stopped\n")

    def test_memory_does_not_grow_with_iterations(self):
        code = ("import resource, shardmill, sys\n"
                "def epoch():\n"
                "    for sample in shardmill.open(sys.argv[1]): sample.fields, sample.audio\n"
                "for i in range(20): epoch()\n"
                "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
                "for i in range(100): epoch()\n"
                "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n")
        grown = subprocess.run([sys.executable, "-c", code, self.make()], capture_output=True, check=True,
                               env={**os.environ, "PYTHONPATH": str(PACKAGE)}).stdout
        self.assertLess(int(grown), 8 << 10)  # KiB: an epoch has 400 of audio


    def test_epochs_of_everything_leave_nothing_behind(self):
        """Also under valgrind: scripts/soak leaks."""
        program = pathlib.Path(__file__).parent / "python_epochs.py"
        # In one arena, memory does not depend on which thread frees what, and a leak shows as well.
        said = subprocess.run([sys.executable, "-B", program, self.folder, "330"], capture_output=True, check=True,
                              timeout=600,
                              env={**os.environ, "PYTHONPATH": str(PACKAGE), "MALLOC_ARENA_MAX": "1"}).stdout
        held = [json.loads(line) for line in said.splitlines()]
        self.assertEqual(held[-1]["epochs"], 330)
        # A leak grows all the time; a heap that happens to need one more piece grows once.
        first, middle, last = (held[number]["rss_kib"] for number in (2, (2 + len(held)) // 2, -1))
        self.assertLess(min(middle - first, last - middle), 1536)
        self.assertEqual(held[-1]["files"], held[2]["files"])
        self.assertLessEqual(held[-1]["objects"], held[2]["objects"])
        self.assertLessEqual(held[-1]["threads"], 4)

    @unittest.skipUnless(platform.libc_ver()[0] == "glibc", "other C libraries keep memory as they like")
    def test_an_epoch_takes_no_memory_from_the_system_again(self):
        path = self.folder / "x.tar"
        with tarfile.open(path, "w") as tar:
            for number in range(60):
                add(tar, f"{number}.wav", bytes(60_000 + 350_000 * (number * 7 % 10) // 10))
        code = ("import resource, shardmill, sys\n"
                "def epoch():\n"
                "    for sample in shardmill.open(sys.argv[1]): sample.audio\n"
                "epoch()\n"
                "before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt\n"
                "for i in range(5): epoch()\n"
                "print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)\n")
        faults = subprocess.run([sys.executable, "-c", code, path], capture_output=True, check=True,
                                env={**os.environ, "PYTHONPATH": str(PACKAGE)}).stdout
        self.assertLess(int(faults), 300)  # of the 17,000 pages that five epochs fill


class Page(harness.Case):
    """The examples of docs/python.md, as they stand there."""
    def run_python(self, code, *arguments):
        return subprocess.run([sys.executable, "-c", code, *map(str, arguments)], cwd=self.folder, capture_output=True,
                              text=True,
                              timeout=120, check=True, env={**os.environ, "PYTHONPATH": str(PACKAGE)}).stdout

    def setUp(self):
        super().setUp()
        self.blocks = pages.blocks((pages.ROOT / "docs/python.md").read_text(), "python")
        (self.folder / "data").symlink_to(pages.ROOT / "data")
        self.shardmill("repack", "data/example/english", "--out", "mixed", "--shards", 4)
        self.keys = sorted(json.loads(line)["key"] for path in (self.folder / "mixed/manifests").iterdir()
                           for line in path.read_text().splitlines())

    def test_reading(self):
        said = self.run_python(self.blocks[0]).splitlines()
        self.assertEqual(sorted(line.split()[0] for line in said), self.keys)

    def test_jobs(self):
        self.assertIn("29 samples; shards differ by 0.0", self.run_python(self.blocks[3]))

    @unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
    def test_going_on(self):
        said = self.run_python(self.blocks[2]).splitlines()
        self.assertEqual([line.split()[:2] for line in said], [["0", str(step)] for step in range(2, len(said) + 2)])
        self.assertEqual(sum(line.count("('") for line in said), len(self.keys) - 4)

    @unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
    def test_data_loader(self):
        shards = self.blocks[1] + "print(*sorted(key for key, _, _ in loader))\n"
        for method in ("fork", "spawn", "forkserver"):
            # Workers that are spawned import the class from a module.
            code = shards.replace("num_workers=2", f"num_workers=2, multiprocessing_context={method!r}")
            self.write("job.py", code.replace("\nloader =", "\nif __name__ == '__main__':\n  loader =")
                       .replace("\nprint(", "\n  print(").encode())
            with self.subTest(method):
                self.assertEqual(self.run_file("job.py").split(), self.keys)

    def run_file(self, name):
        return subprocess.run([sys.executable, name], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              check=True, env={**os.environ, "PYTHONPATH": str(PACKAGE)}).stdout

    @unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
    def test_ranks_of_a_distributed_job(self):
        speech = self.blocks[1].split("\nloader =")[0]
        self.write("job.py", (speech + """
import sys
import torch.distributed as dist
rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method=f"file://{sys.argv[2]}", rank=rank, world_size=2)
steps = 0
for key, text, audio in torch.utils.data.DataLoader(Speech("mixed", rank, 2), batch_size=None, num_workers=1):
    dist.all_reduce(torch.ones(1))
    steps += 1
    print(key)
dist.barrier()
""").encode())
        # 12 of the 13 samples, so that both ranks take the same number of steps.
        self.shardmill("repack", "data/example/english", "--out", "mixed", "--shards", 4, "--even", "leave-out",
                       "--force")
        ranks = [subprocess.Popen([sys.executable, "job.py", str(rank), str(self.folder / "meet")], cwd=self.folder,
                                  stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(PACKAGE)})
                 for rank in range(2)]
        said = [rank.communicate(timeout=120)[0].split() for rank in ranks]
        self.assertEqual([rank.returncode for rank in ranks], [0, 0])
        self.assertEqual([len(keys) for keys in said], [6, 6])
        self.assertEqual(len(set(said[0] + said[1])), 12)


if __name__ == "__main__":
    unittest.main()
