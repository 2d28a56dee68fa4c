#!/usr/bin/python3
"""Times shardmill and the programs people use instead, by turns in one run, on speech that it makes itself.

    scripts/bench                      about 1 GB of speech; an hour
    scripts/bench --quick              about 100 MB; says little about small differences
    scripts/bench --only cat-j2        only the groups whose name holds that; may be repeated
    scripts/bench --json results.json  all figures, every round

Speech: the prompts of Debian's asterisk-core-sounds-en-wav (espeak-ng where they cannot be had), strung together
to utterances, 16 kHz, with so much noise that bzip2 reaches about 0.7 as on real recordings. The same every time.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

from groups import GROUPS, PROGRAM, ROOT, vector_paths
from measuring import judge, measure, show
from speech import Data, packed


def show_stages(data):
    """Where the time of the bzip2 block decoder goes, on every vector path."""
    print("\nstages of the block decoder", flush=True)
    subprocess.run([ROOT / "build/release/tests/bzip2_stages", packed(data.wav())[0]], check=True)


def check_output(data):
    """A benchmark of wrong results is worth nothing."""
    plain = data.wav()[0]
    subprocess.run(f"'{PROGRAM}' cat '{plain}.bz2' | cmp - '{plain}'", shell=True, check=True)


def machine():
    model = [line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
             if line.startswith("model name")]
    return {"cpu": model[0] if model else os.uname().machine, "cores": len(os.sched_getaffinity(0)),
            "vector_paths": vector_paths(),
            "shardmill": subprocess.check_output([PROGRAM, "--version"], text=True).split()[1]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="100 MB and 3 rounds")
    parser.add_argument("--size", type=int, metavar="MB", help="plain megabytes of speech (1020)")
    parser.add_argument("--rounds", type=int, metavar="N", help="runs of every command (5)")
    parser.add_argument("--only", action="append", metavar="NAME", help="groups whose name holds NAME")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--cache", type=pathlib.Path, metavar="DIR", default=ROOT / "build/bench",
                        help="where the speech is kept (build/bench)")
    options = parser.parse_args()
    size_mb = options.size or (100 if options.quick else 1020)
    rounds = options.rounds or (3 if options.quick else 5)
    data = Data(options.cache.resolve(), size_mb * 1_000_000)
    report = {"machine": machine(), "size_mb": size_mb, "rounds": rounds, "groups": []}
    print(f"{report['machine']['cpu']}, {report['machine']['cores']} cores, vector paths: "
          f"{' '.join(vector_paths())}; {size_mb} MB of speech, medians of {rounds} rounds")
    check_output(data)
    for name, make in GROUPS.items():
        if options.only and not any(wanted in name for wanted in options.only):
            continue
        group = make(data)
        figures = measure(group, rounds)
        results = [judge(row, figures) for row in group.rows]
        show(group, figures, results)
        report["groups"].append({"name": name, "commands": group.commands, "figures": figures, "rows": results})
    stages = not options.only or any(wanted in "stages" for wanted in options.only)
    if stages:
        show_stages(data)
    if not stages and not report["groups"]:
        sys.exit(f"no such group; there are: {' '.join(GROUPS)} stages")
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
