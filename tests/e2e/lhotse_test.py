"""lhotse: reads what Lhotse's recipes write: recordings with supervisions, and cuts."""
import gzip
import json
import unittest

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


class Refused(Manifests):
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
        self.fails("repack", "mixed", "--out", "no", "--shards", 1, says="MixedCut")


if __name__ == "__main__":
    unittest.main()
