"""Batches that depend on the lengths of samples. A Survey looks at those of all ranks once an epoch. Its marks are a few
numbers for each rank with which any process goes on near a step, and has to know only the lengths that follow."""
import base64
import collections

from shardmill import _native
from shardmill._order import RankOrder, taken_after


def plan_of(lane, counts, batching, lengths):
    """A BatchPlan of a lane. `lengths(shard, first, count)`: those of some samples of a shard, as bytes."""
    def of_lane(first, count):
        parts = []
        while count:
            shard, number = lane.sample(first)
            some = min(count, counts[shard] - number)
            parts.append(lengths(shard, number, some))
            first, count = first + some, count - some
        return b"".join(parts)

    return _native.BatchPlan(lane.samples, lane.buffer, lane.seed, batching.frames, batching.bounds, of_lane)


def halvings(counts, missing):
    """How the batches with the most samples are halved, until there are `missing` more. `counts`: for each lane, how many
    batches of each size it has. Returns how often all are halved, those of more than how many samples are halved once
    more, and for each lane how many of exactly that size: the first ones."""
    rounds = 0
    while missing > 0:
        large = sum(count for lane in counts for size, count in lane.items() if size > 1)
        if missing < large:
            break
        if not large:
            return rounds, 0, [0] * len(counts)
        halved = [collections.Counter() for _ in counts]
        for lane, of in zip(counts, halved):
            for size, count in lane.items():
                for part in (size // 2, size - size // 2) if size > 1 else (size,):
                    of[part] += count
        counts, missing, rounds = halved, missing - large, rounds + 1
    quotas = [0] * len(counts)
    for size in sorted(set().union(*counts), reverse=True) if missing > 0 else ():
        if sum(lane.get(size, 0) for lane in counts) >= missing:
            for number, lane in enumerate(counts):
                quotas[number] = min(lane.get(size, 0), missing)
                missing -= quotas[number]
            return rounds, size, quotas
        missing -= sum(lane.get(size, 0) for lane in counts)
    return rounds, 0, quotas


class Survey:
    """What all ranks take in an epoch. `order` is an Order, `lengths` as in plan_of()."""

    def __init__(self, order, lengths):
        self._order = order
        self._plans = [[plan_of(lane, order.counts, order.batching, lengths) for lane in order.lanes_of(rank)]
                       for rank in range(order.world_size)]
        counts = [[plan.survey() for plan in plans] for plans in self._plans]
        own = [sum(sum(lane.values()) for lane in lanes) for lanes in counts]
        self._steps = order.steps(own)
        self._halvings = [halvings(lanes, 0 if self._steps is None else self._steps - count)
                          for lanes, count in zip(counts, own)]
        self._sizes, self._left_out = [], []
        for plans, (rounds, threshold, quotas) in zip(self._plans, self._halvings):
            sizes = [plan.settle(rounds, threshold, quota) for plan, quota in zip(plans, quotas)]
            left_out = 0
            if self._steps is not None and self._steps < sum(sizes):
                sizes, _ = taken_after(sizes, self._steps)
                left_out = sum(plan.samples_from(size) for plan, size in zip(plans, sizes))
            self._sizes.append(sizes)
            self._left_out.append(left_out)

    def marks(self, step, ranks=None):
        """For these ranks, or for all: where to go on with any batch from `step` on."""
        found = {}
        for rank in range(self._order.world_size) if ranks is None else ranks:
            rounds, threshold, _ = self._halvings[rank]
            sizes, lanes = self._sizes[rank], []
            for plan, size, taken in zip(self._plans[rank], sizes, taken_after(sizes, min(step, sum(sizes)))[0]):
                *numbers, places = plan.checkpoint(taken)
                lanes.append([size, *numbers, base64.b64encode(places).decode()])
            found[str(rank)] = [self._left_out[rank], rounds, threshold, lanes]
        return {"epoch": self._order.epoch, "lanes": self._order.lanes, "step": step, "ranks": found}


class PlannedOrder(RankOrder):
    """The batches of one rank, from its marks. They cannot be read from a batch before these."""

    def __init__(self, order, rank, marks):
        self._order = order
        try:
            left_out, self._rounds, self._threshold, lanes = marks["ranks"][str(rank)]
            self._marks = [(place, number, quota, base64.b64decode(places, validate=True)) for _, place, number, quota, places in lanes]
            super().__init__(order.lanes_of(rank), [lane[0] for lane in lanes], left_out)
            for lane in range(order.lanes):
                self._begun(lane, None)
        except (KeyError, IndexError, TypeError, ValueError, OverflowError) as failure:
            raise ValueError(f"the state is damaged, or is one of another dataset: {failure!r}") from failure

    def reaches(self, lane, first):
        """Whether the batches of a lane can be read from number `first` on."""
        return self._marks[lane][1] <= first

    def _begun(self, lane, lengths):
        plan = plan_of(self.lanes[lane], self._order.counts, self._order.batching, lengths)
        plan.begin(self._rounds, self._threshold, self._marks[lane])
        return plan, self._marks[lane][1]

    def read(self, lane, first, stride=1, lengths=None):
        """As EvenOrder.read()."""
        plan, number = self._begun(lane, lengths)
        plan.skip(first - number)
        for _, batch in zip(range(first, self.sizes[lane], stride), plan):
            yield batch
            plan.skip(stride - 1)

    def before(self, lane, first, lengths=None):
        """As EvenOrder.before()."""
        plan, number = self._begun(lane, lengths)
        early = plan.open_places()
        gone = {place for _, batch in zip(range(number, first), plan) for place in batch}
        return self._marks[lane][0], early, gone
