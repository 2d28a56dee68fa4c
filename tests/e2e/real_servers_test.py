"""Sources on servers that others wrote: nginx and a Ceph RADOS Gateway, filled by rclone and s3cmd."""
import contextlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import threading
import time
import unittest

import faulty_proxy
import harness
import real_servers
from real_servers import BUCKET, started
from remote_test import CODECS, is_built_in, large_shard

ODD_NAMES = ["a=b.tar", "a+b.tar", "a b.tar", "100%.tar", "%41.tar", "ünïcode 语音.tar", "~a.tar",
             "a&b.tar", "a'b(c)!*.tar",
             "a,b;c:d@e$.tar", "[1]^`|.tar", "#a.tar", "?a.tar"]
# More of them are a matter of minutes: SHARDMILL_NETWORK_FAULTS=1000.
RUNS = int(os.environ.get("SHARDMILL_NETWORK_FAULTS", len(faulty_proxy.KINDS)))
NOTES = os.environ.get("SHARDMILL_NETWORK_NOTES")  # a file for the messages of runs that failed
SEED = int(os.environ.get("SHARDMILL_NETWORK_SEED", 1))


class Servers(harness.Case):
    """Shards of all codecs and a large one in `in/`, for servers that a whole class of tests uses."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shards = {f"s_{number}.tar{harness.SUFFIX[codec]}":
                      harness.compress(codec, harness.shard(first=10 * number, count=10))
                      for number, codec in enumerate(CODECS)}
        cls.packed = [name for name in cls.shards if name != "s_0.tar"]
        cls.shards["large.tar"] = large_shard()

    def setUp(self):
        super().setUp()
        for name, content in self.shards.items():
            self.write(f"in/{name}", content)

    def shards_of(self, out):
        return [(path.name, path.read_bytes()) for path in sorted((self.folder / out).glob("shards/*"))]

    def repack(self, out, sources, **more):
        self.shardmill("repack", "--out", out, "--shards", 4, *[f"d={source}" for source in sources], **more)
        return self.shards_of(out)

    @contextlib.contextmanager
    def repacking(self, out, sources, **more):
        """Meanwhile, in a thread. Servers are started by the main thread: they end with the one that starts them."""
        failures = []

        def work():
            try:
                self.repack(out, sources, **more)
            except AssertionError as failure:
                failures.append(failure)
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        yield thread
        thread.join()
        self.assertEqual(failures, [])

    def addresses(self, base):
        return [f"{base}/{name}" for name in self.shards]

    def proxy(self, upstream):
        context = faulty_proxy.FaultyProxy(upstream).running()
        self.addCleanup(context.__exit__, None, None, None)
        return context.__enter__()


@unittest.skipUnless(is_built_in(), "built without libcurl")
@unittest.skipIf(real_servers.missing("nginx", "openssl"), f"not installed: {real_servers.missing('nginx', 'openssl')}")
class OfNginx(Servers):
    def setUp(self):
        super().setUp()
        self.nginx = started(self, real_servers.Nginx(self.folder / "in"))
        (self.folder / "in").chmod(0o755)
        self.folder.chmod(0o755)  # a worker of a root's nginx is another user

    def test_ways_to_serve_a_file(self):
        expected = self.repack("local", self.addresses("in"))
        for way in ("", "/whole", "/weak", "/slow", "/moved"):
            with self.subTest(way):
                self.assertEqual(self.repack(f"out{way[1:]}", self.addresses(self.nginx.address + way)), expected)

    def test_passwords(self):
        expected = self.repack("local", self.addresses("in"))
        asked = f"{self.nginx.address}/secret/large.tar"
        self.fails("inspect", asked, says=["401", "https://NAME:PASSWORD@HOST/PATH"])
        known = self.nginx.address.replace("//", f"//{self.nginx.user}@")
        self.assertEqual(self.repack("out", self.addresses(f"{known}/secret")), expected)
        self.fails("inspect", f"{known}/away/large.tar", says=["401"])  # not to another host
        log = (self.nginx.folder / "access.log").read_text().splitlines()
        self.assertIn('- me [', [line for line in log if "/away/" in line][-1])
        self.assertNotIn('- me [', log[-1])
        self.assertNotIn(b"hid", b"".join(path.read_bytes() for path in (self.folder / "out").rglob("*.json*")))

    def test_certificates(self):
        expected = self.repack("local", self.addresses("in"))
        trusted = {"AWS_CA_BUNDLE": str(self.nginx.folder / "authority.pem")}
        sources = self.addresses(self.nginx.tls_address)
        self.assertEqual(self.repack("out", sources, env=trusted), expected)
        none = {"AWS_CA_BUNDLE": "", "CURL_CA_BUNDLE": "", "SSL_CERT_FILE": ""}
        self.fails("inspect", sources[0], says="certificate", env=none)
        self.fails("inspect", f"{self.nginx.tls_address}/unsafe/large.tar", says="from https to http", env=trusted)

    def test_what_it_refuses(self):
        for path, words in [("/none.tar", ["404", "check the address"]), ("/", ["403"])]:
            self.fails("inspect", self.nginx.address + path, says=words)

    def test_a_crash_in_the_middle(self):
        expected = self.repack("local", self.addresses("in"))
        with self.repacking("out", self.addresses(self.nginx.address + "/slow")) as thread:
            time.sleep(0.5)
            for _ in range(3):
                self.nginx.restart()
                time.sleep(0.7)
            self.assertTrue(thread.is_alive())
        self.assertEqual(self.shards_of("out"), expected)

    def test_a_file_that_changes(self):
        proxy = self.proxy(f"127.0.0.1:{self.nginx.plain_port}")
        changed = large_shard()

        def change():
            self.write("in/large.tar", changed)
            later = time.time() + 10  # nginx tells versions of one size apart by whole seconds
            os.utime(self.folder / "in/large.tar", (later, later))

        proxy.before = {13: change}
        self.fails("repack", f"{proxy.address}/large.tar", "--out", "out", "--shards", 2,
                   says="changed while it was read")
        self.assertFalse(proxy.before)


@unittest.skipUnless(is_built_in(), "built without libcurl")
@unittest.skipIf(real_servers.missing(*real_servers.CEPH_PROGRAMS, "rclone", "s3cmd"),
                 f"not installed: {real_servers.missing(*real_servers.CEPH_PROGRAMS, 'rclone', 's3cmd')}")
class OfCeph(Servers):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ceph = started(cls, real_servers.Ceph())
        for name, content in cls.shards.items():
            cls.ceph.put(f"data/{name}", content)

    def setUp(self):
        super().setUp()
        self.variables = self.ceph.variables()

    def test_the_same_shards_as_from_files(self):
        expected = self.repack("local", self.addresses("in"))
        self.assertEqual(self.repack("s3", self.addresses("s3://store/data"), env=self.variables), expected)
        by_name = self.repack("named", ["in"])
        self.assertEqual(self.repack("prefix", ["s3://store/data/"], env=self.variables), by_name)
        self.shardmill("verify", "prefix", "--against", "d=s3://store/data/", env=self.variables)
        self.shardmill("inspect", "s3://store/data/", env=self.variables)

    def test_the_buckets_own_host(self):
        expected = self.repack("local", self.addresses("in"))
        self.write("config", b"[default]\ns3 =\n  addressing_style = virtual\n")
        proxy = self.proxy(f"127.0.0.1:{self.ceph.port}")
        env = {**self.ceph.variables(proxy.address.replace("127.0.0.1", "localhost")),
               "AWS_CONFIG_FILE": str(self.folder / "config")}
        self.assertEqual(self.repack("s3", self.addresses("s3://store/data"), env=env), expected)
        self.shardmill("inspect", "s3://store/data/", env=env)
        self.assertEqual({path.split("/")[1] for _, path in proxy.requests if "list-type" not in path}, {"data"})

    def test_odd_names(self):
        for number, name in enumerate(ODD_NAMES):
            path = self.write(f"odd/{name}", harness.shard(first=number, count=1))
            self.ceph.s3cmd("put", path, f"s3://{BUCKET}/odd/{name}")
        for name in ODD_NAMES:
            with self.subTest(name):
                found = self.shardmill("cat", f"s3://{BUCKET}/odd/{name}", env=self.variables).out
                self.assertEqual(found, (self.folder / "odd" / name).read_bytes())
        listed = self.repack("prefix", [f"s3://{BUCKET}/odd/"], env=self.variables)
        self.assertEqual(listed, self.repack("local", ["odd"]))

    def test_lists_of_more_than_a_page(self):
        """Whose names have odd characters, also where a page ends."""
        names = [f"{number:04} &+=%ü~'<.tar" for number in range(1205)]
        first = self.write(f"pages/{names[0]}", harness.shard(count=1))
        for name in names[1:]:
            os.link(first, self.folder / "pages" / name)
        self.ceph.rclone("copy", "--transfers", 8, self.folder / "pages", f"rgw:{BUCKET}/pages")
        out = self.shardmill("repack", f"s3://{BUCKET}/pages/", "--out", "out", "--dry-run", "--json",
                             "--on-duplicate", "first", env=self.variables).out
        self.assertEqual(json.loads(out)["input_bytes"], len(names) * first.stat().st_size)

    def test_numbers_in_addresses(self):
        for number in range(12):
            self.ceph.put(f"n/x_{number}.tar", harness.shard(first=3 * number, count=3))
        self.shardmill("repack", "d=s3://store/n/x_{0..11}.tar", "--out", "numbers", "--shards", 2, env=self.variables)
        self.assertEqual(json.loads((self.folder / "numbers/dataset.json").read_bytes())["samples"], 36)
        self.fails("repack", "d=s3://store/n/x_{0..12}.tar", "--out", "more", env=self.variables,
                   says=["x_12.tar", "404"])

    def test_what_it_refuses(self):
        address = "s3://store/data/large.tar"
        wrong = [({"AWS_SECRET_ACCESS_KEY": "wrong"}, ["403", "SignatureDoesNotMatch", "check the secret key"]),
                 ({"AWS_ACCESS_KEY_ID": "NOBODY"}, ["403", "InvalidAccessKeyId", "check the access key"]),
                 ({"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, ["403", "AccessDenied"]),
                 ({"AWS_ACCESS_KEY_ID": ""}, ["AWS_SECRET_ACCESS_KEY", "is set alone"])]
        for variables, words in wrong:
            self.fails("inspect", address, env={**self.variables, **variables}, says=words)
        self.fails("inspect", "s3://store/none.tar", env=self.variables, says=["404", "NoSuchKey"])
        self.fails("inspect", "s3://nobucket/none.tar", env=self.variables, says=["404", "NoSuchBucket"])
        self.fails("inspect", "s3://nobucket/", env=self.variables, says=["404", "NoSuchBucket"])
        self.fails("inspect", "s3://store/nothing/", env=self.variables, says="s3://store/nothing/")

    @unittest.skipIf(real_servers.missing("faketime"), "not installed: faketime")
    def test_clocks_that_differ(self):
        program = pathlib.Path(harness.PROGRAM)
        done = subprocess.run(["faketime", "-f", "+1h", program, "inspect", "s3://store/data/large.tar"],
                              env={**os.environ, **self.variables}, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("set the clock of this machine", done.stderr)

    def test_an_object_that_changes(self):
        proxy = self.proxy(f"127.0.0.1:{self.ceph.port}")
        self.ceph.put("changing/large.tar", self.shards["large.tar"])
        changed = large_shard()
        proxy.before = {13: lambda: self.ceph.put("changing/large.tar", changed)}
        self.fails("repack", "s3://store/changing/large.tar", "--out", "out", "--shards", 2,
                   env=self.ceph.variables(proxy.address), says="large.tar: changed ")  # when depends on the machine
        self.assertFalse(proxy.before)

    def test_the_gateway_is_restarted_in_the_middle(self):
        expected = self.repack("local", self.addresses("in"))
        proxy = self.proxy(f"127.0.0.1:{self.ceph.port}")
        proxy.always = "stalled"
        with self.repacking("out", self.addresses("s3://store/data"), env=self.ceph.variables(proxy.address)) as thread:
            while len(proxy.requests) < 8 and thread.is_alive():
                time.sleep(0.005)
            self.ceph.restart_gateway()
            self.assertTrue(thread.is_alive())
        self.assertEqual(self.shards_of("out"), expected)

    def test_faults_of_the_network(self):
        """Some at random places in each run: the same shards or one clear error, and the next run goes on."""
        draw = random.Random(SEED)
        expected = self.repack("local", [f"in/{name}" for name in self.packed])  # whose formats have checksums
        proxy = self.proxy(f"127.0.0.1:{self.ceph.port}")
        command = ["repack", "--out", "out", "--shards", 4, *[f"d=s3://store/data/{name}" for name in self.packed]]
        variables = self.ceph.variables(proxy.address)
        for number in range(RUNS):
            every = faulty_proxy.KINDS
            kinds = [every[number % len(every)], *draw.choices(every, k=number // len(every) % 3)]
            plan = {draw.randrange(20): kind for kind in kinds}
            with self.subTest(number=number, plan=plan):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                proxy.begin(plan)
                run = self.shardmill(*command, env=variables, code=None)
                kinds = {kind for kind, _, _ in proxy.done}
                if run.code:
                    self.assertEqual((run.code, len(run.err.splitlines())), (1, 1), run.err)
                    self.assertFalse(kinds <= set(faulty_proxy.PASSING), run.err)
                    if NOTES:
                        with open(NOTES, "a") as notes:
                            notes.write(f"{sorted(kinds)} {proxy.done}: {run.err}")
                    proxy.begin()
                    self.shardmill(*command, env=variables)
                self.assertEqual(self.shards_of("out"), expected)

    def test_damage_on_the_way_is_noticed(self):
        """In plain shards, which have no checksums: by the MD5 of the bucket. Nothing of such a run is used again."""
        expected = self.repack("local", ["in/large.tar"])
        proxy = self.proxy(f"127.0.0.1:{self.ceph.port}")
        variables = {**self.ceph.variables(proxy.address), "SHARDMILL_CHECKPOINT_BYTES": "1M"}
        command = ["repack", "d=s3://store/data/large.tar", "--out", "out", "--shards", 4]
        proxy.begin({number: "flipped bit" for number in range(12, 60)})
        self.fails(*command, env=variables, says="arrived damaged: its MD5 is")
        proxy.begin()
        self.shardmill(*command, env=variables)
        self.assertEqual(self.shards_of("out"), expected)

    def test_runs_in_parts_whose_sources_are_in_a_bucket(self):
        for out, sources in (("local", ["d=in"]), ("s3", ["d=s3://store/data/"])):
            self.shardmill("repack", *sources, "--out", out, "--shards", 4, "--parts", 2, env=self.variables)
            for _ in range(2):
                for part in range(2):
                    task = {**self.variables, "JOB_COMPLETION_INDEX": str(part)}
                    self.shardmill("repack", "--out", out, "--part", env=task)
                self.shardmill("repack", "--out", out, "--deal", env=self.variables)
            self.shardmill("repack", "--out", out, "--finish", env=self.variables)
        self.assertEqual(self.shards_of("s3"), self.shards_of("local"))


KILLS = int(os.environ.get("SHARDMILL_REAL_KILLS", 6))
PACKAGE = pathlib.Path(os.environ.get("SHARDMILL_BUILD", pathlib.Path(harness.PROGRAM).parent)) / "python"
# Tells of each batch when it is asked to go on.
IN_BATCHES = """
import hashlib, sys, shardmill
for batch in shardmill.open(sys.argv[1]).batches(4, seed=2):
    print(*(f"{sample.key} {sample.text} {hashlib.sha256(sample.audio).hexdigest()}" for sample in batch), flush=True)
    sys.stdin.readline()
"""


@unittest.skipUnless(is_built_in(), "built without libcurl")
@unittest.skipIf(real_servers.missing(*real_servers.CEPH_PROGRAMS, "rclone", "s3cmd"),
                 f"not installed: {real_servers.missing(*real_servers.CEPH_PROGRAMS, 'rclone', 's3cmd')}")
class WritingToCeph(Servers):
    """Datasets that are written into a real bucket, and read back by programs of others."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.ceph = started(cls, real_servers.Ceph(more="rgw multipart min part size = 1000"))

    def setUp(self):
        super().setUp()
        self.variables = {**self.ceph.variables(), "SHARDMILL_PART_BYTES": "200000"}
        self.place = f"sets/{self.id().rsplit('.')[-1]}"
        self.address = f"s3://{BUCKET}/{self.place}"

    def command(self, out, *more, shards=4):
        work = ["--work", "work"] if "://" in out else []
        return ["repack", "d=in", "--out", out, "--shards", shards, *work, *more]

    def files_of(self, folder):
        root = self.folder / folder
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*")
                if path.is_file() and path.name != "run.json"}

    def expected(self, *more, **other):
        self.shardmill(*self.command("local", *more, **other))
        return self.as_in_bucket(self.files_of("local"))

    def as_in_bucket(self, files):
        root = str(self.folder / "local").encode()
        return {name: content.replace(root, self.address.encode()) if name.endswith("data.list") else content
                for name, content in files.items()}

    def check(self, expected):
        """By rclone and s3cmd: the same files, nothing else, and no upload is left."""
        shutil.rmtree(self.folder / "read", ignore_errors=True)
        self.ceph.rclone("copy", f"rgw:{BUCKET}/{self.place}", self.folder / "read")
        found = self.files_of("read")
        self.assertEqual(sorted(found), sorted(expected))
        for name, content in expected.items():
            self.assertEqual(found[name], content, name)
        path = self.folder / "one"
        path.unlink(missing_ok=True)
        shard = next(name for name in expected if name.endswith("shards/audio_000000001.tar"))
        self.ceph.s3cmd("get", f"{self.address}/{shard}", path)
        self.assertEqual(path.read_bytes(), expected[shard])
        self.assertNotIn(self.place, self.ceph.s3cmd("multipart", f"s3://{BUCKET}"))
        self.assertEqual(self.names("work"), [])
        for dataset in [name.removesuffix("dataset.json") for name in expected if name.endswith("dataset.json")]:
            place = f"{self.address}/{dataset}".rstrip("/")
            verified = json.loads(self.shardmill("verify", place, "--json", env=self.variables).out)
            self.assertEqual((verified["findings"], verified["files_by"]["size"]), (0, 0), verified["list"])

    def remove(self):
        self.ceph.rclone("purge", f"rgw:{BUCKET}/{self.place}")
        shutil.rmtree(self.folder / "work", ignore_errors=True)  # of a run that has failed

    def test_the_same_dataset_as_on_a_disk(self):
        expected = self.expected("--parity", 1, "--index", "wids")
        self.shardmill(*self.command(self.address, "--parity", 1, "--index", "wids"), env=self.variables)
        self.check(expected)
        again = self.shardmill(*self.command(self.address, "--parity", 1, "--index", "wids"), env=self.variables)
        self.assertIn(b"already", again.out)
        self.shardmill(*self.command(self.address, "--seed", 5, "--force"), env=self.variables)
        shutil.rmtree(self.folder / "local")
        self.check(self.expected("--seed", 5))
        self.shardmill("verify", self.address, "--decode", "--against", "d=in", env=self.variables)
        self.shardmill("verify", "read", env=self.variables)

    def test_parts_of_the_usual_size(self):
        """With the gateway's own limits, and no settings of the tests."""
        expected = self.expected(shards=2)  # of 12 MB each
        self.shardmill(*self.command(self.address, shards=2), env=self.ceph.variables())
        self.check(expected)

    def test_killed_at_any_moment(self):
        """Most kills meet the sending, which takes most of the time."""
        draw = random.Random(SEED)
        expected = self.expected()
        for number in range(KILLS):
            turns = self.killed(self.command(self.address), draw, restarts=number % 2)
            with self.subTest(number=number, turns=turns):
                self.check(expected)
            self.remove()

    def test_killed_while_connections_are_cut(self):
        """Of four requests, about one ends in the middle, or its answer is lost."""
        draw = random.Random(SEED)
        expected = self.expected()
        proxy = self.proxy(f"127.0.0.1:{self.ceph.port}")
        variables = {**self.ceph.variables(proxy.address), "SHARDMILL_PART_BYTES": "200000"}
        for number in range(KILLS):
            proxy.begin({request: draw.choice(["reset", "lost", "cut head", "cut body"])
                         for request in range(2000) if draw.random() < 0.25})
            turns = self.killed(self.command(self.address), draw, restarts=False, variables=variables)
            with self.subTest(number=number, turns=turns):
                self.check(expected)
            self.remove()

    def killed(self, command, draw, restarts, most=20, variables=None):
        """Kills the command again and again until it ends by itself; returns how often it ran."""
        for turn in range(most):
            run = subprocess.Popen([harness.PROGRAM, *map(str, command)], cwd=self.folder,
                                   env={**os.environ, **(variables or self.variables)}, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
            with contextlib.suppress(subprocess.TimeoutExpired):
                _, messages = run.communicate(timeout=draw.uniform(0.05, 1.5))
                self.assertEqual(run.returncode, 0, messages)
                return turn + 1
            if turn % 3 == 2 and restarts:
                self.ceph.restart_gateway()
            run.kill()
            run.communicate()
        self.shardmill(*command, env=self.variables)
        return most + 1

    SPLIT = ("--split", "dev=20s,test=10s", "--split-by", "key")

    def test_the_datasets_of_a_split(self):
        draw = random.Random(SEED)
        expected = self.expected(*self.SPLIT)
        for number in range(max(1, KILLS // 3)):
            turns = self.killed(self.command(self.address, *self.SPLIT), draw, restarts=number % 2)
            with self.subTest(number=number, turns=turns):
                self.check(expected)
            self.remove()

    def test_runs_in_parts_that_share_only_the_bucket(self):
        draw = random.Random(SEED)
        recipe = ["d=s3://store/parts/in/", "--shards", 4, "--parts", 2]
        steps = [recipe, ["--part", 0], ["--part", 1], ["--deal"], ["--part", 0], ["--part", 1], ["--finish"]]
        for name, content in self.shards.items():
            self.ceph.put(f"parts/in/{name}", content)
        for step in steps:
            self.shardmill("repack", "--out", "local", *step, env=self.variables)
        expected = self.as_in_bucket(self.files_of("local"))
        for number in range(max(1, KILLS // 3)):
            for node, step in enumerate(steps):
                place = ["--out", self.address, "--work", f"node_{node}"]
                self.killed(["repack", *place, *step], draw, restarts=number % 2, most=4)
            with self.subTest(number=number):
                self.check(expected)
            self.remove()

    def test_faults_of_the_network(self):
        """Whatever they do, the same command ends with the same files in the bucket."""
        draw = random.Random(SEED)
        expected = self.expected()
        proxy = self.proxy(f"127.0.0.1:{self.ceph.port}")
        variables = {**self.ceph.variables(proxy.address), "SHARDMILL_PART_BYTES": "200000"}
        for number in range(RUNS):
            kind = faulty_proxy.KINDS[number % len(faulty_proxy.KINDS)]
            plan = {draw.randrange(60): kind for _ in range(3)}
            with self.subTest(number=number, plan=plan):
                proxy.begin(plan)
                run = self.shardmill(*self.command(self.address), env=variables, code=None)
                proxy.begin()
                if run.code:  # where the answer to the lock was changed, it warns of that as well
                    errors = [line for line in run.err.splitlines() if ": warning: " not in line]
                    self.assertEqual((run.code, len(errors)), (1, 1), run.err)
                    self.shardmill(*self.command(self.address), env=variables)
                self.check(expected)
            self.remove()

    def test_uploads_of_others_are_left_alone(self):
        proxy = self.proxy(f"127.0.0.1:{self.ceph.port}")
        self.write("other.bin", os.urandom(30 << 20))
        proxy.begin({number: "reset" for number in range(2, 200)})
        subprocess.run(["s3cmd", "-q", "-c", self.ceph.folder / "s3cfg", "--multipart-chunk-size-mb=5", "--no-progress",
                        f"--host={proxy.address.removeprefix('http://')}", "--max-retries=1", "put", "other.bin",
                        f"{self.address}/shards/audio_000000001.tar"], cwd=self.folder, timeout=120, check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before = self.ceph.s3cmd("multipart", f"s3://{BUCKET}")
        self.shardmill(*self.command(self.address), env=self.variables)
        self.assertEqual(self.ceph.s3cmd("multipart", f"s3://{BUCKET}"), before)

    def test_doctor(self):
        found = json.loads(self.shardmill("doctor", f"{self.address}/new", "--json", env=self.variables).out)
        self.assertEqual(found["problems"], [])
        self.assertTrue(all(found["bucket"][name] for name in ("lists", "reads", "writes", "writes_parts", "removes",
                                                               "ranges", "if_match")), found)
        self.assertEqual(self.ceph.rclone("lsf", "-R", f"rgw:{BUCKET}/{self.place}").strip(), "")
        self.assertNotIn("doctor", self.ceph.s3cmd("multipart", f"s3://{BUCKET}"))

    @unittest.skipUnless((PACKAGE / "shardmill/_native.abi3.so").exists(), "the Python package was not built")
    def test_python_reads_a_dataset_there(self):
        """Also while the gateway is restarted: all batches of a copy, in their order."""
        self.shardmill(*self.command(self.address, shards=6), env=self.variables)
        self.ceph.rclone("copy", f"rgw:{BUCKET}/{self.place}", self.folder / "copy")
        found = {}
        for place in ("copy", self.address):
            lines = found[place] = []
            with subprocess.Popen([sys.executable, "-c", IN_BATCHES, place], stdin=subprocess.PIPE, text=True,
                                  stdout=subprocess.PIPE, cwd=self.folder,
                                  env={**os.environ, **self.variables, "PYTHONPATH": str(PACKAGE)}) as reader:
                for line in reader.stdout:
                    lines.append(line)
                    if place == self.address and len(lines) in (3, 6):
                        self.ceph.restart_gateway()
                    reader.stdin.write("next\n")
                    reader.stdin.flush()
            self.assertEqual(reader.returncode, 0)
        self.assertGreater(len(found["copy"]), 8)
        self.assertEqual(found[self.address], found["copy"])

    def test_a_dataset_there_is_a_source(self):
        self.shardmill(*self.command(self.address), env=self.variables)
        self.ceph.rclone("copy", f"rgw:{BUCKET}/{self.place}", self.folder / "copy")
        here = self.repack("here", ["copy"])
        self.assertEqual(self.repack("there", [self.address], env=self.variables), here)
        self.shardmill("inspect", self.address, env=self.variables)
        self.shardmill("report", self.address, "--out", "page.html", env=self.variables)
        self.shardmill("ranks", self.address, "--world-size", 2, env=self.variables)


if __name__ == "__main__":
    unittest.main()
