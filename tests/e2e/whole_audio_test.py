"""Audio that readers take for shorter than it is: where it is decoded, and by `verify --decode`."""
import json
import re
import struct
import tarfile
import unittest

import harness
from audio_test import encode, noise
from harness import tar

FORMS = {"mp3": ("MP3", "MPEG_LAYER_III"), "vorbis": ("OGG", "VORBIS"), "opus": ("OGG", "OPUS"),
         "flac": ("FLAC", "PCM_16")}


class Case(harness.Case):
    def put(self, **members):
        """in.tar: a good sample and these, {key: (extension, audio)}."""
        entries = [("good.txt", b"text"), ("good.wav", encode(noise(8000), 16000, "WAV"))]
        for key, (extension, audio) in members.items():
            entries += [(f"{key}.txt", b"text"), (f"{key}.{extension}", audio)]
        self.write("in.tar", tar(entries))

    def findings(self, *arguments, code=1):
        result = self.shardmill("verify", *arguments, "--json", code=code)
        self.assertRegex(result.err, r"\Ashardmill verify: [^\n]*\n\Z")  # no library speaks
        return [(finding.get("member", ""), finding["what"]) for finding in json.loads(result.out)["list"]
                if finding["severity"] == "finding"]


class SeveralInOneFile(Case):
    def test_where_it_is_decoded_the_sample_is_left_out(self):
        for name, (form, subtype) in FORMS.items():
            parts = [encode(noise(frames, seed=frames), 16000, form, subtype) for frames in (32000, 20000)]
            self.put(two=("flac" if name == "flac" else "mp3" if name == "mp3" else "ogg", b"".join(parts)))
            with self.subTest(form=name):
                result = self.shardmill("repack", "in.tar", "--out", name, "--shards", 1, "--audio", "wav",
                                        "--on-error", "skip", code=3)
                self.assertNotIn("Xing", result.err)
                rejects = [json.loads(line) for line in (self.folder / name / "rejects.jsonl").read_text().splitlines()]
                self.assertEqual([reject["key"] for reject in rejects], ["two"])
                self.assertIn("samples       1\n".replace(" ", ""), result.out.decode().replace(" ", ""))
                members = [member for member, _ in self.findings("in.tar", "--decode")]
                self.assertEqual(len(members), 1, members)

    def test_one_is_good(self):
        for name, (form, subtype) in FORMS.items():
            for rate in (8000, 16000, 48000):
                for channels in (1, 2):
                    audio = encode(noise(2 * rate, channels), rate, form, subtype)
                    self.put(one=("flac" if name == "flac" else "mp3" if name == "mp3" else "ogg", audio))
                    with self.subTest(form=name, rate=rate, channels=channels):
                        self.assertEqual(self.findings("in.tar", "--decode", code=0), [])
                        self.shardmill("repack", "in.tar", "--out", f"{name}{rate}{channels}", "--shards", 1,
                                       "--audio", "flac")


class DamageThatLibrariesPassOver(Case):
    def check(self, extension, audio, says):
        """Decoded for another form the sample is left out, and `verify --decode` tells the same."""
        self.put(odd=(extension, audio))
        for form in (("--audio", "wav"), ("--sample-rate", 8000), ("--channels", "mono", "--audio", "wav")):
            self.shardmill("repack", "in.tar", "--out", "out", "--shards", 1, *form, "--on-error", "skip",
                           "--force", code=3)
            rejects = [json.loads(line) for line in (self.folder / "out/rejects.jsonl").read_text().splitlines()]
            self.assertEqual([reject["key"] for reject in rejects], ["odd"])
            self.assertIn(says, json.dumps(rejects))
        found = self.findings("in.tar", "--decode")
        self.assertEqual(len(found), 1, found)
        self.assertIn(says, found[0][1])

    def test_ogg_with_a_flipped_bit(self):
        for form in ("vorbis", "opus"):
            audio = bytearray(encode(noise(96000), 16000, *FORMS[form]))
            audio[audio.rindex(b"OggS") - 50] ^= 1
            with self.subTest(form=form):
                self.check("ogg", bytes(audio), "wrong checksum")

    def test_ogg_without_a_page(self):
        for form in ("vorbis", "opus"):
            audio = encode(noise(96000), 16000, *FORMS[form])
            pages = audio.split(b"OggS")
            with self.subTest(form=form):
                self.check("ogg", b"OggS".join(pages[:4] + pages[5:]), "is missing")

    def test_ogg_with_bytes_between_pages(self):
        audio = encode(noise(32000), 16000, "OGG", "VORBIS")
        last = audio.rindex(b"OggS")
        self.check("ogg", audio[:last] + bytes(512) + audio[last:], "no Ogg page begins")

    def test_two_flacs_of_the_same_length(self):
        flac = encode(noise(16000), 16000, "FLAC", "PCM_16")
        self.check("flac", flac + flac, "another FLAC stream")

    def test_flac_with_another_md5(self):
        flac = bytearray(encode(noise(32000), 16000, "FLAC", "PCM_16"))
        flac[8 + 18] ^= 1
        self.check("flac", bytes(flac), "MD5")


class CopiedOgg(Case):
    """A library that meets a bad page leaves it out without a word, so the length would be wrong."""

    def copied(self, audio, out, *options, code=0):
        self.put(odd=("ogg", audio))
        return self.shardmill("repack", "in.tar", "--out", out, "--shards", 1, "--force", *options, code=code)

    def check_left_out(self, audio, says):
        self.assertIn(says, self.copied(audio, "stopped", code=1).err)
        self.copied(audio, "out", "--on-error", "skip", code=3)
        rejects = [json.loads(line) for line in (self.folder / "out/rejects.jsonl").read_text().splitlines()]
        self.assertEqual([(reject["key"], reject["reason"]) for reject in rejects], [("odd", "bad_audio")])
        self.assertIn(says, rejects[0]["problem"])

    def test_damage_is_found_though_nothing_is_decoded(self):
        for form in ("vorbis", "opus"):
            good = encode(noise(96000), 16000, *FORMS[form])
            begins = [match.start() for match in re.finditer(b"OggS", good)]
            page, last = begins[len(begins) // 2], begins[-1]
            flipped = bytearray(good)
            flipped[page + 300] ^= 4
            with self.subTest(form=form):
                self.check_left_out(bytes(flipped), f"the Ogg page at byte {page} has a wrong checksum")
                self.check_left_out(good[:page] + good[last:], "of the Ogg stream is missing")
                zeros = good[:page + 200] + bytes(512) + good[page + 712:]
                self.check_left_out(zeros, f"the Ogg page at byte {page} has a wrong checksum")
                self.check_left_out(good[:page] + bytes(len(good) - page), f"no Ogg page begins at byte {page}")

    def test_good_ones_are_copied_as_they_are(self):
        for form in ("vorbis", "opus"):
            good = encode(noise(96000), 16000, *FORMS[form])
            with self.subTest(form=form):
                self.assertNotIn(b"size_unknown", self.copied(good, "good").out)
                with tarfile.open(self.folder / "good/shards/audio_000000000.tar") as tar:
                    self.assertEqual(tar.extractfile("odd.ogg").read(), good)

    def test_a_stream_without_its_last_page_is_counted(self):
        good = encode(noise(96000), 16000, *FORMS["vorbis"])
        self.assertIn(b"1 size_unknown", self.copied(good[:good.rindex(b"OggS")], "cut").out)

    def test_the_pages_of_a_chain_are_good(self):
        """It is left out because libsndfile reads its first stream only, not for its pages."""
        parts = [encode(noise(frames, seed=frames), 16000, *FORMS["vorbis"]) for frames in (32000, 20000)]
        self.check_left_out(b"".join(parts), "it is a chain of 2 Ogg streams")


class Decode(Case):
    def check(self, extension, audio, says):
        self.put(odd=(extension, audio))
        self.shardmill("repack", "in.tar", "--out", "out", "--shards", 1, "--force")
        for target in ("out", "in.tar"):
            found = self.findings(target, "--decode")
            self.assertEqual(len(found), 1, found)
            self.assertIn("odd", found[0][0])
            self.assertIn(says, found[0][1])

    def test_flac_with_another_md5(self):
        flac = bytearray(encode(noise(32000), 16000, "FLAC", "PCM_16"))
        flac[8 + 18] ^= 1
        self.check("flac", bytes(flac), "MD5")

    def test_flac_without_an_md5_is_good(self):
        flac = bytearray(encode(noise(32000), 16000, "FLAC", "PCM_16"))
        flac[8 + 18:8 + 34] = bytes(16)
        self.put(odd=("flac", bytes(flac)))
        self.assertEqual(self.findings("in.tar", "--decode", code=0), [])

    def test_flac_with_tags(self):
        flac = encode(noise(32000), 16000, "FLAC", "PCM_16")
        id3v2 = b"ID3\x04\0\0" + bytes([0, 0, 0, 20]) + bytes(20)
        tag = b"TAG" + bytes(125)
        piped = bytearray(flac)  # without its number of frames
        piped[21] &= 0xf0
        piped[22:26] = bytes(4)
        self.put(before=("flac", id3v2 + flac), after=("flac", flac + tag), piped=("flac", bytes(piped) + tag))
        self.assertEqual(self.findings("in.tar", "--decode", code=0), [])
        self.shardmill("repack", "in.tar", "--out", "out", "--shards", 1, "--audio", "wav")

    def test_wav_whose_size_was_never_set(self):
        wav = bytearray(encode(noise(32000), 16000, "WAV", "PCM_16"))
        wav[4:8] = wav[40:44] = struct.pack("<I", 0)
        self.put(odd=("wav", bytes(wav)))
        found = self.findings("in.tar", "--decode")
        self.assertEqual(len(found), 1, found)
        self.assertIn("0 bytes of audio", found[0][1])
        self.shardmill("repack", "in.tar", "--out", "out", "--shards", 1)
        self.assertEqual(self.findings("out", "--decode", code=0), [])


if __name__ == "__main__":
    unittest.main()
