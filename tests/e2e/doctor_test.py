"""shardmill doctor, and that run.json records the same facts."""
import json
import os
import re
import subprocess
import unittest

import harness

LIBRARIES = {  # name in the output, and the shared library that the program is linked with
    "boost_program_options": "libboost_program_options", "fmt": "libfmt", "libbz2": "libbz2", "libcurl": "libcurl",
    "libflac": "libFLAC",
    "libisal": "libisal", "liblz4": "liblz4",
    "liblzma": "liblzma", "libsndfile": "libsndfile", "libsoxr": "libsoxr", "libsqlite3": "libsqlite3",
    "libzstd": "libzstd", "openssl": "libcrypto",
    "simdjson": "libsimdjson", "tbb": "libtbb", "xxhash": "libxxhash", "zlib": "libz"}
OF_OTHER_LIBRARIES = re.compile(r"lib(c|m|gcc_s|stdc\+\+|dl|pthread|[alu]b?san|asan|tsan|ubsan)$")


class Doctor(harness.Case):
    def examine(self, *arguments, code=0, **more):
        return json.loads(self.shardmill("doctor", "--json", *arguments, code=code, **more).out)

    def check_machine(self, machine):
        self.assertEqual(machine["host"], os.uname().nodename)
        self.assertEqual(machine["affinity_cores"], len(os.sched_getaffinity(0)))
        self.assertEqual(machine["cores"], os.sysconf("SC_NPROCESSORS_ONLN"))
        self.assertLessEqual(machine["usable_cores"], machine["affinity_cores"])

    def check_folder(self, folder):
        self.assertTrue(folder["writable"] and folder["locks"] and folder["rename_replaces"])
        self.assertGreater(folder["write_bytes_per_second"], 0)
        self.assertGreater(folder["read_bytes_per_second"], 0)

    def check_versions(self, versions):
        dynamic = subprocess.run(["readelf", "-d", harness.PROGRAM], capture_output=True, check=True).stdout.decode()
        needed = {name for name in re.findall(r"NEEDED.*\[([^]]+?)\.so", dynamic)}
        needed = {name for name in needed if not OF_OTHER_LIBRARIES.match(name) and not name.startswith("ld-")}
        self.assertEqual({LIBRARIES.get(name, name) for name in versions} - {"shardmill"}, needed)
        for name, version in versions.items():
            self.assertRegex(version, r"^\d+\.\d+(\.\d+)*$", name)
        self.assertEqual(list(versions)[0], "shardmill")

    def test_facts_are_right_and_recorded_by_repack(self):
        self.write("in/a.tar", harness.shard())
        self.shardmill("repack", "in", "--out", "out", "--shards", "2")
        before = self.names()
        found = self.examine("out")
        self.assertEqual(self.names(), before, "the scratch files are gone")
        self.check_machine(found["machine"])
        self.check_folder(found["folder"])
        found["versions"].pop("ffmpeg", None)  # a program that may be there; run.json names it if it was used
        self.check_versions(found["versions"])
        self.assertEqual(found["threads"], found["machine"]["usable_cores"])
        self.assertEqual(set(found["decoding"]), {"bzip2", "gzip", "xz", "zstd", "lz4"})
        self.assertEqual(found["vector_path"]["available"][::-1], harness.vector_paths())
        self.assertEqual(found["problems"], [])

        run = json.loads((self.folder / "out/run.json").read_bytes())
        self.assertEqual(run["versions"], found["versions"])
        self.assertEqual(run["vector_path"], found["vector_path"]["chosen"])
        self.assertEqual(run["filesystem"], found["folder"]["filesystem"])
        for fact in ("host", "system", "cpu"):
            self.assertEqual(run[fact], found["machine"][fact])

    def test_text_and_the_note_of_a_slower_path(self):
        text = self.shardmill("doctor", env={"SHARDMILL_VECTOR_PATH": "portable"}).out.decode()
        for group in ("machine\n", "folder .\n", "decoding speed of one core", "versions\n", "no problems found\n"):
            self.assertIn(group, text)
        self.assertIn("bzip2 uses   portable", text)
        self.assertEqual("would be faster" in text, len(harness.vector_paths()) > 1)

    def test_folder_that_takes_nothing(self):
        found = self.examine("/proc", code=1)
        self.assertFalse(found["folder"]["writable"])
        self.assertIn("nothing can be written", found["problems"][0])

    def test_wrong_use(self):
        self.fails("doctor", "missing", says=["missing", "No such file"])
        self.fails("doctor", "a", "b", code=2, says="one DIR")


if __name__ == "__main__":
    unittest.main()
