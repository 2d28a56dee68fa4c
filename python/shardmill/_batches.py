"""Batches of the samples of a dataset, from any place of an epoch on."""
import array
import collections
import contextlib
import json
import os
import re
import struct
import tarfile

from shardmill._order import Batching, Order
from shardmill._reading import Sample
from shardmill._sources import problem

_DURATION = re.compile(rb'"duration":([0-9.eE+-]+)')
_ADVICE = "shardmill verify says what else is wrong"
_BLOCK = 512


def _pread(file, size, offset, path):
    try:
        data = os.pread(file.fileno(), size, offset)
        while data and len(data) < size:
            more = os.pread(file.fileno(), size - len(data), offset + len(data))
            if not more:
                break
            data += more
    except OSError as failure:
        raise problem(path, f"cannot be read: {failure.strerror}", _ADVICE) from failure
    if len(data) != size:
        raise problem(path, f"ends before byte {offset + size}", _ADVICE)
    return data


def lengths_in(manifest):
    """The lengths of the samples of a shard, in frames of 10 ms."""
    found = array.array("I")
    try:
        with open(manifest, "rb") as lines:
            for line in lines:
                found.append(max(1, round(100 * float(_DURATION.search(line).group(1)))))
    except OSError as failure:
        raise problem(manifest, f"cannot be read: {failure.strerror}", _ADVICE) from failure
    except (AttributeError, ValueError, OverflowError) as failure:
        raise problem(manifest, f"line {len(found) + 1} has no duration", _ADVICE) from failure
    return found


class _Lines:
    """The lines of a manifest by their numbers: by its index (`index --index lhotse`) if there is one, else the whole
    manifest is read."""

    def __init__(self, path, samples):
        self._path = path
        self._samples = samples
        self._lines = None
        self._index = None
        try:
            self._file = open(path, "rb", buffering=0)
            try:
                index = open(path + ".idx", "rb", buffering=0)
            except FileNotFoundError:
                return
            if os.fstat(index.fileno()).st_size == 8 * (samples + 1):
                self._index = index
            else:
                index.close()
        except OSError as failure:
            raise problem(path, f"cannot be read: {failure.strerror}", _ADVICE) from failure

    def close(self):
        self._file.close()
        if self._index is not None:
            self._index.close()

    def __getitem__(self, number):
        if self._index is not None:
            begin, end = struct.unpack("<QQ", _pread(self._index, 16, 8 * number, self._path + ".idx"))
            if end > begin and end <= os.fstat(self._file.fileno()).st_size:
                return _pread(self._file, end - begin, begin, self._path)
            raise problem(self._path + ".idx", "does not fit the manifest", _ADVICE)
        if self._lines is None:
            self._lines = self._file.readall().splitlines(keepends=True)
            if len(self._lines) != self._samples:
                raise problem(self._path, f"has {len(self._lines)} lines and not {self._samples}", _ADVICE)
        return self._lines[number]


class _PlainShard:
    """Reads single samples of a plain shard."""

    def __init__(self, shard):
        self._path = shard.path
        self._lines = _Lines(shard._manifest, len(shard))
        try:
            self._tar = open(shard.path, "rb", buffering=0)
        except OSError as failure:
            self._lines.close()
            raise problem(shard.path, f"cannot be read: {failure.strerror}", _ADVICE) from failure

    def close(self):
        self._lines.close()
        self._tar.close()

    def _fields(self, number):
        try:
            line = self._lines[number].decode()
            fields = json.loads(line)
            return line, fields, fields["audio_filepath"], fields["tar_offset"], fields["audio_bytes"]
        except (ValueError, KeyError, TypeError) as failure:
            raise problem(self._path, f"the line of sample {number} in its manifest cannot be read: {failure}",
                          _ADVICE) from failure

    def __getitem__(self, number):
        line, fields, name, offset, size = self._fields(number)
        data = _pread(self._tar, _BLOCK + size, offset - _BLOCK, self._path)
        # Longer names stand elsewhere in a tar.
        if len(name.encode()) < 100 and data[:100].rstrip(b"\0") != name.encode():
            raise problem(self._path, f"does not hold {fields.get('key')!r} where its manifest says", _ADVICE)
        stem, _, extension = name.rpartition(".")
        members = {extension: data[_BLOCK:]}
        if "text" not in fields:
            members.update(self._before(number, offset, stem))
        return Sample(fields["key"], members, line, self._path)

    def _before(self, number, offset, stem):
        """The members of the sample between the audio of the last sample and its own: the transcript."""
        begin = 0
        if number > 0:
            _, _, _, last, size = self._fields(number - 1)
            begin = last + -(-size // _BLOCK) * _BLOCK
        data = _pread(self._tar, offset - _BLOCK - begin, begin, self._path)
        found, place = {}, 0
        while place + _BLOCK <= len(data):
            try:
                header = tarfile.TarInfo.frombuf(data[place:place + _BLOCK], "utf-8", "surrogateescape")
            except tarfile.TarError as failure:
                raise problem(self._path, f"is damaged before byte {offset}: {failure}", _ADVICE) from failure
            place += _BLOCK
            of, _, extension = header.name.rpartition(".")
            if of == stem:
                found[extension] = data[place:place + header.size]
            place += -(-header.size // _BLOCK) * _BLOCK
        return found


class _PlainReader:
    """Samples of plain shards, read where they are."""

    def __init__(self, shards, open_shards):
        self._shards = shards
        self._limit = open_shards
        self._open = collections.OrderedDict()

    def __getitem__(self, place):
        shard, number = place
        if shard not in self._open:
            while len(self._open) >= self._limit:
                self._open.popitem(last=False)[1].close()
            self._open[shard] = _PlainShard(self._shards[shard])
        self._open.move_to_end(shard)
        return self._open[shard][number]


    def close(self):
        for shard in self._open.values():
            shard.close()


class _StreamReader:
    """Samples of compressed shards, which are decoded one after the other. It keeps those that come too early."""

    def __init__(self, shards, order, first, gone):
        """`order`: which shards to read. The first has no more samples of interest before number `first`."""
        self._gone = gone
        self._waiting = {}
        self._stream = ((shard, number, sample) for at, shard in enumerate(order)
                        for number, sample in enumerate(shards[shard]) if at > 0 or number >= first)

    def __getitem__(self, place):
        while place not in self._waiting:
            try:
                shard, number, sample = next(self._stream)
            except StopIteration:
                raise KeyError(place) from None
            if (shard, number) not in self._gone:
                self._waiting[shard, number] = sample
        return self._waiting.pop(place)


class Plan:
    """How a dataset is to be read. It can be pickled, and holds no open files."""

    def __init__(self, dataset, *, seed, shuffle, shuffle_buffer, rank, world_size, batching, equal):
        self.dataset = dataset
        self.seed = seed
        self.shuffle = shuffle
        self.buffer = shuffle_buffer
        self.rank = rank
        self.world_size = world_size
        self.batching = batching
        self.equal = equal
        self.counts = [len(shard) for shard in dataset.shards]
        self.is_plain = all(codec == "none" for codec in dataset._codecs)
        if len(self.counts) < world_size:
            raise ValueError(f"{dataset.folder}: {len(self.counts)} shards cannot be split among {world_size} ranks")
        self._lengths = None
        if batching.needs_lengths:
            self._lengths = [lengths_in(shard._manifest) for shard in dataset.shards]
            for shard, lengths in zip(dataset.shards, self._lengths):
                if len(lengths) != len(shard):
                    raise problem(shard._manifest, f"has {len(lengths)} lines and not {len(shard)}", _ADVICE)

    def order(self, epoch, workers):
        """The batches of the rank. Workers share a lane of plain shards; of compressed ones each has its own."""
        order = Order(self.counts, seed=self.seed, epoch=epoch, shuffle=self.shuffle, buffer=self.buffer,
                      world_size=self.world_size, lanes=1 if self.is_plain else workers, batching=self.batching,
                      equal=self.equal, lengths=None if self._lengths is None else self._lengths.__getitem__)
        return order.of_rank(self.rank)

    def read(self, epoch, step, worker=0, workers=1, skip=0):
        """The batches of a worker after the first `step` ones of the rank and `skip` of its own: lists of samples."""
        order = self.order(epoch, workers)
        if step > order.steps:
            raise ValueError(f"epoch {epoch} has {order.steps} steps, and not {step}")
        if self.is_plain:
            yield from self._read_plain(order, range(step + worker + skip * workers, order.steps, workers))
        else:
            taken, following = order.taken_after(step)
            lane = (following + worker) % workers
            yield from self._read_stream(order.lanes[lane], order.batches[lane], taken[lane] + skip)

    def _read_plain(self, order, numbers):
        lane = order.lanes[0]
        most = max(self.counts, default=1) or 1
        reader = _PlainReader(self.dataset.shards, 3 + 2 * self.buffer // most)
        with contextlib.closing(reader):
            for number in numbers:
                yield [reader[lane[place]] for place in order.batches[0][number]]

    def _read_stream(self, lane, batches, first):
        if first >= len(batches):
            return
        begin = min(min(batches[number]) for number in range(first, len(batches)))
        begin = lane.first_of_block(begin)
        gone = {lane[place] for number in range(first) for place in batches[number] if place >= begin}
        reader = _StreamReader(self.dataset.shards, *lane.shards_from(begin), gone)
        for number in range(first, len(batches)):
            yield [reader[lane[place]] for place in batches[number]]


def batching_of(batch_size, batch_frames, buckets):
    """Checks the options that say how batches are made."""
    if batch_size is not None and batch_frames is not None:
        raise ValueError("give batch_size or batch_frames, and not both")
    if buckets and batch_frames is None:
        raise ValueError("buckets need batch_frames")
    for name, value in (("batch_size", batch_size), ("batch_frames", batch_frames)):
        if value is not None and value < 1:
            raise ValueError(f"{name} is at least 1, and not {value}")
    bounds = [float(bound) for bound in buckets or ()]
    if bounds != sorted(set(bounds)):
        raise ValueError("the bounds of buckets grow, in seconds")
    return Batching(batch_size, batch_frames, bounds)
