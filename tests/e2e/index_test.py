"""The indexes for other projects' loaders, read as those loaders read them; their rules are written down here anew."""
import csv
import io
import json
import os
import re
import struct
import tarfile
import unittest

import soundfile

import harness
from harness import audio, samples, speech, tar
from repack_test import Repacking, corpus

try:
    import yaml
except ImportError:
    yaml = None

WEBDATASET_NAME = re.compile(r"^((?:.*/|)[^.]+)[.]([^/]*)$")


def members_of(shard):
    """The (header offset, data offset, name, bytes) of each regular file of a plain tar, by Python's tarfile."""
    with tarfile.open(shard, "r:") as archive:
        found = [(each.offset, each.offset_data, each.name, archive.extractfile(each).read())
                 for each in archive if each.isreg()]
        return found, archive.offset


def samples_of(shard):
    """Samples as WebDataset groups them: (key, {extension: bytes}) in their order."""
    found = []
    for _, _, name, data in members_of(shard)[0]:
        key, extension = WEBDATASET_NAME.match(name).groups()
        if not found or found[-1][0] != key:
            found.append((key, {}))
        found[-1][1][extension] = data
    return found


class Wids:
    """Samples by number, as wids.ShardListDataset finds them: shards are mapped, their headers walked."""

    def __init__(self, index):
        description = json.loads(index.read_text())
        assert description["wids_version"] == 1
        assert description["__kind__"] == "wids-shard-index-v1"
        self.shards = [(index.parent / shard["url"], shard["nsamples"], shard["filesize"])
                       for shard in description["shardlist"]]

    def __len__(self):
        return sum(count for _, count, _ in self.shards)

    def __getitem__(self, number):
        for path, count, size in self.shards:
            assert path.stat().st_size == size
            if number < count:
                return self.samples_of(path)[number]
            number -= count
        raise IndexError

    @staticmethod
    def samples_of(path):
        data = path.read_bytes()
        groups, at = [], 0
        while at < len(data):
            header = data[at:at + 512]
            name, size_field, kind = header[:100].strip(b"\0").decode(), header[124:136].strip(b"\0"), header[156:157]
            if not size_field:
                break
            size = int(size_field, 8)
            if name and kind in (b"0", b"\0"):
                key, extension = re.match(r"^((?:.*/)?.*?)(\..*)$", name).groups()
                if not groups or groups[-1][0] != key:
                    groups.append((key, {}))
                groups[-1][1][extension[1:]] = data[at + 512:at + 512 + size]
            at += 512 + (size + 511) // 512 * 512
        return groups


def dali_samples(shard, index):
    """As DALI's reader takes them: text, "v1.2 COUNT", then components of four words; a line is a sample."""
    first, *lines = index.read_text().splitlines()
    version, count = first.split()
    assert version == "v1.2" and int(count) == len(lines)
    data = shard.read_bytes()
    found = []
    for line in lines:
        words = line.split(" ")
        assert len(words) % 4 == 0
        parts = {}
        for at in range(0, len(words), 4):
            extension, offset, size, name = words[at:at + 4]
            assert int(offset) % 512 == 0
            assert name.endswith("." + extension)
            key = name[:-len(extension) - 1]
            parts[extension] = data[int(offset):int(offset) + int(size)]
        found.append((key, parts))
    return found


def energon_samples(root, shard_name):
    """As Megatron-Energon does: a tar opened at the offset of a sample, read up to the next one's."""
    shard = root / shard_name
    raw = shard.with_suffix(".tar.idx").read_bytes()
    offsets = [number for number, in struct.iter_unpack("<Q", raw)]
    found = []
    for begin, end in zip(offsets, offsets[1:]):
        part = io.BytesIO(shard.read_bytes()[begin:end])
        with tarfile.open(fileobj=part, mode="r:") as archive:
            names = [(WEBDATASET_NAME.match(each.name).groups(), archive.extractfile(each).read())
                     for each in archive if each.isreg()]
        assert len({key for (key, _), _ in names}) == 1
        found.append((names[0][0][0], {extension: data for (_, extension), data in names}))
    return found


def energon_train_split(root):
    """The shards of the train split with their counts. The YAML that is used here, no more of it."""
    counts = json.loads((root / ".nv-meta/.info.json").read_text())["shard_counts"]
    lines = (root / ".nv-meta/split.yaml").read_text().splitlines()
    assert lines[:2] == ["split_parts:", "  train:"] and lines[-1] == "exclude: []"
    shards = [json.loads(line.removeprefix("  - ")) for line in lines[2:-1]]
    assert (root / ".nv-meta/dataset.yaml").read_text() == \
        "__module__: megatron.energon\n__class__: CrudeWebdataset\n"
    return [(shard, counts[shard]) for shard in shards]


class Index(harness.Case):
    def setUp(self):
        super().setUp()
        self.write("en/a.tar", tar(samples(range(0, 9))))
        self.write("flac/b.tar.bz2", harness.compress("bzip2", tar(samples(range(20, 26), "flac"))))

    def repack(self, out, *options, **more):
        return self.shardmill("repack", "en", "flac", "--out", out, "--shards", "3", *options, **more)

    def content(self, folder):
        return {name: (self.folder / folder / name).read_bytes() for name in self.names(folder)
                if name not in ("run.json", "data.list", "kaldi/wav.scp", "kaldi/kaldiio.scp", "nemo/input_cfg.yaml",
                                "idxpack/nemo.idxpack", "idxpack/shar.idxpack")
                and not name.startswith("lhotse/")}  # these name the folder

    def check_loaders(self, root, shards):
        expected = [sample for shard in shards for sample in samples_of(root / shard)]
        wids = Wids(root / "shardindex.json")
        self.assertEqual([wids[number] for number in range(len(wids))], expected)
        self.assertEqual([shard for shard, _ in energon_train_split(root)], shards)
        for shard, count in energon_train_split(root):
            found = samples_of(root / shard)
            self.assertEqual(count, len(found))
            self.assertEqual(energon_samples(root, shard), found)
            self.assertEqual(dali_samples(root / shard, (root / shard).with_suffix(".idx")), found)
            offsets = [number for number,
                       in struct.iter_unpack("<Q", (root / shard).with_suffix(".tar.idx").read_bytes())]
            places, end = members_of(root / shard)
            self.assertEqual(offsets[-1], end)
            self.assertEqual(offsets[0], places[0][0])

    def test_loaders_find_every_sample(self):
        self.repack("mixed", "--index", "wids,dali,energon")
        shards = sorted(name for name in self.names("mixed") if name.endswith(".tar"))
        self.assertEqual(len(shards), 3)
        self.check_loaders(self.folder / "mixed", shards)
        self.shardmill("verify", "mixed")
        harness.output_of("sh", "-c", f"cd {self.folder}/mixed && sha256sum --strict -c SHA256SUMS")

    def test_same_bytes_whatever_the_threads_and_whichever_command(self):
        self.repack("one", "--index", ",".join(harness.all_forms()), "-j", "1")
        self.repack("four", "--index", ",".join(harness.all_forms()), "-j", "4")
        self.assertEqual(self.content("one"), self.content("four"))
        self.repack("later")
        self.shardmill("index", "later", "--index", ",".join(harness.all_forms()))
        later, one = self.content("later"), self.content("one")
        for name in one:
            if name not in ("dataset.json", "SHA256SUMS"):
                self.assertEqual(later.get(name), one[name], name)
        self.assertEqual(sorted(later), sorted(one))
        self.shardmill("verify", "later")
        self.shardmill("index", "later", "--index", ",".join(harness.all_forms()))  # again
        self.assertEqual(self.content("later"), later)
        self.assertIn(b"SHA256SUMS", harness.output_of("ls", str(self.folder / "later")))
        again = self.repack("one", "--index", ",".join(harness.all_forms()))
        self.assertIn(b"already", again.out + again.err.encode())

    def test_verify_sees_damage(self):
        self.repack("mixed", "--index", ",".join(harness.all_forms()))
        for name in ("shardindex.json", "shards/audio_000000001.idx", "shards/audio_000000001.tar.idx",
                     ".nv-meta/split.yaml", "speechbrain.json", "speechbrain.csv", "amphion/en/train.json",
                     "amphion/en/test.json"):
            path = self.folder / "mixed" / name
            whole = path.read_bytes()
            path.write_bytes(whole[:-1] + b"?")
            self.assertIn(name, self.shardmill("verify", "mixed", code=1).out.decode())
            path.unlink()
            self.assertIn(name, self.shardmill("verify", "mixed", code=1).out.decode())
            path.write_bytes(whole)
        sums = self.folder / "mixed/SHA256SUMS"
        lines = sums.read_text().splitlines(keepends=True)
        sums.write_text("".join(line for line in lines if "shardindex.json" not in line))
        self.assertIn("does not list shardindex.json", self.shardmill("verify", "mixed", code=1).out.decode())

    def test_force_takes_away_what_is_not_asked_for_any_more(self):
        self.repack("mixed", "--index", ",".join(harness.all_forms()))
        self.repack("plain")
        self.assertIn("index", self.repack("mixed", code=1).err)
        self.repack("mixed", "--force")
        self.assertEqual(self.names("mixed"), self.names("plain"))
        self.shardmill("verify", "mixed")

    def test_speechbrain(self):
        text = 'he said "5$", {twice}'
        self.write("odd/c.tar", tar([("odd.txt", text.encode()), ("odd.wav", audio(3))]))
        self.shardmill("repack", "en", "odd", "--out", "mixed", "--shards", "2", "--index", "speechbrain")
        data = json.loads((self.folder / "mixed/speechbrain.json").read_text())
        self.assertEqual(len(data), 10)
        for key, row in data.items():
            row = {name: value.format_map({"data_root": f"{self.folder}/mixed"}) if isinstance(value, str) else value
                   for name, value in row.items()}  # load_data_json
            with open(row["wav"], "rb") as shard:
                shard.seek(row["wav_offset"])
                sound, rate = soundfile.read(io.BytesIO(shard.read(row["wav_bytes"])), dtype="int16")
            number = 3 if key == "odd" else int(key.removeprefix("utt"))
            self.assertEqual(sound.tolist(), speech(number)[1].tolist())
            self.assertAlmostEqual(row["duration"], len(sound) / rate, places=6)
            self.assertEqual(row["wrd"], text if key == "odd" else speech(number)[0])
            self.assertEqual(row["spk_id"], "")
        with open(self.folder / "mixed/speechbrain.csv", newline="", encoding="utf-8") as table:  # load_data_csv
            rows = {row.pop("ID"): row for row in csv.DictReader(table, skipinitialspace=True)}
        self.assertEqual(list(rows), list(data))
        for key, row in rows.items():
            row = {name: re.sub(r"\$([\w.]+)", lambda found: {"data_root": "{data_root}"}[found[1]], value)
                   for name, value in row.items()}
            plain = {**data[key], "wrd": text} if key == "odd" else data[key]
            self.assertEqual({**row, "duration": float(row["duration"])},
                             {name: value if name == "duration" else str(value) for name, value in plain.items()})

    def test_amphion(self):
        self.repack("mixed", "--index", "amphion", "--codec", "zstd")
        root = self.folder / "mixed"
        for shard in sorted((root / "shards").iterdir()):
            with tarfile.open(fileobj=io.BytesIO(harness.decompress("zstd", shard.read_bytes()))) as archive:
                archive.extractall(root / "audio")
        for dataset, count in (("en", 9), ("flac", 6)):
            self.assertEqual(json.loads((root / "amphion" / dataset / "test.json").read_text()), [])
            rows = json.loads((root / "amphion" / dataset / "train.json").read_text())
            singers = json.loads((root / "amphion" / dataset / "singers.json").read_text())
            self.assertEqual([row["index"] for row in rows], list(range(count)))
            self.assertEqual(singers, {f"{dataset}_{dataset}": 0})
            for row in rows:
                sound, rate = soundfile.read(root / row["Path"])
                self.assertAlmostEqual(row["Duration"], len(sound) / rate, places=6)
                self.assertEqual(row["Dataset"], dataset)
                self.assertIn(f"{row['Dataset']}_{row['Singer']}", singers)
                self.assertEqual(row["Text"], speech(int(row["Uid"].removeprefix("utt")))[0])

    def test_compressed_shards_are_refused(self):
        self.fails("repack", "en", "--out", "z", "--codec", "zstd", "--index", "amphion,wids", code=2,
                   says=["wids", "zstd", "--codec none"])
        self.fails("repack", "en", "--out", "z", "--parts", "2", "--shards", "2", "--codec", "zstd", "--index", "wids",
                   code=2, says=["wids", "zstd", "--codec none"])
        self.assertNotIn("z", os.listdir(self.folder))
        self.repack("zstd", "--codec", "zstd")
        self.fails("index", "zstd", code=2, says=["zstd", "plain tar"])
        self.fails("index", "flac", says=["b.tar.bz2", "bzip2", "shardmill convert"])
        self.fails("index", "en", "--index", "speechbrain", code=2, says=["manifests", "repack"])
        self.fails("index", "en", "--index", "wids,webdataset", code=2, says="webdataset is unknown")
        self.fails("index", code=2, says="no DIR or SHARD")
        self.assertEqual(self.names("en"), ["a.tar"])


class ForeignShards(harness.Case):
    """Shards of other programs, in every tar format there is."""

    def write_tar(self, name, members, form=tarfile.USTAR_FORMAT):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=form) as archive:
            for member, data in members:
                entry = tarfile.TarInfo(member)
                if data is None:
                    entry.type = tarfile.DIRTYPE
                else:
                    entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data or b""))
        return self.write(name, out.getvalue())

    def test_all_tar_formats(self):
        long = "folder_" + "y" * 120
        members = [("./", None), ("./utt1.txt", b"one"), ("./utt1.wav", b"x" * 1000), (f"{long}/utt2.wav", b""),
                   (f"{long}/utt2.words.json", b"{}" * 300), ("folder", None), ("a.b.wav", b"q" * 512), ("a.txt", b"t")]
        for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
            path = self.write_tar(f"shards-{form}/one.tar", members, form)
            self.shardmill("index", path.parent, "--index", "dali,energon")
            expected = samples_of(path)
            self.assertEqual([key for key, _ in expected], ["./utt1", f"{long}/utt2", "a"])
            self.assertEqual(dali_samples(path, path.with_suffix(".idx")), expected)
            self.assertEqual(energon_samples(path.parent, "one.tar"), expected)
            self.assertEqual(energon_train_split(path.parent), [("one.tar", 3)])
            self.fails("index", path.parent, "--index", "wids", says=["one.tar", "yy/utt2.wav", "wids", "100 bytes"])

    def test_pax_headers_and_a_missing_end(self):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT, pax_headers={"comment": "all"}) as archive:
            for name in ("ä.txt", "ä.wav", "b.wav"):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime = 5, 1.5
                archive.addfile(entry, io.BytesIO(b"12345"))
            end = archive.offset
        path = self.write("p/one.tar", out.getvalue()[:end])
        self.shardmill("index", path, "--index", "dali,energon")
        self.assertEqual(dali_samples(path, path.with_suffix(".idx")), samples_of(path))
        self.assertEqual(energon_samples(path.parent, "one.tar"), samples_of(path))

    def test_what_a_killed_run_left(self):
        path = self.write_tar("x/one.tar", [("u.txt", b"a"), ("u.wav", b"b")])
        self.write("x/.shardmill/lock", f"host {os.uname().nodename}, pid 1\n".encode())
        self.write("x/.shardmill/staged_indexes/.nv-meta/.index.sqlite.shardmill.part", b"SQLite")
        self.shardmill("index", "x", "--index", "energon")
        self.assertEqual(energon_samples(path.parent, "one.tar"), samples_of(path))
        self.assertFalse((self.folder / "x/.shardmill").exists())

    def test_shards_of_several_folders(self):
        for name in ("x/one.tar", "x/y/two.tar"):
            self.write_tar(name, [("u.txt", b"a"), ("u.wav", b"b")])
        result = json.loads(self.shardmill("index", "x/one.tar", "x/y/two.tar", "--index", "wids,energon",
                                           "--json").out)
        self.assertEqual((result["shards"], result["samples"]), (2, 2))
        self.assertEqual(result["folder"], str(self.folder.resolve() / "x"))
        self.assertEqual(len(Wids(self.folder / "x/shardindex.json")), 2)
        self.assertEqual(energon_train_split(self.folder / "x"), [("one.tar", 1), ("y/two.tar", 1)])

    def test_what_cannot_have_an_index(self):
        good = [("u.txt", b"a"), ("u.wav", b"b" * 2000)]
        whole = self.write_tar("good/one.tar", good).read_bytes()
        self.write("cut/one.tar", whole[:2000])
        self.fails("index", "cut", says=["one.tar", "offset 1024", "cut off in a member"])
        self.write("flipped/one.tar", whole[:1030] + b"X" + whole[1031:])
        self.fails("index", "flipped", says=["one.tar", "offset 1024", "checksum", "inspect"])
        self.write_tar("twice/one.tar", [*good, ("v.wav", b"c"), ("u.wav", b"d")])
        self.fails("index", "twice", says=["one.tar", "u.wav", "wids", "twice"])
        self.shardmill("index", "twice", "--index", "dali,energon")
        self.write_tar("empty/one.tar", [])
        self.fails("index", "empty", says=["one.tar", "no samples"])
        for name in ("noextension", "__meta__.json", "two words.wav", ".hidden"):
            path = self.write_tar("odd/one.tar", [*good, (name, b"")])
            self.fails("index", "odd", says=["one.tar", name, "repack"])
            self.assertEqual(self.names("odd"), ["one.tar"], path)


def expanded(path):
    """The files of a range as NeMo writes it: it makes braces of _OP_ and _CL_, and expands them."""
    found = re.fullmatch(r"(.*)_OP_(\d+)\.\.(\d+)_CL_(.*)", path)
    if not found:
        return [path]
    before, first, last, after = found.groups()
    return [f"{before}{number:0{len(first)}}{after}" for number in range(int(first), int(last) + 1)]


@unittest.skipUnless(yaml, "python3-yaml is not installed")
class Mixing(Repacking):
    """One configuration over several datasets: the samples that a loader draws by its weights have the shares."""

    def setUp(self):
        super().setUp()
        for name, count, shards in (("a", 400, 4), ("b", 60, 2), ("c", 21, 1)):
            tars, _ = corpus(name, count, shards=1, seed=len(name) + count)
            self.put(name, tars, "none")
            self.repack(name, "--out", f"made/{name}", "--shards", shards, "-q")
        # Its samples are longer than those of the others.
        self.repack("a", "--min-duration", "0.4s", "--out", "made/long", "--shards", 2, "-q")
        self.folders = [f"made/{name}" for name in ("a", "b", "c", "long")]

    def index(self, kind, mix, *more, **options):
        return self.shardmill("index", *self.folders, "--index", kind, "--mix", f"temperature={mix}", *more, **options)

    def check_shares(self, weights, temperature):
        records = {folder: json.loads((self.folder / folder / "dataset.json").read_text()) for folder in self.folders}
        self.assertAlmostEqual(sum(weights.values()), 1, places=6)
        drawn = {folder: weights[folder] * record["seconds"] / record["samples"] for folder, record in records.items()}
        wanted = {folder: record["seconds"] ** temperature for folder, record in records.items()}
        for folder in self.folders:
            self.assertAlmostEqual(drawn[folder] / sum(drawn.values()), wanted[folder] / sum(wanted.values()), places=6)

    def test_nemo(self):
        before = self.names("made")
        for temperature in (0, 0.3, 1):
            said = self.index("nemo", temperature)
            config = yaml.safe_load(said.out)
            self.assertEqual(len(config), 4)
            weights = {}
            for entry, folder in zip(config, self.folders):
                self.assertEqual(set(entry), {"type", "manifest_filepath", "tarred_audio_filepaths", "weight"})
                self.assertEqual(entry["type"], "nemo_tarred")
                root = str((self.folder / folder).resolve())
                for key, inner in (("manifest_filepath", "manifests"), ("tarred_audio_filepaths", "shards")):
                    self.assertEqual(expanded(entry[key]),
                                     sorted(str(path) for path in (self.folder / folder / inner).resolve().iterdir()))
                    self.assertTrue(entry[key].startswith(root))
                weights[folder] = entry["weight"]
            self.check_shares(weights, temperature)
        self.assertEqual(self.names("made"), before)
        told = json.loads(self.index("nemo", 1, "--json").out)
        self.assertEqual(told["config"].encode(), said.out)
        self.assertEqual([part["folder"] for part in told["datasets"]], self.folders)

    def test_energon(self):
        self.fails("index", *self.folders, "--index", "energon", "--mix", "temperature=1", says=["made/a", ".nv-meta"])
        for folder in self.folders:
            self.shardmill("index", folder, "--index", "energon", "-q")
        config = yaml.safe_load(self.index("energon", 0.5).out)
        self.assertEqual((config["__module__"], config["__class__"]), ("megatron.energon", "MetadatasetV2"))
        blend = config["splits"]["train"]["blend"]
        self.assertEqual([entry["path"] for entry in blend],
                         [str((self.folder / folder).resolve()) for folder in self.folders])
        self.check_shares({folder: entry["weight"] for entry, folder in zip(blend, self.folders)}, 0.5)

    def test_lists_of_another_machine(self):
        """The paths are those of data.list."""
        self.shardmill("index", "made/a", "--list-root", "/train/it's: a", "-q")
        config = yaml.safe_load(self.index("nemo", 1).out)
        self.assertEqual(config[0]["manifest_filepath"],
                         "/train/it's: a/manifests/manifest__OP_000000000..000000003_CL_.json")

    def test_refused(self):
        self.fails("index", "made/a", "made/../made/a/", "--index", "nemo", "--mix", "temperature=1", says="twice",
                   code=2)
        self.fails("index", "a", "--index", "nemo", "--mix", "temperature=1", says="a: ")
        for mix in ("1", "temperature=2", "temperature=", "none"):
            self.fails("index", "made/a", "--index", "nemo", "--mix", mix, says="temperature=T", code=2)
        for kinds in ("wids", "nemo,energon"):
            self.fails("index", "made/a", "--index", kinds, "--mix", "temperature=1", says="--mix is for", code=2)
        self.fails("index", "made/a", "--mix", "temperature=1", says="--mix is for", code=2)
        self.repack("a", "--out", "packed", "--shards", 1, "--codec", "zstd", "-q")
        self.fails("index", "packed", "--index", "nemo", "--mix", "temperature=1", says=["packed", "compressed"])


if __name__ == "__main__":
    unittest.main()
