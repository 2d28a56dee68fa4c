"""Compares the batches of shardmill.torch with a plain and slow way to make them, from the start and later."""
import array
import json
import os
import pathlib
import random
import sys
import unittest

import batch_oracle
import harness

PACKAGE = pathlib.Path(os.environ["SHARDMILL_BUILD"]) / "python"
if not (PACKAGE / "shardmill/_native.abi3.so").exists():
    raise unittest.SkipTest("the Python package was not built: python3-dev is missing")
sys.path.insert(0, str(PACKAGE))
from shardmill import _native  # noqa: E402
from shardmill._order import Batching, EvenOrder, Order  # noqa: E402
from shardmill._planned import PlannedOrder, Survey  # noqa: E402

DRAWS = int(os.environ.get("SHARDMILL_BATCH_DRAWS", "200"))


class Draw:
    """A dataset and a way to read it, at random."""

    def __init__(self, number):
        chance = random.Random(number)
        self.chance = chance
        self.world_size = chance.choice((1, 1, 2, 3, 5, 8))
        most = chance.choice((3, 40, 700))
        self.counts = [chance.randrange(most + 1) for _ in range(self.world_size + chance.randrange(20))]
        longest = chance.choice((30, 2000))
        self.lengths = [[max(1, int(longest * chance.random() ** 3)) for _ in range(count)] for count in self.counts]
        self.bytes = [array.array("I", lengths).tobytes() for lengths in self.lengths]
        self.frames = chance.choice((None, 1, longest // 2, longest * 3, longest * 40))
        self.size = chance.choice((None, 1, 7)) if self.frames is None else None
        buckets = sorted(chance.sample(range(1, longest), chance.choice((0, 0, 1, 5, 20)))) if self.frames else []
        self.bounds = [bound / 100 for bound in buckets]
        self.how = {"seed": chance.randrange(3), "epoch": chance.randrange(3), "shuffle": chance.random() < 0.8,
                    "buffer": chance.choice((0, 1, 2, 30, 300, 100000)), "world_size": self.world_size,
                    "lanes": chance.choice((1, 1, 2, 4)), "equal": chance.random() < 0.8}
        self.asked = []

    def of(self, shard, first, count):
        self.asked.append(count)
        return self.bytes[shard][4 * first:4 * (first + count)]

    def expected(self):
        return batch_oracle.epoch(self.counts, self.lengths, size=self.size, frames=self.frames,
                                  bounds=Batching(None, 1, self.bounds).bounds, **self.how)

    def order(self):
        return Order(self.counts, batching=Batching(self.size, self.frames, self.bounds), **self.how)


class Batches(unittest.TestCase):
    def of_rank(self, draw, rank, step=0):
        order = draw.order()
        if not order.batching.needs_lengths:
            return EvenOrder(order, rank)
        marks = json.loads(json.dumps(Survey(order, draw.of).marks(step)))
        draw.asked.clear()
        return PlannedOrder(draw.order(), rank, marks)

    def batches(self, of, draw, step=0):
        """The rest of the batches, in turn one of each lane."""
        taken, lane = of.taken_after(step)
        lanes = [of.read(number, first, 1, draw.of) for number, first in enumerate(taken)]
        found = []
        while len(found) < of.steps - step:
            batch = next(lanes[lane], None)
            if batch is not None:
                found.append((lane, batch))
            lane = (lane + 1) % len(lanes)
        return found

    def test_as_the_plainest_way(self):
        for number in range(DRAWS):
            with self.subTest(draw=number):
                draw = Draw(number)
                for rank, (shards, batches, left_out) in enumerate(draw.expected()):
                    of = self.of_rank(draw, rank)
                    self.assertEqual([lane.shards for lane in of.lanes], shards)
                    self.assertEqual((of.steps, of.left_out), (len(batches), left_out))
                    self.assertEqual(self.batches(of, draw), batches)
                    step = draw.chance.randrange(len(batches) + 1)
                    later = self.of_rank(draw, rank, step)
                    self.assertEqual(self.batches(later, draw, step), batches[step:])
                    self.check_places(draw, later, step)

    def check_places(self, draw, of, step):
        """Only samples of later batches are decoded, and those that are left out."""
        for lane, first in enumerate(of.taken_after(step)[0]):
            if first >= of.sizes[lane]:
                continue
            begin, early, gone = of.before(lane, first, draw.of)
            read = ({*early, *range(begin, of.lanes[lane].samples)}) - gone
            batches = {place for batch in of.read(lane, first, 1, draw.of) for place in batch}
            self.assertLessEqual(batches, read)
            if not of.left_out:
                self.assertEqual(batches, read)

    def test_few_lengths_are_needed_to_go_on(self):
        chance = random.Random(3)
        counts = [500] * 100
        lengths = [array.array("I", [int(100 + 1500 * chance.random() ** 2) for _ in range(500)]).tobytes()
                   for _ in counts]
        asked = []

        def some(shard, first, count):
            asked.append(count)
            return lengths[shard][4 * first:4 * (first + count)]

        order = Order(counts, seed=0, epoch=0, shuffle=True, buffer=1000, world_size=2, lanes=1,
                      batching=Batching(None, 12000, [each / 2 for each in range(2, 31)]), equal=True)
        survey = Survey(order, some)
        steps = PlannedOrder(order, 0, survey.marks(0)).steps
        marks = survey.marks(9 * steps // 10)
        self.assertLess(len(json.dumps(marks)), 4000)
        asked.clear()
        of = PlannedOrder(order, 1, marks)
        next(of.read(0, 9 * steps // 10, 1, some))
        self.assertLessEqual(sum(asked), 3000)

    def test_states_that_are_damaged(self):
        draw = next(draw for draw in map(Draw, range(99)) if draw.frames and min(draw.counts) > 3 and draw.bounds)
        marks = Survey(draw.order(), draw.of).marks(1)
        lane = marks["ranks"]["0"][3][0]
        for place, wrong in ((1, -1), (1, 1 << 40), (1, 7), (2, "x"), (4, "!"), (4, "AAAA"), (4, ""), (4, "/" * 200)):
            damaged = json.loads(json.dumps(marks))
            damaged["ranks"]["0"][3][0] = [*lane[:place], wrong, *lane[place + 1:]]
            with self.assertRaisesRegex(ValueError, "the state is damaged", msg=(place, wrong)):
                PlannedOrder(draw.order(), 0, damaged)

    def test_lengths_in_lines(self):
        chance = random.Random(5)
        durations = [0, 1e-9, 0.005, 0.015, 0.025, 12.345, 1e4, *(chance.uniform(0, 40) for _ in range(1000))]
        lines = "".join(f'{{"audio_filepath":"\\"duration\\":7","duration":{each!r},"key":"a"}}\n'
                        for each in durations)
        self.assertEqual(list(array.array("I", _native.lengths_in(lines.encode()))),
                         [max(1, round(100 * each)) for each in durations])
        self.assertEqual(_native.lengths_in(b""), b"")
        for wrong in (b"\n", b"{}\n", b'{"duration":x}', b'{"duration":-1}', b'{"duration":1e300}', b'{"duration":'):
            with self.assertRaisesRegex(ValueError, "line 2 has no duration"):
                _native.lengths_in(b'{"duration":1}\n' + wrong)

    def test_the_same_order_in_every_version(self):
        """States outlive a version: these numbers must never change."""
        self.assertEqual(_native.shuffled("0 0", 0, 12), batch_oracle.shuffled("0 0", 0, 12))
        self.assertEqual(_native.shuffled("7 3 1 0", 99, 8), [0, 4, 1, 7, 3, 5, 6, 2])


if __name__ == "__main__":
    unittest.main()
