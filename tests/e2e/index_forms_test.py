"""The forms of Lhotse, Kaldi and others, read by the rules of those projects, which are written down here anew."""
import contextlib
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import struct
import sys
import tarfile
import types
import unittest
import zlib
from unittest import mock

import numpy
import soundfile

import harness
import pages
from harness import audio, samples, speech, tar

try:
    import yaml
except ImportError:
    yaml = None


def numbers_of(path):
    return [number for number, in struct.iter_unpack("<Q", path.read_bytes())]


def sound_of(data):
    return soundfile.read(io.BytesIO(data), dtype="int16")


def block(page, language, heading):
    """The one example in this language of a section in docs/loaders."""
    text = (pages.ROOT / "docs/loaders" / f"{page}.md").read_text()
    found, = pages.blocks(pages.section(text, heading), language)
    return found


class Forms(harness.Case):
    """Two datasets, WAV and FLAC."""

    def setUp(self):
        super().setUp()
        self.write("en/a.tar", tar(samples(range(0, 9))))
        self.write("flac/b.tar", tar(samples(range(20, 26), "flac")))

    def repack(self, out, *options, **more):
        return self.shardmill("repack", "en", "flac", "--out", out, "--shards", "3", *options, **more)

    def rows(self, out):
        return [json.loads(line)
                for line in (self.folder / out / "tarred_audio_manifest.json").read_text().splitlines()]

    def check_sound(self, key, sound):
        self.assertEqual(sound.tolist(), speech(int(key.removeprefix("utt")))[1].tolist())

    def check_life(self, kind, files, out="mixed"):
        """Same bytes by both commands and any threads; verified, repaired, kept by update."""
        self.repack("one", "--index", kind, "-j", "1")
        self.repack("later")
        self.shardmill("index", "later", "--index", kind, "-j", "4")
        for name in files:
            self.assertEqual((self.folder / "one" / name).read_bytes(), (self.folder / "later" / name).read_bytes(),
                             name)
            path = self.folder / "one" / name
            whole = path.read_bytes()
            path.write_bytes(whole[:-2] + b"??")
            self.assertIn(name, self.shardmill("verify", "one", code=1).out.decode())
            self.shardmill("repair", "one")
            self.assertEqual(path.read_bytes(), whole, name)
            path.unlink()
            self.assertIn(name, self.shardmill("verify", "one", code=1).out.decode())
            self.shardmill("repair", "one")
            self.assertEqual(path.read_bytes(), whole, name)
        self.shardmill("verify", "one")
        self.shardmill("verify", "later")
        harness.output_of("sh", "-c", f"cd {self.folder}/one && sha256sum --strict -c SHA256SUMS")
        self.write("more/c.tar", tar(samples(range(40, 43))))
        self.shardmill("update", "later", "--add", "more")
        self.shardmill("verify", "later")
        self.repack("one", "--force")
        for name in files:
            self.assertFalse((self.folder / "one" / name).exists(), name)


class Lhotse(Forms):
    """lhotse.indexing: IndexedJsonlReader and IndexedTarReader; NeMo takes one member for a sample."""

    @staticmethod
    def index_path(path, indexes_root=None):
        """lhotse.indexing.index_file_path of a local file."""
        return pathlib.Path(f"{path}.idx" if indexes_root is None else f"{indexes_root}/{str(path).lstrip('/')}.idx")

    def load_index(self, path, indexes_root=None):
        """NeMo's indexed_adapters._load_index, and what Lhotse's index_pack wants of an index."""
        index = self.index_path(path, indexes_root)
        places = numbers_of(index)
        self.assertEqual(places[-1], path.stat().st_size)  # "Invalid sentinel"
        self.assertEqual(places, sorted(places))  # "Non-monotonic offsets"
        self.assertGreaterEqual(index.stat().st_mtime_ns, path.stat().st_mtime_ns)  # "newer than index sidecar"
        return places

    def check(self, out, indexes_root=None):
        root = self.folder / out
        manifests = sorted((root / "manifests").glob("*.json"))
        rows = []
        for path in [*manifests, root / "tarred_audio_manifest.json"]:
            data, places = path.read_bytes(), self.load_index(path, indexes_root)
            # create_jsonl_index: the sum of the lengths of the lines so far
            expected = [0]
            for line in io.BytesIO(data):
                expected.append(expected[-1] + len(line))
            self.assertEqual(places, expected)
            rows += [json.loads(data[begin:end]) for begin, end in zip(places, places[1:])]
        self.assertEqual(rows, 2 * self.rows(out))
        found = {}
        for path in sorted((root / "shards").glob("*.tar")):
            places = self.load_index(path, indexes_root)
            with tarfile.open(path, "r:") as archive:  # create_tar_index: the header of the first member of each
                members = list(archive)
            stems, expected = [], []
            for member in members:
                if member.name.split(".")[0] not in stems:
                    stems.append(member.name.split(".")[0])
                    expected.append(member.offset)
            self.assertEqual(places[:-1], expected)
            with open(path, "rb") as shard:
                for begin in places[:-1]:
                    shard.seek(begin)
                    with tarfile.open(fileobj=shard, mode="r|") as archive:
                        for member in archive:
                            if not member.name.endswith(".txt"):
                                found[member.name] = sound_of(archive.extractfile(member).read())
                                break
        self.assertEqual(sorted(found), sorted(row["audio_filepath"] for row in self.rows(out)))
        for row in self.rows(out):
            sound, rate = found[row["audio_filepath"]]
            self.check_sound(row["key"], sound)
            self.assertAlmostEqual(row["duration"], len(sound) / rate, places=6)
            self.assertEqual(row["text"], speech(int(row["key"].removeprefix("utt")))[0])

    def test_lines_and_samples(self):
        self.repack("mixed", "--index", "lhotse")
        self.check("mixed")
        self.repack("bare", "--index", "lhotse", "--text", "manifest")
        self.check("bare")
        self.assertEqual(len(self.rows("bare")), 15)

    def test_it_is_kept(self):
        self.check_life("lhotse", ("shards/audio_000000001.tar.idx", "manifests/manifest_000000002.json.idx",
                                   "tarred_audio_manifest.json.idx"))
        self.check("later")

    def check_both(self, out):
        """Energon wants the end blocks as the last number of an index beside a tar, so Lhotse's are elsewhere."""
        self.check(out, self.folder / out / "lhotse")
        for path in sorted((self.folder / out / "shards").glob("*.tar")):
            with tarfile.open(path, "r:") as archive:
                list(archive)
                end = archive.offset
            self.assertEqual(numbers_of(path.with_name(path.name + ".idx"))[-1], end)
            self.assertLess(end, path.stat().st_size)
        self.shardmill("verify", out)
        harness.output_of("sh", "-c", f"cd {self.folder}/{out} && sha256sum --strict -c SHA256SUMS")

    def places_below(self, out):
        return sorted(name for name in self.names(out) if name.startswith("lhotse/"))

    def test_beside_energon_s(self):
        self.repack("both", "--index", "energon,lhotse")
        self.check_both("both")
        self.repack("energon", "--index", "energon")
        name = "shards/audio_000000000.tar.idx"
        self.assertEqual(*((self.folder / out / name).read_bytes() for out in ("both", "energon")))
        self.repack("mixed", "--index", "lhotse")
        self.assertNotIn(".nv-meta/split.yaml", self.names("mixed"))
        self.assertEqual(self.places_below("mixed"), [])
        # One after the other, in both orders
        self.shardmill("index", "energon", "--index", "lhotse")
        self.check_both("energon")
        self.shardmill("index", "mixed", "--index", "energon")
        self.check_both("mixed")
        for out in ("energon", "mixed"):
            self.assertEqual((self.folder / out / name).read_bytes(), (self.folder / "both" / name).read_bytes())

    def test_what_update_repair_and_force_do_beside_energon_s(self):
        self.repack("mixed", "--index", "energon,lhotse")
        names = self.places_below("mixed")
        self.assertEqual(len(names), 7)
        content = {name: (self.folder / "mixed" / name).read_bytes()
                   for name in [*names, "shards/audio_000000001.tar.idx"]}
        for name in (names[0], names[-1], "shards/audio_000000001.tar.idx"):
            path = self.folder / "mixed" / name
            for bad in (None, content[name][:-8], content[name][:-1] + b"?"):
                path.unlink()
                if bad is not None:
                    path.write_bytes(bad)
                self.assertIn(name, self.shardmill("verify", "mixed", code=1).out.decode())
                self.shardmill("repair", "mixed")
                self.assertEqual(path.read_bytes(), content[name])
        self.write("more/c.tar", tar(samples(range(40, 49))))
        self.shardmill("update", "mixed", "--add", "more")
        self.check_both("mixed")
        self.repack("mixed", "--force")
        self.assertFalse((self.folder / "mixed/lhotse").exists())

    def test_a_dataset_that_was_moved(self):
        self.repack("mixed", "--index", "energon,lhotse", "--list-root", "/r oot")
        self.assertTrue(all(name.startswith("lhotse/r oot/") for name in self.places_below("mixed")))
        self.shardmill("verify", "mixed")
        (self.folder / "mixed").rename(self.folder / "moved")
        self.shardmill("verify", "moved")
        self.shardmill("index", "moved", "--list-root", self.folder / "moved")
        self.assertEqual(len(self.places_below("moved")), 7)
        self.check_both("moved")

    def test_an_index_that_is_older_than_its_data(self):
        self.repack("mixed", "--index", "lhotse")
        shard = self.folder / "mixed/shards/audio_000000001.tar"
        later = shard.stat().st_mtime + 1000
        os.utime(shard, (later, later))
        self.assertIn("audio_000000001.tar.idx: is older than", self.shardmill("verify", "mixed").out.decode())
        self.shardmill("index", "mixed", "--index", "lhotse")
        os.utime(shard, (later - 1000, later - 1000))
        self.check("mixed")
        shard.write_bytes(b"")
        self.shardmill("repair", "mixed")
        self.check("mixed")

    def test_what_an_interrupted_run_left(self):
        self.repack("mixed")
        sums = (self.folder / "mixed/SHA256SUMS").read_bytes()
        self.shardmill("index", "mixed", "--index", "lhotse")
        self.write("mixed/SHA256SUMS", sums)
        self.assertIn("--index lhotse", self.shardmill("verify", "mixed", code=1).out.decode())
        self.shardmill("index", "mixed", "--index", "lhotse")
        self.shardmill("verify", "mixed")

    def test_what_the_page_shows(self):
        class IndexedJsonlReader:
            def __init__(self, path):
                with open(path, "rb") as lines, open(path + ".idx", "rb") as index:
                    self.data, self.places = lines.read(), [at for at, in struct.iter_unpack("<Q", index.read())]

            def __len__(self):
                return len(self.places) - 1

            def __getitem__(self, number):
                return json.loads(self.data[self.places[number]:self.places[number + 1]])

        self.repack("mixed")
        self.shardmill(*block("nemo", "sh", "Indexes").split()[1:])
        modules = {"lhotse": types.ModuleType("lhotse"),
                   "lhotse.indexing": types.SimpleNamespace(IndexedJsonlReader=IndexedJsonlReader)}
        said = io.StringIO()
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            with mock.patch.dict(sys.modules, modules), contextlib.redirect_stdout(said):
                exec(block("nemo", "python", "Indexes"), {})
        finally:
            os.chdir(before)
        self.assertEqual(said.getvalue(), f"15 {self.rows('mixed')[7]['text']}\n")

    def test_shards_of_others(self):
        self.shardmill("index", "en", "--index", "lhotse")
        self.assertEqual(self.names("en"), ["a.tar", "a.tar.idx"])
        self.assertEqual(len(self.load_index(self.folder / "en/a.tar")), 10)

    def test_shards_of_others_with_energon_s(self):
        self.shardmill("index", "en", "--index", "energon")
        energon = (self.folder / "en/a.tar.idx").read_bytes()
        self.shardmill("index", "en", "--index", "lhotse")
        self.assertEqual((self.folder / "en/a.tar.idx").read_bytes(), energon)
        self.assertEqual(len(self.load_index(self.folder / "en/a.tar", self.folder / "en/lhotse")), 10)


class WithFacts(Forms):
    """Speakers and a language, as a list of a corpus tells them."""

    def corpus(self):
        rows = []
        for number in range(60, 66):
            self.write(f"corpus/wav/utt{number:05}.wav", audio(number))
            rows.append({"key": f"utt{number:05}", "wav": f"wav/utt{number:05}.wav", "txt": speech(number)[0],
                         "speaker": f"S {number % 2}", "lang": "en"})
        self.write("corpus/data.list", "".join(json.dumps(row) + "\n" for row in rows).encode())
        return "corpus/data.list"


class Kaldi(WithFacts):
    """Kaldi's data directory, as utils/validate_data_dir.sh checks it and as Kaldi opens wav.scp."""

    def table(self, out, name):
        lines = (self.folder / out / "kaldi" / name).read_bytes().split(b"\n")
        self.assertEqual(lines.pop(), b"")
        rows = [line.decode().split(" ", 1) for line in lines]
        keys = [key.encode() for key, _ in rows]
        self.assertEqual(keys, sorted(set(keys)), name)  # LC_ALL=C sort | uniq
        return dict(rows)

    def opened_by_espnet(self, place):
        """espnet2 format_wav_scp.py: a command where it ends with |, a matrix where it names an .ark, else a file."""
        self.assertTrue(place.endswith("|"))
        return harness.output_of("sh", "-c", place[:-1])

    def opened(self, place):
        """kaldiio: a command where it ends with |, else a file up to the first colon, and the offset after it."""
        if place.rstrip().endswith("|"):
            return harness.output_of("sh", "-c", place[:-1])
        path, offset = place.split(":", 1)
        with open(path, "rb") as shard:
            shard.seek(int(offset))
            self.assertEqual(shard.read(4), b"RIFF")
            size, = struct.unpack("<I", shard.read(4))  # Kaldi reads what the header says, not to the end of the file
            shard.seek(int(offset))
            return shard.read(8 + size)

    def check(self, out, texts=None):
        rows = {row["key"]: row for row in self.rows(out)}
        audio_of, durations = self.table(out, "wav.scp"), self.table(out, "utt2dur")
        places_of = self.table(out, "kaldiio.scp")
        self.assertEqual(list(places_of), list(audio_of))
        speakers, words = self.table(out, "utt2spk"), self.table(out, "text")
        self.assertEqual(list(audio_of), sorted(rows))
        for name in (durations, speakers):
            self.assertEqual(list(name), list(audio_of))
        self.assertEqual(words, texts or {key: speech(int(key.removeprefix("utt")))[0] for key in sorted(rows)})
        for key, place in audio_of.items():
            sound, rate = sound_of(self.opened_by_espnet(place))
            self.check_sound(key, sound)
            self.assertEqual(sound_of(self.opened(places_of[key]))[0].tolist(), sound.tolist())
            self.assertAlmostEqual(float(durations[key]), len(sound) / rate, places=6)
        expected = {}
        for key, speaker in speakers.items():
            self.assertNotIn(" ", speaker)
            expected.setdefault(speaker, []).append(key)
        self.assertEqual({speaker: keys.split(" ") for speaker, keys in self.table(out, "spk2utt").items()}, expected)
        return speakers

    def test_every_sample(self):
        self.repack("mixed", "--index", "kaldi")
        speakers = self.check("mixed")
        self.assertEqual(list(speakers.values()), list(speakers))
        self.assertNotIn("utt2lang", os.listdir(self.folder / "mixed/kaldi"))

    def test_speakers_and_languages(self):
        self.shardmill("repack", self.corpus(), "--out", "mixed", "--shards", 2, "--index", "kaldi")
        speakers = self.check("mixed")
        self.assertEqual(set(speakers.values()), {"S_0", "S_1"})
        self.assertEqual(set(self.table("mixed", "utt2lang").values()), {"en"})
        self.shardmill("verify", "mixed")
        self.shardmill("repack", self.corpus(), "en", "--out", "partly", "--shards", 2, "--index", "kaldi")
        self.check("partly")
        self.assertNotIn("utt2lang", os.listdir(self.folder / "partly/kaldi"))
        rows = [{"key": key, "wav": "wav/utt00060.wav", "txt": "same", "speaker": speaker}
                for key, speaker in (("a", "b"), ("b", ""), ("c", "b"), ("d", ""))]
        for row in rows:
            row["wav"] = f"wav/utt0006{ord(row['key']) - ord('a')}.wav"
        self.write("corpus/data.list", "".join(json.dumps({name: value for name, value in row.items() if value}) + "\n"
                                               for row in rows).encode())
        self.shardmill("repack", "corpus/data.list", "--out", "alike", "--shards", 1, "--index", "kaldi")
        self.assertEqual(self.table("alike", "spk2utt"), {"b": "a c b", "d": "d"})

    def test_it_is_kept(self):
        self.check_life("kaldi", [f"kaldi/{name}" for name in ("text", "utt2spk", "spk2utt", "utt2dur")])
        self.check("later")

    def test_paths_follow_the_lists(self):
        self.repack("mixed", "--index", "kaldi", "--list-root", "/r oot")
        self.assertTrue(self.table("mixed", "kaldiio.scp")["utt00000"].startswith("/r oot/shards/audio_"))
        self.assertIn(" '/r oot/shards/audio_", self.table("mixed", "wav.scp")["utt00000"])
        self.shardmill("verify", "mixed")
        (self.folder / "mixed").rename(self.folder / "it's here")
        harness.output_of("sh", "-c", f"cd \"{self.folder}/it's here\" && sha256sum --strict -c SHA256SUMS")
        self.shardmill("verify", "it's here")
        self.assertIn("kaldi/wav.scp",
                      self.shardmill("index", "it's here", "--list-root", self.folder / "it's here").out.decode())
        self.check("it's here")
        self.shardmill("verify", "it's here")
        harness.output_of("sh", "-c", f"cd \"{self.folder}/it's here\" && sha256sum --strict -c SHA256SUMS")

    def test_a_colon_in_the_path(self):
        self.repack("it's: 12", "--index", "kaldi")
        self.assertTrue(all(place.endswith("|") for place in self.table("it's: 12", "kaldiio.scp").values()))
        self.check("it's: 12")

    def test_damage_to_the_places(self):
        self.repack("mixed", "--index", "kaldi")
        for name in ("kaldi/wav.scp", "kaldi/kaldiio.scp"):
            path = self.folder / "mixed" / name
            whole = path.read_bytes()
            lines = whole.splitlines(keepends=True)
            for bad in (None, b"", whole[:-1], whole + lines[-1], b"".join([*lines[:2], *lines[3:]]),
                        whole.replace(b"audio_", b"video_", 1)):
                path.unlink()
                if bad is not None:
                    path.write_bytes(bad)
                self.assertIn(name, self.shardmill("verify", "mixed", code=1).out.decode(), bad)
                self.shardmill("repair", "mixed")
                self.assertEqual(path.read_bytes(), whole)
                self.shardmill("verify", "mixed")

    def test_texts_are_one_line(self):
        self.write("odd/c.tar", tar([("odd.txt", " tw\to \u3000 lines\nof it ".encode()), ("odd.wav", audio(3)),
                                     ("none.wav", audio(4))]))
        self.shardmill("repack", "odd", "--out", "mixed", "--shards", 1, "--index", "kaldi", "--allow-missing-text")
        self.assertEqual(self.table("mixed", "text")["odd"].split()[0], "tw")
        self.assertEqual(list(self.table("mixed", "text")), ["odd"])
        self.assertEqual(list(self.table("mixed", "wav.scp")), ["none", "odd"])


class Pack:
    """An index pack by the rules of lhotse.index_pack: what IndexPack checks, and how it finds a record."""

    MAGIC, HEADER = b"IDXPACK2", struct.Struct("<8sIIQQQQQQQQQQ32s")
    COLLECTION, SEQUENCE, SEGMENT = struct.Struct("<32sQQQQII"), struct.Struct("<QQ"), struct.Struct("<QQIIQQQII")

    def __init__(self, path):
        data = path.read_bytes()
        (magic, version, size, collections_at, collections, sequences_at, sequences, segments_at, segments, strings_at,
         strings, places_at, places, layout) = self.HEADER.unpack_from(data)
        assert (magic, version, size) == (self.MAGIC, 2, 256) and not any(data[self.HEADER.size:256])
        assert collections_at == 256 and sequences_at == collections_at + collections * self.COLLECTION.size
        assert segments_at == sequences_at + sequences * self.SEQUENCE.size
        assert strings_at == segments_at + segments * self.SEGMENT.size
        assert places_at == -(-(strings_at + strings) // 8) * 8 and len(data) == places_at + places
        text = lambda begin, length: data[begin:begin + length].decode()
        self.files, cursor = [], places_at
        for number in range(segments):
            path_at, place, path_bytes, flags, count, source, bytes_of, crc, last = self.SEGMENT.unpack_from(
                data, segments_at + number * self.SEGMENT.size)
            assert (flags, last, place, bytes_of) == (0, 0, cursor, 8 * count) and strings_at <= path_at
            payload = data[place:place + bytes_of]
            assert zlib.crc32(payload) == crc
            numbers = [number for number, in struct.iter_unpack("<Q", payload)]
            assert numbers == sorted(numbers) and numbers[-1] == source
            self.files.append((text(path_at, path_bytes), numbers))
            cursor += bytes_of
        assert cursor == len(data)
        self.collections, following, digest = {}, 0, hashlib.sha256()
        for number in range(collections):
            key, first, count, records, kind_at, kind_bytes, flags = self.COLLECTION.unpack_from(
                data, collections_at + number * self.COLLECTION.size)
            assert (flags, first) == (0, following)
            following, total, files = first + count, 0, []
            digest.update(key + b"\1" + struct.pack("<Q", count))
            for each in range(first, following):
                segment, end = self.SEQUENCE.unpack_from(data, sequences_at + each * self.SEQUENCE.size)
                files.append(self.files[segment])
                name = files[-1][0].encode()
                digest.update(struct.pack("<Q", len(name)) + name)
                total += len(files[-1][1]) - 1
                assert end == total
            assert total == records
            self.collections[key] = (text(kind_at, kind_bytes), files)
        assert following == sequences and digest.digest() == layout

    def records(self, role, kind, spec):
        """The bytes of each record, as LazyPackedManifestIterator and PackedTarMemberReader find them."""
        key = hashlib.sha256(json.dumps({"kind": kind, "role": role, "source_spec": spec}, ensure_ascii=False,
                                        separators=(",", ":"), sort_keys=True).encode()).digest()
        found, files = self.collections[key]
        assert found == kind
        for path, numbers in files:
            data = pathlib.Path(path).read_bytes()
            assert len(data) == numbers[-1]
            yield from (data[begin:end] for begin, end in zip(numbers, numbers[1:]))


class Shar(WithFacts):
    """LazyIndexedSharIterator, LazySharIterator and TarIterator: cuts beside pairs of audio and description, in one
    order, and an index of each file."""

    KIND, CUTS = "shar", "cuts.000001.jsonl"

    def lines(self, path):
        """The lines of the cuts, by their index."""
        data, places = path.read_bytes(), self.places(path)
        return [data[begin:end] for begin, end in zip(places, places[1:])]

    def places(self, path):
        index = path.with_name(path.name + ".idx")
        self.assertGreaterEqual(index.stat().st_mtime_ns, path.stat().st_mtime_ns)
        places = numbers_of(index)
        self.assertEqual((places[-1], places), (path.stat().st_size, sorted(places)))
        return places

    def check_tar_index(self, path):
        """create_tar_index: every second member; and NeMo's reader of one pair."""
        with tarfile.open(path) as archive:
            self.assertEqual(self.places(path)[:-1], [member.offset for member in archive][::2])

    def check_pack(self, out):
        pack = Pack(self.folder / out / "idxpack/shar.idxpack")
        cuts = [json.loads(line) for line in pack.records("cuts", "jsonl", "shar")]
        self.assertEqual([cut["id"] for cut in cuts], [row["key"] for row in self.rows(out)])
        for cut, pair in zip(cuts, pack.records("recording", "shar_tar", "shar"), strict=True):
            with tarfile.open(fileobj=io.BytesIO(pair)) as archive:
                self.assertEqual(archive.getnames()[1], cut["id"] + ".json")

    def cuts(self, out):
        folder = self.folder / out / self.KIND
        paths = [path for path in folder.glob("*") if path.suffix != ".idx"]
        fields = {path.name.split(".")[0] for path in paths}
        self.assertEqual(fields, {"cuts", "recording"})
        streams = {field: sorted(path for path in paths if path.name.split(".")[0] == field) for field in fields}
        self.assertEqual(len(streams["cuts"]), len(streams["recording"]))
        for cuts, recordings in zip(streams["cuts"], streams["recording"]):
            lines = [json.loads(line) for line in self.lines(cuts)]
            self.check_tar_index(recordings)
            with tarfile.open(recordings, "r|*") as archive:
                members = [(member.name, archive.extractfile(member).read()) for member in archive]
            self.assertEqual(len(members), 2 * len(lines))
            for cut, (name, data), (described, manifest) in zip(lines, members[::2], members[1::2]):
                self.assertEqual((os.path.splitext(name)[0], described), (cut["id"], cut["id"] + ".json"))
                yield cut, data, json.loads(manifest)

    def check(self, out):
        rows = {row["key"]: row for row in self.rows(out)}
        keys = []
        for cut, data, recording in self.cuts(out):
            keys.append(cut["id"])
            row = rows[cut["id"]]
            sound, rate = sound_of(data)
            self.check_sound(cut["id"], sound)
            self.assertEqual(cut["type"], "MonoCut")
            self.assertEqual((cut["start"], cut["channel"]), (0, 0))
            self.assertAlmostEqual(cut["duration"], len(sound) / rate, places=6)
            self.assertEqual(cut["recording"], recording)
            self.assertEqual(recording["sources"], [{"type": "shar", "channels": [0], "source": ""}])
            self.assertEqual((recording["sampling_rate"], recording["num_samples"]), (rate, len(sound)))
            self.assertEqual((recording["channel_ids"], recording["id"]), ([0], cut["id"]))
            self.assertEqual(recording["duration"], recording["num_samples"] / recording["sampling_rate"])
            supervision, = cut["supervisions"]
            self.assertEqual((supervision["recording_id"], supervision["text"]), (cut["id"], row["text"]))
            self.assertEqual(cut["custom"], {"dataset": row["dataset"]})
            self.assertEqual(supervision.get("speaker"), row.get("speaker"))
            self.assertEqual(supervision.get("language"), row.get("lang"))
            with open(self.folder / out / "shards" / f"audio_{row['shard_id']:09}.tar", "rb") as shard:
                shard.seek(row["tar_offset"])
                self.assertEqual(shard.read(row["audio_bytes"]), data)
        self.assertEqual(keys, list(rows))
        self.check_pack(out)

    def test_every_sample(self):
        self.repack("mixed", "--index", self.KIND)
        self.check("mixed")
        self.shardmill("repack", self.corpus(), "--out", "facts", "--shards", 2, "--index", self.KIND)
        self.check("facts")

    def test_it_is_kept(self):
        files = [f"{self.KIND}/{self.CUTS}", f"{self.KIND}/recording.000002.tar"]
        if self.KIND == "shar":
            files += ["shar/cuts.000000.jsonl.idx", "shar/recording.000002.tar.idx"]
        self.check_life(self.KIND, files)
        self.check("later")

    def test_several_channels(self):
        out = io.BytesIO()
        soundfile.write(out, speech(1)[1].repeat(2).reshape(-1, 2), 16000, format="WAV")
        self.write("two/a.tar", tar([("k.wav", out.getvalue())]))
        self.shardmill("repack", "two", "--out", "mixed", "--shards", 1, "--index", self.KIND, "--allow-missing-text")
        (cut, data, recording), = self.cuts("mixed")
        self.assertEqual((cut["type"], cut["channel"], recording["channel_ids"]), ("MultiCut", [0, 1], [0, 1]))
        self.assertEqual(recording["sources"][0]["channels"], [0, 1])
        self.assertEqual(data, out.getvalue())

    def test_damaged_audio_is_not_copied(self):
        self.repack("mixed")
        row = self.rows("mixed")[4]
        path = self.folder / "mixed/shards" / f"audio_{row['shard_id']:09}.tar"
        data = bytearray(path.read_bytes())
        data[row["tar_offset"] + 100] ^= 1
        path.write_bytes(data)
        self.fails("index", "mixed", "--index", self.KIND, says=[row["audio_filepath"], "not the audio"])
        self.assertNotIn(self.KIND, os.listdir(self.folder / "mixed"))


class SharGz(Shar):
    """The same for versions of Lhotse without indexes. Both copies of a dataset may be there."""

    KIND, CUTS = "shar-gz", "cuts.000001.jsonl.gz"

    def lines(self, path):
        return gzip.decompress(path.read_bytes()).splitlines()

    def check_tar_index(self, path):
        self.assertFalse(path.with_name(path.name + ".idx").exists())

    def check_pack(self, out):
        self.assertFalse((self.folder / out / "idxpack").exists())

    def test_beside_the_other(self):
        self.repack("mixed", "--index", "shar,shar-gz")
        self.check_pack = lambda out: None
        self.check("mixed")
        self.shardmill("verify", "mixed", "--decode")


class IndexPacks(Forms):
    """Packs hold absolute paths, so they go with the place of the dataset."""

    def check_nemo(self, out, root=None):
        root = root or self.folder / out
        pack = Pack(self.folder / out / "idxpack/nemo.idxpack")
        config = (self.folder / out / "nemo/input_cfg.yaml").read_text()
        manifests, tars = (json.loads(config.partition(f"  {name}: ")[2].partition("\n")[0])
                           for name in ("manifest_filepath", "tarred_audio_filepaths"))
        self.assertTrue(tars.startswith(f"{root}/"), tars)
        rows = [json.loads(line) for line in pack.records("manifest", "jsonl", manifests)]
        self.assertEqual(rows, self.rows(out))
        for row, member in zip(rows, pack.records("tar", "nemo_tar", tars), strict=True):
            header = tarfile.TarInfo.frombuf(member[:512], "utf-8", "surrogateescape")
            self.assertEqual((header.name, header.size), (row["audio_filepath"], row["audio_bytes"]))

    def test_nemo_s(self):
        for shards in ("1", "3"):
            self.shardmill("repack", "en", "flac", "--out", f"mixed{shards}", "--index", "idxpack,nemo", "--text",
                           "manifest",
                           "--shards", shards)
            self.check_nemo(f"mixed{shards}")
            self.shardmill("verify", f"mixed{shards}")

    def test_it_is_kept(self):
        self.check_life("idxpack", ["idxpack/nemo.places"])

    def test_packs_are_compared_repaired_and_moved(self):
        self.repack("mixed", "--index", "idxpack,nemo,shar", "--text", "manifest")
        for name in ("idxpack/nemo.idxpack", "idxpack/shar.idxpack"):
            path = self.folder / "mixed" / name
            whole = path.read_bytes()
            self.assertNotIn(name, (self.folder / "mixed/SHA256SUMS").read_text())
            for damage in (lambda: path.write_bytes(whole[:-3] + b"?" + whole[-2:]),
                           lambda: path.write_bytes(whole[:99]),
                           lambda: path.write_bytes(whole + b"."), path.unlink):
                damage()
                self.assertIn(name, self.shardmill("verify", "mixed", code=1).out.decode())
                self.shardmill("repair", "mixed")
                self.assertEqual(path.read_bytes(), whole, name)
        self.shardmill("verify", "mixed")
        (self.folder / "mixed").rename(self.folder / "moved")
        self.shardmill("index", "moved", "--list-root", self.folder / "moved")
        self.check_nemo("moved")
        pack = Pack(self.folder / "moved/idxpack/shar.idxpack")
        self.assertEqual(len(list(pack.records("cuts", "jsonl", "shar"))), 15)
        self.shardmill("verify", "moved")
        self.write("more/c.tar", tar(samples(range(40, 43))))
        self.shardmill("update", "moved", "--add", "more")
        self.check_nemo("moved")
        self.shardmill("verify", "moved", "--decode")
        self.repack("moved", "--force")
        self.assertFalse((self.folder / "moved/idxpack").exists())

    def test_an_index_that_is_older_than_its_file(self):
        """A repaired file is new, and its index must not be older; verify notes one that is."""
        self.repack("mixed", "--index", "shar")
        for data in ("shar/cuts.000001.jsonl", "shar/recording.000001.tar"):
            path, index = self.folder / "mixed" / data, self.folder / "mixed" / f"{data}.idx"
            os.utime(index, (1, 1))
            self.assertIn(f"{data}.idx: is older than {data}", self.shardmill("verify", "mixed").out.decode())
            path.write_bytes(b"?" + path.read_bytes()[1:])
            self.shardmill("repair", "mixed")
            self.assertGreaterEqual(index.stat().st_mtime_ns, path.stat().st_mtime_ns)
            self.assertNotIn("older", self.shardmill("verify", "mixed").out.decode())


class HuggingFace(Forms):
    """The card as load_dataset reads it, and what mlcroissant asks of a description."""

    def card(self, out):
        """The YAML that is used here: (path, {column: dtype})."""
        _, head, _ = (self.folder / out / "README.md").read_text().split("---\n", 2)
        path = json.loads(head.partition("    path: ")[2].partition("\n")[0])
        names = [json.loads(line[10:]) if line[10] == '"' else line[10:] for line in head.splitlines()
                 if line.startswith("  - name: ")]
        kinds = [line[11:] for line in head.splitlines() if line.startswith("    dtype: ")]
        self.assertIn("configs:\n- config_name: default\n  data_files:\n  - split: train\n", head)
        return path, dict(zip(names, kinds, strict=True))

    def check(self, out):
        """webdataset.py: columns that an example lacks are None, audio is bytes with a path, text is decoded."""
        pattern, columns = self.card(out)
        self.assertEqual({name: kind for name, kind in columns.items() if kind == "audio"},
                         {"flac": "audio", "wav": "audio"})
        rows, found = {row["key"]: row for row in self.rows(out)}, {}
        for path in sorted((self.folder / out).glob(pattern)):
            with tarfile.open(path) as archive:
                for member in archive:
                    key, extension = member.name.split(".", 1)
                    found.setdefault(key, dict.fromkeys(columns))
                    self.assertIn(extension, columns)
                    found[key][extension] = archive.extractfile(member).read()
        self.assertEqual(sorted(found), sorted(rows))
        for key, example in found.items():
            sound, = [example[name] for name in ("flac", "wav") if example[name] is not None]
            self.check_sound(key, sound_of(sound)[0])
            self.assertEqual(example["txt"].decode(), rows[key]["text"])
        croissant = json.loads((self.folder / out / "croissant.json").read_text())
        self.assertEqual(croissant["@type"], "sc:Dataset")
        self.assertEqual(croissant["conformsTo"], "http://mlcommons.org/croissant/1.0")
        for name in ("equivalentProperty", "samplingRate"):  # without them mlcroissant calls the context not standard
            self.assertEqual(croissant["@context"][name], f"cr:{name}")
        files = {each["@id"]: each for each in croissant["distribution"]}
        for each in files.values():
            if each["@type"] == "cr:FileObject":
                data = (self.folder / out / each["contentUrl"]).read_bytes()
                self.assertEqual(hashlib.sha256(data).hexdigest(), each["sha256"])
            for part in each.get("containedIn", ()):
                self.assertEqual(files[part["@id"]]["encodingFormat"], "application/x-tar")
        for record in croissant["recordSet"]:
            for field in record["field"]:
                self.assertEqual(field["@id"], f"{record['@id']}/{field['name']}")
                self.assertIn(field["source"]["fileObject"]["@id"], files)
                for row in rows.values():
                    self.assertIn(field["source"]["extract"]["column"], row)

    def test_every_sample(self):
        self.repack("mixed", "--index", "huggingface")
        self.check("mixed")

    def test_it_is_kept(self):
        self.check_life("huggingface", ("README.md", "croissant.json"))
        self.check("later")

    def test_without_checksums(self):
        self.repack("mixed", "--index", "huggingface,kaldi,shar,lhotse")
        sums = self.folder / "mixed/SHA256SUMS"
        whole = sums.read_bytes()
        sums.unlink()
        self.shardmill("repair", "mixed")
        self.assertEqual(sums.read_bytes(), whole)
        self.shardmill("verify", "mixed")

    def test_members_of_json(self):
        """Only some samples have them, and what is in them differs: load_dataset stops where it has to guess."""
        members = samples(range(3))
        self.write("json.tar", tar([(members[0][0].replace("txt", "json"), b'{"snr": 1}'), *members[:4],
                                    (members[4][0].replace("txt", "json"), b'{"snr": "high", "noise": [1]}'),
                                    *members[4:]]))
        self.shardmill("repack", "json.tar", "--out", "out", "--shards", 1, "--index", "huggingface")
        self.assertEqual(self.card("out")[1], {"json": "json", "txt": "string", "wav": "audio", "__key__": "string",
                                               "__url__": "string"})
        self.write("other.tar", tar([(members[0][0].replace("txt", "npy"), b"x"), *members]))
        self.shardmill("repack", "other.tar", "--out", "guess", "--shards", 1, "--index", "huggingface")
        self.assertEqual(self.card("guess")[1], {})  # features without this column would leave it out

    def test_advice_is_for_this_command(self):
        self.repack("mixed", "--codec", "zstd")
        said = self.fails("index", "mixed", "--index", "huggingface", code=2, says="plain tars").err
        self.assertIn("shardmill repack --codec none", said)
        self.fails("repack", "en", "--out", "out", "--codec", "zstd", "--index", "huggingface", code=2,
                   says="--codec none")

    def test_a_readme_of_the_user_stays(self):
        self.repack("mixed")
        self.write("mixed/README.md", b"mine")
        said = self.fails("index", "mixed", "--index", "huggingface", says="README.md").err
        self.assertNotIn("--", said)  # what helps repack
        self.shardmill("verify", "mixed")
        (self.folder / "mixed/data.list").unlink()
        self.shardmill("repair", "mixed")
        self.repack("mixed", "--force")
        self.assertEqual((self.folder / "mixed/README.md").read_bytes(), b"mine")


@unittest.skipUnless(yaml, "python3-yaml is not installed")
class Nemo(Forms):
    """NeMo's read_cutset_from_config: entries of input_cfg, whose paths expand as expand_sharded_filepaths does."""

    def expanded(self, path):
        found = re.fullmatch(r"(.*)_OP_(\d+)\.\.(\d+)_CL_(.*)", path)
        if not found:
            return [path]
        begin, first, last, end = found.groups()
        return [f"{begin}{number:0{len(first)}}{end}" for number in range(int(first), int(last) + 1)]

    def yaml(self, out, name):
        return yaml.safe_load((self.folder / out / "nemo" / name).read_text())

    def check(self, out, root=None):
        entry, = self.yaml(out, "input_cfg.yaml")
        self.assertEqual(entry.pop("type"), "nemo_tarred")
        self.assertIs(entry.pop("skip_missing_manifest_entries"), True)
        manifests, tars = (self.expanded(entry.pop(name)) for name in ("manifest_filepath", "tarred_audio_filepaths"))
        self.assertEqual(entry, {})
        if root:
            self.assertEqual(tars[0], f"{root}/shards/audio_000000000.tar")
            return
        found = set()
        self.assertEqual(len(manifests), len(tars))
        for lines, path in zip(manifests, tars):
            rows = {row["audio_filepath"]: row for row in map(json.loads, pathlib.Path(lines).read_text().splitlines())}
            with tarfile.open(path) as archive:
                for member in archive:
                    if member.name not in rows:  # skip_missing_manifest_entries
                        self.assertTrue(member.name.endswith(".txt"))
                        continue
                    sound, _ = sound_of(archive.extractfile(member).read())
                    self.check_sound(rows[member.name]["key"], sound)
                    found.add(rows[member.name]["key"])
        self.assertEqual(found, {row["key"] for row in self.rows(out)})
        durations = sorted(row["duration"] for row in self.rows(out))
        # Lhotse's estimate_duration_buckets
        share, filled, bins = float(numpy.sum(durations)) / min(30, len(durations)), 0.0, []
        for duration in durations:
            if filled > share:
                bins.append(float(numpy.round(duration, 5)))
                filled = 0.0
            filled += duration
        self.assertEqual(self.yaml(out, "buckets.yaml"), {"use_bucketing": True, "num_buckets": len(bins) + 1,
                                                          "bucket_duration_bins": bins})

    def test_every_sample(self):
        self.repack("mixed", "--index", "nemo")
        self.check("mixed")
        self.write("many.tar", tar(samples(range(100, 160))))
        self.shardmill("repack", "many.tar", "--out", "many", "--shards", 1, "--index", "nemo", "--text", "manifest")
        self.check("many")
        self.write("one.tar", tar(samples(range(1))))
        self.shardmill("repack", "one.tar", "--out", "one", "--index", "nemo")
        self.assertEqual(self.yaml("one", "buckets.yaml"),
                         {"use_bucketing": False, "num_buckets": 1, "bucket_duration_bins": []})
        self.shardmill("verify", "one")

    def test_it_is_kept(self):
        self.check_life("nemo", ["nemo/buckets.yaml"])
        self.check("later")
        self.assertFalse((self.folder / "one/nemo").exists())

    def test_damage_to_the_places(self):
        self.repack("mixed", "--index", "nemo")
        path = self.folder / "mixed/nemo/input_cfg.yaml"
        whole = path.read_bytes()
        for bad in (None, b"", whole[:-1], whole.replace(b"000002", b"000003")):
            path.unlink()
            if bad is not None:
                path.write_bytes(bad)
            self.assertIn("nemo/input_cfg.yaml", self.shardmill("verify", "mixed", code=1).out.decode(), bad)
            self.shardmill("repair", "mixed")
            self.assertEqual(path.read_bytes(), whole)
            self.shardmill("verify", "mixed")

    def test_one_repair_makes_all_again(self):
        """Only SHA256SUMS tells that the file is missing, and only data.list where it leads."""
        self.repack("mixed", "--index", "nemo,kaldi")
        lost = ("SHA256SUMS", "data.list", "nemo/input_cfg.yaml", "kaldi/wav.scp", "kaldi/kaldiio.scp")
        whole = {name: (self.folder / "mixed" / name).read_bytes() for name in lost}
        for names in (lost, lost[::2], lost[1:], lost[:1] + lost[3:]):
            for name in names:
                (self.folder / "mixed" / name).unlink()
            done = json.loads(self.shardmill("repair", "mixed", "--json").out)
            self.assertEqual(sorted(file["file"] for file in done["repaired"]), sorted(names))
            self.assertEqual({name: (self.folder / "mixed" / name).read_bytes() for name in lost}, whole)
            self.shardmill("verify", "mixed")

    def test_paths_follow_the_lists(self):
        self.repack("mixed", "--index", "nemo", "--list-root", "/r oot: \"a\"")
        self.check("mixed", root="/r oot: \"a\"")
        self.shardmill("verify", "mixed")
        (self.folder / "mixed").rename(self.folder / "it's here")
        self.shardmill("verify", "it's here")
        said = self.shardmill("index", "it's here", "--list-root", self.folder / "it's here").out.decode()
        self.assertIn("nemo/input_cfg.yaml", said)
        self.check("it's here")
        self.shardmill("verify", "it's here")

    def test_a_mix_is_printed_still(self):
        self.repack("mixed", "--index", "nemo")
        entry, = yaml.safe_load(self.shardmill("index", "mixed", "--index", "nemo", "--mix", "temperature=1").out)
        self.assertEqual(entry["tarred_audio_filepaths"],
                         self.yaml("mixed", "input_cfg.yaml")[0]["tarred_audio_filepaths"])


class Numbers(harness.Case):
    def test_speakers_and_languages_that_are_numbers(self):
        """As tables that went through a spreadsheet have them."""
        members = []
        for number, fact in enumerate(({"speaker": 7, "lang": 1, "gender": 2},
                                       {"speaker": 7.0, "lang": None, "gender": [1]},
                                       {"speaker": "7 ", "lang": "en"})):
            members += [(f"utt{number:05}.json", json.dumps({"text": "a\tb  c", **fact}).encode()),
                        (f"utt{number:05}.wav", audio(number))]
        self.write("in.tar", tar(members))
        said = self.shardmill("repack", "in.tar", "--out", "out", "--shards", 1, "--index",
                              "kaldi,shar,mds,huggingface,funasr,speechbrain,amphion,parquet").err
        self.assertIn("3 of 3 samples have tabs in their transcripts, which are blanks in kaldi/text", said)
        self.assertEqual((self.folder / "out/kaldi/spk2utt").read_text(), "7 utt00000 utt00001 utt00002\n")
        self.assertEqual((self.folder / "out/kaldi/text").read_text(),
                         "".join(f"utt{number:05} a b c\n" for number in range(3)))
        cuts = [json.loads(line)["supervisions"][0]
                for line in open(self.folder / "out/shar/cuts.000000.jsonl")]
        self.assertEqual(sorted((cut["id"], cut["speaker"], cut.get("language"), cut.get("gender")) for cut in cuts),
                         [("utt00000", "7", "1", "2"), ("utt00001", "7", None, None), ("utt00002", "7", "en", None)])
        self.shardmill("verify", "out")


class Mds(WithFacts):
    """streaming: MDSReader.get_sample_data and decode_sample."""

    def read(self, out):
        root = self.folder / out / "mds"
        text = (root / "index.json").read_text()
        index = json.loads(text)
        self.assertEqual(text, json.dumps(index, sort_keys=True))
        self.assertEqual(index["version"], 2)
        for shard in index["shards"]:
            self.assertEqual((shard["version"], shard["format"], shard["compression"], shard["zip_data"]),
                             (2, "mds", None, None))
            raw = shard["raw_data"]
            data = (root / raw["basename"]).read_bytes()
            self.assertEqual(len(data), raw["bytes"])
            self.assertEqual({name: hashlib.new(name, data).hexdigest() for name in shard["hashes"]}, raw["hashes"])
            count, = struct.unpack_from("<I", data)
            self.assertEqual(count, shard["samples"])
            offsets = struct.unpack_from(f"<{count + 1}I", data, 4)
            header = json.loads(data[4 * (count + 2):offsets[0]])
            self.assertEqual(data[4 * (count + 2):offsets[0]].decode(), json.dumps(header, sort_keys=True))
            self.assertEqual({name: shard[name] for name in header}, header)
            self.assertEqual(offsets[-1], len(data))
            self.assertEqual(header["column_names"], sorted(header["column_names"]))
            for begin, end in zip(offsets, offsets[1:]):
                yield self.sample(data[begin:end], header)

    @staticmethod
    def sample(data, header):
        sizes, at = [], 0
        for size in header["column_sizes"]:
            if size is None:
                size, = struct.unpack_from("<I", data, at)
                at += 4
            sizes.append(size)
        decode = {"bytes": bytes, "str": bytes.decode, "float64": lambda value: struct.unpack("<d", value)[0],
                  "int": lambda value: struct.unpack("<q", value)[0]}
        sample = {}
        for name, encoding, size in zip(header["column_names"], header["column_encodings"], sizes):
            sample[name] = decode[encoding](data[at:at + size])
            at += size
        assert at == len(data)
        return sample

    def check(self, out, speakers=None):
        found = list(self.read(out))
        self.assertEqual([sample["key"] for sample in found], [row["key"] for row in self.rows(out)])
        for sample, row in zip(found, self.rows(out)):
            sound, rate = sound_of(sample["audio"])
            self.check_sound(row["key"], sound)
            self.assertEqual(sample["sample_rate"], rate)
            self.assertEqual(sample["text"], row["text"])
            self.assertEqual(sample["duration"], row["duration"])
            self.assertEqual(sample["dataset"], row["dataset"])
        return found

    def test_every_sample(self):
        self.repack("mixed", "--index", "mds")
        found = self.check("mixed")
        self.assertEqual({(sample["speaker"], sample["language"]) for sample in found}, {("", "")})

    def test_speakers_and_languages(self):
        self.shardmill("repack", self.corpus(), "--out", "mixed", "--shards", 2, "--index", "mds")
        self.assertEqual({(sample["speaker"], sample["language"]) for sample in self.check("mixed")},
                         {("S 0", "en"), ("S 1", "en")})

    def test_it_is_kept(self):
        self.check_life("mds", ("mds/index.json", "mds/shard.00000.mds", "mds/shard.00002.mds"))
        self.check("later")

    def test_other_audio_than_the_manifest_says(self):
        self.repack("mixed")
        shard = self.folder / "mixed/shards/audio_000000001.tar"
        data = bytearray(shard.read_bytes())
        data[4000] ^= 1
        shard.write_bytes(data)
        self.fails("index", "mixed", "--index", "mds", says="audio_000000001.tar")
        self.assertFalse((self.folder / "mixed/mds").exists())


class WithoutTexts(harness.Case):
    def test_transcripts_that_are_only_in_the_shards(self):
        """A loader that gets its texts from an index would train on none."""
        shards = pages.ROOT / "data/example/english"
        said = self.shardmill("repack", shards, "--out", "out", "--shards", 2, "--text", "members", "--index",
                              "lhotse,mds,kaldi").err
        self.assertIn("these indexes will have none: kaldi, mds", said)
        self.assertIn("have none: funasr", self.shardmill("index", "out", "--index", "funasr").err)
        self.assertNotIn("have none", self.shardmill("index", "out", "--index", "wids,lhotse").err)
        self.assertNotIn("have none",
                         self.shardmill("repack", shards, "--out", "both", "--shards", 2, "--index", "mds").err)


class FunAsr(Forms):
    """funasr: IndexDSJsonl, with the lengths of scp2jsonl."""

    def check(self, out):
        root = self.folder / out
        for shard in sorted((root / "shards").iterdir()):
            with tarfile.open(fileobj=io.BytesIO(harness.decompress(self.codec, shard.read_bytes()))) as archive:
                archive.extractall(root / "audio")
        rows = [json.loads(line) for line in (root / "funasr/train.jsonl").read_text().splitlines()]
        self.assertEqual([row["key"] for row in rows], [row["key"] for row in self.rows(out)])
        for row, told in zip(rows, self.rows(out)):
            sound, rate = soundfile.read(root / row["source"], dtype="int16")
            self.check_sound(row["key"], sound)
            self.assertEqual(row["source_len"], int(-(-len(sound) * 16000 // rate) * 1000 / 16000 / 10))
            line = row["target"].strip()
            self.assertEqual(row["target_len"], len(line.split()) if " " in line else len(line))
            self.assertEqual(row["target"], told.get("text", ""))
            self.assertEqual(set(row), {"key", "source", "source_len", "target", "target_len"})
        return {row["key"]: row["target_len"] for row in rows}

    def check_nano(self, out):
        """fun_asr_datasets: FunASR, which drops by length, and load_audio_text_image_video of what follows the mark."""
        root = self.folder / out
        lines = [json.loads(line) for line in (root / "funasr/nano.jsonl").read_text().splitlines()]
        self.assertEqual([line["key"] for line in lines], [row["key"] for row in self.rows(out)])
        for line, row in zip(lines, self.rows(out)):
            self.assertEqual([message["role"] for message in line["messages"]], ["system", "user", "assistant"])
            system, user, assistant = (message["content"] for message in line["messages"])
            self.assertEqual((system, assistant), ("You are a helpful assistant.", row.get("text", "")))
            before, speech_of, after = re.split(r"(<\|startofspeech\|>.*?<\|endofspeech\|>)", user)
            self.assertEqual((before, after), ("语音转写：", ""))
            path = speech_of.replace("<|startofspeech|>", "").replace("<|endofspeech|>", "")
            self.assertEqual(path[0], "!")
            sound, rate = soundfile.read(root / path[1:], dtype="int16")
            self.check_sound(row["key"], sound)
            # tools/scp2jsonl.py
            self.assertEqual(line["speech_length"], int((len(sound) / rate * 1000 - 25) // 10 + 1))
            self.assertGreaterEqual(line["text_length"], 1 if assistant.strip() else 0)
        return lines

    def test_every_sample(self):
        self.codec = "zstd"
        self.repack("mixed", "--index", "funasr", "--codec", "zstd")
        self.assertEqual(len(self.check("mixed")), 15)
        self.assertEqual(len(self.check_nano("mixed")), 15)

    def test_samples_that_are_too_long(self):
        """IndexDSJsonl drops them: more than 2048 frames, or more than 2200 frames and characters."""
        self.codec = "none"
        long = io.BytesIO()
        soundfile.write(long, numpy.zeros(2049 * 160, dtype=numpy.int16), 16000, format="WAV")
        short = io.BytesIO()
        soundfile.write(short, numpy.zeros(1900 * 160, dtype=numpy.int16), 16000, format="WAV")
        self.write("odd.tar",
                   tar([("a.txt", b"x"), ("a.wav", long.getvalue()), ("b.txt", b"y" * 301), ("b.wav", short.getvalue()),
                                   ("c.txt", b"z" * 300), ("c.wav", short.getvalue())]))
        said = self.shardmill("repack", "odd.tar", "--out", "odd", "--shards", 1, "--index", "funasr").err
        self.assertIn("2 of 3 samples are longer than FunASR takes", said)
        kept = []
        for line in (self.folder / "odd/funasr/train.jsonl").read_text().splitlines():
            row = json.loads(line)
            source, target = row["source_len"], row["target_len"]
            if source <= 2048 and target <= 2048 and source + target <= 2200:
                kept.append(row["key"])
        self.assertEqual(kept, ["c"])

    def test_lengths_of_texts(self):
        self.codec = "none"
        texts = ["今天天气", "今天 天气", "\u3000今天\u3000", "a\u3000b c", "x", "a\tb", " a b ", "\u00a0a b"]
        self.write("odd.tar", tar([member for number, text in enumerate(texts) for member in
                                   ((f"utt{number:05}.txt", text.encode()), (f"utt{number:05}.wav", audio(number)))]))
        self.shardmill("repack", "odd.tar", "--out", "odd", "--shards", 1, "--index", "funasr")
        lengths = self.check("odd")
        self.assertEqual(lengths["utt00000"], 4)
        self.assertEqual(lengths["utt00001"], 2)
        self.assertEqual(lengths["utt00003"], 3)

    def test_it_is_kept(self):
        self.codec = "none"
        self.check_life("funasr", ["funasr/train.jsonl", "funasr/nano.jsonl"])
        self.check("later")
        self.check_nano("later")


if __name__ == "__main__":
    unittest.main()
