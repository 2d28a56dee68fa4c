"""Datasets in buckets: they are verified by what the server keeps, and read as those on a disk are."""
import json
import unittest

import bucket_test
import harness
import remote_test

PLACE = "s3://store/a/set"
PREFIX = "/store/a/set/"


class DatasetCase(bucket_test.BucketCase):
    """A dataset in a bucket, and the same one on a disk."""

    def setUp(self):
        super().setUp()
        self.repack(PLACE)

    def local_copy(self, name="copy"):
        for path, content in self.server.files.items():
            if path.startswith(PREFIX):
                target = self.folder / name / path.removeprefix(PREFIX)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
        return name

    def run_here(self, *arguments, **run):
        return self.shardmill(*arguments, env=self.environment, **run)

    def verified(self, *more, place=PLACE, code=0):
        return json.loads(self.run_here("verify", place, "--json", *more, code=code).out)

    def sent(self, since=0):
        """Bytes of shards that were read."""
        return sum(count for path, count in self.server.sent.items() if "/shards/" in path) - since

    def findings(self, *more, code=1, **where):
        result = self.verified(*more, code=code, **where)
        return [each for each in result["list"] if each["severity"] == "finding"]

    def shard(self, number=1):
        return f"{PREFIX}shards/audio_{number:09}.tar"


@unittest.skipUnless(remote_test.is_built_in(), "built without libcurl")
class VerifyTest(DatasetCase):
    def test_checksums_prove_it_without_reading_shards(self):
        result = self.verified()
        here = json.loads(self.shardmill("verify", self.local_copy(), "--json").out)
        for name in ("good", "findings", "shards", "samples", "with_text", "audio_seconds", "bytes"):
            self.assertEqual(result[name], here[name], name)
        self.assertEqual(result["kind"], "dataset")
        self.assertEqual(self.sent(), 0)
        self.assertGreaterEqual(result["files_by"]["checksum"], 5)  # shards, and the file of all samples
        self.assertEqual(result["files_by"]["size"], 0)
        for place in (PLACE + "/", PLACE):
            self.assertIn(b"by checksums that the server keeps", self.run_here("verify", place).out)

    def test_by_decoding_all_is_read(self):
        result = self.verified("--decode")
        self.assertNotIn("files_by", result)
        sizes = sum(len(content) for path, content in self.server.files.items() if "/shards/" in path)
        self.assertGreaterEqual(self.sent(), sizes)
        self.assertEqual(self.verified("--against", "d=in")["source_samples"], 30)

    def test_what_is_missing_or_of_another_size(self):
        for name in ("shards/audio_000000001.tar", "manifests/manifest_000000002.json", "tarred_audio_manifest.json"):
            with self.subTest(name):
                kept = self.server.files.pop(PREFIX + name)
                found = self.findings()
                self.assertIn((f"{PLACE}/{name}", "is missing"), [(each["file"], each["what"]) for each in found])
                self.server.files[PREFIX + name] = kept[:-1]
                found = self.findings()
                self.assertIn(f"{PLACE}/{name}", [each["file"] for each in found])
                self.server.files[PREFIX + name] = kept
        self.assertEqual(self.findings(code=0), [])
        for name in ("dataset.json", "shards.jsonl", "SHA256SUMS", "run.json", "data.list"):
            with self.subTest(name):
                kept = self.server.files.pop(PREFIX + name)
                self.assertTrue(self.findings())
                self.server.files[PREFIX + name] = kept

    def overwrite(self, path, content):
        """As another program does."""
        self.server.files[path] = content
        self.server.etags_of_parts.pop(path, None)
        if path in self.server.crcs:
            self.server.crcs[path] = bucket_test.object_server.crc64(content)

    def flipped(self, path):
        content = bytearray(self.server.files[path])
        content[len(content) // 2] ^= 1
        return bytes(content)

    def test_changed_objects_are_found(self):
        for sums in ("taken", "ignored", "refused"):
            self.server = self.start(sums=sums)
            self.repack(PLACE)
            self.assertEqual(self.verified()["files_by"]["tag"] > 0, sums != "taken")
            for name in ("shards/audio_000000001.tar", "tarred_audio_manifest.json",
                         "manifests/manifest_000000001.json", "dataset.json", "shards.jsonl", "data.list", "run.json"):
                path = PREFIX + name
                with self.subTest(path, sums=sums):
                    kept = (self.server.files[path], self.server.etags_of_parts.get(path))
                    self.overwrite(path, self.flipped(path))
                    found = self.findings()
                    self.assertIn("s3:/" + path, [each["file"] for each in found])
                    self.overwrite(path, kept[0])
                    if kept[1]:
                        self.server.etags_of_parts[path] = kept[1]
            self.assertEqual(self.findings(code=0), [])

    def test_a_changed_line_of_the_checksums_is_found(self):
        path = PREFIX + "SHA256SUMS"
        for sums in ("taken", "ignored"):
            self.server = self.start(sums=sums)
            self.repack(PLACE, "--index", "wids")
            lines = self.server.files[path].splitlines(keepends=True)
            for number, line in enumerate(lines):
                with self.subTest(line, sums=sums):
                    changed = (b"1" if line[:1] == b"0" else b"0") + line[1:]
                    self.overwrite(path, b"".join(lines[:number] + [changed] + lines[number + 1:]))
                    self.assertTrue(self.findings())
            self.overwrite(path, b"".join(lines))
            self.assertEqual(self.findings(code=0), [])

    def test_a_copy_in_another_bucket_is_read_where_only_tags_are_known(self):
        self.server = self.start(sums="ignored")
        self.repack(PLACE)
        for path, content in list(self.server.files.items()):
            self.overwrite(path.replace("/a/set/", "/b/set/"), content)
        found = self.verified(place="s3://store/b/set")
        self.assertEqual((found["findings"], found["files_by"]["size"]), (0, 0))
        self.assertGreater(self.sent(), 0)
        self.overwrite("/store/b/set/shards/audio_000000001.tar", self.flipped(self.shard()))
        self.assertEqual([each["file"] for each in self.findings(place="s3://store/b/set")],
                         ["s3://store/b/set/shards/audio_000000001.tar"])

    def test_what_others_uploaded_is_compared_by_size_and_that_is_said(self):
        self.repack("plain")
        for path in (self.folder / "plain").rglob("*"):
            if path.is_file():
                self.server.files[f"/store/c/{path.relative_to(self.folder / 'plain')}"] = path.read_bytes()
        result = self.verified(place="s3://store/c")
        self.assertEqual((result["findings"], result["files_by"]["size"]), (0, 4))
        self.assertIn("only the sizes were compared", str(result["list"]))
        self.server.files["/store/c/shards/audio_000000000.tar"] += b"x"
        self.assertIn("and shards.jsonl says", self.findings(place="s3://store/c")[0]["what"])

    def test_strangers_and_unfinished_datasets(self):
        self.server.files[PREFIX + "shards/other.tar"] = b"x"
        self.server.files[PREFIX + "notes.txt"] = b"x"
        self.assertEqual([each["file"] for each in self.findings()], [f"{PLACE}/shards/other.tar"])
        del self.server.files[PREFIX + "dataset.json"]
        self.assertIn("not finished", self.findings()[0]["what"])
        self.server.files[PREFIX + ".shardmill/lock"] = b"name\nhost elsewhere, since yesterday\n"
        self.assertIn("a run is at work: host elsewhere, since yesterday", self.findings()[0]["what"])

    def test_files_in_ranks(self):
        self.local_copy()
        self.server.files[PREFIX + "ranks/a"] = b"x"
        self.verified(code=None)
        self.server.files.pop(PREFIX + "ranks/a")
        self.shardmill("index", "copy", "--list-root", PLACE, "--index", "none")
        self.shardmill("ranks", "copy", "--world-size", 2)
        for path in (self.folder / "copy").rglob("*"):
            if path.is_file():
                self.server.files[PREFIX + str(path.relative_to(self.folder / "copy"))] = path.read_bytes()
        self.server.files[PREFIX + "ranks/"] = b""
        result = self.verified(code=None)
        self.assertEqual(result["findings"], 0, result["list"])

    def test_a_copy_at_another_place(self):
        for path, content in dict(self.server.files).items():
            if path.startswith(PREFIX):
                self.server.files["/store/moved/" + path.removeprefix(PREFIX)] = content
        result = self.verified(place="s3://store/moved")
        self.assertEqual(result["findings"], 0, result["list"])
        self.assertIn("'shardmill index FOLDER --list-root s3://store/moved' in a copy on a disk", str(result["list"]))

    def test_texts_in_members_only(self):
        self.repack("s3://store/t", "--text", "members")
        result = self.verified(place="s3://store/t")
        self.assertEqual(result["findings"], 0, result["list"])

    def test_compressed_shards_parity_and_indexes(self):
        kaldi = ["--index", "wids,kaldi", "--list-root", "/mnt/set"]
        for place, more in (("s3://store/z", ["--codec", "zstd"]), ("s3://store/i", kaldi)):
            self.repack(place, "--parity", 1, *more)
            before = self.sent()
            result = self.verified(place=place)
            self.assertEqual((result["findings"], result["files_by"]["size"]), (0, 0), result["list"])
            self.assertEqual(self.sent(), before)
            self.assertEqual(self.verified("--decode", place=place)["findings"], 0)

    def test_lists_of_many_pages(self):
        self.server.page = 3
        self.assertEqual(self.findings(code=0), [])

    def test_a_killed_run_records_what_it_had_sent(self):
        """run.json of a run that went on knows the files of all."""
        record = json.loads(self.server.files[PREFIX + "run.json"])
        names = {path.removeprefix(PREFIX) for path in self.server.files if path.startswith(PREFIX)}
        self.assertEqual(set(record["sent_crc64nvme"]), names - {"run.json", "dataset.json"})
        for name, crc in record["sent_crc64nvme"].items():
            self.assertEqual(crc, bucket_test.object_server.crc64(self.server.files[PREFIX + name]), name)

    def test_single_shards(self):
        result = self.verified(place=f"{PLACE}/shards/audio_000000000.tar")
        self.assertEqual((result["kind"], result["findings"]), ("shards", 0))
        self.assertIn("there is none", self.run_here("verify", f"{PLACE}/shards/x.tar", code=1).err)

    def test_what_cannot_be_asked_is_an_error(self):
        self.environment["AWS_SECRET_ACCESS_KEY"] = "wrong"
        run = self.run_here("verify", PLACE, code=1)
        self.assertIn("SignatureDoesNotMatch", (run.out + run.err.encode()).decode())


@unittest.skipUnless(remote_test.is_built_in(), "built without libcurl")
class SourceTest(DatasetCase):
    def files_of(self, folder, *without):
        root = self.folder / folder
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*")
                if path.is_file() and path.name not in {"run.json", "data.list", *without}}

    def test_the_same_as_from_a_local_copy(self):
        self.local_copy()
        self.run_here("repack", "copy", "--out", "one", "--shards", 3)
        expected = self.files_of("one", "dataset.json", "SHA256SUMS")
        for number, source in enumerate((PLACE, PLACE + "/", f"dataset:{PLACE}", f"dataset:{PLACE}/")):
            with self.subTest(source):
                self.run_here("repack", source, "--out", f"r{number}", "--shards", 3)
                found = self.files_of(f"r{number}", "dataset.json", "SHA256SUMS")
                self.assertEqual(sorted(found), sorted(expected))
                for name, content in expected.items():
                    self.assertEqual(found[name].replace(PLACE.encode(), b"copy"),
                                     content.replace(str(self.folder / "copy").encode(), b"copy"), name)
                self.shardmill("verify", f"r{number}")
                self.run_here("verify", f"r{number}", "--against", source)

    def test_under_a_name(self):
        self.run_here("repack", f"n={PLACE}/", "--out", "r", "--shards", 2)
        self.assertEqual(json.loads((self.folder / "r/dataset.json").read_bytes())["datasets"][0]["dataset"], "n")

    def test_from_bucket_to_bucket(self):
        self.repack("s3://store/b", "--seed", 3)
        self.shardmill("repack", PLACE, "--out", "s3://store/c", "--work", "work", "--shards", 3, env=self.environment)
        self.assertEqual(self.verified(place="s3://store/c")["findings"], 0)
        self.fails("repack", PLACE, "--out", f"{PLACE}/inner", "--work", "work", env=self.environment, code=2,
                   says=["lies in a source that is read"])

    def test_a_prefix_of_shards_without_a_slash(self):
        self.run_here("repack", f"{PLACE}/shards", "--out", "r", "--shards", 2)
        self.assertEqual(json.loads((self.folder / "r/dataset.json").read_bytes())["samples"], 30)

    def test_what_is_missing_is_an_error(self):
        del self.server.files[self.shard()]
        self.fails("repack", PLACE, "--out", "r", env=self.environment, says=[f"{PLACE}/shards/audio_000000001.tar"])
        self.server.files[PREFIX + "shards.jsonl"] += b" "
        self.fails("repack", PLACE, "--out", "r", env=self.environment, says=["shards.jsonl", "was changed"])
        del self.server.files[PREFIX + "dataset.json"]
        self.fails("repack", PLACE, "--out", "r", env=self.environment, says=[PLACE, "not finished"])
        self.fails("repack", "dataset:s3://store/none", "--out", "r", env=self.environment,
                   says=["s3://store/none", "404"])

    def test_inspect(self):
        self.local_copy()
        here = json.loads(self.shardmill("inspect", "copy", "--json").out)
        there = json.loads(self.run_here("inspect", PLACE, "--json").out)
        self.assertEqual(there["datasets"][0]["samples"], here["datasets"][0]["samples"])

    def test_cat(self):
        shard = f"{PLACE}/shards/audio_000000002.tar"
        self.assertEqual(self.run_here("cat", shard).out, self.server.files[self.shard(2)])

    def test_report(self):
        self.local_copy()
        self.shardmill("report", "copy", "--out", "here.html", "--world-size", 2, "--batch", 4)
        self.run_here("report", PLACE + "/", "--out", "there.html", "--world-size", 2, "--batch", 4)
        here, there = ((self.folder / name).read_text() for name in ("here.html", "there.html"))
        self.assertEqual(here.count("<svg"), there.count("<svg"))
        self.assertEqual(self.sent(), 0)
        self.fails("report", PLACE, env=self.environment, code=2, says=["is on another machine", "--out FILE"])
        self.fails("report", "s3://store/none", "--out", "x.html", env=self.environment, says=["s3://store/none"])

    def test_ranks(self):
        self.local_copy()
        here = json.loads(self.shardmill("ranks", "copy", "--world-size", 2, "--batch", 4, "--dry-run", "--json").out)
        there = json.loads(self.run_here("ranks", PLACE, "--world-size", 2, "--batch", 4, "--json").out)
        self.assertEqual(there["world_sizes"], here["world_sizes"])
        self.run_here("ranks", PLACE, "--world-size", 2, "--out", "lists")
        lines = [line for path in (self.folder / "lists").rglob("*") if path.name.endswith(".list")
                 for line in path.read_text().splitlines()]
        self.assertTrue(lines and all(line.startswith(f"{PLACE}/shards/") for line in lines), lines)


@unittest.skipUnless(remote_test.is_built_in(), "built without libcurl")
class DoctorTest(bucket_test.BucketCase):
    def examine(self, address, code=0):
        return json.loads(self.shardmill("doctor", address, "--json", code=code, env=self.environment).out)

    def test_a_bucket(self):
        for options, crc, conditions in (({}, True, True), ({"sums": "ignored"}, False, True),
                                         ({"sums": "refused", "conditions": False}, False, False)):
            with self.subTest(options):
                self.server = self.start(**options)
                self.server.files["/store/a/notes.txt"] = b"of somebody"
                self.server.uploads["theirs"] = bucket_test.object_server.Upload("/store/a/x", False)
                found = self.examine("s3://store/a")
                bucket = found["bucket"]
                can = ["lists", "reads", "writes", "writes_parts", "removes", "ranges", "if_match"]
                self.assertEqual([name for name in can if not bucket[name]], [])
                self.assertEqual((bucket["crc64nvme"], bucket["if_none_match"]), (crc, conditions))
                self.assertGreater(bucket["write_bytes_per_second"], 0)
                self.assertGreater(bucket["read_bytes_per_second"], 0)
                self.assertEqual((found["problems"], len(found["notes"])), ([], (not crc) + (not conditions)))
                self.assertEqual(self.server.files, {"/store/a/notes.txt": b"of somebody"})
                self.assertEqual(list(self.server.uploads), ["theirs"])
                touched = {path.partition("?")[0] for method, path, _ in self.server.requests
                           if method not in ("GET", "HEAD")}
                self.assertTrue(touched and all(path.startswith("/store/a/.shardmill-doctor-") for path in touched))
        self.assertIn("no problems found", self.shardmill("doctor", "s3://store", env=self.environment).out.decode())

    def test_who_may_only_read(self):
        self.server.files["/store/a/x.tar"] = harness.shard()
        self.server.faults = {}
        refused = lambda handler: handler.refuse(403, "AccessDenied", "not you")
        self.addCleanup(setattr, bucket_test.object_server.Handler, "write", bucket_test.object_server.Handler.write)
        bucket_test.object_server.Handler.write = refused
        found = self.examine("s3://store/a/", code=1)
        self.assertEqual([found["bucket"][name] for name in ("reads", "writes", "removes")], [True, False, None])
        self.assertIn("AccessDenied", found["problems"][0])
        self.assertIn("only read", found["problems"][0])

    def test_who_may_not_remove(self):
        self.server.keeps = True
        said = str(self.examine("s3://store/a", code=1)["problems"])
        self.assertEqual(len(self.server.files), 2)
        for path in self.server.files:
            self.assertIn(f"s3:/{path} was left there", said)

    def test_who_may_not_list_uploads(self):
        self.server.lists_uploads = False
        self.assertIn("its unfinished uploads cannot be listed", str(self.examine("s3://store/a", code=1)["problems"]))
        self.assertEqual((self.server.files, self.server.uploads), ({}, {}))

    def test_what_cannot_be_asked(self):
        self.environment["AWS_SECRET_ACCESS_KEY"] = "wrong"
        found = self.examine("s3://store/a", code=1)
        self.assertEqual((found["bucket"]["lists"], found["bucket"]["reads"]), (False, None))
        self.assertIn("SignatureDoesNotMatch", str(found["problems"]))

    def test_web_servers(self):
        for options, ranges in (({}, True), ({"ranges": False}, False), ({"etags": False}, True)):
            with self.subTest(options):
                server = bucket_test.object_server.ObjectServer({"/x.tar": harness.shard()}, **options)
                with server.running():
                    found = self.examine(f"{server.address}/x.tar?X-Amz-Signature=secret")
                self.assertEqual(found["file"]["address"], f"{server.address}/x.tar")
                self.assertEqual((found["file"]["reads"], found["file"]["ranges"]), (True, ranges))
                self.assertEqual(found["file"]["bytes"], len(harness.shard()))
                self.assertEqual(found["problems"], [])
                self.assertNotIn("secret", json.dumps(found))
        server = bucket_test.object_server.ObjectServer({})
        with server.running():
            self.assertIn("404", self.examine(f"{server.address}/none", code=1)["problems"][0])


if __name__ == "__main__":
    unittest.main()
