"""A run in parts: planned once, done by tasks that know nothing of each other, finished by one."""
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest

import harness
from repack_test import Repacking, corpus, tone

KILLS = int(os.environ.get("SHARDMILL_KILLS", "10"))
CHECKPOINTS = {"SHARDMILL_CHECKPOINT_BYTES": "100K"}


class Parts(Repacking):
    parts = 3
    shards = 7

    def setUp(self):
        super().setUp()
        self.contents = {}
        sources = (("x", "wav", "bzip2"), ("y", "flac", "zstd"), ("z", "wav", "none"))
        for number, (name, form, codec) in enumerate(sources):
            tars, contents = corpus(name, 700, form=form, shards=(12, 7, 1)[number], seed=number + 1)
            self.put(name, tars, codec)
            self.contents.update(contents)

    def plan(self, out, *options, **more):
        return self.repack("x", "y", "z", "--out", out, "--shards", self.shards, "--parts", self.parts,
                           "--list-root", "/r", *options, **more)

    def step(self, out, *step, **more):
        return self.repack("--out", out, *step, **more)

    def done_in_parts(self, out, *options, order=None, deal=False):
        self.plan(out, *options)
        for part in order or range(self.parts):
            self.step(out, "--part", part, "-q")
        if deal:
            self.step(out, "--deal")
            for part in reversed(range(self.parts)):
                self.step(out, "--part", part)
        self.step(out, "--finish", "-q")

    def check_balance(self, out):
        shards = self.records(out, "shards.jsonl")
        self.assertEqual([shard["shard_id"] for shard in shards], list(range(self.shards)))
        for name in ("x", "y", "z"):
            counts = [shard["datasets"].get(name, {"samples": 0})["samples"] for shard in shards]
            self.assertLessEqual(max(counts) - min(counts), 1, (name, counts))
        counts = [shard["samples"] for shard in shards]
        self.assertLessEqual(max(counts) - min(counts), 1)
        seconds = [shard["seconds"] for shard in shards]
        self.assertLessEqual(max(seconds) - min(seconds), 0.010)


class Whole(Parts):
    def test_every_sample_once_and_the_shards_are_as_even_as_on_one_machine(self):
        for codec in ("none", "zstd"):
            out = f"out-{codec}"
            self.done_in_parts(out, "--codec", codec)
            self.check_against(out, self.contents)
            self.check_balance(out)
            self.shardmill("verify", out, "--against", "x", "y", "z")
            self.assertEqual([name for name in self.names(out) if ".shardmill" in name], [])

    def test_the_result_depends_on_the_number_of_parts_alone(self):
        self.done_in_parts("first")
        self.done_in_parts("second", "-j5", order=[2, 0, 1], deal=True)
        self.same_bytes("first", "second")

    def test_a_bit_that_flips_in_a_scratch_file_is_noticed(self):
        def finds(out, name, *step):
            path = self.folder / out / ".shardmill" / name
            sound = path.read_bytes()
            data = bytearray(sound)
            data[len(data) // 10] ^= 4
            path.write_bytes(data)
            self.fails("repack", "--out", out, *step, "-q", says=(name, "--force"))
            path.write_bytes(sound)
        self.plan("out")
        for part in range(self.parts):
            self.step("out", "--part", part, "-q")
        finds("out", "part_00001/keys", "--deal")
        for name in ("spool/000000000.tar", "spool/000000000.json", "held", "journal"):
            finds("out", f"part_00000/{name}", "--finish")
        self.step("out", "--deal")
        self.step("out", "--part", 1)
        finds("out", "part_00001/spool/000000001.json", "--finish")
        self.step("out", "--finish", "-q")
        self.shardmill("verify", "out", "--against", "x", "y", "z")
        self.done_in_parts("undisturbed")
        self.same_bytes("out", "undisturbed")

    def test_few_samples_are_as_even_as_on_one_machine(self):
        for number, (count, frames) in enumerate(((16, 7000), (13, 5500))):
            members = []
            for i in range(count):
                key = f"few{number}_{i}"
                members += [(f"{key}.txt", b"few"), (f"{key}.wav", tone(frames + (i * 7919) % 5000, i))]
            self.write(f"few/{number}.tar", harness.tar(members))
        spreads = {}
        for shards in (4, 16):
            for parts in (0, 2, 3, 4):
                out = f"few-{shards}-{parts}"
                how = ["few", "--out", out, "--shards", shards, "--json"]
                if parts == 0:
                    summary = json.loads(self.repack(*how).out)
                else:
                    self.repack(*how, "--parts", parts)
                    for part in range(parts):
                        self.step(out, "--part", part)
                    summary = json.loads(self.step(out, "--finish", "--json").out)
                spreads[shards, parts] = summary["spread_seconds"]
                self.assertLessEqual(summary["spread_samples"], 1)
                self.assertEqual(summary["even"], summary["spread_seconds"] <= 0.010)
                self.assertEqual(json.loads((self.folder / out / "dataset.json").read_text())["balance"]["even"],
                                 summary["even"])
                self.assertAlmostEqual(spreads[shards, parts], spreads[shards, 0], delta=0.010)
        self.assertLessEqual(spreads[4, 2], 0.020)
        self.assertGreater(spreads[16, 2], 0.020)
        self.assertIn("17 samples last 501 ms or longer, so one of 16 shards gets 2 of them",
                      self.repack("few", "--out", "said", "--shards", 16).out.decode())

    def test_one_part_is_as_good_as_many(self):
        self.parts = 1
        self.done_in_parts("out")
        self.check_against("out", self.contents)
        self.check_balance("out")
        # With one part nothing is held back for others: the run is the same as without parts.
        # The only difference is that parts know their sources by absolute paths.
        self.repack(*(self.folder / name for name in "xyz"), "--out", "whole", "--shards", self.shards, "--list-root",
                    "/r", "-q")
        self.same_bytes("out", "whole")

    def test_parts_may_have_nothing_of_a_dataset(self):
        self.parts = 7
        self.done_in_parts("out")
        self.check_against("out", self.contents)
        self.check_balance("out")

    def test_raw_corpora_and_options_are_recalled(self):
        folder = self.folder / "raw"
        folder.mkdir()
        for number in range(60):
            (folder / f"u{number}.wav").write_bytes(self.contents[f"x{number:05}"][1])
            (folder / f"u{number}.txt").write_text(f"words {number}")
        self.repack("raw", "--out", "out", "--shards", 4, "--parts", 2, "--audio", "flac", "--prefix", "p", "--text",
                    "manifest")
        for part in (1, 0):
            self.step("out", "--part", f"{part}")
        self.step("out", "--finish")
        records = self.records("out")
        self.assertEqual(sorted(record["key"] for record in records), sorted(f"u{number}" for number in range(60)))
        self.assertEqual({record["format"] for record in records}, {"flac/pcm16"})
        self.assertTrue((self.folder / "out/shards/p_000000003.tar").exists())

    def test_steps_may_be_done_in_any_folder(self):
        elsewhere = self.folder / "else/where"
        elsewhere.mkdir(parents=True)
        os.symlink("../x", self.folder / "else/xx")
        self.write("x.list",
                   "".join(f"{self.folder}/y/{path.name}\n" for path in sorted((self.folder / "y").iterdir())).encode())
        self.repack("one=../xx", "two=../../x.list", "../../z/part_?.tar", "--out", "../../out", "--shards",
                    self.shards,
                    "--parts", self.parts, "--exclude", "x*1", "--exclude", "y*2", "--weight", "two=0.5", "--seed", 5,
                    "--min-duration", "30ms", "--codec", "zstd", "--level", 3, "--seekable", cwd=elsewhere)
        for part in range(self.parts):
            self.step(self.folder / "out", "--part", part, cwd="/")
        self.step("out", "--deal")
        self.step("../out", "--finish", cwd=self.folder / "else")
        self.repack(f"one={self.folder}/else/xx", f"two={self.folder}/x.list", f"{self.folder}/z/part_?.tar", "--out",
                    "out",
                    "--shards", self.shards, "--exclude", "x*1", "--exclude", "y*2", "--weight", "two=0.5", "--seed", 5,
                    "--min-duration", "30ms", "--codec", "zstd", "--level", 3, "--seekable")
        # As given before, from where they were given: the same files.
        self.assertIn(b"finished already", self.repack(
            "one=../xx", "two=../../x.list", "../../z/part_?.tar", "--out", "../../out", "--shards", self.shards,
            "--exclude", "x*1", "--exclude", "y*2", "--weight", "two=0.5", "--seed", 5, "--min-duration", "30ms",
            "--codec", "zstd", "--level", 3, "--seekable", cwd=elsewhere).out)
        self.fails("repack", "one=../xx", "two=../../z", "../../z/part_?.tar", "--out", "../../out", "--shards",
                   self.shards,
                   "--exclude", "x*1", "--exclude", "y*2", "--weight", "two=0.5", "--seed", 5, "--min-duration", "30ms",
                   "--codec", "zstd", "--level", 3, "--seekable", cwd=elsewhere, says="the source files are others")
        self.shardmill("verify", "out", "--against", f"one={self.folder}/else/xx", f"two={self.folder}/x.list",
                       f"z={self.folder}/z")

    def test_paths_inside_sources_need_the_folder_of_the_plan(self):
        self.write("k/wav.scp", b"".join(f"u{i} k/u{i}.wav\n".encode() for i in range(9)))
        self.write("k/text", b"".join(f"u{i} words\n".encode() for i in range(9)))
        for i in range(9):
            self.write(f"k/u{i}.wav", tone(800 + i, i))
        self.repack("kaldi:k", "--out", "out", "--shards", 2, "--parts", 2)
        self.fails("repack", "--out", self.folder / "out", "--part", "0", cwd="/",
                   says=["begin in", self.folder, "in that folder"])
        for step in (["--part", 0], ["--part", 1], ["--finish"]):
            self.step("out", *step)
        self.assertEqual(len(self.records("out")), 9)

    def unlike(self):
        """Two tars, one of many short samples, one of a few long ones, listed by a manifest that says more of them."""
        contents, lines = {}, []
        for number, (count, frames) in enumerate(((1000, 400), (100, 4000))):
            members = []
            for i in range(count):
                key, audio = f"k{number}{i:04}", tone(frames + i % 7, i)
                contents[key] = (f"said {key}", audio)
                lines.append(json.dumps({"audio_filepath": f"{key}.wav", "text": f"said {key}", "shard_id": number,
                                         **({"spk": {"name": f"\u00e9 {key}\n"}} if i % 3 else {})}))
                members += [(f"{key}.wav", audio)] + [(f"{key}.json", b"{}")] * (i % 2)
            self.write(f"v/audio_{number}.tar", harness.tar(members))
        self.write("v/m.json", ("\n".join(lines) + "\n").encode())
        return contents

    def check_unlike(self, out, contents):
        shards = self.records(out, "shards.jsonl")
        self.assertEqual({shard["samples"] for shard in shards}, {275})
        seconds = [shard["seconds"] for shard in shards]
        self.assertLessEqual(max(seconds) - min(seconds), 0.010)
        self.check_against(out, contents)
        for record in self.records(out):
            key = record["key"]
            self.assertEqual(record.get("spk"), {"name": f"\u00e9 {key}\n"} if int(key[2:]) % 3 else None)
        self.shardmill("verify", out, "--decode", "--against", "nemo:v/m.json")

    def test_parts_that_are_unlike_give_back_what_they_dealt(self):
        contents = self.unlike()
        for out, codec in (("plain", "none"), ("packed", "zstd")):
            self.repack("nemo:v/m.json", "--out", out, "--shards", 4, "--parts", 2, "--codec", codec)
            for part in (0, 1):
                self.step(out, "--part", part)
            self.assertEqual(self.step(out, "--finish", "-q").err, "")
            self.check_unlike(out, contents)

    def test_killed_while_parts_give_back(self):
        contents = self.unlike()
        for out in ("reference", "out"):
            self.repack("nemo:v/m.json", "--out", out, "--shards", 4, "--parts", 2, "--list-root", "/r")
            for part in (0, 1):
                self.step(out, "--part", part)
        self.step("reference", "--finish", "-q")
        self.check_unlike("reference", contents)
        random_ = random.Random(5)
        for _ in range(KILLS):
            deal = subprocess.Popen([harness.PROGRAM, "repack", "--out", "out", "--deal", "-q"], cwd=self.folder)
            time.sleep(random_.uniform(0, 0.1))
            deal.kill()
            deal.wait()
        for part in (1, 0):
            self.step("out", "--part", part)
        self.step("out", "--finish", "-q")
        self.same_bytes("out", "reference")

    def test_indexes_are_those_of_one_run(self):
        self.done_in_parts("out", "--index", "dali")
        self.shardmill("verify", "out")
        self.assertEqual(len(list((self.folder / "out").rglob("*.idx"))), self.shards)

    def test_schedulers_say_which_part(self):
        self.plan("out")
        tasks = [("SLURM_ARRAY_TASK_ID", 0), ("PBS_ARRAY_INDEX", 0), ("JOB_COMPLETION_INDEX", 0),
                 ("AWS_BATCH_JOB_ARRAY_INDEX", 0), ("SGE_TASK_ID", 1), ("LSB_JOBINDEX", 1)]
        for part in range(self.parts):
            for variable, first in tasks:
                task = str(part + first)
                said = self.step("out", "--part", env={variable: task}).out.decode()
                self.assertTrue(said.startswith(f"part {part} ({variable}={task})"), said)
        self.step("out", "--finish")
        self.check_against("out", self.contents)

    def test_tasks_that_are_none_or_contradict_each_other(self):
        self.plan("out")
        part = ["repack", "--out", "out", "--part"]
        self.fails(*part, env={"SLURM_ARRAY_TASK_ID": "1", "SGE_TASK_ID": "1"}, code=2,
                   says="SLURM_ARRAY_TASK_ID=1 and SGE_TASK_ID=1 ask for different parts")
        tasks = {"SLURM_ARRAY_TASK_ID": "1", "SGE_TASK_ID": "2"}
        both = json.loads(self.step("out", "--part", "--json", env=tasks).out)
        self.assertEqual((both["part"], both["task"]), (1, "SLURM_ARRAY_TASK_ID=1"))
        self.fails(*part, env={"SGE_TASK_ID": "0"}, says="numbered from 1", code=2)
        self.fails(*part, env={"JOB_COMPLETION_INDEX": "-1"}, says="is not a number", code=2)
        no_array = {"SGE_TASK_ID": "undefined", "LSB_JOBINDEX": "0", "PBS_ARRAY_INDEX": ""}
        self.fails(*part, env=no_array, says="none of", code=2)
        given = self.step("out", "--part", "2", env={"SGE_TASK_ID": "1"}).out
        self.assertTrue(given.startswith(b"part 2: "), given)


class Again(Parts):
    def test_what_is_done_is_not_done_again(self):
        self.assertIn(b"planned: 20 files", self.plan("out").out)
        self.assertIn(b"already planned", self.plan("out").out)
        self.assertIn(b"samples read", self.step("out", "--part", 0).out)
        self.assertIn(b"nothing to do", self.step("out", "--part", 0).out)
        for part in (1, 2):
            self.step("out", "--part", part)
        self.step("out", "--finish")
        for step in (["--finish"], ["--part", "1"], ["--deal"]):
            self.step("out", *step)
        self.assertIn(b"complete already", self.plan("out").out)

    def test_few_open_files_are_enough(self):
        self.parts = self.shards = 60
        self.plan("out")
        limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (50, 50))}
        for part in range(self.parts):
            self.step("out", "--part", part, "-q", "-j1", **limited)
        self.step("out", "--finish", "-q", "-j1", **limited)
        self.check_against("out", self.contents)

    def test_a_policy_may_change_and_what_is_done_stays(self):
        self.write("y/part_2.tar.zst", b"no tar at all")
        self.plan("out")
        codes = [subprocess.run([harness.PROGRAM, "repack", "--out", "out", "--part", str(part), "-q"], cwd=self.folder,
                                capture_output=True).returncode for part in range(self.parts)]
        self.assertEqual(sorted(codes), [0, 0, 1])
        self.assertIn(b"already planned", self.plan("out", "--on-error", "skip", "--max-rejects", "all").out)
        for part, code in enumerate(codes):
            done = self.step("out", "--part", part).out
            self.assertEqual(b"nothing to do" in done, code == 0, done)
        self.step("out", "--finish")
        self.done_in_parts("reference", "--on-error", "skip", "--max-rejects", "all")
        self.same_bytes("out", "reference")

    def test_what_is_finished_is_not_written_to(self):
        self.done_in_parts("out")
        (self.folder / "out").chmod(0o555)
        written = (self.folder / "out").stat().st_mtime_ns  # changes when so much as a lock is made in it
        self.assertIn(b"complete already", self.plan("out").out)
        self.assertIn(b"finished already", self.step("out", "--finish").out)
        self.assertEqual((self.folder / "out").stat().st_mtime_ns, written)

    def test_killed_at_any_moment(self):
        random_ = random.Random(3)
        for codec in ("none", "zstd"):
            began = time.monotonic()
            self.done_in_parts("reference", "--codec", codec)
            seconds = (time.monotonic() - began) / (self.parts + 2)
            steps = [["--part", str(part)] for part in range(self.parts)]
            steps += [["--deal"]] + steps + [["--finish"]]
            kills = 0
            while kills < 3:
                self.plan("out", "--codec", codec)
                kills += sum(self.kill_until_done(step, seconds, random_) for step in steps)
                self.same_bytes("out", "reference")
                shutil.rmtree(self.folder / "out")
            shutil.rmtree(self.folder / "reference")

    def kill_until_done(self, step, seconds, random_):
        """Returns how often the step was killed before it got through."""
        kills = 0
        # Longer each time, so that even a machine that has become slow gets through in the end.
        while not self.killed_or_done(step, random_.uniform(0, 1.2 * seconds) * 1.1 ** kills):
            kills += 1
        return kills

    def killed_or_done(self, step, seconds):
        process = subprocess.Popen([harness.PROGRAM, "repack", "--out", "out", *step, "-q"], cwd=self.folder,
                                   stderr=subprocess.PIPE, env={**os.environ, **CHECKPOINTS})
        try:
            error = process.communicate(timeout=seconds)[1]
            self.assertEqual((process.returncode, error), (0, b""))
            return True
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return False


class Refused(Parts):
    def test_a_missing_part(self):
        self.plan("out")
        self.step("out", "--part", 1)
        self.fails("repack", "--out", "out", "--finish", says=["2 of 3 parts are not done: 0, 2", "--part 0"])
        self.fails("repack", "--out", "out", "--deal", says="2 of 3 parts are not done")

    def test_sources_that_changed(self):
        self.plan("out")
        self.write("x/part_3.tar.bz2", b"something else")
        self.fails("repack", "--out", "out", "--part", "0", says=["part_3.tar.bz2", "planned for other sources"])

    def caught_at_work(self):
        """Part 0, stopped in the middle."""
        def start():
            self.plan("out")
            return subprocess.Popen([harness.PROGRAM, "repack", "--out", "out", "--part", "0", "-q", "-j1"],
                                    cwd=self.folder,
                                    stderr=subprocess.PIPE, env={**os.environ, **CHECKPOINTS})

        return self.caught(start, lambda: self.content("out/.shardmill/part_00000/lock"))

    def test_a_part_twice_at_once(self):
        holder = self.caught_at_work()
        self.fails("repack", "--out", "out", "--part", "0", says=["part_00000/lock", f"pid {holder.pid}"])
        holder.send_signal(signal.SIGCONT)
        self.assertEqual((holder.communicate()[1], holder.returncode), (b"", 0))

    def test_planned_anew_while_a_part_is_at_work(self):
        holder = self.caught_at_work()
        for options in (["--parts", self.parts], []):
            self.fails("repack", "x", "y", "z", "--out", "out", "--shards", self.shards, "--seed", 1, "--force",
                       *options,
                       says=["part_00000/lock", f"pid {holder.pid}"])

    def test_what_parts_cannot_keep(self):
        for options in (["--limit", "5"], ["--on-duplicate", "rename"], ["--parts", "8"], ["--parts", "0"],
                        ["--dry-run"],
                        ["--depfile", "d"]):
            self.fails("repack", "x", "--out", "out", "--shards", "7",
                       *(["--parts", "2"] if "--parts" not in options else []),
                       *options, says="--parts" if "--parts" not in options else "part", code=2)

    def test_options_that_are_settled(self):
        self.plan("out")
        self.fails("repack", "--out", "out", "--part", "0", "--codec", "zstd", says="--codec was settled", code=2)
        self.fails("repack", "x", "--out", "out", "--finish", says="the sources were settled", code=2)
        self.fails("repack", "--out", "out", "--part", "3", says="there is no part 3", code=2)
        self.fails("repack", "--out", "out", "--part", says="SLURM_ARRAY_TASK_ID", code=2)
        self.fails("repack", "--out", "out", "--part", "0", "--finish", says="give one of", code=2)
        self.fails("repack", "--out", "elsewhere", "--finish", says="holds no run that was planned in parts")

    def test_another_plan_or_run_in_the_folder(self):
        self.plan("out")
        self.fails("repack", "x", "--out", "out", "--shards", "7", says="an unfinished run in 3 parts")
        self.parts = 2
        self.fails("repack", "x", "y", "z", "--out", "out", "--shards", "7", "--parts", "2", "--list-root", "/r",
                   says="an unfinished run in 3 parts")
        self.done_in_parts("out", "--force")

    def test_a_key_in_two_parts(self):
        tars, _ = corpus("x", 6, shards=1)
        self.put("w", tars, "none")
        self.repack("x", "w", "--out", "out", "--shards", 4, "--parts", 2)
        for part in (0, 1):
            result = subprocess.run([harness.PROGRAM, "repack", "--out", "out", "--part", str(part)], cwd=self.folder,
                                    capture_output=True)
            if result.returncode != 0:
                self.assertIn(b"has the key", result.stderr)  # both in one part: seen there
                return
        self.fails("repack", "--out", "out", "--finish", says=["a key that another part has too", "'x0000"])

    def test_rejects_of_all_parts_are_kept(self):
        self.write("y/part_2.tar.zst", b"no tar at all")
        self.done_in_parts("out", "--on-error", "skip", "--max-rejects", "all")
        self.assertTrue(any("part_2" in reject["source"] for reject in self.records("out", "rejects.jsonl")))
        self.shardmill("verify", "out")


if __name__ == "__main__":
    unittest.main()
