"""Manual pages and completions: made from the same tables as --help, and what man, bash, zsh and fish make of them."""
import functools
import pathlib
import re
import shutil
import subprocess
import unittest

import harness

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "data/example"


def output(*arguments):
    return subprocess.run([harness.PROGRAM, *arguments], capture_output=True, check=True).stdout.decode()


@functools.lru_cache
def commands():
    return re.findall(r"^  (\w+) ", output("--help"), re.MULTILINE)


@functools.lru_cache
def options(command):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", "\n".join(
        line[:line.find("  ", 2)] if "  " in line[2:] else line
        for line in output(command, "--help", "all").splitlines() if re.match("  -", line))))


class Manual(harness.Case):
    def rendered(self, page):
        """As man shows it; fails at the slightest warning."""
        done = subprocess.run(["groff", "-ww", "-man", "-Tutf8", "-P-cbou", "-rLL=78n"], input=page.encode(),
                              capture_output=True, check=True)
        self.assertEqual(done.stderr.decode(), "")
        return done.stdout.decode()

    def test_overview_names_all_commands(self):
        text = self.rendered(output("--man"))
        for command in commands():
            self.assertIn(f"shardmill-{command}(1)", text.replace("‐", "-"))

    def test_pages_say_what_help_says(self):
        for command in commands():
            with self.subTest(command):
                text = self.rendered(output("--man", command))
                self.assertEqual(options(command) - set(re.findall(r"--[a-z][a-z0-9-]*", text)), set())
                for part in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"):
                    self.assertIn(part, text)
                example = output(command, "--help").split("Example:\n")[1]
                for line in example.splitlines():
                    self.assertIn(line.strip(), text)

    def test_greeting(self):
        greeting = self.shardmill(code=2).err
        shards = str(EXAMPLE / "english")
        tried = re.findall(r"^  shardmill (\w+ SOURCE(?: --\S+| balanced)*)  ", greeting, re.MULTILINE)
        self.assertEqual(len(tried), 3, greeting)
        for line in tried:
            self.shardmill(*[shards if word == "SOURCE" else word for word in line.split()])
        self.assertTrue((self.folder / "balanced/dataset.json").is_file())

    def test_wrong_use(self):
        self.fails("--man", "nothing", code=2, says="no command 'nothing'")
        self.fails("--completion", "tcsh", code=2, says=["tcsh", "bash, zsh or fish"])
        self.fails("--completion", code=2, says="bash, zsh or fish")


class Bash(harness.Case):
    def setUp(self):
        super().setUp()
        self.write("completion", output("--completion", "bash").encode())
        self.write("data/a.tar", b"")
        self.write("data.list", b"")

    def complete(self, *words):
        """What bash offers for the last word."""
        script = """
            source ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shardmill
            for word in "${COMPREPLY[@]}"; do echo "$word"; done"""
        done = subprocess.run(["bash", "--norc", "-uc", script, "bash", *words], cwd=self.folder, capture_output=True)
        self.assertEqual(done.stderr.decode(), "")
        return done.stdout.decode().split()

    def test_commands(self):
        self.assertEqual(self.complete("shardmill", ""), commands())
        self.assertEqual(self.complete("shardmill", "re"), [name for name in commands() if name.startswith("re")])
        self.assertEqual(self.complete("shardmill", "--v"), ["--version"])

    def test_options(self):
        for command in commands():
            offered = set(self.complete("shardmill", command, "--"))
            self.assertEqual(offered, options(command), command)
        self.assertEqual(self.complete("shardmill", "repack", "x", "--shard-d"), ["--shard-duration"])

    def test_values(self):
        self.assertEqual(self.complete("shardmill", "repack", "--codec", ""), ["none", "zstd", "lz4", "gzip"])
        self.assertEqual(self.complete("shardmill", "repack", "--codec", "=", "zs"), ["zstd"])
        self.assertEqual(self.complete("shardmill", "repack", "--progress", "b"), ["bar"])
        self.assertEqual(self.complete("shardmill", "repack", "--shards", ""), [])
        self.assertEqual(self.complete("shardmill", "repack", "--out", "da"), ["data"])

    def test_lists(self):
        """Words parted by commas: each is offered until it was given."""
        kinds = harness.all_forms()
        for command in ("repack", "index"):
            self.assertEqual(self.complete("shardmill", command, "--index", ""), kinds)
            self.assertEqual(self.complete("shardmill", command, "--index", "=", "wi"), ["wids"])
        self.assertEqual(self.complete("shardmill", "index", "--index", "dali,"),
                         ["dali," + kind for kind in kinds if kind != "dali"])
        self.assertEqual(self.complete("shardmill", "index", "--index", "dali,wids,e"), ["dali,wids,energon"])
        self.assertEqual(self.complete("shardmill", "index", "--index", ",".join(kinds) + ","), [])
        # wenet-old was not given by giving wenet, nor the other way round.
        self.assertEqual(self.complete("shardmill", "ranks", "--loader", "wenet,wen"), ["wenet,wenet-old"])
        self.assertEqual(self.complete("shardmill", "ranks", "--loader", "wenet-old,wen"), ["wenet-old,wenet"])
        self.assertEqual(self.complete("shardmill", "ranks", "--world-size", "1,"), [])

    def test_sources(self):
        self.assertEqual(sorted(self.complete("shardmill", "repack", "da")), ["data", "data.list"])
        self.assertEqual(self.complete("shardmill", "repack", "name", "=", "data/"), ["data/a.tar"])
        self.assertEqual(sorted(self.complete("shardmill", "repack", "name", "=")), ["completion", "data", "data.list"])


@unittest.skipUnless(shutil.which("zsh"), "no zsh here")
class Zsh(harness.Case):
    def specifications(self, *words):
        """What the script hands to zsh's own functions."""
        self.write("_shardmill", output("--completion", "zsh").encode())
        script = """
            _arguments() { print -rl -- "$@" }
            _describe() { print -rl -- "${(@P)2}" }
            words=("$@") CURRENT=$#; source ./_shardmill"""
        done = subprocess.run(["zsh", "-fuc", script, "zsh", *words], cwd=self.folder, capture_output=True)
        self.assertEqual(done.stderr.decode(), "")
        return done.stdout.decode().splitlines()

    def test_commands(self):
        self.assertEqual([line.split(":")[0] for line in self.specifications("shardmill", "")], commands())

    def test_options(self):
        for command in commands():
            lines = self.specifications("shardmill", command, "")
            self.assertEqual({re.match(r"\*(--[a-z0-9-]+)=?\[", line)[1] for line in lines if line.startswith("*--")},
                             options(command), command)
            self.assertIn("*:file:_shardmill_sources", lines)

    def test_values(self):
        lines = self.specifications("shardmill", "repack", "")
        self.assertTrue(any(re.fullmatch(r"\*--codec=\[.*\]:.*:\(none zstd lz4 gzip\)", line) for line in lines))
        self.assertTrue(any(re.fullmatch(r"\*--out=\[.*\]:DIR:_files -/", line) for line in lines))
        kinds = " ".join(harness.all_forms())
        self.assertTrue(any(re.fullmatch(rf"\*--index=\[.*\]:.*:_values -s , index {kinds}", line)
                            for line in lines))


class Fish(harness.Case):
    """Its words, read as fish reads them: blanks part them, quotes and backslashes are as in `fish_text`."""

    def lines(self):
        words = re.compile(r"'((?:[^'\\]|\\.)*)'|(\S+)")
        for line in output("--completion", "fish").splitlines()[1:]:
            found = [re.sub(r"\\(.)", r"\1", match[1]) if match[2] is None else match[2]
                     for match in words.finditer(line)]
            self.assertEqual(found[:4], ["complete", "-c", "shardmill", "-n"], line)
            yield found[4], found[5:]

    def test_commands(self):
        offered = [rest[rest.index("-a") + 1] for when, rest in self.lines()
                   if when == "__fish_use_subcommand" and "-l" not in rest]
        self.assertEqual(offered, commands())

    def test_options_and_values(self):
        for command in commands():
            own = [rest for when, rest in self.lines() if when == f"__fish_seen_subcommand_from {command}"]
            self.assertEqual({"--" + rest[rest.index("-l") + 1] for rest in own}, options(command))
        codec, = [rest for when, rest in self.lines()
                  if when.endswith(" convert") and rest[rest.index("-l") + 1] == "codec"]
        self.assertEqual(codec[codec.index("-a") + 1], "none zstd lz4 gzip")

    @unittest.skipUnless(shutil.which("fish"), "no fish here")
    def test_fish_takes_it(self):
        self.write("shardmill.fish", output("--completion", "fish").encode())
        ask = 'source shardmill.fish; complete -C "$argv[1]"'
        for line, offered in (("shardmill rep", ["repack", "repair", "report"]),
                              ("shardmill convert --codec z", ["zstd"]),
                              ("shardmill index --index dali,wi", ["dali,wids"])):
            done = subprocess.run(["fish", "--no-config", "-c", ask, line], cwd=self.folder, capture_output=True)
            self.assertEqual((done.stderr, [each.split("\t")[0] for each in done.stdout.decode().splitlines()]),
                             (b"", offered), line)


if __name__ == "__main__":
    unittest.main()
