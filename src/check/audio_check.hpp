// AudioCheck: decodes audio members in full, a batch at a time on all workers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/audio_info.hpp"
#include "model/finding.hpp"
#include "model/sample.hpp"
#include "pipeline/workers.hpp"

namespace shardmill::check {

/// Where an audio member lies.
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

/// Damage and another number of frames than AudioInfo says are findings; silence and non-finite values are
/// notes. One thread at a time.
class AudioCheck {
 public:
  AudioCheck(pipeline::Workers& workers, FindingList& findings);

  void add(AudioPlace place, Bytes&& audio, AudioInfo info);
  /// Checks what was added and is not yet checked.
  void flush();

 private:
  pipeline::Workers& workers_;
  FindingList& findings_;
  std::uint64_t batch_bytes_;
  std::vector<AudioItem> items_;
  std::uint64_t bytes_ = 0;
};

}  // namespace shardmill::check
