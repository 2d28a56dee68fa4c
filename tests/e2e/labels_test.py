"""--labels: tables whose rows say which stretches of which audio are samples."""
import gzip
import io
import itertools
import json
import os
import re
import subprocess
import tarfile
import unittest
import zipfile

import numpy
import soundfile

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


class DamagedOgg(Labels):
    """Decoders drop a damaged page without a word, and all that follows would come too early."""

    def test_what_lies_behind_a_damaged_page_is_left_out(self):
        values = numpy.random.default_rng(3).integers(-8000, 8000, 60 * RATE).astype(numpy.int16)
        rows = [{"audio_filepath": "r.ogg", "offset": 3 * number, "duration": 3, "text": f"words {number}"}
                for number in range(20)]
        labels = self.labels(rows)
        options = ["--labels", f"x={labels}", "--on-error", "skip", "--max-rejects", "all"]
        for subtype in ("OPUS", "VORBIS"):
            out = io.BytesIO()
            soundfile.write(out, values, RATE, format="OGG", subtype=subtype)
            good = out.getvalue()
            self.recordings = {"r.ogg": good}
            self.write("ogg/r.ogg", good)
            expected = self.run_and_read("x=ogg", *options)
            self.assertEqual(len(expected), 20)
            begins = [match.start() for match in re.finditer(b"OggS", good)]
            page = begins[len(begins) // 2]
            flipped = bytearray(good)
            flipped[page + 300] ^= 4
            for damaged in (bytes(flipped), good[:page] + good[begins[len(begins) // 2 + 1]:]):
                self.recordings = {"r.ogg": damaged}
                self.write("ogg/r.ogg", damaged)
                self.write("r.tar.gz", self.tar())
                for source in ("x=ogg", "x=r.tar.gz"):
                    found = self.run_and_read(source, *options)
                    self.assertGreater(len(found), 5)
                    self.assertLess(len(found), 13)
                    self.assertEqual(found, {key: expected[key] for key in found})
                    self.assertEqual(len(found) + len(self.records("out", "rejects.jsonl")), 20)
                    self.fails("repack", source, "--out", "no", "--labels", f"x={labels}", says="Ogg")


class Places(Labels):
    """The audio may lie anywhere, below any folder."""

    def test_folders_and_archives(self):
        (self.folder / "audio/en/r3.wav").rename(self.folder / "audio/en/录音é.wav")
        self.recordings["en/录音é.wav"] = self.recordings.pop("en/r3.wav")
        for row in self.rows:
            row["audio_filepath"] = row["audio_filepath"].replace("r3", "录音é")
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
        subprocess.run(["bsdtar", "-cf", "packed.7z", "--format", "7zip", "-C", "audio", "en"], cwd=self.folder,
                       env={**os.environ, "LC_ALL": "C.UTF-8"}, check=True)
        nested = harness.tar([("inner/plain.tar.gz", self.tar()), ("README", b"-")])
        self.write("nested.tar", nested)
        for source in ("plain.tar.gz", "deeper.tar.gz", "plain.tar", "plain.tar.bz2", "packed.zip",
                       "packed.7z", "nested.tar"):
            with self.subTest(source):
                self.check(f"x={source}", "--labels", labels)

    def test_an_archive_in_a_folder(self):
        self.write("folder/en.tar.gz", self.tar("en/"))
        self.check("x=folder", "--labels", self.labels())

    def test_archives_that_count_as_folders(self):
        """Rows may name the folders that archives were unpacked into."""
        self.recordings = {f"{part}/audio/{number:08}/{name}.wav": tone(20 * RATE, rate=RATE, seed=seed)
                           for seed, (part, number, name) in enumerate(
                               itertools.product(("de000", "en100"), (0, 1), "ab"))}
        for suffix, packed in ((".tar.gz", self.packed), (".zip", self.zipped)):
            for part in ("de000", "en100"):
                for number in (0, 1):
                    folder = f"{part}/audio/{number:08}"
                    self.write(f"all{suffix}/{folder}{suffix}", packed(folder + "/"))
        rows = [{"audio_filepath": f"/corpora/vox/{name}", "offset": begin, "duration": 2, "text": f"{name} {begin}"}
                for name in self.recordings for begin in (0, 5)]
        for suffix in (".tar.gz", ".zip"):
            self.check(f"x=all{suffix}", "--labels", self.labels(rows), rows=rows)
        some = [row for row in rows if "/de000/audio/00000001/" in row["audio_filepath"]]
        self.check("x=all.zip/de000/audio/00000001.zip", "--labels", self.labels(some), rows=some)

    def test_an_archive_of_another_number(self):
        """Nothing above the archive's own folders is common: it may be that of another speaker."""
        for inner in ("", "s/"):
            self.recordings = {f"{inner}{n}.wav": tone(RATE, seed=n) for n in (1, 2)}
            self.write("spk1.tar.gz", self.packed(""))
            for folder, doubts in (("wavs/spk2", True), ("wavs/spk1", False), ("wavs", False)):
                rows = [{"audio_filepath": f"{folder}/{inner}{n}.wav", "text": "t"} for n in (1, 2)]
                said = self.shardmill("repack", "x=spk1.tar.gz", "--labels", self.labels(rows), "--out", "out",
                                      "--shards", 1, "--force").err
                self.assertEqual("(compare the folders)" in said, doubts, said)

    def test_a_folder_of_another_number(self):
        """The folder that is given may be that of another speaker, as an archive may."""
        for number in (1, 2):
            self.write(f"in/spk2/{number}.wav", tone(RATE, seed=number))
        for folder, doubts in (("wavs/spk1", True), ("wavs/spk2", False), ("wavs", False), ("", False)):
            rows = [{"audio_filepath": f"{folder}/{number}.wav", "text": "t"} for number in (1, 2)]
            said = self.shardmill("repack", "x=in/spk2/", "--labels", self.labels(rows), "--out", "out", "--shards", 1,
                                  "--force").err
            self.assertEqual("the folder of its audio has another number: 'wavs/spk1/1.wav' of the labels is taken "
                             "for 'spk2/1.wav', and 1 more" in said, doubts, said)

    def test_a_folder_of_another_name(self):
        """A row names its folder, and the audio given is right in a folder, or an archive, of another name."""
        self.recordings = {f"{n}.wav": tone(RATE, seed=n) for n in (1, 2)}
        for name, data in self.recordings.items():
            self.write(f"in/test/{name}", data)
            self.write(f"deep/test/spk/{name}", data)
        self.write("in/test.tar.gz", self.packed(""))
        for source, folder, doubts in (
                ("in/test", "train", True), ("in/test", "Test", False), ("in/test", "x/in", False),
                ("in/test", "wavs", False), ("in/test", "", False), ("deep/test/spk", "test", False),
                ("deep/test/spk", "a/test", False), ("deep/test/spk", "a/b", True), ("in/test.tar.gz", "train", True),
                ("in/test.tar.gz", "wavs", False), ("in/test.tar.gz", "test", False), ("in/test.tar.gz", "in", False)):
            rows = [{"audio_filepath": f"{folder}/{number}.wav", "text": "t"} for number in (1, 2)]
            said = self.shardmill("repack", f"x={source}", "--labels", self.labels(rows), "--out", "out",
                                  "--shards", 1, "--force").err
            name = source.split("/")[-1].removesuffix(".tar.gz")
            self.assertEqual(f"the folder of its audio has another name: '{folder}/1.wav' of the labels is taken for "
                             f"'{name}/1.wav', and 1 more are taken so (compare the folders)" in said, doubts,
                             (source, folder, said))

    def test_rows_with_one_of_two_times(self):
        """Of one row a recording, nothing else shows that the other time is missing."""
        for number in (1, 2):
            self.write(f"t/{number}.wav", tone(2 * RATE, seed=number))
        ends, begins = "not where to end, such as one of '1.wav'", "not where to begin, such as one of '1.wav'"
        for columns, values, says in (("start,end", "0.5,1", ""), ("start", "0.5", ends), ("end", "1.5", begins),
                                      ("duration", "2", ""), ("start,note", "0.5,7", ends)):
            self.write("l.csv", f"audio,text,{columns}\n1.wav,t,{values}\n2.wav,t,{values}\n".encode())
            for source in (("x=t", "--labels", "l.csv"), ("x=table:t/l.csv",)):
                self.write("t/l.csv", (self.folder / "l.csv").read_bytes())
                said = self.shardmill("repack", *source, "--out", "out", "--shards", 1, "--force").err
                for doubt in (ends, begins):
                    self.assertEqual(f"2 rows say where to {'begin' if doubt == ends else 'end'} and {doubt}" in said,
                                     doubt == says, (columns, source, said))
            (self.folder / "t/l.csv").unlink()

    def test_archives_in_an_archive_are_folders_if_the_rows_say_so(self):
        """A name alone is no other archive's, and rows about all of them are told apart."""
        def inner(*names):
            return harness.tar([(name, tone(RATE, seed=ord(name[0]))) for name in names])
        self.write("all.tar", harness.tar([("a.tar", inner("y.wav", "z.wav")), ("b.tar", inner("q.wav", "y.wav")),
                                              ("./c.tar", inner("./y.wav"))]))
        for rows, found, says in (
                (("a/y", "a/z", "b/q", "b/y"), 4, ""), (("c/y", "b/y"), 2, ""),
                (("x/a/y", "x/a/z", "x/b/q", "x/b/y"), 4, ""),
                (("a/y", "a/z", "a/q"), 2, "b.tar!q.wav: only its name agrees with that of 'a/q.wav'"),
                (("wavs/z", "wavs/q"), 2, ""), (("z", "q"), 2, "")):
            labels = self.labels([{"audio_filepath": row + ".wav", "text": row} for row in rows])
            self.shardmill("repack", "x=all.tar", "--labels", labels, "--out", "out", "--shards", 1, "--force",
                           "--on-error", "skip", "--max-rejects", "all")
            samples = [(record["source_key"], text) for record, (text, _) in self.samples("out")]
            self.assertEqual(len(samples), found, rows)
            for key, text in samples:
                self.assertTrue(text.endswith(key), (rows, samples))
            self.assertIn(says, (self.folder / "out/rejects.jsonl").read_text())

    def test_archives_are_not_taken_for_others(self):
        """As for unpacked folders: where some fit, or several would be others, no folder is taken for another."""
        self.recordings = {f"0000000{n}/{name}.wav": tone(RATE, seed=n) for n, name in ((1, "a"), (2, "b"))}
        for folder in ("00000001", "00000002"):
            self.write(f"z/{folder}.tar.gz", self.packed(folder + "/"))
            self.write(f"u/{folder}/{'ab'[int(folder) - 1]}.wav", b"".join(
                data for name, data in self.recordings.items() if name.startswith(folder)))
        for rows in (("1/a", "3/b"), ("3/a", "4/b"), ("2/a", "1/b")):
            labels = self.labels([{"audio_filepath": f"audio/0000000{row}.wav", "text": row} for row in rows])
            for source, faults in (("x=u", 2), ("x=z", 1)):
                with self.subTest(rows=rows, source=source):
                    self.fails("repack", source, "--labels", labels, "--out", "no", "--shards", 1, says=[],
                               faults=faults)

    def packed(self, folder):
        return gzip.compress(harness.tar([(name.removeprefix(folder), data) for name, data in self.recordings.items()
                                          if name.startswith(folder)]))

    def zipped(self, folder):
        return self.zip_of({name.removeprefix(folder): data for name, data in self.recordings.items()
                            if name.startswith(folder)})

    def test_flat_names_and_names_without_extension(self):
        rows = [{**row, "audio_filepath": row["audio_filepath"].split("/")[-1][:-4]} for row in self.rows]
        found = self.run_and_read("x=audio", "--labels", self.labels(rows))
        self.assertEqual(len(found), len(self.rows))

    def test_a_cut_archive_in_a_zip(self):
        """One recording of it is cut, and how many came after that is unknown."""
        with zipfile.ZipFile(self.folder / "x.zip", "w") as file:
            file.writestr("in.tar", self.tar(mode="w")[:900_000])
        self.shardmill("repack", "x=x.zip", "--labels", self.labels(), "--out", "out", "--shards", 1, "-q",
                       "--on-error", "skip", "--max-rejects", "all")
        rejects = [json.loads(line) for line in (self.folder / "out/rejects.jsonl").read_text().splitlines()]
        self.assertTrue(any(reject.get("samples_unknown") for reject in rejects), rejects)

    def test_a_row_that_lacks_its_begin(self):
        rows = [{"audio": "en/r0.wav", "start": 1, "end": 2, "text": "one"},
                {"audio": "en/r1.wav", "end": 2, "text": "two"}]
        result = self.shardmill("repack", "x=audio", "--labels", self.labels(rows), "--out", "out", "--shards", 1,
                                "--on-error", "skip", "--max-rejects", "all")
        self.assertIn("1 row says where to end and not where to begin, such as one of 'en/r1.wav': it is taken from "
                      "the beginning", result.err)
        rows[1] = {"audio": "en/r1.wav", "duration": 2, "text": "two"}
        result = self.shardmill("repack", "x=audio", "--labels", self.labels(rows), "--out", "long", "--shards", 1,
                                "--on-error", "skip", "--max-rejects", "all")
        self.assertIn("1 row says where to end and not where to begin, such as one of 'en/r1.wav'", result.err)
        cuts = [{"id": f"c{number}", "start": 1, "duration": 1, "channel": 0, "type": "MonoCut",
                 "supervisions": [{"id": f"s{number}", "recording_id": f"r{number}", "start": 0, "duration": 1,
                                   "channel": 0, "text": "words"}],
                 "recording": {"id": f"r{number}", "sampling_rate": RATE, "num_samples": 20 * RATE, "duration": 20,
                               "sources": [{"type": "file", "channels": [0], "source": f"en/r{number}.wav"}]}}
                for number in range(2)]
        del cuts[1]["start"]
        self.fails("repack", "x=audio", "--labels", self.labels(cuts), "--out", "no", "--shards", 1,
                   says=["labels.jsonl: line 2", "'start'"], faults=None)

    def test_a_row_that_lacks_its_end(self):
        rows = [{"audio": "en/r0.wav", "start": 1, "duration": 1, "text": "one"},
                {"audio": "en/r1.wav", "start": 1, "durition": 1, "text": "two"}]
        command = ["repack", "x=audio", "--shards", 1, "--on-error", "skip", "--max-rejects", "all", "--labels"]
        result = self.shardmill(*command, self.labels(rows), "--out", "out")
        self.assertIn("1 row says where to begin and not where to end, such as one of 'en/r1.wav': it is taken to the "
                      "end of the recording", result.err)
        # None has an end: of two stretches of one recording, the first would hold the second.
        for seconds, fails in ((2, True), (1, False)):
            rows = [{"audio": "en/r0.wav", "start": begin, "text": str(number)}
                    for number, begin in enumerate((1, seconds))]
            if fails:
                self.fails(*command, self.labels(rows), "--out", "no", faults=None,
                           says=["several rows of 'en/r0.wav' say where they begin, and none where it ends",
                                 "duration"])
            else:
                self.shardmill(*command, self.labels(rows), "--out", "same", "--on-duplicate", "rename")

    def test_files_that_differ_only_in_their_extension(self):
        for name in ("pair/a.wav", "one/a.wav"):
            self.write(name, tone(2 * RATE))
        self.write("pair/a.flac", tone(3 * RATE, form="FLAC"))
        rows = [{"audio": f"a.{form}", "id": form, "text": f"as {form}"} for form in ("wav", "flac")]
        self.shardmill("repack", "x=pair", "--labels", self.labels(rows), "--out", "out", "--shards", 1, "-q")
        self.assertEqual({record["key"]: round(record["duration"]) for record, _ in self.samples("out")},
                         {"wav": 2, "flac": 3})
        self.fails("repack", "x=pair", "--labels", self.labels([*rows, {**rows[0], "audio": "a.mp3", "id": "mp3"}]),
                   "--out", "no", "--shards", 1, says="there is no audio 'a.mp3'")
        # One row names the very file, so the other one is about another.
        self.fails("repack", "x=one", "--labels", self.labels(rows), "--out", "no", "--shards", 1,
                   says="there is no audio 'a.flac'")

    def test_rows_that_name_files_of_several_extensions(self):
        """Each is about its own, also where the files are not known beforehand, and where one is missing."""
        wav, flac = tone(RATE, seed=1), tone(RATE // 2, seed=2, form="FLAC")
        inner = {"a.tar.gz": gzip.compress(harness.tar([("a/y.wav", wav), ("a/y.flac", flac)])),
                 "b.tar.gz": gzip.compress(harness.tar([("z.wav", wav)]))}
        self.write("outer.zip", self.zip_of(inner))
        rows = [{"audio_filepath": f"a/y.{form}", "text": form} for form in ("wav", "flac")]
        more = [*rows, {"audio_filepath": "z.wav", "text": "z"}]
        self.shardmill("repack", "x=outer.zip", "--labels", self.labels(more), "--out", "out", "--shards", 1,
                       "--on-duplicate", "rename", "-q")
        self.assertEqual(sorted((record["text"], record["duration"]) for record, _ in self.samples("out")),
                         [("flac", 0.5), ("wav", 1.0), ("z", 1.0)])
        self.write("one/a/y.flac", flac)
        self.fails("repack", "x=one", "--labels", self.labels(rows), "--out", "no", "--shards", 1,
                   says="there is no audio 'a/y.wav'")
        # There is one file, so it is meant, whatever its form was where the table was written.
        self.shardmill("repack", "x=one", "--labels", self.labels(rows[:1]), "--out", "other", "--shards", 1, "-q")
        self.assertEqual([record["text"] for record, _ in self.samples("other")], ["wav"])

    def zip_of(self, files):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as file:
            for name, data in files.items():
                file.writestr(name, data)
        return out.getvalue()

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
        self.fails("repack", "x=three", "--labels", self.labels(short), "--out", "no", "--shards", 1,
                   says="fits several files")


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

    def test_a_table_of_very_many_columns(self):
        """Each name is looked for among all others; the text of the row is not walked for each of them."""
        names = [f"column_{number}" for number in range(20_000)]
        header = ["path", "offset", "duration", "text", *names]
        rows = [[row["audio_filepath"], row["offset"], row["duration"], row["text"], *(["x"] * len(names))]
                for row in self.rows[:3]]
        self.write("wide.tsv", "".join("\t".join(map(str, row)) + "\n" for row in [header, *rows]).encode())
        self.check("d=audio/en", "--labels", "d=wide.tsv", "--on-error", "skip", "--max-rejects", "all",
                   rows=self.rows[:3])
        for record, _ in self.samples("out"):
            self.assertEqual([record[name] for name in names], ["x"] * len(names))

    def test_first_rows_of_any_length(self):
        """The tables are read in pieces of 4,096 bytes at first."""
        name = "en/r0.wav"
        self.write(f"one/{name}", self.recordings[name])
        for header, separator in (("path,start,end,text", ","), ("path\tstart\tend\ttext", "\t"),
                                  ("path;start;end;text", ";")):
            for size in (4094, 4095, 4096, 4097, 4098, 8192, 12288, 12289, 300_000):
                row = separator.join([name, "0", "1", ""])
                long = "o" * (size - len(row) - len(header) - 1)
                rows = [row + long, separator.join([name, "1", "2", "four"])]
                self.write("l.csv", "".join(line + "\n" for line in [header, *rows]).encode())
                with self.subTest(separator=separator, header=header, size=size):
                    self.shardmill("repack", "t=one", "--labels", "l.csv", "--out", "out", "--shards", 1, "-q",
                                   "--force")
                    self.assertEqual(sorted(text for _, (text, _) in self.samples("out")), sorted([long, "four"]))

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
                   says=["c.jsonl: line 4", "transformed: Speed"], faults=2)

    def test_several_files_and_several_datasets(self):
        first, second = self.labels(self.rows[:10], "1.jsonl"), self.labels(self.rows[10:], "2.jsonl")
        self.check("x=audio", "--labels", first, "--labels", second)
        self.fails("repack", "x=audio", "y=audio", "--labels", first, "--out", "no", "--shards", 1, code=2,
                   says="name the dataset: NAME=FILE")
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

    def test_rows_without_audio_have_their_own_lines(self):
        (self.folder / "audio/en/r2.wav").unlink()
        self.shardmill("repack", "x=audio", "--labels", self.labels(), "--out", "bad", "--shards", 1, "-q",
                       "--on-error", "skip", "--max-rejects", "all")
        self.assertEqual([reject["source"] for reject in self.records("bad", "rejects.jsonl")],
                         [f"labels.jsonl: line {number}" for number in range(15, 22)])

    def test_very_many_rows_without_audio(self):
        """All are counted, and those of a recording are named together when there are more than a hundred thousand."""
        rows = "".join(f'{{"audio_filepath": "lost/none{number % 12}.wav", "offset": {number // 12}, '
                       '"duration": 1, "text": "t"}\n'
                       for number in range(120000))
        self.write("many.jsonl",
                   ('{"audio_filepath": "r1.wav", "offset": 0, "duration": 1, "text": "t"}\n' + rows).encode())
        self.write("one/r1.wav", tone(2 * RATE, seed=1))
        said = self.shardmill("repack", "x=one", "--labels", "many.jsonl", "--out", "out", "--shards", 1, "--on-error",
                              "skip",
                              "--max-rejects", "all").out.decode()
        self.assertIn("lost to errors: 120,000 samples", said)
        rejects = self.records("out", "rejects.jsonl")
        self.assertEqual(sum(reject.get("samples", 1) for reject in rejects), 120000)
        self.assertEqual(len(rejects), 100002)

    def test_tables_that_are_none(self):
        for text, says in ((b'{"audio_filepath": "a.wav", "offset": "soon", "duration": 1}\n',
                            "is not a number of seconds: soon"),
                           (b'{"audio_filepath": "a.wav", "offset": -1, "duration": 1}\n', "line 1: begins at -1 s"),
                           (b'{"audio_filepath": "a.wav", "start_sample": 5, "text": "a"}\n',
                            "line 1: the column 'start_sample' counts"),
                           (b'{"audio_filepath": "a.wav", "first_onset": 5, "text": "a"}\n',
                            "'first_onset' looks like a time"),
                           (b'path\tstart\tto\ttext\na.wav\t1\t2\tt\n', "line 2: the column 'to' looks like a time"),
                           (b'{"words": "a"}\n', "no column with the audio files"),
                           (b'{"audio_filepath": "a.wav"}\n{"text": "b"}\n', "line 2: has no 'audio_filepath'"),
                           (b"", "is a table without rows")):
            with self.subTest(text):
                self.write("bad.jsonl", text)
                self.fails("repack", "x=audio", "--labels", "bad.jsonl", "--out", "no", "--shards", 1,
                           says=["bad.jsonl", says], faults=None)


    def test_lists_are_no_times(self):
        self.write("t/a.wav", tone(RATE))
        row = {"path": "a.wav", "text": "a", "timestamps": []}
        for times in ([], [[0, 1.5], [2, 3]], ["a", "b"], [1, 2, 3], [{"begin": 1}]):
            self.labels([{**row, "timestamps": times}], "l.jsonl")
            self.shardmill("repack", "x=t", "--labels", "l.jsonl", "--out", "out", "--shards", 1, "-q", "--force")
        self.labels([{**row, "timestamps": [0.5, 2]}], "l.jsonl")
        self.fails("repack", "x=t", "--labels", "l.jsonl", "--out", "no", "--shards", 1,
                   says="'timestamps' looks like a time")

    def test_two_columns_of_audio(self):
        for name in "ab":
            self.write(f"t/{name}.wav", tone(RATE, seed=ord(name)))
        command = ["repack", "x=t", "--labels", "l.csv", "--out", "out", "--shards", 1, "-q", "--force"]
        self.write("l.csv", b"audio,path,text\na.wav,/old/a.mp3,one\nb.wav,some note,two\n")
        self.shardmill(*command)
        self.write("l.csv", b"audio,path,text\na.wav,b.wav,one\nb.wav,a.wav,two\n")
        self.fails(*command, says=["l.csv: line 2: has two columns with different audio",
                                   "'audio' has a.wav, and 'path' has b.wav"])
        self.write("l.csv", b"audio_filepath,path,text\na.wav,b.wav,one\nb.wav,a.wav,two\n")
        self.shardmill(*command)

    def test_a_table_that_is_cut(self):
        whole = (self.folder / self.labels()).read_bytes()
        self.write("cut.jsonl", whole[:-300])
        said = self.shardmill("repack", "x=audio", "--labels", "cut.jsonl", "--out", "out", "--shards", 1,
                              "--on-error", "skip", "--max-rejects", "all").err
        self.assertIn("cut.jsonl: ends in the middle of a row: it may be cut, and how many rows are lost is", said)
        # A last text that is cut looks like a whole one, but for the end of its line.
        for rest, warned in (("\n", False), ("\r", False), ("", True)):
            self.write("cut.csv", f"audio,start,end,text\nen/r0.wav,0,1,one\nen/r1.wav,0,1,a part of{rest}".encode())
            said = self.shardmill("repack", "x=audio", "--labels", "cut.csv", "--out", "csv", "--shards", 1, "--force",
                                  "--on-error", "skip", "--max-rejects", "all").err
            self.assertEqual("cut.csv: has no end of its last line: the last text or time may be cut" in said, warned)

    def test_one_file_named_in_two_ways(self):
        self.write("t/x/w/a.wav", tone(2 * RATE))
        self.write("l.csv", b"id,path,start,end,text\nk1,x/w/a.wav,0,1,a\nk2,w/a.wav,1,2,b\n")
        self.fails("repack", "x=t", "--labels", "l.csv", "--out", "no", "--shards", 1,
                   says=["l.csv: line 3: there is no audio 'w/a.wav'", "rows that name 'x/w/a.wav'"])

    def test_names_and_units_of_times(self):
        for begin, end, factor, length in (("start_ms", "end_ms", 1000, False), ("start_time", "end_time", 1, False),
                                           ("offset_ms", "duration_ms", 1000, True), ("xmin", "xmax", 1, False),
                                           ("onset", "offset", 1, False),
                                           ("segment_start", "segment_duration_s", 1, True)):
            rows = [{"audio": row["audio_filepath"], "text": row["text"], begin: round(row["offset"] * factor, 3),
                     end: round((row["duration"] + (0 if length else row["offset"])) * factor, 3)} for row in self.rows]
            with self.subTest(begin):
                self.check("x=audio", "--labels", self.labels(rows))
                record, _ = next(self.samples("out"))
                self.assertNotIn(begin, record)

    def test_damaged_rows_are_counted(self):
        """Each is named with its line, and left out by --on-error skip; the others are taken."""
        self.write("audio.tar.gz", self.tar())
        audio = "/corpora/vox/en/r1.wav"
        bad = ['{"audio_filepath": "%s", "offset": NaN, "duration": 1}' % audio,
               '{"audio_filepath": "%s", "offs' % audio,
               *(json.dumps({"audio_filepath": audio, "text": "t", **row}) for row in (
                   {"start": 1, "end": 2, "duration": 3}, {"offset": 2, "duration": 0}, {"offset": 1, "duration": -1},
                   {"offset": 1, "duration": 1, "text": ["a"]}, {"offset": 1, "duration": 1, "channel": 1.5})),
               '{"text": "no audio"}', '{"audio_filepath": ["a.wav"], "text": "t"}']
        good = [json.dumps(row) for row in self.rows]
        self.write("labels.jsonl", "\n".join([*good[:3], *bad, *good[3:]]).encode())
        for source in ("audio", "audio.tar.gz"):
            with self.subTest(source):
                command = ["repack", f"x={source}", "--labels", "labels.jsonl", "--out", "bad", "--shards", 1, "-q",
                           "--force"]
                self.fails(*command, says=["labels.jsonl: line 4", "and 1 more segment cannot be cut"], faults=6)
                self.shardmill(*command, "--on-error", "skip", "--max-rejects", 8, code=3)
                self.shardmill(*command, "--on-error", "skip", "--max-rejects", 9)
                rejects = self.records("bad", "rejects.jsonl")
                self.assertEqual([(reject["reason"], reject["source"]) for reject in rejects],
                                 [("bad_segment", f"labels.jsonl: line {4 + number}") for number in range(9)])
                self.assertEqual(len(list(self.samples("bad"))), len(self.rows))
                self.shardmill("verify", "bad", "--against", f"x={source}")

    def test_a_damaged_row_counts_once(self):
        """Also where it is the only one about its audio, if that can be told."""
        self.write("two/a.wav", tone(RATE, seed=1))
        self.write("two/b.wav", tone(RATE, seed=2))
        for name, text in (("l.jsonl", '{"audio_filepath": "a.wav", "n": 1}\n{"audio_filepath": "b.wav", "n": NaN}\n'),
                           ("l.csv", "path,text\na.wav,one\nb.wav,two,and more\n")):
            with self.subTest(name):
                self.write(name, text.encode())
                self.shardmill("repack", "x=two", "--labels", name, "--out", "out", "--shards", 1, "-q", "--force",
                               "--allow-missing-text", "--on-error", "skip", "--max-rejects", 1)
                self.assertEqual([reject["reason"] for reject in self.records("out", "rejects.jsonl")],
                                 ["bad_segment"])

    def test_times_of_a_clock(self):
        """h:mm:ss has one meaning; what has none is named with its line, also in the only row."""
        self.write("one/a.wav", tone(3 * RATE, rate=RATE, seed=1))
        command = ["repack", "x=one", "--labels", "l.tsv", "--out", "out", "--shards", 1, "-q", "--force"]
        for begin, end in (("00:00:00.500", "0:00:02"), ("00:00:00,5", "2.0")):
            self.write("l.tsv", f"path\tstart\tend\ttext\na.wav\t{begin}\t{end}\tone\n".encode())
            self.shardmill(*command)
            record, _ = next(self.samples("out"))
            self.assertEqual((record["source_begin"], record["duration"]), (0.5, 1.5))
        for begin, says in (("0,5", "a decimal point is needed: 0.5"), ("00:01", "not a number of seconds: 00:01"),
                            ("0:61:00", "not a number"), ("0:00:01.", "not a number"), ("0x1", "not a number")):
            self.write("l.tsv", f"path\tstart\tend\ttext\na.wav\t{begin}\t2\tone\n".encode())
            self.fails(*command, says=["l.tsv: line 2: 'start' is", says])

    def test_times_just_beyond_the_end(self):
        self.write("one/a.wav", tone(2 * RATE, rate=RATE, seed=1))
        for end, trimmed in ((2.0, 0), (2.005, 0), (2.04, 1)):
            labels = self.labels([{"audio_filepath": "a.wav", "start": 1, "end": end, "text": "t"}])
            result = self.shardmill("repack", "x=one", "--labels", labels, "--out", "out", "--shards", 1, "--json",
                                    "--force")
            self.assertEqual(json.loads(result.out)["warnings"].get("trimmed_segment", 0), trimmed)

    def test_channels(self):
        left, right = (tone(3 * RATE, rate=RATE, seed=seed)[44:] for seed in (7, 8))
        both = b"".join(left[i:i + 2] + right[i:i + 2] for i in range(0, len(left), 2))
        header = bytearray(tone(4, rate=RATE)[:44])
        header[4:8], header[40:44] = (36 + len(both)).to_bytes(4, "little"), len(both).to_bytes(4, "little")
        header[22:24], header[28:32], header[32:34] = b"\2\0", (RATE * 4).to_bytes(4, "little"), b"\4\0"
        self.write("two/c.wav", bytes(header) + both)
        for first, second in (("0", "1"), ("A", "B"), ("left", "right"), ("ch0", "ch1")):
            self.write("l.csv", f"path,channel,start,end,text\nc.wav,{first},1,2,a\nc.wav,{second},,,b\n".encode())
            self.shardmill("repack", "x=two", "--labels", "l.csv", "--out", "out", "--shards", 1, "-q", "--force",
                           "--on-duplicate", "rename")
            found = {text: audio[44:] for _, (text, audio) in self.samples("out")}
            self.assertEqual(found, {"a": left[2 * RATE:4 * RATE], "b": right})
        self.write("l.csv", b"path,channel,start,end,text\nc.wav,2,1,2,a\n")
        said = self.shardmill("repack", "x=two", "--labels", "l.csv", "--out", "no", "--shards", 1, code=1).err
        self.assertIn("of channel 2", said)
        self.write("l.csv", b"path,channel,text\nc.wav,Some Station,a\n")
        self.shardmill("repack", "x=two", "--labels", "l.csv", "--out", "out", "--shards", 1, "-q", "--force")
        self.assertEqual(next(self.samples("out"))[0]["channel"], "Some Station")

    def test_a_side_table_leaves_the_other_fields_alone(self):
        self.labels()
        self.shardmill("repack", "x=audio", "--labels", "labels.jsonl", "--out", "out", "--shards", 1, "-q")
        plain = {record["key"]: record for record, _ in self.samples("out")}
        self.write("ages.jsonl", "".join(json.dumps({"key": key, "age": 7}) + "\n" for key in plain).encode())
        for source, *more in (["x=audio", "--labels", "labels.jsonl"], ["dataset:out"]):
            self.shardmill("repack", source, *more, "--metadata", "ages.jsonl", "--out", "aged", "--shards", 1, "-q",
                           "--force")
            for record, _ in self.samples("aged"):
                known = plain[record["key"]]
                self.assertEqual({name: record[name] for name in known if name != "tar_offset"},
                                 {name: value for name, value in known.items() if name != "tar_offset"})
                self.assertEqual(set(record) - set(known), {"age"})

    def test_what_lies_beside_the_audio_is_not_read_and_that_is_said(self):
        self.labels()
        command = ["repack", "x=audio", "--labels", "labels.jsonl", "--out", "out", "--shards", 1, "--force"]
        self.assertNotIn("beside the audio", self.shardmill(*command).err)
        for number in (0, 2):
            self.write(f"audio/en/r{number}.json", b'{"speaker": "A"}')
        self.write("audio/en/about.json", b"{}")
        self.assertIn("2 JSON files beside the audio are not read, as", self.shardmill(*command).err)
        self.recordings["en/r0.json"] = b'{"speaker": "A"}'
        self.write("x.tar.gz", self.tar())
        command[1] = "x=x.tar.gz"
        self.assertIn("1 JSON file beside the audio is not read, as en/r0.json", self.shardmill(*command).err)

    def test_a_text_that_is_not_there(self):
        self.fails("repack", "x=audio", "--labels", self.labels(), "--text-field", "words", "--out", "no", "--shards",
                   1,
                   says=["labels.jsonl", "no row with a text called 'words'", "lang"])
        rows = [{**{name: value for name, value in row.items() if name != "text"}, "words": "a"} for row in self.rows]
        self.write("audio.tar.gz", self.tar())
        for source in ("audio", "audio.tar.gz"):
            self.fails("repack", f"x={source}", "--labels", self.labels(rows), "--out", "no", "--shards", 1,
                       says=["labels.jsonl", "--text-field", "words"])


class Fits(Labels):
    """Which file a row is about, where several might be meant."""

    def one(self, *rows):
        return self.labels([{"audio_filepath": name, "text": name} for name in rows])

    def texts(self, out="out"):
        return sorted(text for _, (text, _) in self.samples(out))

    def test_the_extension_decides(self):
        self.write("two/a.wav", tone(RATE, seed=1))
        self.write("two/a.flac", tone(RATE, seed=2, form="FLAC"))
        command = ["repack", "x=two", "--out", "out", "--shards", 1, "-q", "--force", "--labels"]
        self.fails(*command, self.one("a.wav"), says=["two/a.flac", "the very name"])
        self.shardmill(*command, self.one("a.wav"), "--on-error", "skip", "--max-rejects", 1)
        self.assertTrue(next(self.samples("out"))[0]["audio_filepath"].endswith(".wav"))
        self.fails(*command, self.one("a"), says=["fits several files, 'a.flac' and 'a.wav'"])
        self.write("deep/x/a.wav", tone(RATE, seed=1))
        self.write("deep/y/a.wav", tone(RATE, seed=2))
        command[1] = "x=deep"
        self.fails(*command, self.one("a.wav"), says=["fits several files, 'x/a.wav' and 'y/a.wav'"])
        self.shardmill(*command, self.one("a.wav", "x/a.wav"), "--on-error", "skip", "--max-rejects", 2)

    def test_the_same_stretch_in_two_tables(self):
        """Without keys of their own, rows are named after their audio, below the folder that a table has in common."""
        for name in ("p/a.wav", "p/b.wav"):
            self.write(f"mix/{name}", tone(RATE, seed=len(name)))
        self.write("mix/c.wav", tone(RATE, seed=9))
        both = self.labels([{"audio_filepath": "c.wav", "text": "c"}, {"audio_filepath": "p/a.wav", "text": "one"},
                            {"audio_filepath": "p/b.wav", "text": "b"}], "1.jsonl")
        again = self.labels([{"audio_filepath": "p/a.wav", "text": "two"}], "2.jsonl")
        command = ["repack", "x=mix", "--labels", both, "--labels", again, "--out", "out", "--shards", 1, "-q"]
        self.fails(*command, says=["another sample has the key"])
        self.shardmill(*command, "--on-duplicate", "rename")
        self.assertEqual(self.texts(), ["b", "c", "one", "two"])

    def test_recordings_named_by_ids(self):
        """As MOSEL has them."""
        for name in ("20180613-0900-PLENARY-17_it", "20180614-0900-PLENARY-2_it"):
            self.write(f"raw/it/2018/{name}.wav", tone(RATE, seed=len(name)))
        self.write("it.tsv", b"id\tlanguage\ttext\thall_long_word\n20180613-0900-PLENARY-17_it\titalian\tuno\tFalse\n"
                             b"20180614-0900-PLENARY-2_it\titalian\tdue\tFalse\n")
        self.shardmill("repack", "x=raw", "--labels", "it.tsv", "--out", "out", "--shards", 1, "-q")
        self.assertEqual(self.texts(), ["due", "uno"])

    def test_a_table_about_the_recording_that_is_called_like_it(self):
        self.write("pod/r1.wav", self.recordings["en/r1.wav"])
        for name, text in (("r1.csv", b"start,end,text\n0.5,2.0,one\n2.5,3.25,two\n"),
                           ("r1.jsonl.gz", gzip.compress(b'{"start": 0.5, "end": 2.0, "text": "one"}\n'
                                                         b'{"start": 2.5, "end": 3.25, "text": "two"}\n'))):
            with self.subTest(name):
                self.write(f"pod/{name}", text)
                said = self.fails("repack", "p=pod", "--out", "no", says=f"--labels p=pod/{name} takes the samples")
                self.assertNotIn("column", said.err)
                found = self.run_and_read("p=pod", "--labels", f"pod/{name}")
                self.assertEqual({key: len(audio) - 44 for key, (_, audio) in found.items()},
                                 {(0.5, "one"): 2 * 24000, (2.5, "two"): 2 * 12000})
                self.shardmill("verify", "out", "--decode", "--against", "p=pod")
                (self.folder / "pod" / name).unlink()
        self.write("pod/other.csv", b"start,end,text\n0.5,2.0,one\n")
        self.fails("repack", "p=pod", "--labels", "pod/other.csv", "--out", "no", faults=None,
                   says=["pod/other.csv", "other"])
        self.write("pod/r1.jsonl", b'{"start": 0, "end": 1, "text": "a"}\n'
                                   b'{"path": "r2.wav", "start": 1, "end": 2, "text": "b"}\n')
        self.fails("repack", "p=pod", "--labels", "pod/r1.jsonl", "--out", "no",
                   says=["r1.jsonl", "line 2", "has 'path', which the first line has not"])
        self.write("pod/r1.csv", b"end,text\n1.5,one\n2.5,two\n")
        self.fails("repack", "p=pod", "--labels", "pod/r1.csv", "--out", "no",
                   says=["r1.csv", "several rows of 'r1' say where they end, and none where it begins"])
        self.write("pod/r1.csv", b"speaker,text\nx,one\ny,two\n")
        self.fails("repack", "p=pod", "--labels", "pod/r1.csv", "--out", "no",
                   says=["r1.csv", "has no column with the audio files: its columns are speaker, text"])

    def test_a_mix_of_depths(self):
        for name in ("raw/p/a.wav", "raw/b.wav", "raw/q/c.wav"):
            self.write(f"mix/{name}", tone(RATE, seed=len(name)))
        for rows in (["p/a.wav", "b.wav", "c.wav"], ["/data/p/a.wav", "b.wav", "/data/q/c.wav"],
                     ["/data/p/a.wav", "/data/b.wav", "/data/q/c.wav"]):
            self.shardmill("repack", "x=mix", "--labels", self.one(*rows), "--out", "out", "--shards", 1, "-q",
                           "--force")
            self.assertEqual(self.texts(), sorted(rows))

    def test_nothing_but_names_in_common(self):
        for name in "abc":
            self.write(f"de/d/{name}.wav", tone(RATE, seed=ord(name)))
        done = self.shardmill("repack", "x=de", "--labels", self.one(*(f"/data/fr/{name}.wav" for name in "abc")),
                              "--out",
                              "out", "--shards", 1)
        self.assertIn("nothing but the names of files agrees with the audio: '/data/fr/a.wav'", done.err)

    def test_audio_below_folders_of_other_names(self):
        """One folder may stand for another, with a warning; a name alone is that of many files."""
        def said(*rows, ok=True, source="x=speakers"):
            command = ["repack", source, "--labels", self.one(*rows), "--out", "out", "--shards", 1, "--force"]
            return self.shardmill(*command).err if ok else self.fails(*command, says=[])

        for name in "abc":
            self.write(f"speakers/A/wavs/{name}.wav", tone(RATE, seed=ord(name)))
            self.write(f"honest/LJ-1.1/wavs/{name}.wav", tone(RATE, seed=ord(name)))
        self.assertIn("the folders of its audio have other names here: 'B/wavs/a.wav' of the labels is taken for "
                      "'A/wavs/a.wav', and 2 more", said(*(f"B/wavs/{name}.wav" for name in "abc")))
        self.assertIn("is taken for 'LJ-1.1/wavs/a.wav'",
                      said(*(f"/mnt/x/LJ/wavs/{name}.wav" for name in "abc"), source="x=honest"))
        self.assertNotIn("is taken for", said(*(f"/mnt/x/A/wavs/{name}.wav" for name in "abc")))
        for name in "abc":
            self.write(f"flat/{name}1/{name}.wav", tone(RATE, seed=ord(name)))
        self.fails("repack", "x=flat", "--labels", self.one(*(f"{name}2/{name}.wav" for name in "abc")), "--out", "no",
                   "--shards", 1, says=["flat/a1/a.wav", "only its name agrees with that of 'a2/a.wav'"], faults=2)
        self.assertNotIn("warning", said(*(f"{name}.wav" for name in "abc"), source="x=flat"))

    def test_a_recording_without_its_end(self):
        """A row that goes on to the end of a recording needs that end."""
        whole = tone(4 * RATE, rate=RATE, seed=5)
        for name, data in (("t.wav", whole), ("t.flac", tone(4 * RATE, rate=RATE, seed=5, form="FLAC"))):
            self.write("cut/" + name, data[:len(data) * 3 // 4])
            self.write("cut.tar", harness.tar([(name, data[:len(data) * 3 // 4])]))
            for source in ("cut", "cut.tar"):
                with self.subTest(name=name, source=source):
                    labels = self.labels([{"audio_filepath": name, "start": 1, "text": "a"}])
                    said = self.fails("repack", f"x={source}", "--labels", labels, "--out", "no", "--shards", 1,
                                      says="1 row says where to begin and not where to end", faults=2).err
                    self.assertIn("t-0001000", said)
                    labels = self.labels([{"audio_filepath": name, "start": 1, "end": 2, "text": "a"}])
                    self.shardmill("repack", f"x={source}", "--labels", labels, "--out", "out", "--shards", 1, "-q",
                                   "--force")
            (self.folder / "cut" / name).unlink()

    def test_a_segment_of_kaldi_without_its_end(self):
        data = tone(4 * RATE, rate=RATE, seed=5)
        self.write("k/t.wav", data[:len(data) * 3 // 4])
        self.write("k/wav.scp", b"r k/t.wav\n")
        self.write("k/text", b"u one two\n")
        for end, is_bad in (("-1", True), ("2.5", False)):
            self.write("k/segments", f"u r 1.0 {end}\n".encode())
            command = ["repack", "kaldi:k", "--out", "out", "--shards", 1, "-q", "--force"]
            if is_bad:
                self.fails(*command, says=["'u'", "goes on to the end of its recording", "bytes of audio are missing"])
            else:
                self.shardmill(*command)

    def test_cuts_of_several_files(self):
        """A record of labels is found by one name of audio."""
        recording = {"id": "m", "sources": [{"type": "file", "channels": [number], "source": f"en/r{number}.wav"}
                                            for number in (0, 1)],
                     "sampling_rate": RATE, "num_samples": 20 * RATE, "duration": 20.0, "channel_ids": [0, 1]}
        said = [{"id": f"s{channel}", "recording_id": "m", "start": 1.0, "duration": 1.0, "channel": channel,
                 "text": "a"}
                for channel in (0, 1)]
        labels = self.labels([{"id": "c", "start": 0, "duration": 20.0, "channel": [0, 1], "type": "MultiCut",
                               "recording": recording,
                               "supervisions": said}])
        self.write("two/en/r0.wav", self.recordings["en/r0.wav"])
        self.fails("repack", "x=two", "--labels", labels, "--out", "no", "--shards", 1,
                   says=["line 1", "in another file"])


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

    def test_labels_for_samples_that_had_none(self):
        self.write("old.tar", harness.tar([("k1.txt", b"one"), ("k1.wav", tone(900, seed=1))]))
        self.repack("x=old.tar", "--out", "out", "--shards", 1, "-q")
        self.fails("update", "out", "--add", "x=audio", "--labels", f"x={self.labels()}", code=2,
                   says=["has samples of 'x' that no label file names", "another name"])
        self.shardmill("update", "out", "--add", "y=audio", "--labels", f"y={self.labels()}", "-q")
        self.shardmill("verify", "out", "--against", "x=old.tar", "y=audio")
        shard = next((self.folder / "out/shards").glob("*.tar"))
        before = shard.read_bytes()
        shard.unlink()
        self.shardmill("repair", "out", "-q")
        self.assertEqual(shard.read_bytes(), before)

    def test_the_same_audio_with_another_table(self):
        self.write("audio.tar.gz", self.tar())
        for source in ("audio", "audio.tar.gz"):
            first = [row for row in self.rows if "r0" not in row["audio_filepath"]]
            second = [{**row, "offset": row["offset"] + 0.5, "text": row["text"] + "!"} for row in self.rows[3:]]
            skip = ["--on-error", "skip", "--max-rejects", 9]
            self.repack(f"x={source}", "--labels", self.labels(first, "1.jsonl"), "--out", "out", "--shards", 2, "-q",
                        "--force", *skip)
            self.shardmill("update", "out", "--add", f"x={source}", "--labels", f"x={self.labels(second, '2.jsonl')}",
                           "-q", *skip)
            self.assertEqual(len(list(self.samples("out"))), len(first) + len(second))
            self.shardmill("verify", "out", "--against", f"x={source}")

    def test_a_project_may_move(self):
        """The records name the labels as the command did, and not by a folder of this machine."""
        self.write("project/audio.tar.gz", self.tar())
        self.write("project/keys.txt", b"none\n")
        self.write("project/more.jsonl", b'{"key": "a", "mood": "x"}\n')
        (self.folder / "project/labels.jsonl").write_bytes((self.folder / self.labels()).read_bytes())
        self.shardmill("repack", "x=audio.tar.gz", "--labels", "labels.jsonl", "--exclude-keys", "keys.txt", "--out",
                       "out",
                       "--shards", 2, "-q", "--list-root", "/r", cwd=self.folder / "project")
        self.assertNotIn(str(self.folder), (self.folder / "project/out/dataset.json").read_text())
        (self.folder / "project").rename(self.folder / "elsewhere")
        self.shardmill("verify", "out", "--against", "x=audio.tar.gz", cwd=self.folder / "elsewhere")
        self.shardmill("repack", "x=../elsewhere/audio.tar.gz", "--labels", "../elsewhere/labels.jsonl",
                       "--exclude-keys",
                       "../elsewhere/keys.txt", "--out", "../elsewhere/out", "--shards", 2, "-q", "--list-root", "/r",
                       cwd=self.folder / "elsewhere")

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
