"""A reader of shards for PyTorch's DataLoader that follows WeNet's rules, written from what they are documented to
do."""
import contextlib
import io
import random
import subprocess
import tarfile

import soundfile
import torch.utils.data

AUDIO = ("flac", "m4a", "mp3", "ogg", "opus", "wav", "wma")


@contextlib.contextmanager
def opened(line):
    """A line of data.list: the path of a shard, or pipe:COMMAND, which writes the tar."""
    if not line.startswith("pipe:"):
        with open(line, "rb") as stream:
            yield stream
        return
    with subprocess.Popen(line.removeprefix("pipe:"), shell=True, stdout=subprocess.PIPE) as process:
        yield process.stdout
    if process.returncode != 0:
        raise RuntimeError(f"{line}: exit code {process.returncode}")


def samples(stream):
    """Neighbours with the same name up to the last dot are a sample; txt is its text, any audio is decoded."""
    with tarfile.open(fileobj=stream, mode="r|*") as archive:
        sample = {}
        for member in archive:
            key, _, extension = member.name.rpartition(".")
            if sample and key != sample["key"]:
                yield sample
                sample = {}
            sample["key"] = key
            data = archive.extractfile(member).read()
            if extension == "txt":
                sample["txt"] = data.decode().strip()
            elif extension in AUDIO:
                sample["wav"], sample["sample_rate"] = soundfile.read(io.BytesIO(data), dtype="float32")
        if sample:
            yield sample
    while stream.read(1 << 20):  # a pipe wants to be read to its end
        pass


class Shards(torch.utils.data.IterableDataset):
    """What one rank reads in an epoch: all ranks shuffle the list alike, then take it apart among all workers."""

    def __init__(self, lines, rank=0, world_size=1, epoch=0):
        super().__init__()
        self.lines, self.rank, self.world_size, self.epoch = lines, rank, world_size, epoch

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        workers, number = (worker.num_workers, worker.id) if worker else (1, 0)
        lines = list(self.lines)
        random.Random(self.epoch).shuffle(lines)
        for line in lines[number * self.world_size + self.rank::self.world_size * workers]:
            with opened(line) as stream:
                yield from samples(stream)


def epoch_of(dataset, workers, method=None):
    """The samples of an epoch through a DataLoader, as (key, text, frames, sample rate, mean of the audio)."""
    loader = torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=workers, multiprocessing_context=method)
    for sample in loader:
        yield sample["key"], sample["txt"], len(sample["wav"]), sample["sample_rate"], float(sample["wav"].mean())
