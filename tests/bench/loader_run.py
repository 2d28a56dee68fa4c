#!/usr/bin/python3
"""Times one loader in one process, as one loader worker runs: it reads all samples of some shards once and decodes
their audio to 32-bit floats. Prints the figures as JSON.

    loader_run.py LOADER FOLDER

FOLDER: a finished dataset, or a folder of shards. What a reader has to do before the first sample is timed, too, but
not the imports. The shards are read beforehand, so that all readers find them in memory.
"""
import io
import json
import pathlib
import random
import resource
import subprocess
import sys
import tarfile
import time

AUDIO = ("flac", "mp3", "ogg", "wav")
PROGRAMS = {".bz2": "bzip2 -dc", ".zst": "zstd -q -dc"}


def shards_of(folder):
    """A dataset may have other tars, too."""
    shards = pathlib.Path(folder) / "shards"
    return sorted(str(path) for path in (shards if shards.exists() else pathlib.Path(folder)).glob("*.tar*")
                  if path.suffix != ".idx")


def audio_of(folder):
    """The audio of all samples, as bytes; for those who only decode."""
    found = []
    for path in shards_of(folder):
        with open_shard(path) as archive:
            found += [archive.extractfile(member).read() for member in archive
                      if member.name.rpartition(".")[2] in AUDIO]
    return found


def open_shard(path):
    """Compressed shards through a program, as WeNet and webdataset do with pipe:; they are faster than Python."""
    program = PROGRAMS.get(pathlib.Path(path).suffix)
    if program is None:
        return tarfile.open(fileobj=open(path, "rb"), mode="r:")
    return tarfile.open(fileobj=subprocess.Popen([*program.split(), path], stdout=subprocess.PIPE).stdout, mode="r|")


def torchaudio_load(name):
    """torchaudio.load() with the backend that reads such audio."""
    import torchaudio
    if name in ("mp3", "ogg"):
        torchaudio.set_audio_backend("soundfile")  # sox_io cannot read them from memory
    return torchaudio.load


def soundfile_alone(folder, name):
    import soundfile
    audio = audio_of(folder)

    def read():
        for data in audio:
            yield soundfile.read(io.BytesIO(data), dtype="float32")[0].shape[0]
    return read


def torchaudio_alone(folder, name):
    load, audio = torchaudio_load(name), audio_of(folder)

    def read():
        for data in audio:
            yield load(io.BytesIO(data))[0].shape[1]
    return read


def wenet(folder, name):
    """What WeNet's TarsDataPipe and decode_wav do (wenet/dataset/datapipes.py and processor.py at 015469960db7)."""
    load, shards = torchaudio_load(name), shards_of(folder)

    def samples(path):
        with open_shard(path) as stream:
            previous, example = None, {"tar_file_name": path}
            for tarinfo in stream:
                prefix, _, postfix = tarinfo.name.rpartition(".")
                if previous is not None and prefix != previous:
                    example["key"] = previous
                    yield example
                    example = {"tar_file_name": path}
                with stream.extractfile(tarinfo) as file_obj:
                    if postfix == "txt":
                        example["txt"] = file_obj.read().decode("utf8").strip()
                    elif postfix in AUDIO:
                        example["wav"] = file_obj.read()
                    else:
                        example[postfix] = file_obj.read()
                previous = prefix
            if previous is not None:
                example["key"] = previous
                yield example

    def read():
        for path in shards:
            for sample in samples(path):
                yield load(io.BytesIO(sample["wav"]))[0].shape[1]
    return read


def webdataset(folder, name):
    """Its own code, with its own decoder."""
    import webdataset as wds
    torchaudio_load(name)
    urls = [f"pipe:{PROGRAMS[pathlib.Path(path).suffix]} {path}" if pathlib.Path(path).suffix in PROGRAMS else path
            for path in shards_of(folder)]

    def read():
        for audio, in wds.WebDataset(urls, shardshuffle=False).decode(wds.torch_audio).to_tuple(name):
            yield audio[0].shape[1]
    return read


def lhotse(folder, name):
    """Its own code, of the files that --index shar makes."""
    from lhotse import CutSet

    def read():
        for cut in CutSet.from_shar(in_dir=str(pathlib.Path(folder) / "shar")):
            yield cut.load_audio().shape[1]
    return read


def shardmill_torch(folder, name):
    """ShardDataset as it is by default, shuffled; of shards that are no dataset, shardmill.open()."""
    import shardmill
    from shardmill.torch import ShardDataset, decode_audio

    def read():
        if (pathlib.Path(folder) / "dataset.json").exists():
            for sound, _ in ShardDataset(folder, decode=decode_audio):
                yield sound.shape[1]
        else:
            for path in shards_of(folder):
                for sample in shardmill.open(path, threads=1):
                    yield decode_audio(sample)[0].shape[1]
    return read


LOADERS = {"soundfile alone": soundfile_alone, "torchaudio alone": torchaudio_alone, "WeNet": wenet,
           "webdataset": webdataset,
           "Lhotse Shar": lhotse, "shardmill.torch": shardmill_torch}


def cpu_seconds():
    return sum(usage.ru_utime + usage.ru_stime
               for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def main(loader, folder):
    import torch
    torch.set_num_threads(1)
    random.seed(0)
    for path in shards_of(folder):
        pathlib.Path(path).read_bytes()
    name = next(member for member in (name.rpartition(".")[2] for name in open_shard(shards_of(folder)[0]).getnames())
                if member in AUDIO)
    read = LOADERS[loader](folder, name)
    cpu, start = cpu_seconds(), time.perf_counter()
    frames = list(read())
    wall = time.perf_counter() - start
    print(json.dumps({"wall": wall, "cpu": cpu_seconds() - cpu, "samples": len(frames), "frames": sum(frames)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
