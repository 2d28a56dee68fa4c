"""Datasets that are written into a bucket: the same bytes as on a disk, whatever the network does, and no upload is
left."""
import json
import os
import random
import re
import signal
import subprocess
import unittest

import harness
import object_server
import remote_test

FAULTS = ["408", "429", "500", "503", "reset", "cut-in", "cut-out", "lost", "lost-500", "lost-503", "slow", "error-200"]
PART_BYTES = 20_000


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

    def command(self, out, *more):
        work = ["--work", "work"] if out.startswith("s3:") and "--work" not in more else []
        return ["repack", "d=in", "--out", out, "--shards", 4, *work, *more]

    def repack(self, out="s3://store/a/set", *more, **run):
        return self.shardmill(*self.command(out, *more), env=self.environment, **run)

    def objects(self, prefix="/store/a/set/"):
        """All but run.json, which differs from run to run."""
        return {path.removeprefix(prefix): content for path, content in dict(self.server.files).items()
                if path.startswith(prefix) and not path.endswith("/run.json")}

    def expected(self, *more, root="s3://store/a/set"):
        """Of the same command on a disk."""
        folder = self.folder / "expected"
        self.repack("expected", *more)
        files = {str(path.relative_to(folder)): path.read_bytes()
                 for path in folder.rglob("*") if path.is_file() and path.name != "run.json"}
        files["data.list"] = files["data.list"].replace(str(folder).encode(), root.encode())
        return files

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
        self.fails(*self.command("s3://store/a/set"), env=self.environment,
                   says=["s3://store/a/set", "audio_000000002.tar is missing"])

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
        self.fails(*self.command("s3://store/a/set", "--force"), env=self.environment, says="not a whole list")
        self.assertEqual(self.server.files["/store/a/set/shards/audio_000000000.tar"], b"of somebody")

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

    def test_a_killed_run_goes_on(self):
        expected = self.expected()
        seed = random.Random(3)
        for turn in range(6):
            self.server = self.start()
            self.server.faults = {"slow": 0.3, "lost": 0.1}
            self.kill_until_done(seed, 8)
            self.server.faults = {}
            self.repack()
            self.check(expected)
            self.assertEqual([key for key, count in self.server.received.items() if count > 1 + 9 * 0.1 * 4], [])

    def kill_until_done(self, seed, times):
        for _ in range(times):
            process = subprocess.Popen([harness.PROGRAM, *map(str, self.command("s3://store/a/set"))], cwd=self.folder,
                                       stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       env={**os.environ, **self.environment})
            try:
                process.wait(timeout=seed.uniform(0.05, 1.5))
                return
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def test_nothing_secret_is_written(self):
        run = self.repack()
        for content in [*self.server.files.values(), run.out, run.err.encode()]:
            self.assertNotIn(object_server.SECRET_KEY.encode(), content)
            self.assertNotIn(object_server.ACCESS_KEY.encode(), content)

    def test_what_cannot_be_done_in_a_bucket_is_refused(self):
        for more in (["--split", "dev=10s"], ["--parts", "2"]):
            self.fails(*self.command("s3://store/a/set", *more), env=self.environment, code=2, says="into a bucket")
        self.fails(*self.command("s3://store/a/set", "--depfile", "d"), env=self.environment, code=2, says="make")
        self.fails("repack", "in", "--out", "https://127.0.0.1/a", code=2, says="only buckets")
        self.fails("repack", "in", "--out", "out", "--work", "w", code=2, says="--work")
        self.assertEqual(self.server.requests, [])


if __name__ == "__main__":
    unittest.main()
