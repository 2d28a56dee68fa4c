"""That `cmake --install` gives a program that runs, and a library that another project finds and links."""
import bz2
import os
import pathlib
import shutil
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

    def test_script_for_slurm(self):
        help_text = succeed(str(self.prefix / "bin/shardmill-slurm"), "--help").decode()
        self.assertIn("shardmill-slurm --parts P --out DIR", help_text)
        self.assertNotIn("slurm_repack", help_text)
        jobs = succeed("env", f"PATH={self.prefix}/bin:{os.environ['PATH']}", "shardmill-slurm", "--parts", "3", "--dry-run",
                       "--out", str(self.scratch / "out"), "--", "source").decode()
        self.assertEqual(jobs.count(f"'{self.prefix}/bin/shardmill' 'repack'"), 5)
        page = self.prefix / "share/man/man1/shardmill-slurm.1"
        shown = subprocess.run(["groff", "-ww", "-man", "-Tascii", "-P-cbou", "-rLL=130n", page], capture_output=True, check=True)
        self.assertEqual(shown.stderr, b"")
        for line in help_text.splitlines():
            self.assertIn(line.strip(), shown.stdout.decode())

    def test_manual_and_completions_are_there(self):
        version = succeed(str(self.prefix / "bin/shardmill"), "--man", "repack")
        self.assertEqual((self.prefix / "share/man/man1/shardmill-repack.1").read_bytes(), version)
        for file in ("man/man1/shardmill.1", "bash-completion/completions/shardmill", "zsh/site-functions/_shardmill",
                     "doc/shardmill/docs/formats.md"):
            self.assertTrue((self.prefix / "share" / file).is_file(), file)

    @unittest.skipUnless(shutil.which("dpkg-shlibdeps"), "no dpkg-dev here")
    def test_debian_packages(self):
        succeed("cpack", "--config", f"{BUILD}/CPackConfig.cmake", "-B", str(self.scratch / "packages"))
        program, = self.scratch.glob("packages/shardmill_*.deb")
        library, = self.scratch.glob("packages/libshardmill-dev_*.deb")
        depends = succeed("dpkg-deb", "--field", str(program), "Depends").decode()
        for needed in ("libbz2-1.0", "libtbb12", "libzstd1", "libc6 (>= "):
            self.assertIn(needed, depends)
        succeed("dpkg-deb", "--extract", str(program), str(self.scratch / "root"))
        self.assertIn(b"shardmill", succeed(str(self.scratch / "root/usr/bin/shardmill"), "--version"))
        share = self.scratch / "root/usr/share"
        for name in ("man/man1/shardmill-repack.1.gz", "doc/shardmill/copyright", "doc/shardmill/changelog.gz",
                     "doc/shardmill/docs/loaders/README.md"):
            self.assertTrue((share / name).is_file(), name)
        content = succeed("dpkg-deb", "--contents", str(library)).decode()
        self.assertIn("usr/lib/", content)
        self.assertIn("shardmillConfig.cmake", content)
        self.assertIn("doc/libshardmill-dev/copyright", content)
        # Whoever links the library needs what the build needs.
        wanted = set(succeed("dpkg-deb", "--field", str(library), "Depends").decode().strip().split(", "))
        libraries = succeed(str(HERE.parents[1] / "scripts/setup"), "libraries").decode().split()
        self.assertEqual(wanted, {*libraries, "pkg-config"})

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
