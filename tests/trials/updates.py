#!/usr/bin/env python3
"""Random updates of datasets, killed at random moments, against a list of what should be in training.

    updates.py [STEPS] [SEED]       50 steps, seed 1

The first two cases are fixed. 260 samples are added to 32 shards of two datasets of 1,500 and 1,620 samples: all of
them should be in training. One key of these 3,120 is removed: nothing else should leave training, and 32 shards stay.

Then each step of a history adds a tar to a dataset that is there or to a new one, removes 1 to 200 keys, or both, with
--rewrite-limit none; up to three of its runs are killed, each at a moment that is drawn. A second history is of a
split by speaker (train, dev and test): tars with old and new speakers are added to train, and keys and speakers are
removed from all three at once. After each step
  - exactly the samples that were put in and not removed are in training: by the members of all tars that the lists of
    shards name, and by the manifests;
  - audio times of the shards differ by at most 10 ms, their numbers of samples by at most one;
  - no speaker of the split is in two of its datasets;
  - `verify` finds nothing, at the end with --decode.
A tar with a speaker of dev or test must be refused for train. Everything else is a miss, and ends the history. The exit
code is 1 if there is one.
"""
import collections
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

import sources

RATE = 1000
MOST_SECONDS = 0.01


class Miss(Exception):
    pass


def name_of(line):
    """Who speaks, from a line of a manifest. Two datasets may have speakers of one name."""
    return f"{line['dataset']}/{line.get('speaker', '')}"


def need(condition, what):
    if not condition:
        raise Miss(what)


def check_call(folder, *words):
    done = subprocess.run([sources.PROGRAM, *map(str, words)], cwd=folder, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    need(done.returncode == 0, f"{' '.join(map(str, words))}: exit code {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


class History:
    """A dataset, or with `splits` the three of a split, and what should be in it."""

    def __init__(self, folder, chance, splits=()):
        self.folder, self.chance, self.splits = folder, chance, splits
        self.samples = {}  # DATASET/SPEAKER by key
        self.out_of_training = set()
        self.names = collections.Counter()
        self.kills, self.spread, self.seconds, self.refusals = 0, 0.0, 1.0, 0

    def put(self, dataset, count, speakers=()):
        """A new tar of this dataset."""
        self.names[dataset] += 1
        path = f"{dataset}{self.names[dataset]}.tar"
        median = self.chance.uniform(1, 8)
        members = []
        for number in range(count):
            key = f"{dataset}{self.names[dataset]}x{number:05}"
            speaker = self.chance.choice(speakers) if speakers else ""  # of this dataset
            seconds = min(max(median * self.chance.lognormvariate(0, .5), .3), 30)
            self.samples[key] = f"{dataset}/{speaker}"
            members += [(f"{key}.json", json.dumps({"speaker": speaker}).encode()), (f"{key}.txt", key.encode()),
                        (f"{key}.wav", sources.wav(self.chance.randbytes(int(RATE * seconds)), RATE))]
        sources.write_tar(self.folder / path, members)
        return f"{dataset}={path}"

    def make(self, given, *options):
        check_call(self.folder, "repack", *given, "--out", "out", *options)

    def update(self, *options, place="out"):
        """Killed up to three times, and then to its end."""
        command = [sources.PROGRAM, "update", place, "--rewrite-limit", "none", "-q", *options]
        for _ in range(self.chance.randrange(4)):
            process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                _, said = process.communicate(timeout=self.chance.uniform(0, self.seconds))
                need(process.returncode == 0, f"{' '.join(command[1:])}: {said.decode()}")
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                self.kills += 1
        begin = time.monotonic()
        check_call(self.folder, *command[1:])
        self.seconds = 0.5 * self.seconds + 0.5 * max(0.1, time.monotonic() - begin)

    def places(self):
        return [self.folder / "out" / split for split in self.splits] or [self.folder / "out"]

    def listed(self, names):
        path = self.folder / "names"
        path.write_text("".join(f"{name}\n" for name in names))
        return "names"

    def check(self, *verify):
        found, of_speaker = collections.Counter(), collections.defaultdict(set)
        for place in self.places():
            frames, counts = [], []
            for shard in map(json.loads, (place / "shards.jsonl").read_text().splitlines()):
                with tarfile.open(place / shard["path"]) as tar:
                    audio = [member for member in tar if member.name.endswith(".wav")]
                frames.append(sum(member.size - 44 for member in audio))
                counts.append(len(audio))
                keys = [member.name[:-4] for member in audio]
                found.update(keys)
                manifest = place / f"manifests/manifest_{shard['shard_id']:09}.json"
                lines = list(map(json.loads, manifest.read_text().splitlines()))
                need([line["key"] for line in lines] == keys, f"{manifest} has other samples than its shard")
                for line in lines:
                    of_speaker[name_of(line)].add(place.name)
            spread = (max(frames) - min(frames)) / RATE
            self.spread = max(self.spread, spread)
            need(round(spread, 6) <= MOST_SECONDS, f"{place}: audio times differ by {spread:.3f} s")
            need(max(counts) - min(counts) <= 1, f"{place}: numbers of samples differ: {sorted(set(counts))}")
            check_call(self.folder, "verify", place, *verify)
        expected = {key for key in self.samples if key not in self.out_of_training}
        need(max(found.values()) == 1, f"twice: {[key for key, count in found.items() if count > 1][:5]}")
        need(not set(found) - expected, f"too many: {sorted(set(found) - expected)[:5]}")
        lost = expected - set(found)
        if self.splits:
            double = {speaker: where for speaker, where in of_speaker.items() if len(where) > 1}
            need(not double, f"speakers in two datasets: {double}")
        need(not lost, f"{len(lost)} are not in training: {sorted(lost)[:5]}")

    def remove_keys(self):
        present = sorted(self.in_training())
        gone = self.chance.sample(present, min(len(present) // 3, int(200 ** self.chance.random())))
        self.out_of_training.update(gone)
        return ["--remove-keys", self.listed(gone)]

    def in_training(self):
        keys = {}
        for place in self.places():
            for path in (place / "manifests").iterdir():
                keys.update((line["key"], name_of(line)) for line in
                            map(json.loads, path.read_text().splitlines()))
        return keys

    def remove_speakers(self):
        speakers = sorted(set(self.in_training().values()))
        gone = set(self.chance.sample(speakers, min(len(speakers) // 8, self.chance.randint(1, 4))))
        self.out_of_training.update(key for key, speaker in self.samples.items() if speaker in gone)
        self.gone_speakers.update(gone)
        return ["--remove-speakers", self.listed(sorted(gone))]

    gone_speakers = frozenset()

    def refuse(self, of_others):
        """An addition of one of these speakers."""
        dataset, speaker = self.chance.choice(of_others).split("/")
        before = dict(self.samples)
        given = self.put(dataset, 3, [speaker])
        self.samples = before
        done = subprocess.run([sources.PROGRAM, "update", "out/train", "--add", given], cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        need(done.returncode != 0 and f"speaker {speaker} of {dataset} is in" in done.stderr,
             f"speaker {speaker} of {dataset} was not refused: {done.stderr}")
        self.refusals += 1


def fixed_cases():
    """The two that the first users met."""
    for what in ("260 samples are added", "one key is removed"):
        with tempfile.TemporaryDirectory(prefix="shardmill-updates-") as name:
            history = History(pathlib.Path(name), random.Random(5))
            history.make([history.put("a", 1500), history.put("b", 1620)], "--shards", 32)
            if what.startswith("one"):
                gone = history.chance.choice(sorted(history.samples))
                history.out_of_training.add(gone)
                command = ["--remove-keys", history.listed([gone])]
            else:
                command = ["--add", history.put("a", 260)]
            done = json.loads(check_call(history.folder, "update", "out", *command, "--json"))
            history.check("--decode")
            need(what.startswith("260") or done["shards"] == 32, f"{what}: {done['shards']} shards")
            print(f"{what}: {done['samples']} samples in {done['shards']} shards, {done['pending']} wait, audio times "
                  f"differ by {1000 * history.spread:.1f} ms", flush=True)


def mixed(folder, steps, seed):
    """A dataset without speakers."""
    history = History(folder, random.Random(seed))
    chance = history.chance
    history.make([history.put("a", 700), history.put("b", 500)], "--shards", 24)
    for step in range(steps):
        command = []
        if chance.random() < .6:
            dataset = chance.choice("abcd") if chance.random() < .7 else f"n{step}q"
            command += ["--add", history.put(dataset, int(300 ** chance.random()) + 1)]
        if not command or chance.random() < .4:
            command += history.remove_keys()
        history.update(*command)
        history.check(*(["--decode"] if step + 1 == steps else []))
    return history


def speakers_of(folder, split):
    return {name_of(line) for path in (folder / "out" / split / "manifests").iterdir()
            for line in map(json.loads, path.read_text().splitlines())}


def by_speaker(folder, steps, seed):
    """The three datasets of a split."""
    history = History(folder, random.Random(seed), ("train", "dev", "test"))
    history.gone_speakers = set()
    chance = history.chance
    speakers = [f"p{number:03}" for number in range(120)]
    history.make([history.put("a", 1500, speakers), history.put("b", 1200, speakers)], "--shards", 24,
                 "--split", "dev=400s,test=400s", "--split-by", "speaker")
    for step in range(steps):
        if chance.random() < .5:
            dataset = chance.choice("abc")
            of_others = speakers_of(folder, "dev") | speakers_of(folder, "test")
            named = [speaker for speaker in chance.sample(speakers, 6)
                     if f"{dataset}/{speaker}" not in history.gone_speakers | of_others]
            named += [f"s{step}n{number}" for number in range(chance.randint(1, 3))]
            history.refuse(sorted(of_others))
            history.update("--add", history.put(dataset, int(200 ** chance.random()) + 1, named), place="out/train")
        else:
            history.update(*(history.remove_keys() if chance.random() < .5 else history.remove_speakers()))
        history.check(*(["--decode"] if step + 1 == steps else []))
    return history


def main(steps=50, seed=1):
    misses = 0
    try:
        fixed_cases()
    except Miss as miss:
        misses += 1
        print(f"MISSED: {miss}")
    for what, run in (("without speakers", mixed), ("of a split by speaker", by_speaker)):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="shardmill-updates-"))
        try:
            done = run(folder, steps, seed)
        except Miss as miss:
            misses += 1
            print(f"MISSED: a history {what}, in {folder}: {miss}", flush=True)
            continue
        shutil.rmtree(folder)
        refused = f", {done.refusals} additions refused for their speakers" if done.splits else ""
        print(f"{steps} updates {what}, {done.kills} kills: {len(done.samples)} samples put in, "
              f"{len(done.out_of_training)} removed, the rest in training{refused}; audio times differ by "
              f"{1000 * done.spread:.1f} ms at most", flush=True)
    return misses > 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
