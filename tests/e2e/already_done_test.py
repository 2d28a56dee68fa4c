"""What was done already is not done again; what only looks like it is done, or refused, and never passed over."""
import json
import unittest

import harness
from repack_test import Repacking, corpus, tone


def tar_of(prefix, seed, keys=30):
    """Tars of one size, whatever `prefix` (of one length) and `seed` are."""
    return harness.tar([member for number in range(keys) for member in
                        ((f"{prefix}{number:03}.txt", b"some text"),
                         (f"{prefix}{number:03}.wav", tone(900, seed=seed + number)))])


class Updates(Repacking):
    def setUp(self):
        super().setUp()
        self.write("first.tar", corpus("s", 120, shards=1)[0][0])
        self.repack("main=first.tar", "--out", "out", "--shards", 4, "-q")

    def update(self, *arguments, **more):
        return self.shardmill("update", "out", *arguments, **more)

    def outcome(self, *arguments):
        return json.loads(self.update(*arguments, "--json").out)["outcome"]

    def keys(self):
        names = [name for name in ("out/tarred_audio_manifest.json", "out/pending/manifest.json")
                 if (self.folder / name).exists()]
        return {json.loads(line)["key"] for name in names for line in (self.folder / name).read_text().splitlines()}

    def test_new_data_of_the_same_name_and_size_is_read(self):
        self.write("more.tar", tar_of("a", 1))
        self.update("--add", "main=more.tar")
        size = (self.folder / "more.tar").stat().st_size
        self.write("more.tar", tar_of("b", 1))
        self.assertEqual((self.folder / "more.tar").stat().st_size, size)
        self.assertEqual(self.outcome("--add", "main=more.tar", "--dry-run"), "planned")
        self.assertEqual(self.outcome("--add", "main=more.tar"), "written")
        self.assertLessEqual({"a000", "b000", "b029"}, self.keys())
        updates = json.loads((self.folder / "out/dataset.json").read_text())["updates"]
        self.assertEqual([update["added"] for update in updates], [30, 30])
        self.assertEqual(self.outcome("--add", "main=more.tar"), "already_done")
        self.shardmill("verify", "out")

    def test_what_was_skipped_is_said(self):
        self.write("more.tar", tar_of("a", 1))
        self.assertNotIn("nothing was read", self.update("--add", "main=more.tar", "-q").err)
        self.assertIn(b"nothing was read", self.update("--add", "main=more.tar").out)
        quiet = self.update("--add", "main=more.tar", "-q").err
        for part in ("warning: out: ", "main=more.tar", "nothing was read", "--force"):
            self.assertIn(part, quiet)
        self.fails("update", "out", "--add", "main=more.tar", "--force", says="has this sample already")

    def test_what_was_left_out_can_be_added(self):
        bad = [(f"x{number:03}.wav", tone(900, seed=number) if number != 3 else b"\0" * len(tone(900)))
               for number in range(30)]
        texts = [(f"x{number:03}.txt", b"t") for number in range(30)]
        self.write("more.tar", harness.tar(sorted(bad + texts)))
        command = ("--add", "main=more.tar", "--on-error", "skip", "--max-rejects", "1", "--on-duplicate", "first")
        self.assertEqual(self.outcome(*command), "written")
        self.assertNotIn("x003", self.keys())
        mended = [(name, data if name != "x003.wav" else tone(900, seed=3)) for name, data in bad]
        self.write("more.tar", harness.tar(sorted(mended + texts)))
        self.assertEqual(self.outcome(*command), "written")
        self.assertIn("x003", self.keys())
        self.shardmill("verify", "out")

    def test_other_options_are_another_update(self):
        self.write("more.tar", tar_of("a", 1))
        self.update("--add", "main=more.tar")
        self.assertEqual(self.outcome("--add", "main=more.tar", "--on-duplicate", "rename"), "written")
        self.assertEqual(len(self.keys()), 180)

    def test_a_file_of_a_folder_or_corpus_that_was_changed_in_place(self):
        for number in range(40):
            self.write(f"kaldi/k{number:03}.wav", tone(900, seed=number))
        self.write("kaldi/wav.scp", "".join(f"k{n:03} {self.folder}/kaldi/k{n:03}.wav\n" for n in range(40)).encode())
        self.write("kaldi/text", "".join(f"k{n:03} words\n" for n in range(40)).encode())
        self.assertEqual(self.outcome("--add", "main=kaldi"), "written")
        self.assertEqual(self.outcome("--add", "main=kaldi"), "already_done")
        self.write("kaldi/k007.wav", tone(900, seed=999))
        self.fails("update", "out", "--add", "main=kaldi", says="has this sample already")
        self.write("kaldi/text", "".join(f"k{n:03} sdrow\n" for n in range(40)).encode())
        self.fails("update", "out", "--add", "main=kaldi", says="another transcript")

    def test_from_another_folder(self):
        """The same relative name from elsewhere is another file."""
        for place, prefix in (("here", "a"), ("there", "b")):
            self.write(f"{place}/more.tar", tar_of(prefix, 1))
        for place in ("here", "there"):
            self.shardmill("update", "../out", "--add", "main=more.tar", cwd=self.folder / place)
        self.assertLessEqual({"a000", "b000"}, self.keys())


class Repacks(Repacking):
    """A finished dataset whose sources changed is never called finished."""

    def refuses(self, *command):
        self.fails(*command, says=["written since", "--force"])

    def test_other_commands(self):
        self.write("in.tar", tar_of("a", 1))
        self.repack("in.tar", "--out", "out", "--shards", 2, "-q")
        self.repack("in.tar", "--out", "split", "--shards", 2, "--split", "dev=5", "--split-by", "key", "-q", code=None)
        self.shardmill("convert", "in.tar", "--out", "converted", "--codec", "zstd", "-q")
        self.repack("out", "--out", "merged", "--shards", 2, "-q")
        before = (self.folder / "converted/in.tar.zst").read_bytes()
        self.write("in.tar", tar_of("b", 1))
        self.refuses("repack", "in.tar", "--out", "out", "--shards", 2)
        self.shardmill("convert", "in.tar", "--out", "converted", "--codec", "zstd", "-q")
        self.assertNotEqual((self.folder / "converted/in.tar.zst").read_bytes(), before)
        self.repack("in.tar", "--out", "out", "--shards", 2, "--force", "-q")
        self.fails("repack", "out", "--out", "merged", "--shards", 2, says="--force")

    def test_splits(self):
        self.write("in.tar", tar_of("a", 1))
        command = ("repack", "in.tar", "--out", "split", "--shards", 2, "--split", "dev=1s", "--split-by", "key")
        self.shardmill(*command, "-q")
        self.assertIn(b"already", self.shardmill(*command).out)
        self.write("in.tar", tar_of("b", 1))
        self.fails(*command, says="--force")

    def test_a_source_dataset_with_other_texts(self):
        self.write("in.tar", tar_of("a", 1))
        self.repack("in.tar", "--out", "out", "--shards", 2, "-q", "--text", "manifest")
        self.repack("out", "--out", "merged", "--shards", 2, "-q", "--text", "manifest")
        manifest = self.folder / "out/manifests/manifest_000000001.json"
        manifest.write_text(manifest.read_text().replace("some text", "same text"))
        self.fails("repack", "out", "--out", "merged", "--shards", 2, "--text", "manifest",
                   says=["manifest_000000001.json"])


if __name__ == "__main__":
    unittest.main()
