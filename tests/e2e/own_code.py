#!/usr/bin/env python3
"""Makes own_code.json again: the steps, padding and waiting that the loaders' own code gives.

    own_code.py FOLDER [LOADER...]      compares; without LOADERs it also prints the file

FOLDER holds the projects' repositories at the revisions that own_code.json names: FOLDER/wenet, wenet-old and
webdataset. Needs Debian's PyTorch and torchaudio (scripts/setup loaders). The cases of NeMo and Lhotse are kept as
they were recorded.

For each rank and each of its loader workers there is an object of the project's own dataset class. It reads tars with
the samples of own_code_test.shard_frames(). Splitting, shuffling and batching are the project's own; only the seeds
are given, as `ranks` takes them. The batches of a rank are those of its workers in turn, as DataLoader takes them.
torchaudio computes the features, once for each length, and imports that no batch depends on are replaced.
"""
import functools
import io
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tarfile
import tempfile
import types

HERE = pathlib.Path(__file__).resolve().parent
RECORDED = json.loads((HERE / "own_code.json").read_text())
LOADERS = {"wenet": "wenet", "wenet-old": "wenet-old", "webdataset": "webdataset/src"}


class Module(types.ModuleType):
    """Stands in for a module that nothing here needs."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def replace(*names, folders=(), **members):
    """`folders`: where the modules below it are."""
    for name in names:
        sys.modules[name] = module = Module(name)
        module.__path__ = list(folders)
        module.__dict__.update(members)


class Team:
    """Which rank and which worker is asking."""
    rank = worker = 0
    world = workers = 1

    @classmethod
    def become(cls, case, world, rank, worker):
        cls.rank, cls.world, cls.worker, cls.workers = rank, world, worker, case["workers"]

    @classmethod
    def tell_torch(cls):
        import torch
        torch.distributed.is_available = torch.distributed.is_initialized = lambda: True
        torch.distributed.get_rank = lambda group=None: cls.rank
        torch.distributed.get_world_size = lambda group=None: cls.world
        info = lambda: types.SimpleNamespace(id=cls.worker, num_workers=cls.workers, seed=0)
        torch.utils.data.get_worker_info = torch.utils.data._utils.worker.get_worker_info = info


def in_turns(workers):
    """The batches of a rank, as DataLoader takes them from its workers."""
    for turn in itertools.zip_longest(*workers):
        yield from (batch for batch in turn if batch is not None)


def summary(ranks):
    """One epoch: for each rank its batches, which are lists of lengths."""
    padded = sum(len(batch) * max(batch) for rank in ranks for batch in rank)
    filled = sum(sum(batch) for rank in ranks for batch in rank)
    lasts = sum(max(len(batch) * max(batch) for batch in step if batch) for step in itertools.zip_longest(*ranks))
    return [[len(rank) for rank in ranks], round(1 - filled / padded, 12), round(1 - padded / (len(ranks) * lasts), 12)]


def epochs_of(case, world, make):
    """`make` returns, for the worker that Team names, a function from epochs to batches."""
    def each(work):
        for rank in range(world):
            found = []
            for worker in range(case["workers"]):
                Team.become(case, world, rank, worker)
                found.append(work(rank, worker))
            yield found
    made = list(each(lambda rank, worker: make()))
    return [summary([list(in_turns(rank)) for rank in each(lambda rank, worker: list(made[rank][worker](epoch)))])
            for epoch in range(RECORDED["epochs"])]


# WeNet, both versions.

class Letters:
    """A tokenizer; the texts do not matter."""

    def tokenize(self, text):
        return list(text), [1] * len(text)


def prepare_wenet(project):
    import soundfile
    import torch
    import torchaudio
    from torch.utils.data.datapipes.iter import grouping

    class ShardingFilter(grouping.ShardingFilterIterDataPipe):
        """With the arguments of PyTorch 2."""

        def __init__(self, source, _=None):
            super().__init__(source)

        def apply_sharding(self, instances, instance, _=None):
            super().apply_sharding(instances, instance)

    class Grouper(grouping.GrouperIterDataPipe):
        """The same."""

        def __init__(self, *arguments, keep_key=False, **more):
            super().__init__(*arguments, **more)

    class Identifier:
        from_modelstring = classmethod(lambda cls, *_, **__: cls())
        set_languages = classify = lambda self, given: given

    fbank, resample = torchaudio.compliance.kaldi.fbank, torchaudio.transforms.Resample

    @functools.cache
    def features(values, rate, bins):
        return fbank(torch.zeros(1, values), num_mel_bins=bins, sample_frequency=rate, dither=0.0)

    @functools.cache
    def resampled(values, rate, new_rate):
        return resample(rate, new_rate)(torch.zeros(1, values))

    def load(file, **_):
        values, rate = soundfile.read(file, dtype="float32")
        return torch.tensor(values).unsqueeze(0), rate

    torch.utils.data.datapipes.iter.Grouper = Grouper
    torchaudio.load = load
    torchaudio.utils.sox_utils.set_buffer_size = lambda size: None
    torchaudio.transforms.Resample = lambda orig_freq, new_freq: lambda audio: resampled(audio.size(1), orig_freq,
                                                                                         new_freq)
    torchaudio.compliance.kaldi.fbank = lambda audio, sample_frequency, num_mel_bins, **_: features(
        audio.size(1), sample_frequency, num_mel_bins)
    replace("torch.utils.data.datapipes.iter.sharding", ShardingFilterIterDataPipe=ShardingFilter)
    replace("wenet", folders=[str(project / "wenet")])  # its face imports all programs
    replace("librosa", "langid")
    replace("langid.langid", LanguageIdentifier=Identifier)


def wenet_conf(options):
    conf = {"spec_aug": False, "shuffle_conf": {"shuffle_size": int(options.get("shuffle-buffer", 1500))},
            "sort_conf": {"sort_size": int(options.get("sort-buffer", 500))}}
    if "batch" in options:
        conf["batch_conf"] = {"batch_type": "static", "batch_size": int(options["batch"])}
    elif "batch-frames" in options:
        conf["batch_conf"] = {"batch_type": "dynamic", "max_frames_in_batch": int(options["batch-frames"])}
    else:
        *few, rest = (part.split(":") for part in options["batch-buckets"].split(","))
        conf["batch_conf"] = {"batch_type": "bucket", "bucket_boundaries": [int(frames) for frames, _ in few],
                              "bucket_batch_sizes": [int(part[-1]) for part in (*few, rest)]}
    return conf


def lengths_in(batches):
    return [batch["feats_lengths"].tolist() for batch in batches]


def pipes_of(pipe):
    """A pipe of PyTorch's, and all those that it reads from."""
    from torch.utils.data import IterDataPipe
    yield pipe
    for source in vars(pipe).values():
        if isinstance(source, IterDataPipe):
            yield from pipes_of(source)


def wenet(case, options, folder):
    from wenet.dataset.dataset import Dataset
    dataset = Dataset("shard", str(folder / "data.list"), Letters(), wenet_conf(options))
    pipes = list(pipes_of(dataset))
    for pipe in pipes:  # as DataLoader's _sharding_worker_init_fn
        if hasattr(pipe, "apply_sharding"):
            pipe.apply_sharding(Team.world * Team.workers, Team.worker * Team.world + Team.rank, None)

    def epoch_of(epoch):
        for pipe in pipes:
            if hasattr(pipe, "set_seed"):
                pipe.set_seed(case["seed"] + epoch)
        return lengths_in(dataset)
    return epoch_of


def wenet_old(case, options, folder):
    from wenet.dataset.dataset import Dataset

    def epoch_of(epoch):
        dataset = Dataset("shard", str(folder / "data.list"), Letters(), wenet_conf(options))
        dataset.set_epoch(epoch)
        random.seed(case["seed"] + epoch + Team.worker)
        return lengths_in(dataset)
    return epoch_of


# WebDataset.

def prepare_webdataset(project):
    replace("braceexpand", braceexpand=lambda text: [text])


def webdataset(case, options, folder):
    import webdataset as wds

    def epoch_of(epoch):
        # One generator for both shuffles, which draw one after the other.
        generator = random.Random(case["seed"] + epoch + (Team.rank * Team.workers + Team.worker) * 0x9E3779B9)
        pipeline = wds.DataPipeline(
            wds.SimpleShardList((folder / "data.list").read_text().split()), wds.split_by_node, wds.split_by_worker,
            wds.shuffle(100, rng=generator), lambda shards: iter(list(shards)), wds.tarfile_to_samples(),
            wds.shuffle(int(options.get("shuffle-buffer", 1000)), rng=generator), wds.to_tuple("wav"),
            wds.batched(int(options["batch"]), partial=True))
        return [[seconds_of(audio) for audio in batch[0]] for batch in pipeline]
    return epoch_of


def seconds_of(wav):
    import soundfile
    return soundfile.info(io.BytesIO(wav)).duration


MAKE = {"wenet": wenet, "wenet-old": wenet_old, "webdataset": webdataset}
PREPARE = {"wenet": prepare_wenet, "wenet-old": prepare_wenet, "webdataset": prepare_webdataset}


def write_tars(folder):
    sys.path.insert(0, str(HERE))
    import own_code_test
    import ranks_test
    paths = []
    for number, frames in enumerate(own_code_test.shard_frames()):
        paths.append(folder / f"{number:03}.tar")
        with tarfile.open(paths[-1], "w") as tar:
            for sample, length in enumerate(frames):
                for extension, data in (("txt", b"words"), ("wav", ranks_test.wav(length))):
                    member = tarfile.TarInfo(f"{number:03}-{sample:03}.{extension}")
                    member.size = len(data)
                    tar.addfile(member, io.BytesIO(data))
    (folder / "data.list").write_text("".join(f"{path}\n" for path in paths))


def run_loader(loader, projects):
    """Prints the epochs of all of its cases."""
    Team.tell_torch()
    sys.path.insert(0, str(projects / LOADERS[loader]))
    PREPARE[loader](projects / LOADERS[loader])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_tars(folder)
        for case in RECORDED["cases"]:
            if case["loader"] == loader:
                words = case["options"]
                options = {name[2:]: value for name, value in zip(words[::2], words[1::2], strict=True)}
                print(json.dumps({world: epochs_of(case, int(world), lambda: MAKE[loader](case, options, folder))
                                  for world in case["epochs"]}), flush=True)


def main(projects, *loaders):
    """Each loader in a process of its own: two of the projects have the same name."""
    for loader in loaders or LOADERS:
        cases = [case for case in RECORDED["cases"] if case["loader"] == loader]
        run = subprocess.run([sys.executable, "-B", __file__, "--one", loader, projects], stdout=subprocess.PIPE,
                             check=True)
        for case, line in zip(cases, run.stdout.splitlines(), strict=True):
            found = json.loads(line)
            print(loader, *case["options"], "as recorded" if found == case["epochs"] else "DIFFERS", file=sys.stderr)
            case["epochs"] = found
    if not loaders:
        print(json.dumps(RECORDED))


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        run_loader(sys.argv[2], pathlib.Path(sys.argv[3]))
    else:
        main(*sys.argv[1:])
