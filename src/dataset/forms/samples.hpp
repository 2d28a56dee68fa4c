// The samples of a shard as forms read them: the lines of the manifest, and the audio.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/io/file.hpp"
#include "base/reporter.hpp"
#include "base/text/json_reader.hpp"
#include "manifest/sample_record.hpp"
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

}  // namespace shardmill::dataset
