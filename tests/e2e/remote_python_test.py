"""The Python package reads from servers and buckets what it reads from a copy on a disk."""
import itertools
import json
import os
import pathlib
import pickle
import random
import signal
import sys
import threading
import time
import unittest
import warnings

import harness
import object_server
import remote_test

PACKAGE = pathlib.Path(os.environ["SHARDMILL_BUILD"]) / "python"
if os.environ.get("SHARDMILL_SANITIZE"):
    raise unittest.SkipTest("Python itself would have to be built with the sanitizer")
if not (PACKAGE / "shardmill/_native.abi3.so").exists():
    raise unittest.SkipTest("the Python package was not built: python3-dev is missing")
if not remote_test.is_built_in():
    raise unittest.SkipTest("built without libcurl")
sys.path.insert(0, str(PACKAGE))
import shardmill  # noqa: E402

DATASETS = {"none": (), "zstd": ("--codec", "zstd"), "members": ("--text", "members"), "indexed": ("--index", "lhotse")}
SAMPLES = 90
WAYS = ({"size": 7}, {"frames": 40}, {"frames": 60, "buckets": [0.02, 0.04]}, {})
warnings.filterwarnings("ignore", message="This DataLoader will create")
warnings.filterwarnings("ignore", message="epoch .*are left out")


def facts(sample):
    return sample.key, sample.text, sample.audio, sample.fields


def in_batches(batches):
    return [[facts(sample) for sample in batch] for batch in batches]


class Places:
    """Datasets on a disk, and a server with a bucket. A process is led to one server for all its life."""


def setUpModule():
    case = harness.Case()
    case.setUp()
    unittest.addModuleCleanup(case.doCleanups)
    Places.root = case.folder
    case.write("in.tar", harness.shard(count=SAMPLES))
    for name, options in DATASETS.items():
        case.shardmill("repack", "d=in.tar", "--out", name, "--shards", 5, "-q", *options)
    Places.server = object_server.ObjectServer({}, bucket="store")
    context = Places.server.running()
    context.__enter__()
    unittest.addModuleCleanup(context.__exit__, None, None, None)
    os.environ.update(Places.server.environment)


class RemotePython(harness.Case):
    """What is on the disk is in the bucket, too."""

    root = property(lambda self: Places.root)
    server = property(lambda self: Places.server)

    def setUp(self):
        super().setUp()
        self.server.files.clear()
        for path in self.root.rglob("*"):
            if path.is_file():
                self.server.files[f"/store/{path.relative_to(self.root)}"] = path.read_bytes()

    def shard_paths(self, name):
        return [f"{name}/{json.loads(line)['path']}" for line in
                (self.root / name / "shards.jsonl").read_text().splitlines()]


class Reading(RemotePython):
    def test_datasets(self):
        for name in DATASETS:
            with self.subTest(name):
                local = shardmill.open(self.root / name)
                remote = shardmill.open(f"s3://store/{name}/")
                self.assertEqual(list(map(facts, remote)), list(map(facts, local)))
                self.assertEqual((len(remote), remote.seconds, remote.folder),
                                 (SAMPLES, local.seconds, f"s3://store/{name}"))
                key = list(local)[50].key
                self.assertEqual(remote[key].audio, local[key].audio)
                self.assertIn(key, remote)
                self.assertNotIn("none", remote)

    def test_shards(self):
        first, *others = self.shard_paths("zstd")
        expected = list(map(facts, shardmill.open([self.root / first])))
        read = list(map(facts, shardmill.open(f"s3://store/{first}")))
        self.assertEqual(read, expected)
        numbers = first.replace("000000000", "{000000000..000000004}")
        all_here = list(map(facts, shardmill.open([self.root / path for path in (first, *others)])))
        for source in (f"s3://store/{numbers}", "s3://store/zstd/shards", "s3://store/zstd/shards/",
                       [f"s3://store/{first}", *(self.root / path for path in others)]):
            self.assertEqual(list(map(facts, shardmill.open(source))), all_here, source)

    def test_web_servers(self):
        paths = self.shard_paths("none") + self.shard_paths("zstd")
        for ranges in (True, False):
            server = object_server.ObjectServer({f"/{path}": (self.root / path).read_bytes() for path in paths},
                                                ranges=ranges)
            with server.running():
                for path in paths:
                    shard = shardmill.open(f"{server.address}/{path}?signature=secret")
                    self.assertNotIn("secret", repr(shard) + shard.path)
                    self.assertEqual(list(map(facts, shard)), list(map(facts, shardmill.open(self.root / path))))
                    self.assertEqual(list(map(facts, pickle.loads(pickle.dumps(shard)))), list(map(facts, shard)))
                    self.assertTrue(all("?signature=secret" in asked for _, asked, _ in server.requests))

    def test_addresses_that_are_shown_alike(self):
        """Each shard is read from its own address, or it is an error."""
        paths = self.shard_paths("none")[:2]
        server = object_server.ObjectServer({"/get": (self.root / paths[0]).read_bytes()})
        with server.running():
            address = f"{server.address}/get"
            first = shardmill.open(address + "?id=0")
            for other in ("?id=1", ""):
                with self.assertRaisesRegex(shardmill.Error, f"^{address}: is open with .*other text behind its"):
                    shardmill.open(address + other)
            again = shardmill.open(address + "?id=0")
            del first
            self.assertEqual(len(list(again)), 18)
            del again
            self.assertEqual(len(list(shardmill.open(address))), 18)
            self.assertEqual({path for _, path, _ in server.requests[-3:]}, {"/get"})

    def test_secrets_are_not_shown(self):
        address = self.server.address.replace("//", "//me:word@") + "/set?key=hidden0815"
        for call in (shardmill.Dataset, shardmill.open):
            with self.assertRaises(shardmill.Error) as failure:
                call(address)
            self.assertNotRegex(f"{failure.exception} {failure.exception.path}", ":word|hidden0815")

    def test_folders_that_are_no_dataset(self):
        """As on a disk: only shards that lie in the folder itself."""
        whole = dict(self.server.files)
        for name, content in whole.items():
            if name.startswith("/store/none/"):
                self.server.files[name.replace("/none/", "/split/train/")] = content
        self.server.files["/store/split/split.json"] = b"{}"
        del self.server.files["/store/none/dataset.json"]
        for place in ("none", "split"):
            with self.assertRaisesRegex(shardmill.Error, f"s3://store/{place}: holds no shards"):
                shardmill.open(f"s3://store/{place}")
        with self.assertRaisesRegex(shardmill.Error, "give a text: pathlib"):
            shardmill.open(pathlib.Path("s3://store/zstd"))

    def test_a_record_that_may_not_be_seen(self):
        """It is not taken for one that is missing."""
        dataset = shardmill.open("s3://store/none")
        self.server.hidden = "/none/dataset.json"
        self.addCleanup(setattr, self.server, "hidden", None)
        for read in (lambda: list(dataset), lambda: shardmill.open("s3://store/none")):
            with self.assertRaisesRegex(shardmill.Error, "none/dataset.json.*403"):
                read()

    def test_only_what_is_wanted_is_read(self):
        remote = shardmill.open("s3://store/none")
        key = next(iter(shardmill.open(self.root / "none"))).key
        self.assertIn(key, remote)
        before = sum(count for path, count in self.server.sent.items() if path.endswith(".tar"))
        size = len(remote[key].audio)
        read = sum(count for path, count in self.server.sent.items() if path.endswith(".tar")) - before
        self.assertEqual(read, size + 512)

    def test_what_is_not_there(self):
        for address, says in (("s3://store/nothing", "404"), ("s3://other/none", "404"),
                              ("s3://store/none/manifests/", "holds no shards"),
                              (f"{self.server.address}/store/none", "403")):
            with self.assertRaisesRegex(shardmill.Error, f"{address.rstrip('/')}.*{says}"):
                shardmill.open(address)
        del self.server.files["/store/none/shards/audio_000000002.tar"]
        with self.assertRaisesRegex(shardmill.Error, "s3://store/none/shards/audio_000000002.tar.*is not there"):
            shardmill.open("s3://store/none")

    def test_a_dataset_that_changes(self):
        dataset = shardmill.open("s3://store/none")
        batches = dataset.batches(7)
        next(batches)
        path = "/store/none/shards/audio_000000003.tar"
        self.server.files[path] = self.server.files[path].replace(b"RIFF", b"RIFX")
        with self.assertRaisesRegex(shardmill.Error, "audio_000000003.tar.*changed"):
            list(dataset)
        self.server.files["/store/none/dataset.json"] += b" "
        with self.assertRaisesRegex(shardmill.Error, "dataset.json: the dataset was changed since it was opened"):
            list(dataset)
        with self.assertRaisesRegex(shardmill.Error, "changed"):
            list(batches)


class Batches(RemotePython):
    def test_those_of_a_copy(self):
        chance = random.Random(3)
        for name, way in itertools.product(DATASETS, WAYS):
            how = {**way, "seed": chance.randrange(9), "epoch": chance.randrange(3), "world_size": 2,
                   "rank": chance.randrange(2), "shuffle_buffer": chance.choice([1, 20, 1000])}
            with self.subTest(name, how=how):
                expected = in_batches(shardmill.open(self.root / name).batches(**how))
                self.assertEqual(in_batches(shardmill.open(f"s3://store/{name}").batches(**how)), expected)
                step = chance.randrange(len(expected))
                found = in_batches(shardmill.open(f"s3://store/{name}").batches(step=step, **how))
                self.assertEqual(found, expected[step:])

    def test_servers_in_trouble(self):
        expected = in_batches(shardmill.open(self.root / "none").batches(5))
        self.server.faults = {"503": 0.1, "cut": 0.1}
        self.addCleanup(setattr, self.server, "faults", {})
        self.assertEqual(in_batches(shardmill.open("s3://store/none").batches(5)), expected)

    def test_one_request_for_each_sample(self):
        dataset = shardmill.open("s3://store/none")
        self.server.requests.clear()
        self.assertEqual(sum(map(len, dataset.batches(9, shuffle_buffer=40))), SAMPLES)
        asked = [path for method, path, _ in self.server.requests if method == "GET" and path.endswith(".tar")]
        self.assertEqual(len(asked), SAMPLES)


    def test_an_iteration_that_is_forked(self):
        """Its threads stay behind: to go on is an error, and does not wait for them."""
        for name in ("none", "zstd"):
            batches = shardmill.open(f"s3://store/{name}").batches(4)
            for _ in range(6):
                next(batches)
            child = os.fork()
            if child == 0:
                try:
                    next(batches)
                except shardmill.Error as failure:
                    os._exit(3 if "forked" in str(failure) else 4)
                finally:
                    os._exit(5)
            for _ in range(600):
                done, status = os.waitpid(child, os.WNOHANG)
                if done:
                    break
                time.sleep(0.05)
            else:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            self.assertTrue(done, "it waits for ever")
            self.assertIn(os.waitstatus_to_exitcode(status), (3, 5) if name == "zstd" else (3,))
            self.assertGreater(len(list(batches)), 10)


class Training(RemotePython):
    """With the processes of a DataLoader."""

    @classmethod
    def setUpClass(cls):
        try:
            import torch  # noqa: F401
        except ImportError as missing:
            raise unittest.SkipTest(f"PyTorch is not installed, scripts/setup loaders does that ({missing})")
        super().setUpClass()

    def loader(self, place, workers, **how):
        from shardmill.torch import ShardDataset
        options = how.pop("options", {})
        return ShardDataset(place, rank=0, world_size=1, shuffle_buffer=30, **how).loader(num_workers=workers,
                                                                                          **options)

    def test_epochs_and_states_of_a_copy(self):
        for name, start in (("none", "fork"), ("zstd", "fork"), ("members", "spawn")):
            for how in ({"batch_size": 7}, {"batch_frames": 60, "buckets": [0.02, 0.04]}):
                with self.subTest(name, start=start, how=how):
                    options = {"multiprocessing_context": start}
                    expected = in_batches(self.loader(self.root / name, 2, **how))
                    for first, then in itertools.permutations((self.root / name, f"s3://store/{name}")):
                        loader = self.loader(first, 2, options=options, **how)
                        self.assertEqual(in_batches(itertools.islice(loader, 3)), expected[:3])
                        again = self.loader(then, 2, options=options, **how)
                        again.load_state_dict(loader.state_dict())
                        self.assertEqual(in_batches(again), expected[3:])

    def test_processes_that_are_forked_while_others_read(self):
        """Each makes connections of its own: they do not get each other's answers."""
        expected = in_batches(self.loader(self.root / "none", 0, batch_size=4))
        failures, ends = [], threading.Event()

        def read():
            while not ends.is_set():
                found = in_batches(self.loader("s3://store/none", 0, batch_size=4))
                if found != expected:
                    failures.append(found)

        threads = [threading.Thread(target=read) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(4):
                loader = self.loader("s3://store/none", 3, batch_size=4,
                                     options={"multiprocessing_context": "fork", "timeout": 60})
                self.assertEqual(in_batches(loader), expected)
        finally:
            ends.set()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])


if __name__ == "__main__":
    unittest.main()
