"""Damaged, malicious and odd bzip2 files: the verdict of `bzip2 -t`, the bytes of `bzip2 -dc`, on every vector path."""
import resource
import subprocess
import unittest

import evil_bz2
import harness


def oracle(data):
    """The plain bytes, or None where bzip2 rejects the file."""
    result = subprocess.run(["bzip2", "-dc"], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return result.stdout if result.returncode == 0 else None


class EvilBzip2(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.files = [(name, data, oracle(data)) for name, data in evil_bz2.cases().items()]

    def check(self, name, data, plain, threads, path):
        result = self.shardmill("cat", "-", "--ignore-trailing", "-j", threads, input=data,
                                env={"SHARDMILL_VECTOR_PATH": path},
                                code=1 if plain is None else 0)
        if plain is None:
            self.assertEqual(len(result.err.splitlines()), 1, result.err)
            self.assertNotEqual(result.err.strip(), "")
        else:
            self.assertEqual(result.out, plain)

    def test_verdict_and_bytes_of_bzip2(self):
        verdicts = [plain is not None for _, _, plain in self.files]
        self.assertGreater(verdicts.count(True), 50)
        self.assertGreater(verdicts.count(False), 100)
        for path in harness.vector_paths():
            for index, (name, data, plain) in enumerate(self.files):
                with self.subTest(path=path, name=name):
                    self.check(name, data, plain, 1 + index % 3, path)

    def test_what_bzip2_ignores_at_the_end_is_damage(self):
        for name, data, plain in self.files:
            if name.startswith("trailing") and name != "trailing zeros" and plain is not None:
                with self.subTest(name=name):
                    self.fails("cat", "-", input=data, says="the bytes after the end of a compressed stream")

    def test_memory_stays_small(self):
        if harness.SANITIZED:
            self.skipTest("sanitizers take memory of their own")
        peak_bytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        self.assertLess(peak_bytes, 256 << 20)


if __name__ == "__main__":
    unittest.main()
