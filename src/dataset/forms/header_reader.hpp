// HeaderReader: writes the files of a form that follow from the headers of the shards. All such forms share
// one pass over the shards.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/forms.hpp"
#include "model/shard_layout.hpp"

namespace shardmill::dataset {

/// A shard whose headers were read.
struct ReadShard {
  const ShardToIndex& shard;
  const ShardLayout& layout;
  std::uint64_t bytes = 0;  // of the tar
};

/// A shard in a list of all shards.
struct CountedShard {
  std::string name;  // relative to the folder of the forms
  std::uint64_t samples = 0;
  std::uint64_t bytes = 0;
};

class HeaderReader {
 public:
  virtual ~HeaderReader() = default;

  /// Writes the files beside one shard. Several threads call it at the same time, in any order.
  virtual void write_beside(const ReadShard&, std::vector<manifest::Checksum>&) {}
  /// True for a reader that needs add().
  virtual bool takes_all_in_order() const { return false; }
  /// Takes one shard after another, in their order.
  virtual void add(const ReadShard&) {}
  /// Writes the files for all shards.
  virtual void finish(const std::vector<CountedShard>& shards, WrittenIndexes& written) = 0;
};

/// Writes those of `work.forms` that are made from headers. Throws Error for a shard without samples.
void write_from_headers(const FormWork& work, WrittenIndexes& written);

/// "a/x.tar" -> "a/x"; a name without ".tar" stays as it is.
std::string without_tar(std::string_view name);
/// "a/x.tar.idx": the name of the index that Energon and Lhotse look for beside a tar.
std::string tar_index_name(std::string_view shard_name);
/// The places where the samples begin, and then `end`, as 64-bit little-endian numbers.
std::string sample_places(const ShardLayout& layout, std::uint64_t end);

}  // namespace shardmill::dataset
