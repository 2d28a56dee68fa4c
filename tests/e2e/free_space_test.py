"""Whether there is room is asked before the work."""
import json
import os
import subprocess
import tempfile
import unittest

import harness

INJECTOR = os.environ.get("SHARDMILL_FAULT_INJECTOR")


@unittest.skipUnless(INJECTOR, "the fault injector was not built")
class FreeSpace(harness.Case):
    def setUp(self):
        super().setUp()
        self.write("in/a.tar.bz2", harness.compress("bzip2", harness.shard(0, 12)))
        self.plain = len(harness.shard(0, 12))

    def free(self, bytes_):
        return {"LD_PRELOAD": INJECTOR, "FAULT_FREE_BYTES": str(int(bytes_))}

    def test_refused_at_the_start_with_both_figures(self):
        for options in ([], ["--force"], ["--dry-run"], ["--codec", "zstd"], ["--parts", "1"]):
            with self.subTest(options=options):
                result = self.shardmill("repack", "in", "--out", "new/out", "--shards", 1, *options, code=1,
                                        env=self.free(self.plain / 2))
                self.assertRegex(result.err, r"needs about [\d.]+ [kM]B more, and the filesystem has [\d.]+ [kM]B free")
                self.assertIn("--ignore-free-space", result.err)
                self.assertEqual(self.names("new") if (self.folder / "new").exists() else [], [])
        self.shardmill("convert", "in", "--out", "plain", "--force", code=1, env=self.free(self.plain / 2))
        self.assertFalse((self.folder / "plain").exists())

    def test_done_where_there_is_room_or_nobody_wants_to_know(self):
        room = self.free(3 * self.plain + 100_000)
        self.shardmill("repack", "in", "--out", "a", "--shards", 1, env=room)
        self.shardmill("convert", "in", "--out", "b", env=room)
        self.shardmill("repack", "in", "--out", "c", "--shards", 1, "--ignore-free-space", env=self.free(0))
        self.shardmill("convert", "in", "--out", "d", "--ignore-free-space", env=self.free(0))
        # A finished dataset needs no space.
        self.shardmill("repack", "in", "--out", "a", "--shards", 1, env=self.free(0))
        self.shardmill("convert", "in", "--out", "b", env=self.free(0))

    def test_the_plan_says_what_is_needed(self):
        plan = json.loads(self.shardmill("repack", "in", "--out", "a", "--shards", 1, "--dry-run", "--json").out)
        self.assertGreater(plan["needed_bytes"], self.plain)
        self.assertLess(plan["needed_bytes"], 3 * self.plain)

    @unittest.skipUnless(os.geteuid() == 0, "only root may mount")
    def test_a_real_filesystem_that_is_too_small(self):
        with tempfile.TemporaryDirectory(prefix="shardmill-small-") as small:
            mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", small], capture_output=True)
            if mounted.returncode != 0:
                self.skipTest("cannot mount here")
            try:
                self.fails("repack", "in", "--out", f"{small}/out", "--shards", 1, says=["kB free", "needs about"])
                self.assertEqual(os.listdir(small), [])
            finally:
                subprocess.run(["umount", small], check=True)


if __name__ == "__main__":
    unittest.main()
