// Shards as forms read them: their samples, from the lines of the manifest with the audio; or only the
// headers (HeaderReader), in one pass over the shards that all such forms share.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/file.hpp"
#include "base/reporter.hpp"
#include "base/text/json_reader.hpp"
#include "dataset/forms.hpp"
#include "manifest/sample_record.hpp"
#include "shard/plain_walk.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::dataset {

/// The folder where users unpack the shards for loaders that read single files.
inline constexpr std::string_view kUnpackedAudio = "audio";

/// The card of a dataset for Hugging Face, and its beginning.
inline constexpr std::string_view kCard = "README.md";
inline constexpr std::string_view kCardStart = "---\n# Written by shardmill\n";

using UseSample = std::function<void(const manifest::SampleRecord& record, const base::JsonValue& line)>;

/// Throws Error with the place of a line that cannot be read. An Error of `use` keeps its own place, or else
/// gets that of the line.
void for_each_sample(const std::string& manifest, base::Reporter& reporter, const UseSample& use);

/// A fact of a sample as a text: numbers as they are written. Empty if there is no such fact, and for null,
/// lists and objects.
std::string fact_text(const base::JsonValue& line, std::string_view fact);

/// The audio of one sample after another, read from a plain shard and compared with its manifest.
class SampleAudio {
 public:
  explicit SampleAudio(const std::string& shard);

  /// Stays until the next call. Throws Error where it is not the audio that the manifest describes.
  std::span<const std::byte> read(const manifest::SampleRecord& record);

 private:
  base::File tar_;
  Bytes audio_;
};

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
