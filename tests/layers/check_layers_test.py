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
        self.write("src/main.cpp", "cli/cli.hpp")
        self.write("src/cli/cli.hpp")

    def write(self, name, *includes):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"#include <{name}>\n" for name in includes))

    def module(self, name, *includes):
        """A source with its header beside it."""
        self.write(f"src/{name}.hpp", "string")
        self.write(f"src/{name}.cpp", f"{name}.hpp", *includes)

    def assert_problem(self, *parts):
        found = list(check_layers.problems(self.root))
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])

    def assert_clean(self):
        self.assertEqual(list(check_layers.problems(self.root)), [])

    def test_downward_and_libraries_at_home_are_fine(self):
        self.module("cli/options", "boost/program_options.hpp", "convert/cat.hpp", "fmt/format.h")
        self.module("codec/bzip2/library", "bzlib.h", "sys/stat.h", "base/io/file.hpp", "shardmill/error.hpp")
        self.write("src/base/hash/crc32_avx2.cpp", "immintrin.h", "base/hash/crc32.hpp")
        self.assert_clean()

    def test_upward(self):
        self.module("base/io/file", "model/finding.hpp")
        self.assert_problem("src/base/io/file.cpp", "upward")

    def test_upward_in_a_header_and_in_quotes(self):
        self.module("model/sample")
        path = self.root / "src/model/sample.hpp"
        path.write_text('#pragma once\n  #  include "codec/codec.hpp"\n')
        self.assert_problem("src/model/sample.hpp", "upward")

    def test_sideways(self):
        self.module("deal/dealer", "manifest/record.hpp")
        self.assert_problem("sideways")
        self.module("deal/dealer")
        self.module("audio/measure", "archive/tar.hpp")
        self.assert_problem("sideways")

    def test_a_folder_in_a_layer_is_its_own(self):
        self.module("codec/bzip2/block", "codec/codec.hpp", "codec/bzip2/runs.hpp")
        self.module("codec/codec", "codec/bzip2/block.hpp")
        self.module("codec/gzip/inflate", "codec/bzip2/block.hpp")
        self.assert_clean()
        self.module("pipeline/decode", "codec/bzip2/block.hpp")
        self.assert_problem("src/pipeline/decode.cpp", "private: only codec/")

    def test_folders_in_folders(self):
        self.module("source/corpora/text/table")
        self.module("source/corpora/kaldi", "source/corpora/text/table.hpp")
        self.assert_clean()
        self.module("source/set", "source/corpora/text/table.hpp")
        self.assert_problem("private: only source/corpora/")

    def test_folders_of_base_are_open(self):
        self.module("cli/console", "base/io/file.hpp", "base/text/units.hpp")
        self.assert_clean()

    def test_messages_of_inner_layers_name_no_options(self):
        text = '#include "pipeline/mill.hpp"\n// as after --force\nfor (; n; --count) f("a", --size, "b");\n'
        self.module("pipeline/mill")
        path = self.root / "src/pipeline/mill.cpp"
        path.write_text(text)
        self.assert_clean()
        path.write_text(text + 'throw Error("is damaged", {}, "start over with --force");\n')
        self.assert_problem("src/pipeline/mill.cpp", "--force", "Remedy")
        path.write_text(text
                        + 'throw Error("is old", {}, "\'shardmill index "\n  "{} --list-root {}\' makes it anew");\n')
        self.assert_clean()
        path.write_text(text + 'throw Error("is old; shardmill verify tells more; --force makes it anew");\n')
        self.assert_problem("src/pipeline/mill.cpp", "--force")
        path.unlink()
        self.module("cli/index_command")
        (self.root / "src/cli/index_command.cpp").write_text(
            '#include "cli/index_command.hpp"\nf("--list-root is no use");\n')
        self.assert_clean()

    def test_main_knows_cli_only(self):
        self.write("src/main.cpp", "base/io/file.hpp")
        self.assert_problem("main.cpp")

    def test_public_api(self):
        self.write("include/shardmill/shard.hpp", "string", "shardmill/error.hpp")
        self.module("library/shard", "shardmill/shard.hpp", "convert/cat.hpp")
        self.assert_clean()
        self.module("pipeline/decode", "shardmill/shard.hpp")
        self.assert_problem("public: only library/")
        self.module("pipeline/decode")
        self.write("include/shardmill/shard.hpp", "codec/codec.hpp")
        self.assert_problem("include/shardmill/shard.hpp", "public API")

    def test_library_away_from_home(self):
        for folder, include in [("codec", "boost/program_options.hpp"), ("source", "tbb/parallel_for.h"),
                                ("codec", "sndfile.h"), ("shard", "zstd.h"), ("base", "bzlib.h")]:
            with self.subTest(include=include):
                self.module(f"{folder}/thing", include)
                self.assert_problem(include, "belongs in")
                (self.root / f"src/{folder}/thing.cpp").unlink()

    def test_library_in_a_header(self):
        self.write("src/codec/zstd.hpp", "zstd.h", "fmt/format.h")
        self.assert_problem("only sources")

    def test_boost_in_a_header(self):
        self.write("src/cli/options.hpp", "boost/program_options.hpp")
        self.assert_clean()
        self.write("src/model/options.hpp", "boost/program_options.hpp")
        self.assert_problem("belongs in src/cli/")

    def test_join_needs_the_header_that_has_it_in_all_versions_of_fmt(self):
        self.module("base/text/words", "fmt/format.h")
        path = self.root / "src/base/text/words.cpp"
        path.write_text(path.read_text() + 'auto all = fmt::join(words, " ");\n')
        self.assert_problem("src/base/text/words.cpp", "fmt/ranges.h")
        path.write_text("#include <fmt/ranges.h>\n" + path.read_text())
        self.assert_clean()

    def test_unknown_library(self):
        self.module("base/io/file", "nonesuch/nonesuch.h")
        self.assert_problem("unknown")

    def test_misplaced(self):
        for name in ["src/utils/strings.cpp", "src/loose.cpp", "include/shardmill/base/file.hpp",
                     "include/shardmill/error.cpp", "include/other/error.hpp", "src/check/implements_nothing.cpp"]:
            with self.subTest(name=name):
                self.write(name)
                self.assert_problem(name)
                (self.root / name).unlink()

    def test_empty_tree_is_no_success(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertTrue(list(check_layers.problems(pathlib.Path(empty))))


if __name__ == "__main__":
    unittest.main()
