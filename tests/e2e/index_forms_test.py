"""The forms of Lhotse, Kaldi and others, read by the rules of those projects, which are written down here anew."""
import contextlib
import io
import json
import os
import struct
import sys
import tarfile
import types
import unittest
from unittest import mock

import soundfile

import harness
import pages
from harness import audio, samples, speech, tar


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
        return [json.loads(line) for line in (self.folder / out / "tarred_audio_manifest.json").read_text().splitlines()]

    def check_sound(self, key, sound):
        self.assertEqual(sound.tolist(), speech(int(key.removeprefix("utt")))[1].tolist())

    def check_life(self, kind, files, out="mixed"):
        """Same bytes by both commands and any threads; verified, repaired, kept by update."""
        self.repack("one", "--index", kind, "-j", "1")
        self.repack("later")
        self.shardmill("index", "later", "--index", kind, "-j", "4")
        for name in files:
            self.assertEqual((self.folder / "one" / name).read_bytes(), (self.folder / "later" / name).read_bytes(), name)
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

    def check(self, out):
        root = self.folder / out
        manifests = sorted((root / "manifests").glob("*.json"))
        rows = []
        for path in [*manifests, root / "tarred_audio_manifest.json"]:
            data, places = path.read_bytes(), numbers_of(path.with_name(path.name + ".idx"))
            # create_jsonl_index: the sum of the lengths of the lines so far
            expected = [0]
            for line in io.BytesIO(data):
                expected.append(expected[-1] + len(line))
            self.assertEqual(places, expected)
            rows += [json.loads(data[begin:end]) for begin, end in zip(places, places[1:])]
        self.assertEqual(rows, 2 * self.rows(out))
        found = {}
        for path in sorted((root / "shards").glob("*.tar")):
            places = numbers_of(path.with_name(path.name + ".idx"))
            with tarfile.open(path, "r:") as archive:  # create_tar_index: the header of the first member of each
                members = list(archive)
                end = archive.offset
            stems, expected = [], []
            for member in members:
                if member.name.split(".")[0] not in stems:
                    stems.append(member.name.split(".")[0])
                    expected.append(member.offset)
            self.assertEqual(places, [*expected, end])
            self.assertLessEqual(places[-1], path.stat().st_size)
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

    def test_one_file_serves_energon_too(self):
        self.repack("mixed", "--index", "lhotse")
        self.repack("both", "--index", "energon,lhotse")
        self.repack("energon", "--index", "energon")
        name = "shards/audio_000000000.tar.idx"
        self.assertEqual(*((self.folder / out / name).read_bytes() for out in ("mixed", "both")))
        self.assertEqual(*((self.folder / out / name).read_bytes() for out in ("mixed", "energon")))
        self.shardmill("verify", "both")
        self.check("both")
        self.assertNotIn(".nv-meta/split.yaml", self.names("mixed"))

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
        self.assertEqual(len(numbers_of(self.folder / "en/a.tar.idx")), 10)


if __name__ == "__main__":
    unittest.main()
