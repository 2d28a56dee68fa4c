"""scripts/slurm_repack on a real Slurm of two nodes: nodes that crash, jobs that are cancelled, tasks that fail."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import harness
import real_servers
import remote_test
import slurm_cluster
from slurm_cluster import wait_until

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/slurm_repack"
PARTS = 4
RECIPE = ["one=sources/one", "two=sources/two", "--shards", "8", "--codec", "zstd", "--list-root", "/data"]
# Stands for the program. In the folder `gate`, the test says which parts are to be stopped after their first
# checkpoint (stop_I) or to fail (fail_I), the first time.
GATED_PROGRAM = """#!/usr/bin/env bash
export SHARDMILL_CHECKPOINT_BYTES=20K
I=$SLURM_ARRAY_TASK_ID
gate={folder}/gate
case "$*" in *--part) ;; *) exec {program} "$@" ;; esac
if [ -e $gate/fail_$I ]; then echo "as the test wishes" >&2; exit 1; fi
if ! mv $gate/stop_$I $gate/begun_$I 2>/dev/null; then exec {program} "$@"; fi
{program} "$@" &
until compgen -G "{folder}/*/.shardmill/part_*$I/journal" >/dev/null; do sleep 0.005; done
kill -STOP $!
touch $gate/stopped_$I
until [ -e $gate/go_on ]; do sleep 0.1; done
kill -CONT $!
wait $!
"""


@unittest.skipIf(slurm_cluster.missing_programs(), f"not installed: {slurm_cluster.missing_programs()}")
class SlurmRepack(harness.Case):
    def setUp(self):
        super().setUp()
        self.cluster = slurm_cluster.Cluster()
        self.addCleanup(self.cluster.stop)
        self.cluster.start()
        self.gate = self.folder / "gate"
        self.gate.mkdir()
        for dataset, codec in (("one", "bzip2"), ("two", "gzip")):
            for number in range(8):
                members = [(f"{dataset}_{number}_{name}", data) for name, data in harness.samples(range(20))]
                self.write(f"sources/{dataset}/{number}.tar{harness.SUFFIX[codec]}",
                           harness.compress(codec, harness.tar(members)))
        self.program = self.write("gated",
                                  GATED_PROGRAM.format(folder=self.folder, program=harness.PROGRAM_IN_SHELL).encode())
        self.program.chmod(0o755)

    def script(self, *command, code=0):
        done = subprocess.run([str(word) for word in command], cwd=self.folder, env=self.cluster.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=600)
        self.assertEqual(done.returncode, code, done.stdout + self.logs())
        return done.stdout

    def logs(self):
        return "\n".join(f"== {log}\n{log.read_text()}" for log in self.folder.glob("*.slurm/*.log")) + \
            self.cluster.logs()

    def submit(self, out, *options, code=0):
        return self.script(SCRIPT, "--out", out, "--parts", PARTS, "--shardmill", self.program, "--cpus", 2,
                           "--memory", "500M", *options, "--", *RECIPE, code=code)

    def stop_parts(self, parts):
        for part in parts:
            (self.gate / f"stop_{part}").touch()

    def wait_until_stopped(self, parts):
        wait_until(lambda: all((self.gate / f"stopped_{part}").exists() for part in parts), "the parts are stopped")

    def wait_until_done(self, out):
        def is_done():
            self.cluster.hurry()
            return not self.cluster.ask("squeue", "-h").strip()
        wait_until(is_done, "no job is left")
        return self.script(SCRIPT, "--status", "--out", out)

    def contents(self, folder):
        files = {name: (self.folder / folder / name).read_bytes() for name in self.names(folder) if name != "run.json"}
        self.assertIn("dataset.json", files)
        return files

    def undisturbed(self):
        """The same run without Slurm: part after part."""
        self.shardmill("repack", *RECIPE, "--out", "undisturbed", "--parts", PARTS)
        for part in reversed(range(PARTS)):
            self.shardmill("repack", "--out", "undisturbed", "--part", part)
        self.shardmill("repack", "--out", "undisturbed", "--finish")
        return self.contents("undisturbed")

    def test_a_node_crashes(self):
        self.stop_parts(range(PARTS))
        self.submit("out")
        self.wait_until_stopped(range(PARTS))
        self.assertIn(f"0 read, {PARTS} begun", self.script(SCRIPT, "--status", "--out", "out"))
        self.cluster.crash_node("n1")
        (self.gate / "go_on").touch()
        self.assertIn("complete and verified", self.wait_until_done("out"))
        logs = [log.read_text() for log in self.folder.glob("out.slurm/parts-*.log")]
        requeued = [log for log in logs if "on n1" in log]
        self.assertEqual((len(logs), len(requeued)), (PARTS, 2))
        for log in requeued:
            self.assertIn("on n2, requeued", log)
            self.assertIn("going on where it was stopped", log)
        self.assertEqual(self.contents("out"), self.undisturbed())

    def test_cancelled_and_failed_jobs_are_resumed(self):
        self.stop_parts(range(PARTS))
        self.submit("out")
        self.wait_until_stopped(range(PARTS))
        self.assertIn("jobs of an earlier submission are left", self.submit("out", code=1))
        self.cluster.ask("scancel", "--full", "--user", str(os.getuid()))
        self.assertIn("stopped: no job is left", self.wait_until_done("out"))

        resume = self.folder / "out.slurm/resume"
        (self.gate / "fail_2").touch()
        failed = self.script(resume, "--wait", code=1)
        self.assertRegex(failed, rf"parts of part 2 failed with exit status 1 on n\d; "
                                 rf"log: {self.folder}/out.slurm/parts-\d+_2.log; resume with: {resume}\n")
        (self.gate / "fail_2").unlink()
        self.assertIn("complete and verified", self.script(resume, "--wait", "--throttle", 1))
        self.assertEqual(self.contents("out"), self.undisturbed())
        self.assertIn("complete and verified", self.script(resume, "--wait"))


# Each node has scratch of its own.
ON_ITS_NODE = """#!/usr/bin/env bash
case "$1" in repack) set -- "$@" --work {folder}/scratch_$SLURMD_NODENAME ;; esac
exec {program} "$@"
"""


@unittest.skipUnless(remote_test.is_built_in(), "built without libcurl")
@unittest.skipIf(real_servers.missing(*real_servers.CEPH_PROGRAMS, "rclone"),
                 f"not installed: {real_servers.missing(*real_servers.CEPH_PROGRAMS, 'rclone')}")
class SlurmInABucket(SlurmRepack):
    """Sources and dataset are in a bucket of a real gateway, which is all that the nodes share."""

    test_a_node_crashes = test_cancelled_and_failed_jobs_are_resumed = None  # those of the other class

    def test_a_bucket_is_all_that_nodes_share(self):
        ceph = real_servers.started(self, real_servers.Ceph())
        ceph.rclone("copy", self.folder / "sources", f"rgw:{real_servers.BUCKET}/sources")
        self.cluster.environment.update(ceph.variables())
        program = self.write("on_its_node", ON_ITS_NODE.format(folder=self.folder,
                                                               program=harness.PROGRAM_IN_SHELL).encode())
        program.chmod(0o755)
        place = f"s3://{real_servers.BUCKET}/sets/mixed"
        recipe = [re.sub(r"=sources/(.*)", rf"=s3://{real_servers.BUCKET}/sources/\1/", word) for word in RECIPE]
        said = self.script(SCRIPT, "--out", place, "--parts", PARTS, "--shardmill", program, "--cpus", 2, "--memory",
                           "500M", "--wait", "--", *recipe)
        self.assertIn(f"{place}: complete and verified", said)
        ceph.rclone("copy", f"rgw:{real_servers.BUCKET}/sets/mixed", self.folder / "read")
        self.shardmill("repack", *recipe, "--out", "undisturbed", "--parts", PARTS, env=ceph.variables())
        for part in range(PARTS):
            self.shardmill("repack", "--out", "undisturbed", "--part", part, env=ceph.variables())
        self.shardmill("repack", "--out", "undisturbed", "--finish", env=ceph.variables())
        self.assertEqual(self.contents("read"), self.contents("undisturbed"))
        for node in slurm_cluster.NODES:
            self.assertLessEqual(set(self.names(f"scratch_{node}")), {"target"})


if __name__ == "__main__":
    unittest.main()
