"""That the check of the layers finds what it is there to find, and nothing else."""
import pathlib
import tempfile
import unittest

import check_layers


class CheckLayers(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        self.write("src/main.cpp", "shardmill/cli/cli.hpp")
        self.write("include/shardmill/cli/cli.hpp")

    def write(self, name, *includes):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"#include <{name}>\n" for name in includes))

    def module(self, name, *includes):
        """A source with its header."""
        self.write(f"include/shardmill/{name}.hpp", "string")
        self.write(f"src/{name}.cpp", f"shardmill/{name}.hpp", *includes)

    def assert_problem(self, *parts):
        found = list(check_layers.problems(self.root))
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])

    def assert_clean(self):
        self.assertEqual(list(check_layers.problems(self.root)), [])

    def test_downward_and_libraries_at_home_are_fine(self):
        self.module("cli/options", "boost/program_options.hpp", "shardmill/commands/cat.hpp", "fmt/format.h")
        self.module("codec/bzip2", "bzlib.h", "tbb/parallel_for.h", "sys/stat.h", "shardmill/base/error.hpp")
        self.write("src/codec/bzip2_avx2.cpp", "immintrin.h", "shardmill/codec/bzip2.hpp")
        self.assert_clean()

    def test_upward(self):
        self.module("base/file", "shardmill/model/sample.hpp")
        self.assert_problem("src/base/file.cpp", "upward")

    def test_upward_in_a_header_and_in_quotes(self):
        self.module("model/sample")
        path = self.root / "include/shardmill/model/sample.hpp"
        path.write_text('#pragma once\n  #  include "shardmill/codec/codec.hpp"\n')
        self.assert_problem("include/shardmill/model/sample.hpp", "upward")

    def test_sideways(self):
        self.module("deal/dealer", "shardmill/manifest/record.hpp")
        self.assert_problem("sideways")
        self.module("deal/dealer")
        self.module("audio/measure", "shardmill/archive/tar.hpp")
        self.assert_problem("sideways")

    def test_main_knows_cli_only(self):
        self.write("src/main.cpp", "shardmill/base/file.hpp")
        self.assert_problem("main.cpp")

    def test_library_away_from_home(self):
        for folder, include in [("codec", "boost/program_options.hpp"), ("source", "tbb/parallel_for.h"),
                                ("codec", "sndfile.h"), ("shard", "zstd.h"), ("base", "bzlib.h")]:
            with self.subTest(include=include):
                self.module(f"{folder}/thing", include)
                self.assert_problem(include, "belongs in")
                (self.root / f"src/{folder}/thing.cpp").unlink()

    def test_library_in_a_header(self):
        self.write("include/shardmill/codec/zstd.hpp", "zstd.h", "fmt/format.h")
        self.assert_problem("only sources")

    def test_boost_in_a_header(self):
        self.write("include/shardmill/cli/options.hpp", "boost/program_options.hpp")
        self.assert_clean()
        self.write("include/shardmill/model/options.hpp", "boost/program_options.hpp")
        self.assert_problem("belongs in src/cli/")

    def test_unknown_library(self):
        self.module("base/file", "curl/curl.h")
        self.assert_problem("unknown")

    def test_misplaced(self):
        for name in ["src/utils/strings.cpp", "src/loose.cpp", "src/codec/deep/er.cpp", "src/base/file.hpp",
                     "include/shardmill/base/file.cpp", "src/base/implements_nothing.cpp"]:
            with self.subTest(name=name):
                self.write(name)
                self.assert_problem(name)
                (self.root / name).unlink()

    def test_empty_tree_is_no_success(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertTrue(list(check_layers.problems(pathlib.Path(empty))))


if __name__ == "__main__":
    unittest.main()
