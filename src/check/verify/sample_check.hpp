// SampleCheck: what verify says of a sample by itself, in a shard of a dataset and in any other.
// severity_of: which oddities of a tar are damage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manifest/sample_record.hpp"
#include "model/audio_info.hpp"
#include "model/finding.hpp"
#include "pipeline/workers.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::check {

/// Whose shard it is. Those of datasets hold no folders, no odd names and no members without a key.
enum class ShardOf { dataset, others };

Finding::Severity severity_of(ShardProblem problem, ShardOf whose);

/// The place of an audio member.
struct AudioPlace {
  std::string shard;
  std::string member;
  std::uint64_t tar_offset = 0;
};

/// How much of the audio is checked. `frames`: the checksums in it, without decoding. `values`: it is decoded
/// completely, in batches, on all workers.
enum class AudioDepth { headers, frames, values };

/// Findings are damage, and another number of frames than the record says. Notes are silence and values that
/// are not finite. One thread at a time.
class SampleCheck {
 public:
  SampleCheck(AudioDepth depth, pipeline::Workers& workers, FindingList& findings);

  /// False if take() makes no use of the audio.
  bool needs_audio() const noexcept { return depth_ != AudioDepth::headers; }
  /// `record`: from a manifest, or measured.
  void take(AudioPlace place, const manifest::SampleRecord& record, Bytes&& audio);
  /// Checks the audio that still waits. Call this after the last sample.
  void flush();

  struct Item {
    AudioPlace place;
    Bytes audio;
    AudioInfo info;
  };

 private:
  AudioDepth depth_;
  pipeline::Workers& workers_;
  FindingList& findings_;
  std::uint64_t batch_bytes_;
  std::vector<Item> items_;  // wait to be decoded
  std::uint64_t bytes_ = 0;
};

}  // namespace shardmill::check
