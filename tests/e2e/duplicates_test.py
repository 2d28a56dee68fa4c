"""inspect --duplicates: the same audio under other keys, in other containers, and in a test set."""
import io
import json
import unittest

import numpy
import soundfile

import harness
from repack_test import Repacking, corpus, tone


def encoded(values, form, subtype, rate=16000):
    out = io.BytesIO()
    soundfile.write(out, values, rate, format=form, subtype=subtype)
    return out.getvalue()


class Duplicates(Repacking):
    def setUp(self):
        super().setUp()
        tars, self.contents = corpus("x", 60)
        self.put("x", tars, "zstd")

    def tar(self, name, samples, text="words"):
        members = []
        for key, (audio, extension) in samples.items():
            members += [(f"{key}.txt", text.encode()), (f"{key}.{extension}", audio)]
        self.write(name, harness.tar(members))

    def duplicates(self, *arguments, code=1):
        return json.loads(self.shardmill("inspect", *arguments, "--duplicates", "--json", code=code).out)

    def keys(self, groups):
        return [[sample["key"] for sample in group["samples"]] for group in groups]

    def test_none_where_there_are_none(self):
        found = self.duplicates("x", code=0)
        self.assertEqual((found["same_audio"], found["same_words"], found["samples"]), ([], [], 60))
        self.assertIn(b"the same audio: 0 groups", self.shardmill("inspect", "x", "--duplicates").out)

    def test_all_that_were_planted(self):
        values = numpy.random.default_rng(1).integers(-3000, 3000, 4000, dtype=numpy.int16)
        wide = values.astype(numpy.int32) << 16
        nearly = values.copy()
        nearly[2000] += 1
        self.tar("y.tar",
                 {"a": (encoded(values, "WAV", "PCM_16"), "wav"), "b": (encoded(values, "FLAC", "PCM_16"), "flac"),
                  "c": (encoded(wide, "WAV", "PCM_24"), "wav"), "d": (encoded(wide, "AIFF", "PCM_32"), "aiff"),
                  "e": (encoded(values / 32768, "WAV", "FLOAT"), "wav"),
                  "nearly": (encoded(nearly, "WAV", "PCM_16"), "wav"),
                  "shorter": (encoded(values[:-1], "WAV", "PCM_16"), "wav"),
                  "slower": (encoded(values, "WAV", "PCM_16", rate=8000), "wav"),
                  "other": (self.contents["x00007"][1], "wav")})
        found = self.duplicates("x", "y.tar")
        self.assertEqual(self.keys(found["same_audio"]), [["x00007", "other"], list("abcde")])
        self.assertEqual([group["same_bytes"] for group in found["same_audio"]], [True, False])
        text = self.shardmill("inspect", "x", "y.tar", "--duplicates", code=1).out.decode()
        self.assertIn("the same audio: 2 groups", text)
        self.assertIn("the same when decoded\n    a of ", text)

    def test_against_a_test_set(self):
        audio = self.contents["x00003"][1]
        self.tar("test.tar", {"t1": (audio, "wav"), "t2": (tone(900, 5), "wav"), "t3": (tone(900, 5), "wav")})
        found = self.duplicates("x", "--against", "test.tar")
        self.assertEqual(self.keys(found["same_audio"]), [["x00003", "t1"]])
        self.assertEqual((found["samples"], found["against_samples"]), (60, 3))
        self.assertEqual([sample["against"] for sample in found["same_audio"][0]["samples"]], [False, True])
        self.assertEqual(self.keys(self.duplicates("test.tar")["same_audio"]), [["t2", "t3"]])
        self.assertEqual(self.duplicates("x", "--against", "test.tar", "-j1") | {"seconds": 0}, found | {"seconds": 0})

    def test_the_same_words_by_the_same_speaker(self):
        said = {"u1": ("s1", "hello"), "u2": ("s1", "hello"), "u3": ("s2", "hello"), "u4": ("s1", "other"),
                "u5": ("s2", "hello")}
        for number, key in enumerate(said):
            self.write(f"k/{key}.wav", tone(9010 * (number + 1), number if key != "u5" else 2) if key != "u5"
                       else (self.folder / "k/u3.wav").read_bytes())
        self.write("k/wav.scp", "".join(f"{key} {self.folder}/k/{key}.wav\n" for key in said).encode())
        self.write("k/text", "".join(f"{key} {text}\n" for key, (_, text) in said.items()).encode())
        self.write("k/utt2spk", "".join(f"{key} {speaker}\n" for key, (speaker, _) in said.items()).encode())
        found = self.duplicates("kaldi:k")
        self.assertEqual(self.keys(found["same_audio"]), [["u3", "u5"]])
        self.assertEqual(self.keys(found["same_words"]), [["u1", "u2"]])
        self.assertEqual((found["same_words"][0]["text"], found["same_words"][0]["speaker"]), ("hello", "s1"))
        self.assertEqual(found["without_speaker"], 0)

    def test_what_cannot_be_decoded_or_read(self):
        broken = b"RIFF" + bytes(100)
        self.tar("y.tar", {"a": (broken, "wav"), "b": (tone(100, 1), "wav"), "c": (tone(100, 1), "wav")})
        found = self.duplicates("y.tar")
        self.assertEqual((self.keys(found["same_audio"]), len(found["unusable"])), ([["b", "c"]], 1))
        self.assertIn("y.tar: member 'a'", found["unusable"][0])
        self.write("z.tar.zst", b"nothing")
        self.assertEqual(len(self.duplicates("x", "z.tar.zst")["unusable"]), 1)
        self.fails("inspect", "x", "--against", "x", says="--against needs --duplicates", code=2)
        self.fails("inspect", "x", "--duplicates", "--fast", says="--fast", code=2)


if __name__ == "__main__":
    unittest.main()
