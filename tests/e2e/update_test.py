"""`shardmill update`: datasets grow and shrink, and stay balanced, complete and whole, whatever ends a run."""
import collections
import hashlib
import io
import json
import os
import random
import shutil
import signal
import subprocess
import tarfile
import time
import unittest

import harness
from repack_test import Repacking, corpus, tone

KILLS = int(os.environ.get("SHARDMILL_KILLS", "12"))
STEPS = int(os.environ.get("SHARDMILL_UPDATES", "8"))


def members_of(data):
    with tarfile.open(fileobj=io.BytesIO(data)) as shard:
        return [(member.name, shard.extractfile(member).read()) for member in shard]


class Updating(Repacking):
    def setUp(self):
        super().setUp()
        self.sources = []
        self.contents = {}

    def source(self, name, count, seed=0):
        """A new source of the dataset `main`, in one plain tar."""
        tars, contents = corpus(name, count, seed=seed, shards=1)
        self.write(f"{name}.tar", tars[0])
        self.contents.update(contents)
        return f"main={name}.tar"

    def make(self, *options, sources=(300, 230), shards=8):
        self.sources = [self.source(f"s{number}", count, seed=number) for number, count in enumerate(sources)]
        self.repack(*self.sources, "--out", "out", "--shards", shards, "-q", "--list-root", "/r", *options)

    def update(self, *arguments, **more):
        return json.loads(self.shardmill("update", "out", "--json", *arguments, **more).out)

    def waiting(self, out="out"):
        path = self.folder / out / "pending/manifest.json"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def keys(self):
        return [record["key"] for record in self.records("out") + self.waiting()]

    def listed(self, names, path="keys"):
        (self.folder / path).write_text("".join(f"{name}\n" for name in names))
        return path

    def remove(self, keys, *arguments):
        return self.update("--remove-keys", self.listed(keys), *arguments)

    def snapshot(self, out="out"):
        """Hashes of all files but run.json, and of none that belongs to unfinished work."""
        return {name: hashlib.sha256((self.folder / out / name).read_bytes()).hexdigest() for name in self.names(out)
                if name != "run.json" and not name.startswith(".shardmill/")}

    def check(self, gone=()):
        """The promise of balance, every sample once, and all that verify knows."""
        shards = self.records("out", "shards.jsonl")
        seconds = [shard["seconds"] for shard in shards]
        self.assertLessEqual(max(seconds) - min(seconds), max(0.010, 1e-5 * sum(seconds) / len(seconds)))
        counts = [shard["samples"] for shard in shards]
        self.assertLessEqual(max(counts) - min(counts), 1)
        members = {}
        tars = list(self.plain_shards("out").values())
        if self.waiting():
            tars.append((self.folder / "out/pending/samples.tar").read_bytes())
        for data in tars:
            for name, content in members_of(data):
                self.assertNotIn(name, members)
                members[name] = content
        expected = {key: value for key, value in self.contents.items() if key not in gone}
        self.assertEqual({name for name in members if name.endswith(".wav")}, {f"{key}.wav" for key in expected})
        for key, (text, audio) in expected.items():
            self.assertEqual(members[f"{key}.wav"], audio)
            self.assertEqual(members.get(f"{key}.txt", text.encode()), text.encode())
        self.assertEqual(len(self.records("out")), sum(shard["samples"] for shard in shards))
        self.shardmill("verify", "out", "--against", *self.sources)
        listed = (self.folder / "out/data.list").read_text().splitlines()
        self.assertEqual(listed, ["/r/" + shard["path"] for shard in shards])
        subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=self.folder / "out", check=True)
        self.assertFalse((self.folder / "out/.shardmill").exists())


class Adding(Updating):
    def test_the_history_adds_up(self):
        """Even records that agree with each other tell that samples are missing."""
        self.make()
        self.sources.append(self.source("few", 20, seed=8))
        self.update("--add", self.sources[-1])
        self.remove(self.keys()[:5])
        path = self.folder / "out/dataset.json"
        record = json.loads(path.read_text())
        self.assertEqual([update["samples_before"] for update in record["updates"]], [530, 550])
        for number, says in ((0, "update 1 found 529 samples, added 20 and removed 0, and left 550"),
                             (1, "update 2 found 549 samples, added 0 and removed 5, and left 545")):
            wrong = json.loads(json.dumps(record))
            wrong["updates"][number]["samples_before"] -= 1
            path.write_text(json.dumps(wrong))
            self.assertIn(says, self.shardmill("verify", "out", code=1).out.decode())

    def test_what_would_cost_too_much_waits(self):
        self.make()
        before = self.snapshot()
        self.sources.append(self.source("few", 20, seed=8))
        result = self.shardmill("update", "out", "--add", self.sources[-1])
        first = result.out.decode().splitlines()[0]
        self.assertRegex(first,
                         r"^20 samples, .* are not in training: they wait in pending/; shardmill update out --remix "
                         r"deals")
        self.assertEqual(len(self.waiting()), 20)
        self.check()
        self.sources.append(self.source("many", 150, seed=9))
        summary = self.update("--add", self.sources[-1], "--rewrite-limit", "0")
        self.assertEqual((summary["added"], summary["new_shards"], summary["rewritten_shards"]), (150, 2, 0))
        self.assertLess(summary["pending"], 60)
        self.check()
        after = self.snapshot()
        for name in before:
            if name.startswith(("shards/", "manifests/")):
                self.assertEqual(before[name], after[name])
        record = json.loads((self.folder / "out/dataset.json").read_text())
        self.assertEqual([(update["added"], update["sources"]) for update in record["updates"]],
                         [(20, ["main=few.tar"]), (150, ["main=many.tar"])])
        self.assertEqual(record["pending"]["samples"], summary["pending"])
        self.assertIn(f"{summary['pending']} samples", self.shardmill("verify", "out").out.decode())
        self.shardmill(*first.split("; shardmill ")[1].split(" deals")[0].split())  # the advice brings them in
        self.assertEqual(self.waiting(), [])
        self.check()

    def test_what_is_added_is_trained_on(self):
        self.make()
        self.sources.append(self.source("more", 150, seed=9))
        summary = self.update("--add", self.sources[-1])
        self.assertEqual((summary["pending"], summary["samples"], summary["new_shards"]), (0, 680, 2))
        self.check()
        after = self.snapshot()
        shutil.rmtree(self.folder / "out")
        self.repack(*self.sources[:2], "--out", "out", "--shards", 8, "-q", "--list-root", "/r")
        self.update("--add", self.sources[-1], "-j1", "--memory", "64MiB")
        self.assertEqual(self.snapshot(), after)

    def test_fields_of_what_is_added(self):
        """They are recorded, so that repair reads the added samples by them."""
        self.make(sources=(60, 40), shards=4)
        for number in range(20):
            self.write(f"more/v{number}.wav", tone(8000 + 10 * number, seed=number))
        rows = [f"v{number},said {number},P{number % 3}\n" for number in range(20)]
        self.write("t.csv", "".join(["id,said,who\n", *rows]).encode())
        command = ["--add", "extra=more", "--metadata", "extra=t.csv"]
        for option, value in (("--text-field", "main=said"), ("--speaker-field", "other=who")):
            self.fails("update", "out", *command, option, value, code=2, says=[option, "called"])
        self.fails("update", "out", "--add", self.sources[0], "--text-field", "said", code=2,
                   says=["main", "were read without it", "NEW=SOURCE"])
        self.fails("update", "out", "--remove-datasets", "main", "--text-field", "said", code=2, says="needs --add")
        summary = self.update(*command, "--text-field", "said", "--speaker-field", "extra=who")
        self.assertEqual(summary["samples"] + summary["pending"], 120)
        added = {record["key"]: record for record in self.records("out") + self.waiting()
                 if record["dataset"] == "extra"}
        self.assertEqual({key: (record["text"], record["speaker"]) for key, record in added.items()},
                         {f"v{n}": (f"said {n}", f"P{n % 3}") for n in range(20)})
        before = self.snapshot()
        self.assertIn(b"already", self.shardmill("update", "out", *command, "--text-field", "said", "--speaker-field",
                                                 "extra=who").out)
        for shard in sorted((self.folder / "out/shards").iterdir()):
            shard.unlink()
            self.shardmill("repair", "out")
            self.assertEqual(self.snapshot(), before)

    def test_a_multiple_of_shards_is_kept(self):
        self.make("--multiple-of", 4)
        self.sources.append(self.source("more", 150, seed=9))
        summary = self.update("--add", self.sources[-1])
        self.assertEqual((summary["shards"], summary["pending"]), (12, 0))
        self.check()
        gone = self.keys()[:640]
        summary = self.remove(gone)
        self.assertEqual(summary["shards"], 4)
        self.fails("update", "out", "--remove-keys", self.listed(self.keys()[:38]),
                   says=["2 samples", "4 shards", "nothing was changed"])
        self.check(gone)

    def test_again_changes_nothing(self):
        self.make()
        self.sources.append(self.source("more", 100, seed=8))
        self.update("--add", self.sources[-1])
        before = self.snapshot()
        self.assertEqual(self.update("--add", self.sources[-1])["outcome"], "already_done")
        self.assertEqual(self.snapshot(), before)

    def test_another_dataset(self):
        self.make()
        tars, contents = corpus("other", 90, seed=4, shards=1)
        self.write("other.tar", tars[0])
        self.contents.update(contents)
        self.sources.append("other=other.tar")
        said = self.shardmill("update", "out", "--add", "other=other.tar", "--rewrite-limit", "0").out.decode()
        self.assertRegex(said, r"mix +main 0 to 67, other 0 to 6\d samples a shard; --keep-mix or --remix evens this")
        self.check()
        summary = self.update("--keep-mix")
        self.assertEqual((summary["pending"], summary["samples"]), (0, 620))
        self.check()
        for name in ("main", "other"):
            counts = [shard["datasets"][name]["samples"] for shard in self.records("out", "shards.jsonl")]
            self.assertLessEqual(max(counts) - min(counts), 1)
        self.assertFalse((self.folder / "out/pending").exists())

    def test_longer_samples_never_make_shards_uneven(self):
        self.make()
        contents = {f"long{number:03}": ("t", tone(12000 + 3 * number, seed=number)) for number in range(150)}
        members = [(f"{key}.{end}", data) for key, (text, audio) in contents.items()
                   for end, data in (("txt", text.encode()), ("wav", audio))]
        self.write("long.tar", harness.tar(members))
        self.contents.update(contents)
        self.sources.append("main=long.tar")
        self.update("--add", "main=long.tar", "--rewrite-limit", "0")
        self.assertNotEqual(self.waiting(), [])
        self.check()
        self.update("--rewrite-limit", "none")
        self.assertEqual(self.waiting(), [])
        self.check()

    def test_bad_samples_and_duplicates(self):
        self.make()
        tars, contents = corpus("s0", 10, seed=77, shards=1)  # the keys are there already
        self.write("again.tar", tars[0])
        before = self.snapshot()
        self.fails("update", "out", "--add", "main=again.tar", says=["s000000", "other audio", "--remove-keys"])
        self.assertEqual(self.snapshot(), before)
        shutil.copytree(self.folder / "out", self.folder / "kept")
        summary = json.loads(self.shardmill("update", "kept", "--add", "main=again.tar", "--on-duplicate", "first",
                                            "--json").out)
        self.assertEqual((summary["outcome"], summary["left_out"]), ("written", {"changed": 10}))
        summary = self.update("--add", "main=again.tar", "--on-duplicate", "rename")
        self.assertEqual(summary["added"], 10)
        self.shardmill("verify", "out", "--against", *self.sources, "main=again.tar")

    def test_an_update_answers_only_for_what_it_left_out(self):
        self.make()
        members = [(f"bad{number}.wav", b"no audio" if number == 3 else tone(900, seed=number)) for number in range(90)]
        members += [(f"bad{number}.txt", b"t") for number in range(90)]
        self.write("bad.tar", harness.tar(sorted(members)))
        command = ["update", "out", "--add", "main=bad.tar", "--on-error", "skip"]
        for _ in range(2):  # again: it is done already, and was not within the limit
            result = self.shardmill(*command, code=3)
            self.assertIn("more samples were left out for an error than --max-rejects 0 allows", result.err)
        self.assertIn("outcome\": \"already_done", self.shardmill(*command, "--max-rejects", 1, "--json").out.decode())
        summary = self.remove(self.keys()[:2], "--max-rejects", "0")
        self.assertEqual((summary["removed"], summary["too_many_rejects"]), (2, False))
        self.assertGreater((self.folder / "out/dataset.json").stat().st_mtime, 1e9)  # make sees that it is new
        updates = json.loads((self.folder / "out/dataset.json").read_text())["updates"]
        self.assertEqual([(update["lost_samples"], update["lost_files"]) for update in updates], [(1, 0), (0, 0)])
        self.shardmill("verify", "out", "--against", *self.sources, "main=bad.tar")

    def test_everything_beside_the_shards_is_kept_in_step(self):
        self.make("--index", "wids", "--parity", "1")
        self.shardmill("index", "out", "--index", "energon,speechbrain")
        self.shardmill("ranks", "out", "-w", 2, "--loader", "wenet", "--out", "out/ranks")
        self.shardmill("report", "out")
        self.sources.append(self.source("more", 100, seed=8))
        summary = self.update("--add", self.sources[-1], "--rewrite-limit", "0")
        self.assertIn("report.html", summary["dropped"])
        self.assertFalse((self.folder / "out/ranks").exists())
        self.check()
        self.assertEqual(len(json.loads((self.folder / "out/speechbrain.json").read_text())), summary["samples"])
        self.assertTrue((self.folder / "out/shards/audio_000000008.tar.idx").exists())
        (self.folder / "out/shards/audio_000000008.tar").unlink()
        self.shardmill("repair", "out")
        self.check()

    def test_a_dataset_with_waiting_samples_is_a_source_of_all(self):
        self.make()
        self.sources.append(self.source("few", 20, seed=8))
        self.update("--add", self.sources[-1])
        self.repack("out", "--out", "again", "--shards", 4, "-q")
        self.assertEqual(len(self.records("again")), 550)
        self.shardmill("verify", "again", "--against", "out")


class Planning(Updating):
    def everything(self):
        """All files, with what is hidden, their contents and their dates."""
        return {str(path): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
                for path in sorted((self.folder / "out").rglob("*"))}

    def both(self, *arguments):
        """What --dry-run says, which must touch nothing, and what is done then."""
        before = self.everything()
        planned = self.update(*arguments, "--dry-run")
        self.assertEqual(planned["outcome"], "planned")
        self.assertEqual(self.everything(), before)
        return planned, self.update(*arguments)

    def test_a_dry_run_tells_what_removing_does(self):
        self.make()
        (self.folder / "keys").write_text("".join(f"{key}\n" for key in self.records_keys()[:40]))
        for options in ([], ["--rewrite-limit", "none"]):
            planned, done = self.both("--remove-keys", "keys", *options)
            for name in ("shards", "samples", "removed", "new_shards", "rewritten_shards", "removed_shards", "pending"):
                self.assertEqual(planned[name], done[name], name)
            self.assertAlmostEqual(planned["written_bytes"], done["written_bytes"], delta=0.2 * done["written_bytes"])
            (self.folder / "keys").write_text("".join(f"{key}\n" for key in self.records_keys()[:9]))

    def records_keys(self):
        return [record["key"] for record in self.records("out")]

    def test_a_dry_run_estimates_what_adding_does(self):
        self.make()
        self.sources.append(self.source("more", 400, seed=9))
        planned, done = self.both("--add", self.sources[-1])
        self.assertAlmostEqual(planned["added"], 400, delta=60)
        self.assertAlmostEqual(planned["new_shards"], done["new_shards"], delta=1)
        again = self.shardmill("update", "out", "--add", self.sources[-1], "--dry-run").out
        self.assertIn(b"updated already", again)
        self.sources.append(self.source("few", 20, seed=10))
        planned, done = self.both("--add", self.sources[-1], "--rewrite-limit", "none")
        self.assertEqual((planned["rewritten_shards"], planned["pending"]), (done["rewritten_shards"], 0))
        self.fails("update", "out", "--dry-run", code=2, says="nothing to do")
        text = self.shardmill("update", "out", "--remix", "--dry-run").out.decode()
        self.assertIn("planned, nothing written to out", text)
        self.assertRegex(text, r"about \S+ \S+ would be written")


class Remembering(Updating):
    def test_when_each_update_was_made(self):
        self.make()
        made = json.loads((self.folder / "out/run.json").read_text())
        self.assertNotIn("history", made)
        self.sources.append(self.source("more", 20, seed=8))
        self.update("--add", self.sources[-1])
        self.update("--rewrite-limit", "none")
        run = json.loads((self.folder / "out/run.json").read_text())
        updates = json.loads((self.folder / "out/dataset.json").read_text())["updates"]
        self.assertEqual([event.get("update") for event in run["history"]],
                         [None] + [update["id"] for update in updates])
        self.assertEqual((run["history"][0]["command"], run["history"][0]["started"]),
                         (made["command"], made["started"]))
        self.assertIn("--rewrite-limit none", run["history"][2]["command"])
        self.assertEqual(run["history"][2]["started"], run["started"])
        self.shardmill("report", "out")
        page = (self.folder / "out/report.html").read_text()
        for event in run["history"][1:]:
            self.assertIn(event["started"], page)
        self.assertIn(made["command"], page, "the command that made the dataset")
        self.assertRegex(page, "Made in .*, and updated 2 times since; the last update took ")
        self.check()


class PendingParity(Updating):
    def test_parity_is_never_made_of_a_damaged_shard(self):
        self.make("--parity", "2")
        good = self.snapshot()
        shard = self.folder / "out/shards/audio_000000001.tar"
        data = bytearray(shard.read_bytes())
        data[3000] ^= 1
        shard.write_bytes(data)
        self.sources.append(self.source("few", 20, seed=8))
        for change in (["--add", self.sources[-1]], ["--rewrite-limit", "none"], ["--remix"]):
            self.fails("update", "out", *change, says="audio_000000001.tar: is damaged")
        self.shardmill("repair", "out")
        self.assertEqual(self.snapshot(), good)
        self.update("--add", self.sources[-1])
        self.check()

    def test_a_damaged_manifest_is_not_passed_on(self):
        """With new checksums, nobody would find it again."""
        self.make("--parity", 1)
        path = self.folder / "out/manifests/manifest_000000002.json"
        whole = path.read_bytes()
        path.write_bytes(whole.replace(b'"dataset":"main"', b'"dataset":"mein"', 1))
        self.assertNotEqual(path.read_bytes(), whole)
        keys = self.listed([self.keys()[5]])
        before = self.snapshot()
        for arguments in (["--remove-keys", keys], ["--add", self.source("more", 40, seed=9)], ["--remix"]):
            self.fails("update", "out", *arguments,
                       says=["manifest_000000002.json", "is damaged", "shardmill repair out"])
            self.assertEqual(self.snapshot(), before)
        self.shardmill("repair", "out", "-q")
        self.assertEqual(path.read_bytes(), whole)
        self.update("--remove-keys", keys)

    def test_what_waits_is_protected(self):
        self.make("--parity", "2")
        self.sources.append(self.source("few", 20, seed=8))
        self.update("--add", self.sources[-1])
        good = self.snapshot()
        names = ["pending/samples.tar", "pending/manifest.json", "parity/pending.p00", "parity/pending.p01"]
        self.assertLessEqual(set(names), set(good))
        shutil.rmtree(self.folder / "s0.tar", ignore_errors=True)
        for first in range(4):
            for second in range(first, 4):
                with self.subTest(lost=(names[first], names[second])):
                    (self.folder / "out" / names[first]).unlink()
                    (self.folder / "out" / names[second]).write_bytes(b"damaged")
                    self.shardmill("verify", "out", code=1)
                    self.shardmill("repair", "out")
                    self.assertEqual(self.snapshot(), good)
        self.check()
        # When nothing waits any more, no parity is left of it.
        self.update("--rewrite-limit", "none")
        self.assertFalse((self.folder / "out/parity/pending.p00").exists())
        self.check()


class Removing(Updating):
    def test_what_waits_fills_the_gaps(self):
        self.make()
        self.sources.append(self.source("few", 40, seed=8))
        self.update("--add", self.sources[-1], "--rewrite-limit", "0")
        by_shard = collections.defaultdict(list)
        for record in self.records("out"):
            by_shard[record["shard_id"]].append(record["key"])
        gone = by_shard[2][:3] + by_shard[5][10:12] + [self.waiting()[0]["key"]]
        before = self.snapshot()
        summary = self.remove(gone, "--rewrite-limit", "0.5x")
        self.assertEqual((summary["removed"], summary["rewritten_shards"]), (6, 2))
        self.check(gone)
        after = self.snapshot()
        changed = [name for name in before if name.startswith("shards/") and before[name] != after.get(name)]
        self.assertEqual(changed, ["shards/audio_000000002.tar", "shards/audio_000000005.tar"])
        self.assertEqual(self.remove(gone, "--rewrite-limit", "0.5x")["outcome"], "already_done")

    def test_nothing_else_leaves_training(self):
        self.make()
        gone = self.keys()[:1]
        summary = self.remove(gone)
        self.assertEqual((summary["shards"], summary["samples"], summary["pending"]), (8, 529, 0))
        self.check(gone)
        more = self.keys()[:5]
        summary = self.remove(more, "--rewrite-limit", "1")  # then the shards are only about equal
        self.assertEqual((summary["shards"], summary["samples"], summary["pending"]), (8, 524, 0))
        self.assertLess(summary["rewritten_shards"], 8)
        self.assertFalse(summary["even"])

    def test_speakers_and_datasets(self):
        tars, contents = corpus("s", 60, seed=4, shards=1)
        speakers = {key: f"p{number % 7}" for number, key in enumerate(contents)}
        members = [(f"{key}.{end}", data) for key, (text, audio) in contents.items()
                   for end,
                   data in (("json", json.dumps({"speaker": speakers[key]}).encode()), ("txt", text.encode()),
                            ("wav", audio))]
        self.write("a.tar", harness.tar(members))
        self.write("b.tar", harness.tar([("b" + name, data) for name, data in members]))
        self.repack("a=a.tar", "b=b.tar", "--out", "out", "--shards", 4, "-q", "--list-root", "/r")
        self.fails("update", "out", "--remove-speakers", self.listed(["p9"]),
                   says=["1 speaker", "'p9'", "nothing was removed"])
        self.fails("update", "out", "--remove-speakers", self.listed(["p1"]),
                   says=["speaker p1 is in a and in b", "DATASET/SPEAKER"])
        self.fails("update", "out", "--remove-datasets", "c", says=["no samples of 'c'", "nothing was removed"])
        summary = self.update("--remove-speakers", self.listed(["a/p1", "b/p2"]))
        gone = [key for key in speakers if speakers[key] == "p1"] + ["b" + key for key in speakers
                                                                     if speakers[key] == "p2"]
        self.assertEqual((summary["removed"], summary["pending"]), (len(gone), 0))
        self.assertFalse(set(gone) & set(self.keys()))
        self.shardmill("verify", "out", "--against", "a=a.tar", "b=b.tar")
        summary = self.update("--remove-datasets", "b")
        self.assertEqual((summary["pending"], summary["shards"]), (0, 2))
        self.assertEqual({record["dataset"] for record in self.records("out")}, {"a"})
        self.shardmill("verify", "out", "--against", "a=a.tar", "b=b.tar")
        # New samples of a speaker who was removed stay out, too.
        new = [(f"new{number}.{end}", data) for number, speaker in enumerate(("p1", "p2"))
               for end,
               data in (("json", json.dumps({"speaker": speaker}).encode()), ("txt", b"hello"), ("wav", members[2][1]))]
        self.write("new.tar", harness.tar(new))
        result = self.shardmill("update", "out", "--add", "a=new.tar")
        self.assertIn("1 removed", result.out.decode())
        self.assertIn("new1", self.keys())
        self.assertNotIn("new0", self.keys())
        self.shardmill("verify", "out", "--against", "a=a.tar", "b=b.tar", "a=new.tar")
        self.shardmill("update", "out", "--add", "a=new.tar", "--take-back", "--on-duplicate", "first")
        self.assertIn("new0", self.keys())
        # Then the speaker is back, and may have more.
        more = [(f"more{number}.{end}", data) for number, speaker in enumerate(("p1", "p4"))
                for end, data in (("json", json.dumps({"speaker": speaker}).encode()), ("txt", b"hello"),
                                  ("wav", members[5][1]))]
        self.write("more.tar", harness.tar(more))
        self.shardmill("update", "out", "--add", "a=more.tar")
        self.assertIn("more0", self.keys())
        # A speaker who leaves does not come in with the same command.
        both = [(f"both{number}.{end}", data) for number, speaker in enumerate(("p4", "p5"))
                for end, data in (("json", json.dumps({"speaker": speaker}).encode()), ("txt", b"hello"),
                                  ("wav", members[8][1]))]
        self.write("both.tar", harness.tar(both))
        self.shardmill("update", "out", "--add", "a=both.tar", "--remove-speakers", self.listed(["p4"]))
        self.assertIn("both1", self.keys())
        self.assertFalse({"both0", "more1"} & set(self.keys()))

    def test_what_a_whole_split_lost_comes_back_into_none_of_its_datasets(self):
        self.spoken("a", [f"s{number % 8}" for number in range(48)])
        self.repack("a=a.tar", "--out", "e", "--shards", 2, "--split", "dev=0.6s", "-q")
        dev, train = ({record["speaker"] for record in self.records(f"e/{name}")} for name in ("dev", "train"))
        (one, *_), (other, *_) = sorted(dev), sorted(train)
        self.shardmill("update", "e", "--remove-speakers", self.listed([one, other]), "-q")
        self.spoken("b", [one, other, "new"])
        for name in ("train", "dev"):
            shutil.copytree(self.folder / "e", self.folder / f"e_{name}")
            said = self.shardmill("update", f"e_{name}/{name}", "--add", "a=b.tar", "--rewrite-limit", "none")
            self.assertIn("2 removed", said.out.decode())
            speakers = {record["speaker"] for record in self.records(f"e_{name}/{name}")}
            self.assertEqual(speakers & {one, other, "new"}, {"new"})
        key = self.records("e/train")[0]["key"]
        self.shardmill("update", "e", "--remove-keys", self.listed([key]), "-q")
        self.write("c.tar", harness.tar([(f"{name}.{end}", data) for name in (key, "c") for end, data in
                                         (("json", b'{"speaker": "newer"}'), ("txt", b"hello"), ("wav", tone(900)))]))
        shutil.copytree(self.folder / "e", self.folder / "e_key")
        self.shardmill("update", "e_key/dev", "--add", "a=c.tar", "--rewrite-limit", "none")
        self.assertEqual({record["key"] for record in self.records("e_key/dev")} & {key, "c"}, {"c"})
        shutil.copytree(self.folder / "e", self.folder / "e_name")
        self.shardmill("update", "e_name/dev", "--add", "z=c.tar", "--rewrite-limit", "none")
        self.assertEqual({record["key"] for record in self.records("e_name/dev")} & {key, "c"}, {"c"})
        self.shardmill("update", "e/dev", "--add", "a=b.tar", "--take-back", "--rewrite-limit", "none")
        self.assertLessEqual({one, other, "new"}, {record["speaker"] for record in self.records("e/dev")})

    def test_copies_of_long_keys_with_a_prefix(self):
        long = "k" * 77
        self.write("p.tar", harness.tar([(f"{key}.{end}", data) for number, key in enumerate((long, "a", "b_x2"))
                                         for end, data in (("txt", b"t"), ("wav", tone(900 + number, seed=number)))]))
        self.repack("P=p.tar", "--out", "out", "--shards", 1, "--weight", "P=2", "--on-duplicate", "prefix", "-q")
        self.assertEqual(self.remove([f"P_{long}"])["removed"], 2)
        self.assertEqual(self.remove(["P_a"])["removed"], 2)
        self.assertEqual(sorted(self.keys()), ["P_b_x2", "P_b_x2_x2"])

    def test_a_renamed_sample_that_was_removed_stays_out(self):
        for name, keys in (("a0", "xy"), ("a1", "xz")):
            self.write(f"{name}.tar", harness.tar([(f"{key}.{end}", data) for key in keys for end, data in
                                                   (("txt", (name + key).encode()),
                                                    ("wav", tone(900, seed=ord(key) + len(name))))]))
        self.repack("A=a0.tar", "A=a1.tar", "--out", "out", "--shards", 1, "--on-duplicate", "rename", "-q")
        self.remove(["x_2"])
        self.update("--add", "A=a1.tar", "--rewrite-limit", "none")
        self.assertEqual(sorted(self.keys()), ["x", "y", "z", "z_2"])

    def spoken(self, name, speakers):
        """A tar of samples of these speakers, as a source of the dataset `main`."""
        members = []
        for number, speaker in enumerate(speakers):
            key = f"{name}{number:05d}"
            members += [(f"{key}.json", json.dumps({"speaker": speaker}).encode()), (f"{key}.txt", b"hello"),
                        (f"{key}.wav", tone(800 + 7 * number, seed=number))]
        self.write(f"{name}.tar", harness.tar(members))
        return f"main={name}.tar"

    def test_new_samples_that_all_belong_to_a_removed_speaker(self):
        old = self.spoken("old", [f"p{number % 6}" for number in range(60)])
        new = self.spoken("new", ["p1"] * 6)
        other = self.spoken("other", ["p1"] * 3)
        self.repack(old, "--out", "out", "--shards", 6, "-q", "--list-root", "/r")
        shutil.copytree(self.folder / "out", self.folder / "one")
        speakers = self.listed(["main/p1"], "speakers")
        for out, commands in (("one", [["--add", new, "--remove-speakers", speakers]]),
                              ("out", [["--remove-speakers", speakers], ["--add", new]])):
            with self.subTest(out=out):
                for command in commands:
                    summary = json.loads(self.shardmill("update", out, "--json", *command).out)
                self.assertEqual((summary["outcome"], summary["added"]), ("written", 0))
                self.assertEqual(summary["left_out"], {"removed": 6})
                record = json.loads((self.folder / out / "dataset.json").read_text())
                self.assertEqual((record["samples"], record["left_out"]), (50, {"removed": 16}))
                rejects = [reject for reject in self.records(out, "rejects.jsonl") if reject["reason"] == "removed"]
                self.assertEqual(len({reject["key"] for reject in rejects}), 16)
                self.shardmill("verify", out, "--against", old, new)
                self.shardmill("verify", out, "--all")
        again = json.loads(self.shardmill("update", "one", "--json", "--add", new).out)
        self.assertEqual((again["outcome"], again["left_out"]), ("nothing_new", {"removed": 6}))
        said = self.shardmill("update", "one", "--add", new).out.decode()
        self.assertIn("stay out", said)
        self.assertIn("6 removed", said)
        self.assertIn("3 removed (see rejects.jsonl)", self.shardmill("update", "out", "--add", other).out.decode())
        self.shardmill("verify", "out", "--against", old, new, other)
        self.assertEqual(self.update("--add", other, new, "--take-back")["added"], 9)
        self.shardmill("verify", "out", "--against", old, new, other)

    def removed(self, out="out"):
        """The keys that rejects.jsonl lists as removed, after a check that dataset.json counts its lines."""
        rejects = self.records(out, "rejects.jsonl")
        record = json.loads((self.folder / out / "dataset.json").read_text())
        self.assertEqual(record["left_out"], dict(collections.Counter(reject["reason"] for reject in rejects)))
        return sorted(reject["key"] for reject in rejects if reject["reason"] == "removed")

    def test_what_was_removed_stays_out_under_every_name(self):
        """By its key, its speaker or its dataset; a new sample of a speaker stays out under the same name only."""
        old = self.spoken("a", [f"p{number % 4}" for number in range(24)])
        other = self.spoken("b", [f"p{number % 4}" for number in range(12)]).replace("main", "other")
        self.repack(old, other, "--out", "whole", "--shards", 3, "-q", "--list-root", "/r")
        first = ["--on-duplicate", "first", "--rewrite-limit", "none"]
        for what, gone, again in (
                (["--remove-keys", self.listed(["a00005"], "k")], ["a00005"], "z=a.tar"),
                (["--remove-speakers", self.listed(["main/p1"], "s")], [f"a{number:05d}" for number in range(1, 24, 4)],
                 "z=a.tar"),
                (["--remove-datasets", "other"], [f"b{number:05d}" for number in range(12)], "z=b.tar")):
            with self.subTest(what=what):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                shutil.copytree(self.folder / "whole", self.folder / "out")
                self.update(*what)
                self.assertEqual(self.removed(), gone)
                summary = self.update("--add", again, *first)
                self.assertEqual((summary["added"], summary["left_out"]["removed"]), (0, len(gone)))
                self.assertFalse(set(gone) & set(self.keys()))
                self.update("--add", "y=" + again[2:], *first)
                self.assertFalse(set(gone) & set(self.keys()))
                self.shardmill("verify", "out", "--against", old, other)
                self.assertEqual(self.update("--add", again, *first, "--take-back")["added"], len(gone))
                self.assertLessEqual(set(gone), set(self.keys()))
                self.assertEqual(self.removed(), [])
                self.shardmill("verify", "out", "--against", old, other, again, "y=" + again[2:])
        self.spoken("new", ["p1"])
        shutil.rmtree(self.folder / "out")
        shutil.copytree(self.folder / "whole", self.folder / "out")
        self.update("--remove-speakers", "s")
        self.assertEqual(self.update("--add", "z=new.tar", *first)["added"], 1)
        self.assertEqual(self.update("--add", "main=a.tar", *first)["left_out"]["removed"], 6)

    def test_where_names_are_in_keys_the_audio_tells_what_was_removed(self):
        """With prefix and rename, another name may have another sample of the key."""
        old = self.spoken("a", ["p1"] * 12)
        with tarfile.open(self.folder / "a.tar") as tar:
            members = [(member.name, tar.extractfile(member).read()) for member in tar]
        self.write("c.tar", harness.tar([(name, tone(2000, seed=9) if name.endswith(".wav") else data)
                                         for name, data in members if name.startswith("a00005")]))
        for mode in ("prefix", "rename"):
            with self.subTest(mode=mode):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                self.repack(old, "--out", "out", "--shards", 2, "-q", "--on-duplicate", mode)
                before = len(self.keys())
                key = {"prefix": "main_a00005", "rename": "a00005"}[mode]
                self.remove([key])
                self.update("--add", "z=a.tar", "--rewrite-limit", "none")
                keys = self.keys()
                self.assertEqual(len(keys), 2 * before - 2)
                self.assertFalse([key for key in keys if "a00005" in key])
                self.assertEqual(self.update("--add", "y=c.tar", "--rewrite-limit", "none")["added"], 1)
                self.assertEqual(len(self.removed()), 2)
                self.shardmill("verify", "out", "--against", old, "z=a.tar", "y=c.tar")
                self.assertEqual(self.update("--add", "x=a.tar", "--rewrite-limit", "none", "--take-back")["added"], 12)
                self.assertEqual(self.removed(), [])
                self.shardmill("verify", "out", "--against", old, "z=a.tar", "y=c.tar", "x=a.tar")

    def test_what_was_taken_back_is_not_listed_as_removed(self):
        old = self.spoken("a", [f"p{number % 4}" for number in range(24)])
        self.repack(old, "--out", "whole", "--shards", 3, "-q")
        again = ["--add", old, "--on-duplicate", "first", "--rewrite-limit", "none"]
        for what in (["--remove-keys", self.listed(["a00005", "a00006"], "k")],
                     ["--remove-speakers", self.listed(["p1"], "s")]):
            with self.subTest(what=what):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                shutil.copytree(self.folder / "whole", self.folder / "out")
                for times in (1, 2):
                    self.update(*what)
                    gone = self.removed()
                    self.assertEqual(set(gone) & set(self.keys()), set())
                    self.update(*again)
                    self.assertEqual(sorted(set(self.removed())), gone)
                    self.update(*again, "--take-back")
                    self.assertLessEqual(set(gone), set(self.keys()))
                    self.assertEqual(self.removed(), [])
                    self.assertNotIn("speaker", "".join(str(reject) for reject in self.records("out", "rejects.jsonl")))
                    self.shardmill("verify", "out", "--against", old)
                    self.shardmill("verify", "out", "--all")
        self.remove(["a00005", "a00006"])
        self.write("one.tar", harness.tar([(f"a00005.{end}", data) for end, data in (
            ("json", b'{"speaker": "p1"}'), ("txt", b"other words"), ("wav", tone(1000, seed=9)))]))
        self.update("--add", "main=one.tar", "--take-back", "--rewrite-limit", "none")
        self.assertEqual(self.removed(), ["a00006"])
        self.shardmill("verify", "out", "--against", old, "main=one.tar")

    def test_a_source_without_what_was_removed(self):
        """The publisher drops it, too."""
        old = self.spoken("a", ["p1"] * 12)
        self.repack(old, "--out", "out", "--shards", 2, "-q")
        self.remove(["a00005"])
        with tarfile.open(self.folder / "a.tar") as tar:
            members = [(member.name, tar.extractfile(member).read()) for member in tar]
        self.write("a.tar", harness.tar([(name, data) for name, data in members if not name.startswith("a00005")]))
        self.shardmill("verify", "out", "--against", old)
        self.write("a.tar", harness.tar([(name, data) for name, data in members if not name.startswith("a00006")]))
        said = self.shardmill("verify", "out", "--against", old, code=1).out.decode()
        self.assertIn("'a00006': no source has a sample of this key", said)
        self.assertEqual(said.count("finding"), 2, said)

    def test_what_a_limit_left_uneven_is_mended_within_the_next_one(self):
        self.make(sources=(100, 40), shards=10)
        keys = self.keys()
        gone = keys[:2]
        said = self.shardmill("update", "out", "--remove-keys", self.listed(gone), "--rewrite-limit", "0x").out.decode()
        self.assertIn("because --rewrite-limit allowed too few of them", said)
        self.assertIn("shardmill update out --remix deals all samples again", said)
        shutil.copytree(self.folder / "out", self.folder / "uneven")
        gone = gone + keys[70:72]
        for more in ([], ["--keep-mix"], ["--rewrite-limit", "none"]):
            with self.subTest(more=more):
                shutil.rmtree(self.folder / "out")
                shutil.copytree(self.folder / "uneven", self.folder / "out")
                self.assertTrue(self.remove(gone[2:], *more)["even"])
                self.check(gone)
        shutil.rmtree(self.folder / "out")
        shutil.copytree(self.folder / "uneven", self.folder / "out")
        self.sources.append(self.source("few", 3, seed=9))
        said = self.shardmill("update", "out", "--add", self.sources[-1]).out.decode()
        self.assertIn("because --rewrite-limit (10x, as it was not given) allowed too few of them", said)
        self.assertNotIn("no better deal", said)
        self.assertTrue(self.update("--remix")["even"])
        self.check(gone[:2])

    def test_what_was_removed_stays_out_of_a_folder_that_grows(self):
        self.make()
        gone = self.keys()[:3]
        self.remove(gone)
        tars, contents = corpus("s0", 320, seed=0, shards=1)  # the first 300 are those of s0
        new = {key: value for key, value in contents.items() if key not in self.contents}
        self.write("grown.tar", tars[0])
        again = ["update", "out", "--add", "main=grown.tar", "--on-duplicate", "first"]
        before = self.snapshot()
        shutil.copytree(self.folder / "out", self.folder / "before")
        kept = len([key for key in gone if key in contents])
        self.assertGreater(kept, 0)
        result = self.shardmill(*again)
        self.assertIn(f"{kept} removed", result.out.decode())
        self.contents.update(new)
        self.assertFalse(set(gone) & set(self.keys()))
        self.assertEqual(set(self.keys()), set(self.contents) - set(gone))
        self.sources.append("main=grown.tar")
        self.shardmill("verify", "out", "--against", *self.sources)
        after = self.snapshot()
        shutil.rmtree(self.folder / "out")
        shutil.copytree(self.folder / "before", self.folder / "out")
        self.assertEqual(self.snapshot(), before)
        self.shardmill(*again, "-j1", "--memory", "64MiB")
        self.assertEqual(self.snapshot(), after)
        self.assertEqual(self.update(*again[2:])["outcome"], "already_done")
        self.assertEqual(self.update(*again[2:], "--take-back")["added"], kept)
        self.assertEqual(len(set(gone) & set(self.keys())), kept)
        self.shardmill("verify", "out", "--against", *self.sources)
        self.fails("update", "out", "--remix", "--take-back", code=2, says="give them with --add")

    def test_one_command_replaces_samples(self):
        """What the same command removes, it may add."""
        self.make()
        tars, contents = corpus("s1", 230, seed=1, shards=1)
        self.remove(["s100000"], "--add", self.sources[1], "--on-duplicate", "first")
        self.assertIn("s100000", self.keys())

    def test_copies_leave_with_their_sample(self):
        self.sources = [self.source("s0", 40), self.source("s1", 40, seed=1)]
        self.repack("a=s0.tar", "b=s1.tar", "--weight", "a=3", "--out", "out", "--shards", 4, "-q", "--list-root", "/r")
        self.assertEqual(self.remove(["s000000", "s000001_x3", "s100000"])["removed"], 5)
        keys = [key for key in self.keys() if key.startswith(("s000000", "s000001", "s100000"))]
        self.assertEqual(sorted(keys), ["s000001", "s000001_x2"])
        self.shardmill("verify", "out")

    def test_why_shards_are_not_equal(self):
        self.make(sources=(96,))
        self.write("long.tar", harness.tar([("long.txt", b"words"), ("long.wav", tone(16000 * 90, seed=1))]))
        said = self.shardmill("update", "out", "--add", "main=long.tar", "--remix").out.decode()
        self.assertRegex(said,
                         r"the shards are not equal, and must differ by .* s at least: one sample lasts 90 s, longer")

    def test_shares_are_named_only_where_shards_hold_them(self):
        for name, lengths in (("A", (5, 1)), ("B", (3, 3))):
            self.write(f"{name}.tar", harness.tar([member for number, seconds in enumerate(lengths) for member in (
                (f"{name}{number}.txt", b"words"), (f"{name}{number}.wav", tone(8000 * seconds, seed=number)))]))
        self.repack("A=A.tar", "--out", "first", "--shards", 2, "-q", "--list-root", "/r")
        for more in ([], ["--keep-mix"], ["--rewrite-limit", "0.5x"]):
            with self.subTest(more=more):
                shutil.copytree(self.folder / "first", self.folder / "out")
                said = self.shardmill("update", "out", "--add", "B=B.tar", *more).out.decode()
                # Two shards are equal if one holds all of A; four shards are not, but hold one sample each.
                self.assertEqual("the shards are not equal" in said, more != [], said)
                self.assertEqual("its share of every dataset" in said, more == ["--keep-mix"], said)
                self.assertEqual(len((self.folder / "out/data.list").read_text().splitlines()), 4 if more else 2)
                self.shardmill("verify", "out")
                shutil.rmtree(self.folder / "out")

    def test_a_source_that_changed_in_place(self):
        self.make()
        path = self.folder / self.sources[1].partition("=")[2]
        tars, contents = corpus("s1", 240, seed=1, shards=1)  # it grew by ten
        with tarfile.open(fileobj=io.BytesIO(tars[0])) as tar:
            members = [(member.name, tar.extractfile(member).read()) for member in tar]
        changed = [f"s1{number:05d}" for number in range(0, 230, 50)]
        members = [(name, tone(8000, seed=99) if name.endswith(".wav") and name[:-4] in changed[:3] else
                    b"new words" if name.endswith(".txt") and name[:-4] in changed[3:] else data)
                   for name, data in members]
        path.write_bytes(harness.tar(members))
        self.fails("update", "out", "--add", self.sources[1], says=[f"{changed[0]}' with other audio", "--remove-keys"])
        shutil.copytree(self.folder / "out", self.folder / "kept")
        again = ["--add", self.sources[1], "--on-duplicate", "first"]
        summary = json.loads(self.shardmill("update", "kept", *again, "--json").out)
        self.assertEqual((summary["added"], summary["left_out"]), (10, {"changed": 5, "duplicate_key": 225}))
        said = self.shardmill("update", "kept", "--add", self.sources[0], "--on-duplicate", "first", "-q")
        self.assertEqual((said.out, said.err), (b"", ""))
        listed = [reject["key"] for reject in self.records("kept", "rejects.jsonl") if reject["reason"] == "changed"]
        self.assertEqual(sorted(listed), changed)
        summary = self.remove(listed, *again)
        self.assertEqual((summary["removed"], summary["added"]), (5, 15))
        self.shardmill("verify", "out", "--against", *self.sources)

    def test_a_source_with_changed_samples_and_no_new_ones(self):
        self.make("--min-duration", "0.01s")
        path = self.folder / "s1.tar"
        with tarfile.open(path) as tar:
            members = [(member.name, tar.extractfile(member).read()) for member in tar]
        changed = ["s100003", "s100007"]
        members = [(name, b"new words" if name in [f"{key}.txt" for key in changed] else data)
                   for name, data in members] + [("short.txt", b"t"), ("short.wav", tone(10))]
        path.write_bytes(harness.tar(members))
        self.sources[1] = "main=s1.tar"
        again = ["--add", "main=s1.tar", "--on-duplicate", "first"]
        left_out = {"changed": 2, "duplicate_key": 228, "too_short": 1}
        shutil.copytree(self.folder / "out", self.folder / "kept")
        said = self.shardmill("update", "kept", *again)
        self.assertIn("keeps the old form of 2 samples", said.err)
        self.assertIn("2 changed, 228 duplicate_key, 1 too_short (see rejects.jsonl)", said.out.decode())
        listed = [reject["key"] for reject in self.records("kept", "rejects.jsonl") if reject["reason"] == "changed"]
        self.assertEqual(listed, changed)
        self.assertEqual(len(self.records("kept")), 530)
        self.shardmill("verify", "kept")
        summary = json.loads(self.shardmill("update", "kept", *again, "--force", "--json").out)
        self.assertEqual((summary["outcome"], summary["left_out"]), ("nothing_new", left_out))
        said = self.shardmill("update", "kept", *again, "--force")
        self.assertIn("samples of the sources already, 2 of them in another form (see rejects.jsonl)",
                      said.out.decode())
        self.assertEqual(len(self.records("kept", "rejects.jsonl")), 231)
        for out in ("kept", "out"):
            summary = json.loads(self.shardmill("update", out, *again, "--json", "--remove-keys",
                                                self.listed(listed)).out)
            self.assertEqual((summary["removed"], summary["added"]), (2, 2))
            texts = {record["key"]: record["text"] for record in self.records(out)}
            self.assertEqual({texts[key] for key in changed}, {"new words"})
            self.shardmill("verify", out, "--against", *self.sources)

    def test_a_warning_of_many_that_wait(self):
        self.make(sources=(140,), shards=2)
        self.sources.append(self.source("more", 60, seed=8))
        said = self.shardmill("update", "out", "--add", self.sources[-1], "-q", "--rewrite-limit", "0").err
        self.assertIn("warning: out: 60 of 200 samples wait in pending/, where training does not see them (shardmill "
                      "update out --remix", said)
        self.assertNotIn("wait", self.shardmill("update", "out", "--remix", "-q").err)
        self.check()

    def test_most_of_it(self):
        self.make()
        gone = self.keys()[::7] + self.keys()[1::7] + self.keys()[2::7] + self.keys()[3::7]
        self.remove(gone)
        self.check(gone)

    def test_keys_that_are_not_there(self):
        self.make()
        before = self.snapshot()
        (self.folder / "keys").write_text("s000001\nnosuch\n")
        self.fails("update", "out", "--remove-keys", "keys", says=["keys", "1 key", "'nosuch'"])
        (self.folder / "keys").write_text("\n")
        self.fails("update", "out", "--remove-keys", "keys", says="lists no keys")
        (self.folder / "keys").write_text("".join(f"{key}\n" for key in self.keys()))
        self.fails("update", "out", "--remove-keys", "keys", says="no sample would be left")
        self.assertEqual(self.snapshot(), before)


class Histories(Updating):
    def test_random(self):
        for codec, text, seed in (("none", "both", 1), ("zstd", "members", 2)):
            with self.subTest(codec=codec):
                self.history(codec, text, random.Random(seed))

    def history(self, codec, text, random_):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.contents = {}
        self.make("--codec", codec, "--text", text)
        gone = set()
        commands = []
        for step in range(STEPS):
            command = []
            if random_.random() < 0.7:
                self.sources.append(self.source(f"n{step}x", random_.choice([7, 60, 130, 200]), seed=step + 20))
                command += ["--add", self.sources[-1]]
            if not command or random_.random() < 0.3:
                keys = random_.sample(self.keys(), random_.choice([1, 4, 25]))
                gone.update(keys)
                (self.folder / f"keys{step}").write_text("".join(f"{key}\n" for key in keys))
                command += ["--remove-keys", f"keys{step}"]
            command += random_.choice([[], [], [], ["--rewrite-limit", "2.5x"], ["--rewrite-limit", "none"],
                                       ["--remix"], ["--keep-mix"]])
            self.update(*command, "-j", random_.choice([1, 2, 3]))
            commands.append(command)
            self.check(gone)
        after = self.snapshot()
        shutil.rmtree(self.folder / "out")
        self.repack(*self.sources[:2], "--out", "out", "--shards", 8, "-q", "--list-root", "/r", "--codec", codec,
                    "--text", text)
        for command in commands:
            self.update(*command)
        self.assertEqual(self.snapshot(), after, "the same history makes the same bytes")


class Killed(Updating):
    def start(self, *arguments):
        return subprocess.Popen([harness.PROGRAM, "update", "out", "-q", *arguments], cwd=self.folder,
                                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                env={**os.environ, "SHARDMILL_CHECKPOINT_BYTES": "100K"})

    def test_at_random_moments(self):
        """The old dataset or the new one is there, or none says it is whole; the same command gets to the new one."""
        random_ = random.Random(3)
        self.make("--codec", "zstd")
        self.source("more", 500, seed=8)  # so many that shards are filled while they are read
        (self.folder / "keys").write_text("".join(f"{key}\n" for key in self.keys()[::50]))
        shutil.copytree(self.folder / "out", self.folder / "old")
        old = self.snapshot()
        for command in (["--add", "main=more.tar"], ["--remove-keys", "keys", "--add", "main=more.tar"]):
            start = time.monotonic()
            self.assertEqual(self.start(*command).communicate()[1], b"")
            seconds = time.monotonic() - start
            new = self.snapshot()
            kills = 0
            while kills < KILLS // 2:
                shutil.rmtree(self.folder / "out")
                shutil.copytree(self.folder / "old", self.folder / "out")
                slower = 1
                while True:
                    process = self.start(*command)
                    try:
                        error = process.communicate(timeout=random_.uniform(0, seconds) * slower)[1]
                        # Killed after its last rename, it was done.
                        self.assertTrue(error == b"" or b"nothing was read from main=more.tar" in error, error)
                        self.assertEqual(process.returncode, 0)
                        break
                    except subprocess.TimeoutExpired:
                        process.kill()
                        process.communicate()
                        slower *= 1.1
                        kills += 1
                        if (self.folder / "out/dataset.json").exists():
                            self.assertIn(self.snapshot(), (old, new))
                self.assertEqual(self.snapshot(), new)
                self.assertFalse((self.folder / "out/.shardmill").exists())
            shutil.rmtree(self.folder / "out")
            shutil.copytree(self.folder / "old", self.folder / "out")

    def test_one_at_a_time_and_unfinished_ones(self):
        self.make()
        self.source("more", 200, seed=8)
        self.source("less", 50, seed=9)
        # Like `caught()`, which expects a folder that is made anew.
        shutil.copytree(self.folder / "out", self.folder / "old")
        for _ in range(50):
            process = self.start("--add", "main=more.tar")
            journal = self.folder / "out/.shardmill/update/stage/journal"
            while process.poll() is None and not journal.exists():
                time.sleep(0.001)
            process.send_signal(signal.SIGSTOP)
            if process.poll() is None and journal.exists() and (self.folder / "out/.shardmill/lock").exists():
                break
            process.kill()
            process.communicate()
            shutil.rmtree(self.folder / "out")
            shutil.copytree(self.folder / "old", self.folder / "out")
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.fails("update", "out", "--add", "main=more.tar", says=["lock", "update out"])
        process.kill()
        process.communicate()
        self.assertIn("an update was begun here", self.shardmill("verify", "out").out.decode())
        self.fails("update", "out", "--add", "main=less.tar", says=["unfinished update", "--force"])
        self.assertEqual(self.update("--add", "main=more.tar")["added"], 200)
        self.assertEqual(self.update("--add", "main=less.tar")["added"], 50)
        self.sources += ["main=more.tar", "main=less.tar"]
        self.check()


    @unittest.skipUnless(shutil.which("strace"), "strace is not installed")
    def test_force_after_a_kill_while_files_got_their_names(self):
        self.make()
        self.sources.append(self.source("more", 200, seed=8))
        command = ["update", "out", "--add", self.sources[-1]]
        shutil.copytree(self.folder / "out", self.folder / "whole")
        met = 0
        for number in range(1, 400, 11):
            shutil.rmtree(self.folder / "out")
            shutil.copytree(self.folder / "whole", self.folder / "out")
            calls = "rename,renameat,renameat2"
            killed = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}", "-e",
                                     f"inject={calls}:signal=KILL:when={number}", harness.PROGRAM, *command],
                                    cwd=self.folder, stdout=subprocess.DEVNULL)
            if killed.returncode == 0:
                break
            if b"while it gave the new files" not in self.shardmill("verify", "out", code=None).out:
                continue
            met += 1
            self.assertIn("the last update was this one", self.shardmill(*command, "--force").out.decode())
            self.check()
        self.assertGreater(met, 0)
        self.fails(*command, "--force", says="the dataset has this sample already")


class WrongUse(Updating):
    def test_is_told(self):
        self.make()
        self.fails("update", "out", code=2, says="nothing to do")
        self.fails("update", "--add", "main=s0.tar", code=2, says="give one DIR")
        self.fails("update", "out", "--remix", "--keep-mix", code=2, says="one of them")
        self.fails("update", "out", "--remix", "--rewrite-limit", "3", code=2, says="leave out --rewrite-limit")
        for limit in ("x", "-1", "3y", "nan"):
            self.fails("update", "out", "--rewrite-limit", limit, code=2, says="is not a number of times")
        self.fails("update", "out", "--add", "x", "--on-error", "hope", code=2, says=["--on-error", "stop, skip"])
        self.fails("update", "nothing", "--remix", says="is not a dataset")
        (self.folder / "other").mkdir()
        (self.folder / "other/file").write_text("mine")
        self.fails("update", "other", "--remix", says="is not a dataset")
        self.fails("update", "out", "--add", "out", code=2, says="lies in the source folder")
        record = json.loads((self.folder / "out/dataset.json").read_text())
        (self.folder / "out/dataset.json").write_text(json.dumps({**record, "format_version": 99}))
        self.fails("update", "out", "--remix", says="newer shardmill")
        (self.folder / "out/dataset.json").unlink()
        lost = self.fails("update", "out", "--remix", says=["not finished", "there is no dataset.json"]).err
        self.assertNotIn("at work", lost)

    def test_advice_is_of_what_update_has(self):
        self.make()
        for split in ("train", "dev"):
            self.write(f"data_aishell/wav/{split}/S0002/BAC009S0002{split}.wav", tone(900, seed=len(split)))
        (self.folder / "data_aishell/transcript").mkdir()
        (self.folder / "data_aishell/transcript/aishell_transcript_v0.8.txt").write_text(
            "BAC009S0002train 而 对\nBAC009S0002dev 而 对\n")
        mixed = self.fails("update", "out", "--add", "main=data_aishell", says="does not mix unless asked to").err
        self.assertIn("shardmill repack chooses with --subset when it makes a dataset", mixed)
        self.assertNotIn("--subset all", mixed)
        self.repack("main=data_aishell", "--out", "part", "--shards", 1, "-q", "--subset", "train")
        self.assertEqual(self.update("--add", "main=dataset:part")["added"], 1)  # as docs/update.md has it
        self.write("bare.tar", harness.tar([(f"b{number}.wav", tone(900, seed=number)) for number in range(9)]))
        bare = self.fails("update", "out", "--add", "main=bare.tar", says="--allow-missing-text accepts").err
        self.assertNotIn("--require-text", bare)

    def test_damage_is_not_passed_on(self):
        self.make()
        shard = self.folder / "out/shards/audio_000000003.tar"
        data = bytearray(shard.read_bytes())
        data[-3000] ^= 1
        shard.write_bytes(data)
        self.fails("update", "out", "--remix", says=["audio_000000003.tar", "repair"])
        self.shardmill("repair", "out")
        self.update("--remix")
        self.check()
        self.source("more", 100, seed=8)
        self.sources.append("main=more.tar")
        shard.write_bytes(b"damaged")
        self.fails("update", "out", "--add", self.sources[-1], says=["audio_000000003.tar", "repair"])
        self.shardmill("repair", "out")
        self.update("--add", self.sources[-1])
        self.check()
        self.repack("main=s0.tar", "--out", "trial", "--limit", "100", "--shards", 2, "-q")
        self.fails("update", "trial", "--remix", says="limited")

    def test_repack_sees_that_it_is_another_dataset(self):
        self.make()
        self.source("more", 100, seed=8)
        self.update("--add", "main=more.tar")
        self.fails("repack", *self.sources, "--out", "out", "--shards", 8, "--list-root", "/r", says="updated since")


if __name__ == "__main__":
    unittest.main()
