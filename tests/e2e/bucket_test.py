"""Datasets that are written into a bucket: the same bytes as on a disk, whatever the network does, and no upload is
left."""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import unittest

import harness
import object_server
import remote_test

FAULTS = ["408", "429", "500", "503", "reset", "cut-in", "cut-out", "lost", "lost-500", "lost-503", "slow", "error-200",
          "page-in", "page-out"]
PART_BYTES = 20_000
TURNS = int(os.environ.get("SHARDMILL_BUCKET_TURNS", "1"))  # of runs that are killed; scripts/soak has more


class BucketCase(harness.Case):
    """A bucket, and an environment that leads to it."""

    def setUp(self):
        super().setUp()
        for number in range(3):
            self.write(f"in/s_{number}.tar.bz2", harness.compress("bzip2", harness.shard(first=10 * number, count=10)))
        self.server = self.start()

    def start(self, **more):
        server = object_server.ObjectServer({}, bucket="store", **more)
        context = server.running()
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        self.environment = {**server.environment, "SHARDMILL_PART_BYTES": str(PART_BYTES)}
        return server

    more = []  # options of every run

    def command(self, out, *more):
        work = ["--work", "work"] if out.startswith("s3:") and "--work" not in more else []
        return ["repack", "d=in", "--out", out, "--shards", 4, *work, *self.more, *more]

    def repack(self, out="s3://store/a/set", *more, **run):
        return self.shardmill(*self.command(out, *more), env=self.environment, **run)

    def objects(self, prefix="/store/a/set/"):
        """All but run.json, which differs from run to run."""
        return {path.removeprefix(prefix): content for path, content in dict(self.server.files).items()
                if path.startswith(prefix) and not path.endswith("/run.json")}

    def expected(self, *more, root="s3://store/a/set"):
        """Of the same command on a disk."""
        self.repack("expected", *more)
        return self.files_of("expected", root)

    def files_of(self, name, root="s3://store/a/set"):
        """Of a dataset on a disk, as they are in a bucket."""
        folder = self.folder / name
        files = {str(path.relative_to(folder)): path.read_bytes()
                 for path in folder.rglob("*") if path.is_file() and path.name != "run.json"}
        return {path: content.replace(str(folder).encode(), root.encode()) if path.endswith("data.list") else content
                for path, content in files.items()}

    def kill_until_done(self, seed, times, command=()):
        for _ in range(times):
            process = subprocess.Popen([harness.PROGRAM, *map(str, command or self.command("s3://store/a/set"))],
                                       cwd=self.folder, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       env={**os.environ, **self.environment})
            try:
                process.wait(timeout=seed.uniform(0.05, 1.5))
                return
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def check(self, expected):
        found = self.objects()
        self.assertEqual(sorted(found), sorted(expected))
        for name, content in expected.items():
            self.assertEqual(found[name], content, name)
        self.assertEqual(self.server.uploads, {})
        self.assertEqual(self.names("work"), [])


@unittest.skipUnless(remote_test.is_built_in(), "built without libcurl")
class BucketTest(BucketCase):
    def test_the_same_files_as_on_a_disk(self):
        expected = self.expected("--index", "wids", "--parity", 1)
        self.repack("s3://store/a/set", "--index", "wids", "--parity", 1)
        self.check(expected)
        run = json.loads(self.server.files["/store/a/set/run.json"])
        self.assertEqual(run["list_root"], "s3://store/a/set")

    def test_servers_differ(self):
        expected = self.expected()
        for options in ({"sums": "ignored"}, {"sums": "refused"}, {"conditions": False}, {"page": 2}):
            with self.subTest(options):
                self.server = self.start(**options)
                run = self.repack()
                self.check(expected)
                self.assertEqual("two runs from writing" in run.err, "conditions" in options, run.err)

    def test_every_part_has_a_checksum(self):
        self.repack()
        parts = [headers for method, path, headers in self.server.requests if "partNumber" in path]
        self.assertGreater(len(parts), 4)
        for headers in parts:
            self.assertIn("x-amz-checksum-crc64nvme", headers)

    def test_dataset_json_is_the_last(self):
        self.repack()
        written = [path for method, path, _ in self.server.requests
                   if method in ("PUT", "POST") and ".shardmill" not in path]
        self.assertEqual(written[-1], "/store/a/set/dataset.json")

    def test_a_finished_dataset_is_found(self):
        self.repack()
        count = len(self.server.requests)
        self.assertIn(b"already", self.repack().out)
        changes = [path for method, path, _ in self.server.requests[count:] if method not in ("GET", "HEAD")]
        self.assertEqual(changes, [])
        self.fails(*self.command("s3://store/a/set", "--seed", 5), env=self.environment,
                   says=["s3://store/a/set", "differs", "seed"])
        self.assertIn(b"already", self.repack("s3://store/a/set", "--dry-run").out)
        del self.server.files["/store/a/set/shards/audio_000000002.tar"]
        said = self.fails(*self.command("s3://store/a/set"), env=self.environment,
                          says=["s3://store/a/set", "audio_000000002.tar is missing", "--force makes all of it again"])
        self.assertNotIn("repair", said.err)

    def test_force_replaces_what_was_ours(self):
        self.repack("s3://store/a/set", "--codec", "zstd")
        self.server.files["/store/a/set/notes.txt"] = b"of somebody"
        expected = self.expected("--seed", 5)
        self.repack("s3://store/a/set", "--seed", 5, "--force")
        self.assertEqual(self.server.files.pop("/store/a/set/notes.txt"), b"of somebody")
        self.check(expected)

    def test_files_of_others_are_left_alone(self):
        self.server.files["/store/a/set/notes.txt"] = b"of somebody"
        for more in ([], ["--force"]):
            self.fails(*self.command("s3://store/a/set", *more), env=self.environment,
                       says=["s3://store/a/set", "is no dataset"])
        self.assertEqual(list(self.server.files), ["/store/a/set/notes.txt"])

    def test_a_list_that_is_cut_is_no_empty_folder(self):
        self.server.files["/store/a/set/shards/audio_000000000.tar"] = b"of somebody"
        self.server.cuts_lists = True
        self.fails(*self.command("s3://store/a/set", "--force"), env=self.environment,
                   says="not one that a bucket gives")
        self.assertEqual(self.server.files["/store/a/set/shards/audio_000000000.tar"], b"of somebody")

    def test_a_server_that_says_it_stored_a_file_and_did_not(self):
        expected = self.expected()
        for name in ("dataset.json", "SHA256SUMS", "shards.jsonl"):
            with self.subTest(name):
                self.server = self.start()
                self.server.lies_about = name
                self.fails(*self.command("s3://store/a/set"), env=self.environment, says=[name, "was sent"])
                self.server.lies_about = None
                self.repack("s3://store/a/set")
                self.check(expected)

    def test_lists_that_never_end(self):
        self.server.files["/store/in/a.tar"] = harness.shard()
        self.server.circling_lists = True
        self.fails("repack", "d=s3://store/in/", "--out", "no", env=self.environment, says="not a whole list")
        self.server.circling_lists, self.server.repeats_lists = False, True
        self.fails("repack", "d=s3://store/in/", "--out", "no", env=self.environment, says="not a whole list")

    def test_a_work_folder_of_others_is_left_alone(self):
        for name in ("dataset/keep.txt", "found/keep.txt", "sent"):
            with self.subTest(name):
                self.write(f"work/{name}", b"of somebody")
                for place in ("s3://store/a/set", "s3://store/a/set"):
                    self.fails(*self.command(place), env=self.environment, says=["work", "files"])
                self.assertEqual(self.names("work"), [name])
                (self.folder / "work" / name).unlink()
        self.repack("s3://store/a/set", "--work", "another")
        self.write("work/dataset/keep.txt", b"of somebody")
        self.fails(*self.command("s3://store/a/set"), env=self.environment, says=["work", "files"])
        self.assertEqual(self.names("work"), ["dataset/keep.txt"])

    def test_the_work_of_another_target_is_left_alone(self):
        self.repack("s3://store/a/set", "--seed", 5)
        self.server.takes_parts = False
        self.fails(*self.command("s3://store/a/set", "--force"), env=self.environment, says="403")
        self.server.takes_parts = True
        self.server.files["/store/b/set/dataset.json"] = b"of somebody"
        left = self.names("work")
        self.assertTrue(left)
        for more in ([], ["--force"]):
            self.fails(*self.command("s3://store/b/set", *more), env=self.environment,
                       says=["work", "s3://store/a/set"])
        self.assertEqual(self.objects("/store/b/set/"), {"dataset.json": b"of somebody"})
        self.assertEqual(self.names("work"), left)
        expected = self.expected()
        self.repack("s3://store/a/set", "--force")
        self.check(expected)

    def test_uploads_of_others_are_left_alone(self):
        name = "/store/a/set/shards/audio_000000001.tar"
        self.server.uploads["theirs"] = object_server.Upload(name, False)
        self.server.faults = {"lost": 0.2}
        self.repack()
        self.assertEqual(list(self.server.uploads), ["theirs"])

    def test_a_lock_of_a_gateway_that_ended_is_waited_for(self):
        expected = self.expected()
        self.server.locked = 10  # one more than a request is repeated
        self.repack()
        self.assertEqual(self.server.locked, 0)
        self.check(expected)

    def unfinished(self, denied="run.json"):
        """As it is when a run was killed that had sent all before this file."""
        self.server.denied = denied
        self.fails(*self.command("s3://store/a/set"), env=self.environment, says="403")
        self.server.denied = None

    def test_an_unfinished_dataset_is_no_source(self):
        self.unfinished()
        for path in list(self.server.files):
            if "/shards/" not in path and not path.endswith("/lock"):
                self.server.files.pop(path)
        self.assertGreater(len(self.server.files), 1)
        for source in ("s3://store/a/set", "s3://store/a/set/", "s3://store/a/"):
            self.fails("repack", source, "--out", "no", env=self.environment,
                       says=["s3://store/a/set", "holds a dataset that is not finished"])
            self.fails("inspect", source, env=self.environment, says="holds a dataset that is not finished")

    def test_force_gives_up_what_was_being_sent(self):
        for arrived in (False, True):  # a shard of which a killed run does not know that it is there
            self.server = self.start()
            self.write("in/s_1.tar.bz2", harness.compress("bzip2", harness.shard(first=10, count=10)))
            self.unfinished("shards/audio_000000002.tar")
            if arrived:
                self.server.files["/store/a/set/shards/audio_000000002.tar"] = b"some bytes"
            self.write("in/s_1.tar.bz2", harness.compress("bzip2", harness.shard(first=50, count=10)))
            self.fails(*self.command("s3://store/a/set"), env=self.environment,
                       says=["the source files are others", "start over with --force"])
            self.repack("s3://store/a/set", "--force")
            self.check(self.expected())
            shutil.rmtree(self.folder / "expected")

    def test_a_shard_that_was_sent_and_removed_is_made_again(self):
        """Its bytes are on this machine no more."""
        expected = self.expected()
        for found in (None, b"x"):
            self.server = self.start()
            self.unfinished()
            path = "/store/a/set/shards/audio_000000001.tar"
            content = self.server.files.pop(path)
            if found:
                self.server.files[path] = found * len(content)  # of the same size
                self.server.etags_of_parts.pop(path)
            if found:  # another program's
                before = dict(self.server.files)
                self.fails(*self.command("s3://store/a/set"), env=self.environment,
                           says=[path[1:], "is another file than the one that was sent", "start over with --force"])
                self.assertLessEqual(before.items(), self.server.files.items())
            said = self.repack("s3://store/a/set", *(["--force"] if found else [])).err
            self.assertRegex(said, "audio_000000001.tar: is .*sent: the dataset is made again")
            self.check(expected)

    def test_files_of_others_that_have_sums(self):
        self.server.files["/store/a/set/notes"] = b"x"
        self.server.files["/store/a/set/SHA256SUMS"] = f"{'0' * 64}  notes\n".encode()
        for more in ([], ["--force"]):
            self.fails(*self.command("s3://store/a/set", *more), env=self.environment, says="s3://store/a/set")
            self.assertIn("/store/a/set/notes", self.server.files)

    def test_parts_that_a_server_joins_wrong(self):
        for sums in ("taken", "ignored"):
            self.server = self.start(sums=sums)
            self.server.mixes_parts = True
            self.fails(*self.command("s3://store/a/set"), env=self.environment,
                       says=["/shards/", "is another file than the one that was sent"])
            self.server.mixes_parts = False
            self.repack()
            self.check(self.expected())
            shutil.rmtree(self.folder / "expected")

    def test_what_others_do_meanwhile(self):
        shard, lock = "/store/a/set/shards/audio_000000000.tar", "/store/a/set/.shardmill/lock"
        for harm, says in ((lambda: self.server.etags_of_parts.update({shard: '"another"'}),
                            "is another file than the one that was sent"),
                           (lambda: self.server.files.pop(lock), "was removed or taken by another run"),
                           (lambda: self.server.files.update({lock: b"other\nhost b\n"}),
                            "was removed or taken by another run")):
            self.server = self.start()
            self.server.on_write["/run.json"] = harm
            self.fails(*self.command("s3://store/a/set"), env=self.environment, says=says)
            self.assertNotIn("/store/a/set/dataset.json", self.server.files)
            shutil.rmtree(self.folder / "work")

    def test_what_others_put_between_the_shards(self):
        """It is not ours to remove, and no shard of this dataset."""
        self.server.on_write["/run.json"] = lambda: self.server.files.update({
            "/store/a/set/shards/b.tar": b"x", "/store/a/set/notes.txt": b"x"})
        run = self.repack()
        self.assertRegex(run.err, r"warning: s3://store/a/set/shards/b\.tar: is no shard of this dataset")
        self.assertNotIn("notes.txt", run.err)
        self.assertNotIn("so do", run.err)
        self.assertEqual(self.server.files["/store/a/set/shards/b.tar"], b"x")

    def test_many_files_of_others_are_one_warning(self):
        self.server.on_write["/run.json"] = lambda: self.server.files.update({
            f"/store/a/set/shards/{number:03}.bin": b"x" for number in range(300)})
        run = self.repack()
        self.assertEqual(run.err.count("warning: "), 1)
        self.assertRegex(run.err, r"shards/000\.bin: is no shard .*; so do 299 more files \(remove them\)")

    def test_uploads_that_may_not_be_listed(self):
        """Without that, those of others could not be told from ours: this is said before the work."""
        self.server.lists_uploads = False
        for more in ([], ["--dry-run"]):
            self.fails(*self.command("s3://store/a/set", *more), env=self.environment,
                       says="unfinished uploads cannot be listed")
            self.assertEqual(self.names("work"), [])

    def test_a_work_folder_is_on_this_machine(self):
        for place in ("s3://store/work", self.server.address.replace("//", "//me:secret@") + "/work"):
            said = self.fails(*self.command("s3://store/a/set", "--work", place), env=self.environment, code=2,
                              says="is an address, and the work folder is on this machine").err
            self.assertNotIn("secret", said)
        self.assertEqual(self.server.files, {})

    def test_a_dry_run_sees_files_of_others(self):
        self.server.files["/store/a/set/notes"] = b"x"
        for more in ([], ["--dry-run"]):
            self.fails(*self.command("s3://store/a/set", *more), env=self.environment, says="holds files")
        self.fails(*self.command("s3://store/a/set", "--dry-run", "--split", "dev=10s", "--split-by", "key"),
                   env=self.environment, says="notes: is not shardmill's")

    def test_a_finished_dataset_that_cannot_be_read(self):
        """This is no reason to make it again."""
        self.repack()
        self.server.hidden = "shards.jsonl"
        run = self.fails(*self.command("s3://store/a/set"), env=self.environment, says="403")
        self.assertNotIn("--force", run.err)

    def test_credentials_that_have_expired(self):
        self.server.on_write["/lock"] = lambda: setattr(self.server, "expired", True)
        self.fails(*self.command("s3://store/a/set"), env=self.environment,
                   says=["ExpiredToken", "get new credentials"])
        self.server.expired = False
        self.repack()

    def test_credentials_that_are_not_whole(self):
        for variable in ("AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ACCESS_KEY_ID"):
            environment = {"AWS_ENDPOINT_URL": self.server.address, variable: "x", "AWS_EC2_METADATA_DISABLED": "true",
                           "HOME": str(self.folder)}
            self.fails("cat", "s3://store/x.tar", env=environment, says=[variable, "AWS_SECRET_ACCESS_KEY"])

    def test_lists_for_a_disk(self):
        """Their loaders read shards where the bucket is mounted."""
        self.repack("s3://store/a/set", "--index", "kaldi", "--list-root", "/mnt/set")
        self.assertIn(b"'/mnt/set/shards/", self.objects()["kaldi/wav.scp"])

    def test_two_runs_are_kept_apart(self):
        self.server.files["/store/a/set/.shardmill/lock"] = b"somebody\nhost elsewhere, since yesterday\n"
        self.fails(*self.command("s3://store/a/set"), env=self.environment,
                   says=["another run writes there", "host elsewhere", "/.shardmill/lock"])
        self.assertEqual(list(self.server.files), ["/store/a/set/.shardmill/lock"])

    def test_faults_of_the_network_change_nothing(self):
        expected = self.expected()
        for kind in FAULTS:
            with self.subTest(kind):
                self.server = self.start()
                self.server.faults = {kind: 0.2}
                self.repack()
                self.check(expected)

    def test_uploads_that_all_begin_without_an_answer(self):
        """Then only the server's lists say that their parts need sums, or it refuses parts without."""
        expected = self.expected()
        for lists_sums in (True, False):
            self.server = self.start()
            self.server.lists_sums, self.server.lost_begins = lists_sums, 4
            self.repack()
            self.check(expected)

    def test_a_killed_run_goes_on(self):
        expected = self.expected()
        seed = random.Random(3)
        for turn in range(2 * TURNS):
            self.server = self.start()
            self.server.faults = {"slow": 0.3, "lost": 0.1}
            self.kill_until_done(seed, 8)
            self.server.faults = {}
            self.repack()
            self.check(expected)
            self.assertEqual([key for key, count in self.server.received.items() if count > 1 + 9 * 0.1 * 4], [])

    def test_what_was_sent_and_is_gone_is_sent_again(self):
        """As when a run was killed, and the prefix emptied before it goes on."""
        expected = self.expected()
        self.server.denied = "dataset.json"
        self.fails(*self.command("s3://store/a/set"), env=self.environment, says="403")
        self.server.denied = None
        self.assertIn("sent", self.names("work"))
        for name in ("SHA256SUMS", "samples.jsonl.zst", "manifests/000000002.jsonl"):
            self.server.files.pop(f"/store/a/set/{name}", None)
        self.repack()
        self.check(expected)

    def test_a_journal_that_was_left_does_no_harm(self):
        """As when a run was killed while it removed its own files, and the dataset then by the user."""
        expected = self.expected()
        head = "shardmill sends\ts3://store/a/set\nbegins\n"
        done = "".join(f"done\t{name}\t{len(content)}\t0\t0\n" for name, content in expected.items())
        self.write("work/target", b"shardmill makes s3://store/a/set\n")
        self.write("work/sent", (head + done).encode())
        self.repack()
        self.check(expected)

    def test_decoding_reads_compressed_shards_once(self):
        self.repack("s3://store/a/set", "--codec", "zstd")
        self.server.sent.clear()
        self.shardmill("verify", "s3://store/a/set", "--decode", env=self.environment)
        shards = [path for path in self.server.files if "/shards/" in path]
        self.assertEqual(len(shards), 4)
        for path in shards:
            self.assertLess(self.server.sent[path], 1.5 * len(self.server.files[path]))

    def test_nothing_secret_is_written(self):
        run = self.repack()
        for content in [*self.server.files.values(), run.out, run.err.encode()]:
            self.assertNotIn(object_server.SECRET_KEY.encode(), content)
            self.assertNotIn(object_server.ACCESS_KEY.encode(), content)

    def test_what_cannot_be_done_in_a_bucket_is_refused(self):
        self.fails(*self.command("s3://store/a/set", "--depfile", "d"), env=self.environment, code=2, says="make")
        self.fails("repack", "in", "--out", "https://127.0.0.1/a", code=2, says="only buckets")
        self.fails("repack", "in", "--out", "out", "--work", "w", code=2, says=["w", "work folder"])
        kaldi = ["--index", "kaldi", "--shards", 4, "--work", "w"]
        self.fails("repack", "in", "--out", "s3://store/a", *kaldi, env=self.environment, code=2,
                   says=["s3://store/a", "kaldi lists name shards on a disk", "--list-root"])
        self.assertEqual(self.server.requests, [])


@unittest.skipUnless(remote_test.is_built_in(), "built without libcurl")
class SplitTest(BucketCase):
    """Datasets of a split below one prefix."""

    more = ["--split", "dev=10s,test=5s", "--split-by", "key"]

    def names_written(self):
        return [path.removeprefix("/store/a/set/") for method, path, _ in self.server.requests
                if method in ("PUT", "POST") and ".shardmill" not in path]

    def test_the_same_files_as_on_a_disk(self):
        expected = self.expected("--index", "wids", "--parity", 1)
        self.assertLess({"split.json", "train/dataset.json", "dev/dataset.json", "test/dataset.json"}, set(expected))
        run = self.repack("s3://store/a/set", "--index", "wids", "--parity", 1)
        self.assertIn(b"s3://store/a/set/dev", run.out)
        self.check(expected)
        last = self.names_written()[-4:]
        self.assertEqual(last[-1], "split.json")
        self.assertEqual(sorted(last[:3]), ["dev/dataset.json", "test/dataset.json", "train/dataset.json"])

    def test_a_split_that_lost_a_record_is_made_again(self):
        expected = self.expected()
        self.repack()
        self.server.files.pop("/store/a/set/dev/dataset.json")
        self.fails(*self.command("s3://store/a/set"), env=self.environment, says="--force")
        self.repack("s3://store/a/set", "--force")
        self.check(expected)

    def test_a_dataset_of_another_split_is_in_the_way(self):
        """With --force, too, so that is not the advice."""
        self.repack()
        for more in ([], ["--force"]):
            self.fails("repack", "d=in", "--out", "s3://store/a/set", "--shards", 4, "--work", "work", "--split",
                       "dev=10s", "--split-by", "key", *more, env=self.environment,
                       says="s3://store/a/set/test: is a dataset that this command would not make")

    def test_each_dataset_can_be_used(self):
        self.repack()
        self.repack("expected")
        for split in ("train", "dev", "test"):
            place = f"s3://store/a/set/{split}"
            self.server.sent.clear()
            self.assertIn(b"good", self.shardmill("verify", place, env=self.environment).out)
            read = [path for path in self.server.sent if "/shards/" in path]
            self.assertEqual(read, [], "run.json has the sums of its own dataset")
            run = json.loads(self.server.files[f"/store/a/set/{split}/run.json"])
            self.assertEqual(run["list_root"], place)
        self.shardmill("verify", "s3://store/a/set/train", "--decode", env=self.environment)

    def test_a_finished_split_is_found(self):
        self.repack()
        count = len(self.server.requests)
        self.assertIn(b"already", self.repack().out)
        self.assertIn(b"already", self.repack("s3://store/a/set", "--dry-run").out)
        changes = [path for method, path, _ in self.server.requests[count:] if method not in ("GET", "HEAD")]
        self.assertEqual(changes, [])
        self.fails(*self.command("s3://store/a/set", "--seed", 5), env=self.environment,
                   says=["s3://store/a/set", "differs", "seed"])
        del self.server.files["/store/a/set/dev/shards/audio_000000000.tar"]
        self.fails(*self.command("s3://store/a/set"), env=self.environment,
                   says=["s3://store/a/set/dev", "audio_000000000.tar is missing"])

    def test_force_replaces_what_was_ours(self):
        self.repack("s3://store/a/set", "--codec", "zstd")
        self.server.files["/store/a/set/dev/notes.txt"] = b"of somebody"
        expected = self.expected("--seed", 5)
        self.repack("s3://store/a/set", "--seed", 5, "--force")
        self.assertEqual(self.server.files.pop("/store/a/set/dev/notes.txt"), b"of somebody")
        self.check(expected)

    def test_what_is_there_already_is_left_alone(self):
        for name in ("dev/notes.txt", "notes.txt", "other/a.tar", "dev/shards/audio_000000000.tar"):
            with self.subTest(name):
                self.server.files = {f"/store/a/set/{name}": b"of somebody"}
                for more in ([], ["--force"]):
                    self.fails(*self.command("s3://store/a/set", *more), env=self.environment, says="s3://store/a/set")
                self.assertEqual(list(self.server.files), [f"/store/a/set/{name}"])
        self.server.files = {}
        self.more = []
        self.repack()
        before = dict(self.server.files)
        self.more = SplitTest.more
        self.fails(*self.command("s3://store/a/set", "--force"), env=self.environment, says="holds a dataset")
        self.assertEqual(self.server.files, before)

    def test_a_run_into_one_of_its_datasets_is_kept_apart(self):
        self.server.files["/store/a/set/dev/.shardmill/lock"] = b"somebody\nhost elsewhere, since yesterday\n"
        self.fails(*self.command("s3://store/a/set"), env=self.environment,
                   says=["another run writes there", "host elsewhere", "/dev/.shardmill/lock"])
        self.assertEqual(list(self.server.files), ["/store/a/set/dev/.shardmill/lock"])

    def test_faults_of_the_network_change_nothing(self):
        expected = self.expected()
        for kind in FAULTS:
            with self.subTest(kind):
                self.server = self.start()
                self.server.faults = {kind: 0.1}
                self.repack()
                self.check(expected)

    def test_a_killed_run_goes_on(self):
        self.killed(turns=TURNS)

    def test_a_killed_run_with_force_goes_on(self):
        self.repack("s3://store/a/set", "--codec", "zstd")
        old = dict(self.server.files)
        self.more = [*self.more, "--force"]
        self.killed(turns=TURNS, there=old)

    def killed(self, turns, there=()):
        expected = self.expected()
        seed = random.Random(5)
        for turn in range(turns):
            self.server = self.start()
            self.server.files.update(there)
            self.server.faults = {"slow": 0.3, "lost": 0.1}
            self.kill_until_done(seed, 12)
            self.server.faults = {}
            self.repack()
            self.check(expected)


@unittest.skipUnless(remote_test.is_built_in(), "built without libcurl")
class PartsTest(BucketCase):
    """Runs in parts whose steps share nothing but the bucket: each has a work folder of its own."""

    PLACE = ["--out", "s3://store/a/set"]
    RECIPE = ["d=in", "--shards", 4, "--index", "wids", "--parity", 1]

    def steps(self, place, recipe=RECIPE):
        """The commands, each with the name of its own folder."""
        parts = [["repack", *place, "--part", part] for part in range(2)]
        commands = [["repack", *recipe, "--parts", 2, *place], *parts, ["repack", *place, "--deal"], *parts,
                    ["repack", *place, "--finish"]]
        if place != self.PLACE:
            return commands
        return [[*command, "--work", f"node_{number}"] for number, command in enumerate(commands)]

    def run_all(self, commands):
        for command in commands:
            out = self.shardmill(*command, env=self.environment).out
        return out

    def expected_of_parts(self, recipe=RECIPE):
        self.run_all(self.steps(["--out", "expected"], recipe))
        return self.files_of("expected")

    def check_all(self, expected):
        self.check(expected)
        left = {name: self.names(name) for name in os.listdir(self.folder) if name.startswith("node_")}
        self.assertLessEqual({file for files in left.values() for file in files}, {"target"}, left)

    def test_the_same_files_as_on_a_disk(self):
        expected = self.expected_of_parts()
        self.assertIn(b"s3://store/a/set", self.run_all(self.steps(self.PLACE)))
        self.check_all(expected)
        for step in self.steps(self.PLACE):
            self.assertIn(b"s3://store/a/set", self.shardmill(*step, env=self.environment).out)
        self.check_all(expected)
        self.server.sent.clear()
        self.shardmill("verify", "s3://store/a/set", env=self.environment)
        self.assertEqual([path for path in self.server.sent if "/shards/" in path], [])
        self.shardmill("verify", "s3://store/a/set", "--decode", "--against", "d=in", env=self.environment)

    def test_parts_that_begin_together_in_one_folder(self):
        for _ in range(5):
            self.server = self.start()
            shutil.rmtree(self.folder / "work", ignore_errors=True)
            self.run_all([["repack", *self.RECIPE, "--parts", 4, *self.PLACE, "--work", "work"]])
            shutil.rmtree(self.folder / "work", ignore_errors=True)
            commands = [[harness.PROGRAM, "repack", *self.PLACE, "--part", str(part), "--work", "work"]
                        for part in range(4)]
            parts = [subprocess.Popen(command, cwd=self.folder, env={**os.environ, **self.environment},
                                      stdout=subprocess.DEVNULL) for command in commands]
            self.assertEqual([part.wait() for part in parts], [0] * 4)

    def test_parts_that_are_unlike(self):
        """So that they must give samples back."""
        for number in range(4):
            shard = harness.shard(first=100 * number, count=40 if number < 2 else 3)
            self.write(f"unlike/s_{number}.tar.bz2", harness.compress("bzip2", shard))
        recipe = ["d=unlike", "--shards", 4]
        expected = self.expected_of_parts(recipe)
        self.run_all(self.steps(self.PLACE, recipe))
        self.check_all(expected)

    def test_finish_does_what_is_left(self):
        expected = self.expected_of_parts()
        plan, first, second, *_, finish = self.steps(self.PLACE)
        self.run_all([plan, second, first, finish])
        self.check_all(expected)

    def test_others_are_kept_out_from_plan_to_finish(self):
        expected = self.expected_of_parts()
        plan, *rest = self.steps(self.PLACE)
        self.assertIn(b"--out s3://store/a/set", self.shardmill(*plan, env=self.environment).out)
        self.assertIn(b"already planned", self.shardmill(*plan, env=self.environment).out)
        self.fails(*self.command("s3://store/a/set", "--work", "other"), env=self.environment,
                   says="another run writes there")
        self.fails(*plan, "--seed", 5, env=self.environment, says="another run writes there")
        self.fails("repack", *self.PLACE, "--deal", env=self.environment,
                   says=["2 of 2 parts are not done", "--out s3://store/a/set"])
        self.run_all(rest)
        self.check_all(expected)

    def test_no_dataset_is_replaced(self):
        self.repack()
        before = dict(self.server.files)
        plan = self.steps(self.PLACE)[0]
        self.fails(*plan, "--force", env=self.environment, says=["s3://store/a/set", "run in parts replaces none"])
        self.assertEqual(self.server.files, before)

    def test_sources_that_changed(self):
        """The advice is followed: the plan's lock, in the bucket, must go first."""
        plan, *rest = self.steps(self.PLACE)
        self.run_all([plan])
        self.write("in/s_1.tar.bz2", harness.compress("bzip2", harness.shard(first=50, count=10)))
        self.fails(*rest[0], env=self.environment,
                   says=["s3://store/a/set: the run was planned for other sources",
                         "(once no part is at work, remove s3://store/a/set/.shardmill/lock, then plan the run again "
                         "with --parts N --force)"])
        self.server.files.pop("/store/a/set/.shardmill/lock")
        self.run_all([[*plan, "--force"], *rest])
        self.check_all(self.expected_of_parts())

    def test_work_of_a_part_that_is_lost_or_damaged(self):
        for harm in (lambda path: self.server.files.pop(path),
                     lambda path: self.server.files.update({path: bytes(len(self.server.files[path]))})):
            self.server = self.start()
            plan, first, second, deal, *rest = self.steps(self.PLACE)
            self.run_all([plan, first, second, deal])
            path = "/store/a/set/.shardmill/part_00000/held"
            harm(path)
            self.fails(*first, env=self.environment,
                       says=[f"s3:/{path}", "is missing, damaged, or was changed",
                             "remove s3://store/a/set/.shardmill/lock, then plan the run again"])
            self.fails("repack", "s3://store/a/set", "--out", "no", env=self.environment, says="not finished")
            self.server.files.pop("/store/a/set/.shardmill/lock")
            self.run_all([[*plan, "--force"], first, second, deal, *rest])
            self.check_all(self.expected_of_parts())
            shutil.rmtree(self.folder / "expected")

    def test_a_run_that_was_given_up_is_planned_again(self):
        expected = self.expected_of_parts()
        plan, *rest = self.steps(self.PLACE, ["d=in", "--shards", 8])
        self.run_all([plan, *rest[:-1]])
        self.server.files.pop("/store/a/set/.shardmill/lock")
        plan, *rest = self.steps(self.PLACE)
        self.fails(*plan, env=self.environment, says="holds an unfinished run in 2 parts")
        self.run_all([[*plan, "--force"], *rest])
        self.check_all(expected)

    def test_killed_at_any_moment(self):
        expected = self.expected_of_parts()
        seed = random.Random(7)
        for turn in range(TURNS):
            self.server = self.start()
            for step in self.steps(self.PLACE):
                self.server.faults = {"slow": 0.3, "lost": 0.1}
                self.kill_until_done(seed, 4, step)
                self.server.faults = {}
                self.shardmill(*step, env=self.environment)
            self.check_all(expected)

    def test_what_a_killed_finish_left_is_removed(self):
        self.run_all(self.steps(self.PLACE))
        finish = self.steps(self.PLACE)[-1]
        self.write("node_6/target", b"shardmill makes s3://store/a/set\n")
        self.write("node_6/sent", b"shardmill sends\ts3://store/a/set\nbegins\n")
        self.write("node_6/gone/samples.jsonl", b"")
        self.assertIn(b"already", self.shardmill(*finish, env=self.environment).out)
        self.assertEqual(self.names("node_6"), [])

    def test_a_node_that_is_lost(self):
        """The next one does its step again, and what the lost one had begun to send is removed in the end.
        An upload that another program begins meanwhile is not."""
        expected = self.expected_of_parts()
        seed = random.Random(11)
        for number, step in enumerate(self.steps(self.PLACE)):
            if number == 1:  # begun while the run is at work, by another program
                self.server.uploads["theirs"] = object_server.Upload("/store/a/set/notes.bin", False)
            for lost in range(3):
                self.server.faults = {"slow": 0.5}
                self.kill_until_done(seed, 1, [*step[:-1], f"lost_{number}_{lost}"])
                self.server.faults = {}
            self.shardmill(*step, env=self.environment)
        self.assertEqual(list(self.server.uploads), ["theirs"])
        self.assertEqual(sorted(self.objects()), sorted(expected))
        for name, content in expected.items():
            self.assertEqual(self.objects()[name], content, name)


if __name__ == "__main__":
    unittest.main()
