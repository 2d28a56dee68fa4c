#include "deal/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numbers>

#include "deal/mixer.hpp"
#include "deal/parts.hpp"

namespace shardmill::deal {
namespace {

constexpr Duration kSixteenKilohertz{62'500};

Duration from_seconds(double seconds) {
  return Duration(static_cast<std::int64_t>(seconds * 1e9));
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// About 22 kB for each second, up to a quarter more or less.
std::uint64_t compressed_bytes(Duration duration, Random& random) {
  return static_cast<std::uint64_t>(duration.count()) / 1000 * (17 + random.below(11)) / 1000 + 600;
}

/// One dataset cut into pieces: how many bytes each stands for, and where its samples end.
struct Pieces {
  std::vector<std::uint64_t> bytes;
  std::vector<std::size_t> end;
  std::uint64_t total_bytes = 0;
};

Pieces cut(const Durations& durations, std::uint64_t piece_bytes, Random& random) {
  Pieces pieces;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < durations.size(); ++i) {
    bytes += compressed_bytes(durations[i], random);
    if (bytes < piece_bytes && i + 1 < durations.size()) continue;
    pieces.bytes.push_back(bytes);
    pieces.end.push_back(i + 1);
    pieces.total_bytes += bytes;
    bytes = 0;
  }
  return pieces;
}

Duration spread(const std::vector<ShardTotals>& shards) {
  return measure_balance(shards).spread();
}

void add(std::vector<ShardTotals>& shards, std::uint32_t shard, std::uint32_t dataset, Duration duration) {
  shards[shard].duration += duration;
  ++shards[shard].samples[dataset];
}

}  // namespace

std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double Random::normal() {
  return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(2 * std::numbers::pi * uniform());
}

Durations aishell_like(std::size_t samples, std::uint64_t seed) {
  Random random(seed);
  Durations durations(samples);
  for (Duration& duration : durations) {
    duration = from_seconds(std::clamp(4.3 * std::exp(0.32 * random.normal()), 0.5, 15.0));
  }
  return quantised(std::move(durations), kSixteenKilohertz);
}

Durations librispeech_like(std::size_t samples, std::uint64_t seed) {
  Random random(seed);
  Durations durations(samples);
  for (Duration& duration : durations) {
    const double kind = random.uniform();
    double seconds = 14.5 + 1.1 * random.normal();
    if (kind < 0.4) seconds = 1.5 + 12 * random.uniform();
    if (kind > 0.995) seconds = 17 + 18 * random.uniform();
    duration = from_seconds(std::clamp(seconds, 1.3, 35.0));
  }
  return quantised(std::move(durations), std::chrono::milliseconds(5));
}

Durations quantised(Durations durations, Duration step) {
  for (Duration& duration : durations) duration = std::max<std::int64_t>(1, duration / step) * step;
  return durations;
}

Durations sorted(Durations durations) {
  std::sort(durations.begin(), durations.end());
  return durations;
}

Durations sorted_in_stretches(Durations durations, std::size_t length) {
  for (std::size_t begin = 0; begin < durations.size(); begin += length) {
    const std::size_t end = std::min(begin + length, durations.size());
    std::sort(durations.begin() + static_cast<std::ptrdiff_t>(begin),
              durations.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return durations;
}

Outcome simulate(std::uint32_t shards, const std::vector<Durations>& datasets, std::uint64_t piece_bytes,
                 std::size_t interrupt_every, bool size_known) {
  Random random(99);
  std::vector<Pieces> pieces;
  std::vector<Mixer::Stream> streams;
  for (const Durations& durations : datasets) {
    pieces.push_back(cut(durations, piece_bytes, random));
    streams.push_back({.total_bytes = pieces.back().total_bytes});
  }
  Mixer mixer(streams);
  Dealer dealer(shards, static_cast<std::uint32_t>(datasets.size()));
  std::vector<ShardTotals> totals(shards, {Duration{}, std::vector<std::uint64_t>(datasets.size())});
  std::vector<std::vector<HeldSample>> dealt(shards);
  Outcome outcome;
  const double begun = cpu_seconds();
  std::vector<std::size_t> next_piece(datasets.size());
  while (const auto stream = mixer.next()) {
    const Pieces& of = pieces[*stream];
    const std::size_t piece = next_piece[*stream]++;
    if (piece == of.bytes.size()) {
      mixer.finish(*stream);
      continue;
    }
    mixer.consumed(*stream, of.bytes[piece]);
    const auto dataset = static_cast<std::uint32_t>(*stream);
    dealer.progress(dataset, mixer.streams()[*stream].consumed_bytes, size_known ? of.total_bytes : 0);
    for (std::size_t i = piece == 0 ? 0 : of.end[piece - 1]; i < of.end[piece]; ++i) {
      const Duration duration = datasets[dataset][i];
      if (const auto shard = dealer.deal(dataset, duration)) {
        add(totals, *shard, dataset, duration);
        dealt[*shard].push_back({dataset, duration});
        outcome.shard_of.push_back(*shard);
      } else {
        outcome.held.push_back({dataset, duration});
      }
      ++outcome.samples;
      if (interrupt_every > 0 && outcome.samples % interrupt_every == 0) dealer = Dealer(dealer.state());
    }
  }
  outcome.spread_before_rest = spread(totals);
  outcome.deal_seconds = cpu_seconds() - begun;
  RestDeal rest = deal_evenly(dealer.holdings(), outcome.held);
  const std::vector<PartSamples> parts{{.shards = dealt, .held = outcome.held}};
  if (!rest.is_even()) outcome.given_back = samples_to_give_back(parts, datasets.size(), {}, rest);
  if (outcome.given_back > 0) {
    const CutShards shorter = cut_shards(parts, datasets.size(), outcome.given_back);
    for (std::uint32_t shard = 0; shard < shards; ++shard) {
      for (std::size_t d = 0; d < datasets.size(); ++d) {
        totals[shard].duration += shorter.dealt[d][shard].duration - dealer.holdings()[d][shard].duration;
        totals[shard].samples[d] = shorter.dealt[d][shard].samples;
      }
    }
    outcome.held = shorter.held;
    rest = deal_evenly(shorter.views(), outcome.held);
  }
  outcome.rest_seconds = cpu_seconds() - begun - outcome.deal_seconds;
  for (const auto& [number, shard] : rest.placed) {
    add(totals, shard, outcome.held[number].dataset, outcome.held[number].duration);
    outcome.shard_of.push_back(shard);
  }
  outcome.balance = measure_balance(totals);
  return outcome;
}

}  // namespace shardmill::deal
