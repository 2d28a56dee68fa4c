#!/usr/bin/env python3
"""Damages what users give in random ways, and compares what is read with what an independent reader finds in it.

    mutations.py KIND [COUNT] [SEED]    KIND: labels, parquet, parts or m4a; COUNT: 2000

SHARDMILL is the program, best one with sanitizers, and TIMEOUT the seconds after which a run counts as hanging (180).
HYPARQUET is a folder with node_modules/hyparquet and hyparquet-compressors, for KIND parquet.

A run has told of the damage if it ends with an error, gives a warning, or lists samples as left out or in doubt. One
that says nothing must give what went in, or what the independent reader finds: Python's csv, json, tarfile and zipfile,
soundfile, hyparquet, ffmpeg. All else is printed, with its folder, which stays. A crash or a run that hangs makes the
exit code 1.
"""
import base64
import bz2
import collections
import csv
import functools
import gzip
import hashlib
import io
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

import numpy
import soundfile

from sources import harness  # before the modules beside it, for it makes them known

import ffmpeg_test
import parquet_source_test
import parquet_writer as pq

TIMEOUT = float(os.environ.get("TIMEOUT", "180"))


def changed(data, chance):
    """`data` with one to three changes."""
    data = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice((1, 1, 4, 40, 1000)))
        what = chance.choice(("flip", "flip", "flip", "set", "zero", "remove", "repeat", "insert", "cut", "swap"))
        if what == "flip" and at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        elif what == "set":
            data[at:end] = chance.randbytes(end - at)
        elif what == "zero":
            data[at:end] = bytes(end - at)
        elif what == "remove":
            del data[at:end]
        elif what == "repeat":
            data[end:end] = data[at:end]
        elif what == "insert":
            data[at:at] = chance.randbytes(chance.choice((1, 3, 100)))
        elif what == "cut":
            del data[at:]
        elif what == "swap":
            data[at:end] = reversed(data[at:end])
    return bytes(data)


def heard(values):
    return hashlib.sha256(numpy.ascontiguousarray(values, dtype="<i2").tobytes()).hexdigest()[:16]


def sample(text, audio):
    values, _ = soundfile.read(io.BytesIO(audio), dtype="int16")
    return " ".join((text or "").split()), heard(values)


def in_tar(file):
    """Its regular members. Python reads a damaged header as the end; whoever reads on finds more."""
    with tarfile.open(fileobj=file, mode="r:") as archive:
        found = [(member.name, archive.extractfile(member).read()) for member in archive if member.isreg()]
        rest = file.read()
    if rest.strip(b"\0"):
        raise ValueError("more after the end")
    return found


def in_zip(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist() if not name.endswith("/")]


def unpacked(name, data):
    if name.endswith(".zip"):
        return in_zip(data)
    packers = {".gz": gzip.decompress, ".bz2": bz2.decompress}
    return in_tar(io.BytesIO(packers.get(pathlib.Path(name).suffix, bytes)(data)))


def packed(name, members):
    if name.endswith(".zip"):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, data in members:
                archive.writestr(member, data)
        return out.getvalue()
    packers = {".gz": gzip.compress, ".bz2": bz2.compress}
    return packers.get(pathlib.Path(name).suffix, bytes)(harness.tar(members))


def samples_of(members):
    """Of pairs KEY.txt and KEY.EXTENSION."""
    texts = {name[:-4]: data.decode() for name, data in members if name.endswith(".txt")}
    return [sample(texts.get(name.rsplit(".", 1)[0]), data) for name, data in members if not name.endswith(".txt")]


class Labels:
    """A table of stretches of recordings in a folder or an archive; now the one is damaged, now the other."""
    options = ["--labels", "in=table"]
    found = None

    def __init__(self, chance, folder):
        self.audio = [(f"en/r{number}.wav", harness.audio(number)) for number in range(3)]
        self.rows = []
        for name, data in self.audio:
            seconds = soundfile.info(io.BytesIO(data)).duration
            for begin in range(0, int(seconds * 4) - 1, 2):
                self.rows.append({"audio_filepath": name, "offset": begin / 4, "duration": 0.25,
                                  "text": f"at {begin} of {name[3:5]} ä", "lang": "en"})
        self.form = chance.choice(("jsonl", "csv", "tsv", "jsonl.gz", "csv.gz"))
        self.place = chance.choice(("in", "in.tar", "in.tar.gz", "in.zip"))
        table = self.table()
        if self.place == "in":
            for name, data in self.audio:
                path = folder / "in" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        else:
            archive = packed(self.place, self.audio)
            if chance.random() < 0.3:
                archive = changed(archive, chance)
                self.found = lambda: self.cuts(self.rows, unpacked(self.place, archive))
            (folder / self.place).write_bytes(archive)
        if self.found is None:
            table = changed(table, chance)
            self.found = lambda: self.cuts(self.read(table), self.audio)
        (folder / "table").write_bytes(table)
        self.source = f"in={self.place}"
        self.truth = self.cuts(self.rows, self.audio)

    def table(self):
        text = io.StringIO()
        if self.form.startswith("jsonl"):
            text.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in self.rows)
        else:
            writer = csv.DictWriter(text, self.rows[0], delimiter="\t" if self.form == "tsv" else ",",
                                    lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows)
        data = text.getvalue().encode()
        return gzip.compress(data) if self.form.endswith(".gz") else data

    def read(self, data):
        text = (gzip.decompress(data) if self.form.endswith(".gz") else data).decode()
        if self.form.startswith("jsonl"):
            return [json.loads(line) for line in text.split("\n") if line.strip()]
        return list(csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if self.form == "tsv" else ","))

    @staticmethod
    def cuts(rows, stored):
        found = []
        for row in rows:
            data, = [data for name, data in stored if name.endswith(row["audio_filepath"])]
            values, rate = soundfile.read(io.BytesIO(data), dtype="int16")
            begin = round(float(row["offset"]) * rate)
            part = values[begin:begin + round(float(row["duration"]) * rate)]
            found.append((" ".join(row["text"].split()), heard(part)))
        return found


class Parquet:
    """A file as Hugging Face's library writes them, with random encodings and compression."""
    options = []

    def __init__(self, chance, folder):
        numbers = range(chance.randrange(3, 9))
        encoding = chance.choice((pq.PLAIN, pq.RLE_DICTIONARY, pq.DELTA_LENGTH, pq.DELTA_BYTES))
        columns = parquet_source_test.columns(numbers, encoding=encoding)
        data = pq.table(columns, codec=chance.choice((pq.NONE, pq.SNAPPY, pq.GZIP, pq.ZSTD, pq.LZ4_RAW)),
                        version=chance.choice((1, 2)), group_rows=chance.choice((2, 1000)),
                        page_rows=chance.choice((1, 3, 100)), crc=chance.random() < 0.3)
        data = changed(data, chance)
        (folder / "in.parquet").write_bytes(data)
        self.source = "parquet:in.parquet"
        self.truth = [sample(harness.speech(number)[0], harness.audio(number)) for number in numbers]
        self.found = lambda: self.read(folder / "in.parquet")

    @staticmethod
    def read(path):
        script = """
import {asyncBufferFromFile, parquetReadObjects} from 'hyparquet'
import {compressors} from 'hyparquet-compressors'
const rows = await parquetReadObjects({file: await asyncBufferFromFile(process.argv[1]), compressors, utf8: false})
const text = value => value == null ? null : Buffer.from(value).toString('base64')
console.log(JSON.stringify(rows.map(row => [text(row.text), text(row.audio.bytes)])))
"""
        read = subprocess.run(["node", "--input-type=module", "-e", script, path], cwd=os.environ["HYPARQUET"],
                              capture_output=True, timeout=60, check=True)
        return [sample(base64.b64decode(text).decode(), base64.b64decode(audio))
                for text, audio in json.loads(read.stdout)]


class Parts:
    """An archive that was cut for its download; a part is damaged, missing, or there twice."""
    options = []
    source = "in"

    def __init__(self, chance, folder):
        members = harness.samples(range(chance.randrange(2, 7)))
        name = chance.choice(("a.tar", "a.tar.gz", "a.tar.bz2", "a.zip"))
        data = packed(name, members)
        count = chance.randrange(2, 6)
        step = -(-len(data) // count)
        parts = [data[at:at + step] for at in range(0, len(data), step)]
        ending = chance.choice((lambda at: ".parta" + "abcdefgh"[at], lambda at: f".{at + 1:03}",
                                lambda at: f".{at:02}"))
        number = chance.randrange(len(parts))
        what = chance.choice(("change",) * 6 + ("lose", "swap"))
        if what == "change":
            parts[number] = changed(parts[number], chance)
        elif what == "swap":
            parts[number], parts[-1] = parts[-1], parts[number]
        whole = b"".join(parts)
        (folder / "in").mkdir()
        for each, part in enumerate(parts):
            if what != "lose" or each != number:
                (folder / "in" / (name + ending(each))).write_bytes(part)
        self.truth = samples_of(members)
        self.found = lambda: [] if what == "lose" else samples_of(unpacked(name, whole))


class M4a:
    """AAC in a tar, alone and as a recording that --labels cuts. What is lost at an end is what counts."""
    options = ["--audio", "wav"]

    def __init__(self, chance, folder):
        form = chance.choice(("m4a", "m4a", "mp4", "aac"))
        self.texts = ["one", "two"]
        sounds = [encoded(form, number) for number in range(len(self.texts))]
        members = [(f"{key}.{form}", sound) for key, sound in zip(self.texts, sounds)]
        number = chance.randrange(len(members))
        damaged = members.copy()
        damaged[number] = (damaged[number][0], changed(damaged[number][1], chance))
        self.truth = [(text, decoded(sound)) for text, sound in zip(self.texts, sounds)]
        self.found = lambda: [(text, decoded(data)) for text, (_, data) in zip(self.texts, damaged)]
        self.source = "in=in.tar"
        if chance.random() < 0.5:
            (folder / "in.tar").write_bytes(harness.tar([each for name, data in damaged for each in (
                (name.rsplit(".", 1)[0] + ".txt", name.rsplit(".", 1)[0].encode()), (name, data))]))
            return
        (folder / "in.tar").write_bytes(harness.tar(damaged))
        (folder / "table").write_text("".join(json.dumps({"audio_filepath": name, "text": text}) + "\n"
                                              for text, (name, _) in zip(self.texts, damaged)))
        self.options = [*self.options, "--labels", "in=table"]


@functools.lru_cache(maxsize=None)
def encoded(form, number):
    return ffmpeg_test.encoded(form, seconds=1 + number, number=number)


@functools.lru_cache(maxsize=50)
def decoded(data):
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        done = subprocess.run(["ffmpeg", "-v", "error", "-i", file.name, "-f", "s16le", "-c:a", "pcm_s16le", "-"],
                              check=True, capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    return heard(numpy.frombuffer(done.stdout, dtype="<i2"))


def found_in(case):
    """What an independent reader finds, or None where it gives up."""
    try:
        return case.found()
    except Exception:
        return None


def tells(out):
    """Whether the records of a run say that something is left out or in doubt."""
    rejects = out / "rejects.jsonl"
    return rejects.exists() and rejects.stat().st_size > 0 or "doubtful" in (out / "dataset.json").read_text()


def samples_in(out):
    found = []
    for shard in map(json.loads, (out / "shards.jsonl").read_text().splitlines()):
        manifest = out / "manifests" / f"manifest_{shard['shard_id']:09}.json"
        with tarfile.open(out / shard["path"]) as archive:
            for row in map(json.loads, manifest.read_text().splitlines()):
                found.append(sample(row["text"], archive.extractfile(row["audio_filepath"]).read()))
    return found


KINDS = {"labels": Labels, "parquet": Parquet, "parts": Parts, "m4a": M4a}


def run(kind, folder, chance):
    """One case: what became of it, and more about it."""
    case = KINDS[kind](chance, folder)
    options = chance.choice(([], [], ["--on-error", "skip", "--max-rejects", "all"]))
    command = [harness.PROGRAM, "repack", case.source, "--out", "out", "--shards", "1", "-q", *case.options,
               *options]
    (folder / "command").write_text(" ".join(command) + "\n")
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return "hang", ""
    said = done.stderr.decode(errors="replace")
    if done.returncode not in range(4) or re.search("Sanitizer|runtime error:|terminate called|what\\(\\):", said):
        return "crash", said[-2000:]
    if done.returncode != 0:
        return "error", said
    read = collections.Counter(samples_in(folder / "out"))
    if read == collections.Counter(case.truth):
        return "as it was", said
    if said or tells(folder / "out"):
        return "told", said
    found = found_in(case)
    if found is not None and read == collections.Counter(found):
        return "as found", said
    return "other", f"read {sorted(read.elements())}\n  found {found}\n  truth {case.truth}"


def main(kind, count=2000, seed=1):
    begin, became = time.monotonic(), collections.Counter()
    for number in range(count):
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"shardmill-mutation-{kind}-{number}-"))
        what, about = run(kind, folder, random.Random(f"{seed} {number}"))
        became[what] += 1
        if what in ("hang", "crash", "other"):
            print(f"{what}: number {number}, {folder}\n  {about}", flush=True)
        else:
            shutil.rmtree(folder)
    print(f"{kind}, {count} with seed {seed}, {time.monotonic() - begin:.0f} s: "
          + ", ".join(f"{what} {times}" for what, times in became.most_common()))
    return 1 if became["hang"] or became["crash"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
