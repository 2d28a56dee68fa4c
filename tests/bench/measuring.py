"""Runs the commands of a group by turns, and judges their figures."""
import dataclasses
import json
import statistics
import subprocess
import sys


@dataclasses.dataclass
class Row:
    """One line of the result: `ours` against `peer`, both labels of commands, or a figure against a bound."""

    name: str
    ours: str
    peer: str = ""
    bar: float = None
    goal: float = None
    # "wall" and "cpu": ratio of seconds; "peak": bytes of memory, against bar and goal as they are
    measure: str = "wall"


@dataclasses.dataclass
class Group:
    """Commands that are run by turns; shell text by label."""

    name: str
    commands: dict
    rows: list


# In a small process of its own: the peak of a child counts from the size of the process that forked it.
LAUNCHER = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
code = subprocess.call(["bash", "-c", "set -e -o pipefail; " + sys.argv[1]], stdin=subprocess.DEVNULL)
wall = time.perf_counter() - start
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"code": code, "wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss * 1024}))
"""


def run_once(command):
    """Wall seconds, CPU seconds, peak bytes of the largest process; what the command prints as JSON comes first."""
    output = subprocess.check_output(["/usr/bin/python3", "-I", "-c", LAUNCHER, command], text=True)
    figures = json.loads(output.splitlines()[-1])
    if figures.pop("code") != 0:
        sys.exit(f"failed: {command}")
    own = output.splitlines()[-2:-1]
    return {**figures, **json.loads(own[0])} if own and own[0].startswith("{") else figures


def measure(group, rounds):
    """Every figure of every command: {label: [figures of round 0, ...]}. By turns, so that a slow minute hits all."""
    figures = {label: [] for label in group.commands}
    for number in range(rounds):
        for label, command in group.commands.items():
            print(f"\r\033[K{group.name}: round {number + 1} of {rounds}: {label}", end="", file=sys.stderr)
            figures[label].append(run_once(command))
    print("\r\033[K", end="", file=sys.stderr)
    return figures


def median(figures, key):
    return statistics.median(figure[key] for figure in figures)


def judge(row, figures):
    """The row as the JSON has it."""
    result = dataclasses.asdict(row)
    if row.measure == "peak":
        value = max(figure["peak"] for figure in figures[row.ours])
    else:
        ratios = {key: median(figures[row.ours], key) / median(figures[row.peer], key) for key in ("wall", "cpu")}
        value = ratios[row.measure]
        result["cpu_ratio"] = ratios["cpu"]
    verdict = ""
    if row.bar is not None:
        verdict = "MISSED" if value > row.bar else "met"
        if row.goal is not None and value <= row.goal:
            verdict = "goal reached"
    return {**result, "value": value, "verdict": verdict}


def show(group, figures, results):
    print(f"\n{group.name}")
    for label, rounds in figures.items():
        walls = sorted(figure["wall"] for figure in rounds)
        samples = f"  {rounds[0]['samples'] / median(rounds, 'wall'):8.0f} samples/s" if "samples" in rounds[0] else ""
        print(f"  {label:28} {median(rounds, 'wall'):8.3f} s  ({walls[0]:.3f} to {walls[-1]:.3f})"
              f"  cpu {median(rounds, 'cpu'):8.3f} s  peak {max(f['peak'] for f in rounds) / 1e6:6.0f} MB{samples}")
    print(f"  {'':40} {'ratio':>7} {'bar':>7} {'goal':>7}")
    for row in results:
        def number(value, memory=row["measure"] == "peak"):
            return "" if value is None else f"{value / 1e6:.0f} MB" if memory else f"{value:.3f}"
        print(f"  {row['name']:40} {number(row['value']):>7} {number(row['bar']):>7} {number(row['goal']):>7}  "
              f"{row['verdict']}")
