#!/usr/bin/env python3
"""How fast labels and Parquet files are read, against what people do without the program.

    speeds.py labels [MB] [ROUNDS]      1150 MB in 5 rounds; bar 0.5
    speeds.py parquet [MB] [ROUNDS]     1000 MB in 5 rounds; bar 2.0

labels: a tar.gz of MB megabytes of recordings (FLAC, 15 minutes, 16 kHz, noise with the rhythm of speech, which
compresses little), and a table with 20 segments of 3 to 15 s of each. `repack --labels` is timed against `tar xzf` and
then `sox IN OUT trim START =END` for one segment after the other. OUT is WAV, which costs sox less than FLAC; repack
writes FLAC, as the recordings are. The samples of every segment must be those of sox.

parquet: a file of MB megabytes as Hugging Face's library writes it: wav of 10 s, groups of 100 rows, pages of 1 MB,
not compressed. `repack` is timed against `cp`. Each audio must be the same bytes in the shards.

In each round both run, in turn first, with the input in memory, into a new folder, and until `sync` has ended. The
ratio is that of the medians of the seconds that pass; the last line has it, and the ratio of each round. It says little
where others use the cores or the disk, so each round tells the load. Needs sox for labels, and 4 times MB in the
temporary folder. The exit code is 1 if the bar is missed or audio differs.
"""
import collections
import hashlib
import io
import json
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

import numpy
import soundfile

import sources

import parquet_writer as pq

RATE = 16000
RECORDING = 15 * 60
SEGMENTS = 20
BARS = {"labels": 0.5, "parquet": 2.0}
ROWS = 100           # of a group
PAGE = 1 << 20
CUT = "while read -r from to begin end; do sox $from $to trim $begin =$end; done < list"


def recording(number):
    """Noise with some four syllables a second, as the bytes of a FLAC."""
    chance = numpy.random.default_rng(number)
    noise = chance.standard_normal(RECORDING * RATE, dtype=numpy.float32)
    loudness = numpy.repeat(chance.lognormal(0, 0.7, len(noise) // 4000).astype("float32"), 4000)
    out = io.BytesIO()
    values = numpy.clip(2500 * noise * loudness, -32768, 32767).astype(numpy.int16)
    soundfile.write(out, values, RATE, format="FLAC", subtype="PCM_16")
    return out.getvalue()


class Labels:
    def __init__(self, folder, size):
        self.folder, self.bytes = folder, 0
        self.segments = []
        chance = numpy.random.default_rng(7)

        def members():
            while self.bytes < size:
                number = len(self.segments) // SEGMENTS
                data = recording(number)
                self.bytes += len(data)
                begins = numpy.sort(chance.choice(RECORDING // 16, SEGMENTS, replace=False)) * 16
                for begin, shift, length in zip(begins, chance.integers(0, 100, SEGMENTS),
                                                chance.integers(300, 1500, SEGMENTS)):
                    first = int(begin) * 100 + int(shift)  # in hundredths of a second
                    self.segments.append((f"talks/r{number:04}.flac", first / 100, (first + int(length)) / 100))
                yield f"talks/r{number:04}.flac", data

        sources.write_tar(folder / "in.tar", members())
        subprocess.run(["gzip", "-1", "in.tar"], cwd=folder, check=True)
        self.input = folder / "in.tar.gz"
        rows = [json.dumps({"id": f"s{number:06}", "audio_filepath": name, "start": begin, "end": end,
                            "text": f"words of segment {number}"}) + "\n"
                for number, (name, begin, end) in enumerate(self.segments)]
        (folder / "labels.jsonl").write_text("".join(rows))
        (folder / "list").write_text("".join(f"peer/{name} peer/cut/s{number:06}.wav {begin:.2f} {end:.2f}\n"
                                             for number, (name, begin, end) in enumerate(self.segments)))
        self.ours = [sources.PROGRAM, "repack", "talks=in.tar.gz", "--labels", "talks=labels.jsonl", "--out", "out",
                     "-q"]
        self.peer = ["bash", "-ec", f"mkdir -p peer/cut; tar xzf in.tar.gz -C peer; {CUT}"]
        self.about = (f"{self.bytes / 1e6:.0f} MB of FLAC in {len(self.segments) // SEGMENTS} recordings, "
                      f"{len(self.segments)} segments")

    def check(self):
        """How many segments have other samples than those of sox."""
        wrong, found = 0, 0
        for line, data in samples_in(self.folder / "out"):
            ours, _ = soundfile.read(io.BytesIO(data), dtype="int16")
            theirs, _ = soundfile.read(self.folder / "peer/cut" / f"{line['source_key']}.wav", dtype="int16")
            found += 1
            wrong += not numpy.array_equal(ours, theirs)
        return wrong + abs(found - len(self.segments))


class Parquet:
    def __init__(self, folder, size):
        self.folder, self.sums = folder, collections.Counter()
        self.input = folder / "in.parquet"
        chance = numpy.random.default_rng(7)
        with open(self.input, "wb", buffering=1 << 20) as out:
            table, number = Table(out), 0
            while out.tell() < size:
                audio = [sources.wav(chance.integers(-900, 900, 10 * RATE, "<i2").tobytes(), RATE, 16)
                         for _ in range(ROWS)]
                self.sums.update(hashlib.sha256(data).digest() for data in audio)
                names = [f"u{row:07}.wav".encode() for row in range(number, number + ROWS)]
                table.write([audio, names, [f"text of {name.decode()}".encode() for name in names]])
                number += ROWS
            table.end()
        self.ours = [sources.PROGRAM, "repack", "parquet:in.parquet", "--out", "out", "-q"]
        self.peer = ["bash", "-ec", "mkdir peer; cp in.parquet peer/copy"]
        self.about = f"{self.input.stat().st_size / 1e6:.0f} MB of Parquet, {number} rows"

    def check(self):
        found = collections.Counter(hashlib.sha256(data).digest() for _, data in samples_in(self.folder / "out"))
        return ((found - self.sums) + (self.sums - found)).total()


class Table:
    """Writes a Parquet file of audio{bytes,path} and text, group by group."""
    COLUMNS = ((("audio", "bytes"), None, 2), (("audio", "path"), pq.UTF8, 2), (("text",), pq.UTF8, 1))

    def __init__(self, out):
        self.out, self.groups, self.rows = out, [], 0
        out.write(b"PAR1")

    def write(self, columns):
        begin, chunks, count = self.out.tell(), [], len(columns[0])
        for (path, _, levels), values in zip(self.COLUMNS, columns):
            place = self.out.tell()
            while values:
                size = taken = 0
                while taken < len(values) and (taken == 0 or size + len(values[taken]) <= PAGE):
                    size += len(values[taken])
                    taken += 1
                self.page(values[:taken], levels)
                values = values[taken:]
            size = self.out.tell() - place
            about = (pq.Struct().int32(1, pq.BYTES).list(2, 5, [pq.zigzag(pq.PLAIN)])
                     .list(3, 8, [pq.varint(len(name)) + name.encode() for name in path]).int32(4, pq.NONE)
                     .int64(5, count).int64(6, size).int64(7, size).int64(9, place))
            chunks.append(pq.Struct().int64(2, place).inner(3, about).end())
        size = self.out.tell() - begin
        self.groups.append(pq.Struct().list(1, 12, chunks).int64(2, size).int64(3, count).end())
        self.rows += count

    def page(self, values, levels):
        packed = pq.runs([levels] * len(values), levels.bit_length())
        body = b"".join([len(packed).to_bytes(4, "little"), packed,
                         *(part for value in values for part in (len(value).to_bytes(4, "little"), value))])
        about = pq.Struct().int32(1, len(values)).int32(2, pq.PLAIN).int32(3, pq.RLE).int32(4, pq.RLE)
        self.out.write(pq.Struct().int32(1, 0).int32(2, len(body)).int32(3, len(body)).inner(5, about).end())
        self.out.write(body)

    def end(self):
        elements = [pq.Struct().text(4, "schema").int32(5, 2).end(),
                    pq.Struct().int32(3, 1).text(4, "audio").int32(5, 2).end()]
        for path, converted, _ in self.COLUMNS:
            leaf = pq.Struct().int32(1, pq.BYTES).int32(3, 1).text(4, path[-1])
            elements.append((leaf if converted is None else leaf.int32(6, converted)).end())
        footer = pq.Struct().int32(1, 1).list(2, 12, elements).int64(3, self.rows).list(4, 12, self.groups).end()
        self.out.write(footer + len(footer).to_bytes(4, "little") + b"PAR1")


def samples_in(out):
    """Manifest lines with the bytes of their audio."""
    for shard in map(json.loads, (out / "shards.jsonl").read_text().splitlines()):
        manifest = out / "manifests" / f"manifest_{shard['shard_id']:09}.json"
        with tarfile.open(out / shard["path"]) as archive:
            for line in map(json.loads, manifest.read_text().splitlines()):
                yield line, archive.extractfile(line["audio_filepath"]).read()


def timed(command, case):
    """Seconds until all is on the disk, and of the processor."""
    with open(case.input, "rb") as file:
        while file.read(1 << 24):
            pass
    subprocess.run(["sync"], check=True)
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=case.folder, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"speeds: code {process.returncode}: {shlex.join(command)}")
    subprocess.run(["sync"], check=True)
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime


CASES = {"labels": (Labels, 1150), "parquet": (Parquet, 1000)}


def main(kind, megabytes=None, rounds=5):
    make, usual = CASES[kind]
    with tempfile.TemporaryDirectory(prefix=f"shardmill-speeds-{kind}-") as name:
        case = make(pathlib.Path(name), (megabytes or usual) * 1_000_000)
        print(f"{case.about}, {len(os.sched_getaffinity(0))} cores", flush=True)
        seconds, wrong = {"ours": [], "peer": []}, 0
        for number in range(rounds):
            for name in ("out", "peer"):
                shutil.rmtree(case.folder / name, ignore_errors=True)
            for who in ("ours", "peer") if number % 2 == 0 else ("peer", "ours"):
                seconds[who].append(timed(getattr(case, who), case))
            wrong += case.check()
            print(f"round {number + 1}, load {os.getloadavg()[0]:.1f}: " + ", ".join(
                f"{what} {seconds[who][-1][0]:.2f} s ({seconds[who][-1][1]:.2f} s of CPU)"
                for who, what in (("ours", "repack"), ("peer", "the usual way"))), flush=True)
    seconds = {who: [wall for wall, _ in each] for who, each in seconds.items()}
    ratio = statistics.median(seconds["ours"]) / statistics.median(seconds["peer"])
    each = ", ".join(f"{ours / peer:.3f}" for ours, peer in zip(seconds["ours"], seconds["peer"]))
    print(f"{kind}: {statistics.median(seconds['ours']):.2f} s and {statistics.median(seconds['peer']):.2f} s, ratio "
          f"{ratio:.3f} (rounds {each}), bar {BARS[kind]}: {'met' if ratio <= BARS[kind] else 'MISSED'}; "
          f"{wrong} samples differ")
    return ratio > BARS[kind] or wrong > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
