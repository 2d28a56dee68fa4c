"""Audio that only the program ffmpeg decodes: m4a, AAC, webm, wma, amr and videos; and each way in which it fails."""
import io
import json
import os
import pathlib
import random
import shutil
import subprocess
import unittest

import numpy
import soundfile

import harness

FFMPEG = shutil.which("ffmpeg")
DAMAGED = int(os.environ.get("SHARDMILL_DAMAGED", "24"))  # files of each form
FORMS = {"m4a": [], "mp4": [], "webm": ["-c:a", "libopus"], "wma": [], "aac": [], "mka": ["-c:a", "flac"],
         "avi": ["-c:a", "pcm_s16le"],
         "3gp": ["-c:a", "aac"], "mov": ["-c:a", "pcm_s16le"]}


def encoded(form, seconds=1.0, rate=16000, extra=(), number=1):
    """Speech-like audio in this form, as ffmpeg writes it to a file."""
    wav = io.BytesIO()
    chance = numpy.random.default_rng(number)
    values = numpy.sin(numpy.arange(int(seconds * rate)) * 0.05) * 0.3 + chance.normal(0, 0.01, int(seconds * rate))
    soundfile.write(wav, values, rate, format="WAV", subtype="PCM_16")
    path = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / f"shardmill-ffmpeg-{os.getpid()}.{form}"
    subprocess.run([FFMPEG, "-v", "error", "-y", "-i", "-", *FORMS[form], *extra, str(path)], input=wav.getvalue(),
                   check=True)
    data = path.read_bytes()
    path.unlink()
    return data


def amr(frames):
    """AMR of 12.2 kbit/s with any bits: 32 bytes for each 20 ms."""
    chance = random.Random(frames)
    return b"#!AMR\n" + b"".join(b"\x3c" + chance.randbytes(31) for _ in range(frames))


def frame_ends(form, sound):
    """Where a stream that tells no length may end: cut there, it is a shorter one that is whole."""
    if form == "amr":
        return set(range(6, len(sound) + 1, 32))
    ends, at = set(), 0
    while form == "aac" and at < len(sound):
        at += (sound[at + 3] & 3) << 11 | sound[at + 4] << 3 | sound[at + 5] >> 5  # of the ADTS header
        ends.add(at)
    return ends


def decoded(data, *options):
    """What ffmpeg makes of it by itself, with a file, as a WAV reader sees it."""
    path = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / f"shardmill-ffmpeg-{os.getpid()}.bin"
    path.write_bytes(data)
    wav = subprocess.run([FFMPEG, "-v", "error", "-i", str(path), *options, "-f", "s16le", "-c:a", "pcm_s16le", "-"],
                         check=True, capture_output=True).stdout
    path.unlink()
    return numpy.frombuffer(wav, dtype="<i2")


@unittest.skipUnless(FFMPEG, "ffmpeg is not installed")
class Ffmpeg(harness.Case):
    def records(self, folder="out"):
        return {record["key"]: record for manifest in sorted((self.folder / folder / "manifests").iterdir())
                for record in map(json.loads, manifest.read_text().splitlines())}

    def repack(self, *arguments, out="out", **more):
        shutil.rmtree(self.folder / out, ignore_errors=True)
        return self.shardmill("repack", *arguments, "--out", out, "--shards", 1, **more)

    def fake(self, script):
        """A folder with an ffmpeg that runs this, once it has told its version."""
        path = self.write("bin/ffmpeg", f"""#!/bin/bash
if [ "$1" = -version ]; then echo 'ffmpeg version 9.9-fake Copyright'; exit 0; fi
{script}
""".encode())
        path.chmod(0o755)
        return {"PATH": f"{path.parent}:{os.environ['PATH']}"}


class TestForms(Ffmpeg):
    def test_every_form_in_shards(self):
        sounds = {form: encoded(form, 0.5 + 0.1 * n, number=n) for n, form in enumerate(FORMS)}
        sounds["amr"] = amr(40)
        members = [(f"{form}.{extension}", data) for form, sound in sounds.items()
                   for extension, data in (("txt", form.encode()), (form, sound))]
        self.write("a.tar", harness.tar(members))
        result = self.repack("a.tar")
        self.assertIn("--audio flac is needed for", result.err + result.out.decode())
        records = self.records()
        self.assertEqual(sorted(records), sorted(sounds))
        for form, sound in sounds.items():
            with self.subTest(form):
                values = decoded(sound)
                self.assertEqual(records[form]["frames"] * records[form]["channels"], len(values))
                self.assertEqual(self.shardmill("cat", "out/shards/audio_000000000.tar", f"{form}.{form}").out, sound)
        self.assertEqual(records["m4a"]["format"], "mp4/aac")
        self.assertEqual(records["amr"]["duration"], 0.8)
        self.shardmill("verify", "out", "--decode", "--against", "a.tar")
        version = subprocess.run([FFMPEG, "-version"], capture_output=True, check=True).stdout.split()[2].decode()
        self.assertEqual(json.loads((self.folder / "out/run.json").read_text())["versions"]["ffmpeg"], version)
        # Converted: what ffmpeg decodes, and nothing of ffmpeg is needed any more.
        self.write("nothing/here", b"")
        for form in ("wav", "flac"):
            self.repack("a.tar", "--audio", form, out=form)
            for key, sound in sounds.items():
                data = self.shardmill("cat", f"{form}/shards/audio_000000000.tar", f"{key}.{form}").out
                values, rate = soundfile.read(io.BytesIO(data), dtype="int16")
                self.assertTrue(numpy.array_equal(values.reshape(-1), decoded(sound)), key)
            self.shardmill("verify", form, "--decode", env={"PATH": str(self.folder / "nothing")})
        # The same bytes with any number of threads.
        for threads in (1, 4):
            self.repack("a.tar", "--audio", "flac", "-j", threads, out=f"j{threads}")
        self.assertEqual((self.folder / "j1/shards/audio_000000000.tar").read_bytes(),
                         (self.folder / "j4/shards/audio_000000000.tar").read_bytes())
        self.assertEqual((self.folder / "j1/SHA256SUMS").read_bytes(), (self.folder / "flac/SHA256SUMS").read_bytes())

    def test_inspect_names_loaders_that_cannot_decode_it(self):
        self.write("a.tar", harness.tar([("a.m4a", encoded("m4a", 0.5)), ("a.txt", b"a"), ("b.wav", harness.audio(1)),
                                         ("b.txt", b"b")]))
        issues = json.loads(self.shardmill("inspect", "a.tar", "--json").out)["datasets"][0]["issues"]
        found = [(issue["severity"], issue["count"]) for issue in issues if issue["id"] == "foreign_audio"]
        self.assertEqual(found, [("hazard", 1)])

    def test_audio_that_starts_later(self):
        """Its container counts the time before it; a file that is cut stays an error."""
        for form, codec in (("m4a", "aac"), ("mka", "flac"), ("webm", "libopus")):
            wav = self.write("a.wav", harness.audio(1))
            seconds = soundfile.info(str(wav)).duration
            path = self.folder / f"a.{form}"
            subprocess.run([FFMPEG, "-v", "error", "-y", "-itsoffset", "0.9", "-i", str(wav), "-c:a", codec, str(path)],
                           check=True)
            sound = path.read_bytes()
            self.write("a.tar", harness.tar([(f"k.{form}", sound), ("k.txt", b"t")]))
            self.repack("a.tar")
            self.assertAlmostEqual(self.records()["k"]["duration"], seconds, delta=0.1, msg=form)
            cut = sound[:len(sound) * 6 // 10]
            self.write("a.tar", harness.tar([(f"k.{form}", cut), ("k.txt", b"t")]))
            self.fails("repack", "a.tar", "--out", "cut", says=["k." + form])

    def test_whole_packets_that_are_missing(self):
        """ffmpeg decodes a Windows Media file up to the last packet that is there, and says nothing."""
        data = encoded("wma", seconds=6)
        for packets in (1, 3):
            self.write("a.tar", harness.tar([("k.wma", data[:-3200 * packets]), ("k.txt", b"t")]))
            self.fails("repack", "a.tar", "--out", "cut", says=["k.wma", f"{3200 * packets} bytes of it are missing"])

    def test_rates_channels_and_24_bits(self):
        deep = encoded("m4a", 0.5, extra=["-c:a", "alac", "-sample_fmt", "s32p", "-af", "volume=0.123"])
        stereo = encoded("m4a", 0.5, extra=["-ac", "2", "-ar", "44100"])
        self.write("a.tar", harness.tar([("d.m4a", deep), ("d.txt", b"d"), ("s.m4a", stereo), ("s.txt", b"s")]))
        self.repack("a.tar", "--audio", "wav")
        records = self.records()
        self.assertEqual((records["d"]["format"], records["s"]["format"]), ("wav/pcm24", "wav/pcm16"))
        self.assertEqual((records["s"]["sample_rate"], records["s"]["channels"]), (44100, 2))
        self.repack("a.tar", "--audio", "flac", "--sample-rate", "16000", "--channels", "mono")
        for record in self.records().values():
            self.assertEqual((record["sample_rate"], record["channels"]), (16000, 1))

    def test_a_folder_and_segments(self):
        long = encoded("m4a", 30.0)
        self.write("x/audio/long.m4a", long)
        self.write("x/data/wav.scp", b"long audio/long.m4a\n")
        self.write("x/data/segments", "".join(f"u{n} long {n} {n}.5\n" for n in range(25)).encode())
        self.write("x/data/text", "".join(f"u{n} text {n}\n" for n in range(25)).encode())
        env = self.fake(f'echo run >> {self.folder}/runs; exec {FFMPEG} "$@"')
        self.repack("kaldi:data", env=env, cwd=self.folder / "x", out="../out")
        values = decoded(long)
        for n in (0, 7, 24):
            data = self.shardmill("cat", "out/shards/audio_000000000.tar", f"u{n}.wav").out
            cut, rate = soundfile.read(io.BytesIO(data), dtype="int16")
            self.assertTrue(numpy.array_equal(cut, values[n * rate:n * rate + rate // 2]), n)
        # Once to decode it, and once for the estimate of the size.
        self.assertLessEqual(len((self.folder / "runs").read_text().splitlines()), 2)
        self.write("y/a.m4a", encoded("m4a", 1.0))
        self.write("y/a.txt", b"a")
        self.repack("y")
        self.assertAlmostEqual(self.records()["a"]["duration"], 1.0, places=1)

    def test_labels(self):
        self.write("x/long.m4a", encoded("m4a", 8.0))
        rows = [{"audio_filepath": "long.m4a", "offset": n, "duration": 0.5, "text": f"t {n}"} for n in range(6)]
        self.write("rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())
        self.repack("n=x", "--labels", "n=rows.jsonl")
        self.assertEqual(sorted(record["text"] for record in self.records().values()), [f"t {n}" for n in range(6)])
        self.assertEqual({record["duration"] for record in self.records().values()}, {0.5})

    def test_a_video_beside_its_sound(self):
        self.write("a.tar", harness.tar([("k.mp4", encoded("mp4")), ("k.txt", b"t"), ("k.wav", harness.audio(1))]))
        self.repack("a.tar")
        self.assertEqual(self.records()["k"]["format"], "wav/pcm16")


class TestTrouble(Ffmpeg):
    def setUp(self):
        super().setUp()
        self.sound = encoded("m4a", 2.0)
        self.write("a.tar", harness.tar([("k.m4a", self.sound), ("k.txt", b"t")]))

    def fails_with(self, env, *says):
        shutil.rmtree(self.folder / "no", ignore_errors=True)
        for options in ([], ["--audio", "flac"]):
            self.fails("repack", "a.tar", "--out", "no", *options, says=["k.m4a", "ffmpeg", *says], env=env)
        self.assertFalse((self.folder / "no/dataset.json").exists())
        self.shardmill("repack", "a.tar", "b.tar", "--out", "no", "--shards", 1, "--on-error", "skip",
                       env=env, code=3) \
            if (self.folder / "b.tar").exists() else None

    def test_there_is_none(self):
        self.write("nothing/here", b"")
        env = {"PATH": str(self.folder / "nothing")}
        self.write("b.tar", harness.shard(3, 3))
        self.fails_with(env, "none is on the PATH", "install ffmpeg")
        self.assertIn("ffmpeg", (self.folder / "no/rejects.jsonl").read_text())
        out = self.shardmill("inspect", "a.tar", env=env, code=None).out.decode()
        self.assertIn("install ffmpeg", out)
        self.assertIn("m4a", self.shardmill("doctor", env=env, code=None).out.decode())
        self.assertNotIn("ffmpeg", json.loads((self.folder / "no/run.json").read_text())["versions"])

    def test_it_does_not_answer(self):
        path = self.write("bad/ffmpeg", b"#!/bin/bash\nkill -SEGV $$\n")
        path.chmod(0o755)
        env = {"PATH": f"{path.parent}:{os.environ['PATH']}"}
        self.fails_with(env, "the one on the PATH does not work", "ffmpeg -version was ended by signal 11")
        self.assertIn("ffmpeg -version was ended", self.shardmill("doctor", env=env, code=None).out.decode())

    def test_doctor_tells_the_version(self):
        env = self.fake("exit 1")
        self.assertRegex(self.shardmill("doctor", env=env, code=None).out.decode(), r"ffmpeg[^\n]*9\.9-fake")

    def test_it_fails(self):
        self.fails_with(self.fake("echo 'it is [error] broken today' >&2; exit 7"), "exit status 7", "broken today")
        self.fails_with(self.fake("kill -SEGV $$"), "signal 11")
        self.fails_with(self.fake("exit 0"), "found no audio")
        self.fails_with(self.fake("exec head -c 100000000 /dev/urandom > /dev/fd/1"), "found no audio")

    def test_it_chats(self):
        real = f'exec {FFMPEG} "$@"'
        env = self.fake("yes 'this is a very long story' | head -c 30000000 >&2; " + real)
        self.repack("a.tar", env=env)
        self.assertAlmostEqual(self.records()["k"]["duration"], 2.0, places=1)

    def test_it_lies(self):
        # Its exit status is 0, and it decoded half a second.
        real = f'set -- "${{@:1:$#-2}}" -t 0.5 "${{@: -2}}"; exec {FFMPEG} "$@"'
        self.fails_with(self.fake(real), "decoded 0.50 s of it", "2.0")
        self.write("a.tar", harness.tar([("k.m4a", encoded("aac", 2.0)), ("k.txt", b"t")]))
        self.fails_with(self.fake(real), "decoded 0.5")

    def test_cut_and_damaged_audio(self):
        """A file that was cut is an error, unless no audio is missing or it ends between two frames."""
        chance = random.Random(3)
        forms = {"m4a": encoded("m4a", 1.0), "aac": encoded("aac", 1.0), "webm": encoded("webm", 1.0), "amr": amr(50),
                 "fast.m4a": encoded("m4a", 1.0, extra=["-movflags", "faststart"])}
        for form, sound in forms.items():
            members, cut = [], {}
            for n in range(DAMAGED):
                data = bytearray(sound)
                at = chance.randrange(20, len(data))
                if n % 3 == 0:
                    cut[f"k{n}"] = at
                    del data[at:]
                elif n % 3 == 1:
                    data[at] ^= 1 << chance.randrange(8)
                else:
                    data[at:at] = chance.randbytes(50)
                members += [(f"k{n}.m4a", bytes(data)), (f"k{n}.txt", b"t")]
            members += [("whole.m4a", sound), ("whole.txt", b"t")]
            self.write("a.tar", harness.tar(members))
            self.repack("a.tar", "--on-error", "skip", code=None)
            records = self.records()
            self.assertIn("whole", records)
            rejects = (self.folder / "out/rejects.jsonl").read_text().splitlines()
            self.assertEqual(len(records) + len(rejects), DAMAGED + 1, form)
            for key in cut.keys() & records.keys():
                if cut[key] not in frame_ends(form, sound):
                    self.assertGreater(records[key]["duration"], records["whole"]["duration"] - 0.3, (form, key))

    def test_no_playlist_is_followed(self):
        """What looks like audio may name files and addresses; only the given bytes are read."""
        self.write("secret.wav", harness.audio(1))
        lists = [b"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n" + str(self.folder / "secret.wav").encode()
                 + b"\n#EXT-X-ENDLIST\n",
                 b"ffconcat version 1.0\nfile " + str(self.folder / "secret.wav").encode() + b"\n"]
        for data in lists:
            self.write("a.tar", harness.tar([("k.m4a", data), ("k.txt", b"t")]))
            self.fails("repack", "a.tar", "--out", "no", says="k.m4a")
            shutil.rmtree(self.folder / "no", ignore_errors=True)


if __name__ == "__main__":
    unittest.main()
