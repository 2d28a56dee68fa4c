"""What the program says to those who mistype, and how it repeats what they wrote."""
import os
import unittest

import harness
from repack_test import tone


class Messages(harness.Case):
    def setUp(self):
        super().setUp()
        self.write("mandarin/a.tar", harness.shard(0, 3))
        self.write("english/b.tar", harness.shard(3, 3))

    def test_did_you_mean(self):
        self.fails("repak", code=2, says=["there is no command 'repak'", "did you mean 'repack'?"])
        self.fails("xyzzy", code=2, says=["there is no command 'xyzzy'", "see shardmill --help"])
        self.fails("repack", "mandarin", "--out", "out", "--on-eror", "skip", code=2, says="did you mean '--on-error'?")
        self.fails("repack", "mandarin", "--out", "out", "--qqq", code=2, says=["--qqq", "see shardmill repack --help"])
        self.fails("repack", "mandarin", "english", "--out", "out", "--weight", "mandrin=2", code=2,
                   says=["'mandrin'", "did you mean 'mandarin'?"])
        self.fails("repack", "mandarin", "english", "--out", "out", "--weight", "x=2", code=2,
                   says="there are: mandarin, english")

    def test_what_is_not_on_this_machine(self):
        for place in ("gs://bucket/shards", "ftp://host/a.tar", "x=sftp://host/a.tar", "wenet:hdfs://bucket/data.list"):
            for command in (["repack", place, "--out", "out"], ["inspect", place], ["cat", place], ["verify", place],
                            ["convert", place, "--out", "out"]):
                with self.subTest(command=command):
                    self.fails(*command, code=2, says=[place, "only http://, https:// and s3:// are read", "copy it"])
        for command, advice in ((["convert", "mandarin", "--out"], "repack SOURCE... --codec C --out s3://bucket/d"),
                                (["ranks", "mandarin", "--world-size", 2, "--out"], "write the lists into a folder"),
                                (["report", "mandarin", "--out"], "write the page into a folder"),
                                (["update"], "repack dataset:s3://bucket/d"), (["repair"], "repair a copy"),
                                (["index"], "index a copy"), (["update", "--remove-keys", "k"], "update a copy")):
            for scheme in ("s3", "https"):
                place = f"{scheme}://bucket/d"
                with self.subTest(command=command, place=place):
                    self.fails(*command, place, code=2, says=[place, f"{command[0]} writes only to disks",
                                                              advice.replace("s3:", f"{scheme}:")])
        self.fails("repack", "mandarin", "--out", "https://host/out", code=2, says=["https://host/out", "only buckets"])
        self.fails("report", "https://host/dataset", code=2, says=["https://host/dataset", "--out FILE"])
        self.write("all.list", b"gs://bucket/a.tar\n")
        self.fails("repack", "all.list", "--out", "out", says=["gs://bucket/a.tar", "http://", "copy it"])
        self.assertEqual(self.names(), ["all.list", "english/b.tar", "mandarin/a.tar"])

    def test_no_more_of_the_users_data_than_tells_what_it_is(self):
        self.write("long.list", b"x" * 1_000_000 + b"\n")
        self.write("mandarin/data.list", b"")
        huge = "y" * 100_000
        for command in (["repack", "long.list", "--out", "out"], ["repack", "mandarin", "--out", "out", "--text", huge],
                        ["repack", "mandarin", "--out", "out", "--weight", huge], [huge], ["cat", huge],
                        ["repack", "mandarin", "--out", "out", f"--{huge}"], ["verify", huge],
                        ["repack", "mandarin", "--out", "out", "--shard-size", huge],
                        ["cat", "mandarin/a.tar", huge], ["repack", "mandarin", "--out", huge]):
            result = self.shardmill(*command, code=None)
            self.assertIn(result.code, (1, 2))
            self.assertLess(len(result.err), 800, command[0])

    def test_control_characters_are_shown_and_not_obeyed(self):
        evil = "a\x1b[2J\x9b31mb"
        for command in ([evil], ["cat", evil], ["repack", "mandarin", "--out", "out", "--text", evil],
                        ["repack", "mandarin", "--out", "out", f"--{evil}"],
                        ["repack", "mandarin", "--out", "out", "--shards", evil],
                        ["repack", f"{evil}=mandarin", "--out", "out"], ["ranks", "mandarin", "--world-size", evil],
                        ["index", "mandarin", "--index", evil],
                        ["repack", "mandarin", "--out", "out", "--weight", evil]):
            result = self.shardmill(*command, code=None)
            self.assertIn(result.code, (1, 2), command)
            self.assertNotRegex(result.err, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")

    def test_lists_that_could_not_be_written_are_refused_before_the_work(self):
        for options in (["--out", "a\nb"], ["--out", "a\u009bb"], ["--out", "out", "--list-root", "/a\tb"]):
            self.fails("repack", "mandarin", "--shards", 1, *options, code=2, says="control characters")
        self.assertEqual(sorted(os.listdir(self.folder)), ["english", "mandarin"])

    def test_empty_values(self):
        for option in ("out", "depfile", "list-root", "prefix", "shards", "text"):
            for given in ([f"--{option}", ""], [f"--{option}="]):
                more = [] if option == "out" else ["--out", "out"]
                self.fails("repack", "mandarin", *more, *given, code=2, says=f"--{option} has an empty value")
        self.fails("convert", "mandarin", "--out", "", code=2, says="--out has an empty value")
        self.fails("repack", "", "--out", "out", code=2, says="a source is empty")

    def test_seconds_are_said_as_seconds(self):
        self.write("uneven/a.tar", harness.tar([("a.wav", tone(16000 * 21)), ("b.wav", tone(16000))]))
        said = self.shardmill("repack", "uneven", "--out", "out", "--shards", 2,
                              "--allow-missing-text").out.decode()
        self.assertIn("shards differ by at most 20.0 s of audio and 0 samples", said)

    def test_a_checkpoint_size_of_nothing(self):
        self.fails("repack", "mandarin", "--out", "out", code=2, says="must be at least 1",
                   env={"SHARDMILL_CHECKPOINT_BYTES": "0"})

    def test_help_says_what_exit_codes_mean(self):
        for arguments in (["--help"], ["repack", "--help"], ["verify", "--help"]):
            text = self.shardmill(*arguments).out.decode()
            for words in ("3 more samples left out", "130 after Ctrl-C", "143 TERM"):
                self.assertIn(words, text)


if __name__ == "__main__":
    unittest.main()
