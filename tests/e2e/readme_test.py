"""That every command of README.md works, in its order, in a fresh copy of what the project ships."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import harness

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SHARDMILL_BUILD", ROOT / "build/release"))
ALREADY_DONE = "scripts/build\n"  # by whoever runs this test


class Readme(harness.Case):
    def run_in_copy(self, script):
        return subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                              env={**os.environ, "HOME": str(self.folder),
                                   "PATH": f"{self.folder}/.local/bin:/usr/local/bin:/usr/bin:/bin"})

    def test_commands(self):
        blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
        self.assertGreater(len(blocks), 2)
        self.assertIn(ALREADY_DONE, blocks[0])
        shutil.copytree(ROOT / "data", self.folder / "data")
        (self.folder / "build").mkdir()
        (self.folder / "build/release").symlink_to(BUILD)
        for block in blocks:
            with self.subTest(block=block):
                result = self.run_in_copy(block.replace(ALREADY_DONE, ""))
                self.assertEqual(result.returncode, 0, result.stdout.decode())

    @unittest.skipUnless(BUILD == ROOT / "build/release", "the demo builds the release")
    def test_demo(self):
        demo = subprocess.run([ROOT / "scripts/demo"], cwd="/", stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
        self.assertEqual(demo.returncode, 0, demo.stderr.decode())
        self.assertIn(b"audio_000000003.tar", demo.stdout)


if __name__ == "__main__":
    unittest.main()
