"""Sources on web servers and in buckets: the same bytes as from files of this machine, whatever the network does."""
import functools
import io
import json
import os
import pathlib
import re
import resource
import subprocess
import unittest
import wave

import harness
import object_server

CODECS = ["none", "bzip2", "zstd", "gzip", "xz"]


@functools.lru_cache
def is_built_in():
    """Whether this program was built with libcurl: only then it looks for the host, which is missing here."""
    tried = subprocess.run([harness.PROGRAM, "inspect", "http://:9/"], capture_output=True)
    return b"without libcurl" not in tried.stderr


def large_shard():
    """Of more bytes than one range has."""
    members = []
    for number in range(20):
        data = io.BytesIO()
        with wave.open(data, "wb") as audio:
            audio.setnchannels(1)
            audio.setsampwidth(2)
            audio.setframerate(16000)
            audio.writeframes(os.urandom(600_000))
        members += [(f"large{number}.txt", b"a text"), (f"large{number}.wav", data.getvalue())]
    return harness.tar(members)


@unittest.skipUnless(is_built_in(), "built without libcurl")
class RemoteTest(harness.Case):
    def setUp(self):
        super().setUp()
        self.shards = {f"s_{number}.tar{harness.SUFFIX[codec]}":
                       harness.compress(codec, harness.shard(first=10 * number, count=10))
                       for number, codec in enumerate(CODECS)}
        self.shards["large.tar"] = large_shard()
        for name, content in self.shards.items():
            self.write(f"in/data/{name}", content)

    def server(self, prefix="/data/", **more):
        server = object_server.ObjectServer({prefix + name: content for name, content in self.shards.items()}, **more)
        context = server.running()
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return server

    def bucket(self, **more):
        """A server with a bucket, and the environment that leads to it."""
        server = self.server("/store/data/", bucket="store", **more)
        return server, server.environment

    def results(self, folder):
        """Shards and manifests: all but what names the place of the sources."""
        files = sorted((self.folder / folder).glob("shards/*"))
        return [(path.name, path.read_bytes()) for path in files]

    def repack(self, out, sources, **more):
        self.shardmill("repack", "--out", out, "--shards", 4, *[f"d={source}" for source in sources], **more)
        return self.results(out)

    def addresses(self, base):
        return [f"{base}/{name}" for name in self.shards]

    def test_the_same_shards_as_from_files(self):
        expected = self.repack("local", self.addresses("in/data"))
        server = self.server()
        self.assertEqual(self.repack("http", self.addresses(server.address + "/data")), expected)
        _, environment = self.bucket()
        self.assertEqual(self.repack("s3", self.addresses("s3://store/data"), env=environment), expected)
        for folder in ("http", "s3"):
            self.shardmill("verify", folder)

    def test_each_byte_is_read_once_or_little_more(self):
        server = self.server()
        self.repack("out", self.addresses(server.address + "/data"))
        for name, content in self.shards.items():
            looks = min(5 * len(content), 13_000_000)  # what it is, what it has, and whether that is good
            self.assertLess(server.sent[f"/data/{name}"], 1.1 * len(content) + looks, name)

    def test_prefixes_of_buckets_and_numbers_in_addresses(self):
        expected = self.repack("local", ["in/data"])
        server, environment = self.bucket(page=2)
        self.assertEqual(self.repack("prefix", ["s3://store/data/"], env=environment), expected)
        server.files = {f"/store/n/x_{number}.tar": harness.shard(first=9 * number, count=9) for number in range(3)}
        self.shardmill("repack", "d=s3://store/n/x_{0..2}.tar", "--out", "numbers", "--shards", 2, env=environment)
        self.assertEqual(json.loads((self.folder / "numbers/dataset.json").read_bytes())["samples"], 27)

    def test_lists_name_addresses(self):
        server = self.server()
        expected = self.repack("local", self.addresses("in/data"))
        addresses = self.addresses(server.address + "/data")
        self.write("data.list", "".join(f"{address}\n" for address in addresses).encode())
        self.assertEqual(self.repack("out", ["data.list"]), expected)
        server.files["/data/data.list"] = "".join(f"{name}\n" for name in self.shards).encode()
        self.assertEqual(self.repack("beside", [server.address + "/data/data.list"]), expected)

    def test_faults_of_the_network_change_nothing(self):
        expected = self.repack("local", self.addresses("in/data"))
        server = self.server()
        for kind in ("500", "503", "429", "reset", "cut", "slow"):
            with self.subTest(kind):
                server.faults = {kind: 0.2}
                self.assertEqual(self.repack(kind, self.addresses(server.address + "/data")), expected)

    def test_servers_without_ranges_or_tags(self):
        expected = self.repack("local", self.addresses("in/data"))
        for number, options in enumerate([{"ranges": False}, {"etags": False}]):
            server = self.server(**options)
            self.assertEqual(self.repack(f"out{number}", self.addresses(server.address + "/data")), expected)

    def test_an_object_that_changes_is_never_mixed(self):
        server = self.server()
        large = "/data/large.tar"
        changed = large_shard()

        class Changing(dict):
            def get(self, path, default=None):
                content = super().get(path, default)
                ranges = [headers.get("range", headers.get("Range", "")) for _, _, headers in server.requests]
                begins = [int(match[1]) for asked in ranges if (match := re.match(r"bytes=(\d+)-", asked))]
                is_late = max(begins, default=0) >= 4 << 20
                return changed if path == large and is_late else content

        server.files = Changing(server.files)
        self.fails("repack", f"{server.address}{large}", "--out", "out", "--shards", 2,
                   says="changed while it was read")

    def test_a_killed_run_goes_on(self):
        expected = self.repack("local", self.addresses("in/data"))
        server = self.server()
        server.faults = {"slow": 1}
        command = [harness.PROGRAM, "repack", "--out", "out", "--shards", "4", "--memory", "64MiB",
                   *[f"d={address}" for address in self.addresses(server.address + "/data")]]
        for wait in (0.5, 1.5, 2.5, 4):
            process = subprocess.Popen(command, cwd=self.folder, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            try:
                process.wait(timeout=wait)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        server.faults = {}
        self.assertEqual(self.repack("out", self.addresses(server.address + "/data")), expected)

    def test_what_servers_refuse_is_said(self):
        server = self.server()
        self.fails("repack", f"{server.address}/data/none.tar", "--out", "out",
                   says=["/data/none.tar", "404"])
        _, environment = self.bucket()
        self.fails("repack", "s3://store/none.tar", "--out", "out", env=environment,
                   says=["s3://store/none.tar", "404"])
        self.fails("repack", "s3://store/data/large.tar", "--out", "out",
                   env={**environment, "AWS_SECRET_ACCESS_KEY": "wrong"}, says=["403", "SignatureDoesNotMatch"])

    def test_what_servers_refuse_in_the_middle_is_no_damage(self):
        """Else half of the samples would be left out, and the run would end well."""
        skip = ["--on-error", "skip", "--max-rejects", "all"]
        expected = self.repack("local", self.addresses("in/data"))
        for what, value, said in [("hidden", "large.tar", "403"), ("expired", True, "ExpiredToken")]:
            with self.subTest(what):
                server, environment = self.bucket()
                sources = [f"d={address}" for address in self.addresses("s3://store/data")]

                def refuse_rest():
                    if server.sent["/store/data/large.tar"] > 2 << 20:
                        setattr(server, what, value)
                server.on_read = refuse_rest
                run = self.fails("repack", "--out", what, "--shards", 4, *skip, *sources, env=environment, says=said)
                self.assertEqual(run.code, 1)
                server.on_read = None
                setattr(server, what, None)
                self.shardmill("repack", "--out", what, "--shards", 4, *skip, *sources, env=environment)
                self.assertEqual(self.results(what), expected)

    def test_an_object_without_bytes_is_left_out(self):
        server, environment = self.bucket()
        server.hidden_gets, server.code_of_hidden = "s_1.tar.bz2", "InvalidObjectState"
        sources = [f"d={address}" for address in self.addresses("s3://store/data")]
        self.fails("repack", "--out", "out", "--shards", 4, *sources, env=environment,
                   says=["InvalidObjectState", "have it restored", "--on-error skip"])
        self.shardmill("repack", "--out", "out", "--shards", 4, "--on-error", "skip", "--max-rejects", "all", *sources,
                       env=environment)
        rejects = [json.loads(line) for line in (self.folder / "out/rejects.jsonl").read_text().splitlines()]
        self.assertEqual([reject["source"] for reject in rejects], ["s3://store/data/s_1.tar.bz2"])

    def test_advice_about_credentials_and_places(self):
        _, environment = self.bucket()
        said = self.fails("repack", "s3://store/data/large.tar", "--out", "out",
                          env={**environment, "AWS_SECRET_ACCESS_KEY": "wrong"}, says="check the secret key").err
        self.assertNotIn("--on-error", said)
        for source, says in (("s3://store/data/s_[0-9].tar", "only numbers are expanded"),
                             ("s3://store/data/s_*.tar", "only numbers are expanded"),
                             ("librispeech:s3://store/data", "is on a server"),
                             ("s3://store/kaldi/wav.scp", "must be on this machine")):
            server, environment = self.bucket()
            server.files["/store/kaldi/wav.scp"] = b"a a.wav\n"
            self.fails("repack", source, "--out", "out", env=environment, says=says, code=None)

    def test_credentials_that_have_expired_are_no_damage(self):
        server, environment = self.bucket()
        server.expired = True
        self.fails("repack", "--out", "out", "--on-error", "skip", "--max-rejects", "all", "d=in/data/s_0.tar",
                   "d=s3://store/data/large.tar", env=environment, says="ExpiredToken")

    def test_redirections(self):
        server = self.server()
        for name in self.shards:
            server.moved[f"/old/{name}"] = f"/data/{name}"
        expected = self.repack("local", self.addresses("in/data"))
        self.assertEqual(self.repack("out", self.addresses(server.address + "/old")), expected)
        server.moved["/circle.tar"] = "/circle.tar"
        self.fails("inspect", f"{server.address}/circle.tar", says="circles")

    def test_roots_of_lists_hold_no_secrets(self):
        """Else what follows '?' would be missing there, without a word."""
        for root in ("https://me:hidden@host/x", "https://host/x?token=hidden", "gs://host/x?hidden",
                     "s3://store/x?X-Amz-Signature=hidden"):
            for option in (["--list-root", root], [f"--list-root={root}"]):
                run = self.fails("repack", "in/data/s_0.tar", "--out", "no", *option, code=2, says="a list cannot hold")
                self.assertNotIn("hidden", run.err)
        self.shardmill("repack", "d=in/data/s_0.tar", "--out", "out", "--list-root", "https://host/x", "--shards", 1)
        self.assertIn("https://host/x/shards/", (self.folder / "out/data.list").read_text())

    def test_a_long_wait_is_told(self):
        server = self.server()
        server.busy_seconds = [5, 1]
        run = self.shardmill("repack", f"d={server.address}/data/s_0.tar", "--out", "out", "--shards", 1)
        self.assertRegex(run.err, f"{server.address}: the server answers 503; the next attempt is in 5 s")
        self.assertEqual(run.err.count("the next attempt"), 1)
        server.busy_seconds = [5]
        run = self.shardmill("cat", f"{server.address}/data/s_0.tar", "-q")
        self.assertEqual(run.err, "")

    def test_a_page_in_place_of_a_file(self):
        server = self.server()
        page = b"<!DOCTYPE html><html><body>" + b"<p>Please log in.</p>" * 100 + b"</body></html>"
        for name in ("a.tar", "b.tar.bz2"):
            server.files[f"/data/{name}"] = page
            address = f"{server.address}/data/{name}"
            for command in (["repack", address], ["repack", address, f"{server.address}/data/s_0.tar"]):
                self.fails(*command, "--out", "no", says=[address, "is an HTML page"])
            self.fails("cat", address, says="is an HTML page")

    def test_a_server_that_does_not_say_how_long_a_file_is(self):
        expected = self.repack("local", self.addresses("in/data"))
        server = self.server()
        server.says_length = False
        self.assertEqual(self.repack("out", self.addresses(server.address + "/data")), expected)

    def test_servers_that_repeat_secrets(self):
        server = self.server()
        server.echoes = True
        base = server.address.replace("//", "//me:hid%20den@")
        for address in (f"{base}/data/s_0.tar", f"{server.address}/data/s_0.tar?X-Amz-Signature=0123hidden"):
            said = self.fails("inspect", address, says="403").err
            for secret in ("hidden", "hid den", "hid%20den", "bWU6aGlkIGRlbg", "0123"):
                self.assertNotIn(secret, said)
        server, environment = self.bucket()
        server.echoes = True
        said = self.fails("inspect", "s3://store/data/s_0.tar", env=environment, says="403").err
        self.assertNotRegex(said, "Signature=[0-9a-f]")
        self.assertNotRegex(said, "[0-9a-f]{60}")

    def test_an_address_in_place_of_a_command(self):
        said = self.fails("http://me:hidden@host/x.tar?X-Amz-Signature=0123", code=2, says="there is no command").err
        for secret in ("hidden", "0123"):
            self.assertNotIn(secret, said)

    def test_no_core_is_left(self):
        """It would hold keys and passwords."""
        server = self.server()
        most = resource.getrlimit(resource.RLIMIT_CORE)[1]
        limits = []
        server.on_read = lambda: limits.append(pathlib.Path(f"/proc/{run.pid}/limits").read_text())
        run = subprocess.Popen([harness.PROGRAM, "cat", f"{server.address}/data/large.tar"], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (most, most)))
        self.assertEqual(run.wait(), 0)
        self.assertRegex(limits[-1], r"Max core file size +0 ")

    def test_what_servers_say_of_ranges(self):
        server = self.server()
        address = f"{server.address}/data/large.tar"
        server.says_range = "bytes {first}-{last}/*"
        self.assertEqual(self.shardmill("cat", address).out, self.shards["large.tar"])
        for says in ("", "bytes 1-2/3/4", "bytes 5", "lines 1-2/3", "bytes 7-{last}/*"):
            server.says_range = says
            self.fails("cat", address, says=[address, "the server sent others"])
        server.says_range = "bytes {first}-{last}/7"
        self.fails("cat", address, says="changed while it was read")
        server.knows_no_range = True
        self.fails("cat", address, says="the server answers 416")

    def test_nothing_secret_is_written(self):
        server = self.server()
        secret = "X-Amz-Signature=0123secret4567"
        base = server.address.replace("//", "//me:hidden@") + "/data"
        sources = [f"d={address}?{secret}" for address in self.addresses(base)]
        run = self.shardmill("repack", *sources, "--out", "out", "--shards", 2)
        written = b"".join(path.read_bytes() for path in (self.folder / "out").rglob("*") if path.is_file())
        for text in (b"secret4567", b"hidden"):
            self.assertNotIn(text, written)
            self.assertNotIn(text, run.out + run.err.encode())
        self.assertTrue(all("secret4567" in path for _, path, _ in server.requests))

    def test_nothing_secret_is_written_of_tables(self):
        server = self.server()
        keys = [f"utt{n:05d}" for n in range(3)]
        server.files["/data/ages.jsonl"] = b'{"key": "utt00005", "age": 7}\n'
        server.files["/data/keys.txt"] = "".join(f"{key}\n" for key in keys).encode()
        base = server.address.replace("//", "//me:hidden@") + "/data"
        secret = "?X-Amz-Signature=0123secret4567"
        run = self.shardmill("repack", f"d={base}/s_0.tar", "--metadata", f"d={base}/ages.jsonl{secret}",
                             f"--exclude-keys={base}/keys.txt{secret}", "--out", "out", "--shards", 1)
        written = b"".join(path.read_bytes() for path in (self.folder / "out").rglob("*") if path.is_file())
        for text in (b"secret4567", b"hidden"):
            self.assertNotIn(text, written)
            self.assertNotIn(text, run.out + run.err.encode())
        for source in (f"d={base}/s_0.tar", f"{server.address}/data/s_0.tar{secret}"):
            self.fails("repack", source, "--out", "no", "--shards", 1, "--parts", 2, code=2,
                       says=["s_0.tar", "would be written into the plan"])
        for wrong in ("ftp://me:hidden@h/b", f"HTTP{base[4:]}/none?secret4567", "http://me:hid/den@h/b"):
            said = self.shardmill("cat", wrong, code=None).err
            self.assertFalse([text for text in ("hid", "secret4567", "den@") if text in said], said)

    def test_secrets_of_a_pattern_and_of_a_list(self):
        server = self.server()
        for number in range(2):
            server.files[f"/data/p_{number}.tar"] = harness.shard(first=10 * number, count=10)
        server.files["/data/x.list"] = b"p_0.tar\np_1.tar\n"
        base = server.address.replace("//", "//me:hidden@") + "/data"
        self.shardmill("repack", f"d={base}/p_{{0..1}}.tar?sig=secret", "--out", "a", "--shards", 1)
        asked = [(path, headers.get("Authorization", "")) for _, path, headers in server.requests if "p_" in path]
        self.assertTrue(asked and all(path.endswith("?sig=secret") and user.startswith("Basic ")
                                      for path, user in asked), asked)
        server.requests.clear()
        self.shardmill("repack", f"d={base}/x.list", "--out", "b", "--shards", 1)
        asked = [headers.get("Authorization", "") for _, path, headers in server.requests if "p_" in path]
        self.assertTrue(asked and all(user.startswith("Basic ") for user in asked), asked)

    def test_a_small_object_that_arrives_damaged(self):
        """Its tag is the MD5 of other bytes; it came whole with the first answer."""
        server, environment = self.bucket()
        names = [name for name in self.shards if name.startswith("s_1")]
        server.etags_of_parts = {f"/store/data/{name}": object_server.quoted_md5(b"others") for name in names}
        for sources in (["s3://store/data/s_0.tar", f"s3://store/data/{names[0]}"], [f"s3://store/data/{names[0]}"]):
            self.fails("repack", *sources, "--out", "no", "--shards", 1, env=environment, says="arrived damaged")

    def test_weak_tags_that_differ(self):
        server = self.server()
        server.weak_etags = True
        command = ["repack", f"d={server.address}/data/s_0.tar", "--out", "out", "--shards", 1]
        self.shardmill(*command)
        self.assertIn(b"already", self.shardmill(*command).out)
        server.files["/data/s_0.tar"] = harness.shard(first=50, count=10)
        self.assertNotIn(b"already", self.shardmill(*command, code=1).out)

    def test_a_server_without_versions_is_warned_of(self):
        server = self.server()
        server.versions = False
        said = self.shardmill("repack", f"d={server.address}/data/s_0.tar", "--out", "out", "--shards", 1).err
        self.assertIn("neither an ETag nor a time", said)

    def test_finished_means_the_same_version(self):
        server, environment = self.bucket()
        name = "/store/data/s_0.tar"
        command = ["repack", "d=s3://store/data/s_0.tar", "--out", "out", "--shards", 2]
        self.shardmill(*command, env=environment)
        self.assertIn(b"already", self.shardmill(*command, env=environment).out)
        server.files[name] = harness.shard(first=50, count=10)
        self.shardmill(*command, env=environment, code=1)

    def test_other_commands_read_addresses(self):
        server = self.server()
        address = f"{server.address}/data/s_1.tar.bz2"
        self.assertEqual(self.shardmill("cat", address).out, harness.shard(first=10, count=10))
        self.shardmill("inspect", address)
        self.shardmill("verify", address)
        self.repack("out", self.addresses(server.address + "/data"))
        sources = [f"d={each}" for each in self.addresses(server.address + "/data")]
        self.shardmill("verify", "out", "--against", *sources)


if __name__ == "__main__":
    unittest.main()
