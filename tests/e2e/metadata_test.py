"""--metadata: tables that are joined to samples by their keys."""
import json
import os
import shutil
import subprocess
import unittest

import downloads_test
import harness
import texts_test

noise = texts_test.noise


class Metadata(downloads_test.Downloads):
    def setUp(self):
        super().setUp()
        self.write("in/a.tar", harness.tar([(f"u{n}.{form}", noise(n) if form == "wav" else f"own {n}".encode())
                                            for n in range(4) for form in ("txt", "wav")]))
        self.write("bare/b.tar", harness.tar([(f"v{n}.wav", noise(10 + n)) for n in range(4)]))

    def table(self, name, *rows, encoding="utf-8"):
        self.write(name, "".join(row + "\n" for row in rows).encode(encoding))
        return name

    def repack(self, *arguments, **options):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        return self.shardmill("repack", *arguments, "--out", "out", "--shards", 1, **options)

    def rows(self, *numbers):
        return [json.dumps({"key": f"v{n}", "text": f"said {n}", "speaker": f"S{n}", "gender": "f", "language": "de",
                            "subset": "train", "duration": 1.5, "dnsmos": 3.25, "tags": ["a", {"b": None}],
                            "none": None})
                for n in numbers]

    def test_json_lines(self):
        result = self.repack("bare", "--metadata", self.table("t.jsonl", *self.rows(0, 1, 2, 3)))
        self.assertRegex(result.out.decode(), r"metadata +t.jsonl: 4 rows, for 4 samples\n")
        records = self.records()
        self.assertEqual({key: record["text"] for key, record in records.items()},
                         {f"v{n}": f"said {n}" for n in range(4)})
        self.assertEqual(self.texts(), {f"v{n}": f"said {n}" for n in range(4)})
        for name, value in {"speaker": "S2", "gender": "f", "language": "de", "lang": "de", "subset": "train",
                            "source_duration": 1.5, "dnsmos": 3.25, "tags": ["a", {"b": None}]}.items():
            self.assertEqual(records["v2"][name], value)
        self.assertNotIn("none", records["v2"])
        self.assertNotEqual(records["v2"]["duration"], 1.5)
        self.shardmill("verify", "out", "--decode", "--against", "bare")

    def test_tsv_and_csv(self):
        for name, rows in (
                ("t.tsv",
                 ["id\tsentence\tspeaker\tscore\tempty\tcode", 'v0\tsay "so\t007\t1.5\t\t01', "v1\tb\t12\t2\t\t2"]),
                ("t.csv",
                 ['id,sentence,speaker,score,empty,code', '"v0.wav","say ""so",007,1.5,,01', 'v1,"b",12, 2 ,"",2'])):
            for crlf, mark in ((False, False), (True, True)):
                text = ("\r\n" if crlf else "\n").join(rows)
                self.write(name, ("\ufeff" if mark else "").encode() + text.encode())
                self.repack("bare", "--metadata", name, "--text-field", "sentence", "--allow-missing-text")
                records = self.records()
                self.assertEqual(records["v0"]["text"], 'say "so', name)
                self.assertEqual(records["v1"]["text"], "b")
                self.assertEqual([records[key]["speaker"] for key in ("v0", "v1")], ["007", "12"])
                self.assertEqual([records[key]["score"] for key in ("v0", "v1")], [1.5, 2])
                self.assertEqual([records[key]["code"] for key in ("v0", "v1")], ["01", "2"])
                self.assertNotIn("empty", records["v0"])
        self.write("t.csv", b'key,text\nv0,"two\r\nlines, one text"\n\nv1,"a ""b"""\n')
        self.repack("bare", "--metadata", "t.csv", "--allow-missing-text")
        self.assertEqual([self.records()[key]["text"] for key in ("v0", "v1")], ["two\nlines, one text", 'a "b"'])

    def test_a_long_first_row(self):
        """The tables are read in pieces of 4,096 bytes at first."""
        for name, separator in (("t.csv", ","), ("t.tsv", "\t"), ("t.txt", ";")):
            for size in (4070, 4085, 4086, 4087, 5000, 100_000):
                texts = {"v0": "o" * size, "v1": "one", "v2": "two", "v3": "three"}
                rows = [separator.join(row) for row in [("key", "text"), *texts.items()]]
                with self.subTest(name=name, size=size):
                    self.repack("bare", "--metadata", self.table(name, *rows))
                    self.assertEqual(self.texts(), texts)

    def test_what_is_not_matched_is_counted_and_named(self):
        result = self.repack("bare", "--metadata", self.table("t.jsonl", *self.rows(1, 2, 3, 7, 8)),
                             "--allow-missing-text")
        said = result.out.decode()
        self.assertRegex(said, r"t.jsonl: 5 rows, for 3 samples\n +2 rows without a sample: v[78], v[78]\n +1 sample "
                               r"without a row: v0\n")
        self.assertIn("'v0' has no transcript", result.err)
        self.shardmill("repack", "bare", "--out", "again", "--shards", 1, "--metadata", "t.jsonl", "--limit", 2,
                       "--allow-missing-text")
        summary = json.loads(self.shardmill("repack", "bare", "--out", "third", "--shards", 1, "--metadata", "t.jsonl",
                                            "--allow-missing-text", "--json").out)
        self.assertEqual({name: summary["metadata"][0][name]
                          for name in ("rows", "samples", "rows_without_sample", "samples_without_row")},
                         {"rows": 5, "samples": 3, "rows_without_sample": 2, "samples_without_row": 1})
        result = self.shardmill("repack", "bare", "--out", "no", "--shards", 1, "--allow-missing-text", "--metadata",
                                self.table("other.jsonl", *self.rows(7, 8)), code=1)
        self.assertRegex(result.err, "other.jsonl: none of its 2 rows belongs to a sample: .* the samples such as 'v0'")
        self.assertFalse((self.folder / "no/dataset.json").exists())
        # Of a corpus it is known before anything is read.
        self.write("corpus/v0.wav", noise(1))
        self.fails("repack", "audio:corpus", "--out", "neither", "--shards", 1, "--allow-missing-text",
                   "--metadata", "other.jsonl", says="none of its 2 rows")

    def test_tables_that_make_no_sense(self):
        for rows, says in (
                (["nr\ttext", "0\tx y"], ["its columns are nr, text", "audio_filepath"]),
                (["key\ttext", "v0\tx", "v1\ty", "v0\tz"], ["'v0' has two rows that differ, in line 2 and in line 4"]),
                (["key,text", "v0,a,b"], ["line 2: has 3 fields, and the header has 2"]),
                (["key,text", 'v0,"a', "v1,b"], ["line 2: a quote is opened and not closed"]),
                (["key,key", "v0,b"], ["two columns 'key'"]),
                (["key\ttext", "\tx"], ["line 2: has nothing in the column 'key'"]),
                (['{"key": "v0"}', '{"id": "v1"}'], ["line 2: has no 'key'"]),
                (['{"key": "v0"}', '{"key": "v1"'], ["line 2"]),
                (['[{"key": "v0"}]'], ["JSON array", "jq"]), (["key\ttext"], ["without rows"]), ([], ["without rows"]),
                (["key\ttext", "v0\ta\x07b"], ["line 2: column 5: is the control character 0x07"])):
            with self.subTest(rows):
                self.fails("repack", "bare", "--out", "no", "--metadata", self.table("t", *rows), says=["t: "] + says)
        self.fails("repack", "bare", "--out", "no", "--metadata",
                   self.table("t", "key\ttext", "v0\t你好世界", encoding="gb18030"),
                   says=["line 2", "GB18030", "iconv"])
        self.fails("repack", "bare", "--out", "no", "--metadata", "missing.tsv", says="missing.tsv")
        subprocess.run(["gzip", "-k", self.folder / "t"], check=True)
        self.fails("repack", "bare", "--out", "no", "--metadata", "t.gz", says=["t.gz: line 2", "GB18030"])
        self.table("t", "key\ttext", "v0\tx")
        self.fails("repack", "bare", "--out", "no", "--metadata", "bear=t", code=2, says=["bear", "bare"])

    def test_it_knows_better_than_the_source_and_only_of_its_dataset(self):
        self.table("t.tsv", "key\ttext\tspeaker", "u0\tnew 0\tA", "u1\t\tB")
        self.repack("a=in", "b=bare", "--metadata", "a=t.tsv", "--allow-missing-text")
        records = self.records()
        self.assertEqual({key: records[key]["text"] for key in ("u0", "u1", "u2")},
                         {"u0": "new 0", "u1": "own 1", "u2": "own 2"})
        self.assertNotIn("speaker", records["u2"])
        self.shardmill("verify", "out", "--against", "a=in", "b=bare")
        # A finished dataset keeps what nobody replaces.
        self.table("more.tsv", "key\tspeaker\tage", "u0\tC\t30")
        self.shardmill("repack", "out", "--out", "more", "--shards", 2, "--metadata", "more.tsv",
                       "--allow-missing-text")
        more = self.records("more")
        self.assertEqual([more["u0"][name] for name in ("text", "speaker", "age")], ["new 0", "C", 30])
        self.assertEqual(more["u1"]["speaker"], "B")
        self.shardmill("verify", "more", "--against", "out")

    def test_tables_that_disagree(self):
        self.table("one.tsv", "key\ttext\tage", "u0\tnew 0\t30", "u1\tnew 1\t30")
        self.table("two.tsv", "key\ttext\tage", "u0\tother 0\t31", "u1\tnew 1\t31")
        command = ["repack", "a=in", "--out", "out", "--shards", 1, "--metadata", "a=one.tsv", "--metadata",
                   "a=two.tsv"]
        self.fails(*command, says=["'u0'", "has different transcripts in one.tsv and two.tsv"])
        self.shardmill(*command, "--on-error", "skip", "--max-rejects", 1, "--force")
        records = self.records()
        self.assertNotIn("u0", records)
        self.assertEqual([records["u1"][name] for name in ("text", "age")], ["new 1", 31])
        # A table of the dataset counts more than one for all.
        self.shardmill(*command[:-1], "two.tsv", "--force")
        self.assertEqual(self.records()["u0"]["text"], "new 0")

    def test_corpora_and_archives(self):
        corpus = downloads_test.ljspeech()
        self.unpack("x", corpus.files)
        self.tar("x.tar.gz", corpus.files)
        self.zip("x.zip", corpus.files)
        self.write("t.jsonl",
                   "".join(json.dumps({"audio_filepath": f"/data/wavs/{key}.wav", "phones": f"P{key}",
                                       "speaker": "Linda"}) + "\n"
                           for key in corpus.expected).encode())
        expected = {key: {**facts, "speaker": "Linda", "phones": f"P{key}"} for key, facts in corpus.expected.items()}
        for source in ("x", "x.tar.gz", "x.zip"):
            self.check(corpus, source, "--metadata", "t.jsonl", expected=expected)
        expected = {key: {**facts, "text": f"P{key}"} for key, facts in expected.items()}
        for facts in expected.values():
            del facts["phones"]
        self.check(corpus, "x.tar.gz", "--metadata", "t.jsonl", "--text-field", "phones", expected=expected)
        self.shardmill("verify", "out", "--against", "x.tar.gz")
        self.fails("repack", "x", "--out", "no", "--text-field", "phones", code=2, says="no text field")

    def test_folders_in_keys_decide(self):
        self.write("f/a.tar", harness.tar([(f"{part}/u.wav", noise(n)) for n, part in enumerate("ab")]))
        self.repack("f", "--metadata", self.table("t.tsv", "path\ttext", "x/a/u.wav\tof a", "x/b/u.wav\tof b"))
        self.assertEqual({record["source_key"]: record["text"] for record in map(json.loads, (
            self.folder / "out/manifests/manifest_000000000.json").read_text().splitlines())},
                         {"a/u": "of a", "b/u": "of b"})
        self.fails("repack", "f", "--out", "no", "--shards", 1,
                   "--metadata", self.table("t.tsv", "path\ttext", "u.wav\tof u"),
                   says=["the row of 'u' fits several samples"])
        self.write("g/a.tar", harness.tar([("u.wav", noise(1))]))
        self.fails("repack", "g", "--out", "neither", "--shards", 1, "--metadata",
                   self.table("t.tsv", "path\ttext", "x/a/u.wav\tof a", "x/b/u.wav\tof b"),
                   says=["two rows fit", "line 2", "line 3"])

    def test_it_is_part_of_the_recipe(self):
        self.table("t.tsv", "key\ttext", *(f"v{n}\tsaid {n}" for n in range(4)))
        self.repack("bare", "--metadata", "t.tsv")
        before = (self.folder / "out/shards/audio_000000000.tar").read_bytes()
        # Elsewhere it is the same table.
        shutil.copy(self.folder / "t.tsv", self.folder / "copy.tsv")
        self.assertIn("finished already",
                      self.says("repack", "bare", "--out", "out", "--shards", 1, "--metadata", "copy.tsv"))
        self.fails("repack", "bare", "--out", "out", "--shards", 1, says="metadata: was")
        self.table("t.tsv", "key\ttext", *(f"v{n}\tother {n}" for n in range(4)))
        self.fails("repack", "bare", "--out", "out", "--shards", 1, "--metadata", "t.tsv", says="metadata: was")
        self.fails("verify", "out", "--against", "bare", says=["t.tsv", "is not the table"])
        shutil.copy(self.folder / "copy.tsv", self.folder / "t.tsv")
        (self.folder / "out/shards/audio_000000000.tar").unlink()
        self.shardmill("repair", "out")
        self.assertEqual((self.folder / "out/shards/audio_000000000.tar").read_bytes(), before)
        # In parts, and as a plan.
        self.shardmill("repack", "bare", "--out", "plan", "--shards", 1, "--metadata", "t.tsv", "--dry-run")
        self.shardmill("repack", "bare", "--out", "parts", "--shards", 1, "--metadata", "t.tsv", "--parts", 1)
        for step in (["--part", "0"], ["--deal"], ["--part", "0"], ["--finish"]):
            self.shardmill("repack", "--out", "parts", *step)
        self.assertEqual((self.folder / "parts/shards/audio_000000000.tar").read_bytes(), before)

    def test_update(self):
        self.table("t.tsv", "key\ttext", *(f"v{n}\tsaid {n}" for n in range(4)))
        self.repack("a=bare", "--metadata", "t.tsv")
        self.write("more/c.tar", harness.tar([(f"w{n}.wav", noise(20 + n)) for n in range(4)]))
        self.table("more.tsv", "key\ttext", *(f"w{n}\tmore {n}" for n in range(4)))
        self.shardmill("update", "out", "--add", "a=more", "--metadata", "more.tsv", "--rewrite-limit", "none")
        self.assertEqual({key: record["text"] for key, record in self.records().items()},
                         {**{f"v{n}": f"said {n}" for n in range(4)}, **{f"w{n}": f"more {n}" for n in range(4)}})
        self.shardmill("verify", "out", "--against", "a=bare", "a=more")
        self.fails("update", "out", "--metadata", "more.tsv", code=2, says="--add")

    def texted(self, name, keys, seed):
        self.write(name, harness.tar([(f"{key}.{form}", noise(seed + n) if form == "wav" else f"own {key}".encode())
                                      for n, key in enumerate(keys) for form in ("txt", "wav")]))

    def test_update_without_a_table(self):
        """A table of one dataset says nothing of what another one gets, nor need it know all that its own gets."""
        self.table("t.tsv", "key\ttext\tspeaker", *(f"v{n}\tsaid {n}\tS{n}" for n in range(4)), "x0\tsaid x0\tSX")
        self.repack("a=bare", "b=in", "--metadata", "a=t.tsv")
        self.texted("b.tar", ["w0", "w1"], 30)
        self.shardmill("update", "out", "--add", "b=b.tar", "--rewrite-limit", "none")
        self.texted("a.tar", ["x0", "x1"], 40)
        self.shardmill("update", "out", "--add", "a=a.tar", "--rewrite-limit", "none")
        records = self.records()
        self.assertEqual([(records[key]["text"], records[key].get("speaker")) for key in ("v0", "w0", "x0", "x1")],
                         [("said 0", "S0"), ("own w0", None), ("said x0", "SX"), ("own x1", None)])
        self.shardmill("verify", "out", "--against", "a=bare", "b=in", "b=b.tar", "a=a.tar")
        # A corpus tells all its keys beforehand.
        self.write("corpus/y0.wav", noise(50))
        self.write("corpus/y0.txt", b"own y0")
        self.shardmill("update", "out", "--add", "a=audio:corpus", "--rewrite-limit", "none")
        # Where the table is gone or another one, the user is told.
        self.texted("late.tar", ["z0"], 60)
        self.table("t.tsv", "key\ttext", "z0\tnew 0")
        self.fails("update", "out", "--add", "a=late.tar", says=["t.tsv", "has changed"])
        (self.folder / "t.tsv").unlink()
        result = self.shardmill("update", "out", "--add", "a=late.tar", "--rewrite-limit", "none")
        self.assertRegex(result.err, "warning: .*t.tsv: the dataset was made with this table, which is not there")
        self.assertEqual(self.records()["z0"]["text"], "own z0")
        # Audio without any text is still an error, and the advice holds.
        self.write("silent.tar", harness.tar([("s0.wav", noise(70))]))
        self.shardmill("update", "out", "--add", "a=silent.tar", code=1)
        self.shardmill("update", "out", "--add", "a=silent.tar", "--allow-missing-text", "--rewrite-limit", "none")
        self.assertEqual(self.records()["s0"]["text"], "")

    def test_update_with_a_table_that_fits_nothing(self):
        self.repack("a=in")
        before = self.records()
        self.texted("more.tar", ["w0", "w1"], 30)
        self.table("other.tsv", "key\ttext", "q0\tx")
        self.fails("update", "out", "--add", "a=more.tar", "--metadata", "other.tsv",
                   says=["other.tsv: none of its 1 row belongs to a sample", "such as 'q0'", "such as 'w"])
        self.assertEqual(self.records(), before)
        self.assertFalse((self.folder / "out/.shardmill").exists())
        self.fails("update", "out", "--add", "a=more.tar", "--metadata", "b=other.tsv", code=2, says="the dataset 'b'")
        self.table("some.tsv", "key\ttext", "w0\tnew", "q0\tx")
        result = self.shardmill("update", "out", "--add", "a=more.tar", "--metadata", "some.tsv",
                                "--rewrite-limit", "none")
        self.assertRegex(result.out.decode(),
                         "some.tsv: 2 rows, for 1 sample\n +1 row without a sample: q0\n +1 sample without a row: w1\n")
        self.shardmill("verify", "out", "--against", "a=in", "a=more.tar")

    def test_a_table_that_grows_with_the_dataset(self):
        """The same file with more rows tells of the old samples, too, so they can be checked and made again."""
        self.table("t.tsv", "key\ttext", *(f"v{n}\tsaid {n}" for n in range(4)))
        self.repack("a=bare", "--metadata", "t.tsv")
        self.write("more.tar", harness.tar([("w0.wav", noise(20))]))
        self.table("t.tsv", "key\ttext", *(f"v{n}\tsaid {n}" for n in range(4)), "w0\tmore")
        self.shardmill("update", "out", "--add", "a=more.tar", "--metadata", "t.tsv", "--rewrite-limit", "none")
        self.shardmill("verify", "out", "--against", "a=bare", "a=more.tar")
        (self.folder / "out/shards/audio_000000000.tar").unlink()
        self.shardmill("repair", "out")
        self.shardmill("verify", "out", "--against", "a=bare", "a=more.tar")

    def test_split(self):
        """The table is compared with all datasets together, as without --split."""
        self.table("t.tsv", "key\ttext\tspeaker", *(f"v{n}\tsaid {n}\tS{n}" for n in range(1, 4)), "q0\tx\tS",
                   "q1\tx\tS")
        split = ["bare", "--out", "sets", "--shards", 1, "--split", "dev=0.1s", "--split-by", "key",
                 "--allow-missing-text"]
        said = self.shardmill("repack", *split, "--metadata", "t.tsv").out.decode()
        self.assertRegex(said, r"t.tsv: 5 rows, for 3 samples\n +2 rows without a sample: q[01], q[01]\n +1 sample "
                               r"without a row: v0\n")
        summary = json.loads(self.shardmill("repack", *split, "--metadata", "t.tsv", "--force", "--json").out)
        self.assertEqual({name: summary["metadata"][0][name]
                          for name in ("rows", "samples", "rows_without_sample", "samples_without_row")},
                         {"rows": 5, "samples": 3, "rows_without_sample": 2, "samples_without_row": 1})
        self.assertEqual(set(summary["splits"]), {"train", "dev"})
        self.table("other.tsv", "key\ttext", "q0\tx")
        result = self.shardmill("repack", *split[:2], "none", *split[3:], "--metadata", "other.tsv", code=1)
        self.assertRegex(result.err, "other.tsv: none of its 1 row belongs to a sample")
        self.assertFalse((self.folder / "none/split.json").exists())
        self.write("keys", b"v0\nv1\nnobody\n")
        said = self.shardmill("repack", *split[:2], "few", *split[3:], "--include-keys", "keys").err
        self.assertIn("lists 1 key that no source has: 'nobody'", said)

    def test_inspect_finds_texts_beside_the_audio(self):
        """In KEY.json, where repack reads them."""
        self.write("emilia/a.tar",
                   harness.tar([(f"u{n}.{form}", noise(n) if form == "wav" else json.dumps({"text": f"t{n}"}).encode())
                                for n in range(3) for form in ("json", "wav")]))
        said = self.shardmill("inspect", "emilia", code=None).out.decode()
        self.assertRegex(said, r"transcripts +all samples\n")
        self.assertNotIn("without a transcript", said)

    def test_a_table_that_ends_inside_its_last_line(self):
        rows = "\n".join(f"v{n}\tsaid {n}" for n in range(4))
        for end, warned in (("\n", False), ("", True)):
            self.write("t.tsv", f"key\ttext\n{rows}{end}".encode())
            said = self.shardmill("repack", "bare", "--out", "o", "--shards", 1, "--metadata", "t.tsv", "--force").err
            self.assertEqual("t.tsv: has no end of its last line: the last text or time may be cut" in said, warned)

    def test_a_text_that_is_a_list(self):
        """It is not made a text."""
        for value in (["a", "b"], {"a": 1}):
            self.write("t.jsonl", (json.dumps({"key": "v0", "text": value}) + "\n").encode())
            self.fails("repack", "bare", "--out", "no", "--shards", 1, "--metadata", "t.jsonl",
                       says=["t.jsonl: line 1: 'text' is ", "and not a text"])
            self.write("own.tar", harness.tar([("u.wav", noise(1)), ("u.json", json.dumps({"text": value}).encode())]))
            self.fails("repack", "own.tar", "--out", "no", "--shards", 1,
                       says="none of the first 1 sample of its shard has a transcript")

    def test_a_table_that_changes_meanwhile(self):
        """A killed run does not go on with another table."""
        self.table("t.tsv", "key\ttext", *(f"v{n}\tsaid {n}" for n in range(4)))
        environment = {**os.environ, "SHARDMILL_CHECKPOINT_BYTES": "1"}
        process = subprocess.Popen([harness.PROGRAM, "repack", "bare", "--out", "out", "--shards", "1",
                                    "--metadata", "t.tsv", "-q"],
                                   cwd=self.folder, env=environment, stderr=subprocess.DEVNULL)
        process.kill()
        process.wait()
        self.table("t.tsv", "key\ttext", *(f"v{n}\tother {n}" for n in range(4)))
        result = self.shardmill("repack", "bare", "--out", "out", "--shards", 1, "--metadata", "t.tsv", code=None)
        texts = set(self.texts().values()) if result.code == 0 else {"metadata: was" in result.err}
        self.assertIn(texts, ({f"other {n}" for n in range(4)}, {True}))


if __name__ == "__main__":
    unittest.main()
