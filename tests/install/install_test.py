"""That `cmake --install` gives a program that runs, and a library that another project finds and links."""
import bz2
import os
import pathlib
import subprocess
import tempfile
import unittest

BUILD = os.environ["SHARDMILL_BUILD"]
HERE = pathlib.Path(__file__).resolve().parent


def succeed(*command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        raise AssertionError(f"{command} exited {result.returncode}:\n{result.stdout.decode()}")
    return result.stdout


def cached(variable):
    """A variable of the build under test, so that the consumer is built alike."""
    for line in pathlib.Path(BUILD, "CMakeCache.txt").read_text().splitlines():
        if line.startswith(variable + ":"):
            return line.split("=", 1)[1]
    raise AssertionError(f"{variable} is not in the cache of {BUILD}")


class Install(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.prefix = self.scratch / "prefix"
        succeed("cmake", "--install", BUILD, "--prefix", str(self.prefix))

    def test_program_runs(self):
        self.assertIn(b"shardmill", succeed(str(self.prefix / "bin/shardmill"), "--version"))

    def test_library_is_found_and_works(self):
        sanitizers = cached("SHARDMILL_SANITIZE")
        succeed("cmake", "-S", str(HERE / "consumer"), "-B", str(self.scratch / "build"), "-G", "Ninja",
                f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER={cached('CMAKE_CXX_COMPILER')}",
                f"-DCMAKE_CXX_FLAGS={'-fsanitize=' + sanitizers if sanitizers else ''}")
        succeed("cmake", "--build", str(self.scratch / "build"))
        packed = self.scratch / "hello.bz2"
        packed.write_bytes(bz2.compress(b"hello"))
        self.assertEqual(succeed(str(self.scratch / "build/consumer"), str(packed)), b"hello")

    def test_nothing_of_the_build_tree_is_left_in(self):
        for config in self.prefix.rglob("*.cmake"):
            self.assertNotIn(BUILD, config.read_text(), config)


if __name__ == "__main__":
    unittest.main()
