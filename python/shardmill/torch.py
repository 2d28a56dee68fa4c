"""A dataset for PyTorch that goes on after any batch with exactly the batches that would have come.

    from shardmill.torch import ShardDataset
    loader = ShardDataset("mixed", batch_size=16, rank=rank, world_size=world_size).loader(num_workers=4)
    if os.path.exists("checkpoint.pt"):
        loader.load_state_dict(torch.load("checkpoint.pt")["loader"])
    while loader.epoch < 10:
        for batch in loader:               # a list of samples; each has key, text, audio and fields
            ...                            # loader.state_dict() is a few numbers
"""
import multiprocessing
import os
import threading
import time

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from shardmill import _native
from shardmill._arguments import counts, flags
from shardmill._batches import Plan, batching_of
from shardmill._errors import Error, UsageError
from shardmill._files import problem
from shardmill._reading import Dataset

__all__ = ["Loader", "ShardDataset", "decode_audio"]


def decode_audio(sample):
    """The audio of a sample, or of bytes, as floats: a tensor of channels x frames, full scale is 1; and the sample rate. WAV,
    FLAC and whatever else libsndfile reads."""
    data = sample if isinstance(sample, bytes) else sample.audio
    if data is None:
        raise ValueError(f"{sample!r} has no audio")
    try:
        values, channels, rate = _native.decode_audio(data)
    except Error as failure:
        if isinstance(sample, bytes):
            raise
        raise problem(sample._place(sample.extension), failure.problem, "shardmill verify --decode finds all such") from failure
    if not values:
        return torch.zeros(channels, 0), rate
    return torch.frombuffer(values, dtype=torch.float32).reshape(-1, channels).t().contiguous(), rate


def _end_with_the_parent():
    """Workers whose job was killed would wait for ever to hand over their next batch, with all their memory."""
    name, parent = "shardmill-parent-watch", multiprocessing.parent_process()
    # A forkserver starts workers for the job; it lives on with them. And whatever the job forks keeps its end of the pipe open that
    # is_alive() looks at. The job may be gone before this is asked, so that its number is not what getppid() says now.
    is_child = (multiprocessing.current_process()._start_method or multiprocessing.get_start_method()) != "forkserver"

    def watch():
        while parent.is_alive() and (not is_child or os.getppid() == parent.pid):
            time.sleep(1)
        os._exit(1)

    if parent and all(thread.name != name for thread in threading.enumerate()):
        threading.Thread(target=watch, name=name, daemon=True).start()


class ShardDataset(IterableDataset):
    """The batches of one rank of a training.

    folder          a finished dataset, or s3://BUCKET/PREFIX. Plain shards are read where the samples are; compressed ones are decoded one after the
                    other, by a start in the middle of an epoch again from the start of a shard.
    batch_size      samples in a batch; or
    batch_frames    the most frames (10 ms) in a batch, padding included; with `buckets`, bounds in seconds, a batch has
                    samples of one bucket. Without any of these, items are single samples.
    shuffle_buffer  the samples of a block that is shuffled, after the shards were. The order follows from `seed` and the epoch.
    rank, world_size  this process, and how many there are; those of torch.distributed if it is initialised.
    steps           "equal": all ranks take the same number of steps. Ranks with fewer batches halve some of theirs, so nothing is
                    left out as long as there are as many samples as steps. "all": each rank as many as it has.
    decode, collate called with each sample, and with the list of the results of a batch.

    The items of an epoch are batches, so give it to a DataLoader with batch_size=None, or use loader().
    """

    def __init__(self, folder, *, batch_size=None, batch_frames=None, buckets=None, seed=0, shuffle=True, shuffle_buffer=1000,
                 rank=None, world_size=None, steps="equal", decode=None, collate=None):
        super().__init__()
        if rank is None and world_size is None:
            is_job = torch.distributed.is_available() and torch.distributed.is_initialized()
            rank = torch.distributed.get_rank() if is_job else 0
            world_size = torch.distributed.get_world_size() if is_job else 1
        if rank is None or world_size is None:
            raise ValueError("rank and world_size are given together")
        seed, shuffle_buffer, rank, world_size = counts(seed=seed, shuffle_buffer=shuffle_buffer, rank=rank,
                                                        world_size=world_size)
        shuffle, = flags(shuffle=shuffle)
        if rank >= world_size:
            raise ValueError(f"rank {rank} is not one of {world_size}")
        if steps not in ("equal", "all"):
            raise ValueError(f"steps is 'equal' or 'all', and not {steps!r}")
        batching = batching_of(batch_size, batch_frames, buckets)
        self._is_batch = batch_size is not None or batch_frames is not None
        self._decode = decode
        self._collate = collate
        self._plan = Plan(Dataset(folder, threads=1), seed=seed, shuffle=shuffle, shuffle_buffer=shuffle_buffer, rank=rank,
                          world_size=world_size, batching=batching, equal=steps == "equal")
        self._how = {"dataset": self._plan.dataset_mark(), "seed": seed, "shuffle": shuffle,
                     "shuffle_buffer": shuffle_buffer, "world_size": world_size, "steps": steps, "batch_size": batch_size,
                     "batch_frames": batch_frames, "buckets": list(batching.bounds)}
        # In shared memory, because workers that stay for several epochs must see it.
        self._start = torch.zeros(2, dtype=torch.int64).share_memory_()  # the epoch, and how many steps of it are done
        self._plan.warned = torch.full((1,), -1).share_memory_()  # for workers, as above
        self._own = None  # what a worker has done, for a loader that asks each worker for its state

    @property
    def epoch(self):
        return int(self._start[0])

    def set_epoch(self, epoch):
        """The next iteration is of this epoch: from its beginning, or where load_state_dict() said."""
        epoch, = counts(epoch=epoch)
        if epoch != self.epoch:
            self._begin(epoch, 0)

    def _begin(self, epoch, step):
        self._start[0], self._start[1] = epoch, step

    def steps(self, num_workers=0, epoch=None):
        """How many batches this rank has in an epoch."""
        return self._order(num_workers, self.epoch if epoch is None else epoch).steps

    def left_out(self, num_workers=0, epoch=None):
        """How many samples of this rank are left out in an epoch, so that all ranks take the same steps."""
        return self._order(num_workers, self.epoch if epoch is None else epoch).left_out

    def _order(self, num_workers, epoch, step=0):
        self._plan.need_unchanged()
        return self._plan.order(epoch, max(1, num_workers), step)

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        if info:
            _end_with_the_parent()
        epoch, step = self._start.tolist()
        own, self._own = self._own, None
        skip = 0
        if own is not None:
            if (own["worker"], own["workers"]) != (worker, workers):
                raise ValueError(f"the state is of worker {own['worker']} of {own['workers']}, and this is worker {worker} of "
                                 f"{workers}")
            epoch, step, skip = own["epoch"], own["step"], own["batches"]
        return _Iteration(self, epoch, step, worker, workers, skip)

    def _item(self, samples):
        if self._decode is not None:
            samples = [self._decode(sample) for sample in samples]
        if not self._is_batch:
            return samples[0]
        return samples if self._collate is None else self._collate(samples)

    def state_dict(self):
        """Where the next iteration begins. The state of one that goes on is that of its iterator, or of loader()."""
        self._plan.need_unchanged()
        epoch, step = self._start.tolist()
        return {"epoch": epoch, "step": step, "how": dict(self._how), "plan": self._plan.marks}

    def load_state_dict(self, state):
        """Takes a state of the same dataset and the same options; of this rank or of another one, for all are alike."""
        self._check(state)
        if "worker" in state:
            _need_state(state, "worker", "workers", "batches")
        self._plan.marks = state.get("plan")
        if "worker" in state:
            self._own = dict(state)
        else:
            self._begin(state["epoch"], state["step"])

    def _check(self, state):
        _need_state(state, "epoch", "step")
        for name, value in state["how"].items():
            if self._how.get(name) != value:
                what = (f"the state is of {name} {value}, and this is {self._how.get(name)}" if name != "dataset" else
                        "the state is of another dataset, or of this one before its shards were changed")
                raise problem(self._plan.dataset.folder, what, "begin a new epoch with set_epoch()")

    def loader(self, num_workers=0, **options):
        """A Loader. `options` are those of a DataLoader."""
        return Loader(self, num_workers, **options)


def _need_state(state, *numbers):
    """Raises an Error unless `state` looks like the result of state_dict(). `numbers`: names that it must have."""
    try:
        if not isinstance(state, dict):
            raise TypeError(f"it is of the type {type(state).__name__}")
        for name in ("how", *numbers):
            if name not in state:
                raise ValueError(f"it has no {name!r}")
        counts(**{name: state[name] for name in numbers})
        if not isinstance(state["how"], dict) or not isinstance(state.get("plan") or {}, dict):
            raise TypeError("'how' or 'plan' is not a dict")
    except (TypeError, ValueError) as failure:
        raise UsageError(f"this is not the state of a loader: {failure} (give load_state_dict() what state_dict() "
                         "returned)") from None


class _Iteration:
    """The rest of an epoch in one process."""

    def __init__(self, dataset, epoch, step, worker, workers, skip):
        self._dataset = dataset
        self._state = {"epoch": epoch, "step": step, "worker": worker, "workers": workers, "batches": skip}
        self._batches = dataset._plan.read(*self._at())

    def __iter__(self):
        return self

    def __next__(self):
        samples = next(self._batches)
        try:
            item = self._dataset._item(samples)
        except StopIteration as failure:  # it would end the epoch
            raise RuntimeError("decode or collate raised StopIteration") from failure
        self._state["batches"] += 1
        return item

    def state_dict(self):
        """For loaders that ask each worker, such as torchdata's StatefulDataLoader."""
        self._dataset._plan.need_unchanged()
        return {**self._state, "how": dict(self._dataset._how), "plan": self._dataset._plan.marks_of_worker(*self._at())}

    def _at(self):
        return [self._state[name] for name in ("epoch", "step", "worker", "workers", "batches")]

    def load_state_dict(self, state):
        dataset = self._dataset
        dataset.load_state_dict(state)
        self.__init__(dataset, state["epoch"], state["step"], state["worker"], state["workers"], state["batches"])
        dataset._own = None


def _as_it_is(item):
    """PyTorch would make lists of tuples."""
    return item


class Loader:
    """A DataLoader that knows how far it is. Each iteration is the rest of an epoch; then `epoch` is the next one."""

    def __init__(self, dataset, num_workers=0, **options):
        self.dataset = dataset
        self._workers, = counts(num_workers=num_workers)
        options.setdefault("collate_fn", _as_it_is)
        self._loader = DataLoader(dataset, batch_size=None, num_workers=self._workers, **options)
        self._epoch, self._step = dataset._start.tolist()
        self._newest = None  # marks the iteration that counts

    @property
    def epoch(self):
        """That of the next batch."""
        return self._epoch

    @property
    def step(self):
        """How many batches of the epoch have come."""
        return self._step

    def __len__(self):
        """The steps of the epoch."""
        return self.dataset.steps(self._workers, self._epoch)

    def set_epoch(self, epoch):
        """Begins an epoch, unless it is the one that goes on."""
        epoch, = counts(epoch=epoch)
        if epoch != self._epoch:
            self._epoch, self._step, self._newest = epoch, 0, None

    def state_dict(self):
        """The batches that have come are done: the next one is the first that a new Loader gives."""
        self.dataset._plan.need_unchanged()
        return {"epoch": self._epoch, "step": self._step, "workers": self._workers, "how": dict(self.dataset._how),
                "plan": self.dataset._plan.marks_at(self._epoch, max(1, self._workers), self._step)}

    def load_state_dict(self, state):
        self.dataset._check(state)
        is_plain = self.dataset._plan.is_plain
        if not is_plain:
            _need_state(state, "workers")
        if not is_plain and max(1, state["workers"]) != max(1, self._workers):
            raise problem(self.dataset._plan.dataset.folder,
                          f"the state is of {state['workers']} workers, and this has {self._workers}: of compressed shards each "
                          "worker decodes its own", "take the same number of workers, or begin a new epoch with set_epoch()")
        self.dataset._plan.marks = state.get("plan")
        self._epoch, self._step, self._newest = state["epoch"], state["step"], None

    def __iter__(self):
        self.dataset._begin(self._epoch, self._step)
        order = self.dataset._order(self._workers, self._epoch, self._step)
        if self._step == 0:
            self.dataset._plan.warn_of_left_out(order, self._epoch)
        own = self._newest = object()
        for item in self._loader:
            self._step += 1
            yield item
            if self._newest is not own:
                raise problem(self.dataset._plan.dataset.folder,
                              "a newer iteration of the loader, set_epoch() or load_state_dict() ended this one",
                              "take the batches from the newest iterator")
        if self._step != order.steps:
            raise problem(self.dataset._plan.dataset.folder,
                          f"epoch {self._epoch} ended after {self._step} of {order.steps} steps")
        self._epoch, self._step = self._epoch + 1, 0
