"""The batches of shardmill.torch in the slowest and plainest way: lists of everything, nothing left for later."""
import bisect

MASK = (1 << 64) - 1
GOLDEN = 0x9e3779b97f4a7c15


def mix(number):
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9 & MASK
    number = (number ^ (number >> 27)) * 0x94d049bb133111eb & MASK
    return number ^ (number >> 31)


def shuffled(seed, number, count):
    """FNV-1a of the seed, SplitMix64, and the shuffle of Fisher and Yates from the end."""
    state = 0xcbf29ce484222325
    for byte in seed.encode():
        state = (state ^ byte) * 0x100000001b3 & MASK
    state = (state + mix(number * GOLDEN & MASK)) & MASK
    order = list(range(count))
    for last in range(count - 1, 0, -1):
        state = (state + GOLDEN) & MASK
        chosen = mix(state) * (last + 1) >> 64
        order[last], order[chosen] = order[chosen], order[last]
    return order


def samples_of_lane(shards, counts, buffer, seed):
    """The places of the samples of a lane, in the order in which they come."""
    places = list(range(sum(counts[shard] for shard in shards)))
    if buffer <= 1:
        return places
    blocks = [places[first:first + buffer] for first in range(0, len(places), buffer)]
    return [block[each] for number, block in enumerate(blocks) for each in shuffled(seed, number, len(block))]


def greedy(places, lengths, size, frames, bounds):
    if frames is None:
        size = size or 1
        return [places[first:first + size] for first in range(0, len(places), size)]
    open_batches = [[] for _ in range(len(bounds) + 1)]
    found = []
    for place in places:
        bucket = bisect.bisect_right(bounds, lengths[place])
        batch = open_batches[bucket]
        if batch and (len(batch) + 1) * max(lengths[each] for each in [*batch, place]) > frames:
            found.append(batch)
            batch = open_batches[bucket] = []
        batch.append(place)
    return found + [batch for batch in open_batches if batch]


def halved(lanes, steps):
    """The largest batches are halved, the first ones of the same size first, until there are `steps`."""
    while True:
        missing = steps - sum(map(len, lanes))
        order = sorted((-len(batch), lane, number) for lane, batches in enumerate(lanes) for number,
                       batch in enumerate(batches)
                       if len(batch) > 1)[:max(0, missing)]
        if not order:
            return lanes
        chosen = {(lane, number) for _, lane, number in order}
        lanes = [[part for number, batch in enumerate(batches) for part in
                  ((batch[:len(batch) // 2], batch[len(batch) // 2:]) if (lane, number) in chosen else (batch,))]
                 for lane, batches in enumerate(lanes)]


def in_turn(lanes):
    """(lane, batch): one of each lane that has any left."""
    return [(lane, batches[number]) for number in range(max(map(len, lanes))) for lane, batches in enumerate(lanes)
            if number < len(batches)]


def epoch(counts, lengths, *, seed, epoch, shuffle, buffer, world_size, lanes, size, frames, bounds, equal):
    """For each rank: its shards by lane, and its batches as (lane, places), in their order; and the samples left out.
    `lengths`: for each shard, in frames."""
    seed = f"{seed} {epoch}"
    shards = shuffled(seed, 0, len(counts)) if shuffle else list(range(len(counts)))
    ranks, own_shards = [], []
    for rank in range(world_size):
        of_lanes = [shards[rank::world_size][lane::lanes] for lane in range(lanes)]
        own_shards.append(of_lanes)
        ranks.append([greedy(samples_of_lane(of, counts, buffer if shuffle else 1, f"{seed} {rank} {lane}"),
                             [length for shard in of for length in lengths[shard]], size, frames, bounds)
                      for lane, of in enumerate(of_lanes)])
    if equal and world_size > 1:
        samples = [sum(counts[shard] for of in of_lanes for shard in of) for of_lanes in own_shards]
        steps = min(max(sum(map(len, lanes)) for lanes in ranks), min(samples))
        turns = [in_turn(halved(lanes, steps)) for lanes in ranks]
        return [(of, turn[:steps], sum(len(batch) for _, batch in turn[steps:])) for of, turn in zip(own_shards, turns)]
    return [(of, in_turn(lanes), 0) for of, lanes in zip(own_shards, ranks)]
