"""Format 1 is frozen: every command reads data/format_1, which shardmill 0.1.0 wrote. They are never made again."""
import hashlib
import json
import pathlib
import re
import shutil
import tarfile
import unittest

import harness

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "data/format_1"


def digest(folder):
    """Of all files below a folder, by their paths."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.rglob("*") if path.is_file()}


class Format1(harness.Case):
    COMMANDS = {"repack", "convert", "verify", "ranks", "inspect", "cat", "report", "doctor", "index", "update",
                "repair"}

    def setUp(self):
        super().setUp()
        shutil.copytree(GOLDEN, self.folder, dirs_exist_ok=True)

    def samples(self, dataset):
        """(dataset, key, hash of the audio, transcript) of each sample, in no order."""
        text = (self.folder / dataset / "tarred_audio_manifest.json").read_text(encoding="utf-8")
        return sorted((line["dataset"], line["key"], line["xxh3"], line["text"])
                      for line in map(json.loads, text.splitlines()))

    def good(self, *targets):
        result = json.loads(self.shardmill("verify", *targets, "--json").out)
        self.assertTrue(result["good"])
        return result

    def test_the_files_are_those_of_the_release(self):
        self.assertEqual(json.loads((GOLDEN / "plain/run.json").read_text())["versions"]["shardmill"], "0.1.0")
        everything = json.dumps(digest(GOLDEN), sort_keys=True).encode()
        self.assertEqual(hashlib.sha256(everything).hexdigest(),
                         "1ffc1b37937d930bf65b41565e3d974f5045a8efbf54cfb8377b580b0f456aaf")

    def test_every_command_is_here(self):
        help_text = self.shardmill("--help").out.decode()
        self.assertEqual(set(re.findall(r"^  (\w+) ", help_text, re.MULTILINE)), self.COMMANDS)

    def test_verify(self):
        self.assertEqual(self.good("plain", "--decode")["samples"], 7)
        self.assertEqual(self.good("split", "--decode")["samples"], 7)

    def test_inspect_report_ranks_and_doctor(self):
        looked = json.loads(self.shardmill("inspect", "plain", "--json").out)
        self.assertEqual(sum(dataset["samples"] for dataset in looked["datasets"]), 7)
        self.shardmill("report", "plain")
        self.assertIn("<html", (self.folder / "plain/report.html").read_text(encoding="utf-8"))
        plan = json.loads(self.shardmill("ranks", "plain", "--world-size", "2", "--json").out)
        self.assertEqual(plan["samples"], 7)
        self.shardmill("doctor", "plain", code=None)

    def test_cat_and_convert(self):
        for line in map(json.loads, (self.folder / "plain/tarred_audio_manifest.json").read_text().splitlines()):
            shard = self.folder / f"plain/shards/audio_{line['shard_id']:09}.tar"
            audio = self.shardmill("cat", shard, line["audio_filepath"]).out
            with tarfile.open(shard) as tar:
                self.assertEqual(audio, tar.extractfile(line["audio_filepath"]).read())
        self.shardmill("convert", "split/train", "--out", "converted", "--codec", "none")
        for shard in sorted(self.folder.glob("split/train/shards/*.zst")):
            plain = harness.decompress("zstd", shard.read_bytes())
            self.assertEqual(next(self.folder.glob(f"converted/**/{shard.stem}")).read_bytes(), plain)

    def test_repack(self):
        self.shardmill("repack", "plain", "--out", "again", "--shards", "3")
        self.good("again", "--against", "plain")
        self.assertEqual(self.samples("again"), self.samples("plain"))
        # The options that were recorded are understood: the same command finds its work done.
        self.shardmill("repack", "split/train", "split/dev", "--out", "whole", "--shards", "2")
        self.assertEqual(self.samples("whole"), sorted(self.samples("split/train") + self.samples("split/dev")))

    def test_index(self):
        self.shardmill("index", "plain", "--index", "energon,lhotse")
        self.shardmill("index", "plain", "--index", "wids,dali")  # they are there
        self.good("plain")

    def test_update(self):
        self.shardmill("repack", "split/dev", "--out", "more", "--shards", "1")
        before = self.samples("plain")
        self.shardmill("update", "plain", "--remove-keys", self.write("keys", before[0][1].encode() + b"\n"))
        self.good("plain")
        self.assertEqual(json.loads((self.folder / "plain/dataset.json").read_text())["samples"], 6)
        self.shardmill("update", "plain", "--add", "more", code=None)
        self.good("plain")

    def test_repair(self):
        whole = digest(self.folder / "plain")
        (self.folder / "plain/shards/audio_000000001.tar").unlink()
        self.shardmill("verify", "plain", code=1)
        self.shardmill("repair", "plain")
        self.good("plain")
        self.assertEqual(digest(self.folder / "plain"), whole)


if __name__ == "__main__":
    unittest.main()
