"""lhotse: reads what Lhotse's recipes write: recordings with supervisions, and cuts."""
import gzip
import io
import json
import shutil
import tarfile
import unittest

import numpy
import soundfile

import harness
import lhotse_recipes
from repack_test import Repacking, tone

RATE = 16000
SECONDS = 12


class Manifests(Repacking):
    def setUp(self):
        super().setUp()
        self.audio, self.recordings, self.supervisions, self.cuts = {}, [], [], []
        for number in range(4):
            name = f"rec-{number}"
            self.audio[name] = tone(SECONDS * RATE, rate=RATE, seed=number)
            self.write(f"wavs/{name}.wav", self.audio[name])
            recording = {"id": name, "sources": [{"type": "file", "channels": [0], "source": f"wavs/{name}.wav"}],
                         "sampling_rate": RATE, "num_samples": SECONDS * RATE, "duration": SECONDS, "channel_ids": [0]}
            self.recordings.append(recording)
            of_one = []
            for part in range(3):
                of_one.append({"id": f"{name}-{part}", "recording_id": name, "start": part * 4 + 0.25, "duration": 3.5,
                               "channel": 0, "text": f"text {number} {part}", "language": "English",
                               "speaker": f"s{number}",
                               "gender": "F", "custom": {"snr": 12.5, "nothing": None}})
            self.supervisions += of_one
            self.cuts.append({"id": f"cut-{name}", "start": 0, "duration": SECONDS, "channel": 0, "type": "MonoCut",
                              "supervisions": of_one, "recording": recording})

    def manifest(self, name, lines):
        text = "".join(json.dumps(line) + "\n" for line in lines).encode()
        self.write(name, gzip.compress(text) if name.endswith(".gz") else text)

    def pair(self, folder="m", prefix="corpus_", end=".jsonl.gz", subset="_train"):
        self.manifest(f"{folder}/{prefix}recordings{subset}{end}", self.recordings)
        self.manifest(f"{folder}/{prefix}supervisions{subset}{end}", self.supervisions)

    def read(self, source, *options):
        self.shardmill("repack", source, "--out", "out", "--shards", 2, "-q", "--force", *options)
        return {record["key"]: record
                for line in (self.folder / "out/tarred_audio_manifest.json").read_text().splitlines()
                for record in [json.loads(line)]}

    def check(self, source, *options):
        records = self.read(source, *options)
        self.assertEqual({(key, record["text"], record["source_begin"], record["duration"], record["speaker"],
                           record["snr"])
                          for key, record in records.items()},
                         {(one["id"], one["text"], one["start"], 3.5, one["speaker"], 12.5)
                          for one in self.supervisions})
        self.shardmill("verify", "out", "--against", source,
                       *[option for option in options if option == "--allow-commands"])
        return records


class Kinds(Manifests):
    def test_recordings_and_supervisions(self):
        self.pair()
        for source in ("lhotse:m", "m", "lhotse:m/corpus_supervisions_train.jsonl.gz",
                       "m/corpus_supervisions_train.jsonl.gz"):
            with self.subTest(source):
                records = self.check(source)
                self.assertEqual({record["subset"] for record in records.values()}, {"train"})
                self.assertEqual({(record["lang"], record["gender"]) for record in records.values()},
                                 {("English", "F")})

    def test_plain_files_beside_the_audio(self):
        self.pair("wavs", "", ".jsonl", "")
        for recording in self.recordings:
            recording["sources"][0]["source"] = recording["sources"][0]["source"].split("/")[1]
        self.pair("wavs", "", ".jsonl", "")
        self.check("lhotse:wavs")

    def test_cuts_with_several_supervisions(self):
        self.manifest("c/cuts_train.jsonl.gz", self.cuts)
        for source in ("lhotse:c", "c", "c/cuts_train.jsonl.gz"):
            with self.subTest(source):
                self.check(source)

    def test_cuts_of_one_supervision_are_whole_samples(self):
        cuts = [{"id": f"c-{one['id']}", "start": one["start"] - 0.25, "duration": 4, "channel": 0, "type": "MonoCut",
                 "supervisions": [{**one, "start": 0.25}], "recording": self.recordings[0]}
                for one in self.supervisions[:3]]
        cuts.append({"id": "whole", "start": 0, "duration": SECONDS, "channel": 0, "type": "MonoCut", "supervisions":
                     [{**self.supervisions[3], "start": 0}], "recording": self.recordings[1]})
        self.manifest("cuts.jsonl", cuts)
        records = self.read("cuts.jsonl")
        self.assertEqual({key: record["duration"] for key, record in records.items()},
                         {**{f"c-rec-0-{part}": 4 for part in range(3)}, "whole": SECONDS})
        self.assertEqual(self.shardmill("cat", "out/shards/audio_000000000.tar", "whole.wav", code=None).out or
                         self.shardmill("cat", "out/shards/audio_000000001.tar", "whole.wav").out, self.audio["rec-1"])

    def test_subsets(self):
        self.pair(subset="_train")
        for one in self.supervisions:
            one["id"] += "-t"
        self.pair(subset="_test")
        self.fails("repack", "m", "--out", "no", "--shards", 1, says="--subset")
        records = self.read("m", "--subset", "test")
        self.assertEqual({record["subset"] for record in records.values()}, {"test"})

    def test_a_channel_of_several(self):
        left, right = (tone(SECONDS * RATE, rate=RATE, seed=seed)[44:] for seed in (7, 8))
        both = b"".join(left[i:i + 2] + right[i:i + 2] for i in range(0, len(left), 2))
        header = bytearray(tone(4, rate=RATE)[:44])
        header[4:8], header[40:44] = (36 + len(both)).to_bytes(4, "little"), len(both).to_bytes(4, "little")
        header[22:24], header[28:32], header[32:34] = b"\2\0", (RATE * 4).to_bytes(4, "little"), b"\4\0"
        self.write("two.wav", bytes(header) + both)
        recording = {"id": "two", "sources": [{"type": "file", "channels": [0, 1], "source": "two.wav"}],
                     "sampling_rate": RATE, "num_samples": SECONDS * RATE, "duration": SECONDS, "channel_ids": [0, 1]}
        cuts = [{"id": f"ch{channel}", "start": 1, "duration": 2, "channel": channel, "type": "MonoCut",
                 "supervisions": [],
                 "recording": recording} for channel in (0, 1)]
        self.manifest("cuts.jsonl", cuts)
        self.shardmill("repack", "cuts.jsonl", "--out", "out", "--shards", 1, "-q", "--allow-missing-text")
        for name, values in (("ch0", left), ("ch1", right)):
            audio = self.shardmill("cat", "out/shards/audio_000000000.tar", f"{name}.wav").out
            self.assertEqual(audio[44:], values[2 * RATE:6 * RATE])


    def test_a_file_for_each_channel(self):
        """As of meetings: the supervisions say which; one of all channels is refused."""
        recording = lhotse_recipes.headsets("m", [f"wavs/rec-{number}.wav" for number in range(3)], SECONDS)
        said = [lhotse_recipes.said(f"s{channel}", "m", 1.5, 2.0, channel, text="a") for channel in (2, 0)]
        self.recordings, self.supervisions = [recording], said
        self.pair()
        self.read("m")
        for channel in (0, 2):
            data = self.shardmill("cat", "out/shards/audio_000000000.tar", f"s{channel}.wav",
                                  code=None).out or self.shardmill(
                "cat", "out/shards/audio_000000001.tar", f"s{channel}.wav").out
            self.assertEqual(data[44:], self.audio[f"rec-{channel}"][44 + 3 * RATE:44 + 7 * RATE])
        cut = {"id": "c", "start": 0, "duration": SECONDS, "channel": [0, 1, 2], "type": "MultiCut",
               "recording": recording,
               "supervisions": said}
        self.manifest("cuts.jsonl", [cut])
        self.assertEqual(set(self.read("cuts.jsonl")), {"s0", "s2"})
        self.manifest("cuts.jsonl", [{**cut, "supervisions": [{**said[0], "channel": [0, 1, 2]}]}])
        self.fails("repack", "cuts.jsonl", "--out", "no", "--shards", 1,
                   says=["line 1", "channel 0, 1, 2, which no file"])
        self.manifest("cuts.jsonl", [{**cut, "supervisions": [{**said[0], "channel": 7}, said[1]]}])
        self.fails("repack", "cuts.jsonl", "--out", "no", "--shards", 1, says=["line 1", "channel 7, which no file"])

    def test_a_cut_with_a_supervision_of_another_channel(self):
        cuts = [{"id": f"c{channel}", "start": 0, "duration": 2.0, "channel": channel, "type": "MonoCut",
                 "supervisions": [lhotse_recipes.said(f"s{channel}", "two", 0, 2.0, 1, text="a")],
                 "recording": {"id": "two", "sampling_rate": RATE, "num_samples": SECONDS * RATE, "duration": SECONDS,
                               "sources": [{"type": "file", "channels": [0, 1], "source": "t/two.wav"}]}}
                for channel in (1, 0)]
        cuts.append({**cuts[0], "id": "c2"})
        self.write("t/two.wav", tone(SECONDS * RATE, rate=RATE, channels=2))
        self.manifest("m/cuts.jsonl", cuts)
        for command in (["lhotse:m"], ["x=t", "--labels", "x=m/cuts.jsonl"]):
            self.fails("repack", *command, "--out", "no", "--shards", 1,
                       says=["line 2", "is of channel 0, and its supervision 's0' of channel 1"])
        self.assertEqual(set(self.read("lhotse:m", "--on-error", "skip", "--max-rejects", 1)), {"c1", "c2"})

    def test_cuts_beside_other_manifests(self):
        """What has no cut is not left out without a word."""
        self.pair(prefix="")
        self.manifest("m/cuts_train.jsonl", self.cuts)
        said = self.shardmill("repack", "lhotse:m", "--out", "out", "--shards", 1).err
        self.assertIn("is left out: there are cuts of its recordings (1 more time)", said)
        self.manifest("m/cuts_train.jsonl", self.cuts[1:])
        self.fails("repack", "lhotse:m", "--out", "no", "--shards", 1,
                   says=["supervisions_train.jsonl.gz: line 1: no cut is about the recording 'rec-0'"])
        found = self.read("lhotse:m", "--on-error", "skip", "--max-rejects", 3)
        self.assertEqual(set(found), {one["id"] for one in self.supervisions[3:]})
        self.assertEqual(set(self.read("lhotse:m/cuts_train.jsonl")), set(found))
        (self.folder / "m/supervisions_train.jsonl.gz").unlink()
        self.fails("repack", "lhotse:m", "--out", "no", "--shards", 1,
                   says=["recordings_train.jsonl.gz: line 1: no cut is about the recording 'rec-0'"])

    def test_manifests_in_a_folder_inside_the_given_one(self):
        self.pair("all/m")
        for name, data in self.audio.items():
            self.write(f"all/wavs/{name}.wav", data)
        self.fails("repack", "x=all", "--out", "no", "--shards", 1,
                   says=["lhotse:all/m is a folder with manifests of Lhotse", "give it as x=lhotse:all/m"])

    def test_manifests_beside_archives(self):
        self.manifest("all/cuts.jsonl.gz", self.cuts)
        self.write("all/audio/a.tar", harness.tar([(f"wavs/{name}.wav", data) for name, data in self.audio.items()]))
        self.fails("repack", "x=all", "--out", "no", "--shards", 1,
                   says=["all/audio/a.tar, and manifests of Lhotse, which name files", "--labels"])
        self.shardmill("repack", "x=all/audio/a.tar", "--labels", "x=all/cuts.jsonl.gz", "--out", "out", "--shards", 1,
                       "-q")
        self.assertEqual(len(self.records("out")), len(self.supervisions))

    def test_the_folder_of_the_audio(self):
        for recording in self.recordings:
            name = recording["id"]
            recording["sources"][0]["source"] = f"/export/corpora/x/en/{name}.wav"
            self.write(f"elsewhere/x/en/{name}.wav", self.audio[name])
        self.pair()
        self.fails("repack", "m", "--out", "no", "--shards", 1, says="/export/corpora/x/en/rec-0.wav")
        for root in ("elsewhere", "elsewhere/x", "elsewhere/x/en"):
            self.read("m", "--audio-root", root)
            self.shardmill("verify", "out", "--against", "m")
        self.fails("repack", "m", "--audio-root", "nowhere", "--out", "no", "--shards", 1, says="nowhere/")

    def test_what_custom_holds(self):
        array = {"array": {"storage_type": "lilcom_hdf5", "storage_path": "x", "storage_key": "y", "shape": [3]}}
        for one in self.supervisions:
            one["custom"] = {"snr": 12.5, "tags": ["a", 1], "more": {"a": {"b": 2}}, "emb": array, "codes": array}
        self.pair()
        said = self.shardmill("repack", "m", "--out", "out", "--shards", 2).err
        for field in ("emb", "codes"):
            self.assertIn(f"'custom.{field}' of Lhotse is left out (11 more times)", said)
        # Labels say so, too.
        said = self.shardmill("repack", "l=wavs", "--labels", "l=m/corpus_supervisions_train.jsonl.gz", "--out",
                              "labelled",
                              "--shards", 2).err
        for field in ("emb", "codes"):
            self.assertIn(f"'custom.{field}' of Lhotse is left out", said)
        record = self.records("out")[0]
        self.assertEqual((record["tags"], record["more"], "emb" in record), (["a", 1], {"a": {"b": 2}}, False))


class Recipes(Repacking):
    """The manifests of each recipe give its keys, texts, speakers and audio."""

    def audio_of(self, recording):
        """Writes it; returns the values of each channel."""
        channels = {}
        for number, source in enumerate(recording["sources"]):
            frames = recording["num_samples"]
            values = numpy.random.default_rng(number).integers(-9000, 9000, (frames, len(source["channels"])),
                                                               dtype=numpy.int16)
            out = io.BytesIO()
            soundfile.write(out, values, recording["sampling_rate"], format="WAV", subtype="PCM_16")
            self.write(source["source"], out.getvalue())
            for place, channel in enumerate(source["channels"]):
                channels[channel] = values[:, place]
        return channels

    def test_all(self):
        count = 0
        for recipe in lhotse_recipes.recipes():
            with self.subTest(recipe.name):
                self.check(recipe)
                count += 1
        self.assertGreaterEqual(count, 40)

    def check(self, recipe):
        folder = recipe.name
        for name, lines in recipe.files.items():
            self.write(f"{folder}/{name}", gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))
        audio = {each["id"]: self.audio_of({**each, "sources": [{**source, "source": f"{folder}/{source['source']}"}
                                                                for source in each["sources"]]})
                                                                for each in recipe.recordings}
        self.shardmill("repack", f"lhotse:{folder}", "--out", f"{folder}/out", "--shards", 1, "-q", *recipe.options)
        records = {record["source_key"]: record for record in self.records(f"{folder}/out")}
        self.assertEqual(set(records), {one["id"] for one in recipe.supervisions})
        with tarfile.open(self.folder / folder / "out/shards/audio_000000000.tar") as tar:
            for one in recipe.supervisions:
                record = records[one["id"]]
                self.assertEqual(record.get("text") or None, one.get("text"))
                self.assertAlmostEqual(record["duration"], one["duration"], places=4)
                self.assertEqual(record.get("speaker"), str(one["speaker"]) if "speaker" in one else None)
                self.assertEqual(record.get("gender"), one.get("gender"))
                self.assertEqual(record.get("language"), one.get("language"))
                channels = one["channel"] if isinstance(one["channel"], list) else [one["channel"]]
                begin, end = round(one["start"] * RATE), round((one["start"] + one["duration"]) * RATE)
                wanted = numpy.stack([audio[one["recording_id"]][channel][begin:end] for channel in channels], axis=1)
                found, rate = soundfile.read(io.BytesIO(tar.extractfile(record["audio_filepath"]).read()),
                                             dtype="int16",
                                             always_2d=True)
                self.assertEqual(rate, RATE)
                numpy.testing.assert_array_equal(found, wanted)
        first = records[recipe.supervisions[0]["id"]]
        for name, value in recipe.facts.items():
            self.assertEqual(first.get(name, lhotse_recipes.NOTHING), value, name)
        self.shardmill("verify", f"{folder}/out", "--against", f"lhotse:{folder}")


class Shar(Repacking):
    """Lhotse Shar, as lhotse/shar/writers writes it."""

    def setUp(self):
        super().setUp()
        self.texts = {}

    def cut(self, id, number, seconds=3.0, parts=1):
        recording = {"id": f"rec-{number}", "sources": [{"type": "shar", "channels": [0], "source": ""}],
                     "sampling_rate": RATE,
                     "num_samples": round(seconds * RATE), "duration": seconds, "channel_ids": [0]}
        said = [{**lhotse_recipes.said(f"{id}-s{part}" if parts > 1 else f"sup-{id}", f"rec-{number}", part * 1.0,
                                       1.0 if parts > 1 else seconds, text=f"text {id} {part}", language="en",
                                       speaker=f"S{number}")}
                for part in range(parts)]
        return {"id": id, "start": 0, "duration": seconds, "channel": 0, "supervisions": said, "recording": recording,
                "custom": {"snr": 1.5}, "type": "MonoCut"}, recording

    def shard(self, folder, number, ids, form="flac", missing=(), parts=1, end=".gz"):
        cuts, members = [], []
        for place, id in enumerate(ids):
            cut, recording = self.cut(id, place, parts=parts)
            if id in missing:
                del cut["recording"]
                members += [(f"{id}.nodata", b""), (f"{id}.nometa", b"")]
            else:
                data = tone(3 * RATE, seed=place, form="WAV" if form == "original" else form.upper())
                members += [(f"{id}.{form}", data), (f"{id}.json", (json.dumps(recording) + "\n").encode())]
            cuts.append(cut)
        text = "".join(json.dumps(cut) + "\n" for cut in cuts).encode()
        self.write(f"{folder}/cuts{number}.jsonl{end}", gzip.compress(text) if end else text)
        self.write(f"{folder}/recording{number}.tar", harness.tar(members))

    def read(self, source, *options):
        self.shardmill("repack", source, "--out", "out", "--shards", 2, "-q", "--force", *options)
        return {record["source_key"]: record for record in self.records("out")}

    def test_shards(self):
        for form in ("flac", "wav", "original"):
            ids = [[f"cut-{shard}-{place}" for place in range(4)] for shard in range(3)]
            ids[1][2] = "with.dots/and-slash.1"
            for shard in range(3):
                self.shard(form, f".{shard:06}", ids[shard], form, end=".gz" if form == "flac" else "")
            self.write(f"{form}/recording.000000.tar.idx", b"x")
            for source in (f"lhotse:{form}", form,
                           f"lhotse:{form}/cuts.000001.jsonl" + (".gz" if form == "flac" else "")):
                with self.subTest(source):
                    found = self.read(source)
                    wanted = ids[1] if "cuts" in source else sum(ids, [])
                    self.assertEqual(set(found), set(wanted))
                    for place, id in enumerate(ids[1]):
                        self.assertEqual({name: found[id][name]
                                          for name in ("text", "speaker", "language", "snr", "duration")},
                                         {"text": f"text {id} 0", "speaker": f"S{place}", "language": "en", "snr": 1.5,
                                          "duration": 3})
                        self.assertNotIn("sources", found[id])
                    self.shardmill("verify", "out", "--against", source)

    def test_several_supervisions_and_one_shard(self):
        self.shard("one", "", ["a", "b"], parts=3)
        found = self.read("lhotse:one")
        self.assertEqual({key: (record["source_begin"], record["duration"]) for key, record in found.items()},
                         {f"{id}-s{part}": (part, 1) for id in "ab" for part in range(3)})

    def test_tables_and_other_fields(self):
        self.shard("s", ".000000", ["a", "b"])
        self.write("s/mos.000000.jsonl", b'{"cut_id": "a", "mos": 3.5}\n{"cut_id": "b", "mos": null}\n')
        found = self.read("lhotse:s")
        self.assertEqual([found[key].get("mos") for key in "ab"], [3.5, None])
        # As for Lhotse, a table replaces what the cuts say.
        self.write("s/snr.000000.jsonl", b'{"cut_id": "a", "snr": 9}\n{"cut_id": "b"}\n')
        found = self.read("lhotse:s")
        self.assertEqual([(found[key]["snr"], found[key].get("mos")) for key in "ab"], [(9, 3.5), (1.5, None)])
        self.write("s/mos.000000.jsonl", b'{"cut_id": "b", "mos": 3.5}\n')
        self.fails("repack", "lhotse:s", "--out", "no", "--shards", 1,
                   says=["s/mos.000000.jsonl", "has 1 line, and", "has 2 cuts"])
        self.write("s/mos.000000.jsonl", b'{"cut_id": "a", "mos": 3.5}\n{"cut_id": "b", "mos": null}\n')
        self.write("s/features.000000.tar", harness.tar([("a.llc", b"x"), ("a.json", b"{}")]))
        self.fails("repack", "lhotse:s", "--out", "no", "--shards", 1, says=["s/features.000000.tar", "is not read"])
        self.fails("repack", "s", "--out", "no", "--shards", 1, says="s/features.000000.tar")
        self.shardmill("repack", "s", "--out", "some", "--shards", 1, "-q", "--on-error", "skip", "--max-rejects",
                       "all")

    def test_what_is_missing(self):
        self.shard("s", ".000000", ["a", "b", "c"], missing=["b"])
        self.fails("repack", "lhotse:s", "--out", "no", "--shards", 1, says=["'b'", "cuts.000000.jsonl.gz: line 2"])
        self.shardmill("repack", "lhotse:s", "--out", "out", "--shards", 1, "-q", "--on-error", "skip", "--max-rejects",
                       1)
        self.assertEqual([(reject["key"], reject["reason"]) for reject in self.records("out", "rejects.jsonl")],
                         [("b", "missing_audio")])
        self.shard("s", ".000001", ["d"])
        (self.folder / "s/recording.000001.tar").unlink()
        self.fails("repack", "lhotse:s", "--out", "no", "--shards", 1, says=["cuts.000001.jsonl.gz", "recording"])
        self.shard("s", ".000001", ["d"])
        self.write("s/recording.000001.tar", harness.tar([("d.wav", tone(3 * RATE)), ("e.wav", tone(RATE))]))
        self.shardmill("repack", "lhotse:s", "--out", "out", "--shards", 1, "-q", "--force", "--on-error", "skip",
                       "--max-rejects", 2)
        self.assertEqual(sorted((reject["key"], reject["reason"]) for reject in self.records("out", "rejects.jsonl")),
                         [("b", "missing_audio"), ("e", "unlisted")])

    def test_shards_that_are_gone_or_cut(self):
        for shard in range(3):
            self.shard("s", f".{shard:06}", [f"{shard}-{place}" for place in range(4)])
        cuts, audio = (self.folder / "s" / name for name in ("cuts.000001.jsonl.gz", "recording.000001.tar"))
        cuts.write_bytes(cuts.read_bytes()[:-20])
        self.fails("repack", "lhotse:s", "--out", "no", "--shards", 1, says="cuts.000001.jsonl.gz: ")
        cuts.unlink()
        self.fails("repack", "lhotse:s", "--out", "no", "--shards", 1,
                   says="s/recording.000001.tar: is not read: the cuts of its number are missing")
        audio.unlink()
        said = self.shardmill("repack", "lhotse:s", "--out", "out", "--shards", 1).err
        self.assertIn("s/cuts.000001.jsonl.gz: is not there, but cuts of later numbers are", said)
        for name in ("cuts.000000.jsonl.gz", "recording.000000.tar"):
            (self.folder / "s" / name).unlink()
        said = self.shardmill("repack", "lhotse:s", "--out", "out", "--shards", 1, "--force").err
        self.assertIn("s/cuts.000000.jsonl.gz: is not there, but cuts of later numbers are", said)

    def test_a_table_that_one_shard_lacks(self):
        for shard in range(3):
            ids = [f"{shard}-{place}" for place in range(4)]
            self.shard("s", f".{shard:06}", ids)
            lines = "".join(json.dumps({"cut_id": id, "mos": 3.5}) + "\n" for id in ids)
            self.write(f"s/mos.{shard:06}.jsonl.gz", gzip.compress(lines.encode()))
        self.assertEqual({record["mos"] for record in self.read("lhotse:s").values()}, {3.5})
        (self.folder / "s/mos.000001.jsonl.gz").unlink()
        self.fails("repack", "lhotse:s", "--out", "no", "--shards", 1,
                   says="s/mos.000001.jsonl.gz: is not there, but other shards have a table of its name")
        found = self.read("lhotse:s", "--on-error", "skip", "--max-rejects", "all")
        self.assertEqual({key for key, record in found.items() if "mos" not in record}, {f"1-{n}" for n in range(4)})

    def test_folders_of_subsets(self):
        self.shard("all/train", ".000000", ["a", "b"])
        self.shard("all/dev", ".000000", ["c"])
        self.fails("repack", "lhotse:all", "--out", "no", "--shards", 1, says="--subset")
        self.assertEqual(set(self.read("lhotse:all", "--subset", "train")), {"a", "b"})
        self.shard("all/dev", ".000000", ["c", "d"])
        self.assertEqual(set(self.read("lhotse:all/dev")), {"c", "d"})


class Refused(Manifests):
    def test_one_array(self):
        """As recipes wrote it before there were JSON lines."""
        self.write("old/recordings.json", json.dumps(self.recordings).encode())
        self.write("old/supervisions.json", b"[]")
        self.fails("repack", "lhotse:old", "--out", "no", "--shards", 1, says=["JSON array", "jq -c '.[]' old/"])

    def test_what_only_lhotse_can_read(self):
        cases = (({"transforms": [{"name": "Speed", "kwargs": {"factor": 0.9}}]},
                  "is transformed, which only Lhotse can do: Speed"),
                 ({"sources": [{"type": "url", "channels": [0], "source": "https://x/y.wav"}]},
                  "its source is of type 'url'"),
                 ({"sources": [{"type": "memory", "channels": [0], "source": "AAAA"}]},
                  "its source is of type 'memory'"))
        good = self.recordings[1]
        for change, says in cases:
            with self.subTest(says):
                self.recordings[1] = {**good, **change}
                self.pair()
                self.fails("repack", "m", "--out", "no", "--shards", 1,
                           says=["corpus_supervisions_train.jsonl.gz: line 4", says])
                self.shardmill("repack", "m", "--out", "some", "--shards", 1, "-q", "--on-error", "skip",
                               "--max-rejects", 3, "--force",
                               "--allow-missing-text")
                self.assertEqual(len(self.records("some", "rejects.jsonl")), 3)

    def test_recordings_of_another_length_than_the_manifest_says(self):
        """Pieces that fit are taken, and counted; a whole recording must be as long as it is said to be."""
        for other, odd in ((SECONDS + 4, 3), (SECONDS - 0.05, 0), (SECONDS + 0.05, 0), (SECONDS - 0.25, 3)):
            with self.subTest(other):
                self.recordings[1]["duration"], self.recordings[1]["num_samples"] = other, round(other * RATE)
                self.pair()
                self.manifest("cuts.jsonl",
                              [{**cut, "recording": recording} for cut, recording in zip(self.cuts, self.recordings)])
                self.manifest("labels.jsonl",
                              [{**cut, "recording": recording} for cut, recording in zip(self.cuts, self.recordings)])
                for source in (["m"], ["cuts.jsonl"], ["l=wavs", "--labels", "l=labels.jsonl"]):
                    result = self.shardmill("repack", *source, "--out", "out", "--shards", 2, "--force", "--json")
                    self.assertEqual(json.loads(result.out)["warnings"].get("odd_recording_length", 0), odd)
                    self.assertEqual(len(self.records("out")), 12)
        whole = [{"id": recording["id"], "start": 0, "duration": recording["duration"], "channel": 0, "type": "MonoCut",
                  "supervisions": [{**said, "recording_id": recording["id"], "start": 0,
                                    "duration": recording["duration"]}], "recording": recording}
                 for recording, said in zip(self.recordings, self.supervisions)]
        for name, source in (("cuts.jsonl", ["cuts.jsonl"]),
                             ("labels.jsonl", ["l=wavs", "--labels", "l=labels.jsonl"])):
            self.manifest(name, whole)
            self.shardmill("repack", *source, "--out", "out", "--shards", 1, "--force")
            self.assertEqual(sorted(record["duration"] for record in self.records("out")),
                             [SECONDS - 0.25, *[SECONDS] * 3])
            longer = [*whole[:2], {**whole[2], "duration": SECONDS + 1,
                                   "recording": {**self.recordings[2], "duration": SECONDS + 1}}, whole[3]]
            self.manifest(name, longer)
            self.fails("repack", *source, "--out", "no", "--shards", 1,
                       says=["rec-2", "ends at 13 s, but its recording at 12.000 s"])

    def test_a_supervision_that_cannot_be_read(self):
        """It is counted, and those beside it in its cut are taken."""
        for cut in self.cuts[:2]:
            cut["supervisions"] = [{key: value for key, value in cut["supervisions"][0].items() if key != "duration"},
                                   *cut["supervisions"][1:]]
        self.manifest("cuts.jsonl", self.cuts)
        for source in (["cuts.jsonl"], ["l=wavs", "--labels", "l=cuts.jsonl"]):
            self.fails("repack", *source, "--out", "no", "--shards", 1, says=["cuts.jsonl: line 1", "duration"])
            self.shardmill("repack", *source, "--out", "out", "--shards", 1, "-q", "--force", "--on-error", "skip",
                           "--max-rejects", 2)
            self.assertEqual([reject["key"] for reject in self.records("out", "rejects.jsonl")], ["rec-0-0", "rec-1-0"])
            self.assertEqual(len(self.records("out")), 10)

    def test_recordings_alone(self):
        """As of noise: they are samples without a text, if that is allowed."""
        self.manifest("n/musan_recordings_noise.jsonl.gz", self.recordings)
        for source in ("lhotse:n", "lhotse:n/musan_recordings_noise.jsonl.gz"):
            self.fails("repack", source, "--out", "no", "--shards", 1,
                       says=["has no manifest of supervisions beside it", "--allow-missing-text"])
            self.shardmill("repack", source, "--out", "out", "--shards", 1, "--force", "--allow-missing-text")
            records = {record["key"]: record for record in self.records("out")}
            self.assertEqual({key: (record["duration"], record["text"], record["subset"]) for key,
                              record in records.items()},
                             {name: (SECONDS, "", "noise") for name in self.audio})
            for name, audio in self.audio.items():
                self.assertEqual(self.shardmill("cat", "out/shards/audio_000000000.tar", f"{name}.wav").out, audio)
            self.shardmill("verify", "out", "--against", source)
        # Beside others that have supervisions.
        music = [{**recording, "id": f"music-{recording['id']}"} for recording in self.recordings[:2]]
        self.manifest("n/musan_recordings_music.jsonl.gz", music)
        self.manifest("n/musan_supervisions_music.jsonl.gz",
                      [lhotse_recipes.said(recording["id"], recording["id"], 0, SECONDS, text="la")
                       for recording in music])
        self.fails("repack", "n", "--out", "no", "--shards", 1, says="musan_recordings_noise.jsonl.gz")
        self.shardmill("repack", "n", "--out", "out", "--shards", 1, "--force", "--allow-missing-text")
        self.assertEqual(sorted(record["text"] for record in self.records("out")), [""] * 4 + ["la"] * 2)

    def test_supervisions_whose_name_does_not_say_so(self):
        """Some recipes call them segments or uem: whole recordings without texts are not what was meant."""
        for name, recordings, good in (("n-1_segments_all.jsonl.gz", "n-1_recordings_all.jsonl.gz",
                                        "n-1_supervisions_all.jsonl.gz"),
                                       ("segments.jsonl", "recordings.jsonl", "supervisions.jsonl"),
                                       ("d3_uem_dev.jsonl.gz", "d3_recordings_dev.jsonl.gz",
                                        "d3_supervisions_dev.jsonl.gz")):
            shutil.rmtree(self.folder / "u", ignore_errors=True)
            self.manifest(f"u/{recordings}", self.recordings)
            self.manifest("u/a_notes.jsonl", [{"id": "no manifest"}])
            self.manifest(f"u/{name}", self.supervisions)
            for source in ("lhotse:u", f"lhotse:u/{recordings}"):
                said = self.fails("repack", source, "--out", "no", "--shards", 1,
                                  says=[f"u/{name}: has supervisions, but its name", f"give it the name {good}"])
                self.assertNotIn("--allow-missing-text", said.err)
            result = self.shardmill("repack", "lhotse:u", "--out", "out", "--shards", 1, "--force",
                                    "--allow-missing-text")
            self.assertIn(f"u/{name}: has supervisions, but its name", result.err)
            (self.folder / "u" / name).rename(self.folder / "u" / good)
            self.check("lhotse:u")

    def test_recordings_without_supervisions(self):
        """Beside others that have some: they are not lost in silence."""
        self.supervisions = [one for one in self.supervisions if one["recording_id"] != "rec-2"]
        self.pair(end=".jsonl")
        # Of nine samples and this one no more than one may have no text.
        for source in ("m", "m/corpus_supervisions_train.jsonl"):
            self.fails("repack", source, "--out", "no", "--shards", 1,
                       says=["corpus_recordings_train.jsonl", "line 3: no supervision is about the recording 'rec-2'"])
            self.shardmill("repack", source, "--out", "out", "--shards", 1, "--force", "-q", "--on-error", "skip",
                           "--max-rejects", "all")
            self.assertEqual([(reject["key"], reject["reason"]) for reject in self.records("out", "rejects.jsonl")],
                             [("rec-2", "no_segments")])
            records = self.read(source, "--allow-missing-text")
            self.assertEqual((len(records), records["rec-2"]["duration"], records["rec-2"]["text"]), (10, SECONDS, ""))

    def test_recordings_that_several_manifests_share(self):
        self.manifest("m/recordings.jsonl", self.recordings)
        for subset, of in (("train", ("rec-0", "rec-1")), ("test", ("rec-3",))):
            self.manifest(f"m/supervisions_{subset}.jsonl",
                          [one for one in self.supervisions if one["recording_id"] in of])
        self.assertEqual(len(self.read("lhotse:m", "--subset", "train")), 6)
        self.fails("repack", "lhotse:m", "--subset", "all", "--out", "no", "--shards", 1,
                   says=["recordings.jsonl", "line 3: no supervision is about the recording 'rec-2'"])

    def test_supervisions_that_reach_beyond_their_cut(self):
        def cut(name, start, seconds):
            return {"id": name, "start": 2.5, "duration": 1.0, "channel": 0, "type": "MonoCut",
                    "recording": self.recordings[0], "supervisions": [
                        lhotse_recipes.said(f"s-{name}", "rec-0", start, seconds, text=f"of {name}")]}
        self.manifest("cuts.jsonl", [cut("fits", 0, 1.0), cut("rounded", 0, 1.05), cut("early", -0.5, 1.0),
                                     cut("late", 0.5, 1.0)])
        for source in (["cuts.jsonl"], ["l=wavs", "--labels", "l=cuts.jsonl"]):
            said = self.shardmill("repack", *source, "--out", "out", "--shards", 1, "--force", "--on-error", "skip",
                                  "--max-rejects", 3).err
            self.assertIn("the supervision of the cut 'early' reaches beyond it, and so do those of 1 other cut", said)
            self.assertEqual({record["duration"] for record in self.records("out")}, {1})

    def test_commands(self):
        self.recordings[2]["sources"] = [{"type": "command", "channels": [0], "source": "cat wavs/rec-2.wav"}]
        self.pair()
        self.fails("repack", "m", "--out", "no", "--shards", 1, says=["is a command, not a file", "--allow-commands"])
        self.check("m", "--allow-commands")

    def test_manifests_that_do_not_fit(self):
        self.supervisions[5]["recording_id"] = "other"
        self.pair()
        self.fails("repack", "m", "--out", "no", "--shards", 1, says=["line 6", "the recording 'other' is not in"])
        (self.folder / "m/corpus_recordings_train.jsonl.gz").unlink()
        self.fails("repack", "lhotse:m", "--out", "no", "--shards", 1, says="has no manifest of recordings beside it")
        self.manifest("mixed/cuts.jsonl", [{"id": "m", "type": "MixedCut", "tracks": []}])
        self.fails("repack", "mixed", "--out", "no", "--shards", 1,
                   says=["line 1", "MixedCut", "several recordings are mixed"])

    def test_damaged_rows_are_counted(self):
        self.pair(end=".jsonl")
        path = self.folder / "m/corpus_supervisions_train.jsonl"
        lines = path.read_text().splitlines()
        lines[3] = lines[3].replace('"duration": 3.5', '"duration": NaN')
        lines[5] = lines[5][:30]
        lines[7] = lines[7].replace('"text": "', '"text": ["').replace('", "language"', '"], "language"')
        path.write_text("\n".join(lines))
        command = ["repack", "m", "--out", "out", "--shards", 1, "-q"]
        self.fails(*command, says=["corpus_supervisions_train.jsonl: line 4", "1 more segment"], faults=2)
        self.shardmill(*command, "--on-error", "skip", "--max-rejects", 3)
        self.assertEqual([reject["reason"] for reject in self.records("out", "rejects.jsonl")], ["bad_segment"] * 3)
        self.assertEqual(len(self.records("out")), 9)


if __name__ == "__main__":
    unittest.main()
