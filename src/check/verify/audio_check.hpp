// AudioCheck: decodes audio members completely, in batches, on all workers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/audio_info.hpp"
#include "model/finding.hpp"
#include "pipeline/workers.hpp"
#include "shardmill/sample.hpp"

namespace shardmill::check {

/// The place of an audio member.
struct AudioPlace {
  std::string shard;
  std::string member;
  std::uint64_t tar_offset = 0;
};

struct AudioItem {
  AudioPlace place;
  Bytes audio;
  AudioInfo info;
};

/// Findings are damage, and another number of frames than AudioInfo says. Notes are silence and values that
/// are not finite. One thread at a time.
class AudioCheck {
 public:
  AudioCheck(pipeline::Workers& workers, FindingList& findings);

  void add(AudioPlace place, Bytes&& audio, AudioInfo info);
  /// Checks all audio that was added since the last check.
  void flush();

 private:
  pipeline::Workers& workers_;
  FindingList& findings_;
  std::uint64_t batch_bytes_;
  std::vector<AudioItem> items_;
  std::uint64_t bytes_ = 0;
};

}  // namespace shardmill::check
