// LoaderSupply: how much audio one loader worker delivers, and whether that is enough.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "ranks/shards.hpp"

namespace shardmill::ranks {

/// What reading in Python costs beside decompression and decoding of audio: tarfile and soundfile with Python
/// 3.11 on a Xeon with AVX-512, the same for WAV and FLAC of 0.5 to 32 s. An assumption anywhere else.
struct PythonCost {
  static constexpr double kSecondsPerSample = 120e-6;
  static constexpr double kSecondsPerTarByte = 0.26e-9;
};

/// Speeds are seconds of audio a second. What is measured is reading and decoding alone, Python included; a
/// worker that computes features delivers far less.
struct LoaderSupply {
  /// One kind of shards, and what a worker would deliver of them.
  struct Way {
    std::string codec;
    bool is_used = false;       // by the shards as they are
    double decoder_speed = 0;   // of decompression and decoding of audio, without Python; 0: not measured
    double worker_speed = 0;    // with what Python costs
    std::uint64_t workers = 0;  // that a rank needs, if all shards were alike; 0: cannot be told
  };

  double needed = 0;       // by the trainer of one rank
  bool measured = false;   // false: as the user says
  double audio_speed = 0;  // of decoding the audio alone, one worker; 0: not known
  std::vector<Way> ways;
  std::vector<double> shard_load_seconds;  // that a worker takes for each shard
};

/// As the user says: `worker_speed` of each worker.
LoaderSupply given_supply(const RankShards& shards, double needed, double worker_speed);

/// Measured on the shards: decompression by the codec's own library and decoding of audio by libsndfile, on
/// one thread, in CPU time; for each codec that the shards have, and for those that repack could write
/// instead. What loaders do beyond that (features, Python, waiting for disks) is not in it. Throws Error when
/// a shard cannot be read.
LoaderSupply measured_supply(const RankShards& shards, double needed, pipeline::Workers& workers,
                             base::Reporter& reporter);

}  // namespace shardmill::ranks
