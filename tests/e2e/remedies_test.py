"""Advice is followed to the letter, and then the command works: a scenario for each remedy that the program knows."""
import os
import pathlib
import re
import shlex
import shutil
import unittest

import harness
import object_server
import remote_test
from repack_test import Repacking, corpus, tone

ERROR_HEADER = pathlib.Path(__file__).parents[2] / "include/shardmill/error.hpp"
INJECTOR = os.environ.get("SHARDMILL_FAULT_INJECTOR", "")


def remedies():
    body = re.search(r"enum class Remedy[^{]*{(.*?)}", ERROR_HEADER.read_text(), re.S)[1]
    return [name for name in re.findall(r"^\s*(\w+)", re.sub(r"//.*", "", body), re.M) if name != "none"]


def quoted_commands(message):
    """The whole commands that a message names."""
    return [shlex.split(command)[1:] for command in re.findall(r"'(shardmill [^']*)'", message)]


class Remedies(Repacking):
    def follow(self, command, *added, says=(), code=0, env=None):
        """The command fails with advice that names every option of `added`; with these it works."""
        failed = self.shardmill(*command, code=None, env=env or {})
        self.assertIn(failed.code, (1, 2), failed.err)
        advice = failed.err[failed.err.rindex("(", 0, failed.err.rindex(")")):] if "(" in failed.err else failed.err
        for option in added:
            if str(option).startswith("--"):
                self.assertIn(option, failed.err)
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, failed.err)
        self.shardmill(*command, *added, code=code, env=env or {})
        return advice

    def pair(self, name="in.tar", count=30, without_text=0, rate=16000, bad=(), keys="k"):
        members = []
        for number in range(count):
            key = f"{keys}{number:03}"
            if number >= without_text:
                members.append((f"{key}.txt", b"words"))
            members.append((f"{key}.wav", b"no audio at all" if number in bad else tone(900, rate=rate, seed=number)))
        self.write(name, harness.tar(members))

    def aishell(self, splits=("train", "dev")):
        lines = ""
        for split in splits:
            for number in range(20):
                key = f"BAC009S0002{split}{number:02}"
                self.write(f"data_aishell/wav/{split}/S0002/{key}.wav", tone(900, seed=number))
                lines += f"{key} 而 对\n"
        self.write("data_aishell/transcript/aishell_transcript_v0.8.txt", lines.encode())

    def lj(self, rows, lost):
        lines = ""
        for number in range(rows):
            if number >= lost:
                self.write(f"LJSpeech-1.1/wavs/LJ001-{number:04}.wav", tone(900, seed=number))
            lines += f"LJ001-{number:04}|a b|a b\n"
        self.write("LJSpeech-1.1/metadata.csv", lines.encode())

    def faults(self, **faults):
        if harness.SANITIZED or not os.path.exists(INJECTOR):
            self.skipTest("the fault injector is not there, or does not go with sanitizers")
        return {"LD_PRELOAD": INJECTOR, "FAULT_FOLDER": str(self.folder),
                **{name: str(value) for name, value in faults.items()}}

    def unfinished(self, *command):
        """Leaves a run that was killed after its first checkpoint."""
        for at in range(60, 2000, 5):
            self.shardmill(*command, code=None, env={**self.faults(FAULT_AT=at, FAULT_STAYS=1, FAULT_ERRNO=5),
                                                     "SHARDMILL_CHECKPOINT_BYTES": "20K"})
            if (self.folder / "out/.shardmill/journal").exists() and not (self.folder / "out/dataset.json").exists():
                return
            shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.fail("never caught with a journal")

    def remedy_start_over(self):
        self.pair()
        self.unfinished("repack", "in.tar", "--out", "out", "--shards", 2, "-q", "-j1")
        self.follow(["repack", "in.tar", "--out", "out", "--shards", 3, "-q"], "--force")

    def remedy_skip_bad_samples(self):
        self.pair(bad=[5])
        self.follow(["repack", "in.tar", "--out", "out", "--shards", 2, "-q"], "--on-error", "skip",
                    "--max-rejects", "1")
        self.lj(20, 1)
        self.follow(["repack", "LJSpeech-1.1", "--out", "lj", "--shards", 2, "-q"], "--on-error", "skip",
                    "--max-rejects", "1")

    def remedy_allow_losses(self):
        self.pair(bad=[5])
        command = ["repack", "in.tar", "--out", "out", "--shards", 2, "--on-error", "skip"]
        self.assertIn("--max-rejects", self.shardmill(*command, "--dry-run").err)
        self.assertNotIn("--max-rejects", self.shardmill(*command, "--dry-run", "--max-rejects", 1).err)
        self.shardmill(*command, code=3)
        self.shardmill(*command, "--max-rejects", 1, "--force")

    def remedy_allow_any_loss(self):
        self.pair()
        self.write("in.tar.gz", harness.compress("gzip", self.content("in.tar"))[:-20000])
        command = ["repack", "in.tar.gz", "--out", "out", "--shards", 2, "--on-error", "skip"]
        self.assertIn("--max-rejects all", self.shardmill(*command, "--dry-run", "--max-rejects", 20).err)
        self.shardmill(*command, "--max-rejects", 20, code=3)
        self.shardmill(*command, "--max-rejects", "all", "--force")

    def remedy_skip_any_loss(self):
        self.pair(bad=[5, 6])
        command = ["repack", "in.tar", "--out", "out", "--shards", 2]
        self.assertIn("--on-error skip --max-rejects all", self.shardmill(*command, "--dry-run", code=1).err)
        command += ["--on-error", "skip", "--max-rejects", "all"]
        self.assertNotIn("--max-rejects", self.shardmill(*command, "--dry-run").err)
        self.shardmill(*command)

    def remedy_choose_duplicate(self):
        for name in ("a.tar", "b.tar"):
            self.pair(name)
        for choice in ("first", "rename", "prefix"):
            self.follow(["repack", "x=a.tar", "y=b.tar", "--out", choice, "--shards", 2, "-q"],
                        "--on-duplicate", choice)

    def remedy_replace_changed(self):
        self.pair()
        self.shardmill("repack", "main=in.tar", "--out", "out", "--shards", 2, "-q")
        self.pair(keys="k", rate=8000)
        self.write("keys", b"".join(b"k%03d\n" % number for number in range(30)))
        self.follow(["update", "out", "--add", "main=in.tar", "-q"], "--on-duplicate", "first", "--remove-keys", "keys")
        self.shardmill("verify", "out", "--against", "main=in.tar")

    def remedy_give_table(self):
        for number in range(9):
            self.write(f"audio/a{number}.wav", tone(900, seed=number))
        self.write("audio/texts.tsv", b"file\tSentence\n" + b"".join(b"a%d.wav\twords\n" % n for n in range(9)))
        self.follow(["repack", "x=audio", "--out", "out", "--shards", 2, "-q"], "--metadata", "x=audio/texts.tsv",
                    says="x=audio/texts.tsv")

    def test_what_is_advised_can_be_pasted(self):
        """Names of tables and columns with blanks are quoted; a column with an unusual name is named with its table."""
        for number in range(9):
            self.write(f"audio/a{number}.wav", tone(900, seed=number))
        self.write("audio/my texts.tsv",
                   b"file\twhat was said\n" + b"".join(b"a%d.wav\twords and more\n" % n for n in range(9)))
        command = ["repack", "x=audio", "--out", "out", "--shards", 2, "-q"]
        advice = self.fails(*command, says="--metadata").err
        added = re.search(r"\((--metadata .*?) takes", advice)[1]
        self.assertEqual(added, "--metadata 'x=audio/my texts.tsv' --text-field 'x=what was said'")
        self.shardmill(*command, *shlex.split(added))
        self.assertEqual(self.records("out")[0]["text"], "words and more")

    def test_a_table_in_another_encoding(self):
        for number in range(9):
            self.write(f"audio/a{number}.wav", tone(900, seed=number))
        rows = "文件名,文本,说话人\n" + "".join(f"a{number}.wav,今天天气很好,说{number}\n" for number in range(9))
        self.write("audio/t.csv", rows.encode("gbk"))
        command = ["repack", "x=audio", "--out", "out", "--shards", 2, "-q"]
        advice = self.fails(*command,
                            says=["audio/t.csv", "is not UTF-8", "iconv -f GB18030 -t UTF-8", "metadata of x"]).err
        iconv = re.search("iconv -f GB18030 -t UTF-8", advice)[0]
        self.write("t.csv", harness.output_of(*iconv.split(), data=rows.encode("gbk")))
        self.shardmill(*command, "--metadata", "x=t.csv")
        record = self.records("out")[0]
        self.assertEqual((record["text"], record["speaker"][0]), ("今天天气很好", "说"))

    def remedy_give_labels_beside(self):
        """A tar of audio, and tables beside it that list its files."""
        self.write("down/audio.tar",
                   harness.tar([(f"clips/a{number}.wav", tone(900, seed=number)) for number in range(9)]))
        for name, numbers in (("one", range(5)), ("two", range(5, 9))):
            self.write(f"down/{name}.csv", b"path,sentence\n" + b"".join(b"clips/a%d.wav,words\n" % n for n in numbers))
        self.follow(["repack", "x=down/audio.tar", "--out", "out", "--shards", 2, "-q"],
                    "--labels", "x=down/one.csv", "--labels", "x=down/two.csv",
                    says=["--labels x=down/one.csv --labels x=down/two.csv"])

    def remedy_give_audio_list(self):
        self.write("audio/long.wav", tone(64000, seed=1))
        rows = "".join(f'{{"audio": "long.wav", "start": {n}, "end": {n + 1}, "text": "t{n}"}}\n' for n in range(3))
        self.write("audio/talks.jsonl", rows.encode())
        advice = self.follow(["repack", "x=audio", "--out", "out", "--shards", 1, "-q"], "--allow-missing-text")
        table = re.search(r"as the source: (\S+);", advice)[1]
        self.shardmill("repack", table, "--out", "cut", "--shards", 1, "-q")
        self.assertEqual(len(self.records("cut")), 3)

    def remedy_name_text_field(self):
        for number in range(9):
            self.write(f"audio/a{number}.wav", tone(900, seed=number))
        self.write("texts.csv", b"key,what was said,size\n" + b"".join(b"a%d,some words,9\n" % n for n in range(9)))
        self.follow(["repack", "x=audio", "--metadata", "x=texts.csv", "--out", "out", "--shards", 2, "-q"],
                    "--text-field", "x=what was said", says=["what was said, size"])
        self.assertEqual(self.records("out")[0]["text"], "some words")

    def remedy_give_labels(self):
        self.write("audio/a.wav", tone(16000, seed=1))
        self.write("more/b.wav", tone(16000, seed=2))
        for name in "ab":
            self.write(f"{name}.jsonl", f'{{"audio_filepath": "{name}.wav", "text": "t"}}\n'.encode())
        self.shardmill("repack", "x=audio", "--labels", "a.jsonl", "--out", "out", "--shards", 1, "-q")
        self.follow(["update", "out", "--add", "x=more", "-q"], "--labels", "x=b.jsonl")

    def test_a_field_that_is_the_text(self):
        self.write("audio/a.wav", tone(16000, seed=1))
        self.write("l.jsonl", b'{"audio_filepath": "a.wav", "words": "t"}\n')
        for choice in (["--text-field", "words"], ["--allow-missing-text"]):
            self.follow(["repack", "x=audio", "--labels", "l.jsonl", "--out", choice[0].strip("-"), "--shards", 1,
                         "-q"], *choice)

    def remedy_one_audio_form(self):
        self.pair("a.tar", keys="a")
        self.pair("b.tar", keys="b", rate=8000)
        self.follow(["repack", "x=a.tar", "y=b.tar", "--out", "out", "--shards", 2, "-q", "--require-uniform"],
                    "--sample-rate", 16000, "--channels", "mono")

    def remedy_one_audio_form_or_stop(self):
        self.pair("a.tar", keys="a")
        self.pair("b.tar", keys="b", rate=8000)
        command = ["repack", "x=a.tar", "y=b.tar", "--shards", 2, "-q", "--out"]
        warning = self.shardmill(*command, "mixed").err
        for option in ("--sample-rate", "--channels mono", "--require-uniform"):
            self.assertIn(option, warning)
        self.assertEqual(self.shardmill(*command, "out", "--sample-rate", 16000, "--channels", "mono").err, "")
        self.shardmill(*command, "none", "--require-uniform", code=1)

    def remedy_allow_missing_text(self):
        self.pair(without_text=15)
        for option in ("--require-text", "--allow-missing-text"):
            self.follow(["repack", "in.tar", "--out", option[2:], "--shards", 2, "-q"], option)

    def remedy_require_text(self):
        self.lj(30, 0)
        table = self.folder / "LJSpeech-1.1/metadata.csv"
        table.write_text("".join(table.read_text().splitlines(keepends=True)[1:]))
        shutil.make_archive(str(self.folder / "lj"), "gztar", self.folder, "LJSpeech-1.1")
        command = ["repack", "lj.tar.gz", "--shards", 2, "-q", "--out"]
        self.assertIn("--require-text", self.shardmill(*command, "a").err)
        self.assertNotIn("no transcript", self.shardmill(*command, "b", "--require-text").err)

    def remedy_allow_audio_alone(self):
        for number in range(9):
            self.write(f"audio/a{number}.wav", tone(900, seed=number))
        self.follow(["repack", "audio", "--out", "out", "--shards", 2, "-q"], "--allow-missing-text")

    def remedy_allow_lost_audio(self):
        self.lj(20, 8)
        for option in ("--allow-missing-text", "--require-text"):
            first = ["repack", "LJSpeech-1.1", "--out", "out" + option, "--shards", 2, "-q"]
            self.follow([*first, "--on-error", "skip", "--max-rejects", "all"], option)

    def remedy_allow_commands(self):
        self.write("a.wav", tone(900))
        self.write("kaldi/wav.scp", f"k1 cat {self.folder}/a.wav |\n".encode())
        self.write("kaldi/text", b"k1 words\n")
        self.follow(["repack", "kaldi", "--out", "out", "--shards", 1, "-q"], "--allow-commands")

    def remedy_choose_subset(self):
        self.aishell()
        for subset in ("train", "all"):
            self.follow(["repack", "data_aishell", "--out", subset, "--shards", 2, "-q"], "--subset", subset)
        self.pair()
        self.repack("in.tar", "--out", "plain", "--shards", 2, "-q")
        says = self.shardmill("update", "plain", "--add", "data_aishell", code=1).err
        self.assertIn("shardmill repack chooses with --subset", says)
        self.repack("data_aishell", "--out", "part", "--shards", 2, "-q", "--subset", "train")
        self.shardmill("update", "plain", "--add", "part", "-q")

    def remedy_more_memory(self):
        self.write("big.tar", harness.tar([("k.txt", b"t"), ("k.wav", tone(90_000_000))]))
        command = ["repack", "big.tar", "--out", "out", "--shards", 1, "-q", "--memory"]
        error = self.shardmill(*command, "1MiB", code=1).err
        self.shardmill(*command, re.search(r"--memory (\S+) will do", error)[1])

    def remedy_fewer_open_files(self):
        for number in range(6):
            members = [(f"{number}k{part}.{end}", data) for part in range(2)
                       for end, data in (("txt", b"words"), ("wav", tone(2_000_000, 10 * number + part)))]
            self.write(f"in/{number}.tar.zst",
                       harness.output_of("zstd", "-1qc", "--long=27", data=harness.tar(members)))
        command = ["repack", "in", "--shards", 2, "-q", "--out"]
        error = self.shardmill(*command, "out", "--memory", "40M", code=1).err
        self.shardmill(*command, "out", "--memory", re.search(r"--memory (\S+) will do", error)[1])
        self.shardmill(*command, "again", "--memory", "40M", "--interleave", 2)

    def remedy_fewer_threads(self):
        self.pair()
        env = self.faults(FAULT_THREADS=2)
        command = ["repack", "in.tar", "--out", "out", "--shards", 2, "-q"]
        self.assertIn("--threads", self.shardmill(*command, "--threads", 8, code=1, env=env).err)
        self.shardmill(*command, "--threads", 1, env=env)

    def remedy_other_folder(self):
        self.pair()
        self.write("file", b"mine")
        self.assertIn("--out", self.shardmill("repack", "in.tar", "--out", "file", "--shards", 2, "-q", code=1).err)
        self.repack("in.tar", "--out", "other", "--shards", 2, "-q")
        # A user's file among the rank lists.
        (self.folder / "other/ranks").mkdir()
        self.write("other/ranks/mine", b"mine")
        says = self.shardmill("ranks", "other", "-w", 2, "--out", "other/ranks", code=1).err
        self.assertIn("choose another --out", says)
        self.shardmill("ranks", "other", "-w", 2, "--out", "lists")
        self.shardmill("update", "other", "--remix", "-q")
        self.shardmill("repair", "other", "-q")
        self.shardmill("verify", "other")
        self.assertEqual(self.content("other/ranks/mine"), b"mine")
        self.assertIn("move it elsewhere", says)
        (self.folder / "other/ranks/mine").unlink()
        self.shardmill("ranks", "other", "-w", 2)
        # One that came later: the lists are of no use after an update, and the file stays.
        self.write("other/ranks/mine", b"mine")
        self.write("keys", b"k003\n")
        self.shardmill("update", "other", "--remove-keys", "keys", "-q")
        self.shardmill("verify", "other")
        self.assertEqual(self.content("other/ranks/mine"), b"mine")

    def remedy_other_work_folder(self):
        if not remote_test.is_built_in():
            self.skipTest("built without libcurl")
        self.pair()
        self.write("work/mine", b"mine")
        with object_server.ObjectServer({}, bucket="store").running() as server:
            command = ["repack", "in.tar", "--out", "s3://store/set", "--shards", 2, "-q"]
            says = self.shardmill(*command, "--work", "work", code=1, env=server.environment).err
            self.assertIn("--work", says)
            self.assertEqual(self.content("work/mine"), b"mine")
            self.shardmill(*command, "--work", "new", env=server.environment)

    def remedy_not_replaced(self):
        self.pair()
        self.write("out/mine", b"mine")
        for force in ([], ["--force"]):
            says = self.shardmill("repack", "in.tar", "--out", "out", "--shards", 2, "-q", *force, code=1).err
            self.assertIn("another --out", says)
        self.repack("in.tar", "--out", "new", "--shards", 2, "-q")

    def remedy_other_folder_or_replace(self):
        self.pair()
        self.repack("in.tar", "--out", "out", "--shards", 2, "-q")
        command = ["repack", "in.tar", "--shards", 3, "-q"]
        self.assertIn("choose another --out", self.shardmill(*command, "--out", "out", code=1).err)
        self.shardmill(*command, "--out", "new")
        self.follow([*command, "--out", "out"], "--force")

    def remedy_replace(self):
        self.pair()
        command = ["convert", "in.tar", "--out", "out", "--codec", "zstd", "-q"]
        self.shardmill(*command)
        self.write("out/in.tar.zst", b"changed")
        self.follow(command, "--force")
        self.write("out/in.tar.zst", b"changed")
        self.assertIn("remove it", self.shardmill(*command, code=1).err)
        (self.folder / "out/in.tar.zst").unlink()
        self.shardmill(*command)

    def remedy_make_again(self):
        self.pair()
        command = ["repack", "in.tar", "--out", "out", "--shards", 2, "-q"]
        self.shardmill(*command)
        (self.folder / "out/shards/audio_000000001.tar").unlink()
        (advised,) = quoted_commands(self.shardmill(*command, code=1).err)
        self.assertEqual(advised, ["repair", "out"])
        self.shardmill(*advised, "-q")
        self.shardmill(*command)
        (self.folder / "out/shards/audio_000000001.tar").unlink()
        self.follow(command, "--force")

    def remedy_ignore_free_space(self):
        self.pair()
        env = self.faults(FAULT_FREE_BYTES=1000)
        self.follow(["repack", "in.tar", "--out", "out", "--shards", 2, "-q"], "--ignore-free-space", env=env)

    def remedy_plain_shards(self):
        self.pair()
        command = ["repack", "in.tar", "--out", "out", "--shards", 2, "-q", "--index", "dali", "--codec"]
        self.assertIn("--codec none", self.shardmill(*command, "zstd", code=2).err)
        self.shardmill(*command, "none")
        self.repack("in.tar", "--out", "packed", "--shards", 2, "-q", "--codec", "zstd")
        says = self.shardmill("index", "packed", "--index", "dali", code=2).err
        self.assertIn("make plain shards with shardmill repack --codec none", says)
        self.repack("packed", "--out", "plain", "--shards", 2, "-q", "--codec", "none")
        self.shardmill("index", "plain", "--index", "dali", "-q")

    def remedy_list_root(self):
        self.pair()
        self.follow(["repack", "in.tar", "--out", "o\nut", "--shards", 2, "-q"], "--list-root", "/data")

    def remedy_other_depfile(self):
        self.pair()
        command = ["repack", "in.tar", "--out", "out", "--shards", 2, "-q", "--depfile"]
        self.assertIn("--depfile", self.shardmill(*command, "in.tar", code=None).err)
        self.shardmill(*command, "out.d")

    def remedy_no_depfile(self):
        self.pair("i\nn.tar")
        command = ["repack", "main=i\nn.tar", "--out", "out", "--shards", 2, "-q"]
        self.assertIn("--depfile", self.shardmill(*command, "--depfile", "out.d", code=None).err)
        self.shardmill(*command)

    def remedy_go_on_in_parts(self):
        self.pair()
        command = ["repack", "in.tar", "--out", "out", "--shards", 2, "-q"]
        self.shardmill(*command, "--parts", 2)
        self.assertIn("--part and --finish", self.shardmill(*command, code=1).err)
        for part in range(2):
            self.shardmill("repack", "--out", "out", "--part", part, "-q")
        self.shardmill("repack", "--out", "out", "--finish", "-q")
        self.shardmill(*command[:3], "other", *command[4:], "--parts", 2)
        self.follow([*command[:3], "other", *command[4:]], "--force")

    def remedy_plan_again(self):
        self.pair()
        plan = ["repack", "in.tar", "--out", "out", "--shards", 2, "--parts", 2]
        self.shardmill(*plan)
        self.pair(keys="k")
        self.fails("repack", "--out", "out", "--part", 0, says="(plan the run again with --parts N --force)")
        self.shardmill(*plan, "--force")
        for step in (["--part", 0], ["--part", 1], ["--finish"]):
            self.shardmill("repack", "--out", "out", *step)

    def remedy_not_in_parts(self):
        self.pair()
        command = ["repack", "in.tar", "--out", "out", "--shards", 2, "-q", "--limit", 10]
        self.assertIn("without --parts", self.shardmill(*command, "--parts", 2, code=2).err)
        self.shardmill(*command)

    def remedy_split_by_key(self):
        self.pair()
        command = ["repack", "in.tar", "--out", "spoken", "--shards", 2, "-q", "--split", "dev=0.2s"]
        self.fails(*command, "--dry-run", says=["in.tar", "the speaker of 'k000' of data", "--speaker-from data=REGEX"])
        self.follow(command, "--speaker-from", "data=^k([0-9]+)")
        self.follow(["repack", "in.tar", "--out", "out", "--shards", 2, "-q", "--split", "dev=0.2s"],
                    "--split-by", "key")

    def remedy_split_by_amounts(self):
        self.pair()
        command = ["repack", "in.tar", "--out", "out", "--shards", 2, "-q", "--split-by", "key", "--split"]
        says = self.shardmill("repack", "in.tar", "--out", "out", "--shards", 2, "-q", "--split", "subset",
                              code=None).err
        self.assertIn("--split dev=2h,test=2h", says)
        self.shardmill(*command, "dev=0.2s,test=0.2s")

    def test_there_is_a_scenario_for_each(self):
        scenarios = {name.removeprefix("remedy_") for name in dir(self) if name.startswith("remedy_")}
        self.assertEqual(scenarios, set(remedies()))

    def test_a_table_in_an_archive(self):
        self.pair()
        self.write("table.tsv", b"key\tspeaker\nk001\ta\n")
        shutil.make_archive(str(self.folder / "table"), "zip", self.folder, "table.tsv")
        command = ["repack", "in.tar", "--out", "out", "--shards", 2, "-q", "--metadata"]
        self.fails(*command, "table.zip", says=["is an archive (zip)", "unpack it"])
        self.shardmill(*command, "table.tsv")

    def test_a_folder_in_place_of_a_file(self):
        self.pair()
        for name in ("SHA256SUMS", "shards.jsonl", "rejects.jsonl", "data.list", "tarred_audio_manifest.json",
                     "run.json",
                     "manifests/manifest_000000001.json", "shards/audio_000000001.tar"):
            with self.subTest(name=name):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                self.repack("in.tar", "--out", "out", "--shards", 2, "-q", "--parity", 1)
                (self.folder / "out" / name).unlink()
                (self.folder / "out" / name).mkdir()
                self.shardmill("verify", "out", code=1)
                result = self.shardmill("repair", "out", code=None)
                if name != "run.json":
                    self.assertIn("move it elsewhere", result.err + result.out.decode())
                (self.folder / "out" / name).rename(self.folder / "elsewhere")
                self.shardmill("repair", "out", "-q", code=None if name == "run.json" else 0)
                (self.folder / "elsewhere").rmdir()
                self.shardmill("verify", "out", code=None if name == "run.json" else 0)

    def test_keys_that_loaders_skip(self):
        members = []
        for key in ("__a", "__b__", "..c", "//d"):
            members += [(f"{key}.txt", b"words"), (f"{key}.wav", tone(900))]
        self.write("in.tar", harness.tar(members))
        self.repack("in.tar", "--out", "out", "--shards", 1, "-q", "--index", "wids,dali,energon,lhotse")
        self.shardmill("verify", "out", "--against", "in.tar")
        self.assertEqual([record["key"][:3] for record in self.records("out")], ["x__"] * len(self.records("out")))


def scenario(name):
    return lambda self: getattr(self, "remedy_" + name, lambda: self.fail(f"no scenario provokes Remedy::{name}"))()


for each in remedies():
    setattr(Remedies, f"test_{each}", scenario(each))


if __name__ == "__main__":
    unittest.main()
