"""Records and indexes that lie, with checksums that fit the lie: verify compares them with the shards, --against with
the sources."""
import hashlib
import json
import os
import random
import shutil
import unittest

import harness
from repack_test import Repacking, corpus

ROUNDS = int(os.environ.get("SHARDMILL_LIES", "40"))
HEAVY = ("shar", "shar-gz", "mds", "parquet")


class Lying(Repacking):
    INDEX = None  # all that are cheap to make

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if cls.INDEX is None:
            cls.INDEX = ",".join(form for form in harness.all_forms() if form not in (*HEAVY, "lhotse"))
        cls.random = random.Random(17)

    def setUp(self):
        super().setUp()
        self.write("in.tar", corpus("k", 60, shards=1, seed=5)[0][0])
        table = "".join(json.dumps({"key": f"k{number:05}", "speaker": f"s{number % 7}"}) + "\n"
                        for number in range(60))
        self.write("speakers.jsonl", table.encode())
        self.repack("main=in.tar", "--metadata", "speakers.jsonl", "--out", "true", "--shards", 3, "-q",
                    "--index", self.INDEX)
        self.shardmill("verify", "true", "--against", "main=in.tar")

    def restart(self):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        shutil.copytree(self.folder / "true", self.folder / "out")
        data_list = self.folder / "out/data.list"
        self.shardmill("index", "out", "--list-root", self.folder / "out", "-q")
        self.assertTrue(data_list.exists())

    def path(self, name):
        return self.folder / "out" / name

    def lines(self, name):
        return [json.loads(line) for line in self.path(name).read_text().splitlines()]

    def put(self, name, lines):
        self.path(name).write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))

    def seal(self):
        """Makes all checksums, and the copy of all manifests, fit what is there now."""
        everything = b"".join(self.path(f"manifests/manifest_{number:09}.json").read_bytes() for number in range(3))
        self.path("tarred_audio_manifest.json").write_bytes(everything)
        sums = ""
        for line in self.path("SHA256SUMS").read_text().splitlines():
            name = line[66:]
            sums += f"{hashlib.sha256(self.path(name).read_bytes()).hexdigest()}  {name}\n"
        self.path("SHA256SUMS").write_text(sums)

    def tell(self, lie):
        """Applies a lie to one manifest; `lie` changes its lines."""
        name = f"manifests/manifest_{self.random.randrange(3):09}.json"
        lines = self.lines(name)
        lie(lines)
        self.put(name, lines)

    def is_found(self, *against):
        return self.shardmill("verify", "out", *(["--against", *against] if against else []), code=None).code == 1


class Manifests(Lying):
    INDEX = "none"

    def swap(self, lines, *names):
        while True:
            first, second = self.random.sample(range(len(lines)), 2)
            if any(lines[first][name] != lines[second][name] for name in names):
                break
        for name in names:
            lines[first][name], lines[second][name] = lines[second][name], lines[first][name]

    def shift(self, lines):
        """The sum of the durations stays."""
        frames = self.random.randint(1, 300)
        first, second = self.random.sample(range(len(lines)), 2)
        for number, change in ((first, frames), (second, -frames)):
            lines[number]["frames"] += change
            lines[number]["duration"] = lines[number]["frames"] / lines[number]["sample_rate"]

    def double(self, lines):
        line = self.random.choice(lines)
        line["sample_rate"] *= 2
        line["frames"] *= 2
        if "sampling_rate" in line:
            line["sampling_rate"] *= 2

    def change(self, name, value):
        def lie(lines):
            line = self.random.choice(lines)
            line[name] = value(line[name])
        return lie

    def test_lies_in_manifests(self):
        lies = {
            "durations swapped": lambda lines: self.swap(lines, "duration", "frames"),
            "durations shifted": self.shift,
            "rate": self.double,
            "text": self.change("text", lambda text: text + "x"),
            "texts swapped": lambda lines: self.swap(lines, "text"),
            "shard_id": self.change("shard_id", lambda number: number + 1),
            "tar_offset": self.change("tar_offset", lambda number: number + 512),
            "xxh3": self.change("xxh3", lambda text: text[::-1]),
            "format": self.change("format", lambda text: "wav/pcm24"),
            "audio_bytes": self.change("audio_bytes", lambda number: number + 2),
        }
        missed = []
        for number in range(ROUNDS):
            name = sorted(lies)[number % len(lies)]
            self.restart()
            self.tell(lies[name])
            self.seal()
            if not self.is_found():
                missed.append(name)
            if name.startswith(("durations", "rate", "format")) and not self.is_found("main=in.tar"):
                missed.append(name + " against")
        self.assertEqual(missed, [])

    def test_only_the_sources_know(self):
        lies = {"speaker": self.change("speaker", lambda text: text + "x"),
                "speakers swapped": lambda lines: self.swap(lines, "speaker")}
        for name, lie in lies.items():
            self.restart()
            self.tell(lie)
            self.seal()
            self.assertTrue(self.is_found("main=in.tar"), name)

    def test_lies_in_other_records(self):
        def edit(name, change):
            lines = self.lines(name)
            change(lines)
            self.put(name, lines)
        lies = {
            "all samples": lambda: self.path("tarred_audio_manifest.json").write_text(
                self.path("tarred_audio_manifest.json").read_text().replace('"duration"', '"duration" ', 1)),
            "data.list": lambda: self.path("data.list").write_text(
                self.path("data.list").read_text().replace("0001.tar", "0002.tar")),
            "shards.jsonl seconds": lambda: edit("shards.jsonl",
                                                 lambda lines: lines[0].update(seconds=lines[0]["seconds"] + 1)),
            "shards.jsonl swapped": lambda: edit("shards.jsonl",
                                                 lambda lines: (lines[0].update(sha256=lines[1]["sha256"]))),
            "shards.jsonl longest": lambda: edit("shards.jsonl", lambda lines: lines[0].update(max_seconds=9.0)),
        }
        for name, lie in lies.items():
            self.restart()
            if name != "all samples":
                self.seal()
            lie()
            if name == "all samples":
                sums = self.path("SHA256SUMS").read_text().splitlines()
                new = hashlib.sha256(self.path("tarred_audio_manifest.json").read_bytes()).hexdigest()
                self.path("SHA256SUMS").write_text("".join(
                    (f"{new}{line[64:]}" if line.endswith("tarred_audio_manifest.json") else line) + "\n"
                    for line in sums))
            elif name.startswith("shards"):
                self.seal()
            self.assertTrue(self.is_found(), name)


class Indexes(Lying):
    def index_files(self):
        return sorted(line[66:] for line in self.path("SHA256SUMS").read_text().splitlines()
                      if not line[66:].startswith(("shards/audio", "manifests/manifest")) or line.endswith(".idx"))

    def lie(self, name):
        """Changes a digit, or a byte of a file without digits that may be changed."""
        data = bytearray(self.path(name).read_bytes())
        places = [place for place, byte in enumerate(data) if chr(byte).isdigit()] or list(range(len(data)))
        place = self.random.choice(places)
        data[place] = data[place] ^ 1
        self.path(name).write_bytes(data)

    def test_lies_in_indexes(self):
        self.restart()
        records = {"dataset.json", "shards.jsonl", "rejects.jsonl", "tarred_audio_manifest.json"}
        names = [name for name in self.index_files() if name not in records and self.path(name).stat().st_size]
        self.assertGreater(len(names), 10)
        missed = []
        for number in range(max(ROUNDS // 2, len(names))):
            name = names[number % len(names)]
            self.restart()
            self.lie(name)
            self.seal()
            if not self.is_found():
                missed.append(name)
        self.assertEqual(missed, [])
        says = self.shardmill("verify", "out", code=1).out.decode()
        kinds = says[says.index("--index ") + len("--index "):].split("'")[0]
        self.shardmill("index", "out", "--index", kinds, "-q")
        self.shardmill("verify", "out")

    def test_kinds_that_hold_audio(self):
        for kind in HEAVY:
            with self.subTest(kind):
                self.restart()
                self.shardmill("index", "out", "--index", kind, "-q")
                self.shardmill("verify", "out", "--decode")
                names = [line[66:] for line in self.path("SHA256SUMS").read_text().splitlines()]
                before = {line[66:] for line in (self.folder / "true/SHA256SUMS").read_text().splitlines()}
                self.lie(self.random.choice([name for name in names if name not in before]))
                self.seal()
                self.assertEqual(self.shardmill("verify", "out", "--decode", code=None).code, 1)

    def test_indexes_of_a_copy_are_compared_with_it(self):
        """Nothing is decoded for that. The message names the index, and what it says mends it."""
        self.restart()
        self.shardmill("index", "out", "--index", "shar", "-q")
        for name in ("shar/recording.000000.tar.idx", "shar/cuts.000000.jsonl.idx"):
            for data in (b"", b"\x01" + self.path(name).read_bytes()[1:]):
                self.path(name).write_bytes(data)
                self.seal()
                said = self.shardmill("verify", "out", code=1).out.decode()
                self.assertRegex(said, rf"^finding: out/{name}: does not fit {name[:-4]}; .* --index shar'")
                self.assertNotIn("idxpack", said)
                self.shardmill("index", "out", "--index", "shar", "-q")
                self.shardmill("verify", "out")


if __name__ == "__main__":
    unittest.main()
