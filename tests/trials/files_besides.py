#!/usr/bin/env python3
"""Runs the program on all kinds of sources below strace, and lists each file that it makes or changes outside of --out.

    files_besides.py [RUNS] [SEED]      110 runs, seed 1

The sources are labels of audio in a folder, a tar, a tar.gz, a zip and archives in archives, Parquet files, m4a and
other forms that ffmpeg decodes, and downloads in parts; some have damage. Options are drawn at random. Most runs are
`repack`, some with --dry-run, and some of the datasets are read by `verify` then, or their sources by `inspect`; these
and --dry-run may write nothing at all. TMPDIR is the usual one, a folder of the run, or one that is not there.

A path counts if a call of the program, or of a program that it runs, opened it for writing, or made, renamed, linked or
removed it, wherever it lies. Besides, the sources must be the same files as before, by name, size, times and content.
Allowed, and counted in the last line, are files without a name (O_TMPFILE, memfd_create), devices (/dev/null, and the
pipes of ffmpeg in /dev/fd), and what `verify` writes to a folder shardmill-verify-* of TMPDIR, where it makes indexes
again to compare them, if nothing of it is left. Runs that end with an error are right: archives that are damaged, or
have another --md5. Needs Debian's strace and ffmpeg. The exit code is 1 if any path is listed.
"""
import collections
import gzip
import hashlib
import io
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import zipfile

import numpy
import soundfile

import sources

import downloads_test
import ffmpeg_test
import parquet_writer as pq

RATE = 16000
CALLS = ("creat,open,openat,openat2,mkdir,mkdirat,mknod,mknodat,rename,renameat,renameat2,link,linkat,symlink,"
         "symlinkat,unlink,unlinkat,rmdir,truncate,memfd_create")
LONG = 270_000_000  # bytes of a recording that goes through a scratch file
NAMED = re.compile(r'(?:(?:AT_FDCWD|\d+)(?:<(?P<folder>[^>]*)>)?, )?'
                   r'"(?P<name>(?:[^"\\]|\\.)*)"(?P<more>\.\.\.)?')


def noise(chance, seconds, form="WAV", rate=RATE, channels=1):
    values = numpy.random.default_rng(chance.randrange(2**32)).normal(0, 900, (int(seconds * rate), channels))
    out = io.BytesIO()
    soundfile.write(out, values.astype(numpy.int16), rate, format=form, subtype=None if form == "OGG" else "PCM_16")
    return out.getvalue()


def tar(files, packer=bytes):
    return packer(sources.harness.tar(files.items()))


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def write(folder, files):
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def damaged(data, chance):
    data = bytearray(data)
    for _ in range(3):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def place(chance, folder, files):
    """Writes the files as a source of one form, and returns its name."""
    form = chance.choice(("in", "in.tar", "in.tar.gz", "in.zip", "in.tar.gz of tar", "in.tar of tar.gz",
                          "in.zip of tar"))
    name, _, inner = form.partition(" of ")
    if inner:
        half = len(files) // 2
        parts = [dict(list(files.items())[:half]), dict(list(files.items())[half:])]
        files = {f"part{number}.{inner}": tar(part, gzip.compress if inner == "tar.gz" else bytes)
                 for number, part in enumerate(parts)}
    if name == "in":
        write(folder / "in", files)
        return name
    data = zipped(files) if name.endswith(".zip") else tar(files, gzip.compress if name.endswith(".gz") else bytes)
    if chance.random() < 0.15:
        data = damaged(data, chance)
    write(folder, {name: data})
    return name


def in_parts(chance, folder, name):
    """Cuts an archive as for a download, and returns the source, a folder of its own."""
    data = (folder / name).read_bytes()
    (folder / name).unlink()
    step = -(-len(data) // chance.randint(2, 5))
    ending = chance.choice((lambda at: ".parta" + "abcdefgh"[at], lambda at: f".{at + 1:03}", lambda at: f".{at:02}"))
    write(folder / "download", {name + ending(number): data[at:at + step]
                                for number, at in enumerate(range(0, len(data), step))})
    return "download"


def labels_of(chance, folder, files, seconds):
    """A table of stretches of these files."""
    rows = [{"audio_filepath": name, "offset": begin / 4, "duration": 0.25 * chance.randint(1, 3),
             "text": f"{name} {begin}", "speaker": f"s{begin % 5}"}
            for name in files for begin in range(0, int(seconds * 4) - 3, chance.choice((2, 5)))]
    form = chance.choice(("labels.jsonl", "labels.csv", "labels.jsonl.gz"))
    if form.endswith(".csv"):
        text = ",".join(rows[0]) + "\n" + "".join(",".join(map(str, row.values())) + "\n" for row in rows)
    else:
        text = "".join(json.dumps(row) + "\n" for row in rows)
    write(folder, {form: gzip.compress(text.encode()) if form.endswith(".gz") else text.encode()})
    return ["--labels", f"x={form}"]


def some_labels(chance, folder):
    form = chance.choice(("WAV", "FLAC", "OGG"))
    extension = form.lower()
    files = {f"en/r{number}.{extension}": noise(chance, 6, form, chance.choice((8000, RATE))) for number in range(4)}
    name = place(chance, folder, files)
    options = labels_of(chance, folder, files, 5)
    if name != "in" and chance.random() < 0.3:
        name = in_parts(chance, folder, name)
    return name, options


def a_long_recording(chance, folder):
    """Larger than what is held in memory, in an archive that is small."""
    head = sources.wav(b"", RATE, 16)
    size = LONG.to_bytes(4, "little")
    data = head[:4] + (LONG + 36).to_bytes(4, "little") + head[8:40] + size + bytes(LONG)
    files = {"long.wav": data, "short.wav": noise(chance, 5)}
    write(folder, {"in.tar.gz": tar(files, lambda each: gzip.compress(each, 1))})
    return "in.tar.gz", labels_of(chance, folder, files, 5)


def some_ffmpeg(chance, folder):
    forms = chance.sample(sorted(ffmpeg_test.FORMS), 2)
    files = {f"{form}{number}.{form}": ffmpeg_test.encoded(form, 2 + number, number=number)
             for form in forms for number in range(2)}
    if chance.random() < 0.5:
        return place(chance, folder, files), labels_of(chance, folder, files, 2)
    texts = {name.rpartition(".")[0] + ".txt": name.encode() for name in files}
    both = dict(sorted({**files, **texts}.items()))
    if chance.random() < 0.3:
        write(folder / "in", both)
        return "in", []
    write(folder, {"in.tar": tar(both)})
    return "in.tar", []


def some_parquet(chance, folder):
    for number in range(chance.randint(1, 3)):
        rows = range(chance.randint(5, 30))
        encoding = chance.choice((pq.PLAIN, pq.RLE_DICTIONARY, pq.DELTA_LENGTH))
        audio = [noise(chance, 0.5) for _ in rows]
        columns = [pq.struct("audio", [pq.Column("bytes", audio, encoding=encoding, optional=True),
                                       pq.Column("path", [f"u{number}_{row}.wav" for row in rows])]),
                   pq.Column("text", [f"text {row}" for row in rows]),
                   pq.Column("speaker", [f"s{row % 5}" for row in rows])]
        data = pq.table(columns, codec=chance.choice((pq.NONE, pq.SNAPPY, pq.GZIP, pq.ZSTD, pq.LZ4_RAW)),
                        group_rows=chance.choice((3, 1000)), page_rows=chance.choice((2, 100)))
        write(folder, {f"in/train-{number}.parquet": damaged(data, chance) if chance.random() < 0.1 else data})
    return "parquet:in", []


def a_download(chance, folder):
    """LibriSpeech or another corpus, as a folder, an archive, or an archive in parts."""
    corpus = chance.choice((downloads_test.librispeech, downloads_test.aishell, downloads_test.libritts))()
    subset = ["--subset", "all"]
    what = chance.choice(("folder", "tar.gz", "zip", "parts", "parts"))
    if what == "folder":
        write(folder / "in", corpus.files)
        return "in/" + corpus.top, subset
    name = "in.zip" if what == "zip" else chance.choice(("in.tar.gz", "in.zip"))
    write(folder, {name: zipped(corpus.files) if name.endswith("zip") else tar(corpus.files, gzip.compress)})
    return in_parts(chance, folder, name) if what == "parts" else name, subset


KINDS = {"labels": some_labels, "ffmpeg": some_ffmpeg, "parquet": some_parquet, "download": a_download,
         "long": a_long_recording}
INDEXES = ("wids,dali,energon", "lhotse", "shar", "shar-gz,kaldi", "parquet", "mds", "huggingface", "funasr",
           "speechbrain")


def options_of(chance):
    options = ["--allow-missing-text", *chance.choice((["--shards", "1"], ["--shards", "2"], ["--shard-samples", "5"],
                                                       ["--shard-duration", "2s"]))]
    for share, choices in (
            (0.4, (["--audio", "wav"], ["--audio", "flac"], ["--audio", "flac", "--sample-rate", "8000"])),
            (0.2, (["--channels", "mono"], ["--channels", "split"])), (0.2, (["--bits", "16"],)),
            (0.3, (["--codec", "zstd"], ["--codec", "zstd", "--seekable"], ["--codec", "lz4"])),
            (0.3, (["--text", "manifest"],)), (0.15, (["--parity", "1"],)), (0.3, (["-j", "1"], ["-j", "5"])),
            (0.15, (["--quality"],)), (0.15, (["--split", "dev=0.1s,test=0.1s", "--split-by", "key"],)),
            (0.15, (["--on-duplicate-audio", "first"],)), (0.2, (["--max-duration", "0.6s"], ["--limit", "3"])),
            (0.2, (["--seed", "5"], ["--interleave", "1"])), (0.2, (["--even", "leave-out"],)),
            (0.2, (["--memory", "64MiB"],)), (0.3, (["-q"], ["--json"], ["--progress", "plain"])),
            (0.1, (["--prefix", "speech"],)), (0.1, (["--list-root", "/elsewhere"],)), (0.03, (["--md5", "0" * 32],))):
        if chance.random() < share:
            options += chance.choice(choices)
    if "--codec" not in options and chance.random() < 0.5:
        options += ["--index", chance.choice(INDEXES)]
    return options + ["--on-error", "skip", "--max-rejects", "all"] * (chance.random() < 0.7)


def unquoted(text):
    return re.sub(rb"\\(\d{1,3}|.)", lambda each: bytes([int(each[1], 8)]) if each[1].isdigit() else each[1],
                  text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")


class Traced:
    """A run below strace: its exit code, and the paths that it wrote."""

    def __init__(self, folder, words, environment):
        with tempfile.TemporaryDirectory(prefix="shardmill-strace-") as name:
            begin = ["strace", "-ff", "-y", "-qq", "-s", "4096", "--seccomp-bpf", "-e", f"trace={CALLS}",
                     "-o", f"{name}/calls"]
            done = subprocess.run([*begin, sources.PROGRAM, *words], cwd=folder, capture_output=True,
                                  stdin=subprocess.DEVNULL, timeout=600, env=environment)
            self.code, self.said = done.returncode, done.stderr.decode(errors="replace")
            self.written, self.nameless, self.calls = set(), collections.Counter(), 0
            for path in pathlib.Path(name).iterdir():
                for line in path.read_text(errors="surrogateescape").splitlines():
                    self.take(folder, line)
        if self.calls == 0:
            sys.exit(f"files_besides: strace saw no calls: {self.said}")

    def take(self, folder, line):
        call, _, rest = line.partition("(")
        if not call.isidentifier():
            return  # a signal, or the end
        self.calls += 1
        if re.search(r"\) = -1 E", line):
            return
        if call == "memfd_create":
            self.nameless["memfd_create"] += 1
            return
        if call in ("open", "openat", "openat2"):
            if "O_TMPFILE" in rest:
                self.nameless["O_TMPFILE"] += 1
                return
            if not re.search(r"\bO_(WRONLY|RDWR|CREAT|TRUNC|APPEND)\b", rest):
                return
        paths = list(NAMED.finditer(rest))
        if call == "symlink" or call == "symlinkat":
            paths = paths[1:]  # the first one is only a text
        if not paths or any(path["more"] for path in paths):
            sys.exit(f"files_besides: cannot read {line}")
        for path in paths:
            found = os.path.normpath(os.path.join(folder, unquoted(path["folder"] or ""), unquoted(path["name"])))
            if found == "/dev/null" or found.startswith("/dev/fd/"):
                self.nameless["devices"] += 1
            else:
                self.written.add((call, found))


def state(folder):
    """All files and folders below one, with what tells of a change."""
    found = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        found[str(path)] = (about.st_mode,)  # a file that came and went in a folder is seen by strace
        if path.is_file():
            content = hashlib.sha256(path.read_bytes()).digest()
            found[str(path)] = (about.st_mode, about.st_size, about.st_mtime_ns, content)
    return found


def is_scratch(path, temporary):
    return path.startswith(f"{temporary or os.environ.get('TMPDIR') or '/var/tmp'}/shardmill-verify-")


def run(folder, kind, chance, counts):
    """Yields each path that should not have been written, with the command."""
    source, more = KINDS[kind](chance, folder)
    source = source if source.startswith("parquet:") else f"x={source}"
    temporary = chance.choices((None, str(folder / "tmp"), str(folder / "none")), (5, 4, 1))[0]
    (folder / "tmp").mkdir()
    environment = {**os.environ, **({"TMPDIR": temporary} if temporary else {})}
    out = folder / "out"
    commands = []
    if chance.random() < 0.15:
        commands.append(["inspect", source, *(more if "--labels" in more else [])])
    options = options_of(chance) + (["--dry-run"] if chance.random() < 0.15 else [])
    repack = ["repack", source, "--out", "out", *more, *options]
    commands.append(repack)
    if chance.random() < 0.2:
        commands.append([*repack, "--force"])
    if chance.random() < 0.3:
        commands.append(["verify", "out", *chance.choice(([], ["--decode"], ["--against", source]))])
    before = state(folder)
    for words in commands:
        if words[0] == "verify" and not (out / "dataset.json").exists():
            continue
        may_write = words[0] == "repack" and "--dry-run" not in words
        done = Traced(folder, words, environment)
        counts["runs"] += 1
        counts["calls"] += done.calls
        counts[f"code {done.code}"] += 1
        counts.update(done.nameless)
        if done.code not in range(4):
            yield f"exit code {done.code}: {done.said[-500:]}", words
        for call, path in sorted(done.written):
            if may_write and (path == str(out) or path.startswith(f"{out}/")):
                counts["inside"] += 1
            elif words[0] == "verify" and is_scratch(path, temporary) and not os.path.lexists(path):
                counts["of verify"] += 1
            else:
                yield f"{call} {path}", words
        after = {path: each for path, each in state(folder).items()
                 if path != str(out) and not path.startswith(f"{out}/")}
        for path in sorted({path for path in {*before, *after} if before.get(path) != after.get(path)}):
            yield f"changed {path}", words


def main(runs=110, seed=1):
    begin, counts, found, number = time.monotonic(), collections.Counter(), 0, 0
    kinds = collections.Counter()
    while counts["runs"] < runs:
        chance = random.Random(f"{seed} {number}")
        kind = "long" if number == 7 else chance.choices(("labels", "ffmpeg", "parquet", "download"), (4, 2, 2, 3))[0]
        before = counts["runs"]
        with tempfile.TemporaryDirectory(prefix="shardmill-besides-") as name:
            for what, words in run(pathlib.Path(name).resolve(), kind, chance, counts):
                found += 1
                print(f"number {number}, {kind}: {what}\n    shardmill {' '.join(words)}", flush=True)
        kinds[kind] += counts["runs"] - before
        number += 1
    print(f"{counts['runs']} runs ({', '.join(f'{kind} {times}' for kind, times in kinds.most_common())}), exit codes "
          + ", ".join(f"{code}: {counts[f'code {code}']}" for code in range(4))
          + f", {time.monotonic() - begin:.0f} s, {counts['inside']} paths written below --out, "
          + ", ".join(f"{name} {counts[name]} times" for name in ("O_TMPFILE", "memfd_create", "devices"))
          + f", {counts['of verify']} calls in scratch folders of verify: {found} paths outside")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
