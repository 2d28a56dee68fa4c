#include "dataset/indexes/sample_audio.hpp"

#include "base/error.hpp"
#include "base/hash/hash.hpp"

namespace shardmill::dataset {

SampleAudio::SampleAudio(const std::string& shard) : tar_(base::File::open_read(shard)) {}

std::span<const std::byte> SampleAudio::read(const manifest::SampleRecord& record) {
  audio_.resize(record.audio_bytes);
  const std::size_t got = tar_.read_at(audio_, record.tar_offset);
  if (got == audio_.size() && base::xxh3_128(audio_) == record.xxh3) return audio_;
  throw Error("is not the audio that the manifest describes",
              Where{.path = tar_.path(), .member = record.audio_filepath, .offset = record.tar_offset},
              "shardmill verify shows the damage");
}

}  // namespace shardmill::dataset
