"""What a loader worker delivers: groups of the readers of other projects and ours, on the same samples."""
import pathlib
import subprocess

from measuring import Group, Row
from speech import compress

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAM = ROOT / "build/release/shardmill"
PACKAGE = ROOT / "build/release/python"
FORMS = ("wav", "flac", "ogg", "mp3")
MODULES = {"webdataset": "webdataset", "Lhotse Shar": "lhotse", "torchaudio alone": "torchaudio", "WeNet": "torchaudio"}
SHARDS = 4


def is_installed(module):
    return subprocess.run(["/usr/bin/python3", "-c", f"import {module}"], capture_output=True).returncode == 0


def datasets(data, form):
    """The same samples as a dataset of plain shards, one of zstd shards, and a folder of bz2 shards."""
    folder = data.folder / f"loaders-{form}"
    if folder.exists():
        return folder
    sources = [data.form_shard(form, number) for number in range(SHARDS)]
    making = folder.with_suffix(".new")
    subprocess.run(["rm", "-rf", making], check=True)
    for codec, options in (("plain", ["--index", "lhotse,shar"]), ("zstd", ["--codec", "zstd"])):
        subprocess.run([PROGRAM, "repack", "-q", *sources, "--shards", str(SHARDS), "--text", "both", 
                        "--out", making / codec, *options], check=True)
    (making / "bz2").mkdir()
    for shard in (making / "plain/shards").glob("*.tar"):
        compress(shard, making / "bz2" / f"{shard.name}.bz2", ["lbzip2", "-9"])
    making.rename(folder)
    return folder


def loaders_group(data, form):
    folder = datasets(data, form)
    missing = [loader for loader, module in MODULES.items() if not is_installed(module)]
    if missing:
        print(f"not installed, and left out: {', '.join(missing)}")
    commands, rows = {}, []

    def add(loader, container):
        if loader not in missing:
            commands[f"{loader}, {container}"] = (
                f"PYTHONPATH='{PACKAGE}':$PYTHONPATH OMP_NUM_THREADS=1 /usr/bin/python3 -B "
                f"'{HERE}/loader_run.py' '{loader}' '{folder}/{container}'")

    for loader in ("soundfile alone", "torchaudio alone", "Lhotse Shar"):
        add(loader, "plain")
    for container in ("plain", "zstd", "bz2"):
        for loader in ("WeNet", "webdataset", "shardmill.torch"):
            add(loader, container)
    bars = (0.5, 0.25) if form == "wav" else ()
    for command in commands:
        loader, container = command.split(", ")
        if loader != "shardmill.torch":
            rows.append(Row(f"against {command}", f"shardmill.torch, {container}", command,
                            *(bars if container == "plain" and loader in ("WeNet", "webdataset") else ())))
    return Group(f"loaders-{form}", commands, rows)


LOADER_GROUPS = {f"loaders-{form}": lambda data, form=form: loaders_group(data, form) for form in FORMS}
