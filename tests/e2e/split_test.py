"""`repack --split`: several datasets of the same sources, without a sample or a speaker in two of them."""
import collections
import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

import harness
from harness import tar
from repack_test import Repacking, tone

KILLS = int(os.environ.get("SHARDMILL_KILLS", "24"))
SPLITS = ("train", "dev", "test")


def spoken(prefix, count, speakers, seed=0, shards=3, silent=()):
    """Plain tars of samples whose KEY.json names the speaker, and the speaker of each key. `silent`: numbers without
    one."""
    random_ = random.Random(seed)
    members = [[] for _ in range(shards)]
    speaker_of = {}
    for number in range(count):
        key = f"{prefix}{number:05}"
        speaker = f"S{min(random_.randrange(speakers), random_.randrange(speakers))}"
        about = {} if number in silent else {"speaker": speaker}
        speaker_of[key] = about.get("speaker")
        members[random_.randrange(shards)] += [
            (f"{key}.txt", f"text of {key}".encode()),
            (f"{key}.wav", tone(random_.randint(400, 9000), seed=seed * 100000 + number)),
            (f"{key}.json", json.dumps(about).encode())]
    return [tar(each) for each in members], speaker_of


class Splitting(Repacking):
    def put_spoken(self, name, count, speakers, **more):
        tars, speaker_of = spoken(name, count, speakers, **more)
        self.put(name, tars, "none")
        return speaker_of

    def seconds(self, out):
        return sum(record["duration"] for record in self.records(out))

    def check_whole(self, out, names=SPLITS, keys=None):
        """Every sample in one split; no speaker in two; each split balanced and verified on its own."""
        records = {name: self.records(f"{out}/{name}") for name in names}
        every = [record["source_key"] for each in records.values() for record in each]
        self.assertEqual(len(every), len(set(every)))
        if keys is not None:
            self.assertEqual(set(every), set(keys))
        homes = collections.defaultdict(set)
        for name, each in records.items():
            for record in each:
                homes[record["dataset"], record.get("speaker")].add(name)
        told = json.loads((self.folder / out / "split.json").read_text())
        if told["by"] == "speaker":
            self.assertTrue(all(len(home) == 1 for home in homes.values()), homes)
        self.assertEqual([part["name"] for part in told["splits"]], list(names))
        for part in told["splits"]:
            self.assertEqual(part["samples"], len(records[part["name"]]))
            self.shardmill("verify", f"{out}/{part['name']}")
        self.assertFalse(list((self.folder / out).rglob(".shardmill")))
        return records

    def same_split(self, first, second):
        self.assertEqual(self.names(first), self.names(second))
        for name in self.names(first):
            if not name.endswith(("run.json", "data.list")):
                self.assertEqual((self.folder / first / name).read_bytes(), (self.folder / second / name).read_bytes(),
                                 name)


class BySpeaker(Splitting):
    def test_no_speaker_in_two_and_every_sample_once(self):
        first = self.put_spoken("a", 600, 40)
        second = self.put_spoken("b", 200, 15, seed=1)
        result = self.repack("a", "b", "--out", "out", "--shards", 4, "--split", "dev=20s,test=10s", "--seed", 5)
        self.assertRegex(result.err, r"^shardmill repack: warning: 14 speakers have the same name in two datasets.*\n$")
        records = self.check_whole("out", keys={**first, **second})
        longest = collections.Counter()
        for each in records.values():
            for record in each:
                longest[record["dataset"], record["speaker"]] += record["duration"]
        for name, wanted in (("dev", 20), ("test", 10)):
            self.assertAlmostEqual(self.seconds(f"out/{name}"), wanted, delta=max(longest.values()))
            self.assertAlmostEqual(self.seconds(f"out/{name}"), wanted, delta=3)
        self.assertEqual(len(self.records("out/train", "shards.jsonl")), 4)
        self.assertEqual(len(self.records("out/dev", "shards.jsonl")), 1)
        self.shardmill("verify", "out", "--against", "a", "b")
        self.shardmill("verify", *(f"out/{name}" for name in SPLITS), "--against", "a", "b")
        self.fails("verify", "out/dev", "--against", "a", "b", says=["only a part", "verify"], code=2)
        self.fails("verify", "out/dev", "out/test", "--against", "a", "b", says="only a part", code=2)
        # A speaker of one name in two datasets is two speakers.
        self.assertIn(("a", "S0"), longest)
        self.assertIn(("b", "S0"), longest)

    def test_again_and_otherwise(self):
        self.put_spoken("a", 300, 20)
        command = ["a", "--out", "out", "--shards", 2, "--split", "dev=5s,test=5s"]
        self.repack(*command)
        before = {name: (self.folder / "out" / name).read_bytes() for name in self.names("out")}
        self.assertIn(b"out/dev is finished already", self.repack(*command).out)
        self.assertIn(b"finished already",
                      self.repack("a", "--out", "out", "--shards", 2, "--split", "test=5s,dev=5s").out)
        told = json.loads(self.repack(*command, "--json").out)
        self.assertEqual((told["outcome"], list(told["splits"])), ("already_there", list(SPLITS)))
        self.fails("repack", "a", "--out", "out", "--shards", 2, "--split", "dev=6s,test=5s",
                   says="split: was dev=5,test=5, now dev=6,test=5")
        self.fails("repack", *command, "--split-by", "key", says="split-by: was speaker, now key")
        self.fails("repack", *command, "--seed", 4, says="seed: was 0, now 4")
        self.fails("repack", "a", "--out", "out", "--shards", 3, "--split", "dev=5s,test=5s",
                   says="shards: was 2, now 3")
        self.fails("repack", "a", "--out", "out", "--shards", 2, "--split", "dev=5s",
                   says=["out/test", "would not make"])
        self.fails("repack", "a", "--out", "out", "--shards", 2, says="shardmill did not make")
        self.assertEqual(before, {name: (self.folder / "out" / name).read_bytes() for name in self.names("out")})
        self.repack(*command, "--seed", 9, "--force")
        self.check_whole("out")
        (self.folder / "out/dev/data.list").unlink()
        self.fails("repack", *command, "--seed", 9, says=["out/dev", "data.list is missing"])

    def test_a_lock_that_could_not_be_removed_goes_with_the_next_run(self):
        self.put_spoken("a", 60, 6)
        command = ["repack", "a", "--out", "out", "--shards", 1, "--split", "dev=1s"]
        self.shardmill(*command)
        before = self.names("out")
        self.write("out/dev/.shardmill/lock", b"")
        self.assertIn(b"finished already", self.shardmill(*command).out)
        self.assertEqual(self.names("out"), before)

    def test_other_commands_name_the_datasets(self):
        self.put_spoken("a", 200, 20)
        self.repack("a", "--out", "out", "--split", "dev=5s")
        for asked in (["--add", "a"], ["--remix"]):
            self.fails("update", "out", *asked, says=["split", "out/train"])
        for command in (["ranks", "out", "--world-size", "2"], ["index", "out", "--index", "wids"], ["inspect", "out"],
                        ["repack", "out", "--out", "mixed"], ["report", "out"], ["convert", "out", "--out", "other"]):
            self.fails(*command, says=["split", "out/train"], code=None)
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()), ["dev", "split.json", "train"])
        self.shardmill("ranks", "out/train", "--world-size", 1)

    def test_same_bytes_whatever_the_threads_and_the_order(self):
        self.put_spoken("a", 400, 30, shards=5)
        for out, options in (("one", ["-j1"]), ("many", ["-j7", "--memory", "64M"])):
            self.repack("a", "--out", out, "--shards", 3, "--split", "dev=10s,test=8s", *options)
        self.same_split("one", "many")
        files = [f"a/part_{number}.tar" for number in (4, 2, 0, 1, 3)]
        self.repack(*(f"a={file}" for file in files), "--out", "other", "--shards", 3, "--split", "dev=10s,test=8s")
        for name in SPLITS:
            self.assertEqual(*({record["key"] for record in self.records(f"{out}/{name}")} for out in ("one", "other")))

    def test_a_sample_without_speaker_is_named(self):
        self.put_spoken("a", 100, 9, silent=(77,))
        before = self.names()
        self.fails("repack", "a", "--out", "out", "--split", "dev=2s", says=["a00077", "speaker", "--split-by key"])
        self.assertEqual(self.names(), before)
        keys = self.put_spoken("a", 100, 9, silent=(77,))
        self.repack("a", "--out", "out", "--split", "dev=2s", "--split-by", "key")
        self.check_whole("out", names=("train", "dev"), keys=keys)
        self.assertAlmostEqual(self.seconds("out/dev"), 2, delta=0.06)

    def put_speakers(self, name, speakers):
        """Five samples of each, whose KEY.json has it in this form."""
        self.write(f"{name}/part.tar", tar([member for number, speaker in enumerate(list(speakers) * 5) for member in (
            (f"{name}{number:03}.wav", tone(1600, seed=number)), (f"{name}{number:03}.txt", b"text"),
            (f"{name}{number:03}.json", json.dumps({"speaker": speaker}).encode()))]))

    def test_names_of_speakers_that_differ_in_form_alone(self):
        self.put_speakers("a", ["A", " A", "A\u3000", 7, "7", "7 ", 7.0, "B", "C", "D", "E", 8, 9])
        for seed in range(6):
            self.repack("a", "--out", "out", "--shards", 1, "--split", "dev=2s", "--seed", seed, "--force", "-q")
            homes = collections.defaultdict(set)
            for split in ("train", "dev"):
                for record in self.records(f"out/{split}"):
                    homes[str(record["speaker"]).strip().removesuffix(".0")].add(split)
            self.assertEqual({len(home) for home in homes.values()}, {1}, homes)
            self.shardmill("verify", "out", "--against", "a")
        # Lists for other loaders take such names, too.
        self.shardmill("index", "out/train", "--index", "speechbrain,amphion")

    def test_what_names_no_speaker(self):
        for speaker, says in ((True, "is true, which is not a name"), (["A"], 'is ["A"], which is not a name'),
                              ({"id": "A"}, "which is not a name"), ("", "has an empty name"),
                              (" ", "has an empty name"),
                              (None, "is not known")):
            with self.subTest(speaker=speaker):
                self.put_speakers("a", ["A", "B", "C"])
                self.put_speakers("odd", [speaker])
                self.fails("repack", "a", "odd", "--out", "out", "--shards", 1, "--split", "dev=1s",
                           says=["the speaker of 'odd00", says, "--split-by key"])
                self.assertFalse((self.folder / "out").exists())
        # What an update adds may name none, either.
        self.repack("a", "--out", "out", "--shards", 1, "--split", "dev=1s")
        self.put_speakers("odd", [True])
        self.fails("update", "out/train", "--add", "odd", says=["odd00", "its speaker is true", "nothing was changed"])
        (self.folder / "out/train").rename(self.folder / "apart")
        self.shardmill("update", "apart", "--add", "odd")
        (self.folder / "apart").rename(self.folder / "out/train")
        said = self.shardmill("verify", "out", code=1).out.decode()
        self.assertIn("odd000': its speaker is true, which is not a name, so it is unknown", said)

    def test_of_datasets_and_of_a_corpus(self):
        """A speaker is known from manifests and from utt2spk as from KEY.json."""
        speaker_of = self.put_spoken("a", 200, 20)
        self.repack("a", "--out", "made", "--shards", 3)
        self.repack("dataset:made", "--out", "out", "--shards", 2, "--split", "dev=4s,test=4s")
        self.check_whole("out", keys=speaker_of)
        self.shardmill("verify", "out", "--against", "dataset:made")
        self.repack("out/train", "out/dev", "out/test", "--out", "again", "--shards", 3)
        self.assertEqual({record["source_key"]: record["speaker"] for record in self.records("again")}, speaker_of)

    def test_a_leak_is_found(self):
        self.put_spoken("a", 200, 20)
        self.repack("a", "--out", "out", "--shards", 2, "--split", "dev=4s")
        path = self.folder / "out/split.json"
        dev = self.records("out/dev")[0]
        self.repack("a", "--out", "other", "--shards", 1, "--include", dev["source_key"])
        shutil.rmtree(self.folder / "out/train")
        (self.folder / "other").rename(self.folder / "out/train")
        said = self.shardmill("verify", "out", code=1).out.decode()
        self.assertIn("another split has a sample of this key", said)
        self.assertIn("speaker", said)
        self.assertTrue(path.exists())

    def test_a_leak_is_found_in_what_waits(self):
        self.put_spoken("a", 200, 20)
        self.repack("a", "--out", "out", "--shards", 4, "--split", "dev=4s")
        dev = self.records("out/dev")[0]
        self.repack("a", "--out", "other", "--shards", 1, "--include", dev["source_key"])
        # Update would refuse it here.
        (self.folder / "out/train").rename(self.folder / "apart")
        self.shardmill("update", "apart", "--add", "other")
        (self.folder / "apart").rename(self.folder / "out/train")
        self.assertIn("speaker", self.shardmill("verify", "out", code=1).out.decode())

    def test_verify_names_a_dataset_that_is_gone(self):
        self.put_spoken("a", 200, 20)
        self.repack("a", "--out", "out", "--split", "dev=2s,test=2s", "--shards", 2)
        shutil.rmtree(self.folder / "out/dev")
        result = self.shardmill("verify", "out", code=1)
        self.assertRegex(result.out.decode(),
                         r"out/dev: the dataset dev of the split is missing, which had \d+ samples in")
        self.assertEqual(len(json.loads(self.shardmill("verify", "out", "--json", code=1).out)["list"]), 1)
        against = self.shardmill("verify", "out", "--against", "a", "--json", code=1).out
        self.assertEqual(len(json.loads(against)["list"]), 1)
        (self.folder / "out/dev").mkdir()
        self.assertIn("the dataset dev of the split is missing", self.shardmill("verify", "out", code=1).out.decode())
        for split in ("train", "test", "dev"):
            shutil.rmtree(self.folder / "out" / split)
        self.assertEqual(self.shardmill("verify", "out", code=1).out.decode().count("of the split is missing"), 3)

    def test_a_withdrawal_from_all_datasets(self):
        """One command removes a list of keys, or speakers, from all of them, or from none."""
        speaker_of = self.put_spoken("a", 200, 20)
        self.repack("a", "--out", "out", "--shards", 4, "--split", "dev=4s,test=4s")
        splits = ("train", "dev", "test")
        keys = {split: [record["key"] for record in self.records(f"out/{split}")] for split in splits}
        gone = {split: {speaker_of[keys[split][0]]} for split in splits}
        self.write("speakers", "".join(f"{speaker}\n" for split in splits for speaker in gone[split]).encode())
        shutil.copytree(self.folder / "out", self.folder / "before")

        def snapshot():
            return {name: (self.folder / "out" / name).read_bytes() for name in self.names("out")
                    if not name.endswith("run.json") and ".shardmill" not in name}
        old = snapshot()
        self.write("wrong", b"nobody\n" + (self.folder / "speakers").read_bytes())
        self.fails("update", "out", "--remove-speakers", "wrong", says=["'nobody'", "nothing was removed"])
        planned = json.loads(self.shardmill("update", "out", "--remove-speakers", "speakers", "--dry-run",
                                            "--json").out)
        self.assertEqual(snapshot(), old)
        done = json.loads(self.shardmill("update", "out", "--remove-speakers", "speakers", "--json").out)
        for split in splits:
            left = {record["key"] for record in self.records(f"out/{split}")}
            self.assertEqual(left, {key for key in keys[split] if speaker_of[key] not in gone[split]})
            self.assertEqual(planned["splits"][split]["removed"], done["splits"][split]["removed"])
        self.shardmill("verify", "out", "--against", "a")
        again = json.loads(self.shardmill("update", "out", "--remove-speakers", "speakers", "--json").out)
        self.assertEqual({part["outcome"] for part in again["splits"].values()}, {"already_done"})
        new = snapshot()
        for moment in range(12):  # killed, the old datasets are there, or the next command completes the new ones
            shutil.rmtree(self.folder / "out")
            shutil.copytree(self.folder / "before", self.folder / "out")
            command = [harness.PROGRAM, "update", "out", "-q", "--remove-speakers", "speakers"]
            process = subprocess.Popen(command, cwd=self.folder)
            time.sleep(0.005 * moment)
            process.kill()
            process.wait()
            has_all = (self.folder / "out/split.json").exists() and all(
                (self.folder / f"out/{split}/dataset.json").exists() for split in splits)
            if has_all:
                self.assertIn({name: data for name, data in snapshot().items() if name != "split.json"},
                              [{name: data for name, data in one.items() if name != "split.json"}
                               for one in (old, new)])
            self.shardmill("update", "out", "-q", "--remove-speakers", "speakers")
            self.assertEqual(snapshot(), new)
            self.assertFalse((self.folder / "out/.shardmill").exists())

    def test_update_of_one_dataset(self):
        """What it adds must not be in another one; the record of the split says what it said."""
        speaker_of = self.put_spoken("a", 200, 20)
        self.repack("a", "--out", "out", "--shards", 4, "--split", "dev=4s,test=4s")
        dev = self.records("out/dev")[0]
        before = self.names("out")
        # The same speaker, by another utterance.
        mine = [key for key, speaker in speaker_of.items() if speaker == dev["speaker"]]
        self.write("known/part.tar", tar([("new.wav", tone(1600)), ("new.txt", b"text"),
                                          ("new.json", json.dumps({"speaker": dev["speaker"]}).encode())]))
        for more in (["--dry-run"], []):
            self.fails("update", "out/train", "--add", "a=known", *more,
                       says=["member 'new'", f"its speaker {dev['speaker']} of a is in dev, too",
                             "nothing was changed"])
        self.assertEqual(self.names("out"), before)
        self.shardmill("verify", "out", "--against", "a")
        # The same utterance by somebody else.
        self.write("key/part.tar", tar([(f"{mine[0]}.wav", tone(1600)), (f"{mine[0]}.txt", b"text"),
                                        (f"{mine[0]}.json", b'{"speaker": "new"}')]))
        for more in (["--dry-run"], []):
            self.fails("update", "out/train", "--add", "a=key", *more, says=["has a sample of this key, too"])
        self.shardmill("update", "out/train", "--add", "b=known", "--rewrite-limit", "none", "--dry-run")
        self.assertEqual(self.names("out"), before)
        # In another dataset it is another speaker, and where that is, more of them may come.
        self.shardmill("update", "out/train", "--add", "b=known", "--rewrite-limit", "none")
        self.shardmill("verify", "out", "--against", "a=a", "b=known")
        self.write("more/part.tar", tar([("more.wav", tone(1600)), ("more.txt", b"text"),
                                         ("more.json", json.dumps({"speaker": dev["speaker"]}).encode())]))
        self.shardmill("update", "out/dev", "--add", "a=more", "--rewrite-limit", "none")
        said = self.shardmill("verify", "out", "--against", "a=a", "b=known", "a=more").out.decode()
        train = len(self.records("out/train"))
        self.assertRegex(said, rf"note: out/split.json: train has {train} samples in 4 shards now, and had {train - 1} "
                               rf"samples")
        self.assertIn("note: out/split.json: dev has ", said)
        self.assertNotIn("test has", said)
        # Without an update there is no reason why it should say anything else.
        record = json.loads((self.folder / "out/split.json").read_text())
        record["splits"][2]["samples"] += 1
        self.write("out/split.json", json.dumps(record).encode())
        said = self.shardmill("verify", "out", code=1).out.decode()
        self.assertRegex(said, "finding: out/split.json: test has .* and nothing has updated it")

    def split_with_a_newcomer(self):
        """A split in out/, and new/ with a sample of a speaker that no dataset of it has."""
        self.put_spoken("a", 200, 20)
        self.repack("a", "--out", "out", "--shards", 2, "--split", "dev=4s,test=4s")
        self.write("new/part.tar",
                   tar([("new.wav", tone(1600)), ("new.txt", b"text"), ("new.json", b'{"speaker": "newcomer"}')]))

    def test_no_update_beside_a_dataset_that_is_not_whole(self):
        """Who may speak in it is not known."""
        self.split_with_a_newcomer()
        before = self.names("out/train")
        update = ["update", "out/train", "--add", "a=new"]
        for lost in ("dev/dataset.json", "dev/tarred_audio_manifest.json", "dev"):
            path = self.folder / "out" / lost
            path.rename(self.folder / "apart")
            with self.subTest(lost):
                self.fails(*update, "--dry-run", says="out/dev")
                self.fails(*update, says="out/dev")
                self.assertEqual(self.names("out/train"), before)
            (self.folder / "apart").rename(path)
        path = self.folder / "out/split.json"
        record = path.read_bytes()
        for data in (b"", record[:len(record) // 2], record.replace(b'"splits"', b'"splitz"')):
            path.write_bytes(data)
            with self.subTest(data[:20]):
                self.fails(*update, says=["split.json", "which speakers", "nothing was changed"])
                self.assertEqual(self.names("out/train"), before)
        path.write_bytes(record)
        self.shardmill(*update)
        self.assertFalse(list((self.folder / "out").rglob(".shardmill")))
        self.fails("update", "out/dev", "--add", "a=new", says="has a sample of this key, too")

    def test_the_record_of_somebody_else_is_no_split(self):
        self.split_with_a_newcomer()
        (self.folder / "out/split.json").write_text('{"train": 0.9}')
        self.shardmill("update", "out/train", "--add", "a=new")

    def test_one_update_of_a_split_at_a_time(self):
        self.split_with_a_newcomer()
        os.mkdir(self.folder / "out/.shardmill")
        with open(self.folder / "out/.shardmill/lock", "w+b") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX)
            lock.write(b"somebody\n")
            lock.flush()
            self.fails("update", "out/train", "--add", "a=new", says="out/.shardmill/lock")
        self.shardmill("update", "out/train", "--add", "a=new")

    def test_without_the_record_nobody_takes_them_for_shards(self):
        self.put_spoken("a", 200, 20)
        self.repack("a", "--out", "out", "--shards", 2, "--split", "dev=4s")
        path = self.folder / "out/split.json"
        path.write_text("{")
        self.fails("verify", "out", says="split.json: is not valid JSON")
        path.unlink()
        self.fails("verify", "out", says=["has datasets, but no split.json", "out/dev"], code=2)


class ByKey(Splitting):
    def test_with_weights_limits_and_filters(self):
        keys = list(self.put_spoken("a", 400, 10))
        self.repack("a", "--out", "twice", "--shards", 3, "--weight", "a=2", "--split", "dev=10s", "--split-by", "key")
        homes = collections.defaultdict(list)
        for name in ("train", "dev"):
            for record in self.records(f"twice/{name}"):
                homes[record["source_key"]].append(name)
        self.assertTrue(all(home in (["train"] * 2, ["dev"] * 2) for home in homes.values()))
        self.shardmill("verify", "twice", "--against", "a")
        self.repack("a", "--out", "few", "--shards", 2, "--limit", 100, "--split", "dev=3s", "--split-by", "key")
        self.assertEqual(len(self.records("few/train")) + len(self.records("few/dev")), 100)
        self.write("never", "\n".join(keys[:50]).encode())
        self.repack("a", "--out", "some", "--shards", 2, "--exclude-keys", "never", "--split", "dev=3s",
                    "--split-by", "key")
        self.check_whole("some", names=("train", "dev"), keys=keys[50:])
        self.shardmill("verify", "some", "--against", "a")

    def test_shards_follow_their_sizes(self):
        self.put_spoken("a", 900, 10)
        self.repack("a", "--out", "out", "--shard-samples", 100, "--split", "dev=60s", "--split-by", "key")
        for name in ("train", "dev"):
            for shard in self.records(f"out/{name}", "shards.jsonl"):
                self.assertAlmostEqual(shard["samples"], 100, delta=25)
        self.repack("a", "--out", "multiple", "--shards", 8, "--multiple-of", 4, "--split", "dev=60s",
                    "--split-by", "key", "--codec", "zstd")
        self.assertEqual([len(self.records(f"multiple/{name}", "shards.jsonl")) for name in ("train", "dev")], [8, 2])
        for name in ("train", "dev"):
            seconds = [shard["seconds"] for shard in self.records(f"multiple/{name}", "shards.jsonl")]
            self.assertLess(max(seconds) - min(seconds), 0.011)
            samples = [shard["samples"] for shard in self.records(f"multiple/{name}", "shards.jsonl")]
            self.assertLessEqual(max(samples) - min(samples), 1)

    def test_bad_samples_are_named_once(self):
        self.put_spoken("a", 200, 10)
        self.write("a/bad.tar", tar([("bad.txt", b"x"), ("bad.wav", b"RIFF")]))
        self.fails("repack", "a", "--out", "out", "--split", "dev=3s", "--split-by", "key", says="bad.wav")
        options = ["a", "--out", "out", "--shards", 2, "--split", "dev=3s", "--split-by", "key", "--on-error", "skip"]
        self.shardmill("repack", *options, code=3)
        self.shardmill("repack", *options, code=3)
        self.assertEqual([len(self.records(f"out/{name}", "rejects.jsonl")) for name in ("train", "dev")], [1, 0])
        self.shardmill("verify", "out", "--against", "a")


class Random(Splitting):
    def test_any_set_and_any_options(self):
        random_ = random.Random(11)
        for number in range(6):
            for name in list(self.folder.iterdir()):
                shutil.rmtree(name)
            speakers = random_.randint(6, 60)
            keys = {**self.put_spoken("a", random_.randint(150, 500), speakers, seed=number),
                    **self.put_spoken("b", random_.randint(10, 200), random_.randint(2, 9), seed=number + 50)}
            by = random_.choice(["speaker", "key"])
            options = ["a", "b", "--shards", random_.randint(1, 5), "--seed", number,
                       "--split", f"test={random_.randint(1, 8)}s,dev=3s",
                       "--split-by", by, "--even", random_.choice(["off", "off", "leave-out", "repeat"]),
                       "--codec", random_.choice(["none", "zstd"]), "--interleave", random_.choice([1, 2, 16])]
            self.repack(*options, "--out", "one", "-j1")
            self.repack(*options, "--out", "two", "-j", random_.randint(2, 6),
                        env={"SHARDMILL_CHECKPOINT_BYTES": "50K"})
            self.same_split("one", "two")
            self.shardmill("verify", "one", "--against", "a", "b")
            if "repeat" not in options:
                left = {reject["key"] for name in SPLITS for reject in self.records(f"one/{name}", "rejects.jsonl")}
                self.check_whole("one", keys=set(keys) - left)
            for name in SPLITS:
                samples = [shard["samples"] for shard in self.records(f"one/{name}", "shards.jsonl")]
                self.assertLessEqual(max(samples) - min(samples), 1 if "off" in options else 0, options)


class Published(Splitting):
    def put_published(self, subsets):
        """Shards whose KEY.json names the subset."""
        members = []
        for number in range(120):
            key = f"u{number:03}"
            members += [(f"{key}.txt", b"x"), (f"{key}.wav", tone(1000 + number, seed=number)),
                        (f"{key}.json", json.dumps({"subset": subsets[number % len(subsets)]}).encode())]
        self.write("pub/p.tar", tar(members))

    def test_kept(self):
        self.put_published(["train-clean-100", "train-other-500", "dev-clean", "test-clean"])
        self.repack("pub", "--out", "out", "--shards", 3, "--split", "subset")
        for name, subsets in (("train", {"train-clean-100", "train-other-500"}), ("dev", {"dev-clean"}),
                              ("test", {"test-clean"})):
            self.assertEqual({record["subset"] for record in self.records(f"out/{name}")}, subsets)
        self.check_whole("out")
        self.shardmill("verify", "out", "--against", "pub")
        self.assertIn(b"finished already", self.repack("pub", "--out", "out", "--shards", 3, "--split", "subset").out)

    def test_what_belongs_nowhere_is_named(self):
        self.put_published(["train", "dev", "validated"])
        self.fails("repack", "pub", "--out", "out", "--split", "subset", says=["u002", "validated", "dev=2h"])
        self.put_published(["train"])
        self.fails("repack", "pub", "--out", "out", "--split", "subset", says="no published split to keep")
        self.put_spoken("a", 20, 3)
        self.fails("repack", "a", "--out", "out", "--split", "subset",
                   says=["a000", "there is no published split to keep"])
        self.fails("repack", "a", "--out", "out", "--split", "subset", "--split-by", "key", says="--split-by", code=2)


class Refused(Splitting):
    def test_names_and_amounts(self):
        self.put_spoken("a", 60, 6)
        for wrong in ("train=1s", "Train=1s", "../x=1s", "a/b=1s", ".x=1s", "=1s", "dev=0s", "dev=", "dev=much",
                      "dev=-1s",
                      "dev=1s,dev=2s", "dev=1s,DEV=2s", "dev", "", "dev=1s,", "dev=99999999999h", "-x=1s"):
            self.fails("repack", "a", "--out", "out", f"--split={wrong}", says="--split", code=2)
        self.fails("repack", "a", "--out", "out", "--split-by", "key", says="--split", code=2)
        self.fails("repack", "a", "--out", "out", "--split", "dev=1s", "--split-by", "sex", says="sex", code=2)
        self.fails("repack", "a", "--out", "out", "--split", "dev=1s", "--parts", 2, says="--parts", code=2)
        for much in ("dev=1h", "dev=1s,test=1h", "dev=17s"):
            self.fails("repack", "a", "--out", "out", "--split", much, "--split-by", "key", "--shards", 1,
                       says="ask for less")
        self.assertFalse((self.folder / "out").exists())
        self.repack("a", "--out", "out", "--split", "dev=1s", "--shards", 1)

    def test_one_speaker(self):
        self.put_spoken("a", 60, 1)
        self.fails("repack", "a", "--out", "out", "--split", "dev=1s", "--shards", 1,
                   says="nothing would be left to train on")
        self.fails("repack", "a", "--out", "out", "--split", "dev=1s,test=1s", "--shards", 1,
                   says="fewer speakers than splits")
        self.assertFalse((self.folder / "out").exists())

    def test_folders_of_others(self):
        self.put_spoken("a", 60, 6)
        self.write("foreign/dev/notes.txt", b"mine")
        self.write("other/notes.txt", b"mine")
        before = self.names()
        command = ["--split", "dev=1s", "--shards", "1"]
        for out in ("foreign", "other"):
            for force in ([], ["--force"]):
                self.fails("repack", "a", "--out", out, *command, *force, says=out)
        self.assertEqual(self.names(), before)
        self.repack("a", "--out", "made", "--shards", 1)
        for out in ("made", "made/inner", "made/shards"):
            self.fails("repack", "a", "--out", out, *command, "--force", says="made")
        self.fails("repack", "a", "--out", ".", *command, says="")
        (self.folder / "elsewhere").mkdir()
        (self.folder / "linked").mkdir()
        (self.folder / "linked/dev").symlink_to(self.folder / "elsewhere")
        self.fails("repack", "a", "--out", "linked", *command, says="linked/dev")
        self.shardmill("verify", "made")

    def test_dry_run_writes_nothing(self):
        self.put_spoken("a", 60, 6)
        before = self.names()
        said = self.repack("a", "--out", "out", "--split", "dev=1s", "--dry-run").out.decode()
        self.assertRegex(said, r"dev +1\.0+ s of it, by speaker")
        json.loads(self.repack("a", "--out", "out", "--split", "dev=1s", "--dry-run", "--json").out)
        self.assertEqual(self.names(), before)

    def test_make_sees_it(self):
        self.put_spoken("a", 60, 6)
        self.write("Makefile",
                   b"out/split.json:\n\t$(SHARDMILL) repack a --out out --shards 1 --split dev=1s -q --depfile "
                   b"out.d\n-include out.d\n")
        make = ["make", "-C", str(self.folder), f"SHARDMILL={harness.PROGRAM_IN_SHELL}"]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
        self.assertIn("up to date", subprocess.run(make, check=True, stdout=subprocess.PIPE).stdout.decode())
        time.sleep(0.01)
        self.put_spoken("a", 60, 6, seed=3)
        self.assertNotEqual(subprocess.run(make, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode, 0)


class Killed(Splitting):
    def setUp(self):
        super().setUp()
        self.put_spoken("a", 500, 40, shards=6)
        tars, _ = spoken("b", 200, 20, seed=8)
        self.put("b", tars, "bzip2")

    def command(self, out, options):
        return [harness.PROGRAM, "repack", "a", "b", "--out", out, "--shards", "3", "--split", "dev=12s,test=8s", "-q",
                "-j2",
                "--list-root", "/r", *options]

    def test_at_random_moments(self):
        random_ = random.Random(3)
        for options in ([], ["--codec", "zstd", "--level", "9", "--parity", "1", "--even", "repeat"],
                        ["--split-by", "key", "--even", "leave-out"]):
            shutil.rmtree(self.folder / "reference", ignore_errors=True)
            began = time.monotonic()
            subprocess.run(self.command("reference", options), cwd=self.folder, check=True)
            seconds = time.monotonic() - began
            kills = 0
            while kills < KILLS // 3:
                tries = 0
                while True:
                    process = subprocess.Popen(self.command("out", options), cwd=self.folder, stderr=subprocess.PIPE,
                                               env={**os.environ, "SHARDMILL_CHECKPOINT_BYTES": "300K"})
                    try:
                        error = process.communicate(timeout=random_.uniform(0, 1.1 * seconds) * 1.1 ** tries)[1]
                        self.assertEqual(process.returncode, 0, error)
                        break
                    except subprocess.TimeoutExpired:
                        process.send_signal(signal.SIGKILL)
                        process.communicate()
                        tries += 1
                kills += tries
                self.same_split("out", "reference")
                shutil.rmtree(self.folder / "out")
            self.shardmill("verify", "reference", "--against", "a", "b")

    def test_what_differs_is_said(self):
        process = self.caught(
            lambda: subprocess.Popen(self.command("out", []), cwd=self.folder,
                                     env={**os.environ, "SHARDMILL_CHECKPOINT_BYTES": "100K"}),
            (self.folder / "out/train/.shardmill/journal").exists)
        both = ["repack", "a", "b", "--out", "out", "--shards"]
        said = self.shardmill(*both, 3, "--split", "dev=12s,test=8s", code=1).err
        self.assertIn("another run is at work here: host", said)
        self.fails("repack", "a", "--out", "out/dev", "--shards", 1, says="pid")
        process.kill()
        process.communicate()
        said = self.shardmill(*both, 3, "--split", "dev=13s,test=8s", "--list-root", "/r", code=1).err
        for part in ("unfinished", "dev=12,test=8 by speaker", "--force"):
            self.assertIn(part, said)
        said = self.shardmill(*both, 4, "--split", "dev=12s,test=8s", "--list-root", "/r", code=1).err
        self.assertRegex(said, "unfinished.*shards: was 3, now 4")
        self.fails("repack", "a", "b", "--out", "out/train", "--shards", 3, says="unfinished")
        self.shardmill("verify", "out", code=1)
        self.shardmill(*map(str, self.command("out", [])[1:]))
        self.check_whole("out")


if __name__ == "__main__":
    unittest.main()
