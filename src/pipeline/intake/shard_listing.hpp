// ShardListing: reads the manifest of a finished dataset's shard in step with the samples of that shard.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "manifest/record_reader.hpp"
#include "manifest/sample_record.hpp"
#include "source/source_file.hpp"

namespace shardmill::pipeline {

/// One thread at a time.
class ShardListing {
 public:
  using Record = std::shared_ptr<const manifest::SampleRecord>;

  /// `from` is an offset in the plain tar: samples before it count as read already. take_problems() has the
  /// problems of the manifest.
  ShardListing(const source::DatasetShard& shard, std::uint64_t from);

  /// The line of the sample with this key, including its facts; none when there is no such line.
  Record take(std::string_view key);
  /// True while samples come in the order of the manifest. Then only one line is kept in memory.
  bool is_in_step() const noexcept { return in_step_; }
  /// At the end of the shard: the keys of all lines that were not taken, in their order.
  std::vector<std::string> take_rest();
  /// The problems found since the last call.
  std::vector<Error> take_problems();

 private:
  void check_sum();
  void read_next();
  void read_rest();

  const source::DatasetShard& shard_;
  std::optional<manifest::RecordReader> reader_;
  std::vector<Error> problems_;
  Record next_;  // null: there are no more lines
  bool in_step_ = true;
  bool has_bad_line_ = false;

  struct Waiting {
    std::uint64_t place = 0;
    Record record;
  };
  std::unordered_map<std::string, Waiting> waiting_;  // by key, once samples and lines are no longer in step
};

}  // namespace shardmill::pipeline
