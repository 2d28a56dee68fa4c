"""That every command of README.md works, in its order, in a fresh copy of what the project ships."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import time
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

    def test_measuring_a_loader(self):
        readme = (ROOT / "README.md").read_text()
        code = re.search(r"^```python\n(import time\n.*?)^```", readme, re.MULTILINE | re.DOTALL)[1]
        variables = {}
        exec(code, variables)

        def loader(slow_start=0.3, each=0.01):
            time.sleep(slow_start)
            while True:
                yield {"seconds": 4.0}
                time.sleep(each)
        option, value = variables["supply"](loader(), lambda batch: batch["seconds"], limit=0.5).split()
        self.assertEqual(option, "--supply")
        self.assertGreater(float(value.rstrip("x")), 100)  # 400x on an idle machine
        self.assertLessEqual(float(value.rstrip("x")), 401)
        self.write("a.tar", harness.shard())
        answer = self.shardmill("ranks", "a.tar", "-w", 1, "--need", "1x", option, value, "--json").out
        self.assertEqual(json.loads(answer)["supply"]["codecs"][0]["worker_speed"], float(value.rstrip("x")))

    def test_wids_reads_in_place(self):
        """Without cache_dir, or with another one, wids copies the shards."""
        found = re.findall(r"`wids\.ShardListDataset\((.*?)\)`", (ROOT / "README.md").read_text())
        self.assertEqual(found, ['"mixed/shardindex.json", cache_dir="mixed/shards"'])

    @unittest.skipUnless(BUILD == ROOT / "build/release", "the demo builds the release")
    def test_demo(self):
        demo = subprocess.run([ROOT / "scripts/demo"], cwd="/", stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
        self.assertEqual(demo.returncode, 0, demo.stderr.decode())
        self.assertIn(b"audio_000000003.tar", demo.stdout)


if __name__ == "__main__":
    unittest.main()
