// SampleAudio: the audio of one sample after another, read from a plain shard and compared with its manifest.
#pragma once

#include <span>
#include <string>

#include "base/io/file.hpp"
#include "manifest/sample_record.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::dataset {

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
