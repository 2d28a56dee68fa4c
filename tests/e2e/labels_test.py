"""--labels: tables whose rows say which stretches of which audio are samples."""
import gzip
import io
import json
import tarfile
import unittest
import zipfile

import harness
from repack_test import Repacking, tone

RATE = 16000


class Labels(Repacking):
    def setUp(self):
        super().setUp()
        self.recordings = {f"en/r{number}.wav": tone(20 * RATE, rate=RATE, seed=number) for number in range(4)}
        for name, data in self.recordings.items():
            self.write(f"audio/{name}", data)
        self.rows = [{"audio_filepath": f"/corpora/vox/{name}", "offset": begin / 10, "duration": 1.5,
                      "text": f"words of {name} at {begin}", "lang": "en"}
                     for name in self.recordings for begin in range(0, 170, 25)]

    def labels(self, rows=None, name="labels.jsonl"):
        text = "".join(json.dumps(row) + "\n" for row in (self.rows if rows is None else rows)).encode()
        self.write(name, gzip.compress(text) if name.endswith(".gz") else text)
        return name

    def tar(self, folder="", mode="w:gz"):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode=mode) as tar:
            for name, data in sorted(self.recordings.items()):
                member = tarfile.TarInfo(folder + name)
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
        return out.getvalue()

    def run_and_read(self, source, *options, out="out"):
        self.shardmill("repack", source, "--out", out, "--shards", 2, "-q", "--force", *options)
        found = {}
        for record, (text, audio) in self.samples(out):
            found[(record["source_begin"], record["text"])] = (text, audio)
        return found

    def samples(self, out):
        for line in (self.folder / out / "shards.jsonl").read_text().splitlines():
            shard = json.loads(line)
            with tarfile.open(self.folder / out / shard["path"]) as tar:
                members = {member.name: tar.extractfile(member).read() for member in tar}
            manifest = self.folder / out / "manifests" / f"manifest_{shard['shard_id']:09}.json"
            for record in map(json.loads, manifest.read_text().splitlines()):
                yield record, (members[record["key"] + ".txt"].decode(), members[record["audio_filepath"]])

    def expected(self, rows):
        found = {}
        for row in rows:
            name = row["audio_filepath"].split("/vox/")[-1]
            begin = round(row["offset"] * RATE)
            frames = self.recordings[name][44 + 2 * begin:44 + 2 * (begin + round(row["duration"] * RATE))]
            found[(row["offset"], row["text"])] = (row["text"], frames)
        return found

    def check(self, source, *options, rows=None):
        found = self.run_and_read(source, *options)
        self.assertEqual({key: (text, audio[44:]) for key, (text, audio) in found.items()},
                         self.expected(self.rows if rows is None else rows))
        self.shardmill("verify", "out", "--against", source)


class Places(Labels):
    """The audio may lie anywhere, below any folder."""

    def test_folders_and_archives(self):
        labels = self.labels(name="labels.jsonl.gz")
        self.check("x=audio", "--labels", f"x={labels}")
        self.write("plain.tar.gz", self.tar())
        self.write("deeper.tar.gz", self.tar("download/"))
        self.write("plain.tar", self.tar(mode="w"))
        self.write("plain.tar.bz2", self.tar(mode="w:bz2"))
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as file:
            for name, data in self.recordings.items():
                file.writestr(name, data)
        self.write("packed.zip", packed.getvalue())
        nested = harness.tar([("inner/plain.tar.gz", self.tar()), ("README", b"-")])
        self.write("nested.tar", nested)
        for source in ("plain.tar.gz", "deeper.tar.gz", "plain.tar", "plain.tar.bz2", "packed.zip", "nested.tar"):
            with self.subTest(source):
                self.check(f"x={source}", "--labels", labels)

    def test_an_archive_in_a_folder(self):
        self.write("folder/en.tar.gz", self.tar("en/"))
        self.check("x=folder", "--labels", self.labels())

    def test_flat_names_and_names_without_extension(self):
        rows = [{**row, "audio_filepath": row["audio_filepath"].split("/")[-1][:-4]} for row in self.rows]
        found = self.run_and_read("x=audio", "--labels", self.labels(rows))
        self.assertEqual(len(found), len(self.rows))

    def test_equal_names_in_several_folders(self):
        """The longest end of a path decides, and what no row is about is told."""
        self.recordings = {f"{folder}/1.wav": tone(20 * RATE, rate=RATE, seed=number)
                           for number, folder in enumerate(("a/train", "b/train", "a/test"))}
        for name, data in self.recordings.items():
            self.write(f"three/{name}", data)
        rows = [{"audio_filepath": f"/x/vox/{name}", "offset": 1, "duration": 2, "text": name}
                for name in self.recordings]
        self.check("x=three", "--labels", self.labels(rows), rows=rows)
        self.fails("repack", "x=three", "--labels", self.labels(rows[:2]), "--out", "no", "--shards", 1,
                   says=["three/a/test/1.wav", "no row of"])
        self.write("three.tar.gz", self.tar())
        self.check("x=three.tar.gz", "--labels", self.labels(rows), rows=rows)
        short = [{"audio_filepath": "1.wav", "offset": 1, "duration": 2, "text": "t"}]
        self.fails("repack", "x=three", "--labels", self.labels(short), "--out", "no", "--shards", 1, says="1-0001000")


class Tables(Labels):
    def test_csv_and_tsv(self):
        for separator, name in ((",", "l.csv"), ("\t", "l.tsv")):
            lines = [separator.join(("path", "start", "end", "sentence", "client"))]
            for row in self.rows:
                lines.append(separator.join((row["audio_filepath"], str(row["offset"]),
                                             str(round(row["offset"] + row["duration"], 3)), row["text"], "c1")))
            self.write(name, "\n".join(lines).encode())
            with self.subTest(name):
                self.check("x=audio", "--labels", name)
                self.assertEqual({record["client"] for record, _ in self.samples("out")}, {"c1"})

    def test_cuts_and_supervisions_of_lhotse(self):
        cuts, supervisions = [], []
        for number, row in enumerate(self.rows):
            name = row["audio_filepath"].split("/vox/")[1]
            supervision = {"id": f"sup-{number}", "recording_id": name[:-4], "start": row["offset"], "duration": 1.5,
                           "channel": 0, "custom": {"texts": [row["text"], row["text"].upper()]}, "speaker": "s"}
            supervisions.append(supervision)
            cuts.append({"id": f"cut-{number}", "start": row["offset"], "duration": 1.5, "channel": 0,
                         "type": "MonoCut",
                         "supervisions": [{**supervision, "start": 0}],
                         "recording": {"id": name[:-4], "sampling_rate": RATE, "num_samples": 20 * RATE, "duration": 20,
                                       "sources": [{"type": "file", "channels": [0], "source": f"download/{name}"}],
                                       "channel_ids": [0]}})
        for name, lines, prefix in (("cuts.jsonl.gz", cuts, "cut"), ("supervisions.jsonl", supervisions, "sup")):
            with self.subTest(name):
                self.check("x=audio", "--labels", self.labels(lines, name))
                self.assertEqual({record["key"].split("-")[0] for record, _ in self.samples("out")}, {prefix})
        self.run_and_read("x=audio", "--labels", "cuts.jsonl.gz", "--text-field", "upper")
        self.assertEqual({text for _, (text, _) in self.samples("out")}, {row["text"].upper() for row in self.rows})
        cuts[3]["recording"]["transforms"] = [{"name": "Speed", "kwargs": {"factor": 0.9}}]
        self.fails("repack", "x=audio", "--labels", self.labels(cuts, "c.jsonl"), "--out", "no", "--shards", 1,
                   says=["c.jsonl: line 4", "transformed: Speed"])

    def test_several_files_and_several_datasets(self):
        first, second = self.labels(self.rows[:10], "1.jsonl"), self.labels(self.rows[10:], "2.jsonl")
        self.check("x=audio", "--labels", first, "--labels", second)
        self.fails("repack", "x=audio", "y=audio", "--labels", first, "--out", "no", "--shards", 1, code=2,
                   says="say of which: NAME=FILE")
        self.fails("repack", "x=audio", "--labels", f"z={first}", "--out", "no", "--shards", 1, code=2, says="'z'")

    def test_rows_that_fit_nothing(self):
        """Each is counted, and an error unless --max-rejects allows it."""
        self.write("audio.tar.gz", self.tar())
        cases = (("missing_audio", {"audio_filepath": "/corpora/vox/en/none.wav", "offset": 0, "duration": 1},
                  "no audio"),
                 ("bad_segment", {"audio_filepath": "/corpora/vox/en/r1.wav", "offset": 19, "duration": 3}, "20.000 s"),
                 ("bad_segment", {"audio_filepath": "/corpora/vox/en/r1.wav", "offset": 3, "duration": 0}, "3 s"))
        for source in ("audio", "audio.tar.gz"):
            for reason, row, says in cases:
                with self.subTest(source=source, row=row):
                    labels = self.labels([*self.rows, {**row, "text": "t"}])
                    command = ["repack", f"x={source}", "--labels", labels, "--out", "bad", "--shards", 1, "-q",
                               "--force"]
                    self.fails(*command, says=says)
                    self.shardmill(*command, "--on-error", "skip", "--max-rejects", 1)
                    self.assertEqual([reject["reason"] for reject in self.records("bad", "rejects.jsonl")], [reason])
            with self.subTest(source=source, row=None):
                labels = self.labels(self.rows[7:])
                command = ["repack", f"x={source}", "--labels", labels, "--out", "bad", "--shards", 1, "-q", "--force"]
                self.fails(*command, says="no row of")
                self.shardmill(*command, "--on-error", "skip", "--max-rejects", 1)
                self.assertEqual([reject["reason"] for reject in self.records("bad", "rejects.jsonl")], ["unlisted"])

    def test_tables_that_are_none(self):
        for text, says in ((b'{"audio_filepath": "a.wav", "offset": "soon", "duration": 1}\n',
                            "is not a number of seconds: soon"),
                           (b'{"audio_filepath": "a.wav", "offset": -1, "duration": 1}\n', "line 1: begins at -1 s"),
                           (b'{"words": "a"}\n', "no column with the audio files"),
                           (b'{"audio_filepath": "a.wav"}\n{"text": "b"}\n', "line 2: has no 'audio_filepath'"),
                           (b"", "is a table without rows")):
            with self.subTest(text):
                self.write("bad.jsonl", text)
                self.fails("repack", "x=audio", "--labels", "bad.jsonl", "--out", "no", "--shards", 1,
                           says=["bad.jsonl", says])


class Living(Labels):
    def test_repair_and_changed_labels(self):
        self.write("audio.tar.gz", self.tar())
        labels = self.labels()
        self.repack("x=audio.tar.gz", "--labels", labels, "--out", "out", "--shards", 2, "-q")
        self.assertIn("finished already", self.shardmill("repack", "x=audio.tar.gz", "--labels", labels, "--out", "out",
                                                         "--shards", 2).out.decode())
        shard = self.folder / "out/shards/audio_000000001.tar"
        before = shard.read_bytes()
        shard.unlink()
        self.shardmill("repair", "out", "-q")
        self.assertEqual(shard.read_bytes(), before)
        self.labels([{**row, "text": "other"} for row in self.rows])
        self.fails("verify", "out", "--against", "x=audio.tar.gz",
                   says="is not the table that the dataset or the run began with")

    def test_update(self):
        self.write("audio.tar.gz", self.tar())
        self.repack("x=audio.tar.gz", "--labels", self.labels(), "--out", "out", "--shards", 2, "-q")
        self.write("more/n.wav", tone(20 * RATE, rate=RATE, seed=9))
        rows = [{"audio_filepath": "n.wav", "offset": begin, "duration": 1.5, "text": "new"}
                for begin in range(0, 18, 2)]
        self.fails("update", "out", "--add", "x=more", code=2, says="--labels NAME=FILE")
        more = self.labels(rows, "more.jsonl")
        self.shardmill("update", "out", "--add", "x=more", "--labels", f"x={more}", "-q")
        self.shardmill("verify", "out", "--against", "x=audio.tar.gz", "x=more")
        self.assertEqual(len(list(self.samples("out"))), len(self.rows) + len(rows))

    def test_bytes_do_not_depend_on_threads_or_kills(self):
        self.write("audio.tar.gz", self.tar())
        labels = self.labels()
        for source in ("audio.tar.gz", "audio"):
            sums = set()
            for threads in (1, 2, 5):
                self.shardmill("repack", f"x={source}", "--labels", labels, "--out", f"o{threads}", "--shards", 3, "-q",
                               "-j", threads, "--force")
                sums.add((self.folder / f"o{threads}/SHA256SUMS").read_bytes())
            self.assertEqual(len(sums), 1)


if __name__ == "__main__":
    unittest.main()
