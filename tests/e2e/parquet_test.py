"""Hugging Face's Parquet files, read by a reader of our own (parquet_file.py) as the datasets library would."""
import json
import tarfile
import unittest

import parquet_file
from harness import audio, samples, tar
from index_forms_test import WithFacts, sound_of


class Parquet(WithFacts):
    def tables(self, out):
        root = self.folder / out / "parquet"
        names = sorted(path.name for path in root.iterdir())
        count = len(list((self.folder / out / "shards").glob("*.tar")))
        self.assertEqual(names, ["README.md"] + [f"train-{i:05}-of-{count:05}.parquet" for i in range(count)])
        card = (root / "README.md").read_text()
        self.assertIn('configs:\n- config_name: default\n  data_files:\n  - split: train\n'
                      '    path: "train-*.parquet"\n', card)
        return [parquet_file.File((root / name).read_bytes()) for name in names[1:]]

    def check(self, out):
        """The rows of all tables, which are compared with the shards; features as Features.from_arrow_schema."""
        tables = self.tables(out)
        rows = [row for table in tables for row in table.rows]
        self.assertEqual([row["key"] for row in rows], [row["key"] for row in self.rows(out)])
        members = {}
        for path in sorted((self.folder / out / "shards").glob("*.tar")):
            with tarfile.open(path) as archive:
                members |= {member.name: archive.extractfile(member).read() for member in archive}
        for row, told in zip(rows, self.rows(out)):
            self.assertEqual(row["audio"], {"bytes": members[told["audio_filepath"]], "path": told["audio_filepath"]})
            for name in ("text", "dataset", "duration", "sample_rate", "channels"):
                self.assertEqual(row[name], told.get(name), name)
        for table in tables:
            self.assertEqual(table.columns, tables[0].columns)
            (first, kind, _), (second, path_kind, _), *others = table.columns
            self.assertEqual((first, kind, second, path_kind),
                             (("audio", "bytes"), "binary", ("audio", "path"), "string"))
            features = json.loads(table.notes["huggingface"])["info"]["features"]
            self.assertEqual(features.pop("audio"), {"_type": "Audio"})
            self.assertEqual(features, {name: {"dtype": kind, "_type": "Value"} for (name,), kind, _ in others})
        return rows

    def test_every_sample(self):
        self.repack("mixed", "--index", "parquet")
        for row in self.check("mixed"):
            self.check_sound(row["key"], sound_of(row["audio"]["bytes"])[0])
        self.shardmill("verify", "mixed")

    def test_it_is_kept(self):
        self.check_life("parquet", ("parquet/train-00000-of-00003.parquet", "parquet/train-00002-of-00003.parquet",
                                    "parquet/README.md"))
        self.check("later")

    def test_more_shards_have_other_names(self):
        self.shardmill("repack", "en", "--out", "mixed", "--shards", 3, "--index", "parquet")
        self.assertEqual(len(self.tables("mixed")), 3)
        self.write("more/c.tar", tar([(f"more{name}", data) for name, data in samples(range(0, 9))]))
        self.shardmill("update", "mixed", "--add", "en=more")
        self.assertEqual(len(self.tables("mixed")), 6)
        self.check("mixed")
        self.shardmill("verify", "mixed")

    def test_speakers_and_languages(self):
        self.shardmill("repack", self.corpus(), "--out", "mixed", "--shards", 2, "--index", "parquet")
        self.assertEqual({(row["speaker"], row["lang"]) for row in self.check("mixed")}, {("S 0", "en"), ("S 1", "en")})

    def test_facts_of_all_kinds(self):
        """A column takes the kind that fits all its values; a text takes anything."""
        facts = [{"n": 1, "x": 1, "b": True, "mixed": 1, "audio": "a.wav", "list": [1, "二"], "id": 2**53 + 1},
                 {"n": -2**63, "x": 0.25, "b": False, "mixed": "eins", "audio_": "second", "big": 2**64 - 1, "id": 0.5},
                 {"n": None, "x": None, "b": None, "mixed": None, "zh": "说话人"}]
        members = []
        for number, fact in enumerate(facts):
            members += [(f"utt{number:05}.json", json.dumps(fact).encode()), (f"utt{number:05}.wav", audio(number))]
        self.write("facts.tar", tar(members))
        self.shardmill("repack", "facts.tar", "--out", "mixed", "--shards", 1, "--index", "parquet",
                       "--allow-missing-text")
        rows = sorted(self.check("mixed"), key=lambda row: row["key"])
        expected = {"n": [1, -2**63, None], "x": [1.0, 0.25, None], "b": [True, False, None],
                    "mixed": ["1", "eins", None],
                    "audio__": ["a.wav", None, None], "audio_": [None, "second", None],
                    "list": ['[1,"二"]', None, None],
                    "big": [None, str(2**64 - 1), None], "zh": [None, None, "说话人"],
                    "id": [str(2**53 + 1), "0.5", None]}
        for name, values in expected.items():
            self.assertEqual([row[name] for row in rows], values, name)
        table, = self.tables("mixed")
        kinds = {path[0]: kind for path, kind, _ in table.columns[2:]}
        self.assertEqual({name: kinds[name] for name in "n x b mixed list big id".split()},
                         {"id": "string", "n": "int64", "x": "float64", "b": "bool", "mixed": "string",
                          "list": "string", "big": "string"})

    def test_without_texts(self):
        self.repack("mixed", "--index", "parquet", "--text", "members")
        self.assertEqual({row["text"] for row in self.check("mixed")}, {None})

    def test_groups_of_rows_are_small(self):
        """A reader holds a group of rows in memory."""
        self.write("many.tar", tar(samples(range(100, 350))))
        self.shardmill("repack", "many.tar", "--out", "many", "--shards", 1, "--index", "parquet")
        self.check("many")
        table, = self.tables("many")
        self.assertEqual(table.groups, [100, 100, 50])
        self.assertLess(max(table.pages), 2 << 20)
        self.assertGreater(len(table.pages), 3 * len(table.columns))

    def test_other_audio_than_the_manifest_says(self):
        self.repack("mixed")
        row = self.rows("mixed")[4]
        path = self.folder / "mixed/shards" / f"audio_{row['shard_id']:09}.tar"
        data = bytearray(path.read_bytes())
        data[row["tar_offset"] + 100] ^= 1
        path.write_bytes(data)
        self.fails("index", "mixed", "--index", "parquet", says=[row["audio_filepath"], "not the audio"])
        self.assertFalse((self.folder / "mixed/parquet").exists())

    def test_shards_without_manifests_have_none(self):
        self.fails("index", "en", "--index", "parquet", code=2, says="manifests")


if __name__ == "__main__":
    unittest.main()
