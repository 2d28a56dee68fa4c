"""`shardmill repack --audio --sample-rate --channels`: audio of all kinds brought to one form, and the filters by
key."""
import io
import json
import subprocess
import tarfile
import unittest

import numpy
import soundfile

import harness
from harness import tar

BITS = {"PCM_S8": 8, "PCM_U8": 8, "PCM_16": 16, "PCM_24": 24, "PCM_32": 32}
LOSSY = ("VORBIS", "OPUS", "MPEG_LAYER_III")


def noise(frames, channels=1, seed=0, level=0.1):
    values = numpy.random.default_rng(seed).normal(0, level, (frames, channels))
    return numpy.clip(values, -1, 1)


def encode(values, rate, form, subtype=None, **more):
    out = io.BytesIO()
    soundfile.write(out, values, rate, format=form, subtype=subtype, **more)
    return out.getvalue()


def read(data, dtype="float64"):
    """All values, channels in columns."""
    with soundfile.SoundFile(io.BytesIO(data)) as file:
        return file.read(file.frames, dtype=dtype, always_2d=True)


def every_format():
    """{member name: bytes} of everything that libsndfile writes and reads, as far as speech comes in it."""
    made = {}
    for subtype in ("PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE", "ULAW", "ALAW", "IMA_ADPCM",
                    "MS_ADPCM", "GSM610"):
        made[f"wav-{subtype}.wav"] = encode(noise(8000), 16000, "WAV", subtype)
    for form, extension in (("WAVEX", "wav"), ("RF64", "wav"), ("NIST", "sph"), ("AIFF", "aiff"), ("AU", "au"),
                            ("FLAC", "flac")):
        for subtype in ("PCM_16", "PCM_24"):
            made[f"{form}-{subtype}.{extension}"] = encode(noise(5001, 2), 16000, form, subtype)
    made["flac-PCM_S8.flac"] = encode(noise(5001), 16000, "FLAC", "PCM_S8")
    made["vorbis.ogg"] = encode(noise(20001, 2), 16000, "OGG", "VORBIS")
    made["opus.opus"] = encode(noise(20001), 16000, "OGG", "OPUS")
    made["layer3.mp3"] = encode(noise(20001), 16000, "MP3")
    return made


class Audio(harness.Case):
    def repack(self, *arguments, **more):
        return self.shardmill("repack", *arguments, "--shards", 1, **more)

    def put(self, members, name="in.tar"):
        """A shard of {member name: audio}, each with a transcript."""
        entries = []
        for member, data in members.items():
            entries += [(member.rsplit(".", 1)[0] + ".txt", b"text"), (member, data)]
        self.write(name, tar(entries))

    def made(self, out):
        """{source key: (manifest line, audio bytes, name in the shard)} of a dataset of one shard."""
        with tarfile.open(self.folder / out / "shards/audio_000000000.tar") as shard:
            data = {member.name: shard.extractfile(member).read() for member in shard}
        lines = (self.folder / out / "tarred_audio_manifest.json").read_text().splitlines()
        records = [json.loads(line) for line in lines]
        return {record["source_key"]: (record, data[record["audio_filepath"]]) for record in records}

    def rejects(self, out):
        lines = (self.folder / out / "rejects.jsonl").read_text().splitlines()
        return {reject["key"]: reject for reject in map(json.loads, lines)}

    def xxh3(self, data):
        out = subprocess.run(["xxh128sum", "-"], input=data, capture_output=True, check=True).stdout
        return out.split()[0].decode()

    def check_record(self, record, data, source):
        info = soundfile.info(io.BytesIO(data))
        self.assertEqual((record["sample_rate"], record["channels"], record["frames"], record["audio_bytes"]),
                         (info.samplerate, info.channels, info.frames, len(data)))
        self.assertEqual(record["duration"], info.frames / info.samplerate)
        self.assertEqual(record["xxh3"], self.xxh3(data))
        self.assertEqual(record.get("source_xxh3"), None if data == source else self.xxh3(source))
        self.assertEqual(record["audio_filepath"].rsplit(".", 1)[1], record["format"].split("/")[0])

    def test_another_container_keeps_every_value(self):
        sources = every_format()
        self.put(sources)
        for form in ("wav", "flac"):
            self.repack("in.tar", "--out", form, "--audio", form)
            made = self.made(form)
            self.assertEqual(len(made), len(sources))
            for name, source in sources.items():
                record, data = made[name.rsplit(".", 1)[0]]
                self.check_record(record, data, source)
                self.check_values(name, source, data, form)
            self.shardmill("verify", form, "--decode", "--against", "in.tar")
            # A second run changes nothing, because everything has the wanted form.
            self.repack(f"{form}/shards/audio_000000000.tar", "--out", f"{form}2", "--audio", form)
            for record, data in self.made(f"{form}2").values():
                self.assertNotIn("source_xxh3", record)
                self.assertEqual(data, made[record["source_key"]][1])

    def check_values(self, name, source, data, form):
        subtype = soundfile.info(io.BytesIO(source)).subtype
        made = soundfile.info(io.BytesIO(data)).subtype
        if subtype in LOSSY:
            expected = numpy.clip(numpy.rint(read(source) * 32768), -32768, 32767)
            self.assertEqual(made, "PCM_16", name)
            numpy.testing.assert_array_equal(read(data, "int16"), expected, name)
        elif subtype in ("FLOAT", "DOUBLE") and form == "wav":
            self.assertEqual(made, subtype, name)
            numpy.testing.assert_array_equal(read(data), read(source), name)
        elif form == "flac" and subtype in ("FLOAT", "DOUBLE", "PCM_32"):
            self.assertEqual(made, "PCM_24", name)
            expected = numpy.clip(numpy.rint(read(source) * 2 ** 23), -2 ** 23, 2 ** 23 - 1)
            numpy.testing.assert_array_equal(read(data, "int32") >> 8, expected, name)
        else:
            self.assertEqual(BITS[made], BITS.get(subtype, 16), name)
            numpy.testing.assert_array_equal(read(data, "int32"), read(source, "int32"), name)

    def test_a_plain_wav_stays_what_it_is_and_others_become_plain(self):
        plain = encode(noise(1001), 16000, "WAV", "PCM_16")
        tagged = plain + b"LIST\x04\0\0\0abcd"
        called_wrongly = encode(noise(1000), 16000, "FLAC")
        self.put({"plain.wav": plain, "tagged.wav": tagged, "flac.wav": called_wrongly})
        self.repack("in.tar", "--out", "wav", "--audio", "wav")
        made = self.made("wav")
        self.assertEqual(made["plain"][1], plain)
        self.assertEqual(made["tagged"][1], plain)
        self.check_record(*made["flac"], called_wrongly)
        self.repack("in.tar", "--out", "flac", "--audio", "flac")
        made = self.made("flac")
        self.assertEqual(made["flac"][1], called_wrongly)
        self.assertEqual(made["flac"][0]["audio_filepath"], "flac.flac")
        self.repack("in.tar", "--out", "keep")
        self.assertEqual(self.made("keep")["tagged"][1], tagged)
        self.assertEqual(self.made("keep")["flac"][0]["audio_filepath"], "flac.wav")

    def test_resampled_as_sox_does(self):
        sources = {f"r{rate}-{subtype}.wav": encode(noise(rate + 11, 1 + rate % 3), rate, "WAV", subtype)
                   for rate in (8000, 22050, 32000, 44100, 48000) for subtype in ("PCM_16", "PCM_24", "FLOAT")}
        sources["speech.wav"] = encode(harness.speech(3)[1], 16000, "WAV", "PCM_16")
        self.put(sources)
        for rate in (16000, 8000):
            out = f"to{rate}"
            self.repack("in.tar", "--out", out, "--sample-rate", rate)
            for name, source in sources.items():
                record, data = self.made(out)[name.rsplit(".", 1)[0]]
                self.check_record(record, data, source)
                self.write("source.wav", source)
                subprocess.run(["sox", "-D", "source.wav", "sox.wav", "rate", "-v", str(rate)], cwd=self.folder,
                               check=True)
                expected = read((self.folder / "sox.wav").read_bytes())
                self.assertEqual(expected.shape, read(data).shape, name)
                error = (expected - read(data))[rate // 400:]  # sox and libsoxr differ at the beginning
                level = 10 * numpy.log10(numpy.mean(error ** 2) + 1e-30)
                self.assertLess(level, -90, f"{name}: dBFS")
            self.shardmill("verify", out, "--against", "in.tar")

    def test_stereo_becomes_the_mean(self):
        values = noise(5000, 2)
        self.put({"two.wav": encode(values, 16000, "WAV", "PCM_16"),
                  "one.wav": encode(noise(500), 16000, "WAV", "PCM_16")})
        self.repack("in.tar", "--out", "out", "--channels", "mono", "--require-uniform")
        record, data = self.made("out")["two"]
        self.assertEqual(record["channels"], 1)
        source = read(encode(values, 16000, "WAV", "PCM_16"), "int16").astype(int)
        numpy.testing.assert_array_equal(read(data, "int16")[:, 0], numpy.rint(source.sum(axis=1) / 2))
        self.assertNotIn("source_xxh3", self.made("out")["one"][0])

    def test_clipping_is_counted(self):
        square = numpy.where(numpy.arange(44100) // 50 % 2, 0.999, -0.999)
        self.put({"square.wav": encode(square, 44100, "WAV", "PCM_16"),
                  "calm.wav": encode(noise(44100), 44100, "WAV", "PCM_16")})
        result = self.repack("in.tar", "--out", "out", "--sample-rate", 16000, "--json")
        summary = json.loads(result.out)
        dataset = json.loads((self.folder / "out/dataset.json").read_text())
        self.assertEqual((summary["reencoded"], summary["clipped_samples"]), (2, 1))
        self.assertEqual(dataset["reencoded"], {"samples": 2, "clipped_samples": 1,
                                                "clipped_values": summary["clipped_values"]})
        self.write("square.wav", encode(square, 44100, "WAV", "PCM_16"))
        sox = subprocess.run(["sox", "-D", "square.wav", "-n", "rate", "-v", "16000"], cwd=self.folder,
                             stderr=subprocess.PIPE)
        self.assertIn(b"clipped", sox.stderr)
        made = read(self.made("out")["square"][1], "int16")
        at_the_edge = numpy.count_nonzero((made == 32767) | (made == -32768))
        self.assertTrue(100 < summary["clipped_values"] <= at_the_edge)
        text = self.repack("in.tar", "--out", "out2", "--sample-rate", 16000).out.decode()
        self.assertRegex(text, r"converted +2 samples, 1 of them clipped in \d[\d,]* values")

    def test_what_cannot_be_done_is_left_out(self):
        flac = bytearray(encode(noise(100000), 16000, "FLAC"))
        flac[len(flac) // 2:len(flac) // 2 + 2000] = bytes(2000)
        nan = encode(numpy.array([0, numpy.nan, 1]), 16000, "WAV", "FLOAT")
        sources = {"damaged.flac": bytes(flac), "nan.wav": nan, "nine.wav": encode(noise(100, 9), 16000, "WAV"),
                   "garbage.wav": b"RIFFxxxxWAVEgarbage"}
        sources |= {f"good{number}.wav": encode(noise(1000), 16000, "WAV") for number in range(9)}
        self.put(sources)
        self.fails("repack", "in.tar", "--out", "out", "--shards", 1, "--audio", "wav",
                   says=("damaged.flac", "the FLAC frame at byte"))
        for weight in ("0.5", "1", "2"):
            out = f"flac{weight}"
            self.repack("d=in.tar", "--out", out, "--audio", "flac", "--sample-rate", 8000, "--on-error", "skip",
                        "--max-rejects", 9, "--weight", f"d={weight}", "--seed", 3)
            self.assertEqual({key: reject["reason"] for key, reject in self.rejects(out).items()},
                             {"damaged": "bad_audio", "nan": "bad_audio", "nine": "bad_audio",
                              "garbage": "truncated_audio"})
            self.assertTrue(all(key.startswith("good") for key in self.made(out)))
            self.shardmill("verify", out, "--against", "d=in.tar")
        self.assertIn("not numbers", self.rejects("flac1")["nan"]["problem"])
        # Audio that is only copied is not decoded; of FLAC the checksums of the frames are compared.
        self.repack("in.tar", "--out", "keep", "--on-error", "skip", "--max-rejects", 9)
        self.assertEqual(set(self.rejects("keep")), {"damaged", "garbage"})

    def test_threads_make_no_difference(self):
        sources = {f"{number}-{name}": data for number in range(3) for name, data in every_format().items()}
        self.put(sources)
        for threads in (1, 7):
            self.shardmill("repack", "in.tar", "--out", f"j{threads}", "--shards", 3, "-j", threads, "--audio", "flac",
                           "--sample-rate", 8000, "--channels", "mono")
        self.assertEqual(self.names("j1"), self.names("j7"))
        for name in self.names("j1"):
            if name not in ("run.json", "data.list"):
                self.assertEqual((self.folder / "j1" / name).read_bytes(), (self.folder / "j7" / name).read_bytes(),
                                 name)

    def test_sample_formats_are_part_of_the_form(self):
        """16 and 24 bits and floats are a mix; WAV and FLAC are one of unlike bits, not of the same; MP3 has none."""
        for name, form, subtype in (("p16", "WAV", "PCM_16"), ("p24", "WAV", "PCM_24"), ("float", "WAV", "FLOAT"),
                                    ("f16", "FLAC", "PCM_16"), ("f24", "FLAC", "PCM_24")):
            self.put({f"{name}.{form.lower()}": encode(noise(1000), 16000, form, subtype)}, f"{name}.tar")
        for one, two, is_mix in (("p16", "p24", True), ("p16", "float", True), ("p16", "f24", True),
                                 ("p16", "f16", False),
                                 ("p24", "f24", False)):
            command = [f"x={one}.tar", f"y={two}.tar", "--out"]
            result = self.repack(*command, f"{one}{two}", "--json")
            self.assertEqual(json.loads(result.out)["uniform"], not is_mix, (one, two))
            self.assertEqual("the audio is a mix: 1 sample of" in result.err, is_mix, result.err)
            self.repack(*command, f"{one}{two}u", "--require-uniform", "-q", code=1 if is_mix else 0)
            self.repack(*command, f"{one}{two}16", "--require-uniform", "--bits", 16, "-q")
        said = self.repack("x=p16.tar", "y=float.tar", "--out", "said").out.decode()
        self.assertIn("one form       --bits 16 would bring all audio to it", said)

    def test_a_mix_is_said_aloud_or_is_an_error(self):
        self.put({"a.wav": encode(noise(1000), 16000, "WAV"), "b.wav": encode(noise(1000), 16000, "WAV")}, "first.tar")
        self.put({"c.wav": encode(noise(1000, 2), 8000, "WAV")}, "second.tar")
        result = self.repack("x=first.tar", "y=second.tar", "--out", "mixed", "--json")
        self.assertIn("the audio is a mix: 1 sample of 8000 Hz and 2 channels, 2 samples of 16000 Hz and 1 channel",
                      result.err)
        summary = json.loads(result.out)
        self.assertFalse(summary["uniform"])
        self.assertEqual([(kind["sample_rate"], kind["samples"]) for kind in summary["audio"]], [(8000, 1), (16000, 2)])
        result = self.fails("repack", "x=first.tar", "y=second.tar", "--out", "uniform", "--shards", 1,
                            "--require-uniform",
                            says=("is not uniform", "'c' of y, which has 8000 Hz and 2 channels",
                                  "of x, which has 16000 Hz and 1 channel"))
        self.assertFalse((self.folder / "uniform/dataset.json").exists())
        result = self.repack("x=first.tar", "y=second.tar", "--out", "made", "--require-uniform",
                             "--sample-rate", 16000,
                             "--channels", "mono", "--json")
        self.assertTrue(json.loads(result.out)["uniform"])
        self.assertNotIn("mix", result.err)

    def test_the_form_is_part_of_what_was_made(self):
        self.put({"a.wav": encode(noise(1000), 16000, "WAV")})
        self.repack("in.tar", "--out", "out", "--audio", "flac")
        options = json.loads((self.folder / "out/dataset.json").read_text())["options"]
        self.assertEqual((options["audio"], options["sample-rate"], options["channels"]), ("flac", "keep", "keep"))
        self.assertIn(b"finished already", self.repack("in.tar", "--out", "out", "--audio", "flac").out)
        self.fails("repack", "in.tar", "--out", "out", "--shards", 1, says="audio: was flac, now keep")
        for wrong in (("--audio", "mp3"), ("--sample-rate", "0"), ("--sample-rate", "16k"), ("--channels", "2")):
            self.fails("repack", "in.tar", "--out", "wrong", *wrong, says=wrong[0], code=2)

    def test_filters_by_key(self):
        self.put({f"{folder}/{key}.wav": encode(noise(1000), 16000, "WAV")
                  for folder in ("train", "dev") for key in ("s1_a", "s1_b", "s2_a")})
        result = self.repack("in.tar", "--out", "out", "--include", "train/*", "--include", "*/s2_?", "--exclude", "*b",
                             "--json")
        self.assertEqual(set(self.made("out")), {"train/s1_a", "train/s2_a", "dev/s2_a"})
        reasons = {key: reject["reason"] for key, reject in self.rejects("out").items()}
        self.assertEqual(reasons, {"train/s1_b": "excluded", "dev/s1_a": "not_included", "dev/s1_b": "not_included"})
        self.assertEqual(self.rejects("out")["train/s1_b"]["problem"], "its key matches --exclude '*b'")
        self.assertEqual(json.loads(result.out)["left_out"], {"excluded": 1, "not_included": 2})
        self.shardmill("verify", "out", "--against", "in.tar")

    def test_what_is_excluded_may_be_broken(self):
        self.put({"bad.wav": b"nonsense", "good.wav": encode(noise(1000), 16000, "WAV")})
        self.repack("in.tar", "--out", "out", "--exclude", "bad")
        self.assertEqual(set(self.made("out")), {"good"})


if __name__ == "__main__":
    unittest.main()
