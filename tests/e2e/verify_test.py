"""`shardmill verify`: any damage to a dataset is found and named, and a sound one is called sound."""
import fcntl
import hashlib
import io
import json
import os
import pathlib
import random
import shutil
import stat
import struct
import subprocess
import tarfile
import unittest

import numpy
import soundfile

import harness
from harness import compress, tar

FLIPS = int(os.environ.get("SHARDMILL_FLIPS", "40" if harness.SANITIZED else "200"))
RECORDS = ("shards.jsonl", "data.list", "tarred_audio_manifest.json", "rejects.jsonl", "SHA256SUMS", "dataset.json",
           "run.json")


def tone(frames, seed=0, form="WAV"):
    """The bytes of a short, noisy recording: made in microseconds, unlike speech."""
    samples = numpy.random.default_rng(seed).integers(-3000, 3000, frames, dtype=numpy.int16)
    out = io.BytesIO()
    soundfile.write(out, samples, 16000, format=form, subtype="PCM_16")
    return out.getvalue()


def corpus(prefix, count, form="wav", seed=0, shards=3):
    """Plain tars of `count` samples in all, of random lengths."""
    random_ = random.Random(seed)
    members = [[] for _ in range(shards)]
    for number in range(count):
        key = f"{prefix}{number:05}"
        data = tone(random_.randint(400, 9000), seed * 100000 + number, form.upper())
        members[number % shards] += [(f"{key}.txt", f"text of {key} 你好".encode()), (f"{key}.{form}", data)]
    return [tar(each) for each in members]


class Verifying(harness.Case):
    def put(self, folder, tars, codec="none"):
        for number, data in enumerate(tars):
            self.write(f"{folder}/part_{number}.tar{harness.SUFFIX[codec]}", compress(codec, data))

    def dataset(self, *options, count=12, form="wav", shards=2):
        """A small dataset in `out`, made of the sources in `in`."""
        tars = corpus("utt", count, form)
        self.put("in", tars)
        self.shardmill("repack", "in", "--out", "out", "--shards", shards, *options)

    def verify(self, *arguments, code=0):
        """The result as JSON."""
        return json.loads(self.shardmill("verify", *arguments, "--json", code=code).out)

    def findings(self, *arguments):
        """What is found; there must be something."""
        result = self.verify(*arguments, code=1)
        self.assertFalse(result["good"])
        return [entry for entry in result["list"] if entry["severity"] == "finding"]

    def notes(self, *arguments):
        """What is noted of targets that are good."""
        return [entry["what"] for entry in self.verify(*arguments)["list"]]

    def finds(self, *arguments, file, says, member=None):
        """One of the findings names the file and, if given, the member, and says all of `says`."""
        found = self.findings(*arguments)
        for entry in found:
            if entry["file"].endswith(file) and (member is None
                                                 or entry.get("member") == member) and says in entry["what"]:
                return found
        self.fail(f"none says '{says}' of {file}, {member}: {found}")

    def path(self, name):
        return self.folder / "out" / name

    def lines(self, name):
        return [json.loads(line) for line in self.path(name).read_text().splitlines()]

    def write_lines(self, name, records):
        self.path(name).write_text("".join(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
                                           for record in records))

    def seal(self):
        """Makes the checksums fit what lies there now: what is found then is found by its meaning."""
        shards = self.lines("shards.jsonl")
        for shard in shards:
            shard["sha256"] = hashlib.sha256(self.path(shard["path"]).read_bytes()).hexdigest()
        self.write_lines("shards.jsonl", shards)
        sums = self.path("SHA256SUMS")
        names = [line[66:] for line in sums.read_text().splitlines()]
        sums.write_text("".join(f"{hashlib.sha256(self.path(name).read_bytes()).hexdigest()}  {name}\n"
                                for name in names))

    def change_manifest(self, change, shard=0):
        """Changes the records of a shard, there and in the file of all samples."""
        name = f"manifests/manifest_{shard:09}.json"
        records = self.lines(name)
        change(records)
        self.write_lines(name, records)
        names = sorted(self.path("manifests").iterdir())
        self.path("tarred_audio_manifest.json").write_text("".join(each.read_text() for each in names))
        self.seal()

    def change_json(self, name, change):
        record = json.loads(self.path(name).read_text())
        change(record)
        self.path(name).write_text(json.dumps(record, indent=2))
        self.seal()


@unittest.skipUnless(shutil.which("ssh-keygen"), "no ssh-keygen here")
class Signatures(Verifying):
    def setUp(self):
        super().setUp()
        self.dataset()
        for name in ("alice", "mallory"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", self.folder / name],
                           check=True)
        key = (self.folder / "alice.pub").read_text()
        lines = f'alice@example.org namespaces="file" {key}'
        self.allowed = self.write("allowed_signers", lines.encode())

    def sign(self, name, namespace="file"):
        self.path("SHA256SUMS.sig").unlink(missing_ok=True)
        subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", self.folder / name,
                        self.path("SHA256SUMS")], check=True, stdin=subprocess.DEVNULL, capture_output=True)

    def test_who_signed_is_said(self):
        self.sign("alice")
        noted = [note for note in self.notes("out", "--allowed-signers", self.allowed) if note.startswith("signed by")]
        fingerprint = subprocess.run(["ssh-keygen", "-lf", self.folder / "alice.pub"], capture_output=True,
                                     check=True).stdout.decode().split()[1]
        self.assertEqual(noted, [f"signed by alice@example.org with ED25519 key {fingerprint}"])
        self.assertNotIn("signed", str(self.notes("out")))  # without the option, the signature is any file

    def test_no_signature_and_wrong_ones_are_damage(self):
        def finds(says):
            found = self.finds("out", "--allowed-signers", self.allowed, file="SHA256SUMS.sig", says=says)
            self.assertNotIn("\\x0d", str(found))
        finds("is missing: the dataset is not signed")
        self.sign("mallory")
        finds("is no signature by a key in")
        self.sign("alice", namespace="email")
        finds("is not a valid signature of SHA256SUMS")
        self.sign("alice")
        good = self.path("SHA256SUMS.sig").read_bytes()
        for damaged in (b"", b"-----BEGIN SSH SIGNATURE-----\n", good[:200], good.replace(b"U1NIU0lH", b"U1NIU0lI"),
                        os.urandom(300)):
            self.path("SHA256SUMS.sig").write_bytes(damaged)
            finds("signature")
        self.path("SHA256SUMS.sig").write_bytes(good)
        self.verify("out", "--allowed-signers", self.allowed)

    def test_another_dataset_with_its_own_checksums_is_not_the_signed_one(self):
        self.sign("alice")
        signature = self.path("SHA256SUMS.sig").read_bytes()
        shutil.rmtree(self.folder / "out")
        self.shardmill("repack", "in", "--out", "out", "--shards", 3)
        self.path("SHA256SUMS.sig").write_bytes(signature)
        self.verify("out")
        self.finds("out", "--allowed-signers", self.allowed, file="SHA256SUMS.sig",
                   says="is not a valid signature of SHA256SUMS")

    def test_every_dataset_of_a_split_is_signed(self):
        self.shardmill("repack", "in", "--out", "parts", "--shards", 2, "--split", "dev=1s", "--split-by", "key")
        self.finds("parts", "--allowed-signers", self.allowed, file="dev/SHA256SUMS.sig", says="is missing")
        self.finds("parts", "--allowed-signers", self.allowed, file="train/SHA256SUMS.sig", says="is missing")

    def test_what_the_signature_does_not_name_is_told(self):
        self.sign("alice")
        signed = ("out", "--allowed-signers", self.allowed)
        self.assertNotIn("nothing about", str(self.notes(*signed)))
        for number in range(5):
            self.write(f"out/own/note{number}", b"x")
        self.assertIn("the signature says nothing about own/note0, own/note1, own/note2 and 2 more",
                      self.notes(*signed))
        for planted in ("kaldi/wav.scp", "nemo/input_cfg.yaml", "mds/index.json", "shar/cuts.000000.jsonl"):
            self.write("out/" + planted, b"A touch /tmp/x |\n")
            self.finds(*signed, file=planted, says="is named as an index, and no record of the dataset names it")
            self.path(planted).unlink()
        self.write("out/pending/samples.tar", b"x")
        self.finds("out", file="pending/samples.tar", says="does not belong to the dataset")
        shutil.rmtree(self.path("pending"))
        self.shardmill("index", "out", "--index", "kaldi,lhotse")
        self.sign("alice")
        self.assertIn("the signature says nothing about own/note0, own/note1, own/note2 and 2 more",
                      self.notes(*signed))

    def test_a_folder_that_cannot_be_read_is_damage(self):
        self.sign("alice")
        self.path("own").mkdir(mode=0)
        command = [*harness.WITHOUT_RIGHTS, harness.PROGRAM, "verify", "out", "--allowed-signers", self.allowed]
        result = subprocess.run(command, cwd=self.folder, capture_output=True)
        self.assertEqual(result.returncode, 1, result)
        self.assertIn("cannot be read, so the files in it are unchecked: Permission denied", str(result))

    def test_what_is_no_regular_file_is_never_waited_for(self):
        self.sign("alice")
        for name in ("SHA256SUMS.sig", "SHA256SUMS"):
            kept = self.path(name).read_bytes()
            for make in (os.mkfifo, lambda path: os.symlink("/dev/zero", path), os.mkdir):
                self.path(name).unlink()
                make(self.path(name))
                with self.subTest(name=name, make=make):
                    self.finds("out", "--allowed-signers", self.allowed, file=name, says="")
                if self.path(name).is_dir() and not self.path(name).is_symlink():
                    self.path(name).rmdir()
                    self.path(name).touch()
            self.path(name).unlink()
            self.path(name).write_bytes(kept)
        self.path("SHA256SUMS.sig").write_bytes(bytes(2_000_000))
        self.finds("out", "--allowed-signers", self.allowed, file="SHA256SUMS.sig", says="it is larger than 1 MB")

    def test_a_dataset_beside_those_of_the_split(self):
        self.shardmill("repack", "in", "--out", "parts", "--shards", 2, "--split", "dev=1s", "--split-by", "key")
        self.verify("parts")
        shutil.copytree(self.folder / "parts/dev", self.folder / "parts/test")
        self.finds("parts", file="parts/split.json", says="does not name test, which is a dataset beside")

    def test_what_cannot_be_checked_is_an_error(self):
        self.sign("alice")
        self.fails("verify", "out", "--allowed-signers", "nothing", says="nothing: ")
        self.fails("verify", "in/part_0.tar", "--allowed-signers", self.allowed, code=2, says="signature of a dataset")
        os.symlink(shutil.which("sh"), self.write("bin/x", b"").parent / "sh")
        self.fails("verify", "out", "--allowed-signers", self.allowed, env={"PATH": str(self.folder / "bin")},
                   says=["ssh-keygen", "was not found", "OpenSSH"])


class Sound(Verifying):
    def test_every_codec(self):
        for codec in ("none", "zstd", "lz4", "gzip"):
            with self.subTest(codec=codec):
                self.dataset("--codec", codec, "--force")
                result = self.verify("out", "--decode", "--against", "in")
                self.assertEqual((result["good"], result["list"], result["kind"]), (True, [], "dataset"))
                self.assertEqual((result["shards"], result["samples"], result["source_samples"]), (2, 12, 12))

    def test_where_the_texts_are(self):
        for place in ("both", "members", "manifest"):
            with self.subTest(text=place):
                self.dataset("--text", place, "--force")
                self.assertEqual(self.notes("out", "--against", "in"), [])

    def test_further_members(self):
        members = [(f"u{n}.{ext}", data) for n in range(4) for ext, data in
                   (("json", b"{}"), ("wav", tone(900, n)), ("txt", b"words"), ("npy", bytes([n])))]
        self.put("in", [tar(members)])
        self.shardmill("repack", "in", "--out", "out", "--shards", 2)
        self.assertEqual(self.notes("out", "--against", "in"), [])

    def test_text_output(self):
        self.dataset()
        result = self.shardmill("verify", "out")
        self.assertIn(b"2 shards, 12 samples", result.out)
        self.assertIn(b"all good", result.out)
        self.assertEqual(result.err, "")

    def test_moved(self):
        self.dataset()
        self.path("").rename(self.folder / "moved")
        self.assertIn("but the dataset lies in", self.notes("moved")[0])
        text = (self.folder / "moved/data.list").read_text()
        (self.folder / "moved/data.list").write_text(text.replace(f"{self.folder}/out/", f"{self.folder}/moved/"))
        self.assertEqual(self.notes("moved"), [])

    def test_list_root(self):
        self.dataset("--list-root", "/data/speech")
        self.assertEqual(self.notes("out"), [])
        self.path("data.list").write_text(self.path("data.list").read_text().replace("speech", "speeck"))
        self.finds("out", file="data.list", says="in order")

    def test_nothing_is_written(self):
        self.dataset()
        before = {path: path.stat().st_mtime_ns for path in self.path("").rglob("*")}
        self.verify("out", "--decode", "--against", "in")
        self.assertEqual({path: path.stat().st_mtime_ns for path in self.path("").rglob("*")}, before)


class Damage(Verifying):
    def test_single_bits(self):
        """A flip of any one bit in any file is found."""
        self.dataset("--min-duration", "0.2")  # so that there are rejects
        self.shardmill("ranks", "out", "-w", 2)
        names = self.names("out")
        self.assertTrue({"run.json", "data.list", "SHA256SUMS", "ranks/plan.json",
                         "ranks/world-2/data.list"} < set(names))
        random_ = random.Random(20240607)
        for flip in range(FLIPS):
            name = names[flip % len(names)]
            good = self.path(name).read_bytes()
            bit = random_.randrange(8 * len(good))
            bad = bytearray(good)
            bad[bit // 8] ^= 1 << bit % 8
            self.path(name).write_bytes(bad)
            with self.subTest(file=name, byte=bit // 8, bit=bit % 8):
                self.assertTrue(self.findings("out"))
            self.path(name).write_bytes(good)
        self.assertEqual(self.notes("out"), [])

    def test_cut_at_any_block(self):
        for codec in ("none", "zstd"):
            self.dataset("--codec", codec, "--force", count=4, shards=2)
            path = next(self.path("shards").iterdir())
            whole = path.read_bytes()
            for cut in range(0, len(whole), 512 if not harness.SANITIZED else 4096):
                path.write_bytes(whole[:cut])
                with self.subTest(codec=codec, cut=cut):
                    self.finds("out", file=path.name, says="SHA-256")
            path.write_bytes(whole)

    def test_member_is_named(self):
        self.dataset()
        record = self.lines("manifests/manifest_000000001.json")[2]
        path = self.path("shards/audio_000000001.tar")
        data = bytearray(path.read_bytes())
        data[record["tar_offset"] + record["audio_bytes"] // 2] ^= 1
        path.write_bytes(data)
        found = self.finds("out", file="audio_000000001.tar", member=record["audio_filepath"], says="hash")
        self.assertEqual(found[-1]["tar_offset"], record["tar_offset"])
        self.assertEqual(len(found), 2, found)  # and the file's SHA-256
        text = self.shardmill("verify", "out", code=1).out.decode()
        self.assertIn(record["audio_filepath"], text)
        self.assertIn("2 findings", text)

    def test_all_damaged_files_are_found(self):
        self.dataset("--codec", "zstd", shards=4)
        for path in self.path("shards").iterdir():
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 0x55
            path.write_bytes(data)
        files = {entry["file"] for entry in self.findings("out")}
        self.assertEqual(files, {f"out/shards/audio_{number:09}.tar.zst" for number in range(4)})

    def test_missing_and_extra_files(self):
        self.dataset()
        for name in ("shards/audio_000000001.tar", "manifests/manifest_000000000.json", *RECORDS):
            if name == "dataset.json":
                continue
            with self.subTest(missing=name):
                self.path(name).rename(self.folder / "away")
                self.finds("out", file=name, says="")
                (self.folder / "away").rename(self.path(name))
        for name in ("shards/audio_000000002.tar", "manifests/manifest_000000002.json", "shards/x"):
            with self.subTest(extra=name):
                self.path(name).write_bytes(b"")
                self.finds("out", file=name, says="does not belong")
                self.path(name).unlink()
        self.assertEqual(self.notes("out"), [])

    def test_names_that_lead_nowhere(self):
        """What cannot be examined is a finding like any other, and the check goes on."""
        self.dataset()
        for name in ("shards/audio_000000001.tar", "manifests/manifest_000000000.json", *RECORDS, "shards",
                     "manifests"):
            with self.subTest(name):
                self.path(name).rename(self.folder / "away")
                self.path(name).symlink_to(self.path(name).name)
                self.finds("out", file=name, says="symbolic links")
                self.path(name).unlink()
                self.path(name).mkdir()
                if name not in ("shards", "manifests"):
                    self.finds("out", file=name, says="")
                self.path(name).rmdir()
                (self.folder / "away").rename(self.path(name))
        self.path(".shardmill").symlink_to(".shardmill")
        self.assertEqual(self.notes("out"), [])

    def test_what_is_no_regular_file(self):
        """Nobody waits for the writer of a pipe, and no device fills the memory."""
        self.dataset("--index", "wids,dali,energon")
        self.shardmill("ranks", "out", "--world-size", "2", "-q")
        readers = {"ranks": ["ranks", "out", "--world-size", "2", "--dry-run"], "index": ["index", "out"],
                   "report": ["report", "out", "--out", "report.html"],
                   "repack": ["repack", "in", "--out", "out", "--shards", "2"]}
        read_by = {"dataset.json": readers, "shards.jsonl": ("ranks", "index", "report"),
                   "manifests/manifest_000000000.json": ("ranks", "index", "report"),
                   "shards/audio_000000001.tar": ("ranks", "index"), "ranks/plan.json": ("report",)}
        for name in harness.Case.names(self, "out"):
            for put in (os.mkfifo, self.put_socket, self.put_endless):
                with self.subTest(name, put=put.__name__):
                    self.path(name).rename(self.folder / "away")
                    put(self.path(name))
                    found = self.finds("out", file=name, says="is not a regular file")
                    self.assertEqual(len([entry for entry in found if "regular" in entry["what"]]), 1, found)
                    for reader in read_by.get(name, ()):
                        self.fails(*readers[reader], says=[name, "is not a regular file"])
                    self.path(name).unlink()
                    (self.folder / "away").rename(self.path(name))
        self.path(".shardmill").mkdir()
        os.mkfifo(self.path(".shardmill/lock"))
        self.assertEqual(self.notes("out"), [])

    def put_socket(self, path):
        os.mknod(path, stat.S_IFSOCK | 0o600)

    def put_endless(self, path):
        path.symlink_to("/dev/zero")

    def test_targets_that_cannot_be_examined(self):
        (self.folder / "loop").symlink_to("loop")
        self.fails("verify", "loop", says=["loop", "symbolic links"])
        self.fails("verify", "a" * 300, says=["File name too long"])

    def test_exchanged_shards(self):
        self.dataset()
        first, second = sorted(self.path("shards").iterdir())
        first.rename(self.folder / "away")
        second.rename(first)
        (self.folder / "away").rename(second)
        self.assertGreaterEqual(len(self.findings("out")), 2)
        self.seal()
        self.finds("out", file="audio_000000000.tar", says="not in the shard")


class Contradictions(Verifying):
    """Checksums are right in all of these: only the meaning is wrong."""

    def setUp(self):
        super().setUp()
        self.dataset()

    def test_sealing_alone_is_no_damage(self):
        self.seal()
        self.assertEqual(self.notes("out"), [])

    def test_manifest_lacks_a_sample(self):
        self.change_manifest(lambda records: records.pop(2))
        found = self.finds("out", file="audio_000000000.tar", says="belongs to no sample")
        self.assertTrue(any("shards.jsonl says" in entry["what"] for entry in found))
        self.assertTrue(any(entry["file"] == "out/dataset.json" for entry in found))

    def test_shard_lacks_a_sample(self):
        path = self.path("shards/audio_000000000.tar")
        record = self.lines("manifests/manifest_000000000.json")[2]
        with tarfile.open(path) as archive:
            members = [(member.name, archive.extractfile(member).read()) for member in archive]
        path.write_bytes(tar([member for member in members if member[0] != record["audio_filepath"]]))
        self.seal()
        self.finds("out", file=path.name, member=record["audio_filepath"], says="not in the shard")

    def test_fields_of_a_manifest(self):
        for field, value, says in (("text", "other words", "not that of the manifest"), ("duration", 1.5, "duration"),
                                   ("shard_id", 7, "shard_id"), ("key", "other", "named after its key"),
                                   ("audio_filepath", "utt1.flac", "the manifest calls it"),
                                   ("audio_bytes", 17, "bytes"), ("xxh3", "0" * 32, "hash"),
                                   ("dataset", "other", "dataset"), ("frames", 17, ""), ("sample_rate", 0, "rate"),
                                   ("tar_offset", 512, ""), ("format", "wav/pcm24", "")):
            with self.subTest(field=field):
                shutil.copytree(self.path(""), self.folder / "good")

                def change(records):
                    records[1][field] = value

                self.change_manifest(change)
                self.assertTrue(any(says in entry["what"] for entry in self.findings("out")), self.findings("out"))
                shutil.rmtree(self.path(""))
                (self.folder / "good").rename(self.path(""))

    def test_key_twice(self):
        key = self.lines("manifests/manifest_000000000.json")[0]["key"]

        def change(records):
            records[1]["key"] = key

        self.change_manifest(change, shard=1)
        self.finds("out", file="manifest_000000001.json", says="the same key as an earlier sample")

    def test_file_of_all_samples(self):
        lines = self.lines("tarred_audio_manifest.json")
        lines[0]["text"], lines[1]["text"] = lines[1]["text"], lines[0]["text"]
        self.write_lines("tarred_audio_manifest.json", lines)
        self.seal()
        self.finds("out", file="tarred_audio_manifest.json", says="differs from")
        self.write_lines("tarred_audio_manifest.json", lines[1:])
        self.seal()
        self.finds("out", file="tarred_audio_manifest.json", says="one after another")

    def test_totals(self):
        for field in ("samples", "seconds", "bytes", "tar_bytes", "audio_bytes", "rejects", "shards"):
            with self.subTest(field=field):
                good = self.path("dataset.json").read_text()
                self.change_json("dataset.json", lambda record: record.update({field: record[field] + 1}))
                self.assertTrue(self.findings("out"))
                self.path("dataset.json").write_text(good)
                self.seal()

    def test_balance(self):
        for field in ("min_samples", "max_samples", "min_seconds", "mean_seconds", "max_seconds"):
            with self.subTest(field=field):
                good = self.path("dataset.json").read_text()
                self.change_json("dataset.json", lambda record: record["balance"].update({field: 1}))
                self.finds("out", file="dataset.json", says=field)
                self.path("dataset.json").write_text(good)
                self.seal()

    def test_parts(self):
        self.change_json("dataset.json", lambda record: record["datasets"][0].update({"samples": 1}))
        self.finds("out", file="dataset.json", says="samples of in")

    def test_shard_records(self):
        for field, value in (("samples", 1), ("seconds", 1.0), ("min_seconds", 0.5), ("max_seconds", 0.5), ("bytes", 1),
                             ("tar_bytes", 1), ("codec", "zstd"), ("shard_id", 3), ("datasets", {})):
            with self.subTest(field=field):
                good = self.lines("shards.jsonl")
                bad = self.lines("shards.jsonl")
                bad[1][field] = value
                self.write_lines("shards.jsonl", bad)
                self.seal()
                self.assertTrue(self.findings("out"))
                self.write_lines("shards.jsonl", good)
                self.seal()

    def test_list_in_another_order(self):
        path = self.path("data.list")
        path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
        self.finds("out", file="data.list", says="in order")


class Unfinished(Verifying):
    def test_interrupted(self):
        self.write("out/.shardmill/journal", b"")
        self.finds("out", file="out", says="the same repack command goes on")

    def test_at_work(self):
        lock = self.write("out/.shardmill/lock", b"host h, pid 7, since then: shardmill repack\n")
        self.finds("out", file="out", says="there is no dataset.json")
        with open(lock, "r+") as held:
            fcntl.fcntl(held, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
            self.finds("out", file="out", says="a run is at work: host h, pid 7")

    def test_finished_with_another_run_begun(self):
        self.dataset()
        self.write("out/.shardmill/journal", b"")
        self.assertIn("another run was begun here", self.notes("out")[0])

    def test_usage(self):
        self.dataset()
        self.fails("verify", code=2, says="no DIR or SHARD")
        self.fails("verify", "out", "in", code=2, says="one dataset at a time")
        self.fails("verify", "nothing", says="nothing")


class Decoding(Verifying):
    def make(self, *audio, form="wav"):
        self.put("in", [tar([member for number, data in enumerate(audio) for member in
                             ((f"u{number}.txt", b"words"), (f"u{number}.{form}", data))])])
        self.shardmill("repack", "in", "--out", "out", "--shards", 1)

    def test_damage_inside_flac(self):
        """What neither headers nor the checksums of frames show: other values than those that were packed."""
        good = tone(20000, 1, form="FLAC")
        bad = bytearray(good)
        bad[30] ^= 0x10  # of the MD5
        self.make(good, bytes(bad), form="flac")
        self.verify("out")
        found = self.finds("out", "--decode", file="audio_000000000.tar", member="u1.flac", says="")
        self.assertEqual(len(found), 1, found)
        self.finds("in/part_0.tar", "--decode", file="part_0.tar", member="u1", says="")

    def test_silence_and_no_numbers(self):
        samples = numpy.zeros(800, dtype=numpy.float32)
        samples[7] = numpy.nan
        self.make(tone(900), tone(900, 1)[:44] + bytes(1800), float_wav(samples))
        notes = self.notes("out", "--decode")
        self.assertEqual(len(notes), 2)
        self.assertIn("holds values that are not finite numbers", notes)
        self.assertIn("is silent: every value is zero", notes)
        self.assertEqual(self.notes("in/part_0.tar", "--decode"), notes)


def float_wav(samples):
    data = samples.astype("<f4").tobytes()
    header = struct.pack("<4sI4s4sIHHIIHH", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 3, 1, 16000, 64000, 4, 32)
    return header + struct.pack("<4sI", b"data", len(data)) + data


class AgainstSources(Verifying):
    def test_options_of_repack(self):
        """Whatever repack may do to a set of samples is understood."""
        english = corpus("en", 30)
        mandarin = corpus("zh", 20, seed=2)
        self.put("en", english)
        self.put("zh", mandarin, "bzip2")
        sources = ("a=en", "b=zh/*.tar.bz2")
        for options in ([], ["--seed", 5], ["--weight", "a=2.5", "--weight", "b=0.5", "--seed", 3], ["--limit", 9],
                        ["--min-duration", "0.2", "--max-duration", "0.4"], ["--key-rule", "webdataset"]):
            with self.subTest(options=options):
                self.shardmill("repack", *sources, "--out", "out", "--shards", 3, "--force", *options)
                self.assertEqual(self.notes("out", "--against", *sources), [])

    def test_duplicates(self):
        tars = corpus("utt", 12)
        others = corpus("utt", 9, seed=1)
        self.put("one", tars)
        self.put("two", others)
        self.put("three", tars)
        for policy in ("first", "rename"):
            with self.subTest(policy=policy):
                self.shardmill("repack", "one", "two", "three", "--out", "out", "--shards", 2, "--force",
                               "--on-duplicate", policy)
                self.assertEqual(self.notes("out", "--against", "one", "two", "three"), [])
                self.finds("out", "--against", "one", "two", file="", says="")

    def bad_sources(self):
        tars = corpus("utt", 12)
        odd = tar([("a.txt", b"no audio"), ("b.wav", b"no audio either"), ("c.wav", b""), ("README", b"x")])
        self.put("in", [*tars, odd, tars[1][:len(tars[1]) - 3000].replace(b"utt", b"cut")])
        self.shardmill("repack", "in", "--out", "out", "--shards", 2, "--on-error", "skip", "--max-rejects", "all")

    def test_rejects(self):
        self.bad_sources()
        self.assertEqual(self.notes("out", "--against", "in"), [])
        rejects = self.lines("rejects.jsonl")
        self.assertGreater(len(rejects), 4)
        for number, reject in enumerate(rejects):
            with self.subTest(reject=reject):
                self.write_lines("rejects.jsonl", rejects[:number] + rejects[number + 1:])
                self.seal()
                self.finds("out", "--against", "in", file="", says="not among the rejects")
        self.write_lines("rejects.jsonl", rejects + rejects[:1])
        self.seal()
        self.finds("out", "--against", "in", file="rejects.jsonl", says="")

    def test_lost_and_invented(self):
        self.dataset()
        more = corpus("more", 2, shards=1)
        self.put("more", more)
        found = self.finds("out", "--against", "x=in", "x=more", file="more/part_0.tar", member="more00001",
                           says="in none of the shards, and is not among the rejects")
        self.assertEqual(len(found), 2, found)
        (self.folder / "in/part_1.tar").unlink()
        found = self.findings("out", "--against", "in")
        self.assertTrue(all("no source has a sample" in entry["what"] for entry in found), found)

    def test_changed_source(self):
        self.dataset()
        path = self.folder / "in/part_0.tar"
        good = path.read_bytes()
        for old, new in ((b"text of", b"tex  of"), (good[good.index(b"RIFF") + 60:][:8], b"otherout")):
            path.write_bytes(good.replace(old, new, 1))
            found = self.findings("out", "--against", "in")
            self.assertEqual(len(found), 2, found)  # one is lost, and one is from nowhere

    def test_sample_twice(self):
        """The dataset holds a sample more often than the sources do."""
        self.dataset("--weight", "in=2")
        self.change_json("dataset.json", lambda record: record["datasets"][0].update({"weight": 1}))
        found = self.finds("out", "--against", "in", file="", says="more often than in the sources")
        self.assertEqual(len(found), 12, found)


class Foreign(Verifying):
    def test_sound_shards(self):
        for codec in harness.COMPRESSORS:
            self.put(codec, [harness.shard(0, 3), harness.shard(3, 2)], codec)
        result = self.verify(*harness.COMPRESSORS, "--decode")
        self.assertEqual((result["kind"], result["shards"], result["samples"], result["list"]), ("shards", 12, 30, []))

    def test_damage_does_not_hide_damage(self):
        whole = harness.shard(0, 3)
        header = whole.index(b"utt00001.txt")
        self.write("cut.tar", whole[:len(whole) // 2])
        self.write("end.tar", whole[:whole.rindex(b"ustar") // 512 * 512])
        self.write("header.tar", whole[:header] + b"U" + whole[header + 1:])
        self.write("text.tar", b"these are words, and words are no tar " * 40)
        self.write("bits.tar.bz2", compress("bzip2", whole)[:-200] + bytes(200))
        self.write("empty.tar", b"")
        self.write("good.tar", whole)
        found = self.findings(*sorted(path.name for path in self.folder.iterdir()))
        self.assertEqual({entry["file"] for entry in found},
                         {"cut.tar", "end.tar", "header.tar", "text.tar", "bits.tar.bz2", "empty.tar"})

    def test_bad_samples(self):
        self.write("a.tar", tar([("no_audio.txt", b"x"), ("bad.wav", b"RIFF"), ("good.txt", b"x"),
                                 ("good.wav", tone(800))]))
        self.finds("a.tar", file="a.tar", member="no_audio", says="no audio")
        self.finds("a.tar", file="a.tar", member="bad.wav", says="")
        self.assertEqual(len(self.findings("a.tar")), 2)

    def test_against_what_they_were_made_of(self):
        self.put("in", [harness.shard(0, 3), harness.shard(3, 2)])
        self.shardmill("convert", "in", "--out", "out", "--codec", "zstd")
        self.assertEqual(self.verify("out", "--against", "in")["source_samples"], 5)
        changed = harness.samples(range(2)) + [("utt00002.txt", b"other words"), ("utt00002.wav", harness.audio(2))]
        self.write("out/part_0.tar.zst", compress("zstd", tar(changed)))
        self.assertEqual(len(self.findings("out", "--against", "in")), 2)
        self.finds("out", "--against", "in", file="out/part_0.tar.zst", member="utt00002", says="no source has")
        self.finds("out", "--against", "in", file="in/part_0.tar", member="utt00002", says="is in none of the shards")
        self.write("out/part_0.tar.zst", compress("zstd", harness.shard(0, 5)))
        self.finds("out", "--against", "in", file="out/part_1.tar.zst", member="utt00004",
                   says="more often than in the sources")
        (self.folder / "out/part_1.tar.zst").unlink()
        self.verify("out", "--against", "in")

    def test_text_is_capped(self):
        self.write("a.tar", tar([(f"u{number}.txt", b"x") for number in range(150)]))
        text = self.shardmill("verify", "a.tar", code=1).out.decode()
        self.assertEqual(text.count("finding: "), 5)
        self.assertIn("and 145 more in a.tar (--all", text)
        text = self.shardmill("verify", "a.tar", "--all", code=1).out.decode()
        self.assertEqual(text.count("finding: "), 150)
        self.assertEqual(len(self.findings("a.tar")), 150)


class Causes(Verifying):
    def test_come_first(self):
        """What is damaged or missing leads, a line each; what follows is grouped by file and capped."""
        self.dataset(count=60, shards=6)
        shards = self.folder / "out/shards"
        (shards / "audio_000000002.tar").unlink()
        path = shards / "audio_000000004.tar"
        data = bytearray(path.read_bytes())
        for begin in range(600, len(data), 700):
            data[begin] ^= 1
        path.write_bytes(data)
        bad = ["out/shards/audio_000000002.tar", "out/shards/audio_000000004.tar"]
        result = self.shardmill("verify", "out", "--json", code=1)
        found = json.loads(result.out)
        self.assertEqual(found["bad_shards"], bad)
        self.assertEqual({entry["file"] for entry in found["list"] if entry.get("cause")}, set(bad))
        self.assertRegex(result.err,
                         r"^shardmill verify: out: checked 5 shards, .* in \S+ \S+: \d+ findings, \d+ notes\n$")
        lines = self.shardmill("verify", "out", code=1).out.decode().splitlines()
        self.assertEqual(lines[0], "damaged or missing: 2 files")
        for line, name, says in zip(lines[1:3], bad, ("is missing", "SHA-256")):
            self.assertTrue(line.startswith(f"finding: {name}: ") and says in line, line)
        self.assertIn("other findings", lines[3])
        self.assertLess(len(lines), 30)
        self.assertRegex(lines[-1], r"^out: checked 5 shards, .*: \d+ findings, \d+ notes$")
        whole = self.shardmill("verify", "out", "--all", code=1).out.decode()
        self.assertEqual(whole.count("finding: "), found["findings"])
        (shards / "audio_000000004.tar").unlink()

    def test_good(self):
        self.dataset()
        result = self.shardmill("verify", "out", "--json")
        self.assertRegex(result.err, r"^shardmill verify: out: checked 2 shards, .*: all good\n$")
        self.assertEqual(json.loads(result.out)["bad_shards"], [])
        self.assertEqual(self.shardmill("verify", "out", "--json", "-q").err, "")


if __name__ == "__main__":
    unittest.main()
