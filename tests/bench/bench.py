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
import dataclasses
import io
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tarfile
import time

import numpy
import soundfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/release/shardmill"
SAMPLE_RATE = 16000
SHARDS = 12
PROMPTS_PACKAGE = "asterisk-core-sounds-en-wav"
NOISE = 0.0022  # of full scale


# ---------------------------------------------------------------- speech

def prompts(cache):
    """Spoken phrases as arrays at SAMPLE_RATE, always in the same order."""
    folder = cache / "prompts"
    if not folder.exists():
        fetch_prompts(folder)
    phrases = []
    for path in sorted(folder.rglob("*.wav")):
        samples, rate = soundfile.read(path)
        times = numpy.arange(int(len(samples) * SAMPLE_RATE / rate)) * rate / SAMPLE_RATE
        phrases.append((path.stem, numpy.interp(times, numpy.arange(len(samples)), samples)))
    return phrases


def fetch_prompts(folder):
    making = folder.with_suffix(".new")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    fetched = subprocess.run(["apt-get", "download", PROMPTS_PACKAGE], cwd=making, stdin=subprocess.DEVNULL,
                             capture_output=True).returncode == 0
    if fetched:
        subprocess.run(["dpkg-deb", "-x", next(making.glob("*.deb")), making], check=True)
    else:
        print(f"{PROMPTS_PACKAGE} cannot be had, espeak-ng speaks instead", file=sys.stderr)
        words = "shard rank sample frame audio block balance training loader epoch worker stream speech".split()
        for number in range(300):
            text = " ".join(words[(number * step + step) % len(words)] for step in range(1, 3 + number % 9))
            subprocess.run(["espeak-ng", "-s", str(130 + number % 70), "-p", str(number % 90), "-w",
                            making / f"{number:03}.wav", text], check=True)
    making.rename(folder)


def utterances(phrases, seed, mean_phrases):
    """Endless (text, samples), samples as 16 bit, with noise that is never the same twice."""
    random = numpy.random.default_rng(seed)
    noise = random.normal(0, NOISE, SAMPLE_RATE * 120)
    while True:
        chosen = [phrases[index] for index in random.integers(0, len(phrases), random.integers(1, 2 * mean_phrases))]
        samples = numpy.concatenate([phrase for _, phrase in chosen])[:SAMPLE_RATE * 35]
        start = random.integers(0, len(noise) - len(samples))
        loudness = random.uniform(0.3, 0.9)
        yield " ".join(name for name, _ in chosen), ((samples * loudness + noise[start:start + len(samples)])
                                                     * 32000).astype(numpy.int16)


def write_tar(path, spoken, form, prefix, plain_bytes):
    """KEY.txt and KEY.wav or .flac until `plain_bytes` are full."""
    with open(path, "wb") as out, tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        number = 0
        while out.tell() < plain_bytes:
            text, samples = next(spoken)
            encoded = io.BytesIO()
            soundfile.write(encoded, samples, SAMPLE_RATE, format=form.upper(), subtype="PCM_16")
            for extension, data in [("txt", text.encode()), (form, encoded.getvalue())]:
                entry = tarfile.TarInfo(f"{prefix}W{number:05}.{extension}")
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
            number += 1


class Data:
    """The shards, made when first asked for and kept in the cache folder."""

    def __init__(self, cache, size_bytes):
        self.cache = cache
        self.folder = cache / f"{size_bytes // 1_000_000}MB"
        self.shard_bytes = size_bytes // SHARDS
        self.phrases = None

    def shard(self, name, form, seed, plain_bytes, mean_phrases):
        """A plain tar `name`.tar and its `name`.tar.bz2; returns the plain path."""
        plain = self.folder / f"{name}.tar"
        packed = self.folder / f"{name}.tar.bz2"
        if packed.exists():
            return plain
        plain.parent.mkdir(parents=True, exist_ok=True)
        if self.phrases is None:
            print("making speech in", self.folder, file=sys.stderr)
            self.phrases = prompts(self.cache)
        write_tar(plain, utterances(self.phrases, seed, mean_phrases), form, f"S{seed:04}", plain_bytes)
        making = packed.with_suffix(".new")
        with open(making, "wb") as out:
            subprocess.run(["lbzip2", "-9", "-c", plain], stdout=out, check=True)
        making.rename(packed)
        return plain

    def wav(self):
        """Twelve shards of wav, like AISHELL-2."""
        return [self.shard(f"wav/audio_{index:02}", "wav", index, self.shard_bytes, 2) for index in range(SHARDS)]

    def big(self):
        """One shard as large as the twelve together."""
        return self.shard("big", "wav", 100, self.shard_bytes * SHARDS, 2)

    def flac(self):
        """Four shards of flac, like LibriSpeech."""
        return [self.shard(f"flac/chapters_{index:02}", "flac", 200 + index, self.shard_bytes, 6) for index in range(4)]


    def tree(self, name, count, form, rate, seed):
        """A Kaldi folder `name` with `count` utterances, each a file, in one folder a speaker."""
        folder = self.folder / name
        if (folder / "text").exists():
            return folder
        if self.phrases is None:
            print("making speech in", self.folder, file=sys.stderr)
            self.phrases = prompts(self.cache)
        spoken = utterances(self.phrases, seed, 3)
        scp, texts = [], []
        for number in range(count):
            text, samples = next(spoken)
            if rate != SAMPLE_RATE:
                times = numpy.arange(int(len(samples) * rate / SAMPLE_RATE)) * SAMPLE_RATE / rate
                samples = numpy.interp(times, numpy.arange(len(samples)), samples).astype(numpy.int16)
            path = folder / f"audio/S{number // 50:04}/S{number // 50:04}W{number:05}.{form}"
            path.parent.mkdir(parents=True, exist_ok=True)
            soundfile.write(path, samples, rate, format=form.upper(), subtype="PCM_16")
            scp.append(f"{path.stem} {path}\n")
            texts.append(f"{path.stem} {text}\n")
        (folder / "wav.scp").write_text("".join(scp))
        (folder / "text").write_text("".join(texts))
        return folder


def packed(paths):
    return [pathlib.Path(f"{path}.bz2") for path in paths]


# ---------------------------------------------------------------- rows

@dataclasses.dataclass
class Row:
    """One line of the result: `ours` against `peer`, both labels of commands, or a figure against a bound."""

    name: str
    ours: str
    peer: str = ""
    bar: float = None
    goal: float = None
    measure: str = "wall"  # "wall": ratio of seconds; "peak": bytes of memory, against bar and goal as they are


@dataclasses.dataclass
class Group:
    """Commands that are run by turns; shell text by label."""

    name: str
    commands: dict
    rows: list


def cat_group(data, threads):
    big = f"'{data.big()}.bz2'"
    cat = f"'{PROGRAM}' cat {big} -j{threads} >/dev/null"
    commands = {"shardmill": cat}
    for path in vector_paths():
        commands[f"shardmill {path}"] = f"SHARDMILL_VECTOR_PATH={path} {cat}"
    commands["lbzip2"] = f"lbzip2 -n{threads} -dc {big} >/dev/null"
    rows = [Row("best vector path", "shardmill", "lbzip2", 0.33, 0.22)]
    bars = {"avx2": (0.45, 0.30), "ssse3": (0.55, 0.35)}
    for path in vector_paths():
        if path in bars:
            rows.append(Row(f"{path} only", f"shardmill {path}", "lbzip2", *bars[path]))
    if "portable" in vector_paths():
        rows.append(Row("portable", "shardmill portable", "lbzip2"))
    rows.append(Row("peak memory", "shardmill", "", 100e6, 60e6, "peak"))
    return Group(f"cat-j{threads}", commands, rows)


def readers_group(data):
    shard = f"'{packed(data.wav())[0]}'"
    read_all = ("import sys, tarfile\n"
                "archive = tarfile.open(sys.argv[1])\n"
                "for member in archive: archive.extractfile(member).read()")
    commands = {
        "shardmill -j1": f"'{PROGRAM}' cat {shard} -j1 >/dev/null",
        "shardmill -j2": f"'{PROGRAM}' cat {shard} -j2 >/dev/null",
        "bzip2": f"bzip2 -dc {shard} >/dev/null",
        "lbzip2 -n2": f"lbzip2 -n2 -dc {shard} >/dev/null",
        "pbzip2 -p2": f"pbzip2 -p2 -dc {shard} >/dev/null",
        "bsdtar": f"bsdtar -xOf {shard} >/dev/null",
        "python tarfile": f"/usr/bin/python3 -c '{read_all}' {shard}",
    }
    peers = ("bzip2", "bsdtar", "python tarfile")
    rows = [Row(f"-j1 against {peer}", "shardmill -j1", peer) for peer in peers]
    rows += [Row(f"-j2 against {peer}", "shardmill -j2", peer) for peer in ("lbzip2 -n2", "pbzip2 -p2")]
    return Group("readers", commands, rows)


def convert_group(data):
    shards = " ".join(f"'{path}'" for path in packed(data.wav()))
    big = f"'{data.big()}.bz2'"
    out = f"'{data.folder}/out'"
    fresh = f"rm -rf {out} && mkdir {out} && sync -f {out} && "
    ours = f"'{PROGRAM}' convert -q -j2 --out {out}"
    commands = {
        "twelve to zstd": fresh + f"{ours} --codec zstd --level 3 {shards}",
        "lbzip2 | zstd -3 -T2": fresh + f"for f in {shards}; do lbzip2 -n2 -dc $f | "
                                        f"zstd -q -3 -T2 -o {out}/$(basename $f .bz2).zst || exit 1; done",
        "twelve to plain": fresh + f"{ours} {shards}",
        "big to plain": fresh + f"{ours} {big}",
        "lbzip2 to /dev/null": f"for f in {shards}; do lbzip2 -n2 -dc $f >/dev/null || exit 1; done",
    }
    rows = [Row("bz2 to zstd -3", "twelve to zstd", "lbzip2 | zstd -3 -T2", 0.45, 0.33),
            Row("bz2 to plain, against decoding alone", "twelve to plain", "lbzip2 to /dev/null", 0.42, 0.30),
            Row("one big against twelve small", "big to plain", "twelve to plain", 1.05),
            Row("peak memory to zstd", "twelve to zstd", measure="peak")]
    return Group("convert", commands, rows)


def repack_group(data):
    plain = data.wav()[:8] + data.flac()
    datasets = f"aishell='{data.folder}/wav/audio_0[0-7].tar{{0}}' libri='{data.folder}/flac/*.tar{{0}}'"
    files = " ".join(f"'{path}'" for path in packed(plain))
    plain_files = " ".join(f"'{path}'" for path in plain)
    out = f"'{data.folder}/out'"
    fresh = f"rm -rf {out} && mkdir {out} && sync -f {out} && "
    ours = f"'{PROGRAM}' repack -q -j2 --memory 512MiB --out {out}/repacked"
    many = 1024 if data.shard_bytes > 50_000_000 else 256  # there are only so many samples
    commands = {
        "bz2 to plain": fresh + f"{ours} --shards 16 {datasets.format('.bz2')}",
        "bz2 to zstd": fresh + f"{ours} --shards 16 --codec zstd {datasets.format('.bz2')}",
        f"bz2 to {many} shards": fresh + f"{ours} --shards {many} {datasets.format('.bz2')}",
        "plain to plain": fresh + f"{ours} --shards 16 {datasets.format('')}",
        "cp": fresh + f"cp {plain_files} {out}",
        "lbzip2 to /dev/null": f"for f in {files}; do lbzip2 -n2 -dc $f >/dev/null || exit 1; done",
    }
    rows = [Row("to plain, against decoding alone", "bz2 to plain", "lbzip2 to /dev/null", 0.50, 0.35),
            Row("to zstd, against decoding alone", "bz2 to zstd", "lbzip2 to /dev/null", 0.65, 0.45),
            Row("plain to plain, against cp", "plain to plain", "cp", 3.0, 1.5),
            Row("peak memory, 16 shards", "bz2 to plain", "", 700e6, 350e6, "peak"),
            Row(f"peak memory, {many} shards", f"bz2 to {many} shards", "", 700e6, 350e6, "peak")]
    return Group("repack", commands, rows)


RESAMPLE = """
import io, multiprocessing, subprocess, sys, tarfile
def resampled(line):
    key, path = line.split(None, 1)
    return key, subprocess.run(["sox", path.strip(), "-b", "16", "-t", "wav", "-", "rate", "-v", "16000"],
                               capture_output=True, check=True).stdout
if __name__ == "__main__":
    texts = dict(line.rstrip().split(None, 1) for line in open(sys.argv[1] + "/text"))
    with multiprocessing.Pool(2) as pool, tarfile.open(sys.argv[2], "w") as out:
        for key, data in pool.imap(resampled, open(sys.argv[1] + "/wav.scp")):
            for name, content in [(key + ".txt", texts[key].encode()), (key + ".wav", data)]:
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                out.addfile(entry, io.BytesIO(content))
"""


def corpora_group(data):
    many = data.shard_bytes > 50_000_000
    flac = data.tree("corpus_flac", 5000 if many else 500, "flac", SAMPLE_RATE, 300)
    wav = data.tree("corpus_wav", 2000 if many else 200, "wav", SAMPLE_RATE, 301)
    fast = data.tree("corpus_44k", 1000 if many else 100, "wav", 44100, 302)
    script = data.folder / "resample.py"
    script.write_text(RESAMPLE)
    out = f"'{data.folder}/out'"
    fresh = f"rm -rf {out} && mkdir {out} && sync -f {out} && "
    ours = f"'{PROGRAM}' repack -q -j2 --shards 8 --out {out}/repacked"
    commands = {
        "flac files to shards": fresh + f"{ours} '{flac}'",
        "tar cf": fresh + f"tar cf {out}/all.tar -C '{flac}' audio",
        "wav files to flac shards": fresh + f"{ours} '{wav}' --audio flac",
        "flac -5, then tar": fresh + f"cp -r '{wav}/audio' {out} && find {out}/audio -name '*.wav' | "
                                     f"xargs -P2 -n50 flac -5 --silent --delete-input-file && tar cf {out}/all.tar -C {out} audio",
        "44.1 kHz to 16 kHz": fresh + f"{ours} '{fast}' --audio wav --sample-rate 16000",
        "Python with sox": fresh + f"/usr/bin/python3 '{script}' '{fast}' {out}/all.tar",
    }
    rows = [Row("flac files, against tar", "flac files to shards", "tar cf", 2.0, 1.2),
            Row("wav to flac, against flac and tar", "wav files to flac shards", "flac -5, then tar", 1.0, 0.8),
            Row("resampled, against Python and sox", "44.1 kHz to 16 kHz", "Python with sox", 0.7, 0.5)]
    return Group("corpora", commands, rows)


def verify_group(data):
    """Of a dataset of plain wav shards, and of one of flac shards against its audio as files."""
    wav = data.folder / "verified_wav"
    flac = data.folder / "verified_flac"
    files = data.folder / "verified_files"
    repack = [PROGRAM, "repack", "-q", "--shards", "16", "--out"]
    subprocess.run([*repack, wav, *data.wav()], check=True)
    subprocess.run([*repack, flac, *data.flac()], check=True)
    if not files.exists():
        files.mkdir()
        for path in data.flac():
            subprocess.run(["tar", "xf", path, "-C", files], check=True)
    commands = {
        "verify": f"'{PROGRAM}' verify -q -j2 '{wav}'",
        "sha256sum": f"find '{wav}/shards' -type f | xargs -P2 -n1 sha256sum >/dev/null",
        "verify --decode": f"'{PROGRAM}' verify -q -j2 --decode '{flac}'",
        "flac -t": f"find '{files}' -name '*.flac' | xargs -P2 -n50 flac -t --silent",
    }
    return Group("verify", commands, [Row("plain shards, against sha256sum", "verify", "sha256sum", 2.0, 1.2),
                                      Row("decoding flac, against flac -t", "verify --decode", "flac -t", 1.0)])


def parts_group(data):
    files = " ".join(f"'{path}'" for path in packed(data.wav()))
    out = f"'{data.folder}/out'"
    fresh = f"rm -rf {out} && mkdir {out} && sync -f {out} && "
    ours = f"'{PROGRAM}' repack -q -j2 --out {out}/repacked"

    def in_parts(parts):
        each = "".join(f" && {ours} --part {part}" for part in range(parts))
        return fresh + f"{ours} {files} --shards 16 --parts {parts}{each} && {ours} --finish"

    commands = {"four parts": in_parts(4), "one part": in_parts(1), "no parts": fresh + f"{ours} {files} --shards 16"}
    return Group("parts", commands, [Row("four parts, against one", "four parts", "one part"),
                                     Row("one part, against none", "one part", "no parts")])


def vector_paths():
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    needs = {"avx512": "avx512_vbmi", "avx2": "avx2", "ssse3": "ssse3", "neon": "asimd"}
    # Linux spells it avx512vbmi on some versions and avx512_vbmi on others
    flags += [flag.replace("avx512vbmi", "avx512_vbmi") for flag in flags]
    return [path for path, flag in needs.items() if flag in flags] + ["portable"]


GROUPS = {
    "cat-j1": lambda data: cat_group(data, 1),
    "cat-j2": lambda data: cat_group(data, 2),
    "readers": readers_group,
    "convert": convert_group,
    "repack": repack_group,
    "corpora": corpora_group,
    "verify": verify_group,
    "parts": parts_group,
}


# ---------------------------------------------------------------- measuring

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
    """Wall seconds, CPU seconds, peak bytes of the largest process."""
    output = subprocess.check_output(["/usr/bin/python3", "-I", "-c", LAUNCHER, command], text=True)
    figures = json.loads(output.splitlines()[-1])
    if figures.pop("code") != 0:
        sys.exit(f"failed: {command}")
    return figures


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
        value = median(figures[row.ours], "wall") / median(figures[row.peer], "wall")
        result["cpu_ratio"] = median(figures[row.ours], "cpu") / median(figures[row.peer], "cpu")
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
        print(f"  {label:28} {median(rounds, 'wall'):8.3f} s  ({walls[0]:.3f} to {walls[-1]:.3f})"
              f"  cpu {median(rounds, 'cpu'):8.3f} s  peak {max(f['peak'] for f in rounds) / 1e6:6.0f} MB")
    print(f"  {'':40} {'ratio':>7} {'bar':>7} {'goal':>7}")
    for row in results:
        def number(value, memory=row["measure"] == "peak"):
            return "" if value is None else f"{value / 1e6:.0f} MB" if memory else f"{value:.3f}"
        print(f"  {row['name']:40} {number(row['value']):>7} {number(row['bar']):>7} {number(row['goal']):>7}  {row['verdict']}")


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
            "vector_paths": vector_paths(), "shardmill": subprocess.check_output([PROGRAM, "--version"], text=True).split()[1]}


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
