// read_shard: reads the samples of any tar shard, plain or compressed, in their order.
#pragma once

#include <functional>
#include <string>

#include "shardmill/observer.hpp"
#include "shardmill/sample.hpp"

namespace shardmill {

/// Which part of a member's name is the key.
enum class KeyRule {
  wenet,       // the name up to its last dot
  webdataset,  // the name up to the first dot of its base name
};

struct ReadOptions {
  KeyRule key_rule = KeyRule::wenet;
  bool skip_damage = false;  // continue after damage; losses are reported to Observer::fail()
  Limits limits{};
};

/// Called with each sample. Returns false to stop reading.
using SampleCallback = std::function<bool(Sample&&)>;

/// Reads one shard: plain, or compressed with bzip2, gzip, xz, zstd or lz4 (the first bytes of the file show
/// which). Several threads decode; `callback` gets the samples one at a time, in the order of the shard.
/// Throws Error for a file that cannot be read, and for damage unless `skip_damage` is set.
void read_shard(const std::string& path, const ReadOptions& options, const SampleCallback& callback,
                Observer& observer);
void read_shard(const std::string& path, const ReadOptions& options, const SampleCallback& callback);

}  // namespace shardmill
