"""`shardmill report`: that the page is sound, needs nothing else, and its figures are those of the records."""
import collections
import html.parser
import io
import json
import math
import random
import re
import shutil
import statistics
import subprocess
import unittest
import xml.etree.ElementTree

import numpy
import soundfile

import harness
import synthetic_dataset

HOSTILE = "<b onload=alert(1)>&\"'\u202e\x1b"
DATASETS = (("aishell2", 40, 3.6), ("librispeech", 30, 12.3), ("cstal", 14, 6.0))
CHROMIUM = shutil.which("chromium")


def roomy(root):
    """The charts, each once: wide ones come again for narrow windows."""
    return [svg for svg in root.iter("svg") if svg.get("class") != "slim"]


class Tags(html.parser.HTMLParser):
    """All tags and attributes, as an HTML parser sees them."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = collections.Counter(), set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags[tag] += 1
        self.attributes |= {name for name, _ in attributes}


class Page:
    """The page as XML, which it is too."""

    def __init__(self, data):
        self.text = data.decode()
        self.html = Tags(self.text)
        self.root = xml.etree.ElementTree.fromstring(self.text.removeprefix("<!DOCTYPE html>\n"))

    def charts(self):
        return [(svg.get("aria-label"), [title.text for title in svg.iter("title")]) for svg in roomy(self.root)]

    def chart(self, about):
        return next(titles for label, titles in self.charts() if label.startswith(about))

    def rows(self, *headings):
        """The rows of the table that begins with these headings."""
        for table in self.root.iter("table"):
            if [cell.text or "" for cell in table.iter("th")][:len(headings)] == list(headings):
                return [["".join(cell.itertext()) for cell in row.iter("td")] for row in table.find("tbody").iter("tr")]
        raise AssertionError(f"no table {headings}")

    def words(self):
        return " ".join("".join(self.root.find("body").itertext()).split())


def exact(seconds):
    return f"{math.floor(seconds * 1000 + 0.5) / 1000:,.3f} s"


class Report(harness.Case):
    def report(self, folder="out", *arguments):
        result = json.loads(self.shardmill("report", folder, "--json", *arguments).out)
        data = (self.folder / result["out"]).read_bytes()
        self.assertEqual(result["bytes"], len(data))
        self.check_sound(data)
        return Page(data)

    def check_sound(self, data):
        self.assertLess(len(data), 1_000_000)
        page = Page(data)
        self.assertNotRegex(page.text, r"(?i)https?:|@import|url\(|//\w+\.\w")
        self.assertFalse({"script", "link", "iframe", "object", "img", "b"} & set(page.html.tags), page.html.tags)
        self.assertFalse([name for name in page.html.attributes if name.startswith("on") or name in ("href", "src")])
        self.assertFalse(re.search("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e]", page.text))

    def records(self, folder="out"):
        def read(name):
            with open(self.folder / folder / name, encoding="utf-8") as lines:
                return [json.loads(line) for line in lines]
        return read("shards.jsonl"), read("tarred_audio_manifest.json")

    def check_shards(self, page, shards):
        titles = page.chart("Audio per shard")
        self.assertEqual(titles, [f"shard {number}: {exact(shard['seconds'])}" for number, shard in enumerate(shards)])
        mean = statistics.fmean(shard["seconds"] for shard in shards)
        for number, title in enumerate(page.chart("How far each shard")):
            off = float(re.fullmatch(rf"shard {number}: ([-+][0-9.]+) ms", title)[1])
            self.assertAlmostEqual(off, (shards[number]["seconds"] - mean) * 1e3, delta=0.001)

    def check_sources(self, page, samples):
        sources = collections.defaultdict(list)
        for sample in samples:
            sources[sample["source"]].append(sample)
        self.assertEqual(set(page.chart("Audio per source shard")),
                         {f"{path}: {exact(synthetic_dataset.seconds_sum(own))}" for path, own in sources.items()})

    def check_datasets(self, page, shards, samples):
        total = sum(shard["seconds"] for shard in shards)
        rows = {row[0]: row for row in page.rows("dataset", "samples", "audio")}
        lengths = {row[0]: row for row in page.rows("dataset", "samples", "shortest")}
        for name in {sample["dataset"] for sample in samples}:
            durations = sorted(sample["duration"] for sample in samples if sample["dataset"] == name)
            self.assertEqual(rows[name][1], f"{len(durations):,}")
            self.assertAlmostEqual(float(rows[name][3].rstrip("%")), 100 * sum(durations) / total, delta=0.05)
            shortest, median, mean, _, longest = (float(cell.removesuffix(" s")) for cell in lengths[name][2:])
            self.assertAlmostEqual(shortest, durations[0], delta=0.00501)
            self.assertAlmostEqual(longest, durations[-1], delta=0.00501)
            self.assertAlmostEqual(mean, statistics.fmean(durations), delta=0.00501)
            self.assertAlmostEqual(median, durations[(len(durations) - 1) // 2] // 0.01 * 0.01, delta=0.0101)
            self.check_histogram(page.chart(f"How long the samples of {name} are"), durations)

    def check_histogram(self, titles, durations):
        counted = 0
        for title in titles:
            low, high, count = re.match(r"([\d.]+) s (?:to ([\d.]+) s|or longer): ([\d,]+) sample", title).groups()
            count = int(count.replace(",", ""))
            self.assertEqual(count, sum(float(low) <= each < float(high or "inf") for each in durations), title)
            counted += count
        self.assertEqual(counted, len(durations))

    def check_mix(self, page, shards):
        for title, shard in zip(page.chart("The share of each dataset"), shards, strict=True):
            for name, share in shard["datasets"].items():
                shown = float(re.search(rf"\b{name} ([\d.]+)%", title)[1])
                self.assertAlmostEqual(shown, 100 * share["seconds"] / shard["seconds"], delta=0.05)

    def repack(self):
        for name, first in (("one", 0), ("two", 20)):
            for part, count in ((0, 3), (1, 7)):
                self.write(f"{name}/{name}_{part}.tar",
                           harness.shard(first + 10 * part, count, "wav" if part else "flac"))
        self.shardmill("repack", "one=one", "two=two", "--out", "out", "--shards", 4)

    def test_figures_of_a_repacked_dataset(self):
        self.repack()
        page = self.report()
        shards, samples = self.records()
        self.check_shards(page, shards)
        self.check_sources(page, samples)
        self.check_datasets(page, shards, samples)
        self.check_mix(page, shards)
        self.assertEqual({(row[0], int(row[3])) for row in page.rows("format")}, {("wav/pcm16", 14), ("flac/pcm16", 6)})
        self.assertIn("Nothing was left out.", page.words())
        run = json.loads((self.folder / "out/run.json").read_bytes())
        self.assertIn(run["command"], page.words())
        self.assertIn(["--codec", "none"], page.rows("option"))
        self.shardmill("verify", "out")

    def test_figures_of_many_samples(self):
        shards = synthetic_dataset.dealt(32, 150, DATASETS)
        rejects = [{"dataset": "cstal", "source": "/data/x.tar", "key": f"k{i}",
                    "reason": "no_text" if i % 3 else "too_long",
                    "problem": f"problem {i}"} for i in range(1234)]
        synthetic_dataset.write(self.folder / "out", shards, rejects)
        page = self.report()
        records, samples = self.records()
        self.check_shards(page, records)
        self.check_sources(page, samples)
        self.check_datasets(page, records, samples)
        self.check_mix(page, records)
        left_out = {row[0]: row[1:] for row in page.rows("reason")}
        self.assertEqual({reason: row[0] for reason, row in left_out.items()}, {"no_text": "822", "too_long": "412"})
        self.assertIn("k0 in /data/x.tar: problem 0", left_out["too_long"][1])
        self.assertNotIn("problem 9", left_out["too_long"][1], "only the first ones")

    def test_any_sample_rate_that_verify_calls_good(self):
        choose = random.Random(11)
        rates = [4000, 8000, 11025, 16000, 22050, 24000, 44100, 48000, 96000, 192000]
        rates += [choose.randint(4000, 192_000) for _ in range(30)]
        members = []
        for number, rate in enumerate(rates):
            for copy in range(3):
                frames = numpy.zeros(choose.randint(1, rate), numpy.int16)
                out = io.BytesIO()
                soundfile.write(out, frames, rate, format="WAV", subtype="PCM_16")
                members += [(f"r{number:03}x{copy}.txt", b"word"), (f"r{number:03}x{copy}.wav", out.getvalue())]
        self.write("mixed.tar", harness.tar(members))
        self.write("other.tar", harness.tar(members[-30:]))
        self.shardmill("repack", "mixed.tar", "other=other.tar", "--on-duplicate", "rename", "--out", "out",
                       "--shards", 3)
        self.shardmill("verify", "out")
        page = self.report()
        shards, samples = self.records()
        self.check_shards(page, shards)
        self.check_sources(page, samples)

    def test_cells_of_narrow_pages_say_their_heading(self):
        self.repack()
        self.write("bad.tar", harness.tar([("x.txt", b"x"), ("x.wav", b"no audio")]))
        self.shardmill("repack", "one", "bad.tar", "--out", "rejects", "--shards", 1, "--on-error", "skip",
                       "--max-rejects", 9)
        tables = 0
        for folder in ("out", "rejects"):
            page = self.report(folder)
            self.assertRegex(page.text,
                             r"max-width: 480px\) \{[^@]*thead \{ display: none; \}[^@]*attr\(data-heading\)")
            for table in page.root.iter("table"):
                headings = [cell.text or "" for cell in table.iter("th")]
                for row in table.find("tbody").iter("tr"):
                    self.assertEqual([cell.get("data-heading") for cell in row.iter("td")], headings)
                tables += 1
        self.assertGreater(tables, 8)

    def test_ranks_where_they_were_planned(self):
        self.repack()
        self.assertIn("4 shards divide evenly among 1, 2, 4 readers", self.report().words())
        self.shardmill("ranks", "out", "--world-size", "2,4", "--quiet")
        page = self.report()
        plan = json.loads((self.folder / "out/ranks/plan.json").read_bytes())
        for world in plan["world_sizes"]:
            self.assertEqual(page.chart(f"Audio of each of {world['world_size']} ranks"),
                             [f"rank {number}: {exact(rank['seconds'])}" for number, rank in enumerate(world["ranks"])])
        self.assertEqual([row[:2] for row in page.rows("ranks")], [["2", "2"], ["4", "1"]])
        plan["samples"] += 1
        self.write("out/ranks/plan.json", synthetic_dataset.sealed(plan))
        self.fails("report", "out", says=("plan.json", "other shards"))

    def test_steps_where_batches_are_known(self):
        self.repack()
        self.assertIn("--world-size 8 --batch 16", self.report().words())
        options = ["--world-size", "1,2", "--epochs", 3, "--batch", 3]
        page = self.report("out", *options)
        told = json.loads(self.shardmill("ranks", "out", "--dry-run", "--json", *options).out)
        rows = page.rows("loader", "ranks", "workers a rank")
        self.assertEqual(len(rows), 8)
        found = [(world["world_size"], loader) for world in told["world_sizes"]
                 for loader in world["loaders"] if "steps" in loader]
        for row, (ranks, loader) in zip(rows, found, strict=True):
            steps = loader["steps"]
            self.assertEqual(row[:3], [loader["loader"], str(ranks), "1"])
            fewest, most = (edge(edge(epoch["steps"]) for epoch in steps["epochs"]) for edge in (min, max))
            self.assertEqual(row[3], (f"{fewest} to " if fewest != most else "") + f"{most} step" + "s" * (most != 1))
            padding = statistics.fmean(epoch["padding_share"] for epoch in steps["epochs"])
            self.assertAlmostEqual(float(row[5].rstrip("%")), 100 * padding, delta=0.06)
            titles = page.chart(f"Steps of each epoch with {loader['loader']}, {ranks} rank")
            for title, epoch in zip(titles, steps["epochs"], strict=True):
                self.assertIn(f"{max(epoch['steps'])} step", title)
        self.assertEqual(len(page.chart("Padding of the batches")), 8)
        self.shardmill("verify", "out")
        self.report("out", "--world-size", 2, "--batch-duration", "5s", "--loader", "lhotse", "--buckets", 3)

    def test_buckets(self):
        self.repack()
        page = self.report("out", "--world-size", 1, "--buckets", 5)
        told = json.loads(self.shardmill("ranks", "out", "--dry-run", "--json", "-w", 1, "--buckets", 5).out)
        titles = page.chart("The share of each bucket")
        self.assertEqual(len(titles), len(told["buckets"]))
        for title, bucket in zip(titles, told["buckets"]):
            shares = [float(share) for share in re.findall(r"([\d.]+)% of the", title)]
            self.assertAlmostEqual(shares[0], 100 * bucket["sample_share"], delta=0.06)
            self.assertAlmostEqual(shares[1], 100 * bucket["audio_share"], delta=0.06)
        bins = ", ".join(str(numpy.round(bin, 5)) for bin in told["bucket_duration_bins"])
        self.assertIn(f"bucket_duration_bins=[{bins}]", page.words())

    def test_wrong_use_of_batches(self):
        self.repack()
        for options, says in ((("--batch", 3), "--world-size is missing"),
                              (("--world-size", 2), "the kind of batches is missing"),
                              (("--world-size", 2, "--batch", 3, "--loader", "lhotse"), "lhotse")):
            self.assertIn(says, self.shardmill("report", "out", *options, code=2).err)
        self.assertFalse((self.folder / "out/report.html").exists())

    def test_several_folders_on_one_scale(self):
        self.repack()
        folders = [f"v{number}" for number in range(10)]
        for number, folder in enumerate(folders):
            self.shardmill("repack", "one=one", "two=two", "--out", folder, "--shards", 1 + number % 5)
        self.assertIn("--out FILE", self.shardmill("report", *folders, code=2).err)
        self.assertIn("one DIR",
                      self.shardmill("report", "v0", "v1", "--out", "all.html", "--world-size", 1, "--batch", 2,
                                     code=2).err)
        result = json.loads(self.shardmill("report", *folders, "--out", "all.html", "--json").out)
        data = (self.folder / "all.html").read_bytes()
        self.assertEqual(result["bytes"], len(data))
        self.check_sound(data)
        page = Page(data)
        rows = page.rows("folder", "audio", "samples")
        self.assertEqual([row[0] for row in rows], folders)
        for number, (row, folder) in enumerate(zip(rows, folders)):
            shards, samples = self.records(folder)
            self.assertEqual(row[2:4], [f"{len(samples):,}", str(1 + number % 5)])
            self.assertEqual(page.chart(f"Audio of each shard of {folder}"),
                             [f"shard {i}: {exact(shard['seconds'])}" for i, shard in enumerate(shards)])
        # The same marks stand on the axes of all charts of a kind.
        axes = {}
        for svg in roomy(page.root):
            kind = svg.get("aria-label").split(" of ")[0]
            axes.setdefault(kind, set()).add(tuple(text.text for text in svg.iter("text") if text.get("class") == "y"))
        self.assertEqual({kind: len(marks) for kind, marks in axes.items()}, {kind: 1 for kind in axes})
        self.assertEqual(sum(1 for _ in roomy(page.root)), 20)
        self.assertEqual(self.shardmill("report", *folders, "--out", "all.html", "--json").code, 0)
        self.assertEqual((self.folder / "all.html").read_bytes(), data)
        self.fails("report", "v0", "v1", "--out", "v1/shards.jsonl", says="is a file of a dataset")
        self.fails("report", "v0", "none", "--out", "all.html", says="no such folder")

    def test_hostile_texts(self):
        key = HOSTILE + "</title><script>alert(1)</script>"
        shards = [[synthetic_dataset.sample(f"k{i}", f"a{HOSTILE}{i % 2}", f"/x/{HOSTILE}{i}.tar.bz2", 16000 + i,
                                            i // 3)
                   for i in range(first, first + 3)] for first in (0, 3)]
        reject = {"dataset": HOSTILE, "source": key, "key": key, "member": key, "reason": "bad_audio", "problem": key}
        synthetic_dataset.write(self.folder / "out<i>", shards, [reject],
                                [{"dataset": HOSTILE, "path": key, "files": 1, "bytes": 1}], f"repack </code>{key}")
        page = self.report("out<i>")
        seen = HOSTILE.replace("\u202e", "\\u202e").replace("\x1b", "\\x1b")
        self.assertIn(f"{seen}</title><script>", page.words())
        self.assertEqual(page.root.find("body/main/header/h1").text, "out<i>")
        self.assertEqual([title.split(":")[0] for title in page.chart("Audio per source shard")],
                         [f"/x/{seen}{i}.tar.bz2" for i in (0, 2, 4, 1, 3, 5)])

    def test_recordings_are_no_shards(self):
        shards = [[synthetic_dataset.sample(f"k{i}", "x", f"/x/{i}.wav", 16000 + i, 0) for i in range(3)]]
        synthetic_dataset.write(self.folder / "out", shards)
        self.assertNotIn("Before repacking", self.report().words())

    def test_many_datasets_and_one_shard(self):
        names = [f"set{number:02}" for number in range(12)]
        shard = [synthetic_dataset.sample(f"{name}-{i}", name, f"/x/{name}.tar", 16000 * (number + 1), 0)
                 for number, name in enumerate(names) for i in range(2)]
        synthetic_dataset.write(self.folder / "out", [shard])
        page = self.report()
        self.assertEqual(page.chart("Audio per shard"), ["shard 0: 156.000 s"])
        self.assertIn("There is one shard, with 156.000 s (2.6 min) of audio.", page.words())
        colours = [span.get("class") for span in page.root.find(".//ul[@class='legend']").iter("span")]
        self.assertEqual(colours, [f"swatch d{number}" for number in range(7)] + ["swatch dx"])
        self.assertIn("5 others", page.words())
        self.assertEqual([row[0] for row in page.rows("dataset", "samples", "audio")], names)
        self.assertEqual(page.rows("dataset", "samples", "shortest")[-1][:3], ["5 others", "10", "1.00 s"])

    def test_ten_thousand_shards(self):
        synthetic_dataset.write(self.folder / "out", synthetic_dataset.dealt(10_000, 4, DATASETS[:2]))
        page = self.report()
        shards, _ = self.records()
        self.assertLess(len(page.text.encode()), 1_000_000)
        seconds = [shard["seconds"] for shard in shards]
        titles = page.chart("Audio per shard")
        self.assertLessEqual(len(titles), 200)
        shown = []
        for title in titles:
            numbers = re.fullmatch(r"shards (\S+) to (\S+): (\S+) s to (\S+) s, mean (\S+) s", title).groups()
            first, last, low, high, mean = (float(number.replace(",", "")) for number in numbers)
            within = seconds[int(first):int(last) + 1]
            for figure, expected in ((low, min(within)), (high, max(within)), (mean, statistics.fmean(within))):
                self.assertAlmostEqual(float(figure), expected, delta=0.000501)
            shown += range(int(first), int(last) + 1)
        self.assertEqual(shown, list(range(10_000)))

    def test_where_it_is_written(self):
        self.repack()
        first = self.shardmill("report", "out")
        self.assertTrue(first.out.startswith(b"out/report.html  "), first.out)
        page = (self.folder / "out/report.html").read_bytes()
        self.shardmill("report", "out/", "--out", "elsewhere.html", "-j1", "--quiet")
        self.assertEqual((self.folder / "elsewhere.html").read_bytes(), page, "the same, however many threads")
        for name in ("dataset.json", "run.json", "data.list", "SHA256SUMS", "shards/x.html", "ranks/x",
                     "x/../shards.jsonl"):
            self.fails("report", "out", "--out", "out/" + name, says="a file of the dataset", code=2)
        self.fails("report", "out", "--out", "missing/x.html", says="missing/x.html")
        self.shardmill("verify", "out")
        self.shardmill("repack", "one", "two", "--out", "out", "--shards", 2, "--force")
        self.assertFalse((self.folder / "out/report.html").exists(), "it told of the older dataset")

    def test_what_is_no_sound_dataset(self):
        self.fails("report", says="no DIR given", code=2)
        self.fails("report", "missing", says=("missing", "no such folder"))
        self.write("empty/x", b"")
        self.fails("report", "empty", says="there is no dataset.json")
        synthetic_dataset.write(self.folder / "out", synthetic_dataset.dealt(3, 9, DATASETS))
        manifest = self.folder / "out" / synthetic_dataset.manifest_name(1)
        lines = manifest.read_bytes().splitlines(keepends=True)
        for damaged, says in ((lines[:-1], "shards.jsonl says"), (lines[:-1] + [lines[-1][:-1]], "the file was cut"),
                              (lines[:-1] + [b"{}\n"], "line 9"),
                              ([re.sub(rb'"duration": [^,]*', b'"duration": 1e300', lines[0])], "impossible duration"),
                              ([re.sub(rb'"sample_rate": [^,]*', b'"sample_rate": 0', lines[0])],
                               "impossible duration")):
            manifest.write_bytes(b"".join(damaged))
            self.fails("report", "out", says=("manifest_000000001.json", says))
        manifest.unlink()
        self.fails("report", "out", says="manifest_000000001.json")
        manifest.write_bytes(b"".join(lines))
        self.report()
        (self.folder / "out/dataset.json").unlink()
        self.fails("report", "out", says="there is no dataset.json")
        self.assertNotIn("out/report.html.part", self.names())

    @unittest.skipUnless(CHROMIUM, "chromium is not installed")
    def test_opens_in_a_browser(self):
        synthetic_dataset.write(self.folder / "out", synthetic_dataset.dealt(32, 30, DATASETS))
        self.report()
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
                   f"--user-data-dir={self.folder}/profile", "--window-size=1200,3000"]
        pictures = []
        for scheme in ("0", "1"):  # dark and light
            picture = self.folder / f"{scheme}.png"
            subprocess.run([*command, f"--blink-settings=preferredColorScheme={scheme}", f"--screenshot={picture}",
                            f"file://{self.folder}/out/report.html"], check=True, capture_output=True, timeout=120)
            pictures.append(picture.read_bytes())
            self.assertGreater(len(pictures[-1]), 50_000, "more than an empty page")
        self.assertNotEqual(*pictures)


if __name__ == "__main__":
    unittest.main()
