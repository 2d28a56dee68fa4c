"""That every command of README.md and docs/ works in a fresh copy of what the project ships, and every link leads
somewhere."""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import unittest

import harness
import pages

BUILD = pathlib.Path(os.environ.get("SHARDMILL_BUILD", pages.ROOT / "build/release"))
ALREADY_DONE = "scripts/build\n"  # by whoever runs this test
MAIN_EXAMPLE = re.compile(r"^shardmill repack .* --out mixed .*\n", re.MULTILINE)


def without_comments(block):
    return re.sub(r" +#.*", "", block)


class Commands(harness.Case):
    def setUp(self):
        super().setUp()
        shutil.copytree(pages.ROOT / "data", self.folder / "data")

    def run_in_copy(self, script, folder=None):
        folder = folder or self.folder
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                              env={**os.environ, "HOME": str(self.folder), "SHARDMILL": "shardmill",
                                   "PATH": f"{self.folder}/.local/bin:/usr/local/bin:/usr/bin:/bin",
                                   "PYTHONPATH": str(BUILD / "python")})
        self.assertEqual(done.returncode, 0, f"{script}\n{done.stdout.decode()}")
        return done.stdout.decode()

    def test_readme(self):
        blocks = pages.blocks(pages.README.read_text())
        self.assertGreater(len(blocks), 2)
        self.assertIn(ALREADY_DONE, blocks[0])
        (self.folder / "build").mkdir()
        (self.folder / "build/release").symlink_to(BUILD)
        for block in blocks:
            with self.subTest(block=block):
                self.run_in_copy(block.replace(ALREADY_DONE, ""))

    def test_docs(self):
        """Each page by itself, in a folder where the main example of README.md was run."""
        (self.folder / ".local/bin").mkdir(parents=True)
        (self.folder / ".local/bin/shardmill").symlink_to(harness.PROGRAM)
        example = MAIN_EXAMPLE.search(pages.README.read_text())[0]
        tried = 0
        for number, page in enumerate(pages.DOCS):
            blocks = pages.blocks(page.read_text())
            if not blocks or page.name == "start.md":
                continue
            folder = self.folder / str(number)
            shutil.copytree(self.folder / "data", folder / "data")
            self.run_in_copy(example, folder)
            for block in blocks:
                with self.subTest(page=page.name, block=block):
                    self.run_in_copy(block, folder)
                    tried += 1
        self.assertGreater(tried, 5)

    def test_the_first_hour(self):
        """docs/start.md, from nothing to an epoch of training, in at most six commands. All samples are used once."""
        (self.folder / ".local/bin").mkdir(parents=True)
        (self.folder / ".local/bin/shardmill").symlink_to(harness.PROGRAM)
        (self.folder / ".local/bin/python3").symlink_to(sys.executable)
        script = "".join(pages.blocks((pages.ROOT / "docs/start.md").read_text())).replace("\\\n", "")
        commands = script.splitlines()
        self.assertLessEqual(len(commands), 6, commands)
        said = [self.run_in_copy(command) for command in commands[:-1]]
        for module, paths in (("shardmill", "PYTHONPATH="), ("torch", "PYTHONPATH=no_torch")):
            self.write("no_torch/sitecustomize.py", b"import sys\nsys.modules['torch'] = None\n")
            with self.assertRaises(AssertionError) as broken:
                self.run_in_copy(f"{paths} {commands[-1]}")
            self.assertIn("1 != 0", str(broken.exception))
            self.assertIn("nothing was trained: ", str(broken.exception))
            self.assertRegex(str(broken.exception), rf"(No module named '|import of ){module}")
        if importlib.util.find_spec("torch") is None or not list((BUILD / "python/shardmill").glob("_native*")):
            self.skipTest("PyTorch is not installed, or the Python package not built")
        said.append(self.run_in_copy(commands[-1]))
        train = json.loads((self.folder / "speech/train/dataset.json").read_text())
        self.assertIn(f"1 epoch: {train['samples']} samples; loss on dev ", said[-1])
        losses = [float(loss) for loss in re.findall("loss ([0-9.]+)$", said[-1], re.MULTILINE)]
        self.assertGreater(len(losses), 5)
        self.assertLess(losses[-2], losses[0])

    def test_summary(self):
        """What the main example is shown to print, in both languages, except for the time it took."""
        for page in (pages.README, pages.CHINESE):
            text = page.read_text()
            shown = re.search(rf"{MAIN_EXAMPLE.pattern}```\n\n```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1]
            arguments = MAIN_EXAMPLE.search(text)[0].split()[1:]
            printed = self.shardmill(*arguments, "--force").out.decode()
            with self.subTest(page=page.name):
                self.assertEqual(re.sub(r"  time .*\n", "", shown), re.sub(r"  time .*\n", "", printed))

    @unittest.skipUnless(BUILD == pages.ROOT / "build/release", "the demo builds the release")
    def test_demo(self):
        demo = subprocess.run([pages.ROOT / "scripts/demo"], cwd="/", stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=600)
        self.assertEqual(demo.returncode, 0, demo.stderr.decode())
        self.assertIn(b"audio_000000003.tar", demo.stdout)


class Pages(harness.Case):
    def test_languages_are_in_step(self):
        english, chinese = pages.README.read_text(), pages.CHINESE.read_text()
        self.assertEqual(list(map(without_comments, pages.blocks(chinese))),
                         list(map(without_comments, pages.blocks(english))))
        self.assertEqual(len(pages.anchors(chinese)), len(pages.anchors(english)))
        self.assertLessEqual(set(pages.links(english)) - {pages.CHINESE.name}, set(pages.links(chinese)))

    def test_links(self):
        for page in [*pages.ROOT.glob("*.md"), *pages.DOCS, pages.ROOT / "src/README.md"]:
            for link in pages.links(page.read_text()):
                with self.subTest(page=page.name, link=link):
                    path, _, anchor = link.partition("#")
                    target = page.parent / path if path else page
                    self.assertTrue(target.is_file())
                    if anchor:
                        self.assertIn(anchor, pages.anchors(target.read_text()))

    def test_every_page_is_linked(self):
        linked = {(page.parent / link.partition("#")[0]).resolve()
                  for page in [pages.README, *pages.DOCS] for link in pages.links(page.read_text())}
        self.assertEqual(set(pages.DOCS) - linked, set())

    def test_archives_have_the_name_of_this_version(self):
        version, = re.findall(r"project\(shardmill VERSION (\S+)", (pages.ROOT / "CMakeLists.txt").read_text())
        for page in (pages.README, pages.CHINESE, *pages.DOCS):
            self.assertLessEqual(set(re.findall(r"shardmill-([0-9.]+)-linux", page.read_text())), {version}, page.name)

    def test_readme_takes_ten_minutes(self):
        for page in (pages.README, pages.CHINESE):
            self.assertLessEqual(len(page.read_text().splitlines()), 150, page.name)


class Claims(harness.Case):
    def test_measuring_a_loader(self):
        code = pages.blocks((pages.ROOT / "docs/loaders/README.md").read_text(), "python")[0]
        variables = {}
        exec(code, variables)

        def loader(slow_start=0.3, each=0.01):
            time.sleep(slow_start)
            while True:
                yield {"seconds": 4.0}
                time.sleep(each)
        option, value = variables["supply"](loader(), lambda batch: batch["seconds"], limit=0.5).split()
        self.assertEqual(option, "--supply")
        self.assertGreater(float(value.rstrip("x")), 100)  # 400x on an idle machine
        self.assertLessEqual(float(value.rstrip("x")), 401)
        self.write("a.tar", harness.shard())
        answer = self.shardmill("ranks", "a.tar", "-w", 1, "--need", "1x", option, value, "--json").out
        self.assertEqual(json.loads(answer)["supply"]["codecs"][0]["worker_speed"], float(value.rstrip("x")))

    def test_wids_reads_in_place(self):
        """Without cache_dir, or with another one, wids copies the shards."""
        found = re.findall(r"`wids\.ShardListDataset\((.*?)\)`",
                           (pages.ROOT / "docs/loaders/webdataset.md").read_text())
        self.assertEqual(found, ['"mixed/shardindex.json", cache_dir="mixed/shards"'])


class Formats(harness.Case):
    """That docs/formats.md describes each field that is there, and no other."""

    # What is made here has none of these.
    RARE = {"source_begin", "source_end", "source_channel", "file_bytes", "member", "samples_unknown"}
    MAPS = {"options", "versions", "left_out", "repeated_keys"}  # whose names are not fixed

    def setUp(self):
        super().setUp()
        shutil.copytree(pages.ROOT / "data", self.folder / "data")
        example = MAIN_EXAMPLE.search(pages.README.read_text())[0].split()[1:]
        self.shardmill(*example, "--audio", "wav", "--exclude", "*1",
                       "--index", ",".join(harness.all_forms()), "--parity", "1")
        self.shardmill("index", "mixed", "--index", "wids")
        self.shardmill("ranks", "mixed", "--world-size", 4)
        self.shardmill("report", "mixed")

    def inner_names(self, name, value):
        """The names of the members inside a field."""
        if isinstance(value, list):
            return set().union(*(self.inner_names(name, each) for each in value))
        if not isinstance(value, dict) or name in self.MAPS:
            return set()
        inside = set().union(*(self.inner_names(inner, each) for inner, each in value.items()))
        return inside if all(isinstance(each, dict) for each in value.values()) else inside | set(value)

    def check(self, heading, records):
        section = pages.section((pages.ROOT / "docs/formats.md").read_text(), heading)
        table = section[section.index("\n| "):].strip().partition("\n\n")[0]
        described = {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split(" | ")[0])}
        rare = self.RARE | ({"samples", "speaker", "audio_xxh3"} if heading == "rejects.jsonl" else set())
        self.assertEqual(described - rare, set().union(*records) - rare)
        for record in records:
            for name, value in record.items():
                for inner in self.inner_names(name, value):
                    self.assertTrue(f"`{inner}`" in section, inner)

    def test_fields(self):
        for heading, name in (("Manifests", "tarred_audio_manifest.json"), ("shards.jsonl", "shards.jsonl"),
                              ("rejects.jsonl", "rejects.jsonl")):
            with self.subTest(record=name):
                records = [json.loads(line) for line in (self.folder / "mixed" / name).read_text().splitlines()]
                if heading == "Manifests":
                    records += self.heard()
                self.assertGreater(len(records), 0)
                self.check(heading, records)
        for name in ("dataset.json", "run.json", "ranks/plan.json"):
            with self.subTest(record=name):
                records = [json.loads((self.folder / "mixed" / name).read_text())]
                if name == "dataset.json":
                    records += [self.updated(), self.split("train/dataset.json"), self.doubtful()]
                elif name == "run.json":
                    records.append(self.updated(name))
                self.check(name, records)
        with self.subTest(record="split.json"):
            self.check("split.json", [self.split("split.json")])

    def heard(self):
        """What manifests say of samples whose audio was listened to."""
        self.shardmill("repack", "data/example/english", "--out", "heard", "--shards", 1, "--quality",
                       "--on-duplicate-audio", "first")
        return [json.loads(line)
                for line in (self.folder / "heard/tarred_audio_manifest.json").read_text().splitlines()]

    def updated(self, name="dataset.json"):
        """What a record says after an update that left samples waiting."""
        if not (self.folder / "living").exists():
            self.shardmill("repack", "a=data/example/mandarin", "--out", "living", "--shards", 3)
            self.shardmill("update", "living", "--add", "b=data/example/english", "--rewrite-limit", "0")
        return json.loads((self.folder / "living" / name).read_text())

    def split(self, name):
        """What a record says of a dataset that was split and made even."""
        if not (self.folder / "sets").exists():
            self.shardmill("repack", "data/example/mandarin", "--out", "sets", "--shards", 3, "--split", "dev=2s",
                           "--split-by", "key",
                           "--even", "repeat")
        return json.loads((self.folder / "sets" / name).read_text())

    def doubtful(self):
        """What a record says after damage that showed only after samples were taken."""
        shard = next((self.folder / "mixed/shards").glob("*.tar")).read_bytes()
        packed = bytearray(harness.compress("gzip", shard))
        packed[-8] ^= 1  # of the checksum
        self.write("bad.tar.gz", packed)
        self.shardmill("repack", "bad.tar.gz", "--out", "kept", "--shards", 1, "--on-error", "skip",
                       "--max-rejects", "all")
        return json.loads((self.folder / "kept/dataset.json").read_text())

    def test_files(self):
        text = (pages.ROOT / "docs/formats.md").read_text()
        for name in self.names("mixed"):
            pattern = re.sub(r"shards/audio_0+\d(.*idx)", r"shards/X\1", name)
            pattern = re.sub(r"\b(0{4,5})\d\b", r"\g<1>0",
                             re.sub(r"_00000000\d", "_000000000", pattern)).replace("world-4", "world-8")
            pattern = pattern.replace("-of-00000", "-of-00004")
            pattern = re.sub(rf"^lhotse{self.folder}/.*", "lhotse/ROOT/…", pattern)
            pattern = re.sub(r"rank-\d", "rank-0", re.sub(r"amphion/\w+/", "", pattern))
            with self.subTest(file=name):
                self.assertTrue(f"`{pattern}`" in text)


if __name__ == "__main__":
    unittest.main()
