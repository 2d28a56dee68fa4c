"""The order in which the ranks of a training read a dataset: which shards, which samples, which batches. Pure arithmetic,
from the seed and the epoch alone.

The shards are shuffled, and rank r of n takes every n-th of them, from the r-th on. A rank has one lane or several, which
share its shards in the same way. The place of a sample is its number in the lane, when nothing else is shuffled. The samples
of a lane come in blocks of `buffer` samples, each shuffled in itself."""
import bisect
import itertools

from shardmill import _native


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


class Lane:
    """Some shards, one after the other, and the order of their samples."""

    def __init__(self, shards, counts, buffer, seed):
        self.shards = shards
        self.ends = list(itertools.accumulate(counts[shard] for shard in shards))
        self.samples = self.ends[-1] if shards else 0
        self.buffer = min(buffer, max(1, self.samples))
        self.seed = seed
        self._block = (None, None)

    def first_of_block(self, number):
        return number - number % self.buffer if self.buffer > 1 else number

    def shuffled(self, number):
        """The place of the sample that comes as number `number`."""
        if self.buffer <= 1:
            return number
        block, inside = divmod(number, self.buffer)
        if self._block[0] != block:
            count = min(self.buffer, self.samples - block * self.buffer)
            self._block = (block, _native.shuffled(self.seed, block, count))
        return block * self.buffer + self._block[1][inside]

    def at(self, place):
        """Which of the lane's shards has the sample at a place."""
        return bisect.bisect_right(self.ends, place)

    def first_of(self, at):
        return self.ends[at - 1] if at else 0

    def sample(self, place):
        """The sample at a place: the shard, and its number there."""
        at = self.at(place)
        return self.shards[at], place - self.first_of(at)


class EvenBatches:
    """The batches of `samples` samples, `size` in each."""

    def __init__(self, samples, size):
        self._samples, self._size = samples, size

    def __len__(self):
        return -(-self._samples // self._size)

    def __getitem__(self, number):
        if not 0 <= number < len(self):
            raise IndexError(number)
        return range(number * self._size, min((number + 1) * self._size, self._samples))


class Order:
    """One epoch. `counts`: the samples of each shard."""

    def __init__(self, counts, *, seed, epoch, shuffle, buffer, world_size, lanes, batching, equal):
        self.counts = counts
        self.epoch = epoch
        self.world_size = world_size
        self.lanes = lanes
        self.batching = batching
        self.equal = equal
        self._seed = f"{seed} {epoch}"
        self._buffer = buffer if shuffle else 1
        self._shards = _native.shuffled(self._seed, 0, len(counts)) if shuffle else list(range(len(counts)))

    def lanes_of(self, rank):
        own = self._shards[rank::self.world_size]
        return [Lane(own[number::self.lanes], self.counts, self._buffer, f"{self._seed} {rank} {number}")
                for number in range(self.lanes)]

    def samples_of(self, rank):
        return sum(self.counts[shard] for shard in self._shards[rank::self.world_size])

    def steps(self, counts):
        """As many batches as the rank with the most has: the others halve some of theirs. No more than each rank has
        samples. None: each rank takes its own. `counts`: how many batches each rank has, when it does as it likes."""
        if not self.equal or self.world_size == 1:
            return None
        return min(max(counts), min(map(self.samples_of, range(self.world_size))))


def last_for(low, high, holds):
    """The last number from `low` to `high` for which `holds` is true. It must be so for `low`, and for none behind the first
    for which it is not."""
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def taken_after(sizes, steps):
    """The batches of a rank are in turn one of each lane that has any left. How many of each lane are among the first
    `steps`, and which lane is the next. `sizes`: how many batches each lane has."""
    low = last_for(0, max(sizes), lambda each: sum(min(size, each) for size in sizes) <= steps)
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


class RankOrder:
    """The batches of one rank. `sizes`: how many each lane has; `left_out`: how many samples are in none of them."""

    def __init__(self, lanes, sizes, left_out):
        self.lanes = lanes
        self.sizes = sizes
        self.steps = sum(sizes)
        self.left_out = left_out

    def taken_after(self, steps):
        return taken_after(self.sizes, steps)


class EvenOrder(RankOrder):
    """Batches that do not depend on lengths."""

    def __init__(self, order, rank):
        lanes = order.lanes_of(rank)
        size = order.batching.size or 1
        self._batches = [EvenBatches(lane.samples, size) for lane in lanes]
        counts = [sum(-(-lane.samples // size) for lane in order.lanes_of(each)) for each in range(order.world_size)]
        steps = order.steps(counts)
        left_out = 0
        if steps is not None:
            self._split_into(steps)
            sizes = list(map(len, self._batches))
            if steps < sum(sizes):
                for lane, count in enumerate(taken_after(sizes, steps)[0]):
                    batches = self._batches[lane]
                    left_out += sum(len(batches[number]) for number in range(count, len(batches)))
                    self._batches[lane] = [batches[number] for number in range(count)]
        super().__init__(lanes, list(map(len, self._batches)), left_out)

    def _split_into(self, steps):
        """Halves the batches with the most samples until there are `steps`."""
        missing = steps - sum(map(len, self._batches))
        while missing > 0:
            large = sorted((-len(batch), lane, number) for lane, batches in enumerate(self._batches)
                           for number, batch in enumerate(batches) if len(batch) > 1)[:missing]
            if not large:
                return
            for lane in range(len(self._batches)):
                halved = {number for _, of, number in large if of == lane}
                if halved:
                    self._batches[lane] = [part for number, batch in enumerate(self._batches[lane]) for part in
                                           ((batch[:len(batch) // 2], batch[len(batch) // 2:]) if number in halved
                                            else (batch,))]
            missing -= len(large)

    def reaches(self, lane, first):
        return True

    def read(self, lane, first, stride=1, lengths=None):
        """Each `stride`-th batch of a lane from number `first` on: the places of its samples."""
        shuffled = self.lanes[lane].shuffled
        for number in range(first, self.sizes[lane], stride):
            yield [shuffled(each) for each in self._batches[lane][number]]

    def before(self, lane, first, lengths=None):
        """What a lane must be read for from batch `first` on: all places from `begin` on and those of `early`, but not
        those that are `gone`."""
        batches, of = self._batches[lane], self.lanes[lane]
        begin = of.first_of_block(batches[first][0])
        gone = set()
        for number in range(first - 1, -1, -1):
            here = [each for each in batches[number] if each >= begin]
            gone.update(map(of.shuffled, here))
            if len(here) < len(batches[number]):
                break
        return begin, (), gone
