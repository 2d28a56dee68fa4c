#include "ranks/supply.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "archive/tar_parser.hpp"
#include "audio/sndfile.hpp"
#include "base/error.hpp"
#include "codec/speed.hpp"
#include "pipeline/read_through.hpp"
#include "pipeline/source_parser.hpp"
#include "shard/keys.hpp"

namespace shardmill::ranks {

namespace {

constexpr std::size_t kTrialShards = 4;
constexpr std::size_t kTrialBytes = std::size_t{2} << 20;  // of each measured shard

/// The beginnings of some shards, with which everything is measured.
struct Trial {
  Bytes tar;
  std::vector<Bytes> audio;
};

class AudioCollector final : public archive::TarSink {
 public:
  explicit AudioCollector(std::vector<Bytes>& audio) : audio_(audio) {}

  void on_member(archive::TarMember&& member) override {
    const auto name = shard::split_name(member.name, shard::KeyRule::wenet);
    if (name && shard::is_audio_extension(name->extension)) audio_.push_back(std::move(member.bytes));
  }
  void on_finding(ShardFinding&&) override {}

 private:
  std::vector<Bytes>& audio_;
};

void add_beginning(Trial& trial, const std::string& path, pipeline::Workers& workers,
                   base::Reporter& reporter) {
  AudioCollector collector(trial.audio);
  archive::TarParser parser(collector, pipeline::kMemberLimitBytes);
  const std::size_t enough = trial.tar.size() + kTrialBytes;
  const auto take = [&](std::span<const std::byte> bytes) {
    bytes = bytes.first(std::min(bytes.size(), enough - trial.tar.size()));
    trial.tar.insert(trial.tar.end(), bytes.begin(), bytes.end());
    parser.feed(bytes);
    return trial.tar.size() < enough;
  };
  base::File file = base::File::open_read(path);
  try {
    pipeline::decode(file, workers, reporter, take);
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error&) {
    // The damage has been reported. The data before it is enough for measuring.
  }
}

Trial take_trial(const std::vector<RankShard>& shards, pipeline::Workers& workers, base::Reporter& reporter) {
  Trial trial;
  const std::size_t count = std::min(kTrialShards, shards.size());
  for (std::size_t i = 0; i < count; ++i) {
    add_beginning(trial, shards[i * shards.size() / count].path, workers, reporter);
  }
  return trial;
}

/// The speed with which a worker would read the tar if it was written with `codec`.
double speed_if_written(codec::Codec codec, const Bytes& tar) {
  Bytes compressed;
  const auto encoder = codec::make_encoder({.codec = codec}, [&](std::span<const std::byte> bytes) {
    compressed.insert(compressed.end(), bytes.begin(), bytes.end());
  });
  encoder->write(tar);
  encoder->finish();
  return codec::decoding_speed(compressed);
}

/// Bytes of tar per second for each codec: for codecs of the shards, measured on the largest shard of that
/// codec; for others, on the trial.
std::map<codec::Codec, double> tar_speeds(const std::vector<RankShard>& shards, const Trial& trial) {
  std::map<codec::Codec, const RankShard*> largest;
  for (const RankShard& shard : shards) {
    const RankShard*& chosen = largest[shard.codec];
    if (chosen == nullptr || chosen->load.bytes < shard.load.bytes) chosen = &shard;
  }
  std::map<codec::Codec, double> speeds;
  for (const auto& [codec, shard] : largest) {
    const auto speed = codec::reference_speed(base::File::open_read(shard->path));
    speeds[codec] = speed.decoded_bytes_per_second;
    speeds[codec::Codec::none] = std::max(speeds[codec::Codec::none], speed.copied_bytes_per_second);
  }
  for (const codec::Codec codec : codec::kAllCodecs) {
    if (codec::levels(codec) && !speeds.contains(codec)) speeds[codec] = speed_if_written(codec, trial.tar);
  }
  return speeds;
}

/// The data that a worker must read.
struct Work {
  double samples = 0;
  double tar_bytes = 0;
  double audio_seconds = 0;
};

/// The seconds that decoding takes. A part with an unknown speed (0) is left out.
double decoding_seconds(const Work& work, double tar_speed, double audio_speed) {
  return (tar_speed > 0 ? work.tar_bytes / tar_speed : 0) +
         (audio_speed > 0 ? work.audio_seconds / audio_speed : 0);
}

double python_seconds(const Work& work) {
  return work.samples * PythonCost::kSecondsPerSample + work.tar_bytes * PythonCost::kSecondsPerTarByte;
}

double speed_of(const Work& work, double seconds) {
  return seconds > 0 ? work.audio_seconds / seconds : 0;
}

Work work_of(const RankShard& shard) {
  return {.samples = static_cast<double>(shard.load.samples),
          .tar_bytes = static_cast<double>(shard.tar_bytes),
          .audio_seconds = shard.load.seconds};
}

std::uint64_t workers_for(double needed, double worker_speed) {
  return worker_speed > 0 ? static_cast<std::uint64_t>(std::ceil(needed / worker_speed)) : 0;
}

bool is_used(const std::vector<RankShard>& shards, codec::Codec codec) {
  return std::any_of(shards.begin(), shards.end(),
                     [codec](const RankShard& shard) { return shard.codec == codec; });
}

std::string name_of(codec::Codec codec) {
  return codec == codec::Codec::none ? "plain tar" : std::string(codec::name(codec));
}

}  // namespace

LoaderSupply given_supply(const RankShards& shards, double needed, double worker_speed) {
  LoaderSupply supply;
  supply.needed = needed;
  supply.ways.push_back({.codec = "as given",
                         .is_used = true,
                         .worker_speed = worker_speed,
                         .workers = workers_for(needed, worker_speed)});
  for (const deal::Load& load : shards.loads) {
    supply.shard_load_seconds.push_back(load.seconds / worker_speed);
  }
  return supply;
}

LoaderSupply recorded_supply(const RankShards& shards, double needed, const RecordedSpeeds& speeds) {
  LoaderSupply supply;
  supply.needed = needed;
  supply.recorded = fmt::format("{} on {}", speeds.reader, speeds.host);
  const auto speed_of_codec = [&](codec::Codec codec) {
    const auto found = speeds.by_codec.find(std::string(codec::name(codec)));
    if (found == speeds.by_codec.end())
      throw Error(fmt::format("has no speed for shards of {}", name_of(codec)), at(speeds.path),
                  "measure with such shards");
    return found->second;
  };
  for (const RankShard& shard : shards.shards)
    supply.shard_load_seconds.push_back(shard.load.seconds / speed_of_codec(shard.codec));
  for (const codec::Codec codec : codec::kAllCodecs) {
    const auto found = speeds.by_codec.find(std::string(codec::name(codec)));
    if (found == speeds.by_codec.end()) continue;
    supply.ways.push_back({.codec = name_of(codec),
                           .is_used = is_used(shards.shards, codec),
                           .worker_speed = found->second,
                           .workers = workers_for(needed, found->second)});
  }
  return supply;
}

LoaderSupply measured_supply(const RankShards& shards, double needed, pipeline::Workers& workers,
                             base::Reporter& reporter) {
  reporter.phase("timing loaders");
  const Trial trial = take_trial(shards.shards, workers, reporter);
  const auto speeds = tar_speeds(shards.shards, trial);
  LoaderSupply supply;
  supply.needed = needed;
  supply.measured = true;
  supply.audio_speed = audio::decoding_speed(trial.audio);
  Work all;
  for (const RankShard& shard : shards.shards) {
    const Work work = work_of(shard);
    all.samples += work.samples;
    all.tar_bytes += work.tar_bytes;
    all.audio_seconds += work.audio_seconds;
    supply.shard_load_seconds.push_back(decoding_seconds(work, speeds.at(shard.codec), supply.audio_speed) +
                                        python_seconds(work));
  }
  for (const auto& [codec, speed] : speeds) {
    const double decoding = decoding_seconds(all, speed, supply.audio_speed);
    const double worker_speed = speed_of(all, decoding + python_seconds(all));
    supply.ways.push_back({.codec = name_of(codec),
                           .is_used = is_used(shards.shards, codec),
                           .decoder_speed = speed_of(all, decoding),
                           .worker_speed = worker_speed,
                           .workers = workers_for(needed, worker_speed)});
  }
  std::stable_sort(supply.ways.begin(), supply.ways.end(),
                   [](const auto& a, const auto& b) { return a.worker_speed < b.worker_speed; });
  return supply;
}

}  // namespace shardmill::ranks
