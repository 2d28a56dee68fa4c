"""What is not ours stays: every command that writes, tried on folders that shardmill did not make."""
import errno
import fcntl
import hashlib
import json
import os
import random
import shutil
import signal
import stat
import subprocess
import time
import unittest

import harness

OUR_NAMES = ("shards", "manifests", "ranks", ".shardmill", ".nv-meta", "amphion", "dataset.json", "shards.jsonl",
             "data.list", "run.json", "SHA256SUMS", "rejects.jsonl", "report.html", "plan.json", "lock", "journal",
             "audio_000000000.tar", "manifest_000000000.json", "english_0.tar", "world-2", "rank-0.list", "converted")


def bytes_of(path, mode):
    """Of a file that is perhaps closed to everyone: only root reads such a file without opening it first."""
    if os.access(path, os.R_OK):
        return path.read_bytes()
    path.chmod(mode | stat.S_IRUSR)
    try:
        return path.read_bytes()
    finally:
        path.chmod(mode)


def tree(folder):
    """Everything below a folder that a command could change: names, types, contents, link targets, inodes."""
    found = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        status = path.lstat()
        kind = stat.S_IFMT(status.st_mode)
        content = b""
        if path.is_symlink():
            content = os.readlink(path).encode()
        elif stat.S_ISREG(kind):
            content = hashlib.sha256(bytes_of(path, stat.S_IMODE(status.st_mode))).digest()
        found[str(path.relative_to(folder))] = (kind, status.st_mode, status.st_ino, content)
    return found


class Folders(harness.Case):
    def setUp(self):
        super().setUp()
        self.write("in/english_0.tar", harness.shard(0, 6))

    def dataset(self, *options):
        self.shardmill("repack", "in", "--out", "out", "--shards", "2", "-q", *options)

    def refused(self, *arguments, folder, says=""):
        before = tree(self.folder / folder)
        result = self.shardmill(*arguments, code=1)
        self.assertEqual(tree(self.folder / folder), before, result.err)
        self.assertEqual(result.out, b"")
        self.assertIn(says, result.err)
        return result


class Foreign(Folders):
    def into(self, folder):
        """Every command that writes into a folder, as arguments."""
        repack = ["repack", "in", "--out", folder, "--shards", "2"]
        for more in ([], ["--force"], ["--dry-run"], ["--dry-run", "--force"], ["--json"], ["--parts", "2"],
                     ["--parts", "2", "--force"]):
            yield [*repack, *more]
        for more in ([], ["--force"], ["--codec", "zstd", "--force"]):
            yield ["convert", "in/english_0.tar", "--out", folder, *more]
        for more in ([], ["--dry-run"]):
            yield ["ranks", "in", "--world-size", "1", "--out", folder, *more]

    def test_a_wenet_folder(self):
        """shards/*.tar and data.list, as WeNet's own scripts make them: nothing of it is ever replaced."""
        self.write("train/shards/audio_000000000.tar", harness.shard(0, 3))
        self.write("train/shards/shards_000000001.tar", harness.shard(3, 3))
        self.write("train/data.list", b"shards/audio_000000000.tar\n")
        for arguments in self.into("train"):
            with self.subTest(arguments):
                self.refused(*arguments, folder="train", says="data.list")

    def test_one_file_is_enough(self):
        self.write("home/notes.txt", b"mine")
        for arguments in self.into("home"):
            with self.subTest(arguments):
                self.refused(*arguments, folder="home", says="notes.txt")

    def test_records_of_others(self):
        """A dataset.json that somebody else wrote, or that a later shardmill did, is no leave to write."""
        for text in (b"", b"{}", b'{"name": "mine"}', b'{"format_version": 99}', b"\0" * 100):
            self.write("theirs/dataset.json", text)
            for arguments in self.into("theirs"):
                with self.subTest(text=text, arguments=arguments):
                    self.refused(*arguments, folder="theirs", says="dataset.json")

    def test_random_trees(self):
        for seed in range(25):
            folder = f"tree{seed}"
            chance = random.Random(seed)
            self.grow(self.folder / folder, chance, 3)
            (self.folder / folder / chance.choice(("keep.me", "shards.old", ".hidden"))).write_bytes(b"mine")
            for arguments in chance.sample([*self.into(folder)], 4):
                with self.subTest(seed=seed, arguments=arguments):
                    self.refused(*arguments, folder=folder)

    def grow(self, folder, chance, depth):
        folder.mkdir()
        for name in {chance.choice(OUR_NAMES) for _ in range(chance.randrange(1, 6))}:
            path = folder / name
            kind = chance.randrange(5) if depth > 0 else chance.randrange(1, 5)
            if kind == 0:
                self.grow(path, chance, depth - 1)
            elif kind == 1:
                path.symlink_to(chance.choice((self.folder / "in", self.folder / "in/english_0.tar", "nowhere", name)))
            elif kind == 2:
                os.mkfifo(path)
            else:
                path.write_bytes(chance.randbytes(chance.randrange(200)))
                path.chmod(chance.choice((0o644, 0o444, 0o000)))

    def test_links_in_place_of_our_folders(self):
        self.write("away/theirs.tar", b"theirs")
        for name in ("shards", "manifests", "ranks", ".shardmill", ".nv-meta"):
            self.dataset("--force")
            shutil.rmtree(self.folder / "out" / name, ignore_errors=True)
            (self.folder / "out" / name).symlink_to("../away")
            for more in ([], ["--force"], ["--dry-run"], ["--parts", "2", "--force"]):
                with self.subTest(name, more=more):
                    self.refused("repack", "in", "--out", "out", "--shards", "2", *more, folder=".", says=name)
            (self.folder / "out" / name).unlink()

    def test_an_empty_folder_and_a_link_to_one_will_do(self):
        (self.folder / "empty").mkdir()
        (self.folder / "link").symlink_to("empty")
        self.shardmill("repack", "in", "--out", "link", "--shards", "2", "-q")
        self.shardmill("verify", "empty")

    def test_a_source_under_another_path_is_not_replaced(self):
        """Links to files, links to folders and hard links lead to the files that --force would replace."""
        self.dataset()
        shards = sorted((self.folder / "out/shards").glob("*.tar"))
        for folder in ("links", "hard", "corpus"):
            (self.folder / folder).mkdir()
        for shard in shards:
            (self.folder / "links" / shard.name).symlink_to(shard)
            os.link(shard, self.folder / "hard" / shard.name)
        (self.folder / "folder").symlink_to("out/shards")
        self.write("links.list", "".join(f"links/{shard.name}\n" for shard in shards).encode())
        self.write("corpus/wav.scp", b"a a.wav\n")
        self.write("corpus/text", b"a A\n")
        (self.folder / "corpus/a.wav").symlink_to("../out/data.list")
        for source in ("links", "hard", "folder", "links.list", "links/audio_00000000{0..1}.tar", "kaldi:corpus"):
            before = tree(self.folder)
            for command in (["repack", f"x={source}", "--out", "out", "--shards", "3", "--force"],
                            ["repack", f"x={source}", "--out", "out", "--shards", "3", "--force", "--dry-run"],
                            ["repack", f"x={source}", "--out", "out", "--parts", "2", "--shards", "4", "--force"],
                            ["update", "out", "--add", f"x={source}", "--on-duplicate", "rename"]):
                with self.subTest(source, command=command):
                    self.fails(*command, code=2, says=["output folder", "source"])
                    self.assertEqual(tree(self.folder), before)

    def test_a_source_in_another_split_is_not_replaced(self):
        split = ("--out", "out", "--split", "dev=1s", "--split-by", "key", "--shards", "1", "-q")
        self.shardmill("repack", "in", *split)
        self.write("away/x.txt", b"")
        (self.folder / "away/dev.tar").symlink_to("../out/dev/shards/audio_000000000.tar")
        before = tree(self.folder)
        self.fails("repack", "x=away/dev.tar", *split, "--force", code=2, says="is the same file as out/dev/shards")
        self.assertEqual(tree(self.folder), before)

    def test_a_list_or_table_that_would_be_replaced(self):
        """What is read before the work begins is no file of the dataset that goes."""
        self.dataset()
        (self.folder / "keys").symlink_to("out/shards.jsonl")
        self.write("out/mine.txt", b"english_0\n")
        (self.folder / "out/data.list").write_bytes(b"../in/english_0.tar\n")
        before = tree(self.folder)
        for more in (["in", "--include-keys", "keys"], ["in", "--exclude-keys", "keys"], ["x=out/data.list"],
                     ["in", "--metadata", "out/tarred_audio_manifest.json"]):
            with self.subTest(more):
                self.fails("repack", *more, "--out", "out", "--shards", "3", "--force", code=2,
                           says="is a file of the dataset that is replaced (copy it elsewhere first)")
                self.assertEqual(tree(self.folder), before)
        # A file of the user's own stays, and may be read.
        self.shardmill("repack", "in", "--exclude-keys", "out/mine.txt", "--out", "out", "--shards", "3", "--force")

    def test_convert_keeps_what_it_did_not_make(self):
        self.shardmill("convert", "in", "--out", "made", "-q")
        (self.folder / "made/other.tar").write_bytes(b"mine")
        self.write("more/other.tar.zst", harness.compress("zstd", harness.shard(0, 2)))
        for more in ([], ["--force"]):
            self.refused("convert", "more", "--out", "made", *more, folder="made", says="other.tar")
        self.shardmill("convert", "in", "--out", "made", "--force", "-q")
        self.assertEqual(self.content("made/other.tar"), b"mine")
        self.refused("repack", "in", "--out", "made", "--shards", "2", "--force", folder="made")
        self.shardmill("verify", "made/english_0.tar")

    def test_a_folder_of_converted_shards_is_no_dataset(self):
        self.shardmill("convert", "in", "--out", "made", "-q")
        self.shardmill("verify", "made", "--against", "in")
        self.shardmill("ranks", "made", "--world-size", "1", "-q")

    def test_convert_does_not_overwrite_a_source(self):
        self.shardmill("convert", "in", "--out", "made", "-q")
        self.write("zst/english_0.tar.zst", harness.compress("zstd", harness.shard(0, 2)))
        before = tree(self.folder / "made")
        self.shardmill("convert", "zst/english_0.tar.zst", "made/english_0.tar", "--out", "made", "--force", code=2)
        self.assertEqual(tree(self.folder / "made"), before)

    def test_several_converts_of_one_folder_at_a_time(self):
        runs = []
        for number in range(6):
            self.write(f"many/x{number}.tar.zst", harness.compress("zstd", harness.shard(number, 3)))
            runs.append(subprocess.Popen([harness.PROGRAM, "convert", f"many/x{number}.tar.zst", "--out", "o", "-q"],
                                         cwd=self.folder, stderr=subprocess.PIPE))
        for run in runs:
            self.assertEqual((run.communicate()[1], run.returncode), (b"", 0))
        self.assertEqual(len([*(self.folder / "o").glob("*.tar")]), 6)


class Ours(Folders):
    def test_force_replaces_what_the_records_name_and_nothing_else(self):
        self.dataset("--index", "wids,energon")
        self.shardmill("ranks", "out", "--world-size", "2", "-q")
        self.shardmill("report", "out", "-q")
        mine = {"notes.txt": b"mine", "shards/notes.txt": b"mine", "shards/audio_000000009.tar": b"mine",
                "ranks/mine.list": b"mine", "audio/a.wav": b"mine", "manifests/old.json": b"mine"}
        for name, data in mine.items():
            self.write("out/" + name, data)
        self.shardmill("repack", "in", "--out", "out", "--shards", "1", "--force", "-q")
        for name, data in mine.items():
            self.assertEqual(self.content("out/" + name), data, name)
        left = set(self.names("out")) - set(mine)
        self.assertEqual(left, {"SHA256SUMS", "data.list", "dataset.json", "manifests/manifest_000000000.json",
                                "rejects.jsonl", "run.json", "shards.jsonl", "shards/audio_000000000.tar",
                                "tarred_audio_manifest.json"})
        self.assertFalse((self.folder / "out/.nv-meta").exists())

    def test_a_name_that_is_taken(self):
        self.dataset()
        self.write("out/shards/audio_000000002.tar", b"mine")
        self.refused("repack", "in", "--out", "out", "--shards", "3", "--force", folder="out",
                     says="audio_000000002.tar")
        self.refused("repack", "in", "--out", "out", "--shards", "3", "--force", "--dry-run", folder="out",
                     says="audio_000000002.tar")

    def test_files_that_a_user_added_to_the_checksums(self):
        self.dataset()
        self.write("out/notes.txt", b"mine")
        with (self.folder / "out/SHA256SUMS").open("a") as sums:
            sums.write(hashlib.sha256(b"mine").hexdigest() + "  notes.txt\n")
        self.shardmill("repack", "in", "--out", "out", "--shards", "1", "--force", "-q")
        self.assertEqual(self.content("out/notes.txt"), b"mine")

    def test_index_of_a_dataset(self):
        self.dataset()
        self.write("out/.nv-meta/dataset.yaml", b"mine")
        self.refused("index", "out", "--index", "wids,energon", folder="out", says=".nv-meta/dataset.yaml")
        (self.folder / "out/.nv-meta/dataset.yaml").unlink()
        self.shardmill("index", "out", "--index", "energon", "-q")
        self.shardmill("index", "out", "--index", "energon", "-q")
        self.shardmill("verify", "out")

    def test_index_of_other_shards(self):
        self.write("in/.nv-meta/dataset.yaml", b"mine")
        self.write("in/english_0.idx", b"mine")
        for kinds in ("energon", "dali", "wids,dali,energon"):
            self.refused("index", "in", "--index", kinds, folder="in", says="in the way")
        self.shardmill("index", "in", "--index", "wids", "-q")
        before = tree(self.folder / "in")
        self.shardmill("index", "in", "--index", "wids", "-q")
        self.assertEqual({name: value[3] for name, value in tree(self.folder / "in").items()},
                         {name: value[3] for name, value in before.items()})
        self.assertNotIn(".shardmill", before)

    def test_index_that_stops_leaves_nothing(self):
        self.write("in/zz.tar", harness.shard(7, 2)[:5000])
        self.refused("index", "in", folder="in", says="zz.tar")

    def test_rank_lists(self):
        self.dataset()
        self.shardmill("ranks", "out", "--world-size", "1,2", "-q")
        self.shardmill("ranks", "out", "--world-size", "2", "-q")
        self.shardmill("ranks", "out", "--world-size", "1", "--seed", "3", "-q")
        self.write("out/ranks/world-2/rank-5.list", b"mine")
        self.shardmill("repack", "in", "--out", "out", "--shards", "1", "--force", "-q")
        self.assertEqual(self.names("out/ranks"), ["world-2/rank-5.list"])
        self.refused("ranks", "out", "--world-size", "1", folder="out", says="world-2")

    def test_report(self):
        self.dataset()
        self.write("out/report.html", b"<html>mine</html>")
        self.refused("report", "out", folder="out", says="report.html")
        (self.folder / "out/report.html").unlink()
        for _ in range(2):
            self.shardmill("report", "out", "-q")
            self.shardmill("report", "out", "--out", "page.html", "-q")
        self.dataset("--prefix", "x", "--force")
        self.assertFalse((self.folder / "out/report.html").exists())

    def test_single_files_that_are_not_replaced(self):
        self.dataset()
        self.shardmill("repack", "in", "--out", "second", "--shards", "2", "-q")
        (self.folder / "link").symlink_to("in/english_0.tar")
        os.link(self.folder / "in/english_0.tar", self.folder / "hard")
        os.mkfifo(self.folder / "pipe")
        self.write("notes.txt", b"one\ntwo: three\nfour\n")
        for name in ("in/english_0.tar", "link", "hard", "pipe", "in", "notes.txt", "second/dataset.json",
                     "second/data.list", "second/shards/audio_000000000.tar"):
            for arguments in (["report", "out", "--out", name],
                              ["repack", "in", "--out", "new", "--shards", "2", "--depfile", name],
                              ["convert", "in", "--out", "new", "--depfile", name]):
                with self.subTest(arguments):
                    self.refused(*arguments, folder=".", says=name)
        self.shardmill("repack", "in", "--out", "new", "--shards", "2", "-q", "--depfile", "new.d")
        self.shardmill("repack", "in", "--out", "new", "--shards", "2", "-q", "--depfile", "new.d")

    def test_depfile_that_shardmill_did_not_write(self):
        """Also where its lines look like rules of make."""
        self.dataset()
        self.write("config.yaml", b"train: /data/train\nsample_rate: 16000\n")
        self.write("utt2wav.txt", b"utt1: /x/y.wav\n")
        self.write("Makefile", b"all: foo\n")
        self.write("own.mk", b"new/dataset.json: mine\nnew/english_0.tar: mine\n")
        self.write("other.d", b"old/dataset.json: \\\n  in\n\nin:\n")
        self.write("recipe.mk", b"new/dataset.json: \\\n  in\n\ttouch $@\n")
        self.write("empty", b"")
        for name in ("config.yaml", "utt2wav.txt", "Makefile", "own.mk", "other.d", "recipe.mk", "empty"):
            for command in (["repack", "in", "--shards", "2"], ["convert", "in"]):
                with self.subTest(name=name, command=command):
                    self.refused(*command, "--out", "new", "--depfile", name, folder=".", says=name)
                    self.assertFalse((self.folder / "new").exists())

    def test_depfile_among_the_results_of_its_own_run(self):
        """In a folder that is new, so nothing is there yet that would be in the way."""
        self.dataset()
        inner = ("dataset.json", "data.list", "run.json", "SHA256SUMS", "rejects.jsonl", "shards/audio_000000001.tar",
                 "shards/mine.d", "manifests/x", "ranks/x", "ranks", ".shardmill/x", "shards/../data.list")
        cases = [["repack", "in", "--shards", "2", "--out", "new/er", "--depfile", name]
                 for name in ("new", "new/er", "new/", *(f"new/er/{name}" for name in inner))]
        cases += [["convert", "in", "--out", "new", "--depfile", name]
                  for name in ("new", "new/english_0.tar", "./new/x/../english_0.tar", "new/.shardmill/x")]
        for case in cases:
            with self.subTest(case):
                self.refused(*case, folder=".", says=case[-1])
                self.assertFalse((self.folder / "new").exists())

    def test_temporary_files_follow_no_link(self):
        """Whatever the names: under none that is a link anything is written."""
        self.write("precious", b"mine")
        self.shardmill("convert", "in", "--out", "o", "-q")
        (self.folder / "o/english_0.tar").unlink()
        for name in ("english_0.tar", "english_0.tar.part", ".english_0.tar.shardmill.part"):
            with self.subTest(name):
                (self.folder / "o" / name).symlink_to("../precious")
                self.shardmill("convert", "in", "--out", "o", "--force", code=0 if name.endswith("tar.part") else 1)
                (self.folder / "o" / name).unlink()
                self.assertEqual(self.content("precious"), b"mine")

    def test_a_linked_lock(self):
        self.dataset()
        self.write("precious", b"mine")
        (self.folder / "out/.shardmill").mkdir()
        (self.folder / "out/.shardmill/lock").symlink_to("../../precious")
        for arguments in (["report", "out"], ["ranks", "out", "--world-size", "1"], ["index", "out"],
                          ["repack", "in", "--out", "out", "--shards", "2", "--force"]):
            self.shardmill(*arguments, code=1)
            self.assertEqual(self.content("precious"), b"mine")

    def test_without_dataset_json(self):
        """Whoever removed it wants the dataset made again; what the other records name is still ours."""
        self.dataset()
        (self.folder / "out/dataset.json").unlink()
        self.dataset()
        self.shardmill("verify", "out")


class Finished(Folders):
    REPACK = ("repack", "in", "--out", "out", "--shards", "2")

    def test_files_that_are_missing(self):
        """A dataset is finished while every file that its records name is there, with its size."""
        self.dataset("--index", "wids")
        for name in ("shards/audio_000000001.tar", "manifests/manifest_000000000.json", "data.list", "SHA256SUMS",
                     "shards.jsonl", "rejects.jsonl", "tarred_audio_manifest.json", "run.json", "shardindex.json"):
            with self.subTest(name):
                path = self.folder / "out" / name
                path.rename(self.folder / "away")
                for more in ([], ["--json"], ["--dry-run"], ["--json", "--dry-run"], ["--wait"]):
                    self.refused(*self.REPACK, "--index", "wids", *more, folder="out", says=name)
                (self.folder / "away").rename(path)
        self.shardmill(*self.REPACK, "--index", "wids", "-q")

    def test_a_shard_that_was_cut(self):
        self.dataset()
        path = self.folder / "out/shards/audio_000000001.tar"
        size = path.stat().st_size
        os.truncate(path, size - 512)
        self.refused(*self.REPACK, folder="out", says=f"has {size - 512} of {size} bytes")
        self.dataset("--force")
        self.shardmill("verify", "out")

    def test_a_manifest_that_was_cut(self):
        self.dataset()
        os.truncate(self.folder / "out/manifests/manifest_000000001.json", 100)
        self.refused(*self.REPACK, folder="out", says="manifests")

    def test_a_folder_that_cannot_be_written_costs_no_dataset(self):
        """--force finds out before it takes the older dataset away."""
        self.dataset()
        for path in [self.folder, *self.folder.rglob("*")]:
            path.chmod(0o777 if path.is_dir() else 0o666)
        shards = self.folder / "out/shards"
        shards.chmod(0o555)
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
        result = subprocess.run([harness.PROGRAM, "repack", "in", "--out", "out", "--shards", "3", "--force"],
                                cwd=self.folder, capture_output=True, **nobody)
        shards.chmod(0o777)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(b"cannot write into it", result.stderr)
        self.shardmill("verify", "out")

    def test_nothing_is_written_inside_a_dataset(self):
        self.dataset()
        self.write("more/english_1.tar", harness.shard(6, 6))
        for command in (["index", "out/shards", "--index", "dali"], ["convert", "more", "--out", "out/shards/sub"],
                        ["ranks", "more", "--world-size", "1", "--out", "out/manifests/q"],
                        ["repack", "more", "--out", "out/new", "--shards", "1"]):
            with self.subTest(command=command):
                self.refused(*command, folder="out", says="lies in the finished dataset")
        self.shardmill("ranks", "out", "--world-size", "2")
        self.shardmill("verify", "out")

    def test_only_some_are_named(self):
        self.shardmill("repack", "in", "--out", "out", "--shards", "6", "-q")
        shutil.rmtree(self.folder / "out/shards")
        message = self.refused("repack", "in", "--out", "out", "--shards", "6", folder="out", says="6").err
        self.assertIn("and 1 more", message)
        self.assertIn("--force", message)

    def test_in_parts(self):
        self.shardmill(*self.REPACK, "--parts", "1", "-q")
        self.shardmill("repack", "--out", "out", "--part", "0", "-q")
        self.shardmill("repack", "--out", "out", "--finish", "-q")
        (self.folder / "out/shards/audio_000000000.tar").unlink()
        for more in (["--finish"], ["--part", "0"]):
            self.refused("repack", "--out", "out", *more, folder="out", says="audio_000000000.tar")
        self.refused(*self.REPACK, "--parts", "1", folder="out", says="audio_000000000.tar")

    def test_what_never_was_a_dataset(self):
        (self.folder / "bare").mkdir()
        self.write("bare/shards.jsonl", b"")
        for command in (["ranks", "bare", "--world-size", "1"], ["report", "bare"], ["verify", "bare"]):
            with self.subTest(command):
                result = self.shardmill(*command, code=1)
                self.assertIn(" dataset of shardmill", result.err + result.out.decode())
                self.assertNotIn("not finished", result.err + result.out.decode())


class Locks(Folders):
    COMMANDS = (["report", "out"], ["ranks", "out", "--world-size", "1"], ["index", "out", "--index", "wids"])

    def hold(self, folder="out"):
        """The lock, held by the test as a run would, with work of that run beside it."""
        work = self.folder / folder / ".shardmill"
        (work / "spool").mkdir(parents=True)
        lock = (work / "lock").open("w")
        lock.write("host here, pid 7, since now: shardmill repack\n")
        lock.flush()
        fcntl.lockf(lock, fcntl.LOCK_EX)
        return lock

    def test_who_reads_is_told_who_is_at_work(self):
        self.dataset()
        with self.hold():
            for arguments in self.COMMANDS:
                with self.subTest(arguments):
                    self.fails(*arguments, says=["a run is at work here", "pid 7"])
            # A command that writes nothing into the folder needs no lock.
            self.shardmill("report", "out", "--out", "page.html", "-q")
            self.shardmill("ranks", "out", "--world-size", "1", "--dry-run", "-q")

    def test_who_reads_waits_for_who_is_quick(self):
        self.dataset()
        lock = self.hold()
        (self.folder / "out/.shardmill/spool").rmdir()
        run = subprocess.Popen([harness.PROGRAM, "report", "out", "-q"], cwd=self.folder, stderr=subprocess.PIPE)
        time.sleep(0.5)
        self.assertIsNone(run.poll())
        # The same run finds that its work was done meanwhile.
        self.shardmill("repack", "in", "--out", "out", "--shards", "2", "-q")
        lock.close()
        self.assertEqual((run.communicate()[1], run.returncode), (b"", 0))

    def test_a_lock_that_a_crash_left_goes_with_the_next_run(self):
        self.dataset()
        self.hold().close()
        (self.folder / "out/.shardmill/spool").rmdir()
        self.dataset()
        self.assertFalse((self.folder / "out/.shardmill").exists())

    def run_slowly(self, *options):
        """A run that waits at a pipe for the rest of its input, with its lock taken and its work begun."""
        self.write("slow/wav.scp", b"a cat pipe |\n")
        self.write("slow/text", b"a one\n")
        os.mkfifo(self.folder / "pipe")
        run = subprocess.Popen([harness.PROGRAM, "repack", "kaldi:slow", "--allow-commands", "--out", "out", "--shards",
                                "1", "-q", *options], cwd=self.folder, stderr=subprocess.PIPE)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        self.pipe = None
        while self.pipe is None:
            self.assertIsNone(run.poll(), "the run ended before it read its input")
            try:
                self.pipe = os.open(self.folder / "pipe", os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                self.assertEqual(error.errno, errno.ENXIO)  # nobody reads it yet
                time.sleep(0.01)
        os.set_blocking(self.pipe, True)
        return run

    def feed(self):
        with open(self.pipe, "wb") as pipe:
            pipe.write(harness.audio(0))

    def test_a_lock_file_that_is_deleted_lets_nobody_in(self):
        run = self.run_slowly()
        (self.folder / "out/.shardmill/lock").unlink()
        self.fails("repack", "in", "--out", "out", "--shards", "2", says=["another run is at work here", "deleted"])
        self.feed()
        self.assertEqual((run.communicate()[1], run.returncode), (b"", 0))
        self.shardmill("verify", "out")

    def test_a_run_whose_work_is_taken_away_publishes_nothing(self):
        run = self.run_slowly()
        shutil.rmtree(self.folder / "out")
        self.dataset()
        before = tree(self.folder / "out")
        self.feed()
        self.assertIn(b"shardmill repack:", run.communicate()[1])
        self.assertEqual(run.returncode, 1)
        self.assertEqual(tree(self.folder / "out"), before)
        self.shardmill("verify", "out")


class Links(Folders):
    def test_a_loop_of_links_in_wav_scp(self):
        (self.folder / "loop.wav").symlink_to("loop.wav")
        self.write("good.wav", harness.audio(0))
        self.write("data/wav.scp", b"a good.wav\nb loop.wav\n")
        self.write("data/text", b"a one\nb two\n")
        self.fails("repack", "data", "--out", "out", "--shards", "1", says=["loop.wav", "symbolic links"])
        self.shardmill("repack", "data", "--out", "out", "--shards", "1", "--on-error", "skip", "--max-rejects", "1",
                       "--allow-missing-text", "-q")
        reject = json.loads(self.content("out/rejects.jsonl"))
        self.assertIn("symbolic links", json.dumps(reject))


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("mount"), "only root can bind folders")
class Binds(Folders):
    def test_a_bind_mount_hides_nothing(self):
        self.write("all/src/a.tar", harness.shard(0, 3))
        (self.folder / "bound").mkdir()
        mounted = subprocess.run(["mount", "--bind", self.folder / "all", self.folder / "bound"], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("this machine lets nobody bind folders")
        self.addCleanup(subprocess.run, ["umount", self.folder / "bound"], check=True)
        for arguments in (["repack", "all/src", "--out", "bound", "--shards", "1"],
                          ["repack", "all/src", "--out", "bound/src", "--shards", "1"],
                          ["convert", "all/src", "--out", "bound/src/inner"]):
            before = tree(self.folder / "all")
            self.shardmill(*arguments, "--force", code=2 if "inner" in arguments[3] else 1)
            self.assertEqual(tree(self.folder / "all"), before)


if __name__ == "__main__":
    unittest.main()
