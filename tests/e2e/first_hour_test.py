"""The first hour with data of one's own: tables as sources, speakers, keys that come twice, all faults in one list."""
import gzip
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile

import numpy
import soundfile

import harness
import pages
from downloads_test import threedspeaker
from harness import tar
from repack_test import Repacking, tone

MAKE_MIX = pages.ROOT / "data/example/make_mix"


class Tables(Repacking):
    """A table that lists audio files is a source by itself."""

    def clips(self, folder="d/clips", count=6, rate=16000):
        for number in range(count):
            self.write(f"{folder}/c{number}.wav", tone(900 + 10 * number, seed=number, rate=rate))

    def texts(self, out="out"):
        return {record["key"]: record["text"] for record in self.records(out)}

    def test_csv_tsv_and_json_lines(self):
        self.clips()
        rows = [(f"clips/c{number}.wav", f"said, {number}", f"S{number % 2}") for number in range(6)]
        self.write("d/t.csv", "Path,Sentence,client_id\n".encode() +
                   "".join(f'{path},"{text}",{who}\n' for path, text, who in rows).encode())
        self.write("d/t.tsv", "audio_file\ttranscription\tspk\n".encode() +
                   "".join(f"{path}\t{text}\t{who}\n" for path, text, who in rows).encode())
        self.write("d/t.jsonl", "".join(
            json.dumps({"audio": path, "transcript": text, "speaker_id": who}) + "\n"
            for path, text, who in rows).encode())
        self.write("d/g.csv.gz", subprocess.run(["gzip", "-nc", self.folder / "d/t.csv"], capture_output=True).stdout)
        for name in ("t.csv", "t.tsv", "t.jsonl", "g.csv.gz", "table"):
            source = "table:d/t.csv" if name == "table" else f"d/{name}"
            self.repack(f"x={source}", "--out", "out", "--shards", 2, "--force", "-q")
            self.assertEqual(self.texts(), {f"clips_c{number}": f"said, {number}" for number in range(6)}, name)
            self.assertEqual({record["speaker"] for record in self.records("out")}, {"S0", "S1"}, name)
            self.shardmill("verify", "out", "--decode", "--against", f"x={source}")
        self.repack("x=d/t.csv", "--out", "split", "--split", "dev=0.1s", "-q")
        self.assertNotIn("groups", json.loads(self.content("split/split.json"))["splits"][0])

    def test_columns_of_unusual_names(self):
        """A column whose values are names of audio files is the one with the audio; other separators; no header."""
        self.clips()
        rows = [(f"clips/c{number}.wav", f"said {number}") for number in range(6)]
        files = {"odd.csv": "nr,recorded_as,sentence\n"
                 + "".join(f"{number},{path},{text}\n" for number, (path, text) in enumerate(rows)),
                 "semi.csv": "path;text\n" + "".join(f'{path};"{text}"\n' for path, text in rows),
                 "bars.txt": "path|text\n" + "".join(f"{path}|{text}\n" for path, text in rows),
                 "odd.jsonl": "".join(json.dumps({"clip_location": path, "text": text}) + "\n" for path, text in rows),
                 "bare.tsv": "".join(f"{path}\t{text}\n" for path, text in rows),
                 "bare.csv": "".join(f"{path},{text}\n" for path, text in rows)}
        for name, content in files.items():
            with self.subTest(name):
                self.write(f"d/{name}", content.encode())
                said = self.repack(f"x=d/{name}", "--out", "out", "--shards", 1, "--force", "-q").err
                self.assertEqual(self.texts(), {f"clips_c{number}": f"said {number}" for number in range(6)})
                self.assertEqual("has no header" in said, name.startswith("bare"), said)
        # Of more columns without names, none can be told from another.
        self.write("d/t.tsv", b"u0\tclips/c0.wav\tsaid 0\n")
        self.fails("repack", "x=d/t.tsv", "--out", "no",
                   says=["d/t.tsv: line 1: has no header", "clips/c0.wav", "add a first line"])
        self.write("d/wav.scp.tsv", b"u0\tclips/c0.wav\n")
        self.fails("repack", "x=d/wav.scp.tsv", "--out", "no", says=["has no header"])

    def test_audio_elsewhere(self):
        """Below a folder beside the table, above it, by absolute paths, and without extensions."""
        self.clips("d/wavs/a")
        for name, path in (("d/beside.csv", "a/c1.wav"), ("d/tables/above.csv", "wavs/a/c1.wav"),
                           ("absolute.csv", self.folder / "d/wavs/a/c1.wav"), ("d/bare.csv", "wavs/a/c1")):
            self.write(name, f"file_path,text,note\n{path},one,two\n".encode())
            self.repack(f"x={name}", "--out", "out", "--shards", 1, "--force", "-q")
            record, = self.records("out")
            self.assertEqual((record["text"], record["note"], record["frames"]), ("one", "two", 910), name)

    def test_other_audio_of_the_same_name(self):
        """What is where the table says is taken; a file that is missing is not looked for elsewhere."""
        def clip(path):
            self.write(path, tone(900, seed=sum(map(ord, path))))

        table = b"path,text\nwavs/1.wav,one\nwavs/2.wav,two\n"
        self.write("d/t.csv", table)
        for path in ("d/noisy/wavs/1.wav", "d/noisy/wavs/2.wav"):
            clip(path)
        command = ["repack", "x=d/t.csv", "--shards", 1, "--force", "--out"]
        self.assertIn("names 'wavs/1.wav', which does not exist; the files below", self.repack(*command[1:], "out").err)
        clip("d/wavs/2.wav")
        self.fails(*command, "no", says=["d/wavs/1.wav", "line 2"])
        said = self.repack(*command[1:], "out", "--allow-missing-text", "--on-error", "skip",
                           "--max-rejects", 1).err
        self.assertNotIn("are read instead", said)
        record, = self.records("out")
        self.assertEqual((record["text"], record["source"].removeprefix(f"{self.folder}/")), ("two", "d/wavs/2.wav"))
        (self.folder / "d/wavs/2.wav").unlink()
        clip("d/clean/wavs/1.wav")
        self.fails(*command, "none", says=["d/t.csv", "more than one folder may be meant", "d/clean/wavs/1.wav",
                                           "d/noisy/wavs/1.wav"])
        self.write("d/t.csv", table.replace(b"wavs/", b"/gone/wavs/"))
        self.fails(*command, "none", says=["more than one folder may be meant", "'/gone/wavs/1.wav' fits"])

    def test_segments(self):
        self.write("talk.wav", tone(48000, seed=1))
        self.write("talk.csv", b"audio,start,end,text\ntalk.wav,0.5,1.25,a\ntalk.wav,1.25,3,b\n")
        self.repack("talk.csv", "--out", "out", "--shards", 1, "-q")
        self.assertEqual({record["text"]: record["frames"] for record in self.records("out")}, {"a": 12000, "b": 28000})
        self.assertEqual({record["dataset"] for record in self.records("out")}, {"talk"})

    def test_what_is_missing_is_named_with_its_line(self):
        self.clips(count=20)
        self.write("d/t.csv", b"path,text\nclips/c0.wav,a\nclips/c99.wav,b\n" +
                   b"".join(b"clips/c%d.wav,a\n" % number for number in range(1, 20)))
        self.fails("repack", "x=d/t.csv", "--out", "out", says=["c99.wav", "t.csv: line 3", "--on-error skip"])
        self.repack("x=d/t.csv", "--out", "out", "--shards", 1, "--on-error", "skip", "--max-rejects", 1, "-q")
        self.assertEqual(len(self.records("out")), 20)
        self.write("d/t.csv", b"path,text\nclips/c0.wav,a,b\n")
        self.fails("repack", "x=d/t.csv", "--out", "none", says=["line 2", "3 fields"])

    def test_audio_that_moved(self):
        """A table from another machine, and a wav.scp whose paths begin three folders up; a name is not enough."""
        self.clips("d/wavs/a")
        self.write("d/t.csv", "id,path,text\n".encode() +
                   b"".join(b"u%d,/gone/disk/wavs/a/c%d.wav,t%d\n" % (n, n, n) for n in range(6)))
        said = self.repack("x=d/t.csv", "--out", "out", "--shards", 1, "-q").err
        self.assertIn("names audio below /gone/disk/, which does not exist", said)
        self.assertEqual(self.texts()["u3"], "t3")
        self.write("d/wavs/a/t.csv", b"path,text\n/gone/c1.wav,one\n")
        self.fails("repack", "x=d/wavs/a/t.csv", "--out", "no", "--shards", 1, says="/gone/c1.wav")
        self.write("d/data/train/wav.scp", b"".join(b"k%d wavs/a/c%d.wav\n" % (n, n) for n in range(6)))
        self.write("d/data/train/text", b"".join(b"k%d said %d\n" % (n, n) for n in range(6)))
        self.repack("x=d/data/train", "--out", "kaldi", "--shards", 1, "-q")
        self.assertEqual(self.texts("kaldi"), {f"k{n}": f"said {n}" for n in range(6)})

    def test_names_of_columns(self):
        """Blanks, capitals and Chinese; recordings by their ids; a table without audio is no list of files."""
        self.clips()
        for name, header in (("one", "File Name,Sentence,Speaker ID"), ("two", "文件名,文本,说话人"),
                             ("three", "clip,transcript,Speaker")):
            self.write(f"d/{name}.csv", f"{header},extra\n".encode() +
                       b"".join(b"clips/c%d,t%d,S%d,x\n" % (n, n, n % 2) for n in range(6)))
            self.repack(f"x=d/{name}.csv", "--out", "out", "--shards", 1, "-q", "--force")
            self.assertEqual({(record["text"], record["speaker"]) for record in self.records("out")},
                             {(f"t{n}", f"S{n % 2}") for n in range(6)}, header)
        self.write("talk.wav", tone(48000, seed=1))
        self.write("s.csv", b"recording_id,start_time,end_time,text\ntalk,0.5,1.25,a\ntalk,1.25,3,b\n")
        self.repack("x=s.csv", "--out", "out", "--shards", 1, "-q", "--force")
        self.assertEqual({record["text"]: record["frames"] for record in self.records("out")}, {"a": 12000, "b": 28000})
        self.write("odd.csv", b"nr,remark\n1,a\n")
        self.fails("repack", "x=odd.csv", "--out", "no", says=["no column with the audio files", "nr, remark"])

    def test_times_under_other_names_are_no_copies(self):
        """Rows about one file are its parts, whatever the columns of their times are called."""
        self.write("t/talk.wav", tone(1000, rate=200))
        self.write("s.csv", b"file,ab,zu,text\nt/talk.wav,0.5,1.25,a\nt/talk.wav,1.25,3,b\nt/talk.wav,3.5,4,c\n")
        for more in ([], ["--on-duplicate", "rename"]):
            self.fails("repack", "x=s.csv", "--out", "no", *more, says=["s.csv", "talk.wav", "'ab' and 'zu'"])
            self.fails("repack", "x=t", "--labels", "s.csv", "--out", "no", *more, says=["'ab' and 'zu'"])
        self.write("s.csv", self.content("s.csv").replace(b"ab,zu", b"start,end"))
        self.repack("x=s.csv", "--out", "out", "--shards", 1, "-q")
        self.assertEqual(len(self.records("out")), 3)

    def test_a_duration_that_cuts_is_told(self):
        for number in range(3):
            self.write(f"d/c{number}.wav", tone(4000, rate=4000, seed=number))
        self.write("d/t.csv", b"path,duration,text\nc0.wav,0.5,a\nc1.wav,0.95,b\nc2.wav,0.7,c\n")
        said = self.shardmill("repack", "x=d/t.csv", "--out", "out", "--shards", 1).out.decode()
        self.assertEqual({record["text"]: record["frames"] for record in self.records("out")},
                         {"a": 2000, "b": 4000, "c": 2800})
        self.assertIn("2 cut_to_duration", said)
        self.assertIn("only the beginning of their files", said)

    def test_the_speaker_is_not_taken_for_the_text(self):
        self.clips()
        self.write("d/t.csv", b"path,speaker,remark\n"
                   + b"".join(b"clips/c%d.wav,somebody_with_a_long_name,ah\n" % n for n in range(6)))
        self.fails("repack", "x=d/t.csv", "--out", "no", says="--text-field x=remark")

    def test_channels_counted_from_one(self):
        """A recording of two channels has no channel 2."""
        both = numpy.zeros((8000, 2), dtype="int16")
        (self.folder / "t").mkdir()
        soundfile.write(self.folder / "t/c.wav", both, 8000, subtype="PCM_16")
        self.write("s.csv", b"path,channel,text\nt/c.wav,1,a\nt/c.wav,2,b\n")
        for source in (["x=s.csv"], ["x=t", "--labels", "s.csv"]):
            said = self.shardmill("repack", *source, "--out", "no", code=1).err
            self.assertIn("s.csv: no row is of channel 0, and 1 is the lowest", said)
            self.assertIn("is of channel 2 (the first is 0), and its recording has 2", said)

    def test_fields_with_capitals_and_blanks(self):
        """As the columns are written, or as words."""
        self.clips()
        self.write("d/t.csv", b"Utterance_ID;Wav_Path;Utterance;What Else\n"
                   + b"".join(b"U%d;clips/c%d.wav;t %d;e %d\n" % (n, n, n, n) for n in range(6)))
        self.fails("repack", "x=d/t.csv", "--out", "no", says="--text-field x=Utterance names")
        for field, text in (("Utterance", "t 3"), ("utterance", "t 3"), ("What Else", "e 3")):
            self.repack("x=d/t.csv", "--out", "out", "--shards", 1, "-q", "--force", "--text-field", f"x={field}")
            self.assertEqual(self.texts()["U3"], text, field)

    def test_json_members_with_other_names(self):
        members = [member for n in range(6) for member in
                   ((f"k{n}.json", json.dumps({"Transcription": f"t{n}", "SPK_ID": f"S{n % 2}"}).encode()),
                    (f"k{n}.wav", tone(900, seed=n)))]
        self.write("in.tar", tar(members))
        self.repack("x=in.tar", "--out", "out", "--shards", 1, "-q")
        self.assertEqual({(record["text"], record["speaker"]) for record in self.records("out")},
                         {(f"t{n}", f"S{n % 2}") for n in range(6)})
        self.write("in.tar", tar([(name, data.replace(b"Transcription", b"orthography")) for name, data in members]))
        self.fails("repack", "x=in.tar", "--out", "no", says=["these have SPK_ID, orthography", "--text-field"])

    def test_lists_of_shards_stay_lists(self):
        self.write("a.tar", tar([("k.txt", b"t"), ("k.wav", tone(900))]))
        for name in ("list", "list.csv"):
            self.write(name, b"a.tar\n")
            self.repack(f"x={name}", "--out", "out", "--shards", 1, "--force", "-q")
            self.assertEqual(len(self.records("out")), 1)

    def test_a_field_for_each_dataset(self):
        self.clips()
        for name, field in (("one", "words"), ("two", "orthography")):
            self.write(f"d/{name}.csv", f"path,utt,{field},who\n".encode() + "".join(
                f"clips/c{number}.wav,{name}{number},{name} {number},W{number % 3}\n" for number in range(6)).encode())
        self.repack("one=d/one.csv", "two=d/two.csv", "--out", "out", "--shards", 1, "-q",
                    "--text-field", "one=words", "--text-field", "two=orthography", "--speaker-field", "who")
        self.assertEqual(self.texts()["one3"], "one 3")
        self.assertEqual(self.texts()["two5"], "two 5")
        self.assertEqual({record["speaker"] for record in self.records("out")}, {"W0", "W1", "W2"})
        self.shardmill("verify", "out", "--decode", "--against", "one=d/one.csv", "two=d/two.csv")
        self.fails("repack", "one=d/one.csv", "--out", "no", "--text-field", "one=words", "--text-field", "three=x",
                   code=2, says="three")
        self.fails("repack", "one=d/one.csv", "--out", "no", says=["path, words, who", "--text-field one=words"])
        self.fails("repack", "one=d/one.csv", "--out", "no", "--text-field", "one=a", "--text-field", "one=b", code=2,
                   says="second value")


class Speakers(Repacking):
    def test_speaker_from_the_key_or_the_path(self):
        for number in range(12):
            self.write(f"a/spk{number % 3}/u{number}.wav", tone(3000, seed=number))
            self.write(f"a/spk{number % 3}/u{number}.txt", b"words")
        self.repack("x=a", "--out", "out", "--shards", 1, "-q", "--speaker-from", "x=spk([0-9])/")
        self.assertEqual({record["speaker"] for record in self.records("out")}, {"0", "1", "2"})
        self.repack("x=a", "--out", "all", "--shards", 1, "-q", "--speaker-from", "spk[0-9]")
        self.assertEqual({record["speaker"] for record in self.records("all")}, {"spk0", "spk1", "spk2"})
        self.repack("x=a", "--out", "split", "-q", "--split", "dev=0.5s", "--speaker-from", "x=spk([0-9])/")
        dev = {record["speaker"] for record in self.records("split/dev")}
        self.assertFalse(dev & {record["speaker"] for record in self.records("split/train")})
        said = self.repack("x=a", "--out", "none", "--shards", 1, "--speaker-from", "x=^nobody-").out.decode()
        self.assertIn("12 no_speaker_found", said)
        self.fails("repack", "x=a", "--out", "no", "--speaker-from", "x=(", code=2, says="not a regular expression")
        self.fails("repack", "x=a", "--out", "out", "--speaker-from", "x=other", says="speaker-from: was")


class Keys(Repacking):
    def pair(self):
        for name in "ab":
            self.write(f"{name}/k.txt", name.encode())
            self.write(f"{name}/k.wav", tone(900, seed=ord(name)))

    def test_prefix(self):
        self.pair()
        message = self.fails("repack", "x=a", "y.z=b", "--out", "out", "--dry-run",
                             says=["'k'", "'x' and 'y.z'", "--on-duplicate prefix"]).err
        self.assertNotIn("shards", message)
        self.repack("x=a", "y.z=b", "--out", "out", "--shards", 1, "-q", "--on-duplicate", "prefix")
        self.assertEqual({record["key"]: record["source_key"] for record in self.records("out")},
                         {"x_k": "k", "y_z_k": "k"})
        self.shardmill("verify", "out", "--decode", "--against", "x=a", "y.z=b")
        self.fails("repack", "x=a", "y.z=b", "--out", "out", "--shards", 1, "--on-duplicate", "rename",
                   says="on-duplicate")
        self.write("c/k2.txt", b"c")
        self.write("c/k2.wav", tone(900, seed=7))
        self.shardmill("update", "out", "--add", "x=c", "-q")
        self.assertEqual({record["key"] for record in self.records("out")}, {"x_k", "y_z_k", "x_k2"})
        self.fails("update", "out", "--add", "x=c", "--on-duplicate", "prefix", code=2, says="prefix")
        # Twice in one dataset: a prefix alone does not help.
        self.fails("repack", "x=a", "x=b", "--out", "none", "--on-duplicate", "prefix",
                   says=["'x_k'", "prefix,first"])

    def test_keys_that_come_twice_in_a_dataset_and_in_another(self):
        self.pair()
        command = ["repack", "x=a", "x=b", "y=a", "--shards", 1, "-q", "--out"]
        self.fails(*command, "none", "--on-duplicate", "prefix,some", code=2, says="prefix,rename")
        for choice, keys in (("prefix,first", {"x_k", "y_k"}), ("prefix,rename", {"x_k", "x_k_2", "y_k"})):
            self.shardmill(*command, choice, "--on-duplicate", choice, "--dry-run")
            self.shardmill(*command, choice, "--on-duplicate", choice)
            self.assertEqual({record["key"] for record in self.records(choice)}, keys)
            self.shardmill(*command, choice, "--on-duplicate", choice)
            self.fails(*command, choice, "--on-duplicate", "prefix", says=choice)
            self.shardmill("verify", choice, "--decode")

    def test_names_in_front_that_lead_to_one_key(self):
        self.write("w/b_x.wav", tone(900))
        self.write("v/x.wav", tone(901, seed=1))
        for text in ("w/b_x.txt", "v/x.txt"):
            self.write(text, b"t")
        command = ["repack", "A=w", "A_b=v", "--shards", 1, "-q", "--out"]
        self.fails(*command, "first", "--on-duplicate", "prefix,first", code=2, says=["'A' and 'A_b'", "NAME=SOURCE"])
        self.fails(*command, "stop", "--on-duplicate", "prefix", says="'A_b_x'")
        self.shardmill(*command, "all", "--on-duplicate", "prefix,rename")
        self.assertEqual(len(self.records("all")), 2)

    def test_stereo_whose_channels_cancel_each_other(self):
        values, rate = soundfile.read(io.BytesIO(tone(900)), dtype="int16")
        for name, other in (("same", values), ("opposite", -values)):
            path = self.write(f"stereo/{name}.wav", b"")
            soundfile.write(path, numpy.stack([values, other], 1), rate)
        command = ["repack", "x=stereo", "--shards", 1, "--allow-missing-text", "--channels"]
        self.assertIn("in 1 sample, the channels cancel each other",
                      self.shardmill(*command, "mono", "--out", "mono").out.decode())
        self.assertNotIn("cancel", self.shardmill(*command, "left", "--out", "left").out.decode())


class OneList(Repacking):
    def test_all_faults_of_all_sources(self):
        """In a dry run and in the run itself, each on a line, with what helps."""
        self.write("plain/a.wav", tone(900))
        self.write("pipes/wav.scp", b"k1 cat plain/a.wav |\n")
        self.write("pipes/text", b"k1 words\n")
        self.write("listed.csv", b"path,text\nnone.wav,a\n")
        self.write("table.tsv", b"key\ttext\na\n")
        for number in range(2):
            self.write(f"same{number}/k.txt", b"t")
            self.write(f"same{number}/k.wav", tone(900, seed=number))
        self.write("bare.tar", tar([("b.wav", tone(900))]))
        command = ["repack", "p=plain", "q=pipes", "l=listed.csv", "s=same0", "t=same1", "b=bare.tar", "n=nowhere",
                   "--metadata", "s=table.tsv", "--out", "out"]
        for more in ([], ["--dry-run"]):
            lines = self.shardmill(*command, *more, code=1).err.splitlines()
            self.assertFalse((self.folder / "out").exists())
            for part in ("'p': its only sample has no transcript", "--allow-commands", "none.wav", "table.tsv: line 2",
                         "'s' and 't'", "'b': none of the first 1 sample", "nowhere"):
                self.assertEqual(sum(part in line for line in lines), 1, (part, lines))
            self.assertEqual(len(lines), 7 + len(more), lines)  # a dry run also tells what skipping leads to
            self.assertTrue(all(line.startswith("shardmill repack: ") for line in lines))

    def test_all_kinds_of_faults_of_one_source(self):
        """Of each kind the first, and how many others there are."""
        for number in range(5):
            self.write(f"d/c{number}.wav", tone(3000, seed=number))
        rows = [f"c{number}.wav,words" for number in range(5)] + ["none1.wav,a", "c9.wav", "none2.wav,b", "none3.wav,c"]
        self.write("d/t.csv", ("path,text\n" + "".join(row + "\n" for row in rows)).encode())
        self.write("k/wav.scp", b"r1 d/c1.wav\nr2 cat d/c2.wav |\nr3 no.wav\nr4 cat d/c3.wav |\n")
        self.write("k/text", b"r1 a\nr2 b\nr3 c\nr4 d\nr9 e\n")
        command = ["repack", "t=d/t.csv", "k=kaldi:k", "--out", "out", "--shards", 1, "--on-duplicate", "prefix"]
        parts = ("none1.wav: No such file or directory (named in d/t.csv: line 7), and 2 more utterances have no "
                 "audio, such as 'none2'", "d/t.csv: line 8: has 1 fields, and the header has 2",
                 "k/wav.scp: line 2: is a command, not a file", "no.wav: No such file",
                 "'r9' has a transcript, but is not in")
        for more in ([], ["--dry-run"]):
            lines = self.shardmill(*command, *more, code=1).err.splitlines()
            for part in parts:
                self.assertEqual(sum(part in line for line in lines), 1, (part, lines))
            self.assertEqual(sum("there are at least 6 bad samples" in line for line in lines), len(more), lines)
            self.assertEqual(len(lines), 5 + 3 * len(more), lines)
        skipping = [*command, "--allow-commands", "--allow-missing-text", "--on-error", "skip", "--max-rejects", "all"]
        lines = self.shardmill(*skipping, "--dry-run").err.splitlines()
        for part in (part for part in parts if "command" not in part):
            self.assertEqual(sum(part in line and "left out" in line for line in lines), 1, (part, lines))
        self.shardmill(*skipping)
        self.assertEqual(len(self.records("out")), 8)

    def test_bad_lines_of_a_manifest_are_samples_that_are_left_out(self):
        for number in range(4):
            self.write(f"d/c{number}.wav", tone(3000, seed=number))
        good = [f'{{"audio_filepath":"c{number}.wav","text":"t"}}' for number in range(4)]
        bad = ['{"audio_filepath":"c0.wav","offset":"soon","text":"t"}', '{"audio_filepath":', '{"text":"no audio"}']
        self.write("d/m.json", "\n".join([good[0], bad[0], good[1], bad[1], good[2], bad[2], good[3]]).encode())
        command = ["repack", "n=d/m.json", "--out", "out", "--shards", 1]
        lines = self.shardmill(*command, code=1).err.splitlines()
        self.assertEqual([re.search("line [0-9]+", line)[0] for line in lines], ["line 2", "line 4", "line 6"], lines)
        self.shardmill(*command, "--on-error", "skip", "--max-rejects", 3)
        self.assertEqual(len(self.records("out")), 4)
        self.assertEqual(len(self.records("out", "rejects.jsonl")), 3)

    def test_a_stray_quote_loses_one_row(self):
        for number in range(9):
            self.write(f"d/c{number}.wav", tone(3000, seed=number))
        rows = [f'c{number}.wav,{text}' for number, text in enumerate(
            ('"opened', "b", 'size 5" x', '"opened again', '"d, ""e"""', '"two', "g", '"h"', "i"))]
        rows[5] += '\nlines"'
        self.write("d/t.csv", ("path,text\n" + "\n".join(rows)).encode())
        self.repack("t=d/t.csv", "--out", "out", "--shards", 1, "--on-error", "skip", "--max-rejects", 2, "--force",
                    "--allow-missing-text")
        self.assertEqual(len(self.records("out", "rejects.jsonl")), 2)
        texts = {record["key"]: record["text"] for record in self.records("out")}
        self.assertEqual({key: texts[key] for key in ("c1", "c2", "c4", "c5", "c8")},
                         {"c1": "b", "c2": 'size 5" x', "c4": 'd, "e"', "c5": "two\nlines", "c8": "i"})

    def test_a_dry_run_looks_into_audio_and_for_speakers(self):
        for name in ("listed", "foldered"):
            for number in range(5):
                self.write(f"{name}/c{number}.wav", tone(3000, seed=number))
                self.write(f"{name}/c{number}.txt", b"t")
        cut = (self.folder / "foldered/c3.wav").read_bytes()[:2000]
        self.write("foldered/c3.wav", cut)
        self.write("listed.csv",
                   b"path,text,client_id\n" + b"".join(b"listed/c%d.wav,t,s%d\n" % (n, n) for n in range(5)))
        command = ["repack", "l=listed.csv", "f=foldered", "--out", "out", "--split", "dev=0.2s", "--shards", 1,
                   "--on-duplicate", "prefix"]
        lines = self.shardmill(*command, "--dry-run", code=1).err.splitlines()
        for part in ("foldered/c3.wav: 4044 of 6000 bytes", "the speaker of 'c0' of f is not known",
                     "--speaker-from f=REGEX"):
            self.assertEqual(sum(part in line for line in lines), 1, (part, lines))
        self.assertEqual(len(lines), 2, lines)
        command += ["--speaker-from", "f=c([0-9])"]
        self.assertEqual(len(self.shardmill(*command, "--dry-run", code=1).err.splitlines()), 1)
        skipping = [*command, "--on-error", "skip", "--max-rejects", 1]
        said = self.shardmill(*skipping, "--dry-run").err
        self.assertIn("foldered/c3.wav: 4044 of 6000 bytes", said)
        self.assertIn("; left out", said)
        self.shardmill(*skipping)

    def test_a_dry_run_names_the_first_bad_samples_of_a_shard_and_counts_the_others(self):
        members = []
        for number in range(9):
            audio = tone(3000, seed=number)
            members += [(f"c{number}.txt", b"t"), (f"c{number}.wav", audio if number % 3 == 0 else audio[:2000])]
        self.write("bad.tar", tar(members))
        command = ["repack", "b=bad.tar", "--out", "out", "--shards", 1, "--dry-run"]
        members += [("d.txt", b"t"), ("d.wav", b"no audio")]
        self.write("bad.tar", tar(members))
        for more, code in ([], 1), (["--on-error", "skip", "--max-rejects", 7], 0):
            lines = self.shardmill(*command, *more, code=code).err.splitlines()
            if code:
                self.assertIn("there are at least 7 bad samples", lines.pop(0))
            self.assertEqual(len(lines), 2, lines)
            self.assertIn("c1.wav", lines[0])
            self.assertIn(", and 5 more like it in the first files of b", lines[0])
            self.assertIn("d.wav", lines[1])
            self.assertEqual("; left out" in lines[1], code == 0)

    def test_a_dry_run_compares_the_keys_of_small_shards_and_counts_missing_texts(self):
        for name, keys in (("a", ["k0", "k1", "k2", *(f"a{n}" for n in range(9))]),
                           ("b", ["k2", "k3", "k1", *(f"b{n}" for n in range(9))])):
            self.write(f"{name}.tar.bz2", harness.compress("bzip2", tar(
                [member for number, key in enumerate(keys)
                 for member in ((f"{key}.txt", b"" if number == 1 else b"t"), (f"{key}.wav", tone(900)))])))
        command = ["repack", "a=a.tar.bz2", "b=b.tar.bz2", "--out", "out", "--shards", 1, "--dry-run"]
        said = self.shardmill(*command, code=1).err
        for part in ("b.tar.bz2: the key 'k2' is in the datasets 'a' and 'b'; the sources have 1 other key more "
                     "than once: 'k1'",
                     "--on-duplicate prefix", "'k1' has no transcript (--require-text leaves out such samples)",
                     "'k3' has no transcript (--require-text leaves out such samples)"):
            self.assertIn(part, said)
        self.shardmill(*command, "--on-duplicate", "prefix", "--require-text")
        # Too many, and all of the dataset was read.
        self.write("c.tar", tar([("x.txt", b""), ("x.wav", tone(900)), ("y.txt", b"t"), ("y.wav", tone(900))]))
        self.fails("repack", "c=c.tar", "--out", "out", "--shards", 1, "--dry-run",
                   says="dataset 'c': 1 of 2 samples has no transcript (--require-text")
        # Also beside other faults, of which there is one list.
        self.write("t.csv", b"path,text\nc0.wav,\nc1.wav,t\nc2.wav,u\nc3.wav,t\nc4.wav,u\nc5.wav,t\nc6.wav,u\n"
                            b"c7.wav,t\nc8.wav,u\nc9.wav,u\nnone.wav,u\n")
        for number in range(10):
            self.write(f"c{number}.wav", tone(900, seed=number))
        said = self.shardmill(*command, "c=t.csv", code=1).err
        for part in ("none.wav: No such file", "the key 'k2'",
                     "'c0' has no transcript (--require-text leaves out such samples)"):
            self.assertIn(part, said)

    def test_a_dry_run_counts_samples_without_speakers(self):
        for number in range(12):
            self.write(f"d/p{number % 4}/c{number}.wav", tone(900, seed=number))
        self.write("d/t.csv", "".join(["path,text,who\n", *(f"p{n % 4}/c{n}.wav,t{n},{'' if n == 3 else n}\n"
                                                             for n in range(11))]).encode())
        command = ["repack", "d=d", "--out", "out", "--shards", 1, "--dry-run", "--split", "dev=0.1s",
                   "--metadata", "d=d/t.csv"]
        said = self.shardmill(*command, "--allow-missing-text", code=1).err
        for part in ("the speaker of 'p0/c0' of d", "as that of 11 more", "d='([^/]+)/[^/]*$', which finds 'p0'"):
            self.assertIn(part, said)
        self.assertIn("the speaker of 'p3/c11' of d is not known, as that of 1 more",
                      self.shardmill(*command, "--speaker-field", "d=who", "--allow-missing-text", code=1).err)
        with open(self.folder / "d/t.csv", "a") as table:
            table.write("p9/c99.wav,none,9\n")
        said = self.shardmill(*command, "--speaker-field", "d=who", "--require-text", code=1).err
        self.assertIn("d/t.csv: 1 row has no sample: 'p9/c99'", said)
        self.assertIn("the speaker of 'p3/c3' of d", said)
        self.assertNotIn("more,", said)

    def test_samples_without_a_speaker_are_left_out(self):
        """Where bad samples are, and few lack it; where most do, it is a mistake in the command."""
        rows = [(f"c{number}", b"" if number in (3, 17) else b"p%d" % (number % 5)) for number in range(24)]
        self.write("s.tar", tar([member for key, who in rows for member in
                                 ((f"{key}.json", b'{"text": "t", "who": "%s"}' % who), (f"{key}.wav", tone(900)))]))
        for number, (key, _) in enumerate(rows):
            self.write(f"f/{key}.wav", tone(900, seed=number))
        self.write("f.csv", "".join(["id,path,text,who\n", *(f"x{key},f/{key}.wav,t,{who.decode()}\n"
                                                              for key, who in rows)]).encode())
        command = ["s=s.tar", "f=f.csv", "--out", "out", "--split", "dev=0.1s", "--speaker-field", "who",
                   "--on-duplicate-audio", "first"]
        said = self.shardmill("repack", *command, "--dry-run", code=1).err
        for name, key in (("s", "c3"), ("f", "xc3")):
            self.assertIn(f"the speaker of '{key}' of {name} is not known", said)
        self.assertIn("--on-error skip leaves out samples without one", said)
        self.assertNotIn("for example", said)
        skip = ["--on-error", "skip", "--max-rejects", 4]
        said = self.shardmill("repack", *command, *skip, "--dry-run").err
        self.assertIn("the speaker of 'xc3' of f is not known", said)
        command = command[:-2]
        self.repack(*command, *skip, "-q")
        rejects = [record for split in ("train", "dev") for record in self.records(f"out/{split}", "rejects.jsonl")]
        self.assertEqual(sorted((record["reason"], record["key"]) for record in rejects),
                         [("no_speaker", key) for key in ("c17", "c3", "xc17", "xc3")])
        self.assertEqual(sum(len(self.records(f"out/{split}")) for split in ("train", "dev")), 44)
        self.shardmill("verify", "out")
        said = self.shardmill("repack", *command[:2], "--out", "other", "--split", "dev=0.1s", *skip, code=1).err
        for name, key in (("s", "c0"), ("f", "xc0")):
            self.assertIn(f"the speaker of '{key}' of {name} is not known (its fields: who), as that of 23 more", said)

    def test_no_speaker_is_asked_of_samples_that_a_filter_leaves_out(self):
        self.write("s.tar", tar([member for n in range(12) for member in
                                 ((f"k{n}.json", b'{"text": "%s", "speaker": "%s"}' % ((b"", b"") if n == 5 else
                                                                                       (b"t", b"p%d" % (n % 3)))),
                                  (f"k{n}.wav", tone(900)))]))
        command = ["repack", "s=s.tar", "--out", "out", "--split", "dev=0.1s"]
        self.fails(*command, says="the speaker of 'k5' of s has an empty name")
        self.shardmill(*command, "--require-text", "-q")
        self.assertEqual(sum(len(self.records(f"out/{split}")) for split in ("train", "dev")), 11)

    def test_a_dataset_that_is_left_out_as_a_whole_is_told(self):
        self.write("pod/show.wav", tone(30000))
        self.write("pod/show.csv", b"start,end,said\n0.1,0.5,a\n0.6,1.2,b\n")
        self.write("s.tar", tar([("k.txt", b"t"), ("k.wav", tone(900))]))
        self.write("sex.csv", b"key,sex\nk,f\n")
        command = ["p=pod", "s=s.tar", "--labels", "p=pod/show.csv", "--metadata", "s=sex.csv", "--out", "out",
                   "--shards", 1, "--require-text"]
        self.fails("repack", *command, says=["pod/show.csv: has no row with a transcript", "said"])
        said = self.repack(*command, "--text-field", "p=said", "--min-duration", "0.1s").err
        self.assertIn("all samples of dataset 's' were left out", said)

    def test_a_kaldi_folder_inside_the_folder(self):
        for number in range(3):
            self.write(f"calls/audio/r{number}.wav", tone(9000, seed=number))
        self.write("calls/data/wav.scp", b"".join(b"r%d ../audio/r%d.wav\n" % (n, n) for n in range(3)))
        self.write("calls/data/segments", b"".join(b"r%d-%d r%d %.1f %.1f\n" % (n, i, n, i / 10, i / 10 + 0.1)
                                                   for n in range(3) for i in range(4)))
        self.write("calls/data/text", b"".join(b"r%d-%d words\n" % (n, i) for n in range(3) for i in range(4)))
        self.fails("repack", "c=calls", "--out", "no", says=["calls/data is a Kaldi folder", "give it as c=calls/data"])
        self.write("s.tar", tar([("k.txt", b"t"), ("k.wav", tone(900))]))
        proposal = json.loads(self.shardmill("inspect", "c=calls", "s=s.tar", "--json", code=None).out)["proposal"]
        self.shardmill(*shlex.split(proposal["command"])[1:])
        self.assertEqual(len(self.records("mixed")), 13)

    def test_an_estimate_with_speakers_from_keys(self):
        self.write("s.tar", tar([member for n in range(20) for member in ((f"p{n % 4}-{n}.txt", b"t"),
                                                                         (f"p{n % 4}-{n}.wav", tone(8000)))]))
        for more in ([], ["--on-error", "skip"]):
            said = self.shardmill("repack", "s=s.tar", "--out", "x", "--dry-run", "--split", "dev=1s",
                                  "--speaker-from", "s=^([^-]+)-", *more).out.decode()
            self.assertRegex(said, r"audio +about 10\.00 s\n")

    def test_a_subset_without_samples(self):
        self.write("d/k.txt", b"t")
        self.write("d/k.wav", tone(900))
        self.fails("repack", "x=d", "--subset", "dev", "--out", "no", "--shards", 1,
                   says="all samples were left out: 1 other_subset")
        said = self.repack("x=d", "--subset", "train,dev", "--out", "out", "--shards", 1).err
        self.assertIn("warning: no sample belongs to the subset 'dev'", said)

    def test_all_bad_rows_of_a_table_are_told_at_once(self):
        for number in range(3):
            self.write(f"d/clips/c{number}.wav", tone(900, seed=number))
        self.write("t.tsv", b"key\tsentence\nclips/c0\tx\nclips/c0\ty\nb\n\tz\nc\n")
        self.fails("repack", "x=d", "--metadata", "t.tsv", "--out", "no", says=[
            "t.tsv: line 4: has 1 fields", "2 more rows are bad, too, as lines 5, 6",
            "'clips/c0' has two rows that differ, in line 2"])

    def test_a_table_beside_the_audio_that_names_the_speakers_is_one_fault(self):
        for number in range(12):
            self.write(f"d/c{number}.wav", tone(900, seed=number))
        rows = [f"c{number}.wav,said {number},{number}\n" for number in range(12)]
        self.write("d/t.csv", "".join(["file,words,Talker\n", *rows]).encode())
        self.write("p/show.wav", tone(30000))
        self.write("p/show.csv", b"start,end,text,speaker\n0.1,0.5,a,x\n0.6,1.2,b,y\n")
        command = ["repack", "d=d", "p=p", "--out", "out", "--shards", 1, "--split", "dev=0.1s"]
        said = self.shardmill(*command, "--dry-run", code=1).err
        self.assertEqual(len(said.splitlines()), 2, said)
        self.assertIn("--metadata d=d/t.csv --text-field d=words", said)
        self.assertIn("--labels p=p/show.csv", said)
        self.shardmill(*command, "--metadata", "d=d/t.csv", "--text-field", "d=words", "--labels", "p=p/show.csv")

    def test_tables_in_several_folders(self):
        for split in ("train", "test"):
            for number in range(4):
                self.write(f"d/{split}/{split}{number}.wav", tone(900, seed=number))
            rows = b"".join(b"%s%d.wav,text %d\n" % (split.encode(), number, number) for number in range(4))
            self.write(f"d/{split}/metadata.csv", b"file_name,transcription\n" + rows)
        said = self.fails("repack", "x=d", "--out", "out", "--shards", 1,
                          says=["--metadata x=d/test/metadata.csv --metadata x=d/train/metadata.csv"])
        self.repack("x=d", "--out", "out", "--shards", 1, "-q",
                    "--metadata", "x=d/test/metadata.csv", "--metadata", "x=d/train/metadata.csv")
        self.assertEqual(sum(record["text"].startswith("text") for record in self.records("out")), 8, said)

    def test_wrong_usage_only(self):
        for command in (["a=", "b="], ["a="]):
            self.shardmill("repack", *command, "--out", "out", code=2 if len(command) == 1 else 1)


class Names(Repacking):
    def test_the_working_folder_names_nothing(self):
        shard = tar([("k.txt", b"t"), ("k.wav", tone(900))])
        for folder in ("here", "there"):
            self.write(f"{folder}/a.tar", shard)
            for source in ("a.tar", ".", "*.tar", "./a.tar"):
                self.shardmill("repack", source, "--out", "../made", "--shards", 1, "-q", cwd=self.folder / folder)
                record, = self.records("made")
                self.assertEqual(record["dataset"], "data", source)
                shutil.rmtree(self.folder / "made")
        self.repack("here", "--out", "out", "--shards", 1, "-q")
        self.assertEqual(self.records("out")[0]["dataset"], "here")

    def test_words_of_other_tools(self):
        for given, meant in (("--resample", "--sample-rate"), ("--mono", "--channels mono"), ("--jobs", "--threads"),
                             ("--output-dir", "--out"), ("--overwrite", "--force"), ("--num-shards", "--shards"),
                             # WeNet, NeMo, Lhotse, WebDataset, sox and ffmpeg, in this order
                             ("--num_utts_per_shard", "--shard-samples"), ("--num_threads", "--threads"),
                             ("--segments", "--labels"),
                             ("--manifest_path", "without an option"), ("--target_dir", "--out"),
                             ("--max_duration", "--max-duration"),
                             ("--shuffle_seed", "--seed"), ("--force_codec", "--audio"), ("--num-jobs", "--threads"),
                             ("--verbose", "--progress"), ("--maxcount", "--shard-samples"),
                             ("--maxsize", "--shard-size"),
                             ("--rate", "--sample-rate"), ("--remix", "--channels"), ("--input", "without an option")):
            self.fails("repack", "x", "--out", "y", f"{given}=3", code=2, says=meant)
        self.fails("ranks", "x", "--gpus", "8", code=2, says="--world-size")
        for given, meant in (("-r", "--sample-rate"), ("-c", "--channels"), ("-b", "--bits"),
                             ("-i", "without an option"),
                             ("-ar", "--sample-rate"), ("-ac", "--channels"), ("-y", "--force")):
            self.fails("repack", "x", "--out", "y", given, "1", code=2, says=meant)


class Forms(Repacking):
    def test_one_channel_and_16_bits(self):
        left, right = (numpy.random.default_rng(seed).integers(-30000, 30000, 4000, dtype=numpy.int16)
                       for seed in (1, 2))
        both = numpy.stack([left, right], axis=1).astype(numpy.int32) << 16
        for subtype in ("PCM_16", "PCM_24", "PCM_32"):
            for form in ("WAV", "FLAC") if subtype != "PCM_32" else ("WAV",):
                out = io.BytesIO()
                soundfile.write(out, both, 16000, format=form, subtype=subtype)
                self.write(f"in/{form}{subtype}.{form.lower()}", out.getvalue())
                self.write(f"in/{form}{subtype}.txt", b"t")
        for choice, wanted in (("left", left), ("right", right)):
            self.repack("x=in", "--out", choice, "--shards", 1, "-q", "--channels", choice, "--bits", 16)
            for record in self.records(choice):
                self.assertTrue(record["format"].endswith("/pcm16"), record)
                audio = self.shardmill("cat", f"{choice}/shards/audio_000000000.tar", record["audio_filepath"]).out
                values, rate = soundfile.read(io.BytesIO(audio), dtype="int16")
                self.assertEqual(rate, 16000)
                self.assertTrue(numpy.array_equal(values, wanted), record["key"])
            self.shardmill("verify", choice, "--decode", "--against", "x=in")
        self.repack("x=in", "--out", "bits", "--shards", 1, "-q", "--bits", 16)
        for record in self.records("bits"):
            self.assertEqual((record["channels"], record["format"].split("/")[1]), (2, "pcm16"))


class FaultsInsideOfFiles(Repacking):
    """A dry run takes about a second to look into files: shards, and the lengths of recordings."""

    def test_shards_and_segments(self):
        good = [member for n in range(6) for member in ((f"k{n}.txt", b"t"), (f"k{n}.wav", tone(900, seed=n)))]
        self.write("good.tar", tar(good))
        self.write("text.tar", tar([(name, "今天".encode("gbk") if name == "k3.txt" else data) for name, data in good]))
        self.write("cut.tar.bz2", harness.output_of("bzip2", "-c", data=tar(good))[:-40])
        self.write("audio.tar", tar([(name, data[:500] if name == "k4.wav" else data) for name, data in good]))
        self.write("rec.wav", tone(16000, seed=1))
        self.write("n.json", b'{"audio_filepath": "rec.wav", "offset": 0.25, "duration": 0.5, "text": "a"}\n'
                             b'{"audio_filepath": "rec.wav", "offset": 2.5, "duration": 1, "text": "b"}\n')
        sources = ["a=good.tar", "b=text.tar", "c=cut.tar.bz2", "d=audio.tar", "e=n.json", "--on-duplicate", "prefix"]
        said = self.shardmill("repack", *sources, "--out", "out", "--dry-run", code=1).err
        for part in ("1 source file is damaged", "text.tar: member 'k3", "is not UTF-8", "cut.tar.bz2",
                     "audio.tar: member 'k4.wav'", "rec.wav: member 'rec-",
                     "ends at 3.5 s, but its recording at 1.000 s"):
            self.assertIn(part, said)
        self.assertEqual(len(said.splitlines()), 5, said)
        said = self.shardmill("repack", "a=good.tar", "--out", "out", "--dry-run").err
        self.assertEqual(said, "")


class FaultsWithTheirReasons(Repacking):
    """What a stranger met: each fault is found by a dry run, and its message is true."""

    def dry(self, *arguments, code=1):
        return self.shardmill("repack", *arguments, "--out", "out", "--dry-run", code=code)

    def clips(self, folder="a", names=("S10_0001", "S10_0002", "S11_0001"), text=True):
        for number, name in enumerate(names):
            self.write(f"{folder}/{name}.wav", tone(900 + number, seed=number))
            if text:
                self.write(f"{folder}/{name}.txt", b"words")

    def test_archives_that_are_cut(self):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("LJSpeech-1.1/metadata.csv", "".join(f"LJ{n:03}|a b|a b\n" for n in range(9)))
            for n in range(9):
                archive.writestr(f"LJSpeech-1.1/wavs/LJ{n:03}.wav", tone(9000, seed=n))
        self.write("lj.zip", out.getvalue())
        self.dry("x=lj.zip", code=0)
        self.shardmill("inspect", "--fast", "lj.zip")
        loose = io.BytesIO()
        with zipfile.ZipFile(loose, "w") as archive:
            for n in range(9):
                archive.writestr(f"c{n}.wav", tone(9000, seed=n))
        for cut in (100, len(out.getvalue()) // 2):
            self.write("lj.zip", out.getvalue()[:-cut])
            for said in (self.dry("x=lj.zip").err, self.shardmill("inspect", "--fast", "lj.zip", code=1).out.decode()):
                self.assertIn("it was probably cut", said)
            self.write("loose.zip", loose.getvalue()[:-cut])
            for said in (self.dry("x=loose.zip").err, self.shardmill("inspect", "--fast", "loose.zip", code=1).err):
                self.assertIn("it was probably cut", said)
                self.assertIn("download it again", said)

    def test_shards_that_are_cut(self):
        good = tar([member for n in range(6)
                    for member in ((f"k{n}.txt", b"t"), (f"k{n}.wav", tone(9000, seed=n)))])
        for codec in ("bzip2", "xz", "zstd", "lz4", "none"):
            packed = harness.compress(codec, good)
            two = harness.compress(codec, good[:5120]) + harness.compress(codec, good[5120:])
            for name, data, is_good in (("whole", packed, True), ("streams", two, True), ("tail", packed[:-3], False),
                                        ("half", packed[:len(packed) // 2], False)):
                if codec == "none" and name == "tail":
                    continue  # only end blocks
                self.write("x.tar", data)
                said = self.shardmill("inspect", "--fast", "x.tar", code=0 if is_good else None).out.decode()
                self.assertEqual(any(words in said for words in ("before its proper end", "end blocks")), not is_good,
                                 f"{codec} {name} {said}")

    def test_an_option_in_place_of_a_value(self):
        self.clips()
        self.repack("x=a", "--out", "made", "--shards", 1, "-q")
        for words in (["repack", "x=a", "--out", "--dry-run"], ["verify", "made", "--against", "--decode", "x=a"],
                      ["repack", "x=a", "--out", "out", "--speaker-from", "--force"]):
            at = next(number for number, word in enumerate(words) if word in ("--out", "--against", "--speaker-from")
                      and words[number + 1].startswith("--"))
            self.fails(*words, code=2, says=[f"{words[at]} has no value: {words[at + 1]} comes right behind it"])
        self.assertFalse((self.folder / "--dry-run").exists())
        for order in (["--against", "x=a", "--decode", "--allow-commands"], ["--allow-commands", "--against", "x=a"],
                      ["--against=x=a", "--allow-commands"]):
            self.shardmill("verify", "made", *order)

    def test_a_key_twice_in_one_dataset(self):
        self.clips()
        self.write("t.csv", b"id,path,text\nk,a/S10_0001.wav,a\nk,a/S10_0002.wav,b\nm,a/S11_0001.wav,c\n")
        self.write("u.csv", b"id,path,text\nm,a/S10_0001.wav,a\n")
        self.write("s.tar", tar([("k.txt", b"t"), ("k.wav", tone(900)), ("l.txt", b"t"), ("l.wav", tone(900)),
                                 ("k.txt", b"t"), ("k.wav", tone(900))]))
        for sources in (["x=t.csv"], ["y=u.csv", "x=t.csv"], ["x=t.csv", "--on-duplicate", "prefix"]):
            said = self.dry(*sources).err
            self.assertIn("twice in the dataset 'x'", said)
            self.assertIn("--on-duplicate rename", said)
            self.assertNotIn("--on-duplicate prefix", said)
        said = self.repack("x=s.tar", "--out", "out", "--shards", 1, code=1).err
        self.assertNotIn("--on-duplicate prefix", said)
        self.repack("y=u.csv", "x=t.csv", "--out", "four", "--shards", 1, "-q", "--on-duplicate", "rename")
        self.assertEqual(len(self.records("four")), 4)
        self.assertIn("--on-duplicate prefix", self.dry("y=u.csv", "z=u.csv").err)

    def test_the_expression_for_speakers_fits_the_key(self):
        for names in (("S10_0001", "S11_0002"), ("A.1", "B.2"), ("d/S10-1", "d/S11-1")):
            shutil.rmtree(self.folder / "a", ignore_errors=True)
            self.clips(names=names)
            said = self.dry("x=a", "--split", "dev=0.01s").err
            example = re.search("example (x='[^']*'), which finds '([^']*)' in '([^']*)', --speaker", said)
            pattern, found, key = example.groups()
            self.assertTrue(key in names and found in key, said)
            self.repack("x=a", "--out", "made", "--split", "dev=0.01s", "-q", "--speaker-from", *shlex.split(pattern))
            self.assertIn(found, {record["speaker"] for part in ("train", "dev")
                                  for record in self.records(f"made/{part}")})
            shutil.rmtree(self.folder / "made")
        shutil.rmtree(self.folder / "a")
        self.clips(names=("abc", "def"))
        self.assertNotIn("for example", self.dry("x=a", "--split", "dev=0.01s").err)

    def test_kaldi_texts_of_other_keys(self):
        self.clips(text=False)
        self.write("a/wav.scp", b"r1 S10_0001.wav\nr2 S10_0002.wav\n")
        self.write("a/text", b"xr1 hello\nxr2 you\n")
        self.assertIn("it has keys such as 'xr1', and that such as 'r1'", self.dry("x=a").err)
        self.write("a/segments", b"u1 r1 0 0.02\nu2 r2 0 0.02\n")
        self.write("a/text", b"r1 hello\nr2 you\n")
        said = self.dry("x=a").err
        self.assertIn("a/text: line 1: none of its keys is in", said)
        self.assertIn("it has keys such as 'r1', and that such as 'u1'", said)
        self.assertEqual(len(said.splitlines()), 1, said)

    def test_tables_in_other_forms(self):
        self.clips()
        rows = [{"audio_filepath": "a/S10_0001.wav", "duration": 0.05, "text": "a"}]
        table = "path,text\na/S10_0001.wav,größer\n"
        for name, content, says in (
                ("m.json", json.dumps(rows).encode(), ["one JSON array", "write one object a line"]),
                ("p.json", json.dumps(rows, indent=2).encode(), ["one JSON array", "write one object a line"]),
                ("t.csv", table.encode("utf-16"), ["a text in UTF-16", "iconv -f UTF-16 -t UTF-8"]),
                ("b.tsv", table.encode("utf-16-be"), ["a text in UTF-16BE", "iconv -f UTF-16BE -t UTF-8"]),
                ("t.xlsx", b"PK\3\4" + bytes(200), ["is a spreadsheet", "export it as CSV"]),
                ("t.xls", b"\xd0\xcf\x11\xe0" + bytes(600), ["is a spreadsheet", "export it as CSV"])):
            self.write(name, content)
            self.fails("repack", f"x={name}", "--out", "out", "--dry-run", says=[name, *says], code=None)

    def test_programs_that_are_not_there(self):
        self.clips(text=False)
        self.write("a/text", b"r1 hello\nr2 you\n")
        wav = self.folder / "a/S10_0001.wav"
        for command, missing in ((f"no_such_program -f {wav}", "no_such_program"),
                                 (f"cat {wav} | no_such_other - -", "no_such_other"),
                                 (f"/no/such/place {wav}", "/no/such/place"), (f"cat {wav}", None),
                                 (f"cat {wav} | ( cat )", None), (f"A=b cat '{wav}' | cat", None),
                                 (f"echo 'a | no_such' >&2; cat {wav}", None), (f"test -f x || cat {wav}", None)):
            self.write("a/wav.scp", f"r1 {command} |\nr2 S10_0002.wav\n".encode())
            said = self.dry("x=a", "--allow-commands", code=1 if missing else 0).err
            self.assertEqual(said.count("no such program is on the PATH"), 1 if missing else 0, said)
            self.assertIn(missing or "", said)
        self.write("a/wav.scp", b"r1 no_such_program |\n" + b"".join(b"s%d S10_0002.wav\n" % n for n in range(20)))
        self.write("a/text", b"r1 hello\n" + b"".join(b"s%d you\n" % n for n in range(20)))
        self.repack("x=a", "--allow-commands", "--out", "out", "--shards", 1, "-q", "--on-error", "skip",
                    "--max-rejects", 1)
        self.assertEqual([record["text"] for record in self.records("out")], ["you"] * 20)

    def test_files_that_commands_would_read(self):
        self.clips(text=False)
        self.write("a/text", b"r1 hello\nr2 you\n")
        wav = self.folder / "a/S10_0001.wav"
        for command, is_missing in ((f"sox {wav} -t wav -", False), ("cat a/S10_0001.wav", False),
                                    ("cat S10_0001.wav", False), ("sox /no/a.wav -t wav -", True),
                                    ("cat no.WAV | cat", True), ("test -f no.wav || cat S10_0001.wav", False),
                                    (f"cp {wav} b.wav; cat b.wav", False)):
            self.write("a/wav.scp", f"r1 {command} |\nr2 {wav}\n".encode())
            said = self.shardmill("repack", "x=a", "--out", "out", "--dry-run", code=1).err
            self.assertEqual(said.count(", which is not there"), 1 if is_missing else 0, said)
            self.assertIn("--allow-commands", said)
            self.dry("x=a", "--allow-commands", code=1 if is_missing else 0)

    def test_texts_that_commands_without_leave_hide(self):
        self.clips(text=False)
        self.write("a/wav.scp", b"r1 cat S10_0001.wav |\nr2 S10_0002.wav\nr3 cat gone.wav |\nr4 S10_0003.wav\n")
        self.write("a/text", b"r1 hello\nr2 \nr3 you\n")
        for more in ((), ("--allow-commands",)):
            said = self.shardmill("repack", "x=a", "--out", "out", "--dry-run", *more, code=1).err
            self.assertIn("1 of 2 samples has no transcript", said)
            self.assertIn("line 3: reads gone.wav, which is not there", said)

    def test_rows_of_audio_that_is_not_there_count_for_nothing(self):
        self.write("long.wav", tone(16000 * 6, seed=1))
        rows = [{"audio_filepath": "long.wav", "offset": n, "duration": 0.9, "text": "t"} for n in range(6)]
        rows.append({"audio_filepath": "long.wav", "offset": 0, "duration": 500, "text": "t"})
        self.write("n.json", "".join(json.dumps(row) + "\n" for row in rows).encode())
        self.fails("repack", "x=n.json", "--out", "out", "--take", "x=1min", "--on-error", "skip",
                   says="the dataset 'x' holds about 5.00 s")
        said = self.shardmill("repack", "x=n.json", "--out", "out", "--shards", 1, "--split", "dev=10s", "--split-by",
                              "key", "--dry-run", "--on-error", "skip", "--max-rejects", 1, code=1).err
        self.assertIn("the sources hold about", said)

    def test_times_of_segments_that_are_no_numbers(self):
        self.clips(text=False)
        self.write("a/wav.scp", b"r S10_0001.wav\n")
        self.write("a/segments", b"u1 r 0 0.01\nu2 r abc 0.02\nu3 r 0.01 0.02\nu4 r 0.02 nan\n")
        self.write("a/text", b"u1 a\nu2 b\nu3 c\nu4 d\n")
        said = self.dry("x=a").err
        self.assertIn("a/segments: line 2: 'abc' is not a number of seconds, and 1 more segment cannot be cut", said)
        # What audio lacks hides no text that is missing.
        self.write("b/wav.scp", "".join(f"u{n} ../a/S10_0001.wav\n" for n in range(40)).encode())
        self.write("b/text", "".join(f"{'u' if n < 38 else 'v'}{n} t\n" for n in range(44)).encode())
        said = self.dry("x=b").err
        self.assertIn("has no transcript", said)
        self.assertIn("the audio is not there for", said)
        self.repack("x=a", "--out", "out", "--shards", 1, "-q", "--on-error", "skip", "--max-rejects", 2,
                    "--allow-missing-text")
        self.assertEqual([record["reason"] for record in self.records("out", "rejects.jsonl")], ["bad_segment"] * 2)

    def test_expressions_that_find_one_speaker(self):
        for number in range(24):
            self.write(f"a/zh_S{number % 4}_{number:02d}.wav", tone(900, seed=number))
            self.write(f"a/zh_S{number % 4}_{number:02d}.txt", b"t")
        command = ["x=a", "--split", "dev=0.2s", "--shards", 1]
        self.assertIn("for example x='^[^_]+_([^_]+)_', which finds 'S0'", self.dry(*command).err)
        self.assertEqual(self.dry(*command, "--speaker-from", "x=^[^_]+_([^_]+)_", code=0).err, "")
        said = self.dry(*command, "--speaker-from", "x=^([^_]+)_", code=0).err
        self.assertIn("finds 'zh' in 24 of 24 samples, which stay together in one split", said)

    def test_channels_and_lengths_that_recordings_do_not_have(self):
        self.clips(text=False)
        for row in ("S10_0001.wav,3,0.05", "S10_0001.wav,0,9"):
            self.write("a/t.csv", f"path,channel,duration,text\n{row},hi\nS10_0002.wav,0,0.05,you\n".encode())
            said = self.dry("x=a/t.csv").err
            self.assertRegex(said, "is of channel 3|ends at 9 s, but its recording")

    def test_a_table_that_is_advised_is_looked_at(self):
        """As if it had been given: rows without audio, audio without a row, empty texts, speakers."""
        for number in range(30):
            self.write(f"a/c{number:02d}.wav", tone(900, seed=number))
        rows = [f"c{number:02d}\t{'' if number == 7 else 'words'}\t{'' if number == 9 else 's1'}\n"
                for number in range(1, 30)]
        self.write("a/t.tsv", ("id\tsentence\tspeaker_id\n" + "".join(rows) + "zz\twords\ts2\n").encode())
        command = ["repack", "x=a", "--out", "out", "--dry-run", "--split", "dev=1s"]
        said = self.shardmill(*command, code=1).err
        for part in ("--metadata x=a/t.tsv", "1 row has no sample: 'zz'", "'c00' has no transcript, and neither has 1",
                     "the speaker of 'c00' of x is not known, as that of 1 more"):
            self.assertIn(part, said)
        given = self.shardmill(*command, "--metadata", "x=a/t.tsv", code=1).err
        self.assertEqual([line for line in said.splitlines() if "is a table of them" not in line], given.splitlines())

    def test_texts_of_shards_that_are_left_out_are_told(self):
        members = []
        for number in range(30):
            text = b"" if number == 3 else b"a"
            members += [(f"k{number:02d}.wav", tone(900, seed=number)), (f"k{number:02d}.txt", text)]
        self.write("a.tar", tar(members))
        for more, says in (((), "'k03' has no transcript (--require-text leaves out"),
                           (("--require-text",), "'k03' has no transcript; left out")):
            self.assertIn(says, self.dry("x=a.tar", *more, code=0).err)

    def test_commands_that_are_not_allowed_hide_no_other_fault_and_do_not_run(self):
        self.write("k/wav.scp", b"r touch ran; cat a.wav |\nq no_such_program a.wav |\n")
        self.write("k/segments", b"s1 r 1 0.5\ns2 r 0 1\ns3 r 1 2\ns4 q 0 1\n")
        self.write("k/text", b"s1 t\ns2 t\ns3 \ns9 t\ns4 t\n")
        for more in (["--dry-run"], [], ["--dry-run", "--on-error", "skip"], ["--on-error", "skip"]):
            said = self.shardmill("repack", "k=k", "--out", "out", *more, code=1).err
            self.assertIn("is a command, not a file (--allow-commands runs all commands of wav.scp", said)
            self.assertFalse((self.folder / "ran").exists())
            if "skip" not in more:
                for part in ("would begin at 1 s and end at 0.5 s", "'s9' has a transcript", "no_such_program"):
                    self.assertIn(part, said)
        self.shardmill("inspect", "k", code=None)
        self.shardmill("verify", "k", code=None)
        self.assertFalse((self.folder / "ran").exists())

    def test_segments_of_commands_that_are_not_allowed(self):
        """The one file that a command reads says how long they may be, if the command changes only the form."""
        self.write("k/audio/a.wav", tone(16000))
        self.write("k/wav.scp", b"r cat audio/a.wav |\nq cat audio/a.wav audio/a.wav |\n")
        self.write("k/segments", b"s1 r 0 0.5\ns2 r 0.5 9\ns3 q 0 1.5\n")
        self.write("k/text", b"s1 t\ns2 t\ns3 t\n")
        said = self.shardmill("repack", "k=k", "--out", "out", "--dry-run", code=1).err
        self.assertIn("member 's2': ends at 9 s, but its recording at 1.000 s, unless its command", said)
        self.assertNotIn("'s3'", said)

    def test_a_folder_above_all_sources(self):
        """Its advice, followed to the letter, gives every sample once."""
        for number in range(8):
            audio = tone(900 + number, seed=number)
            for name in ("calls/wav/c", "kaldi_audio/k", "talks/wav/t", "clips/l", "read/audio/r"):
                self.write(f"all/{name}{number}.wav", audio)
            for name in ("calls/wav/c", "talks/wav/t"):
                self.write(f"all/{name}{number}.txt", b"t")
        self.write("all/kaldi/wav.scp", "".join(f"k{n} all/kaldi_audio/k{n}.wav\n" for n in range(8)).encode())
        self.write("all/kaldi/text", "".join(f"k{n} t\n" for n in range(8)).encode())
        self.write("all/clips.csv", "".join(["path,text\n", *(f"clips/l{n}.wav,t\n" for n in range(8))]).encode())
        self.write("all/read/manifest.json", "".join(
            json.dumps({"audio_filepath": f"audio/r{n}.wav", "text": "t", "duration": 0.1}) + "\n"
            for n in range(8)).encode())
        said = self.shardmill("repack", "all", "--out", "out", "--shards", 1, code=1).err
        sources = re.search(r"NAME=\]SOURCE: (.*)\)$", said)[1].split()
        self.assertIn("read=all/read/manifest.json", sources)
        self.repack(*sources, "--out", "out", "--shards", 1, "-q")
        self.assertEqual(sorted(record["key"] for record in self.records("out")),
                         sorted(f"{name}{n}" for n in range(8) for name in ("c", "clips_l", "audio_r", "k", "t")))
        datasets = {record["dataset"] for record in self.records("out")}
        self.assertEqual(datasets, {"kaldi", "calls_wav", "talks_wav", "clips", "read"})

    def test_one_row_for_two_samples_of_one_key(self):
        """The number that tells their keys apart does not tell which of them the row is about."""
        for number in range(3):
            self.write(f"a/k{number}.wav", tone(900 + number, seed=number))
            self.write(f"b/k{number}.wav", tone(900 + number, seed=9 + number))
        self.write("a.csv", b"key,text\n" + b"".join(b"k%d,t\n" % number for number in range(3)))
        command = ["repack", "--shards", 1, "--on-duplicate", "rename", "-q", "--metadata"]
        self.fails(*command, "x=a.csv", "x=a", "x=b", "--out", "no", says="fits several samples")
        self.shardmill(*command, "x=a.csv", "x=a", "y=b", "--out", "out", "--allow-missing-text")
        self.assertEqual({record["dataset"]: record.get("text") for record in self.records("out")}, {"x": "t", "y": ""})

    def test_a_table_of_texts_without_a_header(self):
        for number in range(8):
            self.write(f"t/ten_{number}.wav", tone(900 + number, seed=number))
        self.write("t.csv", "".join(f"ten_{n}|Text of {n}\n" for n in range(8)).encode())
        command = ["t", "--metadata", "t.csv", "--out", "out", "--shards", 1, "-q"]
        self.fails("repack", *command,
                   says="t.csv: line 1: has no header: its first line is about ten_0 (add a first line")
        self.write("t.csv", b"key|text\n" + self.content("t.csv"))
        self.repack(*command)
        self.assertEqual({record["key"]: record["text"] for record in self.records("out")},
                         {f"ten_{n}": f"Text of {n}" for n in range(8)})

    def test_a_line_of_a_table_that_is_no_text(self):
        """Among lines in UTF-8 it is damaged, and hides no other fault; where many are, the encoding is another one."""
        rows = []
        for number in range(20):
            self.write(f"t/c{number}.wav", tone(900 + number, seed=number))
            rows.append(f"c{number}.wav,schöner Tag {number}\n".encode("latin-1" if number == 7 else "utf-8"))
        self.write("t/t.csv", b"".join([b"path,text\n", *rows, b"none.wav,gone\n", b",empty\n"]))
        says = ["t/t.csv: line 9: column 11: is not UTF-8 (byte 0xF6), but the text before it is", "put it right",
                "none.wav: No such file", "line 23: has no 'path'"]
        said = self.dry("x=t/t.csv").err
        for part in says:
            self.assertIn(part, said)
        self.repack("x=t/t.csv", "--out", "out", "--shards", 1, "--on-error", "skip", "--max-rejects", 3, "-q")
        self.assertEqual(len(self.records("out")), 19)
        self.write("m.csv", b"".join([b"key,text\n", *rows, b"c1.wav\n"]))
        self.fails("repack", "x=t", "--metadata", "m.csv", "--out", "no", "--allow-missing-text",
                   says=["m.csv: line 9: column 11: is not UTF-8", "1 more row is bad, too, as line 22"])
        self.write("t/t.csv", b"path,text\n" + b"".join(row.decode("utf-8", "replace").replace("\ufffd", "ö").encode(
            "latin-1") for row in rows))
        self.fails("repack", "x=t/t.csv", "--out", "no", "--on-error", "skip", says=["line 2", "iconv -f"])

    def test_a_line_of_a_kaldi_folder_that_is_no_text(self):
        """It costs its utterance, and hides no other fault; in a list of recordings or segments it is a mistake."""
        self.write("a.wav", tone(16000))
        keys = [f"u{number:02d}" for number in range(20)]
        self.write("k/wav.scp", b"r cat a.wav |\n")
        self.write("k/segments", "".join(f"{key} r 0 0.{number + 1:02d}\n" for number, key in enumerate(keys)).encode())
        self.write("k/text", b"".join(f"{key} für\n".encode("latin-1" if key == "u07" else "utf-8") for key in keys))
        self.write("k/utt2spk", b"".join(key.encode() + (b" \xff\n" if key == "u09" else b" s\n") for key in keys))
        said = self.dry("x=k").err
        for part in ("k/text: line 8: column 6: is not UTF-8 (byte 0xFC), but the text before it is", "--on-error skip",
                     ", and 1 more text is damaged: 'u09'", "k/wav.scp: line 1: is a command, not a file"):
            self.assertIn(part, said)
        skip = ["--on-error", "skip", "--max-rejects", 2, "--allow-commands", "--shards", 1, "-q"]
        self.repack("x=k", "--out", "out", *skip)
        self.assertEqual(sorted(record["key"] for record in self.records("out")),
                         [key for key in keys if key not in ("u07", "u09")])
        self.assertEqual({(reject["key"], reject["reason"]) for reject in self.records("out", "rejects.jsonl")},
                         {("u07", "bad_text"), ("u09", "bad_text")})
        self.write("k/segments", self.content("k/segments").replace(b"u05 r", b"u05 \xff"))
        self.assertIn("k/segments: line 6: column 5: is not UTF-8", self.dry("x=k", *skip[:-3]).err)
        self.write("k/text", b"".join(f"{key} für\n".encode("latin-1") for key in keys))
        self.assertIn("iconv -f", self.dry("x=k", *skip[:-3]).err)

    def test_a_bad_row_hides_no_column(self):
        """Whatever is wrong with one row, the advice names the column that may hold the transcripts, and follows it."""
        for number in range(12):
            self.write(f"t/c{number}.wav", tone(900 + number, seed=number))
        rows = "".join(f"c{number}.wav,words {number},s\n" for number in range(11))
        self.write("t/t.csv", f"audio,phrase,speaker\n,none,s\n{rows}".encode())
        says = ["t/t.csv: dataset 'x': none of 11 samples", "--text-field x=phrase", "line 2: has no 'audio'"]
        said = self.dry("x=t/t.csv").err
        for part in says:
            self.assertIn(part, said)
        self.write("m.csv", f"file,phrase,speaker\n{rows}".encode())
        said = self.dry("x=t", "--metadata", "x=m.csv").err
        for part in ("--text-field x=phrase", "'c11' has no transcript"):
            self.assertIn(part, said)

    def test_a_named_field_fills_gaps(self):
        members = []
        for number in range(8):
            fact = b'{"who": "w"}' if number % 2 else b'{"spk": "s"}'
            members += [(f"k{number}.wav", tone(900, seed=number)), (f"k{number}.txt", b"t"), (f"k{number}.json", fact)]
        self.write("a.tar", tar(members))
        self.repack("x=a.tar", "--out", "out", "--split", "dev=0.1s", "--speaker-field", "x=who", "-q")
        self.assertEqual({record["key"]: record["speaker"] for part in ("train", "dev")
                          for record in self.records(f"out/{part}")},
                         {f"k{n}": "w" if n % 2 else "s" for n in range(8)})

    def test_relative_paths_in_commands_and_a_trial_of_the_first(self):
        """They lead from the working folder or, as those of plain files, from the list's folder or one above it."""
        for number in range(3):
            self.write(f"calls/audio/r{number}.wav", tone(900, seed=number))
        self.write("calls/data/train/text", b"r0 one\nr1 two\nr2 three\n")
        for path in ("../../audio/r%d.wav", "audio/r%d.wav", "'audio/r%d.wav'", "calls/audio/r%d.wav"):
            rows = "".join(f"r{number} cat {path % number} | cat |\n" for number in range(3))
            self.write("calls/data/train/wav.scp", rows.encode())
            self.dry("c=calls/data/train", "--allow-commands", code=0)
            self.repack("c=calls/data/train", "--allow-commands", "--out", "o", "--shards", 1, "-q", "--force")
            self.assertEqual(len(self.records("o")), 3)
            self.shardmill("verify", "o", "--against", "c=calls/data/train", "--allow-commands")
        self.write("calls/data/train/wav.scp",
                   b"r0 cat 'none/r0.wav' |\nr1 echo no audio |\nr2 cat calls/audio/r2.wav |\n")
        said = self.dry("c=calls/data/train", "--allow-commands", code=1).err
        self.assertIn("failed with exit status 1: cat: none/r0.wav: No such file or directory (--on-error skip", said)
        self.assertIn("writes no audio", said)
        self.fails("repack", "c=calls/data/train", "--allow-commands", "--out", "no", "-q",
                   says="failed with exit status 1: cat: none/r0.wav: No such file or directory")
        self.write("calls/data/train/wav.scp", b"r0 sleep 60; cat calls/audio/r0.wav |\nr1 cat calls/audio/r1.wav |\n")
        self.write("calls/data/train/text", b"r0 one\nr1 two\n")
        self.dry("c=calls/data/train", "--allow-commands", code=0)

    def test_a_column_of_keys_with_an_unusual_name(self):
        """It is the first whose values are unlike, without blanks, and have letters."""
        self.clips(text=False, folder="d")
        keys = sorted(path.stem for path in (self.folder / "d").rglob("*.wav"))
        rows = [(number, "yes" if number % 2 else "no", key, f"text {number}") for number, key in enumerate(keys)]
        tables = {"t.csv": "nr,clean,Rec Name,said\n" + "".join("%d,%s,%s,%s\n" % row for row in rows),
                  "t.jsonl": "".join(json.dumps(dict(zip(("nr", "clean", "Rec Name", "said"), row))) + "\n"
                                     for row in rows)}
        for name, table in tables.items():
            self.write(name, table.encode())
            self.repack("d=d", "--metadata", f"d={name}", "--text-field", "d=said", "--out", "o", "--shards", 1, "-q",
                        "--force")
            self.assertEqual({record["text"] for record in self.records("o")}, {row[-1] for row in rows})
        self.write("d/t.csv", tables["t.csv"].replace("said", "sentence").encode())
        self.fails("repack", "d=d", "--out", "no", says="--metadata d=d/t.csv takes its transcripts from there")
        self.write("t.csv", tables["t.csv"].replace("text 0", "text 0\n9,no,more,x").encode())
        self.assertIn("1 row has no sample: 'more'",
                      self.dry("d=d", "--metadata", "d=t.csv", "--text-field", "d=said", code=0).err)
        self.write("t.csv", b"nr,said\n1,a b\n2,c d\n")
        self.fails("repack", "d=d", "--metadata", "d=t.csv", "--out", "no",
                   says="has no column with the keys of the samples: its columns are nr, said")

    def test_a_dry_run_looks_at_labels(self):
        for number in range(2):
            self.write(f"d/r{number}.wav", tone(48000, seed=number))
        rows = ["r0,0,1,one,a", "r1,0,1,two,b", "r1,1,2,three,"]
        write = lambda more: self.write("l.csv", "\n".join(["id,begin,end,text,speaker", *rows, *more, ""]).encode())
        command = ["d=d", "--labels", "d=l.csv"]
        write([])
        self.dry(*command, code=0)
        self.assertIn("the speaker of", self.dry(*command, "--split", "dev=1s", code=1).err)
        write(["r0,2.5,9,late,a", "r1,1,2,three,b"])
        said = self.dry(*command, code=1).err
        self.assertIn("r0.wav", said)
        self.assertIn("ends at 9", said)
        self.assertIn("is twice in the dataset 'd'", said)

    def test_no_column_is_guessed_to_be_the_key_if_another_may_be(self):
        self.clips(text=False, folder="d", names=[f"u{number}" for number in range(6)])
        for table, says in (("prev,cur,text\n" + "".join(f"u{(n + 1) % 6}.wav,u{n}.wav,t {n}\n" for n in range(6)),
                             "has several columns with names of audio files: prev, cur"),
                            ("prompt,rec,text\n" + "".join(f"u{(n + 1) % 6},u{n},t {n}\n" for n in range(6)),
                             "these look like it: prompt, rec"),
                            ("speaker,nr,said\n" + "".join(f"u{n},{n},t {n}\n" for n in range(6)),
                             "no column with the keys of the samples: its columns are speaker, nr, said ("),
                            ("name,clip,gender\n" + "".join(f"N{n},u{n},f\n" for n in range(6)),
                             "these look like it: name, clip")):
            self.write("t.csv", table.encode())
            self.fails("repack", "d=d", "--out", "no", "--metadata", "d=t.csv", says=says)
        for number in range(9):
            self.write(f"n/{number}.wav", tone(900, seed=number))
        rows = lambda step: "id,filename,text\n" + "".join(f"{n},{n + step}.wav,t {n}\n" for n in range(8))
        self.write("t.csv", rows(1).encode())
        self.fails("repack", "n=n", "--out", "no", "--metadata", "n=t.csv", "--require-text",
                   says="'filename' names 1.wav, which is the key of another row")
        self.write("t.csv", rows(0).encode())
        self.repack("n=n", "--out", "o", "--metadata", "n=t.csv", "--require-text", "--shards", 1, "-q")

    def test_relative_paths_of_a_list_all_lead_from_one_folder(self):
        for folder, count in (("run", 1), ("k", 4)):
            for number in range(count):
                self.write(f"h/{folder}/au/r{number}.wav", tone(900, seed=number + len(folder)))
        self.write("h/k/text", b"".join(b"r%d t\n" % n for n in range(4)))
        for form in ("au/r%d.wav", "cat au/r%d.wav |"):
            self.write("h/k/wav.scp", "".join(f"r{n} {form % n}\n" for n in range(4)).encode())
            failed = self.shardmill("repack", "kaldi:../k", "--out", "o", "--shards", 1, "--allow-commands", code=1,
                                    cwd=self.folder / "h/run")
            self.assertIn("au/r1.wav", failed.err)
            self.shardmill("repack", "kaldi:k", "--out", "o", "--shards", 1, "--allow-commands", "--force",
                           cwd=self.folder / "h")

    def test_a_dry_run_ends_as_the_run_does(self):
        self.clips(text=True, folder="d", names=("a", "b"))
        self.write("d/bad.wav", self.content("d/a.wav")[:900])
        self.write("d/bad.txt", b"t")
        self.write("w/w.wav", tone(900, rate=8000))
        self.write("w/w.txt", b"t")
        self.write("stereo/s.wav", tone(900, channels=2))
        self.write("stereo/s.txt", b"t")
        self.write("k/text", b"s1 t\n")
        self.write("k/segments", b"s1 r 0.01 9.5\n")
        self.write("k/wav.scp", b"r cat d/a.wav |\n")
        self.write("one.csv", b"key,text\na,x\n")
        self.write("other.csv", b"key,text\na,y\n")
        for command, code, says in (
                (["d=d", "--exclude", "bad*"], 0, ""),
                (["d=d", "--exclude", "bad*", "--on-error", "skip"], 0, ""),
                (["d=d"], 1, "d/bad.wav"),
                (["d=d", "w=w", "--exclude", "bad*", "--require-uniform"], 1, "to one form"),
                (["d=d", "w=stereo", "--exclude", "bad*", "--channels", "split"], 0, ""),
                (["k=k", "--allow-commands"], 1, "ends at 9.5"),
                (["d=d", "--exclude", "bad*", "--metadata", "d=one.csv", "--metadata", "d=other.csv"], 1,
                 "has different transcripts in one.csv and other.csv")):
            for more in (["--dry-run"], ["-q", "--force"]):
                done = self.shardmill("repack", *command, "--out", "out", "--shards", 1, *more, code=code)
                self.assertIn(says, done.err)
                if code == 0:
                    self.assertNotIn("mix", done.err)
                    self.assertNotIn("left out", done.err)
            shutil.rmtree(self.folder / "out", ignore_errors=True)

    def test_a_command_with_a_program_in_the_background(self):
        self.clips(text=False, folder="d", names=("a",))
        self.write("k/text", b"a t\n")
        self.write("k/wav.scp", b"a sleep 1000 & cat d/a.wav |\n")
        self.fails("repack", "k=k", "--out", "o", "--allow-commands", says="left in the background may still write")
        self.write("k/wav.scp", b"a sleep 1000 >/dev/null & cat d/a.wav |\n")
        self.repack("k=k", "--out", "o", "--shards", 1, "-q", "--allow-commands")
        self.assertEqual(len(self.records("o")), 1)

    def test_times_in_milliseconds_as_whisper_writes_them(self):
        self.write("d/show.wav", tone(16000 * 40))
        rows = [(1000 * number, 1000 * number + 1800) for number in range(0, 38, 2)]
        table = lambda names: f"{names}\n" + "".join(f"{begin}\t{end}\twords {begin}\n" for begin, end in rows)
        self.write("d/show.tsv", table("start\tend\ttext").encode())
        for options in ([], ["--on-error", "skip", "--max-rejects", "all"]):
            for source in (["d=d", "--labels", "d=d/show.tsv"], ["d=d/show.tsv"]):
                self.fails("repack", *source, "--out", "out", *options,
                           says=["whole numbers", "19 of 19 samples longer than 100 s: they look like milliseconds",
                                 "call the columns start_ms and end_ms"])
        self.write("d/show.tsv", table("start_ms\tend_ms\ttext").encode())
        self.repack("d=d/show.tsv", "--out", "out", "--shards", 1, "-q")
        self.assertEqual({record["duration"] for record in self.records("out")}, {1.8})
        self.assertEqual(len(self.records("out")), 19)
        # Long chapters in whole seconds are told to be that by the names of the columns.
        self.write("d/show.wav", tone(8000 * 400, rate=8000))
        chapters = "\n0\t120\ta\n120\t250\tb\n250\t390\tc\n"
        self.write("d/show.tsv", ("start\tend\ttext" + chapters).encode())
        self.fails("repack", "d=d/show.tsv", "--out", "no", says="start_s and end_s if they are seconds")
        self.write("d/show.tsv", ("start_s\tend_s\ttext" + chapters).encode())
        self.repack("d=d/show.tsv", "--out", "chapters", "--shards", 1, "-q")

    def test_quotes_of_a_tsv(self):
        """Python's csv and pandas put quotes around fields with quotes; other quotes are of the text."""
        self.clips(text=False, folder="d", names=("a", "b", "c", "d"))
        self.write("t.tsv", b'key\ttext\na\t"say ""yes"" now"\nb\t"all of it"\nc\t"one" and "two"\nd\t""""\n')
        self.write("all.tsv", b'"key"\t"text"\n"a"\t"say ""yes"" now"\n"b"\t"all of it"\n"c"\t""\n"d"\t"x"\n')
        for name, texts in (("t.tsv", {"a": 'say "yes" now', "b": '"all of it"', "c": '"one" and "two"', "d": '"'}),
                            ("all.tsv", {"a": 'say "yes" now', "b": "all of it", "d": "x"})):
            self.repack("d=d", "--metadata", f"d={name}", "--require-text", "--out", "o", "--shards", 1, "-q",
                        "--force")
            self.assertEqual({record["key"]: record["text"] for record in self.records("o")}, texts)

    def test_one_fault_hides_no_other(self):
        """Broken audio beside an unknown column of texts; speakers in later shards; a table above the folder."""
        self.clips(text=False, folder="d/audio", names=[f"c{number}" for number in range(6)])
        self.write("d/list.csv", b"path,said\n" + b"".join(b"audio/c%d.wav,t %d\n" % (n, n) for n in range(9)))
        said = self.dry("d=d/list.csv", code=1).err
        self.assertIn("--text-field d=said", said)
        self.assertIn("c6.wav: No such file or directory", said)
        self.assertIn("and 2 more", said)
        self.write("d/texts.csv", b"id,sentence\n" + b"".join(b"c%d,t %d\n" % (n, n) for n in range(6)))
        os.unlink(self.folder / "d/list.csv")
        self.assertIn("--metadata a=d/texts.csv takes its transcripts from there", self.dry("a=d/audio", code=1).err)
        for name, fields in (("s/1.tar", b'{"speaker":"x"}'), ("s/2.tar", b"{}")):
            self.write(name, tar([(f"{name[2]}{n}.{end}", data) for n in range(4)
                                  for end, data in (("json", fields), ("txt", b"t"), ("wav", tone(900)))]))
        said = self.dry("s=s", "--split", "dev=0.1s", code=1).err
        self.assertIn("the speaker of '20' of s", said)
        self.assertIn("as that of 3 more", said)
        self.assertIn("--metadata s=FILE from a table", said)

    def test_what_macos_puts_beside_files_in_a_tar(self):
        double = b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        " + bytes(200)
        self.write("s.tar", tar([(f"{before}c{n}.{end}", data) for n in range(4)
                                 for end, audio in (("wav", tone(900, seed=n)), ("txt", b"t"))
                                 for before, data in (("._", double), ("", audio))]))
        self.assertEqual(self.dry("s=s.tar", code=0).err, "")
        self.repack("s=s.tar", "--out", "o", "--shards", 1, "-q")
        self.assertEqual([record["text"] for record in self.records("o")], ["t"] * 4)
        self.shardmill("verify", "o", "--against", "s=s.tar")

    def test_a_speaker_in_two_datasets(self):
        for name in ("x", "y"):
            self.clips(folder=name, names=[f"{name}1_a", f"{name}2_a", "m_a"], text=True)
        command = ["x=x", "y=y", "--split", "dev=0.1s", "--speaker-from", "x=^[^_]+", "--speaker-from", "y=^[^_]+",
                   "--on-duplicate", "prefix"]
        self.assertIn("1 speaker has the same name in two datasets, as 'm' of x and of y: they count as different "
                      "people", self.dry(*command, code=0).err)
        self.assertEqual(self.dry("x=x", *command[2:6], code=0).err, "")

    def test_a_cut_shard_needs_a_limit_of_all(self):
        members = tar([(f"c{n}.{end}", data) for n in range(9)
                       for end, data in (("txt", b"t"), ("wav", tone(3000, seed=n)))])
        self.write("s.tar.gz", harness.compress("gzip", members)[:-5000])
        said = self.dry("s=s.tar.gz", "--on-error", "skip", "--max-rejects", 50, code=0).err
        self.assertIn("1 source file is damaged, and it is unknown how many samples it loses", said)
        self.assertIn("--max-rejects all accepts any loss", said)
        self.repack("s=s.tar.gz", "--out", "o", "--shards", 1, "--on-error", "skip", "--max-rejects", 50, code=3)
        self.assertNotIn("unknown", self.dry("s=s.tar.gz", "--on-error", "skip", "--max-rejects", "all", code=0).err)

    def test_a_dry_run_says_how_the_run_would_end(self):
        members = []
        for number in range(6):
            audio = tone(3000, rate=8000 if number == 5 else 16000, seed=number)
            members += [(f"c{number}.txt", b"t"), (f"c{number}.wav", audio[:99] if number == 1 else audio)]
        self.write("in.tar", tar(members))
        self.write("d/x.wav", tone(900, rate=44100))
        self.write("d/x.txt", b"t")
        command = ["a=in.tar", "b=d", "--on-error", "skip"]
        said = self.dry(*command, code=0).err
        self.assertIn("at least 1 bad sample would be left out, and none may be: the run would write all others and "
                      "count as failed (the exit code is 3 then; --max-rejects N, or all, accepts the loss)", said)
        self.assertIn("the audio is a mix: 8000 Hz and 1 channel, 16000 Hz and 1 channel, 44100 Hz and 1 channel", said)
        said = self.dry(*command, "--max-rejects", 1, "--sample-rate", 8000, code=0).err
        self.assertNotIn("would be left out", said)
        self.assertNotIn("mix", said)
        # Also where there is a fault that ends it.
        self.write("t.csv", b"path,text\nd/x.wav,t\nd/none.wav,t\n")
        self.assertIn("the audio is a mix: 8000 Hz and 1 channel, 16000 Hz and 1 channel, 44100 Hz and 1 channel",
                      self.dry("a=in.tar", "b=t.csv").err)

    def test_what_a_dry_run_did_not_look_at(self):
        self.write("a.tar", tar([("k.txt", b"t"), ("k.wav", tone(900))]))
        self.write("b.tar.bz2", harness.compress("bzip2", self.content("a.tar")))
        self.assertIn("the key 'k' is in the datasets 'x' and 'y'", self.dry("x=a.tar", "y=b.tar.bz2", code=1).err)
        big = numpy.random.default_rng(0).integers(-9, 9, 5 << 20, dtype=numpy.int16).tobytes()
        for name in ("c", "d"):
            self.write(f"{name}.tar", tar([(f"{name}.txt", b"t"), (f"{name}.wav", tone(900)), ("x.bin", big)]))
        said = self.dry("x=a.tar", "y=c.tar", "z=d.tar", code=0).out.decode()
        self.assertIn("keys of 2 source files were not compared; shardmill inspect compares them", said)
        self.assertEqual(json.loads(self.dry("x=c.tar", "--json", code=0).out)["files_of_unknown_keys"], 1)
        self.shardmill("inspect", "x=a.tar", "y=b.tar.bz2", code=None).out.decode()
        self.assertNotIn("not compared", self.dry("x=c.tar", "--on-duplicate", "rename", code=0).out.decode())

    def test_a_bad_table_is_one_fault(self):
        self.clips(text=False)
        for rows in (b"S10_0001\ta\ts\nS10_0001\tb\ts\n", b"zz\ta\ts\n"):
            self.write("t.tsv", b"key\ttext\tspeaker\n" + rows)
            said = self.dry("x=a", "--metadata", "x=t.tsv", "--split", "dev=0.01s").err
            self.assertIn("t.tsv", said)
            self.assertNotIn("speaker", said.replace("--speaker", ""), said)


class Channels(Repacking):
    """--channels split: each channel of a recording becomes a sample of its own."""

    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(7)
        self.values = {}
        for key, channels in (("a", 2), ("b", 2), ("c", 1), ("d", 4), ("e", 2), ("f", 2)):
            self.values[key] = self.random.integers(-30000, 30000, (4000 + 400 * len(self.values), channels),
                                                    dtype=numpy.int16)
            out = io.BytesIO()
            soundfile.write(out, self.values[key], 8000, format="FLAC" if key in "be" else "WAV", subtype="PCM_16")
            self.write(f"in/{key}.{'flac' if key in 'be' else 'wav'}", out.getvalue())
            self.write(f"in/{key}.txt", f"words of {key}".encode())

    def heard(self, out, record):
        audio = self.shardmill("cat", f"{out}/shards/audio_{record['shard_id']:09}.tar", record["audio_filepath"]).out
        return soundfile.read(io.BytesIO(audio), dtype="int16", always_2d=True)[0]

    def names(self, key):
        return {1: [key], 2: [f"{key}_left", f"{key}_right"]}.get(
            self.values[key].shape[1], [f"{key}_ch{number + 1}" for number in range(self.values[key].shape[1])])

    def check(self, out, **texts):
        records = {record["key"]: record for record in self.records(out)}
        self.assertEqual(set(records), {name for key in self.values for name in self.names(key)})
        for key, values in self.values.items():
            for channel, name in enumerate(self.names(key)):
                record = records[name]
                heard = self.heard(out, record)
                self.assertTrue(numpy.array_equal(heard[:, 0], values[:, channel]), name)
                self.assertEqual((heard.shape[1], record["channels"], record["source_key"]), (1, 1, key))
                self.assertEqual(record.get("source_channel"), channel if values.shape[1] > 1 else None)
                self.assertEqual(record["text"], texts.get(name, f"words of {key}"), name)
        return records

    def test_each_channel_is_a_sample(self):
        said = self.repack("x=in", "--out", "out", "--shards", 2, "--channels", "split")
        self.check("out")
        self.assertIn("12 text_of_all_channels", said.out.decode())
        self.assertIn("12 samples of one channel have the transcript of the whole recording", said.out.decode())
        self.shardmill("verify", "out", "--decode", "--against", "x=in")
        for tar in ("shards", "tars"):  # the same from shards, and for any number of threads
            if tar == "tars":
                self.write("in.tar", harness_tar(self.folder / "in"))
            self.repack("x=" + ("in" if tar == "shards" else "in.tar"), "--out", tar, "--shards", 2, "--channels",
                        "split", "-j", 1, "-q")
            self.check(tar)
        self.assertEqual(self.content("out/shards/audio_000000000.tar"),
                         self.content("shards/shards/audio_000000000.tar"))
        self.shardmill("verify", "tars", "--decode", "--against", "x=in.tar")
        os.unlink(self.folder / "in/b.flac")
        self.shardmill("verify", "out", "--against", "x=in", code=1)

    def test_tables_with_a_text_for_each_channel(self):
        own = {"a_left": "hello", "a_right": "who is there", "e_right": "only one side", "d_ch3": "third"}
        self.write("texts.tsv", b"key\ttext\tspeaker\n" +
                   "".join(f"{key}\t{text}\tS{key[0]}{key[-1]}\n" for key, text in own.items()).encode())
        said = self.repack("x=in", "--out", "out", "--shards", 1, "--channels", "split", "--metadata", "x=texts.tsv")
        records = self.check("out", **own)
        self.assertEqual(records["a_left"]["speaker"], "Sat")
        self.assertIn(f"{12 - len(own)} text_of_all_channels", said.out.decode())
        self.shardmill("verify", "out", "--decode", "--against", "x=in")

    def test_rows_for_channels_of_recordings_in_folders(self):
        for name in "be":
            os.makedirs(self.folder / "deep/calls", exist_ok=True)
            os.rename(self.folder / f"in/{name}.flac", self.folder / f"deep/calls/{name}.flac")
        rows = [f"calls/{name}_{side}\t{name} {side}\n" for name in "be" for side in ("left", "right")]
        self.write("texts.tsv", ("key\ttext\n" + "".join(rows)).encode())
        said = self.repack("x=deep", "--out", "out", "--shards", 1, "--channels", "split", "--metadata", "x=texts.tsv")
        self.assertIn("texts.tsv: 4 rows, for 4 samples", said.out.decode())
        self.assertNotIn("without a", said.out.decode())
        self.assertEqual({record["text"] for record in self.records("out")},
                         {f"{name} {side}" for name in "be" for side in ("left", "right")})

    def test_speakers_of_channels_and_splits(self):
        self.repack("x=in", "--out", "out", "--shards", 1, "--channels", "split", "-q",
                    "--speaker-from", "(left|right|ch[0-9]|^c$)$")
        self.assertEqual({record["speaker"] for record in self.records("out")},
                         {"left", "right", "c", "ch1", "ch2", "ch3", "ch4"})
        # Split by key, no recording is in two sets.
        self.repack("x=in", "--out", "sets", "--shards", 1, "--channels", "split", "-q", "--split", "dev=1s",
                    "--split-by", "key")
        keys = [{record["source_key"] for record in self.records(f"sets/{name}")} for name in ("train", "dev")]
        self.assertTrue(keys[0] and keys[1])
        self.assertFalse(keys[0] & keys[1])
        self.shardmill("verify", "sets")

    def test_repair_parts_update_and_again(self):
        self.repack("x=in", "--out", "out", "--shards", 2, "--channels", "split", "-q", "--bits", 16)
        before = self.content("out/shards/audio_000000001.tar")
        os.unlink(self.folder / "out/shards/audio_000000001.tar")
        self.shardmill("repair", "out")
        self.assertEqual(self.content("out/shards/audio_000000001.tar"), before)
        self.repack("out", "--out", "again", "--shards", 1, "-q")
        self.check("again")
        self.repack("x=in", "--out", "parts", "--shards", 2, "--channels", "split", "-q", "--parts", 1)
        self.repack("--out", "parts", "--part", 0, "-q")
        self.repack("--out", "parts", "--finish", "-q")
        self.check("parts")
        self.write("more/g.wav", self.content("in/a.wav"))
        self.write("more/g.txt", b"words of g")
        self.shardmill("update", "out", "--add", "x=more", "-q")
        self.values["g"] = self.values["a"]
        self.check("out")
        self.shardmill("update", "out", "--add", "x=more", "-q", "--force", "--on-duplicate", "first")
        self.check("out")

    def test_what_has_one_channel_already(self):
        """A table that names channels, and one whose rows are not of a channel."""
        self.write("t.csv", b"audio,channel,text\nin/a.wav,0,one\nin/a.wav,1,two\nin/f.wav,1,three\nin/c.wav,,four\n")
        self.repack("x=t.csv", "--out", "out", "--shards", 1, "-q", "--channels", "split")
        found = {record["text"]: record for record in self.records("out")}
        self.assertEqual(set(found), {"one", "two", "three", "four"})
        for text, (key, channel) in {"one": ("a", 0), "two": ("a", 1), "three": ("f", 1), "four": ("c", 0)}.items():
            self.assertTrue(numpy.array_equal(self.heard("out", found[text])[:, 0], self.values[key][:, channel]), text)
        # Of segments of all channels, too.
        self.write("s.csv", b"audio,start,end,text\nin/a.wav,0.1,0.3,one\nin/d.wav,0,0.2,two\n")
        self.repack("x=s.csv", "--out", "cut", "--shards", 1, "-q", "--channels", "split")
        records = self.records("cut")
        self.assertEqual(sorted((record["text"], record["source_channel"]) for record in records),
                         [("one", 0), ("one", 1), *(("two", channel) for channel in range(4))])
        for record in records:
            values = self.values["a"][800:2400] if record["text"] == "one" else self.values["d"][:1600]
            self.assertTrue(numpy.array_equal(self.heard("cut", record)[:, 0], values[:, record["source_channel"]]))
        self.shardmill("verify", "cut", "--decode", "--against", "x=s.csv")

    def test_keys_and_promises(self):
        """A key that a channel would get is taken; --on-duplicate prefix; labels in an archive are not missed."""
        self.write("in/a_left.wav", self.content("in/c.wav"))
        self.write("in/a_left.txt", b"t")
        self.fails("repack", "x=in", "--out", "no", "--shards", 1, "--channels", "split",
                   says=["a_left", "--on-duplicate"])
        os.unlink(self.folder / "in/a_left.wav")
        os.unlink(self.folder / "in/a_left.txt")
        self.write("audio.tar", harness_tar(self.folder / "in"))
        self.write("l.jsonl", "".join(json.dumps({"audio": name.name, "text": "t"}) + "\n"
                                      for name in (self.folder / "in").iterdir() if name.suffix != ".txt").encode())
        for more in ([], ["--on-duplicate", "prefix"]):
            self.repack("x=audio.tar", "--labels", "l.jsonl", "--out", f"p{len(more)}", "--shards", 1, "-q",
                        "--channels",
                        "split", *more)
            self.assertEqual(len(self.records(f"p{len(more)}")), 13)
            self.shardmill("verify", f"p{len(more)}", "--against", "x=audio.tar")
        self.repack("x=audio.tar", "--labels", "l.jsonl", "--out", "q", "--shards", 1, "-q", "--on-duplicate", "prefix")


def harness_tar(folder):
    return tar([(path.name, path.read_bytes()) for path in sorted(folder.iterdir())])


class Mix(Repacking):
    """The miniature that docs/start.md uses, as a newcomer would meet it."""

    def setUp(self):
        super().setUp()
        subprocess.run([sys.executable, MAKE_MIX, "mix"], cwd=self.folder, check=True, env={**os.environ})

    SOURCES = ["mandarin=mix/mandarin", "studio=mix/studio", "calls=mix/calls", "dictation=mix/dictation/clips.csv",
               "news=mix/news/manifest.json", "podcast=mix/podcast/podcast.jsonl"]

    def test_second_attempt_works(self):
        first = self.shardmill("repack", *self.SOURCES, "--out", "out", "--dry-run", code=1).err
        for part in ("--metadata studio=mix/studio/transcripts.tsv", "--allow-commands", "clip99.wav"):
            self.assertIn(part, first)
        said = self.repack(*self.SOURCES, "--out", "out", "--metadata", "studio=mix/studio/transcripts.tsv",
                           "--allow-commands", "--on-error", "skip", "--max-rejects", 2, "--on-duplicate", "prefix",
                           "--speaker-from", "mandarin=IC([0-9]+)W", "--sample-rate", 16000, "--channels", "mono",
                           "--require-text", "--split", "dev=5s,test=5s", "--multiple-of", 4, "--shards", 4, "--index",
                           "nemo").out.decode()
        self.assertIn("2 no_text", said)
        keys, seconds = set(), {}
        for split in ("train", "dev", "test"):
            for record in self.records(f"out/{split}"):
                self.assertNotIn(record["key"], keys)
                keys.add(record["key"])
                self.assertTrue(record["text"] and record["speaker"], record)
                self.assertEqual((record["sample_rate"], record["channels"]), (16000, 1))
        datasets = {"mandarin": 16, "studio": 13, "calls": 18, "dictation": 15, "news": 9, "podcast": 12}
        for name, count in datasets.items():
            self.assertEqual(sum(key.startswith(name + "_") for key in keys), count, name)
        self.assertEqual(len(list((self.folder / "out/train/shards").iterdir())), 4)
        self.assertEqual(len(list((self.folder / "out/dev/shards").iterdir())), 1)
        self.shardmill("verify", "out")

    def test_every_proposal_can_be_pasted(self):
        """Bad, cut and repeated samples, texts that are missing or under other names, tables as sources."""
        good = [member for n in range(12) for member in ((f"k{n}.txt", b"t"), (f"k{n}.wav", tone(900, seed=n)))]
        self.write("good.tar", tar(good))
        self.write("cut.tar", tar(good)[:-9000])
        self.write("textless.tar", tar([one for one in good if one[0].endswith("wav")]))
        self.write("some.tar", tar([one for one in good if one[0] not in ("k1.txt", "k2.txt", "k3.txt")]))
        self.write("gbk.tar", tar([(name, "今".encode("gbk") if name == "k3.txt" else data) for name, data in good]))
        self.write("a few/c.wav", tone(900, seed=3))
        self.write("a few/t.csv", b"path,what else\nc.wav,words\n")
        self.write("pod/show.wav", tone(90000, seed=3))
        self.write("pod/show.csv", b"start,end,said\n" + b"".join(b"%d.1,%d.6,words\n" % (n, n) for n in range(5)))
        self.write("pod.tar", tar([("show.wav", self.content("pod/show.wav"))]))
        for number in range(12):
            self.write(f"rows/r{number}.wav", tone(900, seed=number))
            if number > 2:
                self.write(f"lost/clips/l{number}.wav", tone(900, seed=number))
        self.write("rows.csv", "".join(["key,text\n", *(f"r{n},t\n" for n in range(9))]).encode())
        self.write("lost/l.csv", "".join(["path,text\n", *(f"clips/l{n}.wav,t\n" for n in range(12))]).encode())
        for sources in (["a=good.tar", "b=good.tar"], ["a=good.tar", "b=cut.tar"], ["a=good.tar", "b=textless.tar"],
                        ["a=some.tar", "b=textless.tar"], ["a=some.tar", "b=gbk.tar"], ["a=good.tar", "b=a few/t.csv"],
                        ["a=a few", "b=good.tar"], ["a=pod", "b=good.tar"], ["a=rows", "b=good.tar"], ["a=lost/l.csv"],
                        ["a=lost/l.csv", "b=textless.tar"], ["a=rows", "b=lost/l.csv"],
                        ["a=pod.tar", "b=good.tar", "--labels", "a=pod/show.csv", "--text-field", "a=said"],
                        ["a=mix/dictation/clips.csv", "b=mix/calls", "--allow-commands"]):
            with self.subTest(sources):
                shutil.rmtree(self.folder / "mixed", ignore_errors=True)
                proposal = json.loads(self.shardmill("inspect", *sources, "--json", code=None).out)["proposal"]
                self.shardmill(*shlex.split(proposal["command"])[1:])
                self.shardmill("verify", "mixed")
        found = json.loads(self.shardmill("inspect", "a=pod.tar", "--labels", "pod/show.csv", "--json").out)
        self.assertEqual(found["datasets"][0]["samples"], 5)
        self.fails("inspect", "a=pod.tar", "--labels", "pod/show.csv", "--duplicates", code=2, says="--labels cannot")
        self.fails("inspect", "a=pod.tar", "--labels", "b=pod/show.csv", code=2, says="no source has that name")

    def test_proposals_for_published_corpora(self):
        """A subset where there are several splits, no option for texts that there never were, and no unread corpus."""
        wav = tone(900, seed=1)
        self.write("vox/vox1_meta.csv", b"VoxCeleb1 ID\tGender\tNationality\tSet\nid10001\tm\tIreland\tdev\n"
                                        b"id10002\tf\tUSA\ttest\n")
        for speaker in ("id10001", "id10002"):
            for n in range(2):
                self.write(f"vox/wav/{speaker}/21Uxsk56VDQ/0000{n}.wav", tone(900 + 9000 * n, seed=n))
        for split in ("train", "val"):
            self.write(f"spgi/{split}.tar", tar([(f"{split}/0018ad92/{n}.wav", wav) for n in range(2)]))
            self.write(f"spgi/{split}.csv", "".join(["path,text\n", *(f"{split}/0018ad92/{n}.wav,t\n"
                                                                      for n in range(2))]).encode())
        proposed = {}
        self.write("good.tar", tar([("k.txt", b"t"), ("k.wav", wav)]))
        for source in ("vox", "spgi"):
            found = self.shardmill("inspect", source, "good.tar", "--json", code=None)
            proposed[source] = json.loads(found.out)["proposal"]["command"]
            shutil.rmtree(self.folder / "mixed", ignore_errors=True)
            self.assertIn("--subset train", proposed[source])
            self.assertNotIn("--allow-missing-text", proposed[source])
            self.shardmill(*shlex.split(proposed[source])[1:])
        alone = json.loads(self.shardmill("inspect", "spgi", "--json").out)
        self.assertIn("--subset train", alone["proposal"]["command"])
        self.write("csj/TRN/Form1/core/A01F0055.trn", b"x")
        self.write("csj/WAV/core/A01F0055.wav", wav)
        self.assertNotIn("proposal", json.loads(self.shardmill("inspect", "csj", "--json", code=None).out))
        self.write("csj.tar.gz", gzip.compress(tar([("CSJ/TRN/Form1/core/A.trn", b"x"), ("CSJ/WAV/core/A.wav", wav)])))
        self.fails("repack", "csj.tar.gz", "--out", "no", says="looks like CSJ")

    def test_what_no_proposal_can_mend(self):
        """Audio that is missing where there are no texts; a column with the paths of other files."""
        corpus = threedspeaker()
        for path, data in corpus.files.items():
            if "00001_002" not in path:
                self.write(path, data)
        for split in ("train", "test"):
            corpus.lines("list", "Utt-id,Spk-id,Seg-id,Device,Distance,Dialect", *(
                f"{key},{facts['speaker']},001,Device01,Distance06,Dialect00" for key, facts in corpus.expected.items()
                if facts["subset"] == split))
            self.write(f"3dspeaker/files/{split}_utt2info.csv", corpus.files["list"])
        found = json.loads(self.shardmill("inspect", "3dspeaker", "--json", code=None).out)
        self.assertNotIn("--require-text", found["proposal"]["command"])
        self.assertIn("audio files are missing: bring them back", " ".join(found["proposal"]["decisions"]))
        self.write("a/x.wav", tone(900, seed=1))
        self.write("l.jsonl", b'{"path": "x.wav", "labels": "audio_labels/long/name/of/x.json", "said": "word"}\n')
        self.write("b.tar", tar([("k.txt", b"t"), ("k.wav", tone(900, seed=2))]))
        found = json.loads(self.shardmill("inspect", "a", "b.tar", "--labels", "a=l.jsonl", "--json", code=None).out)
        self.assertIn("--text-field a=said", found["proposal"]["command"])

    def test_inspect_proposes_a_command_that_works(self):
        sources = [source for source in self.SOURCES if not source.startswith("calls")]
        sources[2] = "dictation=mix/dictation/clips.csv"
        text = self.shardmill("inspect", *sources, code=1).out.decode()
        command = text.splitlines()[-1]
        self.assertTrue(command.startswith("shardmill repack "), text)
        proposal = json.loads(self.shardmill("inspect", *sources, "--json", code=1).out)["proposal"]
        self.assertEqual(proposal["command"], command)
        for part in ("--metadata studio=mix/studio/transcripts.tsv", "--sample-rate 16000", "--channels mono",
                     "--on-error skip"):
            self.assertIn(part, command)
        self.shardmill(*shlex.split(command)[1:])
        self.shardmill("verify", "mixed")
