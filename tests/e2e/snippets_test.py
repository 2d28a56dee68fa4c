"""That what docs/loaders tells users of other projects to write works, with stand-ins that follow those projects'
rules."""
import contextlib
import csv
import io
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tarfile
import types
import unittest

import soundfile

import harness
import pages

try:
    import torch
except ImportError as missing:
    raise unittest.SkipTest(f"PyTorch is not installed, scripts/setup loaders does that ({missing})")

import wenet_reader


def page(name):
    return (pages.ROOT / "docs/loaders" / f"{name}.md").read_text()


def snippet(name, language, heading=None):
    found = pages.blocks(pages.section(page(name), heading), language)
    assert len(found) == 1, (name, language)
    return found[0]


def expand(pattern):
    """Braces, and what NeMo writes instead of them for Hydra's sake."""
    pattern = pattern.replace("_OP_", "{").replace("_CL_", "}")
    head, first, last, tail = re.fullmatch(r"(.*)\{(\d+)\.\.(\d+)\}(.*)", pattern).groups()
    return [f"{head}{number:0{len(first)}}{tail}" for number in range(int(first), int(last) + 1)]


def yaml_leaves(text):
    """The innermost "name: value" pairs of such YAML as is shown there."""
    pairs = (line.strip().partition(":")[::2] for line in text.splitlines())
    return {name: value.strip() for name, value in pairs if value.strip()}


class FakeWebDataset:
    """webdataset.WebDataset: samples are neighbours with the same base name up to the first dot."""

    def __init__(self, urls, shardshuffle, nodesplitter):
        self.urls, self.shardshuffle, self.nodesplitter = expand(urls), shardshuffle, nodesplitter
        self.stages = []

    def then(self, stage):
        self.stages.append(stage)
        return self

    def shuffle(self, size):
        def stage(samples):
            samples = list(samples)[:size]
            random.Random(0).shuffle(samples)
            return samples
        return self.then(stage)

    def rename(self, **names):
        def one(sample):
            renamed = {new: next(sample[old] for old in olds.split(";") if old in sample) for new,
                       olds in names.items()}
            return {**sample, **renamed}
        return self.then(lambda samples: map(one, samples))

    def to_tuple(self, *names):
        return self.then(lambda samples: (tuple(sample[name] for name in names) for sample in samples))

    def read(self):
        for url in self.nodesplitter(self.urls):
            with wenet_reader.opened(url) as stream, tarfile.open(fileobj=stream, mode="r|*") as archive:
                parts = ((re.match(r"^((?:.*/|)[^.]+)[.]([^/]*)$", each.name).groups(),
                          archive.extractfile(each).read())
                         for each in archive)
                for key, group in itertools.groupby(parts, key=lambda part: part[0][0]):
                    yield {"__key__": key, **{extension: data for (_, extension), data in group}}

    def __iter__(self):
        samples = self.read()
        for stage in self.stages:
            samples = stage(samples)
        return iter(samples)


class FakeDynamicItemDataset:
    """speechbrain.dataio.dataset.DynamicItemDataset."""

    @classmethod
    def from_json(cls, path, replacements):
        self = cls()
        with open(path) as file:
            self.rows = {key: {name: value.format_map(replacements) if isinstance(value, str) else value
                               for name, value in row.items()} for key, row in json.load(file).items()}
        self.items = {}
        return self

    @classmethod
    def from_csv(cls, path, replacements):
        self = cls()
        with open(path, newline="", encoding="utf-8") as file:
            rows = {row.pop("ID"): row for row in csv.DictReader(file, skipinitialspace=True)}
        self.rows = {key: {name: re.sub(r"\$([\w.]+)", lambda found: replacements[found[1]], value)
                           for name, value in row.items()} for key, row in rows.items()}
        self.items = {}
        return self

    def add_dynamic_item(self, function, takes, provides):
        self.items[provides] = lambda row: function(*(row[name] for name in takes))

    def set_output_keys(self, keys):
        self.keys = keys

    def __iter__(self):
        for key, row in self.rows.items():
            row = {"id": key, **row}
            yield {name: self.items[name](row) if name in self.items else row[name] for name in self.keys}


class Snippets(harness.Case):
    def setUp(self):
        super().setUp()
        shutil.copytree(pages.ROOT / "data", self.folder / "data")
        (self.folder / "shardmill").symlink_to(harness.PROGRAM)
        self.run_commands(re.search(r"^shardmill repack .* --out mixed .*$", pages.README.read_text(), re.MULTILINE)[0])
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        with open("mixed/tarred_audio_manifest.json") as manifest:
            self.rows = {row["key"]: row for row in map(json.loads, manifest)}
        self.texts = {key: row["text"] for key, row in self.rows.items()}
        self.assertEqual(len(self.texts), 29)

    def run_commands(self, commands):
        subprocess.run(["bash", "-euc", commands], cwd=self.folder, check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})

    def prepare(self, name):
        """Runs what the page says is to be done before training."""
        self.run_commands("".join(pages.blocks(page(name))))

    @contextlib.contextmanager
    def stand_in(self, **modules):
        for name, content in modules.items():
            parts = name.split("__")
            for depth in range(1, len(parts) + 1):
                sys.modules.setdefault(".".join(parts[:depth]), types.ModuleType(parts[depth - 1]))
            vars(sys.modules[".".join(parts)]).update(content)
        try:
            yield
        finally:
            for name in modules:
                parts = name.split("__")
                for depth in range(1, len(parts) + 1):
                    sys.modules.pop(".".join(parts[:depth]), None)

    def test_wenet(self):
        arguments = snippet("wenet", "text").split()
        self.assertEqual(arguments[arguments.index("--data_type") + 1], "shard")
        with open(arguments[arguments.index("--train_data") + 1]) as lines:
            dataset = wenet_reader.Shards(lines.read().splitlines())
        self.assertEqual({sample["key"]: sample["txt"] for sample in dataset}, self.texts)

    def webdataset_texts(self, code):
        variables = {}
        with self.stand_in(webdataset={"WebDataset": FakeWebDataset, "split_by_node": lambda urls: urls}):
            exec(code, variables)
        found = list(variables["dataset"])
        for key, audio, _ in found:
            self.assertEqual(soundfile.info(io.BytesIO(audio)).frames, self.rows[key]["frames"])
        return {key: text.decode().strip() for key, _, text in found}

    def test_webdataset(self):
        self.assertEqual(self.webdataset_texts(snippet("webdataset", "python")), self.texts)

    def test_webdataset_reads_zstd_by_a_pipe(self):
        code = snippet("webdataset", "python")
        pipe = re.search(r"`(pipe:zstd [^`]*)`", page("webdataset"))[1]
        self.shardmill("convert", "mixed", "--out", "zstd", "--codec", "zstd")
        code = code.replace('"mixed/shards/audio_{000000000..000000003}.tar"',
                            repr(pipe.replace("mixed/shards", "zstd")))
        self.assertIn("zstd -dc", code)
        self.assertEqual(self.webdataset_texts(code), self.texts)

    def test_nemo(self):
        options = yaml_leaves(snippet("nemo", "yaml"))
        self.assertEqual((options["is_tarred"], options["tarred_shard_strategy"]), ("true", "scatter"))
        with open(options["manifest_filepath"]) as manifest:
            rows = {os.path.splitext(row["audio_filepath"])[0]: row for row in map(json.loads, manifest)}
        found = {}
        for shard in expand(options["tarred_audio_filepaths"]):
            with tarfile.open(shard) as archive:
                for member in archive:
                    stem, extension = os.path.splitext(os.path.basename(member.name))
                    if extension in (".wav", ".flac", ".mp3"):  # VALID_FILE_FORMATS
                        sound = soundfile.info(io.BytesIO(archive.extractfile(member).read()))
                        self.assertAlmostEqual(rows[stem]["duration"], sound.duration, places=6)
                        found[stem] = rows[stem]["text"]
        self.assertEqual(found, self.texts)

    def test_lhotse(self):
        """LazyNeMoTarredIterator: numbers in the names bring manifests and shards together."""
        options = yaml_leaves(snippet("nemo", "yaml", "With Lhotse"))
        self.assertEqual(options["use_lhotse"], "true")

        def by_number(pattern, paths):
            return {int(re.search(pattern, path)[1]): path for path in paths}
        manifests = by_number(r"manifest[^/]*_(\d+)[^/]*\.json", expand(options["manifest_filepath"]))
        shards = by_number(r"audio[^/]*_(\d+)[^/]*\.tar", expand(options["tarred_audio_filepaths"]))
        self.assertEqual(set(manifests), set(shards))
        found = {}
        for number, manifest in manifests.items():
            with open(manifest) as lines:
                rows = {row["audio_filepath"]: row for row in map(json.loads, lines)}
            with tarfile.open(shards[number]) as archive:
                for member in archive:
                    if member.name not in rows:
                        self.assertEqual(options["skip_missing_manifest_entries"], "true")
                        continue
                    row = rows[member.name]
                    self.assertNotIn("offset", row)  # a start time
                    sound = soundfile.info(io.BytesIO(archive.extractfile(member).read()))
                    self.assertAlmostEqual(row["duration"], sound.duration, places=6)
                    found[row["key"]] = row["text"]
        self.assertEqual(found, self.texts)

    def test_speechbrain(self):
        self.check_speechbrain(snippet("speechbrain", "python"))

    def test_speechbrain_from_csv(self):
        code = snippet("speechbrain", "python").replace("from_json", "from_csv").replace(".json", ".csv")
        self.assertIn('from_csv("mixed/speechbrain.csv"', code)
        self.check_speechbrain(code)

    def check_speechbrain(self, code):
        self.prepare("speechbrain")
        variables = {}
        with self.stand_in(speechbrain__dataio__dataset={"DynamicItemDataset": FakeDynamicItemDataset}):
            exec(code, variables)
        found = list(variables["data"])
        self.assertEqual({sample["id"]: sample["wrd"] for sample in found}, self.texts)
        for sample in found:
            self.assertIsInstance(sample["sig"], torch.Tensor)
            self.assertEqual(len(sample["sig"]), self.rows[sample["id"]]["frames"])

    def test_amphion(self):
        """preprocess.py and cal_metadata(): all lists are there, and the samples in them; they are written back."""
        options = json.loads(snippet("amphion", "json"))
        self.prepare("amphion")
        os.chdir("mixed")
        self.assertEqual(set(options["dataset_path"]), set(options["dataset"]))
        preprocess = options["preprocess"]
        found = {}
        for dataset in options["dataset"]:
            folder = pathlib.Path(preprocess["processed_dir"]) / dataset
            singers = json.loads((folder / "singers.json").read_text())
            for name in {preprocess["train_file"], preprocess["valid_file"], "test.json"}:
                rows = json.loads((folder / name).read_text())
                for row in rows:
                    self.assertEqual(row["Dataset"], dataset)
                    self.assertIn(f"{dataset}_{row['Singer']}", singers)
                    self.assertAlmostEqual(soundfile.info(row["Path"]).duration, row["Duration"], places=6)
                    found[row["Uid"]] = row["Text"]
                (folder / name).write_text(json.dumps(sorted(rows, key=lambda row: row["Duration"]), indent=4))
        self.assertEqual(found, self.texts)
        self.shardmill("verify", self.folder / "mixed")


if __name__ == "__main__":
    unittest.main()
