"""Raw corpora of all kinds: repack makes of them what an independent reading finds in them, inspect and verify agree,
and what is wrong with them is named by file, line and column."""
import gzip
import io
import json
import math
import random
import shutil
import pathlib
import tarfile
import unittest
from decimal import Decimal
from fractions import Fraction

import numpy
import soundfile

import harness

MEASURED = {"audio_filepath", "duration", "text", "shard_id", "key", "dataset", "sample_rate", "sampling_rate",
            "channels", "frames",
            "format", "audio_bytes", "tar_offset", "xxh3", "source", "source_key"}


def noise(seed, seconds=0.1, form="WAV", rate=16000):
    """The bytes of an audio file that is not like any other."""
    samples = numpy.random.default_rng(seed).integers(-3000, 3000, int(seconds * rate), dtype=numpy.int16)
    out = io.BytesIO()
    soundfile.write(out, samples, rate, format=form, subtype="PCM_16")
    return out.getvalue()


def pcm(data):
    return soundfile.read(io.BytesIO(data), dtype="int16")[0]


class Corpora(harness.Case):
    def read_dataset(self, folder="out"):
        """What repack made, by source key: the manifest's record, the transcript and the audio in the shard."""
        found = {}
        for manifest in sorted((self.folder / folder / "manifests").iterdir()):
            name = manifest.name.replace("manifest_", "audio_").replace(".json", ".tar")
            shard = self.folder / folder / "shards" / name
            with tarfile.open(shard) as archive:
                members = {entry.name: archive.extractfile(entry).read() for entry in archive}
            for line in manifest.read_text().splitlines():
                record = json.loads(line)
                self.assertNotIn(record["source_key"], found)
                text = members.get(record["key"] + ".txt")
                found[record["source_key"]] = (record, text and text.decode(), members[record["audio_filepath"]])
        return found

    def check(self, sources, expected, *options):
        """`expected`: by key, a transcript or None, the audio as bytes or as PCM, and the facts."""
        sources = [sources] if isinstance(sources, str) else sources
        self.shardmill("repack", *sources, "--out", "out", "--shards", 2, "--force", *options)
        found = self.read_dataset()
        self.assertEqual(set(found), set(expected))
        for key, (text, audio, facts) in expected.items():
            record, found_text, found_audio = found[key]
            self.assertEqual(found_text, text, key)
            self.assertEqual(record.get("text") or None, text, key)
            if isinstance(audio, bytes):
                self.assertEqual(found_audio, audio, key)
            else:
                numpy.testing.assert_array_equal(pcm(found_audio), audio, key)
            self.assertEqual({name: value for name, value in record.items() if name not in MEASURED}, facts, key)
        against = [option for option in options if option == "--allow-commands"]
        self.shardmill("verify", "out", "--decode", *against, "--against", *sources)
        report = json.loads(self.shardmill("inspect", *sources, *against, "--json").out)
        self.assertEqual(sum(dataset["samples"] for dataset in report["datasets"]), len(expected))

    def refuses(self, source, *says, code=1, faults=1):
        self.fails("repack", source, "--out", "refused", says=says, code=code, faults=faults)
        self.assertFalse((self.folder / "refused").exists())

    def lines(self, name, *lines):
        self.write(name, "".join(line + "\n" for line in lines).encode())


class Kinds(Corpora):
    def test_librispeech(self):
        self.lines("LibriSpeech/SPEAKERS.TXT", "; comment", "11 | F | dev | 8.1 | A B", "12   | M | dev | 8.1 | C")
        expected = {}
        for subset, speaker, chapter, gender in (("dev", "11", "1", "F"), ("dev", "11", "2", "F"),
                                                 ("test", "12", "3", "M")):
            base, texts = f"LibriSpeech/{subset}/{speaker}/{chapter}/{speaker}-{chapter}", []
            for number in range(3):
                key, text = f"{speaker}-{chapter}-{number:04}", f"TEXT {chapter} {number}"
                audio = noise(int(chapter) * 10 + number, form="FLAC")
                self.write(f"{base}-{number:04}.flac", audio)
                texts.append(f"{key} {text}")
                expected[key] = (text, audio,
                                 {"speaker": speaker, "chapter": chapter, "subset": subset, "gender": gender})
            self.lines(f"{base}.trans.txt", *texts)
        self.check("LibriSpeech", expected, "--subset", "all")
        self.check("librispeech:LibriSpeech/", expected, "--subset", "all")
        self.check("librispeech:LibriSpeech/*", expected, "--subset", "all")
        self.check(["ls=LibriSpeech/dev", "ls=LibriSpeech/test"], expected, "--subset", "all")
        self.check("LibriSpeech/dev/11/2", {key: value for key, value in expected.items() if "-2-" in key})

    def test_aishell_unpacked_and_packed(self):
        expected, lines = {}, []
        for speaker, subset in (("S0002", "train"), ("S0764", "dev"), ("S0003", None), ("S0004", None)):
            packed = []
            for number in range(2):
                key, text, audio = f"BAC009{speaker}W{number:04}", f"而 对 {number}", noise(int(speaker[1:]) * 10
                                                                                          + number)
                lines.append(f"{key} {text}")
                if subset:
                    self.write(f"data_aishell/wav/{subset}/{speaker}/{key}.wav", audio)
                    expected[key] = (text, audio, {"speaker": speaker, "subset": subset})
                else:
                    packed.append((f"train/{speaker}/{key}.wav", audio))
                    expected[key] = (text, audio, {"speaker": speaker, "subset": "train"})
            if packed:
                self.write(f"data_aishell/wav/{speaker}.tar.gz", gzip.compress(harness.tar(packed)))
        self.lines("data_aishell/transcript/aishell_transcript_v0.8.txt", *lines)
        self.check("data_aishell", expected, "--subset", "all")
        self.check("aishell:.", expected, "--subset", "all")

    def test_aishell2(self):
        expected, texts, paths = {}, [], []
        for number in range(5):
            key, text, audio = f"IC{number % 2:04}W{number:04}", f"厨房用品{number}", noise(number)
            path = f"wav/C{number % 2:04}/{key}.wav"
            self.write(f"iOS/data/{path}", audio)
            texts.append(f"{key}\t{text}")
            paths.append(f"{key}\t{path}")
            expected[key] = (text, audio, {"speaker": f"C{number % 2:04}", "device": "iOS", "subset": "train"})
        self.lines("iOS/data/trans.txt", *texts)
        self.lines("iOS/data/wav.scp", *paths)
        self.check("aishell2:iOS/data", expected)
        self.check("iOS/data", expected)

    def test_kaldi(self):
        expected, wavs, texts = {}, [], []
        for number in range(4):
            key, audio = f"utt{number}", noise(number)
            path = self.write(f"elsewhere/{number}.wav", audio)
            wavs.append(f"{key} " + (str(path) if number else "elsewhere/0.wav"))
            texts.append(f"{key}\t你好  {number} \r")
            expected[key] = (f"你好  {number}", audio, {"speaker": "s1", "gender": "f", "language": "zh", "lang": "zh"})
        self.lines("k/wav.scp", *wavs)
        self.lines("k/text", *texts)
        for name, value in (("utt2spk", "s1"), ("utt2lang", "zh"), ("utt2dur", "0.1")):
            self.lines(f"k/{name}", *(f"{key} {value}" for key in expected))
        self.lines("k/spk2gender", "s1 f")
        self.check("k", expected)
        self.check("kaldi:k", expected)
        self.assertNotIn("names no speaker", self.shardmill("repack", "k", "--out", "all", "--shards", 1).err)
        self.lines("k/utt2spk", "utt1 s1", "utt3 s1")
        said = self.shardmill("repack", "k", "--out", "some", "--shards", 1).err
        self.assertIn("k/utt2spk: names no speaker for 'utt0', and for 1 other utterance", said)
        self.assertNotIn("no end of its last line", said)
        self.write("k/text", "\n".join(texts).encode())
        self.assertIn("k/text: has no end of its last line: what it says may be cut",
                      self.shardmill("repack", "k", "--out", "cut", "--shards", 1).err)

    def test_kaldi_segments(self):
        long, rate = noise(1, 3.0), 16000
        self.write("k/long.wav", long)
        self.write("k/other.flac", noise(2, 1.0, "FLAC"))
        self.lines("k/wav.scp", "rec long.wav", "other other.flac")
        self.lines("k/segments", "b rec 1.0 2.5", "a rec 0.25 0.7501", "o other 0 -1", "c rec 2.2 -1")
        self.lines("k/text", "a A", "b B", "c C", "o O")
        samples, other = pcm(long), pcm(noise(2, 1.0, "FLAC"))
        self.check("k", {
            "a": ("A", samples[4000:12002], {"source_begin": 0.25, "source_end": 0.7501}),
            "b": ("B", samples[16000:40000], {"source_begin": 1.0, "source_end": 2.5}),
            "c": ("C", samples[int(2.2 * rate):], {"source_begin": 2.2}),
            "o": ("O", (self.folder / "k/other.flac").read_bytes(), {})})

    def test_times_are_decimal_numbers(self):
        """Every segment begins and ends at the sample nearest to its time, and times stay as they were written."""
        chance = random.Random(7)
        rate, frames = 16000, 16000 * 12
        recording = numpy.arange(frames, dtype=numpy.int32).astype(numpy.int16)
        long = io.BytesIO()
        soundfile.write(long, recording, rate, format="WAV", subtype="PCM_16")
        self.write("long.wav", long.getvalue())
        segments, seen = [], set()
        for number in range(150):
            digits = chance.randrange(13)
            times = sorted({Decimal(chance.randrange(12 * 10**digits)).scaleb(-digits) for _ in range(8)})
            if number % 5 == 0:  # halfway between two samples
                times = sorted({Decimal(2 * chance.randrange(frames) + 1) / (2 * rate) for _ in range(8)})
            in_milliseconds = (round(times[0], 3), round(times[-1], 3))  # part of the keys that NeMo's segments get
            if times[-1] - times[0] < Decimal("0.01") or in_milliseconds in seen:
                continue
            seen.add(in_milliseconds)
            segments.append((f"s{number:03}", times[0], times[-1]))
        nearest = lambda time: math.floor(Fraction(time) * rate + Fraction(1, 2))
        text = lambda time: f"{time:f}"
        self.lines("k/wav.scp", "rec long.wav")
        self.lines("k/segments", *(f"{key} rec {text(begin)} {text(end)}" for key, begin, end in segments))
        self.lines("w/data.list", *(f'{{"key":"{key}","wav":"long.wav","start":{text(begin)},"end":{text(end)}}}'
                                    for key, begin, end in segments))
        self.lines("n/manifest.json", *(
            f'{{"audio_filepath":"long.wav","offset":{text(begin)},"duration":{text(end - begin)},"id":"{key}"}}'
            for key, begin, end in segments))
        for source in ("kaldi:k", "wenet:w/data.list", "nemo:n/manifest.json"):
            self.shardmill("repack", source, "--out", "out", "--shards", 1, "--force", "--allow-missing-text")
            found = {record.get("id", key): (record, audio) for key, (record, _, audio) in self.read_dataset().items()}
            self.assertEqual(len(found), len(segments))
            for key, begin, end in segments:
                with self.subTest(source, key=key, begin=begin, end=end):
                    record, audio = found[key]
                    numpy.testing.assert_array_equal(pcm(audio), recording[nearest(begin):nearest(end)])
                    self.assertEqual(Fraction(repr(record["source_begin"])), Fraction(begin))
                    self.assertEqual(Fraction(repr(record["source_end"])), Fraction(end))

    def test_kaldi_commands(self):
        self.write("a b.wav", noise(1))
        self.lines("k/wav.scp", "u1 cat 'a b.wav' |", "u2 sox 'a b.wav' -t wav - reverse |")
        self.lines("k/text", "u1 one", "u2 two")
        self.refuses("k", "k/wav.scp: line 1: is a command, not a file", "--allow-commands")
        self.check("k", {"u1": ("one", noise(1), {}), "u2": ("two", pcm(noise(1))[::-1], {})}, "--allow-commands")
        self.lines("k/wav.scp", f"u1 cat '{self.folder}/out/shards/a.wav' |")
        self.lines("k/text", "u1 one")
        self.fails("repack", "k", "--out", "out", "--allow-commands", "--force", code=2,
                   says="a command of wav.scp reads files of the output folder")

    def test_wenet_list(self):
        self.write("w/long.wav", noise(1, 2.0))
        self.write("w/short.wav", noise(2))
        self.lines("w/data.list",
                   json.dumps({"key": "s", "wav": "short.wav", "txt": "短", "lang": "zh", "tags": [1, {"a": None}]},
                              ensure_ascii=False),
                   json.dumps({"key": "x", "wav": str(self.folder / "w/long.wav"), "txt": "X", "start": 0.5,
                               "end": 1.0}))
        expected = {"s": ("短", noise(2), {"lang": "zh", "tags": [1, {"a": None}]}),
                    "x": ("X", pcm(noise(1, 2.0))[8000:16000], {"source_begin": 0.5, "source_end": 1.0})}
        self.check("w/data.list", expected)
        self.check("wenet:w/data.list", expected)

    def test_times_under_the_names_of_others(self):
        """What a list does not have is no time there; the samples would be whole files with texts of parts."""
        self.write("l/a.wav", noise(1, 2.0))
        nemo, wenet = {"audio_filepath": "a.wav", "text": "t"}, {"key": "a", "wav": "a.wav", "txt": "t"}
        for line, says in (({**nemo, "start": 0.5, "end": 1.0}, "has times in 'start', 'end', and NeMo's manifests"),
                           ({**nemo, "offset_ms": 500, "duration_ms": 500}, "has times in 'offset_ms', 'duration_ms'"),
                           ({**nemo, "offset": 0.5, "end": 1.0}, "has times in 'end'"),
                           ({**wenet, "begin": 0.5, "end": 1.0}, "has times in 'begin', and a list of WeNet"),
                           ({**wenet, "offset": 0.5, "duration": 1.0}, "has times in 'offset', 'duration'"),
                           ({**wenet, "start": 0.5, "duration": 1.0}, "has times in 'duration'")):
            self.lines("l/data.list", json.dumps(line))
            self.fails("repack", "l/data.list", "--out", "no", "--shards", 1, says=says)
        warning = "1 line has other times in 'start', 'end' than offset and duration, which NeMo goes by"
        for line, warns in (({**nemo, "duration": 2.0, "start": 7.5, "end": 9.5}, True),
                            ({**nemo, "duration": 1.0, "offset": 0.5, "start": 0.5, "end": 1.5}, False),
                            ({**nemo, "duration": 2.0, "length": 17}, False), ({**wenet, "duration": 2.0}, False),
                            ({**wenet, "length": 17, "start": 0.5, "end": 1.0}, False),
                            ({**wenet, "offset": 1.5}, False)):
            self.lines("l/data.list", json.dumps(line))
            said = self.shardmill("repack", "l/data.list", "--out", "out", "--shards", 1, "--force").err
            self.assertEqual(warning in said, warns, (line, said))

    def test_nemo_raw(self):
        self.write("n/wavs/a.wav", noise(1))
        self.write("n/long.wav", noise(2, 2.0))
        self.lines("n/manifest.json",
                   json.dumps({"audio_filepath": "wavs/a.wav", "duration": 0.1, "text": "A", "lang": "en"}),
                   json.dumps({"audio_filepath": "long.wav", "duration": 0.5, "offset": 1.0, "text": "B"}))
        expected = {"wavs/a": ("A", noise(1), {"lang": "en"}),
                    "long-0001000-0001500": ("B", pcm(noise(2, 2.0))[16000:24000],
                                             {"source_begin": 1.0, "source_end": 1.5})}
        self.check("n/manifest.json", expected)
        self.check("nemo:n/manifest.json", expected)

    def test_nemo_durations_without_offsets(self):
        """NeMo reads no more than the duration: the rest of the file is not in the text."""
        long = noise(3, 3.0, "FLAC")
        self.write("n/long.flac", long)
        self.write("n/rounded.wav", noise(4, 1.234))
        lines = [{"audio_filepath": "long.flac", "duration": 1.25, "text": "A"},
                 {"audio_filepath": "rounded.wav", "duration": 1.2, "text": "B"}]
        self.lines("n/manifest.json", *map(json.dumps, lines))
        expected = {"long": ("A", pcm(long)[:20000], {"source_begin": 0, "source_end": 1.25}),
                    "rounded": ("B", noise(4, 1.234), {})}
        self.check("nemo:n/manifest.json", expected)
        self.shardmill("verify", "out", "--decode", "--against", "nemo:n/manifest.json")
        report = json.loads(self.shardmill("inspect", "nemo:n/manifest.json", "--json").out)["datasets"][0]
        self.assertAlmostEqual(report["audio_seconds"], 1.25 + 1.234, 3)
        self.write("t/audio_0.tar", harness.tar([("long.flac", long), ("rounded.wav", noise(4, 1.234))]))
        for offset in ({}, {"offset": 0}):
            self.lines("t/manifest.json", *(json.dumps({**line, "shard_id": 0, **offset}) for line in lines))
            self.check("nemo:t/manifest.json", expected)
            self.shardmill("verify", "out", "--decode", "--against", "nemo:t/manifest.json")
        lines[1]["duration"] = 2.5
        self.lines("n/manifest.json", *map(json.dumps, lines))
        self.fails("repack", "nemo:n/manifest.json", "--out", "other",
                   says=["'rounded.wav'", "ends at 2.5 s, but its recording at 1.234 s"])
        found = json.loads(self.shardmill("inspect", "nemo:n/manifest.json", "--json", code=1).out)
        self.assertEqual(found["datasets"][0]["issues"][0]["id"], "lost_utterance")

    def test_nemo_tarred(self):
        expected, lines = {}, []
        for shard in range(2):
            members = [(f"n{shard}_{number}.wav", noise(shard * 10 + number)) for number in range(3)]
            self.write(f"t/audio_{shard}.tar", harness.tar(members + [(f"rest{shard}.wav", noise(99))]))
            for name, audio in members:
                lines.append(json.dumps({"audio_filepath": name, "duration": 0.1, "text": name, "shard_id": shard,
                                         "spk": 3}))
                expected[name[:-4]] = (name, audio, {"spk": 3, "speaker": "3"})
        self.lines("t/tarred_audio_manifest.json", *reversed(lines))
        self.check("t/tarred_audio_manifest.json", expected)
        rejects = [json.loads(line) for line in (self.folder / "out/rejects.jsonl").read_text().splitlines()]
        self.assertEqual([(reject["key"], reject["reason"]) for reject in rejects],
                         [("rest1", "not_listed"), ("rest0", "not_listed")])

    def test_nemo_parts_of_members(self):
        """As NeMo's convert_to_tarred_audio_dataset.py lists several parts of one recording."""
        long, whole = noise(1, 3.0, "FLAC"), noise(2)
        self.write("t/audio_0.tar", harness.tar([("long.flac", long), ("z.wav", whole)]))
        parts = {"long": (2.0, 0.5), "long-sub1": (0.25, 1.0), "long-sub2": (1.5, 1.5)}
        lines = [{"audio_filepath": key + ".flac", "offset": offset, "duration": duration, "text": key, "shard_id": 0}
                 for key, (offset, duration) in parts.items()]
        lines.append({"audio_filepath": "z.wav", "offset": 0, "duration": 0.1, "text": "Z", "shard_id": 0})
        self.lines("t/sharded_manifests/manifest_0.json", *map(json.dumps, lines))
        expected = {key: (key, pcm(long)[int(offset * 16000):int((offset + duration) * 16000)],
                          {"source_begin": offset, "source_end": offset + duration})
                    for key, (offset, duration) in parts.items()}
        expected["z"] = ("Z", whole, {})
        self.check("nemo:t/sharded_manifests/manifest__OP_0..0_CL_.json", expected)
        self.assertEqual({key: record["key"] for key, (record, _, _) in self.read_dataset().items()},
                         {"long": "long", "long-sub1": "long_sub1", "long-sub2": "long_sub2", "z": "z"})

    def test_nemo_tars_without_what_the_manifest_lists(self):
        self.write("t/audio_0.tar", harness.tar([("a.wav", noise(1))]))
        self.lines("t/m.json", *(json.dumps({"audio_filepath": name, "text": name, "shard_id": 0}) for name in "ab"))
        result = self.shardmill("repack", "t/m.json", "--out", "out", "--shards", 1, code=1)
        self.assertIn("its corpus lists it, but it is not in the shard", result.err)
        self.shardmill("repack", "t/m.json", "--out", "out", "--shards", 1, "--on-error", "skip", "--max-rejects", 1)
        self.assertEqual(set(self.read_dataset()), {"a"})
        self.shardmill("verify", "out", "--against", "t/m.json")

    def test_own_shards_as_nemo(self):
        self.write("d/a.wav", noise(1))
        self.write("d/b.wav", noise(2))
        self.lines("d/a.txt", "A")
        self.lines("d/b.txt", "B")
        self.shardmill("repack", "d", "--out", "first", "--shards", 2)
        self.shardmill("repack", "nemo:first/tarred_audio_manifest.json", "--out", "out", "--shards", 1)
        self.assertEqual({key: (text, audio) for key, (_, text, audio) in self.read_dataset().items()},
                         {"a": ("A", noise(1)), "b": ("B", noise(2))})

    def test_plain_folder(self):
        expected = {}
        for number, (name, form) in enumerate((("a.wav", "WAV"), ("x/b.flac", "FLAC"), ("x/y/c.WAV", "WAV"))):
            audio, key = noise(number, form=form), name[:name.rfind(".")]
            self.write(f"d/{name}", audio)
            self.write(f"d/{key}.txt", f"text {number}\n".encode())
            expected[key] = (f"text {number}", audio, {})
        self.write("d/README.txt", b"about")
        self.check("d", expected)
        self.check("audio:d", expected)

    def test_libritts_and_mls(self):
        for number in range(2):
            self.write(f"tts/dev/8/1/8_1_{number}.wav", noise(number))
            self.lines(f"tts/dev/8/1/8_1_{number}.normalized.txt", f"number {number}")
            self.lines(f"tts/dev/8/1/8_1_{number}.original.txt", f"No. {number}")
            self.write(f"mls/dev/audio/1/2/1_2_{number}.flac", noise(number, form="FLAC"))
        self.lines("tts/dev/8/1/8_1.trans.tsv", "8_1_0\tNo. 0\tnumber 0")
        self.lines("mls/dev/transcripts.txt", "1_2_0\teins", "1_2_1\tzwei")
        self.lines("mls/dev/segments.txt", "1_2_0\thttp://x\t1.0\t2.0")
        facts = {"speaker": "8", "chapter": "1", "subset": "dev", "language": "en", "lang": "en"}
        self.check("tts", {f"8_1_{number}": (f"number {number}", noise(number), facts) for number in range(2)})
        facts = {"speaker": "1", "subset": "dev"}
        self.check("mls", {f"1_2_{number}": (text, noise(number, form="FLAC"), facts)
                           for number, text in enumerate(("eins", "zwei"))})

    def test_ranges_of_numbers(self):
        for number in (8, 9, 10):
            self.write(f"s/x_{number:02}.tar",
                       harness.tar([(f"k{number}.txt", b"T"), (f"k{number}.wav", noise(number))]))
        self.check("s/x_{08..10}.tar", {f"k{number}": ("T", noise(number), {}) for number in (8, 9, 10)})
        self.check("s/x__OP_08..09_CL_.tar", {f"k{number}": ("T", noise(number), {}) for number in (8, 9)})
        self.refuses("s/x_{08..11}.tar", "s/x_11.tar: cannot find this source")

    def test_corpora_and_shards_in_one_dataset(self):
        self.write("s/a.tar", harness.tar([("s1.txt", b"S"), ("s1.wav", noise(1))]))
        self.write("d/d1.wav", noise(2))
        self.lines("d/d1.txt", "D")
        self.lines("k/wav.scp", f"k1 {self.folder}/d/d1.wav")
        self.lines("k/text", "k1 K")
        self.check(["x=s", "x=d", "k"],
                   {"s1": ("S", noise(1), {}), "d1": ("D", noise(2), {}), "k1": ("K", noise(2), {})})


class Changes(Corpora):
    def test_a_changed_transcript_is_a_changed_input(self):
        self.write("k/a.wav", noise(1))
        self.lines("k/wav.scp", "a a.wav")
        self.lines("k/text", "a one")
        self.shardmill("repack", "k", "--out", "out", "--shards", 1)
        self.assertIn("already", self.shardmill("repack", "k", "--out", "out", "--shards", 1).out.decode())
        self.lines("k/text", "a two")
        self.fails("repack", "k", "--out", "out", "--shards", 1, says=["holds a finished dataset that differs"])
        run = json.loads((self.folder / "out/run.json").read_text())
        self.assertEqual({pathlib.Path(each["path"]).name for each in run["inputs"]}, {"a.wav", "wav.scp", "text"})

    def test_the_number_of_threads_changes_nothing(self):
        for number in range(12):
            self.write(f"k/{number}.wav", noise(number, 0.2 + number / 20))
        self.lines("k/wav.scp", *(f"r{number} {number}.wav" for number in range(12)))
        self.lines("k/segments", *(f"r{number}-{part} r{number} {part / 10} {(part + 1) / 10}"
                                   for number in range(12) for part in (1, 0)))
        for threads in (1, 7):
            self.shardmill("repack", "kaldi:k", "--out", f"out{threads}", "--shards", 3, "-j", threads, "--list-root",
                           "/x",
                           "--allow-missing-text")
        names = [name for name in self.names("out1") if name != "run.json"]
        self.assertGreater(len(names), 6)
        self.assertEqual(names, [name for name in self.names("out7") if name != "run.json"])
        for name in names:
            self.assertEqual((self.folder / "out1" / name).read_bytes(), (self.folder / "out7" / name).read_bytes(),
                             name)


class Parents(Corpora):
    """A folder that holds several corpora: nothing in it may be left out without a word."""

    def libri(self, folder="p/LibriSpeech"):
        for speaker in ("11", "12"):
            base = f"{folder}/dev/{speaker}/1/{speaker}-1"
            self.write(f"{base}-0000.flac", noise(int(speaker), form="FLAC"))
            self.lines(f"{base}.trans.txt", f"{speaker}-1-0000 TEXT")
        return folder

    def aishell(self, folder="p/data_aishell"):
        self.write(f"{folder}/wav/train/S0002/BAC009S0002W0001.wav", noise(3))
        self.lines(f"{folder}/transcript/aishell_transcript_v0.8.txt", "BAC009S0002W0001 而 对")
        return folder

    def aishell2(self, folder="p/AISHELL-2"):
        self.write(f"{folder}/iOS/data/wav/C0001/IC0001W0001.wav", noise(4))
        self.lines(f"{folder}/iOS/data/trans.txt", "IC0001W0001\t厨房")
        return folder

    def kaldi(self, folder="p/k"):
        self.write(f"{folder}/long.wav", noise(5, 2.0))
        self.lines(f"{folder}/wav.scp", "rec long.wav")
        self.lines(f"{folder}/segments", "a rec 0 0.5", "b rec 0.5 1.5")
        self.lines(f"{folder}/text", "a A", "b B")
        return folder

    def plain(self, folder="p/plain", number=6):
        self.write(f"{folder}/x{number}.wav", noise(number))
        self.lines(f"{folder}/x{number}.txt", "X")
        return folder

    def unread(self, name):
        if name == "LJSpeech":
            self.write("p/LJSpeech-1.1/wavs/LJ001-0001.wav", noise(7))
            self.lines("p/LJSpeech-1.1/metadata.csv", "LJ001-0001|a|a")
        elif name == "THCHS-30":
            self.write("p/data_thchs30/data/A11_0.wav", noise(8))
            self.lines("p/data_thchs30/data/A11_0.wav.trn", "绿 是")
        elif name == "TED-LIUM":
            self.write("p/TEDLIUM_release-3/train/sph/Talk_2010.sph", noise(9, form="NIST"))
            self.lines("p/TEDLIUM_release-3/train/stm/Talk_2010.stm", "Talk_2010 1 Talk_2010 0.0 0.1 <o> so")
        else:
            self.write("p/mls/train/audio/1/2/1_2_0.flac", noise(10, form="FLAC"))
            self.lines("p/mls/train/transcripts.txt", "1_2_0\teins")

    def mixed(self, *says):
        self.refuses("p", "p: holds more than one corpus", *says)
        self.refuses("mine=p", "p: holds more than one corpus", *says)
        self.fails("inspect", "p", says="p: holds more than one corpus")

    def empty(self):
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def test_several_that_are_read(self):
        self.libri()
        self.aishell()
        self.mixed("AISHELL-1 in data_aishell, LibriSpeech in LibriSpeech/dev", "aishell:p/data_aishell",
                   "librispeech:p/LibriSpeech/dev")
        self.shardmill("repack", "aishell:p/data_aishell", "l=librispeech:p/LibriSpeech/dev", "--out", "out",
                       "--shards", 1,
                       "--subset", "all")
        self.assertEqual(set(self.read_dataset()), {"BAC009S0002W0001", "11-1-0000", "12-1-0000"})
        for make in ((self.aishell, self.aishell2), (self.libri, self.aishell2), (self.libri, self.kaldi),
                     (self.aishell, self.kaldi), (self.plain, self.kaldi), (self.aishell, self.plain),
                     (self.libri, self.plain),
                     (self.aishell2, self.plain)):
            self.empty()
            with self.subTest(make=make):
                first, second = make[0](), make[1]()
                self.mixed(f" in {first[2:]}", f" in {second[2:]}")

    def test_below_the_same_folder(self):
        self.aishell("p/x/data_aishell")
        self.libri("p/x/LibriSpeech")
        self.mixed("AISHELL-1 in x/data_aishell, LibriSpeech in x/LibriSpeech/dev")
        self.empty()
        self.aishell("p/data_aishell")
        self.aishell("p/copy")
        self.mixed("AISHELL-1 in copy, AISHELL-1 in data_aishell")
        self.empty()
        self.aishell2("p/far/away")
        self.aishell2("p/too/far/away")
        self.mixed("AISHELL-2 in far", "AISHELL-2 in too")

    def test_beside_those_that_are_not_read(self):
        for name in ("LJSpeech", "THCHS-30", "TED-LIUM", "Multilingual LibriSpeech (MLS)"):
            for make in (self.aishell, self.libri, self.aishell2):
                self.empty()
                with self.subTest(name=name, make=make):
                    place = make()
                    self.unread(name)
                    self.mixed(f" in {place[2:]}", f"{name} in ")
        self.empty()
        self.kaldi()
        self.unread("Multilingual LibriSpeech (MLS)")
        self.mixed("a Kaldi data folder in k, Multilingual LibriSpeech (MLS) in mls")

    def test_shards_beside_a_corpus(self):
        for make in (self.aishell, self.libri, self.aishell2, self.kaldi):
            for shard in ("p/shards/x.tar", "p/x.tar"):
                self.empty()
                with self.subTest(make=make, shard=shard):
                    place = make()
                    self.write(shard, harness.tar([("s.txt", b"S"), ("s.wav", noise(1))]))
                    loose = shard == "p/x.tar"
                    self.mixed(f" in {place[2:]}", "shards in " + ("the folder itself" if loose else "shards"),
                               "what lies loose needs a folder" if loose else "p/shards")

    def test_audio_that_aishell_does_not_read(self):
        self.aishell("d")
        self.plain("d/more")
        self.refuses("d", "holds more than one corpus: AISHELL-1 in the folder itself, audio in more",
                     "aishell:d d/more")
        self.shardmill("repack", "aishell:d", "--out", "out", "--shards", 1)
        self.assertEqual(set(self.read_dataset()), {"BAC009S0002W0001"})

    def test_finished_datasets(self):
        self.shardmill("repack", self.plain("a"), "--out", "p/A", "--shards", 1)
        self.refuses("p", "p: holds a finished dataset in A, but is not one itself (give p/A)")
        self.shardmill("repack", self.plain("b", 7), "--out", "p/N", "--shards", 1)
        self.mixed("a finished dataset in A, a finished dataset in N", "p/A p/N")
        self.shardmill("repack", "p/A", "p/N", "--out", "out", "--shards", 1)
        self.assertEqual(set(self.read_dataset()), {"x6", "x7"})
        self.aishell()
        self.mixed("a finished dataset in A, a finished dataset in N, AISHELL-1 in data_aishell")

    def test_one_corpus_is_none_of_it(self):
        self.libri("LibriSpeech")
        self.lines("LibriSpeech/SPEAKERS.TXT", "; comment")
        self.write("LibriSpeech/dev/12/2/12-2-0000.flac", noise(20, form="FLAC"))  # without its transcripts
        self.shardmill("repack", "LibriSpeech", "--out", "out", "--shards", 1, "--allow-missing-text")
        self.assertEqual(len(self.read_dataset()), 3)
        for number, make in enumerate((self.libri, self.aishell, self.aishell2)):
            with self.subTest(make=make):
                make(f"p{number}/" + ("data_aishell" if make == self.aishell else "any"))
                self.shardmill("repack", f"p{number}", "--out", f"out{number}", "--shards", 1)
        self.plain("q/a")
        self.plain("q/b/c", 7)
        self.check("q", {"a/x6": ("X", noise(6), {}), "b/c/x7": ("X", noise(7), {})})


class Trouble(Corpora):
    def kaldi(self, name="k", **files):
        self.write(f"{name}/a.wav", noise(1))
        files.setdefault("wav_scp", "a a.wav\n")
        for file, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            self.write(f"{name}/{file.replace('_', '.')}", data)

    def test_text_files_that_are_no_text(self):
        self.kaldi(text="b x\n你好 ".encode() + "的".encode("gbk"))
        self.refuses("k",
                     "k/text: line 2: column 4: is not UTF-8 (byte 0xB5), but the text before it is (the line is "
                     "damaged")
        self.kaldi(text="a x\n".encode("utf-16"))
        self.refuses("k", "k/text: line 1: is UTF-16, not UTF-8", "iconv -f UTF-16")
        self.kaldi(text="a x\x07\n")
        self.refuses("k", "k/text: line 1: column 4: is the control character 0x07")

    def test_text_files_as_people_write_them(self):
        self.kaldi(text=b"\xef\xbb\xbfa\tone two\t\r\n\r\n")
        result = self.shardmill("repack", "k", "--out", "out", "--shards", 1)
        self.assertIn("k/text: starts with a byte order mark, which is skipped", result.err)
        # The end of a line of a list is not part of the text, so it does not count as cleaned.
        self.assertNotIn("cleaned", result.out.decode())
        self.assertEqual(self.read_dataset()["a"][1], "one two")

    def test_ids_that_come_twice(self):
        self.kaldi(text="a x\nb y\na z\n")
        self.refuses("k", "k/text: line 3: 'a' is in line 1 already")
        self.kaldi(text="a x\n", wav_scp="a a.wav\na a.wav\n")
        self.refuses("k", "k/wav.scp: line 2: 'a' is in line 1 already")

    def test_missing_audio(self):
        self.kaldi(wav_scp="a a.wav\nb gone.wav\nc gone2.wav\n", text="a x\nb y\nc z\nd z\n")
        self.refuses("k",
                     "gone.wav: No such file or directory (named in k/wav.scp: line 2), and 1 more utterance has "
                     "no audio: 'c'", "--on-error skip", faults=2)
        self.shardmill("repack", "k", "--out", "out", "--shards", 1, "--on-error", "skip", "--max-rejects", 3,
                       "--allow-missing-text")
        rejects = [json.loads(line) for line in (self.folder / "out/rejects.jsonl").read_text().splitlines()]
        self.assertEqual([reject["key"] for reject in rejects], ["b", "c", "d"])
        self.assertEqual(set(self.read_dataset()), {"a"})
        self.shardmill("repack", "k", "--out", "out2", "--shards", 1, "--on-error", "skip", "--allow-missing-text",
                       code=3)

    def test_nobody_misses_what_is_excluded(self):
        self.kaldi(wav_scp="a a.wav\nb gone.wav\n", text="a x\nb y\nc z\n")
        self.refuses("k", "gone.wav: No such file or directory", faults=2)
        for options, reason in ((["--exclude", "[bc]"], "excluded"), (["--include", "a"], "not_included")):
            self.shardmill("repack", "k", "--out", "out", "--shards", 1, "--force", *options)
            rejects = [json.loads(line) for line in (self.folder / "out/rejects.jsonl").read_text().splitlines()]
            self.assertEqual([(reject["key"], reject["reason"]) for reject in rejects], [("b", reason), ("c", reason)])
            self.shardmill("verify", "out", "--against", "k")
        self.fails("repack", "k", "--out", "more", "--shards", 1, "--exclude", "b", says="'c' has a transcript")

    def test_the_size_is_that_of_what_is_written(self):
        for number in range(4):
            self.write(f"d/{number}.wav", noise(number, 2.0, rate=8000))
        for options, shards in (([], 1), (["--sample-rate", 48000], 4), (["--sample-rate", 24000], 2)):
            plan = self.shardmill("repack", "d", "--out", "out", "--dry-run", "--json", "--shard-size", "200kB",
                                  "--allow-missing-text", *options)
            self.assertEqual(json.loads(plan.out)["shards"], shards)

    def test_missing_transcripts(self):
        self.kaldi(wav_scp="a a.wav\nb a.wav\nc a.wav\n", text="a x\n")
        self.refuses("k", "dataset 'k': 2 of 3 samples have no transcript", "--require-text")
        result = self.shardmill("repack", "k", "--out", "out", "--shards", 1, "--allow-missing-text")
        self.assertIn("k/a.wav: 'b' has no transcript, and neither has 1 other", result.err)
        self.assertEqual({key: text for key, (_, text, _) in self.read_dataset().items()},
                         {"a": "x", "b": None, "c": None})

    def test_transcripts_without_a_word(self):
        self.kaldi(wav_scp="a a.wav\nb a.wav\nc a.wav\n", text="a x\nb\nc \n")
        self.refuses("k", "dataset 'k': 2 of 3 samples have no transcript", "--require-text")
        result = self.shardmill("repack", "k", "--out", "out", "--shards", 1, "--allow-missing-text")
        self.assertIn("k/a.wav: 'b' has no transcript, and neither has 1 other", result.err)
        self.assertIn(b"1 of 3 samples", result.out)

    def test_segments(self):
        for line, says in (("u a 0.05 0.01",
                            "k/a.wav: the segment 'u' would begin at 0.05 s and end at 0.01 s (named in k/segments: "
                            "line 2)"),
                           ("u a 0.05 0.05", "the segment 'u' would begin at 0.05 s"),
                           ("u a 0 9", "ends at 9 s, but its recording at 0.100 s"),
                           ("u a 0.01 0.01001", "holds no frame: from 0.01 s to 0.01001 s at 16000 Hz"),
                           ("u a 5 -1", "begins at 5 s, where its recording has ended"),
                           ("u b 0 1", "line 2: the recording 'b' is not in k/wav.scp"),
                           ("u a 0 x", "k/segments: line 2: 'x' is not a number of seconds"),
                           ("u a 0", "k/segments: line 2: is not made of")):
            with self.subTest(line=line):
                self.kaldi(segments=f"ok a 0 0.05\n{line}\n")
                result = self.shardmill("repack", "kaldi:k", "--out", "out", "--shards", 1, "--force", "-q",
                                        "--allow-missing-text", code=1)
                self.assertIn(says, result.err)

    def test_audio_that_is_none(self):
        self.kaldi(wav_scp="a a.wav\nb b.wav\n", text="a x\nb y\n")
        self.write("k/b.wav", b"RIFF no audio")
        result = self.shardmill("repack", "k", "--out", "out", "--shards", 1, code=1)
        self.assertIn("k/b.wav", result.err)

    def test_sources_that_are_no_corpus(self):
        self.write("d/x.png", b"x")
        self.refuses("d", "d: holds neither shards nor audio")
        self.refuses("kaldi:d", "is no Kaldi data folder: it holds no wav.scp", code=2)
        self.refuses("aishell:d", "is not AISHELL-1", code=2)
        self.refuses("aishell2:d", "is not AISHELL-2", code=2)
        self.refuses("librispeech:d", "d: holds no audio")
        self.refuses("wenet:d", "is a folder, but 'wenet:' takes a file", code=2)
        self.refuses("kaldi:d/x.png", "is a file, but 'kaldi:' takes a folder", code=2)
        self.refuses("nemo:none.json", "none.json: cannot find this source: No such file or directory")

    def test_sources_of_audio_without_a_corpus(self):
        self.kaldi()
        self.refuses("k/a.wav", "k/a.wav: is a single audio file", code=2)
        self.lines("k/files.list", "k/a.wav")
        self.refuses("k/files.list", "k/files.list: lists audio files, without their transcripts", code=2)
        self.refuses("k/wav.scp", "k/wav.scp: is part of a Kaldi data folder", "kaldi:", code=2)

    def test_json_lines(self):
        self.kaldi()
        for line, says in (("{", "is not valid JSON"), ("[1]", "is not a JSON object"),
                           ('{"key": "x"}', "'wav' is missing"),
                           ('{"key": "", "wav": "a.wav"}', "has an empty key"),
                           ('{"key": "x", "wav": "a.wav", "start": "0"}', "'start' is not a number")):
            with self.subTest(line=line):
                self.lines("k/l.list", '{"key": "a", "wav": "a.wav", "txt": "words"}', line)
                self.refuses("k/l.list", f"k/l.list: line 2: {says}")

    def test_half_downloaded(self):
        self.write("L/dev/1/2/1-2-0000.flac", noise(1, form="FLAC"))
        self.lines("L/dev/1/2/1-2.trans.txt", "1-2-0000 A", "1-2-0001 B", "1-2-0002 C")
        self.refuses("L",
                     "L/dev/1/2/1-2.trans.txt: line 2: '1-2-0001' has a transcript, but there is no such audio, and 1 "
                     "more utterance has no audio")

    def test_shards_beside_audio(self):
        self.write("d/a.tar", harness.tar([("s.txt", b"S"), ("s.wav", noise(1))]))
        self.write("d/b.wav", noise(2))
        result = self.shardmill("repack", "d", "--out", "out", "--shards", 1)
        self.assertIn("d: holds shards, and audio or lists of audio: only the shards are read (audio:d reads",
                      result.err)
        self.assertEqual(set(self.read_dataset()), {"s"})

    def test_only_shards_will_do(self):
        self.write("d/b.wav", noise(2))
        self.fails("convert", "d", "--out", "out", code=2, says="is a raw corpus, and this command reads only shards")
        self.fails("verify", "audio:d", code=2, says="is a raw corpus, and this command reads only shards")

    def test_the_output_folder_is_not_read_again(self):
        self.write("d/b.wav", noise(2))
        self.lines("d/b.txt", "B")
        self.write("k/b.wav", noise(2))
        self.lines("k/wav.scp", "b b.wav")
        self.lines("k/text", "b B")
        for source in ("d", "audio:d"):
            self.fails("repack", source, "--out", "d/out", code=2, says="the output folder lies in the source folder d")
        self.fails("repack", "k", "--out", "k/out", code=2, says="the output folder lies in the source folder k")
        self.fails("repack", "kaldi:k", "--out", "k", says="holds what shardmill did not make here")
        self.shardmill("repack", "kaldi:k", "--out", "k/shards", "--shards", 1)


if __name__ == "__main__":
    unittest.main()
