"""packaging/kubernetes: its Jobs say what the program understands, and their commands, one after the other, make a
dataset. Kubernetes itself is played by a program that does what a Job says, on this machine."""
import json
import os
import pathlib
import re
import subprocess
import unittest

import harness
import object_server
import remote_test

JOBS = pathlib.Path(__file__).resolve().parents[2] / "packaging/kubernetes"
STEPS = ["plan", "parts", "deal", "complete", "finish"]
# Plays kubectl: runs the command of a Job for each index, as the node would, and remembers how it ended. The scratch
# space of a pod goes with the pod.
KUBECTL = """#!/usr/bin/python3
import os, pathlib, re, shutil, subprocess, sys
folder, words = pathlib.Path({folder!r}), sys.argv[1:]
assert words[:2] == ["--namespace", "speech"], words
verb, last = words[2], words[-1]
if verb == "apply":
    text = pathlib.Path(last).read_text()
    arguments = re.search(r"args: \\[(.*)\\]", text)[1].replace('"', "").split(", ")
    for old, new in (("--shard-size", "--shards"), ("1GiB", "64")):  # there is less data here
        arguments = [new if each == old else each for each in arguments]
    arguments = [each.replace("/scratch", str(folder / "scratch")) for each in arguments]
    count = int((re.search(r"completions: (\\d+)", text) or [0, 1])[1])
    codes = []
    for index in range(count):
        more = {{"JOB_COMPLETION_INDEX": str(index)}} if "Indexed" in text else {{}}
        (folder / "scratch").mkdir()
        codes.append(subprocess.run([{program!r}, *arguments], cwd=folder, env={{**os.environ, **more}},
                                    stdout=subprocess.DEVNULL).returncode)
        shutil.rmtree(folder / "scratch")
    name = re.search(r"name: (shardmill-\\w+)", text)[1]
    (folder / name).write_text("complete" if not any(codes) else "failed")
elif verb == "wait":
    wanted = next(each for each in words if each.startswith("--for")).removeprefix("--for=condition=")
    sys.exit(0 if (folder / last.removeprefix("job/")).read_text() == wanted else 1)
elif verb == "delete":
    (folder / last).unlink(missing_ok=True)
"""


@unittest.skipUnless(remote_test.is_built_in(), "built without libcurl")
class Kubernetes(harness.Case):
    def setUp(self):
        super().setUp()
        self.server = object_server.ObjectServer({}, bucket="corpora")
        context = self.server.running()
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)

    def texts(self):
        return {step: (JOBS / f"{step}.yaml").read_text() for step in STEPS}

    def arguments(self, text):
        return re.search(r"args: \[(.*)\]", text)[1].replace('"', "").split(", ")

    def test_the_jobs_agree_with_each_other_and_with_the_program(self):
        self.assertEqual(sorted(path.stem for path in JOBS.glob("*.yaml")), sorted(STEPS))
        texts = self.texts()
        parts = self.arguments(texts["plan"])[-1]
        known = set(re.findall(r"--[a-z-]+", self.shardmill("repack", "--help", "all").out.decode()))
        for step, text in texts.items():
            with self.subTest(step):
                options = {each for each in self.arguments(text) if each.startswith("--")}
                self.assertLessEqual(options, known)
                wanted = [parts] if step in ("parts", "complete") else []
                self.assertEqual(re.findall(r"completions: (\d+)", text), wanted)
                self.assertEqual(re.findall(r"^  name: (.*)", text, re.M), [f"shardmill-{step}"])
                self.assertEqual(len(re.findall(rf"component: {step}$", text, re.M)), 2)
                # Policies of failure go with pods that are never started again in place.
                self.assertIn("restartPolicy: Never", text)
                self.assertIn("values: [2, 3]", text)

    def run_script(self, *options, code=0):
        program = self.write("bin/kubectl", KUBECTL.format(folder=str(self.folder), program=harness.PROGRAM).encode())
        program.chmod(0o755)
        path = f"{program.parent}:{os.environ['PATH']}"
        done = subprocess.run([JOBS / "run", *options], env={**os.environ, **self.server.environment, "PATH": path},
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_their_commands_make_a_dataset(self):
        for number, name in enumerate(("mandarin", "english", "english")):
            self.server.files[f"/corpora/{name}/{number}.tar"] = harness.shard(first=40 * number, count=40)
        self.run_script("--namespace", "speech")
        self.assertEqual(json.loads(self.server.files["/corpora/mixed/dataset.json"])["samples"], 120)
        self.shardmill("verify", "s3://corpora/mixed", "--decode", env=self.server.environment)
        self.assertEqual(self.server.uploads, {})
        self.run_script("--namespace", "speech")  # again: nothing to do

    def test_a_job_that_fails_stops_the_others(self):
        done = self.run_script("--namespace", "speech", code=1)
        self.assertIn("shardmill-plan failed", done.stderr)
        self.assertFalse((self.folder / "shardmill-parts").exists())


if __name__ == "__main__":
    unittest.main()
