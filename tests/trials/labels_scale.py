#!/usr/bin/env python3
"""How much memory a label table of very many rows takes.

    labels_scale.py [ROWS]      10,000,000 rows

The rows are stretches of 6 s of 2 TB of recordings, which take no room: a folder of WAV files of 2 GB that are holes
but for their headers. Fewer ROWS have as many fewer recordings. `repack --labels --dry-run` must find all rows. Then a
real run with the whole table makes 1000 samples (--limit). The last line has the largest resident size of both, as the
system counts it, in which some 60 MB of this script may be; the exit code is 1 if it is more than 2 GB, or if a row is
missing. Needs some 150 bytes a row in the temporary folder, on a filesystem with holes. Both runs together take 170 s
of CPU for 10 million rows.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import sources

RATE = 16000
RECORDING = 2_000_000_000  # bytes, so 17 hours
STRETCH = 6
ROWS_OF_ONE = RECORDING // (2 * RATE * STRETCH)
BAR = 2_000_000_000
EACH = 200_000  # rows that are written at a time
LIMIT = 1000


def make_recordings(folder, count):
    head = bytearray(sources.wav(b"", RATE, 16))
    head[4:8], head[40:44] = (RECORDING + 36).to_bytes(4, "little"), RECORDING.to_bytes(4, "little")
    folder.mkdir()
    for number in range(count):
        with open(folder / f"talk{number:05}.wav", "wb") as file:
            file.write(head)
            file.truncate(44 + RECORDING)


def write_rows(path, rows):
    with open(path, "w") as file:
        for begin in range(0, rows, EACH):
            file.writelines(
                f'{{"id": "u{row:08}", "audio_filepath": "/corpora/talks/talk{row // ROWS_OF_ONE:05}.wav", "offset": '
                f'{row % ROWS_OF_ONE * STRETCH}, "duration": {STRETCH}, "text": "what is said in row {row}"}}\n'
                for row in range(begin, min(rows, begin + EACH)))


def run(folder, *options):
    """Its JSON and the largest resident bytes."""
    begin = time.monotonic()
    command = [sources.PROGRAM, "repack", "x=talks", "--labels", "x=labels.jsonl", "--out", "out", "--json",
               "--progress", "none", "--ignore-free-space", *options]
    with open(folder / "result.json", "wb") as out:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"labels_scale: code {process.returncode}: {' '.join(command)}")
    print(f"{' '.join(command[1:])}: {usage.ru_maxrss * 1024 / 1e6:.0f} MB, {time.monotonic() - begin:.1f} s, "
          f"{usage.ru_utime + usage.ru_stime:.1f} s of CPU", flush=True)
    return json.loads((folder / "result.json").read_text()), usage.ru_maxrss * 1024


def main(rows=10_000_000):
    with tempfile.TemporaryDirectory(prefix="shardmill-scale-") as name:
        folder = pathlib.Path(name)
        count = -(-rows // ROWS_OF_ONE)
        make_recordings(folder / "talks", count)
        write_rows(folder / "labels.jsonl", rows)
        size = (folder / "labels.jsonl").stat().st_size
        print(f"{rows} rows in {size / 1e6:.0f} MB about {count} recordings of {count * RECORDING / 1e12:.2f} TB",
              flush=True)
        planned, dry = run(folder, "--dry-run")
        made, real = run(folder, "--limit", str(LIMIT), "--shards", "10")
    found = planned["estimated_samples"], made["samples"]
    good = max(dry, real) <= BAR and found == (rows, min(rows, LIMIT))
    print(f"labels of {rows} rows: {dry / 1e6:.0f} MB with --dry-run, which found {found[0]} rows; {real / 1e6:.0f} MB "
          f"in a run that made {found[1]} samples; bar {BAR / 1e6:.0f} MB: {'met' if good else 'MISSED'}")
    return not good


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
