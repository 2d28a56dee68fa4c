#!/usr/bin/env python3
"""Reads random datasets with steps="equal" on all ranks, and counts what is not as it should be.

    equal_steps.py [CASES] [SEED]       100 datasets, each read in three ways; seed 1

Datasets have 1 to 64 shards, plain or zstd, of 3 to 300 samples with lognormal lengths, for 2 to 8 ranks of 0 to 4
workers: batches of samples, of frames, and of frames with buckets. In each of EPOCHS epochs
  - all ranks have the same number of batches: as many as the one that has the most on its own, but no more than the one
    with the fewest samples has samples;
  - no sample comes twice, and none is lost that left_out() does not count;
  - a rank leaves out no more samples than its largest batch has;
  - what is left out is not the same in all epochs, unless so few samples leave no choice;
  - for one rank, the processes of a DataLoader give the batches that were found for its workers.
All else is a miss, and is printed with its parameters. So are refusals: fewer shards than ranks are an error.
docs/python.md tells of these, and that ranks leave samples out if another one has fewer samples than there are steps:
this can be more than a batch where batches are tiny. The exit code is 1 if there is any miss.

The last line says how many samples that were left out in an epoch were so again in the next one, and how many would be
if chance alone chose them. Whole shards are left out at a time, so only many cases tell.
"""
import collections
import itertools
import math
import pathlib
import random
import sys
import tempfile
import warnings

import sources

sys.path.insert(0, str(sources.PACKAGE))
from batch_oracle import in_turn  # noqa: E402
from shardmill.torch import ShardDataset  # noqa: E402

RATE = 100  # so that seconds take few bytes
EPOCHS = 4


def key_of(sample):
    return sample.key


def make_dataset(folder, chance):
    """Returns what it is like, and the keys of its samples."""
    shards = chance.randint(1, chance.choice((8, 64, 64)))
    like = {"shards": shards, "samples": int(shards * 3 * 100 ** chance.random()) + chance.randrange(shards),
            "codec": chance.choice(("none", "none", "zstd")), "median": round(math.exp(chance.uniform(-1, 2.5)), 2),
            "sigma": round(chance.uniform(0.1, 1.2), 2)}
    keys = [f"utt{number:05}" for number in range(like["samples"])]

    def frames():
        return max(1, min(60 * RATE, int(RATE * chance.lognormvariate(math.log(like["median"]), like["sigma"]))))

    members = ((f"{key}.wav", sources.wav(chance.randbytes(frames()), RATE)) for key in keys)
    sources.write_tar(folder / "in.tar", members)
    sources.shardmill(folder, "repack", "in.tar", "--out", "out", "--shards", like["shards"], "--codec", like["codec"],
                      "--allow-missing-text")
    return like, set(keys)


def ways(chance, like):
    """Batches of about 1 to 60 samples."""
    def frames():
        return max(1, int(100 * like["median"] * 60 ** chance.random()))

    bounds = sorted({round(0.01 + like["median"] * math.exp(like["sigma"] * chance.gauss(0, 1)), 2)
                     for _ in range(chance.randint(1, 30))})
    return ({"batch_size": int(60 ** chance.random())}, {"batch_frames": frames()},
            {"batch_frames": frames(), "buckets": bounds})


def some_ranks(chance, shards):
    """Half of the time only numbers that divide the shards, if there are any."""
    divide = [ranks for ranks in range(2, 9) if shards % ranks == 0]
    return divide if divide and chance.random() < 0.5 else range(2, 9)


def lanes_of(dataset, epoch, workers):
    """The batches of each worker, without processes for them."""
    return [[list(map(key_of, batch)) for batch in dataset._plan.read(epoch, 0, worker, max(1, workers))]
            for worker in range(max(1, workers))]


def of_loader(dataset, epoch, workers):
    dataset._decode = key_of
    loader = dataset.loader(num_workers=workers)
    loader.set_epoch(epoch)
    return list(loader)


def look(root, keys, how, ranks, workers, chance, again):
    """Yields each miss: what kind it is, and more of it. `again` counts what is left out in two epochs."""
    def datasets(steps):
        return [ShardDataset(root, rank=rank, world_size=ranks, steps=steps, **how) for rank in range(ranks)]

    try:
        equal, own = datasets("equal"), datasets("all")
    except ValueError as failure:
        yield "refused", str(failure).rpartition(": ")[2]
        return
    left = []
    asked = chance.randrange(ranks), chance.randrange(EPOCHS)
    for epoch in range(EPOCHS):
        came = collections.Counter()
        steps, samples, own_samples = [], [], []
        for rank, (dataset, alone) in enumerate(zip(equal, own)):
            batches = [batch for _, batch in in_turn(lanes_of(dataset, epoch, workers))]
            steps.append(len(batches))
            samples.append(sum(map(len, batches)))
            came.update(itertools.chain.from_iterable(batches))
            own_samples.append(samples[-1] + dataset.left_out(workers, epoch))
            largest = max(map(len, batches), default=0)
            if own_samples[-1] - samples[-1] > largest:
                yield "more than a batch left out", (f"epoch {epoch}, rank {rank}: {own_samples[-1] - samples[-1]} of "
                                                     f"{own_samples[-1]} samples, and the largest batch has {largest}")
            if not all(batches):
                yield "empty batch", f"epoch {epoch}, rank {rank}"
            if (rank, epoch) == asked and of_loader(dataset, epoch, workers) != batches:
                yield "the DataLoader gives other batches", f"epoch {epoch}, rank {rank}"
        alone = [dataset.steps(workers, epoch) for dataset in own]
        if len(set(steps)) > 1:
            yield "unequal steps", f"epoch {epoch}: {steps}"
        if steps[0] != min(max(alone), min(own_samples)):
            yield "other steps", f"epoch {epoch}: {steps[0]}, alone {alone}, samples {own_samples}"
        if came and max(came.values()) > 1:
            yield "a sample twice", f"epoch {epoch}: {came.most_common(1)}"
        if set(came) - keys:
            yield "an unknown sample", f"epoch {epoch}"
        left.append(frozenset(keys - set(came)))
        if len(left[-1]) != sum(own_samples) - sum(samples):
            yield "a lost sample", f"epoch {epoch}: {len(left[-1])}, and {sum(own_samples) - sum(samples)} left out"
    for before, after in zip(left, left[1:]):
        again["found"] += len(before & after)
        again["by chance"] += len(before) * len(after) / len(keys)
    choices = math.comb(len(keys), len(left[0])) ** (EPOCHS - 1)
    if left[0] and len(set(left)) == 1 and choices > 1e6:
        yield "the same ones left out in all epochs", f"{len(left[0])} samples"


def main(cases=100, seed=1):
    warnings.simplefilter("ignore")  # of samples that are left out, and of workers that are more than the cores
    readings, found, again = 0, collections.Counter(), collections.Counter()
    for case in range(cases):
        chance = random.Random(f"{seed} {case}")
        with tempfile.TemporaryDirectory(prefix="shardmill-steps-") as name:
            folder = pathlib.Path(name)
            like, keys = make_dataset(folder, chance)
            for how in ways(chance, like):
                ranks, workers = chance.choice(some_ranks(chance, like["shards"])), chance.randint(0, 4)
                how.update(seed=chance.randrange(100), shuffle_buffer=chance.choice((1, 30, 1000, 1000)))
                kinds = collections.defaultdict(list)
                for kind, more in look(folder / "out", keys, how, ranks, workers, chance, again):
                    kinds[kind].append(more)
                readings += 1
                found.update(kinds.keys())
                for kind, more in kinds.items():
                    print(f"case {case}: {kind}: {more[0]}" + (f", and {len(more) - 1} more" if more[1:] else ""))
                    print(f"    {like}, {ranks} ranks x {workers} workers, {how}", flush=True)
    print(f"{cases} datasets, {readings} readings of {EPOCHS} epochs: {sum(found.values())} misses")
    for kind, count in found.most_common():
        print(f"    {kind}: {count}")
    print(f"left out again in the next epoch: {again['found']} samples, and {again['by chance']:.0f} by chance")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
