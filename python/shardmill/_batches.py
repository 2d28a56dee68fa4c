"""Batches of the samples of a dataset, from any place of an epoch on."""
import collections
import concurrent.futures
import contextlib
import json
import os
import struct
import tarfile
import warnings
import zlib

from shardmill import _native
from shardmill._arguments import counts, numbers
from shardmill._errors import Error
from shardmill._files import PlacesOf, is_address, need_unchanged, problem, tell_change
from shardmill._losses import callers_level
from shardmill._order import Batching, EvenOrder, Order, last_for
from shardmill._planned import PlannedOrder, Survey
from shardmill._reading import Sample

_ADVICE = "shardmill verify says what else is wrong"
_BLOCK = 512
_MOST_FILES = 200  # of one kind, open at the same time
_QUESTIONS = 8  # to a server at the same time


class _Lines:
    """The lines of a manifest by their numbers: by its index (`index --index lhotse`) if there is one, else the whole
    manifest is read. On a server that is one question, and an index would ask two for each sample."""

    def __init__(self, path, samples):
        self._path = path
        self._samples = samples
        self._lines = None
        self._lengths = None
        self._index = None
        self._file = PlacesOf(path)
        if is_address(path) or not os.path.exists(path + ".idx"):
            return
        index = PlacesOf(path + ".idx")
        if index.size() == 8 * (samples + 1):
            self._index = index
        else:
            index.close()

    @property
    def has_index(self):
        return self._index is not None

    def close(self):
        self._file.close()
        if self._index is not None:
            self._index.close()

    def __getitem__(self, number):
        return self._read(number, 1) if self._index is not None else self._all()[number]

    def lengths(self, first, count):
        """Returns the lengths of `count` samples: frames of 10 ms, as bytes of 32-bit numbers."""
        try:
            if self._index is not None:
                found = _native.lengths_in(self._read(first, count))
            else:
                if self._lengths is None:
                    self._lengths = _native.lengths_in(b"".join(self._all()))
                found = self._lengths[4 * first:4 * (first + count)]
        except ValueError as failure:
            raise problem(self._path, f"of the lines from number {first + 1} on, {failure}", _ADVICE) from failure
        if len(found) != 4 * count:
            raise problem(self._path + ".idx", "does not fit the manifest", _ADVICE)
        return found

    def _read(self, first, count):
        ends = self._index.read(8 * (count + 1), 8 * first)
        begin, = struct.unpack_from("<Q", ends)
        end, = struct.unpack_from("<Q", ends, 8 * count)
        if end > begin and end <= self._file.size():
            return self._file.read(end - begin, begin)
        raise problem(self._path + ".idx", "does not fit the manifest", _ADVICE)

    def _all(self):
        if self._lines is None:
            self._lines = self._file.read_all().splitlines(keepends=True)
            self._file.close()
            if len(self._lines) != self._samples:
                raise problem(self._path, f"has {len(self._lines)} lines and not {self._samples}", _ADVICE)
        return self._lines


def _pool_for(shards):
    """Threads to wait for a server, for shards that are on one."""
    if not any(is_address(shard.path) for shard in shards):
        return None
    return concurrent.futures.ThreadPoolExecutor(_QUESTIONS, "shardmill-remote")


class _Open:
    """Things that belong to shards: those that were used last stay open."""

    def __init__(self, shards, limit):
        self._shards = shards
        self._limit = limit
        self._open = collections.OrderedDict()

    def get(self, shard):
        if shard not in self._open:
            while len(self._open) >= self._limit:
                self._open.popitem(last=False)[1].close()
            stamps = self._shards[shard]._stamps
            try:
                self._open[shard] = self.open(shard)
            except Error:
                tell_change(stamps)
                raise
            need_unchanged(stamps)
        self._open.move_to_end(shard)
        return self._open[shard]

    def close(self):
        for each in self._open.values():
            each.close()


class _Manifests(_Open):
    """The lines of the manifests of some shards."""

    def open(self, shard):
        lines = _Lines(self._shards[shard]._manifest, len(self._shards[shard]))
        if lines.has_index:
            self._limit = min(self._limit, _MOST_FILES)
        return lines

    def __getitem__(self, shard):
        return self.get(shard)

    def lengths(self, shard, first, count):
        return self[shard].lengths(first, count)


class _Wanted:
    """What the manifest says of a sample, and which bytes of its shard hold it."""

    def __init__(self, line, fields):
        self.line, self.fields = line, fields
        self.name, self.offset, self.size = fields["audio_filepath"], fields["tar_offset"], fields["audio_bytes"]
        self.begin = self.offset - _BLOCK  # the header, or before it the transcript


class _PlainShard:
    """Reads single samples of a plain shard."""

    def __init__(self, shard, manifests, number):
        self._path = shard.path
        self._manifests = manifests
        self._number = number
        self._tar = PlacesOf(shard.path)

    def close(self):
        self._tar.close()

    def _line_of(self, number):
        try:
            line = self._manifests[self._number][number].decode()
            return _Wanted(line, json.loads(line))
        except (ValueError, KeyError, TypeError) as failure:
            raise problem(self._path, f"the line of sample {number} in its manifest cannot be read: {failure}",
                          _ADVICE) from failure

    def find(self, number):
        wanted = self._line_of(number)
        if "text" not in wanted.fields:
            last = self._line_of(number - 1) if number > 0 else None
            wanted.begin = last.offset + -(-last.size // _BLOCK) * _BLOCK if last else 0
        return wanted

    def read(self, wanted):
        """Several threads may read at the same time."""
        before, audio = self._tar.read_both(wanted.begin, wanted.offset, wanted.size)
        # Longer names stand elsewhere in a tar.
        name = wanted.name.encode()
        if len(name) < 100 and before[-_BLOCK:][:100].rstrip(b"\0") != name:
            raise problem(self._path, f"does not hold {wanted.fields.get('key')!r} where its manifest says", _ADVICE)
        stem, _, extension = wanted.name.rpartition(".")
        members = {extension: audio}
        if len(before) > _BLOCK:
            members.update(self._before(before[:-_BLOCK], wanted.offset, stem))
        return Sample(wanted.fields["key"], members, wanted.line, self._path)

    def _before(self, data, offset, stem):
        """The members of the sample between the audio of the last sample and its own: the transcript."""
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


class _PlainReader(_Open):
    """Samples of plain shards, read where they are."""

    def __init__(self, shards, manifests, open_shards):
        super().__init__(shards, min(open_shards, _MOST_FILES))
        self._manifests = manifests
        self._pool = _pool_for(shards)
        self._process = os.getpid()

    def open(self, shard):
        return _PlainShard(self._shards[shard], self._manifests, shard)

    def read(self, samples):
        shards = (self.get(shard) for shard, _ in samples)
        found = ((shard, shard.find(number)) for shard, (_, number) in zip(shards, samples))
        if self._pool is None:  # one after the other: few files are open
            return [shard.read(wanted) for shard, wanted in found]
        if self._process != os.getpid():  # which has no threads
            raise problem(self._shards[0].path, "this process was forked in the middle of an iteration",
                          "begin a new one in each process")
        return list(self._pool.map(lambda each: each[0].read(each[1]), found))

    def close(self):
        super().close()
        if self._pool is not None:
            self._pool.shutdown(wait=False)


class _StreamReader:
    """Samples of the compressed shards of a lane, by their places. Shards are decoded one after the other; samples that come
    too early are kept."""

    def __init__(self, shards, lane, begin, early, gone):
        """Reads the samples from the place `begin` on and those at places in `early`, but none at places in `gone`."""
        self._lane = lane
        self._shards = shards
        self._waiting = {}
        early = set(early) - gone
        numbers = sorted({*map(lane.at, early), *range(lane.at(begin), len(lane.shards))})
        self._stream = ((place, sample) for at in numbers
                        for place, sample in enumerate(shards[lane.shards[at]], lane.first_of(at))
                        if place not in gone and (place >= begin or place in early))

    def __getitem__(self, place):
        while place not in self._waiting:
            try:
                found, sample = next(self._stream)
            except StopIteration:
                shard, number = self._lane.sample(place)
                raise problem(self._shards[shard].path, f"ends before sample {number}", _ADVICE) from None
            self._waiting[found] = sample
        return self._waiting.pop(place)


_MOST_STEPS = 1000  # A state this far behind its marks gets new ones, from a survey.


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
        self.marks = None  # of a survey, here or where a state was made
        self.warned = [-1]  # the epoch of the last warn_of_left_out()
        self._lengths = None
        self._survey = None

    def __getstate__(self):
        return {**self.__dict__, "_survey": None}

    def need_unchanged(self):
        self.dataset._need_unchanged()

    def warn_of_left_out(self, order, epoch):
        """Warns once an epoch of the samples that `order`, the order of the rank, leaves out."""
        if not order.left_out or self.warned[0] == epoch:
            return
        self.warned[0] = epoch
        samples = "1 sample of this rank is" if order.left_out == 1 else f"{order.left_out} samples of this rank are"
        others = ("with shuffle=False every epoch leaves out the same ones" if not self.shuffle else
                  "another epoch may leave out the same ones, because shuffle_buffer is 1" if self.buffer <= 1 else
                  "another epoch leaves out other ones")
        warnings.warn(f"epoch {epoch}: {samples} left out, so that all ranks take {order.steps} steps; {others}",
                      stacklevel=callers_level())

    def dataset_mark(self):
        """A number that is another one where shards have other names or other samples, as far as their lengths tell."""
        return zlib.crc32(json.dumps([[os.path.basename(shard.path), len(shard), seconds]
                                      for shard, seconds in zip(self.dataset.shards, self.dataset._shard_seconds)]).encode())

    def _order(self, epoch, workers):
        """Workers share a lane of plain shards; of compressed ones each has its own."""
        return Order(self.counts, seed=self.seed, epoch=epoch, shuffle=self.shuffle, buffer=self.buffer,
                     world_size=self.world_size, lanes=1 if self.is_plain else workers, batching=self.batching, equal=self.equal)

    def _surveyed(self, order):
        at = order.epoch, order.lanes
        if self._survey is None or self._survey[0] != at:
            if self._lengths is None:
                with _pool_for(self.dataset.shards) or contextlib.nullcontext() as pool:
                    lengths = list((pool.map if pool else map)(lengths_of, self.dataset.shards))
                self.need_unchanged()
                self._lengths = lengths
            self._survey = at, Survey(order, self._known_lengths)
        return self._survey[1]

    def _known_lengths(self, shard, first, count):
        return self._lengths[shard][4 * first:4 * (first + count)]

    def _has_marks(self, order):
        marks = self.marks
        return (marks is not None and (marks.get("epoch"), marks.get("lanes")) == (order.epoch, order.lanes)
                and str(self.rank) in marks.get("ranks", ()))

    def order(self, epoch, workers, step=0):
        """The batches of the rank. `step`: from which they will be read, if it is known."""
        order = self._order(epoch, workers)
        if not self.batching.needs_lengths:
            return EvenOrder(order, self.rank)
        if not self._has_marks(order):
            self.marks = self._surveyed(order).marks(step)
        return PlannedOrder(order, self.rank, self.marks)

    def marks_at(self, epoch, workers, step, ranks=None):
        """Returns the marks with which another process goes on at `step` without reading the lengths of all samples. Returns None
        if it needs none."""
        if not self.batching.needs_lengths or step == 0:
            return None
        order = self._order(epoch, workers)
        if self._survey is None or self._survey[0] != (epoch, order.lanes):
            if self._has_marks(order) and 0 <= step - self.marks["step"] <= _MOST_STEPS:
                return self.marks
        return self._surveyed(order).marks(step, ranks)

    def marks_of_worker(self, epoch, step, worker, workers, skip):
        """Returns the marks for read() with the same arguments."""
        if not self.batching.needs_lengths:
            return None
        low, high = step + skip, step + worker + skip * workers
        if self.is_plain:
            low = high
        else:
            lane, first = self._batch_of_lane(self.order(epoch, workers, step), step, worker, workers, skip)
        low = last_for(low, high, lambda each: self.order(epoch, workers, step).taken_after(each)[0][lane] <= first)
        return self.marks_at(epoch, workers, low, [self.rank])

    def _batch_of_lane(self, order, step, worker, workers, skip):
        """Which lane a worker reads, and which batch of it comes next."""
        if self.is_plain:
            return 0, step + worker + skip * workers
        taken, following = order.taken_after(step)
        lane = (following + worker) % workers
        return lane, taken[lane] + skip

    def read(self, epoch, step, worker=0, workers=1, skip=0):
        """The batches of a worker after the first `step` ones of the rank and `skip` of its own: lists of samples."""
        self.need_unchanged()
        try:
            yield from self._read(epoch, step, worker, workers, skip)
        except Exception:
            tell_change(self.dataset._stamps)
            raise

    def _read(self, epoch, step, worker, workers, skip):
        order = self.order(epoch, workers, step)
        if step > order.steps:
            raise ValueError(f"epoch {epoch} has {order.steps} steps, and not {step}")
        lane, first = self._batch_of_lane(order, step, worker, workers, skip)
        if not order.reaches(lane, first):
            self.marks = None
            order = self.order(epoch, workers, step)
        if worker == step == skip == 0:
            self.warn_of_left_out(order, epoch)
        with contextlib.closing(_Manifests(self.dataset.shards, self._open_shards())) as manifests:
            lengths = manifests.lengths if self._lengths is None else self._known_lengths
            if self.is_plain:
                yield from self._read_plain(order, first, workers, manifests, lengths)
            elif first < order.sizes[lane]:
                yield from self._read_stream(order, lane, first, lengths)

    def _open_shards(self):
        return 3 + 2 * self.buffer // (max(self.counts, default=1) or 1)

    def _read_plain(self, order, first, stride, manifests, lengths):
        lane = order.lanes[0]
        with contextlib.closing(_PlainReader(self.dataset.shards, manifests, self._open_shards())) as reader:
            for places in order.read(0, first, stride, lengths):
                yield reader.read([lane.sample(place) for place in places])

    def _read_stream(self, order, lane, first, lengths):
        reader = _StreamReader(self.dataset.shards, order.lanes[lane], *order.before(lane, first, lengths))
        for places in order.read(lane, first, 1, lengths):
            yield [reader[place] for place in places]


def lengths_of(shard):
    """The lengths of all samples of a shard, as 32-bit numbers of frames of 10 ms."""
    try:
        with contextlib.closing(PlacesOf(shard._manifest)) as lines:
            found = _native.lengths_in(lines.read_all())
    except ValueError as failure:
        raise problem(shard._manifest, str(failure), _ADVICE) from failure
    if len(found) != 4 * len(shard):
        raise problem(shard._manifest, f"has {len(found) // 4} lines and not {len(shard)}", _ADVICE)
    return found


def batching_of(batch_size, batch_frames, buckets):
    """Checks the options that say how batches are made."""
    if batch_size is not None and batch_frames is not None:
        raise ValueError("give batch_size or batch_frames, and not both")
    bounds = [] if buckets is None else numbers("buckets", "a list of bounds in seconds", buckets)
    if bounds and batch_frames is None:
        raise ValueError("buckets need batch_frames")
    given = counts(**{name: value for name, value in (("batch_size", batch_size), ("batch_frames", batch_frames))
                      if value is not None})
    if 0 in given:
        raise ValueError(f"{'batch_size' if batch_frames is None else 'batch_frames'} is at least 1, and not 0")
    if bounds != sorted(set(bounds)) or any(not 0 < bound < 1e9 for bound in bounds):
        raise ValueError("the bounds of buckets are seconds, and grow")
    return Batching(batch_size, batch_frames, bounds)
