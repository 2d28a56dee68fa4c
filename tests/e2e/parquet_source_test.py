"""Parquet files as sources. They are made by parquet_writer.py, and those in parquet_files/ by other programs."""
import json
import pathlib
import random
import shutil
import tarfile
import io
import unittest

import parquet_writer as pq
from harness import PROGRAM, Case, audio, speech
from resume_test import Resuming

OTHERS = pathlib.Path(__file__).parent / "parquet_files"


def columns(numbers, path="clips/u{}.wav", text="text", bytes_of=audio, encoding=pq.PLAIN, **more):
    """Of a table as Hugging Face's library has them."""
    return [pq.struct("audio", [pq.Column("bytes", [bytes_of(number) for number in numbers], encoding=encoding,
                                          type=pq.BYTES, optional=True),
                                pq.Column("path", [path.format(number) for number in numbers])]),
            pq.Column(text, [speech(number)[0] for number in numbers]),
            *(pq.Column(name, list(values)) for name, values in more.items())]


class FromParquet(Case):
    def members(self, *arguments):
        """Those of the tar that `cat` makes."""
        data = self.shardmill("cat", *arguments).out
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            return {member.name: archive.extractfile(member).read() for member in archive}

    def rows(self, out="out"):
        """Manifest lines by source_key."""
        lines = (self.folder / out / "tarred_audio_manifest.json").read_text().splitlines()
        return {line["source_key"]: line for line in map(json.loads, lines)}

    def repack(self, *arguments, out="out", **more):
        return self.shardmill("repack", *arguments, "--out", out, "--shards", 2, "-q", **more)

    def same_bytes(self, first, second):
        names = [name for name in self.names(first) if name != "run.json"]
        self.assertEqual([name for name in self.names(second) if name != "run.json"], names)
        for name in names:
            self.assertEqual((self.folder / first / name).read_bytes(), (self.folder / second / name).read_bytes(),
                             name)


class Columns(FromParquet):
    def test_of_other_writers(self):
        for path in sorted(OTHERS.glob("*.parquet")):
            members = self.members(path)
            self.assertEqual(sorted({name.split(".")[0] for name in members}), [f"u{i}" for i in range(6)], path)
            for i in range(6):
                words = None if i == 2 else [{"w": f"w{x}", "s": x / 2} for x in range(i % 3)]
                row = {"sentence": None if i == 3 else f"text {i} 漢", "speaker": str(i % 2),
                       "at": f"2024-0{2 if i == 0 else 3}-{29 if i == 0 else i:02}T12:00:00.250000",
                       "price": i * 12.5, "words": words, "score": i / 4, "good": i % 3 == 0,
                       "path": f"clips/u{i}.wav"}
                self.assertEqual(json.loads(members[f"u{i}.json"]), row, path)
                self.assertEqual(members.get(f"u{i}.txt"), None if i == 3 else row["sentence"].encode(), path)
                self.assertEqual((members[f"u{i}.wav"][:4], len(members[f"u{i}.wav"])), (b"RIFF", 44 + 2 * (60 + i)))

    def test_a_dataset(self):
        self.write("train-00000-of-00001.parquet", pq.table(columns(range(7), speaker_id=range(7), note=["x"] * 7)))
        self.repack("train-00000-of-00001.parquet")
        rows = self.rows()
        self.assertEqual(set(rows), {f"u{number}" for number in range(7)})
        line = rows["u3"]
        self.assertEqual({name: line[name] for name in ("text", "speaker", "note", "path", "subset", "key")},
                         {"text": speech(3)[0], "speaker": "3", "note": "x", "path": "clips/u3.wav", "subset": "train",
                          "key": "u3"})
        shard = self.folder / f"out/shards/audio_{line['shard_id']:09}.tar"
        with tarfile.open(shard) as archive:
            self.assertEqual(archive.extractfile("u3.wav").read(), audio(3))
            self.assertEqual(archive.extractfile("u3.txt").read().decode(), speech(3)[0])
            self.assertFalse([name for name in archive.getnames() if name.endswith(".json")])
        self.shardmill("verify", "out", "--against", "train-00000-of-00001.parquet")
        said = self.shardmill("inspect", "train-00000-of-00001.parquet").out.decode()
        self.assertIn("1 shard, Parquet, ", said)
        self.assertIn("7", said)

    def test_every_encoding(self):
        texts = ["a", "ab", None, "abc", "", "二"]
        for encoding in (pq.PLAIN, pq.RLE_DICTIONARY, pq.DELTA_LENGTH, pq.DELTA_BYTES):
            for version, codec in ((1, pq.SNAPPY), (2, pq.GZIP), (1, pq.ZSTD), (2, pq.LZ4_RAW), (2, pq.NONE)):
                data = pq.table([*columns(range(6), encoding=encoding), pq.Column("x", texts, encoding=encoding),
                                 pq.Column("n", [5, -7, 2**40, 0, 1, 1], encoding=pq.DELTA),
                                 pq.Column("f", [0.5, 1, 2, 3, -4, 0.1], type=pq.DOUBLE, encoding=pq.SPLIT),
                                 pq.Column("b", [True, None, False, True, True, True], encoding=pq.RLE)],
                                version=version, codec=codec, page_rows=4, group_rows=5, crc=True)
                self.write("x.parquet", data)
                members = self.members("x.parquet")
                for i in range(6):
                    row = json.loads(members[f"u{i}.json"])
                    self.assertEqual(members[f"u{i}.wav"], audio(i))
                    self.assertEqual((row["x"], row["n"], row["f"], row["b"]),
                                     (texts[i], [5, -7, 2**40, 0, 1, 1][i], [0.5, 1, 2, 3, -4, 0.1][i],
                                      [True, None, False, True, True, True][i]), (encoding, version, codec))

    def test_texts_by_name(self):
        self.write("x.parquet", pq.table([*columns(range(3), text="sentence"),
                                          pq.Column("norm", ["eins", "zwei", None])]))
        self.repack("x.parquet")
        self.assertEqual({row["text"] for row in self.rows().values()}, {speech(number)[0] for number in range(3)})
        self.assertEqual(self.rows()["u0"]["norm"], "eins")
        self.assertNotIn("sentence", self.rows()["u0"])
        self.repack("x.parquet", "--text-field", "norm", "--allow-missing-text", out="norm")
        rows = self.rows("norm")
        self.assertEqual({key: row.get("text") or None for key, row in rows.items()},
                         {"u0": "eins", "u1": "zwei", "u2": None})
        self.assertEqual(rows["u1"]["sentence"], speech(1)[0])
        self.fails("repack", "x.parquet", "--out", "none", "--text-field", "other",
                   says=["x.parquet", "no column 'other'", "sentence, norm"])

    def test_no_text(self):
        self.write("x.parquet", pq.table(columns(range(3), text="remark")))
        self.fails("repack", "x.parquet", "--out", "out", says=["x.parquet", "remark"])

    def test_forms_by_content(self):
        def bytes_of(number):
            return audio(number, "flac") if number == 1 else audio(number)
        self.write("x.parquet", pq.table(columns(range(3), bytes_of=bytes_of)))
        self.assertIn("u1.flac", self.members("x.parquet"))
        starts = {"aac": b"\xff\xf1\x50\x80", "mp3": b"\xff\xfb\x90\x64", "webm": b"\x1a\x45\xdf\xa3"}
        data = list(starts.values())
        self.write("x.parquet", pq.table(columns(range(3), bytes_of=lambda number: data[number] + bytes(40))))
        members = self.members("x.parquet")
        for number, extension in enumerate(starts):
            self.assertIn(f"u{number}.{extension}", members)

    def test_audio_alone_in_its_column(self):
        self.write("x.parquet", pq.table([pq.Column("audio", [audio(0), audio(1)]), pq.Column("text", ["a", "b"]),
                                          pq.Column("id", [17, 18])]))
        self.assertEqual(sorted(self.members("x.parquet")),
                         [f"{key}.{extension}" for key in (17, 18) for extension in ("json", "txt", "wav")])

    def test_several_columns(self):
        """What Hugging Face's library says decides between them."""
        other = pq.struct("image", [pq.Column("bytes", [b"\xff\xd8"] * 2), pq.Column("path", ["a.jpg"] * 2)])
        more = pq.struct("voice", [pq.Column("bytes", [audio(0), audio(1)]), pq.Column("path", ["a.wav", "b.wav"])])
        self.write("x.parquet", pq.table([other, more, pq.Column("text", ["a", "b"])]))
        self.fails("cat", "x.parquet", says=["x.parquet", "image, voice"])
        features = json.dumps({"info": {"features": {"voice": {"_type": "Audio"}, "image": {"_type": "Image"}}}})
        self.write("x.parquet", pq.table([other, more, pq.Column("text", ["a", "b"])], notes={"huggingface": features}))
        self.assertEqual(self.members("x.parquet")["b.wav"], audio(1))
        self.write("x.parquet", pq.table([pq.Column("text", ["a", "b"])]))
        self.fails("cat", "x.parquet", says=["x.parquet", "no column of the table holds audio", "text"])

    def test_audio_that_is_not_there(self):
        self.write("x.parquet",
                   pq.table(columns(range(4), bytes_of=lambda number: None if number == 2 else audio(number))))
        self.fails("repack", "x.parquet", "--out", "out", says=["x.parquet", "u2", "not in the Parquet file"])
        self.repack("x.parquet", "--on-error", "skip", "--max-rejects", 1)
        reject, = map(json.loads, (self.folder / "out/rejects.jsonl").read_text().splitlines())
        self.assertEqual((reject["key"], reject["reason"]), ("u2", "no_audio"))


class Keys(FromParquet):
    def keys(self, name, data):
        self.write(name, data)
        return sorted({member.split(".")[0] for member in self.members(name)})

    def test_by_the_names_of_files(self):
        self.assertEqual(self.keys("x.parquet", pq.table(columns(range(2), path="/a/b.c/n.{}.wav"))), ["n_0", "n_1"])

    def test_by_a_column(self):
        self.assertEqual(self.keys("x.parquet", pq.table(columns(range(2), path="same.wav", id=[7, 8]))), ["7", "8"])
        self.assertEqual(self.keys("x.parquet", pq.table(columns(range(2), path="same.wav", id=[7, 7],
                                                                 file=["a/x.flac", "b/y.flac"]))), ["x", "y"])

    def test_by_the_number_of_the_row(self):
        keys = self.keys("train-00000-of-00002.parquet", pq.table(columns(range(12), path="same.wav"), group_rows=5))
        self.assertEqual(keys, [f"train-00000-of-00002_{row:02}" for row in range(12)])


class Subsets(FromParquet):
    def setUp(self):
        super().setUp()
        self.write("hub/data/train-00000-of-00002.parquet", pq.table(columns(range(3))))
        self.write("hub/data/train-00001-of-00002.parquet", pq.table(columns(range(3, 6))))
        self.write("hub/data/validation-00000-of-00001.parquet", pq.table(columns(range(6, 8))))
        self.write("hub/default/test/0000.parquet", pq.table(columns(range(8, 9))))

    def test_are_not_mixed(self):
        self.fails("repack", "hub", "--out", "out", says=["train", "test", "--subset"])

    def test_one_of_them(self):
        for source in ("hub", "parquet:hub"):
            for subset, numbers in (("train", range(6)), ("dev", range(6, 8)), ("validation", range(6, 8)),
                                    ("test", range(8, 9)), ("train,test", [*range(6), 8]), ("all", range(9))):
                self.shardmill("repack", source, "--out", f"{source[:3]}-{subset}", "--shards", 1, "-q", "--subset",
                               subset)
                self.assertEqual(set(self.rows(f"{source[:3]}-{subset}")), {f"u{number}" for number in numbers})
        self.fails("repack", "hub", "--out", "out", "--subset", "other", says=["hub", "other", "train", "validation"])

    def test_patterns_and_files(self):
        self.repack("hub/data/train-*.parquet", out="a")
        self.repack("parquet:hub/data/train-*.parquet", out="b")
        self.assertEqual(set(self.rows("a")), {f"u{number}" for number in range(6)})
        self.assertEqual(set(self.rows("b")), set(self.rows("a")))
        self.write("x.tar", b"\0" * 10240)
        self.fails("repack", "parquet:x.tar", "--out", "c", code=2, says=["x.tar", "no Parquet file"])
        self.fails("repack", "parquet:hub/default/test/nothing", "--out", "c", says="nothing")

    def test_threads_make_no_difference(self):
        for threads in (1, 5):
            self.repack("hub", "--subset", "all", "-j", threads, "--list-root", "/r", out=f"threads{threads}")
        self.same_bytes("threads1", "threads5")

    def test_beside_a_tar(self):
        """A dataset of shards and tables is one stream like any other."""
        self.write("hub/data/train-more.tar", self.shardmill("cat", "hub/default/test/0000.parquet").out)
        self.repack("hub/data", "--subset", "train", "--allow-missing-text")
        self.assertEqual(set(self.rows()), {f"u{number}" for number in [*range(6), 8]})


class Parts(FromParquet):
    """Files that are numbered as parts of one set."""

    def test_a_missing_part(self):
        for number in (0, 2):
            self.write(f"hub/train-0000{number}-of-00004.parquet", pq.table(columns(range(3 * number, 3 * number + 3))))
        for source in ("hub", "parquet:hub"):
            self.fails("repack", source, "--out", "no", "--shards", 1,
                       says=["hub/train-00001-of-00004.parquet", "is not there, and neither is 1 more"])
            self.shardmill("repack", source, "--out", "some", "--shards", 1, "-q", "--force", "--on-error", "skip",
                           "--max-rejects", "all")
        done = self.shardmill("repack", "hub/train-*.parquet", "--out", "pattern", "--shards", 1)
        self.assertIn("train-00001-of-00004.parquet", done.err)
        done = self.shardmill("repack", "hub/train-00000-of-00004.parquet", "--out", "one", "--shards", 1)
        self.assertNotIn("train-00001", done.err)
        for number in (1, 3):
            self.write(f"hub/train-0000{number}-of-00004.parquet", pq.table(columns(range(3 * number, 3 * number + 3))))
        self.write("hub/test-00000-of-00002.parquet", pq.table(columns(range(20, 23))))
        self.repack("hub", "--subset", "train")
        self.assertEqual(len(self.rows()), 12)
        self.fails("repack", "hub", "--subset", "test", "--out", "no", says="test-00001-of-00002.parquet")

    def test_equal_names_in_two_files(self):
        """The advice takes all of them, and the same keys come whatever the threads are."""
        for number in range(2):
            self.write(f"hub/train-0000{number}-of-00002.parquet",
                       pq.table(columns(range(4), bytes_of=lambda row: audio(row + 9 * number)), group_rows=2))
        self.fails("repack", "hub", "--out", "no", says=["the key 'u0'", "rename takes both"])
        for threads in (1, 5):
            self.repack("hub", "--on-duplicate", "rename", "-j", threads, "--list-root", "/r", out=f"t{threads}")
        self.same_bytes("t1", "t5")
        self.assertEqual(len((self.folder / "t1/tarred_audio_manifest.json").read_text().splitlines()), 8)

    def test_what_inspect_proposes_for_equal_names_in_two_folders(self):
        """Taken as it is printed, the command drops no audio that is there once."""
        self.write("p/a/x.parquet", pq.table(columns(range(6), path="{}.wav")))
        for second, wanted in ((range(6), 6), (range(6, 12), 12)):
            bytes_of = lambda number, first=second[0]: audio(first + number)
            self.write("p/b/x.parquet", pq.table(columns(range(6), path="{}.wav", bytes_of=bytes_of)))
            command = json.loads(self.shardmill("inspect", "p", "--json").out)["proposal"]["command"]
            self.shardmill(*command.split()[1:], "--force", "-q")
            self.assertEqual(len((self.folder / "mixed/tarred_audio_manifest.json").read_text().splitlines()), wanted)

    def test_other_uses_of_the_prefix(self):
        self.write("plain/a.wav", audio(1))
        for command in (["repack", "parquet:plain", "--out", "no"], ["inspect", "parquet:plain"]):
            self.fails(*command, says=["plain", "no Parquet files"])
        self.write("hub/train.parquet", pq.table(columns(range(3))))
        self.write("l.jsonl", b'{"audio_filepath": "u1.wav", "text": "a"}\n')
        for source in ("x=parquet:hub", "x=hub/train.parquet"):
            self.fails("repack", source, "--labels", "x=l.jsonl", "--out", "no", code=2, says=["label files"])
        said = self.shardmill("repack", "x=hub", "--labels", "x=l.jsonl", "--out", "no", code=1).err
        self.assertIn("shardmill repack: hub/train.parquet", said)


class Damage(FromParquet):
    def setUp(self):
        super().setUp()
        self.data = pq.table(columns(range(12), x=range(12)), page_rows=2, group_rows=6, crc=True)

    def test_of_a_page(self):
        data = bytearray(self.data)
        at = data.index(audio(4)[1000:1100])
        data[at] ^= 1
        self.write("x.parquet", data)
        self.fails("repack", "x.parquet", "--out", "out", says=["x.parquet", "offset", "checksum"])
        self.repack("x.parquet", "--on-error", "skip", "--max-rejects", "all")
        self.assertEqual(set(self.rows()), {f"u{number}" for number in range(12) if number not in (4, 5)})

    def test_of_another_column(self):
        data = bytearray(self.data)
        at = data.index(speech(2)[0].encode())
        data[at] ^= 1
        self.write("x.parquet", data)
        self.fails("cat", "x.parquet", says=["x.parquet", "offset", "column 'text'", "checksum"], stdout=-3)
        self.repack("x.parquet", "--on-error", "skip", "--max-rejects", "all")
        self.assertEqual(set(self.rows()), {f"u{number}" for number in (0, 1, *range(6, 12))})

    def test_levels_that_contradict_each_other(self):
        """By its first column a struct is null, and a column beside that has a value in it."""
        def table(level):
            info = pq.struct("info", [pq.Column("a", [1, None, 3], missing=2),
                                      pq.Column("b", [4, level, 6], missing=2)])
            return pq.table([*columns(range(3)), info])
        self.write("x.parquet", table(None))
        self.repack("x.parquet")
        self.assertEqual([self.rows()[f"u{number}"].get("info") for number in range(3)],
                         [{"a": 1, "b": 4}, None, {"a": 3, "b": 6}])
        self.write("x.parquet", table(5))
        self.fails("repack", "x.parquet", "--out", "no", says=["x.parquet", "column 'b'", "has a value where"])

    def test_of_the_footer(self):
        for data, says in ((self.data[:-1], "does not end with PAR1"),
                           (self.data[:4] + self.data[400:], "Parquet footer"),
                           (self.data[:-8] + b"\xff\xff\xff\x7fPAR1", "footer should have"),
                           (self.data[:-300] + bytes(292) + self.data[-8:], "footer")):
            self.write("x.bin", data)
            self.fails("repack", "x.bin", "--out", "out", says=["x.bin", says])

    def test_cut_files(self):
        self.write("x.parquet", self.data[:5000])
        self.fails("repack", "x.parquet", "--out", "out", says="x.parquet")

    def test_random_changes(self):
        """Whatever is changed, the program ends, and with code 0 only if all rows are there."""
        random_ = random.Random(3)
        for _ in range(60):
            data = bytearray(self.data)
            footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
            for _ in range(random_.randint(1, 3)):
                data[random_.randrange(footer if random_.random() < 0.7 else 4, len(data))] = random_.randrange(256)
            self.write("x.parquet", data)
            result = self.shardmill("cat", "x.parquet", code=None)
            self.assertIn(result.code, (0, 1))
            if result.code == 0:
                self.assertEqual(result.out.count(b".json\0"), 12)

    def test_a_page_larger_than_memory(self):
        large = audio(0) + bytes(3 << 20)
        self.write("x.parquet", pq.table(columns(range(40), bytes_of=lambda _: large), page_rows=40, codec=pq.GZIP))
        self.fails("repack", "x.parquet", "--out", "out", "--memory", "64MiB",
                   says=["x.parquet", "decoded as a whole", "--memory"])


class Killed(Resuming):
    def setUp(self):
        Case.setUp(self)
        for number, encoding in enumerate((pq.PLAIN, pq.RLE_DICTIONARY, pq.DELTA_LENGTH)):
            numbers = range(100 * number, 100 * number + 60)
            data = pq.table(columns(numbers, bytes_of=lambda i: audio(i % 40), encoding=encoding, x=numbers),
                            page_rows=7, group_rows=25, codec=pq.SNAPPY)
            self.write(f"train-{number}.parquet", data)

    def command(self, out, *options):
        return [PROGRAM, "repack", "train-0.parquet", "train-1.parquet", "train-2.parquet", "--out", out, "--shards",
                "3",
                "-j2", "-q", "--list-root", "/r", *options]

    def test_at_random_moments(self):
        random_ = random.Random(5)
        seconds = self.undisturbed("reference")
        kills = 0
        while kills < 10:
            kills += self.kill_until_done("out", 1.1 * seconds, random_)
            self.same_dataset("out", "reference")
            shutil.rmtree(self.folder / "out")


del Resuming

if __name__ == "__main__":
    unittest.main()
