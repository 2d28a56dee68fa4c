"""No transcript is lost in silence: of every corpus that people have, laid out as its publisher does, repack gives all
texts or stops and says which corpus that is; and texts are the same in the tars and in the manifests."""
import gzip
import io
import json
import tarfile
import unittest

import numpy
import soundfile

import harness


def noise(seed, form="WAV", seconds=0.1, channels=1, rate=16000):
    """The bytes of an audio file that is not like any other."""
    samples = numpy.random.default_rng(seed).integers(-3000, 3000, (int(seconds * rate), channels), dtype=numpy.int16)
    out = io.BytesIO()
    subtype = {"OGG": "OPUS", "MP3": "MPEG_LAYER_III"}.get(form, "PCM_16")
    soundfile.write(out, samples, rate, format=form, subtype=subtype)
    return out.getvalue()


class Texts(harness.Case):
    def says(self, *arguments, **more):
        return self.shardmill(*arguments, **more).out.decode()

    def lines(self, name, *lines):
        self.write(name, "".join(line + "\n" for line in lines).encode())

    def audio(self, path, seed, **more):
        form = {"flac": "FLAC", "opus": "OGG", "ogg": "OGG", "mp3": "MP3"}.get(path.rsplit(".")[-1], "WAV")
        self.write(path, noise(seed, form, **more))

    def texts(self, folder="out"):
        """By source key, the text in the manifest; it must be that in the tar."""
        found = {}
        for manifest in sorted((self.folder / folder / "manifests").iterdir()):
            name = manifest.name.replace("manifest_", "audio_").replace(".json", ".tar")
            shard = self.folder / folder / "shards" / name
            with tarfile.open(shard) as archive:
                members = {entry.name: archive.extractfile(entry).read() for entry in archive}
            for line in manifest.read_text().splitlines():
                record = json.loads(line)
                member = members.get(record["key"] + ".txt")
                self.assertEqual(record["text"], "" if member is None else member.decode())
                found[record["source_key"]] = record["text"]
        return found

    def record(self, folder="out"):
        return json.loads((self.folder / folder / "dataset.json").read_text())

    def reads(self, source, expected):
        self.shardmill("repack", source, "--out", "out", "--shards", 2, "--force")
        self.assertEqual(self.texts(), expected)
        self.assertEqual(self.record()["with_text"], len(expected))

    def refuses(self, source, *says, options=()):
        for more in ((), ("--on-error", "skip"), ("--dry-run",), ("--shards", "2")):
            self.fails("repack", source, "--out", "refused", *options, *more, says=says)
            self.assertFalse((self.folder / "refused").exists())


class Corpora(Texts):
    """Each test lays out a corpus by its publisher's description, in small."""

    def unread(self, source, name, *found, alone=True):
        self.refuses(source, f"looks like {name}", "cannot read yet", "--allow-missing-text", *found)
        if alone:
            self.shardmill("repack", source, "--out", "out", "--shards", 1, "--allow-missing-text")
            self.assertEqual(self.record()["with_text"], 0)
            self.assertEqual(set(self.texts().values()), {""})

    def test_switchboard(self):
        for n in range(2):
            self.write(f"swb/swb1_d1/data/sw0200{n}.sph", noise(n, "NIST", channels=2))
            self.lines(f"swb/swb_ms98_transcriptions/20/200{n}/sw200{n}A-ms98-a-trans.text",
                       f"sw200{n}A-ms98-a-0001 0.000000 0.090000 hi there")
        self.unread("swb", "Switchboard")

    def test_corpora_that_are_only_named(self):
        self.audio("csj/WAV/core/A01F0055.wav", 1)
        self.lines("csj/TRN/Form1/core/A01F0055.trn", "0001 00000.400-00002.000 L:", "はい & ハイ")
        self.unread("csj", "CSJ", alone=False)

    def test_switchboard_as_kaldi(self):
        self.write("sw02001.wav", noise(1, seconds=1))
        self.lines("kaldi/wav.scp", "sw02001-A cat sw02001.wav |")
        self.lines("kaldi/segments", "sw02001-A_000010-000050 sw02001-A 0.1 0.5",
                   "sw02001-A_000050-000090 sw02001-A 0.5 0.9")
        self.lines("kaldi/text", "sw02001-A_000010-000050 hi there", "sw02001-A_000050-000090 uh-huh")
        self.fails("repack", "kaldi", "--out", "out", says="is a command, not a file")
        self.shardmill("repack", "kaldi", "--out", "out", "--shards", 2, "--allow-commands")
        self.assertEqual(self.texts(), {"sw02001-A_000010-000050": "hi there", "sw02001-A_000050-000090": "uh-huh"})
        (self.folder / "kaldi/text").unlink()
        self.fails("repack", "kaldi", "--out", "other", "--allow-commands",
                   says="this looks like a Kaldi data folder, but text is missing")

    def test_st_cmds(self):
        expected = {}
        for n in range(4):
            key = f"20170001P00001A000{n}"
            self.audio(f"ST-CMDS-20170001_1-OS/{key}.wav", n)
            self.write(f"ST-CMDS-20170001_1-OS/{key}.txt", f"今天 {n}".encode())
            self.lines(f"ST-CMDS-20170001_1-OS/{key}.metadata", "SPK 00001")
            expected[key] = f"今天 {n}"
        self.reads("ST-CMDS-20170001_1-OS", expected)
        for path in (self.folder / "ST-CMDS-20170001_1-OS").glob("*.txt"):
            path.unlink()
        self.fails("repack", "ST-CMDS-20170001_1-OS", "--out", "other",
                   says="looks like ST-CMDS, but a .txt beside each .wav is missing")

    def test_libritts(self):
        expected = {}
        for n in range(4):
            base = f"LibriTTS/dev-clean/84/121123/84_121123_00000{n}_00000{n}"
            self.audio(base + ".wav", n)
            self.lines(base + ".normalized.txt", f"Mister {n}.")
            self.lines(base + ".original.txt", f"Mr. {n}.")
            expected[base.split("/")[-1]] = f"Mister {n}."
        self.lines("LibriTTS/dev-clean/84/121123/84_121123.trans.tsv", "84_121123_000000_000000\tMr.\tMister")
        for name in ("BOOKS.txt", "CHAPTERS.txt", "SPEAKERS.txt", "NOTE.txt", "LICENSE.txt", "README_librispeech.txt",
                     "README_libritts.txt", "speakers.tsv"):
            self.lines(f"LibriTTS/{name}", "; not a transcript")
        self.reads("LibriTTS", expected)
        for path in (self.folder / "LibriTTS").rglob("*.txt"):
            path.unlink()
        self.fails("repack", "LibriTTS", "--out", "other",
                   says="looks like LibriTTS, but a .normalized.txt beside each .wav is missing")

    def test_mls(self):
        expected, rows = {}, []
        for n in range(4):
            self.audio(f"mls_polish/train/audio/6892/10049/6892_10049_00000{n}.flac", n)
            rows.append(f"6892_10049_00000{n}\ttekst {n}")
            expected[f"6892_10049_00000{n}"] = f"tekst {n}"
        self.lines("mls_polish/train/transcripts.txt", *rows)
        self.lines("mls_polish/train/segments.txt", "6892_10049_000000\thttps://example.org/x\t1.0\t2.0")
        self.reads("mls_polish", expected)
        (self.folder / "mls_polish/train/transcripts.txt").unlink()
        self.fails("repack", "mls_polish", "--out", "other", says="looks like Multilingual LibriSpeech (MLS)")

    def test_librispeech(self):
        base, expected = "LibriSpeech/dev-clean/84/121123/84-121123", {}
        for n in range(4):
            self.audio(f"{base}-000{n}.flac", n)
            expected[f"84-121123-000{n}"] = f"TEXT {n}"
        self.lines(base + ".trans.txt", *(f"{key} {text}" for key, text in expected.items()))
        self.reads("LibriSpeech", expected)
        (self.folder / (base + ".trans.txt")).unlink()
        self.fails("repack", "LibriSpeech", "--out", "other", says="looks like LibriSpeech, but *.trans.txt is missing")

    def test_aishell(self):
        expected = {}
        for n in range(4):
            key = f"BAC009S0002W012{n}"
            self.audio(f"data_aishell/wav/train/S0002/{key}.wav", n)
            expected[key] = f"而 对 {n}"
        transcript = "data_aishell/transcript/aishell_transcript_v0.8.txt"
        self.lines(transcript, *(f"{key} {text}" for key, text in expected.items()))
        self.reads("data_aishell", expected)
        (self.folder / transcript).unlink()
        says = "looks like AISHELL-1, but transcript/aishell_transcript_v0.8.txt is missing"
        self.fails("repack", "data_aishell", "--out", "other", says=says)
        packed = gzip.compress(harness.tar([(f"train/S0002/{key}.wav", noise(1)) for key in expected]))
        self.write("packed/data_aishell/wav/S0002.tar.gz", packed)
        self.fails("repack", "packed", "--out", "other", says=says)
        self.assertFalse((self.folder / "other").exists())

    def test_aishell2(self):
        expected = {f"IC0001W000{n}": f"厨房用品{n}" for n in range(4)}
        for n, key in enumerate(expected):
            self.audio(f"iOS/data/wav/C0001/{key}.wav", n)
        self.lines("iOS/data/trans.txt", *(f"{key}\t{text}" for key, text in expected.items()))
        self.lines("iOS/data/wav.scp", *(f"{key}\twav/C0001/{key}.wav" for key in expected))
        self.reads("iOS", expected)
        (self.folder / "iOS/data/trans.txt").unlink()
        self.fails("repack", "iOS", "--out", "other", says="looks like AISHELL-2, but trans.txt is missing")

    def test_json_beside_the_audio(self):
        """Emilia and YODAS2 come as tars of mp3 and json."""
        def record(n):
            return {"id": f"S{n}", "wav": f"EN_B00000/{n}.mp3", "text": f" Text {n}. ", "normalized": f"text {n}",
                    "duration": 0.1,
                    "speaker": f"EN_B00000_S{n}", "language": "en", "dnsmos": 3.25, "phone_count": n,
                    "tags": [1, {"a": None}]}

        def write(*more):
            members = [member for n in range(6) for member in
                       [(f"EN_B00000_S0000{n}.json", json.dumps(record(n), indent=2).encode()),
                        (f"EN_B00000_S0000{n}.mp3", noise(n, "MP3"))]]
            self.write("emilia/EN-B000000.tar", harness.tar(members + list(more)))

        def read(*options):
            self.shardmill("repack", "emilia", "--out", "out", "--shards", 1, "--force", *options)
            manifest = (self.folder / "out/manifests/manifest_000000000.json").read_text()
            return {line["source_key"]: line for line in map(json.loads, manifest.splitlines())}

        write()
        for number, (key, line) in enumerate(sorted(read().items())):
            self.assertEqual(key, f"EN_B00000_S0000{number}")
            self.assertEqual(line["text"], f"Text {number}.")
            for name in ("id", "wav", "speaker", "language", "dnsmos", "phone_count", "tags", "normalized"):
                self.assertEqual(line[name], record(number)[name])
            self.assertEqual((line["lang"], line["source_duration"]), ("en", 0.1))
        with tarfile.open(self.folder / "out/shards/audio_000000000.tar") as archive:
            names = archive.getnames()
            self.assertEqual(archive.extractfile("EN_B00000_S00003.txt").read(), b"Text 3.")
        self.assertIn("EN_B00000_S00003.json", names)  # carried along
        self.shardmill("verify", "out", "--decode", "--against", "emilia")
        self.assertEqual(read("--text-field", "normalized")["EN_B00000_S00002"]["text"], "text 2")
        self.assertEqual(read("--text-field", "normalized")["EN_B00000_S00002"]["source_text"], " Text 2. ")
        self.shardmill("verify", "out", "--against", "emilia")
        # It stays so when the dataset is repacked.
        self.shardmill("repack", "out", "--out", "again", "--shards", 1)
        again = json.loads((self.folder / "again/manifests/manifest_000000000.json").read_text().splitlines()[0])
        self.assertEqual((again["dnsmos"], again["source_duration"]), (3.25, 0.1))
        # KEY.txt goes first, unless the user names a field; JSON that is no object is only carried along.
        write(("x.txt", b"said"), ("x.json", b'{"text": "other", "lang": "fr", "language": "de"}'), ("x.wav", noise(9)),
              ("y.txt", b"why"), ("y.json", b'["text"]'), ("y.wav", noise(10)))
        lines = read()
        self.assertEqual([lines[key]["text"] for key in "xy"], ["said", "why"])
        self.assertEqual((lines["x"]["lang"], lines["x"]["language"]), ("fr", "de"))
        self.assertEqual(read("--text-field", "text")["x"]["text"], "other")
        self.write("emilia/EN-B000000.tar", harness.tar([("a.json", b'{"id": 1}'), ("a.mp3", noise(1, "MP3"))]))
        self.refuses("emilia", "none of the first 1 sample of its shard has a transcript",
                     "audio and .json members, and text is read from .txt members, or from a field with a usual name")

    def test_json_with_a_byte_order_mark_and_long_numbers(self):
        """Both are JSON that Python reads: a mark at its start, and numbers of more than 64 bits."""
        number = 12345678901234567890123
        mark = b"\xef\xbb\xbf"
        self.write("shards.tar", harness.tar([("a.json", mark + json.dumps({"text": "A", "id": number}).encode()),
                                              ("a.wav", noise(1))]))
        line = json.dumps({"audio_filepath": "b.wav", "duration": 0.1, "text": "B", "id": -number}).encode()
        self.write("b.wav", noise(2))
        self.write("b.json", mark + line + b"\n")
        self.write("shards.list", mark + b"shards.tar\n")
        self.shardmill("repack", "x=shards.list", "y=b.json", "--out", "out", "--shards", 1)
        self.shardmill("repack", "dataset:out", "--out", "again", "--shards", 1)
        manifest = (self.folder / "again/manifests/manifest_000000000.json").read_text()
        lines = {line["key"]: line for line in map(json.loads, manifest.splitlines())}
        self.assertEqual({key: (line["text"], line["id"]) for key, line in lines.items()},
                         {"a": ("A", number), "b": ("B", -number)})

    def test_a_corpus_of_ones_own(self):
        for n in range(3):
            self.audio(f"own/{n}.wav", n)
        self.lines("own/texts.xml", "<text/>")
        self.refuses("own", "dataset 'own': none of 3 samples has a transcript; found: 3 .wav files and texts.xml",
                     "a transcript beside each audio file")


class Shares(Texts):
    """How much text there is: where the line is drawn, and that it is the same line however a run goes."""

    def mixed(self, name, count, without, shards=4):
        """A dataset of tars; every sample whose number is in `without` has no transcript."""
        for shard in range(shards):
            members = []
            for n in range(shard, count, shards):
                if n not in without:
                    members.append((f"{name}{n:04}.txt", f"text {n}".encode()))
                members.append((f"{name}{n:04}.wav", noise(n)))
            self.write(f"{name}/{shard}.tar", harness.tar(members))

    def test_a_tenth(self):
        for missing, code in ((4, 0), (5, 1)):
            self.mixed("d", 40, set(range(0, 40, 40 // missing)[:missing]))
            result = self.shardmill("repack", "d", "--out", "out", "--shards", 2, "--force", code=code)
            if code:
                self.assertIn("dataset 'd': 5 of 40 samples have no transcript", result.err)
        self.assertEqual(self.record()["with_text"], 36)

    def test_each_dataset_by_itself(self):
        self.mixed("good", 60, set())
        self.mixed("bad", 4, {0, 1, 2, 3})
        self.fails("repack", "good", "bad", "--out", "out", "--shards", 2,
                   says=("dataset 'bad'", "none of the first 3 samples of 3 of its 4 shards"))
        self.mixed("bad", 4, {1})
        self.fails("repack", "good", "bad", "--out", "out", "--shards", 2, says="dataset 'bad': 1 of 4 samples has no")
        self.assertFalse((self.folder / "out/dataset.json").exists())
        done = self.shardmill("repack", "good", "bad", "--out", "out", "--shards", 2, "--allow-missing-text")
        self.assertIn("transcripts    63 of 64 samples", done.out.decode())
        self.assertRegex(done.out.decode(), r"bad +4 samples, [^,]*, 3 with transcripts")
        self.assertEqual([part["with_text"] for part in self.record()["datasets"]], [60, 3])
        shards = [json.loads(line) for line in (self.folder / "out/shards.jsonl").read_text().splitlines()]
        self.assertEqual(sum(shard["with_text"] for shard in shards), 63)

    def test_the_same_verdict_in_parts(self):
        self.mixed("d", 40, set(range(0, 40, 8)))
        self.shardmill("repack", "d", "--out", "out", "--shards", 4, "--parts", 2)
        for part in (0, 1):
            self.shardmill("repack", "--out", "out", "--part", part)
        for step in ("--deal", "--finish"):
            self.fails("repack", "--out", "out", step, says="dataset 'd': 5 of 40 samples have no transcript")
        self.assertFalse((self.folder / "out/dataset.json").exists())
        # A user who now allows missing text need not have the sources read again.
        self.shardmill("repack", "d", "--out", "out", "--shards", 4, "--parts", 2, "--allow-missing-text")
        self.assertIn("resumed", self.says("repack", "--out", "out", "--part", 0, "--json"))
        self.shardmill("repack", "--out", "out", "--finish")
        self.assertEqual(self.record()["with_text"], 35)
        self.shardmill("verify", "out", "--against", "d")
        self.mixed("n", 8, set(range(8)))
        self.fails("repack", "n", "--out", "other", "--shards", 4, "--parts", 2,
                   says="none of the first 6 samples of 3 of its 4 shards")
        self.assertFalse((self.folder / "other").exists())

    def test_parts_that_give_back(self):
        """Parts of unlike sources deal again; texts are still counted right, wherever they are written."""
        for part, count in enumerate((4, 60)):
            self.write(f"d/{part}.tar", harness.tar([member for n in range(count) for member in
                       ([(f"p{part}_{n:03}.txt", b"text")] if n % 15 else []) + [(f"p{part}_{n:03}.wav", noise(n))]]))
        for place in ("both", "members", "manifest"):
            self.shardmill("repack", "d", "--out", "out", "--shards", 4, "--parts", 2, "--text", place, "--force",
                           "--allow-missing-text")
            for part in (0, 1):
                self.shardmill("repack", "--out", "out", "--part", part)
            self.shardmill("repack", "--out", "out", "--finish")
            self.assertEqual(self.record()["with_text"], 64 - 5)
            self.shardmill("verify", "out", "--against", "d")

    def test_going_on_with_the_option(self):
        self.mixed("d", 40, set(range(0, 40, 5)))
        often = {"SHARDMILL_CHECKPOINT_BYTES": "20000"}
        self.fails("repack", "d", "--out", "out", "--shards", 2, env=often, says="8 of 40 samples have no transcript")
        self.fails("repack", "d", "--out", "out", "--shards", 2, env=often, says="8 of 40 samples have no transcript")
        done = self.shardmill("repack", "d", "--out", "out", "--shards", 2, "--allow-missing-text", "--json")
        self.assertEqual((json.loads(done.out)["resumed"], json.loads(done.out)["with_text"]), (True, 32))
        self.shardmill("repack", "d", "--out", "direct", "--shards", 2, "--allow-missing-text", "-j", 1)
        for name in ("dataset.json", "shards.jsonl", "tarred_audio_manifest.json"):
            self.assertEqual(self.content("out/" + name), self.content("direct/" + name), name)
        self.assertIn("32 of 40", self.says("repack", "d", "--out", "out", "--shards", 2, "--allow-missing-text"))
        self.fails("repack", "d", "--out", "out", "--shards", 2, says="allow-missing-text: was yes, now no")

    def test_require_text_is_a_filter(self):
        self.mixed("d", 40, set(range(0, 40, 2)))
        self.shardmill("repack", "d", "--out", "out", "--shards", 2, "--require-text")
        self.assertEqual((self.record()["samples"], self.record()["with_text"]), (20, 20))
        for n in range(3):
            self.audio(f"LJSpeech-1.1/wavs/LJ001-000{n}.wav", n)
        self.fails("repack", "d", "LJSpeech-1.1", "--out", "other", "--shards", 2, "--require-text", says="LJSpeech")

    def test_excluded_samples_do_not_count(self):
        for n in range(6):
            self.audio(f"f/{n}.wav", n)
            self.audio(f"f/{n}_noise.wav", n)
            self.lines(f"f/{n}.txt", "text")
        self.fails("repack", "f", "--out", "out", "--shards", 2, says="6 of 12 samples have no transcript")
        self.shardmill("repack", "f", "--out", "out", "--shards", 2, "--exclude", "*_noise")

    def test_transcripts_without_audio(self):
        for n in range(12):
            self.lines(f"f/{n}.txt", "text")
            if n > 1:
                self.audio(f"f/{n}.wav", n)
        self.fails("repack", "f", "--out", "out", "--shards", 2, says="is a transcript, but no audio has")
        self.fails("repack", "f", "--out", "out", "--shards", 2, "--on-error", "skip", "--max-rejects", 5,
                   says="dataset 'f': of 12 transcripts the audio is not there for 2")
        done = self.shardmill("repack", "f", "--out", "out", "--shards", 2, "--on-error", "skip", "--max-rejects", 5,
                              "--allow-missing-text")
        self.assertIn("2 missing_audio", done.out.decode())

    def test_all_that_is_said_of_it(self):
        self.mixed("d", 20, {3})
        self.shardmill("repack", "d", "--out", "out", "--shards", 2)
        self.assertIn("20 samples (19 with transcripts)", self.says("verify", "out"))
        self.assertEqual(json.loads(self.says("verify", "out", "--json"))["with_text"], 19)
        self.assertIn("20 samples (19 with transcripts)",
                      self.says("verify", "d/0.tar", "d/1.tar", "d/2.tar", "d/3.tar"))
        self.assertRegex(self.says("inspect", "d"), r"transcripts +19 of 20 samples")
        self.assertEqual(json.loads(self.says("inspect", "d", "--json"))["datasets"][0]["with_text"], 19)
        self.assertEqual(json.loads(self.says("report", "out", "--json"))["with_text"], 19)
        self.assertIn("samples have a transcript, 1 have none", (self.folder / "out/report.html").read_text())

    def test_records_that_lie_are_found(self):
        self.mixed("d", 20, {3})
        for place in ("both", "members", "manifest"):
            self.shardmill("repack", "d", "--out", "out", "--shards", 2, "--text", place, "--force")
            self.shardmill("verify", "out")
            for name in ("dataset.json", "shards.jsonl"):
                path = self.folder / "out" / name
                text = path.read_text()
                path.write_text(text.replace('"with_text": 19',
                                             '"with_text": 20').replace('"with_text":10', '"with_text":11'))
                self.assertIn("text", self.says("verify", "out", code=1).replace(text, ""))
                path.write_text(text)


class Cleaning(Texts):
    """The same text in the tar and in the manifest, whatever stood around it."""
    MARK = b"\xef\xbb\xbf"
    DIRTY = [(b"plain", "plain", False), (b"a line\n", "a line", False), (MARK + b"marked", "marked", True),
             (b"crlf\r\n", "crlf", True), (b"  blanks\t ", "blanks", True), (b"two\r\nlines\r\n", "two\nlines", True),
             (b"old\rmac", "old\nmac", True), ("\u3000全角\u3000".encode(), "全角", True), (b"in  side", "in  side", False)]

    def shard(self):
        self.write("d/0.tar", harness.tar([member for n, (data, _, _) in enumerate(self.DIRTY) for member in
                                           ((f"u{n}.txt", data), (f"u{n}.wav", noise(n)))]))

    def test_tar_and_manifest_are_alike(self):
        self.shard()
        done = self.shardmill("repack", "d", "--out", "out", "--shards", 2)
        self.assertEqual(self.texts(), {f"u{n}": text for n, (_, text, _) in enumerate(self.DIRTY)})
        dirty = sum(is_dirty for _, _, is_dirty in self.DIRTY)
        self.assertEqual(self.record()["texts_cleaned"], dirty)
        self.assertIn(f"{dirty} lost a byte order mark", done.out.decode())
        self.shardmill("verify", "out", "--against", "d")
        for place in ("members", "manifest"):
            self.shardmill("repack", "d", "--out", place, "--shards", 2, "--text", place)
            self.shardmill("verify", place, "--against", "d")

    def test_verify_tells_another_text(self):
        self.shard()
        self.shardmill("repack", "d", "--out", "out", "--shards", 2)
        self.write("d/0.tar", (self.folder / "d/0.tar").read_bytes().replace(b"plain", b"plane"))
        self.shardmill("verify", "out", "--against", "d", code=1)

    def test_verify_wants_the_same_bytes(self):
        """Of datasets that say they are clean; those of older versions hold texts as they came."""
        self.write("d/0.tar", harness.tar([(f"u{n}{extension}", data) for n in range(4)
                                           for extension, data in ((".txt", b"texts"), (".wav", noise(n)))]))
        self.shardmill("repack", "d", "--out", "out", "--shards", 1)
        shard = self.folder / "out/shards/audio_000000000.tar"
        shard.write_bytes(shard.read_bytes().replace(b"texts", b"text ", 1))
        self.assertIn("its text is not that of the manifest", self.says("verify", "out", code=1))

    def test_what_is_no_utf8(self):
        for text, says in (("häß".encode("latin-1"), "is not UTF-8"), ("text".encode("utf-16"), "is UTF-16, not UTF-8"),
                           ("text".encode("utf-16-le"), "holds zero bytes: it is UTF-16, or not text")):
            self.write("d/0.tar", harness.tar([("a.txt", text), ("a.wav", noise(1))]))
            self.fails("repack", "d", "--out", "out", "--shards", 1, says="has a transcript that " + says)
            self.assertIn(says, self.says("inspect", "d"))
            self.assertFalse((self.folder / "out").exists())

    def test_one_file_of_many_is_no_utf8(self):
        """It is a bad sample. Where many are none, they are all in another encoding, and the command is wrong."""
        for number in range(20):
            self.write(f"f/a{number}.wav", noise(number))
            self.write(f"f/a{number}.txt", "häß".encode("latin-1" if number == 3 else "utf-8"))
        command = ["repack", "f", "--out", "out", "--shards", 1]
        self.fails(*command, says=["a3.txt: line 1: column 2: is not UTF-8", "convert the file", "--on-error skip"])
        self.shardmill(*command, "--on-error", "skip", "--max-rejects", 1)
        rejects = [json.loads(line) for line in (self.folder / "out/rejects.jsonl").read_text().splitlines()]
        self.assertEqual([reject["key"] for reject in rejects], ["a3"])
        for number in range(1, 3):
            self.write(f"f/a{number}.txt", "häß".encode("latin-1"))
        self.fails(*command, "--force", "--on-error", "skip", says=["is not UTF-8", "convert the file"])

    def test_blank_is_no_text(self):
        for text in (b"", b" \r\n", self.MARK, "\u3000".encode()):
            self.write("d/0.tar", harness.tar([("a.txt", text), ("a.wav", noise(1))]))
            self.fails("repack", "d", "--out", "out", "--shards", 1, says="none of the first 1 sample of its shard has")
            self.fails("repack", "d", "--out", "out", "--shards", 1, "--require-text", says="1 no_text")


if __name__ == "__main__":
    unittest.main()
