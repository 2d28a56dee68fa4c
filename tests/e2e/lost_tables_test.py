"""Corpora of which one table of several got lost: the audio that it listed is not taken for that of another subset."""
import bz2
import gzip
import hashlib
import json
import shutil
import unittest

import downloads_test
import harness
from downloads_test import (Downloads, arctic, fleurs, is_audio, jsut, kespeech, magicdata, mls, peoples_speech,
                            spgispeech, tedlium, thchs30, voxpopuli,
                            wenetspeech)


class LostTables(Downloads):
    def both(self, files):
        """The same as a folder and as archives."""
        shutil.rmtree(self.folder / "x", ignore_errors=True)
        self.unpack("x", files)
        self.tar("x.tar.gz", files)
        self.tar("last.tar.gz", downloads_test.texts_last(files))
        return "x", "x.tar.gz", "last.tar.gz"

    def rejects(self, folder="out"):
        return [json.loads(line) for line in (self.folder / folder / "rejects.jsonl").read_text().splitlines()]

    def test_tables_that_list_all_audio(self):
        for make, gone, says in ((voxpopuli, "en/asr_train.tsv", "asr_train.tsv, asr_dev.tsv or asr_test.tsv"),
                                 (fleurs, "af_za/train.tsv", "train.tsv"),
                                 (spgispeech, "spgispeech/train.csv", "train.csv, val.csv or test.csv")):
            corpus, other = make(), make()  # the same
            files = {path: data for path, data in corpus.files.items() if not path.endswith(gone)}
            # Another language, which is whole: what is lost is less than a tenth.
            for path, data in other.files.items():
                for n in range(15):
                    more = path.replace("/en/", f"/e{n}/").replace("af_za", f"af_z{n}").replace("spgispeech/",
                                                                                                f"spgispeech/m{n}/")
                    more = more.replace("-PLENARY", f"-PLENARY{n}").replace("10004088", f"{n}4088").replace("0018ad",
                                                                                                            f"{n}ad")
                    text = data if is_audio(path) else (data.decode().replace("-PLENARY",
                                                                              f"-PLENARY{n}").replace("10004088",
                                                                                                      f"{n}4088")
                                                        .replace("0018ad", f"{n}ad").encode())
                    files[more] = text
            wanted = sorted(key for key, facts in corpus.expected.items() if facts["subset"] == "train")
            for source in self.both(files):
                with self.subTest(source=source, corpus=make.__name__):
                    self.fails("repack", source, "--subset", "train", "--out", "no", says=["no table lists it", says])
                    self.assertFalse((self.folder / "no").exists())
                    shutil.rmtree(self.folder / "out", ignore_errors=True)
                    self.shardmill("repack", source, "--subset", "train", "--out", "out", "--shards", 1,
                                   "--on-error", "skip", code=3)
                    self.assertEqual(sorted((reject["key"], reject["reason"]) for reject in self.rejects()),
                                     [(key, "unlisted") for key in wanted])
                    self.assertEqual(len(self.records()), 45)
                    self.shardmill("repack", source, "--subset", "train", "--out", "out", "--shards", 1, "--force",
                                   "--on-error", "skip", "--max-rejects", 3)
                    self.shardmill("verify", "out", "--against", source)

    def test_one_kind_of_peoples_speech(self):
        corpus = peoples_speech()
        names = [f"more_{n}" for n in range(20)]
        for name in names:
            corpus.audio(f"peoples_speech/train/clean/{name}.flac", "FLAC")
            corpus.says(name, name, subset="train/clean")
        row = {"identifier": "more",
               "training_data": {"duration_ms": [100] * 20, "label": names,
                                 "name": [f"more/{name}.flac" for name in names]}}
        corpus.files["peoples_speech/train/clean.json"] += json.dumps(row).encode() + b"\n"
        for n in range(2):
            corpus.audio(f"peoples_speech/train/dirty/talk_{n}.flac", "FLAC")
            corpus.audio(f"peoples_speech/test/other_{n}.flac", "FLAC")
        for source in self.both(corpus.files):
            self.fails("repack", source, "--subset", "train", "--out", "no",
                       says=["talk_0", "no table lists it: train/dirty.json may be missing or cut"])
            # The folder says that these are not for training, and another kind was not asked for.
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            self.check(corpus, source, "--subset", "train/clean")

    def test_a_corpus_with_audio_that_no_table_lists(self):
        corpus = kespeech()
        # Some of it is in no list as it is published; a list that got lost looks alike.
        files = {path: data for path, data in corpus.files.items() if "dev_phase1" not in path}
        train = {key: facts for key, facts in corpus.expected.items() if facts["subset"] == "train_phase1"}
        rest = sorted(set(corpus.expected) - set(train))
        for source in self.both(files):
            with self.subTest(source=source):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                done = self.shardmill("repack", source, "--subset", "train", "--out", "out", "--shards", 1)
                self.assertRegex(done.out.decode(), r"left out +3 not_listed")
                self.assertRegex(done.err, r"warning: .*no table")
                self.assertEqual(sorted(self.records()), sorted(train))
                self.assertEqual(sorted((reject["key"], reject["reason"]) for reject in self.rejects()),
                                 [(key, "not_listed") for key in rest])
                self.assertIn("it is unknown whether it is of the subset train", self.rejects()[0]["problem"])
                self.assertIn("00f8ef1", self.rejects()[0]["problem"] + self.rejects()[0]["source"])
                self.shardmill("verify", "out", "--against", source)

    def test_rows_with_other_fields_than_the_header(self):
        """A shifted row has its split, and a cut one its text, in another column."""
        for make, table in ((voxpopuli, "asr_train.tsv"), (downloads_test.commonvoice, "train.tsv")):
            corpus = make()
            path = next(path for path in corpus.files if path.endswith(table))
            lines = corpus.files[path].decode().split("\n")
            for line in (lines[1].replace("\t", "\t\t", 1), "\t".join(lines[1].split("\t")[:-1])[:-1]):
                files = {**corpus.files, path: "\n".join([lines[0], line, *lines[2:]]).encode()}
                for source in self.both(files):
                    with self.subTest(source=source, corpus=make.__name__, line=line):
                        self.fails("repack", source, "--subset", "train", "--out", "no",
                                   says=["line 2", "fields, and the header has"])

    def test_a_second_corpus_in_the_folder(self):
        """The one that is read does not know the audio of the other: it is left out, and that is said."""
        for first, second, lost in ((magicdata, jsut, jsut), (mls, arctic, mls), (thchs30, fleurs, fleurs)):
            with self.subTest(first=first.__name__, second=second.__name__):
                shutil.rmtree(self.folder / "x", ignore_errors=True)
                self.unpack("x", first().files)
                self.unpack("x", second().files)
                done = self.shardmill("repack", "x", "--subset", "train", "--out", "out", "--shards", 1, "--force",
                                      "--on-error", "skip", code=None)
                if done.code != 1:
                    told = sum(reject["reason"] in ("not_listed", "unlisted") for reject in self.rejects())
                    missing = {key for key,
                               facts in lost().expected.items()
                               if "train" in facts.get("subset", "train")} - set(self.records())
                    self.assertGreaterEqual(told, len(missing), done.err)
                self.assertNotEqual(done.err, "")

    def test_a_lost_recording_counts_with_all_its_samples(self):
        for make, name in ((wenetspeech, "X0000000001_5884051"), (tedlium, "Talktrain1_2010")):
            corpus = make()
            path = next(path for path in corpus.files if name in path and is_audio(path))
            files = {each: data for each, data in corpus.files.items() if each != path}
            count = sum(key.startswith(name) for key in corpus.expected)
            for source in self.both(files):
                with self.subTest(source=source, corpus=make.__name__):
                    options = ("--subset", "train", "--out", "out", "--shards", 1, "--on-error", "skip",
                               "--allow-missing-text")
                    shutil.rmtree(self.folder / "out", ignore_errors=True)
                    self.shardmill("repack", source, *options, "--max-rejects", count - 1, code=3)
                    [reject] = self.rejects()
                    self.assertEqual((reject["key"], reject["reason"], reject.get("samples", 1)),
                                     (name, "missing_audio", count))
                    self.shardmill("repack", source, *options, "--force", "--max-rejects", count)

    def test_a_damaged_json_beside_audio(self):
        for broken in (b"", b'{"text": "so', b"\0" * 40, b'{"text": "a\\u0000b"}'):
            members = [member for n in range(20) for member in
                       ((f"k{n:02}.json", broken if n == 7 else json.dumps({"text": f"text {n}"}).encode()),
                        (f"k{n:02}.mp3", downloads_test.noise(n, "MP3")))]
            shutil.rmtree(self.folder / "x", ignore_errors=True)
            self.unpack("x", dict(members))
            self.write("t/x.tar", harness.tar(members))
            for source in ("x", "t"):
                with self.subTest(source=source, broken=broken):
                    says = "is empty" if not broken else "zero byte" if b"u0000" in broken else "is no JSON"
                    self.fails("repack", source, "--out", "no", says=["k07", says])
                    shutil.rmtree(self.folder / "out", ignore_errors=True)
                    self.shardmill("repack", source, "--out", "out", "--shards", 1, "--on-error", "skip", code=3)
                    [reject] = self.rejects()
                    self.assertEqual((reject["key"], reject["reason"]), ("k07", "bad_text"))
                    self.assertIn(says, reject["problem"])
                    self.assertEqual(len(self.records()), 19)
                    self.shardmill("verify", "out", "--against", source)
            # Whose text comes from elsewhere misses nothing.
            self.lines("more.tsv", "key\ttext", "k07\tseven")
            self.shardmill("repack", "t", "--out", "out", "--shards", 1, "--force", "--metadata", "more.tsv")

    def spoken(self, odd, text=b"text"):
        """Twenty samples of four speakers as a folder, as a shard and as an archive; k07.json has other bytes."""
        members = [member for n in range(20) for member in (
            (f"k{n:02}.txt", text), (f"k{n:02}.wav", downloads_test.noise(n)),
            (f"k{n:02}.json", odd if n == 7 else json.dumps({"speaker": f"S{n % 4}"}).encode()))]
        shutil.rmtree(self.folder / "x", ignore_errors=True)
        self.unpack("x", dict(members))
        self.write("t/x.tar", harness.tar(members))
        self.tar("x.tar.gz", {f"x/{name}": data for name, data in members})
        return "x", "t", "x.tar.gz"

    def test_a_damaged_json_beside_a_transcript(self):
        """Who speaks is lost in it, though the transcript is not."""
        for broken in (b"", b'{"speaker": "S3", "a', b"speaker: S3", '{"speaker": "Jos\u00e9"}'.encode("latin-1"),
                       b'{"speaker": "S3"}\n{"speaker": "S1"}', b'{"speaker": "S3", "speaker": "S1"}'):
            for source in self.spoken(broken):
                with self.subTest(source=source, broken=broken):
                    says = ["k07.json", "is no JSON" if broken else "is empty", "--on-error skip"]
                    self.fails("repack", source, "--out", "no", says=says)
                    self.fails("repack", source, "--out", "no", "--split", "dev=0.2s", says=says)
                    self.assertFalse((self.folder / "no").exists())
                    shutil.rmtree(self.folder / "out", ignore_errors=True)
                    self.shardmill("repack", source, "--out", "out", "--shards", 1, "--on-error", "skip", code=3)
                    [reject] = self.rejects()
                    self.assertEqual((reject["key"][-3:], reject["reason"]), ("k07", "bad_text"))
                    self.assertEqual(len(self.records()), 19)
                    self.shardmill("verify", "out", "--against", source)
            self.assertIn("bad_json", self.shardmill("inspect", "t", "--json", code=None).out.decode())
        # Where a table of the user says who it was, nothing is lost, but it is said that the member was not read.
        self.lines("who.tsv", "key\tspeaker", "k07\tS3")
        said = self.shardmill("repack", "t", "--out", "out", "--shards", 1, "--force", "--metadata", "who.tsv").out
        self.assertIn("1 bad_json", said.decode())
        self.assertEqual(self.records()["k07"]["speaker"], "S3")

    def test_json_that_is_no_loss(self):
        """Other tools take it: it holds no fields, or numbers that Python writes."""
        for odd, speaker in ((b"[1, 2]", None), (b"7", None), (b'{"snr": NaN, "speaker": "S3"}', "S3")):
            for source in self.spoken(odd):
                with self.subTest(source=source, odd=odd):
                    said = self.shardmill("repack", source, "--out", "out", "--shards", 1, "--force").out.decode()
                    self.assertEqual(self.records()["k07"].get("speaker"), speaker)
                    if source == "t":
                        self.assertEqual("1 json_without_fields" in said, speaker is None)
                    self.shardmill("verify", "out", "--against", source)

    def test_sums_that_contradict_each_other(self):
        corpus = downloads_test.librispeech()
        self.tar("d/x.tar.gz", corpus.files)
        right = hashlib.md5((self.folder / "d/x.tar.gz").read_bytes()).hexdigest()
        wrong = "0" * 32
        self.lines("d/x.tar.gz.md5", f"{right}  x.tar.gz")
        self.lines("d/md5sum.txt", f"{wrong}  x.tar.gz")
        self.fails("repack", "d/x.tar.gz", "--out", "no", says=["d/md5sum.txt", wrong, "x.tar.gz.md5", right])
        self.write("d/md5sum.txt", b"<html>404</html>")
        done = self.shardmill("repack", "d/x.tar.gz", "--out", "out", "--shards", 1)
        self.assertIn("md5sum.txt: is not a list of MD5s", done.err)
        self.fails("repack", "d/x.tar.gz", "--out", "no", "--md5", right, "--md5", wrong, code=2,
                   says="2 MD5s are given, and there is 1 archive")

    def test_doubt_in_archives(self):
        corpus = downloads_test.librispeech()
        key = next(iter(corpus.expected))
        folder = "LibriSpeech/dev-clean/84/121123"
        for n in range(100, 160):
            corpus.audio(f"{folder}/84-121123-{n:04}.flac", "FLAC", seconds=2)
            corpus.files[f"{folder}/84-121123.trans.txt"] += f"84-121123-{n:04} MORE\n".encode()
        self.assertIn(key, corpus.expected)
        self.tar("whole.tar", downloads_test.texts_first(corpus.files))
        plain = (self.folder / "whole.tar").read_bytes()
        packed = bytearray(gzip.compress(plain, 1))
        packed[len(packed) * 6 // 10] ^= 0x10
        self.write("x.tar.gz", bytes(packed))
        options = ("--shards", 1, "--on-error", "skip", "--max-rejects", "all", "--allow-missing-text")
        said = self.says("repack", "librispeech:x.tar.gz", "--out", "out", *options)
        [doubt] = self.record("out")["doubtful"]
        self.assertEqual(doubt["samples"], len(self.records()))
        self.assertRegex(said, r"in doubt +\d+ samples may be wrong")
        self.assertNotIn("all good", self.says("verify", "out"))
        # Pieces of bzip2 are checked one by one.
        packed = bytearray(bz2.compress(plain, 1))
        packed[len(packed) * 6 // 10] ^= 0x10
        self.write("x.tar.bz2", bytes(packed))
        self.shardmill("repack", "librispeech:x.tar.bz2", "--out", "two", *options)
        self.assertNotIn("doubtful", self.record("two"))


if __name__ == "__main__":
    unittest.main()
