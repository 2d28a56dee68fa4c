#include "check/audio_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "audio/byte_view.hpp"
#include "audio/decoded_length.hpp"
#include "audio/flac_decoding.hpp"
#include "audio/ogg_pages.hpp"
#include "audio/probe.hpp"
#include "audio/sndfile.hpp"
#include "audio/wav.hpp"

namespace shardmill::check {

namespace {

constexpr std::uint64_t kBatchBytes = 16 << 20;

/// What makes readers of this audio stop too early, leave some of it out or find nothing; empty where they do
/// not.
std::string hidden_audio(std::span<const std::byte> audio) {
  const audio::ProbeResult probed = audio::probe(audio);
  if (!probed.usable()) return probed.text;
  if (probed.info.format.starts_with("ogg/")) return audio::ogg_damage(audio);
  if (!audio::find_unset_data_size(audio::ByteView(audio))) return {};
  return "its header gives 0 bytes of audio: most readers find none";
}

std::optional<audio::DecodedAudio> decode(std::span<const std::byte> audio, const AudioInfo& info) {
  if (info.format.starts_with("flac/")) return audio::decode_flac(audio);
  return audio::sndfile_decode(audio);
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
  if (std::string hidden = hidden_audio(audio); !hidden.empty()) {
    return report(Finding::Severity::finding, std::move(hidden));
  }
  const auto decoded = decode(audio, info);
  if (!decoded) return report(Finding::Severity::finding, "libsndfile cannot read it");
  if (!decoded->damage.empty()) {
    const bool all_there = decoded->frames == info.frames;
    report(Finding::Severity::finding, all_there ? decoded->damage
                                                 : fmt::format("cannot be decoded behind frame {}: {}",
                                                               decoded->frames, decoded->damage));
  } else if (decoded->frames != info.frames) {
    report(audio::is_whole(info, decoded->frames) ? Finding::Severity::note : Finding::Severity::finding,
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

}  // namespace shardmill::check
