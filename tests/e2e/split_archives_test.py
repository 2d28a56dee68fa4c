"""Archives that were cut for their download: read as one file, whatever the parts are called."""
import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import zipfile

import downloads_test
import harness


def letters(number, length=2):
    text = ""
    for _ in range(length):
        number, digit = divmod(number, 26)
        text = chr(97 + digit) + text
    return text


NAMES = {
    "partaa": lambda i, at: "part" + letters(i),
    ".partaa": lambda i, at: ".part" + letters(i),
    "aa": lambda i, at: "." + letters(i),
    "gzaa": lambda i, at: letters(i),  # CN-Celeb 2
    ".001": lambda i, at: f".{i + 1:03}",
    ".1": lambda i, at: f".{i + 1}",
    ".00": lambda i, at: f".{i:02}",
    ".part1": lambda i, at: f".part{i + 1}",
    ".part-00": lambda i, at: f".part-{i:02}",
    ".part0": lambda i, at: f".part{at}",  # AI Hub: where the part begins
}


class Parts(downloads_test.Downloads):
    def cut(self, path, name, count=3, folder="."):
        """Cuts a file as `split` does, and removes it. Returns the names of the parts."""
        data = (self.folder / path).read_bytes()
        (self.folder / path).unlink()
        step = -(-len(data) // count)
        names = []
        for i in range(count):
            names.append(f"{folder}/{path}{NAMES[name](i, i * step)}".removeprefix("./"))
            self.write(names[-1], data[i * step:(i + 1) * step])
        return names


class TestParts(Parts):
    def test_every_kind_of_name_and_archive(self):
        corpus = downloads_test.librispeech()
        kinds = {"x.zip": self.zip, "x.7z": self.seven_zip, "x.tar.gz": self.tar, "x.tgz": self.tar, "x.tar": self.tar,
                 "X.ZIP": self.zip}
        plans = [("x.zip", name) for name in NAMES if name != "partaa"]
        plans += [("x.tar.gz", ".00"), ("x.tgz", ".partaa"), ("x.7z", ".001"), ("x.tar", "aa"),
                  ("x.tar.gz", "gzaa"), ("x.tar.gz", ".1"), ("X.ZIP", ".001"), ("x.tar.gz", "aa")]
        for archive, name in plans:
            with self.subTest(archive, name=name):
                shutil.rmtree(self.folder / "down", ignore_errors=True)
                kinds[archive](archive, corpus.files)
                parts = self.cut(archive, name, 12 if name in (".part1", ".1") else 3, folder="down")
                self.check(corpus, parts[0])
        # The last of them also in the other ways to give it.
        for source in (["down"], parts, ["down/x.tar.gz.*"], [f"a={parts[0]}"], ["a=down/x.tar.gz.*"]):
            with self.subTest(source):
                self.check(corpus, source)
        self.shardmill("verify", "out", "--against", parts[0])
        self.shardmill("verify", "out", "--against", *parts)
        record = next(iter(self.records().values()))
        self.assertEqual(pathlib.Path(record["source"]).name, "x.tar.gz.aa")

    def test_names_without_an_ending(self):
        """vox1_dev_wav_partaa: the parts of a zip."""
        corpus = downloads_test.librispeech()
        self.zip("dev_wav_", corpus.files)
        parts = self.cut("dev_wav_", "partaa", folder="down")
        self.assertEqual(parts[1], "down/dev_wav_partab")
        for source in ([parts[0]], parts, ["down/dev_wav_parta*"], ["down"], ["a=down/dev_wav_parta*"]):
            self.check(corpus, source)
        # A list that was cut is several lists.
        self.write("a.tar", harness.shard(0, 3))
        self.write("b.tar", harness.shard(3, 3))
        self.write("list_partaa", b"a.tar\n")
        self.write("list_partab", b"b.tar\n")
        self.shardmill("repack", "list_partaa", "--out", "one", "--shards", 1)
        self.assertEqual(json.loads((self.folder / "one/dataset.json").read_text())["samples"], 3)
        self.shardmill("repack", "a=list_partaa", "a=list_partab", "--out", "two", "--shards", 1)
        self.assertEqual(json.loads((self.folder / "two/dataset.json").read_text())["samples"], 6)

    def test_missing_parts_are_named(self):
        corpus = downloads_test.librispeech()
        self.zip("x.zip", corpus.files)
        parts = self.cut("x.zip", ".partaa", 4, folder="down")
        kept = (self.folder / parts[1]).read_bytes()
        (self.folder / parts[1]).unlink()
        for source in ([parts[0]], ["down"], ["down/*"], [parts[0], parts[2], parts[3]]):
            self.fails("repack", *source, "--out", "no", says=["x.zip.partab", "missing"])
        self.fails("inspect", parts[0], says=["x.zip.partab", "missing"])
        self.write(parts[1], kept)
        first = (self.folder / parts[0]).read_bytes()
        (self.folder / parts[0]).unlink()
        for source in (["down"], [parts[1]], parts[1:]):
            self.fails("repack", *source, "--out", "no", says=["x.zip.partab", "before it are missing"])
        self.write(parts[0], first)
        self.fails("repack", parts[1], "--out", "no", says=["not the first part", "x.zip.partaa"])
        # The last one: like any archive that was cut.
        (self.folder / parts[3]).unlink()
        self.fails("repack", parts[0], "--out", "no", says=["x.zip.partaa", "parts after x.zip.partac"])
        self.assertFalse((self.folder / "no").exists())
        shutil.rmtree(self.folder / "down")
        self.tar("x.tar.gz", corpus.files)
        parts = self.cut("x.tar.gz", ".00", 4, folder="down")
        (self.folder / parts[3]).unlink()
        self.fails("repack", parts[0], "--out", "no", says=["x.tar.gz.00", "parts after x.tar.gz.02"])
        for part in parts[1:3]:
            (self.folder / part).unlink()
        self.fails("repack", parts[0], "--out", "no", says="x.tar.gz.00")
        for archive, make in (("x.tar.gz", self.tar), ("x.zip", self.zip), ("x.7z", self.seven_zip)):
            shutil.rmtree(self.folder / "down")
            make(archive, corpus.files)
            parts = self.cut(archive, ".00", 4, folder="down")
            (self.folder / parts[0]).unlink()
            for source in (["down"], [parts[1]], parts[1:]):
                self.fails("repack", *source, "--out", "no", says=[f"{archive}.01", "before it are missing"])

    def test_what_is_no_part(self):
        """A second download as wget names it, and a zip that was written in parts."""
        corpus = downloads_test.librispeech()
        path = self.tar("down/x.tar.gz", corpus.files)
        self.write("down/x.tar.gz.1", path.read_bytes()[:-9])
        self.check(corpus, "down")
        last = random.Random(1).randbytes(3000) + b"PK\5\6\2\0\2\0" + bytes(14)
        self.write("parts/x.z01", b"PK\7\x08" + bytes(3000))
        self.write("parts/x.zip", last)
        for source in ("parts", "parts/x.zip"):
            self.fails("repack", source, "--out", "no", says=["x.zip", "is the last of 3 parts", "zip -s 0"])

    def test_archives_of_a_series_are_no_parts(self):
        """x.tar.00 and x.tar.01, each a whole archive."""
        for name, codec in (("x.tar.{:02}", None), ("x.tar.gz.{:02}", "gzip"), ("x.tar.bz2.part{}", "bzip2")):
            with self.subTest(name):
                shutil.rmtree(self.folder / "down", ignore_errors=True)
                for i in range(3):
                    tar = harness.tar(harness.samples(range(4 * i, 4 * i + 4)))
                    self.write("down/" + name.format(i), harness.compress(codec, tar) if codec else tar)
                for source in (["down"], [f"a=down/{name.split('{')[0]}*"],
                               [f"a=down/{name.format(i)}" for i in range(3)]):
                    shutil.rmtree(self.folder / "out", ignore_errors=True)
                    self.shardmill("repack", *source, "--out", "out", "--shards", 1)
                    self.assertEqual(len(self.records()), 12)
                self.shardmill("repack", "down/" + name.format(1), "--out", "one", "--force", "--shards", 1)
                self.assertEqual(len(self.records("one")), 4)

    def test_a_part_too_many(self):
        corpus = downloads_test.librispeech()
        self.zip("x.zip", corpus.files)
        parts = self.cut("x.zip", ".partaa", 3, folder="down")
        more = "down/x.zip.partad"
        self.write(more, b"")
        self.fails("repack", parts[0], "--out", "no", says=["x.zip.partad", "is empty"])
        self.write(more, (self.folder / parts[0]).read_bytes()[:3000])
        self.fails("repack", parts[0], "--out", "no", says=["3000 bytes", "follow the end of the zip"])
        # Zips of one file may have anything at their end.
        self.zip("y.zip", corpus.files)
        self.write("y.zip", (self.folder / "y.zip").read_bytes() + b"\0" * 100)
        self.check(corpus, "y.zip")

    def test_parts_of_another_kind(self):
        corpus = downloads_test.librispeech()
        corpus.audio("LibriSpeech/dev-clean/84/121123/84-121123-0099.flac", "FLAC", seconds=20)
        self.zip("x.zip", corpus.files)
        subprocess.run(["zip", "-q", "-s", "64k", "x.zip", "--out", "y.zip"], cwd=self.folder, check=True)
        self.assertIn("y.z01", self.names())
        self.fails("repack", "librispeech:y.zip", "--out", "no", says=["parts of a zip", "zip -s 0"])

    def test_zip64(self):
        corpus = downloads_test.librispeech()
        limit, zipfile.ZIP64_LIMIT = zipfile.ZIP64_LIMIT, 100
        files, zipfile.ZIP_FILECOUNT_LIMIT = zipfile.ZIP_FILECOUNT_LIMIT, 2
        try:
            with zipfile.ZipFile(self.folder / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
                for path, data in corpus.files.items():
                    with archive.open(path, "w", force_zip64=True) as member:
                        member.write(data)
        finally:
            zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = limit, files
        self.assertIn(b"PK\x06\x06", (self.folder / "x.zip").read_bytes())
        self.check(corpus, "x.zip")
        parts = self.cut("x.zip", ".001", 5, folder="down")
        self.check(corpus, parts[0])

    def test_checksums(self):
        corpus = downloads_test.librispeech()
        self.zip("x.zip", corpus.files)
        whole = hashlib.md5((self.folder / "x.zip").read_bytes()).hexdigest()
        parts = self.cut("x.zip", ".partaa", folder="down")
        sums = {part: hashlib.md5((self.folder / part).read_bytes()).hexdigest() for part in parts}
        self.check(corpus, parts[0], "--md5", whole)
        self.fails("repack", parts[0], "--out", "no", "--md5", "0" * 32, says=["its MD5 is " + whole])
        for lists in ({"down/x.zip.md5": whole}, {"down/md5sum.txt": f"{whole}  x.zip\n"},
                      {part + ".md5": digest for part, digest in sums.items()},
                      {"down/MD5SUMS": "".join(f"{digest}  {pathlib.Path(part).name}\n" for part,
                                               digest in sums.items())}):
            for path, text in lists.items():
                self.write(path, text.encode())
            self.assertNotIn("MD5", self.shardmill("repack", parts[0], "--out", "out", "--force", "--shards", 1).err)
            last, text = list(lists.items())[-1]
            wrong = text.replace(whole, "1" * 32).replace(sums[parts[-1]], "1" * 32)
            self.write(last, wrong.encode())
            says = parts[-1] if whole not in text else parts[0]
            self.fails("repack", parts[0], "--out", "no", says=[says, "should be " + "1" * 32])
            for path in lists:
                (self.folder / path).unlink()
            shutil.rmtree(self.folder / "no", ignore_errors=True)

    def test_a_killed_run_goes_on(self):
        corpus = downloads_test.librispeech()
        for n in range(4, 200):
            key = f"84-121123-{n:04}"
            corpus.audio(f"LibriSpeech/dev-clean/84/121123/{key}.flac", "FLAC", seconds=0.5)
            corpus.says(key, f"MORE {n}")
        name = "LibriSpeech/dev-clean/84/121123/84-121123.trans.txt"
        corpus.files[name] += "".join(f"84-121123-{n:04} MORE {n}\n" for n in range(4, 200)).encode()
        self.tar("x.tar.gz", corpus.files)
        self.shardmill("repack", "x=x.tar.gz", "--out", "joined", "--shards", 2)
        first = self.cut("x.tar.gz", ".partaa", 7)[0]
        downloads_test.TestArchives.kill_and_compare(self, first)
        for path in self.names("joined/shards"):
            self.assertEqual((self.folder / "out/shards" / path).read_bytes(),
                             (self.folder / "joined/shards" / path).read_bytes())
        # A part that changes is noticed, also where the sum of the sizes stays.
        self.shardmill("repack", first, "--out", "out", "--shards", 2)
        os.utime(self.folder / "x.tar.gz.partad", (1, 1))
        self.fails("repack", first, "--out", "out", "--shards", 2, says="x.tar.gz.partaa")

    def test_shards_repair_cat_convert_inspect_and_depfile(self):
        members = harness.tar(harness.samples(range(8)))
        self.write("x.tar.gz", harness.compress("gzip", members))
        parts = self.cut("x.tar.gz", ".00", 3, folder="down")
        self.assertEqual(self.shardmill("cat", parts[0]).out, members)
        self.shardmill("convert", parts[0], "--out", "made")
        self.assertEqual((self.folder / "made/x.tar").read_bytes(), members)
        self.shardmill("convert", *parts, "--out", "made")
        self.assertIn(b"8 samples", self.shardmill("inspect", "down").out)
        self.shardmill("repack", "down", "--out", "out", "--shards", 2, "--depfile", "out.d")
        for part in parts:
            self.assertIn(part, (self.folder / "out.d").read_text())
        shard = self.folder / "out/shards/audio_000000000.tar"
        good = shard.read_bytes()
        shard.unlink()
        self.shardmill("repair", "out")
        self.assertEqual(shard.read_bytes(), good)

    def test_damaged_parts(self):
        """Whatever happens to the bytes of the parts: an error that names a file, or what was there."""
        corpus = downloads_test.librispeech()
        chance = random.Random(4)
        makers = {"x.zip": self.zip, "x.tar.gz": self.tar, "x.7z": self.seven_zip}
        for archive, make in makers.items():
            make(archive, corpus.files)
            parts = self.cut(archive, ".001", 4, folder="good")
            for round in range(70):
                shutil.rmtree(self.folder / "bad", ignore_errors=True)
                shutil.copytree(self.folder / "good", self.folder / "bad")
                path = self.folder / parts[chance.randrange(4)].replace("good", "bad")
                data = bytearray(path.read_bytes())
                at = chance.randrange(len(data))
                kind = chance.randrange(4)
                if kind == 0:
                    data[at] ^= 1 << chance.randrange(8)
                elif kind == 1:
                    del data[at:]
                elif kind == 2:
                    del data[at:at + chance.randrange(1, 2000)]
                else:
                    data[at:at] = chance.randbytes(chance.randrange(1, 2000))
                path.write_bytes(data)
                shutil.rmtree(self.folder / "no", ignore_errors=True)
                result = self.shardmill("repack", "bad/" + parts[0].split("/")[1], "--out", "no", "--shards", 1,
                                        code=None)
                self.assertIn(result.code, (0, 1), result.err)
                if result.code == 1:
                    self.assertIn(archive, result.err)
                else:
                    self.assertEqual({key: record["text"] for key, record in self.records("no").items()},
                                     {key: facts["text"] for key, facts in corpus.expected.items()},
                                     (archive, round, kind, at))
            shutil.rmtree(self.folder / "good")


if __name__ == "__main__":
    downloads_test.unittest.main()
