"""`shardmill ranks --batch ...` against what the loaders' own code gave.

own_code.json holds the steps of all ranks, the padding and the waiting in epochs that the projects' own code ran
through, at the revisions named there: WeNet's Dataset() in workers that stay from epoch to epoch (3.0.0: new ones),
webdataset's DataPipeline with its splits, two shuffles and batched(), NeMo's _TarredAudioToTextDataset below PyTorch's
fetcher, and Lhotse's DynamicBucketingSampler on a Shar CutSet. They read tars and cuts with the samples of
shard_frames() in this order; lengths of features are those of torchaudio. Nothing of their splitting, shuffling and
batching was replaced. Only their seeds were given, as `ranks` takes them; spec_aug of WeNet 3.0.0, which draws from
the generator of its shuffle, was off, and no sample was filtered. own_code.py makes it again.
"""
import hashlib
import json
import pathlib
import re
import unittest

import harness
from steps_test import wav

RECORDED = json.loads((pathlib.Path(__file__).parent / "own_code.json").read_text())
RATE = 1000


def shard_frames(shards=24):
    """The lengths of the samples of each shard: 0.5 to 20 s, most of them short, in shards that differ by up to two
    samples."""
    number, result = 12345, []
    for shard in range(shards):
        result.append([])
        for _ in range(14 + shard % 3):
            number = (number * 1103515245 + 12345) % 2**31
            share = (number >> 8) % 10000 / 10000
            result[-1].append(500 + int(19500 * share**3))
    return result


class OwnCode(harness.Case):
    def setUp(self):
        super().setUp()
        shards = shard_frames()
        self.write("in/s.tar", harness.tar([(f"{number:04}.wav", wav(800)) for number in range(len(shards))]))
        self.shardmill("repack", "in", "--out", "out", "--shards", len(shards), "-q", "--allow-missing-text")
        # All that `ranks` knows of samples it knows from the manifests, once their sums fit.
        sums = self.folder / "out/SHA256SUMS"
        for path, frames in zip(sorted((self.folder / "out/manifests").iterdir()), shards, strict=True):
            sample = json.loads(path.read_text())
            path.write_text("".join(json.dumps({**sample, "frames": each, "sample_rate": RATE,
                                                "duration": each / RATE}) + "\n"
                                    for each in frames))
            sums.write_text(re.sub(rf"(?m)^\w+(?=  manifests/{path.name}$)",
                                   hashlib.sha256(path.read_bytes()).hexdigest(),
                                   sums.read_text()))

    def test_all(self):
        compared = set()
        for case in RECORDED["cases"]:
            worlds = [int(world) for world in case["epochs"]]
            told = json.loads(self.shardmill("ranks", "out", "--json", "--dry-run", "--loader", case["loader"],
                                             *case["options"],
                                             "-w", ",".join(map(str, worlds)), "-k", case["workers"],
                                             "--seed", case["seed"],
                                             "--epochs", RECORDED["epochs"]).out)
            for world, of_world in zip(worlds, told["world_sizes"], strict=True):
                with self.subTest(loader=case["loader"], options=case["options"], world=world):
                    found = of_world["loaders"][0]["steps"]["epochs"]
                    for epoch, (steps, padding, waiting) in zip(found, case["epochs"][str(world)], strict=True):
                        self.assertEqual(epoch["steps"], steps)
                        self.assertAlmostEqual(epoch["padding_share"], padding, 9)
                        self.assertAlmostEqual(epoch["idle_share"], waiting, 9)
                    compared.add((case["loader"], world))
        self.assertEqual(compared, {(loader, world) for loader in ("wenet", "wenet-old", "webdataset", "nemo", "lhotse")
                                    for world in range(1, 9)})

    def test_bins_of_lhotse(self):
        for buckets, bins in RECORDED["bins"].items():
            told = json.loads(self.shardmill("ranks", "out", "-w", 1, "--dry-run", "--json", "--buckets", buckets).out)
            self.assertEqual(told["bucket_duration_bins"], bins)


if __name__ == "__main__":
    unittest.main()
