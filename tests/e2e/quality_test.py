"""repack --quality and --on-duplicate-audio: what listening to the audio tells, records and leaves out."""
import io
import json
import os
import random
import shutil
import subprocess
import unittest

import numpy
import soundfile

import harness
from repack_test import Repacking, corpus, tone

RATE = 16000


def encoded(values, form="WAV", subtype="PCM_16", rate=RATE):
    out = io.BytesIO()
    soundfile.write(out, values, rate, format=form, subtype=subtype)
    return out.getvalue()


def noise(level, seconds=2.0, seed=1, channels=1):
    values = numpy.random.default_rng(seed).uniform(-level, level, (int(RATE * seconds), channels))
    return (values * 32768).round().astype(numpy.int16)


def telephone(level, seconds=2.0):
    """A voice as telephones pass it on, at 16 kHz, with the dither of a resampler."""
    times = numpy.arange(int(RATE * seconds)) / RATE
    voice = sum(numpy.sin(2 * numpy.pi * 170 * k * times + k * k) / k for k in range(1, 20))
    dither = numpy.random.default_rng(5).uniform(-0.5, 0.5, (2, len(times))).sum(axis=0)
    return (voice * level * 32768 + dither).round().astype(numpy.int16)


def odd_samples():
    clipped = noise(0.5, seed=2)
    clipped[1000:1640] = 32767
    offset = noise(0.1, seed=3) + 3277
    silent = noise(0.1, seed=4)
    silent[:24000] = 0
    return {"good": noise(0.2), "clipped": clipped, "offset": offset.astype(numpy.int16), "silent": silent,
            "zeros": numpy.zeros(20000, dtype=numpy.int16), "phone": telephone(0.2)}


class Listening(Repacking):
    def tar(self, name, samples):
        """A shard of {key: (audio, extension)}."""
        members = []
        for key, (audio, extension) in samples.items():
            members += [(f"{key}.txt", b"words"), (f"{key}.{extension}", audio)]
        self.write(name, harness.tar(members))

    def rejects(self, out="out"):
        return {reject["key"]: reject for reject in self.records(out, "rejects.jsonl")}

    def qualities(self, out="out"):
        return {record["source_key"]: record.get("audio_quality") for record in self.records(out)}


class Quality(Listening):
    def put_odd(self):
        self.tar("odd.tar", {key: (encoded(values), "wav") for key, values in odd_samples().items()})

    def test_figures_stand_in_the_manifests_and_the_report(self):
        self.put_odd()
        self.repack("odd.tar", "--out", "out", "--shards", "2", "--quality")
        found = self.qualities()
        self.assertEqual(found["clipped"]["clipped"], 0.02)
        self.assertEqual(found["good"]["clipped"], 0.0)
        self.assertAlmostEqual(found["offset"]["dc_offset"], 0.1, delta=0.003)
        self.assertEqual(found["silent"]["digital_silence"], 0.75)
        self.assertEqual(found["zeros"], {"clipped": 0.0, "dc_offset": 0.0, "digital_silence": 1.0, "all_zero": True})
        self.assertTrue(found["phone"]["narrow_band"])
        self.assertLess(found["phone"]["above_4khz_db"], -60)
        self.assertEqual([key for key, quality in found.items() if "narrow_band" in quality], ["phone"])
        self.shardmill("verify", "out", "--against", "odd.tar")
        self.shardmill("report", "out")
        page = (self.folder / "out/report.html").read_text()
        self.assertIn("Audio quality", page)
        self.assertIn("nothing but zeros", page)
        # Nothing is measured, or told, where nobody asks.
        self.repack("odd.tar", "--out", "plain", "--shards", "2")
        self.assertEqual(set(map(str, self.qualities("plain").values())), {"None"})
        self.assertNotIn("quality", (self.folder / "plain/dataset.json").read_text())
        for name in self.names("out/shards"):
            self.assertEqual((self.folder / "out/shards" / name).read_bytes(),
                             (self.folder / "plain/shards" / name).read_bytes())

    def test_filters_leave_out_and_say_the_figure(self):
        self.put_odd()
        result = self.repack("odd.tar", "--out", "out", "--shards", "1", "--max-clipping", "1%",
                             "--max-dc-offset", "5%",
                             "--max-silence", "50%", "--no-narrow-band")
        self.assertIn(b"1 clipped, 1 dc_offset, 1 narrow_band, 2 silent", result.out)
        rejects = self.rejects()
        self.assertEqual({key: reject["reason"] for key, reject in rejects.items()},
                         {"clipped": "clipped", "offset": "dc_offset", "silent": "silent", "zeros": "silent",
                          "phone": "narrow_band"})
        self.assertIn("2.0000% of its values", rejects["clipped"]["problem"])
        self.assertIn("75.0000% of it is digital silence", rejects["silent"]["problem"])
        self.assertIn("nothing but zeros", rejects["zeros"]["problem"])
        self.assertRegex(rejects["phone"]["problem"], r"nothing above 4 kHz: -\d+\.\d dB")
        self.assertEqual(list(self.qualities()), ["good"])
        self.shardmill("verify", "out", "--against", "odd.tar")
        # The limits are part of the recipe.
        again = ["odd.tar", "--out", "out", "--shards", "1"]
        self.assertIn(b"already", self.repack(*again, "--quality", "--max-clipping", "1%", "--max-dc-offset", "5.0%",
                                              "--max-silence", "50%", "--no-narrow-band").out)
        self.fails("repack", *again, "--max-clipping", "2%", says="was ")
        # Exactly the limit is within it.
        self.repack("odd.tar", "--out", "limit", "--shards", "1", "--max-clipping", "2%")
        self.assertEqual(len(self.rejects("limit")), 0)

    def test_every_form_of_audio(self):
        clipped = noise(0.5, seed=2, channels=2)
        clipped[1000:1640, 0] = 32767  # 1% of all values
        mono = clipped[:, 0]
        forms = {"wav16": (mono, "WAV", "PCM_16"), "flac16": (mono, "FLAC", "PCM_16"),
                 "wav24": (mono.astype(numpy.int32) << 16, "WAV", "PCM_24"),
                 "flac24": (mono.astype(numpy.int32) << 16, "FLAC", "PCM_24"),
                 "float": (mono / 32768, "WAV", "FLOAT"), "stereo": (clipped, "WAV", "PCM_16"),
                 "mp3": (noise(0.2), "MP3", "MPEG_LAYER_III"), "opus": (noise(0.2), "OGG", "OPUS")}
        self.tar("forms.tar", {key: (encoded(*form), form[1].lower() if form[1] not in ("OGG",) else "opus")
                               for key, form in forms.items()} |
                 {"eight": (encoded(noise(0.2), rate=8000), "wav")})
        self.repack("forms.tar", "--out", "out", "--shards", "1", "--quality")
        found = self.qualities()
        for key in ("wav16", "flac16", "wav24", "flac24", "float"):
            self.assertEqual(found[key]["clipped"], 0.02, key)
        self.assertEqual(found["stereo"]["clipped"], 0.01)
        self.assertNotIn("above_4khz_db", found["eight"])
        for key in ("mp3", "opus"):
            self.assertEqual(found[key]["digital_silence"], 0.0)
        # The figures of --audio are those of the audio as it was; the band is that of the result.
        self.repack("forms.tar", "--out", "other", "--shards", "1", "--quality", "--audio", "flac",
                    "--sample-rate", RATE,
                    "--channels", "mono")
        other = self.qualities("other")
        self.assertEqual(other["stereo"]["clipped"], 0.01)
        self.assertEqual(other["wav16"], found["wav16"])
        self.assertTrue(other["eight"]["narrow_band"])

    def test_what_cannot_be_decoded_is_bad_audio(self):
        flac = encoded(noise(0.2), "FLAC")
        broken = flac[:len(flac) // 2] + bytes(200) + flac[len(flac) // 2 + 200:]
        self.tar("bad.tar", {"good": (flac, "flac"), "bad": (broken, "flac")})
        self.fails("repack", "bad.tar", "--out", "out", "--shards", "1", "--quality", says="bad.flac")
        self.repack("bad.tar", "--out", "out", "--shards", "1", "--quality", "--on-error", "skip", "--max-rejects", "1")
        self.assertEqual(self.rejects()["bad"]["reason"], "bad_audio")
        self.repack("bad.tar", "--out", "strict", "--shards", "1", "--quality", "--on-error", "skip", code=3)

    def test_the_same_for_any_number_of_threads_and_in_parts(self):
        tars, _ = corpus("x", 200)
        self.put("x", tars)
        options = ["x", "--shards", "4", "--quality", "--max-silence", "90%", "-q"]
        self.repack(*options, "--out", "one", "-j1", "--memory", "16MiB")
        self.repack(*options, "--out", "three", "-j3")
        self.same_bytes("one", "three")
        parts = [*options, "--out", "parts"]
        self.repack(*parts, "--parts", "2")
        for part in "01":
            self.repack("--out", "parts", "--part", part, "-q")
        self.repack("--out", "parts", "--finish", "-q")
        self.assertEqual(sorted(map(str, self.qualities("parts").items())),
                         sorted(map(str, self.qualities("one").items())))

    def test_update_measures_and_keeps(self):
        self.put_odd()
        self.repack("main=odd.tar", "--out", "out", "--shards", "1", "--quality", "--max-clipping", "1%")
        before = self.qualities()
        more = noise(0.5, seed=9)
        more[:640] = 32767
        self.tar("more.tar", {"more": (encoded(noise(0.3, seed=8)), "wav"), "loud": (encoded(more), "wav")})
        self.shardmill("update", "out", "--add", "main=more.tar", "--rewrite-limit", "none")
        after = self.qualities()
        self.assertEqual({key: after[key] for key in before}, before)
        self.assertEqual(after["more"]["clipped"], 0.0)
        self.assertEqual(self.rejects()["loud"]["reason"], "clipped")
        # A dataset as a source keeps its figures as long as the audio stays as it is.
        self.repack("dataset:out", "--out", "again", "--shards", "1")
        self.assertEqual(self.qualities("again"), after)
        self.repack("dataset:out", "--out", "slow", "--shards", "1", "--sample-rate", "8000")
        self.assertEqual(set(map(str, self.qualities("slow").values())), {"None"})

    def test_wrong_use(self):
        self.put_odd()
        for share in ("1", "101%", "-1%", "x%", "%", "nan%"):
            self.fails("repack", "odd.tar", "--out", "out", "--max-clipping=" + share, code=2, says="such as 1%")


class DuplicateAudio(Listening):
    def setUp(self):
        super().setUp()
        values = numpy.random.default_rng(1).integers(-3000, 3000, 4000, dtype=numpy.int16)
        nearly = values.copy()
        nearly[2000] += 1
        wide = values.astype(numpy.int32) << 16
        self.planted = {"a": (encoded(values), "wav"), "b": (encoded(values, "FLAC"), "flac"),
                        "c": (encoded(wide, "WAV", "PCM_24"), "wav"), "nearly": (encoded(nearly), "wav"),
                        "shorter": (encoded(values[:-1]), "wav"), "slower": (encoded(values, rate=8000), "wav")}
        self.tar("y.tar", self.planted)

    def test_off_unless_asked_for(self):
        self.repack("y.tar", "--out", "out", "--shards", "1")
        self.assertEqual(self.rejects(), {})
        self.assertNotIn("sound_xxh3", self.records("out")[0])

    def test_stop_names_both(self):
        error = self.fails("repack", "y.tar", "--out", "out", "--shards", "1", "--on-duplicate-audio", "stop",
                           says="has the same audio as 'a'")
        self.assertIn("member 'b'", error.err)

    def test_first_is_kept(self):
        self.repack("y.tar", "--out", "out", "--shards", "1", "--on-duplicate-audio", "first")
        rejects = self.rejects()
        self.assertEqual({key: (reject["reason"], reject["problem"]) for key, reject in rejects.items()},
                         {key: ("duplicate_audio", "has the same audio as 'a'") for key in "bc"})
        self.assertEqual(sorted(record["key"] for record in self.records("out")), ["a", "nearly", "shorter", "slower"])
        self.shardmill("verify", "out", "--against", "y.tar")
        self.shardmill("inspect", "out", "--duplicates")
        # After conversion what was 24 bits is still the same, and so is the dataset as a source.
        self.repack("y.tar", "--out", "flac", "--shards", "1", "--on-duplicate-audio", "first", "--audio", "flac")
        self.assertEqual({r["key"]: r["sound_xxh3"] for r in self.records("out")},
                         {r["key"]: r["sound_xxh3"] for r in self.records("flac")})
        self.repack("dataset:out", "--out", "again", "--shards", "1")
        self.assertEqual([r["sound_xxh3"] for r in self.records("again")],
                         [r["sound_xxh3"] for r in self.records("out")])

    def test_copies_of_what_is_left_out_are_left_out(self):
        self.repack("y=y.tar", "--out", "out", "--shards", "1", "--on-duplicate-audio", "first", "--weight", "y=2")
        self.assertEqual(sorted(record["key"] for record in self.records("out")),
                         sorted(key + copy for key in ("a", "nearly", "shorter", "slower") for copy in ("", "_x2")))
        self.assertEqual(sorted(self.rejects()), ["b", "c"])
        self.repack("y=y.tar", "z=y.tar", "--out", "keys", "--shards", "1", "--on-duplicate", "first",
                    "--weight", "y=2", "--weight", "z=2")
        self.assertEqual(len(self.records("keys")), 12)

    def big(self):
        """Two datasets, every third sample of which is that of another, in another order and form."""
        tars, contents = corpus("x", 150)
        self.put("x", tars)
        random_ = random.Random(2)
        copies = random_.sample(sorted(contents), 50)
        samples = {f"copy{number:03}": (encoded(soundfile.read(io.BytesIO(contents[key][1]), dtype="int16")[0], "FLAC"),
                                        "flac")
                   for number, key in enumerate(copies)}
        samples |= {f"own{number:03}": (tone(3000 + number, seed=70 + number), "wav") for number in range(100)}
        keys = sorted(samples)
        random_.shuffle(keys)
        self.tar("z.tar", {key: samples[key] for key in keys})

    def command(self, out, *options):
        return [harness.PROGRAM, "repack", "x", "z.tar", "--out", out, "--shards", "3", "-q", "--list-root", "/r",
                "--on-duplicate-audio", "first", *options]

    def test_all_found_whatever_the_threads_and_kills(self):
        self.big()
        self.shardmill(*self.command("one", "-j1", "--memory", "16MiB")[1:])
        self.assertEqual(len(self.rejects("one")), 50)
        self.shardmill(*self.command("three", "-j3")[1:])
        self.same_bytes("one", "three")
        kills = 0
        random_ = random.Random(3)
        environment = {**os.environ, "SHARDMILL_CHECKPOINT_BYTES": "50K"}
        for wait in iter(lambda: random_.uniform(0.005, 0.1) * 1.1 ** kills, None):
            process = subprocess.Popen(self.command("killed", "-j2"), cwd=self.folder, env=environment)
            try:
                self.assertEqual(process.wait(timeout=wait), 0)
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
        self.assertGreater(kills, 1)
        self.same_bytes("one", "killed")

    def test_update_compares_with_the_dataset(self):
        self.repack("main=y.tar", "--out", "out", "--shards", "1", "--on-duplicate-audio", "first")
        self.tar("new.tar",
                 {"d": self.planted["b"], "e": (tone(2500, seed=4), "wav"), "f": (tone(2500, seed=4), "wav")})
        shutil.copytree(self.folder / "out", self.folder / "before")
        self.fails("update", "out", "--add", "main=new.tar", "--on-duplicate-audio", "stop",
                   says="has the same audio as 'a'")
        self.same_bytes("before", "out")
        self.shardmill("update", "out", "--add", "main=new.tar")
        self.assertEqual({key: reject["problem"] for key, reject in self.rejects().items() if key in "def"},
                         {"d": "has the same audio as 'a'", "f": "has the same audio as 'e'"})
        # What waits has its sound, too.
        self.tar("newer.tar", {"g": (tone(2500, seed=4), "wav"), "h": (tone(900, seed=6), "wav")})
        self.shardmill("update", "out", "--add", "main=newer.tar")
        self.assertEqual(self.rejects()["g"]["problem"], "has the same audio as 'e'")
        self.shardmill("verify", "out", "--against", "main=y.tar", "main=new.tar", "main=newer.tar")
        # What is removed makes room.
        self.write("gone", b"e\n")
        self.tar("newest.tar", {"i": (tone(2500, seed=4), "wav")})
        self.shardmill("update", "out", "--remove-keys", "gone", "--add", "main=newest.tar")
        self.assertNotIn("i", self.rejects())

    def test_a_dataset_without_hashes_cannot_be_compared(self):
        self.repack("main=y.tar", "--out", "out", "--shards", "1")
        self.tar("new.tar", {"e": (tone(2500, seed=4), "wav")})
        self.fails("update", "out", "--add", "main=new.tar", "--on-duplicate-audio", "stop",
                   says="made without comparing audio")
        self.fails("repack", "y.tar", "--out", "p", "--shards", "2", "--parts", "2", "--on-duplicate-audio", "first",
                   code=2,
                   says="run without --parts")


if __name__ == "__main__":
    unittest.main()
