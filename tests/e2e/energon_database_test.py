"""Megatron-Energon's index.sqlite and index.uuid, read with Python's own sqlite3 by Energon's queries."""
import json
import re
import sqlite3
import struct
import tarfile
import uuid

from harness import samples, tar
from index_forms_test import Forms, sound_of
from index_test import WEBDATASET_NAME, members_of

DATABASE, UUID = ".nv-meta/index.sqlite", ".nv-meta/index.uuid"


class Database:
    """SqliteIndexReader with the bytes of the parts: immutable, as Energon opens it."""

    def __init__(self, root):
        self.root = root
        self.shards = list(json.loads((root / ".nv-meta/.info.json").read_text())["shard_counts"])
        self.connection = sqlite3.connect(f"file:{root / DATABASE}?mode=ro&immutable=1", uri=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def all(self, query, *values):
        return self.connection.execute(query, values).fetchall()

    def __getitem__(self, file):
        """WebdatasetFileStore: the bytes of a file by its whole name."""
        key, part = WEBDATASET_NAME.match(file).groups()
        (shard, offset, size), = self.all(
            "SELECT sp.tar_file_id, sp.content_byte_offset, sp.content_byte_size FROM sample_parts AS sp "
            "JOIN samples AS s ON sp.tar_file_id = s.tar_file_id AND sp.sample_index = s.sample_index "
            "WHERE s.sample_key = ? AND sp.part_name = ?", key, part)
        with open(self.root / self.shards[shard], "rb") as archive:
            archive.seek(offset)
            return archive.read(size)


def expected_rows(root, shards):
    """The rows that Energon's rule makes of the tars, by Python's tarfile."""
    found, parts = [], []
    for number, shard in enumerate(shards):
        last, count = None, 0
        members, end = members_of(root / shard)
        for offset, data_offset, name, data in members:
            key, part = WEBDATASET_NAME.match(name).groups()
            if key != last:
                if count:
                    found[-1][4] = offset - found[-1][3]
                found.append([number, key, count, offset, None])
                last, count = key, count + 1
            parts.append((number, count - 1, part, data_offset, len(data)))
        found[-1][4] = end - found[-1][3]
    return [tuple(row) for row in found], parts


class EnergonDatabase(Forms):
    def check(self, root):
        with Database(root) as database:
            self.assertEqual(database.all("PRAGMA integrity_check"), [("ok",)])
            rows, parts = expected_rows(root, database.shards)
            self.assertEqual(database.all("SELECT * FROM samples ORDER BY rowid"), rows)
            self.assertEqual(database.all("SELECT * FROM sample_parts ORDER BY rowid"), parts)
            tables = database.all("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
            self.assertEqual(tables,
                             [("idx_sample_parts_full",), ("idx_sample_parts_seq",), ("idx_samples_by_tar_and_idx",),
                              *([("media_metadata",)] if (root / "tarred_audio_manifest.json").exists() else []),
                              ("sample_parts",), ("samples",)])
            self.assertEqual(database.all("SELECT sql LIKE '%sample_key TEXT NOT NULL UNIQUE%' FROM sqlite_master "
                                          "WHERE name = 'samples'"), [(1,)])
            for shard in database.shards:
                for _, _, name, data in members_of(root / shard)[0]:
                    self.assertEqual(database[name], data, name)
            plan = database.all("EXPLAIN QUERY PLAN SELECT * FROM samples WHERE sample_key = 'x'")
            self.assertIn("USING INDEX", plan[0][3])
        text = (root / UUID).read_text()
        self.assertEqual(str(uuid.UUID(text)), text)
        self.assertEqual((uuid.UUID(text).version, uuid.UUID(text).variant), (8, uuid.RFC_4122))
        return text

    def test_each_row_is_that_of_the_tars(self):
        self.repack("mixed", "--index", "energon")
        first = self.check(self.folder / "mixed")
        self.shardmill("repack", "en", "flac", "--out", "other", "--shards", "2", "--index", "energon")
        self.assertNotEqual(self.check(self.folder / "other"), first)
        head = (self.folder / "mixed" / DATABASE).read_bytes()[:100]
        self.assertEqual(struct.unpack(">I", head[24:28]), struct.unpack(">I", head[92:96]))
        # Not the version of the library: the same bytes on every machine.
        self.assertEqual(struct.unpack(">I", head[96:100]), (3040000,))

    def test_media_metadata(self):
        """AVMetadata of each audio file, as WebdatasetFileStore.get_media_metadata looks it up."""
        self.repack("mixed", "--index", "energon")
        with Database(self.folder / "mixed") as database:
            rows = self.rows("mixed")
            self.assertEqual(database.all("SELECT count(*) FROM media_metadata"), [(len(rows),)])
            for row in rows:
                (kind, text), = database.all("SELECT metadata_type, metadata_json FROM media_metadata WHERE entry_key "
                                             "= ?",
                                             row["audio_filepath"])
                sound, rate = sound_of(database[row["audio_filepath"]])
                self.assertEqual((kind, json.loads(text)), ("av", {
                    "audio_duration": len(sound) / rate, "audio_channels": 1, "audio_sample_rate": rate,
                    "audio_num_samples": len(sound)}))

    def test_it_is_kept(self):
        self.check_life("energon", (DATABASE, UUID, ".nv-meta/.info.json"))
        before = self.check(self.folder / "later")
        self.write("many/d.tar", tar(samples(range(50, 70))))
        self.shardmill("update", "later", "--add", "many", "--remix")
        self.shardmill("verify", "later")
        self.assertNotEqual(self.check(self.folder / "later"), before)
        with Database(self.folder / "later") as database:
            self.assertEqual(database.all("SELECT count(*) FROM samples"), [(38,)])

    def test_shards_of_others(self):
        self.write("shards/one.tar", tar(samples(range(4))))
        self.write("shards/deep/two.tar", tar(samples(range(4, 9))))
        self.shardmill("index", "shards", "--index", "energon")
        first = self.check(self.folder / "shards")
        self.shardmill("index", "shards", "--index", "energon")
        self.assertEqual(self.check(self.folder / "shards"), first)

    def test_a_very_long_path(self):
        folder = "/".join(["f" * 200] * 4)
        self.write(f"{folder}/one.tar", tar(samples(range(4))))
        self.shardmill("index", folder, "--index", "energon")
        with tarfile.open(self.folder / folder / "one.tar") as archive:
            self.assertEqual(len(archive.getnames()), 8)
        self.assertEqual(sqlite3.connect(":memory:").execute("SELECT 1").fetchall(), [(1,)])
        self.assertTrue((self.folder / folder / DATABASE).read_bytes().startswith(b"SQLite format 3\0"))

    def test_a_key_that_is_there_twice(self):
        self.write("shards/one.tar", tar(samples(range(4))))
        self.shardmill("index", "shards", "--index", "energon")
        self.write("shards/two.tar", tar(samples(range(3, 6))))
        before = {name: (self.folder / "shards" / name).read_bytes() for name in self.names("shards")}
        stale = self.shardmill("index", "shards", "--index", "energon", code=1)
        self.assertRegex(stale.err, r"index\.sqlite: is an index of an earlier state.*remove it")
        self.assertEqual({name: (self.folder / "shards" / name).read_bytes() for name in self.names("shards")}, before)
        for name in self.names("shards"):
            if name not in ("one.tar", "two.tar"):
                (self.folder / "shards" / name).unlink()
        result = self.shardmill("index", "shards", "--index", "energon")
        self.assertRegex(result.err, r"two\.tar.*utt00003.*another sample has this key.*index\.sqlite.*left out")
        self.assertEqual(self.names("shards"), [".nv-meta/.info.json", ".nv-meta/dataset.yaml", ".nv-meta/split.yaml",
                                                "one.tar", "one.tar.idx", "two.tar", "two.tar.idx"])

    def test_datasets_of_earlier_versions(self):
        """They have all of Energon's files but these two."""
        for out, made_by in (("by_repack", ("--index", "energon")), ("by_index", ())):
            self.repack(out, *made_by)
            if not made_by:
                self.shardmill("index", out, "--index", "energon")
            for name in (DATABASE, UUID):
                (self.folder / out / name).unlink()
            sums = self.folder / out / "SHA256SUMS"
            sums.write_text("".join(line for line in sums.read_text().splitlines(keepends=True)
                                    if not re.search(r"index\.(sqlite|uuid)$", line)))
            self.shardmill("verify", out)
            self.shardmill("repair", out)
            (self.folder / out / ".nv-meta/.info.json").unlink()
            self.shardmill("repair", out)
            self.shardmill("verify", out)
            self.write("more/c.tar", tar(samples(range(40, 60))))
            self.shardmill("update", out, "--add", "more")
            self.shardmill("verify", out)
            self.check(self.folder / out)
