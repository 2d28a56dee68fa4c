"""The order in which the ranks of a training read a dataset: which shards, which samples, which batches. Pure arithmetic,
from the seed and the epoch alone.

The shards are shuffled, and rank r of n takes every n-th of them, from the r-th on. A rank has one lane or several, which
share its shards in the same way. The samples of a lane come in blocks of `buffer` samples, each shuffled in itself."""
import bisect
import random


class Batching:
    """How samples become batches: `size` samples; or as many as have at most `frames` frames of 10 ms, padding included,
    all of them, or those of each bucket apart. A bucket ends before its bound, in seconds. Without either, single samples."""

    def __init__(self, size=None, frames=None, buckets=()):
        self.size = size
        self.frames = frames
        self.bounds = [round(100 * bound) for bound in buckets]

    @property
    def needs_lengths(self):
        return self.frames is not None

    def count_of(self, samples):
        """How many batches so many samples make, if their lengths do not matter."""
        return -(-samples // (self.size or 1))

    def batches(self, lengths):
        """The batches of a lane: the places of their samples in the lane. `lengths`: of all samples, in its order."""
        pending = [[] for _ in range(len(self.bounds) + 1)]
        longest = [0] * len(pending)
        found = []
        for place, length in enumerate(lengths):
            bucket = bisect.bisect_right(self.bounds, length)
            batch = pending[bucket]
            if batch and (len(batch) + 1) * max(longest[bucket], length) > self.frames:
                found.append(batch)
                pending[bucket] = batch = []
                longest[bucket] = 0
            batch.append(place)
            if length > longest[bucket]:
                longest[bucket] = length
        return found + [batch for batch in pending if batch]


class EvenBatches:
    """The batches of `samples` places, `size` in each."""

    def __init__(self, samples, size):
        self._samples, self._size = samples, size

    def __len__(self):
        return -(-self._samples // self._size)

    def __getitem__(self, number):
        if not 0 <= number < len(self):
            raise IndexError(number)
        return range(number * self._size, min((number + 1) * self._size, self._samples))


class Lane:
    """Some shards, one after the other, and the order of their samples."""

    def __init__(self, shards, counts, buffer, seed):
        self.shards = shards
        self._ends = []
        total = 0
        for shard in shards:
            total += counts[shard]
            self._ends.append(total)
        self.samples = total
        self._buffer = buffer
        self._seed = seed
        self._block = (None, None)

    def first_of_block(self, place):
        return place - place % self._buffer if self._buffer > 1 else place

    def shards_from(self, place):
        """The shards from the one on that has the sample at `place` when nothing is shuffled, and its number there."""
        at = bisect.bisect_right(self._ends, place)
        return self.shards[at:], place - (self._ends[at - 1] if at else 0)

    def __getitem__(self, place):
        """The sample at a place: the shard, and its number there."""
        if self._buffer > 1:
            block, inside = divmod(place, self._buffer)
            place = block * self._buffer + self._shuffled(block)[inside]
        number = bisect.bisect_right(self._ends, place)
        return self.shards[number], place - (self._ends[number - 1] if number else 0)

    def _shuffled(self, block):
        if self._block[0] != block:
            places = list(range(min(self._buffer, self.samples - block * self._buffer)))
            random.Random(f"{self._seed} {block}").shuffle(places)
            self._block = (block, places)
        return self._block[1]


class Order:
    """One epoch. `counts`: the samples of each shard; `lengths(shard)`: theirs in frames, if the batching needs them."""

    def __init__(self, counts, *, seed, epoch, shuffle, buffer, world_size, lanes, batching, equal, lengths=None):
        self._counts = counts
        self._seed = f"{seed} {epoch}"
        self._buffer = buffer if shuffle else 1
        self._world_size = world_size
        self._lanes = lanes
        self._batching = batching
        self._equal = equal
        self._lengths = lengths
        self._shards = list(range(len(counts)))
        if shuffle:
            random.Random(self._seed).shuffle(self._shards)

    def lane(self, rank, number):
        return Lane(self._shards[rank::self._world_size][number::self._lanes], self._counts, self._buffer,
                    f"{self._seed} {rank} {number}")

    def _batches_of(self, lane):
        batching = self._batching
        if not batching.needs_lengths:
            return EvenBatches(lane.samples, batching.size or 1)
        lengths = {shard: self._lengths(shard) for shard in lane.shards}
        return batching.batches(lengths[shard][number] for shard, number in map(lane.__getitem__, range(lane.samples)))

    def _count_of(self, rank):
        """How many batches a rank has, when it does as it likes."""
        lanes = [self.lane(rank, number) for number in range(self._lanes)]
        if not self._batching.needs_lengths:
            return sum(self._batching.count_of(lane.samples) for lane in lanes)
        return sum(len(self._batches_of(lane)) for lane in lanes)

    def _samples_of(self, rank):
        return sum(self._counts[shard] for shard in self._shards[rank::self._world_size])

    def of_rank(self, rank):
        return RankOrder([self.lane(rank, number) for number in range(self._lanes)], self._batches_of,
                         self._steps() if self._equal else None)

    def _steps(self):
        """As many batches as the rank with the most has: the others halve some of theirs. No more than each rank has
        samples."""
        if self._world_size == 1:
            return None
        ranks = range(self._world_size)
        return min(max(map(self._count_of, ranks)), min(map(self._samples_of, ranks)))


class RankOrder:
    """The batches of one rank: in turn one of each lane that has any left."""

    def __init__(self, lanes, batches_of, steps=None):
        self.lanes = lanes
        self.batches = [batches_of(lane) for lane in lanes]
        if steps is not None:
            self._split_into(steps)
        self.steps = sum(map(len, self.batches))
        self.left_out = 0  # samples
        if steps is not None and steps < self.steps:
            self._leave_out(steps)

    def _split_into(self, steps):
        """Halves the batches with the most samples until there are so many."""
        missing = steps - sum(map(len, self.batches))
        while missing > 0:
            large = sorted((-len(batch), lane, number) for lane, batches in enumerate(self.batches)
                           for number, batch in enumerate(batches) if len(batch) > 1)[:missing]
            if not large:
                return
            for lane in range(len(self.batches)):
                halved = {number for _, of, number in large if of == lane}
                if halved:
                    self.batches[lane] = [part for number, batch in enumerate(self.batches[lane]) for part in
                                          ((batch[:len(batch) // 2], batch[len(batch) // 2:]) if number in halved
                                           else (batch,))]
            missing -= len(large)

    def _leave_out(self, steps):
        taken, _ = self.taken_after(steps)
        for lane, count in enumerate(taken):
            batches = self.batches[lane]
            self.left_out += sum(len(batches[number]) for number in range(count, len(batches)))
            self.batches[lane] = [batches[number] for number in range(count)]
        self.steps = steps

    def taken_after(self, steps):
        """How many batches of each lane are among the first `steps`, and which lane is the next."""
        sizes = [len(batches) for batches in self.batches]
        low, high = 0, max(sizes)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if sum(min(size, middle) for size in sizes) <= steps else (low, middle - 1)
        taken = [min(size, low) for size in sizes]
        left = steps - sum(taken)
        following = 0
        for lane, size in enumerate(sizes):
            if left == 0:
                following = next((each for each in range(lane, len(sizes)) if sizes[each] > low), 0)
                break
            if size > low:
                taken[lane] += 1
                left -= 1
        return taken, following
