// LoaderSupply: the audio that one loader worker delivers, and the number of workers that a rank needs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "pipeline/workers.hpp"
#include "ranks/shards.hpp"

namespace shardmill::ranks {

/// The time that Python adds to decompression and audio decoding. Measured with tarfile and soundfile, Python
/// 3.11, on a Xeon with AVX-512; the same for WAV and FLAC of 0.5 to 32 s. On other machines it is an
/// assumption.
struct PythonCost {
  static constexpr double kSecondsPerSample = 120e-6;
  static constexpr double kSecondsPerTarByte = 0.26e-9;
};

/// Seconds of audio per second that one worker of a loader delivered, by the codec of shards.
struct RecordedSpeeds {
  std::string path;    // of the record
  std::string reader;  // "tarfile and torchaudio"
  std::string host;
  std::map<std::string, double> by_codec;
};

/// Speeds are seconds of audio per second. Only reading and decoding are measured, with Python; a worker that
/// also computes features delivers far less.
struct LoaderSupply {
  /// One codec of shards, and the speed of a worker with it.
  struct Way {
    std::string codec;
    bool is_used = false;       // the shards have this codec now
    double decoder_speed = 0;   // decompression and audio decoding without Python; 0: not measured
    double worker_speed = 0;    // the same with the cost of Python
    std::uint64_t workers = 0;  // that a rank needs if all shards had this codec; 0 if unknown
  };

  double needed = 0;       // by the trainer of one rank
  bool measured = false;   // here, decoding alone; false: the user gave the speed, or a record of one
  std::string recorded{};  // the loader and the machine of that record; empty without one
  double audio_speed = 0;  // audio decoding alone, one worker; 0 if unknown
  std::vector<Way> ways;
  std::vector<double> shard_load_seconds;  // the time of a worker for each shard
};

/// The supply at a speed that the user gives for each worker.
LoaderSupply given_supply(const RankShards& shards, double needed, double worker_speed);

/// The supply at the speeds of a record. Throws Error if it has none for the codec of a shard.
LoaderSupply recorded_supply(const RankShards& shards, double needed, const RecordedSpeeds& speeds);

/// Measures with the shards themselves: decompression with the codec's own library and audio decoding with
/// libsndfile, on one thread, in CPU time. Does this for each codec of the shards, and for those that repack
/// could write instead. Other work of loaders (features, waiting for disks) is not included. Throws Error
/// when a shard cannot be read.
LoaderSupply measured_supply(const RankShards& shards, double needed, pipeline::Workers& workers,
                             base::Reporter& reporter);

}  // namespace shardmill::ranks
