"""What is compared: shardmill and its peers, as groups of commands that do the same work."""
import os
import pathlib
import subprocess

from loaders import LOADER_GROUPS
from measuring import Group, Row
from speech import SAMPLE_RATE, packed

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/release/shardmill"


def cat_group(data, threads):
    big = f"'{data.big()}.bz2'"
    cat = f"'{PROGRAM}' cat {big} -j{threads} >/dev/null"
    commands = {"shardmill": cat}
    for path in vector_paths():
        commands[f"shardmill {path}"] = f"SHARDMILL_VECTOR_PATH={path} {cat}"
    commands["lbzip2"] = f"lbzip2 -n{threads} -dc {big} >/dev/null"
    rows = [Row("best vector path", "shardmill", "lbzip2", 0.20, 0.16)]
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


def streams_group(data):
    """Four files of one dataset, each of one stream: how much two threads gain, codec by codec."""
    out = f"'{data.folder}/out'"
    fresh = f"rm -rf {out} && mkdir {out} && sync -f {out} && "
    commands, rows = {}, []
    for suffix, bar, goal in [("gz", 0.70, 0.55), ("xz", 0.70, 0.55), ("zst", 0.80, 0.60)]:
        files = " ".join(f"'{path}'" for path in data.compressed(data.wav()[:4], suffix))
        for threads in (1, 2):
            commands[f"{suffix} -j{threads}"] = (fresh + f"'{PROGRAM}' repack -q -j{threads} --shards 16 "
                                                         f"--out {out}/repacked {files}")
        rows.append(Row(f"four {suffix} files, -j2 against -j1", f"{suffix} -j2", f"{suffix} -j1", bar, goal))
    return Group("streams", commands, rows)


def gzip_group(data):
    """One large gzip file against ISA-L's own program."""
    big = f"'{data.compressed([data.big()], 'gz')[0]}'"
    commands = {
        "shardmill -j1": f"'{PROGRAM}' cat {big} -j1 >/dev/null",
        "shardmill -j2": f"'{PROGRAM}' cat {big} -j2 >/dev/null",
        "igzip": f"igzip -dc {big} >/dev/null",
        "gzip": f"gzip -dc {big} >/dev/null",
    }
    rows = [Row("two threads, against igzip", "shardmill -j2", "igzip", 1.0, 0.6),
            Row("one thread, CPU against igzip", "shardmill -j1", "igzip", 1.15, 1.0, "cpu"),
            Row("one thread, against gzip", "shardmill -j1", "gzip")]
    return Group("gzip", commands, rows)


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
        "cp and sync": fresh + f"cp {plain_files} {out} && sync -f {out}",
        "lbzip2 to /dev/null": f"for f in {files}; do lbzip2 -n2 -dc $f >/dev/null || exit 1; done",
    }
    rows = [Row("to plain, against decoding alone", "bz2 to plain", "lbzip2 to /dev/null", 0.26, 0.20),
            Row("to zstd, against decoding alone", "bz2 to zstd", "lbzip2 to /dev/null", 0.43, 0.38),
            Row("plain to plain, against cp and sync", "plain to plain", "cp and sync", 1.5, 1.2),
            Row("the same, CPU", "plain to plain", "cp and sync", 4.0, 2.5, "cpu"),
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
                                     f"xargs -P2 -n50 flac -5 --silent --delete-input-file && "
                                     f"tar cf {out}/all.tar -C {out} audio",
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
    "streams": streams_group,
    "gzip": gzip_group,
    "repack": repack_group,
    "corpora": corpora_group,
    "verify": verify_group,
    "parts": parts_group,
    **LOADER_GROUPS,
}
