#include "shardmill/commands/audio_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "shardmill/audio/sndfile.hpp"

namespace shardmill::commands {

namespace {

constexpr std::uint64_t kBatchBytes = 16 << 20;

/// Decoders of lossy formats differ by the padding that they take away at the ends.
bool is_exact(const AudioInfo& info) {
  return info.format != "mp3" && !info.format.starts_with("ogg/");
}

}  // namespace

void check_audio(const AudioPlace& place, std::span<const std::byte> audio, const AudioInfo& info,
                 FindingList& findings) {
  const auto report = [&](Finding::Severity severity, std::string what) {
    findings.add({.severity = severity,
                  .where = {.path = place.shard, .member = place.member},
                  .tar_offset = place.tar_offset,
                  .what = std::move(what)});
  };
  const auto decoded = audio::sndfile_decode(audio);
  if (!decoded) return report(Finding::Severity::finding, "libsndfile cannot read it");
  if (!decoded->damage.empty()) {
    report(Finding::Severity::finding,
           fmt::format("cannot be decoded behind frame {}: {}", decoded->frames, decoded->damage));
  } else if (decoded->frames != info.frames) {
    report(is_exact(info) ? Finding::Severity::finding : Finding::Severity::note,
           fmt::format("decodes to {} frames, not {}", decoded->frames, info.frames));
  }
  if (decoded->non_finite) report(Finding::Severity::note, "holds values that are no finite numbers");
  if (decoded->silent && decoded->frames > 0)
    report(Finding::Severity::note, "is silent: every value is zero");
}

AudioCheck::AudioCheck(pipeline::Workers& workers, FindingList& findings)
    : workers_(workers),
      findings_(findings),
      batch_bytes_(std::min(kBatchBytes, workers.memory_bytes() / 2 / workers.threads())) {}

void AudioCheck::add(AudioPlace place, Bytes&& audio, AudioInfo info) {
  bytes_ += audio.size();
  items_.push_back({std::move(place), std::move(audio), std::move(info)});
  if (bytes_ >= batch_bytes_) flush();
}

void AudioCheck::flush() {
  workers_.for_each(items_.size(), [this](std::size_t index) {
    const Item& item = items_[index];
    check_audio(item.place, item.audio, item.info, findings_);
  });
  items_.clear();
  bytes_ = 0;
}

}  // namespace shardmill::commands
